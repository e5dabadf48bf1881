"""The publications of a person, a subject or a publisher as their pages list them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.iris import Iris
from bibld.search import open_search, write_search
from bibld.serve._addresses import Addresses
from bibld.serve._language import language_named
from bibld.serve._pages.lists import PublicationLine, PublicationLists, by_issue, by_number
from bibld.serve._search.addresses import Address

BASE = "https://data.example.org/"
TERMS = {
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "title": "http://purl.org/dc/terms/title",
    "alternative": "http://purl.org/dc/terms/alternative",
    "issued": "http://purl.org/dc/terms/issued",
    "creator": "http://purl.org/dc/terms/creator",
    "aut": "http://id.loc.gov/vocabulary/relators/aut",
    "trl": "http://id.loc.gov/vocabulary/relators/trl",
    "contributor": "http://purl.org/dc/terms/contributor",
    "spatial": "http://purl.org/dc/terms/spatial",
    "place": "http://id.loc.gov/ontologies/bibframe/place",
    "subject": "http://purl.org/dc/terms/subject",
    "language": "http://purl.org/dc/terms/language",
    "derived": "http://www.w3.org/ns/prov#wasDerivedFrom",
    "type": "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
}
YEAR = '"{}"^^<http://www.w3.org/2001/XMLSchema#gYear>'


def line(path: str, term: str, value: str) -> str:
    return f"<{BASE}{path}> <{TERMS[term]}> {value} .\n"


def thing(path: str) -> str:
    return f"<{BASE}{path}>"


def book(
    number: int, title: str, year: str, *links: tuple[str, str], alternative: str = "", language: str = ""
) -> list[str]:
    path = f"resource/rsl/{number}"
    lines = [line(path, "title", f'"{title}"'), line(path, "label", f'"{title}"')]
    lines += [line(path, "alternative", f'"{alternative}"')] if alternative else []
    lines += [line(path, "language", f"<http://id.loc.gov/vocabulary/iso639-2/{language}>")] if language else []
    lines += [line(path, "issued", YEAR.format(year))] if year else []
    lines += [line(path, term, thing(target)) for term, target in links]
    return [*lines, line(path, "derived", thing(f"record/rsl/{number}"))]


def named(path: str, name: str, kind: str = "http://xmlns.com/foaf/0.1/Person") -> list[str]:
    return [line(path, "label", f'"{name}"'), line(path, "type", f"<{kind}>")]


TOLSTOY = (("creator", "agent/tolstoy"), ("aut", "agent/tolstoy"))
CHEKHOV = ("creator", "agent/chekhov")
REMIZOV = (("creator", "agent/rem"), ("aut", "agent/rem"))
QUADS = [
    *named("agent/tolstoy", "Толстой, Лев Николаевич, 1828-1910"),
    *named("agent/maude", "Maude, Aylmer"),
    *named("concept/x/war", "Война", "http://www.w3.org/2004/02/skos/core#Concept"),
    *book(1, "Война и мир : роман. Т. 1", "1978", *TOLSTOY, ("subject", "concept/x/war")),
    *book(2, "Война и мир : роман. Т. 2", "1978", *TOLSTOY, ("subject", "concept/x/war")),
    *book(3, "Война и мир", "1936", *TOLSTOY),
    *book(4, "Война и мир в кино", "1970", *TOLSTOY),
    *book(
        5,
        "War and peace",
        "1942",
        *TOLSTOY,
        ("contributor", "agent/maude"),
        ("trl", "agent/maude"),
        alternative="Voĭna i mir. English",
    ),
    *named("place/moscow", "Москва", "http://purl.org/dc/terms/Location"),
    *named("agent/rem", "Ремизов, Алексей"),
    *named("work/war", "Толстой. Война и мир", "http://id.loc.gov/ontologies/bibframe/Work"),
    *book(7, "Путеводитель", "1990", ("spatial", "place/moscow"), *REMIZOV),
    *book(8, "План города", "1991", ("spatial", "place/moscow"), *REMIZOV),
    *book(9, "Вид города", "1992", ("spatial", "place/moscow"), ("contributor", "agent/rem"), ("trl", "agent/rem")),
    *book(10, "Город зимой", "1993", ("spatial", "place/moscow"), ("subject", "work/war")),
    *book(21, "Стихи", "1890"),
    line("resource/rsl/21#provision-1", "place", thing("place/moscow")),
    *book(6, "Толстой", "", ("subject", "agent/tolstoy")),
    *named("agent/chekhov", "Чехов, Антон Павлович"),
    *book(11, "Чайка", "1901", CHEKHOV, language="rus"),
    *book(12, "Чайка : комедия", "1950", CHEKHOV, language="rus"),
    *book(13, "Чайка въ старомъ правописанiи", "1896", CHEKHOV, alternative="Чайка", language="rus"),
    *book(14, "Чайка", "1960", CHEKHOV, language="bul"),
    *book(15, "Die Möwe", "1902", CHEKHOV, alternative="Чайка", language="ger"),
    *book(16, "Чайка. Пьесы", "1980", CHEKHOV, language="rus"),
]


@pytest.fixture(scope="module")
def lists(tmp_path_factory) -> PublicationLists:
    folder: Path = tmp_path_factory.mktemp("works")
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(QUADS)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    return PublicationLists(open_search(folder), Addresses(Iris(BASE)), language_named("en"))


def test_a_person_has_works_by_role_and_decade_and_works_about_it_separately(lists):
    shown = lists.of_page("agent/tolstoy", "person", 1, 100)
    assert [(group.heading, group.count) for group in shown.roles] == [
        ("As author", 5),
        ("Publications about this person", 1),
    ]
    decades = {decade.name: [work.title for work in decade.publications] for decade in shown.roles[0].decades}
    assert decades == {
        "1930–1939": ["Война и мир"],
        "1940–1949": ["War and peace"],
        "1970–1979": ["Война и мир в кино", "Война и мир : роман. Т. 1", "Война и мир : роман. Т. 2"],
    }
    assert [decade.name for decade in shown.roles[1].decades] == [""]
    assert shown.all_href == "/search?author=agent/tolstoy"
    assert [(group.href, group.found) for group in shown.roles] == [
        ("/search?author=agent/tolstoy", 5),
        ("/search?subject=agent/tolstoy", 1),
    ]
    (timeline,) = shown.timelines
    picture = timeline.picture
    assert picture.caption.title == "Publications by year: As author"
    assert timeline.file == "/picture/years/agent/tolstoy.svg?of=author"
    assert lists.years("agent/tolstoy", "author") == picture
    assert lists.years("agent/tolstoy", "place") is None
    assert "1978: 2 publications" in picture.inline()
    assert "/search?author=agent/tolstoy&amp;year=1936" in picture.inline()


def test_links_of_a_place_find_what_its_lists_contain(lists):
    shown = lists.of_page("place/moscow", "place", 1, 100)
    assert [(group.heading, group.count, group.href, group.found) for group in shown.roles] == [
        ("Publications about it", 4, "/search?subject=place/moscow", 4),
        ("Published", 1, "/search?place=place/moscow", 1),
    ]
    for group in shown.roles:
        request = Address.read("/search", parse_qsl(group.href.partition("?")[2])).request
        assert lists.search.search(request).total == group.count
    (timeline,) = shown.timelines
    picture = timeline.picture
    columns = {cell.href for (cell, *_) in picture.rows}
    assert "/search?subject=place/moscow&year=1990" in columns
    for href in columns:
        request = Address.read("/search", parse_qsl(href.partition("?")[2])).request
        assert lists.search.search(request).total == 1
    assert lists.search_href("work/war") == "/search?subject=work/war"
    later = lists.of_page("place/moscow", "place", 2, 2)
    assert (sum(len(decade.publications) for decade in later.decades), later.all_href) == (2, "")
    assert lists.of_page("concept/x/war", "concept", 2, 1).all_href == "/search?subject=concept/x/war"


def test_two_roles_of_a_person_have_one_link(lists):
    shown = lists.of_page("agent/rem", "person", 1, 100)
    assert [(group.count, group.href, group.found, group.is_shared) for group in shown.roles] == [
        (2, "/search?author=agent/rem", 0, False),
        (1, "/search?author=agent/rem", 3, True),
    ]


def test_nothing_leads_to_a_search_where_there_is_none(lists):
    without = PublicationLists(lists.search, lists.addresses, lists.language, has_search=False)
    shown = without.of_page("agent/tolstoy", "person", 1, 100)
    assert {group.href for group in shown.roles} == {""}
    assert "<a " not in shown.timelines[0].picture.inline()
    assert shown.timelines[0].file == ""


def test_publications_that_are_listed_below_their_works_are_left_out(lists):
    listed = {"aut": {f"resource/rsl/{number}" for number in (1, 2, 3, 5)}}
    author, about = lists.of_page("agent/tolstoy", "person", 1, 100, listed).roles
    assert [each.title for decade in author.decades for each in decade.publications] == ["Война и мир в кино"]
    assert (author.count, author.found, about.count) == (1, 5, 1)
    listed["aut"].add("resource/rsl/4")
    (about,) = lists.of_page("agent/tolstoy", "person", 1, 100, listed).roles
    assert about.heading == "Publications about this person"


def test_who_and_what_occurs_together_with_a_person_is_listed_by_kind(lists):
    found = {
        group.heading: [(each.text, each.count) for each in group.links] for group in lists.companions("agent/tolstoy")
    }
    assert found == {"Together with": [("Maude, Aylmer", 1)], "Subjects": [("Война", 2)]}


def test_volumes_are_in_the_order_of_their_numbers_and_issues_in_that_of_their_years(lists):
    titles = {
        "Works. Vol. 10": "1980",
        "Works. Vol. 9": "1981",
        "Works in 2 vol.": "1979",
        "Works. Vol. 2. Part 1": "1982",
    }
    lines = [PublicationLine("", title, "", year) for title, year in titles.items()]
    assert [line.title for line in sorted(lines, key=by_number)] == [
        "Works. Vol. 2. Part 1",
        "Works. Vol. 9",
        "Works. Vol. 10",
        "Works in 2 vol.",
    ]
    assert [line.year for line in sorted(lines, key=by_issue)] == ["1979", "1980", "1981", "1982"]


def test_publications_are_read_by_their_paths(lists):
    found = lists.search.publications(["resource/rsl/12", "agent/chekhov", "resource/rsl/99", "resource/rsl/15"])
    assert {path: (work.title, work.year, work.languages, work.role) for path, work in found.items()} == {
        "resource/rsl/12": ("Чайка : комедия", "1950", ("rus",), ""),
        "resource/rsl/15": ("Die Möwe", "1902", ("ger",), ""),
    }
    assert lists.search.publications([]) == {}


def test_what_has_no_publications_has_no_lists(lists):
    assert lists.of_page("agent/nobody", "person", 1, 100).all_href == ""
    assert lists.of_page("agent/nobody", "person", 2, 100).all_href == ""
