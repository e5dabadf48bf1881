"""Which engine has run a workspace last, and the messages where the other one has newer results."""

from __future__ import annotations

from pathlib import Path

import pytest

from bibld.catalog import Catalog, Verdicts
from bibld.catalog.engines import (
    FILE,
    check_has_results,
    check_newest_is_local,
    check_newest_is_on_spark,
    note_conversion,
    note_run_on_spark,
)
from bibld.errors import CatalogError
from bibld.model.origin import RecordId

CONFIG = Path("a folder/x.toml")


def add_record(workspace: Path, number: str) -> None:
    with Catalog(workspace) as catalog, catalog.commit():
        catalog.register.assign_ordinal(RecordId("a", number))


def test_a_workspace_that_spark_never_ran_is_of_this_machine(tmp_path: Path) -> None:
    check_newest_is_local(tmp_path, CONFIG)
    check_newest_is_on_spark(tmp_path, CONFIG)
    with pytest.raises(CatalogError, match=r"nothing has been run yet; run `bibld run 'a folder/x\.toml'` first"):
        check_has_results(tmp_path, CONFIG)
    add_record(tmp_path, "1")
    check_has_results(tmp_path, CONFIG)
    check_newest_is_on_spark(tmp_path, CONFIG)


def test_results_that_only_spark_has_must_be_converted(tmp_path: Path) -> None:
    note_run_on_spark(tmp_path / "work", 3)
    convert = r"`bibld workspace convert 'a folder/x\.toml' --to local`"
    with pytest.raises(CatalogError, match=f"run 3 was on Spark, .*; run {convert} first, which keeps all IRIs"):
        check_newest_is_local(tmp_path / "work", CONFIG)
    with pytest.raises(CatalogError, match=f"nothing has been run on this machine, only on Spark; run {convert}"):
        check_has_results(tmp_path / "work", CONFIG)
    only = "nothing has been run on this machine, only on Spark"
    with pytest.raises(CatalogError, match=only), Catalog(tmp_path / "work", read_only=True):
        pass
    with pytest.raises(CatalogError, match=f"{only}; run `bibld workspace convert CONFIG"), Verdicts(tmp_path / "work"):
        pass
    assert {file.name for file in (tmp_path / "work").iterdir()} == {FILE}, "no database was made"


def test_after_a_conversion_either_engine_may_go_on(tmp_path: Path) -> None:
    add_record(tmp_path, "1")
    note_run_on_spark(tmp_path, 1)
    note_conversion(tmp_path, 1)
    check_newest_is_local(tmp_path, CONFIG)
    check_newest_is_on_spark(tmp_path, CONFIG)
    note_run_on_spark(tmp_path, 2)
    check_newest_is_on_spark(tmp_path, CONFIG)
    with pytest.raises(CatalogError, match="run 2 was on Spark"):
        check_newest_is_local(tmp_path, CONFIG)


def test_records_that_are_new_on_this_machine_must_be_converted(tmp_path: Path) -> None:
    add_record(tmp_path, "1")
    note_conversion(tmp_path, 1)
    add_record(tmp_path, "2")
    check_newest_is_local(tmp_path, CONFIG)
    with pytest.raises(CatalogError, match=r"since the last conversion; run `bibld workspace convert .* --to spark`"):
        check_newest_is_on_spark(tmp_path, CONFIG)


def test_a_damaged_state_is_reported(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{", encoding="ascii")
    with pytest.raises(CatalogError, match=r"engines\.json: cannot be read: .*; delete it if the last run was on this"):
        check_newest_is_local(tmp_path, CONFIG)
