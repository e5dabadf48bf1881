"""Remote stores: adapters of triple stores that are reached over HTTP, and what adapters are made of.

An adapter subclasses :class:`SparqlStore` and states how its servers differ from the standards: SPARQL 1.1 Protocol,
Update, and Graph Store Protocol."""

from __future__ import annotations

import gzip
import math
import re
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO, Literal, Self

import httpx
import msgspec
import pyoxigraph as ox
from SPARQLWrapper import INSERT, JSON, POST, SELECT, SPARQLWrapper

from bibld.errors import BadQueryError, StoreError
from bibld.model.rdf import graph_of, iri
from bibld.model.sparql.faults import undeclared_prefixes
from bibld.parallel import batches
from bibld.protocols import Query, RemoteAccess, ResultKind, TriplesFile
from bibld.store.remote._http import Authentication, Connection, StoreResponse

_TABLE = "application/sparql-results+json"
_TRIPLES = "application/n-triples"
__all__ = ["Endpoints", "SparqlStore", "StoreResponse", "graph_parameter", "joined"]

_IRI_OR_COMMENT = re.compile(r"<[^<>\s]*>|#[^\r\n]*")
_FORM = re.compile(r"\b(SELECT|ASK|CONSTRUCT|DESCRIBE)\b(?!\s*:)", re.IGNORECASE)
_FIRST_ROWS = 200
_SHOWN = 500
_COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


class Endpoints(msgspec.Struct, frozen=True):
    """The addresses of a store: for queries, for updates, and of the Graph Store Protocol (empty: there is none)."""

    query: str
    update: str
    graph_store: str = ""


