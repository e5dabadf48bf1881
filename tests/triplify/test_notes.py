"""How notes are published: by terms that BIBFRAME has for publications."""

import pytest

from bibld.model.mods import Mods, Note
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, Quads, alone


def describe(**elements) -> Quads:
    return Quads(cluster_statements(alone(Mods(**elements)), [], IRIS).quads)


@pytest.mark.parametrize(
    ("type_", "property_"),
    [
        ("statement of responsibility", "bf:responsibilityStatement"),
        ("creation/production credits", "bf:credits"),
        ("ownership", "bf:custodialHistory"),
        ("preferred citation", "bf:preferredCitation"),
        (None, "dcterms:description"),
    ],
)
def test_a_note_with_a_property_of_texts_is_one_statement(type_, property_):
    made = describe(note=(Note("Ex libris", type=type_),))
    assert made.values(property_) == ["Ex libris"]
    assert made.values("bf:note") == []


@pytest.mark.parametrize(
    ("type_", "property_", "class_"),
    [
        ("bibliography", "bf:supplementaryContent", "SupplementaryContent"),
        ("system details", "bf:systemRequirement", "SystemRequirement"),
        ("thesis", "bf:dissertation", "Dissertation"),
        ("venue", "bf:capture", "Capture"),
        ("performers", "bf:note", "Note"),
    ],
)
def test_other_notes_are_nodes_with_a_class_and_the_text(type_, property_, class_):
    made = describe(note=(Note("Includes index.", type=type_),))
    (node,) = made.values(property_)
    node = BASE + node[1:]
    assert made.values("rdf:type", node) == [f"http://id.loc.gov/ontologies/bibframe/{class_}"]
    assert made.values("rdfs:label", node) == ["Includes index."]
    assert made.values("bf:noteType", node) == (["performers"] if type_ == "performers" else [])


def test_the_label_of_a_note_is_its_type_if_it_has_no_other():
    made = describe(note=(Note("2000", display_label="Тираж"),))
    assert made.values("bf:noteType", f"{RESOURCE}#note1") == ["Тираж"]
