"""A workspace of an earlier bibld is brought to the present format, and ends where a new one does."""

import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import zstandard

from bibld import config, pipeline, progress, triplify
from bibld.catalog import Catalog, Verdicts
from bibld.catalog._database import migration as _migration
from bibld.catalog._database.schema import CATALOG, CATALOG_FORMAT, REGISTER, REGISTER_FORMAT
from bibld.errors import CatalogError
from bibld.model.iris import Iris
from bibld.model.origin import RecordId
from tests.end_to_end.conftest import CLOCK, dumps, sample_in

FORMATS = Path(__file__).parent / "formats"
KEPT = "workspace", "run", "carrier", "warning", "reject", "load"
"""Tables that were the same in all formats."""


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """The sample, read and no more."""
    loaded = sample_in(tmp_path_factory.mktemp("read"))
    pipeline.run(loaded, CLOCK, progress.Silent(), until="read")
    return loaded


def as_of_old(read, folder, catalog_format):
    """The workspace as an earlier bibld would have left it after reading, with results that nobody understands now."""
    place = folder / "old"
    shutil.copytree(read.folder, place / "sample")
    loaded = config.load(place / "sample" / "bibld.toml")
    loaded.workspace.mkdir(parents=True)
    with Catalog(read.workspace, read_only=True) as new:
        with closing(sqlite3.connect(loaded.workspace / "register.db")) as register:
            register.executescript((FORMATS / "register_1.sql").read_text())
            _copy(new._register_connection, register, ("workspace", "ordinal"))
            register.execute("INSERT INTO verdict VALUES (3, 200, 'different', 'anna', 'seen both', '2025-01-01')")
            register.execute("INSERT INTO verdict VALUES (1, 2, 'related', 'ivan', '', '2024-01-01')")
            register.execute("INSERT INTO heir VALUES (7, 8)")
            register.commit()
        with closing(sqlite3.connect(loaded.workspace / "catalog.db")) as catalog:
            catalog.executescript((FORMATS / f"catalog_{catalog_format}.sql").read_text())
            _copy(new._connection, catalog, KEPT)
            _copy_records(new, catalog)
            if catalog_format == 2:
                catalog.execute("INSERT INTO edge VALUES (1, 2, 1, 'same', x'00', 'old')")
                catalog.execute("INSERT INTO member VALUES (1, 1), (2, 1)")
                catalog.execute("INSERT INTO statement VALUES (1, x'00', x'00', 'old')")
            else:
                catalog.execute("INSERT INTO pending SELECT 'dedup', ordinal FROM record")
            catalog.commit()
    return loaded


def _copy(source, target, tables):
    for table in tables:
        rows = source.execute(f"SELECT * FROM {table}").fetchall()
        if rows:
            target.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)


def _copy_records(new, catalog):
    held = [new.records.get(ordinal) for ordinal, _ in new.records.made_by()]
    mods = {ordinal: msgspec.json.encode(one) for ordinal, _, one in new.records.live()}
    dictionary = zstandard.train_dictionary(20_000, list(mods.values()))
    catalog.execute("INSERT INTO dictionary VALUES (?, 'mods', ?)", (dictionary.dict_id(), dictionary.as_bytes()))
    plain, trained = zstandard.ZstdCompressor(), zstandard.ZstdCompressor(dict_data=dictionary)
    rows = new._connection.execute("SELECT ordinal, carrier, position, byte_offset, flavour, made_by, run FROM record")
    by_ordinal = {record.ordinal: record for record in held}
    for ordinal, carrier, position, offset, flavour, made_by, run in rows:
        blobs = plain.compress(by_ordinal[ordinal].original), trained.compress(mods[ordinal])
        catalog.execute(
            "INSERT INTO record VALUES (?, ?, ?, ?, x'', ?, ?, ?, ?, ?, 0)",
            (ordinal, carrier, position, offset, flavour, *blobs, made_by, run),
        )
        names = Counter(new.records._subfields.read(_coverage(new, ordinal)))
        for (name, fate), times in names.items():
            catalog.execute("INSERT INTO coverage VALUES (?, ?, ?, ?)", (ordinal, name, fate, times))


def _coverage(new, ordinal):
    return new._connection.execute("SELECT coverage FROM record WHERE ordinal = ?", (ordinal,)).fetchone()[0]


def content(database):
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.iterdump())


def tables(database, text):
    with closing(sqlite3.connect(database)) as connection, closing(sqlite3.connect(":memory:")) as model:
        model.executescript(text)
        columns = (
            "SELECT m.name, c.name, c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c ORDER BY 1, c.cid"
        )
        return connection.execute(columns).fetchall(), model.execute(columns).fetchall()


