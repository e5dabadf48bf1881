"""Authority records of MARC 21, UNIMARC and RUSMARC to an ``Authority`` (``bibld.model.authority``).

These crosswalks are no adapters: an adapter of the stage returns MODS, which describes publications.
"""

from __future__ import annotations

from msgspec.structs import replace

from bibld.crosswalk._authorities import marc21_facts, marc21_headings, unimarc_facts, unimarc_headings
from bibld.crosswalk._authorities.statements import convert_by, with_kind_of_form
from bibld.crosswalk._authorities.unimarc_headings import FORMS as FORMS_OF_UNIMARC
from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._flavour import has_authority_data, is_unimarc
from bibld.crosswalk._marc21.conventions import STRUCTURAL, Marc21View, link
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._unimarc.view import UnimarcSettings, UnimarcView, tidy_record
from bibld.crosswalk._view import Conventions
from bibld.errors import CrosswalkError
from bibld.model.authority import AUTHORITY_FLAVOURS, ConvertedAuthority
from bibld.model.marc import ControlField, DataField, MarcRecord, with_embedded_fields

MARC21, UNIMARC = AUTHORITY_FLAVOURS

_MARC21_RULES = RuleSet(
    (marc21_headings.HEADINGS, marc21_facts.FACTS), marc21_facts.PRIVATE, STRUCTURAL, reasons_of("marc21 authorities")
)
_UNIMARC_RULES = RuleSet(
    (unimarc_headings.HEADINGS, unimarc_facts.FACTS), unimarc_facts.PRIVATE, "67", reasons_of("unimarc authorities")
)
AUTHORITY_RULES: dict[str, RuleSet] = {MARC21: _MARC21_RULES, UNIMARC: _UNIMARC_RULES}
"""The rules of both formats, by the name of the flavour; docs and coverage are made of them."""

_MARC21_CONVENTIONS = Conventions(
    is_private=lambda field: "9" in field.tag,
    link=link,
    cleans=lambda tag: True,
    titles=lambda tag: "at" if tag[1:] == "30" else "t",
)
"""As in bibliographic records."""

_BLOCKS_OF_UNIMARC = "2457"
_EMBEDDING = "604"

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
        settings = settings or UnimarcSettings()
        view = UnimarcView(_tidied(record, settings), settings, _UNIMARC_RULES)
        converted = convert_by(_UNIMARC_RULES, view, "2XX")
    else:
        converted = convert_by(_MARC21_RULES, Marc21View(record, None, _MARC21_CONVENTIONS), "1XX")
    authority, warnings = converted.authority, converted.warnings
    if authority.headings and authority.variants:
        variants = tuple(with_kind_of_form(variant, authority.headings[0]) for variant in authority.variants)
        authority = replace(authority, variants=variants)
    if any(_UNDECODED in subfield.value for field in record.fields() for subfield in field.subfields):
        warnings += ('some characters could not be decoded; state the charset of the source: charset = "cp1251"',)
    return flavour, replace(converted, authority=authority, warnings=warnings)


def _tidied(record: MarcRecord, settings: UnimarcSettings) -> MarcRecord:
    """Tidy a record, each heading as the same heading is tidied in a bibliographic record."""
    borrowed = tuple(_borrowed(field) for field in record.all_fields)
    tidied = tidy_record(replace(record, all_fields=borrowed), settings)
    restored = (
        replace(field, tag=original.tag) if isinstance(field, DataField) else field
        for field, original in zip(tidied.all_fields, record.all_fields, strict=True)
    )
    return replace(tidied, all_fields=tuple(restored))


def _borrowed(field: ControlField | DataField) -> ControlField | DataField:
    if isinstance(field, ControlField) or len(field.tag) != 3:
        return field
    form = FORMS_OF_UNIMARC.get(field.tag[1:]) if field.tag[0] in _BLOCKS_OF_UNIMARC else None
    if form is None:
        return field
    return replace(with_embedded_fields(field) if form.tidied_as == _EMBEDDING else field, tag=form.tidied_as)
