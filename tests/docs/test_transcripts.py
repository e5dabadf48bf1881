"""The commands of all pages print what the pages show, apart from blocks that are marked as not run with a reason."""

import shutil

import pytest

from bibld.text import headings
from tests.docs.pages import PAGES, name_of, script

TRANSCRIPTS = script("transcripts")


WITH_OUTPUT = [page for page in PAGES if TRANSCRIPTS.shows_output(page.read_text(encoding="utf-8"))]


@pytest.mark.server
@pytest.mark.parametrize("page", WITH_OUTPUT, ids=name_of)
@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs bash and curl")
@pytest.mark.skipif(not headings.FILE.exists(), reason="make additions makes the table of subject headings")
def test_every_command_of_a_page_prints_what_the_page_shows(page):
    """Where this fails, run ``python docs/transcripts.py PAGE --write`` and read the change.

    A block that cannot be run is below ``<!-- not run: REASON -->``.
    """
    found = TRANSCRIPTS.differences(page.read_text(encoding="utf-8"))
    assert [(step.command, step.shown, printed) for step, printed in found] == []


def test_the_tutorial_and_the_pages_about_the_sample_are_run():
    assert {"tutorial", "measure-matching", "review-uncertain-matches", "export-clusters-and-pairs"} <= {
        page.stem for page in WITH_OUTPUT
    }


def test_a_page_is_split_into_files_and_commands():
    page = "\n".join(
        [
            "Write `a/b.toml`:",
            "",
            "```toml",
            "x = 1",
            "```",
            "<!-- before: hidden -->",
            "<!-- not run: it never ends -->",
            "```text",
            "$ never",
            "```",
            "```text",
            "$ one \\",
            "    two",
            "out",
            "$ three",
            "```",
            "",
        ]
    )
    written, hidden, first, second = TRANSCRIPTS.steps_of(page)
    assert written == ("a/b.toml", "x = 1\n")
    assert (hidden.command, hidden.shown) == ("hidden", "…")
    assert (first.command, first.shown) == ("one \\\n    two", "out\n")
    assert page[first.begin : first.end] == "out\n"
    assert (second.command, second.shown) == ("three", "")


@pytest.mark.parametrize(("title", "printed"), [("# One", "en"), ("# Первая неделя", "ru")])
def test_commands_print_the_language_of_the_page(monkeypatch, title, printed):
    monkeypatch.setenv("BIBLD_LANG", "en")
    page = f"{title}\n\nЗапишите в `a.txt`:\n\n```text\nx\n```\n\n```text\n$ cat a.txt; echo $BIBLD_LANG\n```\n"
    assert [each.printed for each in TRANSCRIPTS.differences(page)] == [f"x\n{printed}\n"]


@pytest.mark.parametrize(
    ("before", "block", "shows"),
    [
        ("", "$ one\nout\n", True),
        ("", "$ one\n$ two\n", False),
        ("", "out\n", False),
        ("<!-- not run -->\n", "$ one\nout\n", True),  # without a reason
        ("<!-- not run: needs a server -->\n\n", "$ one\nout\n", False),
    ],
)
def test_a_page_is_run_if_it_shows_an_output_without_a_reason_not_to_run(before, block, shows):
    assert TRANSCRIPTS.shows_output(f"{before}```text\n{block}```\n") is shows


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nb\nc\n", False),
        ("score …5\n", "score 0.25\n", True),
        ("read   289   0.42   688\n", "read  289  12.01  7\n", True),
        ("read   289   0.42   688\n", "read  288  0.42  688\n", False),
        ("всего: 4,1 с\n", "всего: 2 мин\n", True),
        ("store  готово  0,00\n", "store  32\xa0974  1,12  55\xa0495\n", False),
        ("store  32\xa0974  0,63  52\xa0293\n", "store  32\xa0974  1,12  9\n", True),
        ("publish  current  0.00\n", "publish  current  0.12\n", True),
        ("  indented\n", "indented\n", False),
    ],
)
def test_output_is_compared_without_timings_and_elisions(shown, printed, same):
    assert TRANSCRIPTS.is_as_shown(shown, printed) is same
