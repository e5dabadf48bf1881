"""The review page in a real browser: signing in, verdicts by mouse and key, every kind of pair, narrow and wide."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import bibld
from tests.api.test_review_kinds import prepare_namesakes
from tests.end_to_end.browser import WIDTHS, Visits, needs_axe, violations, visits
from tests.end_to_end.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.server]

TOKEN = "a token that nobody guesses"


@contextmanager
def reviewing(config: Path) -> Iterator[str]:
    """Serve a configuration with a review page; yield the address."""
    text = config.read_text(encoding="utf-8")
    config.write_text(f'{text}\n[serve]\nreview_token = {{ env = "BIBLD_REVIEW" }}\n', encoding="utf-8")
    with serving(config, {"BIBLD_REVIEW": TOKEN}) as address:
        yield address


@pytest.fixture(scope="module")
def of_records(sample, tmp_path_factory) -> Iterator[str]:
    """The address of a server of a copy of the sample with enough uncertain pairs for all who review at once."""
    folder = tmp_path_factory.mktemp("review") / "copy"
    shutil.copytree(sample.file.parent.parent, folder)
    config = folder / sample.file.parent.name / sample.file.name
    config.write_text(f"{config.read_text(encoding='utf-8')}\n[dedup.model]\nreview = 0.05\n", encoding="utf-8")
    bibld.Workspace(config).run()
    with reviewing(config) as address:
        yield address


@pytest.fixture(scope="module")
def of_names(tmp_path_factory) -> Iterator[str]:
    """The address of a server of a catalogue with namesakes and uncertain links."""
    workspace = prepare_namesakes(tmp_path_factory.mktemp("names"))
    with reviewing(workspace.path) as address:
        yield address


@contextmanager
def signed_in(browser, server: str, name: str, **options: object) -> Iterator[Visits]:
    with visits(browser, server, locale="en", **options) as visit:
        page = visit.open("review")
        page.get_by_label("Your name").fill(name)
        page.get_by_label("Token").fill(TOKEN)
        visit.follow(page.get_by_role("button", name="Sign in"))
        yield visit
        visit.check()


def pair(visit: Visits) -> str:
    """Return the names of the pair that is shown, or that nothing waits."""
    return visit.text("h1")


def verdicts(visit: Visits) -> int:
    """Return the number of verdicts that the page states."""
    found = re.search(r"(\d+) verdicts?;", visit.text("form.verdicts [role=status]"))
    assert found
    return int(found[1])


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_verdict_is_given_and_taken_back_with_the_buttons(browser, of_records, has_scripts):
    with signed_in(browser, of_records, f"Anna {has_scripts}", java_script_enabled=has_scripts) as visit:
        first = pair(visit)
        assert verdicts(visit) == 0
        visit.follow(visit.page.get_by_role("button", name="Different"))
        assert verdicts(visit) == 1
        visit.follow(visit.page.get_by_role("button", name="Undo the last verdict"))
        assert (verdicts(visit), pair(visit)) == (0, first)


def test_each_verdict_has_a_key(browser, of_records):
    with signed_in(browser, of_records, "Peter") as visit:
        first = pair(visit)
        visit.press("d")
        assert verdicts(visit) == 1
        visit.press("u")
        assert (verdicts(visit), pair(visit)) == (0, first)
        reason = visit.page.get_by_label("Why")
        reason.press("d")
        assert reason.input_value() == "d", "a letter in a field is no verdict"
        visit.open("review")
        assert verdicts(visit) == 0


@pytest.mark.parametrize("kind", ["entities", "links"])
def test_names_and_links_are_decided_like_records(browser, of_names, kind):
    with signed_in(browser, of_names, f"Olga {kind}") as visit:
        visit.follow(visit.page.locator(f'nav.tabs a[href$="kind={kind}"]'))
        first = pair(visit)
        visit.press("d")
        assert verdicts(visit) == 1
        assert pair(visit) != first
        visit.press("u")
        assert (verdicts(visit), pair(visit)) == (0, first)


@needs_axe
@pytest.mark.parametrize("kind", ["records", "entities", "links"])
def test_axe_finds_no_violation_on_the_review_page(browser, of_records, of_names, kind):
    server = of_records if kind == "records" else of_names
    with signed_in(browser, server, f"Olga {kind}") as visit:
        for language in ("en", "ru"):
            visit.page.emulate_media(color_scheme="light")
            page = visit.open(f"review?kind={kind}&lang={language}")
            assert page.locator("form.verdicts").count() == 2, "there is a pair"
            assert violations(page) == []
            page.emulate_media(color_scheme="dark")
            assert violations(page, ("color-contrast", "link-in-text-block")) == []
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{kind} at {width} px"
            page.set_viewport_size({"width": 1280, "height": 900})


@needs_axe
def test_axe_finds_no_violation_where_people_sign_in(browser, of_records):
    with visits(browser, of_records, locale="en") as visit:
        assert violations(visit.open("review")) == []
        visit.check()
