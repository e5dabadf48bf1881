"""``bibld check`` and ``bibld harvest``: the configuration, and the files that it names."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument, count_of, json_option, print_json, print_rows


@click.command()
@config_argument
def check(config: Path) -> None:
    """Check CONFIG without starting anything: every fault is reported at once, with file, line and what is allowed."""
    from bibld import Workspace

    workspace = Workspace(config)
    files = workspace.files()
    for source in workspace.config.sources:
        sizes = [file.bytes for file in files if file.source == source.id]
        click.echo(f"{source.id}: {count_of(len(sizes), 'file')}, {count_of(sum(sizes), 'byte')}")
    click.echo(f"{config}: configuration is valid")


@click.command()
@config_argument
@json_option
def harvest(config: Path, as_json: bool) -> None:
    """Fetch what the sources of CONFIG offer, and list the files in the order in which they are read."""
    from bibld import Workspace

    files = Workspace(config).files()
    if as_json:
        print_json(files)
    else:
        print_rows(files, *files.columns)
