"""``bibld stats``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table

_MOST = 40


@click.command()
@config_argument
@click.option("--all", "everything", is_flag=True, help=f"List every unmapped subfield, not only the first {_MOST}.")
@json_option
def stats(config: Path, everything: bool, as_json: bool) -> None:
    """Tell what the catalog holds: records and charsets of each source, what is suppressed, and subfields that are not
    in the MODS."""
    from bibld import config as configuration
    from bibld.catalog import Catalog
    from bibld.read import carrier_of

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        loads = catalog.records.load_counts()
        coverage = catalog.records.coverage()
        suppressed = catalog.suppressions.all()
        charsets = [
            (source, file, reader, carrier.declared or "nothing", carrier.charset)
            for source, file, reader, state in catalog.records.charsets()
            if (carrier := carrier_of(reader, state))
        ]
    if as_json:
        print_json({"sources": loads, "files": charsets, "suppressed": suppressed, "coverage": coverage})
        return
    print_table(
        ("source", "read", "converted", "superseded", "rejected", "deleted"),
        [(load.source, load.read, load.converted, load.superseded, load.rejected, load.deleted) for load in loads],
    )
    click.echo()
    print_table(("source", "file", "carrier", "declared", "found"), charsets)
    if suppressed:
        click.echo("\nSuppressed: kept, not published")
        print_table(("record", "what and why"), [(str(one.record), str(one)) for one in suppressed])
    if coverage:
        click.echo("\nSubfields that are not in the MODS (private: kept, not published)")
        print_table(("flavour", "subfield", "fate", "times"), coverage if everything else coverage[:_MOST])
