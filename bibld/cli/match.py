"""``bibld match``: what the records of a file are in the release."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from bibld.cli._language import echo
from bibld.cli._options import config_argument, count_of, file_options, opened, quiet_option
from bibld.model.matched import OUTCOMES


@click.command()
@config_argument
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@file_options
@click.option("--only", multiple=True, type=click.Choice(list(OUTCOMES)), help="Only records with this outcome.")
@click.option("--reader", default="auto", help="The format of the files; detected by default.")
@click.option("--charset", default="auto", help="The character set of the files; detected by default.")
@click.option("--flavour", default="auto", help="The crosswalk: marc21, rusmarc …; detected by default.")
@quiet_option
def match(
    config: Path,
    files: tuple[Path, ...],
    form: Any,  # noqa: ANN401
    out: Path | None,
    only: Any,  # noqa: ANN401
    quiet: bool,
    **detected: str,
) -> None:
    r"""Match the records of files with the publications of the current release; nothing of them is stored.

    The result is a table with a row for each record: `outcome` is `same` (the publication is there), `review` (ask a
    person), `related` (another edition, volume or form is there), `new`, or `rejected` (cannot be used, see `message`);
    then the IRIs of publication and work, the libraries that have it, the score and the reasons. `duplicates` are other
    records of the files that describe the same.

    \b
    bibld match bibld.toml delivery.mrc --out delivery.xlsx
    bibld match bibld.toml delivery.mrc --only new > new.csv
    """
    with opened(config, quiet=quiet) as workspace:
        found = workspace.export_matches(out or sys.stdout, files, form, outcomes=only, **detected)
    counts = [f"{count:,} {OUTCOMES[outcome]}" for outcome, count in found.items()]  # type: ignore[index]
    echo(f"{count_of(sum(found.values()), 'record')}: {'; '.join(counts) or 'none'}", err=True)