class SparqlStore:
    """A remote store that keeps to the standards; see :class:`bibld.protocols.RemoteStore`.

    Adapters are subclasses that state how their servers differ. ``name`` is the product; ``batch`` the number of quads
    of one update; ``has_default_graph`` whether the default graph is stored apart from all others and can be queried
    together with them: if not, its quads are in the graph ``default`` beside the other named graphs; ``has_put``
    whether a graph can be replaced in one request; ``has_one_graph_an_update`` whether an update may name only one
    graph; ``media_type`` is that in which N-Triples are sent; ``paths`` are those of the endpoints
    below the address of the server (empty: that address); ``time_limit_form`` is how the parameter ``timeout`` states
    the seconds after which the server gives up a query, such as ``{}s`` (empty: only the client gives up).
    """

    name = "SPARQL 1.1 server"
    authentication: Authentication = "basic"
    paths: tuple[str, str, str] = ("", "", "")
    time_limit_form = ""
    batch = 5_000
    files_at_once = 1
    has_default_graph = False
    has_put = True
    has_one_graph_an_update = False
    media_type = _TRIPLES

    def __init__(self, access: RemoteAccess, endpoints: Endpoints) -> None:
        self.access = access
        self.endpoints = endpoints
        self.connection = Connection(access, self.authentication)
        self.default_graph = "" if self.has_default_graph else f"{access.graphs}default"

    @classmethod
    def open_remote(cls, access: RemoteAccess, settings: Any) -> Self:  # noqa: ANN401
        """Return the store at an address."""
        return cls(access, Endpoints(*(joined(access.url, path) if path else access.url for path in cls.paths)))

    # -- what adapters change --------------------------------------------------------------------------------------

    def dataset_parameters(self, text: str, union: bool) -> list[tuple[str, str]]:
        """Return the parameters for a query over all graphs as one, or only over the default graph.

        ``text`` is the query.
        """
        if union or not self.default_graph:
            return []
        return [("default-graph-uri", self.default_graph)]

    def graph_address(self, graph: str) -> str:
        """Return the address of a graph (empty for the default graph) in the Graph Store Protocol."""
        return f"{self.endpoints.graph_store}?{graph_parameter('graph', graph) if graph else 'default'}"

    def repair_results(self, response: StoreResponse) -> bytes:
        """Return results of a query as the standard has them (SPARQL 1.1 Query Results JSON Format)."""
        return response.body

    # -- changing --------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Send a query that every endpoint answers."""
        self._table(self._ask("ASK {}", [], _TABLE))

    def load_files(self, files: Sequence[TriplesFile]) -> None:
        """Send each file to its graph; without a Graph Store Protocol as updates."""
        for each in files:
            with gzip.open(each.file) as content:
                lines = [f"{line}\n" for line in content.read().decode().split("\n") if line]
            if self.endpoints.graph_store:
                graph = each.graph or self.default_graph
                self._send_or_halve(lines, partial(self._send_graph, "POST", graph))
            else:
                end = f" <{each.graph}> .\n" if each.graph else " .\n"
                self._update("INSERT DATA", (line.removesuffix(" .\n") + end for line in lines))

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Send updates of ``batch`` quads; one that the server refuses as a whole is sent in halves."""
        self._update("DELETE DATA", removed)
        self._update("INSERT DATA", added)

    def replace(self, graph: str, lines: Sequence[str]) -> None:
        """Put the quads in the place of all that the graph has."""
        if not self.endpoints.graph_store or not self.has_put:
            self.clear_graph(graph)
            self._update("INSERT DATA", lines)
            return
        self._send_graph("PUT", graph, [f"{split_quad(line)[1]}\n" for line in lines])

    def clear(self) -> None:
        """Remove the graphs of the dataset one by one."""
        for graph in self.counts():
            self.clear_graph(graph or self.default_graph)

    def clear_graph(self, graph: str) -> None:
        """Remove all quads of a graph; empty text is the default graph."""
        self._send_update(f"CLEAR SILENT GRAPH {iri(graph)}" if graph else "CLEAR SILENT DEFAULT")

    def counts(self) -> dict[str, int]:
        """Count the quads of each graph of the dataset."""
        rows = self._solutions("SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g", self.every_graph())
        counts = {row[0].value: int(row[1].value) for row in rows if row[0] is not None}
        found = {graph: count for graph, count in counts.items() if graph.startswith(self.access.graphs) and count}
        if self.has_default_graph:
            rows = self._solutions(_COUNT, self.dataset_parameters(_COUNT, union=False))
            found[""] = int(rows[0][0].value)
        elif self.default_graph in found:
            found[""] = found.pop(self.default_graph)
        return {graph: found[graph] for graph in sorted(found) if found[graph]}

    def every_graph(self) -> list[tuple[str, str]]:
        """Return the parameters for a query that names its graphs by a variable."""
        return []

    # -- reading ---------------------------------------------------------------------------------------------------

    def query(self, sparql: str, timeout: float | None = None, union: bool = True) -> Sequence[Sequence[str | None]]:
        """Return the rows of a SELECT query as N-Triples terms."""
        parameters = self.dataset_parameters(sparql, union)
        if timeout is not None and self.time_limit_form:
            parameters.append(("timeout", self.time_limit_form.format(math.ceil(timeout))))
        solutions = self._solutions(sparql, parameters, timeout)
        return [[None if term is None else str(term) for term in row] for row in solutions]

    def quads(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> Iterator[str]:
        """Yield the quads of the dataset that have these IRIs: some first, the others only if they are asked for."""
        given = (subject, predicate, value, graph)
        if any(each is not None and (":" not in each or iri(each) != f"<{each}>") for each in given):
            return
        terms = [f"?{name}" if each is None else iri(each) for name, each in zip("spo", given, strict=False)]
        pattern = " ".join(terms)
        where = f"GRAPH {'?g' if graph is None else iri(graph)} {{ {pattern} }}"
        if self.has_default_graph and graph is None:
            where = f"{{ {pattern} }} UNION {{ {where} }}"
        select = f"SELECT * {{ {where} }}"
        if all(given):
            select = f"SELECT (1 AS ?one) {{ {where} }}"
        parameters = self.dataset_parameters(select, union=False) if self.has_default_graph else self.every_graph()
        first = self._solutions(f"{select} LIMIT {_FIRST_ROWS}", parameters)
        seen = set()
        for line in self._lines(first, given):
            seen.add(line)
            yield line
        if len(first) == _FIRST_ROWS:
            for line in self._lines(self._solutions(select, parameters), given):
                if line not in seen:
                    yield line

    def _lines(self, solutions: Iterable[ox.QuerySolution], given: Sequence[str | None]) -> Iterator[str]:
        fixed = {name: ox.NamedNode(each) for name, each in zip("spog", given, strict=True) if each is not None}
        for solution in solutions:
            subject, predicate, value, graph = (fixed.get(name) or _value(solution, name) for name in "spog")
            if graph is None or graph.value == self.default_graph:
                yield f"{subject} {predicate} {value} .\n"
            elif graph.value.startswith(self.access.graphs):
                yield f"{subject} {predicate} {value} {graph} .\n"

    def answer(self, query: Query, out: BinaryIO) -> ResultKind:
        """Have the server evaluate a query, and write its result in the media type that is asked for."""
        if query.default_graphs or query.named_graphs:
            parameters = [("default-graph-uri", graph) for graph in query.default_graphs]
            parameters += [("named-graph-uri", graph) for graph in query.named_graphs]
        else:
            parameters = self.dataset_parameters(query.text, union=True) if query.union else []
        text = f"BASE {iri(query.base)}\n{query.text}" if query.base else query.text
        for prefix in sorted(undeclared_prefixes(query.text) & query.prefixes.keys()):
            text = f"PREFIX {prefix}: {iri(query.prefixes[prefix])}\n{text}"
        is_graph = query_form(query.text) in ("CONSTRUCT", "DESCRIBE")
        response = self._ask(text, parameters, f"{_TRIPLES}, text/turtle;q=0.5" if is_graph else _TABLE)
        if response.media_type in (_TRIPLES, "text/turtle", "text/plain", "text/ntriples"):
            written = ox.RdfFormat.from_media_type(query.media_type("graph"))
            is_turtle = response.media_type == "text/turtle"
            read = ox.RdfFormat.TURTLE if is_turtle else ox.RdfFormat.N_TRIPLES
            triples = (quad.triple for quad in ox.parse(response.body, format=read, base_iri=self.endpoints.query))
            try:
                ox.serialize(triples, out, format=written, prefixes=query.prefixes)
            except SyntaxError as error:
                raise StoreError(f"{self.endpoints.query}: the graph cannot be read: {error}") from error
            return "graph"
        results = self._table(response)
        kind: ResultKind = "boolean" if isinstance(results, ox.QueryBoolean) else "table"
        results.serialize(out, format=ox.QueryResultsFormat.from_media_type(query.media_type(kind)))
        return kind

    def count(self) -> int:
        """Return the number of quads of the dataset."""
        return sum(self.counts().values())

    def close(self) -> None:
        """Nothing is open between two requests."""

    # -- requests --------------------------------------------------------------------------------------------------

    def _send_or_halve(self, lines: Sequence[str], send: Callable[[Sequence[str]], None]) -> None:
        """Send lines; those that the server refuses are sent in halves, to name the one that it does not accept."""
        try:
            send(lines)
        except BadQueryError as error:
            if len(lines) == 1:
                raise StoreError(f"{error}; the quad that is refused: {lines[0].strip()[:_SHOWN]}") from error
            middle = len(lines) // 2
            self._send_or_halve(lines[:middle], send)
            self._send_or_halve(lines[middle:], send)

    def _send_graph(self, method: str, graph: str, triples: Sequence[str]) -> None:
        headers = {"Content-Type": self.media_type}
        content = "".join(triples).encode()
        self.connection.send(httpx.Request(method, self.graph_address(graph), headers=headers, content=content))

    def _update(self, form: Literal["INSERT DATA", "DELETE DATA"], lines: Iterable[str]) -> None:
        split = batches_by_graph if self.has_one_graph_an_update else batches
        for batch in split(lines, self.batch):
            self._send_or_halve(batch, lambda part: self._send_update(update(form, part, self.default_graph)))

    def _send_update(self, text: str) -> None:
        self.connection.send(self._request(text, [], is_update=True))

    def _ask(
        self, text: str, parameters: Iterable[tuple[str, str]], accept: str, timeout: float | None = None
    ) -> StoreResponse:
        request = self._request(text, parameters, is_update=False)
        request.headers["Accept"] = accept
        return self.connection.send(request, timeout)

    def _request(self, text: str, parameters: Iterable[tuple[str, str]], is_update: bool) -> httpx.Request:
        """Return a POST with parameters in the body. The type of the query is known, and need not be looked for."""
        client = SPARQLWrapper(self.endpoints.query, self.endpoints.update, JSON)
        client.setMethod(POST)
        client.setOnlyConneg(True)
        client.queryString = text
        client.queryType = INSERT if is_update else SELECT
        for name, value in parameters:
            client.addParameter(name, value)
        made: Any = client._createRequest()
        return httpx.Request("POST", made.full_url, headers=dict(made.header_items()), content=made.data)

    def _table(self, response: StoreResponse) -> ox.QuerySolutions | ox.QueryBoolean:
        if response.media_type not in (_TABLE, "application/json"):
            raise StoreError(
                f"{self.endpoints.query}: answers a query with {response.media_type or 'no media type'} instead of"
                f" SPARQL results; this is not the address of a SPARQL endpoint of {self.name}: check `url` and `kind`"
            )
        try:
            return ox.parse_query_results(self.repair_results(response), format=ox.QueryResultsFormat.JSON)
        except (SyntaxError, ValueError, msgspec.DecodeError) as error:
            raise StoreError(f"{self.endpoints.query}: the results cannot be read: {error}") from error

    def _solutions(
        self, text: str, parameters: Iterable[tuple[str, str]], timeout: float | None = None
    ) -> list[ox.QuerySolution]:
        results = self._table(self._ask(text, parameters, _TABLE, timeout))
        if not isinstance(results, ox.QuerySolutions):
            raise BadQueryError("the query is not a SELECT query")
        try:
            return list(results)
        except (SyntaxError, ValueError) as error:
            raise StoreError(f"{self.endpoints.query}: the results cannot be read: {error}") from error


def query_form(text: str) -> str:
    """Return SELECT, ASK, CONSTRUCT or DESCRIBE; empty text if the query has none of these words."""
    found = _FORM.search(_IRI_OR_COMMENT.sub(" ", text))
    return found[1].upper() if found else ""


def graph_parameter(name: str, graph: str) -> str:
    """Return a graph as parameter of an address."""
    return f"{name}={urllib.parse.quote(graph, safe='')}"


def joined(url: str, path: str) -> str:
    """Return the address of a path below the address of a server."""
    return f"{url.rstrip('/')}/{path}"


def _value(solution: ox.QuerySolution, name: str) -> Any:  # noqa: ANN401
    try:
        return solution[name]
    except KeyError:
        return None


_ESCAPE = re.compile(r"\\(?:\\([uU])|.)")


def batches_by_graph(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lists of up to ``size`` lines of one graph."""
    waiting: dict[str | None, list[str]] = {}
    for line in lines:
        batch = waiting.setdefault(graph_of(line), [])
        batch.append(line)
        if len(batch) == size:
            yield waiting.pop(graph_of(line))
    yield from waiting.values()


