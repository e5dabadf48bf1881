"""Check a catalog: files are intact, blobs can be read, rows are consistent.

Damaged results of stages are deleted and their items added to the dirty queues, so that the next run makes them again.
The register is never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bibld.catalog import Catalog, Queue
from bibld.catalog._database import connect, describe_format, run_command
from bibld.catalog._linkage import EdgeBody
from bibld.catalog._record_bytes import Subfields, unpack_mods, unpack_original
from bibld.catalog._schema import CATALOG_FORMAT, REGISTER_FORMAT
from bibld.catalog.compression import Blobs
from bibld.errors import CatalogError
from bibld.model.authority import AUTHORITY_FLAVOURS, Authority
from bibld.model.finding import Finding
from bibld.model.linkage import ValueSource
from bibld.model.mods import Mods
from bibld.progress import Progress

SAMPLE = 1_000
"""Blobs of each table that are read unless all are."""

_SHOWN = 5
_RESTORE = "restore it from a backup"


FoundFault = tuple[Finding, Callable[[], None] | None]
"""A finding, and what mends it in a separate commit (None: nothing does)."""


def file_faults(workspace: Path, progress: Progress, config_file: Path | None = None) -> Iterator[FoundFault]:
    """Yield the faults of the two database files; if there are any, their contents cannot be checked.

    Wrong indices are repaired by SQLite's ``REINDEX``; other damage needs a backup. ``config_file`` is the
    configuration of the workspace; remedies name it in the command to run.
    """
    for name, version in (("register.db", REGISTER_FORMAT), ("catalog.db", CATALOG_FORMAT)):
        file = workspace / name
        progress.report(f"check: {name}")
        if not file.is_file() or not file.stat().st_size:
            yield Finding(name, "not found", _RESTORE), None
            continue
        try:
            with closing(connect(file, read_only=True)) as connection:
                found = [text for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]
                version_found = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            yield Finding(name, f"cannot be read: {error}", _RESTORE), None
            continue
        if found:
            is_index = name == "catalog.db" and all("index" in text for text in found)
            remedy = "its indices are built again" if is_index else _RESTORE
            mend = partial(_reindex, file) if is_index else None
            yield Finding(name, "; ".join(found[:_SHOWN]), remedy), mend
        elif version_found == 0:
            yield Finding(name, "is empty", f"run {run_command(config_file)}"), None
        elif version_found != version:
            what, _, remedy = describe_format(file, version_found, version, config_file).partition("; ")
            yield Finding(name, what, remedy), None


def _reindex(file: Path) -> None:
    with closing(connect(file, read_only=False)) as connection:
        connection.execute("REINDEX")


def faults(catalog: Catalog, all_blobs: bool, progress: Progress) -> Iterator[FoundFault]:
    """Yield the faults of an open catalog; reads a sample of the blobs of each table, or ``all_blobs``."""
    ordinals = {row[0] for row in catalog._register_connection.execute("SELECT ordinal FROM ordinal")}
    stored = catalog._connection.execute("SELECT ordinal FROM record ORDER BY ordinal")
    unknown = [ordinal for (ordinal,) in stored if ordinal not in ordinals]
    if unknown:
        what = f"does not contain {abbreviate(unknown)}, which catalog.db contains"
        yield Finding("register.db", what, _RESTORE), None
    for table in _blob_tables(catalog):
        yield from _unreadable_blobs(catalog, table, all_blobs, progress)
    yield from _inconsistent_rows(catalog, progress)


def _repair(catalog: Catalog, statements: Sequence[str], rows: Sequence[tuple[int, ...]]) -> None:
    """Execute statements in one commit: those with parameters for each row, the others once.

    The next run reads all files, also those that did not change: what was repaired may have to be read again.
    """
    with catalog.commit():
        catalog.runs.forget_readings()
        for statement in statements:
            if "?" in statement:
                count = 2 if "?2" in statement else 1
                catalog._connection.executemany(statement, [row[:count] for row in rows])
            else:
                catalog._connection.execute(statement)


def abbreviate(numbers: Sequence[int]) -> str:
    """Return the first numbers as text, and how many there are."""
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return shown if len(numbers) <= _SHOWN else f"{shown} … ({len(numbers)} in total)"


# -- statements that repair --------------------------------------------------------------------------------------------

_ADD_TO_QUEUE = "INSERT OR IGNORE INTO dirty_queue VALUES ('{}', ?1)"
_MERGE = _ADD_TO_QUEUE.format(Queue.UNMERGED_CLUSTERS)
_DESCRIBE_CLUSTER = _ADD_TO_QUEUE.format(Queue.UNDESCRIBED_CLUSTERS)
_DESCRIBE_ENTITY = _ADD_TO_QUEUE.format(Queue.UNDESCRIBED_ENTITIES)
_MATCH = f"INSERT OR IGNORE INTO dirty_queue SELECT '{Queue.UNMATCHED_RECORDS}', ordinal FROM record WHERE ordinal = ?1"
_MATCH_BOTH = _MATCH, _MATCH.replace("?1", "?2")
_RELOAD = "DELETE FROM delivery", "DELETE FROM patch"
"""Without patches, live store and release are built from all stored quads."""


# -- unreadable blobs --------------------------------------------------------------------------------------------------


class _BlobTable(msgspec.Struct, frozen=True):
    """A table with blobs: its key and columns, a function that reads a row, and the statements that repair one."""

    name: str
    key: str
    columns: str
    read: Callable[[Sequence[Any]], object]
    mend: tuple[str, ...]
    remedy: str = "the next run makes it again"


def _blob_tables(catalog: Catalog) -> list[_BlobTable]:
    blobs = Blobs(catalog._connection)
    subfields = Subfields(catalog._connection)

    def read_record(row: Sequence[Any]) -> None:
        piece = blobs.decompress(row[0])
        msgspec.json.decode(unpack_mods(piece), type=Authority if row[2] in AUTHORITY_FLAVOURS else Mods)
        unpack_original(piece)
        subfields.decode(row[1])

    def read_merged(row: Sequence[bytes]) -> None:
        msgspec.json.decode(blobs.decompress(row[0]), type=Mods)
        msgspec.json.decode(blobs.decompress(row[1]), type=tuple[ValueSource, ...])

    def read_text(row: Sequence[bytes | None]) -> None:
        for blob in row:
            if blob is not None:
                blobs.decompress(blob).decode()

    return [
        # The stored bytes are lost. The record is restored when a run reads it from its source.
        _BlobTable(
            "record",
            "ordinal",
            "body, coverage, flavour",
            read_record,
            ("UPDATE record SET status = 'missing', made_by = x'' WHERE ordinal = ?1", _MATCH),
            "the next run reads it again if its source still has it; otherwise restore a backup",
        ),
        _BlobTable(
            "reject",
            "reject",
            "original",
            lambda row: blobs.decompress(row[0]),
            ("DELETE FROM reject WHERE reject = ?1",),
        ),
        _BlobTable(
            "edge",
            "left_ordinal",
            "body",
            lambda row: msgspec.json.decode(blobs.decompress(row[0]), type=EdgeBody),
            (_MATCH, "DELETE FROM edge WHERE left_ordinal = ?1"),
        ),
        _BlobTable(
            "merged", "founder", "mods, sources", read_merged, ("DELETE FROM merged WHERE founder = ?1", _MERGE)
        ),
        _BlobTable(
            "statement",
            "founder",
            "quads",
            read_text,
            ("DELETE FROM statement WHERE founder = ?1", _DESCRIBE_CLUSTER, *_RELOAD),
        ),
        _BlobTable(
            "entity",
            "entity",
            "quads",
            read_text,
            ("UPDATE entity SET quads = NULL WHERE entity = ?1", _DESCRIBE_ENTITY, *_RELOAD),
        ),
        _BlobTable("patch", "patch", "added, removed", read_text, _RELOAD),
    ]


def _unreadable_blobs(catalog: Catalog, table: _BlobTable, all_blobs: bool, progress: Progress) -> Iterator[FoundFault]:
    """Yield one fault that lists the rows of a table with blobs that cannot be read, if there are any."""
    execute = catalog._connection.execute
    last = execute(f"SELECT max({table.key}) FROM {table.name}").fetchone()[0] or 0
    step = 1 if all_blobs else max(last // SAMPLE, 1)
    progress.stage("check", f"blobs of {table.name}", last // step)
    errors: dict[int, str] = {}
    for key in range(step, last + 1, step):
        for row in execute(f"SELECT {table.columns} FROM {table.name} WHERE {table.key} = ?", (key,)):
            try:
                table.read(row)
            except (CatalogError, msgspec.MsgspecError, ValueError) as error:
                errors.setdefault(key, str(error))
        progress.advance()
    if errors:
        what = f"{table.name} {abbreviate(list(errors))} cannot be read: {next(iter(errors.values()))}"
        mend = partial(_repair, catalog, table.mend, [(key,) for key in errors])
        yield Finding("catalog.db", what, table.remedy), mend


# -- inconsistent rows -------------------------------------------------------------------------------------------------

_LIVE = "EXISTS (SELECT 1 FROM record WHERE ordinal = {} AND status = 'live')"
_QUEUES = {
    "dedup": [Queue.UNMATCHED_RECORDS],
    "merge": [Queue.UNMATCHED_RECORDS, Queue.UNMERGED_CLUSTERS],
    "triplify": [Queue.UNMATCHED_RECORDS, Queue.UNMERGED_CLUSTERS, Queue.UNDESCRIBED_CLUSTERS],
}
"""The queues whose items a run still processes in this stage or before it: rows about them may be inconsistent."""


class _Rule(msgspec.Struct, frozen=True):
    """Rows that must not exist after ``stage`` has run: a message about them, and the statements that repair each."""

    stage: str
    what: str
    query: str
    mend: tuple[str, ...]


def _is_dirty(item: str, stage: str) -> str:
    """Return an SQL condition: whether an item is in a queue of the stage or of one before it."""
    queues = ", ".join(f"'{queue}'" for queue in _QUEUES[stage])
    return f"EXISTS (SELECT 1 FROM dirty_queue WHERE item = {item} AND queue IN ({queues}))"


_RULES = (
    _Rule(
        "dedup",
        "edges of records {numbers} have an end that is not live",
        f"SELECT left_ordinal, right_ordinal FROM edge WHERE NOT ({_LIVE.format('left_ordinal')} AND"
        f" {_LIVE.format('right_ordinal')}) AND NOT {_is_dirty('left_ordinal', 'dedup')}"
        f" AND NOT {_is_dirty('right_ordinal', 'dedup')}",
        ("DELETE FROM edge WHERE left_ordinal = ?1 AND right_ordinal = ?2", *_MATCH_BOTH),
    ),
    _Rule(
        "dedup",
        "records {numbers} are in clusters but not live",
        f"SELECT ordinal FROM member WHERE NOT {_LIVE.format('ordinal')} AND NOT {_is_dirty('ordinal', 'dedup')}",
        (_MATCH,),
    ),
    _Rule(
        "dedup",
        "clusters {numbers} have a founder that is not their smallest member, or only one member",
        "SELECT founder FROM member GROUP BY founder HAVING (min(ordinal) <> founder OR count(*) < 2)"
        f" AND NOT max({_is_dirty('ordinal', 'dedup')})",
        (
            f"INSERT OR IGNORE INTO dirty_queue SELECT '{Queue.UNMATCHED_RECORDS}', ordinal FROM member"
            " WHERE founder = ?1",
        ),
    ),
    _Rule(
        "merge",
        "clusters {numbers} are not merged",
        "SELECT DISTINCT founder FROM member WHERE founder NOT IN (SELECT founder FROM merged)"
        f" AND NOT {_is_dirty('founder', 'merge')}",
        (_MERGE,),
    ),
    _Rule(
        "merge",
        "merged descriptions {numbers} belong to no cluster",
        "SELECT founder FROM merged WHERE founder NOT IN (SELECT founder FROM member)"
        f" AND NOT {_is_dirty('founder', 'merge')}",
        (_MERGE,),
    ),
    _Rule(
        "triplify",
        "clusters {numbers} have no statements",
        "SELECT ordinal FROM record LEFT JOIN member USING (ordinal) WHERE status = 'live'"
        " AND coalesce(founder, ordinal) = ordinal AND ordinal NOT IN (SELECT founder FROM statement)"
        f" AND NOT {_is_dirty('ordinal', 'triplify')}",
        (_DESCRIBE_CLUSTER,),
    ),
    _Rule(
        "triplify",
        "statements {numbers} belong to no founder",
        # The statements of a record that is not live are its tombstone.
        f"SELECT founder FROM statement WHERE {_LIVE.format('founder')} AND coalesce((SELECT member.founder FROM"
        " member WHERE ordinal = statement.founder), founder) <> founder"
        f" AND NOT {_is_dirty('founder', 'triplify')}",
        (_DESCRIBE_CLUSTER,),
    ),
    _Rule(
        "triplify",
        "clusters {numbers} make assertions about an entity that does not exist",
        "SELECT DISTINCT founder FROM asserting_cluster WHERE assertion NOT IN (SELECT assertion FROM assertion"
        " JOIN entity USING (entity))"
        f" AND NOT {_is_dirty('founder', 'triplify')}",
        (
            "DELETE FROM asserting_cluster WHERE founder = ?1 AND assertion NOT IN (SELECT assertion FROM assertion)",
            "UPDATE statement SET made_by = '' WHERE founder = ?1",
            _DESCRIBE_CLUSTER,
        ),
    ),
    _Rule(
        "triplify",
        "entities {numbers} have wrong counts of clusters or votes",
        "SELECT DISTINCT entity FROM assertion LEFT JOIN (SELECT assertion, count(*) AS found, sum(votes) AS given"
        " FROM asserting_cluster GROUP BY assertion) USING (assertion)"
        " WHERE coalesce(found, 0) <> clusters OR coalesce(given, 0) <> votes",
        (
            "UPDATE assertion SET (clusters, votes) = (SELECT count(*), coalesce(sum(asserting_cluster.votes), 0)"
            " FROM asserting_cluster WHERE asserting_cluster.assertion = assertion.assertion) WHERE entity = ?1",
            "DELETE FROM assertion WHERE entity = ?1 AND clusters = 0",
            _DESCRIBE_ENTITY,
        ),
    ),
    _Rule(
        "triplify",
        "entities {numbers} have no quads or no founder that has, or there are no assertions about them",
        "SELECT entity FROM entity WHERE ((quads IS NULL) = (founder IS NULL)"
        " OR entity NOT IN (SELECT entity FROM assertion)"
        " OR founder NOT IN (SELECT entity FROM entity WHERE founder IS NULL))"
        f" AND NOT EXISTS (SELECT 1 FROM dirty_queue WHERE item = entity AND queue = '{Queue.UNDESCRIBED_ENTITIES}')",
        (_DESCRIBE_ENTITY,),
    ),
)


def _inconsistent_rows(catalog: Catalog, progress: Progress) -> Iterator[FoundFault]:
    """Yield one fault for each rule that rows break; the rules of stages that never were complete are skipped."""
    progress.stage("check", "rules", len(_RULES))
    for rule in _RULES:
        if catalog.runs.made_by(rule.stage) is not None:
            rows = catalog._connection.execute(rule.query).fetchall()
            if rows:
                what = rule.what.format(numbers=abbreviate([row[0] for row in rows]))
                remedy = f"the next run repeats {rule.stage} for them"
                yield Finding("catalog.db", what, remedy), partial(_repair, catalog, rule.mend, rows)
        progress.advance()
