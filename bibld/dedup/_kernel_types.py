"""How the kernels of blocking are compiled: once each, for stated types, when their module is first imported.

An array that is only read is stated as such, so that one and the same machine code serves arrays of ours and those that
are mapped from files. What numba would add for callers from C, and for parts of kernels also for callers from Python,
is left out: it takes a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types

from bibld.dedup._compiling import njit

Loop = TypeVar("Loop", bound=Callable[..., Any])

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
"""The likeness of two values of which a record does not say one."""

_FOR_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True}
_FOR_KERNELS: dict[str, Any] = _FOR_PYTHON | {"no_cpython_wrapper": True}


def together(*parts: Any) -> Any:  # noqa: ANN401
    """The type of a result of several parts."""
    return types.Tuple(parts)  # type: ignore[no-untyped-call]


def kernel(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile a loop that Python calls; other threads run meanwhile."""
    compiled: Callable[[Loop], Loop] = njit(signature, cache=True, nogil=True, **_FOR_PYTHON)
    return compiled


def inner(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile what only kernels call."""
    compiled: Callable[[Loop], Loop] = njit(signature, cache=True, nogil=True, **_FOR_KERNELS)
    return compiled
