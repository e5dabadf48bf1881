"""The scripts that texts are written in, as codes of ISO 15924."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

LATIN, CYRILLIC, HAN, JAPANESE, KOREAN = "Latn", "Cyrl", "Hani", "Jpan", "Kore"

CJK = "CJK"
"""Stands for any script of East Asia: no code of ISO 15924, but the set that MARC 21 names so."""

_EAST_ASIAN = frozenset((HAN, JAPANESE, KOREAN))

CYRILLIC_LETTER = re.compile("[\u0400-\u052f\u1c80-\u1c8f\ua640-\ua69f]")

_NOT_LATIN_LETTER = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2c80-\ua6ff\ua8e0-\ud7ff\uf900-\ufdff\ufe70-\ufefe]")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")

_ASCII_LETTER = re.compile("[A-Za-z]")
_COMMON_CYRILLIC_LETTER = re.compile("[\u0400-\u0481\u048a-\u052f]")
_WITHOUT_OTHER_LETTERS = re.compile(r"[\W\d_\u0400-\u0481\u048a-\u052f]*")
_LETTER_BESIDE_FOREIGN_LETTER = re.compile("[A-Za-z][\u0400-\u052f]|[\u0400-\u052f][A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
_CYRILLIC_FOR_LATIN = dict(zip("aceiopxyABCEHIKMOPTXYjs", "асеіорхуАВСЕНІКМОРТХУјѕ", strict=True))
_SINGLE_LATIN_LETTER = re.compile(r"(?<!\w)[A-Za-z](?!\w)")
_LATIN_FOR_CYRILLIC = {cyrillic: latin for latin, cyrillic in _CYRILLIC_FOR_LATIN.items()}
_ROMAN_DIGITS = frozenset("IVX")

_SCRIPT_OF_UNICODE_NAME = {
    "CYRILLIC": CYRILLIC, "LATIN": LATIN, "GREEK": "Grek", "ARABIC": "Arab", "HEBREW": "Hebr", "CJK": HAN,
    "HIRAGANA": JAPANESE, "KATAKANA": JAPANESE, "HANGUL": KOREAN, "DEVANAGARI": "Deva", "ARMENIAN": "Armn",
    "GEORGIAN": "Geor", "THAI": "Thai", "BENGALI": "Beng", "ETHIOPIC": "Ethi", "TAMIL": "Taml", "TELUGU": "Telu",
    "GUJARATI": "Gujr", "GURMUKHI": "Guru", "KANNADA": "Knda", "MALAYALAM": "Mlym", "TIBETAN": "Tibt",
    "MYANMAR": "Mymr", "KHMER": "Khmr", "LAO": "Laoo", "SINHALA": "Sinh", "ORIYA": "Orya", "SYRIAC": "Syrc",
}  # fmt: skip
"""The first word of the Unicode name of a character → the script it belongs to."""

SCRIPTS = frozenset(_SCRIPT_OF_UNICODE_NAME.values())
"""The scripts that are recognised, as codes of ISO 15924."""

_FIRST_WORD = re.compile(r"[A-Z]+")
_FIRST_BEYOND_LATIN = "\u0370"
_TEXTS_REMEMBERED = 16_384


_NO_LETTER = ""
"""In place of the script of a mark, a digit or a modifier letter."""


@cache
def script_of_character(character: str) -> str | None:
    """Return the script of a character, letter or not; None for punctuation and for scripts that have no name here."""
    first_word = _FIRST_WORD.match(unicodedata.name(character, ""))
    return _SCRIPT_OF_UNICODE_NAME.get(first_word[0]) if first_word else None


@cache
def _script_of_letter(character: str) -> str | None:
    if not character.isalpha() or unicodedata.category(character) == "Lm":
        return _NO_LETTER
    script = script_of_character(character)
    return CJK if script in _EAST_ASIAN else script


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def script_of(text: str) -> str | None:
    """Return the script of a text if all its letters (modifier letters aside) have the same one, else None.

    Han, Japanese and Korean letters count as one script, ``CJK``.
    """
    if text.isascii():
        return LATIN if _ASCII_LETTER.search(text) else None
    if _COMMON_CYRILLIC_LETTER.search(text) and _WITHOUT_OTHER_LETTERS.fullmatch(text):
        return CYRILLIC
    scripts = set(map(_script_of_letter, set(text)))
    scripts.discard(_NO_LETTER)
    return scripts.pop() if len(scripts) == 1 else None


def first_foreign_script(text: str) -> str:
    """Return the script of a text by its first character outside Latin; ``Latn`` if there is none.

    Han characters decide only if no Japanese or Korean ones follow.
    """
    if text.isascii():
        return LATIN
    has_han = False
    for char in text:
        script = script_of_character(char) if char >= _FIRST_BEYOND_LATIN else LATIN
        if script == HAN:
            has_han = True
        elif script in (JAPANESE, KOREAN) or (script not in (None, LATIN) and not has_han):
            return script or LATIN
    return HAN if has_han else LATIN


def repair_lookalikes(text: str) -> str:
    """Write each word that mixes Latin and Cyrillic letters in one script, if letters that look the same allow it.

    The script is that of most letters, Cyrillic if there are as many of both; Roman numerals become Latin.

    >>> repair_lookalikes("Мoсква в ХIX веке")  # the о is a Latin letter, the Х a Cyrillic one
    'Москва в XIX веке'
    """
    is_mixed = _ASCII_LETTER.search(text) and _LETTER_BESIDE_FOREIGN_LETTER.search(text)
    return _WORD.sub(_in_one_script, text) if is_mixed else text


def to_latin_lookalikes(text: str) -> str:
    """Return a text with each Cyrillic letter that looks like a Latin one written as that.

    >>> to_latin_lookalikes("а")  # it was Cyrillic
    'a'
    """
    return "".join(_LATIN_FOR_CYRILLIC.get(letter, letter) for letter in text)


def _in_one_script(found: re.Match[str]) -> str:
    word = found[0]
    latin = [letter for letter in word if _LATIN_LETTER.match(letter)]
    cyrillic = [letter for letter in word if CYRILLIC_LETTER.match(letter)]
    if not latin or not cyrillic:
        return word
    can_be_latin = all(letter in _LATIN_FOR_CYRILLIC for letter in cyrillic)
    as_latin = "".join(_LATIN_FOR_CYRILLIC.get(letter, letter) for letter in word)
    if can_be_latin and _ROMAN_DIGITS.issuperset(as_latin):
        return as_latin
    can_be_cyrillic = all(letter in _CYRILLIC_FOR_LATIN for letter in latin)
    if can_be_cyrillic and (len(cyrillic) >= len(latin) or not can_be_latin):
        return "".join(_CYRILLIC_FOR_LATIN.get(letter, letter) for letter in word)
    return as_latin if can_be_latin else word


def repair_initials(name: str) -> str:
    """Write single Latin letters of a Cyrillic name in Cyrillic, if letters that look the same allow it.

    >>> repair_initials("Гришина, H. B.")  # both initials are Latin letters
    'Гришина, Н. В.'
    """
    if not has_cyrillic(name):
        return name
    return _SINGLE_LATIN_LETTER.sub(lambda found: _CYRILLIC_FOR_LATIN.get(found[0], found[0]), name)


def has_cyrillic(text: str) -> bool:
    """Whether a text contains Cyrillic letters."""
    return CYRILLIC_LETTER.search(text) is not None


def has_latin(text: str) -> bool:
    """Whether a text contains Latin letters."""
    return _LATIN_LETTER.search(text) is not None


def has_non_latin(text: str) -> bool:
    """Whether a text contains letters of another script than Latin."""
    return _NOT_LATIN_LETTER.search(text) is not None
