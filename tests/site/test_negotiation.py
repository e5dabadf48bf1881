"""Content negotiation by Accept (RFC 9110, 12)."""

from __future__ import annotations

import re

import pytest

from tests.site.site import HTML, Response, Site

pytestmark = pytest.mark.server

UNKNOWN = "application/x-nothing-of-the-kind"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

ACCEPTS = {
    "higher weight": ("A", "B;q=0.5, A"),
    "weights and not the order": ("B", "A;q=0.2, B;q=0.8"),
    "weights of three digits": ("A", "B;q=0.001, A;q=0.002"),
    "q=0 is not sent": ("not A", "A;q=0, */*;q=0.5"),
    "most specific range": ("not A", "*/*;q=0.9, A;q=0.1"),
    "browsers get HTML": ("page", BROWSER),
    "two lines are one list": ("A", "B;q=0.1", "A"),
    "white space and empty elements": ("A", " , A ;  q=1 ,,"),
    "a charset excludes nothing": ("A", "A;charset=utf-8"),
    "invalid weight": ("no fault", "A;q=high, B;q=-1"),
    "garbage": ("no fault", ',;/;q==,"\\'),
    "long": ("no fault", ", ".join(f"x/y{number}" for number in range(500))),
}
"""What is sent, and the lines of Accept, in which A and B stand for two media types of a document."""


@pytest.mark.parametrize(("expected", "lines"), [(one, lines) for one, *lines in ACCEPTS.values()], ids=ACCEPTS)
def test_accept_chooses_the_form(site: Site, expected: str, lines: list[str]) -> None:
    types = {"A": site.rdf.media_type, "B": site.other.media_type}
    headers = [("Accept", re.sub(r"\b[AB]\b", lambda found: types[found[0]], line)) for line in lines]
    response = site.follow(site.thing_url, None, *headers)
    if expected == "no fault":
        assert response.status < 500
        return
    assert response.status == 200
    if expected == "not A":
        assert response.media_type != types["A"]
    else:
        assert response.media_type == types.get(expected, HTML)


def test_media_types_are_compared_without_case_and_ranges_give_one_of_them(site: Site) -> None:
    """RFC 9110, 8.3.1."""
    assert site.follow(site.thing_url, site.rdf.media_type.upper()).media_type == site.rdf.media_type
    kind = site.rdf.media_type.partition("/")[0]
    response = site.follow(site.thing_url, f"{kind}/*")
    assert response.status == 200
    assert response.media_type.startswith(f"{kind}/")


def refused(site: Site) -> Response:
    response = site.follow(site.thing_url, UNKNOWN)
    if response.status == 200:  # allowed by RFC 9110, 12.5.1
        site.lacks("answer 406")
    return response


def test_406_lists_the_forms_that_there_are(site: Site) -> None:
    """RFC 9110, 15.5.7."""
    response = refused(site)
    assert response.status == 406
    assert any(link.type for link in site.links(response, "alternate"))


def test_every_alternate_has_the_type_that_its_link_states(site: Site) -> None:
    """RFC 8288, 3.4.1; the address of one form gives no other (Best Practice Recipes, 3)."""
    alternates = {link.target: link.type for link in site.links(site.rdf, "alternate") if link.type}
    assert site.rdf.media_type in alternates.values()
    for target, media_type in alternates.items():
        for accept in (None, site.other.media_type):
            response = site.get(target, accept)
            assert (response.status, response.media_type) == (200, media_type) or (accept and response.status == 406)


@pytest.mark.parametrize("name", ["dataset", "VoID"])
@pytest.mark.parametrize("media_type", ["text/turtle", "application/n-triples", "application/ld+json", "text/html"])
def test_descriptions_of_the_dataset_are_negotiated(site: Site, name: str, media_type: str) -> None:
    url = site.root(".well-known/void") if name == "VoID" else site.address(site.dataset)
    first = site.get(url, media_type)
    response = site.get(site.address(first.location), media_type) if first.location else first
    assert (response.status, response.media_type) == (200, media_type)
    assert {"accept", "*"} & first.names("vary")
    if media_type != HTML:
        assert response.triples.instances("void:Dataset")


def test_vary_names_accept_in_every_answer_that_depends_on_it(site: Site) -> None:
    """RFC 9110, 12.5.5 and 15.4.5."""
    dataset = site.address(site.dataset)
    found = site.get(dataset, site.rdf.media_type)
    responses = {
        200: found,
        304: site.get(dataset, site.rdf.media_type, ("If-None-Match", found.header("etag"))),
        303: site.get(site.thing_url, site.rdf.media_type),
        406: refused(site),
    }
    for status, response in responses.items():
        if response.status == status or site.is_sample:
            assert response.status == status
            assert {"accept", "*"} & response.names("vary"), status
