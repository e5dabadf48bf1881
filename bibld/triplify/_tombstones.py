"""Tombstones: that the record of an IRI was deleted, when and why, and which IRI replaces it, as quads.

They follow from the register alone (redirects, history, suppressions), so that a rebuild makes the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from bibld.catalog import Catalog
from bibld.model.iris import Iris
from bibld.model.origin import RecordId
from bibld.model.rdf import DELETED, WITHDRAWN, iri, literal, term, typed_literal
from bibld.triplify._draft import Quad, sort_quads


def tombstone(iris: Iris, catalog: Catalog, ordinal: int) -> bytes:
    """Return the quads of a deleted record; empty for a live or suppressed one, or one that was never published.

    ``rdfs:comment`` states the cause.

    ``dcterms:isReplacedBy`` names the IRI that the register redirects to, that of a member of the cluster that the
    record left; its ``owl:sameAs``, or its own tombstone, leads on.
    """
    register = catalog.register
    is_deleted = register.has_redirect(ordinal) and not catalog.records.is_live(ordinal)
    if not is_deleted or catalog.suppressions.is_suppressed(ordinal):
        return b""
    target = register.redirect_target(ordinal)
    replacement = None
    if target is not None and not catalog.suppressions.is_suppressed(target):
        replacement = register.record(target)
    time, is_authority = _deletion_time(catalog, ordinal), catalog.records.is_authority(ordinal)
    return tombstone_statements(iris, register.record(ordinal), time, replacement, is_authority)


def tombstone_statements(
    iris: Iris, record: RecordId, deleted: str | None, replacement: RecordId | None, is_authority: bool = False
) -> bytes:
    """Return the quads of a deleted record.

    ``deleted`` is the time of the run that deleted it (ISO 8601; None: not known), ``replacement`` the record that its
    IRI redirects to, unless that must not be published. An authority record (``is_authority``) has no resource.
    """
    resource = iri(iris.resource(record))
    quads = _quads_about(iris, record, deleted, DELETED)
    if is_authority:
        quads = [quad for quad in quads if quad[1] != resource]
    if replacement is not None:
        quads.append(("", resource, term("dcterms:isReplacedBy"), iri(iris.resource(replacement))))
    return "".join(sort_quads(quads, resource)).encode()


def withdrawal_quads(iris: Iris, withdrawn: Iterable[tuple[RecordId, str | None]]) -> tuple[str, ...]:
    """Return the lines about records that must not be published, each given with the time of its last deletion."""
    quads = [quad for record, time in withdrawn for quad in _quads_about(iris, record, time, WITHDRAWN)]
    return sort_quads(quads, "")


def withdrawal_statements(catalog: Catalog, iris: Iris) -> tuple[str, ...]:
    """Return the lines about records that must not be published, as the documents of their IRIs state them.

    They are in no dump and in no store: only who asks for such an IRI learns that it was withdrawn, and when.
    """
    records = [suppression.record for suppression in catalog.suppressions.all() if not suppression.value]
    ordinals = [(record, catalog.register.ordinal(record)) for record in records]
    return withdrawal_quads(
        iris, [(record, _deletion_time(catalog, ordinal)) for record, ordinal in ordinals if ordinal is not None]
    )


def _deletion_time(catalog: Catalog, ordinal: int) -> str | None:
    """Return the time of the run that last deleted a record."""
    deletions = [event.run_time for event in catalog.history.events(ordinal) if event.kind == "deleted"]
    return deletions[-1] if deletions else None


def _quads_about(iris: Iris, record: RecordId, deleted: str | None, cause: Iterable[tuple[str, str]]) -> list[Quad]:
    """Return when and why the IRIs of a record became invalid; ``cause`` are texts with their language tags."""
    quads: list[Quad] = []
    for one in (iri(iris.resource(record)), iri(iris.record(record))):
        quads += [("", one, term("rdfs:comment"), literal(text, language)) for text, language in cause]
        if deleted is not None:
            time = typed_literal(_utc(deleted), "dateTime")
            quads.append(("", one, term("prov:invalidatedAtTime"), time))
    return quads


def _utc(run_time: str) -> str:
    """Return a time in the form in which triple stores return it."""
    time = datetime.fromisoformat(run_time)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
