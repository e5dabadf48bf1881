"""Where the resource is: holdings (850, 852, 899, 995) and addresses of electronic resources (856)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.view import UnimarcView, web_address
from bibld.model import mods
from bibld.model.marc import DataField

BOOK = RuleBook()

_ITALIAN = re.compile("[A-Z]{2}[0-9]{4}")


class Shelving(NamedTuple):
    """Which subfields of a holdings field are the library and what else.

    ``library`` are subfields of which the first that is there names the library; ``code`` has the code of a library
    that the first of them names; ``places`` are places in it; ``shelf``
    is the shelf mark, in this order; ``item`` are numbers of the copy, some of a type that MODS names.
    """

    library: str
    places: str
    shelf: str
    item: str
    note: str
    address: str = ""
    country: str = ""
    code: str = ""
    types_of_items: Mapping[str, str] = {"t": "copy number"}


RUSMARC_899 = Shelving("a", "bc", "khijml", "pt", "z")
LOCATION_852 = Shelving("a", "bde", "gjkl", "mnst", "y", "c", "p")
RECOMMENDATION_995 = Shelving("abcd", "", "k", "f", "u", code="b", types_of_items={"f": "barcode"})
"""995 as libraries in France use it (Recommandation 995): owner as text and code, then who has it on loan."""


class _Copy:
    __slots__ = ("items", "notes", "shelf")

    def __init__(self) -> None:
        self.shelf: dict[str, list[str]] = {}
        self.items: list[mods.ItemIdentifier] = []
        self.notes: list[str] = []

    def shelf_mark(self, order: str) -> str:
        return " ".join(value for code in order for value in self.shelf.get(code, ()))


def holdings(fields: Iterable[DataField], shelving: Shelving, view: UnimarcView) -> Elements:
    """Yield a location for each field, equal ones once; a second shelf mark or item number begins a second copy."""
    found: dict[mods.Location, None] = {}
    for field in fields:
        library = next((code for code in shelving.library if field.first(code)), "")
        named = {library, shelving.code if library == shelving.library[0] else ""}
        view.unmapped.extend(
            f"{field.tag}${subfield.code}"
            for subfield in field.subfields
            if subfield.code in shelving.library and subfield.code not in named
        )
        places = [
            mods.PhysicalLocation(value=text, authority=None if code == library else "local")
            for code in sorted(filter(None, named))
            for text in field.values(code)
        ]
        if shelving.address:
            places += [mods.PhysicalLocation(value=text, type="address") for text in field.values(shelving.address)]
        if shelving.country:
            places += [mods.PhysicalLocation(value=text, type="country") for text in field.values(shelving.country)]
        found[_location(field, places, shelving)] = None
    yield from (location for location in found if location != mods.Location())


def _copies(field: DataField, shelving: Shelving) -> list[_Copy]:
    copies = [_Copy()]
    for subfield in field.subfields:
        code, value = subfield.code, subfield.value
        copy = copies[-1]
        if code in shelving.shelf:
            if (code == "j" and code in copy.shelf) or (copy.items and code in copy.shelf):
                copies.append(_Copy())
            copies[-1].shelf.setdefault(code, []).append(value)
        elif code in shelving.item:
            type_ = shelving.types_of_items.get(code)
            if any(item.type == type_ for item in copy.items):
                copies.append(_Copy())
                copies[-1].shelf = dict(copy.shelf)
            copies[-1].items.append(mods.ItemIdentifier(value=value, type=type_))
        elif code in shelving.note:
            copy.notes.append(value)
    return copies


def _location(field: DataField, places: list[mods.PhysicalLocation], shelving: Shelving) -> mods.Location:
    copies, order = _copies(field, shelving), shelving.shelf
    marks = list(dict.fromkeys(copy.shelf_mark(order) for copy in copies))
    shared = marks[0] if len(marks) == 1 else ""
    shelves = tuple(value for code in shelving.places for value in field.values(code))
    descriptions = tuple(
        mods.CopyInformation(
            sub_location=shelves,
            shelf_locator=(copy.shelf_mark(order),) if not shared and copy.shelf else (),
            note=tuple(mods.Note(value=note) for note in copy.notes),
            item_identifier=tuple(copy.items),
        )
        for copy in copies
    )
    descriptions = tuple(copy for copy in descriptions if copy != mods.CopyInformation())
    return mods.Location(
        physical_location=tuple(places),
        shelf_locator=(shared,) if shared else (),
        holding_simple=mods.HoldingSimple(copy_information=descriptions) if descriptions else None,
    )


@BOOK.field("850", "a", "location/physicalLocation")
def holding_institution(field: DataField, view: UnimarcView) -> Elements:
    """Institutions that have the resource."""
    for value in field.values("a"):
        yield mods.Location(physical_location=(mods.PhysicalLocation(value=value),))


@BOOK.record("location: physicalLocation, shelfLocator, holdingSimple", t852="abcdegjklmnpsty")
def location_and_call_number(view: UnimarcView) -> Elements:
    """Location and call number."""
    yield from holdings(view.fields("852"), LOCATION_852, view)


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
    yield from holdings(view.fields("899"), RUSMARC_899, view)


@UNIMARC_BOOK.record(
    "location/url, usage='primary display' for the first; relatedItem/location/url where indicator 2 is 2",
    t856=_ELECTRONIC,
)
def unimarc_addresses(view: UnimarcView) -> Elements:
    """Addresses; in UNIMARC indicator 2 is 1 for a version of the resource, 2 for a related one."""
    yield from _electronic_locations(view, preview="", related="2")


@UNIMARC_BOOK.field("899", "12", "location/physicalLocation[isil from $1; else $2]")
def italian_holdings(field: DataField, view: UnimarcView) -> Elements:
    """Union catalogue of Italy: the code of the library in the register of libraries ($1), and in the union ($2)."""
    code, mark = field.first("1"), field.first("2")
    places = [mods.PhysicalLocation(value=f"IT-{code}", authority="isil")] if code and _ITALIAN.fullmatch(code) else []
    if mark:
        places.append(mods.PhysicalLocation(value=mark, authority="sbn"))
    if places:
        yield mods.Location(physical_location=tuple(places))


@UNIMARC_BOOK.record("location: physicalLocation, shelfLocator, holdingSimple", t995="abcdfku")
def french_holdings(view: UnimarcView) -> Elements:
    """Location and items in the form of libraries in France."""
    yield from holdings(view.fields("995"), RECOMMENDATION_995, view)
