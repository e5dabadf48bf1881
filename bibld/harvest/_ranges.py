"""Divide a search whose result is larger than what a server gives: ranges of numbers of an index, such as the year."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Range(msgspec.Struct, frozen=True, order=True):
    """The numbers from ``first`` to ``last``, and how many records have one of them in the index."""

    first: int
    last: int
    records: int


def divide(first: int, last: int, largest: int, count: Callable[[int, int], int]) -> list[Range]:
    """Return ranges that together have all numbers from ``first`` to ``last``, halved until none has too many records.

    ``count`` asks the server how many records have a number from one to another. A single number with more than
    ``largest`` records stays as it is; ranges without a record are left out.
    """
    found: list[Range] = []
    waiting = [(first, last)]
    while waiting:
        low, high = waiting.pop()
        records = count(low, high)
        if records <= largest or low == high:
            found += [Range(low, high, records)] if records else []
            continue
        middle = (low + high) // 2
        waiting += [(middle + 1, high), (low, middle)]
    return sorted(found)
