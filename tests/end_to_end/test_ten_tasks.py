"""Ten tasks of readers, counted in clicks from the start page: typing is free, and each task takes three at most.

``pytest tests/end_to_end/test_ten_tasks.py -rP`` prints the table: clicks, and the screen of the deepest of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bibld.config import Config
from bibld.serve._language import PageLanguage, language_named
from tests.end_to_end.browser import PATIENCE, PUBLICATION, Visits, visits
from tests.end_to_end.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Locator

expect = pytest.importorskip("playwright.sync_api", reason="needs Playwright").expect
pytestmark = [pytest.mark.browser, pytest.mark.server]

MAX_CLICKS = 3
SCREENS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}
MAIL = "library@example.org"
BOOK, WORK, AUTHOR = "Анна Каренина", "Война и мир", "Толстой, Лев"


class Reader:
    """A reader at the start page, who sees what is clicked; ``clicks`` counts, ``deepest`` is the lowest screen."""

    def __init__(self, visit: Visits, language: PageLanguage) -> None:
        self.visit, self.page, self.text = visit, visit.page, language.text
        self.clicks = 0
        self.deepest = 1

    def start(self, words: str = "") -> None:
        self.visit.open("")
        if words:
            self.page.locator("main input[type=search]").fill(words)
            self.visit.press("Enter")

    def seen(self, what: Locator) -> Locator:
        """What a reader sees, after scrolling to it."""
        what.wait_for(state="visible")
        top = what.evaluate("each => each.getBoundingClientRect().top + scrollY")
        self.deepest = max(self.deepest, 1 + int(top / self.page.viewport_size["height"]))
        return what

    def click(self, what: Locator) -> None:
        self.clicks += 1
        self.seen(what).click()

    def follow(self, what: Locator) -> None:
        self.clicks += 1
        self.visit.follow(self.seen(what))

    def link(self, words: str, within: str = "main") -> Locator:
        """The first link of a page with these words, in English; the page has them in its language."""
        return self.page.locator(within).get_by_role("link", name=self.text(words)).first

    def find(self) -> None:
        self.start(BOOK)
        self.follow(self.page.locator("ol.hits h2 a").first)
        assert PUBLICATION in self.page.url


def find(reader: Reader) -> None:
    reader.find()
    assert BOOK in reader.visit.text("h1")


def read(reader: Reader) -> None:
    reader.find()
    link = reader.page.locator(".actions a.button").first
    with reader.page.expect_request(link.get_attribute("href")):
        reader.click(link)
    reader.visit.foreign.clear()  # the full text is at its library
    reader.visit.complaints.clear()


def where(reader: Reader) -> None:
    reader.find()
    holding = reader.page.locator("section.holdings .holding").first
    assert reader.seen(holding.locator(".mark-of-shelf")).inner_text() == "E 71-24/339"


def cite(reader: Reader) -> None:
    reader.find()
    reader.click(reader.page.locator("summary", has_text=reader.text("Cite")))
    reader.click(reader.page.locator("button[data-copy='citation-1']"))
    assert BOOK in reader.page.evaluate("navigator.clipboard.readText()")


def other_editions(reader: Reader) -> None:
    reader.start(WORK)
    reader.follow(reader.page.locator("ol.hits h2 a").first)
    assert reader.page.locator("section[aria-labelledby=editions] li").count() > 1


def works_of_the_author(reader: Reader) -> None:
    reader.find()
    reader.follow(reader.page.locator("header.page a", has_text=AUTHOR).first)
    assert reader.seen(reader.page.locator("ul.works a", has_text=WORK).first)


def download(reader: Reader) -> None:
    reader.find()
    reader.click(reader.page.locator("summary", has_text=reader.text("Cite")))
    with reader.page.expect_download() as file:
        reader.click(reader.link("RIS", within=".citations + .files"))
    assert BOOK in Path(file.value.path()).read_text(encoding="utf-8")


def query(reader: Reader) -> None:
    reader.start()
    reader.follow(reader.link("SPARQL", within="nav.menu"))
    reader.follow(reader.page.locator("main form button[type=submit]").first)
    assert reader.page.locator("main td").count()


def report_an_error(reader: Reader) -> None:
    reader.find()
    letter = reader.seen(reader.link("Report an error"))
    assert letter.get_attribute("href").startswith(f"mailto:{MAIL}?subject=")
    assert PUBLICATION in letter.get_attribute("href").replace("%2F", "/")
    reader.clicks += 1  # it opens the program for mail


def why_merged(reader: Reader) -> None:
    reader.find()
    reader.click(reader.page.locator("header.page .kind a"))
    expect(reader.page.locator("#why")).to_be_in_viewport(timeout=PATIENCE)
    assert reader.page.locator(".why-merged .agrees").first.inner_text().startswith(reader.text("The same in both:"))


TASKS = (
    find, read, where, cite, other_editions, works_of_the_author, download, query, report_an_error, why_merged
)  # fmt: skip


@pytest.fixture(scope="module")
def server(sample: Config) -> Iterator[str]:
    """A server of the sample by people who want to hear of errors."""
    file = sample.file.with_name("with_contact.toml")
    file.write_text(f'{sample.file.read_text(encoding="utf-8")}\n[serve]\ncontact = "{MAIL}"\n', encoding="utf-8")
    with serving(file) as address:
        yield address


@pytest.fixture(scope="module")
def table() -> Iterator[dict[tuple[str, str], list[str]]]:
    """The row of each task by screen and language: printed at the end."""
    rows: dict[tuple[str, str], list[str]] = {}
    yield rows
    print(f"{'':>16}", *(f"{each.__name__.replace('_', ' '):>19}" for each in TASKS))
    for (screen, language), row in rows.items():
        print(f"{screen:>12} {language:>3}", *(f"{cell:>19}" for cell in row))


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("screen", SCREENS)
def test_each_task_takes_three_clicks_at_most(browser, server, table, screen, language):
    permissions = ["clipboard-read", "clipboard-write"]
    too_many = []
    for task in TASKS:
        with visits(browser, server, locale=language, viewport=SCREENS[screen], permissions=permissions) as visit:
            reader = Reader(visit, language_named(language))
            task(reader)
            visit.check()
        table.setdefault((screen, language), []).append(f"{reader.clicks}, screen {reader.deepest}")
        if reader.clicks > MAX_CLICKS:
            too_many.append((task.__name__, reader.clicks))
    assert not too_many
