"""What the commands have in common by which people say which records are the same."""

from __future__ import annotations

import getpass
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from bibld.cli._options import clock
from bibld.cli._terminal import shown
from bibld.errors import ConfigError

if TYPE_CHECKING:
    from bibld.catalog import Catalog
    from bibld.config import Config
    from bibld.model.origin import RecordId

person_option = click.option("--person", help="Who says so; the login name by default. It is not published.")
reason_option = click.option("--reason", default="", help="Why; for colleagues, it is not published.")
run_option = click.option("--run", "run_now", is_flag=True, help="Run all stages at once, so that it is published.")


def speaker(person: str | None) -> str:
    """The name of who speaks; raises ``ConfigError`` where there is none."""
    from bibld.dedup.verdict_table import checked_person

    try:
        return checked_person(getpass.getuser() if person is None else person)
    except (OSError, KeyError, ImportError) as error:
        raise ConfigError(["nobody is logged in by name here; say who speaks: --person NAME"]) from error
    except ValueError as error:
        raise ConfigError([f"--person: {error}"]) from error


def sentence(reason: str) -> str:
    """A reason as it is kept; raises ``ConfigError``."""
    from bibld.dedup.verdict_table import checked_reason

    try:
        return checked_reason(reason)
    except ValueError as error:
        raise ConfigError([f"--reason: {error}"]) from error


def print_outlook(catalog: Catalog, config: Config, records: Iterable[RecordId]) -> None:
    """Print the clusters that records will be in after the next run."""
    from bibld.dedup.review import preview_clusters

    click.echo("The clusters will be, as far as the stored pairs tell:")
    for members in preview_clusters(catalog, config, records):
        click.echo(f"  {shown(', '.join(map(str, members)))}")


def publish_now(config: Config, is_wanted: bool, quiet: bool) -> None:
    """Run all stages, or say that the next run publishes what was said."""
    if not is_wanted:
        click.echo(f"The next `bibld run {config.file.name}` publishes this.")
        return
    from bibld import pipeline, progress
    from bibld.cli._summary import print_summary

    with progress.display(quiet=quiet) as bar:
        print_summary(pipeline.run(config, clock(), bar))
