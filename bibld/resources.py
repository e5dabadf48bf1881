"""The folders that travel with bibld: ``ontology`` and ``sample_data``."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder of this name: inside an installed package, or beside the package in a checkout.

    Raises ``FileNotFoundError`` where there is neither.
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"bibld's folder {name!r} is missing from this installation; install bibld again")
