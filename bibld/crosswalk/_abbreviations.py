"""Whether the full stop at the end of a text belongs to an abbreviation, or only ends an area of ISBD.

The words in ``abbreviations.toml`` are those of editions, imprints, headings and physical descriptions in the languages
of catalogues. A word that is also an ordinary word (``ill``, ``mass``, ``вид``) is an abbreviation only behind a comma,
another full stop or a number: ``Cambridge, Mass.``, ``2-е вид.``.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from importlib import resources

import msgspec

_TEXT = resources.files("bibld.crosswalk").joinpath("abbreviations.toml").read_text(encoding="utf-8")
_WORDS = msgspec.toml.decode(_TEXT, type=dict[str, str])


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORDS[name].split())


_ABBREVIATIONS = _words("abbreviations")
_ALSO_WORDS = _words("also_words")
_STATES_AND_COUNTRIES = _words("states_and_countries")
_ABBREVIATIONS_OF_EXTENT = _words("of_extent")
_NO_ABBREVIATIONS = _words("no_abbreviations")
_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяіїєѣѵъьαεηιουω")
_SYLLABIC = frozenset("rlрл")
"""Consonants that make a syllable between others: ``smrt``, ``vlk``, ``трг``."""
_ROMAN_DIGITS = frozenset("ivxlcdm")
_CONJUNCTIONS = frozenset(("a", "and", "e", "en", "et", "i", "og", "och", "u.", "und", "y", "і", "и", "та"))
_COMPOUNDS = ("aufl", "ausg", "buchh", "sacht", "verl")
"""What abbreviated German compounds end with."""
_SINGLE_WORDS = frozenset("аиоуя")
"""Letters that are words in Russian."""
_INITIALS = re.compile(r"[(\[]?(?:[^\W\d_]\.)+")
_BEFORE_LAST_PIECE = str.maketrans("-/", "  ")
_OPENING = "([{«\"'„“"


class _Word(Enum):
    """How far a word is an abbreviation by itself."""

    ORDINARY = 0
    ABBREVIATION = 1
    LETTER = 2
    PLACE = 3
    ALSO_WORD = 4


_AND_COMPANY = ("& c", "et c", "и к", "y c", "e c")


def ends_in_abbreviation(text: str) -> bool:
    """Return whether a text, without its final full stop, ends in an abbreviation.

    >>> ends_in_abbreviation("Toronto, Ont"), ends_in_abbreviation("The mentally ill"), ends_in_abbreviation("2. éd")
    (True, False, True)
    """
    before, _, word = text.rpartition(" ")
    kind = _kind_of_word(word)
    if kind is _Word.ORDINARY or kind is _Word.ABBREVIATION:
        return kind is _Word.ABBREVIATION
    previous = before.rstrip().rpartition(" ")[2]
    if previous in _CONJUNCTIONS:
        previous = before.split()[-2:][0]
    follows_number = previous[:1].isdigit()
    if kind is _Word.LETTER:
        if f"{previous} {word}" in _AND_COMPANY:
            return True
        counts = follows_number and (word.islower() or previous.endswith("."))
        return not before or counts or previous.endswith(",") or _INITIALS.fullmatch(previous) is not None
    is_opened = word[0] in _OPENING
    if kind is _Word.PLACE:
        return is_opened or previous.endswith((",", "."))
    is_within = follows_number or previous.endswith(".")
    return is_within or (word.islower() and (is_opened or not before or previous.endswith(",")))


def ends_in_initial(text: str) -> bool:
    """Return whether a name, without its final full stop, ends in an initial or another abbreviation."""
    return _kind_of_word(text.rpartition(" ")[2]) in (_Word.LETTER, _Word.ABBREVIATION)


def ends_in_abbreviation_of_extent(text: str) -> bool:
    """Return whether an extent, without its final full stop, ends in an abbreviation: ``325 p``, not ``23 cm``."""
    word = text.rpartition(" ")[2].lstrip(_OPENING + "0123456789")
    return word.casefold() in _ABBREVIATIONS_OF_EXTENT or _kind_of_word(word) is _Word.ABBREVIATION


@lru_cache(1 << 14)
def _kind_of_word(word: str) -> _Word:
    """Return whether a word is an abbreviation in every context, or in which it is."""
    word = unicodedata.normalize("NFC", word)
    if not word[-1:].isalpha():
        return _Word.ORDINARY
    stated = word.lstrip(_OPENING)
    if len(word) == 1 and not ("а" <= word <= "я" and word not in _SINGLE_WORDS):
        return _Word.LETTER
    if _is_abbreviation(stated):
        return _Word.ABBREVIATION
    if stated in _STATES_AND_COUNTRIES:
        return _Word.PLACE
    return _Word.ALSO_WORD if stated.casefold() in _ALSO_WORDS else _Word.ORDINARY


def _is_abbreviation(word: str) -> bool:
    """Return whether a word is an abbreviation in every context."""
    folded = word.casefold()
    if folded in _ABBREVIATIONS:
        return True
    last = folded.translate(_BEFORE_LAST_PIECE).rpartition(" ")[2]
    before, stop, piece = last.rpartition(".")
    if len(piece) == 1:
        if piece != folded:
            return "." in folded or "/" in folded
        return word == piece and "а" <= piece <= "я" and piece not in _SINGLE_WORDS
    if piece in _ABBREVIATIONS or piece.endswith(_COMPOUNDS):
        return not stop or len(before) == 1 or _is_abbreviation(before)
    return piece == folded and not word.isupper() and _has_no_syllable(folded)


def _has_no_syllable(word: str) -> bool:
    """Return whether a word has neither a vowel nor a consonant in place of one, and is no number or symbol."""
    if word in _NO_ABBREVIATIONS or _ROMAN_DIGITS.issuperset(word):
        return False
    letters = unicodedata.normalize("NFD", word)
    if not all("a" <= letter <= "z" or "α" <= letter <= "ӿ" or unicodedata.combining(letter) for letter in letters):
        return False
    return _VOWELS.isdisjoint(letters) and _SYLLABIC.isdisjoint(word[1:-1])
