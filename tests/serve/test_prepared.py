"""A release with prepared documents answers as one without them, and faster; what it needs from a request is little."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bibld.documents import Document, ReleaseState, fill, open_published
from bibld.model.rdf import XSD, iri, literal, quad, term
from bibld.serve._http import ByteCache, PlainRequest, is_current
from bibld.serve._writers import simple
from bibld.serve.site import Site
from tests.serve.test_documents import (
    ALONE,
    AUTHOR,
    AUTHOR_ELSEWHERE,
    BASE,
    DOCUMENTS,
    FOUNDER,
    IRIS,
    MATCH,
    MEMBER,
    RDF,
    THINGS,
    WITHOUT_REDIRECT,
    bare,
    triples,
)

CONDITIONS = ["if_none_match", "if_modified_since"]
GONE = IRIS.resource(WITHOUT_REDIRECT)
TOMBSTONE = (
    quad(iri(GONE), term("owl:deprecated"), literal("true", datatype=f"{XSD}boolean")),
    quad(iri(GONE), term("prov:invalidatedAtTime"), literal("2026-01-02T03:04:05Z", datatype=f"{XSD}dateTime")),
    quad(iri(GONE), term("rdfs:comment"), literal("The library deleted it.", "en")),
    quad(iri(GONE), term("rdfs:comment"), literal("Библиотека удалила её.", "ru")),
)


@pytest.fixture
def prepared(site: Site, quads: list[str], tmp_path: Path) -> Site:
    """The site, with prepared documents."""
    state = ReleaseState(number=1, created="2026-01-02T03:04:05Z", delivered=0)
    fill(tmp_path, BASE, state, ["".join(sorted([*quads, *TOMBSTONE])).encode()])
    return msgspec.structs.replace(site, published=partial(open_published, tmp_path, 1))


@pytest.fixture
def fast(prepared: Site, running: Callable):
    with running(prepared) as client:
        yield client


@pytest.mark.parametrize("thing", THINGS + DOCUMENTS)
@pytest.mark.parametrize("form", [*RDF, "html"])
def test_it_answers_the_same_as_from_the_store(client, fast, here, thing, form):
    accept = "text/html" if form == "html" else RDF[form][0]
    for path in (here(thing), here.document(thing, form)):
        slow, quick = client.get(path, accept), fast.get(path, accept)
        assert (quick.status_code, bare(quick) if quick.content else "") == (
            slow.status_code,
            bare(slow) if slow.content else "",
        )
        for name in ("location", "content-location", "vary", "link", "cache-control", "content-security-policy"):
            assert quick.headers.get(name) == slow.headers.get(name), name
        if form in RDF and quick.content:
            more = triples(quick.content, form) - triples(slow.content, form)
            assert triples(slow.content, form) <= triples(quick.content, form)
            assert all("#value-1" in str(each.subject) for each in more)  # nothing leads from the thing to it


def test_other_iris_lead_to_the_document_that_answers(fast, here):
    for other, thing in ((AUTHOR_ELSEWHERE, AUTHOR), (IRIS.resource(MEMBER), IRIS.resource(FOUNDER))):
        answer = fast.get(here(other), "application/ld+json")
        assert (answer.status_code, answer.headers["location"]) == (303, here.document(thing, "jsonld"))
        assert answer.headers["link"] == f'<{thing}>; rel="canonical"'
        assert answer.headers["vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize("form", RDF)
def test_a_tombstone_states_when_and_why_in_every_syntax(fast, here, form):
    expected = {each.triple for each in ox.parse("".join(TOMBSTONE).encode(), format=ox.RdfFormat.N_QUADS)}
    for answer in (fast.get(here(GONE), RDF[form][0]), fast.get(here.document(GONE, form))):
        assert (answer.status_code, bare(answer)) == (410, RDF[form][0])
        assert triples(answer.content, form) == expected
        assert answer.headers["vary"] == "Accept, Accept-Encoding"


def test_a_page_states_why_a_record_was_withdrawn(fast, here):
    answer = fast.get(here(GONE), "text/html")
    assert answer.status_code == 410
    assert "was withdrawn on 2 January 2026" in answer.text
    assert "The library deleted it." in answer.text
    russian = fast.get(f"{here(GONE)}?lang=ru", "text/html").text
    assert "изъята 2 января 2026" in russian and "was withdrawn" not in russian


@pytest.mark.parametrize(
    "path", ["resource/rsl/99", "agent/nobody", "doc/agent/nobody.ttl", "resource/rsl/01003120729.ttl", "agent/%00"]
)
def test_what_never_was_is_not_found(fast, path):
    answer = fast.get(f"/lod/{path}")
    assert (answer.status_code, bare(answer)) == (404, "application/problem+json")


def test_nothing_acceptable_names_the_alternates(fast, here):
    answer = fast.get(here(IRIS.resource(FOUNDER)), "image/png")
    assert (answer.status_code, answer.headers["vary"]) == (406, "Accept, Accept-Encoding")
    assert bare(answer) == "application/problem+json"
    offered = {each["href"] for each in answer.json()["alternates"]}
    assert {here.document(IRIS.resource(FOUNDER), form) for form in ("json", "mods.xml")} <= offered
    assert f'<{here.document(IRIS.resource(FOUNDER), "ttl")}>; rel="alternate"' in answer.headers["link"]


@pytest.mark.parametrize("form", ["ttl", "nt", "jsonld", "json", "html"])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_client_that_has_it_gets_304_with_all_headers(fast, here, form, coding):
    path = here.document(IRIS.resource(FOUNDER), form)
    full = fast.get(path, accept_encoding=coding)
    assert (full.headers.get("content-encoding", "") == "gzip") is (coding == "gzip" and len(full.content) >= 1000)
    tag = full.headers["etag"]
    for stated in ([tag], [f"W/{tag}"], ['"a,b"', tag], [f'"x" , W/"y",{tag}'], ["*"]):
        headers = [("if-none-match", each) for each in stated] + [("accept-encoding", coding)]
        answer = fast.request("GET", path, headers=headers)
        assert (answer.status_code, answer.content) == (304, b""), stated
        for name in ("cache-control", "vary", "link", "content-location", "last-modified", "x-content-type-options"):
            assert answer.headers[name] == full.headers[name]
    assert fast.request("GET", path, headers=[("if-none-match", '"other"')]).status_code == 200


@pytest.mark.parametrize(
    ("since", "tag", "status"),
    [
        ("Fri, 02 Jan 2026 03:04:05 GMT", None, 304),
        ("Fri, 02 Jan 2026 03:04:04 GMT", None, 200),
        ("Friday, 02-Jan-26 03:04:05 GMT", None, 304),
        ("yesterday", None, 200),
        ("Fri, 02 Jan 2026 03:04:05 GMT", '"other"', 200),
    ],
)
def test_the_date_of_the_last_change_counts_where_no_tag_is_stated(fast, here, since, tag, status):
    headers = {"if-modified-since": since} | ({"if-none-match": tag} if tag else {})
    path = here.document(IRIS.resource(FOUNDER), "ttl")
    answer = fast.request("GET", path, headers=headers)
    assert answer.status_code == status
    assert answer.headers["last-modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"


@example(text="Fri, 31 Feb 2026 25:00:00 GMT", name="if_modified_since")
@example(text="Fri, 02 Jan 99999999 03:04:05 +9999", name="if_modified_since")
@given(text=st.text(st.characters(max_codepoint=255, exclude_categories=("Cc",))), name=st.sampled_from(CONDITIONS))
def test_no_condition_breaks_an_answer(text, name):
    asked = msgspec.structs.replace(PlainRequest("resource/rsl/1"), **{name: text})
    assert is_current(asked, "tag", "2026-01-02T03:04:05Z") in (True, False)


def test_what_was_not_used_longest_leaves_the_cache_first():
    cache: ByteCache[str] = ByteCache(100)
    for key in "abcd":
        cache.put(key, key, 25)
    assert cache.get("a") == "a"
    cache.put("e", "e", 25)
    assert [cache.get(key) for key in "abcde"] == ["a", None, "c", "d", "e"]
    cache.put("too large", "x", 26)
    assert cache.get("too large") is None


def test_head_is_get_without_body(fast, here):
    for path in (here.document(AUTHOR, "ttl"), here(AUTHOR), here.document(AUTHOR, "html")):
        got, head = fast.get(path), fast.request("HEAD", path, headers={"accept-encoding": ""})
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert dict(head.headers) == dict(got.headers)


def test_links_state_how_to_cite_the_thing_and_what_it_is(fast, here):
    thing = IRIS.resource(FOUNDER)
    for path in (here(thing), here.document(thing, "ttl")):
        links = fast.get(path, "text/turtle").headers["link"]
        assert f'<{thing}>; rel="cite-as"' in links
        assert '<http://purl.org/ontology/bibo/Book>; rel="type"' in links
        assert f'<{here.document(thing, "ttl")}>; rel="describedby"; type="text/turtle"' in links
        assert f'<{IRIS.dataset}>; rel="collection"' in links
        assert '<https://creativecommons.org/publicdomain/zero/1.0/>; rel="license"' in links
    assert 'rel="item"; type="application/n-quads"' in fast.get(here(IRIS.dataset), "text/turtle").headers["link"]


def test_json_has_short_keys_and_the_labels_of_links(fast, here):
    answer = fast.get(here(IRIS.resource(FOUNDER)), "application/json")
    assert (answer.status_code, answer.headers["location"]) == (303, here.document(IRIS.resource(FOUNDER), "json"))
    document = fast.get(answer.headers["location"])
    assert bare(document) == "application/json"
    assert json.loads(document.content) == {
        "id": IRIS.resource(FOUNDER),
        "kind": "resource",
        "label": "Война и мир",
        "modified": "2026-01-02T03:04:05Z",
        "creator": [{"id": AUTHOR, "label": "Толстой, Лев Николаевич, 1828-1910"}],
        "same_as": [{"id": IRIS.resource(MEMBER), "label": "Война и мир"}],
        "source_record": [{"id": IRIS.record(MEMBER)}, {"id": IRIS.record(FOUNDER)}],
        "name": [{"text": "Война и мир", "language": "ru"}],
        "title": [{"text": "Война и мир", "language": "ru"}],
        "types": ["Book"],
    }
    match = json.loads(fast.get(here(MATCH), "application/json").content)
    assert (match["score"], match["decision"]) == (["0.964"], ["same"])
    assert match["left"] == [{"id": IRIS.record(MEMBER)}]


def test_json_states_a_language_as_link_and_as_tag():
    code = "http://id.loc.gov/vocabulary/iso639-2/rus"
    lines = (
        quad(iri(f"{BASE}resource/a/1"), term("dcterms:language"), iri(code)),
        quad(iri(f"{BASE}resource/a/1"), term("schema:inLanguage"), literal("yue")),
    )
    document = Document("resource/a/1", 200, "", "", 1, "2026-01-02", b"", "".join(lines).encode())
    written = json.loads(simple.write(document, BASE, lambda paths: {}))
    assert (written["language"], written["language_code"]) == ([{"id": code}], ["ru", "yue"])


def test_a_page_that_many_ask_for_is_made_once_and_kept(fast, here):
    path = here.document(IRIS.resource(ALONE), "html")
    first, second = fast.get(path), fast.get(path, accept_encoding="gzip")
    assert second.content == first.content
    assert second.headers["content-encoding"] == "gzip"
    assert "<script>alert" not in first.text


HYDRA = "http://www.w3.org/ns/hydra/core#"
PUBLISHER = IRIS.publisher("наука")


@pytest.mark.parametrize("form", RDF)
def test_what_points_to_an_entity_has_pages_as_data(fast, here, form):
    document = IRIS.document(PUBLISHER)
    path = here.document(PUBLISHER, form)
    pages = [fast.get(f"{path}?page={number}") for number in (1, 2)]
    assert [(each.status_code, bare(each)) for each in pages] == [(200, RDF[form][0])] * 2
    found = [triples(each.content, form) for each in pages]
    pointing = [{each.subject for each in some if each.object == ox.NamedNode(PUBLISHER)} for some in found]
    topics = [{subject for subject in some if "/concept/" in subject.value} for some in pointing]
    assert [len(each) for each in topics] == [100, 50]
    assert len(topics[0] | topics[1]) == 150
    first, second = (ox.NamedNode(f"{document}?page={number}") for number in (1, 2))
    hydra = {(each.subject, each.predicate.value.removeprefix(HYDRA), each.object) for each in found[1]}
    assert {(second, "previous", first), (second, "first", first), (second, "last", second)} <= hydra
    assert (second, "totalItems", ox.Literal("150", datatype=ox.NamedNode(f"{XSD}integer"))) in hydra
    assert not [each for each in hydra if each[1] == "next"]
    assert f'<{path}?page=2>; rel="next"' in pages[0].headers["link"]
    assert f'<{path}?page=1>; rel="prev"' in pages[1].headers["link"]
    assert pages[1].headers["content-location"] == f"{path}?page=2"
    assert fast.get(f"{path}?page=3").status_code == 404


def test_the_data_of_an_entity_lead_to_the_pages(fast, here):
    found = triples(fast.get(here.document(AUTHOR, "ttl")).content, "ttl")
    page = ox.NamedNode(f"{IRIS.document(AUTHOR)}?page=1")
    assert page in {each.object for each in found if each.predicate.value.endswith("#seeAlso")}
    answer = fast.get(here(page.value), "application/n-triples")
    assert {ox.NamedNode(IRIS.resource(record)) for record in (FOUNDER, ALONE)} <= {
        each.subject for each in triples(answer.content, "nt")
    }


@pytest.mark.parametrize("query", ["?page=0", "?page=-1", "?page=1e3", "?page=99999999999999999999", "?page=", "?x"])
def test_an_invalid_page_is_the_first_or_none(fast, here, query):
    assert fast.get(f"{here.document(PUBLISHER, 'html')}{query}").status_code == 200


def test_a_page_of_links_is_the_same_from_the_cache(fast, here):
    path = here.document(PUBLISHER, "html")
    first, again = fast.get(path), fast.get(path)
    assert (first.content, dict(first.headers)) == (again.content, dict(again.headers))
    assert f'<{path}?page=2>; rel="next"' in again.headers["link"]
