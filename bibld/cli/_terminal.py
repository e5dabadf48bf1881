"""Text of records on a terminal, and pairs of records side by side."""

from __future__ import annotations

import re
import sys
import textwrap
import unicodedata
from collections.abc import Collection, Iterator
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bibld.dedup.review import Question

_NARROWEST, _WIDEST, _NAME = 60, 160, 16
_WORD = re.compile(r"\w+")


def printable(text: str) -> str:
    """Return a text without control characters: records may contain ones that a terminal obeys."""
    return "".join("�" if unicodedata.category(character) in ("Cc", "Cs") else character for character in text)


def is_interactive() -> bool:
    """Return whether input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_question(question: Question, place: str) -> None:
    """Print the cards of a pair side by side, with the reasons for asking and the addresses of the two records.

    ``≠`` marks what differs, and its different words are coloured; ``≈`` marks what is only written differently, ``?``
    what only one of the two states.
    """
    width = (min(max(get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST) - _NAME - 7) // 2
    click.secho(f"{place}score {question.score:.3f}, up for review by {printable(question.by)}", bold=True)
    for line in _row(" ", "", (question.left, question.right), width):
        click.secho(line, bold=True)
    click.echo(f"{'':<{_NAME + 2}} {'─' * width}─┼─{'─' * width}")
    for compared in question.compared:
        values = (compared.left or "–", compared.right or "–")
        for line in _row(compared.sign, compared.name, values, width, compared.different_words):
            click.echo(line)
    click.echo()
    for reason in question.reasons:
        for line in textwrap.wrap(printable(reason), 2 * width + _NAME, subsequent_indent="    "):
            click.echo(f"  {line}")
    if question.relation:
        click.echo(f"  if they are not the same: {question.relation}")
    for page in question.pages:
        click.secho(f"  {printable(page)}", dim=True)
    click.echo()


def _row(sign: str, name: str, texts: tuple[str, str], width: int, different: Collection[str] = ()) -> Iterator[str]:
    """Yield the lines of two texts side by side, with their ``different`` words in colour."""
    columns = [textwrap.wrap(printable(text), width) or [""] for text in texts]
    for number, (one, other) in enumerate(zip_longest(*columns, fillvalue="")):
        head = click.style(sign, fg="yellow" if sign == "≠" else None) if not number else " "
        label = click.style(f"{name if not number else '':<{_NAME}}", dim=True)
        yield f"{head} {label} {_colour(f'{one:<{width}}', different)} │ {_colour(other, different)}".rstrip()


def _colour(text: str, words: Collection[str]) -> str:
    """Colour these words of a text."""
    return _WORD.sub(lambda word: click.style(word[0], fg="yellow") if word[0].casefold() in words else word[0], text)
