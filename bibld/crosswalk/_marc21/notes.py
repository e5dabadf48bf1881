"""Notes, abstracts, contents, audience and access: 5XX, 245$c, 362, 385, 520 … → note, abstract, tableOfContents …"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from bibld.crosswalk._rules import EVERY, RuleBook
from bibld.crosswalk._texts import address, chop, join
from bibld.crosswalk._view import View
from bibld.model.marc import DataField
from bibld.model.mods import Abstract, AccessCondition, Note, TableOfContents, TargetAudience

NOTES = RuleBook()


class NoteField(msgspec.Struct, frozen=True):
    """A field that becomes a note as it stands: ``type`` of the note, and the subfields that are left out."""

    tag: str
    type: str | None = None
    left_out: str = ""


NOTE_FIELDS = (
    NoteField("362", "date/sequential designation"),
    NoteField("500"),
    NoteField("501"),
    NoteField("502", "thesis"),
    NoteField("504", "bibliography"),
    NoteField("507"),
    NoteField("508", "creation/production credits", left_out="3u"),
    NoteField("511", "performers"),
    NoteField("513"),
    NoteField("514"),
    NoteField("515", "numbering"),
    NoteField("516"),
    NoteField("518", "venue", left_out="3"),
    NoteField("522"),
    NoteField("524", "preferred citation"),
    NoteField("525"),
    NoteField("526", left_out="x"),
    NoteField("530", "additional physical form", left_out="3u"),
    NoteField("533", "reproduction", left_out="7"),
    NoteField("535", "original location"),
    NoteField("536", "funding"),
    NoteField("538", "system details"),
    NoteField("541", "acquisition"),
    NoteField("544"),
    NoteField("545", "biographical/historical"),
    NoteField("546", "language"),
    NoteField("547"),
    NoteField("550"),
    NoteField("552"),
    NoteField("555"),
    NoteField("556"),
    NoteField("561", "ownership"),
    NoteField("562", "version identification"),
    NoteField("563", "binding"),
    NoteField("565"),
    NoteField("567"),
    NoteField("580"),
    NoteField("581", "publications"),
    NoteField("583", "action", left_out="x"),
    NoteField("584"),
    NoteField("585", "exhibitions"),
    NoteField("586"),
    NoteField("588"),
)

_ALWAYS_LEFT_OUT = "012568"

PRIVATE_SUBFIELDS = {"526": "x", "583": "x"}
"""Nonpublic notes within fields that are public."""

_ABSTRACT_LABELS = {
    "0": "Subject", "1": "Review", "2": "Scope and content", "3": "Abstract", "4": "Content advice", "8": None,
}  # fmt: skip
_CONTENTS_LABELS = {"0": "Contents", "1": "Incomplete contents", "2": "Partial contents"}
_AUDIENCE_LABELS = {
    "0": "Reading grade level", "1": "Interest age level", "2": "Interest grade level",
    "3": "Special audience characteristics", "4": "Motivation or interest level", "8": None,
}  # fmt: skip


@NOTES.field("245", "c", "note[statement of responsibility]")
def statement_of_responsibility(field: DataField, view: View[Any]) -> Iterator[Note]:
    """Statement of responsibility, as it stands."""
    text = join(field, "c")
    if text:
        yield Note(value=text, type="statement of responsibility")


def _register(note: NoteField) -> None:
    left_out = _ALWAYS_LEFT_OUT + note.left_out
    writes = f"note[{note.type}]" if note.type else "note"

    @NOTES.field(note.tag, EVERY, writes)
    def build(field: DataField, view: View[Any]) -> Iterator[Note]:
        """The note, with the address that it gives."""
        text = " ".join([subfield.value for subfield in field.subfields if subfield.code not in left_out])
        if text:
            yield Note(value=text, type=note.type, xlink_href=_address(field))


for _note in NOTE_FIELDS:
    _register(_note)


@NOTES.field("520", "abcu", "abstract, displayLabel from the first indicator")
def abstract(field: DataField, view: View[Any]) -> Iterator[Abstract]:
    """Summary."""
    text = join(field, "abc")
    if text:
        label = _ABSTRACT_LABELS.get(field.indicator1, "Summary")
        yield Abstract(value=text, display_label=label, xlink_href=_address(field))


@NOTES.field("505", "agrtu", "tableOfContents, displayLabel from the first indicator")
def contents(field: DataField, view: View[Any]) -> Iterator[TableOfContents]:
    """Formatted contents note."""
    text = join(field, "agrt")
    if text:
        label = _CONTENTS_LABELS.get(field.indicator1)
        yield TableOfContents(value=text, display_label=label, xlink_href=_address(field))


@NOTES.field("521", "ab", "targetAudience, displayLabel from the first indicator")
def audience(field: DataField, view: View[Any]) -> Iterator[TargetAudience]:
    """Target audience note."""
    text = join(field, "ab")
    if text:
        yield TargetAudience(value=text, display_label=_AUDIENCE_LABELS.get(field.indicator1, "Audience"))


@NOTES.field("385", "a2", "targetAudience, authority from $2")
def audience_characteristics(field: DataField, view: View[Any]) -> Iterator[TargetAudience]:
    """Audience characteristics, each term for itself."""
    for text in field.values("a"):
        value = chop(text)
        if value:
            yield TargetAudience(value=value, authority=field.first("2"))


@NOTES.field("506", "abcdefu23", "accessCondition[restriction on access]")
def restriction_on_access(field: DataField, view: View[Any]) -> Iterator[AccessCondition]:
    """Restrictions on access."""
    yield from _condition(field, "abcdef3", "restriction on access")


@NOTES.field("540", "abcdfu23", "accessCondition[use and reproduction]")
def terms_of_use(field: DataField, view: View[Any]) -> Iterator[AccessCondition]:
    """Terms of use and reproduction."""
    yield from _condition(field, "abcdf3", "use and reproduction")


@NOTES.field("542", "dfglnu3", "accessCondition[use and reproduction]")
def copyright_status(field: DataField, view: View[Any]) -> Iterator[AccessCondition]:
    """Information relating to copyright status."""
    yield from _condition(field, "dfgln3", "use and reproduction")


def _condition(field: DataField, codes: str, kind: str) -> Iterator[AccessCondition]:
    text, address = join(field, codes), _address(field)
    if text or address:
        yield AccessCondition(value=text or address or "", type=kind, xlink_href=address)


def _address(field: DataField) -> str | None:
    return next((link for link in map(address, field.values("u")) if link is not None), None)
