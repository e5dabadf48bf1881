"""Headings of a name and a title, and uniform titles: they denote works, never agents."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

import bibld
from bibld.model.mods import Mods, Name, NameIdentifier, NamePart, RelatedItem, Subject, TitleInfo, Topic
from bibld.triplify._headings import heading
from tests.triplify.merged_book import BASE, RESOURCE, WORK, Quads, describe, person

ACT = "http://id.loc.gov/authorities/names/n2020023414"


def body(text: str, **more: object) -> Name:
    return Name(name_part=(NamePart(text),), type="corporate", **more)


def agents_with_link(made: Quads, link: str) -> list[str]:
    found = (quad.subject.value for quad in made.quads if str(quad.object) == f"<{link}>")
    return [subject for subject in found if subject.startswith(f"{BASE}agent/")]


@pytest.mark.parametrize(
    "subject",
    [
        Subject((body("United States"), TitleInfo("CARES Act", value_uri=ACT)), authority="lcsh"),
        Subject((body("United States", value_uri=ACT), TitleInfo("CARES Act")), authority="lcsh", value_uri=ACT),
        Subject((body("United States", value_uri=ACT), TitleInfo("CARES Act")), authority="lcsh"),
        Subject((body("United States"), TitleInfo("CARES Act")), authority="lcsh", value_uri=ACT),
    ],
)
def test_a_name_with_a_title_is_a_work_which_has_the_link_of_the_heading(subject):
    made = describe(Mods(subject=(subject,)))
    work = ":work/lcnaf-n2020023414"
    assert made.values("dcterms:subject") == made.values("bf:subject", WORK) == [work]
    assert made.values("rdf:type", work) == ["http://id.loc.gov/ontologies/bibframe/Work"]
    assert made.values("rdfs:label", work) == ["CARES Act"]
    assert made.values("skos:altLabel", work) == ["United States. CARES Act"]
    assert made.values("owl:sameAs", work) == [ACT]
    (creator,) = made.creators(work)
    assert made.values("rdfs:label", creator) == ["United States"]
    assert agents_with_link(made, ACT) == []


TOLSTOY = person("Толстой, Лев Николаевич", "1828-1910")
WAR_AND_PEACE = TitleInfo("Война и мир")


@pytest.mark.parametrize(
    ("parts", "label", "others", "creators"),
    [
        ((TOLSTOY, WAR_AND_PEACE), "Война и мир", ["Толстой, Лев Николаевич, 1828-1910. Война и мир"], [TOLSTOY]),
        (
            (TOLSTOY, TitleInfo("Война и мир", part_number=("Т. 1",))),
            "Война и мир. Т. 1",
            ["Толстой, Лев Николаевич, 1828-1910. Война и мир. Т. 1"],
            [TOLSTOY],
        ),
        ((body("Россия"), TitleInfo("Конституция")), "Конституция", ["Россия. Конституция"], [body("Россия")]),
        ((TitleInfo("Библия"),), "Библия", [], []),
    ],
    ids=["a novel", "a volume of it", "a law", "an anonymous classic"],
)
def test_the_work_of_a_heading_has_its_title_and_creators_and_no_publication(parts, label, others, creators):
    made = describe(Mods(subject=(Subject(parts),)))
    (work,) = made.values("bf:subject", WORK)
    assert made.values("rdf:type", work) == ["http://id.loc.gov/ontologies/bibframe/Work"]
    assert made.values("rdfs:label", work) == [label]
    assert made.values("skos:altLabel", work) == others
    nodes = made.values("bf:contribution", work)
    assert [made.values("rdf:type", node)[0].rpartition("/")[2] for node in nodes] == ["PrimaryContribution"] * len(
        nodes
    )
    assert [made.values("rdfs:label", agent) for agent in made.creators(work)] == [[heading(one)] for one in creators]
    assert made.values("skos:prefLabel", work) == made.values("bf:hasInstance", work) == []


def test_the_creator_of_a_work_that_is_a_subject_is_no_creator_of_the_publication():
    made = describe(Mods(subject=(Subject((TOLSTOY, WAR_AND_PEACE)),)))
    assert made.creators(WORK) == made.values("dcterms:creator") == made.values("dcterms:contributor") == []


def test_a_name_in_a_related_resource_is_the_agent_of_that_name_in_the_publication():
    number = "http://viaf.org/viaf/12345"
    own = Name(
        name_part=(NamePart("Orth, Robert J. (Robert Joseph)"), NamePart("1947-", type="date")),
        type="personal", usage="primary", value_uri=number,
    )  # fmt: skip
    stated = replace(own, type=None, usage=None, value_uri=None)
    namesake = replace(stated, name_part=(own.name_part[0], NamePart("1812-1880", type="date")))
    online, later, work = (
        RelatedItem(type="otherFormat", mods=Mods(name=(stated,), title_info=(TitleInfo("Online"),))),
        RelatedItem(type="succeeding", mods=Mods(name=(namesake,), title_info=(TitleInfo("Later"),))),
        RelatedItem(type="constituent", mods=Mods(name=(own,), title_info=(TitleInfo("Part"),))),
    )
    made = describe(Mods(name=(own,), related_item=(online, later, work)))
    (agent,) = made.values("dcterms:creator")
    assert agent == ":agent/viaf-12345"
    assert made.values("dcterms:creator", f"{RESOURCE}#otherformat1") == [agent]
    assert made.values("dcterms:creator", f"{RESOURCE}#succeeding1") != [agent]
    (part,) = made.values("bf:hasPart", WORK)
    assert made.creators(part) == [agent]


def test_works_without_a_link_are_the_same_if_creator_dates_and_title_are():
    cyrillic = Subject((person("Толстой, Лев Николаевич", "1828-1910"), TitleInfo("Война и мир")))
    latin = Subject((person("Tolstoĭ, Lev Nikolaevich", "1828-1910"), TitleInfo("Voĭna i mir")))
    other = Subject((person("Толстой, Лев Николаевич", "1828-1910"), TitleInfo("Анна Каренина")))
    one, two, three = (describe(Mods(subject=(each,))).values("dcterms:subject") for each in (cyrillic, latin, other))
    assert one == two != three


def test_a_number_that_is_not_a_link_remains_that_of_the_name():
    name = body("United States", name_identifier=(NameIdentifier("RU\\NLR\\auth\\1", type="local"),))
    made = describe(Mods(subject=(Subject((name, TitleInfo("CARES Act", value_uri=ACT))),)))
    assert made.creators(":work/lcnaf-n2020023414") == [":agent/RU~5CNLR~5Cauth~5C1"]


def test_a_uniform_title_is_a_work_and_a_heading_with_subdivisions_a_concept_that_names_it():
    bible = TitleInfo("Bible", value_uri="http://id.loc.gov/authorities/names/n79055461")
    alone_in_heading = describe(Mods(subject=(Subject((bible,), authority="lcsh"),)))
    divided = describe(Mods(subject=(Subject((bible, Topic("Criticism")), authority="lcsh"),)))
    assert alone_in_heading.values("dcterms:subject") == [":work/lcnaf-n79055461"]
    concept, work = divided.values("dcterms:subject")
    assert work == ":work/lcnaf-n79055461"
    assert concept.startswith(":concept/lcsh/bible-criticism-")
    assert divided.values("dcterms:hasPart", concept) == [work]
    assert divided.values("skos:prefLabel", concept) == ["Bible--Criticism@en"]


def test_the_link_of_a_name_with_subdivisions_is_not_that_of_the_heading_and_vice_versa():
    person_link, heading_link = (
        "http://id.loc.gov/authorities/names/n78095332",
        "http://id.loc.gov/authorities/subjects/sh85120807",
    )
    named, headed = (
        describe(Mods(subject=(Subject((body("A", value_uri=link), Topic("Law")), "", value_uri=link),)))
        for link in (person_link, heading_link)
    )
    assert agents_with_link(named, person_link)
    assert named.values("skos:exactMatch", named.values("dcterms:subject")[1]) == []
    assert not agents_with_link(headed, heading_link)


@pytest.mark.parametrize(("kind", "predicate"), [(None, "bf:relatedTo"), ("constituent", "bf:hasPart")])
def test_an_added_entry_of_a_name_and_a_title_is_a_work(kind, predicate):
    item = RelatedItem(
        Mods(title_info=(TitleInfo("Муму"),), name=(person("Тургенев, И. С.", "1818-1883"),)),
        type=kind,
        xlink_href=ACT,
    )
    made = describe(Mods(related_item=(item,)))
    assert made.values(predicate, WORK) == [":work/lcnaf-n2020023414"]
    assert made.values("owl:sameAs", ":work/lcnaf-n2020023414") == [ACT]
    assert agents_with_link(made, ACT) == []


def test_a_name_with_an_empty_title_is_an_agent():
    made = describe(Mods(subject=(Subject((body("United States"), TitleInfo(""))),)))
    (agent,) = made.values("dcterms:subject")
    assert agent.startswith(":agent/")


@pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")
def test_no_heading_of_a_name_and_a_title_in_real_records_is_an_agent():
    """Every link of such a heading is that of a work."""
    folder = Path(os.environ["BIBLD_TEST_DATA"]) / "marc21"
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".mrc", ".xml", ".marcxml", ".iso")]
    links: set[str] = set()
    wrong: list[str] = []
    for path in files:
        for mods in bibld.to_mods(path, rejects=[]):
            of_works = {
                part.value_uri
                for subject in mods.subject
                for part in subject.parts
                if isinstance(part, TitleInfo) and part.value_uri
            }
            if of_works:
                links |= of_works
                made = describe(Mods(subject=mods.subject))
                wrong += [agent for link in of_works for agent in agents_with_link(made, link)]
    assert links
    assert wrong == []
