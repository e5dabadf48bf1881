"""The IRIs of the dataset are permanent: how each is built, and what is read from one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.iris import Iris, entity_identity, pair_of_match, record_of_path
from bibld.model.linkage import Pair
from bibld.model.origin import Origin, RecordId, from_slug, to_slug
from bibld.model.rdf import graph_of, is_language_tag, literal, quad, replace_entities, split_graphs
from bibld.model.rdf import iri as iri_term

IRIS = Iris("https://x.org/")
RECORD = RecordId("rsl", "a/1")
OTHER = RecordId("loc", "b 2")


@pytest.mark.parametrize(
    "iri, path",
    [
        (IRIS.resource(RECORD), "resource/rsl/a~2F1"),
        (IRIS.record(RECORD), "record/rsl/a~2F1"),
        (IRIS.document(IRIS.resource(RECORD)), "doc/resource/rsl/a~2F1"),
        (IRIS.document(IRIS.term("x")), "doc/ontology"),
        (IRIS.agent("viaf:1"), "agent/viaf~3A1"),
        (IRIS.concept("lcsh", "War & peace"), "concept/lcsh/War~20~26~20peace"),
        (IRIS.place("Москва"), "place/~D0~9C~D0~BE~D1~81~D0~BA~D0~B2~D0~B0"),
        (IRIS.publisher("AST"), "publisher/AST"),
        (IRIS.series("s_1-2"), "series/s_1-2"),
        (IRIS.match(Pair.from_records(RECORD, OTHER)), "match/loc~3Ab~202~~rsl~3Aa~2F1"),
        (IRIS.source("rsl"), "dataset/rsl"),
        (IRIS.graph("run"), "graph/run"),
        (IRIS.term("Match"), "ontology#Match"),
        (IRIS.ontology, "ontology"),
        (IRIS.dataset, "dataset"),
    ],
)
def test_the_iri_of_each_kind_of_thing(iri, path):
    assert iri == f"https://x.org/{path}"


def test_an_iri_of_another_site_has_no_path_and_no_document():
    assert IRIS.path("https://x.org/a/b#c") == "a/b"
    assert IRIS.path("https://y.org/a") is None
    with pytest.raises(ValueError, match=r"https://y\.org/a does not begin with https://x\.org/"):
        IRIS.document("https://y.org/a")


@pytest.mark.parametrize("base", ["", "https://data.example.org/", "https://data.example.org/work/"])
@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("agent/hitchcock-alfred-0123456789", "agent/hitchtsotsk-alfred-0123456789", True),
        ("concept/lcsh/bridges-0123456789", "concept/lcsh/bridzhes-0123456789", False),
        ("work/hitchcock-alfred-0123456789", "work/hitchtsotsk-alfred-0123456789", True),
        ("work/dnb/bv-0123456789", "work/dnb/ht-0123456789", False),
        ("work/dnb/hitchcock-0123456789", "work/dnb/hitchtsotsk-0123456789", False),
        ("work/dnb/0123456789", "work/dnb/0123456789", True),
    ],
)
def test_keys_of_one_entity_may_be_spelled_differently_control_numbers_not(base, one, other, is_same):
    assert (entity_identity(base + one) == entity_identity(base + other)) is is_same


def test_records_and_pairs_are_read_from_paths():
    assert record_of_path(RECORD.path) == RECORD
    pair = Pair.from_records(RECORD, OTHER)
    assert pair_of_match(IRIS.match(pair).rpartition("/")[2]) == pair
    for path in ("rsl", "rsl/", "/a", "RSL/a", "rsl/a~2f", "rsl/a b"):
        with pytest.raises(ValueError, match="is not "):
            record_of_path(path)
    for slug in ("loc~3Ab", "loc~3Ab~~", "~~loc~3Ab", "loc~3Ab~~rsl"):
        with pytest.raises(ValueError, match="is not "):
            pair_of_match(slug)


@given(st.text())
def test_a_text_is_read_back_from_its_slug(text):
    assert from_slug(to_slug(text)) == from_slug(to_slug(from_slug(to_slug(text))))
    assert set(to_slug(text)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")


@pytest.mark.parametrize("text", [" 17 ", "e\u0301", "\u00e9"])
def test_a_control_number_is_trimmed_and_composed(text):
    number = RecordId.from_control_number("rsl", text).control_number
    assert number in ("17", "é")
    assert RecordId.parse(f"rsl:{text}") == RecordId("rsl", number)


def test_records_and_places_are_shown_as_people_write_them():
    assert str(RECORD) == "rsl:a/1"
    assert (RECORD.slug, RECORD.path) == ("a~2F1", "rsl/a~2F1")
    assert str(Origin("rsl", "a.mrc", 7, 99)) == "a.mrc record 7 (byte 99)"
    for text in ("rsl", "rsl:", "rsl: ", ":1", "1rsl:1", "Rsl:1"):
        with pytest.raises(ValueError, match="is not a record id"):
            RecordId.parse(text)


@pytest.mark.parametrize(
    "term, text",
    [
        (iri_term('http://x/a b<>"{}|^`\\'), "<http://x/a%20b%3C%3E%22%7B%7D%7C%5E%60%5C>"),
        (literal('a"b\\c\nd\te\r\x08\x0c\x7f'), '"a\\"b\\\\c\\nd\\te\\r\\b\\f\\u007F"'),
        (literal("a\x00b\ud800"), '"a\ufffdb\ufffd"'),
        (literal("мир", "ru-Cyrl"), '"мир"@ru-cyrl'),
        (literal("1", datatype="http://x"), '"1"^^<http://x>'),
    ],
)
def test_terms_of_n_quads(term, text):
    assert term == text


@pytest.mark.parametrize("tag, is_tag", [("en", True), ("ru-Cyrl", True), ("", False), ("e_n", False), ("e1", False)])
def test_a_language_tag_is_one_of_bcp_47(tag, is_tag):
    assert is_language_tag(tag) is is_tag
    if not is_tag:
        with pytest.raises(ValueError, match="is not a language tag"):
            literal("x", tag)


@pytest.mark.parametrize("value", ["<http://o>", '"a b"', '"a . \\" b"@en', '"x y"^^<http://t>', "_:b"])
@pytest.mark.parametrize("graph", [None, "<http://g>"])
def test_the_graph_of_a_line_is_found(value, graph):
    line = quad("<http://s>", "<http://p>", value, graph)
    assert line.endswith(" .\n")
    assert graph_of(line) == graph


VALUES = ("<http://o>", '"a"', '"q \\" b <c>"@en', '"q \\" x <y>"^^<http://t>', '" <http://g>"', '"<http://g> ."')


@pytest.mark.parametrize("in_default_graph", range(len(VALUES) + 1))
@pytest.mark.parametrize("in_named_graph", range(len(VALUES) + 1))
@pytest.mark.parametrize("graphs", [("<http://g>",), ("<http://f>", "<http://g>"), ("<http://o>",)])
def test_a_block_is_split_where_named_graphs_begin(in_default_graph, in_named_graph, graphs):
    default, named = (
        "".join(quad("<http://s>", "<http://p>", value, graph) for graph in found for value in VALUES[:count]).encode()
        for found, count in (((None,), in_default_graph), (graphs, in_named_graph))
    )
    assert split_graphs(default + named) == (default, named)


def test_lines_of_named_graphs_stay_behind_the_others_when_entities_are_replaced():
    iris = Iris("https://data.example.org/")
    book, node = "<https://data.example.org/resource/x/1>", "<https://data.example.org/resource/x/1#title1>"
    old, new = (f"https://data.example.org/agent/{name}" for name in ("old", "new"))
    default = quad(book, "<urn:p>", f"<{old}>") + quad(node, "<urn:p>", literal("a"))
    named = quad(book, "<urn:q>", f"<{old}>", f"<{iris.graph('provenance')}>")
    replaced = replace_entities((default + named).encode(), {old: new})
    assert split_graphs(replaced) == (default.replace(old, new).encode(), named.replace(old, new).encode())