@pytest.mark.parametrize("catalog_format", [2, 3])
def test_an_earlier_workspace_keeps_what_cannot_be_made_again_and_nothing_is_read_anew(read, tmp_path, catalog_format):
    old = as_of_old(read, tmp_path, catalog_format)
    said: list[str] = []

    class Hearing(progress.Silent):
        def report(self, message: str) -> None:
            said.append(message)

    with Catalog(old.workspace, progress=Hearing()) as catalog, Catalog(read.workspace, read_only=True) as new:
        assert list(catalog.records.live()) == list(new.records.live())
        assert catalog.records.coverage() == new.records.coverage()
        assert catalog.records.load_counts() == new.records.load_counts()
        for ordinal, made_by in new.records.made_by():
            assert catalog.records.get(ordinal) == new.records.get(ordinal)
            assert catalog.records.find_unchanged(made_by) == new.records.find_unchanged(made_by)
        assert catalog.register.redirect_target(7) == 8
        verdicts = {str(pair.left): verdict for pair, verdict in catalog.register.verdicts().items()}
    assert sorted((one.decision, one.by, one.reasons) for one in verdicts.values()) == [
        ("different", "anna", ("seen both",)),
        ("related", "ivan", ()),
    ]
    assert [line.partition("is brought ")[2] for line in said] == [
        f"from format 1 to {REGISTER_FORMAT}",
        f"from format {catalog_format} to {CATALOG_FORMAT}",
    ]
    assert not list(old.workspace.glob("*.bak"))
    for name, text in (("register.db", REGISTER), ("catalog.db", CATALOG)):
        held, wanted = tables(old.workspace / name, text)
        assert held == wanted


@pytest.mark.parametrize("catalog_format", [2, 3])
def test_an_earlier_workspace_ends_in_the_same_release(read, tmp_path, catalog_format):
    old = as_of_old(read, tmp_path, catalog_format)
    with closing(sqlite3.connect(old.workspace / "register.db")) as register:
        register.execute("DELETE FROM verdict")
        register.execute("DELETE FROM heir")
        register.commit()
    summary = pipeline.run(old, CLOCK, progress.Silent())
    assert summary.figures.records == 289
    fresh = sample_in(tmp_path / "fresh")
    pipeline.run(fresh, CLOCK, progress.Silent())
    assert dumps(old) == dumps(fresh)


EARLIER_CLAIMS = """
DROP TABLE claimant;
DROP TABLE voice;
CREATE TABLE claim (entity INTEGER NOT NULL REFERENCES entity, founder INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX claim_entity ON claim (entity);
CREATE INDEX claim_founder ON claim (founder);
PRAGMA user_version = 5;
"""


def test_claims_are_counted_as_the_stage_counts_them(tmp_path):
    """Each cluster has the claims, with the votes, that it would have if it were triplified anew."""
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="store")
    with Catalog(loaded.workspace) as catalog:
        counted = _counted(catalog)
        iris = Iris(loaded.dataset.base)
        numbers = dict(catalog._connection.execute("SELECT iri, entity FROM entity").fetchall())
        rows = [
            (numbers[one.entity], founder, msgspec.json.encode((one.kind, one.value, one.record)))
            for founder in catalog.statements.founders()
            for one in triplify.cluster_statements(catalog.descriptions.merged(founder), [], iris).claims
        ]
        catalog._connection.executescript(EARLIER_CLAIMS)
        catalog._connection.executemany("INSERT INTO claim VALUES (?, ?, ?)", rows)
    with Catalog(loaded.workspace) as catalog:
        assert _counted(catalog) == counted
        assert max(votes for *_, votes in counted) > 1
    held, wanted = tables(loaded.workspace / "catalog.db", CATALOG)
    assert held == wanted


def _counted(catalog):
    return catalog._connection.execute(
        "SELECT founder, entity, body, clusters, voice.votes, claimant.votes FROM claimant JOIN voice USING (voice)"
        " ORDER BY 1, 2, 3"
    ).fetchall()


def test_a_migration_that_fails_leaves_everything_as_it_was(read, tmp_path, monkeypatch):
    old = as_of_old(read, tmp_path, 2)
    before = content(old.workspace / "catalog.db")

    def fail(connection, shown):
        connection.execute("DROP TABLE load")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setitem(_migration._CATALOG_STEPS, 3, fail)
    with pytest.raises(CatalogError, match="it is unchanged"):
        Catalog(old.workspace)
    assert content(old.workspace / "catalog.db") == before
    monkeypatch.undo()
    with Catalog(old.workspace) as catalog:
        assert catalog.records.count() == 289


def test_there_is_a_step_from_every_format_that_was_ever_released():
    assert sorted(_migration._REGISTER_STEPS) == list(range(1, REGISTER_FORMAT))
    assert sorted(_migration._CATALOG_STEPS) == list(range(2, CATALOG_FORMAT))


def test_who_only_looks_is_told_to_run_first(read, tmp_path):
    old = as_of_old(read, tmp_path, 2)
    with pytest.raises(CatalogError, match="`bibld run` brings it to that"):
        Catalog(old.workspace, read_only=True)
    with pytest.raises(CatalogError, match="`bibld run` brings it to that"):
        Verdicts(old.workspace)


def test_a_workspace_of_a_newer_bibld_is_refused(tmp_path):
    with Catalog(tmp_path) as opened, opened.commit():
        opened.register.assign_ordinal(RecordId("rsl", "1"))
        opened._connection.execute(f"PRAGMA user_version = {CATALOG_FORMAT + 1}")
    for read_only in (False, True):
        with pytest.raises(CatalogError, match="use the newer bibld that wrote it"):
            Catalog(tmp_path, read_only=read_only)
