"""The live store follows the catalog, whatever was stopped where."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from unittest.mock import patch

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld import store
from bibld.catalog import Catalog
from bibld.catalog._patches import Patches
from bibld.config import Config, DedupConfig, MergeConfig, StoreConfig
from bibld.model.release import DatasetDescription
from bibld.progress import Silent
from bibld.store.oxigraph import OxigraphStore, Settings
from tests.triplify.small_world import CHANGES, Book, Change, Killed, World

LICENSE = "https://creativecommons.org/publicdomain/zero/1.0/"


def configured(
    folder: Path, base: str = "https://data.example.org/", chunk: int = 1000, named_provenance: bool = False
) -> Config:
    """A configuration with no more than the stage asks."""
    return Config(
        file=folder / "bibld.toml",
        workspace=folder,
        workers=1,
        dataset=DatasetDescription(base, {"en": "Books"}, LICENSE, "A library"),
        sources=(),
        dedup=DedupConfig(),
        merge=MergeConfig(),
        triplify=None,
        store=StoreConfig(named_provenance=named_provenance),
        publish=None,
        serve=None,
        adapter_settings={("store", "oxigraph"): Settings(chunk=chunk)},
    )


class Recording(Silent):
    """A progress that keeps its messages."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def report(self, message: str) -> None:
        self.messages.append(message)

    warn = report


def never() -> Iterator[str]:
    raise AssertionError("the store was filled again")
    yield ""


def blocks(world: World) -> list[bytes]:
    return [line.encode() for line in world.quads()]


def quads_in(loaded: Config) -> set[str]:
    live = store.open_live(loaded)
    try:
        return set(live.quads())
    finally:
        live.close()


def expected(world: World, loaded: Config) -> set[str]:
    """The quads of the catalog as the store has them: provenance in the default graph unless it is to be named."""
    provenance = " <https://data.example.org/graph/provenance> .\n"
    if loaded.store.named_provenance:
        return set(world.quads())
    return {line.removesuffix(provenance).removesuffix(" .\n") + " .\n" for line in world.quads()}


@pytest.fixture(params=[False, True], ids=["in the default graph", "named"])
def loaded(tmp_path, request):
    return configured(tmp_path, named_provenance=request.param)


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as made:
        made.change(Change({number: Book(1, number % 3) for number in (1, 2, 3, 4, 5)}, (1, 2, 3, 4, 5)))
        made.triplify()
        yield made


