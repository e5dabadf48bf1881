"""Which flavour of MARC a record is of, and which records are no bibliographic descriptions."""

from __future__ import annotations

import re

from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, MarcRecord

_MARC21_REFUSED = {
    "z": "authority record", "u": "holdings record", "v": "holdings record", "x": "holdings record",
    "y": "holdings record", "w": "classification record", "q": "community information record",
}  # fmt: skip
"""Leader/06 of MARC 21 for other kinds of records."""

_UNIMARC_REFUSED = {"x": "authority record", "y": "authority record", "z": "authority record"}
"""Leader/06 of UNIMARC authorities: entry, reference, general explanatory entry."""

_TYPES_OF_DATE = "abcdefghijku|"

_AUTHORITY_DATA = re.compile(r"\d{8}[acx|# ][a-z]{3}[a-ey|# ]?\d{0,4}.{0,12}")
"""100$a of a UNIMARC authority: date, status, language of cataloguing, transliteration, character sets."""


def is_unimarc(record: MarcRecord) -> bool:
    """Whether a record is of the UNIMARC family (UNIMARC, RUSMARC …) rather than MARC 21.

    Field 245 means MARC 21; 200 with ``$a`` and no 245 means UNIMARC; so do 100$a with general processing data (34 or
    more characters that begin with a date and a type of date) and, where nothing else decides, ``450`` at the end of
    the leader and the absence of 008.
    """
    title = coded = marc21 = False
    for field in record.all_fields:
        tag = field.tag
        if isinstance(field, ControlField):
            marc21 = marc21 or tag == "008"
        elif tag == "245":
            return False
        elif tag == "200":
            title = title or field.first("a") is not None or bool(field.embedded)
        elif tag == "100":
            text = field.first("a") or ""
            is_processing_data = len(text) >= 34 and text[:8].isdecimal() and text[8] in _TYPES_OF_DATE
            coded = coded or is_processing_data or _AUTHORITY_DATA.fullmatch(text) is not None
    if title or coded:
        return True
    return not marc21 and record.leader.text[20:23] == "450" and record.leader.text[23:24] != "0"


def has_authority_data(record: MarcRecord) -> bool:
    """Whether 100$a has the coded data of a UNIMARC authority record."""
    return any(_AUTHORITY_DATA.fullmatch(text) for field in record.fields("100") for text in field.values("a"))


def carries_fields(tag: str) -> bool:
    """Whether fields of UNIMARC with this tag may carry other fields after ``$1`` (the embedded technique)."""
    return tag[:1] == "4" or tag in ("327", "576", "577", "604")


def refuse_other_kinds(record: MarcRecord, unimarc: bool) -> None:
    """Raise ``CrosswalkError`` for authority, holdings, classification and community information records."""
    code = record.leader.text[6:7]
    kind = (_UNIMARC_REFUSED if unimarc else _MARC21_REFUSED).get(code)
    sign = f"leader/06 {code}"
    if kind is None and unimarc and has_authority_data(record):  # the leader may be damaged
        kind, sign = "authority record", "by 100$a"
    if kind is not None:
        remedy = "only `bibld run` converts it" if kind == "authority record" else "leave its file out of the source"
        reason = f"{kind} ({sign}), not a description of a publication; {remedy}"
        raise CrosswalkError(record.origin, reason, control_number=record.control_number)
