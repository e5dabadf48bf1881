"""Designations of parts: statements of which part of a larger publication a record describes.

A designation is a path of steps, from the largest unit to the smallest: «Т. 1, полут. 2» is volume 1, half volume 2. A
step has a unit (one letter, see :mod:`bibld.text.part_units`) and a value: a number, a range of numbers (``1-2``), a
letter or word, or what the part covers: letters of the alphabet (``a-k``), a class of a school, a year, a season.
Numbers are read in Arabic and Roman digits and in words; a number of volumes («в 18 т.», "in 3 vols") is no
designation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

import bibld.text.part_units as part_units
from bibld.text.part_units import (
    CLASS,
    COVERED,
    END,
    LETTERS,
    MONTH,
    NUMBER,
    SEASON,
    YEAR,
    full_year,
    tokens_of,
)
from bibld.text.scripts import has_cyrillic


class Step(NamedTuple):
    """One step of a designation."""

    unit: str
    value: str


_DASHES = frozenset("-–—‑−")
_BETWEEN_ELEMENTS = frozenset(".:;")
_PUNCTUATION = frozenset(".,:;/=()–—-‑−")
_FIRST_YEAR, _LAST_YEAR = 1500, 2099
_MAX_CHARACTERS_ALONE = 60
_DIGITS_OF_YEAR = 4
_DIGITS_OF_SHORT_YEAR = 2
_WORDS_AFTER_EDITION = 4
_MAX_DIGITS = 9
_MAX_DIGITS_ALONE = 2
_MIN_TENS, _MIN_COMPOUND = 20, 10
_MAX_WORDS_OF_MEETING = 10
_STOP = frozenset(".")
_BEFORE_VALUES = frozenset(".№#(:") | part_units.ARTICLES | {"no", "nr"}
_BEFORE_YEAR_OF_SEASON = frozenset((",", "of", "."))
_REMEMBERED = 1 << 14
_COUNTED = frozenset("vhpbic")


class _ReadValue(NamedTuple):
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


@lru_cache(_REMEMBERED)
def read_designation(text: str, field: Field = Field.NUMBER) -> tuple[Step, ...]:
    """Return the steps of a designation.

    In a title numbers count beside a unit only, and between marks of punctuation or at the end.

    >>> canonical(read_designation("Т. 1, полут. 2")), canonical(read_designation("Книга друга"))
    ('v1 h2', 'b2')
    >>> canonical(read_designation("Сочинения : в 18 т. Т. 1", Field.TITLE)), read_designation("Catch-22", Field.TITLE)
    ('v1', ())
    """
    steps = list(_Reader(text, field).steps())
    is_numbered = any(step.unit != part_units.WORD and step.unit not in COVERED for step in steps)
    return _joined([step for step in steps if step.unit != part_units.WORD or not is_numbered])


def _joined(steps: list[Step]) -> tuple[Step, ...]:
    """Return steps, of which those of one unit that follow each other («кн. 7, кн. 8») are one range."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and last.unit == step.unit and step.unit in _COUNTED:
            first, second = last.value.partition("-")[0], step.value.rpartition("-")[2]
            if first.isdecimal() and second.isdecimal() and int(first) < int(second):
                found[-1] = Step(step.unit, f"{first}-{second}")
                continue
        found.append(step)
    return tuple(found)


def part_number(text: str) -> str:
    """Return the values of a designation, with a blank between them; for text without any the romanised text.

    >>> [part_number(text) for text in ("Т. 3", "vol. III", "Часть вторая", "Bd. 2, 1. Teil", "Ч. А", "Т. 1, 2")]
    ['3', '3', '2', '2 1', 'a', '1-2']
    """
    return " ".join(step.value for step in read_designation(text) if step.value)


def canonical(steps: Iterable[Step]) -> str:
    """Return a designation as text: unit and value of each step, with blanks between the steps.

    >>> canonical(read_designation("Т. 1, полут. 2")), canonical(read_designation("для 5 класса"))
    ('v1 h2', 'g5')
    """
    units = ((step.unit or ("" if step.value[:1].isdecimal() else part_units.WORD), step.value) for step in steps)
    return " ".join(dict.fromkeys(f"{unit}{value}" for unit, value in units))


def describe(designation: str) -> str:
    """Return a canonical designation in words.

    >>> describe("v1 h2"), describe("3"), describe("la-k")
    ('volume 1, half volume 2', '3', 'letters a-k')
    """
    steps = ((word[0], word[1:]) if not word[0].isdecimal() else ("", word) for word in designation.split())
    return ", ".join(f"{part_units.UNITS.get(unit, '')} {value}".strip() for unit, value in steps)


