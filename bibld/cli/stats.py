"""``bibld stats``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bibld.cli._options import config_argument, json_option, print_json, print_rows, print_table

if TYPE_CHECKING:
    from bibld import Workspace

_MOST = 40


@click.command()
@config_argument
@click.option("--all", "all_subfields", is_flag=True, help=f"List every unmapped subfield, not only the first {_MOST}.")
@click.option(
    "--triples",
    is_flag=True,
    help="Report instead which triples the elements of MODS make, and which make none and why.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Publications that --triples looks at, evenly distributed over the catalog.",
)
@json_option
def stats(config: Path, all_subfields: bool, triples: bool, limit: int, as_json: bool) -> None:
    """Report what the catalog contains.

    For each source: records, freshness if it is fetched from a server, and charsets; then the suppressions, and the
    subfields that are not in the MODS.
    """
    from bibld import Workspace

    if triples:
        _report_triples(Workspace(config), limit, as_json)
        return
    found = Workspace(config).stats()
    if as_json:
        print_json(found)
        return
    print_rows(found.sources, "source", "read", "converted", "superseded", "rejected", "deleted")
    if found.freshness:
        click.echo("\nHarvests from servers")
        print_rows(
            found.freshness,
            "source",
            "outcome",
            "complete",
            "attempt",
            "newest",
            "records",
            "days_silent",
            "usual_days",
        )
        for one in found.freshness:
            if one.is_silent:
                click.echo(f"warning: {one.source}: nothing new for {one.days_silent:g} days", err=True)
    click.echo()
    print_table(("source", "file", "carrier", "declared", "found"), found.files)
    if found.suppressed:
        click.echo("\nSuppressed: stored, not published")
        print_table(("record", "what and why"), [(str(one.record), str(one)) for one in found.suppressed])
    if found.coverage:
        click.echo("\nSubfields that are not in the MODS (private: stored, not published)")
        shown = found.coverage if all_subfields else found.coverage[:_MOST]
        print_table(("flavour", "subfield", "fate", "times"), shown)
        if len(shown) < len(found.coverage):
            click.echo(f"… and {len(found.coverage) - len(shown)} more: add --all", err=True)


def _report_triples(workspace: Workspace, limit: int, as_json: bool) -> None:
    """Print what became of each element of MODS."""
    found = workspace.triples_coverage(limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (row.name, row.seen, row.published, "; ".join(row.triples) or f"none: {row.reason or 'no reason is known'}")
        for row in found
    ]
    print_table(("MODS", "seen", "published", "triples"), rows)
