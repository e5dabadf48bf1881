"""``bibld split``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import clock, config_argument, quiet_option
from bibld.cli._verdicts import (
    person_option,
    print_outlook,
    publish_now,
    reason_option,
    run_option,
    sentence,
    speaker,
)


@click.command()
@config_argument
@click.argument("records", nargs=-1, required=True, metavar="ID [ID]...")
@click.option("--withdraw", is_flag=True, help="Take back what splits of these records have said.")
@reason_option
@person_option
@run_option
@quiet_option
def split(
    config: Path, records: tuple[str, ...], withdraw: bool, reason: str, person: str | None, run_now: bool, quiet: bool
) -> None:
    """Take the records ID out of the cluster that they do not belong to.

    Notes for each of them and each member that stays that the two are different; several that are named here stay
    together. The next run takes the cluster apart and publishes it. This may be said while a run is going on.
    """
    from bibld import config as configuration
    from bibld import explain as explaining
    from bibld.catalog import Catalog, Verdicts
    from bibld.dedup import review as reviewing

    loaded = configuration.load(config)
    who, why = speaker(person), sentence(reason)
    with Catalog(loaded.workspace, read_only=True) as catalog, Verdicts(loaded.workspace) as verdicts:
        named = list(dict.fromkeys(explaining.resolve_record(catalog, loaded, text) for text in records))
        if withdraw:
            taken = reviewing.withdraw_split_verdicts(verdicts, named)
            click.echo(f"verdicts of splits withdrawn: {len(taken)}; the next matching decides anew.")
        else:
            sayings = reviewing.split_verdicts(catalog, named, who, why)
            given = reviewing.store_verdicts(verdicts, sayings, clock().isoformat())
            click.echo(f"verdicts given: {len(given)}; `bibld split --withdraw` takes them back.")
            print_outlook(catalog, loaded, named)
    publish_now(loaded, run_now, quiet)
