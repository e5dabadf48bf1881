"""``bibld check``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument


@click.command()
@config_argument
def check(config: Path) -> None:
    """Check CONFIG without starting anything: every fault is named at once, with file, line and what is allowed."""
    from bibld import config as configuration
    from bibld import harvest

    loaded = configuration.load(config)
    for source in loaded.sources:
        files = list(harvest.files(loaded, source))
        size = sum(file.path.stat().st_size for file in files)
        click.echo(f"{source.id}: {len(files)} files, {size:,} bytes")
    click.echo(f"{config}: is fine")
