"""The embedded store holds what it was given and answers."""

import io

import pytest

from bibld.errors import BadQuery, QueryTimeout, StoreError
from bibld.store.oxigraph import Settings, open_store

A, B = '<http://x/a> <http://x/p> "1" .\n', "<http://x/b> <http://x/p> <http://x/a#n> <http://x/g> .\n"
NODE = '<http://x/a#n> <http://x/p> "2" .\n'


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "store", Settings(chunk=2))
    yield opened
    opened.close()


def test_quads_come_back_whatever_the_chunk(store):
    store.load([A, B, NODE])
    out = io.BytesIO()
    store.dump(out)
    assert set(out.getvalue().decode().splitlines(keepends=True)) == {A, B, NODE}
    assert store.count() == 3


def test_a_patch_removes_then_adds(store):
    store.load([A, B])
    store.apply(added=[NODE], removed=[A])
    assert store.count() == 2
    store.apply(added=[NODE, A], removed=[A, NODE])
    assert store.count() == 3


def test_what_a_stopped_load_left_behind_goes_when_the_store_is_opened(tmp_path):
    store = open_store(tmp_path / "store", Settings())
    store.load([A, B])
    store.close()
    (tmp_path / "store" / "bulk-277879205629356451600454698428261310630.sst").write_bytes(b"half of it")
    store = open_store(tmp_path / "store", Settings())
    assert not list((tmp_path / "store").glob("bulk-*"))
    assert store.count() == 2
    store.close()


def test_a_query_sees_all_graphs_or_only_the_default_one(store):
    store.load([A, B])
    count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    integer = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert store.query(count) == [[integer.format(2)]]
    assert store.query(count, union=False) == [[integer.format(1)]]


def test_describing_follows_hash_iris(store):
    store.load([A, NODE, "<http://x/a> <http://x/q> <http://x/a#n> .\n", B])
    assert set(store.describe("http://x/a")) == {A, NODE, "<http://x/a> <http://x/q> <http://x/a#n> .\n"}


def test_what_is_wrong_with_a_query_is_said(store):
    with pytest.raises(BadQuery, match="not SPARQL"):
        store.query("SELECT WHERE")
    with pytest.raises(BadQuery, match="no SELECT"):
        store.query("ASK { ?s ?p ?o }")
    store.load([A, B])
    with pytest.raises(QueryTimeout):
        store.query("SELECT * { ?s ?p ?o }", timeout=-1)


def test_bad_quads_and_a_second_writer_are_errors_of_the_store(store, tmp_path):
    with pytest.raises(StoreError):
        store.load(["this is no quad\n"])
    with pytest.raises(StoreError):
        open_store(tmp_path / "store", Settings())


def test_a_backup_is_a_store_of_its_own(store, tmp_path):
    store.load([A])
    store.backup(tmp_path / "copy")
    store.load([B])
    copy = open_store(tmp_path / "copy", Settings())
    assert copy.count() == 1
    copy.close()
