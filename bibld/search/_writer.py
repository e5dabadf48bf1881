"""Writes ``search.db``: all of a release, or what it changed."""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

from bibld.documents import PublishedView, connect, published_releases, reporting_errors
from bibld.parallel import batches
from bibld.search._documents import ENTITY_FOLDERS, PUBLICATIONS, DocumentReader
from bibld.search._packing import SAMPLES, Packing, encode, train_names, train_publications
from bibld.search._rows import (
    PublicationRow,
    RowMaker,
    WordColumns,
    key_of,
    kind_number,
    name_details,
    name_tokens,
    newest_entry,
)
from bibld.search._schema import (
    AUTOMERGE,
    BUCKETS,
    FILE,
    HASH_SIZE,
    TABLES,
    bucket_of_uses,
    has_release,
)
from bibld.search._staged import WORTH_PROCESSES, StagedRows

_ROWS_AT_ONCE = 10_000
_MOST_STALE = 2
"""Ids for each valid entry; a file with more is made again, since full-text rows are never removed."""

_ROOM = 4
"""Ids for each entry of a new file that its row ids of full text have bits for."""

_FEW = 1000
_INSERT_ENTRY = "INSERT INTO entry (id, kind, bucket, year, since, codes) VALUES (?, 0, ?, ?, ?, ?)"
_INSERT_DETAIL = "INSERT INTO detail VALUES (?, ?)"
_INSERT_KEY = "INSERT INTO path_key VALUES (?, ?)"
_INSERT_WORDS = "INSERT INTO words (rowid, title, agent, subject, other, code) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_NAMES = "INSERT INTO names (rowid, name) VALUES (?, ?)"
_STAGED = """
CREATE TEMP TABLE staged (
  bucket INTEGER, key INTEGER, year INTEGER, codes BLOB, data BLOB,
  title_words TEXT, agent TEXT, subject TEXT, other TEXT, code TEXT
)
"""


def write_search(
    workspace: Path,
    base: str,
    view: PublishedView,
    previous: int | None,
    withdraws: bool,
    sources: Sequence[str] = (),
    workers: int = 1,
) -> None:
    """Write the names of a release: what it changed if those of ``previous`` are there, else all.

    ``withdraws``: earlier releases are removed, and nothing may remain of them. ``sources`` are the ids of the sources,
    if they are known; ``workers`` is the number of processes that may be started. Raises ``StageError``.
    """
    file = workspace / FILE
    with reporting_errors(file):
        if previous is not None and not withdraws and not view.is_first and has_release(file, previous):
            connection = connect(file, read_only=False)
            try:
                is_applied = _Update(connection, base, view).apply(published_releases(workspace))
                is_stale = not is_applied or _is_stale(connection)
            finally:
                connection.close()
            if not is_stale:
                return
        _fill(file, base, view, sources, workers)


def _is_stale(connection: sqlite3.Connection) -> bool:
    entries, ids = connection.execute(
        "SELECT (SELECT count(*) FROM entry WHERE until IS NULL), (SELECT next FROM counter)"
    ).fetchone()
    return bool(ids > _MOST_STALE * entries + _FEW)


# -- all


def _fill(file: Path, base: str, view: PublishedView, sources: Sequence[str], workers: int) -> None:
    new = file.with_name(f"{FILE}.filling")
    _remove_file(new)
    connection = connect(new, read_only=False)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(TABLES)
        connection.execute("PRAGMA temp_store = FILE")
        for table in ("words", "names"):
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', {HASH_SIZE})")
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 0)")
        connection.execute("BEGIN")
        rows = _fill_entities(connection, base, view)
        connection.execute("COMMIT")
        staged = StagedRows(connection, new, base, view, rows)
        connection.execute(_STAGED)
        made = staged.in_this_process()
        if workers > 1 and rows.next_id > WORTH_PROCESSES:
            made = staged.in_processes(file.parent, staged.divide(sources), workers)
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", made)
        _fill_publications(connection, staged.uses, view.release, rows.next_id)
        connection.execute("INSERT INTO release VALUES (?)", (view.release,))
        connection.execute("COMMIT")
        for table in ("words", "names"):
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', {AUTOMERGE})")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
    finally:
        connection.close()
    with new.open("rb") as written:
        os.fsync(written)
    _remove_file(file)
    new.replace(file)


