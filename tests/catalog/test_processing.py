"""Dirty queues are processed on all cores with the same results for any number of processes."""

import os
import shutil
import sqlite3
from contextlib import closing
from functools import partial

import msgspec
import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog, Queue, processing
from bibld.catalog.processing import QueueProcessor
from bibld.errors import StageError
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


def test_the_catalog_is_the_same_for_any_number_of_workers(tmp_path, small_batches):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup")
    contents = []
    for workers in (1, 2, 3):
        workspace = tmp_path / f"workers{workers}"
        shutil.copytree(loaded.workspace, workspace)
        config = msgspec.structs.replace(loaded, workspace=workspace, workers=workers)
        pipeline.run(config, CLOCK, progress.Silent(), until="triplify")
        with closing(sqlite3.connect(workspace / "catalog.db")) as catalog:
            contents.append([catalog.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES])
    assert contents[0] == contents[1] == contents[2]
    assert all(contents[0][:-1])
    assert contents[0][-1] == []
