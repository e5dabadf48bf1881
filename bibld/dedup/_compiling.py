"""The compiler of the kernels, with a cache that can be written wherever bibld is installed.

The first use on a machine compiles for some seconds; the result is kept in the user's cache folder, or for a user
without one in the folder for temporary files.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def _cache_folder() -> Path:
    """The first folder that can be made and written."""
    homes = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME") and f"{os.environ['HOME']}/.cache"
    wanted = [Path(home) / "bibld" for home in homes if home]
    for folder in wanted:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir()) / f"bibld-{os.getuid()}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache_folder()))

from numba import njit  # noqa: E402  numba reads the variable when it is imported

__all__ = ["njit"]
