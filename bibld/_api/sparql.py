"""Queries to the current release and to any SPARQL endpoint, with their results as tables."""

from __future__ import annotations

import keyword
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing
from io import BytesIO
from typing import Any
from urllib.error import HTTPError, URLError

import msgspec

from bibld import pipeline
from bibld._api.tables import Table
from bibld._version import __version__
from bibld.config import Config
from bibld.errors import BadQueryError, ConfigError, QueryTimeoutError, StoreUnavailableError
from bibld.model.iris import Iris, is_web_iri
from bibld.model.rdf import XSD
from bibld.protocols import Query, adapters
from bibld.serve import ontology as vocabulary

_INTEGERS = frozenset(
    f"{XSD}{name}" for name in ("integer", "int", "long", "short", "nonNegativeInteger", "positiveInteger", "gYear")
)
_NUMBERS = frozenset(f"{XSD}{name}" for name in ("decimal", "double", "float"))


class SparqlTerm(msgspec.Struct, frozen=True, rename={"language": "xml:lang"}):
    """An RDF term in SPARQL results (JSON)."""

    type: str
    value: str
    datatype: str = ""
    language: str = ""

    def to_python(self) -> str | int | float | bool:
        """Return numbers and booleans as such, IRIs and other literals as text."""
        try:
            if self.datatype in _INTEGERS:
                return int(self.value)
            if self.datatype in _NUMBERS:
                return float(self.value)
        except ValueError:
            return self.value
        if self.datatype == f"{XSD}boolean":
            return self.value in ("true", "1")
        return self.value if self.type != "bnode" else f"_:{self.value}"


class _ResultHead(msgspec.Struct, frozen=True):
    vars: tuple[str, ...] = ()


class _ResultBindings(msgspec.Struct, frozen=True):
    bindings: tuple[dict[str, SparqlTerm], ...] = ()


class _SparqlResults(msgspec.Struct, frozen=True):
    head: _ResultHead = _ResultHead()
    results: _ResultBindings = _ResultBindings()
    boolean: bool | None = None


class Triple(msgspec.Struct, frozen=True, order=True):
    """A triple of a CONSTRUCT or DESCRIBE query; its terms are written as in N-Triples."""

    subject: str
    predicate: str
    object: str


class Boolean(msgspec.Struct, frozen=True):
    """The answer to an ASK query."""

    answer: bool


def table_of_results(body: bytes) -> Table[Any]:
    """Return SPARQL results (JSON) as a table: a column for each variable, None where it is unbound."""
    found = msgspec.json.decode(body, type=_SparqlResults)
    if found.boolean is not None:
        return Table(Boolean, [Boolean(found.boolean)])
    names = found.head.vars
    columns = list(_column_names(names))
    row_type = msgspec.defstruct("Solution", [(name, Any, None) for name in columns], frozen=True)
    return Table(
        row_type,
        (
            row_type(*(row[name].to_python() if name in row else None for name in names))
            for row in found.results.bindings
        ),
    )


def table_of_graph(body: bytes) -> Table[Triple]:
    """Return a graph in N-Triples as a table of its triples."""
    lines = [line.removesuffix(" .").split(" ", 2) for line in body.decode().split("\n") if line]
    return Table(Triple, sorted(Triple(*terms) for terms in lines))


def _column_names(variables: Iterable[str]) -> Iterator[str]:
    """Yield variables as names of attributes: ``?1`` becomes ``v1``, ``?class`` becomes ``class_``."""
    for name in variables:
        usable = name if name.isidentifier() else f"v{name}"
        yield f"{usable}_" if keyword.iskeyword(usable) else usable


def query_release(config: Config, sparql: str) -> Table[Any]:
    """Answer a query from the store of the current release; raises ``StageError`` before the first one."""
    release, manifest = pipeline.current_release(config)
    settings = config.settings("store", manifest.backend)
    prefixes = {**vocabulary.prefixes(Iris(config.dataset.base)), **config.serve.prefixes}
    out = BytesIO()
    with closing(adapters.load_adapter("store", manifest.backend).open_copy(release / "store", settings)) as copy:
        kind = copy.answer(Query(sparql, config.dataset.base, graph="application/n-triples", prefixes=prefixes), out)
    return table_of_graph(out.getvalue()) if kind == "graph" else table_of_results(out.getvalue())


def query(endpoint: str, sparql: str, *, timeout: int = 60) -> Table[Any]:
    """Send a query to a SPARQL 1.1 endpoint, and return its result as a table.

    SELECT gives a column for each variable (numbers and booleans as such, IRIs and other literals as text, None for
    unbound), ASK one row with the column ``answer``, CONSTRUCT and DESCRIBE the columns ``subject``, ``predicate`` and
    ``object``, written as in N-Triples. ``timeout`` is in seconds.

    Raises ``BadQueryError`` for a query that the endpoint refuses, ``StoreUnavailableError`` if it cannot be reached,
    ``QueryTimeoutError`` if it does not answer in time.

    >>> bibld.query("https://query.wikidata.org/sparql", "ASK {}")  # doctest: +SKIP
    """
    from rdflib import Graph  # which only queries of other endpoints need
    from SPARQLWrapper import JSON, POST, RDFXML, SPARQLExceptions, SPARQLWrapper

    if not is_web_iri(endpoint):
        raise ConfigError([f'endpoint "{endpoint}": must be an http or https address'])
    wrapper = SPARQLWrapper(endpoint, agent=f"bibld/{__version__}")
    wrapper.setMethod(POST)
    wrapper.setTimeout(timeout)
    wrapper.setQuery(sparql)
    is_graph = wrapper.queryType in ("CONSTRUCT", "DESCRIBE")
    wrapper.setReturnFormat(RDFXML if is_graph else JSON)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the library warns of headers that endpoints commonly send
            body: bytes = wrapper.query().response.read()
    except (SPARQLExceptions.QueryBadFormed, SPARQLExceptions.URITooLong) as error:
        raise BadQueryError(f"{endpoint}: {_cause(error)}") from error
    except TimeoutError as error:
        raise QueryTimeoutError(f"{endpoint}: no answer within {timeout} s") from error
    except (SPARQLExceptions.SPARQLWrapperException, HTTPError, URLError, OSError) as error:
        if isinstance(getattr(error, "reason", None), TimeoutError):
            raise QueryTimeoutError(f"{endpoint}: no answer within {timeout} s") from error
        raise StoreUnavailableError(
            f"{endpoint}: cannot be queried: {_cause(error)}; check the address, and that the endpoint is running"
        ) from error
    if not is_graph:
        return table_of_results(body)
    triples = Graph().parse(data=body, format="xml")
    return Table(Triple, sorted(Triple(*(term.n3() for term in triple)) for triple in triples))


def _cause(error: Exception) -> str:
    """Return the cause of a failed request in one line."""
    if isinstance(error, URLError) and isinstance(error.reason, OSError):
        return error.reason.strerror or str(error.reason)
    text = str(getattr(error, "msg", "") or error).strip()
    return text.partition("\n")[0] or type(error).__name__
