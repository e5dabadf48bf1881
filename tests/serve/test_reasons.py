"""Why a query failed: what checks, parser and query processes report is shown in the language of the page."""

import re

import pyoxigraph as ox
import pytest

from bibld.errors import BadQueryError
from bibld.model.rdf import PREFIXES
from bibld.model.sparql.faults import explain_fault
from bibld.serve._language import language_named
from bibld.serve._sparql.guard import check_query
from bibld.serve._sparql.problems import REASONS, to_message

QUERIES = [
    "SELECT * { ?s dctrms:title ?o }",
    "SELECT * { ?s zzz:x ?o }",
    "SELECT * {\n ?s ?p ?o",
    "SELECT * { ?s ?p ?o } }",
    "SELECT * { FILTER(?a > 3 }",
    "SELECT * WHERE {\n ?s ?p }",
    "SELECT * { ?s }",
    "SELECT * { ?s ?p ?o ?s ?p ?o }",
    "SELECT * { ?s foaf:name 'x', }",
    "SELEC * { ?s ?p ?o }",
    "SELECT * { ?s ?p zzzzzz }",
    "SELECT * { FILTER(STRLN(?x) > 3) }",
    "SELECT * { FILTER(foo(?x)) }",
    "SELECT * { BIND(<http://x/f>(1) AS ?x) }",
    "SELECT * { ?s ?p 'open }",
    "SELECT ?s, ?o { ?s ?p ?o }",
    "SELECT (COUNT(?s) ?n) { ?s ?p ?o }",
    "SELECT * { ?s ?p ?o FILTER ?o > 3 }",
    "SELECT * { ?s ?p ?o } ORDER ?s",
    "SELECT * { ?s ?p ?o } LIMIT 5 LIMIT 6",
    "SELECT ?x { ?s ?p ?o } GROUP BY ?s",
    "SELECT * { ?s ?p ?o } GROUP BY",
    "",
    "PREFIX foaf: <http://x/>",
    "SELECT",
    "DROP ALL",
    "SELECT * { SERVICE <http://x/> { ?s ?p ?o } }",
]
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")


def report_of(query: str) -> str:
    try:
        check_query(query)
        for _ in ox.Store().query(query, prefixes=PREFIXES):
            pass
    except BadQueryError as error:
        return str(error)
    except (SyntaxError, RuntimeError) as error:
        return str(explain_fault(query, PREFIXES, str(error)))
    raise AssertionError(f"{query!r} is SPARQL")


@pytest.mark.parametrize("query", QUERIES)
def test_faults_are_explained_in_russian_without_a_word_of_english(query):
    report = report_of(query)
    found = to_message(report)
    assert found == report  # programs get the same text
    shown = language_named("ru").text(found)
    assert re.match(r"строка \d+, столбец \d+: [а-я«]|эта служба ", shown), shown
    assert not ENGLISH.search(shown.partition(" (известны без объявления")[0]), shown


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.pattern[:40])
def test_each_reason_is_recognised_with_its_values(reason):
    samples = {"line": "3", "column": "7", "number": "2.5", "keyword": "BY", "keywords": "AS or IN"}
    names = re.findall(r"%\((\w+)\)s", reason.pattern)
    report = reason.pattern % {name: samples.get(name, f"<{name}>") for name in names} if names else reason.pattern
    found = to_message(report)
    assert found == report
    assert language_named("ru").text(found) != report


def test_what_is_not_known_stays_as_it_is():
    assert to_message("disk on fire") == "disk on fire"
    shown = language_named("ru").text(to_message("line 2, column 1: disk on fire"))
    assert shown == "строка 2, столбец 1: disk on fire"
