"""Tombstones: that the record of an IRI was deleted, when, and which IRI replaces it, as quads.

They follow from the register alone (redirects and history), so that a rebuild makes the same.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bibld.catalog import Catalog
from bibld.model.iris import Iris
from bibld.model.rdf import iri, term, typed_literal
from bibld.triplify._draft import Quad, sort_quads


def tombstone(iris: Iris, catalog: Catalog, ordinal: int) -> bytes:
    """Return the quads of a deleted record; empty for a live or suppressed one, or one that was never published.

    ``dcterms:isReplacedBy`` names the IRI that the register redirects to, that of a member of the cluster that the
    record left; its ``owl:sameAs``, or its own tombstone, leads on.
    """
    register = catalog.register
    is_deleted = register.has_redirect(ordinal) and not catalog.records.is_live(ordinal)
    if not is_deleted or catalog.suppressions.is_suppressed(ordinal):
        return b""
    record = register.record(ordinal)
    resource = iri(iris.resource(record))
    quads: list[Quad] = []
    deletions = [event.run_time for event in catalog.history.events(ordinal) if event.kind == "deleted"]
    if deletions:
        time = typed_literal(_utc(deletions[-1]), "dateTime")
        quads += [("", one, term("prov:invalidatedAtTime"), time) for one in (resource, iri(iris.record(record)))]
    target = register.redirect_target(ordinal)
    if target is not None and not catalog.suppressions.is_suppressed(target):
        quads.append(("", resource, term("dcterms:isReplacedBy"), iri(iris.resource(register.record(target)))))
    return "".join(sort_quads(quads, resource)).encode()


def _utc(run_time: str) -> str:
    """Return a time in the form in which triple stores return it."""
    time = datetime.fromisoformat(run_time)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
