"""titleInfo and statements of responsibility → 200 and block 5."""

from __future__ import annotations

from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import non_sorting, parts_of_title, statements_of_responsibility
from bibld.crosswalk._unimarc.codes import RELATED_TITLES
from bibld.model.mods import Mods, Note, TitleInfo
from bibld.text.folding import NON_SORTING_BEGIN, NON_SORTING_END

BOOK = WriterBook()

_TAG_OF_TITLE = {(kind, label): tag for tag, (kind, label) in reversed(RELATED_TITLES.items())}
_TAG_OF_LABEL = {label: tag for tag, (_, label) in reversed(RELATED_TITLES.items()) if label is not None}
_PARALLEL, _UNIFORM, _WORK, _VARIANT, _SUPPLIED = "parallel title", "500", "506", "517", "540"
_ABBREVIATED = "531"
_FIRST_STATEMENT, _NEXT_STATEMENTS = "f", "g"


@BOOK.writes(
    "titleInfo",
    {
        "titleInfo": "200 $a $e $h $i, the article between the marks of ISO 6630; further ones 517; with @supplied 540",
        "titleInfo[@type=translated]": "541; a parallel title 200 $d $e and 510 with $z",
        "titleInfo[@type=alternative]": "511-518, 520, 545, 560 by displayLabel, else 517",
        "titleInfo[@type=uniform]": "500; beside a primary name of no nameTitleGroup 506; "
        "[@displayLabel='key title'] 530",
        "titleInfo[@type=abbreviated]": "531",
        "note[@type='statement of responsibility']": "200 $f, further statements $g; of other titles 314",
    },
)
def titles(mods: Mods, draft: MarcDraft) -> None:
    """Titles of the resource."""
    proper = [title for title in mods.title_info if title.type is None and title.title]
    notes = statements_of_responsibility(mods)
    stated = [title for title in proper if title is proper[0] or is_counterpart(title, proper[0])]
    for title in stated:
        own = _statement_of(title, notes, is_first=title is proper[0])
        _title_proper(title, own, mods if title is proper[0] else Mods(), draft)
    for title in proper:
        if title not in stated:
            draft.add(_VARIANT, "1 ", _parts(title), title)
    for note in notes:
        draft.add("300" if draft.flavour == RUSMARC else "314", "  ", (("a", note.value),), note)
    has_entry = any(name.usage == "primary" for name in mods.name)
    for title in mods.title_info:
        if title.type is not None and title.title:
            _other_title(title, draft, has_entry=has_entry)


def marked_title(title: TitleInfo) -> str:
    """Return a title whose article is between the marks of ISO 6630."""
    skipped = non_sorting(title)
    return f"{NON_SORTING_BEGIN}{skipped}{NON_SORTING_END}{title.title}" if skipped else title.title


def _is_parallel(title: TitleInfo) -> bool:
    return title.display_label in (None, _PARALLEL) and title.script is None


def _statement_of(title: TitleInfo, notes: list[Note], *, is_first: bool) -> str:
    """Take the statement of responsibility of a title out of the notes."""
    own = next(
        (note for note in notes if (note.alt_rep_group, note.script) == (title.alt_rep_group, title.script)), None
    )
    if own is None and is_first:
        own = next((note for note in notes if note.alt_rep_group is None), None)
    if own is None:
        return ""
    notes.remove(own)
    return own.value


def _title_proper(title: TitleInfo, statement: str, mods: Mods, draft: MarcDraft) -> None:
    parallel = [one for one in mods.title_info if one.type == "translated" and _is_parallel(one)]
    designations = [
        form.value for description in mods.physical_description for form in description.form if form.authority == "gmd"
    ]
    first, *others = statement.split(" ; ")
    subfields = [
        ("a", marked_title(title)),
        *(("b", text) for text in designations),
        *(("e", piece) for text in title.sub_title for piece in text.split(" : ")),
        *parts_of_title(title, "h", "i"),
        *(
            (code, text)
            for other in parallel
            for code, text in (("d", marked_title(other)), *_other_information(other))
        ),
        (_FIRST_STATEMENT, first),
        *((_NEXT_STATEMENTS, text) for text in others),
        *(("z", other.lang) for other in parallel),
    ]
    draft.add("200", "1 ", subfields, title)


def _other_information(title: TitleInfo) -> Subfields:
    yield from (("e", text) for text in title.sub_title)
    yield from parts_of_title(title, "h", "i")


def _parts(title: TitleInfo) -> Subfields:
    return (("a", marked_title(title)), *_other_information(title), ("z", title.lang))


def _other_title(title: TitleInfo, draft: MarcDraft, *, has_entry: bool) -> None:
    label = title.display_label
    if label is not None and label.casefold() in _TAG_OF_LABEL:
        label = label.casefold()
    base, _, copy = label.partition(": ") if label is not None else ("", "", "")
    if title.type == "uniform" and label is None:
        subfields = [
            ("a", marked_title(title)),
            *parts_of_title(title, "h", "i"),
            ("2", title.authority),
            ("3", title.value_uri),
        ]
        draft.add(_UNIFORM if title.name_title_group or not has_entry else _WORK, "10", subfields, title)
    elif title.type == "translated" and _is_parallel(title):
        draft.add("510" if label == _PARALLEL or title.lang is None else "541", "1 ", _parts(title), title)
    else:
        known = _TAG_OF_TITLE.get((title.type or "", label)) or _TAG_OF_LABEL.get(label or "")
        if title.supplied == "yes" and label is None:
            known = _SUPPLIED
        tag = known or _TAG_OF_LABEL.get(base) or _TAG_OF_TITLE.get((title.type or "", None), _VARIANT)
        copy = copy if base in _TAG_OF_LABEL else ""
        indicators = "  " if tag == _ABBREVIATED else "1 "
        draft.add(tag, indicators, (*_parts(title), ("5", copy), ("3", title.value_uri)), title)
        if label is not None and known is None and not copy:
            note = "300" if draft.flavour == RUSMARC else "312"
            draft.add(note, "  ", (("a", f"{label}: {title.title}"),), title)
