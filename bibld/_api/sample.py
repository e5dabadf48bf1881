"""The sample, to try bibld with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bibld.errors import ConfigError
from bibld.serve.ontology import folder

_WORKSPACE_OF_CHECKOUT = 'workspace = "../build/sample"'


def write_sample(folder_name: str | os.PathLike[str]) -> Path:
    """Write the sample (three catalogues, labelled pairs, a configuration) into a new folder; return the configuration.

    Raises ``ConfigError`` if the folder is not empty or cannot be written.
    """
    place = Path(folder_name)
    try:
        if place.exists() and any(place.iterdir()):
            raise ConfigError([f"{place}: is not empty; name a new folder"])
        unwanted = shutil.ignore_patterns("__pycache__", "*.py")
        shutil.copytree(folder("sample_data"), place, dirs_exist_ok=True, ignore=unwanted)
        config = place / "bibld.toml"
        text = config.read_text(encoding="utf-8").replace(_WORKSPACE_OF_CHECKOUT, 'workspace = "build"')
        config.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            [f"{place}: the sample cannot be written: {error.strerror or error}; name another folder"]
        ) from error
    return config
