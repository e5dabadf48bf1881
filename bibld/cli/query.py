"""``bibld query``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table
from bibld.cli._terminal import printable


@click.command()
@config_argument
@click.argument("sparql")
@json_option
def query(config: Path, sparql: str, as_json: bool) -> None:
    """Answer a SPARQL query from the current release of CONFIG.

    SPARQL is the query, or @FILE for a file that contains it.
    """
    from bibld import ConfigError, Workspace

    if sparql.startswith("@"):
        file = Path(sparql[1:])
        try:
            sparql = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ConfigError([f"{file}: not found; name a file that contains the query after @"]) from None
        except OSError as error:
            raise ConfigError([f"{file}: cannot be read: {error.strerror}"]) from error
        except UnicodeDecodeError as error:
            raise ConfigError([f"{file}: is not UTF-8; save the file as UTF-8"]) from error
    rows = Workspace(config).query(sparql)
    if as_json:
        print_json(rows.to_dicts())
        return
    cells = [[_cell(cell) for cell in row.values()] for row in rows.to_dicts()]
    print_table(rows.columns, cells, groups_digits=False)  # a year is no count


def _cell(value: str | float | bool | None) -> str | float:
    """Return a value as a table shows it: booleans as SPARQL writes them, nothing for an unbound variable."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return printable(value) if isinstance(value, str) else value
