"""Authority records of MARC 21, UNIMARC and RUSMARC to an ``Authority`` (``bibld.model.authority``).

These crosswalks are no adapters: an adapter of the stage returns MODS, which describes publications.
"""

from __future__ import annotations

from msgspec.structs import replace

from bibld.crosswalk._authorities import marc21, unimarc
from bibld.crosswalk._authorities.statements import with_kind_of_form
from bibld.crosswalk._authorities.unimarc_headings import FORMS as FORMS_OF_UNIMARC
from bibld.crosswalk._flavour import has_authority_data, is_unimarc
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.errors import CrosswalkError
from bibld.model.authority import AUTHORITY_FLAVOURS, ConvertedAuthority
from bibld.model.marc import MarcRecord

MARC21, UNIMARC = AUTHORITY_FLAVOURS

AUTHORITY_RULES: dict[str, RuleSet] = {MARC21: marc21.RULES, UNIMARC: unimarc.RULES}
"""The rules of both formats, by the name of the flavour."""

_ENTRIES_OF_UNIMARC, _OF_BOTH = "xy", "z"


def authority_flavour(record: MarcRecord) -> str | None:
    """Return the flavour of an authority record; None for a record of another kind.

    Leader/06 is ``z`` in MARC 21, where a record has a field 008 and headings are in 1XX; ``x``, ``y`` or ``z`` in
    UNIMARC, where they are in 2XX; a deleted record may have no data fields. Another leader may be damaged if 100$a has
    the data of a UNIMARC authority record, and so may ``z`` in a record with a statement of title (245).
    """
    code = record.leader.text[6:7]
    if not code or code not in _ENTRIES_OF_UNIMARC + _OF_BOTH:
        return UNIMARC if has_authority_data(record) and is_unimarc(record) else None
    if code == _OF_BOTH and next(record.fields(_TITLE_STATEMENT), None) is not None:
        return None
    if is_unimarc(record):
        return UNIMARC
    tags = {field.tag for field in record.fields() if field.first("a") or field.first("b") or field.first("1")}
    has_headings = not tags.isdisjoint(f"2{form}" for form in FORMS_OF_UNIMARC) and record.control("008") is None
    if has_headings and (code in _ENTRIES_OF_UNIMARC or tags.isdisjoint(_HEADINGS_OF_MARC21)):
        return UNIMARC
    if code == _OF_BOTH:
        return MARC21
    is_deletion = record.leader.text[5:6] == _DELETED and next(record.fields(), None) is None
    return UNIMARC if is_deletion else None


_DELETED = "d"
_TITLE_STATEMENT = "245"
_UNDECODED = "\ufffd"

_HEADINGS_OF_MARC21 = frozenset(("100", "110", "111", "130", "148", "150", "151", "155", "162"))


def convert_authority(record: MarcRecord, settings: UnimarcSettings | None = None) -> tuple[str, ConvertedAuthority]:
    """Convert one authority record; return its flavour and the result.

    ``settings`` are those of the UNIMARC family. A value that cannot be used is left out with a warning that names its
    tag. Raises ``CrosswalkError`` for a record that is no authority record or has no heading.
    """
    flavour = authority_flavour(record)
    if flavour is None:
        reason = (
            f"leader/06 {record.leader.text[6:7]!r} is not an authority record; put its file into a source of"
            " bibliographic records"
        )
        raise CrosswalkError(record.origin, reason, control_number=record.control_number)
    if flavour == UNIMARC:
        converted = unimarc.convert(record, settings or UnimarcSettings())
    else:
        converted = marc21.convert(record)
    authority, warnings = converted.authority, converted.warnings
    if authority.headings and authority.variants:
        variants = tuple(with_kind_of_form(variant, authority.headings[0]) for variant in authority.variants)
        authority = replace(authority, variants=variants)
    if any(_UNDECODED in subfield.value for field in record.fields() for subfield in field.subfields):
        warnings += ('some characters could not be decoded; state the charset of the source: charset = "cp1251"',)
    return flavour, replace(converted, authority=authority, warnings=warnings)
