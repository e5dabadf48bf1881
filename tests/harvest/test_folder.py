"""A watched folder: files in their order, and none that is still being written."""

from __future__ import annotations

import os
import time

import pytest
from click.testing import CliRunner

import bibld
from bibld import cli
from bibld.errors import ConfigError, HarvestError
from bibld.harvest import folder
from tests.configuration import load_config, write_config
from tests.operation.test_faults import record


@pytest.fixture
def drop(tmp_path):
    place = tmp_path / "drop"
    place.mkdir()
    for number, name in enumerate(("2026-11-03.mrc", "2026-11-01.mrc", "2026-11-02.mrc", "notes.txt", ".hidden.mrc")):
        written(place / name, number, age=1000 - number)
    (place / "deep").mkdir()
    written(place / "deep" / "2026-11-04.mrc", 9, age=2000)
    return tmp_path


def written(path, number, age):
    path.write_bytes(record(number))
    at = time.time() - age
    os.utime(path, (at, at))


def names(place, **settings):
    chosen = folder.Settings(path="drop", **{"files": "*.mrc", **settings})
    return [file.name.removeprefix("drop/") for file in folder.files("lib", place, chosen)]


def test_files_come_in_the_order_of_names_or_times(drop):
    assert names(drop) == ["2026-11-01.mrc", "2026-11-02.mrc", "2026-11-03.mrc"]
    assert names(drop, order="time") == ["2026-11-03.mrc", "2026-11-01.mrc", "2026-11-02.mrc"]
    assert names(drop, files=("*03.mrc", "*.txt")) == ["2026-11-03.mrc", "notes.txt"]
    assert names(drop, subfolders=True)[-1] == "deep/2026-11-04.mrc"


def test_only_the_newest_file_is_chosen_where_each_is_complete(drop):
    assert names(drop, choose="newest") == ["2026-11-03.mrc"]
    assert names(drop, choose="newest", order="time") == ["2026-11-02.mrc"]


@pytest.mark.parametrize("name, age", [("2026-11-09.mrc", 5), ("2026-11-09.mrc.part", 5000), ("2026-11-09.mrc", -5)])
def test_a_file_that_is_being_written_is_left_for_the_next_run(name, age, drop):
    written(drop / "drop" / name, 7, age)
    with pytest.raises(HarvestError, match=rf"drop: still being written: {name}; the next run reads what is finished"):
        names(drop)
    finished = ["2026-11-01.mrc", "2026-11-02.mrc", "2026-11-03.mrc"]
    assert names(drop, complete=False) == finished
    assert names(drop, choose="newest") == finished[-1:]
    if name.endswith(".mrc") and age > 0:
        assert names(drop, settle=1)[-1] == name


def test_a_folder_without_a_file_is_a_fault_of_a_complete_source_alone(drop):
    with pytest.raises(HarvestError, match=r"drop: no file matches \*\.xml; were the files moved\?"):
        names(drop, files="*.xml")
    assert names(drop, files="*.xml", complete=False) == []
    with pytest.raises(HarvestError, match="gone: the folder cannot be read: No such file or directory"):
        list(folder.files("lib", drop, folder.Settings(path="gone", complete=False)))


def test_nights_with_a_watched_folder(drop):
    text = '[[source]]\nid = "lib"\nharvest = "folder"\npath = "drop"\nfiles = "*.mrc"\ncomplete = false\n'
    config = write_config(drop, text)

    def run():
        done = CliRunner().invoke(cli.command_line, ["run", str(config), "-q"])
        assert done.exit_code == 0, done.output
        return (drop / "work" / "releases" / "current").read_text().strip()

    assert run() == "1"
    written(drop / "drop" / "2026-11-05.mrc", 5, age=2)
    assert run() == "1", "it is still being written"
    written(drop / "drop" / "2026-11-05.mrc", 5, age=500)
    assert run() == "2"
    assert run() == "2", "an unchanged night does nothing"
    (drop / "drop" / "2026-11-01.mrc").unlink()
    run()
    workspace = bibld.Workspace(config)
    assert workspace.record("lib:1") is not None, "a delta deletes nothing"
    assert str(workspace.record("lib:5").origin) == "drop/2026-11-05.mrc record 1 (byte 0)"


@pytest.mark.parametrize("line", ['path = ""', "files = []", 'order = "size"', "settle = -1"])
def test_settings_that_cannot_work_are_faults_of_the_configuration(line, tmp_path):
    usual = [] if line.startswith("path") else ['path = "drop"']
    with pytest.raises(ConfigError):
        load_config(tmp_path, "\n".join(["[[source]]", 'id = "lib"', 'harvest = "folder"', *usual, line, ""]))
