"""The parts of a release are written side by side, each after those that it needs; the files are the same."""

import os
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from unittest.mock import patch

import pytest

from bibld import documents as published
from bibld.config import PublishConfig
from bibld.errors import StageError
from bibld.parallel import call_in_process
from bibld.protocols import adapters
from bibld.publish import Releases, _parts
from bibld.publish._parts import needed_parts, refuse_store
from tests.publish.test_succession import SEPARATE, Publisher
from tests.triplify.small_world import Book, Change, World

EVERY_PART = PublishConfig(
    full_above=1.0,
    parts=("void", "run", "documents", "search", "dumps", "jsonl", "mods", "store", "sitemap", "feed", "dcat"),
)


@pytest.fixture
def side_by_side():
    """Parts of any release are written in separate processes."""
    with patch.object(_parts, "WORTH_PROCESSES", 0):
        yield


@pytest.fixture
def make_publisher(tmp_path):
    worlds = []

    def make(name: str, workers: int) -> Publisher:
        worlds.append(World(tmp_path / name).__enter__())
        worlds[-1].change(Change({number: Book(1, number % 3) for number in SEPARATE}, SEPARATE))
        return Publisher(worlds[-1], tmp_path / name, workers)

    yield make
    for world in worlds:
        world.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("stated", "needed"),
    [
        ({"void": (), "documents": (), "search": ("documents",)}, {"search": {"documents"}}),
        ({"search": ("documents",), "documents": ()}, {}),
        ({"void": (), "own": None, "documents": ()}, {"own": {"void"}, "documents": {"own"}}),
        ({"one": None, "two": None, "feed": ("one",)}, {"two": {"one"}, "feed": {"one", "two"}}),
    ],
)
def test_a_part_that_states_no_needs_waits_for_those_before_it_and_holds_up_those_after_it(stated, needed):
    assert {name: needs for name, needs in needed_parts(stated).items() if needs} == needed


@pytest.mark.parametrize("name", [name for name in adapters.adapter_names("publish") if name != "dcat"])
def test_each_part_of_bibld_states_what_it_needs(name):
    part = adapters.load_adapter("publish", name)
    assert set(part.NEEDS) <= set(EVERY_PART.parts)
    assert not (name in ("void", "run", "dumps", "store") and hasattr(part, "IN_OWN_PROCESS"))


def test_parts_side_by_side_write_the_files_that_they_write_one_after_another(make_publisher, side_by_side):
    publishers = [make_publisher("one", 1), make_publisher("two", 2)]
    for change in (None, Change({1: Book(2, 1)}, SEPARATE), Change({}, (1, 1, 3, 4, 5))):
        manifests = []
        for publisher in publishers:
            if change is not None:
                publisher.world.change(change)
            manifests.append(publisher.publish(EVERY_PART))
        assert manifests[0] == manifests[1]
    documents = []
    for publisher in publishers:
        with published.open_published(publisher.folder, 3) as view:
            documents.append([(entry, view.document(entry.path)) for entry in view.entries("")])
    assert documents[0] == documents[1]
    assert documents[0]


class FullDisk(Releases):
    """Releases on a disk that has no room for the sitemap."""

    def begin(self) -> tuple[int, Path]:
        number, place = super().begin()
        (place / "sitemap-1.xml.gz").symlink_to("/dev/full")
        return number, place


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_part_that_fails_in_its_process_ends_the_stage_and_the_next_run_continues(make_publisher, side_by_side):
    publisher = make_publisher("one", 2)
    with patch("bibld.publish.Releases", FullDisk), pytest.raises(StageError, match=r"cannot be written: .*No space"):
        publisher.publish(EVERY_PART)
    assert publisher.releases.current() is None
    assert publisher.publish(EVERY_PART).number == 1


def test_a_part_that_fails_here_ends_those_beside_it(make_publisher, side_by_side):
    publisher = make_publisher("one", 2)
    with (
        patch.object(adapters.load_adapter("publish", "dumps"), "write", side_effect=ValueError("no dump")),
        pytest.raises(StageError, match='part "dumps" of the release failed: ValueError: no dump; report this'),
    ):
        publisher.publish(EVERY_PART)
    assert publisher.publish(EVERY_PART).number == 1


def test_the_live_store_is_closed_to_parts_in_other_processes():
    with pytest.raises(StageError, match="live store cannot be used in a separate process; remove IN_OWN_PROCESS"):
        refuse_store()


def test_a_process_returns_its_result_or_its_exception_and_ends_when_it_is_stopped():
    stopped = threading.Event()
    assert call_in_process(divmod, (7, 2), "divide", [], stopped) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call_in_process(divmod, (7, 0), "divide", [], stopped)
    with pytest.raises(StageError, match=r"the process started to leave died \(exit code 3\)"):
        call_in_process(_leave, (3,), "leave", [], stopped)
    threading.Timer(0.5, stopped.set).start()
    with pytest.raises(CancelledError):
        call_in_process(_wait, (), "wait", [], stopped)


def _leave(code: int) -> None:
    os._exit(code)


def _wait() -> None:
    threading.Event().wait(60)
