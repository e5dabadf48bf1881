"""Exceptions: reasons why two records with a high score are, or may be, different publications.

``RULES`` is the list of all rules, each with its effect, the relation it means and its sentence for a cataloguer. What
decides about a pair is found from the features of the two records: :func:`find_exceptions`.

The rules that decide are seldom wrong. The others also hold for a few percent of real duplicates (a year misread, a
microform described as the book), so they only send the pair to review; the scorer compares their fields anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum, IntFlag, auto
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, Features, TextColumn

Rows = npt.NDArray[np.uint32]
"""Row numbers, one for each pair."""


class Exceptions(IntFlag):
    """The exceptions that hold for a pair; those that decide come first."""

    PART_NUMBERS = auto()
    LEVEL = auto()
    SET_AND_VOLUME = auto()
    CONTAINED = auto()
    NESTED_PARTS = auto()
    EDITION = auto()
    YEAR = auto()
    CARRIER = auto()
    LANGUAGE = auto()
    IDENTIFIERS = auto()


class Effect(Enum):
    """What an exception does to a pair with a score of at least ``review``."""

    RELATED = "the records are related, not the same"
    REVIEW = "a person is asked"
    OPTIONAL_REVIEW = "a person is asked if the configuration names the exception"
    SEPARATE = "no cluster contains both records; the decision about the pair is not changed"


class Rule(NamedTuple):
    """An exception with its effect, the relation that it means, and a sentence about two records."""

    exception: Exceptions
    effect: Effect
    relation: str
    describe: Callable[[Features, Features], str]

    @property
    def name(self) -> str:
        """Return the name in configurations and verdicts."""
        return str(self.exception.name).lower()


_LEVELS = {
    "s": "a serial",
    "i": "an issue",
    "a": "an article or other part",
    "m": "a monograph",
    "v": "a volume of a set",
    "c": "a set as a whole",
}


def _describe_level(left: Features, right: Features) -> str:
    return f"one describes {_LEVELS[left.level]}, the other {_LEVELS[right.level]}"


def _describe_year(left: Features, right: Features) -> str:
    years = max(left.year - right.last_year, right.year - left.last_year)
    one, other = (
        str(side.year) if side.year == side.last_year else f"{side.year}–{side.last_year}" for side in (left, right)
    )
    return f"published {years} years apart: {one} and {other}"


def _describe_language(left: Features, right: Features) -> str:
    one, other = (", ".join(sorted(side.language.split(VALUE_SEPARATOR))) for side in (left, right))
    return f"different languages: {one} and {other}"


RULES = (
    # Both name a part, and not the same.
    Rule(
        Exceptions.PART_NUMBERS,
        Effect.RELATED,
        "same_set",
        lambda left, right: f"part numbers conflict: {left.part} and {right.part}",
    ),
    # Serial, issue and article differ from each other, and an article from a monograph or set. Not from a volume, since
    # libraries that link volumes to their set as they link articles to a journal make the two look the same.
    Rule(Exceptions.LEVEL, Effect.RELATED, "part_of", _describe_level),
    # One describes a set as a whole, the other a volume of it.
    Rule(
        Exceptions.SET_AND_VOLUME,
        Effect.RELATED,
        "part_of",
        lambda left, right: f"one describes a set as a whole, the other its part {left.part or right.part}",
    ),
    # The scorer finds one text in the other, whatever the score (`part_of` in `bibld.protocols.Scorer`).
    Rule(
        Exceptions.CONTAINED,
        Effect.RELATED,
        "part_of",
        lambda left, right: "the text of one record is part of the text of the other",
    ),
    # One names a part of the part that the other names.
    Rule(
        Exceptions.NESTED_PARTS,
        Effect.REVIEW,
        "part_of",
        lambda left, right: f"one part number goes further than the other: {left.part} and {right.part}",
    ),
    # Both state an edition, and neither editions nor years agree. Where the years agree the score decides: impressions
    # and editions are counted differently.
    Rule(
        Exceptions.EDITION,
        Effect.OPTIONAL_REVIEW,
        "other_edition",
        lambda left, right: f"editions {left.edition} and {right.edition} of different years",
    ),
    # More than two years lie between, unless equal edition and pages show that one of the years is a slip.
    Rule(Exceptions.YEAR, Effect.OPTIONAL_REVIEW, "other_edition", _describe_year),
    # Print, microform, electronic and so on; maps and scores are printed.
    Rule(
        Exceptions.CARRIER,
        Effect.OPTIONAL_REVIEW,
        "other_format",
        lambda left, right: f"different carriers: {left.carrier} and {right.carrier}",
    ),
    # No language in common, and titles that begin differently: under one title the code is more likely a slip.
    Rule(Exceptions.LANGUAGE, Effect.OPTIONAL_REVIEW, "translation", _describe_language),
    # Both have ISBNs (that of a set does not count), and none in common.
    Rule(Exceptions.IDENTIFIERS, Effect.SEPARATE, "", lambda left, right: "they have no ISBN in common"),
)

COLUMNS = (
    *("part", "language", "main_title", "remainder", "identifiers", "level", "carrier"),
    *("year", "last_year", "edition", "pages", "volumes"),
)
"""The columns that :func:`find_exceptions` reads."""


def with_effect(*effects: Effect) -> Exceptions:
    """Return the exceptions that have one of some effects."""
    found = Exceptions(0)
    for rule in RULES:
        if rule.effect in effects:
            found |= rule.exception
    return found


def in_force(configured: Iterable[str]) -> Exceptions:
    """Return the exceptions to look for: the optional ones only if the configuration names them."""
    found = ~with_effect(Effect.OPTIONAL_REVIEW)
    for name in configured:
        found |= Exceptions[name.upper()]
    return found


def explain(exceptions: int, left: Features, right: Features) -> Iterator[tuple[Rule, str]]:
    """Yield the rules of the exceptions that concern the pair itself, in their order, with sentences."""
    for rule in RULES:
        if rule.exception & exceptions and rule.effect != Effect.SEPARATE:
            yield rule, rule.describe(left, right)


# -- finding them ------------------------------------------------------------------------------------------------------

_SERIAL, _ISSUE, _ARTICLE, _MONOGRAPH, _SET, _VOLUME = (ord(letter) for letter in "siamcv")
_CONFLICTS = {(_ARTICLE, other) for other in (_ISSUE, _SERIAL, _MONOGRAPH, _SET)} | {(_ISSUE, _SERIAL)}
_CONFLICTING_LEVELS = np.zeros((128, 128), dtype=np.bool_)
for _one, _other in _CONFLICTS:
    _CONFLICTING_LEVELS[_one, _other] = _CONFLICTING_LEVELS[_other, _one] = True
_PRINTED = ("map", "score", "print")
_UNDETERMINED = ("und", "mul", "zxx")
_ISBN = "isbn:"
_MAXIMUM_GAP = 2
_TITLE_START = 12
_UNLIMITED = 1 << 30


def find_exceptions(columns: FeatureColumns, left: Rows, right: Rows) -> npt.NDArray[np.uint16]:
    """Return the :class:`Exceptions` that hold for pairs of rows, shape (pairs,); all but ``CONTAINED``."""
    # Imported here, since these compile their kernels when they are imported, unless the warm-up has done so.
    from bibld.dedup._exception_kernels import CONFLICT, NESTED, compare_parts, have_common_value, title_starts

    numbers = {name: column.astype(np.int64) for name, column in columns.numbers.items()}
    found = np.zeros(len(left), dtype=np.uint16)

    def add(exception: Exceptions, holds: npt.NDArray[np.bool_]) -> None:
        found[holds] |= np.uint16(exception)

    part = columns.part
    relation = compare_parts(part, left, right)
    add(Exceptions.PART_NUMBERS, relation == CONFLICT)
    add(Exceptions.NESTED_PARTS, relation == NESTED)

    level = _levels(columns)
    add(Exceptions.LEVEL, _CONFLICTING_LEVELS[level[left], level[right]])
    has_part = np.diff(part.offsets) > 0
    is_set = ~has_part & ((level == _SET) | (numbers["volumes"] > 1))
    is_volume = has_part & ((level == _VOLUME) | (level == _MONOGRAPH))
    add(Exceptions.SET_AND_VOLUME, (is_set[left] & is_volume[right]) | (is_volume[left] & is_set[right]))

    year, last_year, edition, pages = (numbers[name] for name in ("year", "last_year", "edition", "pages"))
    gap = np.maximum(year[left] - last_year[right], year[right] - last_year[left])
    gap[(year[left] == 0) | (year[right] == 0)] = 0
    same_edition = edition[left] == edition[right]
    has_editions = (edition[left] != 0) & (edition[right] != 0)
    add(Exceptions.EDITION, (gap > 0) & has_editions & ~same_edition)
    is_slip = has_editions & same_edition & (pages[left] != 0) & (pages[left] == pages[right])
    add(Exceptions.YEAR, (gap > _MAXIMUM_GAP) & ~is_slip)

    carrier = _carriers(columns)
    add(Exceptions.CARRIER, (carrier[left] != 0) & (carrier[right] != 0) & (carrier[left] != carrier[right]))
    title = title_starts(columns.texts["main_title"], columns.texts["remainder"], _TITLE_START)
    for exception, values in ((Exceptions.LANGUAGE, _languages(columns)), (Exceptions.IDENTIFIERS, _isbns(columns))):
        has_value = np.diff(values.offsets) > 0
        add(
            exception,
            has_value[left] & has_value[right] & ~have_common_value(values.offsets, values.hashes, left, right),
        )
    found[title[left] == title[right]] &= ~np.uint16(Exceptions.LANGUAGE)
    return found


def _levels(columns: FeatureColumns) -> npt.NDArray[np.uint32]:
    """Return the letter of the level of each row; 0 if it has none."""
    column = columns.texts["level"]
    found = np.zeros(len(columns), dtype=np.uint32)
    has_level = np.diff(column.offsets) > 0
    found[has_level] = column.codes[column.offsets[:-1][has_level]]
    return found & np.uint32(127)


def _hashes(column: TextColumn, length: int = _UNLIMITED) -> npt.NDArray[np.uint64]:
    from bibld.dedup._keys.hash_kernels import prefixes

    return prefixes(column.offsets, column.codes, length)


def _carriers(columns: FeatureColumns) -> npt.NDArray[np.uint64]:
    """Return a hash of the carrier of each row, the same for all that is printed; 0 if it has none."""
    found = _hashes(columns.texts["carrier"])
    printed = _hashes(TextColumn.from_texts(_PRINTED))
    found[np.isin(found, printed)] = printed[0]
    return found


def _languages(columns: FeatureColumns) -> _Values:
    """Return the languages of each row, as hashes."""
    values = _split(columns.texts["language"])
    return values.select(~np.isin(values.hashes, _hashes(TextColumn.from_texts(_UNDETERMINED))))


def _isbns(columns: FeatureColumns) -> _Values:
    """Return the ISBNs of each row, as hashes."""
    values = _split(columns.texts["identifiers"])
    starts = _hashes(values.column, len(_ISBN))
    return values.select((starts == _hashes(TextColumn.from_texts([_ISBN]))) & (values.hashes != starts))


class _Values(NamedTuple):
    """The values of n rows: those of row i are ``offsets[i]:offsets[i + 1]``, with their hashes and texts."""

    offsets: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint64]
    column: TextColumn

    def select(self, chosen: npt.NDArray[np.bool_]) -> _Values:
        """Return some of the values; an empty one never."""
        chosen = chosen & (self.hashes != 0)
        counts = np.concatenate(([0], np.cumsum(chosen)))
        return self._replace(offsets=counts[self.offsets], hashes=self.hashes[chosen])


def _split(column: TextColumn) -> _Values:
    """Return the values of each row of a column; they are the rows of the column of the result."""
    is_separator = column.codes == ord(VALUE_SEPARATOR)
    kept = np.concatenate(([0], np.cumsum(~is_separator)))  # characters before each one, separators not counted
    starts = np.sort(np.concatenate((column.offsets[:-1], np.flatnonzero(is_separator) + 1)))
    values = TextColumn(kept[np.append(starts, column.offsets[-1])], column.codes[~is_separator])
    return _Values(np.searchsorted(starts, column.offsets), _hashes(values), values)
