"""What records and people say, as a terminal shows it."""

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
    from bibld.dedup.review import ComparedFeature, Question

_NARROWEST, _WIDEST, _NAME = 60, 160, 16


def shown(text: str) -> str:
    """A text without control characters: records may hold ones that a terminal obeys."""
    return "".join("�" if unicodedata.category(character) in ("Cc", "Cs") else character for character in text)


def is_conversation() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_question(question: Question, place: str) -> None:
    """Print a pair side by side; what differs is marked with ``≠``, what one of the two does not say with ``?``."""
    width = (min(max(get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST) - _NAME - 7) // 2
    click.secho(f"{place}score {question.score:.3f}, up for review by {shown(question.by)}", bold=True)
    click.echo("\n".join(_row(" ", "", shown(question.left), shown(question.right), width)))
    for compared in question.compared:
        _print_compared(compared, width)
    for reason in question.reasons:
        click.echo(f"  {shown(reason)}")
    if question.relation:
        click.echo(f"  if they are not the same: {question.relation}")
    click.echo()


def _print_compared(compared: ComparedFeature, width: int) -> None:
    lines = _row(compared.sign, compared.name, shown(compared.left) or "–", shown(compared.right) or "–", width)
    for line in lines:
        click.secho(line, fg="yellow" if compared.sign == "≠" else None, dim=True if compared.sign == "?" else None)


def _row(sign: str, name: str, left: str, right: str, width: int) -> Iterator[str]:
    columns = [textwrap.wrap(text, width) or [""] for text in (left, right)]
    for number, (one, other) in enumerate(zip_longest(*columns, fillvalue="")):
        head = f"{sign} {name:<{_NAME}}" if not number else " " * (_NAME + 2)
        yield f"{head} {one:<{width}} │ {other}".rstrip()
