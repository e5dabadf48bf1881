"""Columns made ready for comparison: words with weights, bags of words, sets of bigrams, computed once a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bibld.dedup._compiling import njit
from bibld.dedup._kernels import bigrams
from bibld.model.features import FeatureColumns, TextColumn

if TYPE_CHECKING:
    import numpy.typing as npt

_BLANK, _BETWEEN = 32, 124


class Words(NamedTuple):
    """The words of several columns: row i of column c has those from ``first[c, i]`` to ``first[c, i + 1]``.

    ``start`` and ``end`` are positions in ``codes``, ``value`` counts the values of the row from 0, ``weight`` says how
    rare the word is.
    """

    first: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    value: npt.NDArray[np.int32]
    hash: npt.NDArray[np.uint64]
    weight: npt.NDArray[np.float32]
    codes: npt.NDArray[np.uint32]


class Bags(NamedTuple):
    """The different words of each row by ascending hash, laid out as :class:`Words` are."""

    first: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    hash: npt.NDArray[np.uint64]
    weight: npt.NDArray[np.float32]
    number: npt.NDArray[np.bool_]
    codes: npt.NDArray[np.uint32]


class Grams(NamedTuple):
    """The set of character bigrams of each row, ascending, laid out as :class:`Words` are."""

    first: npt.NDArray[np.int64]
    value: npt.NDArray[np.uint64]


class Ready(NamedTuple):
    """What the comparison of two rows looks at; ``numbers`` has the shape (columns, rows)."""

    words: Words
    bags: Bags
    grams: Grams
    numbers: npt.NDArray[np.int32]


class Rarity(NamedTuple):
    """Weights of frequent words by ascending hash, and the weight of every other word."""

    hash: npt.NDArray[np.uint64]
    weight: npt.NDArray[np.float32]
    other: float

    @classmethod
    def of(cls, weights: dict[str, float], other: float) -> Rarity:
        """From weights by word."""
        held = list(weights)
        column = TextColumn.of(held)
        found = words(column.offsets, column.codes, np.empty(0, np.uint64), np.empty(0, np.float32), 0.0)
        hashes = found[4]
        order = np.argsort(hashes, kind="stable")
        given = np.array([weights[word] for word in held], dtype=np.float32)
        return cls(hashes[order], given[order], other)


_WORDS = (
    "main_title", "part_name", "part", "names", "edition_text", "publisher", "place", "series", "series_number",
    "language", "carrier", "level", "identifiers", "remainder",
)  # fmt: skip
MAIN, PART_NAME, PART, NAME, EDITION_TEXT, PUBLISHER, PLACE, SERIES, SERIES_NUMBER = range(9)
LANGUAGE, CARRIER, LEVEL, IDENTIFIER, REMAINDER = range(9, 14)
WHOLE, STATEMENT = range(2)
MAIN_GRAMS, FULL_GRAMS, WHOLE_GRAMS, REMAINDER_GRAMS, SET_GRAMS = range(5)
_NUMBERS = ("year", "last_year", "edition", "pages", "volumes", "height")
YEAR, LAST_YEAR, EDITION, PAGES, VOLUMES, HEIGHT = range(6)


def ready(columns: FeatureColumns, rows: npt.NDArray[Any], rarity: Rarity) -> Ready:
    """Make some rows of the columns ready; row i of the result is row ``rows[i]``."""
    rows = rows.astype(np.int64)
    texts = {
        name: TextColumn(*gathered(columns.texts[name].offsets, columns.texts[name].codes, rows))
        for name in (*_WORDS, "set_title", "responsibility")
    }
    full = _together(texts["main_title"], texts["remainder"])
    whole = _together(_together(texts["set_title"], full), texts["part_name"])
    grams = [
        bigrams(column.offsets, column.codes)
        for column in (texts["main_title"], full, whole, texts["remainder"], texts["set_title"])
    ]
    return Ready(
        _all_words([texts[name] for name in _WORDS], rarity),
        _all_bags([whole, texts["responsibility"]], rarity),
        Grams(_firsts([held[0] for held in grams]), np.concatenate([held[1] for held in grams])),
        np.stack([columns.numbers[name][rows] for name in _NUMBERS]),
    )


def _all_words(columns: list[TextColumn], rarity: Rarity) -> Words:
    """The words of columns behind each other."""
    found = [_words(column, rarity) for column in columns]
    before = np.cumsum([0] + [len(column.codes) for column in columns])
    return Words(
        _firsts([held[0] for held in found]),
        np.concatenate([held[1] + start for held, start in zip(found, before, strict=False)]),
        np.concatenate([held[2] + start for held, start in zip(found, before, strict=False)]),
        np.concatenate([held[3] for held in found]),
        np.concatenate([held[4] for held in found]),
        np.concatenate([held[5] for held in found]),
        np.concatenate([column.codes for column in columns]),
    )


def _all_bags(columns: list[TextColumn], rarity: Rarity) -> Bags:
    """The bags of words of columns behind each other."""
    found = [bag(*_words(column, rarity)) for column in columns]
    before = np.cumsum([0] + [len(column.codes) for column in columns])
    return Bags(
        _firsts([held[0] for held in found]),
        np.concatenate([held[1] + codes for held, codes in zip(found, before, strict=False)]),
        np.concatenate([held[2] + codes for held, codes in zip(found, before, strict=False)]),
        np.concatenate([held[3] for held in found]),
        np.concatenate([held[4] for held in found]),
        np.concatenate([held[5] for held in found]),
        np.concatenate([column.codes for column in columns]),
    )


def _firsts(columns: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Where the items of each row begin, when the items of all columns stand behind each other."""
    before = np.cumsum([0] + [int(column[-1]) for column in columns])
    return np.stack([column + start for column, start in zip(columns, before, strict=False)])


