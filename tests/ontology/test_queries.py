"""The example queries find on the sample what their result files state.

If the published data changed on purpose, `python -m tests.ontology.query_results` writes the files again.
"""

from __future__ import annotations

import csv
import io
import re

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.plugins.sparql import prepareQuery

from bibld import pipeline
from bibld.model.iris import Iris
from bibld.model.rdf import expand
from bibld.serve.ontology import ExampleQuery, example_queries
from bibld.text import headings
from tests.end_to_end.conftest import sample as sample
from tests.ontology.query_results import open_release, result, result_file, values_query, with_value

EXAMPLES = example_queries(Iris("http://localhost:8000/"))
XSD_STRING = ox.NamedNode("http://www.w3.org/2001/XMLSchema#string")
NOT_IN_THE_SAMPLE = "holdings-by-code"
COUNTS_LINKS = "link-sets"
EACH = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


@pytest.fixture(scope="module")
def store(sample) -> ox.Store:
    return open_release(sample)


@EACH
def test_a_query_finds_what_is_expected(example, store):
    if example.name.endswith(COUNTS_LINKS) and not headings.FILE.exists():
        pytest.skip("make additions makes the table of subject headings, which are linked by it")
    lines = result(store, example.sparql)
    assert len(lines) > 1 or example.name.endswith(NOT_IN_THE_SAMPLE), "finds nothing in the sample"
    assert lines == result_file(example).read_text(encoding="utf-8").splitlines()


def test_queries_find_each_row_once_where_dates_are_also_plain_texts(store):
    """As with ``dialects = ["dnb"]``, which states dates as the German National Library does, too."""
    issued = ox.NamedNode(expand("dcterms:issued"))
    dates = [quad for quad in store.quads_for_pattern(None, issued, None) if quad.object.datatype != XSD_STRING]
    both = ox.Store()
    both.bulk_extend(store)
    both.extend(ox.Quad(one.subject, issued, ox.Literal(one.object.value), one.graph_name) for one in dates)
    assert len(both) > len(store)
    differing = [each.name for each in EXAMPLES if result(both, each.sparql) != result(store, each.sparql)]
    assert differing == ["05-description"], "only the query for all statements finds these, too"


@EACH
def test_other_values_can_be_tried(example, store):
    """The pattern in the head of a query finds values, with which the query finds something."""
    if not example.variable:
        assert "VALUES" not in example.sparql or "years" in example.name
        return
    if example.name.endswith(NOT_IN_THE_SAMPLE):
        return
    (value, frequency), *_ = store.query(values_query(example), use_default_graph_as_union=True)
    assert int(frequency.value) > 0
    changed = with_value(example, str(value))
    assert str(value) in changed
    list(store.query(changed, use_default_graph_as_union=True))


@EACH
def test_a_query_is_bounded(example):
    """Every SELECT ends after some rows, so that nothing depends on the size of the catalogue."""
    text = re.sub(r"^#.*$", "", example.sparql, flags=re.MULTILINE)
    selects = len(re.findall(r"\bSELECT\b", text))
    assert len(re.findall(r"\bLIMIT \d+", text)) == selects or example.name.endswith("years-of-a-decade")
    assert "SERVICE" not in text


def test_sparql_knows_what_became_of_a_deleted_iri():
    deleted, redirect, founder = (f"<http://localhost:8000/resource/rsl/{number}>" for number in (1, 2, 3))
    time = '"2026-11-22T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    store = ox.Store()
    store.load(
        f"{deleted} <http://www.w3.org/ns/prov#invalidatedAtTime> {time} .\n"
        f"{deleted} <http://purl.org/dc/terms/isReplacedBy> {redirect} .\n"
        f"{founder} <http://www.w3.org/2002/07/owl#sameAs> {redirect} .\n".encode(),
        ox.RdfFormat.N_QUADS,
    )
    (query,) = (example for example in EXAMPLES if example.name.endswith("what-became-of-an-iri"))
    _, row = result(store, with_value(query, deleted))
    assert row.split(",") == [deleted[1:-1], "", redirect[1:-1], founder[1:-1], "2026-11-22T00:00:00Z"]


def test_holdings_are_found_by_the_code_of_the_library():
    book, item, library = (
        f"<http://localhost:8000/{name}>" for name in ("resource/a/1", "resource/a/1#item1", "agent/l")
    )
    bibframe = "http://id.loc.gov/ontologies/bibframe/"
    store = ox.Store()
    store.load(
        f"{book} <{bibframe}hasItem> {item} .\n"
        f'{book} <http://www.w3.org/2000/01/rdf-schema#label> "Buch"@de .\n'
        f"{item} <{bibframe}heldBy> {library} .\n"
        f'{library} <http://www.w3.org/2004/02/skos/core#notation> "RuMoRGB" .\n'.encode(),
        ox.RdfFormat.N_QUADS,
    )
    (query,) = (example for example in EXAMPLES if example.name.endswith("holdings-by-code"))
    _, row = result(store, query.sparql)
    assert row.split(",") == [library[1:-1], book[1:-1], "Buch", ""]


def test_names_are_numbered_and_titles_are_short():
    assert [example.name[:3] for example in EXAMPLES] == [f"{number:02}-" for number in range(1, len(EXAMPLES) + 1)]
    assert all(len(example.title) <= 100 for example in EXAMPLES)


SIMPLE = {"by-isbn", "by-title", "works-of-a-person", "born-in", "as-bnb-isbn", "as-lobid", "as-schema-org"}


@pytest.fixture(scope="module")
def dataset(sample) -> rdflib.Dataset:
    release, _ = pipeline.current_release(sample)
    lines = b"".join(
        str(quad).encode() + b" .\n"
        for quad in ox.Store.read_only(str(release / "store")).quads_for_pattern(None, None, None)
    )
    return rdflib.Dataset(default_union=True).parse(data=lines, format="nquads")


@EACH
def test_another_engine_gives_the_same(example: ExampleQuery, dataset: rdflib.Dataset):
    """rdflib parses every query; it evaluates those that its plans can manage in reasonable time."""
    prepareQuery(example.sparql)
    if example.name[3:] in SIMPLE:
        expected = list(csv.reader(io.StringIO(result_file(example).read_text(encoding="utf-8"))))[1:]
        found = [["" if cell is None else str(cell) for cell in row] for row in dataset.query(example.sparql)]
        assert sorted(found) == sorted(expected)
