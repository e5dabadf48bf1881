"""Which library has a copy, by the ``physicalLocation`` elements of its MODS."""

from __future__ import annotations

import re

from msgspec.structs import replace

from bibld.model.mods import Location, PhysicalLocation
from bibld.text.folding import trim

NO_LIBRARIES = ("address", "country")
"""Types of a ``physicalLocation`` that names neither a library nor a place in it."""

_LIBRARY_AND_SHELF = re.compile(r"([A-ZА-ЯЁ]{2}[A-ZА-ЯЁ0-9-]{0,8}) ([A-ZА-ЯЁ0-9-]{1,4}(?: [A-ZА-ЯЁ0-9-]{1,4})?)")


def library_and_places(location: Location) -> tuple[dict[int, PhysicalLocation], list[str]]:
    """Return the names and codes of the library of a location, by their positions, and the places of the copy in it.

    The first ``physicalLocation`` that is no code is the library. Codes and names in another language name it too.
    MODS wants the place in the library in ``copyInformation/subLocation``. Many records have it in a further
    ``physicalLocation``, or after the library in the same text. Such a text is split only if it is a code of the
    library and one or two codes of up to four characters (``РГБ FB``).
    """
    names: dict[int, PhysicalLocation] = {}
    places: list[str] = []
    for position, place in enumerate(location.physical_location):
        text = trim(place.value)
        if not text or place.type in NO_LIBRARIES:
            continue
        named = next((name for name in names.values() if not name.authority), None)
        if named is None or place.authority or (place.xml_lang and place.xml_lang != named.xml_lang):
            codes = _LIBRARY_AND_SHELF.fullmatch(text) if not names and place.authority is None else None
            if codes is not None:
                places.append(codes[2])
            names[position] = replace(place, value=codes[1] if codes is not None else text)
        else:
            places.append(text)
    return names, places
