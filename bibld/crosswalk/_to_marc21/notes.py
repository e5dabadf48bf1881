"""note, abstract, tableOfContents, targetAudience, accessCondition → 245 $c, 341-388, 5XX, 752."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.codes import NOTE_TYPES, NOTES_ON_WORKS
from bibld.crosswalk._marc21.notes import (
    ABSTRACT_LABELS,
    AUDIENCE_LABELS,
    CONTENTS_LABELS,
    NUMBERS_OF_FUNDING,
    SOURCES_OF_DESCRIPTION,
)
from bibld.crosswalk._marc21.subjects import ADDED_PLACE
from bibld.crosswalk._marc21.work_attributes import MEDIUM
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import RESPONSIBILITY
from bibld.crosswalk._to_marc21.names import link_subfields
from bibld.model.mods import AccessCondition, Mods, Note

BOOK = WriterBook()

_PREFERRED = {
    "accessibility": "532", "geospatial reference": "342", "ownership": "561", "system details": "538",
    "performers": "511", "participants or performers": "511", "acquisition": "541", "action": "583",
}  # fmt: skip
"""Types of notes that more than one field has, and the field that is written."""

_TAG_OF_TYPE: dict[str, str] = {
    **{kind: tag for tag, kind in reversed(NOTE_TYPES.items()) if kind is not None},
    **_PREFERRED,
}
_FIELD_OF_ATTRIBUTE = {
    kind: (tag, code) for tag, kinds in reversed(NOTES_ON_WORKS.items()) for code, kind in reversed(kinds.items())
}
_SERIES_OF_RISM = re.compile(r"RISM series (?P<series>.+)")
_PUBLIC = frozenset(("541", "561", "583"))
"""Fields that are public only if their first indicator states it."""

_BEGINNINGS = {
    "588": r"description based on|latest issue consulted|source of description|based on (?:print|online)"
    r"|(?:contents|version|online resource|last (?:reviewed|updated)|(?:pdf|print|online) version)"
    r".*\b(?:viewed|accessed|based)",
    "501": r"with(?: his| her)?:|bound with",
    "513": r"technical (?:report|memorandum|publication|paper|note)\b|technical;|final (?:report|contractor)\b"
    r"|(?:final|interim|progress|quarterly) (?:report)?\W[^.]*\d{4}",
    "516": r"text \(|computer (?:data|program)|electronic (?:text|serial|journal)",
    "522": r"geographic coverage|county-level|covers ",
    "525": r"(?:has |some issues? )?(?:accompanied by |issued with )?supplement|kept up to date",
    "530": r"also (?:available|issued|distributed)|issued also|available also",
    "547": r"title (?:varies|history)|former title",
    "550": r"(?:vols?\.|issues?|issued|published|prepared|sponsored|compiled) .*\bby\b|issuing body",
    "555": r"index(?:es)?:|finding aid|cumulative index",
    "580": r"continue[sd]|merger of|absorbed|formed by|split (?:from|into)|merged with|companion",
    "586": r".*\b(?:award|prize|medal)\b.*winner|academy awards?|pulitzer|.*\bbook award",
}
_FIELD_OF_BEGINNING = [(tag, re.compile(pattern, re.IGNORECASE)) for tag, pattern in _BEGINNINGS.items()]
"""Beginnings of notes without a type, by which records state what they are about; others are general (500)."""

_REPRODUCTION = re.compile(
    r"(?P<a>[^.:,\[\d]+?\.?) (?P<m>(?:\w+\.? )?<?\d{4}>?-(?:<?\d{2,4}>?)?\.? )?"
    r"(?P<b>\[[^\]]*\](?: ?:|,)?(?= )|(?:[^:\[\]\d]|\[[^\]]*\])+?(?: ?:|,(?= (?:U\.S\.|Supt))))? ?(?P<c>\D+?)"
    r" (?P<d>\[?(?:c|between )?\d{4}[?-]*\]?(?:-(?:\d{4})?)?[.,]?)(?: (?P<e>.+))?"
)
_FUNDING = re.compile(
    r" (?P<kind>contract|grant|program element|project|task|work unit) (?=\S)|(?:^|(?<=; ))(?P<first>contract|grant"
    r"|program element|project|task|work unit) "
)
_REFERENCES = re.compile(r"(?P<text>.*?) \((?P<number>\d+) references\)", re.DOTALL)
_CODES_OF_LEVELS = {1: "a", 2: "ad", 3: "abd", 4: "abcd"}
"""Number of places from the largest down → the subfields of 752."""


@BOOK.writes(
    "note",
    {
        **{f"note[@type='{kind}']": tag for kind, tag in sorted(_TAG_OF_TYPE.items())},
        f"note[@type='{MEDIUM}']": "382",
        **{f"note[@type='{kind}']": f"{tag} ${code}" for kind, (tag, code) in sorted(_FIELD_OF_ATTRIBUTE.items())},
        f"note[@type='{ADDED_PLACE}']": "752",
        "note[@type='acquisition source']": "037 $b",
        "note": "500; 501, 513-588 by the words with which it begins; @xlink:href $u",
    },
)
def notes(mods: Mods, draft: MarcDraft) -> None:
    """Add notes by their type."""
    for note in mods.note:
        if note.type not in (RESPONSIBILITY, "form and dates"):
            _note(note, draft)


def _note(note: Note, draft: MarcDraft) -> None:
    text, kind = note.value, note.type or ""
    if note.type is None and (series := _SERIES_OF_RISM.fullmatch(text)) is not None:
        draft.add("490", "0 ", (("a", series["series"]),), note)
        return
    if kind in _FIELD_OF_ATTRIBUTE:
        tag, code = _FIELD_OF_ATTRIBUTE[kind]
        draft.add(tag, "  ", ((code, text),), note)
    elif kind == MEDIUM:
        draft.add("382", "  ", (("a", text),), note)
    elif kind == ADDED_PLACE:
        levels = list(reversed(text.split(", ")))
        codes = _CODES_OF_LEVELS.get(len(levels))
        draft.add("752", "  ", zip(codes, levels, strict=True) if codes is not None else (("d", text),), note)
    elif kind == "print run" and text.isdecimal():
        draft.add("500", "  ", (("a", f"Print run: {text}"),), note)
    elif kind == "acquisition source":
        draft.add("037", "  ", (("b", text),), note)
    else:
        tag = _TAG_OF_TYPE.get(kind) or ("500" if kind else _tag_of_text(text))
        _field(tag, note, draft)


def _tag_of_text(text: str) -> str:
    for phrase in SOURCES_OF_DESCRIPTION.values():
        if text.startswith(f"{phrase}: "):
            return "588"
    return next((tag for tag, pattern in _FIELD_OF_BEGINNING if pattern.match(text)), "500")


def _field(tag: str, note: Note, draft: MarcDraft) -> None:
    text, indicator = note.value, "1" if tag in _PUBLIC else " "
    subfields: Subfields = _with_address(text, note.xlink_href)
    if tag == "588":
        for first, phrase in SOURCES_OF_DESCRIPTION.items():
            if text.startswith(f"{phrase}: "):
                indicator, subfields = first, (("a", text.removeprefix(f"{phrase}: ")),)
    elif tag == "533" and (found := _REPRODUCTION.fullmatch(text)) is not None:
        subfields = [(code, value.strip() if value else None) for code, value in found.groupdict().items()]
    elif tag == "536":
        subfields = _funding(text)
    elif tag == "504" and (found := _REFERENCES.fullmatch(text)) is not None:
        subfields = (("a", found["text"]), ("b", found["number"]))
    elif tag == "511":
        indicator = "1" if note.type == "performers" else "0"
    elif tag in ("362", "535"):
        indicator = "0" if tag == "362" else "1"
    draft.add(tag, f"{indicator} ", subfields, note)


def _funding(text: str) -> Subfields:
    """Divide a note on funding at the words that name the kinds of its numbers."""
    codes = {kind: code for code, kind in NUMBERS_OF_FUNDING.items() if kind}
    found = next((one for one in _FUNDING.finditer(text)), None)
    if found is None:
        yield "a", text
        return
    yield "a", text[: found.start()]
    for statement in text[found.start() :].strip().split("; "):
        kind = next((kind for kind in codes if statement.startswith(f"{kind} ")), None)
        yield (codes[kind], statement.removeprefix(f"{kind} ")) if kind is not None else ("d", statement)


def _with_address(text: str, link: str | None, code: str = "a") -> Subfields:
    """Yield a text, and the address at its end as ``$u``; one that is not in the text follows it."""
    if link is not None and text != link and text.endswith(link):
        yield code, text.removesuffix(link).rstrip()
        yield "u", link
        return
    yield code, text if text != link else None
    yield "u", link if link is not None and (text == link or link not in text) else None


_INDICATOR_OF_ABSTRACT = {label: indicator for indicator, label in ABSTRACT_LABELS.items() if label}
_INDICATOR_OF_CONTENTS = {label: indicator for indicator, label in CONTENTS_LABELS.items()}
_INDICATOR_OF_AUDIENCE = {label: indicator for indicator, label in AUDIENCE_LABELS.items() if label}
_NO_LABEL, _UNKNOWN_LABEL = "8", " "


@BOOK.writes("abstract", {"abstract": "520 $a $u, the first indicator from displayLabel"})
def abstracts(mods: Mods, draft: MarcDraft) -> None:
    """Summaries."""
    for one in mods.abstract:
        indicator = _INDICATOR_OF_ABSTRACT.get(one.display_label or "", " " if one.display_label else _NO_LABEL)
        draft.add("520", f"{indicator} ", _with_address(one.value, one.xlink_href), one)


@BOOK.writes("tableOfContents", {"tableOfContents": "505 $a $u, the first indicator from displayLabel"})
def contents(mods: Mods, draft: MarcDraft) -> None:
    """Contents."""
    for one in mods.table_of_contents:
        indicator = _INDICATOR_OF_CONTENTS.get(one.display_label or "", _NO_LABEL)
        link = one.xlink_href if one.xlink_href not in (None, one.value) else None
        draft.add("505", f"{indicator} ", (("a", one.value), ("u", link)), one)


@BOOK.writes(
    "targetAudience",
    {
        "targetAudience[@authority=marctarget]": "008/22",
        "targetAudience[@displayLabel]": "521, the first indicator from displayLabel",
        "targetAudience": "385 $a $2",
    },
)
def audience(mods: Mods, draft: MarcDraft) -> None:
    """Audience in words."""
    for one in mods.target_audience:
        if one.authority == "marctarget":
            continue
        if one.authority is None and one.value_uri is None:
            unlabelled = _NO_LABEL if one.display_label is None else _UNKNOWN_LABEL
            indicator = _INDICATOR_OF_AUDIENCE.get(one.display_label or "", unlabelled)
            draft.add("521", f"{indicator} ", (("a", one.value),), one)
        else:
            draft.add("385", "  ", (("a", one.value), *link_subfields(one), ("2", one.authority)), one)


OPEN_OR_RESTRICTED = {"Open access": "0", "Restricted access": "1"}
"""The statuses that 856 $7 codes."""


def status_of_addresses(mods: Mods) -> str | None:
    """Return the code of the access that all addresses have, if a condition states nothing more."""
    conditions = [one for one in mods.access_condition if one.type == "restriction on access"]
    has_addresses = any(location.url for location in mods.location)
    if len(conditions) != 1 or conditions[0].xlink_href is not None or not has_addresses:
        return None
    return OPEN_OR_RESTRICTED.get(conditions[0].value)


@BOOK.writes(
    "accessCondition",
    {
        "accessCondition[@type='restriction on access']": "506; Open access, Restricted access: 856 $7",
        "accessCondition": "540",
    },
)
def conditions(mods: Mods, draft: MarcDraft) -> None:
    """Conditions of access and use."""
    status = status_of_addresses(mods)
    for one in mods.access_condition:
        is_access = one.type == "restriction on access"
        if not (is_access and status is not None):
            draft.add("506" if is_access else "540", "  ", _condition(one), one)


def _condition(one: AccessCondition) -> Subfields:
    is_address = one.value == one.xlink_href
    return (("a", None if is_address else one.value), ("u", one.xlink_href))
