"""The stage over a catalog: what changed is made anew, and the dataset is the same as made from nothing."""

import msgspec
import pytest

from bibld.catalog import Catalog, NewRecord
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.mods import Mods, Name, NamePart, RecordIdentifier, RecordInfo, RelatedItem, TitleInfo
from bibld.model.origin import Origin, RecordId
from bibld.model.release import SourceFigures
from bibld.progress import Silent
from bibld.triplify import Settings, quads, triplify
from tests.triplify.merged_book import BASE, IRIS, Said

SOURCES = (SourceFigures("rsl", {"en": "RSL"}, "https://example.org/licence", 0, 0, 0, 0),)
VOLUME, SET = RecordId("rsl", "1"), RecordId("rsl", "2")


def host(number: str) -> tuple[RelatedItem, ...]:
    info = RecordInfo(record_identifier=(RecordIdentifier(number),))
    return (RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Set"),), record_info=(info,))),)


def described(record: RecordId, **more) -> NewRecord:
    author = Name(name_part=(NamePart("Толстой, Лев Николаевич"),), type="personal")
    mods = Mods(title_info=(TitleInfo(f"Title {record.control_number}"),), name=(author,), **more)
    data = repr(mods).encode()
    origin = Origin("rsl", "a.mrc", 1, 0)
    return NewRecord(record, origin, data, 1, data, data, "marc21", msgspec.json.encode(mods), (), (), (), False)


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            opened.records.carrier("rsl", "a.mrc", "iso2709", b"{}")
        yield opened


def put(catalog: Catalog, *records: NewRecord, run: int) -> None:
    with catalog.commit():
        catalog.records.put(records, run)


def published(catalog: Catalog) -> list[str]:
    triplify(catalog, IRIS, Settings(), Silent())
    return list(quads(catalog, IRIS, SOURCES))


def test_everything_is_said_once_with_entities_and_sources(catalog):
    put(catalog, described(VOLUME), described(SET), run=1)
    lines = published(catalog)
    assert len(set(lines)) == len(lines)
    said = Said(lines)
    assert {IRIS.resource(VOLUME), IRIS.resource(SET), IRIS.record(VOLUME), IRIS.source("rsl")} <= said.subjects()
    (agent,) = said.values("dcterms:contributor", IRIS.resource(VOLUME))
    assert said.values("skos:prefLabel", BASE + agent[1:])


def test_a_second_run_over_the_same_records_makes_nothing_anew(catalog, monkeypatch):
    put(catalog, described(VOLUME, related_item=host("2")), run=1)
    first = published(catalog)

    def never(*arguments, **more):
        raise AssertionError("the statements were made anew")

    monkeypatch.setattr("bibld.triplify._stage.statements", never)
    assert published(catalog) == first


def test_a_volume_is_linked_to_its_set_as_soon_as_that_is_there_and_no_longer(catalog):
    put(catalog, described(VOLUME, related_item=host("2")), run=1)
    part = IRIS.resource(VOLUME)
    assert Said(published(catalog)).values("dcterms:isPartOf", part) == [":resource/rsl/1#host1"]
    put(catalog, described(SET), run=2)
    assert Said(published(catalog)).values("dcterms:isPartOf", part) == [":resource/rsl/2"]
    with catalog.commit():
        catalog.records.delete(catalog.register.ordinal(SET), 3)
    lines = published(catalog)
    assert Said(lines).values("dcterms:isPartOf", part) == [":resource/rsl/1#host1"]
    assert not any(IRIS.resource(SET) in line for line in lines)


def test_an_edge_between_members_is_said_when_they_become_one_cluster(catalog):
    put(catalog, described(VOLUME), described(SET), run=1)
    published(catalog)
    edge = Edge(Pair.of(VOLUME, SET), Score(0.9), Verdict("same", "a test"), "x")
    ordinals = sorted(catalog.register.ordinal(record) for record in (VOLUME, SET))
    with catalog.commit():
        catalog.linkage.replace_edges([edge])
        catalog.linkage.replace_clusters([ordinals])
    said = Said(published(catalog))
    assert said.values("bibld:decision", IRIS.match(edge.pair)) == ["same"]
    assert said.values("owl:sameAs", IRIS.resource(VOLUME)) == [":resource/rsl/2"]
    assert said.values("dcterms:title", IRIS.resource(SET)) == []
