"""The stage over a catalog: only what changed is made again, and the dataset equals one made from nothing."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.triplify import is_pending, requeue_all
from tests.triplify.merged_book import BASE, IRIS, Quads
from tests.triplify.small_world import CHANGES, Book, Change, Killed, Stopping, World, record_id

VOLUME, SET = record_id(1), record_id(2)
SEPARATE = (1, 2, 3, 1, 2)
JOINED = (1, 1, 3, 2, 2)


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as made:
        yield made


def published(world: World, books: dict[int, Book | None], groups: tuple[int, ...] = SEPARATE) -> list[str]:
    world.change(Change(books, groups))
    world.triplify()
    return world.quads()


def test_each_statement_is_published_once_with_entities_and_sources(world):
    lines = published(world, {1: Book(1, 1), 2: Book(2, 1)})
    assert len(set(lines)) == len(lines)
    quads = Quads(lines)
    assert {IRIS.resource(VOLUME), IRIS.resource(SET), IRIS.record(VOLUME), IRIS.source("rsl")} <= quads.subjects()
    (agent,) = quads.values("dcterms:contributor", IRIS.resource(VOLUME))
    assert quads.values("skos:prefLabel", BASE + agent[1:])


def test_what_is_made_by_the_same_is_not_made_again(world, monkeypatch):
    first = published(world, {1: Book(1, 1, host=2)})
    assert not is_pending(world.catalog, world.queue)
    with world.catalog.commit():
        requeue_all(world.catalog, world.queue)
    assert is_pending(world.catalog, world.queue)

    def never(*arguments, **more):
        raise AssertionError("the statements were made again")

    monkeypatch.setattr("bibld.triplify._clusters.cluster_statements", never)
    world.triplify()
    assert world.quads() == first
    assert not is_pending(world.catalog, world.queue)


def test_a_volume_is_linked_to_its_set_as_soon_as_that_is_there_and_no_longer(world):
    part = IRIS.resource(VOLUME)
    dependents = world.catalog.statements.dependents
    lines = published(world, {1: Book(1, 1, host=2)})
    assert Quads(lines).values("dcterms:isPartOf", part) == [":resource/rsl/1#host1"]
    assert (dependents(SET, True), dependents(SET, False)) == ([1], [])
    lines = published(world, {2: Book(2, 2)})
    assert Quads(lines).values("dcterms:isPartOf", part) == [":resource/rsl/2"]
    assert (dependents(SET, True), dependents(SET, False)) == ([], [1])
    lines = published(world, {2: None})
    assert Quads(lines).values("dcterms:isPartOf", part) == [":resource/rsl/1#host1"]
    assert not any(IRIS.resource(SET) in line for line in lines)
    published(world, {1: None})
    assert (dependents(SET, True), dependents(SET, False)) == ([], [])


def test_a_volume_is_part_of_the_work_of_its_set_whatever_record_that_is_merged_with(world):
    works = {number: IRIS.work_of(record_id(number)) for number in (1, 2, 3)}

    def part_of(groups: tuple[int, ...]) -> list[str]:
        return Quads(published(world, {}, groups)).values("bf:partOf", works[1])

    published(world, {1: Book(1, 1, host=3), 2: Book(2, 2), 3: Book(4, 2)})
    for groups, host in (((1, 2, 3, 4, 5), 3), ((1, 2, 2, 4, 5), 2), ((1, 2, 3, 4, 5), 3)):
        assert part_of(groups) == [works[host].replace(BASE, ":")]
        assert world.quads() == world.expected()


def test_an_edge_between_members_is_published_when_they_become_one_cluster(world):
    published(world, {1: Book(1, 1), 2: Book(1, 1)})
    quads = Quads(published(world, {}, JOINED))
    (match,) = [subject for subject in quads.subjects() if "/match/" in subject]
    assert quads.values("bibld:decision", match) == ["same"]
    assert quads.values("owl:sameAs", IRIS.resource(VOLUME)) == [":resource/rsl/2"]
    assert quads.values("dcterms:title", IRIS.resource(SET)) == []


def test_an_entity_goes_with_the_last_record_that_names_it(world):
    def counts() -> tuple[int, int, int]:
        """How many agents and works are published, and how many entities stored."""
        quads = Quads(world.quads())
        works = [subject for subject in quads.subjects() if quads.values("bf:hasInstance", subject)]
        return len(quads.agents()), len(works), world.catalog.entities.count()

    published(world, {1: Book(1, 1), 2: Book(2, 1), 3: Book(4, 2)})
    assert counts() == (2, 3, 5)
    published(world, {1: None})
    assert counts() == (2, 2, 4)
    published(world, {2: Book(2, 2)})
    assert counts() == (1, 2, 3)
    published(world, {2: None, 3: None})
    assert counts() == (0, 0, 0)


def test_nobody_waiting_for_patches_none_are_kept(world):
    published(world, {1: Book(1, 1)})
    assert world.catalog.patches.last() == 0
    with world.catalog.commit():
        world.catalog.patches.delivered("store", 0, 0, "x")
    published(world, {1: Book(2, 1)})
    assert world.catalog.patches.last() > 0


def test_the_owner_of_a_line_follows_from_its_subject(world):
    """So no line has two owners: clusters share no record, and entities have separate IRIs."""
    published(world, {number: Book(number, 1, host=5) for number in (1, 2, 3, 4)}, (1, 1, 1, 2, 2))
    catalog = world.catalog
    for founder in catalog.statements.owners():
        members = [catalog.register.record(ordinal) for ordinal in catalog.linkage.members(founder)]
        own = {IRIS.resource(members[0]), *map(IRIS.record, members)}
        pairs = [edge.pair for edge in catalog.edges_of(members)]
        own |= {IRIS.match(pair) for pair in pairs}
        lines = catalog.statements.quads(founder).decode().splitlines()
        assert {line[1:].partition(">")[0].partition("#")[0] for line in lines} <= own
    for entity in catalog.entities.owners():
        lines = catalog.entities.quads(entity).decode().splitlines()
        assert {line[1:].partition(">")[0] for line in lines} <= {catalog.entities.iri(entity)}


def changed(lines: set[str], world: World, after: int, folder: Path) -> set[str]:
    """The lines when the patches after one have been applied; each must add and remove exactly its lines."""
    with world.catalog.patches.net(after, world.catalog.patches.last(), folder) as net:
        for line, is_added in net.lines():
            text = f"{line.decode()}\n"
            assert (text in lines) is not is_added
            (lines.add if is_added else lines.remove)(text)
    return lines


def test_a_line_that_two_clusters_owned_for_a_time_is_gone_when_both_have_lost_it(world, tmp_path):
    lines = set(published(world, {1: Book(1, 1), 2: Book(1, 1)}))
    with world.catalog.commit():
        world.catalog.patches.delivered("store", 0, len(lines), "x")
    world.change(Change({}, JOINED))
    with patch("bibld.catalog.processing.ITEMS_AT_ONCE", 1), pytest.raises(Killed):
        world.triplify(Stopping(0))
    owners = [line for founder in (1, 2) for line in world.catalog.statements.quads(founder).splitlines()]
    assert len(owners) > len(set(owners))
    after = set(published(world, {2: None}, JOINED))
    assert changed(lines, world, 0, tmp_path) == after


STEPS = st.lists(st.tuples(CHANGES, st.none() | st.integers(0, 4), st.booleans()), min_size=1, max_size=6)


@given(STEPS)
@settings(max_examples=40, deadline=None)
def test_old_quads_and_patches_are_the_new_quads_whatever_was_stopped_where(steps):
    items_per_commit = patch("bibld.catalog.processing.ITEMS_AT_ONCE", 2)
    with TemporaryDirectory() as folder, World(Path(folder)) as world, items_per_commit:
        patches = world.catalog.patches
        with world.catalog.commit():
            patches.delivered("store", 0, 0, "x")
        followed, taken = set(world.quads()), 0
        for change, stop, is_taken in steps:
            world.change(change)
            try:
                world.triplify(None if stop is None else Stopping(stop))
            except Killed:
                continue
            lines = world.quads()
            assert len(lines) == len(set(lines))
            assert lines == world.expected()
            assert changed(set(followed), world, taken, Path(folder)) == set(lines)
            if is_taken:
                followed, taken = set(lines), patches.last()
                with world.catalog.commit():
                    patches.delivered("store", taken, len(lines), "x")
