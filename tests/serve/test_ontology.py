"""The ontologies are served at their IRIs, in four syntaxes and as pages in two languages."""

import pyoxigraph as ox
import pytest

from bibld.serve.ontology import ONTOLOGIES, VERSION, context, ontology_text

SYNTAXES = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


def graph(text: str, form: str) -> ox.Dataset:
    """The triples of a document, which are equal to others whatever the names of their blank nodes."""
    found = ox.Dataset(ox.Quad(*quad.triple) for quad in ox.parse(text.encode(), SYNTAXES[form]))
    found.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return found


def path_of(here, iris, name: str) -> str:
    return here(f"{iris.ontology}/{name}".rstrip("/"))


@pytest.mark.parametrize("form", SYNTAXES)
@pytest.mark.parametrize("name", ONTOLOGIES)
def test_every_ontology_has_the_same_triples_in_each_syntax(name, form, client, here, iris):
    media_type = SYNTAXES[form].media_type
    path = path_of(here, iris, name)
    answer = client.get(path, media_type)
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, media_type)
    assert client.get(f"{path}.{form}").text == answer.text
    assert graph(answer.text, form) == graph(ontology_text(ONTOLOGIES[name], iris), "ttl")


def test_the_version_of_an_ontology_leads_to_it_and_to_the_one_before(client, here, iris):
    turtle = client.get(here(iris.ontology), "text/turtle").text
    assert f"owl:versionIRI <{iris.ontology}/{VERSION}>" in turtle
    for version in (VERSION, "2026-11-20"):
        assert f"<{iris.ontology}/{version}>" in turtle
        assert client.get(path_of(here, iris, version), "text/turtle").status_code == 200


def test_the_turtle_of_an_ontology_keeps_its_comments(client, here, iris):
    assert "# ---" in client.get(path_of(here, iris, "alignment"), "text/turtle").text


def test_the_context_is_served_with_the_names_of_this_site(client, here, iris):
    answer = client.get(f"{here(iris.ontology)}/context.jsonld")
    assert answer.headers["content-type"] == "application/ld+json"
    assert answer.json() == {"@context": context(iris)}
    assert answer.json()["@context"]["bibld"] == f"{iris.ontology}#"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert client.get(f"{here(iris.ontology)}/context", "application/ld+json").text == answer.text


@pytest.mark.parametrize("name", ["nothing", "2026-01-01", "alignment/x", "context.ttl", "bibld.ttl", "terms.zip"])
def test_what_is_no_ontology_is_not_found(name, client, here, iris):
    assert client.get(f"{here(iris.ontology)}/{name}").status_code == 404


@pytest.mark.parametrize("name", ONTOLOGIES)
@pytest.mark.parametrize(("language", "heading"), [("en", "Documents"), ("ru", "Документы")])
def test_every_ontology_has_a_page_in_each_language(name, language, heading, client, here, iris):
    page = client.get(f"{path_of(here, iris, name)}?lang={language}", "text/html")
    assert page.status_code == 200
    assert f'<html lang="{language}">' in page.text
    assert heading in page.text
    assert page.headers["content-language"] == language
    assert "Accept-Language" in page.headers["vary"]
    assert "?lang=" in page.text


def test_the_page_shows_definition_relations_and_an_example_of_each_term(client, here, iris):
    page = client.get(f"{here(iris.ontology)}?lang=en", "text/html").text
    assert 'id="decision"' in page
    assert "The decision: same (one publication)" in page
    assert "prov:wasInfluencedBy" in page
    assert "<code>bibld:decision</code>" in page
    assert page.count('class="example"') >= 5
    russian = client.get(f"{here(iris.ontology)}?lang=ru", "text/html").text
    assert "Что решено: same (одно издание)" in russian
    assert "The decision: same" not in russian


def test_the_page_of_the_shapes_shows_conditions_in_words(client, here, iris):
    page = client.get(f"{path_of(here, iris, 'shapes')}?lang=ru", "text/html").text
    assert "ISBN-13: тринадцать цифр без дефисов." in page
    assert "где позволяют записи" in page


def test_the_language_of_a_page_is_negotiated(client, here, iris):
    page = client.get(here(iris.ontology), "text/html", accept_language="ru-RU,ru;q=0.9,en;q=0.5")
    assert '<html lang="ru">' in page.text
    assert '<html lang="en">' in client.get(here(iris.ontology), "text/html").text


def test_every_term_in_the_data_leads_to_its_place_in_the_page(client, here, iris):
    page = client.get(f"{here(iris.ontology)}?lang=en", "text/html").text
    store = client.get(here(iris.graph("provenance")), "application/n-triples").text
    terms = {
        quad.predicate.value
        for quad in ox.parse(store, ox.RdfFormat.N_TRIPLES)
        if quad.predicate.value.startswith(f"{iris.ontology}#")
    }
    assert all(f'id="{term.partition("#")[2]}"' in page for term in terms)
