"""A record as the stylesheet reads it: each field beside its counterparts in other scripts, texts unchanged.

Codes, indicators and ``$6`` are taken literally, subfields without text count, and an element may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeVar

from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import script_named, script_of_code
from bibld.crosswalk._marc21.corrections import NO_TEXT, Corrections
from bibld.crosswalk._view import Conventions, Linkage, LinkedField, View
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Element
from bibld.model.mods_xml import without_illegal_characters

ElementT = TypeVar("ElementT", bound=Element)

_WHITE = " \t\r\n"
_PART_QUALIFIERS = "fgkdlmor"
_ONE_PART_NAME = frozenset(("440", "700", "710", "711", "730", "740", "800", "810", "811", "830"))


class StylesheetView(View[Corrections]):
    """A record as the stylesheet reads it: under each tag its fields and the 880 whose ``$6`` begins with it.

    Elements of other rules than those of a field, and the children of related items, are marked by their rules.
    """

    marks_related_items = False

    def __init__(self, record: MarcRecord, corrections: Corrections) -> None:
        super().__init__(_legal(record), corrections, _conventions(bool(corrections.scripts_named)))

    def regular(self, *tags: str) -> list[DataField]:
        """Return the fields with these tags that are not in another script, tag by tag."""
        return [field for field in self.fields(*tags) if not self.is_alternate(field)]

    def in_order(self, *tags: str) -> list[DataField]:
        """Return the regular fields with these tags in the order of the record."""
        return list(self.record.fields(*tags))

    def count_before(self, field: DataField, *tags: str) -> int:
        """Count the fields with these tags (880 is one) before a field."""
        count = 0
        for other in self.record.fields():
            if other.subfields is field.subfields:
                break
            count += other.tag in tags
        return count


def subfields_with_linkage(field: DataField, codes: str, view: StylesheetView) -> Iterator[tuple[str, Linkage | None]]:
    """Yield the subfields with these codes; each has the linkage of its field only if ``$6`` comes before it."""
    linkage = None
    for subfield in field.subfields:
        if subfield.code == "6" and linkage is None:
            linkage = view.linkage(field)
        if subfield.code in (*codes,):
            yield subfield.value, linkage


def mark(element: ElementT, linkage: Linkage | None) -> ElementT:
    """Return the element with a linkage, if there is one."""
    return element if linkage is None else linkage.mark(element)


# --- texts


def chop(text: str, marks: str = ".:,;/ ") -> str:
    """Remove these marks from the end, however many."""
    return text.rstrip(marks)


def chop_both(text: str) -> str:
    """Remove the same marks from both ends, and opening brackets from the beginning."""
    return text.rstrip(".:,;/ ").lstrip(".:,;/[ ")


def text_or_blank(text: str) -> str:
    """Return the text of an element that is written even without one."""
    return text or NO_TEXT


def normalize_space(text: str) -> str:
    """Apply ``normalize-space`` of XPath."""
    return " ".join([word for word in text.translate(_BLANKS).split(" ") if word])


_BLANKS = str.maketrans("\t\r\n", "   ")


def join_around(field: DataField, axis: str, codes: str = "", before: str = "", after: str = "") -> str:
    """Join the subfields with these codes, and others that come before or after a subfield ``axis``."""
    subfields = field.subfields
    places = [place for place, subfield in enumerate(subfields) if subfield.code == axis]
    first, last = (places[0], places[-1]) if places else (len(subfields), -1)
    return " ".join(
        [
            subfield.value
            for place, subfield in enumerate(subfields)
            if subfield.code in codes
            or (place < last and subfield.code in before)
            or (place > first and subfield.code in after)
        ]
    )


def has_any(field: DataField, codes: str) -> bool:
    """Whether the field has a subfield with one of these codes."""
    return any(subfield.code in (*codes,) for subfield in field.subfields)


def title_parts(field: DataField, view: StylesheetView) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return part number and part name of a title, each with its qualifiers."""
    number = join_around(field, "n", "n", after=_PART_QUALIFIERS)
    if field.tag in _ONE_PART_NAME and not view.is_alternate(field):
        name = field.first("p") or ""
    else:
        name = join_around(field, "p", "p", after=_PART_QUALIFIERS)
    return _part(number), _part(name)


def _part(text: str) -> tuple[str, ...]:
    return (text_or_blank(chop(text)),) if text.strip(_WHITE) else ()


# --- $6 and characters


@cache
def _conventions(scripts_named: bool) -> Conventions:
    naming = script_named if scripts_named else script_of_code

    def link(field: DataField) -> LinkedField | None:
        six = field.first("6")
        if six is None:
            return None
        text = normalize_space(six)
        group = text[4:6]
        script = naming(text[7:].partition("/")[0] if scripts_named else text[7:9], field)
        linkage = Linkage(None if group == "00" else group, script, is_alternate=field.tag == "880")
        return LinkedField(replace(field, tag=six[:3]) if linkage.is_alternate else field, linkage)

    return Conventions(link=link)


def _legal(record: MarcRecord) -> MarcRecord:
    """Remove characters that XML cannot contain, and texts that are only blanks."""
    fields = tuple(map(_legal_field, record.all_fields))
    leader = record.leader if record.leader.text.isprintable() else Leader(_legal_text(record.leader.text))
    return MarcRecord(record.origin, leader, fields)


def _legal_field(field: ControlField | DataField) -> ControlField | DataField:
    if isinstance(field, ControlField):
        return field if _is_legal(field.value) else ControlField(field.tag, _legal_text(field.value))
    if all(_is_legal(subfield.value) for subfield in field.subfields):
        return field
    subfields = tuple(Subfield(subfield.code, _legal_text(subfield.value)) for subfield in field.subfields)
    return replace(field, subfields=subfields)


def _is_legal(text: str) -> bool:
    return text.isprintable() and (not text or text[0] != " " or not text.isspace())


def _legal_text(text: str) -> str:
    legal = without_illegal_characters(text)
    return legal if legal.strip(_WHITE) else ""
