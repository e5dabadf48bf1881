"""The search of the sample over HTTP: pages in two languages, JSON, CSV, RDF, references, suggestions."""

import csv
import io
import json

import httpx
import pytest
import rdflib
from lxml import html


@pytest.fixture(scope="module")
def http(server):
    with httpx.Client(base_url=server, timeout=600) as client:
        yield client


def found(http, **parameters):
    answer = http.get("search", params=parameters, headers={"Accept": "application/json"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def page(http, **parameters):
    answer = http.get("search", params=parameters, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    return html.fromstring(answer.content)


def test_json_has_results_facets_and_the_next_page(http):
    first = found(http, q="толстой", per_page=1)
    assert {
        "query", "understood", "total", "page", "per_page", "results", "facets", "did_you_mean", "sparql", "next"
    } <= first.keys()  # fmt: skip
    assert (first["total"], first["page"], first["per_page"], len(first["results"])) == (6, 1, 1, 1)
    result = first["results"][0]
    assert result["agents"][0]["iri"].startswith("http://localhost:8000/agent/")
    assert all(":" in record for record in result["records"])
    assert set(result["libraries"]) == {record.partition(":")[0] for record in result["records"]}
    library = first["facets"]["library"][0]
    assert http.get(library["url"], headers={"Accept": "application/json"}).json()["total"] == library["count"]
    second = http.get(first["next"], headers={"Accept": "application/json"}).json()
    assert not {each["iri"] for each in second["results"]} & {each["iri"] for each in first["results"]}
    assert http.get("search.json", params={"q": "толстой", "per_page": 1}).json() == first


def test_a_page_shows_results_facets_and_links_that_keep_the_state(http):
    tree = page(http, q="tolstoi", lang="en")
    assert tree.get("lang") == "en"
    titles = tree.xpath("//ol[@class='hits']//h2/a")
    counted = tree.xpath("string(//p[@class='results-total'])")
    assert counted == f"{len(titles)} works, 6 publications"
    each = page(http, q="tolstoi", lang="en", fold="0")
    assert len(each.xpath("//ol[@class='hits']//h2/a")) == 6
    assert http.get(titles[0].get("href"), follow_redirects=True).status_code == 200
    facet = tree.xpath("//aside//details[.//h2='Library']//a")[0]
    narrowed = html.fromstring(http.get(facet.get("href"), headers={"Accept": "text/html"}).content)
    assert narrowed.xpath("//input[@id='q']/@value") == ["tolstoi"]
    remove = narrowed.xpath("//ul[@class='chosen']//a/@href")[0]
    assert "library" not in remove and "tolstoi" in remove
    assert len(tree.xpath("//link[@rel='alternate'][@hreflang]")) == 2
    russian = page(http, q="tolstoi", lang="ru")
    assert russian.get("lang") == "ru" and russian.xpath("//details[.//h2='Библиотека']")
    assert tree.xpath("//svg | //*[local-name()='svg'][contains(@class, 'picture')]")


def test_a_value_can_be_excluded_and_that_is_taken_back(http):
    tree = page(http, lang="en")
    facet = tree.xpath("//aside//details[.//h2='Library']//li")[0]
    excluded = html.fromstring(http.get(facet.xpath("a[@class='exclude']/@href")[0]).content)
    assert excluded.xpath("//ul[@class='chosen']/li[@class='is-excluded']//span[@class='remark']/text()") == [
        "without:"
    ]
    total = int(excluded.xpath("//p[@class='results-total']")[0].text_content().split()[-2])
    assert total == 202 - int(facet.xpath(".//span[@class='count']")[0].text_content())
    back = excluded.xpath("//ul[@class='chosen']//a/@href")[0]
    assert "library" not in back
    wanted = excluded.xpath("//aside//details[.//h2='Library']//li[@class='is-excluded']/a/@href")
    assert wanted == [back]


def test_the_type_of_each_result_is_that_of_its_page(http):
    hits = [hit for number in (1, 2, 3) for hit in found(http, per_page=100, page=number, fold=0)["results"]]
    assert len({hit["type"] for hit in hits}) > 4
    for hit in hits[::3]:
        path = hit["iri"].removeprefix("http://localhost:8000/")
        answer = http.get(f"doc/{path}.html?lang=en", headers={"Accept": "text/html"})
        kind = html.fromstring(answer.content).find_class("kind")[0].text_content().partition(" ·")[0].strip()
        assert kind == NAMES.get(hit["type"], hit["type"].capitalize())


NAMES = {
    "multivolume": "Multivolume work",
    "music": "Sheet music",
    "audio": "Sound recording",
    "other": "Publication of another kind",
}


def test_the_first_page_leads_to_the_publications_of_all_years(http):
    tree = html.fromstring(http.get("?lang=en", headers={"Accept": "text/html"}).content)
    decades = tree.xpath("//li[a[contains(@href, 'search?year=')]]")
    counts = [int(each.find_class("number")[0].text_content()) for each in decades]
    assert sum(counts) == sum(value["count"] for value in found(http)["facets"]["year"])
    for each, count in zip(decades, counts, strict=True):
        assert http.get(each.xpath("a/@href")[0], headers={"Accept": "application/json"}).json()["total"] == count


def test_a_chosen_author_leads_to_the_page_about_the_person(http):
    tree = page(http, author="agent/lcnaf-n79068416", lang="en")
    assert tree.xpath("//ul[@class='chosen']//a[@class='to-page']/@href") == ["/agent/lcnaf-n79068416"]


def test_a_page_does_not_repeat_a_long_query_in_hundreds_of_links(http):
    answer = http.get("search", params={"q": "war and peace " * 1400}, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert len(answer.content) < 150_000


def test_a_correction_is_stated_with_a_link_that_searches_literally(http):
    tree = page(http, q="ljcnjtdcrbq", lang="en")
    notice = tree.xpath("//p[@class='notice']")[0]
    assert notice.text_content().startswith("No results for “ljcnjtdcrbq”. Results for “достоевский”.")
    literal = page(http, **dict(pair.split("=") for pair in notice.xpath("a/@href")[0].partition("?")[2].split("&")))
    assert literal.xpath("//p[@class='results-total']")[0].text_content() == "Nothing was found."
    assert found(http, q="истроия")["did_you_mean"] == "история"


def test_an_empty_query_is_the_start_of_browsing(http):
    first = found(http)
    assert first["total"] == 202 and len(first["results"]) == 20
    assert page(http, q="").xpath("//ol[@class='hits']/li")


@pytest.mark.parametrize("text", ['"', "AND", "title:", "\x00", "x" * 9000, "<script>alert(1)</script>", "год:1970-"])
def test_no_query_is_an_error(http, text):
    answer = http.get("search", params={"q": text}, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert b"<script>alert" not in answer.content
    for form in ("json", "csv", "ttl", "bib"):
        assert http.get(f"search.{form}", params={"q": text}).status_code == 200
    for parameters in (
        "page=0",
        "page=99999999999",
        "page=x",
        "per_page=1000000",
        "sort=no",
        "year=no",
        "library=%FF",
        "&&=&",
    ):
        assert http.get(f"search?q=a&{parameters}").status_code == 200


def test_csv_has_all_results_and_chosen_columns(http):
    answer = http.get("search.csv", params={"q": "толстой"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 6 and all("Толстой" in row["agents"] for row in rows)
    chosen = http.get("search.csv", params={"q": "толстой", "columns": "iri,title"}).text
    assert chosen.splitlines()[0] == "iri,title"


def test_rdf_and_references_have_the_same_publications(http):
    turtle = http.get("search", params={"q": "чевенгур"}, headers={"Accept": "text/turtle"})
    assert turtle.headers["content-type"] == "text/turtle; charset=utf-8"
    graph = rdflib.Graph().parse(data=turtle.text, format="turtle")
    members = set(graph.objects(predicate=rdflib.URIRef("http://www.w3.org/ns/hydra/core#member")))
    assert {str(member) for member in members} == {each["iri"] for each in found(http, q="чевенгур")["results"]}
    assert "@book{" in http.get("search.bib", params={"q": "чевенгур"}).text
    assert http.get("search.ris", params={"q": "чевенгур"}).text.startswith("TY  - BOOK")
    assert json.loads(http.get("search.csl.json", params={"q": "чевенгур"}).text)[0]["type"] == "book"


@pytest.mark.parametrize(
    "parameters",
    [
        {"q": "толстой"},
        {"library": "slavica"},
        {"library": ["slavica", "nlr"], "year": "1970-1990"},
        {"language": "eng"},
        {"type": "book", "year": "-1900"},
        {"merged": "true"},
        {"publisher": "publisher/khudozh-lit-9f7e2db0e8"},
        {"author": "agent/lcnaf-n79068416"},
        {"subject": "concept/lcsh/soviet-union-history-1917-1936-fiction-f27fe56fff"},
        {"place": "place/geonames-498817"},
        {"work": "work/nlr/RU~5CNLR~5Cbibl~5C118576"},
        {"not_library": "slavica"},
        {"library": "nlr", "not_library": ["rsl", "slavica"]},
        {"not_type": "book"},
        {"not_language": ["eng", "fre"], "not_type": "multivolume"},
        {"not_author": "agent/lcnaf-n79068416", "language": "eng"},
    ],
)
def test_the_sparql_query_of_a_search_finds_the_same_publications(http, parameters):
    searched = found(http, per_page=100, fold=0, **parameters)
    assert searched["total"] and len(searched["results"]) == min(100, searched["total"])
    answer = http.get(
        "sparql", params={"query": searched["sparql"]}, headers={"Accept": "application/sparql-results+json"}
    )
    assert answer.status_code == 200, searched["sparql"]
    rows = {row["publication"]["value"] for row in answer.json()["results"]["bindings"]}
    assert len(rows) == searched["total"]
    assert {each["iri"] for each in searched["results"]} <= rows


def test_works_are_found_with_all_their_publications(http):
    folded = found(http, q="война и мир")
    listed = found(http, q="война и мир", fold=0)
    assert folded["total"] == listed["total"] == len(listed["results"])
    assert folded["works"] == len(folded["results"]) == len({each["top_work"] for each in listed["results"]})
    assert {each["iri"] for each in listed["results"]} <= {
        each["iri"]
        for result in folded["results"]
        for each in (result, *(result["group"]["publications"] if result["group"] else ()))
    }
    assert folded["sparql"] == listed["sparql"]


def test_a_pasted_iri_leads_to_its_page(http):
    iri = found(http, q="чевенгур")["results"][0]["iri"]
    answer = http.get("search", params={"q": iri}, headers={"Accept": "text/html"})
    assert answer.status_code == 303
    assert iri.endswith(answer.headers["location"].lstrip("/"))


def test_years_of_the_form_become_one_parameter(http):
    answer = http.get("search", params={"q": "", "from": "1970", "to": "1980"}, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?year=1970-1980")


def test_suggestions_are_grouped_by_kind_with_dates_and_counts(http):
    answer = http.get("suggest", params={"q": "толст", "lang": "ru"}).json()
    person = answer["groups"][0]
    assert (person["kind"], person["label"]) == ("person", "Персоны")
    assert person["items"][0]["dates"] == "1828–1910" and person["items"][0]["count"] == 6
    assert http.get(person["items"][0]["url"], follow_redirects=True).status_code == 200
    assert http.get("suggest", params={"q": ""}).json()["groups"] == []


def test_links_name_the_other_forms(http):
    links = http.get("search", params={"q": "мир"}, headers={"Accept": "text/html"}).headers["link"]
    for media_type in ("application/json", "text/csv", "text/turtle", "application/x-research-info-systems"):
        assert f'rel="alternate"; type="{media_type}"' in links
