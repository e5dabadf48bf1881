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
        try:
            sparql = Path(sparql[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError([f"{sparql[1:]}: cannot be read: {error}"]) from error
    rows = Workspace(config).query(sparql)
    if as_json:
        print_json(rows.to_dicts())
        return
    cells = [["" if cell is None else cell for cell in row.values()] for row in rows.to_dicts()]
    print_table(rows.columns, [[printable(cell) if isinstance(cell, str) else cell for cell in row] for row in cells])
