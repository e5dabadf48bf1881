"""Writes ``search.db``: all of a release, or what it changed."""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

from bibld.parallel import batches
from bibld.published._schema import connect, reporting_errors
from bibld.published._view import PublishedView, published_releases
from bibld.published.search._documents import ENTITY_FOLDERS, PUBLICATIONS, DocumentReader, Name
from bibld.published.search._packing import SAMPLES, Packing, encode, train_names, train_publications
from bibld.published.search._rows import (
    PublicationRow,
    RowMaker,
    WordColumns,
    kind_number,
    name_details,
    name_tokens,
)
from bibld.published.search._schema import (
    AUTOMERGE,
    BUCKETS,
    FILE,
    HASH_SIZE,
    ID_BITS,
    ID_MASK,
    TABLES,
    bucket_of_uses,
    has_release,
)
from bibld.published.search._staged import WORTH_PROCESSES, StagedRows

_ROWS_AT_ONCE = 10_000
_MOST_STALE = 2
"""Ids for each valid entry; a file with more is made again, since full-text rows are never removed."""

_FEW = 1000
_INSERT_ENTRY = "INSERT INTO entry (id, number, kind, bucket, year, since, codes) VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_DETAIL = "INSERT INTO detail VALUES (?, ?)"
_INSERT_WORDS = "INSERT INTO words (rowid, title, agent, subject, other, code) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_NAMES = "INSERT INTO names (rowid, name) VALUES (?, ?)"
_STAGED = """
CREATE TEMP TABLE staged (
  bucket INTEGER, key INTEGER, number INTEGER, year INTEGER, codes BLOB, data BLOB,
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
                _Update(connection, base, view).apply(published_releases(workspace))
                is_stale = _is_stale(connection)
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
        following = _fill_entities(connection, base, view)
        connection.execute("COMMIT")
        rows = StagedRows(connection, new, base, view)
        connection.execute(_STAGED)
        made = rows.in_this_process()
        if workers > 1 and following > WORTH_PROCESSES:
            made = rows.in_processes(file.parent, rows.number_publications(sources), workers)
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", made)
        _fill_publications(connection, rows.uses, view.release, following)
        connection.execute("INSERT INTO release VALUES (?)", (view.release,))
        connection.execute("COMMIT")
        for table in ("words", "names"):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
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


def _fill_entities(connection: sqlite3.Connection, base: str, view: PublishedView) -> int:
    """Insert all things that are no publications; return the id that follows theirs."""
    reader = DocumentReader(base)
    train_names(connection, _sample_names(reader, view))
    rows = RowMaker(connection)
    following = 1
    for folder in ENTITY_FOLDERS:
        for document in view.documents(f"{folder}/"):
            name = reader.read_name(document)
            if name is not None:
                _insert_name(connection, rows, name, following, view.release)
                following += 1
    return following


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
    samples = connection.execute("SELECT data FROM staged ORDER BY key, number LIMIT ?", (SAMPLES,))
    train_publications(connection, [data for (data,) in samples])
    packing = Packing(connection)
    for batch in batches(
        connection.execute(
            "SELECT bucket, number, year, codes, data, title_words, agent, subject, other, code"
            " FROM staged ORDER BY bucket, key"
        ),
        _ROWS_AT_ONCE,
    ):
        numbered = list(enumerate(batch, following))
        following += len(numbered)
        connection.executemany(
            _INSERT_ENTRY,
            ((id_, row[1], 0, row[0], row[2], release, row[3]) for id_, row in numbered),
        )
        connection.executemany(_INSERT_DETAIL, ((id_, packing.pack_publication(row[4])) for id_, row in numbered))
        connection.executemany(_INSERT_WORDS, ((row[0] << ID_BITS | id_, *row[5:]) for id_, row in numbered))
    connection.execute("DROP TABLE staged")
    connection.executemany(
        "UPDATE thing SET uses = ?2 WHERE number = ?1", ((number, count) for number, count in _counts(uses))
    )
    _fill_names(connection, packing)
    connection.execute("INSERT INTO counter VALUES (?)", (following,))


def _counts(uses: array[int]) -> Iterable[tuple[int, int]]:
    return sorted(Counter(uses).items())


def _fill_names(connection: sqlite3.Connection, packing: Packing) -> None:
    connection.execute(
        "UPDATE entry SET bucket = CASE"
        + "".join(
            f" WHEN (SELECT uses FROM thing WHERE thing.number = entry.number) >= {least} THEN {bucket}"
            for bucket, least in enumerate(_least_uses())
        )
        + " END WHERE kind > 0"
    )
    rows = connection.execute(
        "SELECT entry.bucket, entry.id, data FROM entry JOIN detail USING (id) WHERE kind > 0"
        " ORDER BY entry.bucket, entry.id"
    )
    for batch in batches(rows, _ROWS_AT_ONCE):
        connection.executemany(
            _INSERT_NAMES,
            ((bucket << ID_BITS | id_, name_tokens(packing.name(data))) for bucket, id_, data in batch),
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


def _insert_name(connection: sqlite3.Connection, rows: RowMaker, name: Name, id_: int, release: int) -> None:
    number = rows.number_of(name.path)
    connection.execute(_INSERT_ENTRY, (id_, number, kind_number(name), BUCKETS, None, release, None))
    connection.execute(_INSERT_DETAIL, (id_, rows.packing.pack_name(encode(name_details(name)))))


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
        self._names: dict[int, int] = {}
        """The ids of new entries of things that are no publications, by number."""

    def apply(self, kept: Iterable[int]) -> None:
        """Write the changes; ``kept`` are the numbers of the releases that are kept."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        # A run that was stopped after this begins the same release again.
        if connection.execute("SELECT 1 FROM release WHERE number >= ?", (self._number,)).fetchone() is not None:
            self._undo()
        self._remove(min((*kept, self._number)))
        self._rows = RowMaker(connection)
        self._next = connection.execute("SELECT next FROM counter").fetchone()[0]
        publications: dict[str, bool] = {}
        touched: list[int] = []
        for change in self._view.changes():
            folder = change.path.partition("/")[0]
            if folder == PUBLICATIONS:
                publications[change.path] = change.status_after == 200
            elif folder in ENTITY_FOLDERS:
                touched += self._change_name(change.path, change.status_after == 200)
        for number in touched:
            for path in self._publications_with(number):
                publications.setdefault(path, True)
        for path, is_described in sorted(publications.items()):
            self._change_publication(path, is_described)
        self._write_uses()
        self._write_full_text()
        connection.execute("UPDATE counter SET next = ?", (self._next,))
        connection.execute("DELETE FROM release WHERE number > ?", (self._number,))
        connection.execute("INSERT OR IGNORE INTO release VALUES (?)", (self._number,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _undo(self) -> None:
        for sign, condition in ((-1, "since >= ?"), (1, "until >= ?")):
            for (data,) in self._connection.execute(
                f"SELECT data FROM entry JOIN detail USING (id) WHERE kind = 0 AND {condition}", (self._number,)
            ):
                for number in {link.number for link in self._packing.publication(data).links}:
                    self._uses[number] += sign
        self._delete("since >= ?", self._number)
        self._connection.execute("UPDATE entry SET until = NULL WHERE until >= ?", (self._number,))

    def _remove(self, oldest: int) -> None:
        self._delete("until <= ?", oldest)
        self._connection.execute("DELETE FROM release WHERE number < ?", (oldest,))

    def _delete(self, condition: str, number: int) -> None:
        self._connection.execute(f"DELETE FROM detail WHERE id IN (SELECT id FROM entry WHERE {condition})", (number,))
        self._connection.execute(f"DELETE FROM entry WHERE {condition}", (number,))

    def _take_id(self) -> int:
        self._next += 1
        return int(self._next) - 1

    def _change_name(self, path: str, is_described: bool) -> list[int]:
        """Write the name of a thing; return its number if publications that link to it have to be written again."""
        document = self._view.document(path) if is_described else None
        name = self._reader.read_name(document) if document is not None else None
        number = self._rows.number_of(path)
        row = self._connection.execute(
            "SELECT entry.id, data FROM entry JOIN detail USING (id) WHERE number = ? AND until IS NULL",
            (number,),
        ).fetchone()
        if row is not None:
            if name is not None and self._packing.name(row[1]) == name_details(name):
                return []
            self._end(row[0])
        if name is not None:
            id_ = self._take_id()
            _insert_name(self._connection, self._rows, name, id_, self._number)
            self._names[number] = id_
        return [number]

    def _publications_with(self, number: int) -> list[str]:
        """Return the paths of publications whose words contain the names of a thing."""
        rows = self._connection.execute(
            "SELECT path FROM words CROSS JOIN entry ON entry.id = words.rowid & ? JOIN thing USING (number)"
            " WHERE words MATCH ? AND until IS NULL",
            (ID_MASK, f"code : (w{number} OR s{number} OR q{number} OR p{number} OR k{number})"),
        )
        return [path for (path,) in rows]

    def _change_publication(self, path: str, is_described: bool) -> None:
        document = self._view.document(path) if is_described else None
        found = self._reader.read_publication(document) if document is not None else None
        number = self._rows.number_of(path)
        row = self._connection.execute(
            "SELECT entry.id, data FROM entry JOIN detail USING (id) WHERE number = ? AND until IS NULL", (number,)
        ).fetchone()
        if row is not None:
            for linked in {link.number for link in self._packing.publication(row[1]).links}:
                self._uses[linked] -= 1
            self._end(row[0])
        if found is not None:
            self._insert(self._rows.publication(found))

    def _insert(self, row: PublicationRow) -> None:
        id_ = self._take_id()
        self._connection.execute(_INSERT_ENTRY, (id_, row.number, 0, row.bucket, row.year, self._number, row.codes))
        self._connection.execute(_INSERT_DETAIL, (id_, self._packing.pack_publication(row.data)))
        self._words.append((row.bucket << ID_BITS | id_, row.words))
        self._uses.update(row.links)

    def _end(self, id_: int) -> None:
        self._connection.execute("UPDATE entry SET until = ? WHERE id = ?", (self._number, id_))

    def _write_uses(self) -> None:
        """Count the links; what comes into another bucket gets another full-text row."""
        changed = [(number, count) for number, count in self._uses.items() if count]
        self._connection.executemany("UPDATE thing SET uses = uses + ?2 WHERE number = ?1", changed)
        for number in {*self._names, *(number for number, _ in changed)}:
            row = self._connection.execute(
                "SELECT id, bucket, uses FROM entry JOIN thing USING (number)"
                " WHERE number = ? AND until IS NULL AND kind > 0",
                (number,),
            ).fetchone()
            if row is not None:
                bucket = bucket_of_uses(row[2])
                if bucket != row[1]:
                    self._connection.execute("UPDATE entry SET bucket = ? WHERE id = ?", (bucket, row[0]))
                    self._names[number] = row[0]

    def _write_full_text(self) -> None:
        # Rows that are not in sequence would be written to disk one by one.
        self._connection.executemany(_INSERT_WORDS, ((row, *words) for row, words in sorted(self._words)))
        ids = list(self._names.values())
        rows = []
        for id_ in ids:
            bucket, data = self._connection.execute(
                "SELECT entry.bucket, data FROM entry JOIN detail USING (id) WHERE id = ?", (id_,)
            ).fetchone()
            rows.append((bucket << ID_BITS | id_, name_tokens(self._packing.name(data))))
        self._connection.executemany(_INSERT_NAMES, sorted(rows))
