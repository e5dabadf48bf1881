"""Codes of UNIMARC and RUSMARC, and the terms of MODS for them: leader, coded data fields, relators, links.

Code lists are in ``codes.csv``. Where the manual prints a Cyrillic letter that looks like a Latin one (``а``, ``с``,
``е``, ``о``, ``р``, ``х``), files contain both, and :func:`latin` makes them one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bibld.crosswalk._codes import plain_lists, read_codes

_LOOKALIKE = str.maketrans("асеорхуАСЕОРХУ", "aceopxyACEOPXY")
_BLANK = str.maketrans("|#¦", "   ")
_POSITION = re.compile(r"(\d{3})\$(.)/(\d+)(?:-(\d+))?")


def latin(code: str) -> str:
    """Return a code in lower case, with Latin letters for Cyrillic ones that look the same."""
    return code.translate(_LOOKALIKE).lower()


def without_fill(text: str) -> str:
    """Return a text with blanks for fill characters (``|``, also ``¦``) and for ``#``; positions do not change."""
    return text.translate(_BLANK)


class CodeTable(NamedTuple):
    """Codes in a subfield, and the term of MODS for each: ``times`` codes of ``width`` characters from ``start`` on."""

    tag: str
    code: str
    start: int
    width: int
    times: int
    authority: str | None
    terms: dict[str, str]


def _code_tables(name: str) -> tuple[CodeTable, ...]:
    tables = []
    for (position, authority), terms in _TABLES[name].items():
        place = _POSITION.fullmatch(position)
        assert place is not None, f"codes.csv: {position} is not a position such as 105$a/4-7"
        start, width = int(place[3]), len(next(iter(terms)))
        times = (int(place[4] or start) - start + 1) // width
        tables.append(CodeTable(place[1], place[2], start, width, times, authority or None, terms))
    return tuple(tables)


_TABLES = read_codes("bibld.crosswalk._unimarc")
_LISTS = plain_lists(_TABLES)

TYPE_OF_RESOURCE = _LISTS["type_of_resource"]
"""Leader 06."""

MANUSCRIPT = "bdf"
"""Leader 06 of manuscripts."""

ISSUANCE = _LISTS["issuance"]
"""Leader 07."""

ENCODING_LEVEL = _LISTS["encoding_level"]
"""Leader 17, where the record is not complete."""

AUDIENCE = _LISTS["audience"]
"""100$a/17-19, in the words of marctarget."""

ORIGINAL_LANGUAGE = _LISTS["original_language"]
"""101: the part of the resource that a subfield describes."""

COUNTRY_OF_THREE_LETTERS = _LISTS["country"]
"""Codes of ISO 3166 of three letters, also withdrawn ones, which records have in 102 → the codes of two letters."""

FREQUENCY = _LISTS["frequency"]
"""110$a/1, in the words of marcfrequency."""

ISBD_CONTENT = _LISTS["isbd_content"]
"""181$a/0: the content forms of ISBD area 0."""

ISBD_QUALIFICATION = tuple(_TABLES["isbd_qualification"].values())
"""181$b, position by position: the content qualifications of ISBD area 0."""

ISBD_MEDIA = _LISTS["isbd_media"]
"""182$a/0: the media types of ISBD area 0."""

RELATOR = _LISTS["relator"]
"""Relator codes of UNIMARC (appendix C) and the MARC relator that means the same."""

UNDETERMINED_RELATOR = "000"
"""The code of UNIMARC for a role that is not known."""

PROJECTION = _LISTS["projection"]
"""120$a/7-8: the projection of a map."""

GENRE_CODES, FORM_CODES = _code_tables("genre"), _code_tables("form")
"""Fields that name a genre, and a physical form."""

DETAIL_CODES = _code_tables("detail")
"""Fields that describe the form more closely: illustrations, material, technique, color, sound, size."""

BINDING_CODES = _code_tables("binding")
"""Field 141: binding and condition of a copy of an old book."""

LINKS = {
    "412": ("host", "excerptFrom"), "413": ("constituent", "excerpt"),
    "421": ("constituent", "supplement"), "422": ("host", "supplementTo"), "423": ("constituent", "issuedWith"),
    "424": ("succeeding", "updatedBy"), "425": ("preceding", "updates"),
    "430": ("preceding", None), "431": ("preceding", "continuesInPart"), "432": ("preceding", "supersedes"),
    "433": ("preceding", "supersedesInPart"), "434": ("preceding", "absorbs"),
    "435": ("preceding", "absorbsInPart"), "436": ("preceding", "mergerOf"), "437": ("preceding", "separatedFrom"),
    "440": ("succeeding", None), "441": ("succeeding", "continuedInPartBy"),
    "442": ("succeeding", "supersededBy"), "443": ("succeeding", "supersededInPartBy"),
    "444": ("succeeding", "absorbedBy"), "445": ("succeeding", "absorbedInPartBy"),
    "446": ("succeeding", "splitInto"), "447": ("succeeding", "mergedWith"), "448": ("succeeding", "changedBackTo"),
    "451": ("otherVersion", "otherEdition"), "452": ("otherFormat", "otherEdition"),
    "453": ("otherVersion", "translatedAs"), "454": ("otherVersion", "translationOf"),
    "455": ("original", "reproductionOf"), "456": ("otherVersion", "reproducedAs"),
    "470": ("reviewOf", None), "481": (None, "boundWith"), "482": (None, "boundWith"), "488": (None, None),
    "576": (None, "work"), "577": (None, "expression"),
}  # fmt: skip
"""Link fields that mean the same whatever the level of the record: MODS ``type`` and ``otherType``."""

RELATED_TITLES = {
    "511": ("alternative", "half title"), "512": ("alternative", "cover title"),
    "513": ("alternative", "added title page title"), "514": ("alternative", "caption title"),
    "515": ("alternative", "running title"), "516": ("alternative", "spine title"), "517": ("alternative", None),
    "518": ("alternative", "modern spelling"), "520": ("alternative", "former title"), "530": ("uniform", "key title"),
    "531": ("abbreviated", None), "532": ("alternative", "expanded title"), "540": ("alternative", None),
    "541": ("translated", None), "545": ("alternative", "section title"), "560": ("alternative", "artificial title"),
}  # fmt: skip
"""Titles of block 5: MODS ``type`` and ``displayLabel``; uniform and parallel titles have separate rules."""
