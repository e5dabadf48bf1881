"""Compile functions over arrays with numba: once per kernel, for declared types, when its module is first imported.

An array that is only read is declared read-only, so that the same machine code serves arrays in memory and arrays
mapped from files. Entry points that nobody calls (from C; for :func:`inner` also from Python) are left out, which saves
a quarter of the time. The machine code is stored in :func:`bibld.dedup.warm_up.cache_folder`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import config, njit, types

from bibld.dedup.warm_up import cache_folder

__all__ = ["njit", "types"]

Loop = TypeVar("Loop", bound=Callable[..., Any])

# Set here rather than in the environment, which other programs that bibld starts would inherit.
setattr(config, "CACHE_DIR", str(cache_folder()))  # noqa: B010

OFFSETS = types.Array(types.int64, 1, "C", readonly=True)
CODES = types.Array(types.uint32, 1, "C", readonly=True)
ROWS = CODES
NUMBERS = types.Array(types.uint64, 1, "C", readonly=True)
COUNTS = types.Array(types.int32, 1, "C", readonly=True)
FLAGS = types.Array(types.boolean, 1, "C", readonly=True)
TABLE = types.Array(types.uint64, 2, "C", readonly=True)
PLACES = types.Array(types.int64, 2, "C", readonly=True)
NEW_OFFSETS = types.int64[::1]
NEW_NUMBERS = types.uint64[::1]
NEW_ROWS = types.uint32[::1]
NEW_COUNTS = types.int32[::1]

MISSING = -1.0
"""The similarity of two values if a record lacks one of them."""


def results(*parts: Any) -> Any:  # noqa: ANN401
    """Return the type of a result that consists of several values."""
    return types.Tuple(parts)  # type: ignore[no-untyped-call]


_KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
_INNER: dict[str, Any] = _KERNEL | {"no_cpython_wrapper": True}


def kernel(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile a function that Python calls; it releases the lock of the interpreter."""
    compiled: Callable[[Loop], Loop] = njit(signature, **_KERNEL)
    return compiled


def inner(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile a function that only kernels call."""
    compiled: Callable[[Loop], Loop] = njit(signature, **_INNER)
    return compiled
