"""Why a query failed: what checks, parser and query processes report is shown in the language of the page."""

import re

import pyoxigraph as ox
import pytest

from bibld.errors import BadQueryError
from bibld.model.rdf import PREFIXES
from bibld.model.sparql.faults import explain_fault
from bibld.serve._language import Sentence, language_named
from bibld.serve._sparql.guard import check_query
from bibld.text.translations import sentences_in

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
    shown = language_named("ru").text(Sentence.from_pattern(report))
    assert re.match(r"строка \d+, столбец \d+: [а-я«]|эта служба ", shown), shown
    assert not ENGLISH.search(shown.partition(" (известны без объявления")[0]), shown


@pytest.mark.parametrize(
    ("report", "shown"),
    [
        ("the query had no answer within 30 s, time in the queue included", "за 30 с, включая время в очереди"),
        ("queries that are running or waiting for your address: 3; wait until one has ended", "с вашего адреса уже"),
        ("no query process can be started over /srv/x: no room", "не удаётся запустить процесс для запросов (/srv/x)"),
        ("the query cannot be evaluated: disk on fire", "запрос не удаётся выполнить: disk on fire"),
        ("line 2, column 1: disk on fire", "строка 2, столбец 1: disk on fire"),
        ("disk on fire", "disk on fire"),
    ],
)
def test_reports_of_the_server_are_shown_in_russian_as_far_as_they_are_known(report, shown):
    assert language_named("ru").text(Sentence.from_pattern(report)).startswith(shown)


def test_a_command_explains_a_query_in_the_same_words():
    report = "line 1, column 3: the query is empty; write SELECT, ASK, CONSTRUCT or DESCRIBE"
    expected = "строка 1, столбец 3: запрос пуст; напишите SELECT, ASK, CONSTRUCT или DESCRIBE"
    assert sentences_in("ru").text(f"bibld: {report}") == f"bibld: {expected}"
