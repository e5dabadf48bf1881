"""The embedded store holds what it was given and answers."""

import io

import pytest

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError
from bibld.protocols import Query
from bibld.store.oxigraph import OxigraphStore, Settings, open_copy, open_store

A, B = '<http://x/a> <http://x/p> "1" .\n', "<http://x/b> <http://x/p> <http://x/a#n> <http://x/g> .\n"
NODE = '<http://x/a#n> <http://x/p> "2" .\n'


def load(store: OxigraphStore, *lines: str) -> None:
    store.load(line.encode() for line in lines)


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "store", Settings(chunk=2))
    yield opened
    opened.close()


def test_quads_come_back_whatever_the_chunk(store):
    load(store, A, B, NODE)
    assert set(store.quads()) == {A, B, NODE}
    assert store.count() == 3


def test_a_patch_removes_then_adds(store):
    load(store, A, B)
    store.apply(added=[NODE], removed=[A])
    assert store.count() == 2
    store.apply(added=[NODE, A], removed=[A, NODE])
    assert store.count() == 3


def test_what_a_stopped_load_left_behind_goes_when_the_store_is_opened(tmp_path):
    store = open_store(tmp_path / "store", Settings())
    load(store, A, B)
    store.close()
    (tmp_path / "store" / "bulk-277879205629356451600454698428261310630.sst").write_bytes(b"half of it")
    store = open_store(tmp_path / "store", Settings())
    assert not list((tmp_path / "store").glob("bulk-*"))
    assert store.count() == 2
    store.close()


def test_a_query_sees_all_graphs_or_only_the_default_one(store):
    load(store, A, B)
    count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    integer = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert store.query(count) == [[integer.format(2)]]
    assert store.query(count, union=False) == [[integer.format(1)]]


def test_quads_are_found_by_each_of_their_iris(store):
    load(store, A, NODE, B)
    assert set(store.quads("http://x/a")) == {A}
    assert set(store.quads(None, "http://x/p")) == {A, NODE, B}
    assert set(store.quads(None, None, "http://x/a#n")) == {B}
    assert set(store.quads(graph="http://x/g")) == {B}
    assert set(store.quads("no iri")) == set()


@pytest.mark.parametrize(
    ("text", "kind", "result"),
    [
        ("SELECT ?o { <a> ?p ?o }", "table", b"o\r\n1\r\n"),
        ("ASK { <a> ?p ?o }", "boolean", b"true"),
        ("CONSTRUCT WHERE { <a> ?p ?o }", "graph", b'<http://x/a> <http://x/p> "1" .\n'),
    ],
)
def test_a_result_is_written_in_the_media_type_of_its_kind(store, text, kind, result):
    load(store, A, B)
    out = io.BytesIO()
    assert store.answer(Query(text, "http://x/", table="text/csv", graph="application/n-triples"), out) == kind
    assert out.getvalue() == result


def test_a_query_that_cannot_be_answered_is_an_error(store):
    with pytest.raises(NotAcceptableError):
        store.answer(Query("ASK {}", "http://x/", table=None), io.BytesIO())
    with pytest.raises(BadQueryError, match="line 1, column 7"):
        store.answer(Query("SELECT", "http://x/"), io.BytesIO())
    with pytest.raises(BadQueryError, match="cannot be evaluated"):
        store.answer(Query("ASK {}", "http://x/", default_graphs=("no iri",)), io.BytesIO())


def test_what_is_wrong_with_a_query_is_reported(store):
    with pytest.raises(BadQueryError, match="not SPARQL"):
        store.query("SELECT WHERE")
    with pytest.raises(BadQueryError, match="not a SELECT"):
        store.query("ASK { ?s ?p ?o }")
    load(store, A, B)
    with pytest.raises(QueryTimeoutError):
        store.query("SELECT * { ?s ?p ?o }", timeout=-1)


def test_bad_quads_and_a_second_writer_are_errors_of_the_store(store, tmp_path):
    with pytest.raises(StoreError):
        load(store, "this is no quad\n")
    with pytest.raises(StoreError):
        open_store(tmp_path / "store", Settings())


def test_a_backup_is_a_store_of_its_own(store, tmp_path):
    load(store, A)
    store.backup(tmp_path / "copy")
    load(store, B)
    copies = [open_copy(tmp_path / "copy", Settings()) for _ in range(2)]
    for copy in copies:
        assert list(copy.quads()) == [A]
        copy.close()
