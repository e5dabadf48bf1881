"""Inspect records by the definitions of their format.

Records of a library have few different shapes: the same tags in the same order, the same indicators and codes of
subfields. What the definitions state about a shape is computed once and remembered; of a record's values only those are
looked at for which the definition of their subfield or position has a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

from bibld.model.digest import digest
from bibld.model.marc import ControlField, DataField, MarcRecord, flat_subfields, with_embedded_fields
from bibld.worklist._avram import (
    FORMATS,
    FieldDefinition,
    FormatDefinition,
    IndicatorDefinition,
    formats_digest,
    load_format,
    read_definition,
)
from bibld.worklist._dates import date_faults
from bibld.worklist._faults import (
    MAX_VALUE_CHARACTERS,
    NO_FINDINGS,
    FormatFault,
    FormatFindings,
    RecordLink,
    WorkKind,
)
from bibld.worklist._values import (
    FixedRule,
    LocatedFault,
    Notes,
    Rule,
    ValueFault,
    find_bad_text,
    has_bad_text,
    rules_of_subfield,
)

VERSION = 2
"""The version of the findings: increase it when other ones are made of the same record and definitions."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(FormatFindings)

_MAX_SHAPES = 20_000
"""Shapes that are remembered; then they are forgotten, so that files of any content need bounded memory."""

_LARGE_SHAPE = 500
"""Fields of a record, or subfields of a field, of which a larger number is not remembered as a shape."""

_MAX_FAULTS = 200
"""Faults of one record that are reported."""

_LEADER_OF_SYSTEMS = {"00-04", "10", "11", "12-16", "20", "21", "22", "23", "20-23"}
"""Positions of the leader that programs write: no cataloguer can correct them."""

_TYPES_OF_LEADER = {
    "t": "Books", "m": "Computer Files", "e": "Maps", "f": "Maps", "p": "Mixed Materials",
    **dict.fromkeys("cdij", "Music"), **dict.fromkeys("gkor", "Visual Materials"),
}  # fmt: skip
"""Leader/06 of MARC 21 → type of material of 008; that of ``a`` depends on leader/07."""

_LEVELS_OF_CONTINUING_RESOURCES = "bis"

_LOCAL, _LINKING = "9", "6"
"""Subfields of every field: local ones; in the UNIMARC family the link to another field."""

_CHECKS_BY_INDICATOR = {("024", "2"): "ismn"}
"""First indicators that name the scheme of the number in ``$a``."""


class _Template(NamedTuple):
    """A fault of a shape: what follows the tag in the location, and the subfield or indicator with the value."""

    kind: WorkKind
    suffix: str


class _Shape(NamedTuple):
    """What is known of all fields with the same tag, indicators and codes."""

    templates: tuple[_Template, ...]
    rules: tuple[tuple[int, Rule], ...]


