"""Identifiers that matching compares: those that are stated as such, and numbers in titles that identify as they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bibld.dedup.names import heading_of, name_key
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.mods import Mods
from bibld.text.coverage import read_sheet_and_scale
from bibld.text.folding import fold
from bibld.text.part_units import SHEET
from bibld.text.romanisation import transcription_key

_CACHED = 1 << 14
_KINDS_OF_IDENTIFIERS = {
    **{kind: kind for kind in ("issn", "ismn", "isrc", "isrn", "lccn", "nbn", "doi", "oclc", "ean", "upc")},
    "nban": "nbn", "report number": "report", "strn": "report", "music plate": "music", "music publisher": "music",
    "issue number": "issue", "matrix number": "issue", "videorecording identifier": "issue",
}  # fmt: skip
_MIN_CHARACTERS = 4
"""Shorter identifiers are those of many publications; numbers of plates are distinguished by the composer."""
_LETTERS_OF_NAME = 4
_BEFORE_VOWEL = re.compile(r"^[^aeiou]+")
_SET = re.compile(r"\b(?:set|общ|комплект|компл|vol set|all)\b", re.IGNORECASE)
_NO_DIGITS = re.compile(r"\D")
_DIGIT_IN_TITLE = re.compile(r"\d")
_NORM = re.compile(
    r"(?<!\w)((?:ГОСТ|ОСТ|СТ СЭВ|СНиП|СанПиН|СН|СП|ВСН|РД|МУ|ТУ|ISO|ИСО|МЭК|IEC|DIN|BS|ANSI|ASTM|NISO|PN|ČSN|ДСТУ|СТБ)"
    r"(?: ?(?:Р|R|EN|ISO|ИСО|МЭК|IEC)(?![\w]))*|[Пп]рейскурант(?= №))[ :№]*"
    r"((?:[IVX]{1,4}-)?\d+(?:[.\-–:]\w+)*\*?)(?:,? (?:Teil|Tl\.|Part|Ч\.|Часть) (\d+))?"
)
_REPLACED = re.compile(r"\b(?:взамен|на замену|supersed\w+|replac\w+|ersatz)\b", re.IGNORECASE)
"""What precedes the standards that a standard replaces."""
_AMENDMENT = re.compile(
    r"(?:изменени[ея]|изм\.|поправк[аи]|amendment|änderung|corrigendum)\W*(?:№|N|No\.?)?\W*(\d*)", re.IGNORECASE
)
_LAW = re.compile(r"(?:№|N|No\.?) ?(\d{1,4})[- ]?ФЗ")


def identifiers_of(mods: Mods) -> Iterator[str]:
    """Yield the identifiers of a description, each with its kind: ``isbn:978…``; of those that are not valid none."""
    for identifier in mods.identifier:
        value = "".join(identifier.value.split()).replace("-", "")
        if identifier.invalid == "yes" and not (identifier.type == "isbn" and _is_without_978(value)):
            continue
        if identifier.type == "isbn":
            try:
                number = isbn13(f"978{value}" if _is_without_978(value) else value)
            except ValueError:
                continue
            yield f"{'setisbn' if _SET.search(identifier.display_label or '') else 'isbn'}:{number}"
        elif kind := _KINDS_OF_IDENTIFIERS.get(identifier.type or ""):
            value = _NO_DIGITS.sub("", value) if kind in ("music", "issue") else value  # "Музыка 11875", "11875 Музыка"
            if kind == "music" and 0 < len(value) < _MIN_CHARACTERS:
                value = f"{_beginning_of_first_name(mods)}{value}"
            if len(value) >= _MIN_CHARACTERS:
                yield f"{kind}:{value.casefold()}"


def _beginning_of_first_name(mods: Mods) -> str:
    """Return some letters of the first name, from its first vowel on, which transcriptions leave as it is: they
    distinguish a short number of a plate from those of other composers."""
    key = name_key(heading_of(mods.name[0]), is_personal=True) if mods.name else ""
    return _BEFORE_VOWEL.sub("", key)[:_LETTERS_OF_NAME]


def numbers_in_titles(mods: Mods, carrier: str) -> Iterator[str]:
    """Yield the numbers of standards and laws in titles, and the sheets of maps, which identify as identifiers do."""
    for info in mods.title_info:
        for text in (info.title, *info.sub_title, *info.part_number, *info.part_name):
            yield from _norms_in(text)
            if carrier == "map":
                steps = read_sheet_and_scale(text)
                yield from (f"sheet:{step.value}" for step in steps if step.unit == SHEET)


@lru_cache(_CACHED)
def _norms_in(text: str) -> tuple[str, ...]:
    """Return the designations of standards («ГОСТ Р 7.0.5-2008»), of amendments to them, and of price lists, and the
    numbers of Russian laws («№ 7-ФЗ»)."""
    if not _DIGIT_IN_TITLE.search(text):
        return ()
    amended = _AMENDMENT.search(text)
    amendment = f"+{amended[1] or 1}" if amended else ""
    norms = (
        f"norm:{transcription_key(''.join(kind.split()))}{'.'.join(fold(f'{number} {part}').split())}{amendment}"
        for kind, number, part in _NORM.findall(_REPLACED.split(text, maxsplit=1)[0])
    )
    return (*norms, *(f"law:{number}-fz" for number in _LAW.findall(text)))


def _is_without_978(value: str) -> bool:
    """Return whether a number is an ISBN of thirteen digits of which the first three were left out."""
    return len(value) == 10 and not has_isbn_check_digit(value) and has_isbn_check_digit(f"978{value}")
