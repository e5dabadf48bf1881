"""Class marks and copies: 050-086, 852, 856 → classification, location."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.holdings import addresses, government_document_number
from bibld.crosswalk._marc21_loc.fields import StylesheetView, has_any, text_or_blank
from bibld.crosswalk._marc21_loc.notes import href
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import (
    Classification,
    CopyInformation,
    HoldingSimple,
    ItemIdentifier,
    Location,
    PhysicalLocation,
)

HOLDINGS = RuleBook()


@HOLDINGS.field("050", "ab3", "classification[lcc]")
def lc_call_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Each item number with the class before it, then each class with no item number behind it; never mark."""
    label = field.first("3")
    number = ""
    unfinished: list[str] = []
    for subfield in field.subfields:
        if subfield.code == "a":
            number = subfield.value
            unfinished.append(number)
        elif subfield.code == "b":
            yield Classification(value=f"{number} {subfield.value}", authority="lcc", display_label=label)
            unfinished.clear()
    for text in unfinished:
        yield Classification(value=text, authority="lcc", display_label=label)


@HOLDINGS.field("060", "ab", "classification[nlm]")
def nlm_call_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """National Library of Medicine call numbers."""
    yield view.mark(Classification(value=join(field, "ab"), authority="nlm"), field)


@HOLDINGS.field("080", "abx", "classification[udc]")
def udc_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Universal Decimal Classification."""
    yield view.mark(Classification(value=join(field, "abx"), authority="udc"), field)


@HOLDINGS.field("082", "ab2", "classification[ddc], edition from $2")
def dewey_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Dewey Decimal Classification."""
    yield view.mark(Classification(value=join(field, "ab"), authority="ddc", edition=field.first("2")), field)


@HOLDINGS.field("084", "ab2", "classification, authority from $2")
def other_class_mark(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Other classifications."""
    yield view.mark(Classification(value=join(field, "ab"), authority=field.first("2") or ""), field)


HOLDINGS.field("086", "a2", "classification (unless corrected: nothing)")(government_document_number)


@HOLDINGS.field("852", "abehijklmptu0", "location: physicalLocation, shelfLocator, holdingSimple")
def holding(field: DataField, view: StylesheetView) -> Iterator[Location]:
    """Where copies are kept."""
    places = [PhysicalLocation(value=join(field, "abe"))] if has_any(field, "abe") else []
    if has_any(field, "u"):
        places.append(PhysicalLocation(value=join(field, "u"), xlink_href=href(field)))
    items = tuple(
        ItemIdentifier(value=subfield.value, type="copy number" if subfield.code == "t" else None)
        for subfield in field.subfields
        if subfield.code in ("p", "t")
    )
    made = Location(
        physical_location=tuple(places),
        shelf_locator=(text_or_blank(join(field, "hijklmt")),) if has_any(field, "hijklmt") else (),
        holding_simple=HoldingSimple((CopyInformation(item_identifier=items),)) if items else None,
    )
    yield view.mark(made, field)


HOLDINGS.record("location/url, displayLabel from $y $3, note from $z", t856="u3yz")(addresses)
