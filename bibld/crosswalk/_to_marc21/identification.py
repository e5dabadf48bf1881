"""identifier, recordInfo, language → 001-005, 010-041, 074, 086-088."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.form import OBJECT_PART
from bibld.crosswalk._marc21.identification import NUMBER_OF_PUBLISHER, NUMBER_TYPES, OTHER_STANDARD
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.model.mods import Identifier, Language, LanguageTerm, Mods, RecordInfo

BOOK = WriterBook()

_TAG_OF_NUMBER = {kind: tag for tag, kind in NUMBER_TYPES.items()} | {"legal deposit": "017"}
_SOURCE_CODE = {"015": "2", "016": "2", "017": "b", "032": "b", "036": "b"}
_INDICATOR_OF_STANDARD = {kind: indicator for indicator, kind in OTHER_STANDARD.items()}
_INDICATOR_OF_PUBLISHER = {kind: indicator for indicator, kind in NUMBER_OF_PUBLISHER.items()}
_ISSN_CODES = {"issn": ("a", "y"), "issn-l": ("l", "m")}
_CODE_OF_PART = {part: code for code, part in OBJECT_PART.items()}
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d).*)?")
_STATED_AGENCY = re.compile(r"[A-Z]{2} (?P<agency>.+?)(?: (?:19|20)\d{6})?")
_AACR = "aacr"
_OCLC_PREFIX = "(OCoLC)"
_COUNTRY_OF_PATENT = re.compile(r"(?P<country>[A-Za-z]{2,3}) (?P<number>.+)")
_ADDITION = re.compile(r"(?P<number>\d[\dX]{5,}) (?P<addition>\d{2}|\d{5})")
_UNSPECIFIED = "8"
_PLACE_OF_URN = ("doi", "hdl")
_LCCN = "lccn"
_STRUCTURE_OF_LCCN = re.compile(r"(?P<prefix>[a-z]{0,3}) *(?P<digits>\d{8}|\d{10})")
_DIGITS_UNTIL_2000 = 8
_TAKEN_BY_ADDRESS = ("doi.org/", "hdl.handle.net/", "hdl.loc.gov/")


@BOOK.writes(
    "identifier",
    {
        "identifier[@type=isbn]": "020 $a $q, @invalid $z",
        "identifier[@type=issn, issn-l]": "022 $a $y $l $m",
        "identifier[@type=lccn]": "010",
        **{f"identifier[@type='{kind}']": f"{tag} $a $z" for tag, kind in NUMBER_TYPES.items() if tag != "010"},
        "identifier[@type=isrc, upc, ismn, ean, sici]": "024, the first indicator from @type",
        "identifier[@type='patent number']": "013 $b $a",
        "identifier[@type=fingerprint]": "026 $e $2",
        "identifier[@type='issue number' …]": "028 $b $a, the first indicator from @type",
        "identifier[@type=oclc, WlCaITV, local]": "035 with the prefix of the system; local without one 024 7_",
        "identifier[@type='stock number']": "037",
        "identifier of any other type": "024 7_ $2, without @type 024 8_",
    },
)
def identifiers(mods: Mods, draft: MarcDraft) -> None:
    """Add standard and other numbers."""
    has_qualifiers = any(one.value == "rda" for info in mods.record_info for one in info.description_standard)
    addresses = [url.value for location in mods.location for url in location.url]
    for one in mods.identifier:
        if one.type in _PLACE_OF_URN and any(
            host in text and text.endswith(one.value.removeprefix("hdl:"))
            for text in addresses
            for host in _TAKEN_BY_ADDRESS
        ):
            continue
        _identifier(one, draft, has_qualifiers=has_qualifiers)


def spaced_lccn(number: str) -> str:
    """Return a control number of the Library of Congress with the blanks of its structure before it (field 010).

    The prefix has three characters before a year of two digits, and two before one of four.
    """
    found = _STRUCTURE_OF_LCCN.fullmatch(number)
    if found is None:
        return number
    return found["prefix"].ljust(3 if len(found["digits"]) == _DIGITS_UNTIL_2000 else 2) + found["digits"]


def _identifier(one: Identifier, draft: MarcDraft, *, has_qualifiers: bool) -> None:
    kind, value, is_invalid = one.type or "", one.value, one.invalid == "yes"
    code = "z" if is_invalid else "a"
    qualifier = f"({one.display_label})" if one.display_label else None
    if kind == "isbn":
        joined = f"{value} {qualifier}" if qualifier and not has_qualifiers else value
        draft.add("020", "  ", ((code, joined), ("q", qualifier if has_qualifiers else None)))
    elif kind in _ISSN_CODES:
        draft.add("022", "  ", ((_ISSN_CODES[kind][is_invalid], value),))
    elif kind == _LCCN and draft.has("010") and not is_invalid:
        draft.add("035", "  ", (("a", f"(DLC){spaced_lccn(value)}"),))
    elif kind in _TAG_OF_NUMBER:
        tag = _TAG_OF_NUMBER[kind]
        value = spaced_lccn(value) if kind == _LCCN else value
        draft.add(tag, "  ", ((code, value), (_SOURCE_CODE.get(tag, "q"), one.display_label)))
    elif kind in _INDICATOR_OF_PUBLISHER and not is_invalid:
        draft.add("028", f"{_INDICATOR_OF_PUBLISHER[kind]}2", (("a", value), ("q", one.display_label)))
    elif kind in ("oclc", "WlCaITV"):
        draft.add("035", "  ", ((code, f"{_OCLC_PREFIX if kind == 'oclc' else f'({kind})'}{value}"),))
    elif kind == "local" and value.startswith("("):
        draft.add("035", "  ", ((code, value),))
    elif kind == "patent number":
        found = _COUNTRY_OF_PATENT.fullmatch(value)
        stated: Subfields = (("a", value),) if found is None else (("a", found["number"]), ("b", found["country"]))
        draft.add("013", "  ", stated)
    elif kind == "fingerprint":
        draft.add("026", "  ", (("e", value), ("2", one.display_label)))
    elif kind == "stock number":
        draft.add("037", "  ", (("a", value),))
    elif kind in _INDICATOR_OF_STANDARD:
        added = _ADDITION.fullmatch(value)
        number, addition = (added["number"], added["addition"]) if added is not None else (value, None)
        subfields = ((code, number), ("d", addition), ("q", qualifier))
        draft.add("024", f"{_INDICATOR_OF_STANDARD[kind]} ", subfields)
    else:
        source = kind if " " not in kind else ""  # others are words of ours, and no code of a list
        indicator = "7" if source else _UNSPECIFIED
        draft.add("024", f"{indicator} ", ((code, value), ("q", qualifier), ("2", source or None)))


@BOOK.writes(
    "language",
    {
        "language": "008/35-37; 041 $a where there are more, or parts in other languages",
        "language[@objectPart]": "041 $b, $d-$k, $p, $t by the part",
        "language/languageTerm[@authority=rfc5646 …]": "041 _7 $2",
        "language/languageTerm[@type=text]": "377 _7 $l",
    },
)
def languages(mods: Mods, draft: MarcDraft) -> None:
    """Languages of the resource and of its parts."""
    stated = [(language, term.value, term.authority) for language in mods.language for term in _codes_of(language)]
    listed = [(language, value) for language, value, authority in stated if authority in (None, "iso639-2b")]
    has_parts = any(language.object_part is not None for language, _ in listed)
    if has_parts or len(listed) > 1:
        indicator = "1" if any(language.object_part == "translation" for language, _ in listed) else " "
        draft.add(
            "041",
            f"{indicator} ",
            [(_CODE_OF_PART.get(language.object_part, "a"), value) for language, value in listed],
        )
    for scheme in dict.fromkeys(authority for _, _, authority in stated):
        if scheme not in (None, "iso639-2b"):
            chosen = [
                (_CODE_OF_PART.get(language.object_part, "a"), value)
                for language, value, authority in stated
                if authority == scheme
            ]
            draft.add("041", " 7", (*chosen, ("2", scheme)))
    for language in mods.language:
        if not _codes_of(language):
            for term in language.language_term:
                draft.add("377", " 7", (("l", term.value),))


def _codes_of(language: Language) -> list[LanguageTerm]:
    return [term for term in language.language_term if term.type != "text"]


@BOOK.writes(
    "recordInfo",
    {
        "recordInfo/recordIdentifier": "001, @source 003",
        "recordInfo/recordChangeDate": "005",
        "recordInfo/recordCreationDate": "008/00-05",
        "recordInfo/recordContentSource": "040 $a",
        "recordInfo/languageOfCataloging": "040 $b",
        "recordInfo/descriptionStandard": "040 $e; aacr leader/18 a if the record has the marks of ISBD",
        "recordInfo/recordInfoNote[@type='transcribing agency', 'modifying agency']": "040 $c $d",
    },
)
def record(mods: Mods, draft: MarcDraft) -> None:
    """About the record; of merged descriptions, the first."""
    info = mods.record_info[0] if mods.record_info else RecordInfo()
    for number in info.record_identifier[:1]:
        draft.add_control("001", number.value)
        draft.add_control("003", number.source)
    for date in info.record_change_date[:1]:
        draft.add_control("005", _time(date.value))
    standards = list(dict.fromkeys(one.value for info in mods.record_info[:1] for one in info.description_standard))
    if draft.punctuates and _AACR in standards:
        standards.remove(_AACR)
    subfields = [
        *(("a", _agency(source.value)) for source in info.record_content_source[:1]),
        *(("b", term.value) for language in info.language_of_cataloging[:1] for term in language.language_term[:1]),
        *(("e", standard) for standard in standards),
        *(("c", _agency(note.value)) for note in info.record_info_note[:1] if note.type == "transcribing agency"),
        *(("d", _agency(note.value)) for note in info.record_info_note if note.type == "modifying agency"),
    ]
    draft.add("040", "  ", subfields)


def _agency(text: str) -> str:
    """Return the agency of a statement of RUSMARC, which has its country and a date beside it."""
    found = _STATED_AGENCY.fullmatch(text)
    return found["agency"] if found is not None else text


def _time(text: str) -> str | None:
    """Return a date in the form of field 005."""
    found = _TIME.fullmatch(text)
    if found is None:
        digits = text[:14] if text[:14].isdecimal() else text[:8]
        return f"{digits.ljust(14, '0')}.0" if digits.isdecimal() else None
    return "".join([*found.groups()[:3], *(part or "00" for part in found.groups()[3:])]) + ".0"
