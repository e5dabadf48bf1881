"""``bibld sample``."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from bibld import resources
from bibld.errors import ConfigError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def sample(folder: Path) -> None:
    """Write a small example into FOLDER: three catalogues, a list of judged pairs, and a configuration to run."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ConfigError([f"{folder}: is not empty; name a new folder"])
        shutil.copytree(
            resources.folder("sample_data"),
            folder,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*.py"),
        )
    except OSError as error:
        raise ConfigError([f"{folder}: the sample cannot be written there: {error}"]) from error
    config = folder / "bibld.toml"
    in_checkout = 'workspace = "../build/sample"'
    config.write_text(config.read_text(encoding="utf-8").replace(in_checkout, 'workspace = "build"'), encoding="utf-8")
    click.echo(f"now try:\n  bibld run {config}\n  bibld serve {config}")
