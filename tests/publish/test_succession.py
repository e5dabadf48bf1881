"""A release follows on the one before: full dumps and patches together are the quads of the present."""

import hashlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import msgspec
import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bibld.catalog import digest
from bibld.catalog._patches import Patches
from bibld.config import Config, DedupConfig, MergeConfig, PublishConfig, StoreConfig
from bibld.dedup import write_match_index
from bibld.errors import StageError
from bibld.model.rdf import move_to_default_graph
from bibld.model.release import DatasetDescription, Figures, Manifest
from bibld.progress import Silent
from bibld.protocols import adapters
from bibld.publish import Contents, Releases, is_current, publish
from bibld.store.oxigraph import OxigraphStore
from bibld.store.oxigraph import Settings as StoreSettings
from bibld.triplify import catalog_blocks, count_quads, dataset_statements, update_counts
from tests.publish.follower import quads_of, unpacked
from tests.triplify.merged_book import IRIS
from tests.triplify.small_world import CHANGES, SOURCES, Book, Change, Killed, World

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
DATASET = DatasetDescription(IRIS.base, {"en": "Books"}, "https://example.org/licence", "A library")
GRADUAL = PublishConfig(full_above=1.0)
SEPARATE = (1, 2, 3, 4, 5)


class InMemory(OxigraphStore):
    """The store without a folder; its backup is a file of quads."""

    def __init__(self) -> None:
        self._settings = StoreSettings()
        self._store = pyoxigraph.Store()

    def backup(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "quads.nq").write_text("".join(self.quads()), encoding="utf-8")


class Publisher:
    """Publishes a world, with a store that is filled again each time."""

    def __init__(self, world: World, folder: Path, workers: int = 1, named_provenance: bool = True) -> None:
        self.world = world
        self.named_provenance = named_provenance
        self.counts = count_quads
        self.workers = workers
        self.catalog = world.catalog
        self.folder = folder
        self.releases = Releases(folder)
        self.day = 0

    def publish(self, settings: PublishConfig = GRADUAL, dataset: DatasetDescription = DATASET) -> Manifest:
        self.world.triplify()
        config = configured(self.folder, dataset, settings, self.workers, self.named_provenance)
        store, in_default_graph = InMemory(), config.graph_in_default
        store.load(move_to_default_graph(block, in_default_graph.encode()) for block in self.blocks())
        contents = Contents(
            made_by=made_by(dataset),
            figures=Figures(SOURCES, 0, 0, 0, 0, 0, 0),
            blocks=partial(catalog_blocks, iris=IRIS, sources=SOURCES),
            counts=partial(self.counts, iris=IRIS, sources=SOURCES, in_default_graph=in_default_graph),
            update_counts=partial(update_counts, base=IRIS.base.encode()),
            match_index=partial(write_match_index, config=config),
            source_statements=dataset_statements(SOURCES, IRIS),
            examples=[],
        )
        return publish(
            self.catalog, lambda: nullcontext(store), contents, config, CLOCK + timedelta(days=self.day), Silent()
        )

    def is_current(self, digest: str) -> bool:
        return is_current(self.catalog, self.releases, digest, configured(self.folder, DATASET, GRADUAL))

    def blocks(self) -> Iterator[bytes]:
        return catalog_blocks(self.catalog, IRIS, SOURCES)

    def current(self) -> tuple[Path, Manifest]:
        place = self.releases.current()
        return place, self.releases.manifest(place)


def unpacked_run(place: Path) -> list[str]:
    """The statements about the run, which no dump has."""
    return (place / "run.nq").read_text(encoding="utf-8").splitlines()


def configured(
    folder: Path,
    dataset: DatasetDescription,
    settings: PublishConfig,
    workers: int = 1,
    named_provenance: bool = True,
) -> Config:
    """A configuration with no more than the stage asks."""
    return Config(
        file=folder / "bibld.toml",
        workspace=folder,
        workers=workers,
        dataset=dataset,
        sources=(),
        dedup=DedupConfig(),
        merge=MergeConfig(),
        triplify=None,
        store=StoreConfig(named_provenance=named_provenance),
        publish=settings,
        serve=None,
        adapter_settings={},
    )


