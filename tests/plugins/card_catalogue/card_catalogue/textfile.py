"""A triple store that is a text file of N-Quads; queries run in memory. For small collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec
import pyoxigraph
from pyoxigraph import NamedNode, QueryBoolean, QueryResultsFormat, QueryTriples, RdfFormat

from bibld.errors import BadQueryError, StoreError
from bibld.protocols import Query, ResultKind

N_QUADS = RdfFormat.N_QUADS


class Settings(msgspec.Struct, frozen=True):
    """``name``: the name of the text file."""

    name: str = "quads.nq"


class TextStore:
    """The quads of one text file, read once and written after every change."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._quads = pyoxigraph.Store()
        try:
            if file.exists():
                self._quads.load(path=file, format=N_QUADS)
        except (OSError, SyntaxError) as error:
            raise StoreError(f"{file}: {error}; delete it and run bibld again") from error

    def load(self, blocks: Iterable[bytes]) -> None:
        """Add many quads; a block is some lines."""
        self.apply((block.decode() for block in blocks), ())

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Remove quads, then add others, and write the file."""
        for quad in pyoxigraph.parse("".join(removed), format=N_QUADS):
            self._quads.remove(quad)
        self._quads.load("".join(added), format=N_QUADS)
        self._write(self._file)

    def count(self) -> int:
        """Return the number of quads."""
        return len(self._quads)

    def quads(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> Iterator[str]:
        """Yield the quads that have these IRIs."""
        try:
            pattern = [iri if iri is None else NamedNode(iri) for iri in (subject, predicate, value, graph)]
        except ValueError:
            return
        for quad in self._quads.quads_for_pattern(*pattern):
            yield f"{quad} .\n"

    def query(self, sparql: str, timeout: float | None = None, union: bool = True) -> Sequence[Sequence[str | None]]:
        """Return the rows of a SELECT query; small files need no deadline."""
        rows = self._quads.query(sparql, use_default_graph_as_union=union)
        return [[None if term is None else str(term) for term in row] for row in rows]

    def answer(self, query: Query, out: BinaryIO) -> ResultKind:
        """Evaluate a query and write its result."""
        default = [NamedNode(graph) for graph in query.default_graphs] or None
        named = [NamedNode(graph) for graph in query.named_graphs] or None
        union = query.union and not (default or named)
        try:
            result = self._quads.query(
                query.text,
                base_iri=query.base,
                use_default_graph_as_union=union,
                default_graph=default,
                named_graphs=named,
            )
        except SyntaxError as error:
            raise BadQueryError(str(error)) from error
        if isinstance(result, QueryTriples):
            result.serialize(out, format=RdfFormat.from_media_type(query.media_type("graph")))
            return "graph"
        kind: ResultKind = "boolean" if isinstance(result, QueryBoolean) else "table"
        result.serialize(out, format=QueryResultsFormat.from_media_type(query.media_type(kind)))
        return kind

    def backup(self, folder: Path) -> None:
        """Write a copy into a new folder."""
        self._write(folder / self._file.name)

    def close(self) -> None:
        """Drop the quads in memory; the file has them."""
        self._quads = pyoxigraph.Store()

    def _write(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._quads.dump(file, format=N_QUADS)


def open_store(folder: Path, settings: Settings) -> TextStore:
    """Open the live store of a workspace, which is created where there is none."""
    return TextStore(folder / settings.name)


def open_copy(folder: Path, settings: Settings) -> TextStore:
    """Open a copy, for reading only."""
    return TextStore(folder / settings.name)
