"""Notes, class marks, copies and identifiers: 010-086, 245$c, 362, 5XX, 852, 856.

They become note, abstract, tableOfContents, targetAudience, accessCondition, classification, location, identifier.
"""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.codes import PUBLISHER_NUMBER
from bibld.crosswalk._marc21.holdings import addresses, government_document_number
from bibld.crosswalk._marc21.identifiers import isbns
from bibld.crosswalk._marc21.notes import ABSTRACT_LABELS, AUDIENCE_LABELS, CONTENTS_LABELS, NOTE_TYPES
from bibld.crosswalk._marc21_loc.fields import StylesheetView, has_any, normalize_space, text_or_blank
from bibld.crosswalk._rules import EVERY, RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import (
    Abstract,
    AccessCondition,
    Classification,
    CopyInformation,
    Element,
    HoldingSimple,
    Identifier,
    ItemIdentifier,
    Location,
    Note,
    PhysicalLocation,
    TableOfContents,
    TargetAudience,
)

NOTES_AND_NUMBERS = RuleBook()

# --- notes

_TYPED = tuple(tag for tag, kind in NOTE_TYPES.items() if tag == "500" or (kind is not None and tag != "563"))
"""The notes that come first."""

_UNTYPED = tuple(tag for tag, kind in NOTE_TYPES.items() if tag not in _TYPED and kind is None)
_LEFT_OUT = {"508": "36u8", "518": "368", "530": "36u8"}


def _last_link(field: DataField) -> str | None:
    """Return the last address or authority number."""
    links = field.values("u", "0")
    return links[-1] if links else None


