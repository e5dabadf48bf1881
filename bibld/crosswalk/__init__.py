"""Crosswalk: convert records of one flavour to MODS, MODS to MARC, and authority records to an ``Authority``.

Takes a ``MarcRecord`` of MARC 21, RUSMARC or UNIMARC, a ``Mods`` (which is returned unchanged) or a ``Row`` of a table,
and returns MODS 3.7 with an account of what is not in it. Each flavour is an adapter in this folder. Adapters are made
of rules: :class:`RuleBook`, :class:`RuleSet` and :class:`View` are the public mechanism for writing one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from bibld.crosswalk._authorities import AUTHORITY_RULES as AUTHORITY_RULES
from bibld.crosswalk._authorities import authority_flavour as authority_flavour
from bibld.crosswalk._authorities import convert_authority as _convert_authority
from bibld.crosswalk._flavour import is_unimarc, refuse_other_kinds
from bibld.crosswalk._local_fields import LocalFields as LocalFields
from bibld.crosswalk._rules import EVERY as EVERY
from bibld.crosswalk._rules import LEADER as LEADER
from bibld.crosswalk._rules import Elements as Elements
from bibld.crosswalk._rules import Rule as Rule
from bibld.crosswalk._rules import RuleBook as RuleBook
from bibld.crosswalk._rules import RuleSet as RuleSet
from bibld.crosswalk._rules import SubfieldCoverage as SubfieldCoverage
from bibld.crosswalk._rules import Tally as Tally
from bibld.crosswalk._rules import Writes, failure_reason
from bibld.crosswalk._rules import subfields_of as subfields_of
from bibld.crosswalk._to_marc.draft import Writer as Writer
from bibld.crosswalk._to_marc21.rules import WRITERS as _MARC21_WRITERS
from bibld.crosswalk._to_marc21.rules import to_marc21
from bibld.crosswalk._to_unimarc.rules import WRITERS as _UNIMARC_WRITERS
from bibld.crosswalk._to_unimarc.rules import to_unimarc
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.crosswalk._view import Conventions as Conventions
from bibld.crosswalk._view import Linkage as Linkage
from bibld.crosswalk._view import LinkedField as LinkedField
from bibld.crosswalk._view import View as View
from bibld.errors import ConfigError, CrosswalkError, RecordError
from bibld.model.authority import ConvertedAuthority
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.protocols import Converted, Row, adapters

VERSION = 6
"""The version of the results: increase it when a crosswalk writes other MODS for the same record."""

AUTO = adapters.AUTO
"""As a flavour: detect it by the record."""

MODS_FLAVOUR = "mods"
"""The flavour of what is MODS already."""

COLUMNS_FLAVOUR = "columns"
"""The flavour of rows; their column map is in the settings."""


MarcFlavour = Literal["marc21", "unimarc", "rusmarc"]
"""A flavour of MARC that :func:`to_marc` writes."""

_FROM_MODS = Origin("mods", "", 0, 0)


def convert(
    record: MarcRecord | Mods | Row,
    flavour: str = AUTO,
    settings_of: Callable[[str], Any] | None = None,
    local: LocalFields | None = None,
) -> tuple[str, Converted]:
    """Convert one record; return its flavour and the result.

    ``settings_of`` returns the settings of an adapter by its name (default: the defaults of each adapter). ``local``
    is what the configuration of the record's source states about its fields and libraries. Raises
    ``CrosswalkError`` for a record that describes no publication (such as an authority record) or on which the
    crosswalk fails, and ``ConfigError`` for an unknown flavour.
    """
    if isinstance(record, Mods):
        converted = Converted(record)
        return MODS_FLAVOUR, local.complete(record, converted, None) if local is not None else converted
    if isinstance(record, MarcRecord):
        refuse_other_kinds(record, is_unimarc(record))
    name = sniff(record) if flavour == AUTO or isinstance(record, Row) else flavour
    adapter = adapters.load_adapter("crosswalk", name)
    settings = adapter.Settings() if settings_of is None else settings_of(name)
    try:
        converted = adapter.convert(record, settings)
        return name, local.complete(record, converted, rules_of(name)) if local is not None else converted
    except (RecordError, ConfigError, MemoryError):
        raise
    except Exception as error:
        number = record.control_number if isinstance(record, MarcRecord) else None
        raise CrosswalkError(record.origin, failure_reason(f'crosswalk "{name}"', error), b"", number) from error


def to_marc(
    mods: Mods,
    flavour: MarcFlavour = "marc21",
    *,
    punctuation: bool = False,
    origin: Origin = _FROM_MODS,
    country: str | None = None,
) -> MarcRecord:
    """Write a description as a record of MARC: the crosswalk back.

    With ``punctuation`` the record has the marks of ISBD between its subfields; without, it is coded so (leader/18).
    ``origin`` is that of the result, ``country`` (ISO 3166, two letters) that of agencies whose code does not state it
    (801 $a of UNIMARC and RUSMARC). Of descriptions that are merged, what a record can have once is that of the first
    value; the others go where the format has a place for them.
    """
    if flavour == "marc21":
        return to_marc21(mods, origin, punctuation=punctuation)
    return to_unimarc(mods, origin, flavour, country)


def writers_of(flavour: MarcFlavour) -> tuple[Writer, ...]:
    """Return the writers of :func:`to_marc`: which elements of MODS they read, and which fields they write."""
    return (_MARC21_WRITERS if flavour == "marc21" else _UNIMARC_WRITERS).writers


def convert_authority(
    record: MarcRecord, flavour: str = AUTO, settings_of: Callable[[str], Any] | None = None
) -> tuple[str, ConvertedAuthority]:
    """Convert one authority record; return its flavour (see ``authority_flavour``) and the result.

    ``flavour`` is that of bibliographic records of the same source, whose settings are used in the UNIMARC family.
    Raises ``CrosswalkError`` for a record that is no authority record or has no heading.
    """
    settings = settings_of(sniff(record) if flavour == AUTO else flavour) if settings_of is not None else None
    return _convert_authority(record, settings if isinstance(settings, UnimarcSettings) else None)


def sniff(record: MarcRecord | Mods | Row) -> str:
    """Return the flavour of a record: the first adapter, by priority, that recognises it."""
    if isinstance(record, Mods):
        return MODS_FLAVOUR
    if isinstance(record, Row):
        return COLUMNS_FLAVOUR
    return adapters.detect_adapter("crosswalk", record) or ("unimarc" if is_unimarc(record) else "marc21")


def coverage(tally: Tally) -> list[SubfieldCoverage]:
    """Return what became of every counted subfield, and by which rules."""
    rule_sets = {name: rules_of(name) for name in adapters.adapter_names("crosswalk")}
    known = {name: rules for name, rules in rule_sets.items() if rules is not None}
    return list(tally.rows(Writes(known | AUTHORITY_RULES)))


def rules_of(flavour: str) -> RuleSet | None:
    """Return the rules of an adapter or of a flavour of authority records; None for an adapter without."""
    if flavour in AUTHORITY_RULES:
        return AUTHORITY_RULES[flavour]
    return getattr(adapters.load_adapter("crosswalk", flavour), "RULES", None)


def identity(flavour: str, settings: Any) -> str:  # noqa: ANN401
    """Return a hash of the files that a crosswalk depends on beside its settings; empty if there are none.

    Raises ``ConfigError`` for a file that cannot be used.
    """
    hash_files = None if flavour == AUTO else getattr(adapters.load_adapter("crosswalk", flavour), "identity", None)
    return str(hash_files(settings)) if hash_files is not None else ""


def is_deleted(record: MarcRecord) -> bool:
    """Whether the record only reports that the library has deleted it (leader/05 is d)."""
    return record.leader.text[5:6] == "d"
