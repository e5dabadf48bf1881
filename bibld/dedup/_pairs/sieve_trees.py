"""The second half of the sieve: few small trees over the same signatures, which know what hardly ever scores 0.5.

They were trained on what the shipped model makes of pairs that met (``benchmarks/sieve_train.py``), so they serve that
model alone. ``sieve.json`` says from what and how many of the pairs that count they lose.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numba import types

from bibld.dedup._pairs.sieve_kernels import bits_set
from bibld.dedup.compilation import OFFSETS, TABLE, inner, kernel
from bibld.dedup.trees import Steps, Tree, steps, sums

if TYPE_CHECKING:
    import numpy.typing as npt

    Flags = npt.NDArray[np.bool_]
    Numbers = npt.NDArray[np.uint64]
    Places = npt.NDArray[np.int64]

FEATURES = (
    "bits in which the main titles differ",
    "bits in which the whole titles differ",
    "bits in which a main title and a whole title differ",
    "words that both titles have",
    "words that only the shorter title has",
    "words that only the longer title has",
    "names that both have",
    "names of the side that has fewer",
    "years between the nearest years",
    "years between first or last years, whichever is more",
    "pages of difference",
    "fewer pages in percent of more",
    "whether the first names begin alike",
)
"""What the trees look at, -1 where a side does not say it."""

_FILE = "sieve.json"
_LOW, _NONE = np.uint64(0xFFFFFFFF), np.uint64(0)
_HALF = np.uint64(32)
_MOST_YEARS, _MOST_PAGES = 60, 200
_PAIRS_AT_ONCE = 8192


class Provenance(msgspec.Struct, frozen=True):
    """What the trees were trained on, and of the pairs that count (0.5 and more) how many they lose, by data."""

    data: str
    date: str
    command: str
    pairs: dict[str, int]
    passing: dict[str, int]
    counting: dict[str, int]
    lost: dict[str, int]


class SieveModel(msgspec.Struct, frozen=True):
    """Nodes of all trees behind each other; ``roots`` says where each tree begins.

    A pair goes to ``left`` where its feature is at most ``threshold``, else to ``right``; ``feature`` is -1 at a leaf,
    whose ``value`` counts. It passes where ``start`` and the values of all trees add up to ``least``.
    """

    provenance: Provenance
    features: tuple[str, ...]
    start: float
    least: float
    roots: list[int]
    feature: list[int]
    threshold: list[int]
    left: list[int]
    right: list[int]
    value: list[float]


class Trees(NamedTuple):
    """The model for the kernels: a pair passes where the leaves that it reaches add up to ``least``."""

    least: float
    steps: Steps


def of_model(model: SieveModel) -> Trees:
    """Put a model into arrays."""
    trees = []
    for begin, end in pairwise([*model.roots, len(model.feature)]):
        left, right = ([node - begin for node in nodes[begin:end]] for nodes in (model.left, model.right))
        thresholds = [float(threshold) for threshold in model.threshold[begin:end]]
        leads_left = [1] * (end - begin)
        trees.append(Tree(model.feature[begin:end], thresholds, left, right, leads_left, model.value[begin:end]))
    return Trees(model.least - model.start, steps(trees, len(FEATURES)))


@lru_cache(maxsize=1)
def shipped() -> Trees:
    """The trees that come with bibld."""
    content = resources.files(__package__).joinpath(_FILE).read_bytes()
    return of_model(msgspec.json.decode(content, type=SieveModel))


def likely(held: Numbers, left: Places, right: Places, trees: Trees) -> Flags:
    """Which pairs of rows of signatures are one work, or not unlikely to score 0.5; shape (pairs,)."""
    result = _are_one_work(held, left, right)
    for others in np.array_split(np.flatnonzero(~result), len(left) // _PAIRS_AT_ONCE + 1):
        result[others] = reach(described(held, left[others], right[others]), trees)
    return result


def reach(features: npt.NDArray[np.float32], trees: Trees) -> Flags:
    """Which pairs, by their features (pairs, features), the trees let through; shape (pairs,)."""
    passing: Flags = sums(trees.steps, features) >= trees.least
    return passing


def described(held: Numbers, left: Places, right: Places) -> npt.NDArray[np.float32]:
    """The features of pairs of rows of signatures, shape (pairs, features)."""
    result = np.empty((len(left), len(FEATURES)), dtype=np.float32)
    _describe(held, left, right, result)
    return result


@inner(types.int64(types.uint64, types.uint64))
def _apart(one: int, other: int) -> int:
    return -1 if one == _NONE or other == _NONE else bits_set(one ^ other)


@inner(types.int64(types.uint64, types.int64))
def _field(last: int, shift: int) -> int:
    return int((last >> np.uint64(shift)) & np.uint64(0xFFFF))


@kernel(types.boolean[::1](TABLE, OFFSETS, OFFSETS))
def _are_one_work(held: Numbers, left: Places, right: Places) -> Flags:
    result = np.empty(left.shape[0], dtype=np.bool_)
    for pair in range(left.shape[0]):
        work = held[left[pair], 3] & _LOW
        result[pair] = work != _NONE and work == held[right[pair], 3] & _LOW
    return result


@inner(types.void(types.uint64, types.uint64, types.float32[::1]))
def _describe_numbers(one: int, other: int, found: npt.NDArray[np.float32]) -> None:
    first, last = _field(one, 48), _field(one, 32)
    other_first, other_last = _field(other, 48), _field(other, 32)
    found[8] = found[9] = found[10] = found[11] = found[12] = -1
    if first and other_first:
        straight, ends = abs(first - other_first), abs(last - other_last)
        found[8] = min(straight, ends, abs(first - other_last), abs(last - other_first), _MOST_YEARS)
        found[9] = min(max(straight, ends), _MOST_YEARS)
    pages, other_pages = _field(one, 16), _field(other, 16)
    if pages and other_pages:
        found[10] = min(abs(pages - other_pages), _MOST_PAGES)
        found[11] = 100 * min(pages, other_pages) // max(pages, other_pages)
    if _field(one, 0) and _field(other, 0):
        found[12] = 1 if _field(one, 0) == _field(other, 0) else 0


@kernel(types.void(TABLE, OFFSETS, OFFSETS, types.float32[:, ::1]))
def _describe(held: Numbers, left: Places, right: Places, result: npt.NDArray[np.float32]) -> None:
    for pair in range(left.shape[0]):
        i, j, found = left[pair], right[pair], result[pair]
        main, whole = _apart(held[i, 0], held[j, 0]), _apart(held[i, 1], held[j, 1])
        cross = min(_apart(held[i, 0], held[j, 1]), _apart(held[i, 1], held[j, 0]))
        found[0], found[1], found[2] = main, whole, cross
        words, others = bits_set(held[i, 2]), bits_set(held[j, 2])
        shared = bits_set(held[i, 2] & held[j, 2])
        found[3], found[4], found[5] = shared, min(words, others) - shared, max(words, others) - shared
        names, more = held[i, 3] >> _HALF, held[j, 3] >> _HALF
        found[6], found[7] = bits_set(names & more), min(bits_set(names), bits_set(more))
        _describe_numbers(held[i, 4], held[j, 4], found)
