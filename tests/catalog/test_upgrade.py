"""A workspace of an earlier bibld: its records, IRIs and verdicts stay, its results are made again."""

import sqlite3
from contextlib import closing

import pytest

from bibld import pipeline, progress, store
from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.catalog._database import UPGRADES
from bibld.catalog._schema import CATALOG, CATALOG_FORMAT, REGISTER, REGISTER_FORMAT
from tests.end_to_end.conftest import CLOCK

OLD_TABLES = "CREATE TABLE statement (founder INTEGER PRIMARY KEY, quads BLOB, made_by TEXT)"


def make_old(file):
    """Leave what an earlier format has: the tables that stay, and one of the others with fewer columns."""
    upgrade = UPGRADES[file.name]
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for name in sorted({name for (name,) in names} - upgrade.kept):
            connection.execute(f"DROP TABLE {name}")
        if file.name == "catalog.db":
            connection.execute(OLD_TABLES)
            connection.execute("INSERT INTO statement VALUES (1, x'00', 'an earlier bibld')")
        connection.execute(f"PRAGMA user_version = {upgrade.oldest}")


def published(loaded):
    with closing(store.open_live(loaded)) as live:
        return {line for line in live.quads() if "/graph/run>" not in line and "/graph/dataset>" not in line}


@pytest.fixture
def old(copy):
    with Catalog(copy.workspace, read_only=True) as catalog:
        pair = next(catalog.linkage.edges()).pair
    with Verdicts(copy.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(pair, "different", "a librarian")], CLOCK.isoformat())
    pipeline.run(copy, CLOCK, progress.Silent())
    before = published(copy)
    for name in UPGRADES:
        make_old(copy.workspace / name)
    return copy, pair, before


def test_the_next_run_makes_the_same_data_with_the_same_iris_and_verdicts(old):
    loaded, pair, before = old
    summary = pipeline.run(loaded, CLOCK, progress.Silent())
    assert published(loaded) == before
    assert summary.figures.records == 289
    with Verdicts(loaded.workspace) as verdicts:
        assert [(each.pair, each.decision) for each in verdicts.current()] == [(pair, "different")]


def test_it_has_the_tables_that_a_new_workspace_has(old):
    loaded, _, _ = old
    pipeline.run(loaded, CLOCK, progress.Silent())
    for name, tables, version in (("register.db", REGISTER, REGISTER_FORMAT), ("catalog.db", CATALOG, CATALOG_FORMAT)):
        with closing(sqlite3.connect(":memory:")) as new, closing(sqlite3.connect(loaded.workspace / name)) as upgraded:
            new.executescript(tables)
            query = "SELECT name, sql FROM sqlite_schema ORDER BY name"
            assert upgraded.execute(query).fetchall() == new.execute(query).fetchall()
            assert upgraded.execute("PRAGMA user_version").fetchone() == (version,)


def test_who_only_reads_is_referred_to_the_next_run(old, invoke):
    loaded, _, _ = old
    shown = invoke("stats", loaded.file)
    assert shown.exit_code == 1
    assert "upgrades it" in shown.output
