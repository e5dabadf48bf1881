"""All rows of a workspace as plain values: read, and written into an empty workspace."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from bibld import pipeline, progress, triplify
from bibld.catalog import Catalog, PersonVerdict, Queue, Verdicts
from bibld.catalog._schema import CATALOG, REGISTER
from bibld.catalog.exchange import TABLES, Row, export_of, lock_workspace, replace_databases, restoration_of
from bibld.config import Config
from bibld.errors import CatalogError
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.triplify import keys_of_assertion
from tests.end_to_end.conftest import CLOCK

KEYS = 100
TIME = CLOCK.isoformat()
ONLY_OF_ONE_MACHINE = {
    *("workspace", "dictionary", "run", "stage", "subfield", "warning", "dirty_queue", "feature_index"),
    *("entity_tie", "entity_part", "assertion", "entity_matching", "seen_link_verdict", "patch", "delivery"),
    *("remote_store", "former_record", "format_finding"),
}
"""Tables of the databases that have no rows in the exchange: state, numbers, and what follows from other tables."""


def rows_of(catalog: Catalog) -> dict[str, list[Row]]:
    export = export_of(catalog)
    return {
        name: [row for first, last in export.portions(name, KEYS) for row in export.rows(name, first, last)]
        for name in TABLES
    }


def restore(rows: dict[str, list[Row]], source: Catalog, folder: Path) -> None:
    state = export_of(source).state()
    with Catalog(folder) as catalog, catalog.commit():
        restoration = restoration_of(catalog, keys_of_assertion)
        for name in TABLES:
            restoration.insert(name, rows[name])
        restoration.end(state, TIME, state.stages)


def quads_of(catalog: Catalog, config: Config) -> list[str]:
    return sorted(triplify.catalog_quads(catalog, Iris(config.dataset.base), ()))


def test_every_table_of_the_databases_is_exchanged_or_follows_from_others() -> None:
    with sqlite3.connect(":memory:") as database:
        database.executescript(REGISTER)
        database.execute("DROP TABLE workspace")
        database.executescript(CATALOG)
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    exchanged = {table.name for table in TABLES.values()}
    assert exchanged | ONLY_OF_ONE_MACHINE == tables - {"sqlite_sequence"}


def test_a_restored_workspace_has_the_same_rows_and_quads_and_is_current(copy: Config, tmp_path: Path) -> None:
    with Catalog(copy.workspace) as catalog:
        rows, quads = rows_of(catalog), quads_of(catalog, copy)
        restore(rows, catalog, tmp_path / "new")
        restored = export_of(catalog).state()
    assert len(rows["records"]) == 289 and rows["members"] and rows["rejects"] == []
    with lock_workspace(copy.workspace):
        replace_databases(tmp_path / "new", copy.workspace)
    with Catalog(copy.workspace) as catalog:
        again = rows_of(catalog)
        assert [name for name in TABLES if sorted(again[name], key=repr) != sorted(rows[name], key=repr)] == []
        assert quads_of(catalog, copy) == quads
        assert export_of(catalog).state() == restored
    summary = pipeline.run(copy, CLOCK + timedelta(days=1), progress.Silent())
    assert [time.stage for time in summary.stages if not time.was_current] == ["read", "store", "publish"]
    assert summary.sources[0].changed == summary.sources[0].new == 0


def test_what_an_interrupted_restoration_stored_is_not_repeated(intact: Config, tmp_path: Path) -> None:
    with Catalog(intact.workspace, read_only=True) as catalog:
        rows = rows_of(catalog)
    with Catalog(tmp_path / "new") as catalog, catalog.commit():
        restoration = restoration_of(catalog, keys_of_assertion)
        restoration.insert("register_ordinal", rows["register_ordinal"])
        restoration.mark_stored("register_ordinal/0")
    with Catalog(tmp_path / "new") as catalog:
        restoration = restoration_of(catalog, keys_of_assertion)
        assert restoration.is_stored("register_ordinal/0") and not restoration.is_stored("records/0")
        assert not restoration.is_complete()
        with pytest.raises(CatalogError, match="the table register_ordinal contains a row twice"), catalog.commit():
            restoration.insert("register_ordinal", rows["register_ordinal"][:1])


def test_entities_without_assertions_are_refused(tmp_path: Path) -> None:
    with Catalog(tmp_path) as catalog:
        restoration = restoration_of(catalog, keys_of_assertion)
        iri = "https://data.example.org/agent/x"
        with pytest.raises(CatalogError, match="about which no cluster asserts anything"), catalog.commit():
            restoration.insert("entities", [(iri, iri, b"", None)])


def test_verdicts_given_meanwhile_are_kept_with_the_ordinals_of_their_records(copy: Config, tmp_path: Path) -> None:
    with Catalog(copy.workspace) as catalog:
        rows = rows_of(catalog)
        first, other = (catalog.register.record(ordinal) for ordinal in (1, 200))
        state = export_of(catalog).state()
    # In the other register the records have other ordinals.
    mapped = {ordinal: ordinal + 1000 for ordinal, _, _ in rows["register_ordinal"]}
    rows["register_ordinal"] = [(mapped[row[0]], *row[1:]) for row in rows["register_ordinal"]]
    with Verdicts(copy.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(Pair.from_records(first, other), "different", "me", "read both")], TIME)
    with Catalog(tmp_path / "new") as catalog:
        with catalog.commit():
            restoration = restoration_of(catalog, keys_of_assertion)
            restoration.insert("register_ordinal", rows["register_ordinal"])
            restoration.keep_verdicts(copy.workspace / "register.db", state.workspace)
            restoration.end(state, TIME, {})
        kept = catalog.register.verdicts()
        assert {pair: verdict.decision for pair, verdict in kept.items()} == {
            Pair.from_records(first, other): "different"
        }
        assert catalog.register.changed_verdicts(0)[1] == [(1001, 1200)]
        with pytest.raises(CatalogError, match="is the register of another workspace"), catalog.commit():
            restoration.keep_verdicts(copy.workspace / "register.db", "0123456789abcdef")


def test_verdicts_about_unknown_records_are_an_error(copy: Config, tmp_path: Path) -> None:
    with Catalog(copy.workspace) as catalog:
        pair = Pair.from_records(*(catalog.register.record(ordinal) for ordinal in (1, 2)))
        state = export_of(catalog).state()
    with Verdicts(copy.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(pair, "different", "me")], TIME)
    with Catalog(tmp_path / "new") as catalog:
        restoration = restoration_of(catalog, keys_of_assertion)
        with pytest.raises(CatalogError, match="a person decided about rsl:"), catalog.commit():
            restoration.keep_verdicts(copy.workspace / "register.db", state.workspace)


def test_an_interrupted_run_must_be_completed_first(copy: Config) -> None:
    with Catalog(copy.workspace) as catalog:
        with catalog.commit():
            catalog.dirty[Queue.UNMERGED_CLUSTERS].add([1])
        with pytest.raises(CatalogError, match=r"the last run was interrupted \(unmerged clusters"):
            export_of(catalog).state()


def test_the_fingerprint_changes_with_a_verdict(copy: Config) -> None:
    with Catalog(copy.workspace) as catalog:
        before = export_of(catalog).fingerprint()
        assert export_of(catalog).fingerprint() == before
        pair = Pair.from_records(*(catalog.register.record(ordinal) for ordinal in (1, 2)))
    with Verdicts(copy.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(pair, "different", "me")], TIME)
    with Catalog(copy.workspace) as catalog:
        assert export_of(catalog).fingerprint() != before


def test_a_replacement_that_was_interrupted_between_the_databases_is_continued(copy: Config, tmp_path: Path) -> None:
    with Catalog(copy.workspace) as catalog:
        rows = rows_of(catalog)
        restore(rows, catalog, tmp_path / "new")
    (tmp_path / "new" / "register.db").replace(copy.workspace / "register.db")
    replace_databases(tmp_path / "new", copy.workspace)
    assert not (tmp_path / "new").exists()
    with Catalog(copy.workspace, read_only=True) as catalog:
        assert rows_of(catalog)["records"] == rows["records"]
