"""The folders of data that are installed with bibld."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def folder(name: str) -> Path:
    """Return the folder of this name: inside an installed package, or beside the package in a checkout.

    Raises ``FileNotFoundError`` if neither exists.
    """
    for directory in (_PACKAGE / name, _PACKAGE.parent / name):
        if directory.is_dir():
            return directory
    raise FileNotFoundError(f"bibld's folder {name!r} is missing from this installation; install bibld again")
