"""Rows written and put into feature columns."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup.compilation import njit
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns, TextColumn

from .errors import probabilities
from .facts import facts, write_numbers
from .imprint import put_codes, put_imprint
from .layout import Layout, layout
from .lexicon import SCRIPTS, Lexicon, lexicon
from .names import CORPORATE, PERSONS, STATEMENT, Romanisation, put_names, put_statement, romanisation
from .profile import Profile, measured, profile
from .titles import MAIN, REMAINDER_FIELD, put_titles
from .words import Vocabulary, romanise, vocabulary
from .works import Groups, groups

FIELDS = 17
MOST_OF_A_ROW = 16_384
"""A row is shorter; so much room is left behind the last."""
_BLANK, _BETWEEN = 32, 124
_ORDER = {
    "part": 2, "designation": 2, "main_title": 0, "remainder": 1, "part_name": 3, "set_title": 4, "publisher": 7,
    "place": 8, "edition_text": 9, "series": 10, "series_number": 11, "responsibility": 12, "language": 13,
    "carrier": 14, "level": 15, "identifiers": 16,
}  # fmt: skip
"""The field behind each text column that holds one; title, author and names are put together."""
_AS_IT_IS = ("part", "designation", "language", "carrier", "level", "identifiers")


class World(NamedTuple):
    """All that a row depends on."""

    layout: Layout
    groups: Groups
    lexicon: Lexicon
    profile: Profile
    romanisation: Romanisation
    vocabulary: Vocabulary
    errors: npt.NDArray[np.float64]


class Rows(NamedTuple):
    """Rows in their own script: field f of row i is ``codes[ends[17 * i + f]:ends[17 * i + f + 1]]``."""

    codes: npt.NDArray[np.uint32]
    ends: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int32]

    def text(self, row: int, field: int) -> str:
        """One field of a row."""
        place = FIELDS * row + field
        return self.codes[self.ends[place] : self.ends[place + 1]].tobytes().decode("utf-32-le")


def world(records: int, seed: int) -> World:
    """Prepare what is needed to make a catalogue of this many records."""
    figures = measured()
    small = [figures[script]["function_words"] for script in SCRIPTS]
    words, measures = lexicon(small), profile(figures)
    known = vocabulary(words, measures)
    return World(layout(records, seed), groups(), words, measures, romanisation(), known, probabilities())


@njit(cache=True, nogil=True)
def written(world: Any, start: int, stop: int) -> Any:
    """The rows from start to stop, as codes, ends and numbers."""
    codes = np.empty((stop - start) * 320 + MOST_OF_A_ROW, dtype=np.uint32)
    ends = np.zeros((stop - start) * FIELDS + 1, dtype=np.int64)
    numbers = np.empty((stop - start, 6), dtype=np.int32)
    at = 0
    for row in range(start, stop):
        if at + MOST_OF_A_ROW > codes.shape[0]:
            longer = np.empty(codes.shape[0] * 3 // 2 + MOST_OF_A_ROW, dtype=np.uint32)
            longer[:at] = codes[:at]
            codes = longer
        of_row = ends[(row - start) * FIELDS + 1 : (row - start + 1) * FIELDS + 1]
        known = facts(world, row)
        write_numbers(world, known, numbers[row - start])
        at = put_titles(world, known, codes, at, of_row)
        at = put_names(world, known, codes, at, of_row)
        at = put_imprint(world, known, codes, at, of_row)
        if of_row[9] == of_row[8]:
            numbers[row - start, 2] = 0
        at = put_statement(world, known, codes, at)
        of_row[STATEMENT] = at
        at = put_codes(world, known, codes, at, of_row)
    return codes[:at], ends, numbers


@njit(cache=True, nogil=True)
def _column(codes: Any, ends: Any, first: Any, second: Any, between: Any, letters: Any, is_roman: Any) -> Any:
    """One field, or two with a character between, of all rows, romanised or as they are."""
    rows = (ends.shape[0] - 1) // FIELDS
    size = np.int64(MOST_OF_A_ROW)
    for row in range(rows):
        for field in (first, second):
            if field >= 0:
                size += ends[row * FIELDS + field + 1] - ends[row * FIELDS + field] + 1
    out = np.empty(2 * size if is_roman else size, dtype=np.uint32)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    spare, raw = np.empty(4 * MOST_OF_A_ROW, dtype=np.uint32), np.empty(MOST_OF_A_ROW, dtype=np.uint32)
    at = 0
    for row in range(rows):
        end = 0
        for field in (first, second):
            if field >= 0:
                begin, stop = ends[row * FIELDS + field], ends[row * FIELDS + field + 1]
                if end and stop > begin:
                    raw[end] = between
                    end += 1
                raw[end : end + stop - begin] = codes[begin:stop]
                end += stop - begin
        if is_roman:
            at = romanise(raw, 0, end, letters.table, letters.lengths, spare, out, at)
        else:
            out[at : at + end] = raw[:end]
            at += end
        offsets[row + 1] = at
    return offsets, out[:at].copy()


@njit(cache=True, nogil=True)
def _firsts(codes: Any, ends: Any, field: Any) -> Any:
    """The first value of a field of all rows."""
    rows = (ends.shape[0] - 1) // FIELDS
    offsets, out = np.zeros(rows + 1, dtype=np.int64), np.empty(codes.shape[0], dtype=np.uint32)
    at = 0
    for row in range(rows):
        for place in range(ends[row * FIELDS + field], ends[row * FIELDS + field + 1]):
            if codes[place] == _BETWEEN:
                break
            out[at] = codes[place]
            at += 1
        offsets[row + 1] = at
    return offsets, out[:at].copy()


def columns(world: World, rows: Rows, start: int) -> FeatureColumns:
    """Put rows into columns; the first has the ordinal ``start``."""
    codes, ends, letters = rows.codes, rows.ends, world.romanisation
    texts = {
        "title": TextColumn(*_column(codes, ends, MAIN, REMAINDER_FIELD, _BLANK, letters, False)),
        "author": TextColumn(*_firsts(codes, ends, PERSONS)),
        "names": TextColumn(*_column(codes, ends, PERSONS, CORPORATE, _BETWEEN, letters, True)),
    }
    for name, field in _ORDER.items():
        texts[name] = TextColumn(*_column(codes, ends, field, -1, _BLANK, letters, name not in _AS_IT_IS))
    count = len(rows.numbers)
    nothing = TextColumn(np.zeros(count + 1, np.int64), np.empty(0, np.uint32))
    return FeatureColumns(
        ordinals=np.arange(start, start + count, dtype=np.uint64),
        texts={name: texts.get(name, nothing) for name in TEXTS},
        numbers={name: rows.numbers[:, place].copy() for place, name in enumerate(NUMBERS)},
    )
