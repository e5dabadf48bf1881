"""Codes of MARC 21 (fixed fields, indicators, subfields) and the terms of MODS for them, most of them in a table."""

from __future__ import annotations

import re

from bibld.crosswalk._codes import plain_lists, read_codes

_TABLES = read_codes("bibld.crosswalk._marc21")
_LISTS = plain_lists(_TABLES)

TYPE_OF_RESOURCE = _LISTS["type_of_resource"]
"""Leader/06."""

MANUSCRIPT_TYPES = "dfpt"
"""Leader/06 of what is written by hand."""

ISSUANCE = _LISTS["issuance"]
"""Leader/07."""

BOOK, SERIAL, FILE, MAP, MUSIC, VISUAL, MIXED = "book", "serial", "file", "map", "music", "visual", "mixed"

CONFIGURATION = {
    "t": BOOK, "p": MIXED, "m": FILE, "e": MAP, "f": MAP, "g": VISUAL, "k": VISUAL, "o": VISUAL, "r": VISUAL,
    "c": MUSIC, "d": MUSIC, "i": MUSIC, "j": MUSIC,
}  # fmt: skip
"""Leader/06 and how 008/18-34 is to be read; language material (a) depends on leader/07."""

CONFIGURATION_OF_006 = CONFIGURATION | {"a": BOOK, "s": SERIAL}
"""006/00 and how 006/01-17 is to be read, which has the meanings of 008/18-34."""

CONFIGURATION_OF_LEVEL = {"a": BOOK, "c": BOOK, "d": BOOK, "m": BOOK, "b": SERIAL, "i": SERIAL, "s": SERIAL}
"""The same for leader/06 a, by leader/07."""

FREQUENCY = _LISTS["frequency"]
"""008/18 of a serial."""

SERIAL_GENRE = _LISTS["serial_genre"]
"""008/21 of a serial."""

AUDIENCE = _LISTS["audience"]
"""008/22."""

CONTENTS_GENRE = _LISTS["contents_genre"]
"""008/24-27 of books and serials."""

BOOK_CONTENTS_GENRE = CONTENTS_GENRE | {"j": "patent", "2": "offprint"}
"""008/24-27 of books."""

MAP_GENRE = _LISTS["map_genre"]
"""008/25 of maps; ``d`` is a globe."""

FILE_GENRE = _LISTS["file_genre"]
"""008/26 of computer files."""

GOVERNMENT_CODES = "acfilmosz"
"""008/28: publications of a government."""

MUSIC_TEXT_GENRE = _LISTS["music_text_genre"]
"""008/30-31 of music."""

LITERARY_FORM = _LISTS["literary_form"]
"""008/33 of books."""

VISUAL_GENRE = _LISTS["visual_genre"]
"""008/33 of visual materials."""

BIOGRAPHY_CODES = "abcd"
"""008/34 of books."""

FORM_OF_ITEM = _LISTS["form_of_item"]
"""008/23 (008/29 of maps and visual materials)."""

DIGITAL_ORIGIN = _LISTS["digital_origin"]
"""007/11 of electronic resources; 135$a/10 of UNIMARC."""

REFORMATTING_QUALITY = _LISTS["reformatting_quality"]
"""007/13 of electronic resources; 135$a/12 of UNIMARC."""

MATERIAL_CATEGORY = _LISTS["material_category"]
"""007/00."""

MATERIAL_DESIGNATION = {category: terms for (category, _), terms in _TABLES["material_designation"].items()}
"""007/01 by 007/00."""

PUBLISHER_NUMBER = _LISTS["publisher_number"]
"""First indicator of 028; of 071 of UNIMARC."""

SUBJECT_AUTHORITY = _LISTS["subject_authority"]
"""Second indicator of 6XX; 7: the authority is in ``$2``."""

INSTRUMENT = _LISTS["instrument"]
"""The first two characters of 048."""

NOTE_TYPES = {tag: kind or None for tag, kind in _LISTS["note_type"].items()}
"""Fields that become a note as they are, and its type."""

CHARACTERISTICS = {tag: kinds for (tag, _), kinds in _TABLES["characteristic"].items()}
"""Tag → subfield → ``type`` of the form."""

NOTES_ON_WORKS = {tag: types for (tag, _), types in _TABLES["note_on_work"].items()}
"""Tag → subfield → ``type`` of a note."""

RELATION_OF_PHRASE = _LISTS["relation_of_phrase"]
"""Relations that a phrase in ``$i`` states, where the tag states none."""

_PERIOD = re.compile(r"([b-y])([\d-])")
_MILLENNIA = {"b": 2999, "c": 1999, "d": 999}


def period_of_code(text: str) -> tuple[str, str] | None:
    """Return the first and the last year of a period of field 045 (661 of UNIMARC); None for another text.

    The code of a century or, before our era, of a millennium is followed by a decade or a century, or a hyphen.

    >>> period_of_code("x3x6"), period_of_code("w-"), period_of_code("d7d9"), period_of_code("a0")
    (('1930', '1969'), ('1800', '1899'), ('-0299', '-0001'), None)
    """
    codes = _PERIOD.findall(text)
    if not 1 <= len(codes) <= 2 or len(text) != 2 * len(codes):
        return None
    first, last = _years(*codes[0])[0], _years(*codes[-1])[1]
    return (_written(first), _written(last)) if first <= last else None


def _years(code: str, digit: str) -> tuple[int, int]:
    if code in _MILLENNIA:
        begin = _MILLENNIA[code] - 100 * int(digit if digit != "-" else 0)
        return -begin, -max(1, begin - (99 if digit != "-" else 999))
    century = 100 * (ord(code) - ord("e"))
    begin = century + 10 * int(digit if digit != "-" else 0)
    return max(1, begin), begin + (9 if digit != "-" else 99)


def _written(year: int) -> str:
    return f"-{-year:04}" if year < 0 else f"{year:04}"
