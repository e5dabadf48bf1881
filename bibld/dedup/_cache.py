"""Where compiled kernels are kept: in the folder of the user for caches, or without one in that for temporary files.

Each state of the kernels' sources has a folder of its own, since what one version has compiled another may not even
be able to read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from functools import lru_cache
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"
_KERNELS = "kernels-"
_COMPILERS = b"_compiling", b"_kernel_types", b"numba"
_KEPT = 90 * 24 * 3600
"""Seconds that the kernels of another version are kept since they were last used."""


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder for the kernels of these sources, in the one that the environment names, else in the first one that
    can be made and written."""
    return _base() / f"{_KERNELS}{_state()}"


def use_cache() -> None:
    """Note that the folder is used, and remove those of versions that nobody has used for long."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in folder.parent.glob(f"{_KERNELS}*"):
        if other.stat().st_mtime < time.time() - _KEPT:
            shutil.rmtree(other, ignore_errors=True)


def _base() -> Path:
    named, home = os.environ.get(VARIABLE), os.environ.get("HOME")
    homes = os.environ.get("XDG_CACHE_HOME"), home and f"{home}/.cache"
    for folder in (Path(one) for one in (named, *(each and f"{each}/bibld" for each in homes)) if one):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir()) / f"bibld-{os.getuid()}"


def _state() -> str:
    """A hash of the sources that kernels are in, and of their times, by which the compiler knows what is new."""
    state = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        content = path.read_bytes()
        if any(name in content for name in _COMPILERS):
            state.update(content + str(path.stat().st_mtime_ns).encode())
    return state.hexdigest()
