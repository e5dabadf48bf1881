"""The pairs for review as a page to be answered in a browser: cards side by side, and verdicts to be saved as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources

import jinja2

from bibld.dedup.review import Question
from bibld.dedup.side_by_side import WORD, ComparedValue


def review_page(questions: Sequence[Question], command: str) -> str:
    """Return the page; ``command`` is the shell command that reads the verdicts. It needs no server and no network."""
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    package = resources.files("bibld")
    template = environment.from_string((package / "_api" / "review.html").read_text(encoding="utf-8"))
    styles = sorted((package / "serve" / "styles").iterdir(), key=lambda file: (file.name != "page.css", file.name))
    style = "".join(file.read_text(encoding="utf-8") for file in styles if file.name.endswith(".css"))
    return template.render(questions=questions, command=command, style=style, pieces=_pieces)


def _pieces(text: str, line: ComparedValue) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text, with whether each is a word that only this one of two different values has."""
    words, position = line.different_words, 0
    for word in WORD.finditer(text):
        if word[0].casefold() in words:
            yield text[position : word.start()], False
            yield word[0], True
            position = word.end()
    if text[position:]:
        yield text[position:], False
