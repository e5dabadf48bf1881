"""Writes the index of a release: all of it, or a copy of that of the release before with what has changed."""

from __future__ import annotations

import gc
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tantivy import Document as IndexDocument
from tantivy import IndexWriter

from bibld.documents import PublishedView, open_published
from bibld.errors import StageError
from bibld.model.release import link_or_copy
from bibld.parallel import ProcessPool, batches
from bibld.search._documents import ENTITY_FOLDERS, PUBLICATIONS
from bibld.search._index import (
    FOLDER,
    SCHEMA,
    IndexReader,
    has_search,
    mark_complete,
    open_index,
    order_of,
)
from bibld.search._matching import of_thing
from bibld.search._rows import Row, RowMaker, linked_paths, name_row
from bibld.search._values import StoredPublication

MIN_PORTIONS = 20
"""Portions of documents; with fewer all rows are made in this process."""

_PORTION = 500
_FILL_HEAP_BYTES, _UPDATE_HEAP_BYTES = 128 << 20, 32 << 20
_MAX_STALE = 2
"""Documents on disk for each valid one; an index with more is filled again, since deleted ones stay in its files."""

_FEW = 1000
_OWN_FILES = ("meta.json", ".managed.json")
"""Files that an index changes; all others are never written again and are shared with earlier releases."""


def write_search(release: Path, base: str, view: PublishedView, previous: Path | None = None, workers: int = 1) -> None:
    """Write the index of a release into its folder.

    ``previous`` is the folder of the release before, if its files may be shared: then only what has changed is written.
    ``workers`` is the number of processes that may be started. Raises ``StageError``.
    """
    folder = release / FOLDER
    try:
        shutil.rmtree(folder, ignore_errors=True)
        if previous is not None and has_search(previous) and not view.is_first:
            _copy(previous / FOLDER, folder)
            _update(folder, base, view)
            segments = json.loads((folder / "meta.json").read_bytes())["segments"]
            stored = sum(segment["max_doc"] for segment in segments)
            deleted = sum(segment["deletes"]["num_deleted_docs"] for segment in segments if segment["deletes"])
            if stored <= _MAX_STALE * (stored - deleted) + _FEW:
                mark_complete(folder)
                return
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        _fill(folder, base, view, workers)
        mark_complete(folder)
    except (OSError, ValueError) as error:
        raise StageError(
            f"{folder}: the search index cannot be written: {error}; free some space, then run again"
        ) from error


def _copy(previous: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    for file in previous.iterdir():
        if file.name in _OWN_FILES:
            shutil.copyfile(file, folder / file.name)
        elif file.suffix not in ("", ".lock"):
            link_or_copy(file, folder / file.name)


def _add(writer: IndexWriter, row: Row) -> None:
    writer.add_document(IndexDocument.from_dict(row, SCHEMA))


# -- all


def _fill(folder: Path, base: str, view: PublishedView, workers: int) -> None:
    index = open_index(folder, is_new=True)
    writer = index.writer(_FILL_HEAP_BYTES, 1)  # one thread: the same documents give the same bytes
    uses: Counter[str] = Counter()
    for row in _rows(base, view, workers):
        if "order" in row:
            uses.update(linked_paths(row))
        else:
            row["order"] = order_of(row["path"], uses[row["path"]])
        _add(writer, row)
    writer.commit()
    writer.wait_merging_threads()


def _rows(base: str, view: PublishedView, workers: int) -> Iterator[Row]:
    """Yield the rows of all publications, then those of all other things; in worker processes if there are many."""
    portions = []
    for folder in (PUBLICATIONS, *ENTITY_FOLDERS):
        after = ""
        for batch in batches(view.entries(f"{folder}/"), _PORTION):
            portions.append(_Portion(folder, after, len(batch)))
            after = batch[-1].path
    if workers == 1 or len(portions) < MIN_PORTIONS:
        maker = RowMaker(base, view)
        for portion in portions:
            yield from _make_rows(maker, view, portion)
        return
    arguments = (view.workspace, base, view.release)
    with ProcessPool(workers, "make rows for search", [__name__], _open, arguments) as pool:
        for rows in pool.results(pool.submit(_make_portion, portion) for portion in portions):
            yield from rows


class _Portion(NamedTuple):
    """Documents in a folder behind a path."""

    folder: str
    after: str
    number: int


def _make_rows(maker: RowMaker, view: PublishedView, portion: _Portion) -> Iterator[Row]:
    for document in islice(view.documents(f"{portion.folder}/", portion.after), portion.number):
        row = maker.row(document)
        if row is not None:
            yield row


_WORKER: list[tuple[RowMaker, PublishedView]] = []
"""What a worker process reads from."""


def _open(workspace: Path, base: str, release: int) -> None:
    gc.disable()  # documents and rows contain no cycles
    view = open_published(workspace, release)
    _WORKER.append((RowMaker(base, view), view))


def _make_portion(portion: _Portion) -> list[Row]:
    return list(_make_rows(*_WORKER[0], portion))


# -- the difference


def _update(folder: Path, base: str, view: PublishedView) -> None:
    """Write what a release has changed into a copy of the index of the release before."""
    index = open_index(folder)
    before = IndexReader(index)
    maker = RowMaker(base, view)
    writer = index.writer(_UPDATE_HEAP_BYTES, 1)
    changed = [change.path for change in view.changes()]
    renamed = {path for path in changed if path.startswith(_PREFIXES) and before.stored(path) != maker.name(path)}
    publications = {path for path in changed if path.startswith(f"{PUBLICATIONS}/")}
    for path in sorted(renamed):
        publications.update(before.paths(of_thing(path)))
    uses: Counter[str] = Counter()
    for path in sorted(publications):
        stored = before.stored(path)
        if isinstance(stored, StoredPublication):
            uses.subtract({link.path for link in stored.links})
        writer.delete_documents_by_term("path", path)
        document = view.document(path)
        row = maker.row(document) if document is not None else None
        if row is not None:
            uses.update(linked_paths(row))
            _add(writer, row)
    for path in sorted(renamed | {path for path, difference in uses.items() if difference}):
        writer.delete_documents_by_term("path", path)
        name = maker.name(path)
        if name is not None:
            weight = before.count(of_thing(path)) + uses[path]
            _add(writer, {**name_row(name), "order": order_of(path, weight)})
    writer.commit()
    writer.wait_merging_threads()


_PREFIXES = tuple(f"{folder}/" for folder in ENTITY_FOLDERS)
