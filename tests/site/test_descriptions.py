"""Descriptions of the dataset (VoID, DCAT, sitemaps, robots.txt, the feed), and whether they are true."""

from __future__ import annotations

import gzip
import hashlib
import re
from datetime import datetime
from functools import cache
from xml.sax.saxutils import unescape

import pyoxigraph as ox
import pytest
import zstandard

from tests.site.site import FORMATS, Response, Site, Triples

pytestmark = pytest.mark.server

MAX_BYTES = 8 << 20
"""A dump that is no larger is downloaded and counted."""
MAX_DUMPS = 6


# -- VoID --------------------------------------------------------------------------------------------------------------


def test_the_well_known_address_describes_a_dataset(site: Site) -> None:
    """VoID, 7.2 and 2."""
    response = site.void_response
    assert response.status == 200
    assert response.media_type in FORMATS
    assert site.void.instances("void:Dataset")


@pytest.mark.parametrize(
    "names",
    [
        ("dcterms:title", "rdfs:label"),
        ("dcterms:license",),
        ("dcterms:publisher", "dcterms:creator"),
        ("void:vocabulary",),
        ("void:uriSpace",),
        ("void:sparqlEndpoint",),
    ],
    ids=lambda names: names[0],
)
def test_the_dataset_has(site: Site, names: tuple[str, ...]) -> None:
    """VoID, 2.2, 2.4, 3.1, 4.2 and 4.3."""
    assert site.void.objects(site.dataset, *names)


def test_the_examples_are_in_its_space(site: Site) -> None:
    """VoID, 4.1 and 4.2."""
    assert site.examples
    assert all(each.startswith(site.base) for each in site.examples)


def described(site: Site, name: str) -> str:
    parts = [site.dataset, *site.void.objects(site.dataset, "void:subset")]
    return next((part for part in parts if site.void.objects(part, name)), site.dataset)


def test_its_counts_agree_with_each_other(site: Site) -> None:
    """VoID, 4.6."""
    for name in ("triples", "entities", "distinctSubjects", "properties", "classes", "documents"):
        assert all(value.isdecimal() for value in site.void.objects(None, f"void:{name}")), name
        assert len(set(site.void.objects(described(site, "void:propertyPartition"), f"void:{name}"))) <= 1, name
    owner = described(site, "void:propertyPartition")
    parts = site.void.objects(owner, "void:propertyPartition")
    numbers = [int(value) for part in parts for value in site.void.objects(part, "void:triples")]
    assert all(sum(numbers) <= int(each) for each in site.void.objects(owner, "void:triples"))


def test_its_link_sets_are_complete(site: Site) -> None:
    """VoID, 5."""
    sets = site.void.instances("void:Linkset") or site.lacks("link sets")
    for each in sets:
        assert site.void.objects(each, "void:linkPredicate")
        assert site.void.objects(each, "void:subjectsTarget")


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("void:triples", "COUNT(*)"),
        ("void:distinctSubjects", "COUNT(DISTINCT ?s)"),
        ("void:properties", "COUNT(DISTINCT ?p)"),
    ],
)
def test_the_endpoint_counts_what_is_stated(site: Site, name: str, counted: str) -> None:
    """VoID, 4.6. Where the default graph is the union of all, only what is outside named graphs is counted."""
    stated = site.void.objects(described(site, name), name) or site.lacks(name)
    number = site.number(f"SELECT ({counted} AS ?n) WHERE {{ ?s ?p ?o }}")
    if number > int(stated[0]):
        outside = "FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } }"
        number = site.number(f"SELECT ({counted} AS ?n) WHERE {{ ?s ?p ?o {outside} }}")
    assert number == int(stated[0])


@pytest.mark.parametrize(
    ("partition", "kind", "count", "query"),
    [
        ("property", "property", "triples", "SELECT (COUNT(*) AS ?n) WHERE { ?s <%s> ?o }"),
        ("class", "class", "entities", "SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a <%s> }"),
    ],
    ids=["property", "class"],
)
def test_the_smallest_partition_is_what_the_endpoint_counts(
    site: Site, partition: str, kind: str, count: str, query: str
) -> None:
    """VoID, 4.5."""
    name = f"void:{partition}Partition"
    found = [
        (int(number), iri)
        for part in site.void.objects(described(site, name), name)
        for iri in site.void.objects(part, f"void:{kind}")
        for number in site.void.objects(part, f"void:{count}")
    ] or site.lacks(name)
    stated, iri = min(found)
    assert site.number(query % iri) == stated


# -- dumps -------------------------------------------------------------------------------------------------------------


def dumps(site: Site) -> list[str]:
    found = sorted(set(site.void.objects(None, "void:dataDump"))) or site.lacks("void:dataDump")
    return [site.address(each) for each in found[:MAX_DUMPS]]


def unpacked(response: Response) -> bytes:
    assert response.status == 200, response
    if response.body.startswith(b"\x1f\x8b"):
        return gzip.decompress(response.body)
    if response.body.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().stream_reader(response.body).read()
    return response.body


def test_its_dumps_exist_and_downloads_can_be_continued(site: Site) -> None:
    """VoID, 3.3; RFC 9110, 14.2."""
    for url in dumps(site):
        assert site.send("HEAD", url).status == 200
    part = site.get(dumps(site)[0], None, ("Range", "bytes=0-9"))
    if part.status == 200:
        site.lacks("answer to Range")
    assert (part.status, len(part.body)) == (206, 10)
    assert part.header("content-range").startswith("bytes 0-9/")


def format_of(url: str) -> ox.RdfFormat | None:
    kind = ox.RdfFormat.from_extension(re.sub(r"\.(gz|zst)$", "", url).rpartition(".")[2])
    return kind if kind in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS) else None


