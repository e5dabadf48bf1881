"""About the record: 001, 003, 005, 008/00-05, 040 and leader/18 → recordInfo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bibld.crosswalk._marc21.fixed import fixed, leader_code
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import entry_date, iso_time
from bibld.crosswalk._view import View
from bibld.model.mods import (
    Date,
    DescriptionStandard,
    Language,
    LanguageTerm,
    RecordContentSource,
    RecordIdentifier,
    RecordInfo,
)

RECORD = RuleBook()

RECORD_ORIGIN = "Converted from MARC 21 by bibld"


@RECORD.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging",
    tLDR="", t001="", t003="", t005="", t008="", t040="abe",
)  # fmt: skip
def record_info(view: View[Any]) -> Iterator[RecordInfo]:
    """What the record says of itself."""
    number = (view.control("001") or "").strip()
    source = (view.control("003") or "").strip() or None
    standards = ["aacr"] if leader_code(view, 18) == "a" else []
    standards.extend(value for field in view.fields("040") for value in field.values("e") if value not in standards)
    agencies = [value for field in view.fields("040") for value in field.values("a")]
    languages = [value for field in view.fields("040") for value in field.values("b")]
    yield RecordInfo(
        record_content_source=tuple(RecordContentSource(value=value, authority="marcorg") for value in agencies),
        record_creation_date=_creation_date(view),
        record_change_date=_change_date(view),
        record_identifier=(RecordIdentifier(value=number, source=source),) if number else (),
        record_origin=(RECORD_ORIGIN,),
        language_of_cataloging=tuple(
            Language(language_term=(LanguageTerm(value=value, type="code", authority="iso639-2b"),))
            for value in languages
        ),
        description_standard=tuple(DescriptionStandard(value=value) for value in standards),
    )


def _creation_date(view: View[Any]) -> tuple[Date, ...]:
    text = fixed(view, 0, 6)
    date = entry_date(text)
    if date is not None:
        return (Date(value=date, encoding="w3cdtf"),)
    if text.strip(" |#"):
        view.warn(f"008/00-05 {text!r} is no date")
    return ()


def _change_date(view: View[Any]) -> tuple[Date, ...]:
    text = view.control("005")
    date = iso_time(text) if text else None
    if date is not None:
        return (Date(value=date, encoding="iso8601"),)
    if text and text.strip():
        view.warn(f"005 {text!r} is no date")
    return ()
