"""Copies and the libraries that hold them, and web addresses."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from bibld.model.holdings import library_and_places
from bibld.model.iris import web_iri
from bibld.model.mods import CopyInformation, Location
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy
from bibld.triplify._describe.entities import claim_library
from bibld.triplify._draft import Draft

_ACCESS_TO_RESOURCE = ("object in context", "raw object")
_PARTS_OF_UNIT = {"2": "supplements", "3": "indexes"}
"""What a holdings statement is about, if not the basic unit."""


class ItemDraft(msgspec.Struct, frozen=True):
    """A copy: the IRI of the library that holds it, its places in the library, its shelf marks, and what else is known.

    ``others`` has neither places nor shelf marks.
    """

    library: str | None
    places: tuple[str, ...]
    marks: tuple[str, ...]
    others: CopyInformation

    @property
    def is_located(self) -> bool:
        """Whether a place or shelf mark is known, beside the library."""
        return bool(self.places or self.marks)


def describe_locations(draft: Draft) -> None:
    """Describe web addresses and copies."""
    for location in draft.mods.location:
        for url in location.url:
            link = web_iri(url.value)
            if link is None:
                draft.add_text("dc:identifier", url.value)
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


def _copies(draft: Draft, location: Location, index: int) -> Iterator[ItemDraft]:
    """Yield the copies of a location of which library, place or shelf mark is known."""
    names, places = library_and_places(location)
    path = f"location/{index}/physical_location"
    library = claim_library(draft, [(name, f"{path}/{position}") for position, name in names.items()])
    holding = location.holding_simple
    for copy in (holding.copy_information if holding is not None else ()) or (CopyInformation(),):
        shelves = tuple(dict.fromkeys(filter(None, [*places, *map(tidy, copy.sub_location)])))
        marks = tuple(dict.fromkeys(filter(None, map(tidy, [*location.shelf_locator, *copy.shelf_locator]))))
        if library or shelves or marks:
            others = replace(copy, form=(), sub_location=(), shelf_locator=(), electronic_locator=())
            yield ItemDraft(library, shelves, marks, others)


def _describe_item(draft: Draft, copy: ItemDraft, nodes: dict[tuple[str, str], str]) -> None:
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
