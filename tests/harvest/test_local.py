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
