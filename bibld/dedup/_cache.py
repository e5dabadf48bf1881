"""Where compiled kernels are kept: in the folder of the user for caches, or without one in that for temporary files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def cache_folder() -> Path:
    """The folder that the environment names, else the first one that can be made and written."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    homes = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME") and f"{os.environ['HOME']}/.cache"
    for folder in (Path(home) / "bibld" for home in homes if home):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir()) / f"bibld-{os.getuid()}"
