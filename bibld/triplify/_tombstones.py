"""Tombstones: that the record of an IRI was deleted, when and why, and which IRI replaces it, as quads.

They follow from the register alone (redirects, history, suppressions), so that a rebuild makes the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from bibld.catalog import Catalog
from bibld.model import tombstones
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, term, typed_literal
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
    record = register.record(ordinal)
    resource = iri(iris.resource(record))
    quads = _quads_about(iris, catalog, ordinal, tombstones.DELETED)
    target = register.redirect_target(ordinal)
    if target is not None and not catalog.suppressions.is_suppressed(target):
        quads.append(("", resource, term("dcterms:isReplacedBy"), iri(iris.resource(register.record(target)))))
    return "".join(sort_quads(quads, resource)).encode()


def withdrawal_statements(catalog: Catalog, iris: Iris) -> tuple[str, ...]:
    """Return the lines about records that must not be published, as the documents of their IRIs state them.

    They are in no dump and in no store: only who asks for such an IRI learns that it was withdrawn, and when.
    """
    quads: list[Quad] = []
    for suppression in catalog.suppressions.all():
        ordinal = catalog.register.ordinal(suppression.record)
        if not suppression.value and ordinal is not None:
            quads += _quads_about(iris, catalog, ordinal, tombstones.WITHDRAWN)
    return sort_quads(quads, "")


def _quads_about(iris: Iris, catalog: Catalog, ordinal: int, cause: Iterable[tuple[str, str]]) -> list[Quad]:
    """Return when and why the IRIs of a record became invalid; ``cause`` are texts with their language tags."""
    record = catalog.register.record(ordinal)
    deletions = [event.run_time for event in catalog.history.events(ordinal) if event.kind == "deleted"]
    quads: list[Quad] = []
    for one in (iri(iris.resource(record)), iri(iris.record(record))):
        quads += [("", one, term("rdfs:comment"), literal(text, language)) for text, language in cause]
        if deletions:
            time = typed_literal(_utc(deletions[-1]), "dateTime")
            quads.append(("", one, term("prov:invalidatedAtTime"), time))
    return quads


def _utc(run_time: str) -> str:
    """Return a time in the form in which triple stores return it."""
    time = datetime.fromisoformat(run_time)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
