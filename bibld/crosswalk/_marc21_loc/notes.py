"""Notes, abstracts, contents, audience and access: 5XX, 245$c, 362 → note, abstract, tableOfContents …"""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21_loc.fields import StylesheetView, has_any
from bibld.crosswalk._rules import EVERY, RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import Abstract, AccessCondition, Note, TableOfContents, TargetAudience

NOTES = RuleBook()

_TYPES = {
    "362": "date/sequential designation", "500": None, "502": "thesis", "504": "bibliography",
    "508": "creation/production credits", "511": "performers", "515": "numbering", "518": "venue",
    "524": "preferred citation", "530": "additional physical form", "533": "reproduction", "535": "original location",
    "536": "funding", "538": "system details", "541": "acquisition", "545": "biographical/historical",
    "546": "language", "561": "ownership", "562": "version identification", "581": "publications", "583": "action",
    "585": "exhibitions",
}  # fmt: skip

_UNTYPED = "501 507 513 514 516 522 525 526 544 547 550 552 555 556 565 567 580 584 586 588"

_LEFT_OUT = {"508": "36u8", "518": "368", "530": "36u8"}

_ABSTRACT_LABELS = {"0": "Subject", "1": "Review", "2": "Scope and content", "3": "Abstract", "4": "Content advice"}
_CONTENTS_LABELS = {"0": "Contents", "1": "Incomplete contents", "2": "Partial contents"}
_AUDIENCE_LABELS = {
    "0": "Reading grade level", "1": "Interest age level", "2": "Interest grade level",
    "3": "Special audience characteristics", "4": "Motivation or interest level", " ": "Audience",
}  # fmt: skip


def href(field: DataField) -> str | None:
    """The last address or authority number."""
    links = field.values("u", "0")
    return links[-1] if links else None


@NOTES.field("245", "c", "note[statement of responsibility]")
def statement_of_responsibility(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Statement of responsibility."""
    if has_any(field, "c"):
        yield view.mark(Note(value=join(field, "c"), type="statement of responsibility"), field)


@NOTES.field(" ".join(_TYPES), EVERY, "note, type by the tag")
def typed_note(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """A note whose tag says what it is about."""
    yield _note(field, view, _TYPES[field.tag])


@NOTES.field(_UNTYPED, EVERY, "note")
def untyped_note(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Any other note; a 588 in another script is not read."""
    if field.tag != "588" or not view.is_alternate(field):
        yield _note(field, view, None)


@NOTES.field("585", EVERY, "note, for an 880")
def exhibition_in_another_script(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """An exhibitions note in another script is read once more, without its type."""
    if view.is_alternate(field):
        yield _note(field, view, None)


def _note(field: DataField, view: StylesheetView, kind: str | None) -> Note:
    left_out = _LEFT_OUT.get(field.tag, "68")
    text = " ".join([subfield.value for subfield in field.subfields if subfield.code not in (*left_out,)])
    return view.mark(Note(value=text, type=kind, xlink_href=href(field)), field)


@NOTES.field("520", "abu0", "abstract, displayLabel from the first indicator")
def abstract(field: DataField, view: StylesheetView) -> Iterator[Abstract]:
    """Summary."""
    label = None if field.indicator1 == "8" else _ABSTRACT_LABELS.get(field.indicator1, "Summary")
    yield view.mark(Abstract(value=join(field, "ab"), display_label=label, xlink_href=href(field)), field)


@NOTES.field("505", "agrtu0", "tableOfContents, displayLabel from the first indicator")
def contents(field: DataField, view: StylesheetView) -> Iterator[TableOfContents]:
    """Formatted contents note."""
    label = _CONTENTS_LABELS.get(field.indicator1)
    made = TableOfContents(value=join(field, "agrt"), display_label=label, xlink_href=href(field))
    yield view.mark(made, field)


@NOTES.field("521", "ab", "targetAudience, displayLabel from the first indicator")
def audience(field: DataField, view: StylesheetView) -> Iterator[TargetAudience]:
    """Target audience note."""
    label = _AUDIENCE_LABELS.get(field.indicator1)
    yield view.mark(TargetAudience(value=join(field, "ab"), display_label=label), field)


@NOTES.field("506", "abcd35", "accessCondition[restriction on access]")
def restriction_on_access(field: DataField, view: StylesheetView) -> Iterator[AccessCondition]:
    """Restrictions on access."""
    yield view.mark(AccessCondition(value=join(field, "abcd35"), type="restriction on access"), field)


@NOTES.field("540", "abcde35", "accessCondition[use and reproduction]")
def terms_of_use(field: DataField, view: StylesheetView) -> Iterator[AccessCondition]:
    """Terms of use and reproduction."""
    yield view.mark(AccessCondition(value=join(field, "abcde35"), type="use and reproduction"), field)
