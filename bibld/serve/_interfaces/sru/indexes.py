"""The indexes of the server by their names in the context sets of CQL, and what each of them searches.

The sets are ``cql`` 1.2, Dublin Core (``dc``), the Bath profile (``bath``) and ``rec``. A name without a set is looked
up in all of them.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from bibld.serve._interfaces.sru.diagnostics import SruDiagnosticError, SruFault


class IndexKind(StrEnum):
    """What the terms of an index are."""

    TEXT = "text"
    CODE = "code"
    NUMBER = "number"
    RECORD = "record"
    YEAR = "year"
    ALL_RECORDS = "all records"


class CqlIndex(msgspec.Struct, frozen=True):
    """An index: ``names`` with their sets, the preferred one first; ``field`` of the search (see ``bibld.search``)."""

    title: str
    kind: IndexKind
    field: str
    names: tuple[str, ...]
    sort: str = ""


SETS = {
    "cql": "info:srw/context-set/1/cql-v1.2",
    "dc": "info:srw/context-set/1/dc-v1.1",
    "bath": "http://zing.z3950.org/cql/bath/2.0/",
    "rec": "info:srw/context-set/2/rec-1.1",
}
"""The context sets by their usual prefixes."""

_SET_OF_URI = re.compile(
    r"info:srw/(?:cql-)?context-sets?/[0-9]+/(cql|dc|rec)-v?[0-9.]+|http://zing\.z3950\.org/cql/(bath)/[0-9.]*/?"
)
"""Identifiers of the context sets, as the standard and its older versions and examples write them."""

_OTHER_PREFIXES = {"srw": "cql"}
"""The name of the set ``cql`` in CQL 1.0."""


def _index(title: str, kind: IndexKind, field: str, names: str, sort: str = "") -> CqlIndex:
    return CqlIndex(title, kind, field, tuple(names.split()), sort)


INDEXES = (
    _index(
        "Anywhere", IndexKind.TEXT, "any", "cql.serverChoice cql.anywhere cql.keywords cql.allIndexes bath.any rec.any"
    ),
    _index("All records", IndexKind.ALL_RECORDS, "", "cql.allRecords"),
    _index("Title", IndexKind.TEXT, "title", "dc.title bath.title bath.uniformTitle bath.keyTitle", "title"),
    _index(
        "Person or organisation",
        IndexKind.TEXT,
        "author",
        "dc.creator dc.contributor dc.author bath.author bath.personalAuthor bath.corporateAuthor"
        " bath.conferenceAuthor bath.name bath.personalName bath.corporateName bath.conferenceName",
    ),
    _index(
        "Subject",
        IndexKind.TEXT,
        "subject",
        "dc.subject dc.coverage bath.subject bath.topicalSubject bath.geographicName bath.genreForm",
    ),
    _index("ISBN", IndexKind.NUMBER, "", "bath.isbn dc.isbn"),
    _index("ISSN", IndexKind.NUMBER, "", "bath.issn dc.issn"),
    _index(
        "Identifier or control number",
        IndexKind.NUMBER,
        "",
        "dc.identifier bath.standardIdentifier bath.lccn bath.remoteSystemControlNumber dc.number",
    ),
    _index("Record", IndexKind.RECORD, "", "rec.identifier rec.id"),
    _index(
        "Year of publication",
        IndexKind.YEAR,
        "",
        "dc.date dc.year dc.publicationYear bath.publicationYear bath.date",
        "year",
    ),
    _index("Publisher", IndexKind.TEXT, "publisher", "dc.publisher bath.publisher"),
    _index("Place of publication", IndexKind.TEXT, "place", "bath.placePublication dc.place"),
    _index("Series", IndexKind.TEXT, "series", "bath.seriesTitle dc.series"),
    _index("Language (ISO 639)", IndexKind.CODE, "language", "dc.language bath.language"),
    _index("Type", IndexKind.CODE, "type", "dc.type bath.type"),
    _index("Library", IndexKind.CODE, "library", "bath.possessingInstitution dc.library rec.collectionName"),
)
_BY_NAME = {name.lower(): index for index in INDEXES for name in index.names}
_BY_LOCAL_NAME = {name.lower().partition(".")[2]: index for index in reversed(INDEXES) for name in index.names}
RESULT_SET = "cql.resultsetid"


class CqlPrefixes(msgspec.Struct, frozen=True):
    """The prefixes that a part of a query declares, beside the usual ones; ``default`` is the set of names without."""

    declared: tuple[tuple[str, str], ...] = ()
    default: str = ""

    def with_declaration(self, prefix: str | None, uri: str) -> CqlPrefixes:
        """Return these prefixes with a further one; raises ``SruDiagnosticError`` for an unknown set."""
        found = _SET_OF_URI.fullmatch(uri)
        if found is None:
            raise SruDiagnosticError(SruFault.CONTEXT_SET, uri)
        known = found[1] or found[2]
        if prefix is None:
            return msgspec.structs.replace(self, default=known)
        return msgspec.structs.replace(self, declared=(*self.declared, (prefix.lower(), known)))

    def find_index(self, name: str) -> CqlIndex:
        """Return the index with a name; raises ``SruDiagnosticError`` if there is none."""
        prefix, dot, local = name.lower().rpartition(".")
        if not dot:
            index = _BY_NAME.get(f"{self.default}.{local}") if self.default else _BY_LOCAL_NAME.get(local)
        else:
            known = dict(self.declared).get(prefix) or _OTHER_PREFIXES.get(prefix, prefix)
            if known not in SETS:
                raise SruDiagnosticError(SruFault.CONTEXT_SET, prefix)
            if f"{known}.{local}" == RESULT_SET:
                raise SruDiagnosticError(SruFault.RESULT_SETS, name)
            index = _BY_NAME.get(f"{known}.{local}")
        if index is None:
            raise SruDiagnosticError(SruFault.INDEX, name)
        return index