class FormatChecker:
    """Inspects records by a definition of their format.

    ``checks_local``: whether local fields (those with a 9 in their tag) that are not defined are faults. Keeps what it
    has learned of shapes: use one for many records. Not to be used by two threads at once.
    """

    def __init__(self, definition: FormatDefinition, checks_local: bool = False) -> None:
        self.definition = definition
        self._checks_local = checks_local
        self._shapes: dict[tuple[str, str, str, str], _Shape | None] = {}
        self._tags: dict[tuple[str, ...], tuple[FormatFault, ...]] = {}
        fields = definition.fields
        self._linking = "" if "245" in fields else _LINKING
        self._required = [tag for tag, field in fields.items() if field.required and tag != "LDR"]
        self._carriers = frozenset(tag for tag, field in fields.items() if _carries_fields(tag, field))
        self._single = frozenset(tag for tag, field in fields.items() if not field.repeatable)
        leader = fields.get("LDR", FieldDefinition()).positions
        checked = {name: one for name, one in leader.items() if name not in _LEADER_OF_SYSTEMS}
        self._leader = FixedRule.from_positions(checked, definition.lists, length=24)
        self._controls: dict[str, Callable[[str, MarcRecord], list[ValueFault]]] = {
            tag: _control_rule(tag, field, definition)
            for tag, field in fields.items()
            if field.subfields is None and tag != "LDR" and (field.positions or field.types or field.pattern)
        }

    def inspect(self, record: MarcRecord) -> FormatFindings:
        """Return the faults of a record, and its links to other records of its source."""
        fields = record.all_fields
        faults = [
            _with_text(one, record)
            for one in self._tag_faults(tuple([field.tag for field in fields]))
            if one.kind is not WorkKind.REPEATED_FIELD or not (self._linking and _is_in_scripts(one.where[:3], record))
        ]
        for kind, suffix, value, suggestion in self._leader.check(record.leader.text):
            faults.append(FormatFault(kind, f"LDR{suffix}", value, suggestion))
        found: list[LocatedFault] = []
        notes = Notes()
        texts: list[str] = []
        for index, field in enumerate(fields):
            if isinstance(field, ControlField):
                texts.append(field.value)
                found += [(index, *fault) for fault in self._inspect_control(field, record)]
            else:
                self._inspect_field(index, field, texts, notes, found)
        if notes.years:
            found += date_faults(notes, record)
        if has_bad_text("".join(texts)):
            found += _bad_texts(record)
        if not faults and not found and not notes.links:
            return NO_FINDINGS
        return self._findings(record, faults, found, notes)

    def _inspect_field(
        self, index: int, field: DataField, texts: list[str], notes: Notes, found: list[LocatedFault]
    ) -> None:
        """Add the texts of a field, what it notes, and its faults."""
        subfields = tuple(flat_subfields(field)) if field.embedded else field.subfields
        codes = ""
        for subfield in subfields:
            codes += subfield.code
            texts.append(subfield.value)
        if "1" in codes and field.tag in self._carriers:
            self._inspect_carrier(index, field, notes, found)
            return
        tag = field.tag if field.tag != "880" else _linked_tag(field)
        key = (tag, field.indicator1, field.indicator2, codes)
        shape = self._shapes[key] if key in self._shapes else self._new_shape(key)
        if shape is None:
            return
        for template in shape.templates:
            found.append((index, template.kind, template.suffix, _value_at(field, template.suffix), ""))
        for position, rule in shape.rules:
            for kind, suffix, value, suggestion in rule(subfields[position].value, notes):
                found.append((index, kind, f"${codes[position]}{suffix}", value, suggestion))
            if notes.is_new:
                notes.locate(index, f"${codes[position]}")

    def _inspect_carrier(self, index: int, field: DataField, notes: Notes, found: list[LocatedFault]) -> None:
        """Inspect a field that carries others after ``$1``: itself, and each of them, of which none is complete."""
        divided = with_embedded_fields(field)
        own = "".join(subfield.code for subfield in divided.subfields) + "1" * len(divided.embedded)
        key = (field.tag, field.indicator1, field.indicator2, own)
        shape = self._shapes[key] if key in self._shapes else self._new_shape(key)
        for template in shape.templates if shape else ():
            found.append((index, template.kind, template.suffix, _value_at(field, template.suffix), ""))
        for inner in divided.embedded:
            if isinstance(inner, ControlField):
                if inner.tag == "001" and inner.value.strip():
                    notes.links.append((index, "$1", inner.value))
                continue
            inside: list[LocatedFault] = []
            self._inspect_field(index, msgspec.structs.replace(inner, embedded=()), [], Notes(), inside)
            for _, kind, suffix, value, suggestion in inside:
                if kind is not WorkKind.MISSING_SUBFIELD:
                    found.append((index, kind, f"/{inner.tag}{suffix}", value, suggestion))

    def _findings(
        self, record: MarcRecord, faults: list[FormatFault], found: list[LocatedFault], notes: Notes
    ) -> FormatFindings:
        for index, kind, suffix, value, suggestion in found[:_MAX_FAULTS]:
            where, _, material = suffix.partition("@") if "/" in suffix else (suffix, "", "")
            faults.append(
                FormatFault(kind, f"{_field_at(record, index)}{where}", _shorten(value), _shorten(suggestion), material)
            )
        own = record.control("003")
        links = [
            RecordLink(f"{_field_at(record, index)}{suffix}", number)
            for index, suffix, text in notes.links[:_MAX_FAULTS]
            if (number := _number_in_source(text, own))
        ]
        return FormatFindings(tuple(dict.fromkeys(faults)), tuple(dict.fromkeys(links)))

    def _inspect_control(self, field: ControlField, record: MarcRecord) -> Iterable[ValueFault]:
        rule = self._controls.get(field.tag)
        if rule is not None:
            return rule(field.value, record)
        if field.tag >= "010" and field.tag in self.definition.fields:
            return [(WorkKind.WRONG_FORM, "", field.value, "indicators and subfields")]
        return ()

    # -- shapes ------------------------------------------------------------------------------------------------------

    def _tag_faults(self, tags: tuple[str, ...]) -> tuple[FormatFault, ...]:
        known = self._tags.get(tags)
        if known is not None:
            return known
        counts = Counter(tags)
        faults = [FormatFault(WorkKind.MISSING_FIELD, tag) for tag in self._required if tag not in counts]
        faults += [
            FormatFault(WorkKind.REPEATED_FIELD, f"{tag}[2]")
            for tag, count in counts.items()
            if count > 1 and tag in self._single
        ]
        for tag in counts:
            if tag in self.definition.deprecated_fields:
                faults.append(FormatFault(WorkKind.DEPRECATED_FIELD, tag))
            elif tag not in self.definition.fields and (self._checks_local or not is_local(tag)):
                faults.append(FormatFault(WorkKind.UNDEFINED_FIELD, tag))
        if len(self._tags) >= _MAX_SHAPES:
            self._tags.clear()
        result = tuple(faults[:_MAX_FAULTS])
        if len(tags) <= _LARGE_SHAPE:
            self._tags[tags] = result
        return result

    def _new_shape(self, key: tuple[str, str, str, str]) -> _Shape | None:
        tag, indicator1, indicator2, codes = key
        field = self.definition.fields.get(tag)
        templates: list[_Template] = []
        rules: list[tuple[int, Rule]] = []
        if field is not None and field.subfields is None and tag < "010":
            templates.append(_Template(WorkKind.WRONG_FORM, ""))
        elif field is not None:
            templates += _indicator_templates(1, indicator1, field.indicator1)
            templates += _indicator_templates(2, indicator2, field.indicator2)
            if field.subfields is not None:
                templates += _subfield_templates(field, codes, f"{_LOCAL}{self._linking}")
                rules = self._subfield_rules(tag, indicator1, field, codes)
            elif tag in self._carriers:
                rules = [(index, _note_number) for index, code in enumerate(codes) if code == "0"]
        shape = _Shape(tuple(templates), tuple(rules)) if templates or rules else None
        if len(self._shapes) >= _MAX_SHAPES:
            self._shapes.clear()
        if len(codes) <= _LARGE_SHAPE:
            self._shapes[key] = shape
        return shape

    def _subfield_rules(self, tag: str, indicator1: str, field: FieldDefinition, codes: str) -> list[tuple[int, Rule]]:
        definitions = field.subfields or {}
        extra = _CHECKS_BY_INDICATOR.get((tag, indicator1), "")
        by_code = {
            code: rules_of_subfield(tag, code, definitions[code], self.definition.lists, "2" in codes, extra)
            for code in set(codes)
            if code in definitions
        }
        return [(index, rule) for index, code in enumerate(codes) for rule in by_code.get(code, ())]


