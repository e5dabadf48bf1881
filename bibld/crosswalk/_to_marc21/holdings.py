"""location → 850, 852, 856, 866-868."""

from __future__ import annotations

import re

from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc21.notes import status_of_addresses
from bibld.crosswalk._to_marc21.rism import code_of_note, is_of_rism
from bibld.model.mods import CopyInformation, Location, Mods, Url

BOOK = WriterBook()

_STATEMENT_TAG = {"1": "866", "2": "867", "3": "868"}
_LISTS_OF_LIBRARIES = ("isil", "marcorg", "local")
_ADDRESS, _COUNTRY = "address", "country"
_LCC = re.compile(r"[A-Z]{1,3} ?\d")


@BOOK.writes(
    "location",
    {
        "location/physicalLocation": "852 $a, [@type=address] $e, [@type=country] $n; alone with @authority 850",
        "location/shelfLocator": "852 $h $i",
        "location/holdingSimple/copyInformation/subLocation": "852 $b, further ones $c",
        "location/holdingSimple/copyInformation/note": "852 $z",
        "location/holdingSimple/copyInformation/itemIdentifier": "852 $p, [@type='copy number'] $t",
        "location/holdingSimple/copyInformation/enumerationAndChronology": "866, 867, 868 by @unitType",
        "location/url": "856 40 $u, @displayLabel $3, @note $z; with a library 852 $u",
    },
)
def holdings(mods: Mods, draft: MarcDraft) -> None:
    """Add copies and addresses."""
    status = status_of_addresses(mods)
    of_rism = is_of_rism(mods)
    formats = [text for description in mods.physical_description for text in description.internet_media_type]
    for location in mods.location:
        places = location.physical_location
        is_copy = bool(places or location.shelf_locator or location.holding_simple)
        is_described = bool(location.shelf_locator or location.holding_simple or location.url)
        if len(places) == 1 and not is_described and places[0].authority in _LISTS_OF_LIBRARIES:
            draft.add("850", "  ", (("a", places[0].value),), location)
            continue
        if is_copy:
            _copies(location, draft, of_rism=of_rism)
            continue
        for url in location.url:
            draft.add(
                "856", f"4{_relation(url)}", (*address_subfields(url), ("q", _taken(formats)), ("7", status)), location
            )


def _taken(formats: list[str]) -> str | None:
    return formats.pop(0) if formats else None


def _relation(url: Url) -> str:
    return "0" if url.usage is not None or url.access == "object in context" else "1"


def address_subfields(url: Url) -> Subfields:
    """Return the subfields of an electronic location."""
    return (("u", url.value), ("3", url.display_label), ("z", url.note))


def _copies(location: Location, draft: MarcDraft, *, of_rism: bool) -> None:
    copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
    for copy in copies or (CopyInformation(),):
        shelf = [*location.shelf_locator, *copy.shelf_locator]
        places = [place for place in location.physical_location if place.type not in (_ADDRESS, _COUNTRY)]
        subfields = [
            *(("a", place.value) for place in places),
            *(("b" if not number else "c", text) for number, text in enumerate(copy.sub_location)),
            *(("e", place.value) for place in location.physical_location if place.type == _ADDRESS),
            *(("p" if of_rism else "h", text) for text in shelf),
            *(("n", place.value) for place in location.physical_location if place.type == _COUNTRY),
            *(("t" if item.type == "copy number" else "p", item.value) for item in copy.item_identifier),
            *((code_of_note(note.value) if of_rism else "z", note.value) for note in copy.note),
            *(("u", url.value) for url in location.url),
        ]
        draft.add("852", "0 " if shelf and _LCC.match(shelf[0]) else "  ", subfields, location)
        for statement in copy.enumeration_and_chronology:
            tag = _STATEMENT_TAG.get(statement.unit_type or "1", "866")
            draft.add(tag, "40", (("a", statement.value),))
