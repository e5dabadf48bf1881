"""Compile functions over arrays with numba: once per kernel, for declared types, when it is first called.

An array that is only read is declared read-only, so that the same machine code serves arrays in memory and arrays
mapped from files. Entry points that nobody calls (from C; for :func:`inner` also from Python) are left out, which saves
a quarter of the time. The machine code is stored in :func:`bibld.dedup.warm_up.cache_folder`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from numba import config, njit, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import typeof_impl

from bibld.dedup.warm_up import cache_folder

__all__ = ["njit", "types"]

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
"""The similarity of two values if a record lacks one of them."""


def results(*parts: Any) -> Any:  # noqa: ANN401
    """Return the type of a result that consists of several values."""
    return types.Tuple(parts)  # type: ignore[no-untyped-call]


_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "no_rewrites": True}


class _LinkedCode(JITCodeLibrary):
    """Code of an inner function: it is optimised and translated in the kernels that it is linked into, not alone."""

    @property
    def codegen(self) -> _LinkedCode:
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: only machine code has the address of its constants."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _InnerCompiler(Compiler):
    """Compiles an inner function as far as it takes to link it into kernels."""

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        code = self.state.targetctx.codegen()
        self.state.library = _LinkedCode(code, "inner")  # type: ignore[no-untyped-call]


class Kernel:
    """A function that is compiled, or loaded from the cache folder, when it is first called."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> None:  # noqa: ANN401
        self.__wrapped__: FunctionType
        update_wrapper(self, function)
        self._compile: Callable[[], Callable[..., Any]] = lambda: njit(signature, **_OPTIONS, **options)(function)
        self._compiled: Callable[..., Any] | None = None
        self.is_inner = "pipeline_class" in options

    @property
    def compiled(self) -> Callable[..., Any]:
        """The compiled function."""
        if self._compiled is None:
            with global_compiler_lock:
                # Set here rather than in the environment, which other programs that bibld starts would inherit.
                setattr(config, "CACHE_DIR", str(cache_folder()))  # noqa: B010
                self._compiled = self._compiled or self._compile()
        return self._compiled

    def compile(self) -> None:
        """Compile the functions that this one calls, and then this one. While this one is being compiled, those would
        take half as long again."""
        names, scope = self.__wrapped__.__code__.co_names, self.__wrapped__.__globals__
        modules = [vars(scope[name]) for name in names if isinstance(scope.get(name), ModuleType)]
        for value in (each.get(name) for each in (scope, *modules) for name in names):
            if isinstance(value, Kernel) and value._compiled is None:
                value.compile()
        self.compiled  # noqa: B018

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        return self.compiled(*arguments)


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, context: Any) -> Any:  # noqa: ANN401
    """Let other kernels call this one."""
    return typeof_impl(value.compiled, context)


def kernel(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile a function that Python calls, for declared types; it releases the lock of the interpreter."""
    return lambda function: Kernel(function, signature, {"cache": True})  # type: ignore[return-value]


def inner(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401
    """Compile a function that only kernels call, as a part of each of them."""
    options = {"no_cpython_wrapper": True, "pipeline_class": _InnerCompiler}
    return lambda function: Kernel(function, signature, options)  # type: ignore[return-value]
