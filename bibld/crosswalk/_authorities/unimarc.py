"""UNIMARC and RUSMARC authority records (IFLA, UNIMARC Manual, Authorities Format) to an ``Authority``."""

from __future__ import annotations

from msgspec.structs import replace

from bibld.crosswalk._authorities.statements import convert_by
from bibld.crosswalk._authorities.unimarc_facts import FACTS, PRIVATE
from bibld.crosswalk._authorities.unimarc_headings import FORMS, HEADINGS
from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._unimarc.view import UnimarcSettings, UnimarcView, tidy_record
from bibld.model.authority import ConvertedAuthority
from bibld.model.marc import ControlField, DataField, MarcRecord, with_embedded_fields

RULES = RuleSet((HEADINGS, FACTS), PRIVATE, "67", reasons_of("unimarc authorities"))
"""The rules; docs and coverage are made of them."""

_BLOCKS = "2457"
_EMBEDDING = "604"


def convert(record: MarcRecord, settings: UnimarcSettings) -> ConvertedAuthority:
    """Convert one authority record. Raises ``CrosswalkError`` for a record without a heading that is not deleted."""
    return convert_by(RULES, UnimarcView(_tidied(record, settings), settings, RULES), "2XX")


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
    form = FORMS.get(field.tag[1:]) if field.tag[0] in _BLOCKS else None
    if form is None:
        return field
    return replace(with_embedded_fields(field) if form.tidied_as == _EMBEDDING else field, tag=form.tidied_as)
