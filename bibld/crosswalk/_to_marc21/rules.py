"""The writers of MARC 21 in the order of their fields, and the record made of a draft."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import SCRIPT_OF_CODE
from bibld.crosswalk._to_marc.draft import MARC21, MarcDraft, WriterBook, with_link
from bibld.crosswalk._to_marc21 import (
    fixed,
    form,
    holdings,
    identification,
    links,
    names,
    notes,
    origin,
    subjects,
    titles,
)
from bibld.crosswalk._to_marc21.punctuation import punctuated
from bibld.model.marc import DataField, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin

WRITERS = WriterBook(
    fixed.BOOK, identification.BOOK, names.BOOK, titles.BOOK, origin.BOOK, form.BOOK, notes.BOOK, subjects.BOOK,
    holdings.BOOK, links.BOOK,
)  # fmt: skip

_CODE_OF_SCRIPT = {script: code for code, script in reversed(SCRIPT_OF_CODE.items())}
_EAST_ASIAN, _EAST_ASIAN_CODE = frozenset(("Hani", "Jpan", "Kore", "Hans", "Hant")), "$1"
_FROM_RIGHT_TO_LEFT = frozenset(("Arab", "Hebr"))
_ALTERNATE = "880"
_NOT_REPEATABLE = frozenset((
    "010", "036", "038", "040", "042", "043", "044", "045", "066", "100", "110", "111", "130", "240", "243",
    "245", "254", "256", "263", "306", "310", "357", "384", "507", "514",
))  # fmt: skip
_REPEATED_AS = {"240": "730", "130": "730", "100": "700", "110": "710", "111": "711", "256": "500", "310": "321"}
"""Where a further field of a tag goes that a record can have once; others of these tags are not written again."""


def to_marc21(mods: Mods, origin: Origin, *, punctuation: bool) -> MarcRecord:
    """Write a description as a bibliographic record of MARC 21 in UTF-8."""
    draft = MarcDraft(MARC21, punctuates=punctuation)
    WRITERS.write(mods, draft)
    fields = list(_linked(draft))
    fields.sort(key=lambda field: field.tag)
    if punctuation:
        fields = [punctuated(field) for field in fields]
    return MarcRecord(origin, fixed.leader(mods, punctuates=punctuation), (*draft.controls(), *fields))


def _linked(draft: MarcDraft) -> Iterator[DataField]:
    """Yield the fields; those in other scripts as 880, with ``$6`` in them and in the field that they repeat."""
    seen: set[str] = set()
    for field, number, script, is_alternate in draft.linked_fields():
        if is_alternate and (number != "00" or field.tag in seen):
            code = _EAST_ASIAN_CODE if script in _EAST_ASIAN else _CODE_OF_SCRIPT.get(script or "", script or "")
            direction = "/r" if script in _FROM_RIGHT_TO_LEFT else ""
            link = f"{field.tag}-{number}/{code}{direction}" if code else f"{field.tag}-{number}"
            yield with_link(field, Subfield("6", link), tag=_ALTERNATE)
            continue
        if field.tag in _NOT_REPEATABLE and field.tag in seen:
            tag = _REPEATED_AS.get(field.tag)
            if tag is None:
                continue
            field = replace(field, tag=tag)
        seen.add(field.tag)
        yield with_link(field, Subfield("6", f"{_ALTERNATE}-{number}")) if number and not is_alternate else field
