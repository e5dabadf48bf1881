"""Romanisation of Slavic words: a key on which all systems agree, and the table of the Library of Congress."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from bibld.text.folding import fold_character

_LATIN_LETTERS = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "iu", "я": "ia",
    "є": "ie", "і": "i", "ї": "i", "ў": "u", "ѣ": "ie", "ѳ": "f", "ѵ": "i", "ѕ": "z", "ј": "i", "љ": "li", "њ": "ni",
    "ћ": "ch", "ђ": "d", "џ": "dzh", "ѓ": "g", "ќ": "k", "ѫ": "u", "ѧ": "ia", "ѡ": "o",
    "ž": "zh", "č": "ch", "ć": "ch", "š": "sh", "ŝ": "shch", "j": "i", "y": "i", "w": "v", "x": "ks",
}  # fmt: skip
"""Letters of the Cyrillic and Latin scripts as :func:`romanise` replaces them, before its last rules."""

_ALA_LC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "ë", "ж": "zh", "з": "z", "и": "i", "й": "ĭ",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "ʺ", "ы": "y", "ь": "ʹ", "э": "ė", "ю": "iu",
    "я": "ia", "і": "i", "ѣ": "ie", "ѳ": "f", "ѵ": "i",
}  # fmt: skip

_C = re.compile("c(?!h)")


def romanise(text: str) -> str:
    """Return a key that is equal for the Cyrillic and all usual Latin forms of Slavic words.

    ALA-LC, ISO 9 (GOST 7.79 A), BGN/PCGN and the scientific system differ only in ``kh``/``h``, ``ts``/``c``,
    ``ia``/``ja``/``ya``/``â`` and the like; the key has no such differences. ``i``, ``j``, ``y`` are one letter, which
    is removed before a vowel. Letters that the reform of 1918 abolished become the modern ones. The key is not meant
    for display; other Latin text follows the same rules.

    >>> romanise("Voĭna i mir") == romanise("Vojna i mir") == romanise("Война и миръ") == "voina i mir"
    True
    """
    if not text:
        return ""
    key = " ".join(unicodedata.normalize("NFKC", text).translate(_romanisations()).split())
    while "ii" in key:
        key = key.replace("ii", "i")
    key = key.replace("ia", "a").replace("ie", "e").replace("io", "o").replace("iu", "u")
    while "kkh" in key:
        key = key.replace("kkh", "kh")
    key = key.replace("kh", "h")
    if "c" in key:
        key = _C.sub("ts", key)
    return key


def romanise_ala_lc(text: str) -> str:
    """Romanise Russian text by the ALA-LC table, without ligatures: for display, in upper and lower case.

    >>> romanise_ala_lc("Щётка")
    'Shchëtka'
    """
    letters = []
    for letter in text:
        latin = _ALA_LC.get(letter.lower(), letter)
        letters.append(latin.capitalize() if letter.isupper() and letter.lower() in _ALA_LC else latin)
    return "".join(letters)


class _Romanisations(dict[int, str]):
    """The translation table of :func:`romanise`, filled as characters occur."""

    def __missing__(self, code: int) -> str:
        letter = chr(code).casefold()
        latin = _LATIN_LETTERS.get(letter)
        if latin is None:
            latin = "".join(_LATIN_LETTERS.get(part, part) for part in fold_character(letter))
        self[code] = latin
        return latin


@cache
def _romanisations() -> _Romanisations:
    return _Romanisations()
