"""The description of the SPARQL service, and what scripts of other sites may send; the protocol: tests/site."""

from __future__ import annotations

from urllib.parse import urlencode

import pyoxigraph as ox
import pytest

ENDPOINT = "/lod/sparql"
BASE = "https://data.example.org/lod/"
PROVENANCE = f"{BASE}graph/provenance"
DATASET = f"{BASE}graph/dataset"
JSON = "application/sparql-results+json"
SD = "http://www.w3.org/ns/sparql-service-description#"
VOID_TRIPLES = "http://rdfs.org/ns/void#triples"


@pytest.fixture(scope="module")
def described(client):
    """The description: subject and predicate → objects."""
    answer = client.get(ENDPOINT, "text/turtle")
    assert answer.headers["content-type"].partition(";")[0] == "text/turtle"
    found: dict[tuple[str, str], set[str]] = {}
    for quad in ox.parse(answer.content, format=ox.RdfFormat.TURTLE):
        found.setdefault((quad.subject.value, quad.predicate.value), set()).add(quad.object.value)
    return found


def test_the_description_is_rdf_with_the_endpoint(described):
    """Cases returns-rdf and has-endpoint-triple."""
    assert described[f"{BASE}sparql", f"{SD}endpoint"] == {f"{BASE}sparql"}


def test_the_description_keeps_to_its_vocabulary(described):
    """Case conforms-to-schema: each resource has its class, and each property its resources."""
    rdf_type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    service, dataset = f"{BASE}sparql", f"{BASE}dataset"
    assert described[service, rdf_type] == {f"{SD}Service"}
    assert described[service, f"{SD}supportedLanguage"] == {f"{SD}SPARQL11Query"}
    assert described[service, f"{SD}feature"] == {f"{SD}UnionDefaultGraph"}
    assert described[service, f"{SD}defaultDataset"] == {dataset}
    assert described[dataset, rdf_type] == {f"{SD}Dataset"}
    (default,) = described[dataset, f"{SD}defaultGraph"]
    assert described[default, rdf_type] == {f"{SD}Graph"}
    for named in described[dataset, f"{SD}namedGraph"]:
        assert described[named, rdf_type] == {f"{SD}NamedGraph"}
        assert len(described[named, f"{SD}name"]) == 1
        (graph,) = described[named, f"{SD}graph"]
        assert described[graph, rdf_type] == {f"{SD}Graph"}
    assert not [predicate for _, predicate in described if predicate == f"{SD}extensionFunction"]


def test_the_description_has_all_named_graphs_with_their_true_sizes(described, client):
    text = "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"
    rows = client.get(f"{ENDPOINT}?{urlencode({'query': text})}", JSON).json()["results"]["bindings"]
    counted = {row["g"]["value"]: {row["n"]["value"]} for row in rows}
    names = {next(iter(found)) for (_, predicate), found in described.items() if predicate == f"{SD}name"}
    assert names == set(counted) == {PROVENANCE, DATASET}
    assert {name: described[name, VOID_TRIPLES] for name in names} == counted
    (default,) = described[f"{BASE}dataset", f"{SD}defaultGraph"]
    (size,) = described[default, VOID_TRIPLES]
    union = client.get(f"{ENDPOINT}?{urlencode({'query': 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }'})}", JSON).json()
    assert int(size) + sum(int(min(each)) for each in counted.values()) == int(
        union["results"]["bindings"][0]["n"]["value"]
    )


# --- requests from browsers of other sites


@pytest.mark.parametrize(
    "header", ["Accept", "Content-Type", "Authorization", "X-Requested-With", "If-None-Match", "Cache-Control"]
)
def test_scripts_of_other_sites_may_send_the_usual_headers(client, header):
    answer = client.request("OPTIONS", ENDPOINT, headers={"access-control-request-headers": header})
    allowed = {name.strip().lower() for name in answer.headers["access-control-allow-headers"].split(",")}
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")
    assert header.lower() in allowed
