"""titleInfo and statements of responsibility → 130, 210, 222, 240, 242, 245, 246, 247, 730, 740."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.titles import LABEL_OF_VARYING_TITLE
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import full_title, parts_of_title, statements_of_responsibility
from bibld.crosswalk._to_marc21.names import link_subfields, main_entry
from bibld.crosswalk._to_marc21.uniform_titles import uniform_title_subfields
from bibld.model.mods import Mods, Note, TitleInfo

BOOK = WriterBook()

_VARYING_TITLE, _FORMER_TITLE, _KEY_TITLE = "varying title", "former title", "key title"
_INDICATOR_OF_LABEL = {label: indicator for indicator, label in LABEL_OF_VARYING_TITLE.items()}
_QUALIFIER = re.compile(r"(?P<title>.*\S) ?(?P<qualifier>\([^()]*(?:\([^()]*\)[^()]*)*\))")
_MAX_PARALLEL_TITLES = 2
"""How many parallel titles are repeated in 245$b; all have a field of their type."""
_FORM_AND_DATES = "form and dates"


@BOOK.writes(
    "titleInfo",
    {
        "titleInfo": "245 $a $b $n $p, the second indicator from nonSort; further ones 246; in other scripts 880",
        "titleInfo[@type=translated]": "246 _1, and 245 $b after =; with @lang 242 $y",
        "titleInfo[@type=alternative]": "246, the second indicator or $i from displayLabel; with nonSort 740",
        "titleInfo[@displayLabel='key title']": "222 $a $b",
        "titleInfo[@displayLabel='former title']": "247",
        "titleInfo[@type=abbreviated]": "210 $a $b",
        "titleInfo[@type=uniform]": "240 under a main entry of the same nameTitleGroup, 130 without main entry, 730",
        "note[@type='statement of responsibility']": "245 $c; further ones 500",
        "note[@type='form and dates']": "245 $f",
    },
)
def titles(mods: Mods, draft: MarcDraft) -> None:
    """Titles of the resource."""
    proper = [title for title in mods.title_info if title.type is None and title.title]
    notes = statements_of_responsibility(mods)
    entry = main_entry(mods)
    if proper:
        main = proper[0]
        stated = [main, *(title for title in proper[1:] if is_counterpart(title, main))]
        for title in stated:
            _title_statement(title, notes, mods, draft, is_first=title is main)
        for title in proper[1:]:
            if title not in stated:
                draft.add("246", "3 ", _varying(title), title)
    for note in notes:
        draft.add("500", "  ", (("a", note.value),), note)
    has_uniform = False
    for title in mods.title_info:
        if title.type == "uniform" and title.title:
            is_of_entry = title.name_title_group is not None and entry is not None
            _uniform(title, draft, tag="730" if has_uniform or (entry is not None) != is_of_entry else "")
            has_uniform = True
        elif title.type is not None and title.title:
            _other_title(title, draft)


def _title_statement(title: TitleInfo, notes: list[Note], mods: Mods, draft: MarcDraft, *, is_first: bool) -> None:
    """Add a field 245 with the statement of responsibility that belongs to it, which is taken from the notes."""
    text, skipped = full_title(title)
    own = next(
        (note for note in notes if note.alt_rep_group == title.alt_rep_group and note.script == title.script), None
    )
    if own is None and is_first:
        own = next((note for note in notes if note.alt_rep_group is None), None)
    if own is not None:
        notes.remove(own)
    dates = next((note.value for note in mods.note if note.type == _FORM_AND_DATES), None) if is_first else None
    designations = (
        form.value for description in mods.physical_description for form in description.form if form.authority == "gmd"
    )
    designation = next(designations, None) if is_first else None
    subfields: Subfields = (
        ("a", text),
        *parts_of_title(title, "n", "p"),
        *((("h", f"[{designation}]"),) if designation else ()),
        ("b", " : ".join(title.sub_title)),
        *(_parallel(mods) if is_first else ()),
        ("f", dates),
        ("c", own.value if own is not None else None),
    )
    draft.add("245", ("1" if main_entry(mods) else "0") + skipped, _one_remainder(subfields), title)


def _parallel(mods: Mods) -> Subfields:
    """Yield the parallel titles that 245 repeats, each with the sign of equality before it."""
    found = [
        title
        for title in mods.title_info
        if title.type == "translated" and title.lang is None and title.display_label is None and not title.script
    ]
    for title in found[:_MAX_PARALLEL_TITLES]:
        yield "b", f"= {full_title(title)[0]}" + "".join(f" : {text}" for text in title.sub_title)


def _one_remainder(subfields: Subfields) -> Subfields:
    """Join the subfields ``$b``, of which 245 may have one."""
    stated = [(code, text) for code, text in subfields if text]
    remainder = " ".join(text for code, text in stated if code == "b")
    is_written = False
    for code, text in stated:
        if code != "b":
            yield code, text
        elif not is_written:
            is_written = True
            yield code, remainder


def _varying(title: TitleInfo) -> Subfields:
    return (
        ("a", full_title(title)[0]), ("b", " : ".join(title.sub_title)), *parts_of_title(title, "n", "p"),
    )  # fmt: skip


def _uniform(title: TitleInfo, draft: MarcDraft, tag: str) -> None:
    text, skipped = full_title(title)
    subfields = (
        *uniform_title_subfields(text), *parts_of_title(title, "n", "p"), *link_subfields(title),
        ("1", title.xlink_href),
    )  # fmt: skip
    if tag == "730":
        draft.add("730", f"{skipped} ", subfields, title)
    elif title.name_title_group is not None:
        draft.add("240", f"1{skipped}", subfields, title)
    else:
        draft.add("130", f"{skipped} ", subfields, title)


def _other_title(title: TitleInfo, draft: MarcDraft) -> None:
    text, skipped = full_title(title)
    label, dates = title.display_label, None
    for known in (*_INDICATOR_OF_LABEL, _VARYING_TITLE, _FORMER_TITLE):
        if label is not None and label.startswith(f"{known}, "):
            label, dates = known, label.removeprefix(f"{known}, ")
    if title.type == "abbreviated":
        draft.add("210", "0 ", _with_qualifier(text), title)
    elif label == _KEY_TITLE:
        draft.add("222", f" {skipped}", _with_qualifier(text), title)
    elif label == _FORMER_TITLE:
        draft.add("247", "10", (*_varying(title), ("f", dates)), title)
    elif title.type == "translated" and title.lang is not None:
        draft.add("242", f"1{skipped}", (*_varying(title), ("y", title.lang)), title)
    elif title.type == "alternative" and title.non_sort and label is None and not title.sub_title:
        draft.add("740", f"{skipped} ", (("a", text), *parts_of_title(title, "n", "p")), title)
    else:
        indicator = _INDICATOR_OF_LABEL.get(label or "", " ")
        if title.type == "translated" and label is None:
            indicator = "1"
        phrase = label if indicator == " " and label != _VARYING_TITLE else None
        draft.add("246", f"1{indicator}", (("i", phrase), *_varying(title), ("f", dates)), title)


def _with_qualifier(text: str) -> Subfields:
    found = _QUALIFIER.fullmatch(text)
    return (("a", text),) if found is None else (("a", found["title"]), ("b", found["qualifier"]))
