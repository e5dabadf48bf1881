"""Links that need no number: subject headings by their text, classes by their mark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bibld.model.mods import Classification, Mods, Subject, Topic
from bibld.text import headings
from bibld.text.headings.build import write_headings
from bibld.triplify._describe.concepts import _established_heading
from tests.triplify.merged_book import describe, person

LCSH = "http://id.loc.gov/authorities/subjects/"


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make a table of a few headings."""
    rows = {"sh85016829": "Bridges", "sh85000002": "Bridges--Design", "sh85000003": "Java (Indonesia)"}
    write_headings(((LCSH + number, text) for number, text in rows.items()), "1", tmp_path / "lcsh.db")
    monkeypatch.setattr(headings, "FILE", tmp_path / "lcsh.db")
    for known in (headings.subject_heading_number, _established_heading):
        known.cache_clear()
    yield
    for known in (headings.subject_heading_number, _established_heading):
        known.cache_clear()


def heading(*words: str, scheme: str | None = "lcsh", number: str | None = None) -> Mods:
    topics = tuple(map(Topic, words))
    return Mods(subject=(Subject(topics, authority=scheme, value_uri=number and LCSH + number),))


@pytest.mark.parametrize(
    ("mods", "predicate", "numbers"),
    [
        (heading("Bridges"), "skos:exactMatch", ["sh85016829"]),
        (heading("bridges."), "skos:exactMatch", ["sh85016829"]),
        (heading("Bridges", "Design"), "skos:exactMatch", ["sh85000002"]),
        (heading("Bridges", "Design", "History"), "skos:broadMatch", ["sh85000002"]),
        (heading("Bridges", "France"), "skos:broadMatch", ["sh85016829"]),
        (heading("Bridges", number="sh85000009"), "skos:exactMatch", ["sh85000009"]),
        (heading("Bridges", "France"), "skos:exactMatch", []),
        (heading("Tunnels"), "skos:exactMatch", []),
        (heading("Bridges", scheme="fast"), "skos:exactMatch", []),
        (heading("Bridges", scheme=None), "skos:exactMatch", []),
    ],
)
def test_a_heading_of_lcsh_is_linked_by_its_text_if_it_has_no_number(mods, predicate, numbers):
    made = describe(mods)
    (concept,) = made.values("dcterms:subject")
    assert made.values(predicate, concept) == [LCSH + number for number in numbers]


@pytest.mark.parametrize(
    ("subdivisions", "numbers"), [(("Poetry",), []), (("Design", "Poetry"), ["sh85000002"]), (("Design",), [])]
)
def test_a_heading_that_begins_with_a_name_is_not_linked_to_a_topic_of_its_text(subdivisions, numbers):
    parts = (person("Bridges", ""), *map(Topic, subdivisions))
    made = describe(Mods(subject=(Subject(parts, authority="lcsh"),)))
    concept = next(one for one in made.values("dcterms:subject") if "/lcsh/" in one)
    assert made.values("skos:broadMatch", concept) == [LCSH + number for number in numbers]


def test_a_class_leads_to_its_main_class_which_has_a_name():
    made = describe(Mods(classification=(Classification("84(2Рос)6", authority="rubbk"),)))
    (concept,) = made.values("dcterms:subject")
    (main,) = made.values("skos:broader", concept)
    assert made.values("skos:prefLabel", main) == [
        "Philology. Literature@en",
        "Филологические науки. Художественная литература@ru",
    ]
    assert made.values("skos:notation", main) == ["Ш"]
    assert made.values("skos:altLabel", main) == []


def test_a_main_class_as_mark_has_its_name_and_no_broader_one():
    made = describe(Mods(classification=(Classification("Ш", authority="rubbk"),)))
    (concept,) = made.values("dcterms:subject")
    assert made.values("skos:broader", concept) == []
    assert "Philology. Literature@en" in made.values("skos:prefLabel", concept)


def test_a_call_number_has_its_subclass_at_the_library_of_congress_as_subject():
    made = describe(Mods(classification=(Classification("PR6013.R735 Z5", authority="lcc"),)))
    assert made.values("dcterms:subject") == ["http://id.loc.gov/authorities/classification/PR"]


def test_a_dewey_number_is_linked_to_the_class_that_the_record_states():
    uri = "https://id.oclc.org/worldcat/ddc/E3abc"
    made = describe(Mods(classification=(Classification("624.2", authority="ddc", value_uri=uri),)))
    (concept,) = made.values("dcterms:subject")
    assert made.values("skos:exactMatch", concept) == [uri]
