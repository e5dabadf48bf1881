"""The SPARQL 1.1 Protocol: the cases of the W3C suite by their names, results, errors, and the service description.

The suite loads graphs before it asks. Here a graph of the endpoint takes their place. Its updates change data; those
that are here have nothing to insert and nothing to delete, and have to be refused.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

import pytest
from lxml import etree

from tests.site.site import FORM, FORMATS, Response, Site, expand

pytestmark = pytest.mark.server

QUERY, UPDATE = "application/sparql-query", "application/sparql-update"
JSON, XML = "application/sparql-results+json", "application/sparql-results+xml"
TABLE = "SELECT ?x WHERE { VALUES ?x { 1 2 } }"
NOWHERE = "urn:uuid:5b7a2d1e-6f0c-4b6e-9a53-3f1c0d9e8b71"
"""The name of a graph that no dataset has."""


@dataclass(frozen=True)
class Case:
    """A request, and what is expected: ``true`` or ``false``, ``table``, ``graph``, or ``refused`` (4xx).

    ``{graph}`` in parameters and body is a graph of the endpoint.
    """

    method: str
    parameters: tuple[tuple[str, str], ...]
    content_type: str = ""
    body: bytes = b""
    expected: str = "true"
    accept: str = JSON


def get(*parameters: tuple[str, str], expected: str = "true") -> Case:
    return Case("GET", parameters, expected=expected)


def post(
    body: str | bytes, *parameters: tuple[str, str], kind: str = QUERY, expected: str = "true", accept: str = JSON
) -> Case:
    return Case("POST", parameters, kind, body.encode() if isinstance(body, str) else body, expected, accept)


def refused(body: str | bytes, *parameters: tuple[str, str], kind: str = UPDATE) -> Case:
    return post(body, *parameters, kind=kind, expected="refused")


def form(*parameters: tuple[str, str], expected: str = "true") -> Case:
    return post(urlencode(parameters, quote_via=quote), kind=FORM, expected=expected)


HAS, IN_GRAPH = "ASK { ?s ?p ?o }", "ASK { GRAPH <{graph}> { ?s ?p ?o } }"
BOTH = "ASK { ?s ?p ?o GRAPH <{graph}> { ?s2 ?p2 ?o2 } }"
HERE, NAMED = ("default-graph-uri", "{graph}"), ("named-graph-uri", "{graph}")
ELSEWHERE, NAMED_ELSEWHERE = ("default-graph-uri", NOWHERE), ("named-graph-uri", NOWHERE)
USING, USING_NAMED = ("using-graph-uri", NOWHERE), ("using-named-graph-uri", NOWHERE)
NOTHING, DELETE = "INSERT DATA { }", "DELETE {} WHERE {}"
ANY_TABLE, RDF = f"{XML}, {JSON}", ", ".join(FORMATS)

CASES = {
    "query_get": get(("query", "ASK {}")),
    "query_post_form": form(("query", "ASK {}")),
    "query_post_direct": post("ASK {}"),
    "query_dataset_default_graphs_get": get(("query", HAS), HERE, ELSEWHERE),
    "query_dataset_default_graphs_post": post(HAS, HERE, ELSEWHERE),
    "query_dataset_named_graphs_get": get(("query", IN_GRAPH), NAMED, NAMED_ELSEWHERE),
    "query_dataset_named_graphs_post": post(IN_GRAPH, NAMED, NAMED_ELSEWHERE),
    "query_dataset_full": get(("query", BOTH), HERE, NAMED),
    "query_multiple_dataset": get(("query", f"ASK FROM <{NOWHERE}> {{ ?s ?p ?o }}"), HERE),
    "query_dataset_is_used": get(("query", HAS), ELSEWHERE, expected="false"),
    "query_content_type_select": post(TABLE, expected="table", accept=ANY_TABLE),
    "query_content_type_ask": post("ASK {}", accept=ANY_TABLE),
    "query_content_type_describe": post("DESCRIBE <http://example.org/>", expected="graph", accept=RDF),
    "query_content_type_construct": post("CONSTRUCT { <urn:a> <urn:p> 1 } WHERE {}", expected="graph", accept=RDF),
    "bad_query_method": Case("PUT", (("query", "ASK {}"),), expected="refused"),
    "bad_multiple_queries": get(("query", "ASK {}"), ("query", "SELECT * {}"), expected="refused"),
    "bad_query_wrong_media_type": refused("ASK {}", kind="text/plain"),
    "bad_query_missing_form_type": refused("query=ASK%20%7B%7D", kind=""),
    "bad_query_missing_direct_type": refused("ASK {}", kind=""),
    "bad_query_non_utf8": refused("ASK {}".encode("utf-16"), kind=f"{QUERY}; charset=UTF-16"),
    "bad_query_syntax": get(("query", "ASK {"), expected="refused"),
    "query in the address and in the form": refused("query=ASK%20%7B%7D", ("query", "SELECT * {}"), kind=FORM),
    "update_post_form": form(("update", NOTHING), expected="refused"),
    "update_post_direct": refused(NOTHING),
    "update_base_uri": refused(f"BASE <http://example.org/> {NOTHING}"),
    "update_dataset_default_graph": refused(DELETE, USING),
    "update_dataset_default_graphs": refused(DELETE, USING, ("using-graph-uri", f"{NOWHERE}2")),
    "update_dataset_named_graphs": refused(DELETE, USING_NAMED),
    "update_dataset_full": refused(DELETE, USING, USING_NAMED),
    "bad_update_get": get(("update", NOTHING), expected="refused"),
    "bad_multiple_updates": form(("update", NOTHING), ("update", NOTHING), expected="refused"),
    "bad_update_wrong_media_type": refused(NOTHING, kind="text/plain"),
    "bad_update_missing_form_type": refused("update=INSERT%20DATA%20%7B%7D", kind=""),
    "bad_update_non_utf8": refused(NOTHING.encode("utf-16"), kind=f"{UPDATE}; charset=UTF-16"),
    "bad_update_syntax": refused("INSERT DATA {"),
    "bad_update_dataset_conflict": refused(f"WITH <{NOWHERE}> DELETE {{}} WHERE {{}}", USING_NAMED),
}


@cache
def graph_of(site: Site) -> str:
    rows = rows_of(site.query("SELECT ?g WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 1")) or site.lacks("named graph")
    return rows[0]["g"]


def rows_of(response: Response) -> list[dict[str, str]]:
    if response.media_type == XML:
        root = etree.fromstring(response.body)
        return [
            {str(cell.get("name")): "".join(map(str, cell.itertext())).strip() for cell in row}
            for row in root.iter("{*}result")
        ]
    return [{name: cell["value"] for name, cell in row.items()} for row in response.json["results"]["bindings"]]


def boolean_of(response: Response) -> str:
    if response.media_type == XML:
        return (etree.fromstring(response.body).findtext("{*}boolean") or "").strip()
    return str(response.json["boolean"]).lower()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_protocol(site: Site, case: Case) -> None:
    """SPARQL 1.1 Protocol, 2.1 and 2.2."""
    graph = graph_of(site) if "{graph}" in repr(case) else ""
    pairs = [(name, value.replace("{graph}", graph)) for name, value in case.parameters]
    headers = [("Accept", case.accept), *([("Content-Type", case.content_type)] if case.content_type else [])]
    url = site.endpoint + (f"?{urlencode(pairs, quote_via=quote)}" if pairs else "")
    response = site.send(case.method, url, headers, case.body.replace(b"{graph}", graph.encode()))
    if case.expected == "refused":
        assert 400 <= response.status < 500, response
        return
    assert response.status == 200, response
    if case.expected == "graph":
        assert response.triples is not None
    elif case.expected == "table":
        assert len(rows_of(response)) == 2
    else:
        assert boolean_of(response) == case.expected


# -- results and errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", [JSON, XML, "text/csv", "text/tab-separated-values"])
def test_a_table_comes_in_each_format(site: Site, media_type: str) -> None:
    """SPARQL 1.1 Query Results JSON, XML, CSV and TSV."""
    response = site.query(TABLE, media_type)
    assert (response.status, response.media_type) == (200, media_type)
    if media_type in (JSON, XML):
        assert sorted(row["x"] for row in rows_of(response)) == ["1", "2"]
        return
    delimiter = "," if media_type == "text/csv" else "\t"
    cells = [each[0] for each in csv.reader(io.StringIO(response.body.decode()), delimiter=delimiter) if each]
    assert cells[0].removeprefix("?") == "x"
    assert {each.partition("^^")[0].strip('"') for each in cells[1:]} == {"1", "2"}


def test_what_accept_does_not_name_is_the_default_or_refused(site: Site) -> None:
    response = site.get(f"{site.endpoint}?{urlencode({'query': TABLE}, quote_via=quote)}")
    assert response.status == 200
    assert response.media_type in (JSON, XML, "text/csv")
    assert site.query(TABLE, "application/x-nothing-of-the-kind").status in (200, 406)


def test_texts_outside_ascii_come_back(site: Site) -> None:
    query = 'SELECT ?x WHERE { VALUES ?x { "Ёж — 作家" } }'
    posted = site.send("POST", site.endpoint, (("Content-Type", QUERY), ("Accept", JSON)), query.encode())
    for response in (site.query(query), posted):
        assert rows_of(response) == [{"x": "Ёж — 作家"}]


def test_an_invalid_query_answers_400_with_a_reason_and_a_huge_one_is_no_fault(site: Site) -> None:
    response = site.query("SELECT * WHERE { ?s ?p }")
    assert response.status == 400
    assert len(response.body) > 10
    huge = b"ASK { } #" + b"x" * (4 << 20)
    response = site.send("POST", site.endpoint, (("Content-Type", QUERY), ("Accept", JSON)), huge)
    assert response.status == 200 or 400 <= response.status < 500


# -- service description -----------------------------------------------------------------------------------------------

TERMS = """
Service Dataset NamedGraph Graph Function Aggregate Language Feature EntailmentRegime EntailmentProfile GraphCollection
endpoint supportedLanguage languageExtension feature resultFormat inputFormat defaultGraph namedGraph name graph
entailmentRegime supportedEntailmentProfile propertyFeature extensionFunction extensionAggregate availableGraphs
defaultDataset defaultEntailmentRegime defaultSupportedEntailmentProfile
"""


def test_the_endpoint_describes_itself(site: Site) -> None:
    """SPARQL 1.1 Service Description, 2 and 3."""
    response = site.follow(site.endpoint, RDF)
    assert response.status == 200
    found = response.triples
    assert site.endpoint in [site.address(each) for each in found.objects(None, "sd:endpoint")]
    assert found.instances("sd:Service")
    languages = {each for each in found.objects(None, "sd:supportedLanguage") if each.startswith(expand("sd:"))}
    assert languages <= {expand(f"sd:{name}") for name in ("SPARQL10Query", "SPARQL11Query", "SPARQL11Update")}
    used = {each.predicate.value for each in found.triples} | set(found.objects(None, "rdf:type"))
    unknown = {iri.removeprefix(expand("sd:")) for iri in used if iri.startswith(expand("sd:"))} - set(TERMS.split())
    assert unknown == set()
