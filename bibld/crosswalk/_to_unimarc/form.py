"""genre, physicalDescription, notes, abstract, contents, audience, access → 127, 181-183, 203, 215, block 3."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.characteristics import DURATION, DURATION_OF_PART
from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import RESPONSIBILITY
from bibld.crosswalk._to_unimarc.coded import level_of, type_subfields
from bibld.crosswalk._unimarc.notes import ABOUT_ACCESS, ABOUT_USE, COMPLETENESS, NOTES
from bibld.model.mods import Form, Mods, Note, PhysicalDescription

BOOK = WriterBook()

_PREFERRED = {"publication": "306", "preferred citation": "332", "system details": "337", "reproduction": "324"}
_TAG_OF_TYPE = {**{kind.type: tag for tag, kind in reversed(NOTES.items()) if kind.type}, **_PREFERRED}
_GENERAL_NOTE = "300"
_INDICATORS = {"207": " 0", "335": "0 "}
_OF_COPY = frozenset(("316", "317", "318"))
"""Notes on a copy, whose library is in ``$5``."""
_IN_RUSMARC = frozenset((
    "036", "207", "208", "229", "230", "239", "251", "300", "301", "302", "305", "309", "311", "313", "316", "317",
    "318", "320", "321", "322", "323", "324", "325", "334", "335", "336", "337", "345",
))  # fmt: skip
"""Notes that RUSMARC defines; others are general ones there."""
_PIECE = re.compile(r" (?P<mark>[:;+]) (?![^(]*\))")
_CODE_OF_MARK = {":": "c", ";": "d", "+": "e"}
_NOT_DIGITS = re.compile(r"\D")
_CODED = ("marcform", "marccategory", "marcsmd")
_CODED_KINDS = ("illustrative content", "supplementary content")
_TAG_OF_KIND = {"content": "181", "media": "182", "carrier": "183"}
_STATED_CODE = {"content": "a", "media": "c"}
_QUALIFIED = re.compile(r"(?P<form>[^()]+) \((?P<qualifications>[^()]+)\)")
_INDICATOR_OF_CONTENTS = {label: indicator for indicator, label in COMPLETENESS.items()}
_CODE_OF_OTHER_TYPE = {"key": ("128", "d"), "medium of performance": ("128", "b"), "document number": ("029", "f")}
_SECTION = "section of the periodical"
_ISSN = re.compile(r"\d{4}-\d{3}[\dX]")
PRINT_RUN = "print run"
"""The type of a note on how many copies were printed."""


@BOOK.writes(
    "physicalDescription",
    {
        "physicalDescription/extent": "215 $a $c $d $e, divided at the marks of ISBD",
        "physicalDescription/extent[@unit=duration]": "127 $a",
        "physicalDescription/form[@authority=gmd]": "200 $b",
        "physicalDescription/form[@authority=isbdcontent, isbdmedia]": "203 $a $b $c",
        "physicalDescription/form[@type=content, media, carrier]": "181, 182, 183 $c $2",
        "physicalDescription/form": "106-135 $a, 300",
        "physicalDescription/note": "230 $a, 300",
    },
)
def form(mods: Mods, draft: MarcDraft) -> None:
    """Physical form."""
    for description in mods.physical_description:
        _extents(description, draft)
        _stated_forms(description, draft)
        for one in description.form:
            _form(one, draft)
        for note in description.note:
            if note.type != "physical details":
                draft.add("230" if note.type is None else _GENERAL_NOTE, "  ", (("a", note.value),))


def _extents(description: PhysicalDescription, draft: MarcDraft) -> None:
    stated: list[tuple[str, str]] = []  # in RUSMARC there is one field
    for extent in description.extent:
        if extent.unit in (DURATION, DURATION_OF_PART):
            digits = _NOT_DIGITS.sub("", extent.value)
            draft.add("127", "  ", (("a", digits or extent.value),))
            continue
        stated += _extent_subfields(extent.value)
        if draft.flavour != RUSMARC:
            draft.add("215", "  ", _with_one_detail(stated), description)
            stated = []
    draft.add("215", "  ", _with_one_detail(stated), description)
    for note in description.note:
        if note.type == "physical details":
            tag, code = (_GENERAL_NOTE, "a") if draft.flavour == RUSMARC and draft.has("215") else ("215", "c")
            draft.add(tag, "  ", ((code, note.value),), description)


def _with_one_detail(subfields: list[tuple[str, str]]) -> Subfields:
    """Join the details, of which 215 may have one."""
    details = ", ".join(text for code, text in subfields if code == "c")
    position = next((number for number, (code, _) in enumerate(subfields) if code == "c"), len(subfields))
    return (
        *(one for one in subfields[:position]), ("c", details), *(one for one in subfields[position:] if one[0] != "c"),
    )  # fmt: skip


def _extent_subfields(text: str) -> list[tuple[str, str]]:
    pieces = _PIECE.split(text)
    subfields = [("a", pieces[0])]
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        subfields.append((_CODE_OF_MARK[mark], piece))
    return subfields


def _stated_forms(description: PhysicalDescription, draft: MarcDraft) -> None:
    """Add field 203: forms of content and media types of ISBD."""
    subfields: list[tuple[str, str | None]] = []
    for one in description.form:
        if one.authority not in ("isbdcontent", "isbdmedia"):
            continue
        found = _QUALIFIED.fullmatch(one.value)
        if one.type == "content" and found is not None:
            subfields.append(("a", found["form"]))
            subfields += [("b", text) for text in found["qualifications"].split(" ; ")]
        else:
            subfields.append((_STATED_CODE.get(one.type or "", "a"), one.value))
    draft.add("203", "  ", subfields)


def _form(one: Form, draft: MarcDraft) -> None:
    if one.authority in _CODED or one.type in _CODED_KINDS or one.authority in ("isbdcontent", "isbdmedia", "gmd"):
        return
    if one.type in _TAG_OF_KIND:
        draft.add(_TAG_OF_KIND[one.type], "  ", type_subfields(one.type, one.value, one.authority, draft.flavour))
    elif one.type is not None or one.authority is not None:
        draft.add(_GENERAL_NOTE, "  ", (("a", one.value),))


@BOOK.writes(
    "note",
    {
        **{f"note[@type='{kind}']": tag for kind, tag in sorted(_TAG_OF_TYPE.items())},
        "note[@type=key, 'medium of performance', 'document number']": "128 $d $b, 029 $f",
        "note[@type='section of the periodical']": "225 $a of articles",
        "note[@type='print run']": "010 $9 in RUSMARC, else 300",
        "note": "300, @xlink:href $u, @displayLabel before the text, of copies $5",
    },
)
def notes(mods: Mods, draft: MarcDraft) -> None:
    """Add notes by their type."""
    for note in mods.note:
        if note.type == _SECTION and level_of(mods) == "a":
            title, *others = note.value.split(" : ")
            draft.add("225", "1 ", (("a", title), *(("e", text) for text in others)), note)
        elif note.type not in (RESPONSIBILITY, PRINT_RUN):
            _note(note, draft)
        elif note.type == PRINT_RUN and draft.flavour != RUSMARC:
            draft.add(_GENERAL_NOTE, "  ", (("a", note.value),))


def _note(note: Note, draft: MarcDraft) -> None:
    if note.type in _CODE_OF_OTHER_TYPE:
        tag, code = _CODE_OF_OTHER_TYPE[note.type]
        draft.add(tag, "  ", ((code, note.value),), note)
        return
    tag = _TAG_OF_TYPE.get(note.type or "", _GENERAL_NOTE)
    text = note.value if note.value != note.xlink_href else None
    label = note.display_label
    if draft.flavour == RUSMARC and (tag not in _IN_RUSMARC or (tag in _OF_COPY and not label)):
        tag = _GENERAL_NOTE
    if tag not in _OF_COPY and text is not None and label is not None:
        text, label = f"{label}: {text}", None
    if tag == _GENERAL_NOTE and draft.flavour == RUSMARC and note.xlink_href is not None:
        draft.add(tag, "  ", (("a", f"{text} {note.xlink_href}" if text else note.xlink_href),), note)
        return
    if tag == "321" and text is not None:
        pieces = text.split(", ")
        issn = pieces.pop() if len(pieces) > 1 and _ISSN.fullmatch(pieces[-1]) else None
        dates = pieces.pop() if len(pieces) > 1 and pieces[-1][:4].isdecimal() else None
        draft.add("321", "1 ", (("a", ", ".join(pieces)), ("b", dates), ("x", issn)), note)
        return
    draft.add(tag, _INDICATORS.get(tag, "  "), (("a", text), ("u", note.xlink_href), ("5", label)), note)


@BOOK.writes(
    "abstract",
    {
        "abstract": "330 $a",
        "tableOfContents": "327 $a, one for each part between dashes; the first indicator from displayLabel",
        "targetAudience": "333 $a",
        "accessCondition": "371 $a; in the words of 333 that field",
    },
)
def summaries(mods: Mods, draft: MarcDraft) -> None:
    """Abstracts, contents, audience and conditions."""
    for abstract in mods.abstract:
        draft.add("330", "  ", (("a", abstract.value),), abstract)
    for contents in mods.table_of_contents:
        indicator = _INDICATOR_OF_CONTENTS.get(contents.display_label or "", "1")
        texts = contents.value.split(" -- ")
        draft.add("327", f"{indicator} ", [*(("a", text) for text in texts), ("u", contents.xlink_href)], contents)
    for audience in mods.target_audience:
        if audience.authority != "marctarget":
            draft.add("333", "  ", (("a", audience.value),), audience)
    for condition in mods.access_condition:
        is_access = condition.type == "restriction on access"
        text = condition.value or condition.xlink_href or ""
        is_stated = (ABOUT_ACCESS if is_access else ABOUT_USE).search(text) is not None
        if is_stated and (is_access or ABOUT_ACCESS.search(text) is None):
            draft.add("333", "  ", (("a", text),), condition)
        else:
            draft.add("371", f"{'0' if is_access else '1'} ", (("a", text),), condition)
