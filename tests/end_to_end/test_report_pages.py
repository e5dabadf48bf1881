"""The pages about the dataset, its sources, matching and quality, with their pictures, from a real server."""

import html
import re

import httpx
import pytest
from lxml import etree

from bibld import pipeline
from bibld.config import Config
from bibld.text.geography import towns

PAGES = ("doc/dataset.html", "doc/dataset/nlr.html", "report/matching", "report/quality")
PICTURES = (
    "overlap", "years", "languages", "types", "places", "classes", "growth", "scores", "candidates", "sizes",
    "reliability", "rejects", "coverage/nlr", "years/nlr", "languages/nlr", "map", "map/nlr",
)  # fmt: skip


@pytest.fixture(scope="session")
def client(server: str):
    with httpx.Client(base_url=server, timeout=600) as opened:
        yield opened


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_well_formed_and_every_link_in_a_picture_leads_somewhere(client, page, language):
    answer = client.get(f"/{page}?lang={language}")
    assert answer.status_code == 200
    drawings = re.findall(r"<svg class=\"picture.*?</svg>(?=\n)", answer.text, re.DOTALL)
    assert drawings or page == "report/quality"
    for drawing in drawings:
        for link in etree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}a"):
            assert link.get("href").startswith(("/search?", "/dataset/", "/concept/"))
    assert len(re.findall(r'id="([^"]+)"', answer.text)) == len(set(re.findall(r'id="([^"]+)"', answer.text)))


def test_a_graph_names_its_dataset_in_the_language_of_the_page(client):
    for language, title in (("en", "Three libraries"), ("ru", "Три библиотеки")):
        text = client.get(f"/doc/graph/provenance.html?lang={language}").text
        assert re.search(rf'<a href="/dataset"[^>]*>{title}', text)


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_a_file_that_is_cached(client, name):
    if name.startswith("map") and not towns.FILE.exists():
        pytest.skip("make additions makes the table of towns")
    answer = client.get(f"/picture/{name}.svg?lang=ru")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-language"] == "ru"
    assert "sha256-" in answer.headers["content-security-policy"]
    assert etree.fromstring(answer.content).tag == "{http://www.w3.org/2000/svg}svg"
    again = client.get(f"/picture/{name}.svg?lang=ru", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_pictures_of_places_matches_and_searches_have_a_table_and_a_file(client):
    groups = client.get("/suggest", params={"q": "Москва"}).json()["groups"]
    place = next(group for group in groups if group["kind"] == "place")["items"][0]["url"]
    merged = client.get("/search.json?merged=true").json()["results"][0]["iri"].partition("/resource/")[2]
    match = re.findall(r'href="(/match/[^"]+)"', client.get(f"/doc/resource/{merged}.html").text)[0]
    has_map = towns.FILE.exists()
    for page, names in (
        (f"/doc{place}.html", {"years", "locator"} if has_map else {"years"}),
        (f"/doc{match.removesuffix('.html')}.html", {"waterfall"}),
        ("/search?q=язык&language=rus", {"search"}),
    ):
        text = client.get(page, headers={"Accept": "text/html"}).text
        files = [html.unescape(file) for file in re.findall(r'href="([^"]+)" download>', text) if ".svg?" in file]
        assert {re.split(r"[/.]", file.removeprefix("/picture/").lstrip("/"))[0] for file in files} == names
        assert text.count('<details class="data">') == len(files)
        for file in files:
            answer = client.get(file)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
            assert file.endswith(f"lang={answer.headers['content-language']}")
            assert "sha256-" in answer.headers["content-security-policy"]
            assert etree.fromstring(answer.content).tag == "{http://www.w3.org/2000/svg}svg"
            again = client.get(file, headers={"If-None-Match": answer.headers["etag"]})
            assert again.status_code == 304
    assert client.get(f"/picture/waterfall{place}.svg").status_code == 404
    assert client.get("/picture/years/place/none.svg").status_code == 404
    assert client.get("/search.svg?q=nothingwiththisname").status_code == 404


def test_a_class_leads_to_the_page_of_its_class_if_there_is_one(client):
    root = etree.fromstring(client.get("/picture/classes.svg").content)
    links = [link.get("href") for link in root.iter("{http://www.w3.org/2000/svg}a")]
    assert "/concept/rubbk/~D0~A8" in links
    for link in links:
        assert client.get(link, follow_redirects=True).status_code == 200


@pytest.mark.parametrize("path", ["picture/none.svg", "picture/coverage/none.svg", "report/none", "source/none"])
def test_what_a_release_does_not_have_is_not_found(client, path):
    assert client.get(f"/{path}").status_code == 404


def test_a_source_has_a_short_address(client):
    answer = client.get("/source/nlr")
    assert (answer.status_code, answer.headers["location"]) == (303, "/dataset/nlr")


def test_the_page_about_the_dataset_counts_as_the_manifest_does(client, sample: Config):
    _, manifest = pipeline.current_release(sample)
    text = client.get("/doc/dataset.html", headers={"Accept-Language": "en"}).text
    for number in (manifest.figures.records, manifest.figures.clusters, manifest.figures.merged_clusters):
        assert f"<dd>{number:,}</dd>" in text


def test_a_release_without_a_report_has_the_statements_about_the_dataset(site):
    import msgspec

    from bibld.model.iris import Iris
    from bibld.serve._addresses import Addresses
    from bibld.serve._graph import ReleaseGraph
    from bibld.serve._pages import Pages
    from bibld.serve._things import OpenRelease, Thing
    from bibld.serve.ontology import load_vocabulary

    addresses = Addresses(Iris(site.manifest.dataset.base))
    store = site.store.open()
    try:
        graph = ReleaseGraph(store)
        vocabulary = load_vocabulary(addresses.iris)
        release = OpenRelease(site.manifest, site.catalog, graph, addresses, vocabulary, site.original, b"")
        pages = Pages(msgspec.structs.replace(release, report=None))
        thing = Thing("dataset", "dataset", addresses.iris.dataset)
        assert pages.reports is None
        assert b"<h1" in pages.document(thing, graph.description(thing.iri))
    finally:
        store.close()