def is_local(tag: str) -> bool:
    """Whether a library may use a tag as it likes: all formats reserve those with a 9 (9XX, X9X, XX9)."""
    return "9" in tag


def _is_in_scripts(tag: str, record: MarcRecord) -> bool:
    """Whether the fields with a tag of UNIMARC repeat one field in other scripts (``$6`` with a and one number)."""
    links = {(field.first("6") or "")[:3] for field in record.fields(tag)}
    return len(links) == 1 and next(iter(links))[:1] == "a"


def _with_text(fault: FormatFault, record: MarcRecord) -> FormatFault:
    """Return the fault of a field with its first text."""
    tag, _, occurrence = fault.where.partition("[")
    same = [field for field in record.all_fields if field.tag == tag]
    if not same:
        return fault
    field = same[1 if occurrence else 0]
    text = field.value if isinstance(field, ControlField) else _value_at(field, "")
    return FormatFault(fault.kind, fault.where, _shorten(text))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[: MAX_VALUE_CHARACTERS - 1]}…"


def _control_rule(
    tag: str, field: FieldDefinition, definition: FormatDefinition
) -> Callable[[str, MarcRecord], list[ValueFault]]:
    """Return the rule of a control field; the type of material is that of the field (006, 007) or of the leader."""
    common = field.types.get("All Materials")
    if not field.types:
        rule = FixedRule.from_positions(field.positions, definition.lists, pattern=field.pattern)
        return lambda value, record: rule.check(value)
    rules = {
        name: FixedRule.from_positions(
            {**(common.positions if common else {}), **one.positions},
            definition.lists,
            pattern=one.pattern or field.pattern,
            material=name,
        )
        for name, one in field.types.items()
    }
    by_character = {
        code: name
        for name, one in field.types.items()
        if "00" in one.positions and isinstance(codes := one.positions["00"].codes, Mapping)
        for code in codes
    }

    def check(value: str, record: MarcRecord) -> list[ValueFault]:
        name = by_character.get(value[:1]) if by_character else type_of_material(record)
        if name in rules:
            return rules[name].check(value)
        return [(WorkKind.WRONG_CODE, "/00", value[:1], "")] if by_character else []

    return check


