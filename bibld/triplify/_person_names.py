"""Names of persons as their headings are compared: the same form for both scripts, initials and full names."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from bibld.text.numerals import roman_number
from bibld.text.romanisation import romanise, unify_transcriptions

_WORD = re.compile(r"[^\W_](?:[^\W_]|[’'`´ʹʺʼʻ\u0300-\u036f\ufe20-\ufe2f-])*")
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)?")
_ROMAN_NUMERAL = re.compile("[IVXLC]+")
_LONGEST_INITIAL = 2
"""Letters of an initial as it is compared: ``Ж.`` is ``zh``."""
_NAMES_REMEMBERED = 16_384


class PersonName(msgspec.Struct, frozen=True):
    """The family name and the given names of a heading, romanised; ``#2`` stands for the numeral of a ruler."""

    family: str
    given: tuple[str, ...]

    @property
    def is_full(self) -> bool:
        """Whether at least one given name is written out."""
        return any(map(self.is_written_out, self.given))

    @staticmethod
    def is_written_out(word: str) -> bool:
        """Whether a given name is neither an initial nor a numeral."""
        return len(word) > _LONGEST_INITIAL and not word.startswith("#")

    @property
    def key(self) -> str:
        """The words of the name as one text."""
        return " ".join((self.family, *self.given))

    def is_compatible(self, other: PersonName) -> bool:
        """Whether both may name one person: the same family name, and given names that are equal or abbreviated."""
        if self.family != other.family or not self.given or not other.given:
            return False
        if {word for word in self.given if word[0] == "#"} != {word for word in other.given if word[0] == "#"}:
            return False
        return all(is_same_or_initial(one, two) for one, two in zip(self.given, other.given, strict=False))


def is_same_or_initial(one: str, two: str) -> bool:
    """Whether two words of names are equal, or one is the initial of the other."""
    short, long = sorted((one, two), key=len)
    return short == long or (len(short) <= _LONGEST_INITIAL and long.startswith(short))


@lru_cache(maxsize=_NAMES_REMEMBERED)
def parse_person_name(heading: str) -> PersonName | None:
    """Parse the heading of a person; None without a family name.

    The full names that a heading adds to initials in parentheses are taken instead of them.

    >>> parse_person_name("Bakhtin, M. M. (Mikhail Mikhaĭlovich)") == parse_person_name("Бахтин, Михаил Михайлович")
    True
    """
    before, _, after = _IN_PARENTHESES.sub(" ", heading).partition(",")
    words = _words(before)
    given = _words(after)
    if not given:
        words, given = words[:1], words[1:]
    family = "".join(words)
    if not family or family.startswith("#"):
        return None
    full = [word for text in _IN_PARENTHESES.findall(heading) for word in _words(text)]
    if full and len(full) >= len(given) > 0:
        expanded = PersonName(family, tuple(full))
        if expanded.is_full and expanded.is_compatible(PersonName(family, tuple(given))):
            return expanded
    return PersonName(family, tuple(given))


def _words(text: str) -> list[str]:
    """Return the words of a part of a heading; particles, which are written small, only if there is nothing else."""
    words = _WORD.findall(text)
    capitalised = [word for word in words if not word.islower()] or words
    return [key for word in capitalised if (key := _word_key(word))]


def _word_key(word: str) -> str:
    if len(word) > 1 and _ROMAN_NUMERAL.fullmatch(word) and (number := roman_number(word)) is not None:
        return f"#{number}"
    return unify_transcriptions(romanise(word)).replace(" ", "")
