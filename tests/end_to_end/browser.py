"""A real browser for tests: no foreign host is reached, and what pages request and complain about is recorded."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route

AXE = Path(__file__).parents[2] / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""The rules of axe for levels A and AA of WCAG 2.2."""

WIDTHS = (360, 768, 1440)
"""Of a telephone, a tablet, and a screen on a desk, in pixels."""

needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core from npm in build/browser")

PUBLICATION = "resource/rsl/01004039769"
"""A publication with records of three libraries."""

PAGES = {
    "home": "",
    "about": "about",
    "search": "search?q=%D1%82%D0%BE%D0%BB%D1%81%D1%82%D0%BE%D0%B9",
    "nothing found": "search?q=qqqqqqqq",
    "number not found": "search?q=978-5-02-011111-1",
    "narrowed": "search?page=2&per_page=5&not_language=eng&online=false",
    "names": "browse/people",
    "classes": "browse/bbk?at=%D0%A8",
    "marked": "list?id=rsl/01004039769&id=rsl/nothing",
    "nothing marked": "list",
    "matching": "report/matching",
    "quality": "report/quality",
    "statements": f"doc/{PUBLICATION}.statements.html",
    "publication": PUBLICATION,
    "record": "{record}",
    "match": "{match}",
    "person": "{agent}",
    "work": "{work}",
    "subject": "{concept}",
    "place": "{place}",
    "publisher": "{publisher}",
    "neighbourhood": "neighbourhood/{agent}",
    "neighbour opened": "neighbourhood/{agent}?open={place}",
    "dataset": "dataset",
    "source": "dataset/rsl",
    "ontology": "ontology",
    "shapes": "ontology/shapes",
    "query": "sparql",
    "result": "sparql?query=SELECT%20%3Fs%20%3Fp%20%3Fo%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D%20LIMIT%2020",
    "result on a map": "sparql?query="
    + quote("SELECT * { VALUES (?lat ?long ?n) { (55.7 37.6 9) (52.5 13.4 4) (-33.9 151.2 1) } }"),
    "long query": "sparql?query=" + quote("SELECT * {\n" + "  ?s ?p ?o .\n" * 60 + "} LIMIT 3"),
    "faulty query": "sparql?query=SELECT%20%3Fs%20WHER",
    "not found": "nothing",
}
"""Every kind of page: its name and its path; names in braces are the first link of that kind of the publication."""

PATIENCE = 120_000
"""Milliseconds until a condition counts as never fulfilled, on a machine that is as busy as can be."""

FAULTS = {"faulty query", "not found"}
"""Pages whose status is that of an error, which the browser reports on its console."""


def paths_of(server: str) -> dict[str, str]:
    """Return the paths of all kinds of pages of a server of the sample."""
    request = urllib.request.Request(server + PUBLICATION, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        text = answer.read().decode()
    kinds = ("record", "match", "agent", "concept", "place", "publisher", "work")
    first = {kind: re.search(rf'href="/({kind}/[^"#?]+)"', text) for kind in kinds}
    links = {kind: found[1] for kind, found in first.items() if found}
    return {name: path.format_map(links) for name, path in PAGES.items()}


class Visits:
    """Opens pages of one server, and records requests, refused requests and complaints of the console."""

    def __init__(self, server: str, context: BrowserContext) -> None:
        self.server = server
        self.requests: list[tuple[str, str]] = []
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self._context = context
        context.route("**/*", self._pass)
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _pass(self, route: Route) -> None:
        request = route.request
        if not request.url.startswith((self.server, "data:")):
            self.foreign.append(request.url)
            route.abort()
            return
        self.requests.append((request.resource_type, request.url))
        route.continue_()

    def open(self, path: str) -> Page:
        """Open a page of the server."""
        self.requests.clear()
        self.page.goto(self.server + path)
        return self.page

    def follow(self, link: Locator) -> Page:
        """Click a link or a button that leads to a page, and wait until that page has its style sheet and scripts."""
        with self.page.expect_navigation():
            link.click()
        return self.page

    def press(self, key: str) -> Page:
        """Press a key that leads to a page, and wait until that page has its style sheet and scripts."""
        with self.page.expect_navigation():
            self.page.keyboard.press(key)
        return self.page

    def text(self, selector: str) -> str:
        """Return the text of an element with single spaces, which no style sheet changes."""
        return " ".join((self.page.locator(selector).text_content() or "").split())

    def check(self) -> None:
        """Nothing foreign was requested, and nothing went wrong."""
        assert not self.foreign
        assert not self.complaints


@contextmanager
def visits(browser: Browser, server: str, **options: object) -> Iterator[Visits]:
    """A window without history; ``options`` are those of a context of Playwright (locale, color_scheme …)."""
    context = browser.new_context(**options)
    try:
        yield Visits(server, context)
    finally:
        context.unroute_all(behavior="ignoreErrors")  # a request of the last page may still be under way
        context.close()


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """Return what axe finds on a page at the levels A and AA; ``rules`` are the only ones to test."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": list(LEVELS)}
    found = page.evaluate("only => axe.run(document, {runOnly: only, resultTypes: ['violations']})", only)
    return [
        f"{each['id']}: {node['target']} {node.get('failureSummary', '')}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
