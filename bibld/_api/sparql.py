"""Results of SPARQL queries as tables."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import msgspec

from bibld import pipeline
from bibld._api.tables import Table
from bibld.config import Config
from bibld.model.iris import Iris
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
    copy = adapters.load_adapter("store", manifest.backend).open_copy(release / "store", settings)
    try:
        out = BytesIO()
        prefixes = {**vocabulary.prefixes(Iris(config.dataset.base)), **config.serve.prefixes}
        query = Query(sparql, config.dataset.base, graph="application/n-triples", prefixes=prefixes)
        kind = copy.answer(query, out)
    finally:
        copy.close()
    return table_of_graph(out.getvalue()) if kind == "graph" else table_of_results(out.getvalue())