def made_by(dataset: DatasetDescription) -> str:
    return digest(dataset)


def served(place: Path) -> set[str]:
    """What the store of a release holds, but for the run."""
    run = f" <{IRIS.graph('run')}> .\n"
    lines = (place / "store" / "quads.nq").read_text(encoding="utf-8").split("\n")
    return {f"{line}\n" for line in lines if line and not f"{line}\n".endswith(run)}


@pytest.fixture
def publisher(tmp_path):
    with World(tmp_path) as world:
        world.change(Change({number: Book(1, number % 3) for number in SEPARATE}, SEPARATE))
        yield Publisher(world, tmp_path)


def test_the_first_release_has_full_dumps_and_the_next_one_builds_on_them(publisher):
    first = publisher.publish()
    assert (first.full.release, first.patches) == (1, ())
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    second = publisher.publish()
    assert second.full == first.full
    (changed,) = second.since_full
    assert (changed.release, changed.since) == (2, 1)
    assert 0 < changed.added_quads < second.figures.quads / 5
    assert {file.name for file in second.files} == {
        "added-2.nq.gz", "removed-2.nq.gz", "bibld.nq.gz", "run.nq", "void.ttl",
        "dcat.ttl", "sitemap.xml", "sitemap-1.xml.gz", "changes.tsv", "feed.ttl", "feed-2-1.ttl",
        "report.json", "completion.json",
    }  # fmt: skip
    assert second.file("bibld.nq.gz") == first.file("bibld.nq.gz")


class FullDisk(Releases):
    """Releases on a disk that has no room for the dump."""

    def begin(self) -> tuple[int, Path]:
        number, place = super().begin()
        (place / "bibld.nq.gz").symlink_to("/dev/full")
        return number, place


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_disk_that_is_full_ends_the_stage_with_a_word_and_costs_nothing(publisher):
    with (
        patch("bibld.publish.Releases", FullDisk),
        pytest.raises(StageError, match=r"releases: the release cannot be written: .*No space .*; free some space"),
    ):
        publisher.publish()
    assert publisher.releases.current() is None
    assert publisher.publish().number == 1


