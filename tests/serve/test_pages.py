"""Pages for people: whole, safe, without foreign requests, and usable without a mouse or JavaScript."""

from __future__ import annotations

import itertools
import json
import re
from html.parser import HTMLParser

import msgspec
import pytest

from bibld.model import mods as m
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Merged, Pair, Score, ValueSource, Verdict
from bibld.model.origin import RecordId
from bibld.protocols import SourceRecord
from bibld.serve import Settings
from bibld.serve._addresses import Addresses
from bibld.serve._graph import Label, ReleaseGraph
from bibld.serve._language import language_named
from bibld.serve._pages import Pages, facts, fields, structured, summaries, views
from bibld.serve._pages.overview import example_queries, licence_name
from bibld.serve._things import OpenRelease, Thing
from bibld.serve.ontology import load_vocabulary
from tests.serve.client import running
from tests.serve.conftest import make_site

BASE = "https://data.example.org/lod/"
FOUNDER = RecordId("rsl", "RU\\NLR\\bibl\\204591")

RESOURCE = "/lod/doc/resource/rsl/RU~5CNLR~5Cbibl~5C204591.html"
HOSTILE = "/lod/doc/resource/rsl/01003120729.html"
RECORD = "/lod/record/nlr/0042~2017.html"
MATCH = Iris("/lod/").match(Pair(RecordId("nlr", "0042 17"), RecordId("rsl", "RU\\NLR\\bibl\\204591"))) + ".html"
PUBLISHER = "/lod/doc/publisher/~D0~BD~D0~B0~D1~83~D0~BA~D0~B0.html"
AUTHOR = Iris("/lod/doc/").agent("толстой, лев николаевич|1828-1910|personal") + ".html"
WORK = Iris("/lod/doc/").work_of(FOUNDER) + ".html"
TRANSLATION = "/lod/doc/work/english.html"
PAGES = (
    "/lod/",
    "/lod/about",
    RESOURCE,
    HOSTILE,
    RECORD,
    MATCH,
    PUBLISHER,
    AUTHOR,
    WORK,
    TRANSLATION,
    "/lod/dataset.html",
    "/lod/ontology.html",
    "/lod/sparql?query=ASK%7B%7D&format=html",
    "/lod/nothing",
)
VOID = {"meta", "link", "br", "input", "path", "hr", "img"}


