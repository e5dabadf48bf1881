"""The neighbourhood of a thing: a page and a picture that open neighbours by links, for every thing with a name."""

from __future__ import annotations

import re

import httpx
import pytest
from lxml import etree

from bibld.serve._pages.neighbourhoods import MAX_OPENED
from bibld.serve._pictures.drawing import Caption
from bibld.serve._pictures.neighbourhood import Neighbour, Sector, draw_neighbourhood

PUBLICATION = "resource/rsl/01004039769"
SVG = "{http://www.w3.org/2000/svg}"

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def client(server: str):
    with httpx.Client(base_url=server, timeout=600) as opened:
        yield opened


def hrefs(text: str) -> list[str]:
    """Return the links of the drawing for screens."""
    found = re.search(r'<svg class="picture of-screen".*?</svg>(?=\n)', text, re.DOTALL)
    assert found is not None
    return [link.get("href") for link in etree.fromstring(found[0]).iter(f"{SVG}a")]


def test_each_neighbour_opens_by_a_link_and_closes_by_the_same(client):
    closed = hrefs(client.get(f"/neighbourhood/{PUBLICATION}").text)
    address = next(href for href in closed if "open=agent" in href)
    opened = hrefs(client.get(address).text)
    assert len(opened) > len(closed)
    assert f"/neighbourhood/{PUBLICATION}" in opened, "the opened one closes"
    path = address.partition("open=")[2]
    assert f"/neighbourhood/{path}" in opened, "and has an own graph"


def test_no_more_than_a_few_are_open(client):
    address = f"/neighbourhood/{PUBLICATION}"
    seen = set()
    for _ in range(MAX_OPENED + 2):
        links = [href for href in hrefs(client.get(address).text) if "open=" in href]
        address = next(href for href in links if href not in seen and href.count("open=") >= address.count("open="))
        seen.add(address)
    assert address.count("open=") == MAX_OPENED
    assert (
        client.get(f"/neighbourhood/{PUBLICATION}?" + "&".join(f"open=agent/{n}" for n in range(99))).status_code == 200
    )


@pytest.mark.parametrize("folder", ["agent", "concept/lcsh", "place", "publisher", "series"])
def test_every_kind_of_thing_has_a_graph_whose_table_leads_to_pages(client, folder):
    page = client.get(f"/doc/{PUBLICATION}.html").text
    path = re.search(rf'href="/({folder}/[^"#?]+)"', page)[1]
    answer = client.get(f"/neighbourhood/{path}")
    assert answer.status_code == 200
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    rows = re.findall(r'<th scope="row" dir="auto"><a href="([^"]+)">', answer.text)
    assert rows
    assert not any("neighbourhood" in row for row in rows)
    assert client.get(rows[0], follow_redirects=True).status_code == 200


def test_the_picture_is_a_file_in_the_language_of_the_client(client):
    address = f"/neighbourhood/{PUBLICATION}.svg"
    answer = client.get(address, headers={"Accept-Language": "ru"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ">Окружение</title>" in answer.text
    assert "sha256-" in answer.headers["content-security-policy"]
    assert etree.fromstring(answer.content).tag == f"{SVG}svg"
    again = client.get(address, headers={"Accept-Language": "ru", "If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_an_absorbed_publication_leads_to_the_graph_of_the_one_that_answers(client):
    moved = client.get("/resource/slavica/ocm00035782", headers={"Accept": "text/html"})
    assert moved.status_code == 303
    answer = client.get("/neighbourhood/resource/slavica/ocm00035782")
    assert answer.status_code in (301, 302, 303, 307, 308)
    assert answer.headers["location"].endswith(f"/neighbourhood/{PUBLICATION}")


@pytest.mark.parametrize("path", ["", "nothing", "resource/rsl/none", "agent/", "record/rsl/01004039769", "x" * 3000])
def test_what_has_no_name_has_no_graph(client, path):
    assert client.get(f"/neighbourhood/{path}").status_code == 404
    assert client.get(f"/neighbourhood/{path}.svg").status_code == 404


def test_crawlers_are_asked_to_stay_away(client):
    assert "Disallow: /neighbourhood/" in client.get("/robots.txt").text.splitlines()


def test_the_lines_of_an_opened_neighbour_begin_at_it():
    sectors = [
        Sector("Author", (Neighbour("Tolstoy", "/a"),)),
        Sector("Tolstoy", (Neighbour("War and Peace", "/b"),), origin="Tolstoy"),
    ]
    picture = draw_neighbourhood(Caption("g", "Graph"), "Anna Karenina", sectors)
    first, second = re.findall(
        r'<line class="edge l\d" x1="([^"]+)" y1="([^"]+)" x2="([^"]+)" y2="([^"]+)"', picture.wide
    )
    assert first[0] == "50%"
    assert second[:2] == first[2:]


def test_a_publication_has_its_set_its_volumes_and_its_editions_around_it(client):
    volume, host = "resource/nlr/RU~5CNLR~5Cbibl~5C612585", "resource/nlr/RU~5CNLR~5Cbibl~5C495639"
    table = client.get(f"/neighbourhood/{volume}?lang=en").text
    for heading in ("Part of", "Other volumes"):
        assert heading in table
    assert f'href="/neighbourhood/{volume}?open={host}"' in table
    of_set = client.get(f"/neighbourhood/{host}?lang=en").text
    for heading in ("Volumes", "Other editions"):
        assert heading in of_set
    assert "Issues" in client.get("/neighbourhood/resource/rsl/01006471111?lang=en").text


def test_headings_have_dashes_between_their_parts(client):
    page = client.get(f"/doc/{PUBLICATION}.html").text
    found = re.search(r'href="/(concept/[^"#?]+)"[^>]*>(Adultery\u00a0— Fiction)<', page)
    assert found is not None
    path, heading = found.groups()
    assert heading in client.get(f"/neighbourhood/{PUBLICATION}").text
    for address in (f"/neighbourhood/{path}", f"/neighbourhood/{PUBLICATION}?open={path}"):
        picture = client.get(address).text
        assert heading in picture
        assert "Adultery--" not in picture
