"""How notes and the languages of parts are published: by terms that BIBFRAME has for publications."""

import pytest

from bibld.model.mods import Language, LanguageTerm, Mods, Note
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, Quads, alone

TRANSLATED = "bf:translationOf"


def describe(**elements) -> Quads:
    return Quads(cluster_statements(alone(Mods(**elements)), [], IRIS).quads)


def language(code: str, part: str | None = None) -> Language:
    return Language((LanguageTerm(code, type="code", authority="iso639-2b"),), object_part=part)


def iso(*codes: str) -> list[str]:
    return [f"http://id.loc.gov/vocabulary/iso639-2/{code}" for code in codes]


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


@pytest.mark.parametrize("part", ["original", "translation"])
def test_the_language_of_the_original_is_that_of_what_was_translated(part):
    made = describe(language=(language("rus"), language("fre", part), language("lat", part)))
    assert made.values("dcterms:language") == iso("rus")
    assert made.values(TRANSLATED) == [f":{RESOURCE[len(BASE) :]}#origin1"]
    assert made.values("dcterms:language", f"{RESOURCE}#origin1") == iso("fre", "lat")


def test_the_language_of_an_intermediate_translation_is_not_that_of_the_original():
    made = describe(
        language=(language("rus"), language("eng", "intermediate translation"), language("chi", "original"))
    )
    (between,), (original,) = made.values("bf:derivativeOf"), made.values(TRANSLATED)
    assert made.values("dcterms:language", BASE + between[1:]) == iso("eng")
    assert made.values("dcterms:language", BASE + original[1:]) == iso("chi")


def test_each_kind_of_part_is_one_node_with_its_languages():
    made = describe(language=(language("rus"), language("eng", "summary"), language("ger", "summary")))
    (part,) = made.values("dcterms:hasPart")
    part = BASE + part[1:]
    assert made.values("rdf:type", part) == ["http://purl.org/ontology/bibo/DocumentPart"]
    assert made.values("bf:part", part) == ["summary"]
    assert made.values("dcterms:language", part) == iso("eng", "ger")
    assert made.values("schema:inLanguage") == ["ru"]


def test_a_part_in_a_language_without_a_code_is_left_out():
    assert (
        describe(language=(language("und", "summary"), language("German", "original"))).values("dcterms:hasPart") == []
    )
