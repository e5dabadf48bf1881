"""Searches that come at a bad time, are too long, too many or meant to harm."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path

import msgspec
import pyoxigraph as ox
import pytest
from lxml import html
from starlette.requests import Request

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.rdf import literal, quad, term
from bibld.search import StoredPublication, _folding, open_search, write_search
from bibld.serve._forms import MEDIA_TYPES
from bibld.serve._http import language_of
from bibld.serve._language import language_named
from bibld.serve._search.forms import to_csv
from bibld.serve._search.views import page_links, years_in_words
from bibld.serve._statements import HYDRA
from bibld.serve.site import Site
from tests.search.test_folding import LINES as FOLDED_LINES
from tests.search.test_searching import BASE as FOLDED_BASE
from tests.serve.client import running

BASE = "https://data.example.org/lod/"
PERSON = "agent/tolstoy"


def line(path: str, predicate: str, value: str) -> str:
    return quad(f"<{BASE}{path}>", term(predicate), value)


@pytest.fixture(scope="module")
def names(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    lines = [line(PERSON, "rdfs:label", literal("Толстой, Лев")), line(PERSON, "rdf:type", term("foaf:Person"))]
    for number in range(3):
        path = f"resource/rsl/{number}"
        lines.append(line(path, "rdfs:label", literal(f"Война и мир {number}")))
        lines.append(line(path, "dcterms:creator", f"<{BASE}{PERSON}>"))
        lines.append(line(path, "prov:wasDerivedFrom", f"<{BASE}record/rsl/{number}>"))
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(lines)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    return folder


@pytest.fixture(scope="module")
def client(site: Site, names: Path):
    with running(msgspec.structs.replace(site, search=lambda **options: open_search(names, **options))) as opened:
        yield opened


def test_suggestions_need_two_letters_and_keep_two_hundred(client):
    assert client.get("/lod/suggest?q=т").json()["groups"] == []
    assert client.get("/lod/suggest?q=то").json()["groups"]
    assert len(client.get(f"/lod/suggest?q={'x' * 5000}").json()["query"]) == 200


def test_the_header_link_does_not_grow_with_the_query(client):
    for path, accept in (("/lod/search", "text/html"), ("/lod/search.csv", "text/csv")):
        assert "rel=" in client.get(f"{path}?q=мир", accept).headers["link"]
        assert "link" not in client.get(f"{path}?q={'мир+' * 40}", accept).headers


def test_a_long_text_like_an_iri_is_searched_for(client):
    assert client.get(f"/lod/search?q=agent{'/~' * 9000}", "text/html").status_code == 200


def test_many_searches_at_once_are_refused_but_no_single_one(client):
    async def ask() -> list[int]:
        answers = await asyncio.gather(*(client._http.get(f"/lod/search.json?q=мир+{n}") for n in range(200)))
        assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
        return [answer.status_code for answer in answers]

    statuses = client._loop.run_until_complete(ask())
    assert set(statuses) == {200, 503} and statuses.count(200) >= 64
    assert client.get("/lod/search.json?q=мир").json()["total"] == 3


def test_a_column_is_written_once_however_often_it_is_asked_for(client):
    answer = client.get(f"/lod/search.csv?q=мир&columns={'title,' * 1000}year")
    assert answer.text.splitlines()[0] == "title,year"


@pytest.mark.parametrize(
    "title", ["=cmd", "Книга;=cmd", "Книга\t+cmd", "Книга\r@cmd", "\tcmd", 'Книга; ""-cmd', ";;=cmd"]
)
def test_no_cell_begins_with_a_formula_at_any_separator(title):
    hit = StoredPublication("resource/rsl/1", title, "", "", "", "book", (), ())
    written = to_csv([hit], BASE, ("title",)).decode()
    for separator in ",;\t":
        rows = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
        assert not [cell for row in rows for cell in row if cell.strip().strip('"').startswith(("=", "+", "-", "@"))]


def test_other_titles_stay_as_they_are():
    title = "А - Я; Б = В; C++"
    assert (
        to_csv([StoredPublication("a", title, "", "", "", "", (), ())], BASE, ("title",)).decode()
        == f"title\r\n{title}\r\n"
    )


def test_a_host_that_is_none_and_bytes_that_are_no_text_are_no_error(client):
    sent = {"type": "http", "path": "/", "headers": [(b"host", b"[1]")], "query_string": b"q=\xff&lang=ru"}
    assert language_of(Request(sent)) == "ru"
    for path in ("/lod/search?q=мир", "/lod/suggest?q=мир", "/lod/reconcile", "/lod/", "/lod/nothing"):
        assert client.get(path, "text/html", host="[1]").status_code in (200, 404)


RDF = {
    "ttl": ox.RdfFormat.TURTLE,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdf": ox.RdfFormat.RDF_XML,
    "nt": ox.RdfFormat.N_TRIPLES,
}


@pytest.mark.parametrize("form", RDF)
def test_results_are_the_same_in_each_form_of_rdf(client, form):
    answer = client.get(f"/lod/search.{form}?q=мир&sort=year")
    assert answer.headers["content-type"].split(";")[0] == MEDIA_TYPES[form]
    assert f'filename="search-1.{form}"' in answer.headers["content-disposition"]
    negotiated = client.get("/lod/search?q=мир&sort=year", MEDIA_TYPES[form])
    assert negotiated.text == answer.text
    triples = {quad.triple for quad in ox.parse(answer.text, format=RDF[form])}
    search = ox.NamedNode(f"{BASE}search?q=%D0%BC%D0%B8%D1%80&sort=year")
    books = {ox.NamedNode(f"{BASE}resource/rsl/{number}") for number in range(3)}
    members = {each.object for each in triples if each.predicate.value == f"{HYDRA}member"}
    assert members == books
    assert {each.subject for each in triples} == {search, *books, ox.NamedNode(BASE + PERSON)}
    (total,) = (each.object.value for each in triples if each.predicate.value == f"{HYDRA}totalItems")
    assert total == "3"


@pytest.mark.parametrize(("language", "fields"), [("en", ("isbn:", "author:")), ("ru", ("номер:", "автор:"))])
def test_the_help_names_the_fields_in_the_language_of_the_page(client, language, fields):
    text = client.get(f"/lod/search?q=мир&lang={language}", "text/html").text
    assert all(f"<code>{field}" in text for field in fields)
    assert "issn:" not in text
    assert all(form in text for form in ("search.jsonld?", "search.rdf?", "search.nt?"))


# -- works


@pytest.fixture(scope="module")
def shelf(site: Site, tmp_path_factory):
    """A site whose catalogue has eight printings of a novel, a volume and two translations of it, and an opera."""
    folder = tmp_path_factory.mktemp("shelf")
    lines = "".join(sorted(set(FOLDED_LINES))).replace(FOLDED_BASE, BASE)
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), [lines.encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    opened = msgspec.structs.replace(
        site,
        search=lambda **options: open_search(folder, **options),
        published=lambda: open_published(folder, 1),
    )
    with running(opened) as client:
        yield client


def results_of_page(client, address: str) -> list[html.HtmlElement]:
    return html.fromstring(client.get(f"/lod/{address}", "text/html").text).xpath("//ol[@class='hits']/li")


def words_of(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


@pytest.mark.parametrize(
    ("language", "total", "headings", "summary"),
    [
        ("en", "3 works, 14 publications", "Editions; Volumes and parts; Translation: English; Translation: French",
         "12 publications"),
        ("ru", "3 произведения, 14 публикаций", "Издания; Тома и части; Перевод: английский; Перевод: французский",
         "12 публикаций"),
    ],
)  # fmt: skip
def test_a_reader_sees_one_work_with_its_editions_volumes_and_translations_below(
    shelf, language, total, headings, summary
):
    address = f"search?q=война+и+мир&lang={language}"
    page = html.fromstring(shelf.get(f"/lod/{address}", "text/html").text)
    assert words_of(page.find_class("results-total")[0]) == total
    novel, opera, article = results_of_page(shelf, address)
    assert novel.xpath("string(h2)") == "Война и мир"
    assert novel.xpath("h2/a/@href")[0].endswith("work/rsl/war")
    assert "1933–2030" in words_of(novel)
    assert "; ".join(words_of(each) for each in novel.xpath("details/h3")) == headings
    assert novel.xpath("string(details/summary)") == summary
    lines = [words_of(each) for each in novel.xpath("details/ul/li")]
    assert [line for line in lines if line.startswith("1933 War and peace ")]
    assert [line for line in lines if line.startswith("1979 Война и мир. Т. 2 ")]
    assert not opera.xpath("details")
    assert opera.xpath("h2/a/@href")[0].endswith("/resource/rsl/13")
    assert article.xpath("h2/a/@href")[0].endswith("/resource/rsl/15")


def test_a_single_work_is_open_and_all_its_publications_are_one_click_away(shelf, monkeypatch):
    monkeypatch.setattr(_folding, "_MAX_SHOWN", 3)
    address = "search?q=мир&author=agent/tolstoy&not_language=eng"
    (novel,) = results_of_page(shelf, address)
    assert novel.xpath("details/@open")
    (every,) = novel.xpath("details/p/a")
    assert words_of(every) == "All publications: 9"
    listed = results_of_page(shelf, every.get("href").removeprefix("/lod/"))
    page = html.fromstring(shelf.get(every.get("href"), "text/html").text)
    assert "Work: Война и мир" in words_of(page.find_class("chosen")[0])
    assert len(listed) == 9 and not [each for each in listed if each.xpath("details")]


def test_the_libraries_of_results_and_of_a_shelf_lead_into_their_catalogues(site, names):
    rsl, nlr = site.manifest.figures.sources
    rsl = msgspec.structs.replace(rsl, catalogue_url="https://opac.example.org/{id}")
    figures = msgspec.structs.replace(site.manifest.figures, sources=(rsl, nlr))
    manifest = msgspec.structs.replace(site.manifest, figures=figures)
    opened = msgspec.structs.replace(site, manifest=manifest, search=lambda **options: open_search(names, **options))
    with running(opened) as client:
        (first, *_) = results_of_page(client, "search?q=война+и+мир")
        assert first.xpath(".//a[contains(@href, 'opac')]/@href") == ["https://opac.example.org/0"]
        assert first.xpath("string(.//a[contains(@href, 'opac')])") == "Russian State Library"


def test_each_publication_is_shown_if_the_address_asks_for_it_and_links_remember_that(shelf):
    page = html.fromstring(shelf.get("/lod/search?q=война+и+мир", "text/html").text)
    unfolded = page.find_class("folding")[0].get("href")
    assert unfolded.endswith("fold=0")
    page = html.fromstring(shelf.get(unfolded, "text/html").text)
    assert words_of(page.find_class("results-total")[0]) == "14 publications"
    assert len(page.xpath("//ol[@class='hits']/li")) == 14
    links = [*page.find_class("sorts")[0].xpath(".//@href"), *page.xpath("//aside//li/a/@href")]
    assert links and all("fold=0" in link for link in links)
    assert page.xpath("//form[contains(@class, 'large')]/input[@name='fold']/@value") == ["0"]
    assert "fold" not in page.find_class("folding")[0].get("href")


def test_json_has_works_and_each_publication_its_own(shelf):
    found = shelf.get("/lod/search.json?q=война+и+мир").json()
    assert (found["works"], found["total"], found["about"], len(found["results"])) == (3, 14, False, 3)
    novel = found["results"][0]
    assert novel["top_work"] == novel["group"]["iri"] == f"{BASE}work/rsl/war"
    translated = [each for each in novel["group"]["publications"] if each["relation"] == "translation"]
    assert {each["work"].rpartition("/")[2] for each in translated} == {"english", "english-second", "french"}
    listed = shelf.get("/lod/search.json?q=война+и+мир&fold=0").json()
    assert (listed["works"], listed["total"], len(listed["results"])) == (None, 14, 14)
    assert {each["group"] for each in listed["results"]} == {None}


def test_files_of_results_have_each_publication(shelf):
    rows = list(csv.DictReader(io.StringIO(shelf.get("/lod/search.csv?q=война+и+мир").text)))
    assert len(rows) == 14
    assert {row["top_work"] for row in rows if row["title"].startswith("War")} == {f"{BASE}work/rsl/war"}
    text = shelf.get("/lod/search.nt?q=война+и+мир").text
    assert text.count("bibframe/instanceOf>") == 14


def test_a_work_is_named_above_the_results_only_if_it_has_no_publication(shelf):
    for query, named in (("война и мир", []), ("повесть", ["Work Утраченная повесть"]), ("прокофьев", ["Person"])):
        page = html.fromstring(shelf.get(f"/lod/search?q={query}", "text/html").text)
        things = [words_of(each) for each in page.xpath("//ul[@class='things']/li")]
        assert [thing for thing, name in zip(things, named, strict=True) if thing.startswith(name)] == things


def test_suggestions_name_the_work_and_not_its_editions(shelf):
    groups = {each["kind"]: each["items"] for each in shelf.get("/lod/suggest?q=война+и+мир").json()["groups"]}
    (novel,) = groups["work"]
    assert (novel["label"], novel["dates"], novel["count"]) == ("Война и мир", "1933–2030", 12)
    assert novel["iri"] == f"{BASE}work/rsl/war"
    assert [each["iri"].rpartition("/")[2] for each in groups["publication"]] == ["13", "15"]


@pytest.mark.parametrize(
    ("query", "properties", "best", "is_match"),
    [
        ("Война и мир", {"author": "Толстой, Лев Николаевич"}, "work/rsl/war", True),
        ("Война и мир", {"author": "Прокофьев, Сергей Сергеевич"}, "work/rsl/opera", True),
        ("Война и мир", {"year": "1958", "author": "Прокофьев, С. С."}, "work/rsl/opera", True),
        ("Война и мир", {}, "work/rsl/opera", False),  # two works have this title
        ("War and peace", {"work": "Война и мир"}, "work/rsl/english", True),
    ],
)
def test_works_are_reconciled_by_title_author_and_years(shelf, query, properties, best, is_match):
    asked = {"query": query, "type": "work", "properties": [{"pid": pid, "v": v} for pid, v in properties.items()]}
    answer = shelf.request("POST", "/lod/reconcile", data={"queries": msgspec.json.encode({"q": asked}).decode()})
    first, *_ = answer.json()["q"]["result"]
    assert (first["id"], first["match"], first["type"][0]["id"]) == (best, is_match, "work")


def test_a_candidate_is_described_by_author_and_years(shelf):
    extend = {"ids": ["work/rsl/war", "resource/rsl/10"], "properties": [{"id": name} for name in ("year", "work")]}
    answer = shelf.request("POST", "/lod/reconcile", data={"extend": msgspec.json.encode(extend).decode()})
    rows = answer.json()["rows"]
    assert [each["str"] for each in rows["work/rsl/war"]["year"]] == ["1933", "2030"]
    assert [each["id"] for each in rows["resource/rsl/10"]["work"]] == ["work/rsl/english", "work/rsl/war"]
    found = shelf.get("/lod/reconcile/suggest/entity?prefix=война+и+мир").json()["result"]
    described = {each["id"]: each["description"] for each in found}
    assert described["work/rsl/war"] == "Work, Толстой, Лев Николаевич, 1933–2030"


# -- numbers that are not there, lists, marked publications


@pytest.mark.parametrize(
    ("language", "notice"),
    [
        ("en", "No publication here has the ISBN 978-5-02-011111-1. Search for it as words"),
        ("ru", "Здесь нет издания с ISBN 978-5-02-011111-1. Искать его как слова"),
    ],
)
def test_an_isbn_that_is_not_there_is_answered_so_with_a_proposal(shelf, language, notice):
    page = html.fromstring(shelf.get(f"/lod/search?q=978-5-02-011111-1&lang={language}", "text/html").text)
    assert words_of(page.find_class("notice")[0]) == notice
    assert page.find_class("notice")[0].xpath(".//a/@href")[0].endswith("literal=1")
    assert len(page.find_class("notice")) == 2  # and its check digit is wrong
    assert not page.find_class("hits")
    assert shelf.get("/lod/search.json?q=978-5-02-011111-1").json()["missing_number"] == "isbn"


def test_pages_of_results_have_numbers_and_a_menu_of_orders(shelf):
    page = html.fromstring(shelf.get("/lod/search?fold=0&per_page=2&page=4&lang=en", "text/html").text)
    last = -(-int(words_of(page.find_class("results-total")[0]).split()[0]) // 2)
    (pager,) = page.find_class("pager")
    assert [words_of(each) for each in pager.xpath("ul/li")] == ["Previous", "1", *"23456", "…", str(last), "Next"]
    assert pager.xpath(".//*[@aria-current]/text()") == ["4"]
    assert words_of(page.xpath("//details[@class='sort-menu']/summary")[0]) == "Order: by relevance"
    assert not html.fromstring(shelf.get("/lod/search?q=опера", "text/html").text).find_class("pager")


def test_what_is_left_out_is_explained_in_words_and_can_be_removed(shelf):
    for language, words in (("en", "without: French"), ("ru", "без: французский")):
        page = html.fromstring(shelf.get(f"/lod/search?not_language=fre&lang={language}", "text/html").text)
        (chosen,) = page.xpath("//ul[@class='chosen']/li/a")
        assert words_of(chosen).startswith(words)
        assert "not_language" not in chosen.get("href")


@pytest.mark.parametrize(("page", "last", "shown"), [
    (1, 1, []), (1, 3, [1, 2, 3]), (5, 9, [1, 0, 3, 4, 5, 6, 7, 0, 9]), (9, 9, [1, 0, 7, 8, 9]), (2, 2, [1, 2]),
])  # fmt: skip
def test_links_to_pages_are_the_first_those_around_and_the_last(page, last, shown):
    links = page_links(page, last, str)
    assert [number for number, _ in links] == shown
    assert all(href == str(number) for number, href in links if number not in (0, page))


def test_names_are_listed_from_a_to_z(client):
    page = html.fromstring(client.get("/lod/browse/people?lang=ru", "text/html").text)
    assert [words_of(each) for each in page.xpath("//nav[@class='letters']//li")] == ["Т"]
    assert [words_of(each) for each in page.xpath("//ul[@class='names']/li")] == ["Толстой, Лев 3"]
    assert client.get("/lod/browse/nothing", "text/html").status_code == 404
    for address in ("browse/udc", "browse/bbk?at=zzz", "browse/people?at=щщщ&page=99999999", "browse/series"):
        assert client.get(f"/lod/{address}", "text/html").status_code == 200


def test_marked_publications_are_a_list_in_each_style_of_citation(client):
    there, absent = "rsl/RU~5CNLR~5Cbibl~5C204591", "rsl/absent"
    for style in ("gost", "apa", "chicago", "nonsense"):
        page = html.fromstring(client.get(f"/lod/list?id={there}&id={absent}&style={style}", "text/html").text)
        lines = page.xpath("//ol[@class='references']/li")
        assert len(lines) == 2 and sum("is not here any more" in words_of(each) for each in lines) == 1
        removing = page.xpath("//a[@data-unmark=$id]/@href", id=absent)
        assert removing[0].count("id=") == 1 and there in removing[0]
    forms = page.xpath("//section[@class='take']//a/@href")
    assert {form.partition("?")[0].rpartition(".")[2] for form in forms} >= {"bib", "ris", "csv", "jsonld"}
    assert all(there in form and absent not in form for form in forms)
    assert not html.fromstring(client.get("/lod/list", "text/html").text).find_class("references")
    many = "&".join(f"id=rsl/{number}" for number in range(300))
    assert len(html.fromstring(client.get(f"/lod/list?{many}", "text/html").text).xpath("//ol/li")) == 200


@pytest.mark.parametrize(
    ("years", "in_english", "in_russian"),
    [
        ("1940-1949", "1940–1949", "1940–1949"),
        ("-1939", "before 1940", "до 1940"),
        ("2010-", "from 2010 on", "с 2010"),
        ("1970", "1970", "1970"),
        ("-", "-", "-"),
        ("-abc", "-abc", "-abc"),
    ],
)
def test_a_filter_of_years_is_in_words(years, in_english, in_russian):
    assert years_in_words(years, language_named("en")) == in_english
    assert years_in_words(years, language_named("ru")) == in_russian
