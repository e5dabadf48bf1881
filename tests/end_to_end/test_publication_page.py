"""The page of a publication as readers use it: on a phone, on paper, without scripts, and its covers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from bibld.catalog import Catalog
from bibld.model.iris import Iris
from tests.end_to_end.browser import PUBLICATION, Visits, needs_axe, violations, visits

pytestmark = [pytest.mark.browser, pytest.mark.server]

PHONE = {"width": 390, "height": 844}
SCREENS = 2
DRAWN = 30
MAX_SHEETS = 2
_PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture(scope="module")
def drawn(sample) -> list[str]:
    """Paths of publications drawn at random, always the same ones."""
    iris = Iris(sample.dataset.base)
    with Catalog(sample.workspace, read_only=True) as catalog:
        founders = catalog.sample_founders(10_000)
    paths = sorted(iris.path(iris.resource(founder)) or "" for founder in founders)
    return random.Random(34).sample(paths, min(DRAWN, len(paths)))


@pytest.fixture(scope="module", params=["en", "ru"])
def phone(request, browser, server) -> Iterator[Visits]:
    with visits(browser, server, locale=request.param, viewport=PHONE) as opened:
        yield opened


def test_libraries_full_text_and_citation_are_on_the_first_two_screens_of_a_phone(phone, drawn):
    below = []
    for path in drawn:
        page = phone.open(path)
        for selector in ("section.holdings", ".actions"):
            box = page.locator(selector).bounding_box()
            assert box is not None, (path, selector)
            if box["y"] + box["height"] > SCREENS * PHONE["height"]:
                below.append((path, selector, box["y"] + box["height"]))
        assert page.locator(".actions .action > summary").count() == 2, path
    assert len(drawn) == DRAWN
    assert not below
    phone.check()


def test_a_printed_publication_takes_two_sheets(browser, server, drawn):
    with visits(browser, server, locale="ru") as visit:
        sheets = {}
        for path in [PUBLICATION, *drawn]:
            sheets[path] = len(_PAGE_OF_PDF.findall(visit.open(path).pdf(format="A4")))
        assert not {path: number for path, number in sheets.items() if not 1 <= number <= MAX_SHEETS}


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_folded_is_accessible_when_it_is_open(browser, server, scheme):
    with visits(browser, server, locale="ru", viewport=PHONE, color_scheme=scheme) as visit:
        page = visit.open(PUBLICATION)
        match = page.locator('main a[href^="/match/"]').first.get_attribute("href")
        for path in (PUBLICATION, match.removeprefix("/")):
            page = visit.open(path)
            page.evaluate("""() => { for (const each of document.querySelectorAll("details")) {
                each.removeAttribute("name"); each.open = true; } }""")
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_reference_is_copied_with_two_clicks(browser, server):
    with visits(browser, server, locale="en", permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.open(PUBLICATION)
        page.locator(".action > summary").first.click()
        page.locator("button[data-copy='citation-1']").click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == visit.text("#citation-1")
        page.get_by_text("Share this page").first.click()
        assert page.locator("#permanent-address").is_visible()
        assert page.locator("#citation-1").is_hidden()  # one of the two is open


def test_without_scripts_a_reader_opens_the_reference_and_the_comparison(browser, server):
    with visits(browser, server, locale="en", java_script_enabled=False) as visit:
        page = visit.open(PUBLICATION)
        page.locator(".action > summary").first.click()
        assert page.locator("#citation-1").is_visible()
        assert page.locator("button[data-copy]").first.is_hidden()
        page.locator(".who").first.click()
        page.locator("#sources table").wait_for(state="visible")
