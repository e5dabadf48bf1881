"""Options and forms of output that several commands share."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click
import msgspec

import bibld
from bibld import progress
from bibld.cli._language import echo, terminal
from bibld.model.finding import Finding

if TYPE_CHECKING:
    from bibld.dedup.review import Question


# -- options -----------------------------------------------------------------------------------------------------------


config_argument = click.argument("config", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress, only warnings.")
keep_tables_option = click.option(
    "--keep-tables",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also match all records and write each step as a table in Parquet into this folder.",
)
source_option = click.option("--source", help="Only records of this source.")


@contextmanager
def opened(config: Path, **display: Any) -> Iterator[bibld.Workspace]:  # noqa: ANN401
    """Open a workspace that shows its progress on the terminal; the options are those of ``progress.display``."""
    with progress.display(**display, words=terminal()) as shown:
        yield bibld.Workspace(config, progress=shown, language=terminal().tag)


def print_json(value: object) -> None:
    """Print a value as JSON on standard output."""
    click.echo(msgspec.json.format(to_json(value)).decode())


def show(value: object, as_json: bool, print_text: Callable[[], None]) -> None:
    """Print a value as JSON, or call ``print_text`` to print it for people."""
    print_json(value) if as_json else print_text()


def to_json(value: object) -> bytes:
    """Return any result of the public functions as JSON: tables as lists, paths as texts."""
    return msgspec.json.encode(value, enc_hook=_plain)


def _plain(value: object) -> object:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value).encode("utf-8", "backslashreplace").decode()
    if isinstance(value, bibld.Table):
        return list(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[object]], fits_terminal: bool = False, is_data: bool = False
) -> None:
    """Print a table on standard output: texts to the left, numbers to the right.

    ``fits_terminal``: lines that are too long for a terminal are cut; files and pipes get all of them. ``is_data``:
    names and values are somebody else's, and printed as they are; otherwise integers are counts (``1,234``), and words
    are in the language of the terminal.
    """
    if is_data:
        cells = [list(map(str, row)) for row in rows]
    else:
        words = terminal()
        cells = [[words.cell(name, cell) for name, cell in zip(header, row, strict=True)] for row in rows]
        header = [words.word("column", name) for name in header]
    widths = [max(len(line[column]) for line in [header, *cells]) for column in range(len(header))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(header))]
    room = shutil.get_terminal_size().columns if fits_terminal and sys.stdout.isatty() else None
    for line in [header, *cells]:
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ]
        text = "  ".join(parts).rstrip()
        click.echo(text if room is None or len(text) <= room else f"{text[: room - 1]}…")


def print_rows(rows: Sequence[Any], *names: str) -> None:
    """Print structs as a table of the columns with these names; ``_`` in a name is a blank in the header."""
    print_table([name.replace("_", " ") for name in names], [[getattr(row, name) for name in names] for row in rows])


def print_findings(findings: Iterable[Finding], err: bool = False) -> None:
    """Print findings, each with its examples; on standard error each begins with what it is."""
    prefix = {"error": "bibld: ", "warning": "warning: ", "info": ""}
    for finding in findings:
        echo(f"{prefix[finding.severity] if err else ''}{finding}", err=err)
        for example in finding.examples:
            parts = (example.at, example.where, example.what)
            echo(f"    {'  '.join(part for part in parts if part)}", err=err)


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or plural: ``1 file``, ``2 files``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


# -- terminal ----------------------------------------------------------------------------------------------------------


_MIN_COLUMNS, _MAX_COLUMNS, _NAME = 60, 160, 14
_WORD = re.compile(r"\w+")


def printable(text: str) -> str:
    """Return a text without control characters: records may contain ones that a terminal obeys."""
    return "".join("�" if unicodedata.category(character) in ("Cc", "Cs") else character for character in text)


def is_interactive() -> bool:
    """Return whether input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_question(question: Question, number: str) -> None:
    """Print the cards of a pair side by side, with the reasons for asking and the addresses of the two records.

    Each line begins with its sign and the meaning of the sign. Of what differs the different words are coloured.
    """
    words, in_context = terminal().text, terminal().word
    meanings = [in_context("card", compared.in_words(question.sides)) for compared in question.compared]
    head = max(map(len, meanings), default=0) + _NAME + 3
    width = (min(max(get_terminal_size((100, 24)).columns, _MIN_COLUMNS), _MAX_COLUMNS) - head - 4) // 2
    score = words(f"score {question.score:.3f}, up for review by {printable(question.by)}")
    click.secho(f"{number}{score}", bold=True)
    for line in _row(" " * head, (question.left, question.right), width):
        click.secho(line, bold=True)
    click.echo(f"{'':<{head}} {'─' * width}─┼─{'─' * width}")
    for compared, meaning in zip(question.compared, meanings, strict=True):
        sign = click.style(compared.sign, fg="yellow" if compared.sign == "≠" else None)
        name = click.style(f"{in_context('card', compared.name):<{_NAME}}", dim=True)
        left, right = (terminal().card_value(compared.name, text) or "–" for text in (compared.left, compared.right))
        for line in _row(
            f"{sign} {printable(meaning):<{head - _NAME - 3}} {name}", (left, right), width, compared.different_words
        ):
            click.echo(line)
    click.echo()
    for sentence in (*question.reasons, *(f"to find out: {one}" for one in question.would_decide)):
        for line in textwrap.wrap(words(printable(sentence)), 2 * width + head, subsequent_indent="    "):
            click.echo(f"  {line}")
    if question.relation:
        echo(f"  if they are not the same: {question.relation}")
    for page in question.pages:
        click.secho(f"  {printable(page)}", dim=True)
    click.echo()


def _row(head: str, texts: tuple[str, str], width: int, different: Collection[str] = ()) -> Iterator[str]:
    """Yield the lines of two texts side by side after the ``head``, with their ``different`` words in colour."""
    columns = [textwrap.wrap(printable(text), width) or [""] for text in texts]
    for number, (one, other) in enumerate(zip_longest(*columns, fillvalue="")):
        begin = " " * len(click.unstyle(head)) if number else head
        yield f"{begin} {_colour(f'{one:<{width}}', different)} │ {_colour(other, different)}".rstrip()


def _colour(text: str, words: Collection[str]) -> str:
    """Colour these words of a text."""
    return _WORD.sub(lambda word: click.style(word[0], fg="yellow") if word[0].casefold() in words else word[0], text)


def file_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a command that writes a table: ``form`` and ``out``."""
    form = click.option(
        "--format",
        "form",
        type=click.Choice(["csv", "xlsx", "jsonl", "parquet"]),
        help="By default that of the file name, or csv.",
    )
    out = click.option(
        "--out", "-o", type=click.Path(path_type=Path), help="Write this file instead of standard output."
    )
    return form(out(command))