@NOTES_AND_NUMBERS.field("245", "c", "note[statement of responsibility]")
def statement_of_responsibility(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Statement of responsibility."""
    if has_any(field, "c"):
        yield Note(value=join(field, "c"), type="statement of responsibility")


@NOTES_AND_NUMBERS.field(" ".join(_TYPED), EVERY, "note, type by the tag")
def typed_note(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Note whose tag states what it is about."""
    yield _note(field, NOTE_TYPES[field.tag])


@NOTES_AND_NUMBERS.field(" ".join(_UNTYPED), EVERY, "note")
def untyped_note(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Any other note; a 588 in another script is not read."""
    if field.tag != "588" or not view.is_alternate(field):
        yield _note(field, None)


@NOTES_AND_NUMBERS.field("585", EVERY, "note, for an 880")
def exhibition_in_another_script(field: DataField, view: StylesheetView) -> Iterator[Note]:
    """Exhibitions note in another script, which is read once more, without its type."""
    if view.is_alternate(field):
        yield _note(field, None)


def _note(field: DataField, kind: str | None) -> Note:
    left_out = _LEFT_OUT.get(field.tag, "68")
    text = " ".join([subfield.value for subfield in field.subfields if subfield.code not in (*left_out,)])
    return Note(value=text, type=kind, xlink_href=_last_link(field))


@NOTES_AND_NUMBERS.field("520", "abu0", "abstract, displayLabel from the first indicator")
def abstract(field: DataField, view: StylesheetView) -> Iterator[Abstract]:
    """Summary."""
    label = ABSTRACT_LABELS.get(field.indicator1, "Summary")
    yield Abstract(value=join(field, "ab"), display_label=label, xlink_href=_last_link(field))


@NOTES_AND_NUMBERS.field("505", "agrtu0", "tableOfContents, displayLabel from the first indicator")
def contents(field: DataField, view: StylesheetView) -> Iterator[TableOfContents]:
    """Contents note."""
    label = CONTENTS_LABELS.get(field.indicator1)
    yield TableOfContents(value=join(field, "agrt"), display_label=label, xlink_href=_last_link(field))


@NOTES_AND_NUMBERS.field("521", "ab", "targetAudience, displayLabel from the first indicator")
def audience(field: DataField, view: StylesheetView) -> Iterator[TargetAudience]:
    """Target audience note."""
    label = "Audience" if field.indicator1 == " " else AUDIENCE_LABELS.get(field.indicator1)
    yield TargetAudience(value=join(field, "ab"), display_label=label)


@NOTES_AND_NUMBERS.field("506", "abcd35", "accessCondition[restriction on access]")
def restriction_on_access(field: DataField, view: StylesheetView) -> Iterator[AccessCondition]:
    """Restrictions on access."""
    yield AccessCondition(value=join(field, "abcd35"), type="restriction on access")


@NOTES_AND_NUMBERS.field("540", "abcde35", "accessCondition[use and reproduction]")
def terms_of_use(field: DataField, view: StylesheetView) -> Iterator[AccessCondition]:
    """Terms of use and reproduction."""
    yield AccessCondition(value=join(field, "abcde35"), type="use and reproduction")


# --- class marks


@NOTES_AND_NUMBERS.record("classification[lcc]", t050="ab3")
def lc_call_numbers(view: StylesheetView) -> Iterator[Classification]:
    """Each item number with the class before it, then each class with no item number behind it; never marked."""
    for field in view.tagged("050"):
        label = field.first("3")
        number = ""
        unfinished: list[str] = []
        for subfield in field.subfields:
            if subfield.code == "a":
                number = subfield.value
                unfinished.append(number)
            elif subfield.code == "b":
                yield Classification(value=f"{number} {subfield.value}", authority="lcc", display_label=label)
                unfinished.clear()
        for text in unfinished:
            yield Classification(value=text, authority="lcc", display_label=label)


@NOTES_AND_NUMBERS.field("060", "ab", "classification[nlm]")
def nlm_call_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """National Library of Medicine call numbers."""
    yield Classification(value=join(field, "ab"), authority="nlm")


@NOTES_AND_NUMBERS.field("080", "abx", "classification[udc]")
def udc_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Universal Decimal Classification."""
    yield Classification(value=join(field, "abx"), authority="udc")


@NOTES_AND_NUMBERS.field("082", "ab2", "classification[ddc], edition from $2")
def dewey_number(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Dewey Decimal Classification."""
    yield Classification(value=join(field, "ab"), authority="ddc", edition=field.first("2"))


@NOTES_AND_NUMBERS.field("084", "ab2", "classification, authority from $2")
def other_class_mark(field: DataField, view: StylesheetView) -> Iterator[Classification]:
    """Other classifications."""
    yield Classification(value=join(field, "ab"), authority=field.first("2") or "")


NOTES_AND_NUMBERS.field("086", "a2", "classification (unless corrected: nothing)")(government_document_number)


# --- copies


@NOTES_AND_NUMBERS.field("852", "abehijklmptu0", "location: physicalLocation, shelfLocator, holdingSimple")
def holding(field: DataField, view: StylesheetView) -> Iterator[Location]:
    """Where copies are kept."""
    places = [PhysicalLocation(value=join(field, "abe"))] if has_any(field, "abe") else []
    if has_any(field, "u"):
        places.append(PhysicalLocation(value=join(field, "u"), xlink_href=_last_link(field)))
    items = tuple(
        ItemIdentifier(value=subfield.value, type="copy number" if subfield.code == "t" else None)
        for subfield in field.subfields
        if subfield.code in ("p", "t")
    )
    yield Location(
        physical_location=tuple(places),
        shelf_locator=(text_or_blank(join(field, "hijklmt")),) if has_any(field, "hijklmt") else (),
        holding_simple=HoldingSimple((CopyInformation(item_identifier=items),)) if items else None,
    )


NOTES_AND_NUMBERS.record("location/url, displayLabel from $y $3, note from $z", t856="u3yz")(addresses)


# --- identifiers; none of these fields is read in another script


@NOTES_AND_NUMBERS.record("identifier[isbn], invalid for $z", t020="az")
def isbn(view: StylesheetView) -> Iterator[Element]:
    """ISBN."""
    for field in view.regular("020"):
        yield from isbns(field, view)


_ISSN_KINDS = (
    ("a", "issn", None), ("z", "issn", "yes"), ("y", "issn", "yes"), ("l", "issn-l", None), ("m", "issn-l", "yes"),
)  # fmt: skip


@NOTES_AND_NUMBERS.record("identifier[issn, issn-l], invalid for $m $y $z", t022="almyz")
def issn(view: StylesheetView) -> Iterator[Identifier]:
    """ISSN and ISSN-L: the first of each kind in a field."""
    for field in view.regular("022"):
        for code, kind, invalid in _ISSN_KINDS:
            text = field.first(code)
            if text is not None:
                yield Identifier(value=text, type=kind, invalid=invalid)


@NOTES_AND_NUMBERS.record("identifier, type from the first indicator or $2", t024="ab2")
def other_standard_number(view: StylesheetView) -> Iterator[Identifier]:
    """Other standard identifiers; an EAN (3) is none."""
    for field in view.regular("024"):
        indicator, text = field.indicator1, field.first("a")
        if indicator in ("0", "2") and text is not None:
            yield Identifier(value=text, type="isrc" if indicator == "0" else "ismn")
        elif indicator == "1":
            yield Identifier(value=text or "", type="upc")
        elif indicator == "4":
            yield Identifier(value=join(field, "ab"), type="sici")
        elif indicator in ("7", "8"):
            yield Identifier(value=text or "", type=field.first("2") if indicator == "7" else None)


@NOTES_AND_NUMBERS.record("identifier[lccn], invalid for $z", t010="az")
def lccn(view: StylesheetView) -> Iterator[Identifier]:
    """Library of Congress control number."""
    for field in view.regular("010"):
        for code, invalid in (("a", None), ("z", "yes")):
            text = field.first(code)
            if text is not None:
                yield Identifier(value=normalize_space(text), type="lccn", invalid=invalid)


@NOTES_AND_NUMBERS.record("identifier, type from the first indicator", t028="ab")
def publisher_number(view: StylesheetView) -> Iterator[Identifier]:
    """Issue, plate or other number of a publisher or distributor."""
    for field in view.regular("028"):
        yield Identifier(value=join(field, "ab"), type=PUBLISHER_NUMBER.get(field.indicator1, ""))


@NOTES_AND_NUMBERS.record("identifier[oclc, WlCaITV]", t035="a")
def system_number(view: StylesheetView) -> Iterator[Identifier]:
    """Numbers in two other systems; a field is recognised by any of its ``$a``, the number is that of the first."""
    for prefix, kind in (("(OCoLC)", "oclc"), ("(WlCaITV)", "WlCaITV")):
        for field in view.regular("035"):
            texts = field.values("a")
            if any(prefix in text for text in texts):
                yield Identifier(value=normalize_space(texts[0].partition(prefix)[2]), type=kind)


@NOTES_AND_NUMBERS.record("identifier[stock number], displayLabel from $c", t037="abc")
def stock_number(view: StylesheetView) -> Iterator[Identifier]:
    """Source of acquisition."""
    for field in view.regular("037"):
        label = join(field, "c") if has_any(field, "c") else None
        yield Identifier(value=join(field, "ab"), type="stock number", display_label=label)


_HANDLES = "http://hdl.loc.gov/"


@NOTES_AND_NUMBERS.record("identifier[hdl] from a handle in the address", t856="u3yz")
def handle(view: StylesheetView) -> Iterator[Identifier]:
    """Handle of the Library of Congress; one that begins with ``hdl`` gives two identifiers without a number."""
    for field in view.regular("856"):
        address = field.first("u") or ""
        value = "hdl:" + address.partition(_HANDLES)[2]
        is_name = address.startswith(("urn:hdl", "hdl"))
        if is_name or address.startswith("http://hdl.loc.gov"):
            yield Identifier(value=value, type="hdl")
        if is_name:
            label = join(field, "y3z") if has_any(field, "y3z") else None
            yield Identifier(value=value, type="hdl", display_label=label)
