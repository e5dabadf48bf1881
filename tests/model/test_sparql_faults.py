"""Errors of queries name line and column, what is wrong there, and what to write instead, in 300 characters."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.rdf import PREFIXES
from bibld.model.sparql.faults import TextPosition, explain_fault, undeclared_prefixes

# query, line, column, parts of the message
FAULTS = [
    ("SELECT * { ?s dctrms:title ?o }", 1, 15, ['unknown prefix "dctrms:"', 'did you mean "dcterms:"', "foaf"]),
    ("SELECT * {\n ?s dcterms:title ?t ;\n    zzz:x ?x }", 3, 5, ['unknown prefix "zzz:"', "PREFIX zzz: <…>"]),
    ("PREFIX ex: <http://x/>\nSELECT * { ?s exx:a ?o }", 2, 15, ['did you mean "ex:"?']),
    ("SELECT * {\n ?s ?p ?o", 1, 10, ['"{" is not closed', 'add "}"']),
    ("SELECT * { ?s ?p ?o } }", 1, 23, ['"}" closes nothing']),
    ("SELECT * { FILTER(?a > 3 }", 1, 18, ['"(" is not closed before the next "}"']),
    ("SELECT * WHERE {\n ?s ?p }", 2, 8, ["has no object"]),
    ("SELECT * { ?s }", 1, 15, ["has no predicate and object"]),
    ("SELECT * { ?s ?p ?o ?s ?p ?o }", 1, 21, ['write "." before "?s"']),
    ("SELECT * { ?s foaf:name 'x', }", 1, 30, ["an object is missing"]),
    ("INSERT DATA { <a:b> <a:b> 1 }", 1, 1, ["runs change the data, not INSERT"]),
    ("SELEC * { ?s ?p ?o }", 1, 1, ['unknown word "SELEC"', "SELECT"]),
    ("SELECT * {\n OPTONAL { ?s ?p ?o } }", 2, 2, ["did you mean OPTIONAL?"]),
    ("SELECT * { FILTER(STRLN(?x) > 3) }", 1, 19, ['unknown function "STRLN"', "STRLEN"]),
    ("SELECT * { FILTER(foo(?x)) }", 1, 19, ['unknown function "foo"']),
    ("SELECT * { BIND(<http://x/f>(1) AS ?x) }", 1, 17, ["unknown function <http://x/f>"]),
    ("PREFIX ex: <http://x/> SELECT (ex:f(1) AS ?x) {}", 1, 32, ["unknown function <http://x/f>"]),
    ("SELECT * { ?s ?p 'open }", 1, 18, ["the string that begins here is not closed"]),
    ("SELECT ?s, ?o { ?s ?p ?o }", 1, 10, ['remove ","']),
    ("SELECT (COUNT(?s) ?n) { ?s ?p ?o }", 1, 19, ["write AS before ?n"]),
    ("SELECT * { ?s ?p ?o FILTER ?o > 3 }", 1, 28, ["FILTER(…)"]),
    ("SELECT * { ?s ?p ?o } ORDER ?s", 1, 29, ['unexpected "?s"', "expected BY"]),
    ("SELECT * { ?s ?p ?o } LIMIT 5 LIMIT 6", 1, 31, ['unexpected "LIMIT"']),
    ("SELECT * { ?s ?p ?o . FILTER(STRLEN(?o) > ) }", 1, 43, ['unexpected ")"']),
    ("SELECT ?x { ?s ?p ?o } GROUP BY ?s", 1, 1, ["GROUP BY"]),
    ("", 1, 1, ["the query is empty"]),
    ("PREFIX foaf: <http://x/>", 1, 1, ["begins with SELECT"]),
    ("SELECT", 1, 7, ["ends too early"]),
]


def fault_of(query: str):
    store = ox.Store()
    try:
        for _ in store.query(query, prefixes=PREFIXES):
            pass
    except (SyntaxError, RuntimeError) as error:
        return explain_fault(query, PREFIXES, str(error))
    raise AssertionError(f"{query!r} is SPARQL")


@pytest.mark.parametrize(("query", "line", "column", "parts"), FAULTS)
def test_a_fault_has_its_place_and_a_remedy(query, line, column, parts):
    fault = fault_of(query)
    assert (fault.line, fault.column) == (line, column), str(fault)
    assert str(fault).startswith(f"line {line}, column {column}: ")
    assert all(part in str(fault) for part in parts), str(fault)


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            [
                "SELECT",
                "ASK",
                "{",
                "}",
                "(",
                ")",
                "?s",
                "?p",
                "a",
                "foaf:x",
                "y:z",
                "'x'",
                ".",
                ";",
                ",",
                "FILTER",
                "<",
                "5",
                "#",
                "\n",
            ]
        ),
        max_size=30,
    ).map(" ".join),
    st.text(max_size=400),
)
def test_any_text_and_any_report_give_a_short_message_with_a_place_in_the_text(text, report):
    for each in (report, f"error at 1:{len(report)}: expected {report}"):
        fault = explain_fault(text, PREFIXES, each)
        assert len(str(fault)) <= 300
        assert 1 <= fault.line <= text.count("\n") + 1
        assert 1 <= fault.column <= len(text) + 1


@given(st.text(alphabet="ab\n"), st.data())
def test_places_and_positions_are_inverse(text, data):
    position = data.draw(st.integers(0, len(text)))
    assert TextPosition.at(text, position).position(text) == position


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * { ?s dcterms:title ?o ; a bf:Work }", {"dcterms", "bf"}),
        ("PREFIX dcterms: <http://x/> SELECT * { ?s dcterms:title ?o ; :x ?y }", {""}),
        ("prefix a: <http://x/> SELECT * { ?s a:b _:blank, 'foaf:name', <dc:title> } # owl:sameAs", set()),
    ],
)
def test_prefixes_without_declaration_are_found(query, expected):
    assert undeclared_prefixes(query) == expected
