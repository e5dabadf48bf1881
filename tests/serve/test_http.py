"""How a representation becomes an answer: compressed, tagged, or not sent because the client has it."""

from __future__ import annotations

import gzip

import pytest
from starlette.requests import Request

from bibld.model.iris import Iris
from bibld.serve._addresses import Addresses
from bibld.serve._forms import split_suffix
from bibld.serve._http import Representation, link_header, redirect, respond, with_charset
from bibld.serve._negotiation import MediaRange, media_ranges


def request(method: str = "GET", **headers: str) -> Request:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": method, "path": "/", "query_string": b"", "headers": sent})


@pytest.mark.parametrize(
    ("size", "media_type", "accepted", "is_compressed"),
    [
        (1000, "text/turtle", "gzip", True),
        (999, "text/turtle", "gzip", False),
        (1000, "text/turtle", "identity", False),
        (1000, "image/png", "gzip", False),
        (1000, "application/json", "gzip", True),
        (1000, "application/n-triples", "gzip", True),
        ((1 << 18) + 1, "text/html", "gzip", True),
        ((1 << 21) - 1, "text/html", "gzip", True),
        (1 << 21, "text/html", "gzip", False),
    ],
)
def test_a_body_is_compressed_where_that_is_worth_it(size, media_type, accepted, is_compressed):
    answer = respond(request(accept_encoding=accepted), Representation(b"x" * size, media_type))
    assert (answer.headers.get("content-encoding") == "gzip") is is_compressed
    assert answer.headers["etag"].endswith('-gzip"') is is_compressed
    assert (gzip.decompress(answer.body) if is_compressed else answer.body) == b"x" * size


@pytest.mark.parametrize(
    ("method", "status", "stated", "expected"),
    [
        ("GET", 200, "{tag}", 304),
        ("HEAD", 200, "{tag}", 304),
        ("POST", 200, "{tag}", 200),
        ("GET", 410, "{tag}", 410),
        ("GET", 200, "*", 304),
        ("GET", 200, '"other"', 200),
        ("GET", 200, "", 200),
    ],
)
def test_only_a_client_that_has_the_body_gets_304(method, status, stated, expected):
    body = Representation(b"body", "text/plain", (("Cache-Control", "no-cache"), ("X-Own", "1")), status)
    tag = respond(request(), body).headers["etag"]
    answer = respond(request(method, if_none_match=stated.format(tag=tag)), body)
    assert answer.status_code == expected
    assert (answer.headers["etag"], answer.headers["cache-control"], answer.headers["x-own"]) == (tag, "no-cache", "1")


def test_an_answer_may_be_stored_for_a_while_unless_it_states_otherwise():
    assert respond(request(), Representation(b"", "text/plain")).headers["cache-control"] == "public, max-age=300"


def test_a_redirect_depends_on_what_the_client_accepts():
    answer = redirect("/a")
    headers = {name: answer.headers[name] for name in ("location", "vary")}
    assert (answer.status_code, headers) == (303, {"location": "/a", "vary": "Accept, Accept-Encoding"})


def test_links_of_a_header_are_escaped_and_typed_where_the_type_is_known():
    links = [("/a b<c>", "alternate", "text/turtle"), ("/d", "license", None)]
    assert link_header(links) == '</a%20b%3Cc%3E>; rel="alternate"; type="text/turtle", </d>; rel="license"'


def test_texts_have_a_charset():
    assert with_charset("text/html") == "text/html; charset=utf-8"
    assert with_charset("application/json") == "application/json"


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("resource/rsl/1.ttl", ("resource/rsl/1", "ttl")),
        ("resource/rsl/1.mods.xml", ("resource/rsl/1", "mods.xml")),
        ("record/rsl/1.marcxml", ("record/rsl/1", "marcxml")),
        ("record/rsl/1.mrk", ("record/rsl/1", "mrk")),
        ("record/rsl/1.zip", ("record/rsl/1.zip", None)),
        ("ttl", ("ttl", None)),
    ],
)
def test_a_suffix_names_a_form(path, split):
    assert split_suffix(path) == split


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("text/html", MediaRange("text", "html", 0, 1.0)),
        ("Text/HTML ; level=1;q=0.5", MediaRange("text", "html", 1, 0.5)),
        ("text/html;a=1;b=2;Q=0.25", MediaRange("text", "html", 2, 0.25)),
        ("text/html;", MediaRange("text", "html", 0, 1.0)),
        ("*", MediaRange("*", "*", 0, 1.0)),
        ("text/*;q=2", MediaRange("text", "*", 0, 1.0)),
        ("*/html", None),
        ("text", None),
        ("", None),
    ],
)
def test_an_element_of_accept_is_a_range_or_left_out(element, expected):
    assert media_ranges(element) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("iri", "href"),
    [
        ("https://data.example.org/lod/agent/x", "/lod/agent/x"),
        ("https://data.example.org/lod/agent/x#y z", "/lod/agent/x#y%20z"),
        ("https://data.example.org/lod/a?b", "/lod/a%3Fb"),
        ("https://data.example.org/lod/", "/lod/"),
        ("https://data.example.org/other", None),
        ("http://data.example.org/lod/agent/x", None),
    ],
)
def test_iris_of_the_dataset_have_a_path_here(iri, href):
    assert Addresses(Iris("https://data.example.org/lod/")).href(iri) == href
