"""Text of records on a terminal, and pairs of records side by side."""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bibld.dedup.review import Question

_NARROWEST, _WIDEST, _NAME = 60, 160, 16


def printable(text: str) -> str:
    """Return a text without control characters: records may contain ones that a terminal obeys."""
    return "".join("�" if unicodedata.category(character) in ("Cc", "Cs") else character for character in text)


def is_interactive() -> bool:
    """Return whether input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_question(question: Question, place: str) -> None:
    """Print a pair side by side: ``≠`` marks what differs, ``?`` what only one of the two states."""
    width = (min(max(get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST) - _NAME - 7) // 2
    click.secho(f"{place}score {question.score:.3f}, up for review by {printable(question.by)}", bold=True)
    click.echo("\n".join(_row(" ", "", printable(question.left), printable(question.right), width)))
    for compared in question.compared:
        values = (printable(compared.left) or "–", printable(compared.right) or "–")
        for line in _row(compared.sign, compared.name, *values, width):
            colour = "yellow" if compared.sign == "≠" else None
            click.secho(line, fg=colour, dim=True if compared.sign == "?" else None)
    for reason in question.reasons:
        click.echo(f"  {printable(reason)}")
    if question.relation:
        click.echo(f"  if they are not the same: {question.relation}")
    click.echo()


def _row(sign: str, name: str, left: str, right: str, width: int) -> Iterator[str]:
    columns = [textwrap.wrap(text, width) or [""] for text in (left, right)]
    for number, (one, other) in enumerate(zip_longest(*columns, fillvalue="")):
        head = f"{sign} {name:<{_NAME}}" if not number else " " * (_NAME + 2)
        yield f"{head} {one:<{width}} │ {other}".rstrip()
