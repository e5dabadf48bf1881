"""Local files are found by name and by pattern, in an order that does not depend on the disk."""

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


def test_what_leads_nowhere_is_a_fault_before_the_run_and_an_error_in_it(folder):
    settings = local.Settings(("gone.mrc", "*.iso", "a.mrc"))
    assert [message for _, message in local.faults(folder, settings)] == [
        f'there is no file "gone.mrc" (looked in {folder})',
        f'no file matches the pattern "*.iso" (looked in {folder})',
    ]
    with pytest.raises(HarvestError, match=r"gone\.mrc"):
        list(local.files("rsl", folder, settings))


def test_settings_without_a_file_are_a_fault_of_the_configuration(tmp_path):
    assert list(local.faults(tmp_path, local.Settings(()))) == [("path", "names no file")]


@pytest.mark.parametrize(
    "path, message",
    [
        ("a.mrc", 'there is no file "a.mrc"'),
        ("*.mrc", 'no file matches the pattern "*.mrc"'),
        ("a?.mrc", 'no file matches the pattern "a?.mrc"'),
        ("a[1].mrc", 'no file matches the pattern "a[1].mrc"'),
        ("a**b", 'no file matches the pattern "a**b"'),
        ("a\0b", 'there is no file "a\0b"'),
        ("folder", 'there is no file "folder"'),
        ("fol*", 'no file matches the pattern "fol*"'),
    ],
)
def test_a_path_without_a_file_is_a_fault_of_the_configuration(path, message, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "b.mrk").touch()
    settings = local.Settings(("b.mrk", path))
    assert list(local.faults(tmp_path, settings)) == [("path", f"{message} (looked in {tmp_path})")]
    assert local.on_disk(tmp_path, settings) == [tmp_path / "b.mrk"]
    with pytest.raises(HarvestError, match=r"source rsl: no file matches .* was it moved"):
        list(local.files("rsl", tmp_path, settings))


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
