"""The summary of a run, as people read it."""

from __future__ import annotations

import click

from bibld.cli._options import print_table
from bibld.pipeline import Summary


def print_summary(summary: Summary) -> None:
    """Print what a run did: records per source, figures, seconds per stage, where the release lies."""
    print_table(
        ("source", "read", "converted", "superseded", "rejected", "deleted"),
        [
            (load.source, load.read, load.converted, load.superseded, load.rejected, load.deleted)
            for load in summary.sources
        ],
    )
    figures = summary.figures
    click.echo(
        f"\n{figures.records:,} records in {figures.clusters:,} clusters, {figures.merged_clusters:,} of them merged; "
        f"{figures.entities:,} entities; {figures.quads:,} quads\n"
    )
    print_table(
        ("stage", "done", "seconds", "a second"),
        [
            (
                time.stage,
                "current" if time.was_current else f"{time.done:,}",
                f"{time.seconds:.2f}",
                "" if time.was_current else f"{time.done / max(time.seconds, 0.001):,.0f}",
            )
            for time in summary.stages
        ],
    )
    if summary.release:
        click.echo(f"\n{'new release' if summary.release_is_new else 'release is current'}: {summary.release}")
    if any(load.rejected for load in summary.sources):
        click.echo("rejects: see `bibld catalog rejects CONFIG`", err=True)
