"""Every kind of page in a real browser: in both languages and themes, narrow and wide, with and without a mouse."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

import bibld
from bibld.text.geography import towns
from tests.configuration import write_config
from tests.end_to_end.browser import FAULTS, PAGES, PUBLICATION, WIDTHS, needs_axe, paths_of, violations, visits
from tests.end_to_end.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.server]

MOST_BYTES = 60_000
"""Of the page of a publication with three records, without what it loads."""

MOST_REQUESTS = 2
"""Beside the page itself and pictures."""

MOST_TABS = 400


@pytest.fixture(scope="module")
def paths(server):
    return paths_of(server)


@pytest.fixture(scope="module")
def window(browser, server):
    with visits(browser, server, locale="en") as opened:
        yield opened


@pytest.fixture(scope="module")
def hard_window(browser, tmp_path_factory):
    """A window at a server of records that are hard to show."""
    folder = tmp_path_factory.mktemp("hard")
    most, _, last = Path(__file__).with_name("hard_records.mrk").read_text(encoding="utf-8").rpartition("\n\n")
    (folder / "one.mrk").write_text(f"{most}\n\n", encoding="utf-8")
    (folder / "two.mrk").write_text(last, encoding="utf-8")
    file = write_config(folder, one="one.mrk", two="two.mrk")
    bibld.Workspace(file).run()
    with serving(file) as address, visits(browser, address, locale="en") as opened:
        yield opened


@pytest.fixture
def visit(window):
    """The window of most tests; it must not complain, nor ask other hosts."""
    window.complaints.clear()
    yield window
    window.check()


BOXES_THAT_SCROLL = """() => [...document.querySelectorAll("main .wide")]
  .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.outerHTML.slice(0, 80))"""
WITHOUT_SUCH_BOXES = {"result", "statements", "quality", "about"}
"""Pages with tables of long texts or many columns, which are stacked or wrap on a phone."""


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways_at_any_width(visit, paths, name):
    page = visit.open(paths[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"
        if name in WITHOUT_SUCH_BOXES:
            assert page.evaluate(BOXES_THAT_SCROLL) == []
    if name in FAULTS:
        visit.complaints.clear()


CUT = """() => [...document.querySelectorAll("main *")].filter(each => {
  const style = getComputedStyle(each);
  return each.checkVisibility() && !each.closest(".hidden, .wide, .facets .name, svg") && each.clientWidth > 0
    && style.display !== "inline" && style.overflowX !== "auto" && each.scrollWidth > each.clientWidth + 1;
}).map(each => each.outerHTML.slice(0, 80))"""
HARD = {
    "a long title": "resource/one/long",
    "its record": "record/one/long",
    "its match": "match/one~3Along~~two~3Along",
    "Church Slavonic": "resource/one/slavonic",
    "Arabic": "resource/one/arabic",
    "Chinese": "resource/one/chinese",
    "a long word": "resource/one/compound",
    "no title": "resource/one/bare",
    "all of them": "search?q=",
}


@pytest.mark.parametrize("name", HARD)
def test_nothing_is_cut_on_the_pages_of_hard_records(hard_window, name):
    page = hard_window.open(HARD[name])
    assert hard_window.text("h1")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT) == []
    hard_window.check()


def test_a_book_leads_to_its_translations(hard_window):
    page = hard_window.open("resource/one/anna-ru")
    page.get_by_role("heading", name="Translations").wait_for()
    hard_window.follow(page.get_by_role("link", name="Anna Karenina").first)
    page.get_by_role("link", name="Анна Каренина").first.wait_for()
    hard_window.check()


def test_a_book_leads_to_its_other_formats_and_these_back(hard_window):
    page = hard_window.open("resource/one/anna-ru")
    formats = page.get_by_role("region", name="In other formats")
    formats.get_by_text("Анна Каренина. Аудиокнига").wait_for()
    assert formats.get_by_role("link").all_inner_texts() == ["Микрофильмы русской классики"]
    hard_window.follow(formats.get_by_role("link"))
    page.get_by_role("region", name="In other formats").get_by_role("link").wait_for()
    hard_window.check()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_two_requests_beside_pictures(visit, paths, name):
    visit.open(paths[name])
    loaded = {url for kind, url in visit.requests if kind not in ("document", "image", "other")}
    assert len(loaded) <= MOST_REQUESTS, loaded
    if name in FAULTS:
        visit.complaints.clear()


@needs_axe
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation_in_either_language_and_theme(visit, paths, name):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 900})
    for language in ("en", "ru"):
        page.emulate_media(color_scheme="light")
        separator = "&" if "?" in paths[name] else "?"
        visit.open(f"{paths[name]}{separator}lang={language}")
        assert page.locator("html").get_attribute("lang") == language
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page, ("color-contrast", "link-in-text-block")) == []
    page.emulate_media(color_scheme="light")
    if name in FAULTS:
        visit.complaints.clear()
    page.context.clear_cookies()


FOCUSED = """() => {
  let now = document.activeElement;
  window.seen.add(now);
  if (now.shadowRoot) now = now.shadowRoot.activeElement.closest(".cm-editor");  // the editor shows it as a whole
  return [window.seen.size, now.tagName, getComputedStyle(now).outlineStyle,
    now.tagName === "TEXTAREA" || now.matches(".cm-editor")];
}"""
REACHABLE = """
  [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0'], .editor")]
  .filter(each => each.checkVisibility() && !each.disabled && (each.tabIndex >= 0 || each.shadowRoot))"""


@pytest.mark.parametrize("name", ["home", "about", "publication", "person", "search", "query", "result", "not found"])
def test_the_keyboard_alone_reaches_each_link_and_field(visit, paths, name):
    page = visit.open(paths[name])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip", "the skip link comes first"
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#content'")
    visit.open(paths[name])
    wanted = page.evaluate(f"() => {{ window.seen = new Set(); return ({REACHABLE}).length }}")
    tabs, seen = 0, 0
    for _ in range(2 * MOST_TABS):
        if tabs == min(wanted, MOST_TABS):
            break
        page.keyboard.press("Tab")
        before, (seen, _, outline, keeps_tab) = seen, page.evaluate(FOCUSED)
        tabs += seen > before or not keeps_tab  # an editor gives Tab back for two seconds only
        if outline == "none":  # the editor shows its focus after some milliseconds
            page.wait_for_function(f"({FOCUSED})()[2] !== 'none'")
        if keeps_tab:
            page.keyboard.press("Escape")  # editors that take Tab for themselves give it back
    missed = page.evaluate(
        f"() => ({REACHABLE}).filter(each => !window.seen.has(each)).map(each => each.outerHTML.slice(0, 80))"
    )
    assert wanted > MOST_TABS or not missed
    if name in FAULTS:
        visit.complaints.clear()


def test_the_page_of_a_merged_publication_is_small(visit):
    page = visit.page
    with page.expect_response(lambda answer: answer.url.endswith(".html")) as answered:
        visit.open(PUBLICATION)
    assert len(answered.value.body()) <= MOST_BYTES


def test_a_reader_goes_from_a_publication_to_its_records_their_match_and_the_author(visit):
    page = visit.open("")
    visit.follow(page.locator(f'a[href="/{PUBLICATION}"]').first)
    assert visit.text("h1")
    assert page.locator('h1[lang="ru"], h1 [lang="ru"]').count()
    assert page.locator("table.compare, .compare").count(), "the records are shown side by side"
    for kind in ("record", "match", "agent"):
        visit.open(PUBLICATION)
        visit.follow(page.locator(f'main a[href^="/{kind}/"]').first)
        assert f"/{kind}/" in page.url
        assert visit.text("h1")


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("query", ["анна каренина", "anna karenina"])
def test_a_search_in_either_script_finds_the_book_and_is_narrowed(browser, server, query, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open("")
        page.locator("main input[type=search]").fill(query)
        visit.follow(page.locator("main form[role=search] button"))
        assert "/search" in page.url
        assert "Анна Каренина" in visit.text("main")
        visit.follow(page.locator('main a[href*="library="]').first)
        assert "library=" in page.url
        visit.follow(page.locator('main a[href^="/resource/"]').first)
        assert "Анна Каренина" in visit.text("h1")
        visit.check()


def test_a_publication_leads_back_to_the_results_and_to_its_neighbours(browser, server):
    with visits(browser, server, locale="en") as visit:
        page = visit.open("search?language=rus&sort=title&fold=0")
        pages = page.locator("ol.hits h2 a").evaluate_all("links => links.map(each => each.getAttribute('href'))")
        visit.follow(page.locator("ol.hits h2 a").nth(1))
        way = page.locator("nav.from-results")
        visit.follow(way.get_by_role("link", name="Next result"))
        assert pages[2] in page.url
        visit.follow(way.get_by_role("link", name="Previous result"))
        assert pages[1] in page.url
        visit.follow(way.get_by_role("link", name="Back to the results"))
        assert page.url.endswith("/search?language=rus&sort=title&fold=0")
        visit.follow(page.locator("ol.hits h2 a").first)
        assert way.get_by_role("link", name="Next result").is_visible()
        assert not way.get_by_role("link", name="Previous result").is_visible()
        visit.open("resource/rsl/nothing")
        visit.complaints.clear()
        visit.check()
    with visits(browser, server, locale="en") as visit:  # another window knows no results
        page = visit.open(pages[1].lstrip("/"))
        assert not page.locator("nav.from-results").is_visible()
        visit.check()


def test_any_publication_of_a_work_leads_back_to_the_results_and_on_to_the_next_one(browser, server):
    with visits(browser, server, locale="en") as visit:
        page = visit.open("search?q=" + quote("война"))
        work = page.locator("ol.hits > li").first
        following = page.locator("ol.hits > li").nth(1).get_attribute("data-page")
        work.locator("summary").click()
        visit.follow(work.locator(".shelf li a").nth(1))
        way = page.locator("nav.from-results")
        visit.follow(way.get_by_role("link", name="Next result"))
        assert following in page.url
        visit.follow(way.get_by_role("link", name="Previous result"))
        assert way.is_visible()
        visit.follow(way.get_by_role("link", name="Back to the results"))
        assert "/search?q=" in page.url
        visit.check()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_marked_publications_are_listed_and_cited_without_an_account(browser, server, has_scripts):
    with visits(browser, server, java_script_enabled=has_scripts, locale="en") as visit:
        page = visit.open("search?fold=0")
        expected = 2
        for number in (0, 2):
            page.locator("ol.hits input[type=checkbox]").nth(number).check()
        if has_scripts:  # marks of other pages are remembered
            page = visit.open(PUBLICATION)
            page.locator("form.marked input[type=checkbox]").check()
            expected = 3
        visit.follow(page.locator("form.marked button"))
        assert page.locator("ol.references > li").count() == expected
        visit.follow(page.locator(".styles a", has_text="APA"))
        assert page.url.count("id=") == expected
        with page.expect_download() as download:
            page.locator(".take a", has_text="BibTeX").click()
        assert Path(download.value.path()).read_text(encoding="utf-8").count("@") == expected
        visit.follow(page.locator("ol.references a[data-unmark]").first)
        assert page.locator("ol.references > li").count() == expected - 1
        if has_scripts:
            assert visit.text("a[data-list]") == f"Marked {expected - 1}"
        visit.check()


def test_the_first_page_leads_to_people_subjects_and_years(visit):
    for kind in ("agent/", "concept/", "search?year="):
        page = visit.open("")
        visit.follow(page.locator(f'.browse a[href*="/{kind}"]').first)
        assert f"/{kind}" in page.url
        assert visit.text("h1")


def test_an_example_query_answers(visit):
    page = visit.open("sparql")
    visit.follow(page.locator('main a[href*="example="]').first)
    visit.follow(page.locator("main form button[type=submit]").first)
    assert re.search(r"[?&]query=", page.url)
    assert page.locator("main td").count()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_graph_of_a_thing_opens_step_by_step_and_leads_to_pages(browser, server, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open(PUBLICATION)
        visit.follow(page.get_by_role("link", name="Its neighbourhood as a graph"))
        title = visit.text("h1")
        circles = page.locator("svg.of-screen a circle")
        before = circles.count()
        assert before > 3
        visit.follow(page.locator("svg.of-screen a").first)
        assert "?open=" in page.url
        assert visit.text("h1") == title, "the same thing is in the middle"
        assert circles.count() > before
        visit.follow(page.locator("svg.of-screen").get_by_role("link", name="Its own graph").first)
        assert visit.text("h1") != title
        visit.follow(page.locator("h1 a"))
        assert "/doc/agent/" in page.url
        visit.check()


@pytest.mark.skipif(not towns.FILE.exists(), reason="make additions makes the table of towns")
@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_map_leads_to_what_appeared_in_a_town_and_to_its_place(browser, server, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open("dataset")
        visit.follow(page.locator("svg.map a:has(title:text('Saint Petersburg'))").first)
        assert "/search?q=place:" in page.url
        found = page.locator("ol.hits h2 a").count()
        page = visit.open("search?q=" + quote('place:"Ленинград"'))
        assert 0 < page.locator("ol.hits h2 a").count() <= found
        visit.open("sparql")
        page.locator("summary", has_text="Years, places").click()
        visit.follow(page.locator('main a[href*="example=51-places-on-a-map"]'))
        visit.follow(page.locator("main form button[type=submit]").first)
        visit.follow(page.locator("svg.map a").first)
        assert "/place/" in page.url
        assert "Moscow in GeoNames" in visit.text("figure:has(svg.map)")
        visit.check()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_language_that_was_chosen_stays(browser, server, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open("")
        assert page.locator("html").get_attribute("lang") == "en"
        visit.follow(page.locator("nav.languages a"))
        assert page.locator("html").get_attribute("lang") == "ru"
        visit.open(PUBLICATION)
        assert page.locator("html").get_attribute("lang") == "ru"
        visit.follow(page.locator("nav.languages a"))
        assert page.locator("html").get_attribute("lang") == "en"
        visit.check()


def test_the_language_of_the_browser_is_the_first_one(browser, server):
    with visits(browser, server, locale="ru-RU") as visit:
        assert visit.open("about").locator("html").get_attribute("lang") == "ru"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_complete_without_scripts(browser, server, paths, name):
    with visits(browser, server, java_script_enabled=False) as visit:
        visit.open(paths[name])
        assert visit.text("h1")
        assert visit.text("main")


def test_a_page_is_printed_without_menus(visit):
    page = visit.open(PUBLICATION)
    page.emulate_media(media="print")
    assert not page.locator("nav.menu").is_visible()
    assert page.locator("h1").is_visible()
    assert page.locator("div.on-paper").is_visible(), "a reference and the permanent address are printed"
    page.emulate_media(media="screen")
