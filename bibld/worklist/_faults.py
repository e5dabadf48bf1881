"""What can be wrong in a record: the kinds of faults with their harm, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from bibld.worklist._avram import (
    Codes,
    FieldDefinition,
    FormatDefinition,
    IndicatorDefinition,
    PositionDefinition,
    SubfieldDefinition,
)

MAX_VALUE_CHARACTERS = 120
"""Of a value that a fault shows."""

_CODES_SHOWN = 24


class WorklistPart(StrEnum):
    """What lines of a worklist are about."""

    DUPLICATES = "duplicates"
    CONTRADICTIONS = "contradictions"
    FORMAT = "format"
    AUTHORITIES = "authorities"


class WorkKind(StrEnum):
    """The kinds of lines of a worklist, each with its part and its harm, from 1 (untidy) to 5 (readers are misled)."""

    part: WorklistPart
    harm: int

    def __new__(cls, value: str, part: WorklistPart, harm: int) -> WorkKind:
        member = str.__new__(cls, value)
        member._value_ = value
        member.part = part
        member.harm = harm
        return member

    DUPLICATE_RECORD = "duplicate-record", WorklistPart.DUPLICATES, 5
    POSSIBLE_DUPLICATE = "possible-duplicate", WorklistPart.DUPLICATES, 4
    PAIR_TO_DECIDE = "pair-to-decide", WorklistPart.DUPLICATES, 2
    OTHER_PART = "other-part", WorklistPart.CONTRADICTIONS, 4
    OTHER_IDENTIFIER = "other-identifier", WorklistPart.CONTRADICTIONS, 4
    OTHER_YEAR = "other-year", WorklistPart.CONTRADICTIONS, 3
    OTHER_LANGUAGE = "other-language", WorklistPart.CONTRADICTIONS, 3
    OTHER_NAME = "other-name", WorklistPart.CONTRADICTIONS, 3
    ENCODED_TWICE = "encoded-twice", WorklistPart.FORMAT, 5
    WRONG_CHECK_DIGIT = "wrong-check-digit", WorklistPart.FORMAT, 5
    MISSING_FIELD = "missing-field", WorklistPart.FORMAT, 4
    MISSING_RECORD = "missing-record", WorklistPart.FORMAT, 4
    BAD_CHARACTER = "bad-character", WorklistPart.FORMAT, 4
    CONTRADICTING_DATES = "contradicting-dates", WorklistPart.FORMAT, 4
    WRONG_LENGTH = "wrong-length", WorklistPart.FORMAT, 3
    WRONG_CODE = "wrong-code", WorklistPart.FORMAT, 3
    MISSING_SUBFIELD = "missing-subfield", WorklistPart.FORMAT, 3
    REPEATED_FIELD = "repeated-field", WorklistPart.FORMAT, 3
    WRONG_FORM = "wrong-form", WorklistPart.FORMAT, 2
    UNDEFINED_FIELD = "undefined-field", WorklistPart.FORMAT, 2
    WRONG_INDICATOR = "wrong-indicator", WorklistPart.FORMAT, 2
    UNDEFINED_SUBFIELD = "undefined-subfield", WorklistPart.FORMAT, 2
    REPEATED_SUBFIELD = "repeated-subfield", WorklistPart.FORMAT, 2
    DEPRECATED_FIELD = "deprecated-field", WorklistPart.FORMAT, 1
    DEPRECATED_INDICATOR = "deprecated-indicator", WorklistPart.FORMAT, 1
    DEPRECATED_SUBFIELD = "deprecated-subfield", WorklistPart.FORMAT, 1
    DEPRECATED_CODE = "deprecated-code", WorklistPart.FORMAT, 1
    MISSING_AUTHORITY = "missing-authority", WorklistPart.AUTHORITIES, 2


class FormatFault(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """A fault of the format.

    ``where`` is a field with its occurrence if it is repeated, and a subfield, a position or an indicator:
    ``020[2]$a``, ``008/07-10``, ``245 ind1``, ``461/011$a`` (a field inside another one). ``suggestion`` is what to
    write instead, where that is certain; ``material`` is the type of material by which the positions of 006, 007 and
    008 were read.
    """

    kind: WorkKind
    where: str
    value: str = ""
    suggestion: str = ""
    material: str = ""


class RecordLink(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The number of another record of the same source that a record cites, and the subfield that contains it."""

    where: str
    number: str


