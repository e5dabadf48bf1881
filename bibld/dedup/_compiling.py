"""The compiler of the kernels, with a cache that can be written wherever bibld is installed."""

from __future__ import annotations

import os

from bibld.dedup._cache import VARIABLE, cache_folder

os.environ.setdefault(VARIABLE, str(cache_folder()))

from numba import njit

__all__ = ["njit"]
