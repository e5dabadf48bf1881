"""Every IRI answers as the table of IRIs states, in every form, by the rules of HTTP."""

from __future__ import annotations

import re

import httpx
import msgspec
import pyoxigraph as ox
import pytest
import rdflib

from bibld.model.linkage import Pair
from bibld.model.mods_xml import from_xml
from tests.serve.conftest import (
    ALONE,
    AUTHOR,
    AUTHOR_ELSEWHERE,
    BASE,
    DELETED,
    FOUNDER,
    IRIS,
    MEMBER,
    WITHOUT_REDIRECT,
)

MATCH = IRIS.match(Pair.from_records(FOUNDER, MEMBER))
THINGS = (
    IRIS.resource(FOUNDER),
    IRIS.resource(ALONE),
    AUTHOR,
    IRIS.concept("topic", "тема 7"),
    IRIS.publisher("наука"),
)
DOCUMENTS = (
    IRIS.record(MEMBER),
    MATCH,
    IRIS.ontology,
    IRIS.dataset,
    IRIS.source("rsl"),
    IRIS.graph("provenance"),
)
RDF = {
    "ttl": ("text/turtle", ox.RdfFormat.TURTLE),
    "nt": ("application/n-triples", ox.RdfFormat.N_TRIPLES),
    "rdf": ("application/rdf+xml", ox.RdfFormat.RDF_XML),
    "jsonld": ("application/ld+json", ox.RdfFormat.JSON_LD),
}


def triples(body: bytes, form: str) -> set[ox.Triple]:
    return {quad.triple for quad in ox.parse(body, format=RDF[form][1], base_iri="http://wrong.example/")}


def bare(response) -> str:
    return response.headers["content-type"].partition(";")[0]


# --- which status


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("form", ["html", *RDF])
def test_a_thing_redirects_to_its_document_in_the_negotiated_form(client, here, thing, form):
    accept = "text/html" if form == "html" else RDF[form][0]
    answer = client.get(here(thing), accept)
    assert answer.status_code == 303
    assert answer.headers["location"] == here.document(thing, form)
    document = client.get(answer.headers["location"])
    assert document.status_code == 200
    assert bare(document) == accept
    assert client.get(here.document(thing), accept).content == document.content


@pytest.mark.parametrize("thing", DOCUMENTS)
@pytest.mark.parametrize("form", ["html", *RDF])
def test_metadata_answers_at_its_own_address(client, here, thing, form):
    accept = "text/html" if form == "html" else RDF[form][0]
    answer = client.get(here(thing), accept)
    assert answer.status_code == 200
    assert bare(answer) == accept
    assert client.get(f"{here(thing)}.{form}").content == answer.content


@pytest.mark.parametrize("thing", THINGS + DOCUMENTS)
@pytest.mark.parametrize("form", RDF)
def test_data_is_about_the_thing_that_was_asked_for(client, here, thing, form):
    body = client.get(here.document(thing, form)).content
    assert any(ox.NamedNode(thing) in (triple.subject, triple.object) for triple in triples(body, form))


@pytest.mark.parametrize("thing", THINGS)
def test_all_syntaxes_contain_the_same_triples(client, here, thing):
    documents = [triples(client.get(here.document(thing, form)).content, form) for form in RDF]
    assert all(each == documents[0] for each in documents)


def test_every_iri_of_the_dataset_that_the_data_mention_answers(client, here):
    lines = client.get(here.document(IRIS.resource(FOUNDER), "nt")).text
    lines += client.get(here(IRIS.record(MEMBER)) + ".nt").text + client.get(here(MATCH) + ".nt").text
    mentioned = set(re.findall(r"<(https://data\.example\.org/lod/[^>#]*)[^>]*>", lines))
    assert len(mentioned) > 8
    for iri in mentioned:
        assert client.get(here(iri)).status_code in (200, 303), iri


