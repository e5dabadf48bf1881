"""The commands of the tutorial print what the tutorial shows."""

import importlib.util
import shutil
import sys

import pytest

from bibld.text import headings
from tests.docs.pages import DOCS


def load_transcripts():
    spec = importlib.util.spec_from_file_location("docs_transcripts", DOCS / "transcripts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TRANSCRIPTS = load_transcripts()


@pytest.mark.server
@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs bash and curl")
@pytest.mark.skipif(not headings.FILE.exists(), reason="make additions makes the table of subject headings")
def test_every_command_of_the_tutorial_prints_what_the_tutorial_shows():
    """Where this fails, run ``python docs/transcripts.py docs/tutorial.md --write`` and read the change."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    found = TRANSCRIPTS.differences(page)
    assert [(step.command, step.shown, printed) for step, printed in found] == []


def test_a_page_is_split_into_files_and_commands():
    page = "\n".join(
        [
            "Write `a/b.toml`:",
            "",
            "```toml",
            "x = 1",
            "```",
            "<!-- not run -->",
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
    written, first, second = TRANSCRIPTS.steps_of(page)
    assert written == ("a/b.toml", "x = 1\n")
    assert (first.command, first.shown) == ("one \\\n    two", "out\n")
    assert page[first.begin : first.end] == "out\n"
    assert (second.command, second.shown) == ("three", "")


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
        ("publish  current  0.00\n", "publish  current  0.12\n", True),
        ("  indented\n", "indented\n", False),
    ],
)
def test_output_is_compared_without_timings_and_elisions(shown, printed, same):
    assert TRANSCRIPTS.is_as_shown(shown, printed) is same
