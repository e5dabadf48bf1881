"""Deleted records: their IRIs, when they were deleted and what replaces them are triples."""

import pytest

from bibld.triplify import requeue_all, withdrawal_statements
from tests.triplify.merged_book import IRIS, Quads
from tests.triplify.small_world import Book, Change, World, record_id

FIRST, SECOND = record_id(1), record_id(2)
SEPARATE, JOINED = (1, 2, 3, 4, 5), (1, 1, 3, 4, 5)


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as made:
        yield made


def delete(world: World, number: int, groups: tuple[int, ...], target: int | None, time: str) -> Quads:
    """Delete a record as matching does, and return what is published then."""
    world.change(Change({number: None}, groups))
    with world.catalog.commit():
        world.catalog.register.set_redirects([(number, target)])
        world.catalog.history.record_events([(number, time, "deleted", None)])
    world.triplify()
    return Quads(world.quads())


def test_a_deleted_record_has_the_time_and_the_iri_that_replaces_it(world):
    world.change(Change({1: Book(1, 1), 2: Book(1, 1)}, JOINED))
    world.triplify()
    made = delete(world, 1, JOINED, 2, "2026-01-02T03:04:05+03:00")
    assert made.values("prov:invalidatedAtTime", IRIS.resource(FIRST)) == ["2026-01-02T00:04:05Z^dateTime"]
    assert made.values("prov:invalidatedAtTime", IRIS.record(FIRST)) == ["2026-01-02T00:04:05Z^dateTime"]
    assert made.values("dcterms:isReplacedBy", IRIS.resource(FIRST)) == [f":resource/{SECOND.path}"]
    for deleted in (IRIS.resource(FIRST), IRIS.record(FIRST)):
        assert sorted(made.values("rdfs:comment", deleted)) == [
            "The record was deleted from its source.@en", "Запись удалена из источника.@ru",
        ]  # fmt: skip
    assert made.values("rdf:type", IRIS.resource(FIRST)) == []
    assert made.values("rdf:type", IRIS.resource(SECOND)) != []


def test_a_record_without_a_successor_has_the_time_only(world):
    world.change(Change({1: Book(1, 1)}, SEPARATE))
    made = delete(world, 1, SEPARATE, None, "2026-01-02T00:00:00+00:00")
    assert made.subjects() >= {IRIS.resource(FIRST), IRIS.record(FIRST)}
    assert made.values("dcterms:isReplacedBy", IRIS.resource(FIRST)) == []


def test_a_restored_record_has_no_tombstone(world):
    world.change(Change({1: Book(1, 1)}, SEPARATE))
    delete(world, 1, SEPARATE, None, "2026-01-02T00:00:00+00:00")
    world.change(Change({1: Book(1, 1)}, SEPARATE))
    with world.catalog.commit():
        world.catalog.register.clear_redirects([1])
    world.triplify()
    made = Quads(world.quads())
    assert made.values("prov:invalidatedAtTime", IRIS.resource(FIRST)) == []
    assert world.quads() == world.expected()


def test_tombstones_of_replaced_replacements_lead_on(world):
    world.change(Change({number: Book(1, 1) for number in (1, 2, 3)}, (1, 1, 1, 4, 5)))
    delete(world, 1, (1, 1, 1, 4, 5), 2, "2026-01-02T00:00:00+00:00")
    made = delete(world, 2, (1, 1, 1, 4, 5), 3, "2026-01-03T00:00:00+00:00")
    assert made.values("dcterms:isReplacedBy", IRIS.resource(FIRST)) == [f":resource/{SECOND.path}"]
    assert made.values("dcterms:isReplacedBy", IRIS.resource(SECOND)) == [f":resource/{record_id(3).path}"]


def test_a_rebuild_makes_the_same_tombstones_from_the_register(world):
    world.change(Change({1: Book(1, 1), 2: Book(1, 1)}, JOINED))
    delete(world, 1, JOINED, 2, "2026-01-02T00:00:00+00:00")
    lines = world.quads()
    with world.catalog.commit():
        world.catalog.statements.drop([1])
        requeue_all(world.catalog, world.queue)
    world.triplify()
    assert world.quads() == lines


def test_a_suppressed_record_has_no_tombstone_and_no_tombstone_names_it(world):
    world.change(Change({1: Book(1, 1), 2: Book(1, 1)}, JOINED))
    delete(world, 1, JOINED, 2, "2026-01-02T00:00:00+00:00")
    with world.catalog.commit():
        world.catalog.suppressions.replace({(2, ""): "asked by the author"})
    world.triplify()
    made = Quads(world.quads())
    assert made.values("dcterms:isReplacedBy", IRIS.resource(FIRST)) == []
    assert made.values("prov:invalidatedAtTime", IRIS.resource(FIRST)) != []
    with world.catalog.commit():
        world.catalog.suppressions.replace({(1, ""): "asked by the author", (2, ""): "asked by the author"})
    world.triplify()
    assert IRIS.resource(FIRST) not in Quads(world.quads()).subjects()


def test_only_the_documents_of_suppressed_records_state_since_when_they_are_withdrawn(world):
    world.change(Change({1: Book(1, 1), 2: Book(1, 1)}, SEPARATE))
    assert withdrawal_statements(world.catalog, IRIS) == ()
    with world.catalog.commit():
        world.catalog.suppressions.replace({(1, ""): "asked by the author", (2, "a note"): "a letter"})
        world.catalog.history.record_events([(1, "2026-01-02T00:00:00+00:00", "deleted", None)])
    made = Quads(withdrawal_statements(world.catalog, IRIS))
    assert made.subjects() == {IRIS.resource(FIRST), IRIS.record(FIRST)}
    assert made.values("prov:invalidatedAtTime", IRIS.record(FIRST)) == ["2026-01-02T00:00:00Z^dateTime"]
    assert sorted(made.values("rdfs:comment", IRIS.resource(FIRST))) == [
        "The record was withdrawn from publication.@en", "Запись снята с публикации.@ru",
    ]  # fmt: skip
