"""What pages show of the triples: entities, labels, statements, partitions and terms; and how triples are written."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pyoxigraph as ox
import pytest

from bibld.documents import Document
from bibld.errors import StoreError
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster
from bibld.model.origin import RecordId
from bibld.serve import _pages as pages
from bibld.serve._addresses import Addresses
from bibld.serve._graph import (
    Label,
    ReleaseGraph,
    lines_of,
    objects_among,
    objects_of,
    read_turtle,
    triple,
    with_prefixes_in_order,
    write,
)
from bibld.serve._language import language_named
from bibld.serve._pages import views
from bibld.serve._things import ReleaseView

BASE = "https://data.example.org/lod/"
ADDRESSES = Addresses(Iris(BASE))
PREFIXES = {"ex": "http://example.org/", "void": "http://rdfs.org/ns/void#", "xsd": "http://www.w3.org/2001/XMLSchema#"}
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
PREFERRED = "http://www.w3.org/2004/02/skos/core#prefLabel"
SAME = "http://www.w3.org/2002/07/owl#sameAs"
BOOK, AUTHOR, TOPIC = (f"{BASE}{path}" for path in ("resource/rsl/1", "agent/x", "concept/y"))


class Store:
    """N-Quads in memory."""

    def __init__(self, *lines: str) -> None:
        self._quads = list(ox.parse("".join(f"{line} .\n" for line in lines).encode(), format=ox.RdfFormat.N_QUADS))

    def quads(self, subject=None, predicate=None, value=None, graph=None) -> Iterator[str]:
        wanted = (subject, predicate, value, graph)
        for quad in self._quads:
            terms = (quad.subject, quad.predicate, quad.object, quad.graph_name)
            if all(text is None or term == ox.NamedNode(text) for text, term in zip(wanted, terms, strict=True)):
                yield f"{quad} .\n"


def graph(*lines: str) -> ReleaseGraph:
    return ReleaseGraph(Store(*lines))


def test_the_entities_of_a_description_are_linked_once_and_in_the_order_of_their_kinds():
    names = graph(
        f'<{TOPIC}> <{LABEL}> "War"',
        f'<{AUTHOR}> <{LABEL}> "Толстой"',
        f'<{AUTHOR}> <{PREFERRED}> "Tolstoi, Lev"@en',
        f'<{BASE}resource/rsl/2> <{LABEL}> "Another book"',
        f'<{BASE}dataset> <{LABEL}> "Dataset"',
        f'<{BOOK}#value> <{LABEL}> "A part"',
        f'<http://example.org/agent/x> <{LABEL}> "Somebody elsewhere"',
    )
    others = ("resource/rsl/2", "agent/nameless", "dataset", "resource/rsl/1#value")
    linked = [TOPIC, *(f"{BASE}{path}" for path in others), "http://example.org/agent/x", AUTHOR, AUTHOR]
    links = views.EntityLinks(names, ADDRESSES)
    assert (
        links.among(linked)
        == links.among(linked)
        == [
            (
                views.PageLink("/lod/agent/x", "Толстой", "ru", kind="Person or organisation", path="agent/x"),
                {"толстой", "tolstoilev"},
            ),
            (views.PageLink("/lod/concept/y", "War", kind="Subject", path="concept/y"), {"war"}),
        ]
    )


def test_links_are_found_in_lines_and_not_in_their_literals():
    in_text = f"> <{LABEL}> <{AUTHOR}> .\n<{BOOK}> <{SAME}> <{BASE}resource/rsl/3>"
    lines = lines_of(
        [
            triple(BOOK, "dcterms:subject", TOPIC),
            triple(BOOK, "dcterms:title", ox.Literal(in_text)),
            triple(BOOK, "owl:sameAs", f"{BASE}resource/rsl/2"),
            triple(f"{BASE}resource/rsl/2", "owl:sameAs", BOOK),
        ]
    )
    assert in_text.partition("\n")[0].encode() in lines
    assert set(objects_among(lines)) == {TOPIC, f"{BASE}resource/rsl/2", BOOK}
    assert objects_of(lines, BOOK, SAME) == [f"{BASE}resource/rsl/2"]


def test_a_prepared_document_states_the_cluster_of_a_release():
    view = ReleaseView(None, graph(), Iris(BASE), Documents())
    cluster = Cluster(RecordId("rsl", "1"), (RecordId("rsl", "1"), RecordId("nlr", "5"), RecordId("nlr", "7")))
    assert view.cluster_of(RecordId("rsl", "1")) == view.cluster_of(RecordId("nlr", "7")) == cluster
    assert view.cluster_of(RecordId("rsl", "deleted")) is None
    assert view.cluster_of(RecordId("rsl", "withdrawn")) is None


class Documents:
    """Prepared documents of one cluster, of a deleted record for which it answers, and of a withdrawn one."""

    def document(self, path):
        same = "".join(f"<{BOOK}> <{SAME}> <{BASE}resource/nlr/{number}> .\n" for number in (7, 5))
        states = {
            "resource/rsl/1": (200, "", same),
            "resource/nlr/5": (303, "resource/rsl/1", ""),
            "resource/nlr/7": (303, "resource/rsl/1", ""),
            "resource/rsl/deleted": (303, "resource/rsl/1", ""),
            "resource/rsl/withdrawn": (410, "", ""),
        }
        status, target, quads = states[path]
        return Document(path, status, target, "", 1, "2026-01-01T00:00:00Z", b"", quads.encode())


def test_the_best_label_is_of_the_best_property_then_in_a_stated_language_then_not_romanised():
    names = graph(
        f'<{AUTHOR}> <{PREFERRED}> "worst"@en',
        f'<{AUTHOR}> <{LABEL}> "Tolstoĭ"@ru-latn',
        f'<{AUTHOR}> <{LABEL}> "no language"',
        f'<{AUTHOR}> <{LABEL}> "Толстой"@ru',
        f'<{AUTHOR}> <{LABEL}> "Leo"@en',
        f'<{AUTHOR}> <{PREFERRED}> "Leo"@en',
        f"<{AUTHOR}> <{LABEL}> <http://example.org/no-text>",
    )
    assert names.labels(AUTHOR) == [
        Label("Leo", "en"),
        Label("Толстой", "ru"),
        Label("Tolstoĭ", "ru-latn"),
        Label("no language", ""),
        Label("worst", "en"),
    ]


def test_objects_subjects_and_literals_are_sorted_and_each_once():
    p = "http://example.org/p"
    some = graph(
        f"<{BOOK}> <{p}> <http://example.org/b> <{BASE}graph/1>",
        f"<{BOOK}> <{p}> <http://example.org/a>",
        f"<{BOOK}> <{p}> <http://example.org/b>",
        f'<{BOOK}> <{p}> "text"',
        f'<{BOOK}> <{p}> "a text"@en',
        f"_:blank <{p}> <http://example.org/b>",
        f"<{AUTHOR}> <{p}> <http://example.org/b>",
    )
    assert some.objects(BOOK, p) == ["http://example.org/a", "http://example.org/b"]
    assert some.literals(BOOK, p) == ["a text", "text"]
    assert some.subjects(p, "http://example.org/b") == [AUTHOR, BOOK]


def test_a_description_follows_the_hash_iris_of_the_thing_only():
    p = "http://example.org/p"
    some = graph(
        f"<{BOOK}> <{p}> <{BOOK}#one>",
        f"<{BOOK}#one> <{p}> <{BOOK}#two>",
        f"<{BOOK}#two> <{p}> <{BOOK}>",
        f'<{BOOK}#unreachable> <{p}> "x"',
        f"<{BOOK}> <{p}> <{BOOK}0#one>",
        f'<{BOOK}0#one> <{p}> "of another thing"',
        f"<{AUTHOR}> <{SAME}> <{BOOK}>",
        f"<{AUTHOR}> <{p}> <{BOOK}>",
    )
    subjects = [each.subject.value for each in some.description(BOOK)]
    assert subjects == sorted([AUTHOR, BOOK, BOOK, f"{BOOK}#one", f"{BOOK}#two"], key=lambda iri: f"<{iri}>")


def test_what_points_to_a_thing_is_listed_once_with_the_statement_of_the_thing_itself():
    a, b, c = (f"{BASE}resource/rsl/{number}" for number in (3, 1, 2))
    some = graph(
        f"<{a}#part> <http://example.org/a> <{AUTHOR}>",
        f"<{a}> <http://example.org/z> <{AUTHOR}>",
        f"<{b}#part> <http://example.org/p> <{AUTHOR}>",
        f"<{c}> <http://example.org/p> <{AUTHOR}>",
        f"<{AUTHOR}#self> <http://example.org/p> <{AUTHOR}>",
        f"_:blank <http://example.org/p> <{AUTHOR}>",
    )
    full = some.incoming(AUTHOR, 3)
    assert full.links == (("http://example.org/p", b), ("http://example.org/p", c), ("http://example.org/z", a))
    assert (full.more, full.is_all) == (0, True)
    shortened = some.incoming(AUTHOR, 2)
    assert (len(shortened.links), shortened.more) == (2, 1)


def test_an_iri_is_mentioned_wherever_a_quad_has_it():
    some = graph(f"<{BOOK}> <http://example.org/p> <{AUTHOR}> <{BASE}graph/1>")
    for iri in (BOOK, "http://example.org/p", AUTHOR, f"{BASE}graph/1"):
        assert some.mentions(iri) is True
    assert some.mentions(TOPIC) is False


def test_statements_are_short_texts_with_links_those_of_the_thing_first():
    names = graph(f'<{AUTHOR}> <{LABEL}> "Толстой"@ru')
    found = [
        ox.Triple(ox.NamedNode(subject), ox.NamedNode(predicate), value)
        for subject, predicate, value in (
            (f"{BOOK}#part", "http://example.org/p", ox.Literal("a")),
            (BOOK, "http://example.org/p", ox.NamedNode(AUTHOR)),
            (BOOK, f"{BASE}ontology#p", ox.NamedNode(f"{BASE}agent/~D0~BB")),
            (BOOK, "http://example.org/p", ox.NamedNode("http://example.org/other")),
            (BOOK, "http://example.org/p", ox.NamedNode("urn:isbn:1")),
            (BOOK, "http://example.org/p", ox.NamedNode("http://id.loc.gov/vocabulary/iso639-2/rus")),
            (BOOK, "http://example.org/p", ox.Literal("Мир")),
            (BOOK, "http://example.org/p", ox.Literal("Mir", language="ru-latn")),
            (BOOK, "http://example.org/p", ox.Literal("5", datatype=ox.NamedNode(PREFIXES["xsd"] + "integer"))),
        )
    ]
    found.append(ox.Triple(ox.BlankNode("b"), ox.NamedNode("http://example.org/p"), ox.Literal("of nobody")))
    rows = [
        (row.subject, row.predicate, row.predicate_href, row.text, row.href, row.is_foreign, row.language, row.datatype)
        for row in views.statements(found, BOOK, names, ADDRESSES, PREFIXES, language_named("ru"))
    ]
    assert rows == [
        ("", "ex:p", None, "Толстой", "/lod/agent/x", False, "ru", ""),
        ("", f"{BASE}ontology#p", "/lod/ontology#p", "agent/л", "/lod/agent/~D0~BB", False, "ru", ""),
        ("", "ex:p", None, "ex:other", "http://example.org/other", True, "", ""),
        ("", "ex:p", None, "urn:isbn:1", None, False, "", ""),
        ("", "ex:p", None, "русский", "http://id.loc.gov/vocabulary/iso639-2/rus", True, "", ""),
        ("", "ex:p", None, "Мир", None, False, "ru", ""),
        ("", "ex:p", None, "Mir", None, False, "ru-latn", ""),
        ("", "ex:p", None, "5", None, False, "", "xsd:integer"),
        ("#part", "ex:p", None, "a", None, False, "", ""),
    ]


def test_partitions_of_a_dataset_are_listed_by_kind_and_frequency():
    void, dataset = PREFIXES["void"], f"{BASE}dataset"
    number = ox.NamedNode(PREFIXES["xsd"] + "integer")

    def partition(name: str, kind: str, term: str, counted: str, count: str) -> list[ox.Triple]:
        node = ox.NamedNode(f"{dataset}#{name}")
        return [
            ox.Triple(node, ox.NamedNode(void + kind), ox.NamedNode(term)),
            ox.Triple(node, ox.NamedNode(void + counted), ox.Literal(count, datatype=number)),
        ]

    stated = [
        *partition("property1", "property", "http://example.org/p", "triples", "7"),
        *partition("class1", "class", "http://example.org/Rare", "entities", "2"),
        *partition("class2", "class", f"{BASE}ontology#Frequent", "entities", "10"),
        *partition("class3", "class", "urn:x:Also", "entities", "2"),
        *partition("class4", "class", "urn:x:Uncounted", "triples", "2"),
        *partition("class5", "class", "urn:x:Many", "entities", "many"),
    ]
    assert views.partitions(stated, ADDRESSES, PREFIXES) == [
        views.Partition("class", f"{BASE}ontology#Frequent", "/lod/ontology#Frequent", 10),
        views.Partition("class", "ex:Rare", "http://example.org/Rare", 2),
        views.Partition("class", "urn:x:Also", None, 2),
        views.Partition("property", "ex:p", "http://example.org/p", 7),
    ]
    assert all(views.is_of_partition(each, dataset) for each in stated)
    assert views.is_of_partition(triple(dataset, "void:classPartition", f"{dataset}#class1"), dataset)
    assert not views.is_of_partition(triple(dataset, "void:feature", f"{dataset}#other"), dataset)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0\u00a0B"),
        (1023, "1023\u00a0B"),
        (1024, "1.0\u00a0KiB"),
        (1536, "1.5\u00a0KiB"),
        (1024**2, "1.0\u00a0MiB"),
        (1024**3, "1.0\u00a0GiB"),
        (5 * 1024**4, "5120.0\u00a0GiB"),
    ],
)
def test_sizes_are_in_binary_units(size, text):
    assert language_named("en").size(size) == text


def test_a_result_page_has_the_first_rows_and_counts_all():
    row = b'{"s": {"type": "literal", "value": "x"}}'
    body = b'{"head": {"vars": ["s", "t"]}, "results": {"bindings": [' + b",".join([row] * 1001) + b"]}}"
    view = pages.result_view("SELECT", "table", body)
    assert (view.variables, len(view.rows), view.row_count) == (("s", "t"), 1000, 1001)
    assert view.rows[0] == ({"type": "literal", "value": "x"}, None)
    for value in (True, False):
        assert pages.result_view("ASK", "boolean", b'{"boolean": %s}' % str(value).lower().encode()).boolean is value
    assert pages.result_view("CONSTRUCT", "graph", "ж".encode()).text == "ж"


def test_prefixes_are_in_order_and_in_turtle_only_those_that_are_used():
    turtle = b"@prefix b: <urn:b:> .\n@prefix c: <urn:c:> .\n@prefix a: <urn:a:> .\na:x b:y 1 .\n"
    assert with_prefixes_in_order(turtle, "text/turtle") == (
        b"@prefix a: <urn:a:> .\n@prefix b: <urn:b:> .\na:x b:y 1 .\n"
    )
    assert with_prefixes_in_order(b"@prefix b: <urn:b:> .\n", "text/turtle") == b""
    xml = b'<?xml?><rdf:RDF xmlns:b="b" xmlns:a="a"><rdf:RDF z="" y="">'
    assert with_prefixes_in_order(xml, "application/rdf+xml") == (
        b'<?xml?><rdf:RDF xmlns:a="a" xmlns:b="b"><rdf:RDF z="" y="">'
    )
    assert with_prefixes_in_order(turtle, "text/csv") == turtle


@pytest.mark.parametrize(
    "media_type", ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"]
)
def test_the_same_triples_in_any_order_are_the_same_bytes(media_type):
    some = [
        triple(BOOK, "dcterms:creator", AUTHOR),
        triple(BOOK, "dcterms:title", ox.Literal("Мир", language="ru")),
        triple(BOOK, "dcterms:title", ox.Literal("Mir")),
        triple(BOOK, "dcterms:extent", ox.Literal("007", datatype=ox.NamedNode(PREFIXES["xsd"] + "integer"))),
    ]
    written = {write(order, media_type, PREFIXES, {}) for order in itertools.permutations(some)}
    assert written == {write([*some, *some], media_type, PREFIXES, {})}
    if media_type == "application/ld+json":
        (body,) = written
        assert {quad.triple for quad in ox.parse(body, format=ox.RdfFormat.JSON_LD)} == set(some)


def test_turtle_that_cannot_be_read_is_an_error_of_the_store():
    with pytest.raises(StoreError, match="cannot be read"):
        list(read_turtle(b"<a> <b>", BASE))


def test_a_heading_that_is_only_a_genre_is_no_subject():
    def entity(name: str, kind: str) -> views.NamedEntity:
        return views.PageLink(f"/{name}", name, kind=views.ENTITY_KINDS[kind]), frozenset({name})

    novels, poems, plays = (entity(name, "concept") for name in ("novels", "poems", "plays"))
    author = entity("author", "agent")
    found = views.by_kind([plays, poems, novels, author], {"novels", "poems"}, {"poems", "plays"})
    kinds = [(kind, [link.text for link in links]) for kind, links in found]
    assert kinds == [("Person or organisation", ["author"]), ("Subject", ["plays", "poems"]), ("Genre", ["novels"])]
