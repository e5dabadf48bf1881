"""Compiled kernels are stored in a separate folder for each state of the sources; old folders are removed."""

import os
import time

import pytest

from bibld.dedup import _cache


@pytest.fixture
def caches(tmp_path, monkeypatch):
    monkeypatch.setenv(_cache.VARIABLE, str(tmp_path))
    _cache.cache_folder.cache_clear()
    yield tmp_path
    _cache.cache_folder.cache_clear()


def test_the_folder_is_the_same_until_a_source_with_kernels_changes(caches, monkeypatch):
    first = _cache.cache_folder()
    _cache.cache_folder.cache_clear()
    assert _cache.cache_folder() == first
    assert first.parent == caches
    sources = caches / "sources"
    sources.mkdir()
    monkeypatch.setattr(_cache, "__file__", str(sources / "_cache.py"))
    found = set()
    for text in ("from numba import njit", "from numba import njit  # another"):
        (sources / "kernels.py").write_text(text)
        _cache.cache_folder.cache_clear()
        found.add(_cache.cache_folder())
    (sources / "other.py").write_text("no loops")
    _cache.cache_folder.cache_clear()
    found.add(_cache.cache_folder())
    assert len(found) == 2


def test_a_folder_that_cannot_be_written_is_skipped(caches, monkeypatch):
    (caches / "file").touch()
    monkeypatch.setenv(_cache.VARIABLE, str(caches / "file" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches / "home"))
    _cache.cache_folder.cache_clear()
    assert _cache.cache_folder().parent == caches / "home" / "bibld"


def test_kernels_that_were_not_used_for_long_are_removed(caches):
    old, recent = caches / "kernels-0", caches / "kernels-1"
    for folder in (old, recent):
        folder.mkdir()
    long_ago = time.time() - 100 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    _cache.use_cache()
    assert not old.exists()
    assert recent.exists()
    assert _cache.cache_folder().is_dir()
