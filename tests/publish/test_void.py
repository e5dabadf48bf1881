"""The dataset's description of sources and publisher."""

import re

import pytest

from bibld.model.iris import Iris
from bibld.model.release import DatasetDescription, QuadCounts, SourceFigures
from bibld.publish.void import partition_iri, void_quads

IRIS = Iris("https://data.example.org/")
DATASET = DatasetDescription(
    IRIS.base, {"en": "Books"}, "https://creativecommons.org/publicdomain/zero/1.0/", "A library"
)
VOID = "http://rdfs.org/ns/void#"


NOTHING = QuadCounts({}, {}, 0, 0, {}, {})


def described(**figures: int) -> str:
    source = SourceFigures("rsl", {"en": "RSL"}, DATASET.license, read=3, superseded=0, rejected=0, **figures)
    return "".join(sorted(void_quads(NOTHING, DATASET, [source], [])))


@pytest.mark.parametrize(("records", "entities"), [(1000, 1000), (0, 3)])
def test_a_source_has_as_many_entities_as_live_records_whatever_the_last_load_brought(records, entities):
    lines = described(converted=3, records=records)
    assert f'<{IRIS.source("rsl")}> <{VOID}entities> "{entities}"^^' in lines


def test_the_publisher_has_the_label_that_every_agent_has():
    assert f'<{IRIS.dataset}#publisher> <http://www.w3.org/2004/02/skos/core#prefLabel> "A library"' in described(
        converted=3
    )


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("http://id.loc.gov/ontologies/bibframe/Person", "class-bf-Person"),
        ("https://data.example.org/ontology#MergedResource", "class-bibld-MergedResource"),
        ("http://schema.org/", "class-iri-schema-org-[0-9a-f]{12}"),
        ("urn:other:Thing", "class-iri-Thing-[0-9a-f]{12}"),
        ("http://example.org/Книга", "class-iri--[0-9a-f]{12}"),
    ],
)
def test_the_iri_of_a_partition_depends_on_its_class_alone(value, name):
    found = partition_iri("class", value, IRIS)
    assert re.fullmatch(name, found.removeprefix(f"{IRIS.dataset}#"))
    assert found != partition_iri("class", f"{value}s", IRIS)