def test_a_document_states_its_subject_and_its_source(client, here):
    thing = IRIS.resource(FOUNDER)
    graph = rdflib.Graph().parse(data=client.get(here.document(thing, "ttl")).text, format="turtle")
    document = rdflib.URIRef(IRIS.document(thing))
    assert set(graph.objects(document, rdflib.FOAF.primaryTopic)) == {rdflib.URIRef(thing)}
    assert set(graph.objects(document, rdflib.DCTERMS.license)) == {
        rdflib.URIRef("https://creativecommons.org/publicdomain/zero/1.0/")
    }
    sources = {rdflib.URIRef(IRIS.record(record)) for record in (FOUNDER, MEMBER)}
    assert set(graph.objects(document, rdflib.DCTERMS.source)) == sources


def test_the_hash_iris_of_a_thing_are_in_its_document_and_the_provenance_too(client, here):
    thing = IRIS.resource(FOUNDER)
    found = triples(client.get(here.document(thing, "nt")).content, "nt")
    subjects = {triple.subject.value for triple in found}
    assert f"{thing}#title1" in subjects
    assert {triple.object.value for triple in found if triple.predicate.value.endswith("wasDerivedFrom")} == {
        IRIS.record(FOUNDER),
        IRIS.record(MEMBER),
    }


# --- identity


def test_another_iri_of_an_entity_leads_to_the_one_that_is_described(client, here):
    answer = client.get(here(AUTHOR_ELSEWHERE), "text/turtle")
    assert (answer.status_code, answer.headers["location"]) == (303, here.document(AUTHOR, "ttl"))
    assert answer.headers["link"] == f'<{AUTHOR}>; rel="canonical"'
    assert client.get(here.document(AUTHOR_ELSEWHERE, "nt")).headers["location"] == here.document(AUTHOR, "nt")


@pytest.mark.parametrize(("record", "reason"), [(MEMBER, "absorbed"), (DELETED, "deleted with a redirect")])
def test_what_was_merged_or_inherited_leads_to_the_survivor(client, here, record, reason):
    answer = client.get(here(IRIS.resource(record)), "text/turtle")
    assert answer.status_code == 303, reason
    assert answer.headers["location"] == here.document(IRIS.resource(FOUNDER), "ttl")
    assert answer.headers["link"] == f'<{IRIS.resource(FOUNDER)}>; rel="canonical"'
    named = client.get(here.document(IRIS.resource(record), "nt"))
    assert (named.status_code, named.headers["location"]) == (303, here.document(IRIS.resource(FOUNDER), "nt"))


@pytest.mark.parametrize(
    "thing", [IRIS.resource(WITHOUT_REDIRECT), IRIS.record(WITHOUT_REDIRECT), IRIS.record(DELETED)]
)
def test_what_was_withdrawn_is_gone(client, here, thing):
    assert client.get(here(thing), "text/html").status_code == 410
    tombstone = client.get(here(thing), "text/turtle")
    assert tombstone.status_code == 410
    found = triples(tombstone.content, "ttl")
    assert {triple.subject.value for triple in found} == {thing}
    assert client.get(here.document(thing, "rdf")).status_code == 410


@pytest.mark.parametrize(
    "path",
    [
        *("resource/rsl/99", "resource/RSL/99", "resource/rsl/", "resource/rsl/a~2fb", "resource/rsl/~FF"),
        *("resource/rsl/~ZZ", "resource/Ж/Ж", "resource", "record/rsl", "record/rsl/99", "match/x", "match/~7C"),
        *("match/rsl~3A1~7Crsl~3A1", "agent/nobody", "agent/a b", "agent/<x>", "agent/%00", "doc", "doc/"),
        *("doc/doc/dataset", "graph/none", "dataset/none", "ontology.zip", "dataset.mods.xml"),
        *("resource/rsl/01003120729.ttl", "%2e%2e/%2e%2e/etc/passwd"),
    ],
)
def test_what_never_was_is_not_found(client, path):
    answer = client.get(f"/lod/{path}")
    assert answer.status_code in (404, 308)
    if answer.status_code == 308:
        assert client.get(answer.headers["location"]).status_code == 404


def test_a_slash_at_the_end_is_taken_away_and_leads_nowhere_else(client, here):
    answer = client.get(here(IRIS.dataset) + "/")
    assert (answer.status_code, answer.headers["location"]) == (308, here(IRIS.dataset))
    assert client.get("/lod//evil.example/").status_code == 404


# --- HTTP


