"""Field 008 whose runs of blanks were made one: what its positions still state."""

from __future__ import annotations

import re

from msgspec.structs import replace

from bibld.model.marc import ControlField, MarcRecord

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