def _remove_file(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _fill_entities(connection: sqlite3.Connection, base: str, view: PublishedView) -> RowMaker:
    """Insert all things that are no publications; return what makes further rows."""
    reader = DocumentReader(base)
    train_names(connection, _sample_names(reader, view))
    rows = RowMaker(connection, view.release, 1)
    for folder in ENTITY_FOLDERS:
        for document in view.documents(f"{folder}/"):
            name = reader.read_name(document)
            if name is not None:
                rows.insert_thing(kind_number(name), name_details(name))
    return rows


def _sample_names(reader: DocumentReader, view: PublishedView) -> list[bytes]:
    """Return the encoded details of about ``SAMPLES`` things, chosen by hashes of their paths."""
    chosen: list[tuple[int, str]] = []
    step = 1
    for folder in ENTITY_FOLDERS:
        for entry in view.entries(f"{folder}/"):
            number = crc32(entry.path.encode())
            if number % step == 0 and entry.status == 200:
                chosen.append((number, entry.path))
            if len(chosen) > 2 * SAMPLES:
                step *= 2
                chosen = [pair for pair in chosen if pair[0] % step == 0]
    documents = (view.document(path) for _, path in chosen)
    names = (reader.read_name(document) for document in documents if document is not None)
    return [encode(name_details(name)) for name in names if name is not None]


def _fill_publications(connection: sqlite3.Connection, uses: array[int], release: int, following: int) -> None:
    """Insert the staged publications, with ids from ``following``, and what depends on ``uses`` of other things."""
    connection.execute("CREATE TEMP TABLE unsorted_key AS SELECT key, id FROM path_key")
    connection.execute("DELETE FROM path_key")
    samples = connection.execute("SELECT data FROM staged ORDER BY key, data LIMIT ?", (SAMPLES,))
    train_publications(connection, [data for (data,) in samples])
    packing = Packing(connection)
    count = connection.execute("SELECT count(*) FROM staged").fetchone()[0]
    id_bits = (_ROOM * (following + count + _FEW)).bit_length()
    for batch in batches(
        connection.execute(
            "SELECT bucket, key, year, codes, data, title_words, agent, subject, other, code"
            " FROM staged ORDER BY bucket, key, data"
        ),
        _ROWS_AT_ONCE,
    ):
        numbered = list(enumerate(batch, following))
        following += len(numbered)
        connection.executemany(
            _INSERT_ENTRY,
            ((id_, row[0], row[2], release, row[3]) for id_, row in numbered),
        )
        connection.executemany("INSERT INTO unsorted_key VALUES (?, ?)", ((row[1], id_) for id_, row in numbered))
        connection.executemany(_INSERT_DETAIL, ((id_, packing.pack_publication(row[4])) for id_, row in numbered))
        connection.executemany(_INSERT_WORDS, ((row[0] << id_bits | id_, *row[5:]) for id_, row in numbered))
    connection.execute("DROP TABLE staged")
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # what follows is written to the pages it frees
    connection.execute("INSERT INTO path_key SELECT key, id FROM unsorted_key ORDER BY key, id")
    connection.execute("DROP TABLE unsorted_key")
    connection.executemany("UPDATE entry SET uses = ?2 WHERE id = ?1", sorted(Counter(uses).items()))
    _fill_names(connection, packing, id_bits)
    connection.execute("INSERT INTO names (names) VALUES ('optimize')")
    connection.execute("INSERT INTO counter VALUES (?, ?)", (following, id_bits))


def _fill_names(connection: sqlite3.Connection, packing: Packing, id_bits: int) -> None:
    connection.execute(
        "UPDATE entry SET bucket = CASE"
        + "".join(f" WHEN uses >= {least} THEN {bucket}" for bucket, least in enumerate(_least_uses()))
        + " END WHERE kind > 0"
    )
    rows = connection.execute(
        "SELECT entry.bucket, entry.id, data FROM entry JOIN detail USING (id) WHERE kind > 0"
        " ORDER BY entry.bucket, entry.id"
    )
    for batch in batches(rows, _ROWS_AT_ONCE):
        connection.executemany(
            _INSERT_NAMES,
            ((bucket << id_bits | id_, name_tokens(packing.name(data))) for bucket, id_, data in batch),
        )


def _least_uses() -> list[int]:
    """Return the fewest uses of the things of each bucket."""
    least = [0] * BUCKETS
    uses = 1 << 2 * BUCKETS
    while uses:
        least[bucket_of_uses(uses)] = uses
        uses >>= 1
    least[-1] = 0
    return least


# -- the difference


class _Update:
    """Applies what a release changed."""

    def __init__(self, connection: sqlite3.Connection, base: str, view: PublishedView) -> None:
        self._connection = connection
        self._packing = Packing(connection)
        self._view = view
        self._number = view.release
        self._reader = DocumentReader(base)
        self._uses: Counter[int] = Counter()
        self._words: list[tuple[int, WordColumns]] = []
        self._names: set[int] = set()
        """The ids of things that are no publications and get a full-text row."""

    def apply(self, kept: Iterable[int]) -> bool:
        """Write the changes; return False and write nothing if the file has not enough ids for them.

        ``kept`` are the numbers of the releases that are kept.
        """
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        # A run that was stopped after this begins the same release again.
        if connection.execute("SELECT 1 FROM release WHERE number >= ?", (self._number,)).fetchone() is not None:
            self._undo()
        self._remove(min((*kept, self._number)))
        next_id, self._id_bits = connection.execute("SELECT next, id_bits FROM counter").fetchone()
        self._rows = RowMaker(connection, self._number, next_id)
        publications: dict[str, bool] = {}
        touched: list[int] = []
        for change in self._view.changes():
            folder = change.path.partition("/")[0]
            if folder == PUBLICATIONS:
                publications[change.path] = change.status_after == 200
            elif folder in ENTITY_FOLDERS:
                touched += self._change_name(change.path, change.status_after == 200)
        for id_ in touched:
            for path in self._publications_with(id_):
                publications.setdefault(path, True)
        for path, is_described in sorted(publications.items()):
            self._change_publication(path, is_described)
        if self._rows.next_id > 1 << self._id_bits:
            connection.execute("ROLLBACK")
            return False
        self._write_uses()
        self._write_full_text()
        connection.execute("UPDATE counter SET next = ?", (self._rows.next_id,))
        connection.execute("DELETE FROM release WHERE number > ?", (self._number,))
        connection.execute("INSERT OR IGNORE INTO release VALUES (?)", (self._number,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return True

    def _undo(self) -> None:
        for sign, condition in ((-1, "since >= ?"), (1, "until >= ?")):
            for (data,) in self._connection.execute(
                f"SELECT data FROM entry JOIN detail USING (id) WHERE kind = 0 AND {condition}", (self._number,)
            ):
                for id_ in {link.id for link in self._packing.publication(data).links}:
                    self._uses[id_] += sign
        self._delete("since >= ?", self._number)
        for (id_,) in self._connection.execute("SELECT id FROM entry WHERE until >= ?", (self._number,)):
            del self._uses[id_]  # those of an entry that ended were not counted any more
        self._connection.execute("UPDATE entry SET until = NULL WHERE until >= ?", (self._number,))

    def _remove(self, oldest: int) -> None:
        self._delete("until <= ?", oldest)
        self._connection.execute("DELETE FROM release WHERE number < ?", (oldest,))

    def _delete(self, condition: str, number: int) -> None:
        keys = self._connection.execute(
            f"SELECT path_of(kind, data), id FROM entry JOIN detail USING (id) WHERE {condition}", (number,)
        ).fetchall()
        self._connection.executemany(
            "DELETE FROM path_key WHERE key = ? AND id = ?", ((key_of(path), id_) for path, id_ in keys)
        )
        self._connection.execute(f"DELETE FROM detail WHERE id IN (SELECT id FROM entry WHERE {condition})", (number,))
        self._connection.execute(f"DELETE FROM entry WHERE {condition}", (number,))

    def _change_name(self, path: str, is_described: bool) -> list[int]:
        """Write the name of a thing; return its entry before if publications that link to it have to be written."""
        document = self._view.document(path) if is_described else None
        name = self._reader.read_name(document) if document is not None else None
        row = newest_entry(self._connection, path)
        if row is not None:
            if name is not None and row[1] == kind_number(name) and self._packing.name(row[2]) == name_details(name):
                return []
            self._end(row[0])
        if name is not None:
            self._names.add(self._rows.insert_thing(kind_number(name), name_details(name)))
        return [row[0]] if row is not None else []

    def _publications_with(self, id_: int) -> list[str]:
        """Return the paths of publications that link to an entry."""
        rows = self._connection.execute(
            "SELECT path_of(kind, data) FROM words CROSS JOIN entry ON entry.id = words.rowid & ?"
            " JOIN detail USING (id) WHERE words MATCH ? AND until IS NULL",
            ((1 << self._id_bits) - 1, f"code : (w{id_} OR s{id_} OR q{id_} OR p{id_} OR k{id_})"),
        )
        return [path for (path,) in rows]

    def _change_publication(self, path: str, is_described: bool) -> None:
        document = self._view.document(path) if is_described else None
        found = self._reader.read_publication(document) if document is not None else None
        row = newest_entry(self._connection, path)
        if row is not None:
            for linked in {link.id for link in self._packing.publication(row[2]).links}:
                self._uses[linked] -= 1
            self._end(row[0])
        if found is not None:
            self._insert(self._rows.publication(found))

    def _insert(self, row: PublicationRow) -> None:
        id_ = self._rows.take_id()
        self._connection.execute(_INSERT_ENTRY, (id_, row.bucket, row.year, self._number, row.codes))
        self._connection.execute(_INSERT_DETAIL, (id_, self._packing.pack_publication(row.data)))
        self._connection.execute(_INSERT_KEY, (key_of(row.path), id_))
        self._words.append((row.bucket << self._id_bits | id_, row.words))
        self._uses.update(row.links)

    def _end(self, id_: int) -> None:
        self._connection.execute("UPDATE entry SET until = ? WHERE id = ?", (self._number, id_))

    def _write_uses(self) -> None:
        """Count the links; what comes into another bucket gets another full-text row."""
        changed = [(id_, count) for id_, count in self._uses.items() if count]
        self._connection.executemany("UPDATE entry SET uses = uses + ?2 WHERE id = ?1 AND until IS NULL", changed)
        for id_ in {*self._names, *(id_ for id_, _ in changed)}:
            row = self._connection.execute(
                "SELECT bucket, uses FROM entry WHERE id = ? AND until IS NULL AND kind > 0", (id_,)
            ).fetchone()
            if row is not None and row[0] != bucket_of_uses(row[1]):
                self._connection.execute("UPDATE entry SET bucket = ? WHERE id = ?", (bucket_of_uses(row[1]), id_))
                self._names.add(id_)

    def _write_full_text(self) -> None:
        # Rows that are not in sequence would be written to disk one by one.
        self._connection.executemany(_INSERT_WORDS, ((row, *words) for row, words in sorted(self._words)))
        rows = []
        for id_ in self._names:
            bucket, data = self._connection.execute(
                "SELECT entry.bucket, data FROM entry JOIN detail USING (id) WHERE id = ?", (id_,)
            ).fetchone()
            rows.append((bucket << self._id_bits | id_, name_tokens(self._packing.name(data))))
        self._connection.executemany(_INSERT_NAMES, sorted(rows))