def is_designation(text: str) -> bool:
    """Return whether a text is the designation of a numbered part and nothing else.

    >>> is_designation("Ч. 1-2"), is_designation("Кн. 3: Рассказы"), is_designation("1984")
    (True, False, False)
    """
    if len(text) > _MAX_CHARACTERS_ALONE:
        return False
    reader = _Reader(text, Field.NAME)
    steps = list(reader.steps())
    return not reader.has_more and any(step.unit not in COVERED for step in steps)


class _Reader:
    """Reads the designation out of the tokens of one text."""

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

    def steps(self) -> Iterator[Step]:
        """Yield the steps."""
        at = 0
        while at < self._count:
            if self._is_ordinary(at):
                self.has_more |= self._tokens[at].text.isalnum()
                at += 1
                continue
            if end := self._end_of_count(at):
                at = self._last_end = end
                continue
            for read in (self._covered, self._ordinal_and_unit, self._unit_and_value, self._range_of_letters):
                steps, end = read(at)
                if end:
                    break
            else:
                steps, end = self._without_unit(at) if self._is_number else self._number_at_end(at)
            yield from steps
            self.has_more |= not end and self._tokens[at].text.isalnum()
            at = end or at + 1
            if end:
                self._last_end = end

    def _is_ordinary(self, at: int) -> bool:
        """Return whether no designation begins with a token: a quick test."""
        text, word, _ = self._tokens[at]
        if self._is_number or text.isdecimal() or self._tokens[at + 1].text in _DASHES or part_units.is_letter(text):
            return False
        is_known = word.unit is not None or word.number is not None or word.covered is not None
        return not is_known and text.lower() not in part_units.BEFORE_COUNTS

    # -- surroundings --------------------------------------------------------------------------------------------------

    def _starts(self, at: int) -> bool:
        """Return whether a designation can start here: after punctuation or another step."""
        return self._is_number or at == self._last_end or self._tokens[at - 1].text in _PUNCTUATION

    def _ends(self, at: int) -> bool:
        """Return whether a designation can end before this token."""
        return self._is_number or at >= self._count or self._tokens[at].text in _PUNCTUATION

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

    def _number(self, at: int) -> _ReadValue | None:
        """Return one number in digits, Roman letters or words."""
        text, word, _ = self._tokens[at]
        if text.isdecimal():
            return self._with_ending(_ReadValue(str(int(text[:_MAX_DIGITS])), at + 1))
        known = word.number
        if known is None:
            return None
        if known.number % _MIN_COMPOUND == 0:
            dash = int(self._tokens[at + 1].text in _DASHES)
            one = self._tokens[at + 1 + dash].word.number
            is_compound = one is not None and (one.is_ordinal or known.number >= _MIN_TENS)
            if is_compound and one is not None and one.number < _MIN_COMPOUND:
                return _ReadValue(str(known.number + one.number), at + 2 + dash, one.is_ordinal)
        return self._with_ending(_ReadValue(str(known.number), at + 1, known.is_ordinal))

    def _with_ending(self, number: _ReadValue) -> _ReadValue:
        """Add what is attached to a number: the ending of an ordinal, or a letter."""
        at = number.end
        dash = int(self._tokens[at].text in _DASHES and self._tokens[at].is_attached)
        ending = self._tokens[at + dash]
        if not (ending.is_attached and ending.text.isalpha()):
            return number
        if ending.text.lower() in part_units.ORDINAL_ENDINGS:
            return _ReadValue(number.value, at + dash + 1, True)
        if ending.text.lower() in part_units.CARDINAL_ENDINGS:
            return _ReadValue(number.value, at + dash + 1)
        if dash and ending.word.unit:  # 3-том
            return _ReadValue(number.value, at + 1, True)
        if not dash and len(ending.text) == 1:
            return _ReadValue(number.value + part_units.letter_key(ending.text, self._is_cyrillic), at + 1)
        return number

    def _numbers(self, at: int) -> _ReadValue | None:
        """Return a number or a range of numbers; a list of them is the range from its first to its last."""
        first = last = self._number(at)
        unit = self._unit_before(at)
        while last is not None and last.value.isdecimal():
            between = self._tokens[last.end]
            if between.text not in _DASHES and between.text.lower() not in part_units.BETWEEN_NUMBERS:
                break
            following = last.end + 1
            if unit and self._tokens[following].word.key == unit:
                following = self._skip(following + 1, _STOP)
            other = self._number(following)
            if other is None or not self._continues(last, other, between.text):
                break
            last = other
        if first is None or last is None or first is last:
            return first
        return _ReadValue(f"{first.value}-{last.value}", last.end, last.is_ordinal)

    def _unit_before(self, at: int) -> str:
        """Return the key of the word before a number and its full stop."""
        position = at - 1
        while position > 0 and self._tokens[position].text in (".", "№"):
            position -= 1
        return self._tokens[position].word.key if position >= 0 else ""

    def _continues(self, last: _ReadValue, other: _ReadValue, between: str) -> bool:
        """Return whether a number continues a range or list of numbers."""
        if not other.value.isdecimal() or int(other.value) <= int(last.value):
            return False
        if other.is_ordinal and not last.is_ordinal:
            return False
        if int(other.value) >= _FIRST_YEAR > int(last.value):
            return False
        return between != "," or self._unit(other.end) is None

    def _value(self, at: int) -> _ReadValue | None:
        """Return the value after the name of a unit."""
        at = self._skip(at, _BEFORE_VALUES)
        return self._numbers(at) or self._letters(at)

    def _letters(self, at: int) -> _ReadValue | None:
        """Return a letter, or a range of letters."""
        first = self._tokens[at].text
        if not part_units.is_letter(first):
            return None
        dash, last = self._tokens[at + 1].text, self._tokens[at + 2].text
        key = part_units.letter_key(first, self._is_cyrillic)
        if dash in _DASHES and part_units.is_letter(last):
            return _ReadValue(f"{key}-{part_units.letter_key(last, self._is_cyrillic)}", at + 3)
        return _ReadValue(key, at + 1)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _unit_and_value(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Т. 1», "Book two", «Ч. А»."""
        unit = self._unit(at)
        if unit is None:
            return (), 0
        value = self._value(at + 1)
        if unit == "a" and (self._is_number or at == self._last_end) and value is None:
            return (Step(unit, ""),), at + 1
        if value is None or not self._is_accepted(at, unit, value):
            return (), 0
        is_range = "-" in value.value and not value.value[:1].isdecimal()
        return (Step(LETTERS if is_range else unit, value.value),), value.end

    def _is_accepted(self, at: int, unit: str, value: _ReadValue) -> bool:
        """Return whether a unit with a value in a title is a designation."""
        if self._is_number:
            return True
        if unit == NUMBER:
            is_sentence = self._tokens[at - 1].text in _BETWEEN_ELEMENTS and value.end >= self._count
            return is_sentence or (at == self._last_end and self._ends(value.end))
        token, last = self._tokens[at], self._tokens[value.end - 1]
        is_certain = value.value[:1].isdecimal() and (last.text.isdecimal() or len(last.text) > 1)
        if is_certain:
            can_end = last.text.isdecimal() or self._ends(value.end)
            return (self._starts(at) and can_end) or value.end >= self._count
        # One letter, as a number or not: «Т. И. Иванов», "Lenin, V. I."
        if len(token.text) == 1 and token.text.isupper() and at and self._tokens[at - 1].text not in _BETWEEN_ELEMENTS:
            return False
        following = self._tokens[value.end].text
        return (
            self._starts(at)
            and (not following or (following in _PUNCTUATION and following != "."))
            and (value.value[:1].isdecimal() or last.text.isupper() or at == 0)
        )

    def _ordinal_and_unit(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Второй том», "2. Teil", «II часть»."""
        number = self._numbers(at)
        if number is None or not self._starts(at):
            return (), 0
        position = number.end
        has_stop = self._tokens[position].text == "." and self._tokens[at].text.isdecimal()
        position += has_stop
        unit = self._unit(position)
        is_ordinal = number.is_ordinal or has_stop or self._tokens[at].text.isupper()
        if unit in (None, NUMBER) or not (is_ordinal or self._is_number):
            return (), 0
        if self._value(position + 1) is not None or not self._ends(position + 1):
            return (), 0
        return (Step(unit or NUMBER, number.value),), position + 1

    def _range_of_letters(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «А - К», and in numbers and names «Абак - Антенна»."""
        first, dash, last = self._tokens[at : at + 3]
        if self._count == 1 and self._field is Field.NAME and first.text.isupper() and part_units.is_letter(first.text):
            return (Step(LETTERS, part_units.letter_key(first.text, self._is_cyrillic)),), 1
        if not (first.text.isalpha() and last.text.isalpha() and self._ends(at + 3)):
            return (), 0
        letters = part_units.is_letter(first.text), part_units.is_letter(last.text)
        is_introduced = bool(at) and self._tokens[at - 1].text.lower() in part_units.BEFORE_LETTERS
        if not (dash.text in _DASHES or (is_introduced and dash.text.lower() in part_units.BETWEEN_NUMBERS)):
            return (), 0
        is_name = self._field is not Field.TITLE and at == 0 and at + 3 >= self._count
        if not (self._starts(at) or is_introduced) or not (any(letters) or is_name):
            return (), 0
        if first.text.lower() > last.text.lower() or not first.text[0].isupper():
            return (), 0
        ends = (
            part_units.letter_key(token.text, self._is_cyrillic) if single else token.word.key.replace("h", "g")
            for token, single in zip((first, last), letters, strict=True)
        )
        return (Step(LETTERS, "-".join(ends)),), at + 3

    # -- what a part covers --------------------------------------------------------------------------------------------

    def _covered(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read a class of a school, a season, a month or a year."""
        word = self._tokens[at].word
        if word.covered == CLASS:
            number = self._numbers(at + 1)
            return ((Step(CLASS, number.value),), number.end) if number else ((), 0)
        if word.covered in (SEASON, MONTH):
            return self._season_or_month(at)
        if word.covered == part_units.MEETING:
            return self._short_year_of_meeting(at)
        number = self._numbers(at)
        if number is not None:
            position = self._skip(number.end, _STOP)
            word = self._tokens[position].word
            if word.covered == CLASS and word.key not in part_units.keys(part_units.GRADES):
                return (Step(CLASS, number.value),), position + 1
            months = part_units.months_of_periods().get(word.key)
            if months and number.value.isdecimal():
                last = int(number.value) * months
                return (Step(MONTH, f"{last - months + 1}-{last}"),), position + 1
            if self._is_of_meeting(at, number):
                return (Step(part_units.MEETING, number.value),), number.end
        return self._year_in_title(at)

    def _is_of_meeting(self, at: int, number: _ReadValue) -> bool:
        """Return whether a number is that of a conference: "4th International Symposium", «XX съезд»."""
        if self._is_number or not (number.is_ordinal or self._tokens[at].text.isupper()):
            return False
        following = self._tokens[number.end : number.end + _MAX_WORDS_OF_MEETING]
        return any(token.word.covered == part_units.MEETING for token in following)

    def _short_year_of_meeting(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Конференция-98»."""
        _, dash, year = self._tokens[at : at + 3]
        if dash.text in _DASHES and year.text.isdecimal() and len(year.text) == _DIGITS_OF_SHORT_YEAR:
            return (Step(YEAR, full_year(year.text)),), at + 3
        return (), 0

    def _season_or_month(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read a season or month with what follows: "Spring 2001", "June, July 1963", «май 2005 г.»."""
        _, word, _ = self._tokens[at]
        position = self._skip(at + 1, _BEFORE_YEAR_OF_SEASON)
        following = self._tokens[position]
        if not (self._is_number or following.text.isdecimal() or following.word.covered == word.covered):
            return (), 0
        unit = word.covered or SEASON
        return (Step(unit, part_units.season_and_month_numbers()[word.key]),), at + 1

    def _year_in_title(self, at: int) -> tuple[tuple[Step, ...], int]:
        year = self._year(at)
        if year is None:
            return (), 0
        has_word = self._tokens[year.end].word.key in part_units.keys(part_units.YEAR_WORDS)
        end = year.end + has_word
        if at == 0 and end >= self._count and self._field is Field.TITLE:
            return (), end
        edition = part_units.keys(part_units.EDITION_WORDS)
        if any(token.word.key in edition for token in self._tokens[max(0, at - _WORDS_AFTER_EDITION) : at]):
            return (), end
        return (Step(YEAR, year.value),), end

    def _year(self, at: int) -> _ReadValue | None:
        """Return a year or a range of years («1998-1999», "2005/06")."""
        first = self._tokens[at].text
        if not (len(first) == _DIGITS_OF_YEAR and first.isdecimal() and _FIRST_YEAR <= int(first) <= _LAST_YEAR):
            return None
        between, last = self._tokens[at + 1].text, self._tokens[at + 2].text
        if (between in _DASHES or between == "/") and last.isdecimal() and len(last) in (2, _DIGITS_OF_YEAR):
            last = first[: _DIGITS_OF_YEAR - len(last)] + last
            if int(first) < int(last) <= _LAST_YEAR:
                return _ReadValue(f"{first}-{last}", at + 3)
        return _ReadValue(first, at + 1)

    def _number_at_end(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read a number that is a sentence at the end of a title, or all of other title information."""
        number = self._numbers(at)
        if number is None or number.end < self._count or not (at or self._field is Field.NAME):
            return (), 0
        is_digits = self._tokens[at].text.isdecimal() and len(number.value) <= _MAX_DIGITS_ALONE
        is_alone = at == 0 or (self._tokens[at - 1].text == "." and self._tokens[at - 2].word.unit is None)
        return ((Step(NUMBER, number.value),), number.end) if is_alone and is_digits else ((), 0)

    def _without_unit(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read a number, letter or word alone in the number of a part."""
        found = self._numbers(at) or self._letters(at)
        if found is not None:
            return (Step(NUMBER, found.value),), found.end
        text, word, _ = self._tokens[at]
        is_year = word.key in part_units.keys(part_units.YEAR_WORDS)
        if not text.isalpha() or is_year or text.lower() in part_units.FUNCTION_WORDS:
            return (), 0
        return (Step(part_units.WORD, word.key),), at + 1
