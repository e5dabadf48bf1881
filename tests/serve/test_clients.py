"""Clients that people use get the right answers from a real server.

Comunica is tested where it is installed: ``npm install --prefix build/clients`` with ``tests/serve/clients.json`` as
``package.json``, or the folder that ``BIBLD_TEST_COMUNICA`` names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest
import SPARQLWrapper
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

import bibld
from bibld.errors import BadQueryError
from tests.serve.server import serving

ROOT = Path(__file__).parents[2]
BOOK = "https://data.example.org/lod/resource/rsl/RU~5CNLR~5Cbibl~5C204591"
TITLES = f"SELECT ?title {{ <{BOOK}> dcterms:title ?title }}"
TITLE = "Война и мир"
COMUNICA = Path(os.environ.get("BIBLD_TEST_COMUNICA", ROOT / "build" / "clients"))
SCRIPT = """
import { QueryEngine } from "@comunica/query-sparql";
const [endpoint, query] = process.argv.slice(2);
const engine = new QueryEngine();
const found = await engine.queryBindings(query, { sources: [{ type: "sparql", value: endpoint }] });
console.log(JSON.stringify((await found.toArray()).map((row) => row.get("title").value)));
"""

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("clients"), processes=1, query_timeout=600.0) as server:
        yield f"{server.url}/lod/sparql"


@pytest.mark.parametrize("method", [SPARQLWrapper.GET, SPARQLWrapper.POST])
@pytest.mark.parametrize("way", [SPARQLWrapper.URLENCODED, SPARQLWrapper.POSTDIRECTLY])
@pytest.mark.parametrize("form", [SPARQLWrapper.JSON, SPARQLWrapper.XML, SPARQLWrapper.CSV, SPARQLWrapper.TSV])
def test_sparqlwrapper_gets_tables_in_every_format(endpoint, method, way, form):
    if method == SPARQLWrapper.GET and way == SPARQLWrapper.POSTDIRECTLY:
        way = SPARQLWrapper.URLENCODED
    client = SPARQLWrapper.SPARQLWrapper(endpoint)
    client.setMethod(method)
    client.setRequestMethod(way)
    client.setReturnFormat(form)
    client.setQuery(f"PREFIX dcterms: <http://purl.org/dc/terms/> {TITLES}")  # it refuses to send undeclared ones
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of formats that it does not convert
        body = client.query().response.read().decode()
    assert TITLE in body


@pytest.mark.parametrize("form", [SPARQLWrapper.RDFXML, SPARQLWrapper.TURTLE, SPARQLWrapper.JSONLD])
def test_sparqlwrapper_gets_graphs(endpoint, form):
    client = SPARQLWrapper.SPARQLWrapper(endpoint)
    client.setReturnFormat(form)
    client.setQuery(f"CONSTRUCT WHERE {{ <{BOOK}> ?p ?o }}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses what rdflib has deprecated
        found = client.query().convert()
    graph = found if isinstance(found, Graph) else Graph().parse(data=found, format="turtle")
    assert (URIRef(BOOK), URIRef("http://purl.org/dc/terms/title"), Literal(TITLE, "ru")) in graph


def test_sparqlwrapper_shows_what_is_wrong_with_a_query(endpoint):
    client = SPARQLWrapper.SPARQLWrapper(endpoint)
    client.setQuery("SELECT * { ?s ?p }")
    with pytest.raises(QueryBadFormed, match="line 1, column 18"):
        client.query()


def test_rdflib_reads_the_endpoint_as_a_graph(endpoint):
    graph = Graph(SPARQLStore(endpoint))
    title = URIRef("http://purl.org/dc/terms/title")
    assert graph.value(URIRef(BOOK), title) == Literal(TITLE, "ru")
    assert len(list(graph.triples((None, title, None)))) == 2
    assert [str(row[0]) for row in graph.query(f"SELECT ?t {{ <{BOOK}> <{title}> ?t }}")] == [TITLE]


def test_the_python_api_gets_tables_and_the_place_of_a_fault(endpoint):
    assert [row.title for row in bibld.query(endpoint, f"PREFIX dcterms: <http://purl.org/dc/terms/> {TITLES}")] == [
        TITLE
    ]
    with pytest.raises(BadQueryError):
        bibld.query(endpoint, "SELECT * { ?s ?p }")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--data-urlencode", f"query={TITLES}", "-H", "Accept: text/csv"], f"title\r\n{TITLE}\r\n"),
        (["-G", "--data-urlencode", f"query={TITLES}", "-H", "Accept: text/csv"], f"title\r\n{TITLE}\r\n"),
        (
            ["-H", "Content-Type: application/sparql-query", "-H", "Accept: text/csv", "--data", TITLES],
            f"title\r\n{TITLE}\r\n",
        ),
        (["-G", "-d", "format=tsv", "--data-urlencode", f"query={TITLES}"], f'?title\n"{TITLE}"@ru\n'),
        (["-o", os.devnull, "-w", "%{http_code}", "--data-urlencode", "query=DROP ALL"], "403"),
    ],
)
def test_curl_gets_answers(endpoint, options, expected):
    done = subprocess.run(["curl", "-sS", *options, endpoint], capture_output=True, timeout=600, check=True)
    assert done.stdout.decode() == expected


@pytest.mark.skipif(
    shutil.which("node") is None or not (COMUNICA / "node_modules" / "@comunica" / "query-sparql").is_dir(),
    reason="Comunica is not installed in build/clients",
)
def test_comunica_joins_what_it_gets(endpoint):
    script = COMUNICA / "query.mjs"
    script.write_text(SCRIPT, encoding="utf-8")
    query = """PREFIX dcterms: <http://purl.org/dc/terms/>
        SELECT ?title { ?book a <http://purl.org/ontology/bibo/Book> ; dcterms:title ?title }"""
    done = subprocess.run(["node", script, endpoint, query], capture_output=True, timeout=600, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [TITLE]
