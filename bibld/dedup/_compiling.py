"""The compiler of the kernels, with a cache that can be written wherever bibld is installed."""

from __future__ import annotations

from numba import config, njit

from bibld.dedup._cache import cache_folder

# Not by the environment, which processes that are started would inherit.
setattr(config, "CACHE_DIR", str(cache_folder()))  # noqa: B010

__all__ = ["njit"]
