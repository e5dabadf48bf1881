"""The writers of UNIMARC and RUSMARC in the order of their fields, and the record made of a draft."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, WriterBook, with_link
from bibld.crosswalk._to_unimarc import coded, form, holdings, identification, links, names, origin, subjects, titles
from bibld.crosswalk._unimarc.view import CODE_OF_SCRIPT
from bibld.model.marc import DataField, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin

_DESCRIPTION = WriterBook(
    identification.BOOK, coded.BOOK, titles.BOOK, names.BOOK, origin.BOOK, form.BOOK, subjects.BOOK, holdings.BOOK
)
_RELATED = WriterBook()

_NOT_REPEATABLE = frozenset(("100", "101", "105", "106", "110", "200", "203", "700", "710", "720", "801"))
_REPEATED_AS = {"700": "701", "710": "711", "720": "721"}


@_RELATED.writes("relatedItem", links.RELATED_FIELDS)
def related(mods: Mods, draft: MarcDraft) -> None:
    """Related resources."""

    def describe(other: Mods) -> list[DataField]:
        inner = MarcDraft(draft.flavour, is_nested=True)
        _DESCRIPTION.write(other, inner)
        return sorted((field for field, *_ in inner.linked_fields()), key=lambda field: field.tag)

    links.write_related(mods, draft, describe)


WRITERS = WriterBook(_DESCRIPTION, _RELATED)


def to_unimarc(mods: Mods, origin: Origin, flavour: str, country: str | None = None) -> MarcRecord:
    """Write a description as a bibliographic record of UNIMARC or RUSMARC in UTF-8."""
    draft = MarcDraft(flavour, country=country)
    WRITERS.write(mods, draft)
    fields = list(_linked(draft, flavour))
    fields.sort(key=lambda field: field.tag)
    return MarcRecord(origin, coded.leader(mods), (*draft.controls(), *fields))


def _linked(draft: MarcDraft, flavour: str) -> Iterator[DataField]:
    """Yield the fields; those that repeat each other in other scripts with ``$6``, in UNIMARC also ``$7``."""
    seen: set[str] = set()
    for field, number, script, is_alternate in draft.linked_fields():
        if not is_alternate and field.tag in _NOT_REPEATABLE and field.tag in seen and field.tag != "801":
            tag = _REPEATED_AS.get(field.tag)
            if tag is None:
                continue
            field = DataField(tag, field.indicator1, field.indicator2, field.subfields)
        seen.add(field.tag)
        code = CODE_OF_SCRIPT.get(script or "") if flavour != RUSMARC else None
        scripts = (Subfield("7", code),) if code and (number or is_alternate) else ()
        if number and number != "00":
            yield with_link(field, Subfield("6", f"a{number}"), *scripts)
        else:
            yield with_link(field, *scripts)
