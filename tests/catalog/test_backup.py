"""A run over a backup gives the same release as a run over the workspace."""

import shutil
import threading

import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog
from bibld.catalog import backup as _backup
from bibld.catalog.backup import back_up
from bibld.errors import CatalogError
from bibld.model.origin import RecordId
from tests.end_to_end.conftest import CLOCK, dumps


def test_a_restored_backup_ends_in_the_same_release(copy, intact, tmp_path, invoke):
    done = invoke("catalog", "backup", copy.file, tmp_path / "backup", "-q")
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in (tmp_path / "backup").iterdir()) == ["catalog.db", "register.db"]
    shutil.rmtree(copy.workspace)
    shutil.copytree(tmp_path / "backup", copy.workspace)
    assert invoke("catalog", "check", copy.file, "-q").output == "289 records checked: no faults\n"
    pipeline.run(copy, CLOCK, progress.Silent())
    assert dumps(copy) == dumps(intact)


def test_a_restored_backup_ignores_the_files_beside_the_databases(copy, intact, tmp_path):
    back_up(copy.workspace, tmp_path / "backup", False, progress.Silent())
    records = (copy.folder / "rsl.mrc").read_bytes()
    (copy.folder / "rsl.mrc").write_bytes(b"\x1d".join(records.split(b"\x1d")[5:]))
    pipeline.run(copy, CLOCK, progress.Silent())
    (copy.folder / "rsl.mrc").write_bytes(records)
    for name in ("register.db", "catalog.db"):
        shutil.copy(tmp_path / "backup" / name, copy.workspace / name)
    summary = pipeline.run(copy, CLOCK, progress.Silent())
    assert summary.release.endswith("/3"), "numbers of releases are not used again"
    assert dumps(copy) == dumps(intact)


def test_a_backup_of_the_register_alone_preserves_ordinals(copy, intact, tmp_path):
    (copied,) = back_up(copy.workspace, tmp_path / "backup", True, progress.Silent())
    assert (copied.name, copied.records) == ("register.db", 289)
    shutil.rmtree(copy.workspace)
    shutil.copytree(tmp_path / "backup", copy.workspace)
    pipeline.run(copy, CLOCK, progress.Silent())
    assert dumps(copy) == dumps(intact)


def test_register_and_catalog_are_copied_between_two_commits_of_a_run(tmp_path):
    """While another thread adds ordinals and records in the same commits, both copies contain the same number."""
    stop = threading.Event()
    has_written = threading.Event()

    def write():
        with Catalog(tmp_path / "work") as catalog:
            number = 0
            while not stop.is_set():
                number += 1
                with catalog.commit():
                    ordinal = catalog.register.assign_ordinal(RecordId("rsl", str(number)))
                    catalog._connection.execute(
                        "INSERT INTO record VALUES (?, 1, 0, 0, '', zeroblob(16), 1, 0, x'', x'')", (ordinal,)
                    )
                has_written.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert has_written.wait(600)
        for number in range(8):
            register, catalog = back_up(tmp_path / "work", tmp_path / f"{number}", False, progress.Silent())
            assert register.records == catalog.records > 0
    finally:
        stop.set()
        thread.join()


def test_an_existing_folder_is_not_changed(copy, tmp_path):
    (tmp_path / "backup").mkdir()
    with pytest.raises(CatalogError, match="exists already"):
        back_up(copy.workspace, tmp_path / "backup", False, progress.Silent())


def test_a_backup_that_cannot_be_written_leaves_nothing(copy, tmp_path, monkeypatch):
    def fail(folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_backup, "_sync", fail)
    with pytest.raises(CatalogError, match="No space left on device; nothing was stored"):
        back_up(copy.workspace, tmp_path / "some" / "backup", False, progress.Silent())
    assert not list((tmp_path / "some").iterdir())


def test_a_run_that_writes_for_too_long_stops_the_backup(copy, tmp_path):
    with Catalog(copy.workspace) as catalog, catalog.commit(), pytest.raises(CatalogError, match="locked"):
        back_up(copy.workspace, tmp_path / "backup", False, progress.Silent(), patience=0.05)
