"""Check a catalog: intact files, readable blobs, consistent rows.

What can be made again is repaired by deleting it and marking it dirty, so that the next run makes it. The register is
never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, Queue
from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.coverage import Subfields
from bibld.catalog._records.packing import unpack_mods, unpack_original
from bibld.catalog._results.linkage import EdgeBody
from bibld.catalog._schema import CATALOG_FORMAT, REGISTER_FORMAT, connect, describe_format
from bibld.errors import CatalogError
from bibld.model.linkage import ValueSource
from bibld.model.mods import Mods
from bibld.progress import Progress

SAMPLE = 1_000
"""Blobs of each table that are read unless all are."""

_SHOWN = 5
_RESTORE = "restore it from a backup"


class Fault(msgspec.Struct, frozen=True):
    """Something that is wrong: where, what, and what to do; ``mend`` does that, in a commit of its own."""

    where: str
    what: str
    remedy: str
    mend: Callable[[], None] | None = None


def file_faults(workspace: Path, progress: Progress) -> Iterator[Fault]:
    """Yield the faults of the two database files; if there are any, their contents cannot be checked.

    Wrong indices are repaired by SQLite's ``REINDEX``; for other damage there is the backup.
    """
    for name, version in (("register.db", REGISTER_FORMAT), ("catalog.db", CATALOG_FORMAT)):
        file = workspace / name
        progress.report(f"check: {name}")
        if not file.is_file() or not file.stat().st_size:
            yield Fault(name, "not found", _RESTORE)
            continue
        try:
            with closing(connect(file, read_only=True)) as connection:
                found = [text for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]
                version_found = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            yield Fault(name, f"cannot be read: {error}", _RESTORE)
            continue
        if found:
            is_index = name == "catalog.db" and all("index" in text for text in found)
            remedy = "its indices are built again" if is_index else _RESTORE
            yield Fault(name, "; ".join(found[:_SHOWN]), remedy, _reindexing(file) if is_index else None)
        elif version_found == 0:
            yield Fault(name, "is empty", "`bibld run` fills it")
        elif version_found != version:
            what, _, remedy = describe_format(version_found, version, workspace).partition("; ")
            yield Fault(name, what, remedy)


def _reindexing(file: Path) -> Callable[[], None]:
    def mend() -> None:
        with closing(connect(file, read_only=False)) as connection:
            connection.execute("REINDEX")

    return mend


def faults(catalog: Catalog, everything: bool, progress: Progress) -> Iterator[Fault]:
    """Yield the faults of an open catalog; ``everything``: read all blobs instead of a sample of each table."""
    ordinals = {row[0] for row in catalog._register_connection.execute("SELECT ordinal FROM ordinal")}
    stored = catalog._connection.execute("SELECT ordinal FROM record ORDER BY ordinal")
    unknown = [ordinal for (ordinal,) in stored if ordinal not in ordinals]
    if unknown:
        yield Fault("register.db", f"does not contain {abbreviate(unknown)}, which catalog.db contains", _RESTORE)
    for table in _blob_tables(catalog):
        yield from table.faults(catalog, everything, progress)
    yield from _disagreements(catalog, progress)


# -- blobs -------------------------------------------------------------------------------------------------------------


class _BlobTable:
    """A table with blobs: how they are read, and the statements that repair it."""

    def __init__(
        self,
        name: str,
        key: str,
        columns: str,
        read: Callable[[Sequence[bytes]], object],
        mend: Sequence[str],
        remedy: str = "the next run makes it again",
    ) -> None:
        self._name = name
        self._key = key
        self._columns = columns
        self._read = read
        self._mend = mend
        self._remedy = remedy

    def faults(self, catalog: Catalog, everything: bool, progress: Progress) -> Iterator[Fault]:
        """Yield one fault that lists the blobs that cannot be read, if there are any."""
        execute = catalog._connection.execute
        last = execute(f"SELECT max({self._key}) FROM {self._name}").fetchone()[0] or 0
        step = 1 if everything else max(last // SAMPLE, 1)
        progress.stage("check", f"blobs of {self._name}", last // step)
        damaged: list[tuple[int, str]] = []
        for key in range(step, last + 1, step):
            for row in execute(f"SELECT {self._columns} FROM {self._name} WHERE {self._key} = ?", (key,)):
                try:
                    self._read(row)
                except (CatalogError, msgspec.MsgspecError, ValueError) as error:
                    damaged.append((key, str(error)))
            progress.advance()
        if damaged:
            keys = sorted({key for key, _ in damaged})
            what = f"{self._name} {abbreviate(keys)} cannot be read: {damaged[0][1]}"
            yield Fault(
                "catalog.db", what, self._remedy, lambda: _repair(catalog, self._mend, [(key,) for key in keys])
            )


def _blob_tables(catalog: Catalog) -> list[_BlobTable]:
    blobs = Blobs(catalog._connection)
    subfields = Subfields(catalog._connection)

    def record(row: Sequence[bytes]) -> None:
        piece = blobs.decompress(row[0])
        msgspec.json.decode(unpack_mods(piece), type=Mods)
        unpack_original(piece)
        subfields.decode(row[1])

    return [
        # A missing record is restored as soon as its source has it; its stored bytes are lost.
        _BlobTable(
            "record",
            "ordinal",
            "body, coverage",
            record,
            ("UPDATE record SET status = 'missing', made_by = x'' WHERE ordinal = ?1", _MATCH.format("?1")),
            "the next run reads it again if its source still has it; otherwise restore a backup",
        ),
        _BlobTable("reject", "reject", "original", lambda row: blobs.decompress(row[0]), (_DELETE.format("reject"),)),
        *_made_tables(blobs),
    ]


def _made_tables(blobs: Blobs) -> list[_BlobTable]:
    """Return the tables with results of stages."""

    def plain(row: Sequence[bytes | None]) -> None:
        for blob in row:
            if blob is not None:
                blobs.decompress(blob).decode()

    def merged(row: Sequence[bytes]) -> None:
        msgspec.json.decode(blobs.decompress(row[0]), type=Mods)
        msgspec.json.decode(blobs.decompress(row[1]), type=tuple[ValueSource, ...])

    reload = "DELETE FROM delivery", "DELETE FROM patch"
    return [
        _BlobTable(
            "edge",
            "left_ordinal",
            "body",
            lambda row: msgspec.json.decode(blobs.decompress(row[0]), type=EdgeBody),
            (_MATCH.format("?1"), "DELETE FROM edge WHERE left_ordinal = ?1"),
        ),
        _BlobTable(
            "merged",
            "founder",
            "mods, sources",
            merged,
            (_DELETE_OF.format("merged"), _PEND.format(Queue.UNMERGED_CLUSTERS, "?1")),
        ),
        _BlobTable(
            "statement",
            "founder",
            "quads",
            plain,
            (_DELETE_OF.format("statement"), _PEND.format(Queue.UNDESCRIBED_CLUSTERS, "?1"), *reload),
        ),
        _BlobTable(
            "entity",
            "entity",
            "quads",
            plain,
            (
                "UPDATE entity SET quads = NULL WHERE entity = ?1",
                _PEND.format(Queue.UNDESCRIBED_ENTITIES, "?1"),
                *reload,
            ),
        ),
        _BlobTable("patch", "patch", "added, removed", plain, reload),
    ]


# -- inconsistent rows -------------------------------------------------------------------------------------------------

_PEND = "INSERT OR IGNORE INTO dirty_queue VALUES ('{}', {})"
_MATCH = (
    f"INSERT OR IGNORE INTO dirty_queue SELECT '{Queue.UNMATCHED_RECORDS}', ordinal FROM record WHERE ordinal = {{}}"
)
_DELETE = "DELETE FROM {0} WHERE {0} = ?1"
_DELETE_OF = "DELETE FROM {} WHERE founder = ?1"
_DIRTY = "EXISTS (SELECT 1 FROM dirty_queue WHERE item = {} AND queue IN ({}))"
_LIVE = "EXISTS (SELECT 1 FROM record WHERE ordinal = {} AND status = 'live')"
_QUEUES = {
    "dedup": f"'{Queue.UNMATCHED_RECORDS}'",
    "merge": f"'{Queue.UNMATCHED_RECORDS}', '{Queue.UNMERGED_CLUSTERS}'",
    "triplify": f"'{Queue.UNMATCHED_RECORDS}', '{Queue.UNMERGED_CLUSTERS}', '{Queue.UNDESCRIBED_CLUSTERS}'",
}


class _Rule(msgspec.Struct, frozen=True):
    """Rows that must not exist after ``stage`` has run: a message about them, and the statements that repair each."""

    stage: str
    what: str
    query: str
    mend: tuple[str, ...]


def _is_dirty(item: str, stage: str) -> str:
    return _DIRTY.format(item, _QUEUES[stage])


_RULES = (
    _Rule(
        "dedup",
        "edges of records {} have an end that is not live",
        f"SELECT left_ordinal, right_ordinal FROM edge WHERE NOT ({_LIVE.format('left_ordinal')} AND"
        f" {_LIVE.format('right_ordinal')}) AND NOT {_is_dirty('left_ordinal', 'dedup')}"
        f" AND NOT {_is_dirty('right_ordinal', 'dedup')}",
        (
            "DELETE FROM edge WHERE left_ordinal = ?1 AND right_ordinal = ?2",
            _MATCH.format("?1"),
            _MATCH.format("?2"),
        ),
    ),
    _Rule(
        "dedup",
        "records {} are in clusters but not live",
        f"SELECT ordinal FROM member WHERE NOT {_LIVE.format('ordinal')} AND NOT {_is_dirty('ordinal', 'dedup')}",
        (_MATCH.format("?1"),),
    ),
    _Rule(
        "dedup",
        "clusters {} have a founder that is not their smallest member, or only one member",
        "SELECT founder FROM member GROUP BY founder HAVING (min(ordinal) <> founder OR count(*) < 2)"
        f" AND NOT max({_is_dirty('ordinal', 'dedup')})",
        (
            f"INSERT OR IGNORE INTO dirty_queue SELECT '{Queue.UNMATCHED_RECORDS}', ordinal FROM member"
            " WHERE founder = ?1",
        ),
    ),
    _Rule(
        "merge",
        "clusters {} are not merged",
        "SELECT DISTINCT founder FROM member WHERE founder NOT IN (SELECT founder FROM merged)"
        f" AND NOT {_is_dirty('founder', 'merge')}",
        (_PEND.format(Queue.UNMERGED_CLUSTERS, "?1"),),
    ),
    _Rule(
        "merge",
        "merged descriptions {} belong to no cluster",
        "SELECT founder FROM merged WHERE founder NOT IN (SELECT founder FROM member)"
        f" AND NOT {_is_dirty('founder', 'merge')}",
        (_PEND.format(Queue.UNMERGED_CLUSTERS, "?1"),),
    ),
    _Rule(
        "triplify",
        "clusters {} have no statements",
        "SELECT ordinal FROM record LEFT JOIN member USING (ordinal) WHERE status = 'live'"
        " AND coalesce(founder, ordinal) = ordinal AND ordinal NOT IN (SELECT founder FROM statement)"
        f" AND NOT {_is_dirty('ordinal', 'triplify')}",
        (_PEND.format(Queue.UNDESCRIBED_CLUSTERS, "?1"),),
    ),
    _Rule(
        "triplify",
        "statements {} belong to no founder",
        f"SELECT founder FROM statement WHERE NOT ({_LIVE.format('founder')} AND coalesce((SELECT member.founder FROM"
        " member WHERE ordinal = statement.founder), founder) = founder)"
        f" AND NOT {_is_dirty('founder', 'triplify')}",
        (_PEND.format(Queue.UNDESCRIBED_CLUSTERS, "?1"),),
    ),
    _Rule(
        "triplify",
        "clusters {} make assertions about an entity that does not exist",
        "SELECT DISTINCT founder FROM asserting_cluster WHERE assertion NOT IN (SELECT assertion FROM assertion"
        " JOIN entity USING (entity))"
        f" AND NOT {_is_dirty('founder', 'triplify')}",
        (
            "DELETE FROM asserting_cluster WHERE founder = ?1 AND assertion NOT IN (SELECT assertion FROM assertion)",
            "UPDATE statement SET made_by = '' WHERE founder = ?1",
            _PEND.format(Queue.UNDESCRIBED_CLUSTERS, "?1"),
        ),
    ),
    _Rule(
        "triplify",
        "entities {} have wrong counts of clusters or votes",
        "SELECT DISTINCT entity FROM assertion LEFT JOIN (SELECT assertion, count(*) AS found, sum(votes) AS given"
        " FROM asserting_cluster GROUP BY assertion) USING (assertion)"
        " WHERE coalesce(found, 0) <> clusters OR coalesce(given, 0) <> votes",
        (
            "UPDATE assertion SET (clusters, votes) = (SELECT count(*), coalesce(sum(asserting_cluster.votes), 0)"
            " FROM asserting_cluster WHERE asserting_cluster.assertion = assertion.assertion) WHERE entity = ?1",
            "DELETE FROM assertion WHERE entity = ?1 AND clusters = 0",
            _PEND.format(Queue.UNDESCRIBED_ENTITIES, "?1"),
        ),
    ),
    _Rule(
        "triplify",
        "entities {} have no quads, or there are no assertions about them",
        "SELECT entity FROM entity WHERE (quads IS NULL OR entity NOT IN (SELECT entity FROM assertion))"
        f" AND NOT EXISTS (SELECT 1 FROM dirty_queue WHERE item = entity AND queue = '{Queue.UNDESCRIBED_ENTITIES}')",
        (_PEND.format(Queue.UNDESCRIBED_ENTITIES, "?1"),),
    ),
)


def _disagreements(catalog: Catalog, progress: Progress) -> Iterator[Fault]:
    progress.stage("check", "rules", len(_RULES))
    for rule in _RULES:
        if catalog.runs.made_by(rule.stage) is not None:
            rows = catalog._connection.execute(rule.query).fetchall()
            if rows:
                what = rule.what.format(abbreviate([row[0] for row in rows]))
                yield Fault(
                    "catalog.db", what, f"the next run repeats {rule.stage} for them", _repairing(catalog, rule, rows)
                )
        progress.advance()


def _repairing(catalog: Catalog, rule: _Rule, rows: Sequence[tuple[int, ...]]) -> Callable[[], None]:
    return lambda: _repair(catalog, rule.mend, rows)


def _repair(catalog: Catalog, statements: Sequence[str], rows: Iterable[tuple[int, ...]]) -> None:
    repaired = list(rows)
    with catalog.commit():
        for text in statements:
            if "?" in text:
                count = 2 if "?2" in text else 1
                catalog._connection.executemany(text, [row[:count] for row in repaired])
            else:
                catalog._connection.execute(text)


def abbreviate(numbers: Sequence[int]) -> str:
    """Return the first numbers as text, and how many there are."""
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return shown if len(numbers) <= _SHOWN else f"{shown} … ({len(numbers)} in total)"
