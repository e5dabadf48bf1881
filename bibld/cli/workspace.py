"""``bibld workspace``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli import Group
from bibld.cli._options import config_argument, count_of, json_option, print_json, quiet_option


@click.group(cls=Group)
def workspace() -> None:
    """Move a workspace between the engines that compute it."""


@workspace.command()
@config_argument
@click.option("--to", required=True, type=click.Choice(["spark", "local"]), help="The engine of the next run.")
@json_option
@quiet_option
def convert(config: Path, to: str, as_json: bool, quiet: bool) -> None:
    """Move the results of the last run of CONFIG to another engine.

    With --to spark all rows of the workspace become tables in the storage of [engine], and `bibld run CONFIG --engine
    spark` goes on from them: IRIs, verdicts and the history are the same. With --to local the tables of the last run on
    Spark replace the databases of the workspace; verdicts that people gave since are kept, and `bibld run CONFIG
    --engine local` makes store, search and release from them. A conversion that was interrupted is continued when the
    command is repeated. Needs `pip install 'bibld[spark]'`, and Java only if the storage is no folder.
    """
    from bibld import Workspace, progress

    with progress.display(quiet=quiet) as display:
        converted = Workspace(config, progress=display).convert(to)  # type: ignore[arg-type]
    if as_json:
        print_json(converted)
        return
    rows = count_of(sum(converted.rows.values()), "row")
    what = f"{rows} of {count_of(len(converted.rows), 'table')}, {count_of(converted.rows['records'], 'record')}"
    if converted.was_current:
        click.echo(f"run {converted.run} in {converted.storage} is current: {what}")
    else:
        direction = "to" if to == "spark" else "from"
        click.echo(f"{what} copied {direction} run {converted.run} in {converted.storage}")
