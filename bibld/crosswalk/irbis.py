"""Records of IRBIS64, as its text export writes them, to MODS: their fields are converted as those of RUSMARC.

IRBIS has the tags of RUSMARC for the description, but no coded data field 100, a plain text in fields that have one
subfield in RUSMARC, class marks of the Library-Bibliographical Classification in 621, one subfield 461^C for what
contains the volume, 463 for the journal of an article, and the shelf code in 903, which names the record in its base.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import resources
from itertools import islice

import msgspec

from bibld.crosswalk import rusmarc
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Converted

PRIORITY = 1
"""Before RUSMARC, whose tags these records have."""

_MONOGRAPH, _ARTICLE, _SERIAL = "00000nam0 2200000   450 ", "00000naa0 2200000   450 ", "00000nas0 2200000   450 "
_LEADERS = {"ASP": _ARTICLE, "NJ": _ARTICLE, "OJ": _SERIAL}
"""Work sheet of 920 → leader; that of a monograph for all others (PAZK, SPEC, PVK …)."""

_ROWS = csv.reader(resources.files("bibld.crosswalk").joinpath("irbis.csv").read_text(encoding="utf-8").splitlines())
_FIELDS = {tag: (rusmarc_tag, plain, codes) for tag, rusmarc_tag, plain, codes in islice(_ROWS, 1, None)}
"""Tag → tag of RUSMARC, the code of a plain text, and code=code of each subfield that is read."""

_SET = {
    "c": ("200", "a"), "e": ("200", "e"), "f": ("200", "f"), "v": ("200", "v"), "d": ("210", "a"), "g": ("210", "c"),
    "h": ("210", "d"),
}  # fmt: skip
_JOURNAL = {"c": ("200", "a"), "i": ("011", "a")}
_ISSUE = {"v": ("200", "a", "Т. "), "h": ("200", "a", "№ "), "s": ("200", "v", "С. "), "j": ("210", "d", "")}
_EXTENT_UNIT = "с."


class Settings(rusmarc.Settings, frozen=True):
    """As for RUSMARC; a person in 700 and 701 without a role is an author."""

    authors_without_role: bool = True


def sniffs(record: MarcRecord) -> bool:
    """Whether a record has the work sheet of IRBIS (920), or its shelf code and a plain language."""
    return record.control("920") is not None or (
        record.control("903") is not None and any(field.first("a") for field in record.fields("200"))
    )


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one record; subfields without a place are unmapped under their names in IRBIS."""
    unmapped: list[str] = []
    fields = [each for field in record.all_fields for each in _rewritten(field, unmapped)]
    leader = Leader(_LEADERS.get((record.control("920") or "").strip().upper(), _MONOGRAPH))
    converted = rusmarc.convert(MarcRecord(record.origin, leader, tuple(fields)), settings)
    return msgspec.structs.replace(converted, unmapped=(*unmapped, *converted.unmapped))


def _rewritten(field: ControlField | DataField, unmapped: list[str]) -> Iterator[ControlField | DataField]:
    if field.tag == "001":
        yield field
    if field.tag in ("001", "903", "920"):
        return
    if field.tag in ("461", "463") and isinstance(field, DataField):
        yield from _links(field, unmapped)
        return
    if field.tag not in _FIELDS:
        unmapped.extend(_names(field))
        return
    tag, plain, codes = _FIELDS[field.tag]
    if isinstance(field, ControlField):
        yield DataField(tag, subfields=(Subfield(plain, field.value),))
        return
    target = dict(pair.split("=") for pair in codes.split())
    kept = []
    for subfield in field.subfields:
        if subfield.code in target:
            kept.append(Subfield(target[subfield.code], subfield.value))
        elif field.tag != "215" or subfield.code != "1":
            unmapped.append(f"{field.tag}${subfield.code}")
    if field.tag == "215":
        kept = [_with_unit(each, field.first("1") or _EXTENT_UNIT) for each in kept]
    if kept:
        yield DataField(tag, subfields=tuple(kept))


def _with_unit(subfield: Subfield, unit: str) -> Subfield:
    """Write the unit that IRBIS states apart, or leaves out, behind a number of pages."""
    is_number = subfield.code == "a" and subfield.value.strip().isdecimal()
    return Subfield("a", f"{subfield.value.strip()} {unit}") if is_number else subfield


def _links(field: DataField, unmapped: list[str]) -> Iterator[DataField]:
    """Write the set of a volume (461), or the journal and issue of an article (463), as fields that embed others."""
    stated = _SET if field.tag == "461" else _JOURNAL
    of_host: dict[str, list[Subfield]] = {}
    of_issue: dict[str, list[Subfield]] = {}
    for subfield in field.subfields:
        if subfield.code in stated:
            tag, code = stated[subfield.code]
            of_host.setdefault(tag, []).append(Subfield(code, subfield.value))
        elif field.tag == "463" and subfield.code in _ISSUE:
            tag, code, before = _ISSUE[subfield.code]
            text = f"{before}{subfield.value}" if subfield.value[:1].isdecimal() else subfield.value
            of_issue.setdefault(tag, []).append(Subfield(code, text))
        else:
            unmapped.append(f"{field.tag}${subfield.code}")
    for tag, parts in (("461", of_host), ("463", of_issue)):
        embedded = tuple(DataField(name, "1", subfields=_joined(found)) for name, found in parts.items())
        if embedded:
            yield DataField(tag, embedded=embedded)


def _joined(subfields: list[Subfield]) -> tuple[Subfield, ...]:
    """Return subfields of which each occurs once: volume and number are one designation of an issue."""
    values: dict[str, list[str]] = {}
    for subfield in subfields:
        values.setdefault(subfield.code, []).append(subfield.value)
    return tuple(Subfield(code, ", ".join(found)) for code, found in values.items())


def _names(field: ControlField | DataField) -> list[str]:
    if isinstance(field, ControlField):
        return [field.tag]
    return [f"{field.tag}${subfield.code}" for subfield in field.subfields]
