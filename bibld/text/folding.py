"""Forms of a text that do not depend on case, punctuation and spacing, nor on the marks around what sorting skips."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from bibld.text.scripts import CYRILLIC_LETTER

_REMOVED = frozenset("'’‘`´ʹʺʼʻʽʾʿ\u02c8")
"""Apostrophes and the modifier letters of romanisations: no boundary of a word (as in the NACO normalisation)."""

_SIGNIFICANT_SYMBOLS = frozenset("+#")
"""Symbols that distinguish titles: C++, C#."""

_SPELLINGS = {"ё": "е", "ѐ": "е", "ѝ": "и"} | {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i",
}  # fmt: skip
"""Letters that are written as others, after the case is folded; the Latin ones have no decomposition in Unicode."""

_DIACRITICS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_BETWEEN_ELEMENTS = " ,;:/="
_FULL_STOP = re.compile(r"[^\W\d_]{7}\.$")
_TEXTS_REMEMBERED = 4096


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def tidy(text: str) -> str:
    """Return a text as it is published: NFC, without blanks around it, runs of blanks as one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def trim(text: str) -> str:
    """Remove the punctuation that catalogues put between elements; the full stop of an abbreviation stays."""
    text = tidy(text).strip(_BETWEEN_ELEMENTS)
    return text[:-1] if text.endswith(".") and _FULL_STOP.search(text) else text


def strip_brackets(text: str) -> str:
    """Remove square brackets, which mark what a cataloguer supplied; the text in them stays.

    >>> strip_brackets("[Москва] : [б. и.], 197[8?]")
    'Москва : б. и., 1978?'
    """
    return " ".join(text.replace("[", "").replace("]", "").split())


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def fold(text: str) -> str:
    """Remove everything in which cataloguing rules, typists and character sets vary.

    Compatibility characters are resolved (NFKC), case is folded, ``ё`` becomes ``е``, diacritics are removed except
    those that make Cyrillic letters (``й``, ``ї``, ``ў``), ``ł`` becomes ``l`` and so on, apostrophes are removed,
    every other mark becomes a blank, blanks are single. Letters, digits, ``+`` and ``#`` remain.

    >>> fold("Анна Каренина : [роман] / Л. Н. Толсто́й.")
    'анна каренина роман л н толстой'
    """
    return " ".join(unicodedata.normalize("NFKC", text).translate(_folds()).split()) if text else ""


class _Folds(dict[int, str]):
    """The translation table of :func:`fold`, filled as characters occur."""

    def __missing__(self, code: int) -> str:
        self[code] = form = fold_character(chr(code))
        return form


@cache
def _folds() -> _Folds:
    return _Folds()


def fold_character(character: str) -> str:
    """Return what :func:`fold` puts in place of one character; a blank for what separates words."""
    parts = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
    return "".join(_fold_part(part) for part in parts)


def _fold_part(part: str) -> str:
    if not CYRILLIC_LETTER.match(part):
        part = unicodedata.normalize("NFC", _DIACRITICS.sub("", unicodedata.normalize("NFD", part)))
    part = _DIACRITICS.sub("", _SPELLINGS.get(part, part))
    return "".join(_word_character(character) for character in part)


def _word_character(character: str) -> str:
    """Return the character itself if it belongs to a word, else nothing or a blank."""
    if character in _SIGNIFICANT_SYMBOLS:
        return character
    if character in _REMOVED:
        return ""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] in "LMN":
        return character
    return "" if category == "Cf" else " "


_AND_OTHERS = re.compile(
    r"[ ,]+\[?(?:и др(?:угие|\.)|i dr\.|etc\.?|u\. ?a\.?|usw\.?|et al\.?|and others|m\. fl\.)\]?$", re.IGNORECASE
)


def without_others(text: str) -> str:
    """Return a name in an imprint without the words of a cataloguer for others behind it.

    >>> without_others("Prosveta [etc.]"), without_others("Bern u.a."), without_others("etc.")
    ('Prosveta', 'Bern', 'etc.')
    """
    return _AND_OTHERS.sub("", text)


NON_SORTING_BEGIN, NON_SORTING_END = "\x98", "\x9c"
"""START OF STRING and STRING TERMINATOR, which stand for the marks in Unicode."""

NON_SORTING_MARKS = {0x88: NON_SORTING_BEGIN, 0x89: NON_SORTING_END}
"""The marks as C1 controls → the marks in Unicode; for ``str.translate``."""

_NO_MARKS = str.maketrans("", "", NON_SORTING_BEGIN + NON_SORTING_END)


def unify_non_sorting_marks(text: str) -> str:
    """Write the marks around non-sorting text as U+0098 and U+009C, if they are U+0088 and U+0089."""
    return text.translate(NON_SORTING_MARKS) if "\x88" in text or "\x89" in text else text


def remove_non_sorting_marks(text: str) -> str:
    """Remove U+0098 and U+009C; the text between them stays."""
    return text if text.isprintable() else text.translate(_NO_MARKS)


def split_non_sorting(text: str) -> tuple[str, str]:
    r"""Return the non-sorting beginning of a title (empty if none is marked) and the rest, both without marks.

    The beginning ends with a blank if the title is written with one, or if both would otherwise run together.

    >>> split_non_sorting("\x98The\x9c Idiot"), split_non_sorting("\x98L'\x9cIdiot"), split_non_sorting("Idiot")
    (('The ', 'Idiot'), ("L'", 'Idiot'), ('', 'Idiot'))
    """
    if text.startswith(NON_SORTING_BEGIN):
        article, end, rest = text[1:].partition(NON_SORTING_END)
        title = remove_non_sorting_marks(rest).lstrip()
        if end and title and article.strip():
            if rest[:1].isspace() or article[-1].isalnum():
                article = article.rstrip() + " "
            return remove_non_sorting_marks(article), title
    return "", remove_non_sorting_marks(text).strip()


def fold_or_tidy(text: str) -> str:
    """Return the folded text; the text itself if it has neither letters nor digits."""
    return fold(text) or tidy(text)
