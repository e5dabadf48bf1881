"""Identifiers, class marks and locations: 010-037, 074, 088, 050-086, 852, 856 → identifier, classification, location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from bibld.crosswalk._isbd import chop
from bibld.crosswalk._marc21_titles import joined
from bibld.crosswalk._rules import RuleBook, View
from bibld.model import identifiers
from bibld.model.marc import DataField
from bibld.model.mods import (
    Classification,
    CopyInformation,
    HoldingSimple,
    Identifier,
    ItemIdentifier,
    Location,
    Note,
    PhysicalLocation,
    Url,
)

IDENTIFIERS = RuleBook()

LINK_SCHEMES = ("http://", "https://", "ftp://")
"""What becomes a link; any other address would be followed by nobody, or by somebody who should not."""


# --- standard numbers


def isbn_identifier(text: str, qualifier: str = "", cancelled: bool = False) -> Identifier | None:
    """An ISBN without hyphens, with its qualifier (``cloth``) as displayLabel; a wrong one is invalid."""
    found = identifiers.isbn(text)
    if found is None:
        return None
    label = qualifier or chop(found.qualifier)
    invalid = "yes" if cancelled or not found.is_valid else None
    return Identifier(value=found.value, type="isbn", invalid=invalid, display_label=label or None)


def issn_identifier(text: str, kind: str = "issn", cancelled: bool = False) -> Identifier | None:
    """An ISSN with its hyphen; a wrong one is invalid."""
    found = identifiers.issn(text)
    if found is None:
        return None
    invalid = "yes" if cancelled or not found.is_valid else None
    return Identifier(value=found.value, type=kind, invalid=invalid)


@IDENTIFIERS.field("020", "aqz", "identifier[isbn], invalid for $z and wrong check digits, displayLabel from $q")
def isbns(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """ISBN."""
    qualifier = ", ".join([chop(text).strip("() ") for text in field.values("q")])
    for subfield in field.subfields:
        if subfield.code not in "az":
            continue
        made = isbn_identifier(subfield.value, qualifier, subfield.code == "z")
        if made is None:
            view.warn(f"020${subfield.code} {subfield.value!r} holds no number")
            continue
        if made.invalid and subfield.code == "a":
            view.warn(f"020$a {subfield.value!r} is no valid ISBN")
        yield made


_ISSN_KINDS = {
    "a": ("issn", False), "y": ("issn", True), "z": ("issn", True), "l": ("issn-l", False), "m": ("issn-l", True),
}  # fmt: skip


@IDENTIFIERS.field("022", "almyz", "identifier[issn, issn-l]")
def issns(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """ISSN and ISSN-L."""
    for subfield in field.subfields:
        if subfield.code not in _ISSN_KINDS:
            continue
        kind, cancelled = _ISSN_KINDS[subfield.code]
        made = issn_identifier(subfield.value, kind, cancelled)
        if made is None:
            view.warn(f"022${subfield.code} {subfield.value!r} holds no number")
            continue
        if made.invalid and not cancelled:
            view.warn(f"022${subfield.code} {subfield.value!r} is no valid ISSN")
        yield made


_OTHER_STANDARD = {"0": "isrc", "1": "upc", "2": "ismn", "3": "ean", "4": "sici"}


@IDENTIFIERS.field("024", "adqz2", "identifier, type from the first indicator or $2")
def other_standard_numbers(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """Other standard identifiers; those of type 7 name their scheme in ``$2``."""
    kind = field.first("2") if field.indicator1 == "7" else _OTHER_STANDARD.get(field.indicator1)
    kind = kind.strip().casefold() if kind else None
    label = ", ".join([chop(text).strip("() ") for text in field.values("q")]) or None
    for subfield in field.subfields:
        if subfield.code in "az":
            value = _bare(subfield.value, kind)
            more = field.first("d") if field.indicator1 != "7" else None
            if value:
                yield Identifier(
                    value=f"{value} {more}" if more else value,
                    type=kind,
                    invalid="yes" if subfield.code == "z" else None,
                    display_label=label,
                )


_PREFIXES = {
    "doi": ("https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:"),
    "hdl": ("https://hdl.handle.net/", "http://hdl.handle.net/", "urn:hdl:", "hdl:"),
}


def _bare(value: str, kind: str | None) -> str:
    for prefix in _PREFIXES.get(kind or "", ()):
        if value.casefold().startswith(prefix):
            return value[len(prefix) :].strip()
    if kind in ("isrc", "upc", "ismn", "ean"):
        return value.replace("-", "").replace(" ", "")
    return value


class NumberField(msgspec.Struct, frozen=True):
    """A field whose ``$a`` is an identifier of one type and whose ``$z`` is a cancelled or wrong one."""

    tag: str
    type: str


NUMBER_FIELDS = (
    NumberField("010", "lccn"),
    NumberField("015", "nbn"),
    NumberField("016", "nbn"),
    NumberField("017", "legal deposit number"),
    NumberField("027", "strn"),
    NumberField("030", "coden"),
    NumberField("074", "gpo item number"),
    NumberField("088", "report number"),
)


def _register(number: NumberField) -> None:
    @IDENTIFIERS.field(number.tag, "az", f"identifier[{number.type}]")
    def build(field: DataField, view: View[Any]) -> Iterator[Identifier]:
        """The number, and the wrong ones."""
        for subfield in field.subfields:
            if subfield.code in "az":
                value = subfield.value.strip(" ()") if number.type == "nbn" else subfield.value
                if value:
                    yield Identifier(value=value, type=number.type, invalid="yes" if subfield.code == "z" else None)


for _number in NUMBER_FIELDS:
    _register(_number)

_PUBLISHER_NUMBER = {
    "0": "issue number", "1": "matrix number", "2": "music plate", "3": "music publisher",
    "4": "videorecording identifier", "6": "distributor number",
}  # fmt: skip


@IDENTIFIERS.field("028", "ab", "identifier, type from the first indicator")
def publisher_number(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """Publisher or distributor number, with its source behind it."""
    value = joined(field.subfields, "ab")
    if value:
        yield Identifier(value=value, type=_PUBLISHER_NUMBER.get(field.indicator1, "publisher number"))


_SYSTEM_PREFIXES = {"(OCoLC)": "oclc", "(WlCaITV)": "WlCaITV"}


@IDENTIFIERS.field("035", "az", "identifier[oclc], or [local] with the prefix of the system")
def system_number(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """The number in another system; one without the prefix of its system says nothing and is passed over."""
    for subfield in field.subfields:
        if subfield.code not in "az" or not subfield.value.startswith("("):
            continue
        made = system_identifier(subfield.value)
        yield msgspec.structs.replace(made, invalid="yes") if subfield.code == "z" else made


def system_identifier(text: str) -> Identifier:
    """A control number with its prefix in parentheses: ``(OCoLC)`` is taken off, others stay with type local."""
    for prefix, kind in _SYSTEM_PREFIXES.items():
        if text.startswith(prefix) and len(text) > len(prefix):
            value = text[len(prefix) :].strip()
            if kind == "oclc":
                value = value.removeprefix("ocm").removeprefix("ocn").removeprefix("on").strip().lstrip("0") or value
            return Identifier(value=value, type=kind)
    return Identifier(value=text, type="local")


@IDENTIFIERS.field("037", "abc", "identifier[stock number], displayLabel from $c")
def stock_number(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """Source of acquisition."""
    value = joined(field.subfields, "ab")
    if value:
        yield Identifier(value=value, type="stock number", display_label=joined(field.subfields, "c") or None)


@IDENTIFIERS.field("856", "u", "identifier[doi, hdl] from the address")
def persistent_address(field: DataField, view: View[Any]) -> Iterator[Identifier]:
    """A DOI or Handle that stands in an address of the resource itself."""
    if field.indicator2 == "2":
        return
    for text in field.values("u"):
        for kind, prefixes in _PREFIXES.items():
            value = _bare(text, kind)
            if value != text and value and not _has_identifier(view, kind, value):
                yield Identifier(value=f"hdl:{value}" if kind == "hdl" else value, type=kind)
                break
            if any(text.casefold().startswith(prefix) for prefix in prefixes):
                break


def _has_identifier(view: View[Any], kind: str, value: str) -> bool:
    return any(
        _bare(text, kind) == value for field in view.fields("024") if field.first("2") == kind for text in field.values("a")
    )


# --- class marks


@IDENTIFIERS.field("050", "ab3", "classification[lcc]")
def lc_call_number(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """Library of Congress call numbers: each class with the item number that follows it."""
    for value in _with_item_numbers(field):
        yield Classification(value=value, authority="lcc", display_label=field.first("3"))


@IDENTIFIERS.field("060", "ab", "classification[nlm]")
def nlm_call_number(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """National Library of Medicine call numbers."""
    for value in _with_item_numbers(field):
        yield Classification(value=value, authority="nlm")


@IDENTIFIERS.field("080", "abx2", "classification[udc], one for each $a")
def udc_number(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """Universal Decimal Classification, with its common auxiliary subdivisions."""
    for value in _with_item_numbers(field, "bx"):
        yield Classification(value=value, authority="udc", edition=field.first("2"))


@IDENTIFIERS.field("082", "ab2", "classification[ddc], one for each $a, edition from $2")
def dewey_number(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """Dewey Decimal Classification, without the marks where a number may be cut."""
    for value in _with_item_numbers(field):
        number = value.replace("/", "").replace("'", "").replace("′", "")
        if number:
            yield Classification(value=number, authority="ddc", edition=field.first("2"))


@IDENTIFIERS.field("084", "ab2", "classification, authority from $2, one for each $a")
def other_class_mark(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """Other classifications, such as rubbk."""
    for value in _with_item_numbers(field):
        yield Classification(value=value, authority=field.first("2"))


@IDENTIFIERS.field("086", "a2", "classification[sudocs, candoc or $2]")
def government_document_number(field: DataField, view: View[Any]) -> Iterator[Classification]:
    """Class marks of government documents."""
    authority = {"0": "sudocs", "1": "candoc"}.get(field.indicator1) or field.first("2")
    for value in field.values("a"):
        yield Classification(value=value, authority=authority)


def _with_item_numbers(field: DataField, item_codes: str = "b") -> Iterator[str]:
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


@IDENTIFIERS.field("852", "abehijklmptuz", "location: physicalLocation, shelfLocator, holdingSimple")
def holding(field: DataField, view: View[Any]) -> Iterator[Location]:
    """Where copies are kept."""
    places = [PhysicalLocation(value=text) for text in (joined(field.subfields, "abe"),) if text]
    shelf = joined(field.subfields, "hijklm")
    items = [ItemIdentifier(value=text) for text in field.values("p")]
    items.extend(ItemIdentifier(value=text, type="copy number") for text in field.values("t"))
    notes = tuple(Note(value=text) for text in field.values("z"))
    urls = tuple(Url(value=text) for text in field.values("u") if is_link(text))
    held = None
    if items or notes:
        held = HoldingSimple((CopyInformation(item_identifier=tuple(items), note=notes),))
    if places or shelf or held or urls:
        yield Location(
            physical_location=tuple(places), shelf_locator=(shelf,) if shelf else (), url=urls, holding_simple=held
        )


@IDENTIFIERS.record("location/url, displayLabel from $y $3, note from $z", t856="u3yz")
def addresses(view: View[Any]) -> Iterator[Location]:
    """Addresses of the resource itself and of versions of it (a related resource is a related item)."""
    own = [field for field in view.fields("856") if field.indicator2 != "2"]
    primary = next((field for wanted in "01" for field in own if field.indicator2 == wanted), own[0] if own else None)
    usage = "primary display"
    for field in own:
        for url in urls_of(field, view):
            if field is primary and usage:
                url, usage = msgspec.structs.replace(url, usage=usage), ""
            location = Location(url=(url,))
            linkage = view.linkage(field)
            yield location if linkage is None else linkage.marked(location)


def urls_of(field: DataField, view: View[Any]) -> Iterator[Url]:
    """The addresses in a field 856 that may become links; others are reported."""
    label = joined(field.subfields, "3y") or None
    note = joined(field.subfields, "z") or None
    for text in field.values("u"):
        if is_link(text):
            yield Url(value=text, display_label=label, note=note)
        else:
            view.warn(f"856$u {text!r} is no address of http, https or ftp")


def is_link(text: str) -> bool:
    """Whether a text is an address that a reader can follow."""
    return text.casefold().startswith(LINK_SCHEMES) and " " not in text
