"""The numbers and letters in designations of parts, and what surrounds them."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

import bibld.text.part_units as part_units
from bibld.text.part_units import END, NUMBER, tokens_of
from bibld.text.scripts import has_cyrillic

DASHES = frozenset("-–—‑−")
PUNCTUATION = frozenset(".,:;/=()–—-‑−")
STOP = frozenset(".")
_MIN_TENS, _MIN_COMPOUND = 20, 10
_MAX_DIGITS = 9
FIRST_YEAR, LAST_YEAR = 1500, 2099
_BEFORE_VALUES = frozenset(".№#(:") | part_units.ARTICLES | {"no", "nr"}


class ReadValue(NamedTuple):
    """What was read, and the token behind it."""

    value: str
    end: int
    is_ordinal: bool = False


class Field(Enum):
    """What a text is, which decides how much of it can be a designation."""

    NUMBER = auto()
    """The number of a part: all of it."""
    NAME = auto()
    """Name of a part, or other title information."""
    TITLE = auto()
    """A title proper."""


class ValueReader:
    """Reads the values of a designation out of the tokens of one text."""

    def __init__(self, text: str, field: Field) -> None:
        self._tokens = [*tokens_of(text), END, END, END]
        self._count = len(self._tokens) - 3
        self._field = field
        self._is_cyrillic = has_cyrillic(text)
        self._is_number = field is Field.NUMBER
        self._last_end = 0
        """The token behind the last step or count."""
        self.has_more = False
        """Whether a word was met that belongs to no step."""

    # -- surroundings --------------------------------------------------------------------------------------------------

    def _starts(self, at: int) -> bool:
        """Return whether a designation can start here: after punctuation or another step."""
        return self._is_number or at == self._last_end or self._tokens[at - 1].text in PUNCTUATION

    def _ends(self, at: int) -> bool:
        """Return whether a designation can end before this token."""
        return self._is_number or at >= self._count or self._tokens[at].text in PUNCTUATION

    def _unit(self, at: int) -> str | None:
        """Return the unit that a token names."""
        word = self._tokens[at].word
        is_excluded = not self._is_number and word.key in part_units.ONLY_IN_NUMBERS
        return None if is_excluded or (word.unit == part_units.CHAPTER and self._field is Field.TITLE) else word.unit

    def _skip(self, at: int, texts: frozenset[str]) -> int:
        while self._tokens[at].text and self._tokens[at].word.key in texts:
            at += 1
        return at

    # -- counts --------------------------------------------------------------------------------------------------------

    def _end_of_count(self, at: int) -> int:
        """Return the end of a number of volumes («в 18 т.», "3 vols"); 0 if there is none."""
        word = self._tokens[at].text.lower()
        is_romanised = word == "v" and self._tokens[at + 1].text != "."
        is_introduced = word in part_units.BEFORE_COUNTS or is_romanised
        number = self._number(at + 1 if is_introduced else at)
        if number is None or number.is_ordinal or (self._is_number and not is_introduced):
            return 0
        if self._unit(number.end) in (None, NUMBER, "a", "s"):
            return 0
        if is_romanised and self._tokens[number.end].word.key not in part_units.ROMANISED_UNITS:
            return 0
        return 0 if not is_introduced and self._value(number.end + 1) is not None else number.end + 1

    # -- values --------------------------------------------------------------------------------------------------------

    def _number(self, at: int) -> ReadValue | None:
        """Return one number in digits, Roman letters or words."""
        text, word, _ = self._tokens[at]
        if text.isdecimal():
            return self._with_ending(ReadValue(str(int(text[:_MAX_DIGITS])), at + 1))
        known = word.number
        if known is None:
            return None
        if known.number % _MIN_COMPOUND == 0:
            dash = int(self._tokens[at + 1].text in DASHES)
            one = self._tokens[at + 1 + dash].word.number
            is_compound = one is not None and (one.is_ordinal or known.number >= _MIN_TENS)
            if is_compound and one is not None and one.number < _MIN_COMPOUND:
                return ReadValue(str(known.number + one.number), at + 2 + dash, one.is_ordinal)
        return self._with_ending(ReadValue(str(known.number), at + 1, known.is_ordinal))

    def _with_ending(self, number: ReadValue) -> ReadValue:
        """Add what is attached to a number: the ending of an ordinal, or a letter."""
        at = number.end
        dash = int(self._tokens[at].text in DASHES and self._tokens[at].is_attached)
        ending = self._tokens[at + dash]
        if not (ending.is_attached and ending.text.isalpha()):
            return number
        if ending.text.lower() in part_units.ORDINAL_ENDINGS:
            return ReadValue(number.value, at + dash + 1, True)
        if ending.text.lower() in part_units.CARDINAL_ENDINGS:
            return ReadValue(number.value, at + dash + 1)
        if dash and ending.word.unit:  # 3-том
            return ReadValue(number.value, at + 1, True)
        if not dash and len(ending.text) == 1:
            return ReadValue(number.value + part_units.letter_key(ending.text, self._is_cyrillic), at + 1)
        return number

    def _numbers(self, at: int) -> ReadValue | None:
        """Return a number or a range of numbers; a list of them is the range from its first to its last."""
        first = last = self._number(at)
        unit = self._unit_before(at)
        while last is not None and last.value.isdecimal():
            between = self._tokens[last.end]
            if between.text not in DASHES and between.text.lower() not in part_units.BETWEEN_NUMBERS:
                break
            following = last.end + 1
            if unit and self._tokens[following].word.key == unit:
                following = self._skip(following + 1, STOP)
            other = self._number(following)
            if other is None or not self._continues(last, other, between.text):
                break
            last = other
        if first is None or last is None or first is last:
            return first
        return ReadValue(f"{first.value}-{last.value}", last.end, last.is_ordinal)

    def _unit_before(self, at: int) -> str:
        """Return the key of the word before a number and its full stop."""
        position = at - 1
        while position > 0 and self._tokens[position].text in (".", "№", ":"):
            position -= 1
        return self._tokens[position].word.key if position >= 0 else ""

    def _continues(self, last: ReadValue, other: ReadValue, between: str) -> bool:
        """Return whether a number continues a range or list of numbers."""
        if not other.value.isdecimal() or int(other.value) <= int(last.value):
            return False
        if other.is_ordinal and not last.is_ordinal:
            return False
        if int(other.value) >= FIRST_YEAR > int(last.value):
            return False
        return between != "," or self._unit(other.end) is None

    def _value(self, at: int) -> ReadValue | None:
        """Return the value after the name of a unit."""
        at = self._skip(at, _BEFORE_VALUES)
        return self._numbers(at) or self._letters(at)

    def _letters(self, at: int) -> ReadValue | None:
        """Return a letter, or a range of letters."""
        first = self._tokens[at].text
        if not part_units.is_letter(first):
            return None
        dash, last = self._tokens[at + 1].text, self._tokens[at + 2].text
        key = part_units.letter_key(first, self._is_cyrillic)
        if dash in DASHES and part_units.is_letter(last):
            return ReadValue(f"{key}-{part_units.letter_key(last, self._is_cyrillic)}", at + 3)
        return ReadValue(key, at + 1)
