"""Definitions of a format in the Avram schema language: read, checked, and completed by a profile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from bibld.errors import ConfigError
from bibld.model.digest import digest
from bibld.model.relators import TERM_OF_RELATOR
from bibld.text.languages import CODES, OBSOLETE_CODES
from bibld.text.places import MARC_COUNTRIES, MARC_COUNTRY_OF_ISO

FORMATS = ("marc21", "rusmarc", "unimarc")
"""The formats that are defined in ``schemas``, by the names of their crosswalks."""

CHECKS = ("isbn", "issn", "ismn", "record")
"""The rules that ``checks`` may name: check digits, and numbers of records of the same source."""

MAX_PROFILE_BYTES = 8 << 20

_LISTS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "languages": (CODES | {"   ", "|||"}, frozenset(OBSOLETE_CODES)),
    "countries": (MARC_COUNTRIES | {"|||"}, frozenset()),
    "countries-iso": (frozenset(MARC_COUNTRY_OF_ISO) | {"XX", "ZZ"}, frozenset()),
    "relators": (frozenset(TERM_OF_RELATOR), frozenset()),
}
"""Code lists that schemas name without containing them: codes, and obsolete ones."""

_TAG = re.compile("LDR|[0-9A-Za-z]{3}")
_SUBFIELD = re.compile("[!-~]")
_RANGE = re.compile("([0-9]+)(?:-([0-9]+))?")

Codes = Mapping[str, Any] | str


class PositionDefinition(msgspec.Struct, frozen=True, rename="kebab"):
    """The characters at fixed positions: one of ``codes``, ``flags`` of the same length, or a pattern."""

    label: str = ""
    codes: Codes | None = None
    flags: Codes | None = None
    pattern: str | None = None
    deprecated_codes: Mapping[str, Any] = {}


class FixedDefinition(msgspec.Struct, frozen=True):
    """The positions of a fixed field for one type of material; ``pattern`` is that of its whole text."""

    positions: Mapping[str, PositionDefinition] = {}
    pattern: str | None = None


class IndicatorDefinition(msgspec.Struct, frozen=True, rename="kebab"):
    """The codes of an indicator."""

    label: str = ""
    codes: Codes | None = None
    pattern: str | None = None
    deprecated_codes: Mapping[str, Any] = {}


class SubfieldDefinition(msgspec.Struct, frozen=True, rename="kebab"):
    """A subfield, and what its text must be."""

    label: str = ""
    repeatable: bool = False
    required: bool = False
    codes: Codes | None = None
    deprecated_codes: Mapping[str, Any] = {}
    pattern: str | None = None
    positions: Mapping[str, PositionDefinition] = {}
    checks: str | tuple[str, ...] = ()


class FieldDefinition(msgspec.Struct, frozen=True, rename="kebab"):
    """A field.

    ``subfields`` is None for control fields and for fields whose subfields are not defined; an indicator that is None
    must be blank, and one that is unset is not defined.
    """

    label: str = ""
    repeatable: bool = False
    required: bool = False
    indicator1: IndicatorDefinition | msgspec.UnsetType | None = msgspec.UNSET
    indicator2: IndicatorDefinition | msgspec.UnsetType | None = msgspec.UNSET
    subfields: Mapping[str, SubfieldDefinition] | None = None
    deprecated_subfields: Mapping[str, SubfieldDefinition] = {}
    positions: Mapping[str, PositionDefinition] = {}
    types: Mapping[str, FixedDefinition] = {}
    pattern: str | None = None


class FormatDefinition(msgspec.Struct, frozen=True):
    """The fields of a format by their tags (``LDR``: the leader), deprecated ones, and code lists by their names."""

    title: str
    fields: Mapping[str, FieldDefinition]
    deprecated_fields: Mapping[str, FieldDefinition]
    lists: Mapping[str, tuple[frozenset[str], frozenset[str]]]

    def with_profile(self, profile: FormatDefinition) -> FormatDefinition:
        """Return the format with the fields of a profile added, or in place of those with the same tags."""
        fields = {tag: one for tag, one in self.fields.items() if tag not in profile.deprecated_fields}
        deprecated = {tag: one for tag, one in self.deprecated_fields.items() if tag not in profile.fields}
        return FormatDefinition(
            title=profile.title or self.title,
            fields=fields | dict(profile.fields),
            deprecated_fields=deprecated | dict(profile.deprecated_fields),
            lists=dict(self.lists) | dict(profile.lists),
        )


@cache
def load_format(name: str) -> FormatDefinition:
    """Return one of the ``FORMATS``."""
    return read_definition(_content(name), f"{name}.json")


@cache
def formats_digest() -> str:
    """Return a hash of the definitions of all formats."""
    return digest(*(_content(name).decode() for name in FORMATS))


def _content(name: str) -> bytes:
    return Path(__file__).with_name("schemas").joinpath(f"{name}.json").read_bytes()


def load_profile(path: str) -> bytes:
    """Return the content of a library's profile; raises ``ConfigError`` with all its faults."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_PROFILE_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError([f"{path}: cannot be read: {reason}; correct worklist.profile"]) from error
    if len(content) > MAX_PROFILE_BYTES:
        raise ConfigError([f"{path}: has more than {MAX_PROFILE_BYTES:,} bytes; name an Avram schema as profile"])
    read_definition(content, file.name)
    return content


