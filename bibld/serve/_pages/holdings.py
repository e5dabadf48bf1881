"""Which libraries have a publication, where in them, and their links."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bibld.model.iris import is_web_iri
from bibld.model.mods import Location
from bibld.model.origin import RecordId
from bibld.protocols import SourceRecord


class Copy(msgspec.Struct, frozen=True):
    """A place in a library: who has the copy, the department or shelf, its marks."""

    institution: str
    shelves: tuple[str, ...]
    marks: tuple[str, ...]


class WebLink(msgspec.Struct, frozen=True):
    """An address that a record gives, with its words."""

    address: str
    text: str


class Holding(msgspec.Struct, frozen=True):
    """What the records of one library (``source``) state about its copies."""

    source: str
    records: tuple[RecordId, ...]
    copies: tuple[Copy, ...]
    links: tuple[WebLink, ...]


def holdings(records: Iterable[SourceRecord]) -> list[Holding]:
    """Return the holdings of each library, in the order of the records."""
    by_source: dict[str, list[SourceRecord]] = {}
    for record in records:
        by_source.setdefault(record.id.source, []).append(record)
    return [_holding(source, of_source) for source, of_source in by_source.items()]


def _holding(source: str, records: list[SourceRecord]) -> Holding:
    copies: dict[Copy, None] = {}
    links: dict[str, str] = {}
    for record in records:
        for location in record.mods.location:
            for url in location.url:
                if is_web_iri(url.value):
                    links.setdefault(url.value, url.display_label or url.note or "")
            copy = _copy(location)
            if copy is not None:
                copies[copy] = None
    return Holding(
        source,
        tuple(record.id for record in records),
        tuple(copies),
        tuple(WebLink(address, text) for address, text in links.items()),
    )


def _copy(location: Location) -> Copy | None:
    places = [place.value for place in location.physical_location if place.value and place.type != "country"]
    of_copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
    shelves = [*places[1:], *(place for copy in of_copies for place in copy.sub_location)]
    marks = [*location.shelf_locator, *(mark for copy in of_copies for mark in copy.shelf_locator)]
    if not (places or shelves or marks):
        return None
    return Copy(places[0] if places else "", tuple(dict.fromkeys(shelves)), tuple(dict.fromkeys(marks)))