class Page(HTMLParser):
    """Checks nesting and gathers what tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.within: list[tuple[str, dict[str, str | None]]] = []
        self.turned: list[list[tuple[str, dict[str, str | None]]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.within.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        self.within.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            if "\u202e" in data:
                self.turned.append([*self.within])
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def page(client, path: str) -> Page:
    answer = client.get(path, "text/html")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Page(answer.text)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_well_formed_and_have_their_landmarks(client, path):
    seen = page(client, path)
    assert seen.open == []
    names = [name for name, _ in seen.tags]
    for landmark in ("header", "nav", "main", "footer", "h1", "title"):
        assert landmark in names
    assert names.count("h1") == names.count("main") == 1
    assert seen.of("html")[0]["lang"] == "en"
    headings = [int(name[1]) for name in names if re.fullmatch(r"h[1-6]", name)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))
    ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {attributes["for"] for attributes in seen.of("label") if "for" in attributes}
    assert all(attributes["id"] in labelled for attributes in seen.of("textarea"))


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_no_runs_of_blank_lines(client, path):
    assert not re.search(r"\n\s*\n\s*\n", client.get(path, "text/html").text)


@pytest.mark.parametrize("path", PAGES)
def test_pages_load_nothing_from_elsewhere_and_run_nothing(client, path):
    seen = page(client, path)
    for attributes in seen.of("script"):
        assert attributes.get("type") == "application/ld+json" or attributes["src"].startswith(
            ("/lod/static/site-", "/lod/static/query-")
        )
    loaded = [each["href"] for each in seen.of("link") if each["rel"] in ("stylesheet", "icon")]
    loaded += [each.get("src") for name in ("img", "script", "iframe") for each in seen.of(name) if each.get("src")]
    assert loaded
    assert all(address.startswith("/lod/") for address in loaded)
    assert not any(name.startswith("on") or name == "style" for _, attributes in seen.tags for name in attributes)


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere_and_foreign_ones_are_marked(client, path):
    for attributes in page(client, path).of("a"):
        href = attributes["href"]
        if href.startswith(("http://", "https://")):
            assert {"nofollow", "noopener"} <= set(attributes["rel"].split())
        elif not href.startswith("#"):
            if href.startswith("?"):  # this page in the other language
                continue
            assert href.startswith("/")
            assert client.get(href.partition("#")[0]).status_code in (200, 303), href


def test_only_web_addresses_become_links(client):
    seen = page(client, HOSTILE)
    hrefs = [attributes["href"] for attributes in seen.of("a")]
    assert "https://example.org/read" in hrefs
    assert not any("javascript" in href for href in hrefs)
    assert "javascript:alert(1)" in seen.text


def test_hostile_titles_stay_text(client):
    answer = client.get(HOSTILE, "text/html")
    assert "<script>alert" not in answer.text
    seen = Page(answer.text)
    assert "Война </script><script>alert(1)</script> & мир" in seen.text
    (structured,) = seen.scripts
    assert json.loads(structured)["name"].startswith("Война </script>")


@pytest.mark.parametrize(
    "path",
    [
        "/lod/",
        HOSTILE,
        WORK,
        "/lod/record/rsl/01003120729.html",
        "/lod/sparql?format=html&query=SELECT%20%2A%20%7B%20%3Fs%20%3Chttp%3A%2F%2Fpurl.org%2Fdc%2Fterms%2Ftitle%3E%20%3Fo%7D",
    ],
)
def test_a_character_that_turns_the_direction_of_writing_turns_nothing_but_its_own_value(client, path):
    turned = page(client, path).turned
    assert turned
    assert all(any(name == "bdi" or "dir" in attributes for name, attributes in within) for within in turned)


def test_the_publication_page_shows_which_record_states_each_value(client):
    seen = page(client, RESOURCE)
    assert "merged from 2 records" in seen.text
    marks = [attributes["class"] for attributes in seen.of("a") if attributes.get("href") == "#sources"]
    assert marks.count("who some") == 3  # two publishers and an ISBN are not everybody's
    assert marks.count("who") > 5
    differing = [attributes for attributes in seen.of("td") if attributes.get("class") == "differs"]
    assert len(differing) == 4  # publisher and ISBN in two columns
    assert [each["data-side"] for each in differing[:2]] == ["A", "B"]
    assert "0.964" in seen.text
    hrefs = {attributes["href"] for attributes in seen.of("a")}
    assert MATCH.removesuffix(".html") in hrefs
    assert RECORD.removesuffix(".html") in hrefs
    assert any(href.startswith("/lod/agent/") for href in hrefs)


def test_the_publication_page_offers_citations_and_the_history_of_its_address(client):
    text = page(client, RESOURCE).text
    cited = "Толстой Л. Н. Война и мир : роман в четырёх томах. Т. 1. М. : Художественная литература, 1978. 350 с."
    assert cited in text
    assert "was merged into" in text
    for form, start in (("bib", "@book{"), ("ris", "TY  - BOOK"), ("csl.json", "[")):
        answer = client.get(RESOURCE.removesuffix("html") + form)
        assert answer.status_code == 200
        assert answer.text.startswith(start)
    negotiated = client.get(RESOURCE.removesuffix(".html"), "application/x-bibtex")
    assert negotiated.text.startswith("@book{")


@pytest.mark.parametrize("path", [RESOURCE, RECORD, MATCH, AUTHOR])
def test_all_statements_are_on_a_page_of_their_own(client, path):
    address = (
        path.removesuffix("html").replace("/lod/record/", "/lod/doc/record/").replace("/lod/match/", "/lod/doc/match/")
    )
    assert f"{address}statements.html" in {attributes["href"] for attributes in page(client, path).of("a")}
    seen = page(client, f"{address}statements.html")
    assert {"class": "statements stacked"} in seen.of("table")
    assert {"rel": "canonical", "href": f"{address}html"} in seen.of("link")


def test_the_match_page_begins_with_the_titles_and_ends_with_the_numbers(client):
    text = page(client, MATCH).text
    parts = (
        "Война и мир\u00a0: роман в четырёх томах. Т. 1",
        "the same publication",
        "The same in both: title, author",
        "Only stated by “Russian State Library”: ISBN",
        "Title, author and year agree.",
        "The numbers",
        "From the prior to the score",
        "not stated",
        "title+year",
    )
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "+0.12" in text


def test_structured_data_names_the_book(client):
    structured = json.loads(page(client, RESOURCE).scripts[0])
    assert structured["@id"] == "https://data.example.org/lod/resource/rsl/RU~5CNLR~5Cbibl~5C204591"
    author = "agent/~D1~82~D0~BE~D0~BB~D1~81~D1~82~D0~BE~D0~B9~2C~20~D0~BB~D0~B5~D0~B2~20~D0~BD~D0~B8~D0~BA~D0~BE~D0~BB"
    (identifier,) = (each.pop("@id") for each in structured["author"])
    assert identifier.startswith(f"https://data.example.org/lod/{author}")
    assert structured["author"] == [
        {
            "@type": "Person",
            "name": "Лев Николаевич Толстой",
            "familyName": "Толстой",
            "givenName": "Лев Николаевич",
        }
    ]
    assert structured["isbn"] == ["5280010000"]
    assert structured["datePublished"] == "1978"


def test_pages_lead_into_the_catalogue_of_a_library(site):
    """Only the library that states the addresses of its catalogue has links."""
    rsl, nlr = site.manifest.figures.sources
    rsl = msgspec.structs.replace(
        rsl,
        catalogue_url="https://opac.example.org/{id}?isbn={isbn}",
        address={"en": "Moscow"},
        opening={"en": "9 to 20"},
        contact="info@example.org",
    )
    figures = msgspec.structs.replace(site.manifest.figures, sources=(rsl, nlr))
    manifest = msgspec.structs.replace(site.manifest, figures=figures)
    address = "https://opac.example.org/RU%5CNLR%5Cbibl%5C204591?isbn=5280010000"
    with running(msgspec.structs.replace(site, manifest=manifest)) as changed:
        assert address in [each.get("href") for each in page(changed, RESOURCE).of("a")]
        assert "in the library's catalogue" in changed.get(RESOURCE).text
        assert "в каталоге библиотеки" in changed.get(f"{RESOURCE}?lang=ru").text
        structured = json.loads(page(changed, RESOURCE).scripts[0])
        action = {"@type": "ViewAction", "name": "Russian State Library", "target": address}
        assert structured["potentialAction"] == [action]
        assert not [each for each in page(changed, RECORD).of("a") if "opac" in (each.get("href") or "")]


def test_covers_are_drawn_unless_a_service_is_configured(client, site, monkeypatch):
    assert not page(client, RESOURCE).of("img")
    assert "img-src 'self';" in client.get(RESOURCE, "text/html").headers["content-security-policy"]
    covers = "https://covers.example.org:8443/b/{isbn}-M.jpg?default=false"
    settings = msgspec.structs.replace(site.settings, covers=covers)
    with running(msgspec.structs.replace(site, settings=settings)) as changed:
        assert not page(changed, RESOURCE).of("img")  # its ISBN has a wrong check digit
    monkeypatch.setattr(structured, "thirteen_digits", lambda _: "9785280010000")
    with running(msgspec.structs.replace(site, settings=settings)) as changed:
        for _ in range(2):  # made, then from the cache
            answer = changed.get(RESOURCE, "text/html")
            (picture,) = Page(answer.text).of("img")
            assert picture["src"] == "https://covers.example.org:8443/b/9785280010000-M.jpg?default=false"
            assert (picture["alt"], picture["referrerpolicy"]) == ("", "no-referrer")
            policy = answer.headers["content-security-policy"]
            assert "img-src 'self' https://covers.example.org:8443;" in policy
            assert policy.count("default-src 'none'") == 1
        for path in ("/lod/", RECORD):
            assert "covers" not in changed.get(path, "text/html").headers["content-security-policy"]


@pytest.mark.parametrize(
    "address",
    ["https://covers.example.org/x.jpg", "javascript:{isbn}", "https://a.org; script-src *; /{isbn}", "//a.org/{isbn}"],
)
def test_addresses_of_covers_cannot_change_the_policy(address):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"covers": address}, Settings)


def test_a_publication_is_read_under_the_name_of_its_form(site):
    found = site.catalog.record(FOUNDER)

    def record(number: str, *urls: m.Url) -> SourceRecord:
        mods = m.Mods(location=(m.Location(url=urls),))
        return msgspec.structs.replace(found, id=RecordId("rsl", number), mods=mods)

    text, other = m.Url("https://www.dl.example.org/a/book.PDF"), m.Url("http://example.org/read?id=1")
    beside = (
        m.Url("https://example.org/toc.pdf", display_label="Оглавление"),
        m.Url("https://example.org/1.pdf", note="Table of contents"),
        m.Url("https://example.org/front.jpg"),
        m.Url("https://example.org/2.pdf", access="preview"),
    )
    records = [record("1", text, *beside), record("2", text, other, m.Url("javascript:alert(1)"))]
    assert [(each.address, each.form, each.host) for each in facts.full_texts(records)] == [
        (text.value, "PDF", "dl.example.org"),
        (other.value, "", "example.org"),
    ]
    assert [link for link, _ in facts.holdings(records)[0].links] == [each.value for each in beside]


def test_a_resource_of_one_record_shows_no_marks(client):
    seen = page(client, HOSTILE)
    assert not [attributes for attributes in seen.of("span") if attributes.get("class") == "mark"]
    assert not [attributes for attributes in seen.of("td") if attributes.get("class") == "differs"]
    assert "Why these were merged" not in seen.text


def test_the_record_page_shows_the_original_and_its_forms(client):
    seen = page(client, RECORD)
    assert "=200  1\\$aВойна и мир$fЛ. Н. Толстой" in seen.text
    hrefs = {attributes["href"] for attributes in seen.of("a")}
    for form in ("marcxml", "mods.xml", "ttl"):
        path = next(href for href in hrefs if href.endswith(f".{form}"))
        assert client.get(path).status_code == 200


def test_what_points_to_an_entity_is_on_pages_that_lead_to_each_other(client):
    pages = [page(client, f"{PUBLISHER}{query}") for query in ("", "?page=2")]
    pointing = [
        [attributes["href"] for attributes in seen.of("a") if attributes["href"].startswith("/lod/concept/")]
        for seen in pages
    ]
    assert [len(each) for each in pointing] == [100, 50]
    assert len({href for each in pointing for href in each}) == 150
    assert "1–100 of 150" in pages[0].text
    assert "101–150 of 150" in pages[1].text
    links = [{each.get("rel"): each["href"] for each in seen.of("a") if "?page=" in each["href"]} for seen in pages]
    assert links == [{"next": f"{PUBLISHER}?page=2"}, {"prev": f"{PUBLISHER}?page=1"}]


def test_russian_is_marked_as_russian(client):
    seen = page(client, RESOURCE)
    assert seen.of("h1")[0]["lang"] == "ru"


def test_the_first_page_shows_figures_libraries_and_samples(client, site):
    seen = page(client, "/lod/")
    for shown in ("Books of two libraries", "Russian State Library", str(site.manifest.figures.records)):
        assert shown in seen.text
    hrefs = {attributes["href"] for attributes in seen.of("a")}
    assert {"/lod/resource/rsl/RU~5CNLR~5Cbibl~5C204591", "/lod/about#downloads"} <= hrefs
    assert "Книги двух библиотек" in Page(client.get("/lod/?lang=ru", "text/html").text).text


def test_the_page_about_the_dataset_has_its_files_sources_and_citation(client, site):
    seen = page(client, "/lod/about")
    for shown in ("Russian State Library", site.manifest.files[0].sha256, "CC0 1.0", "How to cite"):
        assert shown in seen.text
    assert "/lod/dumps/bibld.nq.gz" in {attributes["href"] for attributes in seen.of("a")}


@pytest.mark.parametrize(
    ("licence", "name"),
    [
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("http://www.creativecommons.org/licenses/by-sa/4.0/deed.ru", "CC BY-SA 4.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "Public Domain Mark 1.0"),
        ("https://opendatacommons.org/licenses/by/1-0/", "ODC-By"),
        ("https://example.org/terms/", "example.org/terms"),
        ("Free for libraries", "Free for libraries"),
    ],
)
def test_a_licence_has_its_usual_name(licence, name):
    assert licence_name(licence) == name


def test_example_queries_are_short_and_find_something():
    titles = ["Анна Каренина : роман", "Война и мир"]
    names = ["Толстой, Лев Николаевич, 1828-1910", "", "Толстой, Лев", "Чехов, Антон", "Гоголь"]
    assert example_queries(titles, names) == ["Анна Каренина", "Толстой", "Чехов"]
    assert example_queries([], []) == []
    assert example_queries(["x" * 200], []) == []


def test_every_example_query_is_valid_here(client):
    hrefs = {attributes["href"] for attributes in page(client, "/lod/sparql").of("a")}
    examples = sorted(href for href in hrefs if "example=" in href)
    assert examples
    for href in examples:
        (text,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", client.get(href, "text/html").text, re.DOTALL)
        query = Page(f"<p>{text}</p>").text
        headers = {"content-type": "application/sparql-query"}
        answer = client.request("POST", "/lod/sparql", content=query, headers=headers)
        assert answer.status_code == 200, (href, answer.text)


@pytest.mark.parametrize(("path", "status"), [("/lod/nothing", 404), ("/lod/resource/nlr/13", 410)])
def test_errors_are_pages_for_people_and_problems_for_programs(client, path, status):
    shown = client.get(path, "text/html")
    assert (shown.status_code, shown.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert f">{status}<" in shown.text
    problem = client.get(path, "application/json")
    assert (problem.status_code, problem.headers["content-type"]) == (status, "application/problem+json")
    assert problem.json()["status"] == status


def test_a_date_repeated_with_each_script_is_one_value():
    date = m.Date(value="1970", encoding="w3cdtf")
    mods = m.Mods(origin_info=(m.OriginInfo(date_issued=(date,)), m.OriginInfo(date_issued=(date,))))
    one, other, third = (RecordId(source, "1") for source in ("nlr", "rsl", "slavica"))
    sources = (
        ValueSource("origin_info/0/date_issued/0", (one, other)),
        ValueSource("origin_info/1/date_issued/0", (third,)),
    )
    english = language_named("en")
    values = fields.values(mods, english)
    (group,) = facts.merged_facts(Merged(Cluster(one, (one, other, third)), mods, sources), values, english, {})
    ((fact,),) = (row.facts for row in group.rows)
    assert (fact.value.text, fact.letters, fact.is_disputed) == ("1970", "A B C", False)
    four = Cluster(one, (one, other, third, RecordId("dnb", "1")))
    (group,) = facts.merged_facts(Merged(four, mods, sources), values, english, {})
    assert group.rows[0].facts[0].is_disputed


def test_a_thing_with_names_in_two_scripts_is_one_value():
    places = tuple(
        m.Place(place_term=(m.PlaceTerm(value=name, type="text"),)) for name in ("Москва", "Moskva", "Казань")
    )
    mods = m.Mods(origin_info=(m.OriginInfo(place=places),))
    one, other = RecordId("nlr", "1"), RecordId("slavica", "1")
    sources = (
        ValueSource("origin_info/0/place/0", (one,)),
        ValueSource("origin_info/0/place/1", (other,)),
        ValueSource("origin_info/0/place/2", (other,)),
    )
    english = language_named("en")
    links = {"москва": "/place/m", "moskva": "/place/m"}
    values = fields.values(mods, english)
    (group,) = facts.merged_facts(Merged(Cluster(one, (one, other)), mods, sources), values, english, links)
    moscow, kazan = group.rows[0].facts
    assert (moscow.value.text, moscow.href, moscow.letters, moscow.is_disputed) == ("Москва", "/place/m", "A B", False)
    assert [(form.text, form.letters) for form in moscow.forms] == [("Moskva", "B")]
    assert (kazan.value.text, kazan.letters, kazan.forms) == ("Казань", "B", ())


@pytest.mark.parametrize(("title", "shown", "other"), [("Мир", "Москва", "Moskva"), ("War", "Moskva", "Москва")])
def test_a_thing_beside_a_cyrillic_title_is_shown_in_cyrillic(title, shown, other):
    places = tuple(m.Place(place_term=(m.PlaceTerm(value=name, type="text"),)) for name in ("Moskva", "Москва"))
    mods = m.Mods(title_info=(m.TitleInfo(title),), origin_info=(m.OriginInfo(place=places),))
    one, two = RecordId("slavica", "1"), RecordId("nlr", "1")
    language = language_named("ru")
    links = {"москва": "/place/m", "moskva": "/place/m"}
    values = fields.values(mods, language)
    groups = facts.merged_facts(Merged(Cluster(one, (one, two)), mods, ()), values, language, links)
    (place,) = groups[1].rows[0].facts
    assert (place.value.text, [form.text for form in place.forms]) == (shown, [other])


def test_a_publication_of_many_records_shows_the_first_and_counts_the_others(site, client):
    def shown(members: int, edges: int) -> str:
        records = [RecordId("rsl", f"{number:02}") for number in range(members)]
        pairs = [Pair.from_records(*two) for two in itertools.combinations(records, 2)][:edges]
        merged = Merged(Cluster(records[0], tuple(records)), m.Mods(title_info=(m.TitleInfo("Том"),)), ())

        class Catalog(type(site.catalog)):
            def __init__(self) -> None:
                self.__dict__.update(site.catalog.__dict__)

            def record(self, record):
                return msgspec.structs.replace(super().record(FOUNDER), id=record)

            def edges_of(self, records):
                return [Edge(pair, Score(0.9), Verdict("same", "model", ()), "") for pair in pairs]

        graph = ReleaseGraph(site.store.open())
        addresses = Addresses(Iris(site.manifest.dataset.base))
        vocabulary = load_vocabulary(addresses.iris)
        release = OpenRelease(site.manifest, Catalog(), graph, addresses, vocabulary, site.original, b"")
        thing = Thing("resource", "resource/rsl/00", f"{site.manifest.dataset.base}resource/rsl/00", merged=merged)
        return Pages(release).document(thing, []).decode()

    full = shown(12, 40)
    assert "more record" not in full
    assert "in the data" not in full
    one_more = shown(13, 41)
    assert "1 more record</summary>" in one_more
    assert "1 more match is in the data" in one_more
    many_more = shown(15, 43)
    assert "3 more records</summary>" in many_more
    assert "3 more matches are in the data" in many_more
    assert many_more.count('<li class="edge same">') == 40
    alone = shown(1, 1)
    assert "Why these were merged" not in alone


def test_structured_data_link_subjects_and_works():
    base = "https://data.example.org/lod/"
    labels = {
        f"{base}agent/a": ["Пушкин, Александр Сергеевич"],
        f"{base}concept/lcsh/b": ["Поэзия--19 в."],
        f"{base}work/c": ["Евгений Онегин"],
    }

    class Names:
        def labels(self, thing):
            return [Label(text, "ru") for text in labels[thing]]

        def titles(self, things):
            return {}

    entities = views.EntityLinks(Names(), Addresses(Iris(base)))
    linked = structured.LinkedIris.from_objects(
        labels, lambda predicate: list(labels) if predicate.endswith("subject") else []
    )
    headings = [
        ["Пушкин, Александр Сергеевич, 1799-1837"],
        ["Pushkin, Aleksandr Sergeevich, 1799-1837", "Evgeniĭ Onegin"],
        ["Поэзия", "19 в."],
        ["Лирика", "20 в."],
    ]
    about = structured.linked_things(linked, entities, headings, base).about
    assert {(each.name, each.iri.removeprefix(base), each.kind) for each in about} == {
        ("Пушкин, Александр Сергеевич", "agent/a", "Thing"),
        ("Поэзия — 19 в.", "concept/lcsh/b", "DefinedTerm"),
        ("Евгений Онегин", "work/c", "CreativeWork"),
        ("Лирика — 20 в.", "", "Thing"),
    }


@pytest.mark.parametrize(
    ("path", "language", "expected"),
    [
        (
            "/lod/",
            "en",
            {"og:type": "website", "og:title": "Books of two libraries", "og:url": "https://data.example.org/lod/"},
        ),
        ("/lod/about", "ru", {"og:title": "О каталоге", "og:locale": "ru_RU"}),
        ("/lod/sparql", "en", {"og:title": "SPARQL", "og:url": "https://data.example.org/lod/sparql"}),
        (AUTHOR, "en", {"og:type": "profile", "og:description": "Person"}),
        (AUTHOR, "ru", {"og:type": "profile", "og:description": "Персона"}),
        (RESOURCE, "en", {"og:type": "book", "book:isbn": "5280010000"}),
    ],
)
def test_pages_describe_themselves_for_links_in_messages(client, path, language, expected):
    seen = page(client, f"{path}?lang={language}")
    found = {each["property"]: each["content"] for each in seen.of("meta") if "property" in each}
    assert {name: found.get(name) for name in expected} == expected
    assert {"og:type", "og:title", "og:url", "og:description", "og:site_name", "og:locale"} <= found.keys()
    (description,) = (each["content"] for each in seen.of("meta") if each.get("name") == "description")
    assert description == found["og:description"]


def test_a_publication_leads_to_its_work_and_the_work_to_its_publications(client):
    seen = page(client, RESOURCE)
    hrefs = [attributes["href"] for attributes in seen.of("a")]
    assert WORK.replace("/doc/", "/").removesuffix(".html") in hrefs
    assert HOSTILE.replace("/doc/", "/").removesuffix(".html") in hrefs
    example = json.loads(seen.scripts[0])["exampleOfWork"]
    assert example == {"@type": "CreativeWork", "@id": Iris(BASE).work_of(FOUNDER), "name": "Война и мир"}
    work = page(client, WORK)
    hrefs = [attributes["href"] for attributes in work.of("a")]
    assert RESOURCE.replace("/doc/", "/").removesuffix(".html") in hrefs
    assert TRANSLATION.replace("/doc/", "/").removesuffix(".html") in hrefs
    assert json.loads(work.scripts[0])["workTranslation"][0]["name"] == "War and peace"


def test_a_work_that_is_only_named_is_marked_so(client):
    text = "It is only named: no publication here is an edition of it."
    assert text in page(client, TRANSLATION).text
    assert text not in page(client, WORK).text


def test_a_person_has_a_work_instead_of_its_publications(client):
    hrefs = [attributes["href"] for attributes in page(client, AUTHOR).of("a")]
    assert hrefs.count(WORK.replace("/doc/", "/").removesuffix(".html")) == 1
    assert hrefs.count(RESOURCE.replace("/doc/", "/").removesuffix(".html")) == 1


@pytest.mark.parametrize("path", [WORK, AUTHOR, PUBLISHER])
def test_there_is_no_page_after_the_last_one(client, path):
    assert client.get(f"{path}?page=9", "text/html").status_code == 404


def test_a_person_is_described_by_dates_and_number_of_publications():
    for language, expected in (("en", "Person, 1828–1910, 6 publications"), ("ru", "Персона, 1828–1910, 6 публикаций")):
        summary = summaries.entity_summary(AUTHOR, "agent/x", [], "", {}, language_named(language))
        person = msgspec.structs.replace(summary, kind="person", lives="1828–1910")
        assert structured.entity_line(person, 6, language_named(language)) == expected
        place = msgspec.structs.replace(summary, kind="place", lives="")
        assert structured.entity_line(place, 0, language_named(language)) in ("Place", "Место")


def test_an_example_query_has_its_comments_in_the_language_of_the_page(client):
    english, russian = (client.get(f"/lod/sparql?example=01-by-isbn&lang={tag}").text for tag in ("en", "ru"))
    assert "# A publication by its ISBN\n" in english
    assert "# Публикация по ISBN\n" in russian and "# A publication" not in russian
    assert all("SELECT ?publication ?title" in text for text in (english, russian))


@pytest.mark.parametrize("contact", ["", "site@example.org"])
def test_a_reader_can_report_an_error_if_the_site_has_an_address(tmp_path, contact):
    with running(make_site(tmp_path, Settings(contact=contact))) as client:
        for path in (RESOURCE, RECORD, MATCH, PUBLISHER, AUTHOR, WORK):
            page = client.get(path).text
            assert ("Report an error" in page) == bool(contact), path
            assert ("mailto:site@example.org?subject=https%3A" in page) == bool(contact), path
