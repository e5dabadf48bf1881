"""Rows prepared for comparison, once per row: their words with weights, and the character bigrams of their titles.

Everything of a row is stored together, so that reading a row at random costs few cache lines of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import from_dtype

from bibld.dedup.compilation import inner, kernel, types
from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_TEXTS = (
    "set_title", "main_title", "remainder", "part_name", "responsibility", "part", "names", "edition_text",
    "publisher", "place", "series", "series_number", "language", "carrier", "level", "identifiers", "host",
    "variant_titles",
)  # fmt: skip
_NUMBERS = ("year", "last_year", "edition", "pages", "volumes", "height")
SET_TITLE, MAIN, REMAINDER, PART_NAME, TITLES, STATEMENT, PART, NAME, EDITION_TEXT, PUBLISHER, PLACE, SERIES = range(12)
SERIES_NUMBER, LANGUAGE, CARRIER, LEVEL, IDENTIFIER, HOST, VARIANT, END = range(12, 20)
"""The columns of words. ``TITLES`` (all titles) and ``STATEMENT`` contain each word once, by ascending hash."""

FIRST_GRAM, END_GRAM, SIZES = 20, 21, 22
"""Where the bigrams of a row begin and end; from ``SIZES`` on, the number of bigrams of each of its titles."""

IN_MAIN, IN_FULL, IN_ALL, IN_REMAINDER, IN_SET = range(5)
KINDS = 5
"""The titles with bigrams: main title, main title with remainder, all titles, remainder, set title."""

YEAR, LAST_YEAR, EDITION, PAGES, VOLUMES, HEIGHT = range(27, 33)
_WIDTH = 33

_TITLE_TEXTS, _STATEMENT_TEXT = 4, 4
_KIND_OF_TEXT = (IN_SET, IN_MAIN, IN_REMAINDER)
_WITHOUT_WEIGHTS = (5, *range(11, 16))
"""Numbers of the texts whose words need no weights."""
_BLANK, _SEPARATOR = 32, 124
_MAX_SHORT = 0xFFFF
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_FINISH, _HALF = np.uint64(0xFF51AFD7ED558CCD), np.uint64(33)
_MASK, _ODD = np.uint64((1 << 59) - 1), np.uint64(0x5851F42D4C957F2D)
_CODE, _FIVE, _ONE, _ZERO = np.uint64(21), np.uint64(5), np.uint64(1), np.uint64(0)

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
"""A word: ``weight`` is greater for rarer words, ``start`` its position in the texts, ``value`` the number of the value
that it belongs to (from 0), ``head`` its first character and ``next`` its second (0 if there is none). The last four
are at most 65,535."""


class Rarity(NamedTuple):
    """Weights of frequent words, and the weight of every other word.

    ``hashes`` and ``weights`` (their length is a power of two) are a hash table: a word is in the slot that the low
    bits of its hash name, or in one of the next ones before the first slot whose weight is NaN.
    """

    hashes: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float32]
    other: float

    @classmethod
    def from_weights(cls, weights: dict[str, float], other: float) -> Rarity:
        """Build the table from weights by word."""
        last = (1 << max(4, (3 * len(weights)).bit_length())) - 1
        slots: dict[int, tuple[int, float]] = {}
        for word, weight in weights.items():
            found = hash_of_word(word)
            slot = found & last
            while slot in slots:
                slot = (slot + 1) & last
            slots[slot] = found, weight
        result = cls(np.zeros(last + 1, np.uint64), np.full(last + 1, np.nan, np.float32), float(other))
        for slot, (found, weight) in slots.items():
            result.hashes[slot], result.weights[slot] = found, weight
        return result


def hash_of_word(word: str) -> int:
    """Return the hash that the kernels give a word: FNV-1a over its characters, with the end of MurmurHash3."""
    result, low = int(_SEED), (1 << 64) - 1
    for character in word:
        result = ((result ^ ord(character)) * int(_PRIME)) & low
    result = ((result ^ (result >> 33)) * int(_FINISH)) & low
    return result ^ (result >> 33)


class PreparedRows(NamedTuple):
    """Rows prepared for comparison.

    ``positions`` (rows, 33): where the words of each column of a row begin (those of column c end where those of c + 1
    begin), then what ``FIRST_GRAM``, ``END_GRAM``, ``SIZES`` and the numbers name. ``grams``: the bigrams of a row,
    ascending; the low five bits state in which titles a bigram occurs. ``content`` (rows,): a hash of what is compared.
    """

    positions: npt.NDArray[np.int32]
    words: Array
    texts: npt.NDArray[np.uint32]
    grams: npt.NDArray[np.uint64]
    content: npt.NDArray[np.uint64]


class _Source(NamedTuple):
    """Text c of row i is ``codes[offsets[c, i]:offsets[c, i + 1]]``; ``chosen`` are the rows to prepare."""

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]
    numbers: npt.NDArray[np.int32]
    chosen: npt.NDArray[np.int64]


class _Room(NamedTuple):
    """``table``: zeros, five for each bigram of a row and 128 more; ``order``: one for each word of a row's titles or
    statement; ``spans`` (titles, 2): where each title begins and ends in the texts.
    """

    table: npt.NDArray[np.uint64]
    order: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]


_INT, _INTS, _GRAMS = types.int64, types.int64[::1], types.uint64[::1]
TEXT, ROW = types.uint32[::1], types.int32[::1]
WORDS = types.Array(from_dtype(WORD), 1, "C")
ROWS = types.NamedTuple((types.int32[:, ::1], WORDS, TEXT, _GRAMS, _GRAMS), PreparedRows)  # type: ignore[no-untyped-call]
_SOURCE = types.NamedTuple((types.int64[:, ::1], TEXT, types.int32[:, ::1], _INTS), _Source)  # type: ignore[no-untyped-call]
_ROOM = types.NamedTuple((_GRAMS, _INTS, types.int64[:, ::1]), _Room)  # type: ignore[no-untyped-call]
_RARITY = types.NamedTuple((_GRAMS, types.float32[::1], types.float64), Rarity)  # type: ignore[no-untyped-call]


def prepare_rows(columns: FeatureColumns, chosen: npt.NDArray[np.int64], rarity: Rarity) -> PreparedRows:
    """Prepare some rows of the columns; row i of the result is row ``chosen[i]``."""
    texts = [columns.texts[name] for name in _TEXTS]
    offsets = np.stack([column.offsets for column in texts])
    offsets += np.cumsum([0] + [len(column.codes) for column in texts[:-1]])[:, np.newaxis]
    codes = np.concatenate([column.codes for column in texts])
    numbers = np.stack([columns.numbers[name] for name in _NUMBERS])
    lengths = np.take(offsets, chosen + 1, axis=1) - np.take(offsets, chosen, axis=1) + 1
    titles, statements = lengths[:_TITLE_TEXTS].sum(axis=0), lengths[_STATEMENT_TEXT]
    all_titles = int(titles.sum())
    longest = max(int(titles.max(initial=0)), int(statements.max(initial=0)))
    # Numpy puts arrays of this size into large pages where the system has them.
    rows = PreparedRows(
        np.empty((len(chosen), _WIDTH), dtype=np.int32),
        np.empty((int(lengths.sum()) + all_titles + int(statements.sum())) // 2 + 1, dtype=WORD),
        np.empty(int(lengths.sum()), dtype=np.uint32),
        np.empty(all_titles + KINDS * len(chosen), dtype=np.uint64),
        np.empty(len(chosen), dtype=np.uint64),
    )
    room = _Room(
        np.zeros(5 * longest + 128, dtype=np.uint64),
        np.empty(longest, dtype=np.int64),
        np.zeros((KINDS, 2), dtype=np.int64),
    )
    _fill(rows, room, _Source(offsets, codes, numbers, chosen), rarity)
    return rows


@inner(_INT(ROWS, _SOURCE, _RARITY, _INT, _INT, _INT, _INT))
def _add_words(rows: PreparedRows, source: _Source, rarity: Rarity, row: int, text: int, at: int, filled: int) -> int:
    """Copy a text of a row to ``rows.texts[at:]`` and append its words; return how many words there are then."""
    has_weights = text not in _WITHOUT_WEIGHTS
    begin, end, last_slot = source.offsets[text, row], source.offsets[text, row + 1], rarity.hashes.shape[0] - 1
    value, first, mixed = 0, -1, _SEED
    for position in range(begin, end + 1):
        code = np.uint32(_BLANK)
        if position < end:
            code = source.codes[position]
            rows.texts[at] = code
        if code != _BLANK and code != _SEPARATOR:
            if first < 0:
                first, mixed = at, _SEED
            mixed = (mixed ^ np.uint64(code)) * _PRIME
        elif first >= 0:
            mixed = (mixed ^ (mixed >> _HALF)) * _FINISH
            mixed ^= mixed >> _HALF
            word = rows.words[filled]
            word.hash, word.start = mixed, first
            word.length, word.value = min(at - first, _MAX_SHORT), min(value, _MAX_SHORT)
            word.head = min(rows.texts[first], _MAX_SHORT)
            word.next = min(rows.texts[first + 1], _MAX_SHORT) if at > first + 1 else 0
            word.weight = np.float32(0)
            if has_weights:
                slot = mixed & np.uint64(last_slot)
                while not np.isnan(rarity.weights[slot]) and rarity.hashes[slot] != mixed:
                    slot = (slot + _ONE) & np.uint64(last_slot)
                word.weight = np.float32(rarity.other) if np.isnan(rarity.weights[slot]) else rarity.weights[slot]
            filled += 1
            first = -1
        value += code == _SEPARATOR
        at += 1
    return filled


@inner(_INT(WORDS, _INT, _INT, _INTS, _INT))
def _add_distinct(words: Array, begin: int, end: int, order: npt.NDArray[np.int64], filled: int) -> int:
    """Append some of the words, each once and by ascending hash; return how many words there are then."""
    count, gap = end - begin, 1
    for position in range(count):
        order[position] = begin + position
    # Shell sort, since there are few words.
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for position in range(gap, count):
            word, one = order[position], position
            key = words[word].hash
            while one >= gap and words[order[one - gap]].hash > key:
                order[one] = order[one - gap]
                one -= gap
            order[one] = word
        gap //= 3
    first = filled
    for position in range(count):
        if filled == first or words[filled - 1].hash != words[order[position]].hash:
            words[filled] = words[order[position]]
            filled += 1
    return filled


@inner(_INT(ROWS, _ROOM, ROW, _INT))
def _add_bigrams(  # noqa: C901 - one compiled loop
    rows: PreparedRows, room: _Room, found: npt.NDArray[np.int32], filled: int
) -> int:
    """Append the bigrams of the titles in ``room.spans`` by ascending number; return how many bigrams there are then.

    Blanks are skipped, since libraries divide words differently. A bigram is a number of 59 bits, well mixed, shifted
    by five bits that state in which titles it occurs. A title of one character has that character as its only bigram.
    """
    spans, table, texts = room.spans, room.table, rows.texts
    begin, end = spans[IN_ALL, 0], spans[IN_ALL, 1]
    width, shift = 64, np.uint64(53)
    while width < 2 * (end - begin):
        width, shift = 2 * width, shift - _ONE
    # Insert the bigrams into a hash table that is in ascending order, with linear probing.
    has_one_title = spans[IN_MAIN, 1] - spans[IN_MAIN, 0] == end - begin
    count, pairs = 0, max(0, end - begin - 1)
    for item in range(pairs + KINDS):
        if item < pairs:
            at, bits = begin + item, np.uint64(7)
            following = at + 1 + (texts[at + 1] == _BLANK)
            if texts[at] == _BLANK or following == end:
                continue
            if not has_one_title:
                bits = np.uint64(4)
                for kind in range(KINDS):
                    bits |= np.uint64(spans[kind, 0] <= at and following < spans[kind, 1]) << np.uint64(kind)
            gram = (np.uint64(texts[at]) << _CODE) | np.uint64(texts[following])
        elif spans[item - pairs, 1] - spans[item - pairs, 0] == 1:
            bits, gram = _ONE << np.uint64(item - pairs), np.uint64(texts[spans[item - pairs, 0]]) << _CODE
        else:
            continue
        mixed = (gram * _ODD) & _MASK
        value, slot = (mixed << _FIVE) | bits, mixed >> shift
        while table[slot] != _ZERO and (table[slot] ^ value) >> _FIVE != _ZERO:
            if table[slot] > value:
                value, table[slot] = table[slot], value
            slot += _ONE
        count += table[slot] == _ZERO
        table[slot] |= value
    # Copy the table, count the bigrams of each title, and leave the table empty.
    found[SIZES : SIZES + KINDS] = 0
    last, position = filled + count, 0
    while filled < last:
        gram = table[position]
        table[position] = _ZERO
        if gram != _ZERO:
            rows.grams[filled] = gram
            filled += 1
            for kind in range(KINDS):
                found[SIZES + kind] += np.int32((gram >> np.uint64(kind)) & _ONE)
        position += 1
    return filled


@inner(types.uint64(ROW, WORDS, _INT))
def _content_hash(found: npt.NDArray[np.int32], words: Array, begin: int) -> np.uint64:
    """Return a hash of the words of a row with their positions, and of its numbers."""
    mixed = _SEED
    for column in range(END):
        if column != TITLES:
            for position in range(found[column], found[column + 1]):
                word = words[position]
                where = np.uint64((word.start - begin) * 64 + column) ^ (np.uint64(word.value) << np.uint64(48))
                mixed = (mixed ^ word.hash ^ where * _FINISH) * _PRIME
                mixed ^= mixed >> _HALF
    for number in range(YEAR, HEIGHT + 1):
        mixed = (mixed ^ np.uint64(found[number])) * _PRIME
        mixed ^= mixed >> _HALF
    return mixed


@kernel(types.void(ROWS, _ROOM, _SOURCE, _RARITY))
def _fill(rows: PreparedRows, room: _Room, source: _Source, rarity: Rarity) -> None:
    """Prepare the chosen rows in arrays that are large enough."""
    words, spans = rows.words, room.spans
    begin = filled = gram = 0
    for position in range(source.chosen.shape[0]):
        row, found, at = source.chosen[position], rows.positions[position], begin
        for text in range(len(_TEXTS)):
            length = source.offsets[text, row + 1] - source.offsets[text, row]
            if text == _STATEMENT_TEXT:
                found[TITLES] = filled
                filled = _add_distinct(words, found[SET_TITLE], filled, room.order, filled)
                spans[IN_ALL, 0], spans[IN_ALL, 1] = begin, at
            elif text < _TITLE_TEXTS:
                if length > 0 and at > begin:
                    rows.texts[at] = _BLANK
                    at += 1
                if text < len(_KIND_OF_TEXT):
                    spans[_KIND_OF_TEXT[text], 0], spans[_KIND_OF_TEXT[text], 1] = at, at + length
            found[text if text < _TITLE_TEXTS else text + 1] = filled
            if length > 0:
                if text == _STATEMENT_TEXT:
                    # All words are written behind the room for the distinct ones.
                    raw = filled + length // 2 + 1
                    end = _add_words(rows, source, rarity, row, text, at, raw)
                    filled = _add_distinct(words, raw, end, room.order, filled)
                else:
                    filled = _add_words(rows, source, rarity, row, text, at, filled)
                at += length
        found[END], found[FIRST_GRAM] = filled, gram
        has_main = spans[IN_MAIN, 0] < spans[IN_MAIN, 1]
        spans[IN_FULL, 0], spans[IN_FULL, 1] = spans[IN_MAIN if has_main else IN_REMAINDER, 0], spans[IN_REMAINDER, 1]
        gram = _add_bigrams(rows, room, found, gram)
        found[END_GRAM] = gram
        for number in range(len(_NUMBERS)):
            found[YEAR + number] = source.numbers[number, row]
        rows.content[position] = _content_hash(found, words, begin)
        begin = at
