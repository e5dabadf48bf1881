"""Searches that come at a bad time, are too long, too many or meant to harm."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path

import msgspec
import pyoxigraph as ox
import pytest
from starlette.requests import Request

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.rdf import literal, quad, term
from bibld.search import StoredPublication, open_search, write_search
from bibld.serve._forms import MEDIA_TYPES
from bibld.serve._http import language_of
from bibld.serve._search.forms import to_csv
from bibld.serve._statements import HYDRA
from bibld.serve.site import Site
from tests.serve.client import running

BASE = "https://data.example.org/lod/"
PERSON = "agent/tolstoy"


def line(path: str, predicate: str, value: str) -> str:
    return quad(f"<{BASE}{path}>", term(predicate), value)


@pytest.fixture(scope="module")
def names(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    lines = [line(PERSON, "rdfs:label", literal("Толстой, Лев")), line(PERSON, "rdf:type", term("foaf:Person"))]
    for number in range(3):
        path = f"resource/rsl/{number}"
        lines.append(line(path, "rdfs:label", literal(f"Война и мир {number}")))
        lines.append(line(path, "dcterms:creator", f"<{BASE}{PERSON}>"))
        lines.append(line(path, "prov:wasDerivedFrom", f"<{BASE}record/rsl/{number}>"))
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(lines)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    return folder


@pytest.fixture(scope="module")
def client(site: Site, names: Path):
    with running(msgspec.structs.replace(site, search=lambda **options: open_search(names, **options))) as opened:
        yield opened


def test_suggestions_need_two_letters_and_keep_two_hundred(client):
    assert client.get("/lod/suggest?q=т").json()["groups"] == []
    assert client.get("/lod/suggest?q=то").json()["groups"]
    assert len(client.get(f"/lod/suggest?q={'x' * 5000}").json()["query"]) == 200


def test_the_header_link_does_not_grow_with_the_query(client):
    for path, accept in (("/lod/search", "text/html"), ("/lod/search.csv", "text/csv")):
        assert "rel=" in client.get(f"{path}?q=мир", accept).headers["link"]
        assert "link" not in client.get(f"{path}?q={'мир+' * 40}", accept).headers


def test_a_long_text_like_an_iri_is_searched_for(client):
    assert client.get(f"/lod/search?q=agent{'/~' * 9000}", "text/html").status_code == 200


def test_many_searches_at_once_are_refused_but_no_single_one(client):
    async def ask() -> list[int]:
        answers = await asyncio.gather(*(client._http.get(f"/lod/search.json?q=мир+{n}") for n in range(200)))
        assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
        return [answer.status_code for answer in answers]

    statuses = client._loop.run_until_complete(ask())
    assert set(statuses) == {200, 503} and statuses.count(200) >= 64
    assert client.get("/lod/search.json?q=мир").json()["total"] == 3


def test_a_column_is_written_once_however_often_it_is_asked_for(client):
    answer = client.get(f"/lod/search.csv?q=мир&columns={'title,' * 1000}year")
    assert answer.text.splitlines()[0] == "title,year"


@pytest.mark.parametrize(
    "title", ["=cmd", "Книга;=cmd", "Книга\t+cmd", "Книга\r@cmd", "\tcmd", 'Книга; ""-cmd', ";;=cmd"]
)
def test_no_cell_begins_with_a_formula_at_any_separator(title):
    hit = StoredPublication("resource/rsl/1", title, "", "", "", "book", (), ())
    written = to_csv([hit], BASE, ("title",)).decode()
    for separator in ",;\t":
        rows = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
        assert not [cell for row in rows for cell in row if cell.strip().strip('"').startswith(("=", "+", "-", "@"))]


def test_other_titles_stay_as_they_are():
    title = "А - Я; Б = В; C++"
    assert (
        to_csv([StoredPublication("a", title, "", "", "", "", (), ())], BASE, ("title",)).decode()
        == f"title\r\n{title}\r\n"
    )


def test_a_host_that_is_none_and_bytes_that_are_no_text_are_no_error(client):
    sent = {"type": "http", "path": "/", "headers": [(b"host", b"[1]")], "query_string": b"q=\xff&lang=ru"}
    assert language_of(Request(sent)) == "ru"
    for path in ("/lod/search?q=мир", "/lod/suggest?q=мир", "/lod/reconcile", "/lod/", "/lod/nothing"):
        assert client.get(path, "text/html", host="[1]").status_code in (200, 404)


RDF = {
    "ttl": ox.RdfFormat.TURTLE,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdf": ox.RdfFormat.RDF_XML,
    "nt": ox.RdfFormat.N_TRIPLES,
}


@pytest.mark.parametrize("form", RDF)
def test_results_are_the_same_in_each_form_of_rdf(client, form):
    answer = client.get(f"/lod/search.{form}?q=мир&sort=year")
    assert answer.headers["content-type"].split(";")[0] == MEDIA_TYPES[form]
    assert f'filename="search-1.{form}"' in answer.headers["content-disposition"]
    negotiated = client.get("/lod/search?q=мир&sort=year", MEDIA_TYPES[form])
    assert negotiated.text == answer.text
    triples = {quad.triple for quad in ox.parse(answer.text, format=RDF[form])}
    search = ox.NamedNode(f"{BASE}search?q=%D0%BC%D0%B8%D1%80&sort=year")
    books = {ox.NamedNode(f"{BASE}resource/rsl/{number}") for number in range(3)}
    members = {each.object for each in triples if each.predicate.value == f"{HYDRA}member"}
    assert members == books
    assert {each.subject for each in triples} == {search, *books, ox.NamedNode(BASE + PERSON)}
    (total,) = (each.object.value for each in triples if each.predicate.value == f"{HYDRA}totalItems")
    assert total == "3"


@pytest.mark.parametrize(("language", "fields"), [("en", ("isbn:", "author:")), ("ru", ("номер:", "автор:"))])
def test_the_help_names_the_fields_in_the_language_of_the_page(client, language, fields):
    text = client.get(f"/lod/search?q=мир&lang={language}", "text/html").text
    assert all(f"<code>{field}" in text for field in fields)
    assert "issn:" not in text
    assert all(form in text for form in ("search.jsonld?", "search.rdf?", "search.nt?"))