def split_quad(line: str) -> tuple[str, str]:
    """Return the graph of a line of N-Quads (an IRI, empty for the default graph), and its triple as N-Triples."""
    graph = graph_of(line)
    if graph is None:
        return "", line.rstrip("\n")
    return graph[1:-1], f"{line.rstrip()[: -len(graph) - 2].rstrip()} ."


def update(form: Literal["INSERT DATA", "DELETE DATA"], lines: Sequence[str], default_graph: str) -> str:
    """Return one update of these quads. Those of the default graph are put in the graph ``default_graph``, if any."""
    triples: dict[str, list[str]] = {}
    for line in lines:
        graph, triple = split_quad(line)
        if "\\\\u" in triple or "\\\\U" in triple:
            # SPARQL decodes \u before it looks for strings (19.2): the u of a backslash and a u has to be an escape.
            triple = _ESCAPE.sub(_escape, triple)
        triples.setdefault(graph or default_graph, []).append(triple)
    parts = []
    for graph, statements in triples.items():
        text = "\n".join(statements)
        parts.append(f"GRAPH <{graph}> {{\n{text}\n}}" if graph else text)
    return f"{form} {{\n" + "\n".join(parts) + "\n}"


def _escape(match: re.Match[str]) -> str:
    return f"\\\\\\u{ord(match[1]):04X}" if match[1] else match[0]