class FormatFindings(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """What the definitions of its format find in a record: faults, and links to other records of the source."""

    faults: tuple[FormatFault, ...] = ()
    links: tuple[RecordLink, ...] = ()


NO_FINDINGS = FormatFindings()

_WHERE = re.compile(
    r"(?:[^\[$/ ]+(?:\[\d+\])?/(?=\d{3}(?![\d-])))?"  # the field that carries this one
    r"(?P<tag>[^\[$/ ]+)(?:\[\d+\])?(?: ind(?P<indicator>[12]))?(?:\$(?P<code>.))?(?:/(?P<positions>[\d,-]+))?"
)

_NUMBERS = {"020": "$z", "022": "$y", "024": "$z", "010": "$z", "011": "$z", "013": "$z"}
"""The subfields for wrong numbers that are printed so; of linking fields there are none."""

_TEXTS: Mapping[WorkKind, tuple[str, str]] = {
    WorkKind.MISSING_FIELD: ("{name} is mandatory and missing", "add {tag}"),
    WorkKind.REPEATED_FIELD: ("{name} must not be repeated", "put the content into one {tag}, or into another field"),
    WorkKind.UNDEFINED_FIELD: (
        "{format} defines no field {tag}",
        "move the content to the right field, or define {tag} in a profile",
    ),
    WorkKind.DEPRECATED_FIELD: ("{name} is obsolete", "move the content to the field that took its place"),
    WorkKind.WRONG_INDICATOR: ("indicator {indicator} of {name} has no value {value}", "write {allowed}"),
    WorkKind.DEPRECATED_INDICATOR: (
        "the value {value} of indicator {indicator} of {name} is obsolete",
        "write {allowed}",
    ),
    WorkKind.MISSING_SUBFIELD: ("{name} has no ${code}, which is mandatory", "add ${code}, or delete the field"),
    WorkKind.REPEATED_SUBFIELD: ("${code} of {name} must not be repeated", "repeat the field, or write one ${code}"),
    WorkKind.UNDEFINED_SUBFIELD: ("{name} has no subfield ${code}", "use one of {subfields}"),
    WorkKind.DEPRECATED_SUBFIELD: ("subfield ${code} of {name} is obsolete", "use one of {subfields}"),
    WorkKind.WRONG_LENGTH: ("{name} has {length} characters", "write {expected}"),
    WorkKind.WRONG_CODE: ("{value} is not a code of {position}", "write {allowed}"),
    WorkKind.DEPRECATED_CODE: ("{value} is an obsolete code of {position}", "write {allowed}"),
    WorkKind.WRONG_FORM: ("{value} does not have the form of {position}", "write {expected}"),
    WorkKind.WRONG_CHECK_DIGIT: (
        "the check digit is wrong",
        "compare with the publication; a number that is printed so belongs in {wrong_numbers}",
    ),
    WorkKind.CONTRADICTING_DATES: (
        "the coded year {value} is not among the stated ones",
        "write {allowed}, or correct the statement",
    ),
    WorkKind.BAD_CHARACTER: ("the text has damaged characters, or some without meaning", "type the text again"),
    WorkKind.ENCODED_TWICE: ("the text was encoded twice", "type the text again, or export the file again"),
    WorkKind.MISSING_RECORD: (
        "no record of this catalogue has the number {value}",
        "correct the number, or delete the link",
    ),
}
"""What is wrong, and what to do."""


def describe_fault(fault: FormatFault, definition: FormatDefinition) -> tuple[str, str]:
    """Return what is wrong, and what to do, in words for a cataloguer."""
    found = _WHERE.match(fault.where)
    tag = found["tag"] if found else fault.where
    code, indicator = (found["code"] or "", found["indicator"] or "") if found else ("", "")
    positions = (found["positions"] or "") if found else ""
    field = definition.fields.get(tag) or definition.deprecated_fields.get(tag) or FieldDefinition()
    name = f"{tag} ({field.label})" if field.label else tag
    codes, pattern, label = _allowed(definition, _for_material(field, fault.material), indicator, code, positions)
    values = {
        "tag": tag,
        "wrong_numbers": _NUMBERS.get(tag, ""),
        "name": name,
        "format": definition.title or "the format",
        "code": code,
        "indicator": indicator,
        "value": _quoted(fault.value),
        "allowed": _quoted(fault.suggestion) if fault.suggestion else codes,
        "subfields": ", ".join(f"${one}" for one in sorted(field.subfields or ())),
        "length": len(fault.value),
        "expected": _expected(fault, pattern),
        "position": f"{fault.where} ({', '.join(filter(None, (label, fault.material)))})".removesuffix(" ()"),
    }
    wrong, remedy = _TEXTS[fault.kind]
    if fault.kind is WorkKind.WRONG_CHECK_DIGIT and tag not in _NUMBERS:
        remedy = "compare with the publication, and correct or delete the number"
    if fault.suggestion and fault.kind in (WorkKind.BAD_CHARACTER, WorkKind.ENCODED_TWICE):
        remedy = "write {allowed}"
    return wrong.format_map(values), remedy.format_map(values)


def _quoted(value: str) -> str:
    return f'"{value}"' if value.strip() else "a blank" if value else "nothing"


def _expected(fault: FormatFault, pattern: str) -> str:
    if fault.suggestion:
        return fault.suggestion
    return f"a text of the form {pattern}" if pattern else "a number"


def _for_material(field: FieldDefinition, material: str) -> FieldDefinition:
    """Return the field with the positions for one type of material only."""
    if material not in field.types:
        return field
    tables = (field.types[name].positions for name in ("All Materials", material) if name in field.types)
    return msgspec.structs.replace(field, positions={name: one for table in tables for name, one in table.items()})


def _allowed(
    definition: FormatDefinition, field: FieldDefinition, indicator: str, code: str, positions: str
) -> tuple[str, str, str]:
    """Return the codes, the pattern and the label of an indicator, a subfield or positions; empty if undefined."""
    one: Any = field
    if indicator:
        one = field.indicator1 if indicator == "1" else field.indicator2
        if not isinstance(one, IndicatorDefinition):
            return "a blank", "", ""
    elif code:
        one = (field.subfields or {}).get(code) or SubfieldDefinition()
    if positions:
        one = one.positions.get(positions) or PositionDefinition()
    codes = getattr(one, "codes", None) or getattr(one, "flags", None)
    return _list_codes(codes, definition), getattr(one, "pattern", None) or "", one.label


def _list_codes(codes: Codes | None, definition: FormatDefinition) -> str:
    if isinstance(codes, str):
        return f"a code of the list of {codes.partition('-')[0]}"
    if not codes:
        return "the codes that are defined"
    known = [one.replace(" ", "#") for one in codes]
    shown = ", ".join(known[:_CODES_SHOWN])
    return (
        f"one of {shown}{' …' if len(known) > _CODES_SHOWN else ''}"
        if len(known) > 1
        else shown.replace("#", "a blank")
    )
