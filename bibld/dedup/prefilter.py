"""A cheap test of pairs that share a key: drops those that the shipped model would hardly score 0.2.

It looks at five numbers of each record (its *signature*), so the result depends on the two records alone. First rules,
applied where pairs are made. A pair passes

- if the records look like one work: equal main titles (of a volume: its set's), and first names that begin with the
  same letters;
- if their years are near or one is missing, and their titles are near (as trigram SimHashes of main titles or of whole
  titles) or half of the words of the shorter title are in the other;
- if their years are not near, only if the titles are all but equal and a name is shared or missing.

Then small trees over the same numbers, once for each pair. They were trained on what the shipped model makes of pairs
that share a key (``benchmarks/prefilter_train.py``), so they serve that model alone; ``prefilter.json`` states the
data, and how many of the pairs that count they lose. ``benchmarks/joining.py`` measures what passes and what is lost.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numba import types

from bibld.dedup.arrays import Codes, Flags, Numbers, Offsets, Places
from bibld.dedup.compilation import CODES, NEW_NUMBERS, OFFSETS, TABLE, inner, kernel
from bibld.dedup.hashes import ALL_LETTERS, PRIME, SEED, finalised, mixed, prefixes, title, trigram_simhash, values
from bibld.dedup.trees import Steps, Tree, steps, sums
from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.dedup.method import Method


COLUMNS = ("main_title", "remainder", "variant_titles", "set_title", "part", "names", "year", "last_year", "pages")
WIDTH = 5
REFINED_BY = ("year", "pages", "author 4")
"""The fields that oversized keys are refined by, in this order; a missing value is a separate value here."""
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
    "whether the first names begin equally",
)
"""What the trees look at, -1 if a side lacks it."""

_FILE = "prefilter.json"
_MIN_SCORE = 0.2
_FIELD = 0xFFFF
_SHIFTS = {"year": 48, "last_year": 32, "pages": 16, "author 4": 0}
"""Where the fields are in the last number of a signature, 16 bits each."""
_NEAR_YEARS, _NEAR, _EQUAL = 1, 22, 14
_MAX_YEARS, _MAX_PAGES = 60, 200
_PAIRS_AT_ONCE = 8192
_BLANK, _SEPARATOR = 32, 124
_BEGINNING = 3
_NONE, _ONE, _LOW, _HALF = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFF), np.uint64(32)


# -- signatures --------------------------------------------------------------------------------------------------------


def signatures(columns: FeatureColumns) -> Numbers:
    """Return what the pre-filter, and the refining of oversized keys, know of each row, shape (n, 5).

    SimHash of the main title; of the whole title; a bit for the beginning of each longer word of all titles; bits for
    the beginnings of the names (upper half) and a hash of the work (lower half); first year, last year, pages and a
    hash of the first four letters of the first name, 16 bits each.
    """
    names, of_set, variants = (columns.texts[name] for name in ("names", "set_title", "variant_titles"))
    found = np.empty((len(columns), WIDTH), dtype=np.uint64)
    found[:, 0], found[:, 1] = trigram_simhash(*title(columns))
    found[:, 2] = _word_bits(*title(columns)) | _word_bits(
        of_set.offsets, of_set.codes, variants.offsets, variants.codes
    )
    found[:, 3] = _works(columns) >> _HALF
    offsets, starts = values(names.offsets, names.codes, 4, ALL_LETTERS, np.empty(0, np.uint32))
    has_name = np.diff(offsets) > 0
    bits = _ONE << (_HALF + (starts >> np.uint64(59)))
    if len(bits):
        found[has_name, 3] |= np.bitwise_or.reduceat(bits, offsets[:-1][has_name])
    found[:, 4] = prefixes(names.offsets, names.codes, 4) & np.uint64(_FIELD)
    for name in ("year", "last_year", "pages"):
        number = np.clip(columns.numbers[name], 0, _FIELD).astype(np.uint64)
        found[:, 4] |= number << np.uint64(_SHIFTS[name])
    return found


def field(signatures: Numbers, name: str) -> Numbers:
    """Return one of the fields that refine oversized keys, from signatures (n, 5 or more), shape (n,)."""
    found: Numbers = (signatures[:, WIDTH - 1] >> np.uint64(_SHIFTS[name])) & np.uint64(_FIELD)
    return found


def _works(columns: FeatureColumns) -> Numbers:
    """Return a hash of what makes rows look like one work, as decisions compare it; 0 without a title."""
    own, of_set, names = (columns.texts[name] for name in ("main_title", "set_title", "names"))
    titles, sets = prefixes(own.offsets, own.codes, ALL_LETTERS), prefixes(of_set.offsets, of_set.codes, ALL_LETTERS)
    is_part = np.diff(columns.part.offsets) > 0
    return mixed(np.where(is_part & (sets != 0), sets, titles), prefixes(names.offsets, names.codes, 5) | _ONE)


@kernel(NEW_NUMBERS(OFFSETS, CODES, OFFSETS, CODES))
def _word_bits(one: Offsets, one_codes: Codes, other: Offsets, other_codes: Codes) -> Numbers:
    """Return one bit of 64 for the first three letters of each longer word in two texts, of every word if none has
    three letters."""
    result = np.empty(one.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        long = short = _NONE
        offsets, codes = one, one_codes
        for part in range(2):
            if part:
                offsets, codes = other, other_codes
            value, letters = SEED, 0
            for position in range(offsets[row], offsets[row + 1] + 1):
                code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
                if code != _BLANK and code != _SEPARATOR:
                    if letters < _BEGINNING:
                        value = (value ^ np.uint64(code)) * PRIME
                    letters += 1
                elif letters:
                    bit = _ONE << (finalised(value) >> np.uint64(58))
                    if letters >= _BEGINNING:
                        long |= bit
                    else:
                        short |= bit
                    value, letters = SEED, 0
        result[row] = long if long != _NONE else short
    return result


# -- rules -------------------------------------------------------------------------------------------------------------


def is_applied(method: Method) -> bool:
    """Return whether the scorer leaves nothing to find below the score for which the pre-filter is made."""
    review = getattr(method.settings("dedup.score", method.dedup.score), "review", None)
    return review is not None and review >= _MIN_SCORE


@inner(types.int64(types.uint64))
def bits_set(value: Any) -> int:  # noqa: ANN401
    """Return how many bits are set."""
    value -= (value >> _ONE) & np.uint64(0x5555555555555555)
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((value * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel(types.boolean(TABLE, types.int64, types.int64))
def passes(table: Numbers, i: int, j: int) -> bool:
    """Return whether two rows of signatures pass the rules."""
    if table[i, 3] & _LOW == table[j, 3] & _LOW and table[i, 3] & _LOW != _NONE:
        return True
    if table[i, 1] == _NONE or table[j, 1] == _NONE:
        return True
    distance = min(bits_set(table[i, 0] ^ table[j, 0]), bits_set(table[i, 1] ^ table[j, 1]))
    one, other = table[i, 4], table[j, 4]
    first, last = np.int64(one >> np.uint64(48)), np.int64((one >> _HALF) & np.uint64(_FIELD))
    other_first, other_last = np.int64(other >> np.uint64(48)), np.int64((other >> _HALF) & np.uint64(_FIELD))
    years = min(abs(first - other_first), abs(first - other_last), abs(last - other_first))
    if first == 0 or other_first == 0 or years <= _NEAR_YEARS:
        if distance <= _NEAR:
            return True
        one, other = table[i, 2], table[j, 2]
        return bool(2 * bits_set(one & other) >= min(bits_set(one), bits_set(other)))
    one, other = table[i, 3] >> _HALF, table[j, 3] >> _HALF
    return bool(distance <= _EQUAL) and bool(one == _NONE or other == _NONE or one & other != _NONE)


# -- trees -------------------------------------------------------------------------------------------------------------


class PrefilterProvenance(msgspec.Struct, frozen=True):
    """What the trees were trained on, and of the pairs that count (0.2 and more) how many they lose, by data."""

    data: str
    date: str
    command: str
    pairs: dict[str, int]
    passing: dict[str, int]
    counting: dict[str, int]
    lost: dict[str, int]


class PrefilterModel(msgspec.Struct, frozen=True):
    """Nodes of all trees one after another; ``roots`` are the positions where each tree begins.

    A pair goes to ``left`` if its feature is at most ``threshold``, else to ``right``; ``feature`` is -1 at a leaf,
    whose ``value`` counts. It passes if ``start`` and the values of all trees add up to ``least``.
    """

    provenance: PrefilterProvenance
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
    """The model for the kernels: a pair passes if the leaves that it reaches add up to ``least``."""

    least: float
    steps: Steps


def trees_of(model: PrefilterModel) -> Trees:
    """Put a model into arrays."""
    trees = []
    for begin, end in pairwise([*model.roots, len(model.feature)]):
        left, right = ([node - begin for node in nodes[begin:end]] for nodes in (model.left, model.right))
        thresholds = [float(threshold) for threshold in model.threshold[begin:end]]
        trees.append(
            Tree(model.feature[begin:end], thresholds, left, right, [1] * (end - begin), model.value[begin:end])
        )
    return Trees(model.least - model.start, steps(trees, len(FEATURES)))


@lru_cache(maxsize=1)
def shipped_trees() -> Trees:
    """Return the trees that come with bibld."""
    content = resources.files(__package__).joinpath(_FILE).read_bytes()
    return trees_of(msgspec.json.decode(content, type=PrefilterModel))


def trees_for(method: Method) -> Trees | None:
    """Return the trees if the scorer is the model that they know, else None."""
    settings = method.settings("dedup.score", method.dedup.score)
    return shipped_trees() if is_applied(method) and method.dedup.score == "model" and not settings.file else None


def likely(table: Numbers, left: Places, right: Places, trees: Trees) -> Flags:
    """Return which pairs of rows of signatures are one work, or not unlikely to score 0.2; shape (pairs,)."""
    works = table[left, 3] & _LOW
    result: Flags = (works != 0) & (works == table[right, 3] & _LOW)
    for others in np.array_split(np.flatnonzero(~result), len(left) // _PAIRS_AT_ONCE + 1):
        result[others] = reach(described(table, left[others], right[others]), trees)
    return result


def reach(features: npt.NDArray[np.float32], trees: Trees) -> Flags:
    """Return which pairs, by their features (pairs, features), the trees let pass; shape (pairs,)."""
    passing: Flags = sums(trees.steps, features) >= trees.least
    return passing


@kernel(types.float32[:, ::1](TABLE, OFFSETS, OFFSETS))
def described(table: Numbers, left: Places, right: Places) -> npt.NDArray[np.float32]:
    """Return the ``FEATURES`` of pairs of rows of signatures, shape (pairs, features)."""
    result = np.full((left.shape[0], 13), np.float32(-1))
    for pair in range(left.shape[0]):
        one, other, found = table[left[pair]], table[right[pair]], result[pair]
        if one[0] and other[0]:
            found[0] = bits_set(one[0] ^ other[0])
        if one[1] and other[1]:
            found[1] = bits_set(one[1] ^ other[1])
        if one[0] and other[1] and one[1] and other[0]:
            found[2] = min(bits_set(one[0] ^ other[1]), bits_set(one[1] ^ other[0]))
        words, others, shared = bits_set(one[2]), bits_set(other[2]), bits_set(one[2] & other[2])
        found[3], found[4], found[5] = shared, min(words, others) - shared, max(words, others) - shared
        names, more = one[3] >> _HALF, other[3] >> _HALF
        found[6], found[7] = bits_set(names & more), min(bits_set(names), bits_set(more))
        first, last = np.int64(one[4] >> np.uint64(48)), np.int64((one[4] >> _HALF) & np.uint64(_FIELD))
        begin, end = np.int64(other[4] >> np.uint64(48)), np.int64((other[4] >> _HALF) & np.uint64(_FIELD))
        if first and begin:
            farthest = max(abs(first - begin), abs(last - end))
            nearest = min(min(abs(first - begin), abs(last - end)), min(abs(first - end), abs(last - begin)))
            found[8], found[9] = min(nearest, _MAX_YEARS), min(farthest, _MAX_YEARS)
        pages, more_pages = (
            np.int64((one[4] >> np.uint64(16)) & np.uint64(_FIELD)),
            np.int64((other[4] >> np.uint64(16)) & np.uint64(_FIELD)),
        )
        if pages and more_pages:
            found[10] = min(abs(pages - more_pages), _MAX_PAGES)
            found[11] = 100 * min(pages, more_pages) // max(pages, more_pages)
        author, other_author = one[4] & np.uint64(_FIELD), other[4] & np.uint64(_FIELD)
        if author and other_author:
            found[12] = 1 if author == other_author else 0
    return result