def type_of_material(record: MarcRecord) -> str:
    """Return the type of material (``Books``, ``Maps`` …) by which the positions 18-34 of 008 of MARC 21 are read."""
    kind, level = record.leader.text[6:7], record.leader.text[7:8]
    if kind == "a":
        return "Continuing Resources" if level in _LEVELS_OF_CONTINUING_RESOURCES else "Books"
    return _TYPES_OF_LEADER.get(kind, "All Materials")


def _indicator_templates(
    number: int, value: str, definition: IndicatorDefinition | msgspec.UnsetType | None
) -> list[_Template]:
    if definition is msgspec.UNSET:
        return []
    if definition is None:
        return [] if value == " " else [_Template(WorkKind.WRONG_INDICATOR, f" ind{number}")]
    if value in definition.deprecated_codes:
        return [_Template(WorkKind.DEPRECATED_INDICATOR, f" ind{number}")]
    codes = definition.codes if isinstance(definition.codes, Mapping) else None
    is_valid = (codes is None or value in codes) and (
        definition.pattern is None or re.fullmatch(definition.pattern, value) is not None
    )
    return [] if is_valid else [_Template(WorkKind.WRONG_INDICATOR, f" ind{number}")]


def _subfield_templates(field: FieldDefinition, codes: str, general: str) -> list[_Template]:
    definitions = field.subfields or {}
    counts = Counter(codes)
    templates = [
        _Template(WorkKind.MISSING_SUBFIELD, f"${code}")
        for code, one in definitions.items()
        if one.required and code not in counts
    ]
    for code, count in counts.items():
        if code in field.deprecated_subfields and code not in definitions:
            templates.append(_Template(WorkKind.DEPRECATED_SUBFIELD, f"${code}"))
        elif code not in definitions:
            if code not in general:
                templates.append(_Template(WorkKind.UNDEFINED_SUBFIELD, f"${code}"))
        elif count > 1 and not definitions[code].repeatable:
            templates.append(_Template(WorkKind.REPEATED_SUBFIELD, f"${code}"))
    return templates


