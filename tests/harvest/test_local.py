"""Local files are found by name and by pattern, in an order that does not depend on the disk."""

import os

import pytest

from bibld.errors import HarvestError
from bibld.harvest import local


@pytest.fixture
def folder(tmp_path):
    for name in ("b.mrc", "a.mrc", "deep/c.xml", "d.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    return tmp_path


def names(folder, path):
    return [file.name for file in local.files("rsl", folder, local.Settings(path))]


def test_patterns_give_their_matches_by_name_and_each_file_once(folder):
    assert names(folder, "*.mrc") == ["a.mrc", "b.mrc"]
    assert names(folder, ("b.mrc", "*.mrc", "**/*.xml")) == ["b.mrc", "a.mrc", "deep/c.xml"]


def test_an_absolute_path_and_one_outside_the_folder_are_named_from_the_folder(folder):
    assert names(folder / "deep", str(folder / "a.mrc")) == ["../a.mrc"]
    assert names(folder / "deep", "../*.txt") == ["../d.txt"]


def test_what_leads_nowhere_is_an_error_after_the_files_that_exist(folder):
    settings = local.Settings(("gone.mrc", "*.iso", "a.mrc"))
    assert list(local.faults(folder, settings)) == []
    files = local.files("rsl", folder, settings)
    assert next(files).name == "a.mrc"
    with pytest.raises(HarvestError) as raised:
        next(files)
    assert str(raised.value) == (
        f'gone.mrc: not found (looked in {folder}); was it moved?; no file matches "*.iso" (looked in {folder});'
        " were the files moved?"
    )


def test_settings_without_a_file_are_a_fault_of_the_configuration(tmp_path):
    assert list(local.faults(tmp_path, local.Settings(()))) == [("path", "names no file")]


@pytest.mark.parametrize(
    "path, message",
    [
        ("a.mrc", "a.mrc: not found"),
        ("*.mrc", 'no file matches "*.mrc"'),
        ("a?.mrc", 'no file matches "a?.mrc"'),
        ("a[1].mrc", 'no file matches "a[1].mrc"'),
        ("folder", "folder: is a folder, not a file; name the files in it"),
        ("fol*", 'no file matches "fol*"'),
        ("loop", "loop: is a loop of symbolic links"),
        ("lo*", "loop: is a loop of symbolic links"),
        ("dangling", "dangling: is a symbolic link to a file that does not exist"),
        ("pipe", "pipe: is a FIFO, not a file"),
        ("/dev/null", "is a device or socket, not a file"),
    ],
)
def test_a_path_without_a_file_is_an_error_that_states_what_is_there(path, message, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "b.mrk").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe")
    settings = local.Settings(("b.mrk", path))
    assert list(local.faults(tmp_path, settings)) == []
    assert local.on_disk(tmp_path, settings) == [tmp_path / "b.mrk"]
    with pytest.raises(HarvestError) as raised:
        list(local.files("rsl", tmp_path, settings))
    assert message in str(raised.value)


@pytest.mark.parametrize("path", ["a**b", "a\0b"])
def test_a_text_that_cannot_be_a_path_is_a_fault_of_the_configuration(path, tmp_path):
    assert list(local.faults(tmp_path, local.Settings(("a.mrc", path)))) == [
        ("path", f'"{path}" is not a file name or pattern')
    ]


def test_files_are_given_once_in_the_order_of_the_list(tmp_path):
    for name in ("b.mrc", "a.mrc", "c.xml"):
        (tmp_path / name).touch()
    (tmp_path / "d.mrc").mkdir()
    (tmp_path / "conf").mkdir()
    found = list(local.files("rsl", tmp_path / "conf", local.Settings(("../c.xml", "../*.mrc", "../a.mrc"))))
    assert [(one.source, one.name, one.path.name) for one in found] == [
        ("rsl", "../c.xml", "c.xml"),
        ("rsl", "../a.mrc", "a.mrc"),
        ("rsl", "../b.mrc", "b.mrc"),
    ]
