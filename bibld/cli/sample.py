"""``bibld sample``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def sample(folder: Path) -> None:
    """Write a small example into FOLDER: three catalogues, a list of labelled pairs, and a configuration to run."""
    from bibld import write_sample

    config = shlex.quote(str(write_sample(folder)))
    click.echo(f"now try:\n  bibld run {config}\n  bibld serve {config}")
