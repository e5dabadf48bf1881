"""Cards to MODS: title in 900, author in 901, year in 902; the price in 909 is private."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bibld.crosswalk import RuleBook, RuleSet, View
from bibld.model.marc import DataField, MarcRecord
from bibld.model.mods import Date, Name, NamePart, OriginInfo, TitleInfo
from bibld.protocols import Converted

BOOK = RuleBook()


class Settings(msgspec.Struct, frozen=True):
    """``marks``: what is taken off the end of titles."""

    marks: str = " /:"


@BOOK.field("900", "a", "titleInfo: title")
def title(field: DataField, view: View[Settings]) -> Iterator[TitleInfo]:
    """Title."""
    yield TitleInfo(title=(field.first("a") or "").rstrip(view.settings.marks))


@BOOK.field("901", "a", "name[personal]")
def author(field: DataField, view: View[Settings]) -> Iterator[Name]:
    """Author."""
    yield Name(type="personal", name_part=(NamePart(value=field.first("a") or ""),))


@BOOK.field("902", "a", "originInfo: dateIssued")
def year(field: DataField, view: View[Settings]) -> Iterator[OriginInfo]:
    """Year of publication."""
    yield OriginInfo(date_issued=(Date(value=field.first("a") or "", encoding="w3cdtf"),))


RULES = RuleSet([BOOK], private={"909": "*"})


def sniffs(record: MarcRecord) -> bool:
    """Return whether the record has a title in 900 and none where MARC 21 and UNIMARC have theirs."""
    tags = {field.tag for field in record.all_fields}
    return "900" in tags and not tags & {"200", "245"}


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one record."""
    return RULES.convert(View(record, settings))
