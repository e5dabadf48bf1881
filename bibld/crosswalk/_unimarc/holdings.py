"""Where the resource is: holdings (850, 852, 899, 995) and addresses of electronic resources (856)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.view import UnimarcView, web_address
from bibld.model import mods
from bibld.model.marc import DataField

BOOK = RuleBook()


class Shelving(NamedTuple):
    """Which subfields of a holdings field are the place, the shelf mark (in this order), the item, notes, country."""

    place: str
    shelf: str
    item: str
    note: str
    country: str = ""


RUSMARC_899 = Shelving("abc", "khijml", "pt", "z")
LOCATION_852 = Shelving("abcde", "gjkl", "mnst", "y", "p")
UNION_899 = Shelving("12", "", "", "")
RECOMMENDATION_995 = Shelving("abcd", "k", "f", "u")
"""995 as libraries in France use it (Recommandation 995)."""


class _Copy:
    __slots__ = ("items", "notes", "shelf")

    def __init__(self) -> None:
        self.shelf: dict[str, list[str]] = {}
        self.items: list[mods.ItemIdentifier] = []
        self.notes: list[str] = []

    def shelf_mark(self, order: str) -> str:
        return " ".join(value for code in order for value in self.shelf.get(code, ()))


def holdings(field: DataField, shelving: Shelving) -> Iterator[mods.Location]:
    """Yield one location; a second shelf mark or item number begins a second copy."""
    copies = [_Copy()]
    for subfield in field.subfields:
        code, value = subfield.code, subfield.value
        copy = copies[-1]
        if code in shelving.shelf:
            if (code == "j" and code in copy.shelf) or (copy.items and code in copy.shelf):
                copies.append(_Copy())
            copies[-1].shelf.setdefault(code, []).append(value)
        elif code in shelving.item:
            type_ = "copy number" if code == "t" else None
            if any(item.type == type_ for item in copy.items):
                copies.append(_Copy())
                copies[-1].shelf = dict(copy.shelf)
            copies[-1].items.append(mods.ItemIdentifier(value=value, type=type_))
        elif code in shelving.note:
            copy.notes.append(value)
    place = " ".join(value for code in shelving.place for value in field.values(code))
    countries = [value for code in shelving.country for value in field.values(code)]
    location = _location(place, countries, copies, shelving.shelf)
    if location != mods.Location():
        yield location


def _location(place: str, countries: list[str], copies: list[_Copy], order: str) -> mods.Location:
    marks = list(dict.fromkeys(copy.shelf_mark(order) for copy in copies))
    shared = marks[0] if len(marks) == 1 else ""
    descriptions = tuple(
        mods.CopyInformation(
            shelf_locator=(copy.shelf_mark(order),) if not shared and copy.shelf else (),
            note=tuple(mods.Note(value=note) for note in copy.notes),
            item_identifier=tuple(copy.items),
        )
        for copy in copies
    )
    descriptions = tuple(copy for copy in descriptions if copy != mods.CopyInformation())
    return mods.Location(
        physical_location=(
            *([mods.PhysicalLocation(value=place)] if place else []),
            *(mods.PhysicalLocation(value=country, type="country") for country in countries),
        ),
        shelf_locator=(shared,) if shared else (),
        holding_simple=mods.HoldingSimple(copy_information=descriptions) if descriptions else None,
    )


@BOOK.field("850", "a", "location/physicalLocation")
def holding_institution(field: DataField, view: UnimarcView) -> Elements:
    """Institutions that have the resource."""
    for value in field.values("a"):
        yield mods.Location(physical_location=(mods.PhysicalLocation(value=value),))


def merge_holdings(fields: Iterable[DataField], shelving: Shelving) -> Iterator[mods.Location]:
    """Yield locations; copies on the same shelf, each in its own field, are in one."""
    found: list[mods.Location] = []
    for field in fields:
        for location in holdings(field, shelving):
            for position, known in enumerate(found):
                is_same_shelf = known.physical_location == location.physical_location
                if known.shelf_locator and known.shelf_locator == location.shelf_locator and is_same_shelf:
                    both = [one.holding_simple for one in (known, location) if one.holding_simple is not None]
                    copies = tuple(copy for holding in both for copy in holding.copy_information)
                    found[position] = replace(known, holding_simple=mods.HoldingSimple(copies) if both else None)
                    break
            else:
                found.append(location)
    yield from found


@BOOK.record("location: physicalLocation, shelfLocator, holdingSimple", t852="abcdegjklmnpsty")
def location_and_call_number(view: UnimarcView) -> Elements:
    """Location and call number."""
    yield from merge_holdings(view.fields("852"), LOCATION_852)


_ELECTRONIC = "uyz2eqsafdgcmnov"
_PREVIEWS = ("обложк", "оглавлен", "титульный лист", "couverture", "cover image")
"""What an address is called that leads to a picture of the cover or a table of contents only."""


def _electronic_locations(
    view: UnimarcView, preview: str, related: str
) -> Iterator[mods.Location | mods.RelatedItem | mods.Note]:
    """Yield a location for each address; ``preview`` and ``related`` are values of indicator 2."""
    is_first = True
    for field in view.fields("856"):
        for stated in _addresses(field):
            note = "; ".join(value for code in "zscmnov" for value in field.values(code)) or None
            label = "; ".join(field.values("2", "y")) or None
            reference = web_address(stated)
            if reference is None:
                view.warn(f"856 {stated!r} is not an http, https or ftp address; written as a note")
                texts = [text for text in (stated, label, note, *field.values("e")) if text]
                if texts:
                    yield mods.Note(value=" ".join(texts))
                continue
            folded = f"{label or ''} {note or ''}".casefold()
            is_preview = field.indicator2 in tuple(preview) or any(word in folded for word in _PREVIEWS)
            is_related = field.indicator2 in tuple(related)
            is_primary = is_first and not is_related and not is_preview and not view.is_nested
            is_first = is_first and not is_primary
            location = mods.Location(
                url=(
                    mods.Url(
                        value=reference,
                        usage="primary display" if is_primary else None,
                        access="preview" if is_preview else None,
                        note=note,
                        display_label=label,
                        date_last_accessed=field.first("e"),
                    ),
                )
            )
            yield mods.RelatedItem(mods=mods.Mods(location=(location,))) if is_related else location


@BOOK.field("856", "g", "identifier[@type=urn]")
def resource_name(field: DataField, view: UnimarcView) -> Elements:
    """Names of electronic resources that do not depend on where they are."""
    for value in field.values("g"):
        yield mods.Identifier(value=value, type="urn")


def _addresses(field: DataField) -> list[str]:
    stated = field.values("u")
    if stated or not field.first("a"):
        return stated or [""]
    scheme = {"1": "ftp", "4": "http"}.get(field.indicator1)
    path = "/".join(value.strip("/") for value in field.values("a", "d", "f"))
    return [f"{scheme}://{path}"] if scheme else [path]


RUSMARC_BOOK = RuleBook()
UNIMARC_BOOK = RuleBook()


@RUSMARC_BOOK.record(
    "location/url, usage='primary display' for the first, access=preview where indicator 2 is 1 or 2", t856=_ELECTRONIC
)
def rusmarc_addresses(view: UnimarcView) -> Elements:
    """Addresses; in RUSMARC indicator 2 is 1 for a small picture, 2 for title page and contents, of the resource."""
    yield from _electronic_locations(view, preview="12", related="")


@RUSMARC_BOOK.record("location: physicalLocation, shelfLocator, holdingSimple", t899="abchijklmptz")
def rusmarc_holdings(view: UnimarcView) -> Elements:
    """Location and items in the form of Russian libraries."""
    yield from merge_holdings(view.fields("899"), RUSMARC_899)


@UNIMARC_BOOK.record(
    "location/url, usage='primary display' for the first; relatedItem/location/url where indicator 2 is 2",
    t856=_ELECTRONIC,
)
def unimarc_addresses(view: UnimarcView) -> Elements:
    """Addresses; in UNIMARC indicator 2 is 1 for a version of the resource, 2 for a related one."""
    yield from _electronic_locations(view, preview="", related="2")


@UNIMARC_BOOK.record("location/physicalLocation", t899="12")
def italian_holdings(view: UnimarcView) -> Elements:
    """Union catalogue of Italy: code ($1) and mark ($2) of the library."""
    yield from merge_holdings(view.fields("899"), UNION_899)


@UNIMARC_BOOK.record("location: physicalLocation, shelfLocator, holdingSimple", t995="abcdfku")
def french_holdings(view: UnimarcView) -> Elements:
    """Location and items in the form of libraries in France."""
    yield from merge_holdings(view.fields("995"), RECOMMENDATION_995)
