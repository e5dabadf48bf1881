"""A workspace of an earlier bibld is brought to the present format, step by step, when a run opens it.

What cannot be made again is kept: ordinals, heirs, verdicts; the records and all that reading knows of them, so that
nothing has to be read anew. What can be made again and has changed its form is dropped; the next run makes it.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import msgspec
import zstandard

from bibld.catalog._database.schema import CATALOG, CATALOG_FORMAT, REGISTER, REGISTER_FORMAT, connected
from bibld.catalog._records.compression import Blobs, written_dictionary
from bibld.catalog._records.coverage import Subfields
from bibld.catalog._records.packing import packed
from bibld.catalog._results.entities import claim
from bibld.errors import CatalogError
from bibld.progress import Progress

_AT_ONCE = 1000

Step = Callable[[sqlite3.Connection, Progress], None]


def migrate(workspace: Path, progress: Progress) -> None:
    """Bring both databases to the present format, the register first; the lock of the workspace must be held.

    Each is changed in one transaction. Until that has ended, a copy of it as it was lies beside it (``.bak``). Raises
    ``CatalogError`` where a database cannot be changed; it is as it was then.
    """
    for name, tables, version, steps in (
        ("register.db", REGISTER, REGISTER_FORMAT, _REGISTER_STEPS),
        ("catalog.db", CATALOG, CATALOG_FORMAT, _CATALOG_STEPS),
    ):
        file = workspace / name
        if not file.is_file():
            continue
        try:
            with closing(connected(file, read_only=False)) as connection:
                found = connection.execute("PRAGMA user_version").fetchone()[0]
                if found in steps:
                    progress.report(f"{file}: is brought from format {found} to {version}")
                    _migrate(connection, file, found, tables, version, steps, progress)
        except (sqlite3.Error, zstandard.ZstdError, OSError) as error:
            raise CatalogError(
                f"{file}: cannot be brought to format {version}: {error}; it is unchanged. Free some space, or restore"
                " it from a backup, then run again"
            ) from error


def _migrate(
    connection: sqlite3.Connection,
    file: Path,
    found: int,
    tables: str,
    version: int,
    steps: dict[int, Step],
    progress: Progress,
) -> None:
    copy = file.with_name(f"{file.name}.bak")
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(copy)) as target:
        connection.backup(target)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(found, version):
            steps[step](connection, progress)
        _make_missing(connection, tables)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    copy.unlink()


def _make_missing(connection: sqlite3.Connection, tables: str) -> None:
    """Make the tables and indices of the present format that are not there."""
    wanted = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(tables)
        made = {name for name, _ in connection.execute(wanted)}
        for name, text in model.execute(wanted):
            if name not in made:
                connection.execute(text)


# -- the register ------------------------------------------------------------------------------------------------------


def _give_verdicts_numbers(connection: sqlite3.Connection, progress: Progress) -> None:
    """1 → 2: a pair may have several verdicts, one after the other, and those that are related have a relation."""
    connection.execute("ALTER TABLE verdict RENAME TO earlier")
    _make_missing(connection, REGISTER)
    connection.execute(
        "INSERT INTO verdict (left_ordinal, right_ordinal, decision, relation, person, reason, given)"
        " SELECT left_ordinal, right_ordinal, decision, '', person, reason, given FROM earlier"
        " ORDER BY given, left_ordinal, right_ordinal"
    )
    connection.execute("DROP TABLE earlier")


_REGISTER_STEPS: dict[int, Step] = {1: _give_verdicts_numbers}


# -- the catalog -------------------------------------------------------------------------------------------------------

_RESULTS = ("stage", "edge", "member", "merged", "statement", "claim", "statistics")
"""What dedup, merge and triplify had made, and by what."""


def _drop_results(connection: sqlite3.Connection, progress: Progress) -> None:
    """2 → 3: what stages make is kept by what changed; all of it is made again."""
    for table in _RESULTS:
        connection.execute(f"DROP TABLE {table}")


def _pack_records(connection: sqlite3.Connection, progress: Progress) -> None:
    """3 → 4: a record's MODS and original are one blob, with its coverage in the same row."""
    dictionaries = connection.execute("SELECT bytes, id FROM dictionary").fetchall()
    connection.executemany(
        "UPDATE dictionary SET bytes = ? WHERE id = ?",
        [(written_dictionary(held), number) for held, number in dictionaries],
    )
    connection.execute("DROP INDEX record_made_by")
    connection.execute("ALTER TABLE record RENAME TO earlier")
    connection.execute("ALTER TABLE coverage RENAME TO earlier_coverage")
    _make_missing(connection, CATALOG)
    progress.stage("catalog", "records", connection.execute("SELECT count(*) FROM earlier").fetchone()[0])
    blobs, subfields = Blobs(connection), Subfields(connection)
    subfields.refresh()
    rows = connection.execute(
        "SELECT ordinal, carrier, position, byte_offset, flavour, made_by, run, deleted, original, mods FROM earlier"
        " ORDER BY ordinal"
    )
    while batch := list(islice(rows, _AT_ONCE)):
        pieces = [packed(blobs.decompressed(row[-1]), blobs.decompressed(row[-2])) for row in batch]
        bodies = blobs.compressed_all("record", batch[0][1], pieces)
        coverage = _coverage(connection, batch[0][0], batch[-1][0])
        connection.executemany(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((*row[:-2], subfields.written(*coverage[row[0]]), body) for row, body in zip(batch, bodies, strict=True)),
        )
        progress.advance(len(batch))
    connection.execute("DROP TABLE earlier")
    connection.execute("DROP TABLE earlier_coverage")