def _value_at(field: DataField, suffix: str) -> str:
    """Return the text that a fault shows: of an indicator, of the subfield, or the first text of the field."""
    if suffix.startswith(" ind"):
        return field.indicator1 if suffix.endswith("1") else field.indicator2
    if suffix.startswith("$"):
        return field.first(suffix[1:2]) or ""
    return field.subfields[0].value if field.subfields else ""


def _linked_tag(field: DataField) -> str:
    """Return the tag of the field whose other script a field 880 has (``$6 245-01``)."""
    return (field.first("6") or "")[:3] or "880"


def _field_at(record: MarcRecord, index: int) -> str:
    """Return the tag of a field, with the number of its occurrence if the record has more than one with this tag."""
    tag = record.all_fields[index].tag
    same = [number for number, field in enumerate(record.all_fields) if field.tag == tag]
    return tag if len(same) == 1 else f"{tag}[{same.index(index) + 1}]"


def _number_in_source(text: str, own: str | None) -> str:
    """Return the record number of a link without the code of the own catalogue; empty if it is of another one."""
    text = text.strip()
    if text.startswith("("):
        code, _, number = text[1:].partition(")")
        return number.strip() if own and code.strip() == own.strip() else ""
    return text


def _carries_fields(tag: str, field: FieldDefinition) -> bool:
    """Whether a field of UNIMARC may carry others after ``$1``: 4XX, and those that have little else (604, 576)."""
    if field.subfields is None:
        return tag[:1] == "4"
    return "1" in field.subfields and field.subfields["1"].repeatable and "a" not in field.subfields


def _note_number(text: str, notes: Notes) -> list[ValueFault]:
    """Note the number of the record that ``$0`` of a 4XX field of UNIMARC names."""
    if text.strip():
        notes.add_link(text)
    return []


def _bad_texts(record: MarcRecord) -> list[LocatedFault]:
    found: list[LocatedFault] = []
    for index, field in enumerate(record.all_fields):
        if isinstance(field, ControlField):
            found += [(index, kind, "", field.value, fix) for kind, fix in find_bad_text(field.value)]
        else:
            for subfield in flat_subfields(field):
                for kind, fix in find_bad_text(subfield.value):
                    found.append((index, kind, f"${subfield.code}", subfield.value, fix))
    return found


class InspectionRules(msgspec.Struct, frozen=True):
    """The rules of a source beside those of its format.

    ``profile`` is the content of an Avram schema (:func:`load_profile`), or empty; ``checks_local`` is that of
    :class:`FormatChecker`.
    """

    profile: bytes = b""
    checks_local: bool = False


@lru_cache(maxsize=32)
def checker_for(flavour: str, rules: InspectionRules | None = None) -> FormatChecker | None:
    """Return the checker of a format (the name of its crosswalk); None for a format without definition.

    Raises ``ConfigError`` for a profile with faults.
    """
    if flavour not in FORMATS:
        return None
    definition = load_format(flavour)
    if rules is not None and rules.profile:
        definition = definition.with_profile(read_definition(rules.profile, "profile"))
    return FormatChecker(definition, rules is not None and rules.checks_local)


def inspect_record(record: MarcRecord, flavour: str, rules: InspectionRules) -> bytes:
    """Return the findings in a record as MessagePack (:func:`read_findings`), empty if there are none."""
    checker = checker_for(flavour, rules)
    found = NO_FINDINGS if checker is None else checker.inspect(record)
    return b"" if found is NO_FINDINGS else _ENCODER.encode(found)


def read_findings(findings: bytes) -> FormatFindings:
    """Read what :func:`inspect_record` returned."""
    return _DECODER.decode(findings) if findings else NO_FINDINGS


def inspection_digest(rules: InspectionRules) -> str:
    """Return a hash of all that the findings in a record depend on, beside the record."""
    return digest(VERSION, formats_digest(), rules.profile, rules.checks_local)
