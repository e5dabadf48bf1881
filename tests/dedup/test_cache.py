"""Compiled kernels are stored in a separate folder for each state of the sources; old folders are removed."""

import os
import time

import pytest

from bibld.dedup import warm_up
from bibld.dedup.compilation import kernel, types
from bibld.dedup.method import MethodOptions
from bibld.progress import Silent


@pytest.fixture
def caches(tmp_path, monkeypatch):
    monkeypatch.setenv(warm_up.VARIABLE, str(tmp_path / "caches"))
    warm_up.cache_folder.cache_clear()
    yield tmp_path / "caches"
    warm_up.cache_folder.cache_clear()


def folder_now():
    warm_up.cache_folder.cache_clear()
    return warm_up.cache_folder()


@pytest.fixture
def sources(tmp_path, caches, monkeypatch):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "compilation.py").touch()
    monkeypatch.setattr(warm_up, "_SOURCES", folder)
    return folder


def test_the_folder_is_the_same_until_a_source_with_kernels_changes(sources, caches):
    found = set()
    for text in ("import x\n\n\n@kernel(1)", "import x\n\n\n@kernel(2)"):
        (sources / "kernels.py").write_text(text)
        found.add(folder_now())
    (sources / "other.py").write_text("without kernels")
    assert folder_now() in found
    assert len(found) == 2
    assert {folder.parent for folder in found} == {caches}


def test_another_numba_version_has_its_own_folder(sources, caches, monkeypatch):
    before = folder_now()
    monkeypatch.setattr(warm_up.metadata, "version", lambda name: "0.0")
    assert folder_now() != before


def test_a_folder_that_cannot_be_written_is_skipped(caches, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(warm_up.VARIABLE, str(tmp_path / "file" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert folder_now().parent == tmp_path / "home" / "bibld"


def test_without_a_home_the_folder_for_temporary_files_is_used(caches, tmp_path, monkeypatch):
    for variable in (warm_up.VARIABLE, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(warm_up.tempfile, "gettempdir", lambda: str(tmp_path))
    assert folder_now().parent == tmp_path / f"bibld-{os.getuid()}"


def test_kernels_that_were_not_used_for_long_are_removed(sources, caches):
    old, recent = caches / "kernels-0", caches / "kernels-1"
    for folder in (old, recent):
        folder.mkdir(parents=True)
    long_ago = time.time() - 100 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    compiling = warm_up.KernelWarmUp(MethodOptions(), Silent())
    compiling.begin()
    compiling.wait()
    assert not old.exists()
    assert recent.exists()
    assert warm_up.cache_folder().is_dir()


@kernel(types.int64(types.int64))
def twice(number):
    return 2 * number


def test_a_folder_that_is_stated_after_modules_were_imported_is_used(caches, tmp_path, monkeypatch):
    monkeypatch.setenv(warm_up.STATED, "")
    warm_up.state_cache(str(tmp_path / "stated"))
    assert twice(21) == 42
    assert list(tmp_path.glob("stated/*/*/*.nbc"))
    assert not caches.exists()
