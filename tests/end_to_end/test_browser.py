"""Every kind of page in a real browser: in both languages and themes, narrow and wide, with and without a mouse."""

import re
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.server,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright")

from tests.end_to_end.browser import AXE, FAULTS, PAGES, PUBLICATION, paths_of, violations, visits  # noqa: E402

WIDTHS = (360, 768, 1440)
MOST_BYTES = 60_000
"""Of the page of a publication with three records, without what it loads."""

MOST_REQUESTS = 2
"""Beside the page itself and pictures."""

MOST_TABS = 400


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def paths(server):
    return paths_of(server)


@pytest.fixture(scope="module")
def window(browser, server):
    with visits(browser, server, locale="en") as opened:
        yield opened


@pytest.fixture
def visit(window):
    """The window of most tests; it must not complain, nor ask other hosts."""
    window.complaints.clear()
    yield window
    window.check()


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways_at_any_width(visit, paths, name):
    page = visit.open(paths[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"
    if name in FAULTS:
        visit.complaints.clear()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_two_requests_beside_pictures(visit, paths, name):
    visit.open(paths[name])
    loaded = {url for kind, url in visit.requests if kind not in ("document", "image", "other")}
    # The editor comes to a page that is complete without it.
    assert len({url for url in loaded if not re.search(r"/static/editor-|/completion\.json$", url)}) <= MOST_REQUESTS
    if name in FAULTS:
        visit.complaints.clear()


@pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core from npm in build/browser")
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


# The editor of the query page takes Tab for itself until Esc: test_query_page.py walks there.
@pytest.mark.parametrize("name", ["home", "about", "publication", "person", "not found"])
def test_the_keyboard_alone_reaches_each_link_and_field(visit, paths, name):
    page = visit.open(paths[name])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip", "the skip link comes first"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
    visit.open(paths[name])
    wanted = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
        .filter(each => each.checkVisibility() && !each.disabled && each.tabIndex >= 0).length"""
    )
    seen = page.evaluate("() => { window.seen = new Set(); return 0 }")
    for _ in range(min(wanted, MOST_TABS)):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => { const now = document.activeElement; window.seen.add(now);
            const style = getComputedStyle(now);
            return [window.seen.size, now.tagName, style.outlineStyle] }"""
        )
        assert seen[2] != "none", f"{seen[1]} does not show that it has the focus"
        if seen[1] == "TEXTAREA" or page.evaluate("document.activeElement.isContentEditable"):
            page.keyboard.press("Escape")  # editors that take Tab for themselves give it back
    missed = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
        .filter(each => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && !window.seen.has(each))
        .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert seen[0] >= min(wanted, MOST_TABS), missed
    if name in FAULTS:
        visit.complaints.clear()


def test_the_page_of_a_merged_publication_is_small(visit):
    page = visit.page
    with page.expect_response(lambda answer: answer.url.endswith(".html")) as answered:
        visit.open(PUBLICATION)
    assert len(answered.value.body()) <= MOST_BYTES


def test_a_reader_goes_from_a_publication_to_its_records_their_match_and_the_author(visit):
    page = visit.open("")
    page.locator(f'a[href="/{PUBLICATION}"]').first.click()
    assert page.locator("h1").inner_text()
    assert page.locator('h1[lang="ru"], h1 [lang="ru"]').count()
    assert page.locator("table.compare, .compare").count(), "the records are shown side by side"
    for kind in ("record", "match", "agent"):
        visit.open(PUBLICATION)
        page.locator(f'main a[href^="/{kind}/"]').first.click()
        page.wait_for_url(re.compile(f"/{kind}/"))
        assert page.locator("h1").inner_text()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("query", ["анна каренина", "anna karenina"])
def test_a_search_in_either_script_finds_the_book_and_is_narrowed(browser, server, query, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open("")
        page.locator("main input[type=search]").fill(query)
        page.locator("main form[role=search] button").click()
        page.wait_for_url(re.compile("/search"))
        assert "Анна Каренина" in page.locator("main").inner_text()
        page.locator('main a[href*="library="]').first.click()
        page.wait_for_url(re.compile("library="))
        page.locator('main a[href^="/resource/"]').first.click()
        assert "Анна Каренина" in page.locator("h1").inner_text()
        visit.check()


def test_the_first_page_leads_to_people_subjects_and_years(visit):
    for kind in ("agent/", "concept/", "search?year="):
        page = visit.open("")
        page.locator(f'.browse a[href*="/{kind}"]').first.click()
        assert page.locator("h1").inner_text()


def test_an_example_query_answers(visit):
    page = visit.open("sparql")
    page.locator('main a[href*="example="]').first.click()
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"[?&]query="))
    assert page.locator("main td").count()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_language_that_was_chosen_stays(browser, server, has_scripts):
    with visits(browser, server, locale="en", java_script_enabled=has_scripts) as visit:
        page = visit.open("")
        assert page.locator("html").get_attribute("lang") == "en"
        page.locator("nav.languages a").click()
        assert page.locator("html").get_attribute("lang") == "ru"
        visit.open(PUBLICATION)
        assert page.locator("html").get_attribute("lang") == "ru"
        page.locator("nav.languages a").click()
        assert page.locator("html").get_attribute("lang") == "en"
        visit.check()


def test_the_language_of_the_browser_is_the_first_one(browser, server):
    with visits(browser, server, locale="ru-RU") as visit:
        assert visit.open("about").locator("html").get_attribute("lang") == "ru"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_complete_without_scripts(browser, server, paths, name):
    with visits(browser, server, java_script_enabled=False) as visit:
        page = visit.open(paths[name])
        assert page.locator("h1").inner_text().strip()
        assert page.locator("main").inner_text().strip()


def test_a_page_is_printed_without_menus(visit):
    page = visit.open(PUBLICATION)
    page.emulate_media(media="print")
    assert not page.locator("nav.menu").is_visible()
    assert page.locator("h1").is_visible()
    page.emulate_media(media="screen")
