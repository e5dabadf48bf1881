"""Checks and backups of the two database files, without a run."""

import sqlite3
from contextlib import closing

import pytest

from bibld.catalog import Catalog, NewRecord
from bibld.catalog._schema import CATALOG_FORMAT
from bibld.catalog.backup import back_up
from bibld.catalog.check import abbreviate, file_faults
from bibld.errors import CatalogError
from bibld.model.origin import Origin, RecordId
from bibld.progress import Silent


@pytest.fixture
def workspace(tmp_path):
    with Catalog(tmp_path / "work") as catalog, catalog.commit():
        catalog.records.add_carrier("rsl", "a.mrc", "iso2709", b"{}")
        catalog.records.put([record(str(number)) for number in range(3)], run=1)
    return tmp_path / "work"


def record(number):
    return NewRecord(
        id=RecordId("rsl", number),
        origin=Origin("rsl", "a.mrc", 1, 0),
        original=number.encode(),
        carrier=1,
        made_by=number.encode(),
        flavour="marc21",
        mods=b"{}",
        unmapped=(),
        private=(),
        warnings=(),
        deleted=False,
    )


def found(workspace):
    return [(fault.where, fault.what, fault.remedy) for fault, _ in file_faults(workspace, Silent())]


def execute(file, *statements):
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


RESTORE = "restore it from a backup"


@pytest.mark.parametrize("name", ["register.db", "catalog.db"])
def test_a_file_that_is_missing_or_empty_is_found_and_the_other_is_checked_too(name, workspace):
    for other in ("register.db", "catalog.db"):
        execute(workspace / other, "PRAGMA user_version = 999")
    for damage in (lambda file: file.write_bytes(b""), lambda file: file.unlink()):
        damage(workspace / name)
        faults = {where: (what, remedy) for where, what, remedy in found(workspace)}
        assert faults.pop(name) == ("not found", RESTORE)
        assert [what.startswith("has format 999") for what, _ in faults.values()] == [True]


def test_a_file_that_is_no_database_is_found_and_the_other_is_checked_too(workspace):
    (workspace / "register.db").write_bytes(b"no database " * 1000)
    execute(workspace / "catalog.db", "PRAGMA user_version = 999")
    first, second = found(workspace)
    assert (first[0], first[1].partition(":")[0], first[2]) == ("register.db", "cannot be read", RESTORE)
    assert (second[0], second[1].split(",")[0]) == ("catalog.db", "has format 999")


def test_a_database_of_another_format_is_named_with_what_to_do(workspace):
    execute(workspace / "catalog.db", f"PRAGMA user_version = {CATALOG_FORMAT + 1}")
    ((where, what, remedy),) = found(workspace)
    assert where == "catalog.db"
    assert what == f"has format {CATALOG_FORMAT + 1}, but this bibld reads format {CATALOG_FORMAT}"
    assert remedy == "use the newer bibld that wrote it"


def test_a_database_without_format_is_reported_as_empty(workspace):
    execute(workspace / "catalog.db", "PRAGMA user_version = 0")
    assert found(workspace) == [("catalog.db", "is empty", "run `bibld run`")]


def spoil_index(file, index, statement):
    """Change a table while one of its indices is hidden from SQLite, so that they differ."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        row = connection.execute("SELECT * FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (index,))
    execute(file, statement)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)


def index_of(file, table):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (table,)
        ).fetchone()[0]


def test_a_wrong_index_of_the_catalog_is_built_again(workspace):
    file = workspace / "catalog.db"
    spoil_index(file, index_of(file, "record"), "UPDATE record SET made_by = x'99' || made_by WHERE ordinal = 2")
    ((fault, mend),) = file_faults(workspace, Silent())
    assert (fault.where, "index" in fault.what, fault.remedy) == ("catalog.db", True, "its indices are built again")
    mend()
    assert found(workspace) == []


@pytest.mark.parametrize(
    "numbers, text",
    [([1], "1"), ([1, 2, 3, 4, 5], "1, 2, 3, 4, 5"), ([1, 2, 3, 4, 5, 6], "1, 2, 3, 4, 5 … (6 in total)")],
)
def test_many_numbers_are_abbreviated(numbers, text):
    assert abbreviate(numbers) == text


# -- backups -----------------------------------------------------------------------------------------------------------


class Counting(Silent):
    def __init__(self):
        self.stages = []
        self.done = 0

    def stage(self, name, what, total=None):
        self.stages.append((name, what, total))

    def advance(self, count=1):
        assert count >= 0
        self.done += count


def test_a_backup_reports_all_pages_and_what_was_copied(workspace, tmp_path):
    with Catalog(workspace) as catalog, catalog.commit():
        catalog._connection.execute("INSERT INTO statistics VALUES (1, '', zeroblob(12000000))")
    progress = Counting()
    register, catalog = back_up(workspace, tmp_path / "backup", False, progress)
    assert [stage[:2] for stage in progress.stages] == [
        ("backup", "pages of register.db"),
        ("backup", "pages of catalog.db"),
    ]
    assert progress.done == sum(total for _, _, total in progress.stages)
    assert (register.name, register.records, catalog.name, catalog.records) == ("register.db", 3, "catalog.db", 3)
    for copied in (register, catalog):
        assert copied.bytes == (tmp_path / "backup" / copied.name).stat().st_size


@pytest.mark.parametrize(
    "name, statement, message",
    [
        ("catalog.db", "PRAGMA user_version = 999", r"catalog\.db has another format than this bibld"),
        ("register.db", "PRAGMA user_version = 999", r"register\.db has another format than this bibld"),
        ("catalog.db", "UPDATE workspace SET id = 'x'", "do not belong together"),
        ("register.db", "DELETE FROM ordinal WHERE ordinal > 2", "do not belong together"),
    ],
)
def test_databases_that_do_not_fit_give_no_backup(name, statement, message, workspace, tmp_path):
    execute(workspace / name, "PRAGMA foreign_keys = OFF", statement)
    with pytest.raises(CatalogError, match=message):
        back_up(workspace, tmp_path / "backup", False, Silent())
    assert not (tmp_path / "backup").exists()


def test_a_register_that_knows_more_records_than_the_catalog_is_copied(workspace, tmp_path):
    execute(workspace / "catalog.db", "DELETE FROM record WHERE ordinal > 2")
    register, catalog = back_up(workspace, tmp_path / "backup", False, Silent())
    assert (register.records, catalog.records) == (3, 2)
