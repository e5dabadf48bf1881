"""The habits of RISM, the inventory of musical sources, whose records MODS shows by their origin or their libraries."""

from __future__ import annotations

import re

from bibld.model.mods import Mods, Part, PartExtent

_ISIL = "DE-633"
_SIGLUM = re.compile(r"[A-Z]{1,3}-[A-Z][^\W\d_]*")
_SIGLUM_AND_NO_ISIL = re.compile(r"[A-Z]{1,3}-[A-Z]+[a-z][^\W\d_]*")
_NOTATED_MUSIC = "notated music"
_LEAF = "leaf"
_MAX_CHARACTERS_OF_CONDITION = 90


def is_of_rism(mods: Mods) -> bool:
    """Whether a record is one of RISM: it states so, or it has music in libraries that are named by sigla."""
    if any(one.source == _ISIL for info in mods.record_info for one in info.record_identifier):
        return True
    if all(one.value != _NOTATED_MUSIC for one in mods.type_of_resource):
        return False
    places = [place for location in mods.location for place in location.physical_location]
    texts = [place.value for place in places if place.authority is None]
    return (
        len(texts) == len(places) and all(map(_SIGLUM.fullmatch, texts)) and any(map(_SIGLUM_AND_NO_ISIL.match, texts))
    )


def code_of_note(text: str) -> str:
    """Return the subfield of a note on a copy: ``q`` for what exists of it, ``z`` for longer texts as its title."""
    return "q" if len(text) < _MAX_CHARACTERS_OF_CONDITION else "z"


def places_in_print(part: Part) -> list[str]:
    """Return where in a print a piece is, as field 300 has it: ``p.26``, ``fol.52v``, ``1.46``."""
    return [*map(_pages, part.extent), *(text.value for text in part.text)]


def _pages(extent: PartExtent) -> str:
    if extent.list:
        return extent.list
    unit = "fol." if extent.unit == _LEAF else "p."
    return f"{unit}{extent.start or ''}{'-' if extent.end else ''}{extent.end or ''}"
