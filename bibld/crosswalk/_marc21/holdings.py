"""Class marks and copies: 050-086, 850-868 → classification, location (MODS guidelines)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.statements import holdings_statements
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import address, first_address, join
from bibld.model import mods
from bibld.model.marc import DataField
from bibld.text.libraries import code_list

HOLDINGS = RuleBook()


# --- class marks


_CLASSIFICATION = {"050": "lcc", "060": "nlm", "080": "udc", "082": "ddc"}
_LCC = re.compile(r"[A-Z]{1,3}(?:\d| \d{1,4}(?:\.\d+)? \.?[A-Z]\d)")
_LCC_WITH_APOSTROPHES = re.compile(r"[A-Z]{1,3}'\d+(?:\.\d+)?'|[A-Z]{1,3}'\d+\.[A-Z]")
"""How some systems write blanks."""
_FORM_OF_CLASS = {"050": _LCC, "082": re.compile(r"\[?\d{3}(?!\d)")}
"""The beginnings of class marks; libraries also write what is none, such as ``LAW`` and ``Fic``."""
_BARCODE = re.compile(r"[A-Z]{0,2}\d{8,}[A-Z]?")
"""Of the designations of a piece, those that are printed as bars; others are shelf marks (as in RISM) or words."""
_HOLDINGS_TAGS = ("852", "853", "854", "855", "863", "864", "865", "866", "867", "868")
_CAPTIONS = ("853", "854", "855")
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
        if tag == "050" and _LCC_WITH_APOSTROPHES.match(value):
            number = value.replace("'", " ")
        if number:
            is_shelf_mark = tag in _FORM_OF_CLASS and not _FORM_OF_CLASS[tag].match(number)
            is_of_series = tag == "082" and number.endswith(" s")
            yield mods.Classification(
                value=number,
                authority=None if is_shelf_mark or is_of_series else _CLASSIFICATION.get(tag, source),
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


@HOLDINGS.fields("classification[lcc where its form or indicator 2 shows it; 055: else $2]", t055="ab2", t070="ab")
def class_mark_of_other_library(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Class marks given in Canada, and by the National Agricultural Library, which uses LCC beside its old scheme."""
    number = join(field, "ab")
    is_lcc = field.indicator2 in tuple("012345") if field.tag == "055" else _LCC.match(number) is not None
    if number:
        yield mods.Classification(value=number, authority="lcc" if is_lcc else field.first("2"))


# --- copies


@HOLDINGS.field("051", "abc", "location[DLC]: shelfLocator; $c in holdingSimple")
def copy_of_library_of_congress(field: DataField, view: Marc21View) -> Iterator[mods.Location]:
    """Further copies in the Library of Congress."""
    shelf = join(field, "ab")
    notes = tuple(mods.Note(value=text) for text in field.values("c"))
    if shelf:
        yield mods.Location(
            physical_location=(mods.PhysicalLocation(value="DLC", authority="marcorg"),),
            shelf_locator=(shelf,),
            holding_simple=mods.HoldingSimple((mods.CopyInformation(note=notes),)) if notes else None,
        )


@HOLDINGS.field("850", "a", "location/physicalLocation[isil, marcorg]")
def holding_institution(field: DataField, view: Marc21View) -> Iterator[mods.Location]:
    """Institutions that have the resource, by their codes."""
    for value in field.values("a"):
        yield mods.Location(physical_location=(mods.PhysicalLocation(value=value, authority=code_list(value)),))


@HOLDINGS.record(
    "location: physicalLocation ($a, $n), shelfLocator ($h-$m), holdingSimple (place: $b $c, note: $3 $q $z); 853-868:"
    " its enumerationAndChronology",
    t852="abcehijklmnpqtuz3", t853="abcdefghijklm", t854="abcdefghijklm", t855="abcdefghijklm",
    t863="abcdefghijklmz", t864="abcdefghijklmz", t865="abcdefghijklmz", t866="az", t867="az", t868="az",
)  # fmt: skip
def holdings(view: Marc21View) -> Iterator[mods.Location]:
    """Location, call number and numbers of copies, and the holdings statements that belong to each."""
    for field, statements in _with_statements(view):
        location = _location(field, statements)
        if location != mods.Location():
            yield location
    for field in view.fields("852"):
        if view.is_alternate(field):
            yield view.mark(_location(field, ()), field)


def _with_statements(view: Marc21View) -> Iterator[tuple[DataField | None, list[DataField]]]:
    """Yield each 852 with the fields 853-868 behind it; where all 852 come first, fields are matched by ``$8``.

    Statements that belong to none, or of which it is not known to which, come last with None.
    """
    if not view.has(*_HOLDINGS_TAGS[1:]):
        yield from ((field, []) for field in view.fields("852") if not view.is_alternate(field))
        return
    waiting = {
        tag: deque(field for field in view.fields(tag) if not view.is_alternate(field)) for tag in _HOLDINGS_TAGS
    }
    fields = [waiting[field.tag].popleft() for field in view.record.all_fields if waiting.get(field.tag)]
    copies = [field for field in fields if field.tag == "852"]
    come_first = [field.tag for field in fields[: len(copies)]] == ["852"] * len(copies)
    numbers = [copy.first("8") for copy in copies]
    groups: list[tuple[DataField | None, list[DataField]]] = [(copy, []) for copy in copies]
    without_copy: list[DataField] = []
    current = -1
    for field in fields:
        if field.tag == "852":
            current += 1
            continue
        target = current
        if len(copies) == 1:
            target = 0
        elif come_first:
            number = (field.first("8") or "").partition(".")[0]
            target = numbers.index(number) if numbers.count(number) == 1 else -1
        (groups[target][1] if target >= 0 else without_copy).append(field)
    yield from groups
    if without_copy:
        yield None, without_copy


def _location(field: DataField | None, statements: Sequence[DataField]) -> mods.Location:
    notes = [note for statement in statements if statement.tag not in _CAPTIONS for note in statement.values("z")]
    if field is None:
        field = DataField("852", " ", " ", ())
    places = [mods.PhysicalLocation(value=text) for text in field.values("a")]
    places += [mods.PhysicalLocation(value=text, type="address") for text in field.values("e")]
    places += [mods.PhysicalLocation(value=text, type="country") for text in field.values("n")]
    pieces = field.values("p")
    shelf = join(field, "hijklm") or next((text for text in pieces if not _BARCODE.fullmatch(text)), "")
    links = [*field.values("u"), *filter(_is_link, field.values("z"))]
    items = [
        mods.ItemIdentifier(value=text, type="barcode" if _BARCODE.fullmatch(text) else None)
        for text in pieces
        if text != shelf
    ]
    items += [mods.ItemIdentifier(value=text, type="copy number") for text in field.values("t")]
    copy = mods.CopyInformation(
        sub_location=tuple(field.values("b", "c")),
        note=tuple(mods.Note(value=text) for text in [*field.values("3", "q", "z"), *notes] if not _is_link(text)),
        enumeration_and_chronology=tuple(holdings_statements(statements)),
        item_identifier=tuple(items),
    )
    return mods.Location(
        physical_location=tuple(places),
        shelf_locator=(shelf,) if shelf else (),
        url=tuple(mods.Url(value=link) for link in map(address, links) if link),
        holding_simple=mods.HoldingSimple((copy,)) if copy != mods.CopyInformation() else None,
    )


def _is_link(text: str) -> bool:
    """Whether a note is nothing but a web address."""
    return text.startswith(("http://", "https://")) and " " not in text


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
            elif field.indicator2 == "0":
                url = replace(url, access="object in context")
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