def test_every_answer_states_what_it_depends_on(client, here):
    thing = here(IRIS.resource(FOUNDER))
    document = client.get(here.document(IRIS.resource(FOUNDER), "ttl"))
    unchanged = client.get(here.document(IRIS.resource(FOUNDER), "ttl"), if_none_match=document.headers["etag"])
    for answer, status in (
        (document, 200),
        (client.get(thing), 303),
        (unchanged, 304),
        (client.get(thing, "image/png"), 406),
    ):
        assert answer.status_code == status
        assert answer.headers["vary"] == "Accept, Accept-Encoding"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_each_representation_has_its_own_strong_tag(client, here):
    thing = IRIS.resource(FOUNDER)
    tags = [client.get(here.document(thing, form)).headers["etag"] for form in ("html", *RDF, "mods.xml")]
    tags.append(client.get(here.document(thing, "html"), accept_encoding="gzip").headers["etag"])
    assert len(set(tags)) == len(tags)
    assert all(re.fullmatch(r'"[!#-~]+"', tag) for tag in tags)


@pytest.mark.parametrize("path", ["", "dataset", "doc/dataset.ttl", "sparql", "dumps/void.ttl", "static/site.css"])
def test_head_is_get_without_body(client, path):
    got = client.get(f"/lod/{path}")
    head = client.request("HEAD", f"/lod/{path}", headers={"accept-encoding": ""})
    assert (head.status_code, head.content) == (200, b"")
    differing = {"date"}
    for name in set(got.headers) - differing:
        assert head.headers[name] == got.headers[name]


