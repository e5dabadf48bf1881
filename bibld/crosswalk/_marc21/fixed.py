"""Leader, 00X, 040, 041, 655: typeOfResource, genre, targetAudience, language, recordInfo.

Positions are counted from 0 as in the format; a position that is not there is the empty text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, entry_date, first_address, iso_time
from bibld.model.marc import DataField
from bibld.model.mods import (
    Date,
    DescriptionStandard,
    Genre,
    Language,
    LanguageTerm,
    RecordContentSource,
    RecordIdentifier,
    RecordInfo,
    TargetAudience,
    TypeOfResource,
)
from bibld.text.languages import code_of_language_name

KIND_AND_LANGUAGE = RuleBook()
RECORD = RuleBook()

_OBJECT_PART = {
    "a": None, "d": "sung or spoken text", "b": "summary", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation", "j": "subtitles",
}  # fmt: skip

RECORD_ORIGIN = "Converted from MARC 21 by bibld"

_LANGUAGE_SCHEMES = {"rfc3066": "rfc3066", "rfc4646": "rfc4646", "rfc5646": "rfc5646", "iso639-3": "iso639-3"}


def leader_code(view: Marc21View, position: int) -> str:
    """Return one character of the leader."""
    return view.record.leader.text[position : position + 1]


def fixed(view: Marc21View, start: int, end: int | None = None) -> str:
    """Return positions of the first 008."""
    text = view.control("008")
    return text[start : start + 1 if end is None else end] if text else ""


def configuration(view: Marc21View) -> str:
    """Return how to read 008/18-34: as for a book, a serial …; empty where leader/06 does not decide."""
    kind = leader_code(view, 6)
    if kind == "a":
        return codes.CONFIGURATION_OF_LEVEL.get(leader_code(view, 7), "")
    return codes.CONFIGURATION.get(kind, "")


@KIND_AND_LANGUAGE.record("typeOfResource, with collection and manuscript", tLDR="")
def type_of_resource(view: Marc21View) -> Iterator[TypeOfResource]:
    """Leader/06 and /07."""
    kind = leader_code(view, 6)
    value = codes.TYPE_OF_RESOURCE.get(kind)
    if value is None:
        view.warn(f"leader/06 {kind!r} is an unknown type of record; no typeOfResource written")
        return
    yield TypeOfResource(
        value=value,
        collection="yes" if leader_code(view, 7) == "c" else None,
        manuscript="yes" if kind in codes.MANUSCRIPT_TYPES else None,
    )


@KIND_AND_LANGUAGE.record("genre[marcgt] from coded data", t007="", t008="")
def coded_genres(view: Marc21View) -> Iterator[Genre]:
    """008 by the kind of resource, and 007 of maps."""
    terms = dict.fromkeys(_coded_genres(view))
    for term in terms:
        if term:
            yield Genre(value=term, authority="marcgt")


def _coded_genres(view: Marc21View) -> Iterator[str | None]:
    kind = configuration(view)
    if any(text.startswith("ar") for text in view.controls("007")):
        yield "remote-sensing image"
    if fixed(view, 25) == "d" and kind == codes.MAP:
        yield "globe"
    yield from _genres_of_kind(view, kind)
    if kind in (codes.BOOK, codes.SERIAL):
        terms = codes.BOOK_CONTENTS_GENRE if kind == codes.BOOK else codes.CONTENTS_GENRE
        yield from map(terms.get, fixed(view, 24, 28))
    if kind not in ("", codes.MUSIC, codes.MIXED) and fixed(view, 28) in (*codes.GOVERNMENT_CODES,):
        yield "government publication"
    if kind in (codes.BOOK, codes.SERIAL) and fixed(view, 29) == "1":
        yield "conference publication"
    if kind == codes.BOOK:
        if fixed(view, 30) == "1":
            yield "festschrift"
        yield codes.LITERARY_FORM.get(fixed(view, 33))
        if fixed(view, 34) in (*codes.BIOGRAPHY_CODES,):
            yield "biography"


def _genres_of_kind(view: Marc21View, kind: str) -> Iterator[str | None]:
    """Yield the genres from positions of 008 that only one kind of resource has."""
    if kind == codes.MAP:
        yield from _genres_of_008_and_007(view, codes.MAP_GENRE, 25, {"ad": "atlas", "aj": "map"})
    elif kind == codes.FILE:
        yield codes.FILE_GENRE.get(fixed(view, 26))
    elif kind == codes.MUSIC:
        for code in fixed(view, 30, 32):
            yield codes.MUSIC_TEXT_GENRE.get(code)
    elif kind == codes.VISUAL:
        yield from _genres_of_008_and_007(view, codes.VISUAL_GENRE, 33, {"aq": "model"})
    elif kind == codes.SERIAL:
        yield codes.SERIAL_GENRE.get(fixed(view, 21))


def _genres_of_008_and_007(
    view: Marc21View, terms: Mapping[str, str], position: int, terms_of_007: Mapping[str, str]
) -> Iterator[str]:
    """Yield the genres stated by a position of 008 and by 007."""
    coded = terms.get(fixed(view, position))
    if coded is not None:
        yield coded
    descriptions = view.controls("007")
    yield from (term for start, term in terms_of_007.items() if any(text.startswith(start) for text in descriptions))


@KIND_AND_LANGUAGE.field("047", "abcdefgh2", "genre[musical composition], authority marcmuscomp or $2")
def form_of_composition(field: DataField, view: Marc21View) -> Iterator[Genre]:
    """Form of musical composition."""
    authority = field.first("2") if field.indicator2 == "7" else "marcmuscomp"
    for value in field.values(*"abcdefgh"):
        yield Genre(value=value, type="musical composition", authority=authority)


@KIND_AND_LANGUAGE.field("336", "ab2", "genre with the authority of $2, one for each $a (without $a: $b)")
def content_type(field: DataField, view: Marc21View) -> Iterator[Genre]:
    """Content type (RDA 6.9)."""
    for value in field.values("a") or field.values("b"):
        yield Genre(value=value, authority=field.first("2"))


@KIND_AND_LANGUAGE.field("655", "abvxyz02", "genre, authority from the second indicator or $2")
def genre_or_form(field: DataField, view: Marc21View) -> Iterator[Genre]:
    """Index term of genre or form; subdivisions follow after a hyphen."""
    value = "-".join(map(chop, field.values(*"abvxyz")))
    if value:
        authority = field.first("2") if field.indicator2 == "7" else codes.SUBJECT_AUTHORITY.get(field.indicator2)
        yield Genre(value=value, authority=authority, value_uri=first_address(field.values("0")))


@KIND_AND_LANGUAGE.record("targetAudience[marctarget] from coded data", t008="")
def coded_audience(view: Marc21View) -> Iterator[TargetAudience]:
    """008/22 of books, computer files, music and visual materials."""
    if configuration(view) in (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL):
        term = codes.AUDIENCE.get(fixed(view, 22))
        if term is not None:
            yield TargetAudience(value=term, authority="marctarget")


@KIND_AND_LANGUAGE.record("language, with objectPart", t008="", t041="abdefghj2")
def languages(view: Marc21View) -> Iterator[Language]:
    """008/35-37 and 041, each language of each part once."""
    seen: set[tuple[str, str | None]] = set()
    for code, authority, part in _languages(view):
        if (code, part) not in seen:
            seen.add((code, part))
            yield Language(
                language_term=(LanguageTerm(value=code, type="code", authority=authority),), object_part=part
            )


def _languages(view: Marc21View) -> Iterator[tuple[str, str, str | None]]:
    coded = fixed(view, 35, 38)
    if _is_language_code(coded):
        yield coded.casefold(), "iso639-2b", None
    elif coded.strip(" #|"):
        view.warn(f"008/35-37 {coded!r} is not a language code; left out")
    for field in view.fields("041"):
        scheme = field.first("2")
        for subfield in field.subfields:
            if subfield.code not in _OBJECT_PART:
                continue
            part = _OBJECT_PART[subfield.code]
            if scheme in _LANGUAGE_SCHEMES:
                yield subfield.value, _LANGUAGE_SCHEMES[scheme], part
                continue
            codes_stated = _language_codes(subfield.value)
            if not codes_stated:
                view.warn(f"041${subfield.code} {subfield.value!r} is not a language code; left out")
            for code in codes_stated:
                yield code, "iso639-2b", part


def _language_codes(text: str) -> list[str]:
    """Return the codes in a text, with nothing or a blank between them; none if one of them is no code."""
    named = code_of_language_name(text)
    if named is not None:
        return [named]
    joined = text.replace(" ", "")
    pieces = [joined[start : start + 3] for start in range(0, len(joined), 3)]
    return [piece.casefold() for piece in pieces] if all(map(_is_language_code, pieces)) else []


def _is_language_code(code: str) -> bool:
    return len(code) == 3 and code.isascii() and code.isalpha()


# --- the record


@RECORD.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging",
    tLDR="", t001="", t003="", t005="", t008="", t040="abe",
)  # fmt: skip
def record_info(view: Marc21View) -> Iterator[RecordInfo]:
    """About the record: identifier, agency, dates, rules."""
    number = (view.control("001") or "").strip()
    source = (view.control("003") or "").strip() or None
    standards = ["aacr"] if leader_code(view, 18) == "a" else []
    standards.extend(value for field in view.fields("040") for value in field.values("e") if value not in standards)
    agencies = [value for field in view.fields("040") for value in field.values("a")]
    languages = [value for field in view.fields("040") for value in field.values("b")]
    yield RecordInfo(
        record_content_source=tuple(RecordContentSource(value=value, authority="marcorg") for value in agencies),
        record_creation_date=_creation_date(view),
        record_change_date=_change_date(view),
        record_identifier=(RecordIdentifier(value=number, source=source),) if number else (),
        record_origin=(RECORD_ORIGIN,),
        language_of_cataloging=tuple(
            Language(language_term=(LanguageTerm(value=value, type="code", authority="iso639-2b"),))
            for value in languages
        ),
        description_standard=tuple(DescriptionStandard(value=value) for value in standards),
    )


def _creation_date(view: Marc21View) -> tuple[Date, ...]:
    text = fixed(view, 0, 6)
    date = entry_date(text)
    if date is not None:
        return (Date(value=date, encoding="w3cdtf"),)
    if text.strip(" |#"):
        view.warn(f"008/00-05 {text!r} is not a date; left out")
    return ()


def _change_date(view: Marc21View) -> tuple[Date, ...]:
    text = view.control("005")
    date = iso_time(text) if text else None
    if date is not None:
        return (Date(value=date, encoding="iso8601"),)
    if text and text.strip():
        view.warn(f"005 {text!r} is not a date; left out")
    return ()
