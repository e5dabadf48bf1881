"""Dereferencing IRIs: which status, which document, and which addresses; methods and scripts of other sites."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.site.site import HTML, MISSING, ORIGIN, Response, Site

pytestmark = pytest.mark.server


def test_the_iri_of_a_thing_answers_303_or_200(site: Site) -> None:
    """Cool URIs for the Semantic Web, 4."""
    response = site.get(site.thing_url, site.rdf.media_type)
    assert response.status in ((200,) if "#" in site.thing else (200, 303))
    if response.location:
        assert site.is_own(site.address(response.location))
        assert response.header("location").isascii()


def test_the_iri_leads_to_a_page_for_people(site: Site) -> None:
    page = site.follow(site.thing_url, HTML)
    assert (page.status, page.media_type) == (200, HTML), page
    assert page.header("x-content-type-options").lower() == "nosniff"


def test_no_accept_means_the_same_as_any(site: Site) -> None:
    """RFC 9110, 12.5.1."""
    without, anything = site.follow(site.thing_url), site.follow(site.thing_url, "*/*")
    assert (without.status, without.media_type) == (200, anything.media_type)


def test_every_example_of_the_description_can_be_dereferenced(site: Site) -> None:
    """VoID, 3.2."""
    found = {iri: site.follow(site.address(iri), site.rdf.media_type).status for iri in site.examples[:5]}
    assert set(found.values()) == {200}, found


@pytest.mark.parametrize(
    "media_type",
    ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json", "application/mods+xml"],
)
def test_a_form_is_sent_with_its_media_type_as_utf8(site: Site, media_type: str) -> None:
    """RFC 9110, 8.3."""
    response = site.follow(site.thing_url, media_type)
    if response.status == 406 or response.media_type != media_type:
        site.lacks(media_type)
    assert response.status == 200
    assert response.body.decode()
    charset = re.search(r"charset=\"?([\w-]+)", response.header("content-type"), re.IGNORECASE)
    assert charset is None or charset[1].lower() == "utf-8"


@pytest.mark.parametrize(
    ("path", "statuses"),
    [
        (quote("Война и мир"), [404]),
        ("%FF%FE", range(400, 500)),
        ("%00", range(400, 500)),
        ("%C3%28", range(400, 500)),
        ("a%2Fb%2F..%2F..", range(400, 500)),
        ("..%2f..%2f..%2fetc%2fpasswd", range(300, 500)),
        ("%2e%2e/%2e%2e/%2e%2e/etc/passwd", range(300, 500)),
        ("x" * 20_000, range(400, 500)),
        ("fragments", [404]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_paths_without_sense_are_errors_of_the_client(site: Site, path: str, statuses: list[int] | range) -> None:
    """RFC 9110, 15.5 and 17.3."""
    response = site.get(site.url + path)
    assert response.status in statuses
    assert b"root:" not in response.body


def test_unknown_iris_answer_404_and_unknown_parameters_change_nothing(site: Site) -> None:
    """RFC 9110, 15.5.5."""
    for address in (site.thing_url, site.rdf.url):
        assert site.follow(f"{address}-{MISSING}").status == 404
    assert site.follow(f"{site.rdf.url}?utm_source=x%00%FF").status < 500


def test_an_escaped_letter_names_the_same_address(site: Site) -> None:
    """RFC 3986, 6.2.2.2."""
    start = site.thing_url.index("/", len("https://"))
    letters = [found.start() for found in re.finditer(r"(?<!%)(?<!%\w)[A-Za-z]", site.thing_url[start:])]
    place = start + letters[-1]
    address = f"{site.thing_url[:place]}%{ord(site.thing_url[place]):02X}{site.thing_url[place + 1 :]}"
    assert site.follow(address, site.rdf.media_type).status == 200


# -- methods -----------------------------------------------------------------------------------------------------------

SAME_IN_HEAD = ("content-type", "etag", "last-modified", "vary", "link", "cache-control", "content-location")


def test_head_has_the_headers_of_get(site: Site) -> None:
    """RFC 9110, 9.3.2."""
    for response in (site.rdf, site.other):
        head = site.send("HEAD", response.url, (("Accept", response.media_type),))
        assert head.status == response.status
        assert head.header("content-length") in ("", str(len(response.body)))
        for name in SAME_IN_HEAD:
            assert head.header(name) == response.header(name)
    accept = ("Accept", site.rdf.media_type)
    head, response = site.send("HEAD", site.thing_url, (accept,)), site.send("GET", site.thing_url, (accept,))
    assert (head.status, head.header("location")) == (response.status, response.header("location"))


@pytest.mark.parametrize(
    ("method", "statuses", "allowed"),
    [
        ("OPTIONS", (200, 204), {"get", "head"}),
        ("PROPFIND", (405, 501), {"get"}),
        ("NOTAMETHOD", (400, 405, 501), set()),
    ],
)
def test_other_methods_are_refused_and_options_names_those_that_there_are(
    site: Site, method: str, statuses: tuple[int, ...], allowed: set[str]
) -> None:
    """RFC 9110, 9.3.7 and 15.5.6."""
    response = site.send(method, site.rdf.url)
    assert response.status in statuses
    assert response.status == 501 or allowed <= response.names("allow")


def test_trace_does_not_send_credentials_back(site: Site) -> None:
    """RFC 9110, 9.3.8."""
    response = site.send("TRACE", site.rdf.url, (("Cookie", "secret=1"),))
    assert response.status < 600
    assert b"secret=1" not in response.body


# -- scripts of other sites (Fetch Standard, 3.2 and 4.8) --------------------------------------------------------------


def is_open(response: Response) -> bool:
    return response.header("access-control-allow-origin") in ("*", ORIGIN[1])


def test_scripts_of_other_sites_may_read_documents_redirects_and_errors(site: Site) -> None:
    document = site.get(site.rdf.url, site.rdf.media_type, ORIGIN)
    redirect = site.get(site.thing_url, site.rdf.media_type, ORIGIN)
    error = site.get(f"{site.rdf.url}-{MISSING}", None, ORIGIN)
    result = site.query("ASK {}", "application/sparql-results+json", ORIGIN)
    assert all(map(is_open, (document, redirect, error, result)))
    exposed = document.names("access-control-expose-headers")
    assert "*" in exposed or {"etag", "link"} <= exposed


@pytest.mark.parametrize(("name", "method", "header"), [("rdf", "GET", "if-none-match"), ("", "POST", "content-type")])
def test_options_permits_conditional_requests_and_posted_queries_of_scripts(
    site: Site, name: str, method: str, header: str
) -> None:
    headers = (ORIGIN, ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", header))
    response = site.send("OPTIONS", site.rdf.url if name else site.endpoint, headers)
    assert response.status in (200, 204)
    assert is_open(response)
    assert response.names("access-control-allow-headers") & {header, "*"}
    assert response.names("access-control-allow-methods") & {method.lower(), "*", ""}