def test_the_first_time_it_is_filled_then_it_takes_patches(world, loaded):
    assert not store.is_current(world.catalog, loaded)
    lines = world.quads()
    assert store.store(world.catalog, (line.encode() for line in lines), loaded, Silent()) == len(lines)
    assert store.is_current(world.catalog, loaded)
    world.change(Change({1: Book(2, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    assert not store.is_current(world.catalog, loaded)
    done = store.store(world.catalog, never(), loaded, Silent())
    assert store.is_current(world.catalog, loaded)
    assert quads_in(loaded) == expected(world, loaded)
    assert 0 < done < len(lines) / 5


def test_patches_that_everybody_has_are_dropped(world, loaded):
    store.store(world.catalog, blocks(world), loaded, Silent())
    with world.catalog.commit():
        world.catalog.patches.delivered("release", world.catalog.patches.last(), 0, "x")
    world.change(Change({1: Book(2, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    store.store(world.catalog, never(), loaded, Silent())
    assert _kept(world.catalog) > 0
    with world.catalog.commit():
        world.catalog.patches.delivered("release", world.catalog.patches.last(), 0, "x")
    assert _kept(world.catalog) == 0
    assert world.catalog.patches.last() > 0


def test_a_damaged_store_is_noticed_and_filled_again(world, loaded):
    store.store(world.catalog, blocks(world), loaded, Silent())
    live = store.open_live(loaded)
    live.apply(added=["<http://x/a> <http://x/b> <http://x/c> .\n"], removed=[])
    live.close()
    recording = Recording()
    world.change(Change({1: Book(2, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    store.store(world.catalog, blocks(world), loaded, recording)
    assert "filled again" in recording.messages[0]
    assert quads_in(loaded) == expected(world, loaded)
    for file in store.folder(loaded).glob("*"):
        file.write_bytes(b"")
    store.store(world.catalog, blocks(world), loaded, recording)
    assert "filled again" in recording.messages[1]
    assert quads_in(loaded) == expected(world, loaded)


def test_another_base_or_other_settings_or_no_store_fill_it_again(world, loaded, tmp_path):
    store.store(world.catalog, blocks(world), loaded, Silent())
    others = [configured(tmp_path, "https://data.example.net/"), configured(tmp_path, chunk=999)]
    others.append(configured(tmp_path, named_provenance=not loaded.store.named_provenance))
    for other in others:
        assert not store.is_current(world.catalog, other)
        assert store.store(world.catalog, blocks(world), other, Silent()) == len(world.quads())
        assert store.is_current(world.catalog, other)
    store.folder(loaded).rename(tmp_path / "gone")
    assert not store.is_current(world.catalog, other)


def test_a_patch_larger_than_the_store_is_not_applied(world, loaded):
    store.store(world.catalog, blocks(world), loaded, Silent())
    world.change(Change({number: Book(2, 1) for number in (1, 2, 3, 4, 5)}, (1, 1, 1, 1, 1)))
    world.triplify()
    assert store.store(world.catalog, blocks(world), loaded, Silent()) == len(world.quads())


def test_the_graphs_of_a_release_are_not_counted(world, loaded):
    store.store(world.catalog, blocks(world), loaded, Silent())
    live = store.open_live(loaded)
    live.apply(["<http://x/a> <http://x/b> <http://x/c> <https://data.example.org/graph/run> .\n"], [])
    live.close()
    world.change(Change({1: Book(2, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    store.store(world.catalog, never(), loaded, Silent())


class InMemory(OxigraphStore):
    """The store without files: its folder holds the number of its quads in memory."""

    stores: ClassVar[list[pyoxigraph.Store]] = []

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._settings = settings
        if not folder.is_dir():
            folder.mkdir()
            (folder / "number").write_text(str(len(self.stores)))
            self.stores.append(pyoxigraph.Store())
        self._store = self.stores[int((folder / "number").read_text())]

    def close(self) -> None:
        pass


class Breaking:
    """Ends the run at the nth call of what it stands for, before or after that is done."""

    def __init__(self, function, at: int, is_before: bool) -> None:
        self._function, self._left, self._is_before = function, at, is_before

    def __get__(self, instance, owner):
        def call(*arguments, **more):
            self._left -= 1
            if self._left < 0 and self._is_before:
                raise Killed
            answer = self._function(instance, *arguments, **more)
            if self._left < 0:
                raise Killed
            return answer

        return call


@pytest.mark.parametrize(("worthwhile", "stop"), [(100.0, ("apply", 0, False)), (0.0, ("delivered", 0, True))])
def test_what_was_begun_is_ended_before_it_is_undone(world, loaded, worthwhile, stop):
    """A change and its undoing come to nothing, but a run that was stopped has left the change in the store."""
    store.store(world.catalog, blocks(world), loaded, Silent())
    world.change(Change({1: Book(2, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    with patch.object(store, "MAX_PATCH_SHARE", worthwhile):
        _stopped(world, loaded, stop)
    assert quads_in(loaded) == expected(world, loaded)
    assert not store.is_current(world.catalog, loaded)
    world.change(Change({1: Book(1, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()
    store.store(world.catalog, never(), loaded, Silent())
    assert quads_in(loaded) == expected(world, loaded)


STOPS = st.none() | st.tuples(
    st.sampled_from(["_remove", "_add", "delivered", "load"]), st.integers(0, 3), st.booleans()
)
STEPS = st.lists(st.tuples(CHANGES, STOPS, st.sampled_from([0.01, 100.0])), min_size=1, max_size=5)


@given(STEPS, st.booleans())
@settings(max_examples=30, deadline=None)
def test_it_holds_the_quads_of_the_catalog_whatever_was_stopped_where(steps, named_provenance):
    with (
        TemporaryDirectory() as folder,
        World(Path(folder)) as world,
        patch("bibld.store.oxigraph.OxigraphStore", InMemory),
    ):
        loaded = configured(Path(folder), chunk=20, named_provenance=named_provenance)
        for change, stop, worthwhile in steps:
            world.change(change)
            world.triplify()
            with patch.object(store, "MAX_PATCH_SHARE", worthwhile):
                _stopped(world, loaded, stop)
        with patch.object(store, "MAX_PATCH_SHARE", 100.0):
            recording = Recording()
            store.store(world.catalog, blocks(world), loaded, recording)
        assert recording.messages == []
        assert quads_in(loaded) == expected(world, loaded)


def _stopped(world: World, loaded: Config, stop: tuple[str, int, bool] | None) -> None:
    if stop is None:
        store.store(world.catalog, blocks(world), loaded, Silent())
        return
    name, at, is_before = stop
    owner = Patches if name == "delivered" else OxigraphStore
    with patch.object(owner, name, Breaking(getattr(owner, name), at, is_before)):
        try:
            store.store(world.catalog, blocks(world), loaded, Silent())
        except Killed:
            return


def _kept(catalog: Catalog) -> int:
    return catalog._connection.execute("SELECT count(*) FROM patch").fetchone()[0]