def test_a_release_is_complete_when_those_before_it_are_gone(publisher):
    publisher.publish()
    for title in (2, 1, 2):
        publisher.world.change(Change({1: Book(title, 1)}, SEPARATE))
        publisher.publish(msgspec.structs.replace(GRADUAL, keep=1))
    assert publisher.releases.numbers() == [4]
    place, manifest = publisher.current()
    assert [patch.release for patch in manifest.since_full] == [2, 3, 4]
    for file in manifest.files:
        data = (place / file.name).read_bytes()
        assert (file.bytes, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert quads_of(place, manifest) == served(place)


def test_full_dumps_are_written_when_old_ones_will_not_do(publisher):
    publisher.publish()

    def is_full(settings: PublishConfig, title: int) -> bool:
        publisher.world.change(Change({1: Book(title, 1)}, SEPARATE))
        manifest = publisher.publish(settings)
        return manifest.full.release == manifest.number

    assert not is_full(GRADUAL, 2)
    assert is_full(PublishConfig(full_above=0.0), 1)
    assert not is_full(GRADUAL, 2)
    assert is_full(msgspec.structs.replace(GRADUAL, full="always"), 1)
    publisher.day = 6
    assert not is_full(GRADUAL, 2)
    publisher.day = 7
    assert is_full(GRADUAL, 1)
    (publisher.current()[0] / "bibld.nq.gz").unlink()
    assert is_full(GRADUAL, 2)


def test_all_patches_together_decide_whether_full_dumps_are_due(publisher):
    """Each patch is below the limit, their sum is above it."""
    publisher.publish()
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    second = publisher.publish()
    (patch,) = second.since_full
    share = (patch.added_quads + patch.removed_quads) / second.figures.quads
    publisher.world.change(Change({1: Book(1, 1)}, SEPARATE))
    third = publisher.publish(PublishConfig(full_above=1.5 * share))
    assert third.full.release == 3
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    assert publisher.publish(PublishConfig(full_above=1.5 * share)).full.release == 3


def test_a_release_with_full_dumps_has_the_way_from_the_one_before_too(publisher):
    publisher.publish()
    before = quads_of(*publisher.current())
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    manifest = publisher.publish(PublishConfig(full="always"))
    place, _ = publisher.current()
    (changed,) = manifest.patches
    assert manifest.since_full == ()
    after = (before - unpacked(place / changed.removed)) | unpacked(place / changed.added)
    assert after == quads_of(place, manifest)


def test_a_change_of_the_description_alone_is_a_release_with_a_small_patch(publisher):
    publisher.publish()
    assert publisher.is_current(made_by(DATASET))
    renamed = msgspec.structs.replace(DATASET, title={"en": "More books"})
    assert not publisher.is_current(made_by(renamed))
    manifest = publisher.publish(dataset=renamed)
    (changed,) = manifest.since_full
    assert (changed.added_quads, changed.removed_quads) == (1, 1)
    assert "More books" in "".join(unpacked(publisher.current()[0] / changed.added))
    assert publisher.is_current(made_by(renamed))


def test_the_files_of_a_patch_depend_on_the_quads_alone(publisher, tmp_path):
    """Other ways to the same difference, the same bytes."""
    publisher.publish()
    publisher.world.change(Change({1: Book(2, 2), 2: Book(2, 1)}, SEPARATE))
    publisher.publish()
    with World(tmp_path / "other") as world:
        other = Publisher(world, tmp_path / "other")
        world.change(Change({number: Book(1, number % 3) for number in SEPARATE}, SEPARATE))
        other.publish()
        for change in (Change({1: Book(2, 1, 3)}, (1, 1, 1, 4, 5)), Change({2: Book(2, 1)}, (2, 2, 3, 3, 5))):
            world.change(change)
            world.triplify()
        world.change(Change({1: Book(2, 2)}, SEPARATE))
        other.publish()
        for name in ("added-2.nq.gz", "removed-2.nq.gz", "bibld.nq.gz"):
            assert (other.current()[0] / name).read_bytes() == (publisher.current()[0] / name).read_bytes()


def test_without_the_last_release_the_next_one_has_full_dumps(publisher):
    publisher.publish()
    publisher.publish(PublishConfig(keep=1))
    shutil.rmtree(publisher.releases.folder)
    assert not publisher.is_current(made_by(DATASET))
    manifest = publisher.publish()
    assert (manifest.number, manifest.full.release, manifest.patches) == (1, 1, ())


def test_a_release_that_was_made_and_not_noted_is_the_one_that_the_next_follows_on(publisher):
    publisher.publish()
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    _stopped(publisher, GRADUAL, ((Patches, "delivered"), True))
    assert not publisher.is_current(made_by(DATASET))
    publisher.world.change(Change({1: Book(1, 1)}, SEPARATE))
    manifest = publisher.publish()
    assert [(patch.since, patch.release) for patch in manifest.since_full] == [(1, 2), (2, 3)]
    place, _ = publisher.current()
    assert quads_of(place, manifest) == served(place)


def test_a_release_of_another_catalog_is_not_built_on(publisher):
    publisher.publish()
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    publisher.publish()
    with publisher.catalog.commit():  # as if it had been brought back from a copy that is older than the release
        publisher.catalog.patches.delivered("release", 0, 0, "x")
    assert publisher.publish().full.release == 3


PART = """
import msgspec

class Settings(msgspec.Struct, frozen=True):
    text: str = "hello"

def write(draft, settings):
    (draft.folder / "greeting.txt").write_text(f"{settings.text}, release {draft.manifest.number}")
    base = draft.manifest.dataset.base
    line = f'<{base}dataset> <http://x/p> "greeting" <{base}graph/dataset> .'
    return msgspec.structs.replace(draft, description=draft.description | {line + chr(10)})
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a distribution with one part of a release."""

    def install(source: str) -> None:
        info = tmp_path / "site" / "greeting-1.0.dist-info"
        info.mkdir(parents=True)
        (tmp_path / "site" / "greeting_part.py").write_text(source)
        (info / "METADATA").write_text("Name: greeting\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[bibld.publish]\ngreeting = greeting_part\n")
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setattr(adapters, "_plugins", cache(adapters._plugins.__wrapped__))
        monkeypatch.setattr(adapters, "_entry_points", cache(adapters._entry_points.__wrapped__))

    yield install
    sys.modules.pop("greeting_part", None)


def test_a_part_of_another_distribution_adds_files_and_statements(publisher, install):
    install(PART)
    settings = msgspec.structs.replace(GRADUAL, parts=("greeting", *GRADUAL.parts))
    manifest = publisher.publish(settings)
    place, _ = publisher.current()
    assert (place / "greeting.txt").read_text() == "hello, release 1"
    assert manifest.file("greeting.txt").media_type == "text/plain"
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    publisher.publish(settings)
    place, manifest = publisher.current()
    assert quads_of(place, manifest) == served(place)
    assert sum('"greeting"' in line for line in served(place)) == 1
    without = publisher.publish()
    place, _ = publisher.current()
    assert '"greeting"' in "".join(unpacked(place / without.patches[-1].removed))


def test_a_part_that_fails_is_named(publisher, install):
    install(PART.replace("settings.text", "settings.txt"))
    with pytest.raises(StageError, match=r'part "greeting" of the release failed: AttributeError: .*txt'):
        publisher.publish(msgspec.structs.replace(GRADUAL, parts=("greeting",)))
    assert publisher.releases.current() is None


def test_a_release_may_have_fewer_parts(publisher):
    manifest = publisher.publish(PublishConfig(parts=("run", "store")))
    assert [file.name for file in manifest.files] == ["run.nq"]
    assert (manifest.full, manifest.patches) == (None, ())
    assert manifest.figures.quads == len(publisher.world.quads()) + len(unpacked_run(publisher.current()[0]))
    assert publisher.publish().full.release == 2


STOPS = st.none() | st.tuples(
    st.sampled_from([(Releases, "complete"), (Patches, "delivered"), (Patches, "begin")]), st.booleans()
)
STEPS = st.lists(st.tuples(CHANGES, STOPS, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=5)


@given(STEPS)
@hypothesis_settings(max_examples=15, deadline=None)
def test_full_dumps_and_their_patches_are_the_quads_of_the_present_whatever_was_stopped(steps):
    with TemporaryDirectory() as folder, World(Path(folder)) as world:
        publisher = Publisher(world, Path(folder))
        for change, stop, full_above in [*steps, (Change({1: Book(1, 1)}, SEPARATE), None, 1.0)]:
            world.change(change)
            _stopped(publisher, PublishConfig(full_above=full_above), stop)
            if (place := publisher.releases.current()) is not None:
                manifest = publisher.releases.manifest(place)
                quads = quads_of(place, manifest)
                assert quads == served(place)
                assert len(quads) + len(unpacked_run(place)) == manifest.figures.quads
        assert set(world.quads()) <= quads


@given(st.lists(CHANGES, min_size=1, max_size=5), st.booleans())
@hypothesis_settings(max_examples=20, deadline=None)
def test_counts_that_follow_from_the_changes_are_those_of_all_quads(changes, named_provenance):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("all quads were counted again")

    with (
        TemporaryDirectory() as folder,
        World(Path(folder)) as world,
        patch("bibld.publish._parts._MAX_COUNTED_CHANGES", 100.0),
    ):
        publisher = Publisher(world, Path(folder), named_provenance=named_provenance)
        world.change(Change({1: Book(1, 1)}, SEPARATE))
        publisher.publish()
        publisher.counts = never
        for change in changes:
            world.change(change)
            found = publisher.publish().counts
            assert found == count_quads(world.catalog, IRIS, SOURCES, in_default_graph=found.in_default_graph)


def _stopped(publisher: Publisher, settings: PublishConfig, stop) -> None:
    if stop is None:
        publisher.publish(settings)
        return
    (owner, name), is_before = stop
    original = getattr(owner, name)

    def breaking(self, *arguments):
        if not is_before:
            original(self, *arguments)
        raise Killed

    with patch.object(owner, name, breaking), pytest.raises(Killed):
        publisher.publish(settings)