def _together(one: TextColumn, other: TextColumn) -> TextColumn:
    """The texts of two columns row by row, with a blank between where both have one."""
    return TextColumn(*joined(one.offsets, one.codes, other.offsets, other.codes))


def _words(column: TextColumn, rarity: Rarity) -> tuple[Any, ...]:
    found: tuple[Any, ...] = words(column.offsets, column.codes, rarity.hash, rarity.weight, rarity.other)
    return found


@njit(cache=True, nogil=True)
def gathered(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Some rows of a text column, as offsets and codes of their own."""
    found = np.zeros(rows.shape[0] + 1, dtype=np.int64)
    for i in range(rows.shape[0]):
        found[i + 1] = found[i] + offsets[rows[i] + 1] - offsets[rows[i]]
    held = np.empty(found[-1], dtype=np.uint32)
    for i in range(rows.shape[0]):
        start = offsets[rows[i]]
        for position in range(found[i + 1] - found[i]):
            held[found[i] + position] = codes[start + position]
    return found, held


@njit(cache=True, nogil=True)
def joined(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    other_offsets: npt.NDArray[np.int64],
    other_codes: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """The texts of two columns row by row, with a blank between."""
    count = offsets.shape[0] - 1
    found = np.zeros(count + 1, dtype=np.int64)
    held = np.empty(codes.shape[0] + other_codes.shape[0] + count, dtype=np.uint32)
    filled = 0
    for row in range(count):
        for position in range(offsets[row], offsets[row + 1]):
            held[filled] = codes[position]
            filled += 1
        if offsets[row + 1] > offsets[row] and other_offsets[row + 1] > other_offsets[row]:
            held[filled] = _BLANK
            filled += 1
        for position in range(other_offsets[row], other_offsets[row + 1]):
            held[filled] = other_codes[position]
            filled += 1
        found[row + 1] = filled
    return found, held[:filled].copy()


@njit(cache=True, nogil=True)
def words(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    frequent: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float32],
    other: float,
) -> tuple[Any, ...]:
    """The fields of :class:`Words` for texts whose words have blanks between and whose values have ``|`` between."""
    count = offsets.shape[0] - 1
    room = codes.shape[0] // 2 + count + 1
    first = np.zeros(count + 1, dtype=np.int64)
    start, end = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    value, hashes = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.uint64)
    weight = np.empty(room, dtype=np.float32)
    filled = 0
    for row in range(count):
        values, begin, mixed = 0, -1, np.uint64(0)
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
            if code != _BLANK and code != _BETWEEN:
                if begin < 0:
                    begin, mixed = position, np.uint64(0xCBF29CE484222325)
                mixed = (mixed ^ np.uint64(code)) * np.uint64(0x100000001B3)
                continue
            if begin >= 0:
                start[filled], end[filled], value[filled] = begin, position, values
                mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
                mixed = mixed ^ (mixed >> np.uint64(33))
                hashes[filled] = mixed
                place = np.searchsorted(frequent, mixed)
                known = place < frequent.shape[0] and frequent[place] == mixed
                weight[filled] = weights[place] if known else other
                filled += 1
                begin = -1
            if code == _BETWEEN:
                values += 1
        first[row + 1] = filled
    return (
        first,
        start[:filled].copy(),
        end[:filled].copy(),
        value[:filled].copy(),
        hashes[:filled].copy(),
        weight[:filled].copy(),
        codes,
    )


@njit(cache=True, nogil=True)
def bag(
    words_first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    value: npt.NDArray[np.int32],
    words_hash: npt.NDArray[np.uint64],
    words_weight: npt.NDArray[np.float32],
    codes: npt.NDArray[np.uint32],
) -> tuple[Any, ...]:
    """The fields of :class:`Bags` but the last for one column; a number is a word that begins with a digit."""
    count = words_first.shape[0] - 1
    first = np.zeros(count + 1, dtype=np.int64)
    starts = np.empty(words_hash.shape[0], dtype=np.int64)
    ends = np.empty(words_hash.shape[0], dtype=np.int64)
    hashes = np.empty(words_hash.shape[0], dtype=np.uint64)
    weight = np.empty(words_hash.shape[0], dtype=np.float32)
    number = np.empty(words_hash.shape[0], dtype=np.bool_)
    filled = 0
    for row in range(count):
        begin = words_first[row]
        order = np.argsort(words_hash[begin : words_first[row + 1]])
        for i in range(order.shape[0]):
            word = begin + order[i]
            if i and words_hash[word] == hashes[filled - 1]:
                continue
            code = codes[start[word]]
            starts[filled], ends[filled] = start[word], end[word]
            hashes[filled], weight[filled] = words_hash[word], words_weight[word]
            number[filled] = 48 <= code <= 57
            filled += 1
        first[row + 1] = filled
    return (
        first,
        starts[:filled].copy(),
        ends[:filled].copy(),
        hashes[:filled].copy(),
        weight[:filled].copy(),
        number[:filled].copy(),
    )
