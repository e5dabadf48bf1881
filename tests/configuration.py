"""The configuration that tests begin with."""

from pathlib import Path

from bibld import config
from bibld.config import Config

HEAD = """\
workspace = "work"
workers = 1
[dataset]
base = "https://data.example.org/"
title = { en = "Books" }
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "A library"
"""


def source(name: str, path: str | Path) -> str:
    """Return the table of a source; further keys may follow it."""
    return f'[[source]]\nid = "{name}"\npath = "{path}"\n'


def write_config(folder: Path, text: str = "", **sources: str | Path) -> Path:
    """Write ``bibld.toml`` with some sources (their ids, and their paths), followed by further TOML."""
    file = folder / "bibld.toml"
    tables = [source(name, path) for name, path in sources.items()]
    file.write_text("".join([HEAD, *tables, text]), encoding="utf-8")
    return file


def load_config(folder: Path, text: str = "", **sources: str | Path) -> Config:
    """Write a configuration as ``write_config`` does, and load it."""
    return config.load(write_config(folder, text, **sources))
