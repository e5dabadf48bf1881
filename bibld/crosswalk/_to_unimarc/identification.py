"""identifier, language, recordInfo → 001-005, 010-101, 801, 830."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.codes import PUBLISHER_NUMBER
from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_unimarc.coded import level_of
from bibld.crosswalk._to_unimarc.form import PRINT_RUN
from bibld.crosswalk._unimarc.codes import ORIGINAL_LANGUAGE
from bibld.crosswalk._unimarc.identification import AGENCY_NOTE, NUMBERS
from bibld.model.identifiers import hyphenated_isbn
from bibld.model.mods import Identifier, Mods, RecordInfo
from bibld.text.libraries import country_of_library
from bibld.text.places import MARC_COUNTRY_OF_ISO

BOOK = WriterBook()

_TAG_OF_NUMBER = {number.type: tag for tag, number in NUMBERS.items() if number.type != "$2"} | {
    "legal deposit number": "021", "gpo item number": "022", "patent number": "039",
}  # fmt: skip
_WITH_COUNTRY = ("020", "021", "022", "039", "079")
_NOT_IN_RUSMARC, _NEED_COUNTRY = ("040", "072"), ("020", "021", "022", "039")
_NO_NOTE, _NO_DIFFERENCE = ("072", "079"), ("017", "073")
"""Fields whose second indicator is 0: no note on the number; in RUSMARC no difference from a code for machines."""
_WITH_PREFIX = re.compile(r"(?:GB|DE|US|CA|RU|NZ|AU)(?=[A-Z]?\d)")
_COUNTRY = re.compile(r"(?P<country>[A-Z]{2}) (?P<number>.+)", re.DOTALL)
_INDICATOR_OF_PUBLISHER = {kind: indicator for indicator, kind in PUBLISHER_NUMBER.items()}
_CODE_OF_PART = {part: code for code, part in ORIGINAL_LANGUAGE.items()}
_TRANSLATION = "c"
_PREFIX = {"oclc": "(OCoLC)", "lccn": "(DLC)", "uri": "", "local": "", "WlCaITV": "(WlCaITV)", "nban": ""}
_INDICATOR_OF_AGENCY = {kind: indicator for indicator, kind in AGENCY_NOTE.items()}
_AGENCY = re.compile(r"(?P<country>[A-Z]{2}) (?P<agency>.+?)(?: (?P<date>\d{8}))?")
_NOT_TIME = str.maketrans("", "", "-:T")
_ARTICLES = ("sici",)
_UNKNOWN_COUNTRY = "XX"
_LENGTH_OF_DAY = 8


@BOOK.writes(
    "identifier",
    {
        "identifier[@type=isbn]": "010 $a $b, @invalid $z",
        "identifier[@type=issn, issn-l]": "011 $a $f, @invalid $y $g",
        **{f"identifier[@type='{kind}']": tag for kind, tag in sorted(_TAG_OF_NUMBER.items())},
        "identifier[@type='registration sheet']": "021 $9",
        "identifier[@type='document number']": "029 $b",
        "identifier[@type='issue number' …]": "071 $a, the first indicator from @type",
        "identifier[@type=oclc, lccn, local]": "035 with the prefix of the system",
        "identifier[@type=uri]": "033",
        "identifier[@type=urn]": "856 $g",
        "identifier of any other type": "017 $a $2, of an article 014",
        "note[@type='print run']": "010 $9 in RUSMARC",
    },
)
def identifiers(mods: Mods, draft: MarcDraft) -> None:
    """Add standard and other numbers."""
    runs = [note.value for note in mods.note if note.type == PRINT_RUN] if draft.flavour == RUSMARC else []
    sheets = [one.value for one in mods.identifier if one.type == "registration sheet"]
    is_article = level_of(mods) == "a"
    for one in mods.identifier:
        if one.type == "registration sheet":
            continue
        extra: Subfields = ()
        if one.type in ("isbn", "issn") and runs:
            extra = (("9", runs.pop(0)),)
        elif one.type in ("legal deposit", "legal deposit number") and sheets:
            extra = (("9", sheets.pop(0)),)
        _identifier(one, draft, extra, is_article=is_article)
    for text in runs:
        draft.add("010", "  ", (("9", text),))
    for text in sheets:
        draft.add("021", "  ", (("9", text),))


def _identifier(one: Identifier, draft: MarcDraft, extra: Subfields, *, is_article: bool) -> None:
    kind, value, is_invalid = one.type or "", one.value, one.invalid == "yes"
    label = one.display_label
    if kind == "isbn":
        number = ("z", value) if is_invalid else ("a", hyphenated_isbn(value))
        draft.add("010", "  ", (number, ("b", label), *extra))
    elif kind in ("issn", "issn-l"):
        code = ("y" if is_invalid else "a") if kind == "issn" else "g" if is_invalid else "f"
        draft.add("011", "  ", ((code, value), ("b", label), *extra))
    elif kind in _TAG_OF_NUMBER:
        tag = _TAG_OF_NUMBER[kind]
        found = _COUNTRY.fullmatch(value) if tag in _WITH_COUNTRY and not is_invalid else None
        country = found["country"] if found is not None else _country_of_number(value, label)
        if draft.flavour == RUSMARC and (tag in _NOT_IN_RUSMARC or (tag in _NEED_COUNTRY and country is None)):
            draft.add("017", "70", (("z" if is_invalid else "a", value), ("b", label), ("2", kind), *extra))
            return
        code_of_label = NUMBERS[tag].label
        stated: Subfields = (("z" if is_invalid else NUMBERS[tag].codes[-1], value),)
        if tag in _WITH_COUNTRY and country is not None and not is_invalid:
            codes = NUMBERS[tag].codes
            stated = ((codes[0], country), (codes[1], found["number"] if found is not None else value))
        named = ((code_of_label, label),) if code_of_label else ()
        draft.add(tag, f" {_second_indicator(tag, draft)}", (*stated, *named, *extra))
    elif kind == "document number":
        draft.add("029", "  ", (("b", value),))
    elif kind in _INDICATOR_OF_PUBLISHER:
        draft.add("071", f"{_INDICATOR_OF_PUBLISHER[kind]}0", (("z" if is_invalid else "a", value), ("c", label)))
    elif kind in _PREFIX:
        prefix = f"({label})" if kind == "nban" and label else _PREFIX[kind]
        draft.add("033" if kind == "uri" else "035", "  ", (("z" if is_invalid else "a", f"{prefix}{value}"),))
    elif kind == "urn":
        draft.add("856", "4 ", (("g", value),))
    elif kind in _ARTICLES:
        draft.add("014", "  ", (("a", value), ("2", kind)))
    else:
        tag, first = ("014", " ") if is_article else ("017", "7" if kind else "8")
        indicators = f"{first}{_second_indicator(tag, draft)}"
        draft.add(tag, indicators, (("z" if is_invalid else "a", value), ("b", label), ("2", kind or None)))


def _country_of_number(number: str, label: str | None) -> str | None:
    """Return the country of a number: that of its prefix (``GB98-23456``), or of the agency that labels it."""
    found = _WITH_PREFIX.match(number)
    return found[0] if found is not None else country_of_library(label or "", is_marc_code=True)


def _second_indicator(tag: str, draft: MarcDraft) -> str:
    return "0" if tag in _NO_NOTE or (draft.flavour == RUSMARC and tag in _NO_DIFFERENCE) else " "


@BOOK.writes(
    "language",
    {
        "language": "101 $a",
        "language[@objectPart]": "101 $b $c $d $e $h $i $j by the part",
    },
)
def languages(mods: Mods, draft: MarcDraft) -> None:
    """Languages of the resource and of its parts."""
    subfields = [
        (code, term.value)
        for language in mods.language
        for term in language.language_term
        if (code := "a" if language.object_part is None else _CODE_OF_PART.get(language.object_part))
    ]
    subfields.sort(key=lambda subfield: subfield[0])
    is_translation = any(code == _TRANSLATION for code, _ in subfields)
    draft.add("101", f"{'1' if is_translation else '0'} ", subfields)


@BOOK.writes(
    "recordInfo",
    {
        "recordInfo/recordIdentifier": "001; [@source=uri] 003",
        "recordInfo/recordChangeDate": "005, a day without a time 801 _0 $c",
        "recordInfo/recordCreationDate": "100 $a/0-7",
        "recordInfo/recordContentSource": "801 _0 $a $b; without it recordIdentifier/@source",
        "recordInfo/descriptionStandard": "801 _0 $g",
        "recordInfo/recordInfoNote": "801 _1-_3 $a $b $c by @type; [@type=encodingLevel] leader/17; 830",
        "recordInfo/recordInfoNote[@type='original number']": "801 _0 $h",
    },
)
def record(mods: Mods, draft: MarcDraft) -> None:
    """About the record; of merged descriptions, the first."""
    info = mods.record_info[0] if mods.record_info else RecordInfo()
    uris = [one.value for one in info.record_identifier if one.source == "uri"]
    numbers = [one.value for one in info.record_identifier if one.source != "uri"]
    draft.add_control("001", next(iter(numbers), None))
    draft.add_control("003", next(iter(uris), None))
    changed = next((date.value for date in info.record_change_date), "")
    draft.add_control("005", _time(changed))
    numbers_of_source = [note.value for note in info.record_info_note if note.type == "original number"]
    standards = [("g", one.value) for one in info.description_standard[:1]]
    sources = [one.value for one in info.record_content_source[:1]]
    sources += [one.source for one in info.record_identifier if one.source not in (None, "uri")]
    is_marc_code = (
        any(one.authority == "marcorg" for one in info.record_content_source) or not info.record_content_source
    )
    if sources:
        agency = _agency(sources[0], draft, is_marc_code=is_marc_code)
        day = changed if len(changed) == _LENGTH_OF_DAY and not draft.is_nested else None
        draft.add("801", " 0", (*agency, ("c", day), *standards, *(("h", text) for text in numbers_of_source)))
    for note in info.record_info_note:
        if note.type in _INDICATOR_OF_AGENCY or note.type is None:
            other = list(_agency(note.value, draft, is_marc_code=is_marc_code))
            draft.add("801", f" {_INDICATOR_OF_AGENCY.get(note.type or '', '2')}", (*other, *standards))
        elif note.type == "cataloguer":
            draft.add("830", "  ", (("a", note.value),))


def _agency(text: str, draft: MarcDraft, *, is_marc_code: bool) -> Subfields:
    """Divide a statement of an agency into country, name and date; the code of a library states its country."""
    found = _AGENCY.fullmatch(text)
    if found is None and text in MARC_COUNTRY_OF_ISO and not is_marc_code:
        return (("a", text),)
    if found is None:
        return (("a", country_of_library(text, is_marc_code) or draft.country or _UNKNOWN_COUNTRY), ("b", text))
    return (("a", found["country"]), ("b", found["agency"]), ("c", found["date"]))


def _time(text: str) -> str | None:
    """Return a date in the form of field 005: a date as it was stated, ISO 8601 without its marks."""
    digits = text.translate(_NOT_TIME)
    if not digits[:8].isdecimal() or len(text) == _LENGTH_OF_DAY:
        return None
    return text if "-" not in text and text[8:9].isdecimal() else f"{digits[:14].ljust(14, '0')}.0"
