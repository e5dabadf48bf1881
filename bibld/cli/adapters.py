"""``bibld adapters``."""

from __future__ import annotations

import click

from bibld.cli._options import json_option, print_json, print_rows


@click.command()
@json_option
def adapters(as_json: bool) -> None:
    """List the adapters of every stage: the names that a configuration may use."""
    from bibld import list_adapters

    rows = list_adapters()
    if as_json:
        print_json(rows)
    else:
        print_rows(rows, *rows.columns)
