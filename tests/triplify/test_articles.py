"""Articles and other parts: their place in a host, and the date of the issue that contains them."""

from __future__ import annotations

import pytest

from bibld.model.mods import (
    Date,
    Detail,
    Location,
    Mods,
    OriginInfo,
    Part,
    PartExtent,
    PartText,
    RelatedItem,
    TitleInfo,
    Url,
)
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import IRIS, Quads, alone

ISSUE = Part(
    detail=(Detail(type="volume", number=("5",)), Detail(type="issue", number=("3",), caption=("№",))),
    extent=(PartExtent(unit="page", start="5", end="17"),),
    date=(Date("Sept. 1993"),),
)


def describe_part(part: Part, host: OriginInfo | None = None, own: OriginInfo | None = None) -> Quads:
    origin = (host,) if host is not None else ()
    related = RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Host"),), origin_info=origin, part=(part,)))
    article = Mods(origin_info=(own,) if own is not None else (), related_item=(related,))
    return Quads(cluster_statements(alone(article), [], IRIS).quads)


def test_an_article_has_the_numbers_pages_and_date_of_its_issue():
    made = describe_part(ISSUE)
    found = {name: made.values(f"bibo:{name}") for name in ("volume", "issue", "pageStart", "pageEnd", "locator")}
    assert found == {"volume": ["5"], "issue": ["3"], "pageStart": ["5"], "pageEnd": ["17"], "locator": []}
    assert made.values("dcterms:issued") == ["1993^gYear"]
    assert made.values("isbd:P1053") == []


@pytest.mark.parametrize(
    ("part", "predicate", "value"),
    [
        (Part(detail=(Detail(type="part", number=("B",), caption=("pt",)),)), "bibo:locator", "pt B"),
        (Part(extent=(PartExtent(unit="leaf", start="9v"),)), "bibo:locator", "leaf 9v"),
        (Part(extent=(PartExtent(unit="page", list="с. 12-18, 25"),)), "bibo:pages", "с. 12-18, 25"),
        (Part(text=(PartText("Письма 1887 г."),)), "bibo:locator", "Письма 1887 г."),
    ],
)
def test_another_place_in_a_host_is_stated_as_it_is(part, predicate, value):
    assert describe_part(part).values(predicate) == [value]


def test_the_address_of_a_related_resource_is_published():
    contents = RelatedItem(mods=Mods(location=(Location(url=(Url("http://a.example/toc.pdf"),)),)))
    made = Quads(cluster_statements(alone(Mods(related_item=(contents,))), [], IRIS).quads)
    assert made.values("rdfs:seeAlso") == ["http://a.example/toc.pdf"]


PAGES = Part(extent=(PartExtent(unit="page", start="5"),))
BOOK = OriginInfo(date_issued=(Date("1990", encoding="w3cdtf"),))


@pytest.mark.parametrize(
    ("part", "host", "own", "issued"),
    [
        (PAGES, BOOK, None, ["1990^gYear"]),
        (PAGES, None, None, []),
        (ISSUE, BOOK, None, ["1993^gYear"]),
        (ISSUE, BOOK, OriginInfo(date_issued=(Date("1994", encoding="w3cdtf"),)), ["1994^gYear"]),
        (Part(detail=(Detail(type="issue", number=("3",)),)), BOOK, None, []),
    ],
    ids=["of a book", "unknown", "of an issue", "its own", "of a serial, which may have begun then"],
)
def test_a_part_without_a_date_has_that_of_what_contains_it(part, host, own, issued):
    assert describe_part(part, host, own).values("dcterms:issued") == issued
