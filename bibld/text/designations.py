"""Designations of parts: statements of which part of a larger publication a record describes.

A designation is a path of steps, from the largest unit to the smallest: «Т. 1, полут. 2» is volume 1, half volume 2. A
step has a unit (one letter, see :mod:`bibld.text.part_units`) and a value: a number, a range of numbers (``1-2``), a
letter or word, or what the part covers: letters of the alphabet (``a-k``), a class of a school, a year, a season.
Numbers are read in Arabic and Roman digits and in words; a number of volumes («в 18 т.», "in 3 vols") is no
designation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import bibld.text.part_units as part_units
from bibld.text.part_units import (
    CLASS,
    COVERED,
    DAY,
    FORM_OF_SCORE,
    LETTERS,
    LEVEL,
    MONTH,
    NUMBER,
    SCORING,
    SEASON,
    SERIES,
    SUPPLEMENT,
    VERSION,
    YEAR,
    full_year,
    meaning_of,
)
from bibld.text.part_values import DASHES, FIRST_YEAR, LAST_YEAR, PUNCTUATION, STOP, Field, ReadValue, ValueReader


class Step(NamedTuple):
    """One step of a designation."""

    unit: str
    value: str


_BETWEEN_ELEMENTS = frozenset(".:;")
_MAX_CHARACTERS_ALONE = 60
_DIGITS_OF_YEAR = 4
_DIGITS_OF_SHORT_YEAR = 2
_DAYS_OF_MONTH = 31
_WORDS_AFTER_EDITION = 4
_MAX_DIGITS_ALONE = 2
_MAX_WORDS_OF_MEETING = 10
_LETTERS_OF_LEVELS = {"A": "a", "B": "b", "C": "c", "А": "a", "В": "b", "С": "c"}
_BEFORE_YEAR_OF_SEASON = frozenset((",", "of", "."))
_REMEMBERED = 1 << 14
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = frozenset("vhpbic")
_NOT_CUT = frozenset((YEAR, SEASON, MONTH, part_units.MEETING))
"""What a part covers that often is what its title means."""
_AROUND_DESIGNATIONS = " .,:;()[]"


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
    return ", ".join(f"{part_units.UNITS.get(unit, '')} {_in_words(unit, value)}".strip() for unit, value in steps)


def _in_words(unit: str, value: str) -> str:
    names = {SCORING: part_units.SCORED_FOR, FORM_OF_SCORE: part_units.FORMS_OF_SCORES}.get(unit)
    return " and ".join(names.get(letter, letter) for letter in value) if names else value


def may_designate(text: str) -> bool:
    """Return whether a text has a digit, or a word that may be the unit, the number or the range of a part.

    >>> may_designate("Ч. 1-2"), may_designate("Том Сойер"), may_designate("Чайка")
    (True, True, False)
    """
    return _DIGIT.search(text) is not None or any(map(_means_something, _WORD.findall(text)))


@lru_cache(_REMEMBERED)
def _means_something(word: str) -> bool:
    meaning = meaning_of(word)
    return meaning.unit is not None or meaning.number is not None or meaning.covered is not None


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


def without_designation(title: str) -> str:
    """Return a title without the designation of a part, class or level that it ends with.

    >>> without_designation("Справочник лесничего. Ч. 1"), without_designation("Алгебра, 8 класс")
    ('Справочник лесничего', 'Алгебра')
    >>> without_designation("Catch-22"), without_designation("Том Сойер")
    ('Catch-22', 'Том Сойер')
    """
    steps = set(read_designation(title, Field.TITLE))
    if all(step.unit in _NOT_CUT for step in steps):
        return title
    words = title.split()
    for count in range(1, len(words)):
        head, tail = words[:count], " ".join(words[count:])
        reader = _Reader(tail.strip(_AROUND_DESIGNATIONS), Field.NAME)
        found = list(reader.steps())
        if (
            found
            and not reader.has_more
            and steps.issuperset(found)
            and any(step.unit not in _NOT_CUT for step in found)
        ):
            return " ".join(head).rstrip(_AROUND_DESIGNATIONS)
    return title


class _Reader(ValueReader):
    """Reads the designation out of the tokens of one text."""

    def steps(self) -> Iterator[Step]:
        """Yield the steps."""
        first = self._tokens[0].word.key
        if self._count == 1 and self._field is Field.NAME and first.endswith(part_units.NAMED_VOLUMES):
            yield Step(part_units.WORD, first)
            return
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
        if self._is_number or text.isdecimal() or self._tokens[at + 1].text in DASHES or part_units.is_letter(text):
            return False
        is_known = word.unit is not None or word.number is not None or word.covered is not None
        is_known = is_known or self._tokens[at + 1].word.unit == SERIES
        return not is_known and text.lower() not in part_units.BEFORE_COUNTS

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _unit_and_value(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Т. 1», "Book two", «Ч. А»."""
        unit = self._unit(at)
        if unit is None:
            return (), 0
        if end := self._end_of_supplement(at, unit):
            return (Step(SUPPLEMENT, ""),), end
        value = self._value(at + 1)
        if value is None or not self._is_accepted(at, unit, value):
            return (), 0
        if unit == LEVEL and at == 0 and value.end >= self._count and self._field is Field.TITLE:
            return (), 0
        if unit == VERSION:
            value = self._with_decimals(value)
        is_range = "-" in value.value and not value.value[:1].isdecimal()
        return (Step(LETTERS if is_range else unit, value.value),), value.end

    def _with_decimals(self, version: ReadValue) -> ReadValue:
        """Add what a version counts behind a full stop: "3.1"; not the zero of "3.0"."""
        stop, decimals = self._tokens[version.end : version.end + 2]
        if not (stop.text == "." and decimals.is_attached and decimals.text.isdecimal()):
            return version
        value = version.value if int(decimals.text) == 0 else f"{version.value}.{decimals.text}"
        return self._with_decimals(ReadValue(value, version.end + 2))

    def _end_of_supplement(self, at: int, unit: str) -> int:
        """Return the end of a supplement without a number: «Доп. т.», "tom dodatkowy", "Suppl. to"; 0 for others."""
        following = self._skip(at + 1, STOP | DASHES)
        other = self._unit(following) if following < self._count else None
        if other is not None and other != unit and SUPPLEMENT in (unit, other) and self._starts(at):
            end = self._skip(following + 1, STOP)
            if self._value(end) is None and self._ends(following + 1):
                return end
        if unit != SUPPLEMENT or not (self._is_number or at == self._last_end):
            return 0
        if self._tokens[at + 1].text.lower() in part_units.AFTER_SUPPLEMENTS and self._tokens[at + 2].text.isalnum():
            return at + 2
        return at + 1 if self._value(at + 1) is None else 0

    def _is_accepted(self, at: int, unit: str, value: ReadValue) -> bool:
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
            and (not following or (following in PUNCTUATION and following != "."))
            and (value.value[:1].isdecimal() or last.text.isupper() or at == 0)
        )

    def _ordinal_and_unit(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Второй том», "2. Teil", «II часть»."""
        number = self._numbers(at)
        if not self._starts(at):
            return (), 0
        if self._unit(at + 1) == SERIES and self._tokens[at].word.key in part_units.keys(part_units.NEW):
            return (Step(SERIES, "new"),), at + 2
        if number is None:
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
        if not (dash.text in DASHES or (is_introduced and dash.text.lower() in part_units.BETWEEN_NUMBERS)):
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
        """Read a class of a school, a level of a course, a season, a month or a year."""
        word = self._tokens[at].word
        level, digit, following = self._tokens[at : at + 3]
        if (
            level.text in _LETTERS_OF_LEVELS
            and digit.is_attached
            and digit.text in ("1", "2")
            and not (following.is_attached and following.text.isalnum())
        ):
            return (Step(LEVEL, _LETTERS_OF_LEVELS[level.text] + digit.text),), at + 2
        if word.covered == LEVEL:
            return self._level(at)
        if word.covered == CLASS:
            number = self._numbers(at + 1)
            return ((Step(CLASS, number.value),), number.end) if number else ((), 0)
        if word.covered in (SEASON, MONTH):
            return self._season_or_month(at)
        if word.covered == part_units.MEETING:
            return self._short_year_of_meeting(at)
        number = self._numbers(at)
        if number is not None:
            position = self._skip(number.end, STOP)
            word = self._tokens[position].word
            if word.covered == MONTH and number.value.isdecimal() and int(number.value) <= _DAYS_OF_MONTH:
                return (Step(DAY, f"{part_units.season_and_month_numbers()[word.key]}.{number.value}"),), position
            if word.covered == CLASS and word.key not in part_units.keys(part_units.GRADES):
                return (Step(CLASS, number.value),), position + 1
            months = part_units.months_of_periods().get(word.key)
            if months and number.value.isdecimal():
                last = int(number.value) * months
                return (Step(MONTH, f"{last - months + 1}-{last}"),), position + 1
            if self._is_of_meeting(at, number):
                return (Step(part_units.MEETING, number.value),), number.end
        return self._year_in_title(at)

    def _is_of_meeting(self, at: int, number: ReadValue) -> bool:
        """Return whether a number is that of a conference: "4th International Symposium", «XX съезд»."""
        if self._is_number or not (number.is_ordinal or self._tokens[at].text.isupper()):
            return False
        following = self._tokens[number.end : number.end + _MAX_WORDS_OF_MEETING]
        return any(token.word.covered == part_units.MEETING for token in following)

    def _short_year_of_meeting(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read «Конференция-98»."""
        _, dash, year = self._tokens[at : at + 3]
        if dash.text in DASHES and year.text.isdecimal() and len(year.text) == _DIGITS_OF_SHORT_YEAR:
            return (Step(YEAR, full_year(year.text)),), at + 3
        return (), 0

    def _level(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read the level of a course: «базовый уровень», «базовый и углублённый уровни», "Pre-Intermediate"."""
        key = self._tokens[at].word.key
        value = part_units.levels()[key]
        begin = at - 2 if self._tokens[at - 1].text in DASHES else at - 1
        before = part_units.BEFORE_LEVELS.get(self._tokens[begin].text.lower(), "") if begin >= 0 else ""
        first = begin if before else at
        step = Step(LEVEL, before + value)
        if self._tokens[at + 1].word.unit == LEVEL:
            return (step,), at + 2
        if self._tokens[at + 1].text.lower() in part_units.BETWEEN_NUMBERS and (
            self._tokens[at + 2].word.covered == LEVEL
        ):
            others, end = self._level(at + 2)
            return ((step, *others), end) if others else ((), 0)
        named = self._unit_before(first)
        if first and named and part_units.units().get(named) == LEVEL:
            return (step,), at + 1
        is_alone = key in part_units.levels_by_themselves() and self._starts(first) and self._ends(at + 1)
        return ((step,), at + 1) if is_alone and (first or self._field is not Field.TITLE) else ((), 0)

    def _season_or_month(self, at: int) -> tuple[tuple[Step, ...], int]:
        """Read a season or month with what follows: "Spring 2001", "June, July 1963", «весна-лето», «май 2005 г.»."""
        _, word, _ = self._tokens[at]
        dash, other = self._tokens[at + 1 : at + 3]
        numbers = part_units.season_and_month_numbers()
        if word.covered == SEASON:
            if (dash.text in DASHES or dash.text == "/") and other.word.covered == SEASON:
                return (Step(SEASON, numbers[word.key]), Step(SEASON, numbers[other.word.key])), at + 3
            if self._starts(at) and self._ends(at + 1) and (at or self._field is not Field.TITLE):
                return (Step(SEASON, numbers[word.key]),), at + 1
        position = self._skip(at + 1, _BEFORE_YEAR_OF_SEASON)
        following = self._tokens[position]
        if not (self._is_number or following.text.isdecimal() or following.word.covered == word.covered):
            return (), 0
        unit = word.covered or SEASON
        return (Step(unit, numbers[word.key]),), at + 1

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

    def _year(self, at: int) -> ReadValue | None:
        """Return a year or a range of years («1998-1999», "2005/06")."""
        first = self._tokens[at].text
        if not (len(first) == _DIGITS_OF_YEAR and first.isdecimal() and FIRST_YEAR <= int(first) <= LAST_YEAR):
            return None
        between, last = self._tokens[at + 1].text, self._tokens[at + 2].text
        if (between in DASHES or between == "/") and last.isdecimal() and len(last) in (2, _DIGITS_OF_YEAR):
            last = first[: _DIGITS_OF_YEAR - len(last)] + last
            if int(first) < int(last) <= LAST_YEAR:
                return ReadValue(f"{first}-{last}", at + 3)
        return ReadValue(first, at + 1)

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
