"""Rows made ready for comparison: words with weights, bags of words, sets of bigrams, computed once a row.

All that belongs to a row stands together, so that a row read at random costs few lines of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import from_dtype, types

from bibld.dedup.compilation import CODES, NUMBERS, OFFSETS, PLACES, inner, kernel
from bibld.dedup.score._bigrams import IN_FULL, IN_MAIN, IN_REMAINDER, IN_SET, IN_WHOLE, KINDS, add_bigrams, sizes
from bibld.model.features import FeatureColumns, TextColumn

if TYPE_CHECKING:
    import numpy.typing as npt

_BLANK, _BETWEEN = 32, 124
_TEXTS = (
    "set_title", "main_title", "remainder", "part_name", "responsibility", "part", "names", "edition_text",
    "publisher", "place", "series", "series_number", "language", "carrier", "level", "identifiers",
)  # fmt: skip
SET_TITLE, MAIN, REMAINDER, PART_NAME, WHOLE, STATEMENT, PART, NAME, EDITION_TEXT, PUBLISHER, PLACE, SERIES = range(12)
SERIES_NUMBER, LANGUAGE, CARRIER, LEVEL, IDENTIFIER, END = range(12, 18)
"""The columns of words. ``WHOLE`` (all titles) and ``STATEMENT`` hold each word once, by ascending hash."""

FIRST_GRAM, END_GRAM = 18, 19
"""Where a row says at which place its bigrams begin and end."""

SIZES = 20
"""From here on a row says how many bigrams each of its titles has."""

_NUMBERS = ("year", "last_year", "edition", "pages", "volumes", "height")
YEAR, LAST_YEAR, EDITION, PAGES, VOLUMES, HEIGHT = range(25, 31)
_WIDTH = 32
_COLUMNS, _TITLES, _SAID = len(_TEXTS), 4, 4
_WITHOUT_WEIGHTS = (5, *range(11, 16))
_NO_WEIGHT = float("nan")
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_FINISH, _HALF = np.uint64(0xFF51AFD7ED558CCD), np.uint64(33)

WORD = np.dtype(
    [
        ("hash", "u8"),
        ("weight", "f4"),
        ("start", "i4"),
        ("length", "u2"),
        ("value", "u2"),
        ("head", "u2"),
        ("next", "u2"),
    ],
    align=True,
)
"""A word: ``start`` is its place in the texts, ``value`` counts the values of its text from 0, ``head`` is its first
character and ``next`` its second (0 for none), ``weight`` says how rare it is. What is more than ``MOST`` counts as
``MOST``."""

MOST = 0xFFFF

TEXT = types.uint32[::1]
WORDS = types.Array(from_dtype(WORD), 1, "C")
ROWS = types.int32[:, ::1]
GRAMS = types.uint64[::1]
_INTS = types.int64[::1]
_WEIGHTS = types.Array(types.float32, 1, "C", readonly=True)


def _room(offsets: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> tuple[int, int, int, int]:
    """Characters of all texts with one between, of those that make bags, of titles; and of a row's titles or statement
    at most."""
    begins = np.take(offsets, rows, axis=1)
    lengths = np.take(offsets, rows + 1, axis=1)
    lengths -= begins
    lengths += 1
    titles = lengths[:_TITLES].sum(axis=0)
    of_titles, said = int(titles.sum()), lengths[_SAID]
    longest = max(int(titles.max(initial=0)), int(said.max(initial=0)))
    return int(lengths.sum()), int(said.sum()) + of_titles, of_titles, longest


@inner(types.int64(types.int64[:, ::1], types.int64, TEXT, types.int64, types.int64, types.int64))
def _span(
    spans: npt.NDArray[np.int64], text: int, texts: npt.NDArray[np.uint32], begin: int, at: int, length: int
) -> int:
    """Note where a title will stand; gives where, which is behind a blank if a title stands before it."""
    if length > 0 and at > begin:
        texts[at] = _BLANK
        at += 1
    end = at + length
    if text == SET_TITLE:
        spans[IN_SET, 0], spans[IN_SET, 1] = at, end
        spans[IN_WHOLE, 0] = begin
    elif text == MAIN:
        spans[IN_MAIN, 0], spans[IN_MAIN, 1] = at, end
        spans[IN_FULL, 0], spans[IN_FULL, 1] = at, end
    elif text == REMAINDER:
        spans[IN_REMAINDER, 0], spans[IN_REMAINDER, 1] = at, end
        if spans[IN_MAIN, 0] == spans[IN_MAIN, 1]:
            spans[IN_FULL, 0] = at
        spans[IN_FULL, 1] = end
    spans[IN_WHOLE, 1] = end
    return at


@inner(types.float32(NUMBERS, _WEIGHTS, types.float64, types.uint64))
def _weight_of(
    hashes: npt.NDArray[np.uint64], weights: npt.NDArray[np.float32], other: float, word: np.uint64
) -> np.float32:
    last = np.uint64(hashes.shape[0] - 1)
    slot = word & last
    while not np.isnan(weights[slot]):
        if hashes[slot] == word:
            return np.float32(weights[slot])
        slot = (slot + np.uint64(1)) & last
    return np.float32(other)


@inner(types.uint64(types.uint64))
def _finished(mixed: np.uint64) -> np.uint64:
    mixed = (mixed ^ (mixed >> _HALF)) * _FINISH
    return mixed ^ (mixed >> _HALF)


@kernel(types.void(OFFSETS, CODES, _WEIGHTS, types.uint64[::1], types.float32[::1]))
def _weigh(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    given: npt.NDArray[np.float32],
    hashes: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float32],
) -> None:
    """Put words into the table of :class:`Rarity`."""
    last = np.uint64(hashes.shape[0] - 1)
    for word in range(given.shape[0]):
        mixed = _SEED
        for position in range(offsets[word], offsets[word + 1]):
            mixed = (mixed ^ np.uint64(codes[position])) * _PRIME
        mixed = _finished(mixed)
        slot = mixed & last
        while not np.isnan(weights[slot]):
            slot = (slot + np.uint64(1)) & last
        hashes[slot], weights[slot] = mixed, given[word]


@inner(types.int64(CODES, types.int64, types.int64, TEXT, types.int64, WORDS, types.int64))
def _split(
    codes: npt.NDArray[np.uint32],
    begin: int,
    end: int,
    texts: npt.NDArray[np.uint32],
    at: int,
    words: npt.NDArray[Any],
    filled: int,
) -> int:
    """Copy a text to ``texts[at:]`` and write its words, which have blanks between and ``|`` between values; their
    weights are not yet known. Gives how many words there are then."""
    value, first, mixed = 0, -1, _SEED
    for position in range(begin, end + 1):
        code = np.uint32(_BLANK)
        if position < end:
            code = codes[position]
            texts[at] = code
        if code != _BLANK and code != _BETWEEN:
            if first < 0:
                first, mixed = at, _SEED
            mixed = (mixed ^ np.uint64(code)) * _PRIME
        elif first >= 0:
            word = words[filled]
            word.hash, word.start = _finished(mixed), first
            word.length, word.value = min(at - first, MOST), min(value, MOST)
            word.head = min(texts[first], MOST)
            word.next = min(texts[first + 1], MOST) if at > first + 1 else 0
            word.weight = np.float32(0)
            filled += 1
            first = -1
        value += code == _BETWEEN
        at += 1
    return filled


@inner(types.int64(WORDS, types.int64, types.int64, types.int64[::1], types.int64))
def _bag(words: npt.NDArray[Any], begin: int, end: int, order: npt.NDArray[np.int64], filled: int) -> int:
    """Write some words, each once and by ascending hash, behind those that are ``filled``; gives how many there are
    then."""
    count, gap = end - begin, 1
    for place in range(count):
        order[place] = begin + place
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, count):
            word, one = order[place], place
            key = words[word].hash
            while one >= gap and words[order[one - gap]].hash > key:
                order[one] = order[one - gap]
                one -= gap
            order[one] = word
        gap //= 3
    first = filled
    for place in range(count):
        if filled == first or words[filled - 1].hash != words[order[place]].hash:
            words[filled] = words[order[place]]
            filled += 1
    return filled


@inner(types.uint64(types.int32[::1], WORDS, types.int64))
def _content(row: npt.NDArray[np.int32], words: npt.NDArray[Any], begin: int) -> np.uint64:
    """A hash of the words of a row, where they stand, and its numbers."""
    mixed = _SEED
    for column in range(END):
        if column == WHOLE:
            continue
        for place in range(row[column], row[column + 1]):
            word = words[place]
            where = np.uint64((word.start - begin) * 64 + column) ^ (np.uint64(word.value) << np.uint64(48))
            mixed = (mixed ^ word.hash ^ where * _FINISH) * _PRIME
            mixed ^= mixed >> _HALF
    for number in range(YEAR, YEAR + len(_NUMBERS)):
        mixed = (mixed ^ np.uint64(row[number])) * _PRIME
        mixed ^= mixed >> _HALF
    return mixed


class Ready(NamedTuple):
    """What the comparison of two rows looks at.

    ``rows`` (rows, 32) says of each row where the words of each column begin (those of column c end where those of c +
    1 begin), then what ``FIRST_GRAM``, ``END_GRAM``, ``SIZES`` and the numbers name. ``grams`` are those of
    ``_bigrams``. ``content`` (rows,) is a hash of all that is compared.
    """

    rows: npt.NDArray[np.int32]
    words: npt.NDArray[Any]
    texts: npt.NDArray[np.uint32]
    grams: npt.NDArray[np.uint64]
    content: npt.NDArray[np.uint64]


READY = types.NamedTuple((ROWS, WORDS, TEXT, GRAMS, GRAMS), Ready)  # type: ignore[no-untyped-call]


@kernel(
    types.void(
        READY,
        GRAMS,
        _INTS,
        types.int64[:, ::1],
        PLACES,
        CODES,
        types.int32[:, ::1],
        OFFSETS,
        NUMBERS,
        _WEIGHTS,
        types.float64,
    )
)
def _fill(
    held: Ready,
    table: npt.NDArray[np.uint64],
    order: npt.NDArray[np.int64],
    spans: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    numbers: npt.NDArray[np.int32],
    rows: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float32],
    other: float,
) -> None:
    """Fill rows that have room. Text c of row i is ``codes[offsets[c, i]:offsets[c, i + 1]]``; what else is needed tell
    :func:`add_bigrams` (``table``, ``spans``) and :func:`_bag` (``order``).
    """
    index, words, texts, grams, content = held
    begin = filled = gram = 0
    for place in range(rows.shape[0]):
        row, found, at = rows[place], index[place], begin
        for text in range(_COLUMNS):
            first, last = offsets[text, row], offsets[text, row + 1]
            if text == _SAID:
                found[WHOLE] = filled
                filled = _bag(words, found[SET_TITLE], filled, order, filled)
            found[text if text < _TITLES else text + 1] = filled
            if text < _TITLES:
                at = _span(spans, text, texts, begin, at, last - first)
            if first < last:
                raw = filled + (last - first) // 2 + 1 if text == _SAID else filled
                end = _split(codes, first, last, texts, at, words, raw)
                if text not in _WITHOUT_WEIGHTS:
                    for word in range(raw, end):
                        words[word].weight = _weight_of(hashes, weights, other, words[word].hash)
                filled = _bag(words, raw, end, order, filled) if text == _SAID else end
                at += last - first
        found[END] = filled
        found[FIRST_GRAM] = gram
        gram = add_bigrams(texts, spans, table, grams, gram)
        found[END_GRAM] = gram
        sizes(grams, found[FIRST_GRAM], gram, found[SIZES : SIZES + KINDS])
        for number in range(numbers.shape[0]):
            found[YEAR + number] = numbers[number, row]
        content[place] = _content(found, words, begin)
        begin = at


class Rarity(NamedTuple):
    """Weights of frequent words, and the weight of every other word.

    ``hash`` and ``weight`` (a power of two of items) are a table: a word stands at the place that the low bits of its
    hash name, or behind it, before the next item whose weight is not a number.
    """

    hash: npt.NDArray[np.uint64]
    weight: npt.NDArray[np.float32]
    other: float

    @classmethod
    def of(cls, weights: dict[str, float], other: float) -> Rarity:
        """From weights by word."""
        size = 1 << max(4, (3 * len(weights)).bit_length())
        hashes, held = np.zeros(size, dtype=np.uint64), np.full(size, _NO_WEIGHT, dtype=np.float32)
        column = TextColumn.from_texts(weights)
        _weigh(column.offsets, column.codes, np.array(list(weights.values()), dtype=np.float32), hashes, held)
        return cls(hashes, held, float(other))


def ready(columns: FeatureColumns, rows: npt.NDArray[np.int64], rarity: Rarity) -> Ready:
    """Make some rows of the columns ready; row i of the result is row ``rows[i]``."""
    texts = [columns.texts[name] for name in _TEXTS]
    offsets = np.stack([column.offsets for column in texts])
    offsets += np.cumsum([0] + [len(column.codes) for column in texts[:-1]])[:, np.newaxis]
    codes = np.concatenate([column.codes for column in texts])
    numbers = np.stack([columns.numbers[name] for name in _NUMBERS])
    chars, of_bags, of_titles, longest = _room(offsets, rows)
    # Arrays of this size that numpy makes lie in large pages where the system has them.
    held = Ready(
        np.empty((len(rows), _WIDTH), dtype=np.int32),
        np.empty((chars + of_bags) // 2 + 1, dtype=WORD),
        np.empty(chars, dtype=np.uint32),
        np.empty(of_titles + KINDS * len(rows), dtype=np.uint64),
        np.empty(len(rows), dtype=np.uint64),
    )
    table, order = np.zeros(5 * longest + 128, dtype=np.uint64), np.empty(longest, dtype=np.int64)
    spans = np.empty((KINDS, 2), dtype=np.int64)
    _fill(held, table, order, spans, offsets, codes, numbers, rows, *rarity)
    return held
