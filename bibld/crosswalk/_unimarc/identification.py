"""Identification: languages (101), standard and other numbers (block 0), the record itself (001, 005, 100, 801)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import PUBLISHER_NUMBER
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import ENCODING_LEVEL, ORIGINAL_LANGUAGE, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model import mods
from bibld.model.identifiers import isbn, issn
from bibld.model.marc import DataField
from bibld.text.languages import language_code, language_codes

LANGUAGES = RuleBook()
BOOK = RuleBook()


@LANGUAGES.record("language/languageTerm[@authority=iso639-2b], with objectPart for $b–$e and $h–$j", t101="abcdefghij")
def languages(view: UnimarcView) -> Elements:
    """Field 101; languages of the title page ($f) and of the title proper ($g) are added to those of the text."""
    text_languages: list[str] = []
    for text in view.texts("101", "a"):
        yield from _languages(text, None, text_languages, view)
    for code, part in ORIGINAL_LANGUAGE.items():
        part_languages: list[str] = []
        for text in view.texts("101", code):
            yield from _languages(text, part, part_languages, view)
    for code in "fg":
        for text in view.texts("101", code):
            yield from _languages(text, None, text_languages, view)


def _languages(text: str, part: str | None, known: list[str], view: UnimarcView) -> Iterator[mods.Language]:
    """Yield the languages in a text that are not in ``known``, and add them to it."""
    codes = language_codes(text)
    if not codes and text.strip(" |#"):
        view.warn(f"101 {text!r} is not a language code; written as text")
        yield mods.Language(language_term=(mods.LanguageTerm(value=text.strip(), type="text"),), object_part=part)
    for code in codes:
        if code not in known:
            known.append(code)
            term = mods.LanguageTerm(value=code, type="code", authority="iso639-2b")
            yield mods.Language(language_term=(term,), object_part=part)


@BOOK.field("010", "abz", "identifier[@type=isbn], @displayLabel=$b, @invalid=yes for $z and for wrong check digits")
def isbns(field: DataField, view: UnimarcView) -> Elements:
    """ISBN without hyphens; more in one subfield are divided by semicolons."""
    for code in "az":
        for text in (piece for value in field.values(code) for piece in _pieces(value)):
            found = isbn(text)
            label = "; ".join(field.values("b")) or (found.qualifier if found is not None else None)
            if found is None:
                yield mods.Identifier(value=text, type="isbn", invalid="yes", display_label=label)
                continue
            if not found.is_valid and code == "a":
                view.warn(f"{_PLACE_OF_ISBN} {text!r} is not a valid ISBN; marked as invalid")
            is_right = found.is_valid and code == "a"
            yield mods.Identifier(
                value=found.value, type="isbn", invalid=None if is_right else "yes", display_label=label or None
            )


def _pieces(text: str) -> list[str]:
    pieces = [piece.strip() for piece in text.split(";")]
    return pieces if all(isbn(piece) is not None for piece in pieces) else [text]


@BOOK.field("011", "abfgyz", "identifier[@type=issn]; $f identifier[@type=issn-l]; $g $y $z with @invalid=yes")
def issns(field: DataField, view: UnimarcView) -> Elements:
    """ISSN and linking ISSN."""
    for code in "afgyz":
        for text in field.values(code):
            element = issn_identifier(text, "issn-l" if code in "fg" else "issn", "; ".join(field.values("b")))
            if element.invalid and code in "af":
                view.warn(f"011 {text!r} is not a valid ISSN; marked as invalid")
            yield element if code in "af" else replace(element, invalid="yes")


def issn_identifier(text: str, type_: str = "issn", label: str = "") -> mods.Identifier:
    """Return an ISSN with its hyphen, or another text as an invalid one; without a label its qualifier is the label."""
    found = issn(text)
    return mods.Identifier(
        value=text if found is None else found.value,
        type=type_,
        invalid=None if found is not None and found.is_valid else "yes",
        display_label=label or (found.qualifier if found is not None else "") or None,
    )


class _Number(NamedTuple):
    """A field that contains a number: MODS ``type`` (or ``$2``), the subfields of the number, what labels it."""

    type: str
    codes: str
    label: str = ""


NUMBERS = {
    "012": _Number("fingerprint", "a", "2"), "013": _Number("ismn", "a", "b"), "014": _Number("$2", "a"),
    "015": _Number("isrn", "a", "b"), "016": _Number("isrc", "a", "b"), "017": _Number("$2", "a", "b"),
    "020": _Number("nbn", "ab", "9"), "021": _Number("legal deposit", "ab"), "022": _Number("gov doc number", "ab"),
    "039": _Number("patent application number", "ab", "c"),
    "040": _Number("coden", "a"), "072": _Number("upc", "ac", "b"), "073": _Number("ean", "ac", "b"),
    "079": _Number("publisher number", "ba"),
}  # fmt: skip
"""Fields of one number; the country before it is part of it."""


for _tag, _number in NUMBERS.items():
    _codes = {*_number.codes, *_number.label, "z", *("2" if _number.type == "$2" else "")}

    @BOOK.field(
        _tag,
        "".join(sorted(_codes)),
        f"identifier[@type='{_number.type}'] of ${' $'.join(_number.codes)}; $z: @invalid=yes",
    )
    def identifying_number(field: DataField, view: UnimarcView, number: _Number = _number) -> Elements:
        """ISMN, ISRC, national bibliography or other number, also a wrong one."""
        type_ = (field.first("2") or "").lower() or None if number.type == "$2" else number.type
        label = field.first(number.label) if number.label else None
        if field.first(number.codes[-1]) or field.first("a"):
            text = " ".join(value for code in number.codes for value in field.values(code))
            yield mods.Identifier(value=text, type=type_, display_label=label)
        for value in field.values("z"):
            yield mods.Identifier(value=value, type=type_, invalid="yes")


@BOOK.field("021", "9", "identifier[@type='registration sheet']")
def registration_sheet(field: DataField, view: UnimarcView) -> Elements:
    """Sheet of state registration that contains the number of field 021 (RUSMARC)."""
    for value in field.values("9"):
        yield mods.Identifier(value=value, type="registration sheet")


@BOOK.field("029", "abcdf", "identifier[@type='document number'] of $a $c $b; classification of $d; note of $f")
def document_number(field: DataField, view: UnimarcView) -> Elements:
    """Numbers of standards, patents and other documents: country, kind (``ГОСТ Р``) and number; further $b are numbers.

    $d is the class of an invention, $f the organisation that gave the number.
    """
    for number in field.values("b") or [""]:
        kinds = [kind for kind in (*field.values("a"), *field.values("c")) if not number.startswith(kind)]
        text = " ".join([*kinds, *([number] if number else [])])
        if text:
            yield mods.Identifier(value=text, type="document number")
    for value in field.values("d"):
        yield mods.Classification(value=value, authority="ipc")
    for value in field.values("f"):
        yield mods.Note(value=value, type="document number")


@BOOK.field("071", "abcz", "identifier[@type='issue number', 'matrix number', 'music plate' …]")
def publisher_number(field: DataField, view: UnimarcView) -> Elements:
    """Numbers that publishers of sound, music and video give; indicator 1 is their kind."""
    type_ = PUBLISHER_NUMBER.get(field.indicator1, "publisher number")
    if field.first("a"):
        value = " ".join(field.values("b") + field.values("a"))
        yield mods.Identifier(value=value, type=type_, display_label=field.first("c"))
    for value in field.values("z"):
        yield mods.Identifier(value=value, type=type_, invalid="yes")


@BOOK.field("033 035", "az", "identifier[@type=local, oclc or uri]")
def number_in_other_system(field: DataField, view: UnimarcView) -> Elements:
    """Numbers of the record in other systems, with their prefix; that of OCLC without."""
    for code in "az":
        for value in field.values(code):
            type_ = "uri" if value.startswith(("http:", "https:")) else "local"
            if value.startswith("(OCoLC)"):
                type_, value = "oclc", value.removeprefix("(OCoLC)").strip()
            if value:
                yield mods.Identifier(value=value, type=type_, invalid="yes" if code == "z" else None)


@BOOK.record("note[@type='print run']", t010="9", t011="9", t013="9", t015="9", t016="9", t017="9", t073="9")
def print_run(view: UnimarcView) -> Elements:
    """Print run: how many copies were printed ($9 of the number fields, RUSMARC)."""
    tags = ("010", "011", "013", "015", "016", "017", "073")
    for value in dict.fromkeys(value for tag in tags for value in view.texts(tag, "9")):
        yield mods.Note(value=value, type="print run")


_PLACE_OF_ISBN = "010"
_TERMS = ("010", "011", "013", "015", "016", "017", "071", "073")


@BOOK.field(" ".join(_TERMS), "d", "note[@type=acquisition], where keep_terms is set; else private")
def terms(field: DataField, view: UnimarcView) -> Elements:
    """Prices and terms of availability; a binding or ``б. ц.`` in $b without a number is one too."""
    stated = [("d", value) for value in field.values("d")]
    if field.first("a") is None and field.first("z") is None:
        stated += [("b", value) for value in field.values("b")]
    for code, value in stated:
        if view.settings.keep_terms:
            yield mods.Note(value=value, type="acquisition")
        else:
            view.private.append(f"{field.tag}${code}")


_CHANGE_DATE = re.compile(r"\d{14}(?:\.\d+)?|\d{8}")
_WITH_AGENCY = re.compile(r"[A-Za-z]{2}[\\/]\w+[\\/]")
"""The form of control numbers that begin with country and organisation: ``RU\\NLR\\bibl\\1980``."""

_UNKNOWN_COUNTRY = "XX"

AGENCY_NOTE = {"1": "transcribing agency", "2": "modifying agency", "3": "issuing agency"}


@BOOK.record(
    "recordInfo: recordIdentifier (001, 003), recordChangeDate (005 or 801$c), recordCreationDate (100$a/0-7), "
    "languageOfCataloging (100$a/22-24), recordContentSource and descriptionStandard (801), recordInfoNote",
    t001="", t003="", t005="", t100="a", t801="abcgh", t830="a", tLDR="",
)  # fmt: skip
def record_info(view: UnimarcView) -> Elements:
    """About the record: identifier, agencies, dates, rules."""
    sources = list(view.fields("801"))
    first = next((field for field in sources if field.indicator2 == "0"), sources[0] if sources else None)
    coded = without_fill(view.first("100", "a") or "")
    language = language_code(coded[22:25])
    term = mods.LanguageTerm(value=language or "", type="code", authority="iso639-2b")
    standard = next((value for field in sources for value in field.values("g")), None)
    agency = " ".join(text for text in first.values("a", "b") if text != _UNKNOWN_COUNTRY) if first is not None else ""
    info = mods.RecordInfo(
        record_content_source=(mods.RecordContentSource(value=agency),) if agency else (),
        record_creation_date=_creation_date(coded[:8]),
        record_change_date=_change_date(view, first),
        record_identifier=tuple(_record_identifiers(view, first)),
        language_of_cataloging=(mods.Language(language_term=(term,)),) if language is not None else (),
        description_standard=(mods.DescriptionStandard(value=standard.lower()),) if standard else (),
        record_info_note=tuple(_record_info_notes(view, [field for field in sources if field is not first])),
    )
    if info != mods.RecordInfo():
        yield info


def _creation_date(text: str) -> tuple[mods.Date, ...]:
    if len(text) < 8 or not (text.isascii() and text.isdecimal()):
        return ()
    if not (int(text[:4]) >= 1900 and 1 <= int(text[4:6]) <= 12 and 1 <= int(text[6:8]) <= 31):
        return ()
    return (mods.Date(value=f"{text[:4]}-{text[4:6]}-{text[6:8]}", encoding="w3cdtf"),)


def _change_date(view: UnimarcView, source: DataField | None) -> tuple[mods.Date, ...]:
    stated = view.control("005") or (source.first("c") if source is not None and not view.is_nested else None)
    if not stated or stated == (view.first("100", "a") or "")[:8]:
        return ()
    return (mods.Date(value=stated, encoding="iso8601" if _CHANGE_DATE.fullmatch(stated) else None),)


def _record_identifiers(view: UnimarcView, source: DataField | None) -> Iterator[mods.RecordIdentifier]:
    agency = source.first("b") if source is not None else None
    for value in view.controls("001")[:1]:
        if value:
            names_agency = _WITH_AGENCY.match(value) or (agency is not None and agency in value)
            yield mods.RecordIdentifier(value=value, source=None if names_agency else agency)
    for value in view.controls("003"):
        if value:
            yield mods.RecordIdentifier(value=value, source="uri")


def _record_info_notes(view: UnimarcView, others: list[DataField]) -> Iterator[mods.RecordInfoNote]:
    level = ENCODING_LEVEL.get(view.leader.encoding_level)
    if level is not None:
        yield mods.RecordInfoNote(value=level, type="encodingLevel")
    for field in others:
        text = " ".join(value for value in field.values("a", "b", "c") if value != _UNKNOWN_COUNTRY)
        if text:
            yield mods.RecordInfoNote(value=text, type=AGENCY_NOTE.get(field.indicator2))
    for field in view.fields("801"):
        for value in field.values("h"):
            yield mods.RecordInfoNote(value=value, type="original number")
        if view.control("005") and field not in others:
            view.private += ["801$c" for _ in field.values("c")]
    for value in view.texts("830", "a"):
        yield mods.RecordInfoNote(value=value, type="cataloguer")
