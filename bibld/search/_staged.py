"""Makes the rows of all publications of a release, in worker processes where there are many."""

from __future__ import annotations

import gc
import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bibld.documents import Document, PublishedView, connect, open_published
from bibld.parallel import ProcessPool, batches
from bibld.search._documents import PUBLICATIONS, DocumentReader
from bibld.search._rows import RowMaker, key_of

WORTH_PROCESSES = 5_000
"""Things other than publications; with fewer the rows of publications are made in this process."""

_AT_ONCE = 500

StagedRow = tuple[int, int, int | None, bytes, bytes, str, str, str, str, str]
"""Bucket, key of the path and of the order in the bucket, year, codes, data, and the texts of the full-text columns."""


Portion = tuple[str, int]
"""The path before some publications, and the number of their documents."""


class _MadeRows(NamedTuple):
    """Rows of some publications, the ids of what each links to, and the paths without a row.

    These name a thing that has no entry, or a source that has no number yet.
    """

    rows: list[StagedRow]
    uses: array[int]
    postponed: list[str]


class StagedRows:
    """The rows of all publications of a release; ``uses`` has the id of an entry for each link to it.

    ``file`` is the database that ``connection`` and ``rows`` write, ``view`` reads the documents of the release.
    """

    def __init__(
        self, connection: sqlite3.Connection, file: Path, base: str, view: PublishedView, rows: RowMaker
    ) -> None:
        self._connection = connection
        self._file = file
        self._base = base
        self._view = view
        self._reader = DocumentReader(base)
        self._rows = rows
        self.uses = array("Q")

    def in_this_process(self) -> Iterator[StagedRow]:
        """Yield all rows."""
        yield from self._make(self._view.documents(f"{PUBLICATIONS}/"))

    def in_processes(self, workspace: Path, portions: Iterable[Portion], workers: int) -> Iterator[StagedRow]:
        """Yield all rows, made in worker processes, which read other things from the database.

        ``portions`` is what ``divide`` returned. Nothing else may be written to the database meanwhile.
        """
        arguments = (workspace, self._file, self._base, self._view.release)
        postponed: list[str] = []
        with ProcessPool(workers, "make rows for search", [__name__], _open, arguments) as pool:
            for made in pool.results(pool.submit(_make_portion, *portion) for portion in portions):
                self.uses.extend(made.uses)
                postponed += made.postponed
                yield from made.rows
        documents = (self._view.document(path) for path in postponed)
        yield from self._make(document for document in documents if document is not None)

    def _make(self, documents: Iterable[Document]) -> Iterator[StagedRow]:
        for document in documents:
            found = _row_and_links(self._reader, self._rows, document)
            if found is not None:
                self.uses.extend(found[1])
                yield found[0]

    def divide(self, sources: Iterable[str]) -> list[Portion]:
        """Give numbers to all sources; return the portions of publications to be worked on."""
        portions = []
        self._connection.execute("BEGIN")
        for source in sources:
            self._rows.number_source(source)
        self._connection.execute("COMMIT")
        after = ""
        for batch in batches(self._view.entries(f"{PUBLICATIONS}/"), _AT_ONCE):
            portions.append((after, len(batch)))
            after = batch[-1].path
        return portions


class _UnknownError(Exception):
    """A thing has no entry, or a source no number yet."""


class _ReadingRowMaker(RowMaker):
    """Makes rows without writing anything."""

    def _add_unnamed(self, path: str) -> int:
        raise _UnknownError

    def _add_source(self, identifier: str) -> int:
        raise _UnknownError


def _row_and_links(
    reader: DocumentReader, rows: RowMaker, document: Document
) -> tuple[StagedRow, Iterable[int]] | None:
    found = reader.read_publication(document)
    if found is None:
        return None
    row = rows.publication(found)
    staged = (row.bucket, key_of(row.path), row.year, row.codes, row.data, *row.words)
    return staged, row.links


# -- in a worker process


class _Worker(NamedTuple):
    view: PublishedView
    reader: DocumentReader
    rows: RowMaker


_WORKER: list[_Worker] = []


def _open(workspace: Path, file: Path, base: str, release: int) -> None:
    gc.disable()  # documents and rows contain no cycles
    rows = _ReadingRowMaker(connect(file, read_only=True), release, 0)
    _WORKER.append(_Worker(open_published(workspace, release), DocumentReader(base), rows))


def _make_portion(after: str, number: int) -> _MadeRows:
    view, reader, rows = _WORKER[0]
    made = _MadeRows([], array("Q"), [])
    for document in islice(view.documents(f"{PUBLICATIONS}/", after), number):
        try:
            found = _row_and_links(reader, rows, document)
        except _UnknownError:
            made.postponed.append(document.path)
            continue
        if found is not None:
            made.rows.append(found[0])
            made.uses.extend(found[1])
    return made
