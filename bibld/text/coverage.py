"""What a title states that a publication covers, apart from the words for parts: the sheet and scale of a map, the
languages of a dictionary."""

from __future__ import annotations

import re
from functools import lru_cache

from bibld.text.designations import Step
from bibld.text.keys import SCALE_OF_MAP
from bibld.text.languages import code_of_language_name, code_of_language_stem
from bibld.text.part_units import LANGUAGES, SCALE, SHEET, letter_key, meaning_of

_REMEMBERED = 1 << 14
_SHEET = re.compile(r"(?<![\w-])([A-ZА-Я])-(\d{1,2})((?:-(?:[IVXLІХ]+|\d{1,3}|[A-ZА-ЯA-Za-zа-г])){1,4})(?![\w-])")
_LANGUAGES = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?:\s?[-–]\s?[^\W\d_]{4,}){1,3}(?!\w)")


@lru_cache(_REMEMBERED)
def read_sheet_and_scale(text: str) -> tuple[Step, ...]:
    """Return the sheet of a map by its nomenclature, and the scale.

    >>> from bibld.text.designations import canonical
    >>> canonical(read_sheet_and_scale("Карта масштаба 1:200 000. Лист O-41-XXV"))
    'to.41.25 r200000'
    """
    sheets = (
        ".".join((letter_key(letter, True), number, *map(_part_of_sheet, rest.split("-")[1:])))
        for letter, number, rest in _SHEET.findall(text)
    )
    scales = (re.sub(r"\D", "", scale) for scale in SCALE_OF_MAP.findall(text))
    return (*(Step(SHEET, sheet) for sheet in sheets), *(Step(SCALE, scale) for scale in scales))


def _part_of_sheet(text: str) -> str:
    roman = meaning_of(text).number
    return str(roman.number) if roman is not None and text.isupper() else letter_key(text, True)


def without_sheet(text: str) -> str:
    """Return a text without the nomenclature of sheets."""
    return _SHEET.sub("", text)


@lru_cache(_REMEMBERED)
def read_languages(title: str) -> tuple[Step, ...]:
    """Return the languages of a dictionary in their order.

    >>> from bibld.text.designations import canonical
    >>> canonical(read_languages("Краткий немецко-русский словарь")), read_languages("Мамин-Сибиряк")
    ('wger.rus', ())
    """
    for found in _LANGUAGES.findall(title):
        codes = [code_of_language_name(word) or code_of_language_stem(word) for word in re.split(r"[\s–-]+", found)]
        if all(codes):
            return (Step(LANGUAGES, ".".join(filter(None, codes))),)
    return ()
