"""About the record: 001, 003, 005, 008/00-05, 040 and leader/18 → recordInfo."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.fixed import leader_code
from bibld.crosswalk._marc21.record import RECORD_ORIGIN
from bibld.crosswalk._marc21_loc.fields import StylesheetView
from bibld.crosswalk._rules import RuleBook
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


@RECORD.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging",
    tLDR="", t001="", t003="", t005="", t008="", t040="abe",
)  # fmt: skip
def record_info(view: StylesheetView) -> Iterator[RecordInfo]:
    """What the record says of itself, as it stands; every 040 has a content source, be it empty."""
    standards = ["aacr"] if leader_code(view, 18) == "a" else []
    cataloguing = view.regular("040")
    standards.extend(text for field in cataloguing for text in field.values("e")[:1])
    yield RecordInfo(
        record_content_source=tuple(
            RecordContentSource(value=field.first("a") or "", authority="marcorg") for field in cataloguing
        ),
        record_creation_date=tuple(Date(value=text[:6], encoding="marc") for text in view.controls("008")),
        record_change_date=tuple(Date(value=text, encoding="iso8601") for text in view.controls("005")),
        record_identifier=tuple(
            RecordIdentifier(value=text, source=view.control("003")) for text in view.controls("001")
        ),
        record_origin=(RECORD_ORIGIN,),
        language_of_cataloging=tuple(
            Language(language_term=(LanguageTerm(value=text, type="code", authority="iso639-2b"),))
            for field in cataloguing
            for text in field.values("b")
        ),
        description_standard=tuple(DescriptionStandard(value=text) for text in standards),
    )
