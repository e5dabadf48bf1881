"""Leader, 007 and 008: what they say of the kind of resource → typeOfResource, genre, targetAudience, language.

Positions are counted from 0 as in the format; a position that is not there is the empty text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bibld.crosswalk._addresses import address
from bibld.crosswalk._isbd import chop
from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._rules import RuleBook, View
from bibld.model.marc import DataField
from bibld.model.mods import Genre, Language, LanguageTerm, TargetAudience, TypeOfResource

KIND_AND_LANGUAGE = RuleBook()

_OBJECT_PART = {
    "a": None, "d": "sung or spoken text", "b": "summary", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation", "j": "subtitles",
}  # fmt: skip

_LANGUAGE_SCHEMES = {"rfc3066": "rfc3066", "rfc4646": "rfc4646", "rfc5646": "rfc5646", "iso639-3": "iso639-3"}


def leader_code(view: View[Any], position: int) -> str:
    """One character of the leader."""
    return view.record.leader.text[position : position + 1]


def fixed(view: View[Any], start: int, end: int | None = None) -> str:
    """Positions of the first 008."""
    text = view.control("008")
    return text[start : start + 1 if end is None else end] if text else ""


def configuration(view: View[Any]) -> str:
    """How 008/18-34 is to be read: as for a book, a serial …; empty where leader/06 tells nothing."""
    kind = leader_code(view, 6)
    if kind == "a":
        return codes.CONFIGURATION_OF_LEVEL.get(leader_code(view, 7), "")
    return codes.CONFIGURATION.get(kind, "")


@KIND_AND_LANGUAGE.record("typeOfResource, with collection and manuscript", t001="")
def type_of_resource(view: View[Any]) -> Iterator[TypeOfResource]:
    """Leader/06 and /07."""
    kind = leader_code(view, 6)
    value = codes.TYPE_OF_RESOURCE.get(kind)
    if value is None:
        view.warn(f"leader/06 {kind!r} is no type of record")
        return
    yield TypeOfResource(
        value=value,
        collection="yes" if leader_code(view, 7) == "c" else None,
        manuscript="yes" if kind in codes.MANUSCRIPT_TYPES else None,
    )


@KIND_AND_LANGUAGE.record("genre[marcgt] from coded data", t007="", t008="")
def coded_genres(view: View[Any]) -> Iterator[Genre]:
    """008 by the kind of resource, and 007 of maps."""
    terms = dict.fromkeys(_coded_genres(view))
    for term in terms:
        if term:
            yield Genre(value=term, authority="marcgt")


def _coded_genres(view: View[Any]) -> Iterator[str | None]:
    kind = configuration(view)
    descriptions = view.controls("007")
    if any(text.startswith("ar") for text in descriptions):
        yield "remote-sensing image"
    if kind == codes.MAP:
        yield codes.MAP_GENRE.get(fixed(view, 25))
        if any(text.startswith("ad") for text in descriptions):
            yield "atlas"
        if any(text.startswith("aj") for text in descriptions):
            yield "map"
    elif kind == codes.FILE:
        yield codes.FILE_GENRE.get(fixed(view, 26))
    elif kind == codes.MUSIC:
        for code in fixed(view, 30, 32):
            yield codes.MUSIC_TEXT_GENRE.get(code)
    elif kind == codes.VISUAL:
        yield codes.VISUAL_GENRE.get(fixed(view, 33))
        if any(text.startswith("aq") for text in descriptions):
            yield "model"
    elif kind == codes.SERIAL:
        yield codes.SERIAL_GENRE.get(fixed(view, 21))
        for code in fixed(view, 24, 28):
            yield codes.CONTENTS_GENRE.get(code)
    elif kind == codes.BOOK:
        for code in fixed(view, 24, 28):
            yield codes.BOOK_CONTENTS_GENRE.get(code)
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


@KIND_AND_LANGUAGE.field("047", "abcdefgh2", "genre[musical composition], authority marcmuscomp or $2")
def form_of_composition(field: DataField, view: View[Any]) -> Iterator[Genre]:
    """Form of musical composition."""
    authority = field.first("2") if field.indicator2 == "7" else "marcmuscomp"
    for value in field.values(*"abcdefgh"):
        yield Genre(value=value, type="musical composition", authority=authority)


@KIND_AND_LANGUAGE.field("336", "ab2", "genre with the authority of $2, one for each $a (without $a: $b)")
def content_type(field: DataField, view: View[Any]) -> Iterator[Genre]:
    """Content type (RDA 6.9)."""
    for value in field.values("a") or field.values("b"):
        yield Genre(value=value, authority=field.first("2"))


@KIND_AND_LANGUAGE.field("655", "abvxyz02", "genre, authority from the second indicator or $2")
def genre_or_form(field: DataField, view: View[Any]) -> Iterator[Genre]:
    """Index term of genre or form; subdivisions follow after a hyphen."""
    value = "-".join([chop(text) for text in field.values(*"abvxyz")])
    if value:
        authority = field.first("2") if field.indicator2 == "7" else codes.SUBJECT_AUTHORITY.get(field.indicator2)
        uri = next((link for link in map(address, field.values("0")) if link is not None), None)
        yield Genre(value=value, authority=authority, value_uri=uri)


@KIND_AND_LANGUAGE.record("targetAudience[marctarget] from coded data", t008="")
def coded_audience(view: View[Any]) -> Iterator[TargetAudience]:
    """008/22 of books, computer files, music and visual materials."""
    if configuration(view) in (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL):
        term = codes.AUDIENCE.get(fixed(view, 22))
        if term is not None:
            yield TargetAudience(value=term, authority="marctarget")


@KIND_AND_LANGUAGE.record("language, with objectPart", t008="", t041="abdefghj2")
def languages(view: View[Any]) -> Iterator[Language]:
    """008/35-37 and 041, each language of each part once."""
    seen: set[tuple[str, str | None]] = set()
    for code, authority, part in _languages(view):
        if (code, part) not in seen:
            seen.add((code, part))
            yield Language(
                language_term=(LanguageTerm(value=code, type="code", authority=authority),), object_part=part
            )


def _languages(view: View[Any]) -> Iterator[tuple[str, str, str | None]]:
    coded = fixed(view, 35, 38)
    if _is_language_code(coded):
        yield coded.casefold(), "iso639-2b", None
    elif coded.strip(" #|"):
        view.warn(f"008/35-37 {coded!r} is no language code")
    for field in view.fields("041"):
        scheme = field.first("2")
        for subfield in field.subfields:
            if subfield.code not in _OBJECT_PART:
                continue
            part = _OBJECT_PART[subfield.code]
            if scheme in _LANGUAGE_SCHEMES:
                yield subfield.value, _LANGUAGE_SCHEMES[scheme], part
                continue
            text = subfield.value.replace(" ", "")
            for start in range(0, len(text), 3):
                code = text[start : start + 3]
                if _is_language_code(code):
                    yield code.casefold(), "iso639-2b", part
                else:
                    view.warn(f"041${subfield.code} {subfield.value!r} is no language code")
                    break


def _is_language_code(code: str) -> bool:
    return len(code) == 3 and code.isascii() and code.isalpha()