def read_definition(content: bytes, file: str) -> FormatDefinition:
    """Read an Avram schema; raises ``ConfigError`` with all its faults, each with ``file`` and where it is in it."""
    try:
        schema = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        found = re.search(r"byte (\d+)", str(error))
        line = content[: int(found[1])].count(b"\n") + 1 if found else 1
        raise ConfigError([f"{file}:{line}: is not JSON ({error}); correct it there"]) from error
    if not isinstance(schema, dict) or not isinstance(schema.get("fields", {}), dict):
        raise ConfigError([f'{file}: is not an Avram schema; write an object with the object "fields"'])
    faults: list[str] = []
    lists = dict(_LISTS)
    for name, one in _entries(schema, "codelists", file, faults):
        codes = one.get("codes", one) if isinstance(one, dict) else None
        if isinstance(codes, dict):
            lists[name] = (frozenset(codes), frozenset())
        else:
            faults.append(f"{file}: codelists.{name}: is not an object of codes")
    fields = _read_fields(schema, "fields", file, lists, faults)
    deprecated = _read_fields(schema, "deprecated-fields", file, lists, faults)
    if not fields and not deprecated and not faults:
        faults.append(f'{file}: defines no field; write at least one into "fields"')
    if faults:
        raise ConfigError(faults)
    title = schema.get("title")
    return FormatDefinition(title if isinstance(title, str) else "", fields, deprecated, lists)


def _entries(schema: Mapping[str, Any], key: str, file: str, faults: list[str]) -> Iterator[tuple[str, Any]]:
    table = schema.get(key, {})
    if isinstance(table, dict):
        yield from table.items()
    else:
        faults.append(f"{file}: {key}: is not an object")


def _read_fields(
    schema: Mapping[str, Any],
    key: str,
    file: str,
    lists: Mapping[str, tuple[frozenset[str], frozenset[str]]],
    faults: list[str],
) -> dict[str, FieldDefinition]:
    fields: dict[str, FieldDefinition] = {}
    for tag, one in _entries(schema, key, file, faults):
        where = f"{file}: {key}.{tag}"
        if not _TAG.fullmatch(tag):
            faults.append(f"{where}: is not a tag; write its three characters, or LDR for the leader")
            continue
        try:
            field = msgspec.convert(one, FieldDefinition)
        except msgspec.ValidationError as error:
            faults.append(f"{where}: {str(error).replace('`', '')}")
            continue
        wrong = [f"{where}: {fault}" for fault in _field_faults(field, lists)]
        faults += wrong
        if not wrong:
            fields[tag] = field
    return fields


def _field_faults(field: FieldDefinition, lists: Mapping[str, Any]) -> Iterator[str]:
    yield from _pattern_faults("", field.pattern)
    yield from _position_faults("positions", field.positions, lists)
    for name, fixed in field.types.items():
        yield from _pattern_faults(f"types.{name}", fixed.pattern)
        yield from _position_faults(f"types.{name}", fixed.positions, lists)
    for number, indicator in ((1, field.indicator1), (2, field.indicator2)):
        if isinstance(indicator, IndicatorDefinition):
            where = f"indicator{number}"
            yield from _codes_faults(where, indicator.codes, lists)
            yield from _pattern_faults(where, indicator.pattern)
            codes = indicator.codes if isinstance(indicator.codes, Mapping) else {}
            yield from (f'{where}: "{code}" is not one character' for code in codes if len(code) != 1)
    for code, subfield in {**(field.subfields or {}), **field.deprecated_subfields}.items():
        where = f"subfields.{code}"
        if not _SUBFIELD.fullmatch(code):
            yield f"{where}: is not the code of a subfield; write one character"
        yield from _codes_faults(where, subfield.codes, lists)
        yield from _pattern_faults(where, subfield.pattern)
        yield from _position_faults(where, subfield.positions, lists)
        for check in names_of_checks(subfield):
            if check not in CHECKS:
                yield f'{where}.checks: "{check}" is unknown; use one of {", ".join(CHECKS)}'


def _position_faults(
    where: str, positions: Mapping[str, PositionDefinition], lists: Mapping[str, Any]
) -> Iterator[str]:
    for name, position in positions.items():
        found = _RANGE.fullmatch(name)
        if not found or int(found[2] or found[1]) < int(found[1]) or int(found[2] or found[1]) > 9999:
            yield f'{where}.{name}: is not a range of positions; write "07" or "07-10"'
        yield from _codes_faults(f"{where}.{name}", position.codes, lists)
        yield from _codes_faults(f"{where}.{name}", position.flags, lists)
        yield from _pattern_faults(f"{where}.{name}", position.pattern)
        if isinstance(position.flags, Mapping) and len({len(code) for code in position.flags}) != 1:
            yield f"{where}.{name}.flags: must have the same number of characters each, and at least one flag"


def _codes_faults(where: str, codes: Codes | None, lists: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(codes, str) and codes not in lists:
        yield f'{where}: no code list is named "{codes}"; add it to codelists, or use one of {", ".join(sorted(lists))}'


def _pattern_faults(where: str, pattern: str | None) -> Iterator[str]:
    if pattern is not None:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            yield f'{where or "pattern"}: "{pattern}" is not a regular expression: {error}'


def names_of_checks(subfield: SubfieldDefinition) -> tuple[str, ...]:
    """Return the rules that the text of a subfield must follow."""
    return (subfield.checks,) if isinstance(subfield.checks, str) else subfield.checks


def range_of(positions: str) -> slice:
    """Return the slice that a range such as ``07-10`` means, whose last position belongs to it."""
    first, _, last = positions.partition("-")
    return slice(int(first), int(last or first) + 1)
