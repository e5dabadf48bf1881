"""Class marks and copies: 050-086, 852, 856 → classification, location (MODS guidelines)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import address, first_address, join
from bibld.model import mods
from bibld.model.marc import DataField

HOLDINGS = RuleBook()


# --- class marks


_CLASSIFICATION = {"050": "lcc", "060": "nlm", "080": "udc", "082": "ddc"}
_MARKS_OF_CUTS = str.maketrans("", "", "/'′")


@HOLDINGS.fields(
    "classification[lcc, nlm, udc, ddc; 084: $2], one for each $a; edition from $2 (080, 082); 082 $1 @valueURI",
    t050="ab3", t060="ab", t080="abx2", t082="ab12", t084="ab2",
)  # fmt: skip
def class_mark(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Class marks, each with the item number that follows it; of Dewey without the marks where a number may be cut."""
    tag, source = field.tag, field.first("2")
    for value in _with_item_numbers(field, "bx" if tag == "080" else "b"):
        number = value.translate(_MARKS_OF_CUTS) if tag == "082" else value
        if number:
            yield mods.Classification(
                value=number,
                authority=_CLASSIFICATION.get(tag, source),
                value_uri=first_address(field.values("1")) if len(field.values("a")) == 1 else None,
                edition=source if tag in ("080", "082") else None,
                display_label=field.first("3") if tag == "050" else None,
            )


@HOLDINGS.field("086", "a2", "classification[sudocs, candoc or $2]")
def government_document_number(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Class marks of government documents."""
    authority = {"0": "sudocs", "1": "candoc"}.get(field.indicator1) or field.first("2")
    for value in field.values("a"):
        yield mods.Classification(value=value, authority=authority)


def _with_item_numbers(field: DataField, item_codes: str) -> Iterator[str]:
    value = ""
    for subfield in field.subfields:
        if subfield.code == "a":
            if value:
                yield value
            value = subfield.value
        elif subfield.code in item_codes and value:
            value = f"{value} {subfield.value}"
    if value:
        yield value


# --- location


@HOLDINGS.field("852", "abehijklmptuz", "location: physicalLocation, shelfLocator, holdingSimple")
def holding(field: DataField, view: Marc21View) -> Iterator[mods.Location]:
    """Where copies are kept."""
    places = [mods.PhysicalLocation(value=text) for text in (join(field, "abe"),) if text]
    shelf = join(field, "hijklm")
    items = [mods.ItemIdentifier(value=text) for text in field.values("p")]
    items.extend(mods.ItemIdentifier(value=text, type="copy number") for text in field.values("t"))
    notes = tuple(mods.Note(value=text) for text in field.values("z"))
    urls = tuple(mods.Url(value=link) for link in map(address, field.values("u")) if link)
    copies = None
    if items or notes:
        copies = mods.HoldingSimple((mods.CopyInformation(item_identifier=tuple(items), note=notes),))
    if places or shelf or copies or urls:
        yield mods.Location(
            physical_location=tuple(places), shelf_locator=(shelf,) if shelf else (), url=urls, holding_simple=copies
        )


@HOLDINGS.record("location/url, displayLabel from $y $3, note from $z", t856="u3yz")
def addresses(view: Marc21View) -> Iterator[mods.Location]:
    """Addresses of the resource itself and of versions of it (a related resource is a related item)."""
    own = [field for field in view.fields("856") if field.indicator2 != "2"]
    primary = next((field for wanted in "01" for field in own if field.indicator2 == wanted), own[0] if own else None)
    usage = "primary display"
    for field in own:
        for url in link_urls(field, view):
            if field is primary and usage:
                url, usage = replace(url, usage=usage), ""
            yield view.mark(mods.Location(url=(url,)), field)


def link_urls(field: DataField, view: Marc21View) -> Iterator[mods.Url]:
    """Yield the addresses in a field 856 that can become links; others cause a warning."""
    label = join(field, "3y") or None
    note = join(field, "z") or None
    for text in field.values("u"):
        link = address(text)
        if link is not None:
            yield mods.Url(value=link, display_label=label, note=note)
        else:
            view.warn(f"856$u {text!r} is not an http, https or ftp address; left out")
