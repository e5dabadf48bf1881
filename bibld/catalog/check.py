"""What a catalog holds is held against itself: whole files, blobs that can be read, rows that agree with each other.

What can be made again is mended by removing it and noting it as pending, so that the next run makes it. The register is
never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from bibld.catalog import Catalog
from bibld.catalog._database.schema import CATALOG_FORMAT, REGISTER_FORMAT, connected
from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.coverage import Subfields
from bibld.catalog._records.packing import mods_in, original_in
from bibld.catalog._results.linkage import EdgeBody
from bibld.errors import CatalogError
from bibld.model.linkage import ValueSource
from bibld.model.mods import Mods
from bibld.progress import Progress

SAMPLE = 1_000
"""Blobs of each table that are read when not all are."""

_SHOWN = 5
_RESTORE = "restore it from a backup"


class Fault(msgspec.Struct, frozen=True):
    """Something that is wrong: where, what, and what helps; ``mend`` does it, within a commit of its own."""

    where: str
    what: str
    remedy: str
    mend: Callable[[], None] | None = None


def file_faults(workspace: Path, progress: Progress) -> Iterator[Fault]:
    """What is wrong with the two databases as files; where anything is, the rest cannot be looked at.

    Wrong indices are mended (SQLite's ``REINDEX``), for other damage there is the backup.
    """
    for name, version in (("register.db", REGISTER_FORMAT), ("catalog.db", CATALOG_FORMAT)):
        file = workspace / name
        progress.report(f"check: {name}")
        if not file.is_file() or not file.stat().st_size:
            yield Fault(name, "is not there", _RESTORE)
            continue
        try:
            with closing(connected(file, read_only=True)) as connection:
                found = [text for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]
                held = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            yield Fault(name, f"cannot be read: {error}", _RESTORE)
            continue
        if found:
            is_index = name == "catalog.db" and all("index" in text for text in found)
            remedy = "its indices are made anew" if is_index else _RESTORE
            yield Fault(name, "; ".join(found[:_SHOWN]), remedy, _reindexing(file) if is_index else None)
        elif held == 0:
            yield Fault(name, "holds nothing", "`bibld run` goes on where it was begun")
        elif held != version:
            yield Fault(name, f"has format {held} instead of {version}", "`bibld run` brings it to that")


def _reindexing(file: Path) -> Callable[[], None]:
    def mend() -> None:
        with closing(connected(file, read_only=False)) as connection:
            connection.execute("REINDEX")

    return mend


def faults(catalog: Catalog, everything: bool, progress: Progress) -> Iterator[Fault]:
    """What is wrong within an open catalog; ``everything``: read all blobs, not a sample of each table."""
    yield from _unregistered(catalog)
    for table in _blob_tables(catalog):
        yield from table.faults(catalog, everything, progress)
    yield from _disagreements(catalog, progress)


def _unregistered(catalog: Catalog) -> Iterator[Fault]:
    """Records whose ordinal the register does not know."""
    known = catalog._register_connection.execute("SELECT ordinal FROM ordinal ORDER BY ordinal")
    held = catalog._connection.execute("SELECT ordinal FROM record ORDER BY ordinal")
    strangers, registered = [], next(known, None)
    for (ordinal,) in held:
        while registered is not None and registered[0] < ordinal:
            registered = next(known, None)
        if registered is None or registered[0] != ordinal:
            strangers.append(ordinal)
    if strangers:
        yield Fault("register.db", f"does not know {some(strangers)}, which catalog.db holds", _RESTORE)


# -- blobs -------------------------------------------------------------------------------------------------------------


class _BlobTable:
    """A table with blobs: how they are read, and what makes them again."""

    def __init__(
        self,
        name: str,
        key: str,
        columns: str,
        read: Callable[[Sequence[bytes]], object],
        mend: Sequence[str],
        remedy: str = "the next run makes it anew",
    ) -> None:
        self._name = name
        self._key = key
        self._columns = columns
        self._read = read
        self._mend = mend
        self._remedy = remedy

    def faults(self, catalog: Catalog, everything: bool, progress: Progress) -> Iterator[Fault]:
        """The blobs that cannot be read."""
        ask = catalog._connection.execute
        last = ask(f"SELECT max({self._key}) FROM {self._name}").fetchone()[0] or 0
        step = 1 if everything else max(last // SAMPLE, 1)
        progress.stage("check", f"blobs of {self._name}", last // step)
        damaged: list[tuple[int, str]] = []
        for key in range(step, last + 1, step):
            for row in ask(f"SELECT {self._columns} FROM {self._name} WHERE {self._key} = ?", (key,)):
                try:
                    self._read(row)
                except (CatalogError, msgspec.MsgspecError, ValueError) as error:
                    damaged.append((key, str(error)))
            progress.advance()
        if damaged:
            keys = sorted({key for key, _ in damaged})
            what = f"{self._name} {some(keys)} cannot be read: {damaged[0][1]}"
            yield Fault(
                "catalog.db", what, self._remedy, lambda: _mended(catalog, self._mend, [(key,) for key in keys])
            )


def _blob_tables(catalog: Catalog) -> list[_BlobTable]:
    blobs = Blobs(catalog._connection)
    subfields = Subfields(catalog._connection)

    def record(row: Sequence[bytes]) -> None:
        piece = blobs.decompressed(row[0])
        msgspec.json.decode(mods_in(piece), type=Mods)
        original_in(piece)
        subfields.read(row[1])

    return [
        # A record that is taken for deleted lives again as soon as its source has it; its bytes are lost.
        _BlobTable(
            "record",
            "ordinal",
            "body, coverage",
            record,
            ("UPDATE record SET deleted = 2, made_by = x'' WHERE ordinal = ?1", _MATCH.format("?1")),
            "the next run reads it again, if its source still has it; else restore a backup",
        ),
        _BlobTable("reject", "reject", "original", lambda row: blobs.decompressed(row[0]), (_DELETE.format("reject"),)),
        *_made_tables(blobs),
    ]


def _made_tables(blobs: Blobs) -> list[_BlobTable]:
    """The tables of what stages made."""

    def plain(row: Sequence[bytes | None]) -> None:
        for blob in row:
            if blob is not None:
                blobs.decompressed(blob).decode()

    def merged(row: Sequence[bytes]) -> None:
        msgspec.json.decode(blobs.decompressed(row[0]), type=Mods)
        msgspec.json.decode(blobs.decompressed(row[1]), type=tuple[ValueSource, ...])

    anew = "DELETE FROM delivery", "DELETE FROM patch"
    return [
        _BlobTable(
            "edge",
            "left_ordinal",
            "body",
            lambda row: msgspec.json.decode(blobs.decompressed(row[0]), type=EdgeBody),
            (_MATCH.format("?1"), "DELETE FROM edge WHERE left_ordinal = ?1"),
        ),
        _BlobTable(
            "merged", "founder", "mods, sources", merged, (_DELETE_OF.format("merged"), _PEND.format("merge", "?1"))
        ),
        _BlobTable(
            "statement",
            "founder",
            "quads",
            plain,
            (_DELETE_OF.format("statement"), _PEND.format("triplify", "?1"), *anew),
        ),
        _BlobTable(
            "entity",
            "entity",
            "quads",
            plain,
            ("UPDATE entity SET quads = NULL WHERE entity = ?1", _PEND.format("entity", "?1"), *anew),
        ),
        _BlobTable("patch", "patch", "added, removed", plain, anew),
    ]


# -- rows that do not agree --------------------------------------------------------------------------------------------

_PEND = "INSERT OR IGNORE INTO pending VALUES ('{}', {})"
_MATCH = "INSERT OR IGNORE INTO pending SELECT 'dedup', ordinal FROM record WHERE ordinal = {}"
_DELETE = "DELETE FROM {0} WHERE {0} = ?1"
_DELETE_OF = "DELETE FROM {} WHERE founder = ?1"
_WAITS = "EXISTS (SELECT 1 FROM pending WHERE item = {} AND stage IN ({}))"
_LIVES = "EXISTS (SELECT 1 FROM record WHERE ordinal = {} AND deleted = 0)"
_QUEUES = {"dedup": "'dedup'", "merge": "'dedup', 'merge'", "triplify": "'dedup', 'merge', 'triplify'"}


class _Rule(msgspec.Struct, frozen=True):
    """Rows that should not be, once ``stage`` has run: what is said of them, and the statements that mend each."""

    stage: str
    what: str
    query: str
    mend: tuple[str, ...]


def _waits(item: str, stage: str) -> str:
    return _WAITS.format(item, _QUEUES[stage])


_RULES = (
    _Rule(
        "dedup",
        "edges of records {} have an end that does not live",
        f"SELECT left_ordinal, right_ordinal FROM edge WHERE NOT ({_LIVES.format('left_ordinal')} AND"
        f" {_LIVES.format('right_ordinal')}) AND NOT {_waits('left_ordinal', 'dedup')}"
        f" AND NOT {_waits('right_ordinal', 'dedup')}",
        (
            "DELETE FROM edge WHERE left_ordinal = ?1 AND right_ordinal = ?2",
            _MATCH.format("?1"),
            _MATCH.format("?2"),
        ),
    ),
    _Rule(
        "dedup",
        "records {} are in clusters and do not live",
        f"SELECT ordinal FROM member WHERE NOT {_LIVES.format('ordinal')} AND NOT {_waits('ordinal', 'dedup')}",
        (_MATCH.format("?1"),),
    ),
    _Rule(
        "dedup",
        "clusters {} have another founder than their smallest member, or no second one",
        "SELECT founder FROM member GROUP BY founder HAVING (min(ordinal) <> founder OR count(*) < 2)"
        f" AND NOT max({_waits('ordinal', 'dedup')})",
        ("INSERT OR IGNORE INTO pending SELECT 'dedup', ordinal FROM member WHERE founder = ?1",),
    ),
    _Rule(
        "merge",
        "clusters {} are not merged",
        "SELECT DISTINCT founder FROM member WHERE founder NOT IN (SELECT founder FROM merged)"
        f" AND NOT {_waits('founder', 'merge')}",
        (_PEND.format("merge", "?1"),),
    ),
    _Rule(
        "merge",
        "merged descriptions {} belong to no cluster",
        "SELECT founder FROM merged WHERE founder NOT IN (SELECT founder FROM member)"
        f" AND NOT {_waits('founder', 'merge')}",
        (_PEND.format("merge", "?1"),),
    ),
    _Rule(
        "triplify",
        "clusters {} have no statements",
        "SELECT ordinal FROM record LEFT JOIN member USING (ordinal) WHERE deleted = 0 AND coalesce(founder, ordinal)"
        " = ordinal AND ordinal NOT IN (SELECT founder FROM statement)"
        f" AND NOT {_waits('ordinal', 'triplify')}",
        (_PEND.format("triplify", "?1"),),
    ),
    _Rule(
        "triplify",
        "statements {} belong to no founder",
        f"SELECT founder FROM statement WHERE NOT ({_LIVES.format('founder')} AND coalesce((SELECT member.founder FROM"
        " member WHERE ordinal = statement.founder), founder) = founder)"
        f" AND NOT {_waits('founder', 'triplify')}",
        (_PEND.format("triplify", "?1"),),
    ),
    _Rule(
        "triplify",
        "clusters {} claim something about an entity that is not there",
        "SELECT DISTINCT founder FROM claimant WHERE voice NOT IN (SELECT voice FROM voice JOIN entity USING (entity))"
        f" AND NOT {_waits('founder', 'triplify')}",
        (
            "DELETE FROM claimant WHERE founder = ?1 AND voice NOT IN (SELECT voice FROM voice)",
            "UPDATE statement SET made_by = '' WHERE founder = ?1",
            _PEND.format("triplify", "?1"),
        ),
    ),
    _Rule(
        "triplify",
        "entities {} are claimed by others than were counted",
        "SELECT DISTINCT entity FROM voice LEFT JOIN (SELECT voice, count(*) AS found, sum(votes) AS given"
        " FROM claimant GROUP BY voice) USING (voice)"
        " WHERE coalesce(found, 0) <> clusters OR coalesce(given, 0) <> votes",
        (
            "UPDATE voice SET (clusters, votes) = (SELECT count(*), coalesce(sum(claimant.votes), 0)"
            " FROM claimant WHERE claimant.voice = voice.voice) WHERE entity = ?1",
            "DELETE FROM voice WHERE entity = ?1 AND clusters = 0",
            _PEND.format("entity", "?1"),
        ),
    ),
    _Rule(
        "triplify",
        "entities {} have no quads, or nobody claims anything about them",
        "SELECT entity FROM entity WHERE (quads IS NULL OR entity NOT IN (SELECT entity FROM voice))"
        " AND NOT EXISTS (SELECT 1 FROM pending WHERE item = entity AND stage = 'entity')",
        (_PEND.format("entity", "?1"),),
    ),
)


def _disagreements(catalog: Catalog, progress: Progress) -> Iterator[Fault]:
    progress.stage("check", "rules", len(_RULES))
    for rule in _RULES:
        if catalog.runs.made_by(rule.stage) is not None:
            rows = catalog._connection.execute(rule.query).fetchall()
            if rows:
                what = rule.what.format(some([row[0] for row in rows]))
                yield Fault(
                    "catalog.db", what, f"the next run does {rule.stage} anew there", _mending(catalog, rule, rows)
                )
        progress.advance()


def _mending(catalog: Catalog, rule: _Rule, rows: Sequence[tuple[int, ...]]) -> Callable[[], None]:
    return lambda: _mended(catalog, rule.mend, rows)


def _mended(catalog: Catalog, statements: Sequence[str], rows: Iterable[tuple[int, ...]]) -> None:
    held = list(rows)
    with catalog.commit():
        for text in statements:
            if "?" in text:
                count = 2 if "?2" in text else 1
                catalog._connection.executemany(text, [row[:count] for row in held])
            else:
                catalog._connection.execute(text)


def some(numbers: Sequence[int]) -> str:
    """The first of some numbers, and how many there are."""
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return shown if len(numbers) <= _SHOWN else f"{shown} … ({len(numbers)} in all)"
