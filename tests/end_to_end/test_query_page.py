"""The page of queries: complete without a script, and with the editor in a real browser."""

import httpx
import pytest

from bibld.serve._files import EDITOR, assets
from bibld.serve._pages.queries import SparqlView, by_topic
from bibld.serve.ontology import ExampleQuery
from tests.end_to_end.browser import visits

PEOPLE = (
    "SELECT ?name (COUNT(?p) AS ?n) { ?p dcterms:creator/skos:prefLabel ?name } GROUP BY ?name ORDER BY ?name LIMIT 5"
)


@pytest.fixture(scope="session")
def client(server: str):
    with httpx.Client(base_url=server, timeout=600, headers={"Accept": "text/html"}) as opened:
        yield opened


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_form_without_a_script_asks_and_shows_a_table_a_picture_and_other_forms(client, language):
    empty = client.get("/sparql", params={"lang": language}).text
    assert '<textarea id="query" name="query"' in empty
    answer = client.get("/sparql", params={"query": PEOPLE, "lang": language})
    assert answer.status_code == 200
    assert '<table class="statements">' in answer.text
    assert '<svg class="picture"' in answer.text
    assert "format=csv" in answer.text


@pytest.mark.parametrize(
    "number",
    ['"abc"^^xsd:integer', '"INF"^^xsd:double', '"NaN"^^xsd:double', "1e308", '"-INF"^^xsd:double', "-5", "1e14"],
)
@pytest.mark.parametrize("label", ['"1970"^^xsd:gYear', '"name"'])
def test_what_is_no_number_to_draw_is_still_shown_as_a_table(client, number, label):
    query = f"SELECT ?label ?n {{ VALUES (?label ?n) {{ ({label} {number}) ({label} 2) }} }}"
    answer = client.get("/sparql", params={"query": query})
    assert answer.status_code == 200
    assert '<table class="statements">' in answer.text


def test_an_error_is_shown_with_its_line(client):
    answer = client.get("/sparql", params={"query": "SELECT * WHERE {\n  ?s ?p ?o\n} LIMITT 3"})
    assert answer.status_code == 400
    assert 'data-line="3"' in answer.text
    assert "<b>3</b> } LIMITT 3" in answer.text


def test_a_small_graph_is_drawn_around_the_thing_with_most_links(client):
    query = "DESCRIBE ?a { ?a a foaf:Person ; owl:sameAs ?b } LIMIT 1"
    answer = client.get("/sparql", params={"query": query})
    assert answer.status_code == 200
    asked = client.get("/sparql", params={"query": "CONSTRUCT { ?a a ?c } WHERE { ?a a foaf:Person, ?c } LIMIT 20"})
    assert '<svg class="picture of-screen"' in asked.text


def test_examples_are_ordered_by_topic_and_none_is_left_out():
    examples = [ExampleQuery(f"{number:02}-x", "Title", "", "ASK {}") for number in (1, 5, 6, 20, 50)]
    topics = by_topic(examples)
    assert [len(found) for _, found in topics] == [2, 1, 1, 1]
    assert [each for _, found in topics for each in found] == examples


def test_the_line_of_an_error_that_is_not_in_the_query_is_empty():
    assert SparqlView("ASK {}", line=9).faulty_line == ""
    assert SparqlView("ASK {}", line=1).faulty_line == "ASK {}"


@pytest.mark.skipif(EDITOR not in assets(), reason="the editor has not been built (`make additions`, needs npm)")
def test_the_bundle_calls_no_foreign_host_and_evaluates_no_text():
    body = assets()[EDITOR].body
    for word in (b"eval(", b"new Function", b"https://"):
        assert word not in body


# A list of completions that waits for its answer is marked as disabled, and takes no key for 75 ms after it has opened.
READY = ".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)"
INTERACTION_DELAY = 250


@pytest.mark.browser
@pytest.mark.skipif(EDITOR not in assets(), reason="the editor has not been built (`make additions`, needs npm)")
def test_the_editor_completes_from_the_data_and_by_name_and_the_tab_key_leaves_it(browser, server):
    with visits(browser, server) as visit:
        page = visit.open("sparql?query=ASK%20%7B%7D")
        page.click(".cm-content")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.type("?x a foaf:Per")
        page.locator(f"{READY} li[aria-selected]", has_text="foaf:Person").wait_for()
        page.wait_for_timeout(INTERACTION_DELAY)
        page.keyboard.press("Enter")
        page.wait_for_function("document.querySelector('#query').value.includes('foaf:Person')")
        page.keyboard.type(" ; owl:sameAs <Толс")
        page.locator(".cm-tooltip-autocomplete li", has_text="Толстой").first.wait_for()
        page.keyboard.press("Escape")
        for _ in range(100):  # Tab leaves the editor for two seconds after Escape
            page.keyboard.press("Escape")
            page.keyboard.press("Tab")
            if not page.evaluate("document.activeElement.matches('.editor')"):
                break
        assert page.evaluate("document.activeElement.type") == "submit"
        visit.check()
        visit.open("sparql?query=SELECT%20*%20%7B%0A%3Fs%20%3Fp%20%3Fo%0A%7D%20LIMITT")
        page.locator(".cm-lintRange-error, .cm-lint-marker-error").first.wait_for()
        assert not visit.foreign
