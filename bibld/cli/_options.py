"""Options and forms of output that several commands share."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

import bibld
from bibld.model.finding import Finding

config_argument = click.argument("config", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress, only warnings.")
keep_tables_option = click.option(
    "--keep-tables",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also match all records and write each step as a table in Parquet into this folder.",
)
source_option = click.option("--source", help="Only records of this source.")


def print_json(value: object) -> None:
    """Print a value as JSON on standard output."""
    click.echo(msgspec.json.format(to_json(value)).decode())


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
    header: Sequence[str], rows: Sequence[Sequence[object]], fits_terminal: bool = False, groups_digits: bool = True
) -> None:
    """Print a table on standard output: texts to the left, numbers to the right.

    ``fits_terminal``: lines that are too long for a terminal are cut; files and pipes get all of them.
    ``groups_digits``: integers are counts, written as ``1,234``.
    """
    integer = "{:,}" if groups_digits else "{}"
    cells = [[integer.format(cell) if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in [list(header), *cells]) for column in range(len(header))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(header))]
    room = shutil.get_terminal_size().columns if fits_terminal and sys.stdout.isatty() else None
    for line in [list(header), *cells]:
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
        click.echo(f"{prefix[finding.severity] if err else ''}{finding}", err=err)
        for example in finding.examples:
            parts = (example.at, example.where, example.what)
            click.echo(f"    {'  '.join(part for part in parts if part)}", err=err)


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or plural: ``1 file``, ``2 files``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
