"""``bibld catalog``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json


@click.group()
def catalog() -> None:
    """Look into the catalog of a workspace."""


@catalog.command()
@config_argument
@click.option("--source", help="Only the rejects of this source.")
@json_option
def rejects(config: Path, source: str | None, as_json: bool) -> None:
    """List the pieces that became no record: where they stand, and why.

    With --json also their bytes, in base64.
    """
    from bibld import config as configuration
    from bibld.catalog import Catalog

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as opened:
        found = list(opened.records.rejects(source))
    if as_json:
        print_json(found)
        return
    for reject in found:
        number = f", 001 {reject.control_number}" if reject.control_number else ""
        click.echo(f"{reject.origin}{number}: {reject.reason} [{reject.kind}, {len(reject.original)} bytes kept]")


@catalog.command()
@config_argument
@click.option("--what", type=click.Choice(["mods", "original"]), default="mods", show_default=True)
def export(config: Path, what: str) -> None:
    """Write all living source records to stdout: one modsCollection, or the original bytes as they were read."""
    from bibld import config as configuration
    from bibld.catalog import Catalog
    from bibld.model.mods_xml import write_collection

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as opened:
        if what == "mods":
            write_collection((mods for _, _, mods in opened.records.living()), sys.stdout.buffer)
            return
        for ordinal, _ in opened.records.made_by():
            record = opened.records.get(ordinal)
            if record is not None:
                sys.stdout.buffer.write(record.original)
