"""Answers the commonest query of programs, all that is stated about one thing, from the prepared documents.

``SELECT ?p ?o { <…> ?p ?o }`` has the statements of a document as its result. To read them costs a fraction of what it
takes to ask a worker process. What is not exactly this query, or might be written differently by the store, is left to
the workers.
"""

from __future__ import annotations

import re

from bibld.documents import PublishedView
from bibld.model.rdf import XSD
from bibld.serve._sparql.pool import QueryResult
from bibld.serve._sparql.requests import RESULTS_JSON

_MAX_LENGTH = 2000
_MAX_DOCUMENT_BYTES = 1 << 18
"""Bytes of a document; a larger one would delay other requests."""
_QUERY = re.compile(
    r"""
    \s*+ SELECT \s++ (?:DISTINCT \s++)?+ (?: \* | [?$](?P<first>[A-Za-z]\w*+) \s++ [?$](?P<second>[A-Za-z]\w*+) )
    \s*+ (?:WHERE \s*+)?+
    \{ \s*+ <(?P<iri>[^<>"{}|^`\\\s]++)> \s*+ [?$](?P<p>[A-Za-z]\w*+) \s++ [?$](?P<o>[A-Za-z]\w*+) \s*+ (?:\.\s*+)?+ \}
    \s*+
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_WITHOUT_DOCUMENT = ("dataset", "graph/", "ontology")
_NORMAL_FORMS = {
    "integer": re.compile(r"0|-?[1-9][0-9]{0,17}"),
    "decimal": re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,8}[1-9]"),
    "boolean": re.compile(r"true|false"),
    "gYear": re.compile(r"[1-9][0-9]{3}"),
    "gYearMonth": re.compile(r"[1-9][0-9]{3}-[01][0-9]"),
    "date": re.compile(r"[1-9][0-9]{3}-[01][0-9]-[0-3][0-9]"),
    "dateTime": re.compile(r"[1-9][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z?"),
    "anyURI": re.compile(r".*", re.DOTALL),
}
"""Types of XML Schema → values that a store gives back as they are; it may write others differently (``01`` as 1)."""


class Lookups:
    """Answers from the prepared documents of one release, in the thread of its view; ``base`` is that of the site."""

    def __init__(self, view: PublishedView, base: str) -> None:
        self._view = view
        self._base = base

    def answer(self, query: str, limit: int) -> QueryResult | None:
        """Return the result as JSON, of ``limit`` bytes at most; None where a worker has to answer."""
        found = _QUERY.fullmatch(query) if len(query) <= _MAX_LENGTH else None
        if found is None:
            return None
        iri, predicate, value = found["iri"], found["p"], found["o"]
        names = (found["first"], found["second"]) if found["first"] else sorted((predicate, value))
        path = iri.removeprefix(self._base).partition("#")[0]
        if {*names} != {predicate, value} or predicate == value or not iri.startswith(self._base):
            return None
        if not path or "/." in path or path.startswith(_WITHOUT_DOCUMENT):
            return None
        document = self._view.document(path)
        if document is None or document.status != 200 or len(document.quads) > _MAX_DOCUMENT_BYTES:
            return None
        rows = _rows(document.quads.decode(), f"<{iri}> ", predicate, value)
        if rows is None:
            return None
        head = f'{{"head":{{"vars":["{names[0]}","{names[1]}"]}},"results":{{"bindings":['
        body = f"{head}{','.join(rows)}]}}}}".encode()
        return QueryResult("table", RESULTS_JSON, body) if len(body) <= limit else None


def _rows(lines: str, subject: str, predicate: str, value: str) -> dict[str, None] | None:
    """Return the rows in JSON for the lines of N-Quads with a subject; None if one is not certain."""
    rows: dict[str, None] = {}  # a statement may be in two graphs
    for line in lines.split("\n"):
        if not line.startswith(subject):
            continue
        verb, rest = line[len(subject) :].split(" ", 1)
        term = _json_term(rest)
        if term is None:
            return None
        rows[f'{{"{predicate}":{{"type":"uri","value":"{verb[1:-1]}"}},"{value}":{term}}}'] = None
    return rows


def _json_term(rest: str) -> str | None:
    r"""Write the object of a line in JSON; the escapes of N-Quads are those of JSON, except of ``\\U``."""
    if rest.startswith("<"):
        return f'{{"type":"uri","value":"{rest[1 : rest.index(">")]}"}}'
    end = rest.rindex('"')
    text, suffix = rest[1:end], rest[end + 1 :].split(" ", 1)[0]
    if "\\U" in text or not rest.startswith('"'):
        return None
    if not suffix:
        return f'{{"type":"literal","value":"{text}"}}'
    if suffix.startswith("@"):
        return f'{{"type":"literal","xml:lang":"{suffix[1:]}","value":"{text}"}}'
    datatype = suffix[3:-1]
    if datatype.startswith(XSD):
        form = _NORMAL_FORMS.get(datatype.removeprefix(XSD))
        if form is None or not form.fullmatch(text):
            return None
    return f'{{"type":"literal","value":"{text}","datatype":"{datatype}"}}'
