"""Romanisation: a key on which the systems for Slavic words agree, and the table of the Library of Congress."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from anyascii import anyascii

from bibld.text.folding import fold_character
from bibld.text.scripts import HAN, has_cyrillic, repair_lookalikes, script_of_character

_LATIN_LETTERS = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "iu", "я": "ia",
    "є": "ie", "і": "i", "ї": "i", "ў": "u", "ѣ": "ie", "ѳ": "f", "ѵ": "i", "ѕ": "z", "ј": "i", "љ": "li", "њ": "ni",
    "ћ": "ch", "ђ": "d", "џ": "dzh", "ѓ": "g", "ќ": "k", "ѫ": "u", "ѧ": "ia", "ѡ": "o", "ѻ": "o", "ѿ": "ot",
    "ѯ": "ks", "ѱ": "ps", "ѹ": "u", "ꙋ": "u", "ꙗ": "ia", "ѥ": "ie", "ѩ": "ia", "ѭ": "iu", "ꙑ": "i", "ꙁ": "z",
    "ә": "a", "ӓ": "a", "ӑ": "a", "ӕ": "ae", "ғ": "g", "ҕ": "g", "җ": "zh", "ӝ": "zh", "ҙ": "z", "ӟ": "z", "ӗ": "e",
    "ӣ": "i", "ӥ": "i", "қ": "k", "ҡ": "k", "ҝ": "g", "ң": "ng", "ҥ": "ng", "ө": "o", "ӧ": "o", "ҫ": "s", "ү": "u",
    "ұ": "u", "ӯ": "u", "ӱ": "u", "ӳ": "u", "ҳ": "h", "һ": "h", "ҷ": "i", "ҹ": "i", "ӵ": "ch", "ӹ": "i",
    "ε": "e", "η": "e", "υ": "u", "φ": "ph", "χ": "ch", "ω": "o", "և": "ev", "ւ": "u", "ə": "a",
    "ž": "zh", "č": "ch", "ć": "ch", "š": "sh", "ŝ": "shch", "j": "i", "y": "i", "w": "v", "x": "ks",
}  # fmt: skip
"""Letters as :func:`romanise` replaces them, before its last rules; those that are not listed as ``anyascii`` does.

