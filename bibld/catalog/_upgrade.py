"""Bring the databases of an earlier bibld to the present format: what was read or decided stays, results go.

The tables of what cannot be computed again have not changed since the oldest format that is accepted; all others are
dropped and created again, and the next run fills them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import msgspec


class Upgrade(msgspec.Struct, frozen=True):
    """From which format on a database can be upgraded, and the tables that keep their rows."""

    oldest: int
    kept: frozenset[str]


REGISTER_UPGRADE = Upgrade(
    oldest=3,
    kept=frozenset(("workspace", "ordinal", "redirect", "verdict", "verdict_change", "suppression", "event")),
)
CATALOG_UPGRADE = Upgrade(
    oldest=8,
    kept=frozenset(
        (
            *("workspace", "dictionary", "run", "source", "carrier", "record", "subfield", "warning", "reject", "load"),
            *("active_suppression", "dirty_queue", "feature_index", "matching", "statistics"),
            *("edge", "member", "merged"),
        )
    ),
)


def upgrade(connection: sqlite3.Connection, tables: str, version: int, kept: frozenset[str]) -> None:
    """Give a database the tables of ``version``, which the script ``tables`` creates; all in one transaction.

    Since no stage has made the new results, every stage makes them again.
    """
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(tables)
        wanted = empty.execute(
            "SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        ).fetchall()
    present = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    names = {name for (name,) in present.fetchall()}
    connection.execute("BEGIN IMMEDIATE")
    try:
        for name in sorted(names - kept):
            connection.execute(f"DROP TABLE {name}")
        for table, sql in wanted:
            if table not in kept or table not in names:
                connection.execute(sql)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
