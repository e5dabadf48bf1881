"""What several commands take or print."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from bibld.errors import ConfigError

config_argument = click.argument("config", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
restat_option = click.option(
    "--restat", is_flag=True, help="Count the word frequencies and oversized keys of blocking anew."
)
rebuild_option = click.option(
    "--rebuild",
    is_flag=True,
    help="Do everything behind reading anew: match, merge and say all. What is published stays the same.",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress.")


def clock() -> datetime:
    """The time of this run: now, or what SOURCE_DATE_EPOCH says; raises ``ConfigError``."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError([f"SOURCE_DATE_EPOCH={given}: must be a number of seconds since 1970"]) from error


def print_json(value: object) -> None:
    """Print a value as JSON on stdout."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on stdout: texts to the left, numbers to the right."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in [list(header), *cells]) for column in range(len(header))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(header))]
    for line in [list(header), *cells]:
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ]
        click.echo("  ".join(parts).rstrip())
