"""``bibld join``."""

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
from bibld.errors import ConfigError


@click.command()
@config_argument
@click.argument("one")
@click.argument("other")
@reason_option
@person_option
@run_option
@quiet_option
def join(config: Path, one: str, other: str, reason: str, person: str | None, run_now: bool, quiet: bool) -> None:
    """Say that the records ONE and OTHER describe the same publication.

    The next run puts them into one cluster, whatever their scores, and publishes it. This may be said while a run is
    going on; `bibld review --withdraw` takes it back.
    """
    from bibld import config as configuration
    from bibld import explain as explaining
    from bibld.catalog import Catalog, PersonVerdict, Verdicts
    from bibld.dedup import review as reviewing
    from bibld.model.linkage import Pair

    loaded = configuration.load(config)
    who, why = speaker(person), sentence(reason)
    with Catalog(loaded.workspace, read_only=True) as catalog, Verdicts(loaded.workspace) as verdicts:
        named = [explaining.resolve_record(catalog, loaded, text) for text in (one, other)]
        if gone := [
            f"{record} is deleted: it is in no cluster" for record in named if catalog.cluster_of(record) is None
        ]:
            raise ConfigError(gone)
        try:
            pair = Pair.from_records(*named)
        except ValueError as error:
            raise ConfigError([str(error)]) from error
        given = reviewing.store_verdicts(verdicts, [PersonVerdict(pair, "same", who, why)], clock().isoformat())
        click.echo("The verdict is given." if given else "You have said so before; nothing is changed.")
        print_outlook(catalog, loaded, named)
    publish_now(loaded, run_now, quiet)
