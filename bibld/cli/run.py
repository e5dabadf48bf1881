"""``bibld run``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli._options import (
    clock,
    config_argument,
    json_option,
    print_json,
    quiet_option,
    rebuild_option,
    restat_option,
)

TOO_MANY_REJECTS = 3


@click.command()
@config_argument
@click.option(
    "--max-rejects",
    type=click.FloatRange(0, 100),
    default=100,
    show_default=True,
    help="Exit with code 3 when more than this percentage of the records read is rejected.",
)
@restat_option
@rebuild_option
@json_option
@quiet_option
def run(config: Path, max_rejects: float, restat: bool, rebuild: bool, as_json: bool, quiet: bool) -> None:
    """Go through all stages: read the sources of CONFIG, match, merge, and publish a release.

    What did not change since the last run is not done again; a run that was interrupted is resumed. The summary tells
    the records of each source, the clusters, the quads and where the release lies.
    """
    from bibld import config as configuration
    from bibld import pipeline, progress
    from bibld.cli._summary import print_summary

    loaded = configuration.load(config)
    with progress.display(quiet=quiet) as shown:
        summary = pipeline.run(loaded, clock(), shown, restat=restat, rebuild=rebuild)
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
    total = sum(load.read for load in summary.sources)
    rejected = sum(load.rejected for load in summary.sources)
    if total and 100 * rejected / total > max_rejects:
        click.echo(f"bibld: {rejected} of {total} records were rejected, more than {max_rejects} %", err=True)
        sys.exit(TOO_MANY_REJECTS)
