"""Dirty queues are processed on all cores with the same results for any number of processes."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from functools import partial

import msgspec
import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog, Queue, processing
from bibld.catalog.processing import QueueProcessor
from bibld.errors import StageError
from tests.docs.pages import ROOT
from tests.end_to_end.conftest import CLOCK, sample_in

TABLES = ("merged", "statement", "existence_dependency", "entity", "assertion", "asserting_cluster", "dirty_queue")


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            opened.dirty[Queue.UNMERGED_CLUSTERS].add(range(1, 24))
        yield opened


@pytest.fixture
def small_batches(monkeypatch):
    """Make a few items enough for processes and several batches."""
    monkeypatch.setattr(processing, "ITEMS_AT_ONCE", 5)
    monkeypatch.setattr(processing, "WORTH_PROCESSES", 10)


def double(number, catalog, items):
    return os.getpid(), [number * item for item in items]


def die(catalog, items):
    if items[0] > 5:
        os._exit(1)


DOUBLE = partial(double, 2)


def process(catalog, workers, compute=DOUBLE, store=None):
    stored = []
    with QueueProcessor(catalog, workers, "double numbers", [__name__]) as processor:
        dirty = catalog.dirty[Queue.UNMERGED_CLUSTERS]
        done = processor.process(dirty, compute, store or stored.append, progress.Silent())
    return done, stored


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_are_stored_in_the_order_of_the_queue(catalog, small_batches, workers):
    done, stored = process(catalog, workers)
    assert done == 23
    assert [number for _, numbers in stored for number in numbers] == [2 * item for item in range(1, 24)]
    assert catalog.dirty[Queue.UNMERGED_CLUSTERS].is_empty()
    here = [pid == os.getpid() for pid, _ in stored]
    assert here == ([True] * 5 if workers == 1 else [True] + [False] * 4)


def test_a_short_queue_is_processed_without_other_processes(catalog):
    _, stored = process(catalog, workers=2)
    assert {pid for pid, _ in stored} == {os.getpid()}


def test_a_batch_that_could_not_be_stored_stays_in_the_queue(catalog, small_batches):
    stored = []

    def store(result):
        stored.append(result)
        if len(stored) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process(catalog, 2, store=store)
    assert catalog.dirty[Queue.UNMERGED_CLUSTERS].items() == list(range(11, 24))


def test_a_process_that_dies_ends_the_stage_and_its_items_stay_in_the_queue(catalog, small_batches):
    with pytest.raises(StageError, match=r"double numbers died .*; run again with workers = 1"):
        process(catalog, 2, compute=die)
    assert catalog.dirty[Queue.UNMERGED_CLUSTERS].items() == list(range(6, 24))


def linger(catalog, items):
    """Read a little longer than the others, so that there is always somebody who reads."""
    time.sleep(0.01 * (items[0] % 3))
    return items


@pytest.mark.parametrize("other_readers", [False, True])
def test_the_log_of_the_catalog_stays_bounded_while_processes_read(catalog, monkeypatch, other_readers):
    """Unless another program reads the catalog all the time: then it is emptied when that has ended."""
    bound = 1 << 20
    monkeypatch.setattr(processing, "ITEMS_AT_ONCE", 5)
    monkeypatch.setattr(processing, "WORTH_PROCESSES", 10)
    monkeypatch.setattr(processing, "MAX_LOG_BYTES", bound)
    with catalog.commit():
        catalog.dirty[Queue.UNMERGED_CLUSTERS].add(range(1, 400))
    sizes = []

    def store(items):
        rows = [(item, os.urandom(20_000), "") for item in items]
        catalog.statements.put(rows, [])
        sizes.append(catalog.log_bytes())

    with Catalog(catalog.workspace, read_only=True) as other, ExitStack() as reading:
        other._connection.execute("PRAGMA busy_timeout = 0")
        catalog._connection.execute("PRAGMA busy_timeout = 0")
        if other_readers:
            reading.enter_context(other.snapshot())
            other.linkage.has_clusters()
        done, _ = process(catalog, 2, linger, store)
    assert done == 399
    written = 400 * 20_000
    if other_readers:
        assert max(sizes) > written
        catalog.empty_log()
        assert catalog.log_bytes() == 0
    else:
        assert bound / 2 < max(sizes) < 2 * bound


def contents(workspace):
    with closing(sqlite3.connect(workspace / "catalog.db")) as catalog:
        return [catalog.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]


def copy_of(loaded, workspace, workers):
    shutil.copytree(loaded.workspace, workspace)
    return msgspec.structs.replace(loaded, workspace=workspace, workers=workers)


def test_the_catalog_is_the_same_for_any_number_of_workers(tmp_path, small_batches):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup")
    found = []
    for workers in (1, 2, 3):
        config = copy_of(loaded, tmp_path / f"workers{workers}", workers)
        pipeline.run(config, CLOCK, progress.Silent(), until="triplify")
        found.append(contents(config.workspace))
    assert found[0] == found[1] == found[2]
    assert all(found[0][:-1])
    assert found[0][-1] == []


KILLED = """
import os, signal, sys
from pathlib import Path
import msgspec
from bibld import config, pipeline, progress
from bibld.catalog import processing
from tests.end_to_end.conftest import CLOCK

class Killing(progress.Silent):
    left = -1
    def stage(self, name, what, total=None):
        if (name, what) == (sys.argv[3], sys.argv[4]):
            self.left = int(sys.argv[5])
    def advance(self, count=1):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    processing.ITEMS_AT_ONCE, processing.WORTH_PROCESSES = 5, 10
    loaded = msgspec.structs.replace(config.load(Path(sys.argv[1])), workspace=Path(sys.argv[2]), workers=2)
    pipeline.run(loaded, CLOCK, Killing(), until="triplify")
"""


def test_a_killed_run_with_processes_is_continued_to_the_same_catalog(tmp_path, small_batches):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup")
    undisturbed = copy_of(loaded, tmp_path / "undisturbed", 1)
    pipeline.run(undisturbed, CLOCK, progress.Silent(), until="triplify")
    config = copy_of(loaded, tmp_path / "killed", 1)
    for stage, what, batches in (("merge", "clusters", 2), ("triplify", "clusters", 3), ("triplify", "entities", 4)):
        words = [sys.executable, "-c", KILLED, loaded.file, config.workspace, stage, what, str(batches)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == -signal.SIGKILL, done.stderr
    pipeline.run(config, CLOCK, progress.Silent(), until="triplify")
    assert contents(config.workspace) == contents(undisturbed.workspace)


def test_a_snapshot_does_not_see_what_is_committed_meanwhile(catalog, tmp_path):
    with Catalog(tmp_path, read_only=True) as reader:
        with reader.snapshot():
            before = len(reader.dirty[Queue.UNMERGED_CLUSTERS])
            with catalog.commit():
                catalog.dirty[Queue.UNMERGED_CLUSTERS].add([99])
            assert len(reader.dirty[Queue.UNMERGED_CLUSTERS]) == before
        assert len(reader.dirty[Queue.UNMERGED_CLUSTERS]) == before + 1
