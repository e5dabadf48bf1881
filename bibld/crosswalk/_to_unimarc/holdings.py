"""location → 852, 856, 899."""

from __future__ import annotations

from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, WriterBook
from bibld.model.mods import CopyInformation, Location, Mods

BOOK = WriterBook()

_ADDRESS, _COUNTRY = "address", "country"


@BOOK.writes(
    "location",
    {
        "location/physicalLocation": "852 $a, [@type=address] $c, [@type=country] $p; in RUSMARC 899 $a",
        "location/shelfLocator": "852 $j, 899 $j",
        "location/holdingSimple/copyInformation/subLocation": "852 $b, 899 $b",
        "location/holdingSimple/copyInformation/itemIdentifier": "852 $m, [@type='copy number'] $t; 899 $p $t",
        "location/holdingSimple/copyInformation/note": "852 $y, 899 $z",
        "location/holdingSimple/copyInformation/enumerationAndChronology": "852 $y, 899 $z",
        "location/url": "856 4_ $u, @displayLabel $2, @note $z, @dateLastAccessed $e",
    },
)
def holdings(mods: Mods, draft: MarcDraft) -> None:
    """Add copies and addresses."""
    formats = [text for description in mods.physical_description for text in description.internet_media_type]
    for location in mods.location:
        for url in location.url:
            media = formats.pop(0) if formats else None
            subfields = (
                ("u", url.value), ("2", url.display_label), ("z", url.note), ("e", url.date_last_accessed),
                ("q", media),
            )  # fmt: skip
            draft.add("856", f"4{'2' if url.access == 'preview' and draft.flavour == RUSMARC else ' '}", subfields)
        if location.physical_location or location.shelf_locator or location.holding_simple:
            _copies(location, draft)


def _copies(location: Location, draft: MarcDraft) -> None:
    """Add a field for each library with all its copies, as both fields repeat their subfields."""
    copies = location.holding_simple.copy_information if location.holding_simple is not None else (CopyInformation(),)
    is_russian = draft.flavour == RUSMARC and all(
        place.type not in (_ADDRESS, _COUNTRY) for place in location.physical_location
    )
    places = location.physical_location
    subfields = [
        *(("a", place.value) for place in places if place.type not in (_ADDRESS, _COUNTRY)),
        *(("b", text) for text in copies[0].sub_location),
        *(("c", place.value) for place in places if place.type == _ADDRESS and not is_russian),
        *(("j", text) for text in location.shelf_locator),
    ]
    for copy in copies:
        subfields += [("j", text) for text in copy.shelf_locator]
        subfields += [
            ("t" if item.type == "copy number" else "p" if is_russian else "m", item.value)
            for item in copy.item_identifier
        ]
        notes = [*(note.value for note in copy.note), *(one.value for one in copy.enumeration_and_chronology)]
        subfields += [("z" if is_russian else "y", text) for text in notes]
    if not is_russian:
        subfields += [("p", place.value) for place in places if place.type == _COUNTRY]
    draft.add("899" if is_russian else "852", "  ", subfields, location)