The letters of Turkic, Tajik, Mongolian and Ossetic become what remains of ALA-LC without diacritics. ``j`` of a Latin
alphabet becomes ``i``, so the letter of Tajik that is romanised by it does too.
"""

_ALA_LC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "ë", "ж": "zh", "з": "z", "и": "i", "й": "ĭ",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "ʺ", "ы": "y", "ь": "ʹ", "э": "ė", "ю": "iu",
    "я": "ia", "і": "i", "ѣ": "ie", "ѳ": "f", "ѵ": "i",
}  # fmt: skip

_HEBREW = re.compile("[\u0590-\u05ff]")
_POINTS = re.compile("[\u0591-\u05c7]")
_YIDDISH = (
    ("\u05f2\u05b7", "ai"), ("\u05d9\u05d9\u05b7", "ai"), ("\u05f2", "ei"), ("\u05d9\u05d9", "ei"), ("\u05f1", "oi"),
    ("\u05d5\u05d9", "oi"), ("\u05f0", "v"), ("\u05d5\u05d5", "v"), ("\u05d6\u05e9", "zh"), ("\u05d8\u05e9", "ch"),
    ("\u05d0\u05b8", "o"), ("\u05d0\u05b7", "a"), ("\u05d1\u05bf", "v"), ("\u05db\u05bc", "k"), ("\u05e4\u05bc", "p"),
    ("\u05e9\u05c2", "s"), ("\u05d0", "a"), ("\u05d1", "b"), ("\u05d5", "u"), ("\u05d9", "i"),
    ("\u05e2", "e"), ("\u05e4", "f"), ("\u05e3", "f"), ("\u05db", "kh"), ("\u05da", "kh"),
)  # fmt: skip
"""Letters and pairs of letters of Yiddish → as YIVO and the Library of Congress romanise them, where ``anyascii`` does
otherwise; Hebrew words have no vowels to compare."""
_TRANSCRIPTIONS = (
    ("schtsch", "shch"), ("chtch", "shch"), ("tsch", "ch"), ("tch", "ch"), ("sch", "sh"), ("tsz", "ch"), ("sz", "sh"),
    ("ou", "u"), ("ph", "f"), ("gh", "g"), ("q", "k"),
)  # fmt: skip
"""Letters of a romanised word as German, French and Polish readers spell them → as :func:`romanise` does."""
_FRENCH_ENDING = re.compile(r"(?<=[^\W\d_]{2}in)e\b")
_CARONS = {
    ord(letter): latin
    for one, spelled in (("č", "ch"), ("š", "sh"), ("ž", "zh"), ("ŝ", "shch"))
    for letter, latin in ((one, spelled), (one.upper(), spelled.capitalize()))
}
_DOUBLED_LETTERS = tuple((letter + letter, letter) for letter in "abdefgklmnoprstuvz")
_TEXTS_REMEMBERED = 4096
_OLD_ENDING = re.compile(r"(?<=[^\W\d_][oe])ff\b")


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def romanise(text: str) -> str:
    """Return a key that is equal for the Cyrillic and all usual Latin forms of Slavic words.

    ALA-LC, ISO 9 (GOST 7.79 A), BGN/PCGN and the scientific system differ only in ``kh``/``h``, ``ts``/``c``,
    ``ia``/``ja``/``ya``/``â`` and the like; the key has no such differences. ``i``, ``j``, ``y`` are one letter, which
    is removed before a vowel. Letters that the reform of 1918 abolished become the modern ones. Other alphabets are
    romanised letter by letter, Chinese by syllables. The key is not meant for display; other Latin text follows the
    same rules.

    >>> romanise("Voĭna i mir") == romanise("Vojna i mir") == romanise("Война и миръ") == "voina i mir"
    True
    """
    if not text:
        return ""
    if not text.isascii():
        text = repair_lookalikes(unicodedata.normalize("NFKC", text))
        if _HEBREW.search(text):
            text = _romanise_yiddish(text)
    key = " ".join(text.translate(_romanisations()).split())
    while "ii" in key:
        key = key.replace("ii", "i")
    key = key.replace("ia", "a").replace("ie", "e").replace("io", "o").replace("iu", "u")
    while "kkh" in key:
        key = key.replace("kkh", "kh")
    key = key.replace("kh", "h")
    if "c" in key:
        key = "ch".join(piece.replace("c", "ts") for piece in key.split("ch"))
    return key


def _romanise_yiddish(text: str) -> str:
    for letters, latin in _YIDDISH:
        text = text.replace(letters, latin)
    return _POINTS.sub("", text)


def transcription_key(text: str) -> str:
    """Return :func:`romanise` with the spellings for German, French and Polish readers replaced.

    ``ch`` is not replaced, which is another letter in each language: those forms differ in a letter or two.

    >>> {transcription_key(form) for form in ("Tchaïkovski", "Tschaikowski", "Tchaikovsky", "Чайковский")}
    {'chaikovski'}
    """
    return unify_transcriptions(romanise(text))


def unify_transcriptions(key: str) -> str:
    """Return the :func:`transcription_key` of a romanised key."""
    for spelling, letters in _TRANSCRIPTIONS:
        if spelling in key:
            key = key.replace(spelling, letters)
    if "ff" in key:
        key = _OLD_ENDING.sub("v", key)
    return _FRENCH_ENDING.sub("", key) if "ine" in key else key


def spell_carons(text: str) -> str:
    """Write the letters with a caron of scientific transliteration as English readers spell them.

    >>> spell_carons("Čechov, Nikolaevič")
    'Chechov, Nikolaevich'
    """
    return unicodedata.normalize("NFC", text).translate(_CARONS)


def single_letters(key: str) -> str:
    """Return a key in which doubled letters, of which spellings often have one, are single.

    >>> single_letters("gramatika") == single_letters("grammatika")
    True
    """
    for doubled, letter in _DOUBLED_LETTERS:
        while doubled in key:
            key = key.replace(doubled, letter)
    return key


def spell_in_ascii(text: str, with_other_scripts: bool = True) -> str:
    """Write a text in small letters without diacritics, digits and blanks: a Latin text as it is spelled.

    Cyrillic letters become those of ALA-LC, as far as languages agree on them, letters of other scripts what
    ``anyascii`` has, unless they are left as they are.

    >>> spell_in_ascii("Hitchcock, Alfred"), spell_in_ascii("Достоевский, Ф. М."), spell_in_ascii("Łódź")
    ('hitchcock alfred', 'dostoevskii f m', 'lodz')
    """
    if not text.isascii():
        text = repair_lookalikes(unicodedata.normalize("NFKC", text))
        if with_other_scripts and _HEBREW.search(text):
            text = _romanise_yiddish(text)
    return " ".join(text.translate(_ascii_spellings(with_other_scripts)).split())


_MARKS_OF_ROMANISATION = re.compile("[ʹʺ]|[ij]\u0306|ĭ|[it](?:\u0361|\ufe20)")


def is_romanisation(text: str) -> bool:
    """Whether a Latin text has marks that only romanised Slavic words have.

    >>> is_romanisation("Literaturnye pami͡atniki"), is_romanisation("Lecture notes")
    (True, False)
    """
    return not text.isascii() and _MARKS_OF_ROMANISATION.search(text) is not None


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
    """A translation table that is filled as characters occur: ``letters``, then those of :func:`fold_character`.

    ``with_other_scripts``: letters of all scripts are romanised, not only those.
    """

    def __init__(self, letters: Mapping[str, str], with_other_scripts: bool = True) -> None:
        super().__init__()
        self._letters = letters
        self._with_other_scripts = with_other_scripts

    def __missing__(self, code: int) -> str:
        letter = chr(code).casefold()
        latin = self._letters.get(letter)
        if latin is None:
            latin = "".join(map(self._latin, fold_character(letter)))
        self[code] = latin
        return latin

    def _latin(self, character: str) -> str:
        """Return the Latin letters for one folded character; the character itself if none are known."""
        if character.isascii() or character in self._letters or not self._with_other_scripts:
            return self._letters.get(character, character)
        letters = [letter for letter in anyascii(character).lower() if letter.isalnum()]
        latin = "".join(self._letters.get(letter, letter) for letter in letters) or character
        return f" {latin} " if script_of_character(character) == HAN else latin


@cache
def _romanisations() -> _Romanisations:
    """Return the translation table of :func:`romanise`."""
    return _Romanisations(_LATIN_LETTERS)


@cache
def _ascii_spellings(with_other_scripts: bool) -> _Romanisations:
    """Return the translation table of :func:`spell_in_ascii`."""
    cyrillic = {letter: latin for letter, latin in _LATIN_LETTERS.items() if has_cyrillic(letter)}
    return _Romanisations(cyrillic | {"ы": "y", "ѣ": "e"}, with_other_scripts)