def test_options_and_methods(client):
    options = client.request("OPTIONS", "/lod/dataset")
    assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    assert "GET" in options.headers["access-control-allow-methods"]
    refused = client.request("POST", "/lod/dataset", content=b"x")
    assert refused.status_code == 405
    assert {each.strip() for each in refused.headers["allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_the_same_request_gives_the_same_bytes(site, client, here, running):
    paths = [here.document(thing, form) for thing in THINGS for form in ("html", *RDF)]
    with running(site) as other:
        for path in paths:
            assert other.get(path).content == client.get(path).content, path


# --- other forms


def test_mods_and_marc_forms(client, here):
    merged = from_xml(client.get(here.document(IRIS.resource(FOUNDER), "mods.xml")).content)
    assert len(merged.origin_info[0].publisher) == 2
    record = client.get(here(IRIS.record(MEMBER)), "application/mods+xml")
    assert from_xml(record.content).title_info[0].title == "Война и мир"
    marcxml = client.get(here(IRIS.record(MEMBER)) + ".marcxml")
    assert bare(marcxml) == "application/marcxml+xml"
    assert "<subfield" in marcxml.text
    assert client.get(here(IRIS.record(MEMBER)) + ".mrk").text.startswith("=LDR")
    assert client.get(here(IRIS.record(ALONE)) + ".marcxml").status_code == 404


def test_files_of_the_release(client, site):
    compressed = {"bibld.nq.gz": "application/gzip", "bibld.nq.zst": "application/zstd"}
    for file in site.manifest.files:
        answer = client.get(f"/lod/dumps/{file.name}")
        assert answer.status_code == 200
        assert len(answer.content) == file.bytes
        assert answer.headers["etag"] == f'"{file.sha256}"'
        assert bare(answer) == compressed.get(file.name, file.media_type)
        for stated in (f'"{file.sha256}"', f'W/"{file.sha256}"', "*"):
            assert client.get(f"/lod/dumps/{file.name}", if_none_match=stated).status_code == 304
    assert client.get("/lod/dumps/manifest.json").json()["number"] == 1


@pytest.mark.parametrize("path", ["/lod/", "/lod/dumps/bibld.nq.gz", "/robots.txt"])
def test_tags_may_be_stated_in_more_than_one_line(client, path):
    lines = [("If-None-Match", '"other"'), ("If-None-Match", client.get(path).headers["etag"])]
    assert client.request("GET", path, headers=lines).status_code == 304


@pytest.mark.parametrize(
    "name",
    [
        *("secret.txt", "../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "void.ttl/../secret.txt"),
        *("store/CURRENT", "/etc/passwd", "%2fetc%2fpasswd", "void.ttl%00", ""),
    ],
)
def test_no_request_reaches_another_file(client, name):
    for folder in ("dumps", "static"):
        answer = client.get(f"/lod/{folder}/{name}")
        assert answer.status_code in (307, 308, 404)
        assert b"nobody may read this" not in answer.content


def test_well_known_addresses(client):
    void = client.get("/.well-known/void")
    assert (void.status_code, bare(void)) == (200, "text/turtle")
    assert "Accept" in void.headers["vary"]
    for media_type in ("application/n-triples", "application/rdf+xml", "application/ld+json"):
        assert bare(client.get("/.well-known/void", media_type)) == media_type
    page = client.get("/.well-known/void", "text/html,*/*;q=0.8")
    assert (page.status_code, page.headers["location"]) == (303, "/lod/dataset")
    assert client.get("/.well-known/void", "image/png").status_code == 406
    assert "Disallow: /lod/sparql" in client.get("/robots.txt").text
    assert bare(client.get("/favicon.ico")) == "image/svg+xml"
    home = client.get("/")
    assert (home.status_code, home.headers["location"]) == (307, "/lod/")


def test_small_bodies_are_sent_as_they_are(client):
    assert "content-encoding" not in client.get("/robots.txt", accept_encoding="gzip").headers


def test_a_base_without_path_is_served_from_the_root(site_at, running):
    with running(site_at("https://books.example/")) as client:
        assert "/static/site-" in client.get("/", "text/html").text
        assert client.get("/static/site.css").status_code == 200
        assert client.get("/resource/rsl/01003120729").headers["location"] == "/doc/resource/rsl/01003120729.html"
        assert client.get("/dataset.ttl").status_code == 200
        assert client.get("//evil.example/").status_code in (200, 404)
        assert "location" not in client.get("//evil.example/").headers


@pytest.mark.parametrize(
    ("base", "link"),
    [
        ("https://books.example/a%20b/", "/a%20b/"),
        ("https://пример.рф/данные/", "/%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5/"),
        ("https://books.example/%D0%B4/", "/%D0%B4/"),
        ("https://books.example//", "/.//"),
        ("https://books.example//evil.example/", "/.//evil.example/"),
        ("https://books.example/a//b/", "/a//b/"),
    ],
)
def test_a_base_of_any_path_is_served_from_it(site_at, running, base, link):
    resource = f"{base}resource/rsl/01003120729"
    with running(site_at(base)) as client:
        home = client.get(base, "text/html")
        assert (home.status_code, f'href="{link}static/site-' in home.text) == (200, True)
        assert client.get(f"{base}static/site.css").status_code == 200
        redirected = client.get(resource, "text/turtle")
        assert redirected.headers["location"] == f"{link}doc/resource/rsl/01003120729.ttl"
        document = client.get(str(httpx.URL(resource).join(redirected.headers["location"])))
        assert ox.NamedNode(resource) in {triple.subject for triple in triples(document.content, "ttl")}
        for path in ("dataset/", "sparql", "dataset.ttl", "doc/dataset.html"):
            assert client.get(base + path).status_code in (200, 308)


@pytest.mark.parametrize("base", ["https://books.example//", "https://books.example//evil.example/", BASE])
@pytest.mark.parametrize(
    "path", ["", "/", "//", "//evil.example", "//evil.example/", "dataset/", "/dataset/", "lod", "/lod"]
)
def test_no_location_names_another_host(site_at, running, base, path):
    with running(site_at(base)) as client:
        for address in (f"http://127.0.0.1{path}", f"http://127.0.0.1/{path}", base + path):
            location = client.get(address, host="evil.example").headers.get("location", "/")
            assert location.startswith("/")
            assert not location.startswith("//")


def test_a_fault_of_the_server_is_logged_and_not_sent_to_the_client(site, running, caplog):
    class Broken:
        def __getattr__(self, name):
            if name == "sample_founders":
                return lambda count: []
            raise OSError("/secret/path")

    with running(msgspec.structs.replace(site, catalog=Broken())) as client:
        answer = client.get("/lod/resource/rsl/01003120729", "application/json")
    assert (answer.status_code, bare(answer)) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "/secret/path" in caplog.text
