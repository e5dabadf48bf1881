"""Asking for memory before it is needed: rows that are read at random come from far away."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bibld.dedup.compilation import inner
from bibld.dedup.score._words import END, END_GRAM, FIRST_GRAM, READY, SET_TITLE, Ready

_LINE = 64
"""Bytes that memory gives at once."""


def _typed(_typing: Any, array: Any, place: Any) -> Any:  # noqa: ANN401
    """Have the processor fetch the line of memory that holds an item of an array; says nothing about its value."""

    def generated(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
        held = context.make_array(signature.args[0])(context, builder, given[0])
        address = builder.bitcast(builder.gep(held.data, [given[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = builder.module.globals.get(_INSTRUCTION) or ir.Function(builder.module, kind, _INSTRUCTION)
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, place), generated


_INSTRUCTION = "llvm.prefetch.p0i8"
_prefetch: Any = intrinsic(_typed)


@inner(types.void(READY, types.int64))
def fetch_row(held: Ready, row: int) -> None:
    """Ask for what says where the parts of a row stand."""
    _prefetch(held.content, row)
    found = held.rows[row]
    for place in range(0, found.shape[0], _LINE // 4):
        _prefetch(found, place)


@inner(types.void(READY, types.int64))
def fetch_parts(held: Ready, row: int) -> None:
    """Ask for the parts of a row."""
    found = held.rows[row]
    first, end = found[SET_TITLE], found[END]
    for place in range(first, end, 2):
        _prefetch(held.words, place)
    for place in range(found[FIRST_GRAM], found[END_GRAM], _LINE // 8):
        _prefetch(held.grams, place)
    if first < end:
        for place in range(held.words[first].start, held.words[end - 1].start, _LINE // 4):
            _prefetch(held.texts, place)
