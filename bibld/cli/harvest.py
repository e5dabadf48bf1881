"""``bibld harvest``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json, quiet_option
from bibld.cli.run import KEPT_OLD_STATE


@click.command()
@config_argument
@click.argument("source", required=False)
@click.option(
    "--full", is_flag=True, help="Fetch the whole list, as if nothing were stored; what is absent is removed."
)
@click.option("--since", default="", metavar="DATE", help="Fetch what changed since this day or time (2026-01-31).")
@click.option("--limit", type=click.IntRange(1), default=None, help="Stop after this number of records (partial).")
@click.option("--dry-run", is_flag=True, help="Only ask the servers who they are and what they would be asked for.")
@json_option
@quiet_option
def harvest(
    config: Path,
    source: str | None,
    full: bool,
    since: str,
    limit: int | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fetch what the servers of CONFIG offer into the workspace: all sources, or one.

    Each source ends with one line: complete (the end of what was asked for was proven), partial (what came is used,
    nothing is deleted) or failed. Exit code 4: a source is not complete. What a server did wrong is written to
    WORKSPACE/reports/SOURCE.html and .json, fit to be sent to its owner. `bibld run` harvests first, too.
    """
    from bibld import Workspace, progress

    if since and full:
        raise click.UsageError("--since and --full exclude each other")
    with progress.display(quiet=quiet) as display:
        workspace = Workspace(config, progress=display)
        if dry_run:
            results = workspace.probe(source)
        else:
            results = workspace.harvest(source, full=full, since=since, limit=limit or 0)
    if as_json:
        print_json(results)
    else:
        for result in results:
            click.echo(result.line)
    if any(result.outcome in ("partial", "failed") for result in results):
        sys.exit(KEPT_OLD_STATE)
