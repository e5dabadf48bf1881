"""Fields as the configuration of a source describes them: copies, what the codes of libraries mean, other fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from bibld.config import CopyFields, LocalField, SourceConfig
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._texts import join
from bibld.model.holdings import NO_LIBRARIES
from bibld.model.iris import web_iri
from bibld.model.marc import ControlField, DataField, MarcRecord
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
from bibld.model.mods_xml import without_illegal_characters
from bibld.protocols import Converted, Row
from bibld.text.libraries import find_library, is_isil, is_library_code

_WITHOUT_LIBRARY = ""
"""The code in ``libraries`` for copies of which the record states no library."""


class LocalFields(msgspec.Struct, frozen=True):
    """What the configuration of a source states about its fields.

    Each code's library; the fields that describe copies, by tag; the rules for other fields.
    """

    libraries: Mapping[str, tuple[PhysicalLocation, ...]]
    copies: Mapping[str, CopyFields]
    rules: tuple[LocalField, ...] = ()

    @classmethod
    def from_source(cls, source: SourceConfig, rules: tuple[LocalField, ...] = ()) -> LocalFields | None:
        """Return what the configuration of a source states; None if it states nothing. ``rules`` are checked ones."""
        stated: dict[str, str | dict[str, str]] = dict(source.libraries)
        if source.isil:
            stated.setdefault(_WITHOUT_LIBRARY, source.isil)
            stated.setdefault(source.isil, source.label)
        if not (stated or source.holdings or rules):
            return None
        return cls({code: _library(code, stated, source.isil) for code in stated}, source.holdings, rules)

    def complete(self, record: MarcRecord | Mods | Row, converted: Converted, format_: RuleSet | None) -> Converted:
        """Return a converted record with what its local fields state, and copies with the libraries that are meant.

        ``format_`` are the rules of the record's flavour, if it has some: what they make private stays private.
        """
        converted = self._with_copies(record, converted)
        if not (self.rules and isinstance(record, MarcRecord)):
            return converted
        left = frozenset((*converted.unmapped, *converted.private))
        elements: dict[str, tuple[Any, ...]] = {}
        read: Counter[str] = Counter()
        warnings = list(converted.warnings)
        for rule in self.rules:
            for names, text in _values_of(record, rule, left, format_):
                mods = _described(rule, text)
                if mods is None:
                    warnings.append(f"{names[0]} {text!r} is no address, as <{rule.property}> needs; left out")
                    continue
                read.update(names)
                for kind in Mods.elements:
                    elements[kind] = elements.get(kind, ()) + getattr(mods, kind)
        added = {kind: (*getattr(converted.mods, kind), *values) for kind, values in elements.items() if values}
        return replace(
            converted,
            mods=replace(converted.mods, **added),
            unmapped=_without(converted.unmapped, read),
            private=_without(converted.private, read),
            warnings=tuple(warnings),
        )

    def _with_copies(self, record: MarcRecord | Mods | Row, converted: Converted) -> Converted:
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
        for field in record.fields(*self.copies) if self.copies else ():
            codes = self.copies[field.tag]
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


def _values_of(
    record: MarcRecord, rule: LocalField, left: Collection[str], format_: RuleSet | None
) -> Iterator[tuple[list[str], str]]:
    """Yield the texts that a rule finds among the subfields that are ``left``, each with the names of its subfields.

    A rule for one subfield gives a text for each, one for more a text for each field.
    """
    for field in record.all_fields:
        if field.tag != rule.tag or (format_ is not None and format_.is_withheld(field)):
            continue
        found: list[tuple[str, str]] = []
        if isinstance(field, ControlField):
            found = [] if rule.codes else [(field.tag, field.value)]
        else:
            for code, value in ((subfield.code, subfield.value) for subfield in field.subfields):
                if code in (rule.codes or code) and (format_ is None or not format_.reason_to_skip(field.tag, code)):
                    found.append((f"{field.tag}${code}", value))
        found = [(name, _tidy(without_illegal_characters(value))) for name, value in found if name in left]
        for group in [[pair] for pair in found] if len(rule.codes) == 1 else [found]:
            if text := " ".join(value for _, value in group if value):
                yield [name for name, _ in group], text


def _described(rule: LocalField, text: str) -> Mods | None:
    """Return the description that a rule makes of a text; None if the text cannot be a value of its property.

    The statement with a property is a note whose type is the property, so that it is merged, and can be taken down,
    as other notes are.
    """
    if rule.element is not None:
        return rule.element.build(text)
    link = web_iri(text) if rule.values != "text" else None
    if link is None and rule.values == "link":
        return None
    return Mods(note=(Note(text, type_uri=rule.property, xlink_href=link),))


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
