"""The conventions of MARC 21: 880 and ``$6``, private and local fields, the leader and the fixed positions of 008.

MARC 21 Format for Bibliographic Data, leader, field 008, Appendix A (control subfields) and field 880.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import CONFIGURATION, CONFIGURATION_OF_LEVEL
from bibld.crosswalk._view import Conventions, Linkage, LinkedField, View
from bibld.model.marc import ControlField, DataField, MarcRecord
from bibld.text.scripts import CJK, HAN, JAPANESE, KOREAN, first_foreign_script

Marc21View = View[None]
"""A record of MARC 21 while it is converted."""

SCRIPT_OF_CODE = {
    "(3": "Arab", "(4": "Arab", "(B": "Latn", "!E": "Latn", "(N": "Cyrl", "(Q": "Cyrl", "(2": "Hebr", "(S": "Grek",
    "$1": CJK,
}  # fmt: skip

PRIVATE_BY_INDICATOR = frozenset(("361", "541", "542", "561", "583"))
"""Fields that a first indicator 0 makes private."""

_TITLE_TAGS = frozenset(("130", "210", "222", "240", "242", "245", "246", "247", "440", "490"))


def link(field: DataField) -> LinkedField | None:
    """Return a field with ``$6`` under the tag whose rules apply (for 880: the tag in ``$6``), and its linkage.

    An 880 whose ``$6`` names no tag gives None and stays what it is, so that no rule reads it.
    """
    subfields = field.subfields
    if not subfields:
        return None
    six = subfields[0].value if subfields[0].code == "6" else field.first("6")
    if six is None:
        return None
    tag, occurrence, code = _parsed(six)
    if field.tag != "880":
        if not occurrence:
            return None
        return LinkedField(field, Linkage(_group(occurrence), _script(code, field)))
    if len(tag) != 3 or not tag.isascii() or not tag.isdecimal() or tag < "010" or tag == "880":
        return None
    linked = replace(field, tag=tag)
    return LinkedField(linked, Linkage(_group(occurrence), _script(code, field), is_alternate=True))


def is_private(field: DataField) -> bool:
    """Whether no subfield of a field is published, because of its first indicator or of a local tag (one with a 9)."""
    tag = field.tag
    return ("9" in tag and tag != "490") or (field.indicator1 == "0" and tag in PRIVATE_BY_INDICATOR)


def _parsed(six: str) -> tuple[str, str, str]:
    number, _, rest = six.partition("/")
    tag, _, occurrence = number.partition("-")
    return tag.strip(), occurrence.strip()[:2], rest.partition("/")[0].strip()


def _group(occurrence: str) -> str | None:
    return occurrence if occurrence.isdecimal() and occurrence != "00" else None


def _script(code: str, field: DataField) -> str:
    """Return the script (ISO 15924) that the code in ``$6`` names, or else that of the field's text."""
    known = SCRIPT_OF_CODE.get(code)
    if known is not None and known != CJK:
        return known
    if len(code) == 4 and code.isascii() and code.isalpha():
        return code.capitalize()
    text = " ".join(subfield.value for subfield in field.subfields if subfield.code.isalpha())
    found = first_foreign_script(text)
    return HAN if known == CJK and found not in (JAPANESE, KOREAN) else found


def _titles(tag: str) -> str:
    return "at" if tag in _TITLE_TAGS or tag[:1] in ("7", "8") else ""


_WITH_BRACKETS = frozenset(("245", "246", "250", "260", "264", "300", "440", "490"))

CONVENTIONS = Conventions(
    is_private=is_private, link=link, cleans=lambda tag: True, titles=_titles, bracketed=_WITH_BRACKETS
)
"""The conventions of every record of MARC 21; no data field has counted positions: all are tidied."""

STRUCTURAL = "68"
"""Subfields of every field that link fields and carry no content."""


_COMPLETE = 34
"""From this length on, only codes at the end are missing."""

_DATES_END = 15
_REST = re.compile(r"(?P<country>[a-z]{2,3}(?![a-z]))?.*?(?P<language>[a-z]{3})?[a-z |]{0,2}", re.DOTALL)


def with_complete_008(record: MarcRecord) -> tuple[MarcRecord, tuple[str, ...]]:
    """Return the record with an 008 of 40 characters, and a warning where runs of blanks in it were made one.

    Dates, country and language are kept; positions 18 to 34 cannot be known and become fill characters.
    """
    text = record.control("008")
    if text is None or len(text) >= _COMPLETE or "  " in text or not text[7:11].isdecimal():
        return record, ()
    restored = _restored(text)
    fields = tuple(
        ControlField("008", restored) if isinstance(field, ControlField) and field.tag == "008" else field
        for field in record.all_fields
    )
    warning = f"008 has {len(text)} characters, not 40; only its dates, country and language are read"
    return replace(record, all_fields=fields), (warning,)


def _restored(text: str) -> str:
    second = text[11:_DATES_END] if text[11:_DATES_END].isdecimal() else ""
    found = _REST.fullmatch(text[_DATES_END if second else 11 :].strip())
    country, language = (found["country"] or "", found["language"] or "") if found else ("", "")
    return f"{text[:11].ljust(11)}{second:4}{country:3}{'|' * 17}{language:3}  "


_TAGS_OF_RISM = ("593", "594", "596", "597")
_RAISED_BY_RISM = re.compile(r"(?<=[^\W_])(?:\|[0-9a-z])+(?![^\W_])")
_FLAT = re.compile(r"\b([A-H])\|b\b")
_RAISED = str.maketrans("0123456789oa", "⁰¹²³⁴⁵⁶⁷⁸⁹ºª", "|")


def with_superscripts(record: MarcRecord) -> MarcRecord:
    """Return a record of RISM with the characters that its texts have behind a bar: ``N|o 4``, ``1607|2|4``, ``B|b``.

    A bar before a word is a line break.
    """
    if not any(field.tag in _TAGS_OF_RISM for field in record.all_fields):
        return record
    fields = tuple(
        replace(field, subfields=tuple(replace(item, value=_raised(item.value)) for item in field.subfields))
        if isinstance(field, DataField) and any("|" in item.value for item in field.subfields)
        else field
        for field in record.all_fields
    )
    return replace(record, all_fields=fields)


def _raised(text: str) -> str:
    return _RAISED_BY_RISM.sub(lambda found: found[0].translate(_RAISED), _FLAT.sub("\\1♭", text))


# --- leader and 008; positions are counted from 0, and one that is not there is the empty text


def leader_code(view: Marc21View, position: int) -> str:
    """Return one character of the leader."""
    return view.record.leader.text[position : position + 1]


def fixed(view: Marc21View, start: int, end: int | None = None) -> str:
    """Return positions of the first 008."""
    text = view.control("008")
    return text[start : start + 1 if end is None else end] if text else ""


def is_component(view: Marc21View) -> bool:
    """Whether the record describes an article or another component part, or one piece of a collection (773)."""
    level = leader_code(view, 7)
    return level in ("a", "b") or (level == "d" and view.has("773"))


def configuration(view: Marc21View) -> str:
    """Return how to read 008/18-34: as for a book, a serial …; empty where leader/06 does not decide."""
    kind = leader_code(view, 6)
    if kind == "a":
        return CONFIGURATION_OF_LEVEL.get(leader_code(view, 7), "")
    return CONFIGURATION.get(kind, "")
