"""Triple patterns are found in the tokens of a query, or none at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.rdf import PREFIXES, expand
from bibld.model.sparql.lexer import AmbiguousQueryError, readings, tokens
from bibld.model.sparql.patterns import find_patterns

TITLE, TYPE, NAME = (expand(each) for each in ("dcterms:title", "rdf:type", "foaf:name"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * { ?s dcterms:title ?o }", [("?s dcterms:title ?o", (TITLE,))]),
        (
            "ASK { ?s a bf:Work ; dcterms:title 'x'@en, 5. }",
            [("?s a bf:Work", (TYPE,)), ("?s dcterms:title 'x'@en", (TITLE,)), ("?s dcterms:title 5", (TITLE,))],
        ),
        (
            "SELECT * { ?s (dcterms:title|^foaf:name)/a+ ?o }",
            [("?s (dcterms:title|^foaf:name)/a+ ?o", (TYPE, TITLE, NAME))],
        ),
        ("SELECT * { ?s dcterms:title* ?o }", [("?s dcterms:title* ?o", None)]),
        ("SELECT * { ?s !a ?o . ?s ?p ?o }", [("?s !a ?o", None), ("?s ?p ?o", None)]),
        ("SELECT * { GRAPH ?g { ?s a ?o } }", [("GRAPH ?g { ?s a ?o }", (TYPE,))]),
        (
            "SELECT ?s { { SELECT ?s { ?s a ?o FILTER(?o < 5) } LIMIT 5 } OPTIONAL { ?s foaf:name ?n } } ORDER BY ?s",
            [("?s a ?o", (TYPE,)), ("?s foaf:name ?n", (NAME,))],
        ),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s a ?o }", [("?s a ?o", (TYPE,))]),
        (
            "PREFIX a: <http://a/> SELECT * { ?s a:b <http://x/#y> } VALUES ?s { <http://z/> }",
            [("?s a:b <http://x/#y>", ("http://a/b",))],
        ),
    ],
)
def test_patterns_have_their_predicates(query, expected):
    found = find_patterns(query, PREFIXES)
    assert found is not None
    wanted = [(text, None if iris is None else tuple(sorted(iris))) for text, iris in expected]
    assert [(pattern.text, pattern.predicates) for pattern in found] == wanted


@pytest.mark.parametrize(
    "query",
    [
        "DESCRIBE <http://x/>",
        "SELECT * { ?s dcterms:title [ a ?x ] }",
        "SELECT * { ?s dcterms:title (1 2) }",
        "SELECT * { ?s dcterms:title ?o FILTER(EXISTS { ?s ?p ?o }) }",
        "SELECT * { ?s unknown:title ?o }",
        "SELECT * { ?s dcterms:title ?o",
        "BASE <http://x/> SELECT * { ?s <title> ?o }",
        "SELECT * { << ?s ?p ?o >> ?q ?r }",
        "",
    ],
)
def test_what_is_not_understood_has_no_patterns(query):
    assert find_patterns(query, PREFIXES) is None


@given(
    st.lists(
        st.sampled_from(
            [
                "SELECT",
                "ASK",
                "*",
                "{",
                "}",
                "(",
                ")",
                "?s",
                "?p",
                "a",
                "foaf:x",
                "'x'",
                ".",
                ";",
                ",",
                "FILTER",
                "GRAPH",
                "VALUES",
                "<",
                "<x>",
                "^",
                "/",
                "|",
                "5",
                "{",
            ]
        ),
        max_size=30,
    ).map(" ".join)
)
def test_any_text_is_understood_or_not(text):
    find_patterns(text, PREFIXES)


@given(st.text(alphabet="<'#>\"a \n", max_size=60))
def test_every_reading_of_a_text_begins_at_an_ambiguous_place(text):
    """The first reading is that of ``tokens``; each other one begins behind a "<" that could begin an IRI."""
    try:
        first, *others = readings(text)
    except AmbiguousQueryError:
        return
    assert first == list(tokens(text))
    for part in others:
        if part:
            assert "<" in text[: part[0].start]


@pytest.mark.parametrize("unit", ["<'>", "<#>", "<'#>", "<a#b>'", "<'>\"", "<#'>\n"])
def test_many_readings_take_little_time_or_are_refused(unit):
    """A text of 256 KiB that reads in as many ways as possible; without a bound this takes minutes."""
    try:
        assert sum(1 for _ in readings(unit * ((256 << 10) // len(unit)))) > 0
    except AmbiguousQueryError:
        return
