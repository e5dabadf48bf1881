"""``bibld harvest``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table


@click.command()
@config_argument
@json_option
def harvest(config: Path, as_json: bool) -> None:
    """Fetch what the sources of CONFIG offer, and list the files in the order in which they are read."""
    from bibld import config as configuration
    from bibld import harvest as stage

    loaded = configuration.load(config)
    files = [file for source in loaded.sources for file in stage.files(loaded, source)]
    if as_json:
        print_json([{"source": file.source, "file": file.name, "bytes": file.path.stat().st_size} for file in files])
    else:
        print_table(("source", "file", "bytes"), [(file.source, file.name, file.path.stat().st_size) for file in files])