def test_small_dumps_have_the_number_of_triples_that_is_stated(site: Site) -> None:
    """VoID, 4.6. The dumps of a dataset may be one in many formats, or parts: its different triples are counted."""
    counted = 0
    for owner in site.void.subjects("void:dataDump"):
        stated = site.void.objects(owner, "void:triples")
        urls = [site.address(each) for each in site.void.objects(owner, "void:dataDump") if format_of(each)]
        sizes = [int(site.send("HEAD", url).header("content-length") or MAX_BYTES + 1) for url in urls]
        if not stated or not urls or len(urls) > MAX_DUMPS or max(sizes) > MAX_BYTES:
            continue
        quads = {quad for url in urls for quad in ox.parse(unpacked(site.get(url)), format=format_of(url))}
        in_default_graph = sum(isinstance(quad.graph_name, ox.DefaultGraph) for quad in quads)
        assert int(stated[0]) in (len(quads), len({quad.triple for quad in quads}), in_default_graph)
        counted += 1
    assert counted or site.lacks("small dump with void:triples")


# -- DCAT --------------------------------------------------------------------------------------------------------------


@cache
def dcat(site: Site) -> Triples:
    if site.void.instances("dcat:Catalog"):
        return site.void
    named = [*site.void.objects(site.dataset, "rdfs:seeAlso"), f"{site.url}dcat.ttl", f"{site.url}dumps/dcat.ttl"]
    for url in map(site.address, named):
        response = site.follow(url, "text/turtle") if site.is_own(url) else None
        if response is not None and response.media_type in FORMATS and response.triples.instances("dcat:Catalog"):
            return response.triples
    return site.lacks("description in DCAT")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("dcat:Catalog", ("dcterms:title", "dcterms:description", "dcterms:publisher")),
        ("dcat:Dataset", ("dcterms:title", "dcterms:description", "dcat:version")),
        ("dcat:Distribution", ("dcat:accessURL",)),
        ("dcat:DataService", ("dcat:endpointURL", "dcterms:title")),
    ],
)
def test_the_description_in_dcat_has_what_is_required(site: Site, kind: str, names: tuple[str, ...]) -> None:
    """DCAT 3, 6; DCAT-AP 3, 4."""
    assert dcat(site).instances(kind)
    missing = [
        (each, name) for each in dcat(site).instances(kind) for name in names if not dcat(site).objects(each, name)
    ]
    assert missing == []


def test_its_downloads_exist_with_the_sizes_and_checksums_that_are_stated(site: Site) -> None:
    """DCAT 3, 6.8.5, 6.8.8 and 6.17."""
    found = dcat(site)
    checked = 0
    for each in found.instances("dcat:Distribution"):
        for url in map(site.address, found.objects(each, "dcat:downloadURL")):
            head = site.send("HEAD", url)
            length = head.header("content-length")
            assert head.status == 200, url
            assert set(found.objects(each, "dcat:byteSize")) <= {length}
            sums = [
                sum_
                for node in found.objects(each, "spdx:checksum")
                for sum_ in found.objects(node, "spdx:checksumValue")
            ]
            if sums and int(length) <= MAX_BYTES:
                assert hashlib.sha256(site.get(url).body).hexdigest() == sums[0].lower(), url
            checked += 1
    assert checked or site.lacks("dcat:downloadURL")


def test_it_names_the_sparql_endpoint(site: Site) -> None:
    """DCAT 3, 6.9."""
    services = dcat(site).instances("dcat:DataService")
    addresses = [site.address(url) for each in services for url in dcat(site).objects(each, "dcat:endpointURL")]
    assert site.endpoint in addresses


# -- for crawlers and mirrors ------------------------------------------------------------------------------------------


@cache
def sitemaps(site: Site) -> list[str]:
    """Return the addresses of sitemaps that robots.txt names (RFC 9309, 2.3)."""
    robots = site.follow(site.root("robots.txt"))
    if robots.status == 404:
        site.lacks("robots.txt")
    assert (robots.status, robots.media_type) == (200, "text/plain")
    found = re.findall(r"(?im)^sitemap:\s*(\S+)", robots.body.decode()) or site.lacks("sitemap in robots.txt")
    return [site.address(each) for each in found]


def read_sitemap(site: Site, url: str) -> tuple[list[str], list[str]]:
    text = unpacked(site.follow(url)).decode()
    places = [unescape(each) for each in re.findall(r"<loc>\s*([^<]+?)\s*</loc>", text)]
    return places, re.findall(r"<lastmod>\s*([^<]+?)\s*</lastmod>", text)


def test_sitemaps_have_addresses_that_answer_and_dates(site: Site) -> None:
    """sitemaps.org protocol."""
    places, dates = read_sitemap(site, sitemaps(site)[0])
    if re.search(r"\.xml(\.gz)?$", places[0]):
        assert len(places) <= 50_000
        places, more_dates = read_sitemap(site, site.address(places[0]))
        dates += more_dates
    assert 0 < len(places) <= 50_000
    for date in dates:
        assert "T" not in date or datetime.fromisoformat(date).tzinfo is not None
    asked = places[:: max(1, len(places) // 3)][:3]
    assert {site.follow(site.address(each)).status for each in asked} == {200}


def test_the_feed_of_changes_is_a_tree_whose_pages_answer(site: Site) -> None:
    """Linked Data Event Streams."""
    feed = site.follow(f"{site.url}dumps/feed.ttl", "text/turtle")
    if feed.status == 404:
        site.lacks("feed of changes")
    pages = feed.triples.objects(None, "tree:node")
    for page in pages[-2:]:
        assert site.follow(site.address(page), "text/turtle").triples.objects(None, "tree:member")
