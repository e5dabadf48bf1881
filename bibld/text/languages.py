"""Languages: their codes, their tags (BCP 47), and the scripts they are written in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from bibld.text.scripts import CJK, LATIN, SCRIPTS

_OTHER_SHORT_CODES = {"bih": "bh", "tgl": "tl", "twi": "tw"}
"""Where Babel has the code of a language that this one belongs to."""

NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis"))
"""Codes that name no single language."""

_WITHOUT_SHORT_CODE = frozenset(("arc", "chm", "grc", "kbd", "krc", "sah", "syr", "udm"))
"""Languages without a code of ISO 639-1 whose script is taken for granted."""

_EAST_ASIAN = frozenset(("Hans", "Jpan", "Kore"))

_CODE_OF_NAME = {
    "english": "eng", "german": "ger", "french": "fre", "russian": "rus", "italian": "ita", "spanish": "spa",
    "portuguese": "por", "latin": "lat", "polish": "pol", "czech": "cze", "dutch": "dut", "swedish": "swe",
    "danish": "dan", "norwegian": "nor", "finnish": "fin", "hungarian": "hun", "romanian": "rum", "greek": "gre",
    "chinese": "chi", "japanese": "jpn", "arabic": "ara", "hebrew": "heb", "ukrainian": "ukr", "tatar": "tat",
    "deutsch": "ger", "français": "fre", "italiano": "ita", "español": "spa",
    "русский": "rus", "рус": "rus", "английский": "eng", "англ": "eng", "немецкий": "ger", "нем": "ger",
    "французский": "fre", "франц": "fre", "фр": "fre", "украинский": "ukr", "укр": "ukr", "белорусский": "bel",
    "белорус": "bel", "татарский": "tat", "тат": "tat", "казахский": "kaz", "каз": "kaz", "итальянский": "ita",
    "итал": "ita", "испанский": "spa", "исп": "spa", "латинский": "lat", "лат": "lat", "польский": "pol",
    "польск": "pol", "китайский": "chi", "кит": "chi", "японский": "jpn", "яп": "jpn", "армянский": "arm",
    "грузинский": "geo", "башкирский": "bak", "чувашский": "chv", "церковнославянский": "chu",
}  # fmt: skip
"""Names of languages (English, Russian, also abbreviated, some in the language itself) → codes of ISO 639-2/B."""

_ENDING = re.compile(r"(?:о|ий|ая|ое|ого|ий|isch|ischer|isches)$")
_MIN_STEM_LETTERS = 4
_CODE = re.compile(r"[a-z]{2,3}")
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")


def language_tag(code: str) -> str | None:
    """Return the tag of a language given as a code of ISO 639 or as a tag; None if it names no single language.

    >>> language_tag("rus"), language_tag("scr"), language_tag("sr-Latn"), language_tag("mul"), language_tag("Russian")
    ('ru', 'hr', 'sr-Latn', None, None)
    """
    text = code.strip()
    lower = text.lower()
    if _CODE.fullmatch(lower):
        return None if lower in NO_LANGUAGES else _short_code(lower)
    return text if _TAG.fullmatch(text) else None


def code_of_language_stem(word: str) -> str | None:
    """Return the code of the language whose name begins as a word does before its ending; None if there is none.

    >>> code_of_language_stem("немецко"), code_of_language_stem("русская"), code_of_language_stem("Мамин")
    ('ger', 'rus', None)
    """
    stem = _ENDING.sub("", word.casefold())
    if len(stem) < _MIN_STEM_LETTERS:
        return None
    return next((code for name, code in _CODE_OF_NAME.items() if name.startswith(stem)), None)


def code_of_language_name(name: str) -> str | None:
    """Return the code of ISO 639-2/B for the name of a language; None if the name is not known.

    >>> code_of_language_name("English"), code_of_language_name("англ."), code_of_language_name("eng")
    ('eng', 'eng', None)
    """
    return _CODE_OF_NAME.get(name.strip(" .").casefold())


def usual_script(language: str) -> str:
    """Return the script that a language is usually written in, by its code or tag; Latin if nothing else is known.

    >>> usual_script("rus"), usual_script("el"), usual_script("jpn"), usual_script("eng")
    ('Cyrl', 'Grek', 'CJK', 'Latn')
    """
    tag = _short_code(language)
    if len(tag) != 2 and tag not in _WITHOUT_SHORT_CODE:
        return LATIN
    if tag == "arc":  # Babel has its script of antiquity
        return "Hebr"
    script = _babel("likely_subtags").get(tag, "").partition("_")[2][:4]
    if script in _EAST_ASIAN:
        return CJK
    return script if script in SCRIPTS else LATIN


def _short_code(code: str) -> str:
    """Return the code of ISO 639-1, which BCP 47 prefers, for one of ISO 639-2 or 639-3; else the code itself."""
    short = _OTHER_SHORT_CODES.get(code) or _babel("language_aliases").get(code, "")
    return short if len(short) == 2 and len(code) == 3 else code


@cache
def _babel(table: Literal["language_aliases", "likely_subtags"]) -> Mapping[str, str]:
    """Return a table of Babel, which is imported by those who need it, since that takes 20 ms."""
    from babel.core import get_global

    return get_global(table)
