"""Copies and the libraries that hold them, and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from bibld.model.iris import web_iri
from bibld.model.mods import CopyInformation, Location, PhysicalLocation
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy, trim
from bibld.triplify._describe.entities import claim_library
from bibld.triplify._draft import Draft

_INSTITUTION_AND_SHELF = re.compile(r"([A-ZА-ЯЁ]{2}[A-ZА-ЯЁ0-9-]{0,8}) ([A-ZА-ЯЁ0-9-]{1,4}(?: [A-ZА-ЯЁ0-9-]{1,4})?)")
_ACCESS_TO_RESOURCE = ("object in context", "raw object")
_NO_LIBRARIES = ("address", "country")
"""Types of a ``physicalLocation`` that names neither a library nor a place in it."""
_PARTS_OF_UNIT = {"2": "supplements", "3": "indexes"}
"""What a holdings statement is about, if not the basic unit."""


class Copy(msgspec.Struct, frozen=True):
    """A copy: the IRI of the library that holds it, its places in the library, its shelf marks, and what else is known.

    ``others`` has neither places nor shelf marks.
    """

    library: str | None
    places: tuple[str, ...]
    marks: tuple[str, ...]
    others: CopyInformation

    @property
    def is_located(self) -> bool:
        """Whether the record says more than which library holds it."""
        return bool(self.places or self.marks)


def describe_locations(draft: Draft) -> None:
    """Describe web addresses and copies."""
    for location in draft.mods.location:
        for url in location.url:
            link = web_iri(url.value)
            if link is None:
                draft.add_text("schema:url", url.value)
                continue
            is_resource = url.access in _ACCESS_TO_RESOURCE or url.usage in ("primary", "primary display")
            draft.add("bf:electronicLocator" if is_resource else "foaf:page", iri(link))
    copies = dict.fromkeys(
        copy for index, location in enumerate(draft.mods.location) for copy in _copies(draft, location, index)
    )
    located = {copy.library for copy in copies if copy.is_located}
    nodes: dict[tuple[str, str], str] = {}
    for copy in copies:
        is_repeated = copy.library in located and copy.others == CopyInformation() and not copy.is_located
        if not is_repeated:
            _describe_item(draft, copy, nodes)


def _copies(draft: Draft, location: Location, index: int) -> Iterator[Copy]:
    """Yield the copies of a location of which library, place or shelf mark is known."""
    library, places = _library_and_places(draft, location, f"location/{index}")
    holding = location.holding_simple
    for copy in (holding.copy_information if holding is not None else ()) or (CopyInformation(),):
        shelves = tuple(dict.fromkeys(filter(None, [*places, *map(tidy, copy.sub_location)])))
        marks = tuple(dict.fromkeys(filter(None, map(tidy, [*location.shelf_locator, *copy.shelf_locator]))))
        if library or shelves or marks:
            others = replace(copy, form=(), sub_location=(), shelf_locator=(), electronic_locator=())
            yield Copy(library, shelves, marks, others)


def _library_and_places(draft: Draft, location: Location, path: str) -> tuple[str | None, list[str]]:
    """Return the IRI of the library of a location, and the places of the copy in it.

    The first ``physicalLocation`` that is no code is the library. Codes and names in another language name it too.
    MODS wants the place in the library in ``copyInformation/subLocation``. Many records have it in a further
    ``physicalLocation``, or after the library in the same text. Such a text is split only if it is a code of the
    library and one or two codes of up to four characters (``РГБ FB``).
    """
    names: list[tuple[PhysicalLocation, str]] = []
    shelves: list[str] = []
    for index, place in enumerate(location.physical_location):
        text, at = trim(tidy(place.value)), f"{path}/physical_location/{index}"
        if not text or place.type in _NO_LIBRARIES:
            continue
        named = next((name for name, _ in names if not name.authority), None)
        if named is None or place.authority or (place.xml_lang and place.xml_lang != named.xml_lang):
            codes = _INSTITUTION_AND_SHELF.fullmatch(text) if not names and place.authority is None else None
            if codes is not None:
                shelves.append(codes[2])
            names.append((replace(place, value=codes[1] if codes is not None else text), at))
        else:
            shelves.append(text)
    return claim_library(draft, names), shelves


def _describe_item(draft: Draft, copy: Copy, nodes: dict[tuple[str, str], str]) -> None:
    """Describe one copy. ``nodes`` are shelf marks and notes by predicate and text, which copies share."""
    item = draft.add_node("bf:hasItem", "bf:Item", "item")
    if copy.library is not None:
        draft.add("bf:heldBy", iri(copy.library), item)
    for place in copy.places:
        draft.add_text("bf:physicalLocation", place, item)
    labelled = [("bf:shelfMark", "bf:ShelfMark", "shelfmark", mark) for mark in copy.marks]
    labelled += [("bf:note", "bf:Note", "note", note.value) for note in copy.others.note]
    for predicate, class_, kind, text in labelled:
        if (predicate, tidy(text)) in nodes:
            draft.add(predicate, nodes[predicate, tidy(text)], item)
        elif node := draft.add_labelled_node(predicate, class_, kind, text, item):
            nodes[predicate, tidy(text)] = node
    for statement in copy.others.enumeration_and_chronology:
        node = draft.add_labelled_node(
            "bf:enumerationAndChronology", "bf:EnumerationAndChronology", "enumeration", statement.value, item
        )
        if node is not None and statement.unit_type in _PARTS_OF_UNIT:
            draft.add_text("bf:part", _PARTS_OF_UNIT[statement.unit_type], node)
    for identifier in copy.others.item_identifier:
        value = tidy(identifier.value)
        if value and identifier.type == "copy number":
            label = f"copy {value}" if value.isdecimal() else value
            draft.add_labelled_node("bf:enumerationAndChronology", "bf:Enumeration", "enumeration", label, item)
        elif value:
            class_ = "bf:Barcode" if identifier.type == "barcode" else "bf:Identifier"
            draft.add("rdf:value", literal(value), draft.add_node("bf:identifiedBy", class_, "itemidentifier", item))
