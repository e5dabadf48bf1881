"""Copies as the configuration of a source describes them: local fields, and what the codes of libraries mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from bibld.config import CopyFields, SourceConfig
from bibld.crosswalk._texts import join
from bibld.model.holdings import NO_LIBRARIES
from bibld.model.marc import DataField, MarcRecord
from bibld.model.mods import (
    CopyInformation,
    EnumerationAndChronology,
    HoldingSimple,
    ItemIdentifier,
    Location,
    Mods,
    Note,
    PhysicalLocation,
)
from bibld.protocols import Converted, Row
from bibld.text.libraries import find_library, is_isil, is_library_code

_WITHOUT_LIBRARY = ""
"""The code in ``libraries`` for copies of which the record states no library."""


class SourceCopies(msgspec.Struct, frozen=True):
    """What the configuration of a source states about copies: each code's library, and the local fields by tag."""

    libraries: Mapping[str, tuple[PhysicalLocation, ...]]
    fields: Mapping[str, CopyFields]

    @classmethod
    def from_source(cls, source: SourceConfig) -> SourceCopies | None:
        """Return what the configuration of a source states about copies; None if it states nothing."""
        stated: dict[str, str | dict[str, str]] = dict(source.libraries)
        if source.isil:
            stated.setdefault(_WITHOUT_LIBRARY, source.isil)
            stated.setdefault(source.isil, source.label)
        if not (stated or source.holdings):
            return None
        return cls({code: _library(code, stated, source.isil) for code in stated}, source.holdings)

    def complete(self, record: MarcRecord | Mods | Row, converted: Converted) -> Converted:
        """Return a converted record with the copies of its local fields, all with the libraries that are meant."""
        read: Counter[str] = Counter()
        local = list(self._local_copies(record, read)) if isinstance(record, MarcRecord) else []
        locations = tuple(map(self._with_library, [*converted.mods.location, *local]))
        if locations == converted.mods.location:
            return converted
        return replace(
            converted,
            mods=replace(converted.mods, location=locations),
            unmapped=_without(converted.unmapped, read),
            private=_without(converted.private, read),
        )

    def _with_library(self, location: Location) -> Location:
        """Return a location with the library that its code means, or with that of copies without one."""
        places = location.physical_location
        for position, place in enumerate(places):
            if place.type not in NO_LIBRARIES:
                stated = self.libraries.get(place.value.strip()) or (place,)
                return replace(location, physical_location=(*places[:position], *stated, *places[position + 1 :]))
        if not (location.shelf_locator or location.holding_simple):
            return location
        return replace(location, physical_location=(*self.libraries.get(_WITHOUT_LIBRARY, ()), *places))

    def _local_copies(self, record: MarcRecord, read: Counter[str]) -> Iterator[Location]:
        """Yield the copies of local fields; ``read`` counts the subfields that are read, such as ``999$a``."""
        for field in record.fields(*self.fields) if self.fields else ():
            codes = self.fields[field.tag]
            shelf = _tidy(join(field, codes.call_number))
            libraries = tuple(PhysicalLocation(value=text) for text in _texts(field, codes.library)[:1])
            copy = CopyInformation(
                sub_location=tuple(_texts(field, codes.location)),
                note=tuple(Note(value=text) for text in _texts(field, codes.note)),
                enumeration_and_chronology=tuple(
                    EnumerationAndChronology(value=text) for text in _texts(field, codes.holdings)
                ),
                item_identifier=(
                    *(ItemIdentifier(value=text, type="barcode") for text in _texts(field, codes.barcode)),
                    *(ItemIdentifier(value=text, type="copy number") for text in _texts(field, codes.copy_number)),
                ),
            )
            if not (shelf or libraries or copy.sub_location):
                continue
            every = "".join(msgspec.structs.astuple(codes))
            read.update(f"{field.tag}${subfield.code}" for subfield in field.subfields if subfield.code in every)
            yield Location(
                physical_location=libraries,
                shelf_locator=(shelf,) if shelf else (),
                holding_simple=HoldingSimple((copy,)) if copy != CopyInformation() else None,
            )


def _library(code: str, stated: Mapping[str, str | dict[str, str]], isil: str) -> tuple[PhysicalLocation, ...]:
    """Return the library that a code means: its ISIL, then its names. ``isil`` is that of the source."""
    meaning = stated[code]
    if isinstance(meaning, str) and meaning != code and (is_library_code(meaning) or find_library(meaning)):
        if meaning in stated:
            return _library(meaning, {**stated, code: ""}, isil)
        code, meaning = meaning, {}
    elif isinstance(meaning, str):
        meaning = {"": meaning} if meaning and meaning != code else {}
    names = tuple(PhysicalLocation(value=name, xml_lang=language or None) for language, name in meaning.items())
    list_ = (
        "isil" if code == isil or is_isil(code) else "local" if is_library_code(code) or find_library(code) else None
    )
    return (PhysicalLocation(value=code, authority=list_), *names) if list_ or (code and not names) else names


def _texts(field: DataField, codes: str) -> list[str]:
    """Return the texts of the subfields with these codes, tidied, without empty ones."""
    return [text for value in field.values(*codes) if (text := _tidy(value))] if codes else []


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _without(names: Iterable[str], read: Counter[str]) -> tuple[str, ...]:
    """Return the names of subfields without as many of each as were read."""
    left: list[str] = []
    for name in names:
        if read[name]:
            read[name] -= 1
        else:
            left.append(name)
    return tuple(left)
