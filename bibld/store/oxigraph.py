"""The embedded triple store: Oxigraph on disk, in this process."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
import pyoxigraph

from bibld.errors import BadQueryError, QueryTimeoutError, StoreError
from bibld.model.sparql.faults import explain_fault
from bibld.parallel import batches
from bibld.protocols import Query, ResultKind

_UNFINISHED = "bulk-*.sst"
"""Files of a load that was stopped; complete files have another name."""


class Settings(msgspec.Struct, frozen=True):
    """``chunk``: how many quads of a change are added at once; more take more memory (some 2 KB a quad)."""

    chunk: Annotated[int, msgspec.Meta(ge=1)] = 300_000


class OxigraphStore:
    """A store in a folder; see :class:`bibld.protocols.Store`."""

    def __init__(self, folder: Path, settings: Settings, is_copy: bool = False) -> None:
        self._settings = settings
        with _translate_errors(f"{folder}"):
            if is_copy:
                self._store = pyoxigraph.Store.read_only(str(folder))
                return
            self._store = pyoxigraph.Store(str(folder))
            for left in folder.glob(_UNFINISHED):
                left.unlink()

    def load(self, blocks: Iterable[bytes]) -> None:
        """Add quads in bulk, all with one call: then RocksDB has nothing to compact before the store is opened again.

        Files that are compacted are larger, because the first levels of RocksDB are not compressed.
        """
        with _translate_errors("loading"):
            self._bulk_load(_BlockReader(blocks))
            self._store.flush()

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Remove, then add; additions are loaded in bulk, in half of the time that single quads take."""
        for chunk in self._chunks(removed):
            self._remove(chunk)
        for chunk in self._chunks(added):
            self._add(chunk)
        with _translate_errors("applying a patch"):
            self._store.flush()

    def _chunks(self, lines: Iterable[str]) -> Iterator[bytes]:
        for batch in batches(lines, self._settings.chunk):
            yield "".join(batch).encode()

    def _add(self, chunk: bytes) -> None:
        with _translate_errors("loading"):
            self._bulk_load(chunk)

    def _bulk_load(self, lines: Any) -> None:  # noqa: ANN401
        # Lenient: all lines are written by bibld.model.rdf, which checks and escapes their terms.
        self._store.bulk_load(lines, format=pyoxigraph.RdfFormat.N_QUADS, lenient=True)

    def _remove(self, chunk: bytes) -> None:
        with _translate_errors("applying a patch"):
            for quad in pyoxigraph.parse(chunk, format=pyoxigraph.RdfFormat.N_QUADS):
                self._store.remove(quad)

    def query(self, sparql: str, timeout: float | None = None, union: bool = True) -> Sequence[Sequence[str | None]]:
        """Return the rows of a SELECT query as N-Triples terms; the deadline is checked between rows.

        For the queries of bibld itself: those of strangers run in the worker processes of the stage serve.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            solutions = self._store.query(sparql, use_default_graph_as_union=union)
        except SyntaxError as error:
            raise BadQueryError(f"the query is not SPARQL: {error}") from error
        if not isinstance(solutions, pyoxigraph.QuerySolutions):
            raise BadQueryError("the query is not a SELECT query")
        rows: list[list[str | None]] = []
        with _translate_errors("a query"):
            for solution in solutions:
                if deadline is not None and time.monotonic() > deadline:
                    raise QueryTimeoutError(f"the query took longer than {timeout} s")
                rows.append([None if term is None else str(term) for term in solution])
        return rows

    def quads(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> Iterator[str]:
        """Yield the quads of all graphs that have these IRIs."""
        try:
            pattern = [
                None if each is None else pyoxigraph.NamedNode(each) for each in (subject, predicate, value, graph)
            ]
        except ValueError:
            return
        for quad in self._store.quads_for_pattern(*pattern):
            yield f"{quad} .\n"

    def answer(self, query: Query, out: BinaryIO) -> ResultKind:
        """Evaluate a query and write its result."""
        dataset: dict[str, Any] = {"use_default_graph_as_union": query.union}
        try:
            if query.default_graphs or query.named_graphs:
                dataset = {
                    "default_graph": [pyoxigraph.NamedNode(graph) for graph in query.default_graphs],
                    "named_graphs": [pyoxigraph.NamedNode(graph) for graph in query.named_graphs],
                }
            results = self._store.query(query.text, base_iri=query.base, prefixes=query.prefixes, **dataset)
            if isinstance(results, pyoxigraph.QueryTriples):
                graph_format = pyoxigraph.RdfFormat.from_media_type(query.media_type("graph"))
                pyoxigraph.serialize(results, out, format=graph_format, prefixes=query.prefixes)
                return "graph"
            kind: ResultKind = "boolean" if isinstance(results, pyoxigraph.QueryBoolean) else "table"
            results.serialize(out, format=pyoxigraph.QueryResultsFormat.from_media_type(query.media_type(kind)))
            return kind
        except SyntaxError as error:
            raise explain_fault(query.text, query.prefixes, str(error.msg or error)) from error
        except RuntimeError as error:
            if "custom function" in str(error):
                raise explain_fault(query.text, query.prefixes, str(error)) from error
            raise BadQueryError(f"the query cannot be evaluated: {error}") from error
        except (ValueError, OSError) as error:
            raise BadQueryError(f"the query cannot be evaluated: {error}") from error

    def count(self) -> int:
        """Return the number of quads."""
        return len(self._store)

    def backup(self, folder: Path) -> None:
        """Put a copy into a new folder; the files that never change are hard-linked."""
        with _translate_errors(f"backup to {folder}"):
            self._store.flush()
            self._store.backup(str(folder))

    def close(self) -> None:
        """Close the files."""
        del self._store


class _BlockReader(RawIOBase):
    """A file that consists of blocks of lines."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        if not self._left:
            self._left = memoryview(next(filter(None, self._blocks), b""))
        end = len(self._left) if size < 0 else size
        part, self._left = self._left[:end], self._left[end:]
        return bytes(part)


def open_store(folder: Path, settings: Settings) -> OxigraphStore:
    """Open the store in a folder, making it where there is none; raises ``StoreError``."""
    return OxigraphStore(folder, settings)


def open_copy(folder: Path, settings: Settings) -> OxigraphStore:
    """Open a copy for reading only; raises ``StoreError``."""
    return OxigraphStore(folder, settings, is_copy=True)


@contextmanager
def _translate_errors(doing: str) -> Iterator[None]:
    try:
        yield
    except (OSError, SyntaxError, ValueError, RuntimeError) as error:
        remedy = "; free some space, then run again" if "No space left on device" in str(error) else ""
        raise StoreError(f"Oxigraph, {doing}: {error}{remedy}") from error
