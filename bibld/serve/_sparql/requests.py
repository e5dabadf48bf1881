"""Requests of the SPARQL 1.1 Protocol (2.1): parameters and bodies are parsed, contradictions answered with 400."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from bibld.serve._http import ProblemError, read_body
from bibld.serve._language import message
from bibld.serve._negotiation import choose

HTML = "text/html"
RESULTS_JSON = "application/sparql-results+json"
TABLES = {
    RESULTS_JSON: RESULTS_JSON,
    "application/sparql-results+xml": "application/sparql-results+xml",
    "text/csv": "text/csv",
    "text/tab-separated-values": "text/tab-separated-values",
    "application/json": RESULTS_JSON,
    "application/xml": "application/sparql-results+xml",
    "text/xml": "application/sparql-results+xml",
    HTML: RESULTS_JSON,
}
"""Media types that are answered with, and the format that each is: of tables and booleans …"""

GRAPHS = {
    "text/turtle": "text/turtle",
    "application/n-triples": "application/n-triples",
    "application/rdf+xml": "application/rdf+xml",
    "application/ld+json": "application/ld+json",
    "application/json": "application/ld+json",
    "text/plain": "application/n-triples",
    HTML: "text/turtle",
}
"""… and of graphs."""

_TURTLE, _NTRIPLES, _RDF_XML = "text/turtle", "application/n-triples", "application/rdf+xml"
_NAMED: dict[str, tuple[str | None, str | None]] = {
    "html": (HTML, HTML),
    "json": (RESULTS_JSON, "application/ld+json"),
    "xml": ("application/sparql-results+xml", _RDF_XML),
    "csv": ("text/csv", None),
    "tsv": ("text/tab-separated-values", None),
    **dict.fromkeys(("turtle", "ttl", "n3"), (None, _TURTLE)),
    **dict.fromkeys(("ntriples", "nt"), (None, _NTRIPLES)),
    **dict.fromkeys(("rdf", "rdfxml", "rdf+xml"), (None, _RDF_XML)),
    **dict.fromkeys(("jsonld", "json-ld"), (None, "application/ld+json")),
}
"""Values of ``format=`` → media types for tables and graphs."""

_MAX_QUERY_LENGTH = 256 * 1024
_MAX_FIELDS = 1000
_QUERY, _UPDATE = "application/sparql-query", "application/sparql-update"
_FORM = "application/x-www-form-urlencoded"
_UPDATE_PARAMETERS = frozenset({"update", "using-graph-uri", "using-named-graph-uri"})
_READ_ONLY = message("This endpoint answers queries; it refuses updates.")
_TOO_LONG = message("A query may have %(number)s characters.", number=f"{_MAX_QUERY_LENGTH:,}")


class SparqlRequest(msgspec.Struct, frozen=True):
    """A parsed request; ``query`` is None if none was sent."""

    query: str | None
    format: str | None = None
    example: str | None = None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


async def read_request(request: Request) -> SparqlRequest:
    """Parse a request; raises ``ProblemError`` where it breaks the protocol."""
    parameters = _parse_parameters(request.scope["query_string"].decode("latin-1"))
    if request.method == "POST":
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        too_long = ProblemError(413, message("Query too long"), _TOO_LONG)
        body = await read_body(request, 4 * _MAX_QUERY_LENGTH, too_long)
        if kind == _UPDATE:
            raise ProblemError(403, message("Forbidden"), _READ_ONLY)
        if kind not in (_QUERY, _FORM):
            detail = message("A query is posted as application/sparql-query or application/x-www-form-urlencoded.")
            raise ProblemError(415, message("Unsupported media type"), detail, {"Accept-Post": f"{_QUERY}, {_FORM}"})
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            detail = message("The body of the request is not UTF-8 at byte %(number)s.", number=error.start)
            raise ProblemError(400, message("Not UTF-8"), detail) from error
        parameters = [*parameters, ("query", text)] if kind == _QUERY else _parse_parameters(text) + parameters
    return _from_parameters(parameters)


def _from_parameters(parameters: Sequence[tuple[str, str]]) -> SparqlRequest:
    values: dict[str, list[str]] = {}
    for name, value in parameters:
        values.setdefault(name, []).append(value)
    queries = values.get("query", [])
    if len(queries) > 1:
        detail = message("The request has more than one query, in the address and the body together; send one.")
        raise ProblemError(400, message("More than one query"), detail)
    if _UPDATE_PARAMETERS & values.keys():
        if queries:
            detail = message("A request is a query or an update, not both.")
            raise ProblemError(400, message("Query and update"), detail)
        raise ProblemError(403, message("Forbidden"), _READ_ONLY)
    if queries and len(queries[0]) > _MAX_QUERY_LENGTH:
        raise ProblemError(413, message("Query too long"), _TOO_LONG)
    return SparqlRequest(
        queries[0] if queries else None,
        values.get("format", [None])[0] or None,  # SPARQLWrapper sends some twice
        values.get("example", [None])[0],
        tuple(values.get("default-graph-uri", ())),
        tuple(values.get("named-graph-uri", ())),
    )


@lru_cache(maxsize=256)
def wanted_types(form: str | None, accept: str) -> tuple[str | None, str | None]:
    """Return the media types to answer with: for a table or boolean, and for a graph; ``form`` is ``format=``."""
    if form is None:
        return choose(accept, tuple(TABLES)), choose(accept, tuple(GRAPHS))
    name = form.strip().lower()
    if name in _NAMED:
        return _NAMED[name]
    table = name if name in TABLES else None
    graph = name if name in GRAPHS else None
    if table is None and graph is None:
        detail = message("format= is one of %(names)s, or a media type.", names=", ".join(_NAMED))
        raise ProblemError(400, message("Unknown format"), detail)
    return table, graph


def _parse_parameters(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        detail = message("The parameters of the request are not UTF-8, or too many.")
        raise ProblemError(400, message("Not UTF-8"), detail) from error