def _coverage(connection: sqlite3.Connection, first: int, last: int) -> dict[int, tuple[list[str], list[str]]]:
    """The unmapped and the private subfields of some records, each as often as it occurs."""
    found: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    rows: Iterator[tuple[int, str, str, int]] = connection.execute(
        "SELECT ordinal, name, fate, times FROM earlier_coverage WHERE ordinal BETWEEN ? AND ? ORDER BY rowid",
        (first, last),
    )
    for ordinal, name, fate, times in rows:
        found[ordinal][fate == "private"].extend([name] * times)
    return found


def _add_tables(connection: sqlite3.Connection, progress: Progress) -> None:
    """4 → 5: what must not be published has a table, which is made with all that are missing."""


def _count_claims(connection: sqlite3.Connection, progress: Progress) -> None:
    """5 → 6: what is claimed about an entity is kept once, with the number of clusters and records that claim it."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'claim'").fetchone() is None:
        return  # an earlier step dropped them
    _make_missing(connection, CATALOG)
    rows = connection.execute("SELECT founder, entity, body FROM claim ORDER BY founder")
    for founder, claims in groupby(rows, itemgetter(0)):
        votes: dict[tuple[int, bytes], int] = {}
        given: set[tuple[int, bytes, bytes]] = set()
        for _, entity, body in claims:
            kind, value, record = msgspec.json.decode(body, type=tuple[msgspec.Raw, msgspec.Raw, msgspec.Raw])
            vote = entity, bytes(msgspec.json.decode(value, type=_Labelled).label), bytes(record)
            what = entity, b"[%s,%s]" % (bytes(kind), bytes(value))
            votes[what] = votes.get(what, 0) + (vote not in given)
            given.add(vote)
        for (entity, body), number in votes.items():
            claim(connection, founder, entity, body, number)
    connection.execute("DROP TABLE claim")


class _Labelled(msgspec.Struct):
    """A claim as far as its form of the name."""

    label: msgspec.Raw


_CATALOG_STEPS: dict[int, Step] = {2: _drop_results, 3: _pack_records, 4: _add_tables, 5: _count_claims}
