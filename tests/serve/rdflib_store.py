"""A triple store of another distribution: rdflib in memory, a file of N-Quads as its copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec
import rdflib
from pyparsing import ParseException

from bibld.errors import BadQueryError
from bibld.protocols import Query, ResultKind

_FORMATS = {
    "application/sparql-results+json": "json",
    "application/sparql-results+xml": "xml",
    "text/csv": "csv",
    "text/turtle": "turtle",
    "application/n-triples": "nt",
}


class Settings(msgspec.Struct, frozen=True):
    """``greeting`` is a setting like any other."""

    greeting: str = ""


class RdflibStore:
    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._dataset = rdflib.Dataset(default_union=True)
        self.load(line.encode() for line in lines)

    def load(self, blocks: Iterable[bytes]) -> None:
        self._dataset.parse(data=b"".join(blocks), format="nquads")

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        for quad in rdflib.Dataset().parse(data="".join(removed), format="nquads").quads():
            self._dataset.remove(quad)
        self.load(line.encode() for line in added)

    def count(self) -> int:
        return len(list(self._dataset.quads()))

    def quads(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> Iterator[str]:
        pattern = [each and rdflib.URIRef(each) for each in (subject, predicate, value, graph)]
        for *terms, context in self._dataset.quads(tuple(pattern)):
            yield " ".join(term.n3() for term in (*terms, *([context] if context else ()))) + " .\n"

    def query(self, sparql: str, timeout: float | None = None, union: bool = True) -> Sequence[Sequence[str | None]]:
        graph = self._dataset if union else self._dataset.default_graph
        return [[None if term is None else term.n3() for term in row] for row in graph.query(sparql)]

    def answer(self, query: Query, out: BinaryIO) -> ResultKind:
        try:
            result = self._dataset.query(query.text)
        except ParseException as error:
            raise BadQueryError(str(error)) from error
        kinds: dict[str, ResultKind] = {"SELECT": "table", "ASK": "boolean"}
        kind = kinds.get(result.type, "graph")
        out.write(result.serialize(format=_FORMATS[query.media_type(kind)]))
        return kind

    def backup(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "quads.nq").write_text("".join(self.quads()), encoding="utf-8")

    def close(self) -> None:
        del self._dataset


def open_store(folder: Path, settings: Settings) -> RdflibStore:
    return RdflibStore()


def open_copy(folder: Path, settings: Settings) -> RdflibStore:
    return RdflibStore([(folder / "quads.nq").read_text(encoding="utf-8")])
