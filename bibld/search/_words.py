"""The words of texts and queries: folded, stemmed, in any script, as one token each.

A text is indexed by its folded words and by further tokens for each: ``=`` and the stem, ``~`` and the key in which all
romanisations agree (``bibld.text.romanisation``). A query chooses which of them may match.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from hashlib import blake2b

import Stemmer

from bibld.text.folding import fold
from bibld.text.numerals import roman_number
from bibld.text.romanisation import transcription_key
from bibld.text.scripts import CYRILLIC_LETTER

_REMEMBERED = 1 << 16
_MAX_LETTERS = 64
"""Characters of a word of a query; caches keep words of clients."""

_HYPHENED = re.compile(r"[^\W_]+(?:[-\u2010-\u2015\u2212][^\W_]+)+")
_HYPHENS = re.compile(r"[-\u2010-\u2015\u2212]")
_END_OF_TITLE = re.compile(r"\s[:=/;]\s")
_ROMAN = re.compile(r"[ivx]{1,7}")
_MAX_ROMAN = 39
_WITH_E = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "Ø": "Oe", "å": "aa"}
)
_HAS_E = re.compile("[äöüÄÖÜøØå]")
_SLAVIC = frozenset(("ru", "uk", "be", "bg", "sr", "mk", "sh", "bs", "hr", "sl", "cs", "sk", "pl"))
"""Languages whose words in Latin letters may be those of a query in Cyrillic ones."""

_IRREGULAR = {
    form: lemma
    for lemma, forms in {
        "человек": "люди людей людям людьми людях",
        "ребенк": "дети детей детям детьми детях ребенок ребенка ребенку ребенком ребенке",
        "год": "лет",
        "друг": "друзья друзей друзьям друзьями друзьях",
        "сын": "сыновья сыновей сыновьям сыновьями сыновьях",
        "брат": "братья братьев братьям братьями братьях",
        "идт": "идти идет идут идем шел шла шло шли",
        "мат": "мать матери матерью матерей матерям матерями матерях",
        "доч": "дочь дочери дочерью дочерей дочерям дочерями дочерях",
        "им": "имя имени именем имена имен именам именами именах",
        "врем": "время времени временем времена времен временам временами временах",
        "путь": "путь пути путем путей путям путями путях",
        "man": "men",
        "woman": "women",
        "child": "children",
        "person": "people",
        "mous": "mice",
        "foot": "feet",
        "tooth": "teeth",
    }.items()
    for form in forms.split()
}
"""Forms of words that no stemmer joins, by the stem that they get."""

_STOP_WORDS = (
    "а без бы в во да для до же за и из или к ко как ли на не ни но о об от по под при про с со то у что это"
    " a an and as at by de der des die das du ein eine et for from im in la le les mit of on or the to und von with zu"
    " i iz k na o ob po u v za"
)
_NAMES_OF_PARTS = (
    "т том тома томах ч часть вып выпуск кн книга изд издание е й я го vol volume v no nr bd band t tome ed edition"
    " ser серия сер"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that a query need not find if it has others."""

OPTIONAL_WORDS = STOP_WORDS | frozenset(_NAMES_OF_PARTS.split())
"""Stop words, and the names of parts and editions, which catalogues abbreviate."""

_LATIN_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
_CYRILLIC_KEYS = "ёйцукенгшщзхъфывапролджэячсмитьбю"
_TO_CYRILLIC = str.maketrans(_LATIN_KEYS + '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>', _CYRILLIC_KEYS + _CYRILLIC_KEYS.upper())
_TO_LATIN = str.maketrans(_CYRILLIC_KEYS + _CYRILLIC_KEYS.upper(), _LATIN_KEYS + '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>')


def to_words(text: str) -> list[str]:
    """Return the words of a text as they are compared: without case and diacritics."""
    return fold(text).split()


def to_query_words(text: str) -> list[str]:
    """Return the words of a text of a client: those of ``to_words``, long ones cut."""
    return [word[:_MAX_LETTERS] for word in to_words(text)]


def tokens_of(text: str, language: str = "") -> list[str]:
    """Return the tokens by which a text is found: its words in their order, then the other forms of each.

    ``language`` is a BCP 47 tag; without one, or with that of a Slavic language or a romanisation, words in Latin
    letters are also found by queries in Cyrillic ones.
    """
    words = to_words(text)
    is_open = not language or "-latn" in language or language.partition("-")[0] in _SLAVIC
    others = [token for word in words for token in _others(word, is_open)]
    if _HAS_E.search(text):
        others += [word for word in to_words(text.translate(_WITH_E)) if word not in words]
    if _HYPHENS.search(text):
        others += [fold(_HYPHENS.sub("", found)) for found in _HYPHENED.findall(text)]
    return words + list(dict.fromkeys(others))


@lru_cache(maxsize=_REMEMBERED)
def _others(word: str, is_open: bool) -> tuple[str, ...]:
    found = []
    if _ROMAN.fullmatch(word):
        number = roman_number(word)
        if number is not None and number <= _MAX_ROMAN:
            found.append(str(number))
    if word.isdecimal():
        return ()
    stem = stem_of(word)
    if stem != word:
        found.append("=" + stem)
    if is_open or not word.isascii():
        key = skeleton_of(word)
        if key and key != word:
            found.append("~" + key)
    return tuple(found)


def alternatives(word: str, with_skeleton: bool) -> list[str]:
    """Return the tokens by which a word of a query is found, itself first."""
    found = [word]
    if _ROMAN.fullmatch(word):
        number = roman_number(word)
        if number is not None and number <= _MAX_ROMAN:
            found.append(str(number))
    if not word.isdecimal():
        stem = stem_of(word)
        found += [stem, "=" + stem]
        if with_skeleton and len(key := skeleton_of(word)) > 1:
            found += [key, "~" + key]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=_REMEMBERED)
def stem_of(word: str) -> str:
    """Return the stem of a folded word: Russian in Cyrillic letters, else English."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    stem: str = _stemmer("russian" if CYRILLIC_LETTER.match(word) else "english").stemWord(word)
    return stem


@lru_cache(maxsize=_REMEMBERED)
def skeleton_of(word: str) -> str:
    """Return the key that a word has in all scripts and romanisations."""
    return transcription_key(word).replace(" ", "")


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


def hash_of(text: str) -> str:
    """Return a short hash of a text, as one word."""
    return blake2b(text.encode(), digest_size=5).hexdigest()


def title_token(title: str) -> str:
    """Return a token that is the same for titles of the same words, in any script."""
    return "h" + hash_of("".join(skeleton_of(word) or word for word in to_words(title)))


def main_title_token(title: str) -> str:
    """Return a token that is the same for titles whose words before the subtitle are the same, in any script."""
    return "m" + title_token(title)


def main_title(title: str) -> str:
    """Return a title without its subtitle."""
    end = _END_OF_TITLE.search(title)
    return title if end is None else title[: end.start()]


def other_keyboard_layout(text: str) -> str:
    """Return what the keys of a text write in the other layout (Russian or Latin)."""
    is_cyrillic = bool(CYRILLIC_LETTER.search(text))
    return text.translate(_TO_LATIN if is_cyrillic else _TO_CYRILLIC)
