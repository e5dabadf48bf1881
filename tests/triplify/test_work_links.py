"""Links of works to works of others: which work has a link that a record states, and by which property."""

import pytest

from bibld.model.mods import Language, LanguageTerm, Mods, RelatedItem, TitleInfo
from bibld.triplify import cluster_statements, entity_statements
from tests.triplify.merged_book import BASE, IRIS, NLR, Quads, alone, person

WIKIDATA = "http://www.wikidata.org/entity/Q161531"
HUB = "http://id.loc.gov/resources/hubs/8e96ec0a-cafe-0c4e-dd63-16e49d3f2b99"
RDA = "http://rdaregistry.info/Elements/m/"
BF = "http://id.loc.gov/ontologies/bibframe/"
HAS_WORK = "https://id.oclc.org/worldcat/ontology/hasWork"
OWN = IRIS.work_of(NLR)


def language(code: str, part: str | None = None) -> Language:
    return Language((LanguageTerm(code, type="code", authority="iso639-2b"),), object_part=part)


def book(*items: RelatedItem, is_translation: bool, titles: tuple[TitleInfo, ...] = ()) -> Mods:
    languages = (language("eng"), *([language("rus", "translation")] if is_translation else []))
    return Mods(
        title_info=(TitleInfo("War and peace"), *titles),
        name=(person("Tolstoy, Leo", "1828-1910", usage="primary"),),
        language=languages,
        related_item=items,
    )


def describe(description: Mods) -> Quads:
    made = cluster_statements(alone(description), [], IRIS)
    lines = list(made.quads)
    for entity in sorted({claim.entity for claim in made.claims}):
        lines += entity_statements(entity, made.claims, IRIS)
    return Quads(lines)


def links(made: Quads, target: str) -> list[tuple[str, str]]:
    """Return which work (own or original) has a link to a target, and the property."""
    originals = made.values("bf:translationOf", OWN)
    names = {OWN: "own", **{BASE + original[1:]: "original" for original in originals}}
    return [
        (names.get(quad.subject.value, quad.subject.value), quad.predicate.value.rpartition("/")[2].rpartition("#")[2])
        for quad in made.quads
        if str(quad.object) == f"<{target}>"
    ]


@pytest.mark.parametrize(
    ("term", "words", "is_translation", "stated"),
    [
        (f"{RDA}P30135", None, False, ("own", "sameAs")),  # work manifested
        (f"{RDA}P30135", None, True, ("original", "sameAs")),
        (f"{RDA}object/P30135", "Has work manifested", True, ("original", "sameAs")),
        (None, "Has work manifested", False, ("own", "sameAs")),
        (None, "Has work manifested", True, ("original", "sameAs")),
        (f"{RDA}P30139", None, False, ("own", "sameAs")),  # expression manifested
        (f"{RDA}P30139", None, True, ("own", "sameAs")),
        (f"{BF}instanceOf", None, True, ("own", "sameAs")),
        (HAS_WORK, "has work", False, ("own", "sameAs")),
        (HAS_WORK, "has work", True, ("own", "relatedTo")),
        (f"{BF}derivativeOf", "Derivative of", False, ("own", "derivativeOf")),
        (f"{BF}translationOf", None, True, ("own", "translationOf")),
        (f"{RDA}P30000", None, False, ("own", "relatedTo")),
        (None, "Inspired", False, ("own", "relatedTo")),
    ],
)
def test_what_is_manifested_is_the_work_and_other_relations_have_other_properties(term, words, is_translation, stated):
    item = RelatedItem(other_type=words, other_type_uri=term, xlink_href=WIKIDATA)
    made = describe(book(item, is_translation=is_translation))
    assert [one for one in links(made, WIKIDATA) if one[1] != "seeAlso"] == [stated]
    graphs = {str(quad.graph_name) for quad in made.quads if quad.predicate.value.endswith(stated[1])}
    assert f"<{BASE}graph/links-wikidata>" in graphs


def test_a_title_in_the_relation_is_not_a_further_work():
    item = RelatedItem(
        Mods(title_info=(TitleInfo("War and peace (Text)"),)), other_type="has work", xlink_href=WIKIDATA
    )
    made = describe(book(item, is_translation=False))
    assert links(made, WIKIDATA) == [("own", "sameAs")]
    assert made.values("rdfs:label", OWN) == ["War and peace@en"]
    assert made.values("bf:relatedTo", OWN) == []


@pytest.mark.parametrize(
    ("title", "is_translation", "owner"),
    [
        ("Voĭna i mir. English", True, "own"),
        ("Voĭna i mir", True, "original"),
        ("War and peace", False, "own"),
    ],
)
def test_a_uniform_title_with_a_language_is_that_of_the_translation(title, is_translation, owner):
    uniform = TitleInfo(title, type="uniform", value_uri=WIKIDATA, xlink_href=HUB)
    made = describe(book(is_translation=is_translation, titles=(uniform,)))
    for target in (WIKIDATA, HUB):
        assert links(made, target) == [(owner, "sameAs")]


@pytest.mark.parametrize(
    ("stated", "number"),
    [
        (HUB, f"lchub-{HUB.rpartition('/')[2]}"),
        ("https://id.loc.gov/resources/works/in00024306378.html", "lcwork-in00024306378"),
        ("http://data.bnf.fr/ark:/12148/cb11947965f#about", "bnf-cb11947965f"),
        ("http://d-nb.info/gnd/118540238", "gnd-118540238"),
        ("https://www.wikidata.org/wiki/Q161531", "wikidata-Q161531"),
    ],
)
def test_works_of_others_have_the_graph_of_their_file(stated, number):
    item = RelatedItem(other_type_uri=f"{RDA}P30135", xlink_href=stated)
    made = describe(book(item, is_translation=False))
    graphs = {
        quad.graph_name.value
        for quad in made.quads
        if quad.subject.value == OWN and "sameAs" in str(quad.predicate) and BASE not in str(quad.object)
    }
    assert graphs == {f"{BASE}graph/links-{number.partition('-')[0]}"}
