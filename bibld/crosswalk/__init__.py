"""Crosswalk: records of one flavour in, MODS out.

Takes a ``MarcRecord`` of MARC 21, RUSMARC or UNIMARC, a ``Mods`` (which passes as it is) or a ``Row`` of a table, and
gives MODS 3.7 with an account of what is not in it. Each flavour is an adapter in this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from bibld import adapters
from bibld.crosswalk._coverage import SubfieldCoverage, Tally, Writes, rules_of, subfields_of
from bibld.crosswalk._flavour import is_unimarc, refuse_other_kinds
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.protocols import Converted, Row

__all__ = [
    "AUTO",
    "COLUMNS_FLAVOUR",
    "MODS_FLAVOUR",
    "VERSION",
    "SubfieldCoverage",
    "Tally",
    "convert",
    "coverage",
    "is_deleted",
    "sniff",
    "subfields_of",
]

VERSION = 2
"""To be raised when a crosswalk gives other MODS for the same record."""

AUTO = "auto"
"""As a flavour: look at the record."""

MODS_FLAVOUR = "mods"
"""The flavour of what is MODS already."""

COLUMNS_FLAVOUR = "columns"
"""The flavour of rows; their column map is in the settings."""


def convert(
    record: MarcRecord | Mods | Row,
    flavour: str = AUTO,
    settings_of: Callable[[str], Any] | None = None,
) -> tuple[str, Converted]:
    """Convert one record, and say by which flavour.

    ``settings_of`` gives the settings of an adapter by its name (default: those without any choice made). Raises
    ``CrosswalkError`` for a record that describes no publication (an authority record, say), and ``ConfigError`` for a
    flavour that there is not.
    """
    if isinstance(record, Mods):
        return MODS_FLAVOUR, Converted(record)
    if isinstance(record, MarcRecord):
        refuse_other_kinds(record, is_unimarc(record))
    name = sniff(record) if flavour == AUTO or isinstance(record, Row) else flavour
    adapter = _adapter(name)
    settings = adapter.Settings() if settings_of is None else settings_of(name)
    converted: Converted = adapter.convert(record, settings)
    return name, converted


def sniff(record: MarcRecord | Mods | Row) -> str:
    """The flavour of a record: the first adapter, by priority, that recognises it."""
    if isinstance(record, Mods):
        return MODS_FLAVOUR
    if isinstance(record, Row):
        return COLUMNS_FLAVOUR
    return adapters.detect_adapter("crosswalk", record) or ("unimarc" if is_unimarc(record) else "marc21")


def coverage(tally: Tally, settings_of: Callable[[str], Any]) -> list[SubfieldCoverage]:
    """What became of every subfield that was counted, and by which rules; ``settings_of`` as for :func:`convert`."""
    return list(tally.rows(Writes({name: rules_of(_adapter(name), settings_of(name)) for name in _names()})))


def is_deleted(record: MarcRecord) -> bool:
    """Whether the record only reports that the library has deleted it (leader/05 is d)."""
    return record.leader.text[5:6] == "d"


@cache
def _names() -> tuple[str, ...]:
    return tuple(adapters.adapter_names("crosswalk"))


@cache
def _adapter(name: str) -> ModuleType:
    return adapters.load_adapter("crosswalk", name)
