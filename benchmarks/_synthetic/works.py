"""Works: which publications belong together, and how they differ.

Publications are grouped in blocks of 64, in random order. A block is filled with groups from its beginning; the last
one of a block is cut off.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .draws import BLOCK, ORDER, among, draw, inner, key_of, permuted

SINGLE, EDITIONS, REPRINTS, VOLUMES, REPORTS, TRANSLATIONS, GENERIC, SERIAL = range(8)
"""Kinds of groups: one book; editions of one; reprints that state no edition; volumes, and mostly the record of the
set; the reports of an institution by year; a book and its translations; a book with a generic title; a serial."""

GROUPS = {SINGLE: 0.83, EDITIONS: 0.06, REPRINTS: 0.02, VOLUMES: 0.025, REPORTS: 0.01, TRANSLATIONS: 0.01,
          GENERIC: 0.03, SERIAL: 0.015}  # fmt: skip
"""The share of each kind among the groups."""

SIZES = {
    EDITIONS: ((2, 0.55), (3, 0.25), (4, 0.12), (6, 0.08)),
    REPRINTS: ((2, 0.75), (3, 0.25)),
    VOLUMES: ((2, 0.2), (3, 0.3), (4, 0.2), (6, 0.18), (9, 0.12)),
    REPORTS: ((3, 0.4), (6, 0.3), (10, 0.2), (20, 0.1)),
    TRANSLATIONS: ((2, 0.7), (3, 0.3)),
}
"""How many publications a group has, and how often; the kinds that are not here have one."""

_BLOCK, _SIZES = 64, max(map(len, SIZES.values()))


class Groups(NamedTuple):
    """The tables above as arrays; row k of ``sizes`` and ``size_reaches`` is of kind k."""

    reaches: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    size_reaches: npt.NDArray[np.float64]


def groups() -> Groups:
    """Put the tables into arrays."""
    sizes, reaches = np.ones((len(GROUPS), _SIZES), np.int64), np.ones((len(GROUPS), _SIZES))
    for kind, shares in SIZES.items():
        sizes[kind] = (*(size for size, _ in shares), *[shares[-1][0]] * (_SIZES - len(shares)))
        reaches[kind, : len(shares)] = np.cumsum([share for _, share in shares])
    return Groups(np.cumsum(list(GROUPS.values())), sizes, reaches)


@inner
def placed(shares: Any, tables: Any, publication: Any) -> Any:
    """The key of the work, its kind, the place of the publication in it, and how many it has."""
    number = permuted(key_of(shares.seed, ORDER, 2), shares.publications, publication, False)
    block, place = number // _BLOCK, number % _BLOCK
    block_key = key_of(shares.seed, BLOCK, block)
    begin = 0
    while True:
        key = draw(block_key, begin)
        kind = among(key, 1, tables.reaches)
        size = tables.sizes[kind, among(key, 2, tables.size_reaches[kind])]
        size = min(size, _BLOCK - begin)
        if place < begin + size:
            return key, kind, place - begin, size
        begin += size
