"""What the endpoint promises: the cases of the SPARQL 1.1 protocol and service description suites as a table.

The endpoint is read-only: it refuses every update, also those that the suite expects to succeed.
"""

from __future__ import annotations

from urllib.parse import urlencode

import pyoxigraph as ox
import pytest

ENDPOINT = "/lod/sparql"
BASE = "https://data.example.org/lod/"
PROVENANCE = f"{BASE}graph/provenance"
DATASET = f"{BASE}graph/dataset"
FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
JSON = "application/sparql-results+json"
SELECT = "SELECT (1 AS ?value) {}"
HAS_PROVENANCE = "ASK { ?s <http://www.w3.org/ns/prov#wasDerivedFrom> ?o }"
NAMED = "ASK { GRAPH ?g { ?s ?p ?o } }"
TWO_NAMED = "ASK { GRAPH ?g { ?s ?p ?o } GRAPH ?h { ?x ?y ?z } FILTER(?g != ?h) }"


def form(*parameters: tuple[str, str]) -> str:
    return urlencode(parameters)


GRAPHS = (("default-graph-uri", PROVENANCE), ("default-graph-uri", DATASET))
NAMED_GRAPHS = (("named-graph-uri", PROVENANCE), ("named-graph-uri", DATASET))

# name, method, parameters of the address, body, its media type, statuses, expected media type or boolean
ANSWERED = [
    ("query_get", "GET", form(("query", "ASK {}")), None, None, True),
    ("query_post_form", "POST", "", form(("query", "ASK {}")), FORM, True),
    ("query_post_direct", "POST", "", "ASK {}", QUERY, True),
    ("query_dataset_default_graphs_get", "GET", form(("query", HAS_PROVENANCE), *GRAPHS), None, None, True),
    ("query_dataset_default_graphs_get: one", "GET", form(("query", HAS_PROVENANCE), GRAPHS[1]), None, None, False),
    ("query_dataset_default_graphs_post", "POST", form(*GRAPHS), HAS_PROVENANCE, QUERY, True),
    ("query_dataset_default_graphs_post: one", "POST", form(GRAPHS[1]), HAS_PROVENANCE, QUERY, False),
    ("query_dataset_named_graphs_get", "GET", form(("query", TWO_NAMED), *NAMED_GRAPHS), None, None, True),
    ("query_dataset_named_graphs_get: one", "GET", form(("query", TWO_NAMED), NAMED_GRAPHS[0]), None, None, False),
    ("query_dataset_named_graphs_post", "POST", form(*NAMED_GRAPHS), TWO_NAMED, QUERY, True),
    ("query_dataset_full", "POST", "", form(("query", HAS_PROVENANCE), GRAPHS[0], NAMED_GRAPHS[1]), FORM, True),
    (
        "query_dataset_full: named",
        "POST",
        "",
        form(("query", NAMED), GRAPHS[0], ("named-graph-uri", "http://no/")),
        FORM,
        False,
    ),
    (
        "query_multiple_dataset: the protocol wins over FROM",
        "GET",
        form(("query", HAS_PROVENANCE.replace("ASK", f"ASK FROM <{DATASET}>")), GRAPHS[0]),
        None,
        None,
        True,
    ),
    ("query_content_type_select", "GET", form(("query", SELECT)), None, None, "tabular"),
    ("query_content_type_ask", "GET", form(("query", "ASK {}")), None, None, "boolean"),
    ("query_content_type_describe", "GET", form(("query", "DESCRIBE <http://x/>")), None, None, "RDF"),
    ("query_content_type_construct", "GET", form(("query", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")), None, None, "RDF"),
]

REFUSED = [
    ("bad_query_method", "PUT", form(("query", "ASK {}")), None, None, 405),
    ("bad_multiple_queries", "GET", form(("query", "ASK {}"), ("query", SELECT)), None, None, 400),
    ("two queries in the form", "POST", "", form(("query", "ASK {}"), ("query", "ASK {}")), FORM, 400),
    ("a query in the address and in the form", "POST", form(("query", "ASK {}")), form(("query", "ASK {}")), FORM, 400),
    ("a query in the address and in the body", "POST", form(("query", "ASK {}")), "ASK {}", QUERY, 400),
    ("an empty query beside another", "POST", "query=", form(("query", "ASK {}")), FORM, 400),
    ("bad_query_wrong_media_type", "POST", "", "ASK {}", "text/plain", 415),
    ("bad_query_missing_form_type", "POST", "", form(("query", "ASK {}")), None, 415),
    ("bad_query_missing_direct_type", "POST", "", "ASK {}", None, 415),
    ("bad_query_non_utf8", "POST", "", "ASK { ?s ?p 'é' }".encode("utf-16"), f"{QUERY}; charset=UTF-16", 400),
    ("bad_query_syntax", "GET", form(("query", "ASK {")), None, None, 400),
    ("update_post_form", "POST", "", form(("update", "CLEAR ALL")), FORM, 403),
    ("update_post_direct", "POST", "", "CLEAR ALL", UPDATE, 403),
    ("update_base_uri", "POST", "", form(("update", "BASE <http://x/> CLEAR ALL")), FORM, 403),
    ("update_dataset_default_graph", "POST", form(("using-graph-uri", DATASET)), "CLEAR ALL", UPDATE, 403),
    (
        "update_dataset_default_graphs",
        "POST",
        "",
        form(("update", "CLEAR ALL"), ("using-graph-uri", DATASET)),
        FORM,
        403,
    ),
    ("update_dataset_named_graphs", "POST", form(("using-named-graph-uri", DATASET)), "CLEAR ALL", UPDATE, 403),
    (
        "update_dataset_full",
        "POST",
        form(("using-graph-uri", DATASET), ("using-named-graph-uri", PROVENANCE)),
        "CLEAR ALL",
        UPDATE,
        403,
    ),
    ("bad_update_get", "GET", form(("update", "CLEAR ALL")), None, None, 403),
    ("bad_multiple_updates", "POST", "", form(("update", "CLEAR ALL"), ("update", "CLEAR ALL")), FORM, 403),
    ("bad_update_wrong_media_type", "POST", "", "CLEAR ALL", "text/plain", 415),
    ("bad_update_missing_form_type", "POST", "", form(("update", "CLEAR ALL")), None, 415),
    ("bad_update_non_utf8", "POST", "", "CLEAR ALL # é".encode("utf-16"), f"{UPDATE}; charset=UTF-16", 403),
    ("bad_update_syntax", "POST", "", form(("update", "CLEAR XYZ")), FORM, 403),
    (
        "bad_update_dataset_conflict",
        "POST",
        form(("using-graph-uri", DATASET)),
        form(("update", "CLEAR ALL")),
        FORM,
        403,
    ),
    ("a query and an update", "POST", "", form(("query", "ASK {}"), ("update", "CLEAR ALL")), FORM, 400),
    (
        "a query and a graph of an update",
        "GET",
        form(("query", "ASK {}"), ("using-graph-uri", DATASET)),
        None,
        None,
        400,
    ),
    ("an update as a query", "POST", "", form(("query", "CLEAR ALL")), FORM, 403),
]

FORMATS = {
    "tabular": {JSON, "application/sparql-results+xml", "text/csv", "text/tab-separated-values"},
    "boolean": {JSON, "application/sparql-results+xml"},
    "RDF": {"text/turtle", "application/rdf+xml", "application/n-triples", "application/ld+json"},
}


def send(client, method, address, body, media_type):
    headers = {"content-type": media_type} if media_type else {}
    return client.request(method, f"{ENDPOINT}?{address}" if address else ENDPOINT, content=body, headers=headers)


@pytest.mark.parametrize(("name", "method", "address", "body", "media_type", "expected"), ANSWERED)
def test_queries_are_answered(client, name, method, address, body, media_type, expected):
    answer = send(client, method, address, body, media_type)
    assert answer.status_code == 200, f"{name}: {answer.text}"
    if isinstance(expected, bool):
        assert answer.json()["boolean"] is expected, name
    else:
        assert answer.headers["content-type"].partition(";")[0] in FORMATS[expected], name


@pytest.mark.parametrize(("name", "method", "address", "body", "media_type", "status"), REFUSED)
def test_what_breaks_the_protocol_or_would_write_is_refused(client, name, method, address, body, media_type, status):
    answer = send(client, method, address, body, media_type)
    assert answer.status_code == status, f"{name}: {answer.text}"


# --- service description


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
    rows = client.get(f"{ENDPOINT}?{form(('query', text))}", JSON).json()["results"]["bindings"]
    counted = {row["g"]["value"]: {row["n"]["value"]} for row in rows}
    names = {next(iter(found)) for (_, predicate), found in described.items() if predicate == f"{SD}name"}
    assert names == set(counted) == {PROVENANCE, DATASET}
    assert {name: described[name, VOID_TRIPLES] for name in names} == counted
    (default,) = described[f"{BASE}dataset", f"{SD}defaultGraph"]
    (size,) = described[default, VOID_TRIPLES]
    union = client.get(f"{ENDPOINT}?{form(('query', 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }'))}", JSON).json()
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
