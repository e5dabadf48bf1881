"""Kind and form: leader, 007, 008, 041, 047, 245$h, 256, 300, 336-338, 347, 351, 655, 856$q → typeOfResource, genre,
targetAudience, language, physicalDescription."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.conventions import Marc21View, configuration, fixed, is_component, leader_code
from bibld.crosswalk._parts import is_pages, parse_part
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chop_extent, chopped_values, first_address, join
from bibld.model import mods
from bibld.model.marc import DataField
from bibld.text.languages import code_of_language_name

KIND_AND_LANGUAGE = RuleBook()

_OBJECT_PART = {
    "a": None, "d": "sung or spoken text", "b": "summary", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation", "j": "subtitles",
}  # fmt: skip

_LANGUAGE_SCHEMES = {"rfc3066": "rfc3066", "rfc4646": "rfc4646", "rfc5646": "rfc5646", "iso639-3": "iso639-3"}


@KIND_AND_LANGUAGE.record("typeOfResource, with collection and manuscript", tLDR="")
def type_of_resource(view: Marc21View) -> Iterator[mods.TypeOfResource]:
    """Leader/06 and /07."""
    kind = leader_code(view, 6)
    value = codes.TYPE_OF_RESOURCE.get(kind)
    if value is None:
        view.warn(f"leader/06 {kind!r} is an unknown type of record; no typeOfResource written")
        return
    yield mods.TypeOfResource(
        value=value,
        collection="yes" if leader_code(view, 7) == "c" else None,
        manuscript="yes" if kind in codes.MANUSCRIPT_TYPES else None,
    )


@KIND_AND_LANGUAGE.record("genre[marcgt] from coded data", t007="", t008="")
def coded_genres(view: Marc21View) -> Iterator[mods.Genre]:
    """008 by the kind of resource, and 007 of maps."""
    terms = dict.fromkeys(_coded_genres(view))
    for term in terms:
        if term:
            yield mods.Genre(value=term, authority="marcgt")


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
def form_of_composition(field: DataField, view: Marc21View) -> Iterator[mods.Genre]:
    """Form of musical composition."""
    authority = field.first("2") if field.indicator2 == "7" else "marcmuscomp"
    for value in field.values(*"abcdefgh"):
        yield mods.Genre(value=value, type="musical composition", authority=authority)


@KIND_AND_LANGUAGE.field("336", "ab2", "genre with the authority of $2, one for each $a (without $a: $b)")
def content_type(field: DataField, view: Marc21View) -> Iterator[mods.Genre]:
    """Content type (RDA 6.9)."""
    for value in field.values("a") or field.values("b"):
        yield mods.Genre(value=value, authority=field.first("2"))


@KIND_AND_LANGUAGE.field("655", "abvxyz02", "genre, authority from the second indicator or $2")
def genre_or_form(field: DataField, view: Marc21View) -> Iterator[mods.Genre]:
    """Index term of genre or form; subdivisions follow after a hyphen."""
    value = "-".join(map(chop, field.values(*"abvxyz")))
    if value:
        authority = field.first("2") if field.indicator2 == "7" else codes.SUBJECT_AUTHORITY.get(field.indicator2)
        yield mods.Genre(value=value, authority=authority, value_uri=first_address(field.values("0")))


@KIND_AND_LANGUAGE.record("targetAudience[marctarget] from coded data", t008="")
def coded_audience(view: Marc21View) -> Iterator[mods.TargetAudience]:
    """008/22 of books, computer files, music and visual materials."""
    if configuration(view) in (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL):
        term = codes.AUDIENCE.get(fixed(view, 22))
        if term is not None:
            yield mods.TargetAudience(value=term, authority="marctarget")


@KIND_AND_LANGUAGE.record("language, with objectPart", t008="", t041="abdefghj2")
def languages(view: Marc21View) -> Iterator[mods.Language]:
    """008/35-37 and 041, each language of each part once."""
    seen: set[tuple[str, str | None]] = set()
    for code, authority, part in _languages(view):
        if (code, part) not in seen:
            seen.add((code, part))
            yield mods.Language(
                language_term=(mods.LanguageTerm(value=code, type="code", authority=authority),), object_part=part
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


PHYSICAL = RuleBook()

_AFTER_PAGES = " :;+,"
_ENDS_OF_AREA = (":", ";", "+", ",")
_TITLE_TAGS = ("130", "240", "242", "245", "246")

Parts = dict[str, list[Any]]
"""The children of one physicalDescription under the names of their fields."""


@PHYSICAL.record(
    "physicalDescription: form, reformattingQuality, internetMediaType, extent, digitalOrigin, note",
    tLDR="", t007="", t008="", t130="h", t240="h", t242="h", t245="h", t246="h", t256="a", t300="abcefg3",
    t337="ab2", t338="ab2", t347="ab2", t351="abc3", t856="q",
)  # fmt: skip
def physical_description(view: Marc21View) -> Iterator[mods.PhysicalDescription]:
    """One element, and one more for each other script."""
    regular: Parts = {}
    other_scripts: dict[str, Parts] = {}
    linkage = None
    regular["form"] = list(dict.fromkeys(_coded_forms(view)))
    _electronic(view, regular)
    for field in view.fields(*_TITLE_TAGS, "256", "337", "338", "347", "856", "300", "351"):
        linked = view.linkage(field)
        parts = regular
        if linked is not None and linked.is_alternate:
            parts = other_scripts.setdefault(linked.script or "", {})
        if field.tag == "300":
            _add_extents(_without_pages(field, view), parts)
        elif field.tag == "351":
            parts.setdefault("note", []).extend(_arrangements(field))
        else:
            _add_form(field, parts)
        if linked is not None and linkage is None and field.tag == "300":
            linkage = linked
    if any(regular.values()):
        main = _description(regular)
        yield main if linkage is None else linkage.mark(main)
    for script, parts in other_scripts.items():
        if any(parts.values()):
            group = linkage.alt_rep_group if linkage is not None else None
            yield replace(_description(parts), script=script or None, alt_rep_group=group)


def _description(parts: Parts) -> mods.PhysicalDescription:
    return replace(mods.PhysicalDescription(), **{name: tuple(dict.fromkeys(values)) for name, values in parts.items()})


# --- coded data


def _coded_forms(view: Marc21View) -> Iterator[mods.Form]:
    form = form_of_item(view)
    if form is not None:
        yield mods.Form(value=form, authority="marcform")
    for text in view.controls("007"):
        category = codes.MATERIAL_CATEGORY.get(text[:1])
        if category is None:
            continue
        yield mods.Form(value=category, authority="marccategory")
        designation = codes.MATERIAL_DESIGNATION.get(text[0], {}).get(text[1:2])
        if designation is not None:
            yield mods.Form(value=designation, authority="marcsmd")


def form_of_item(view: Marc21View) -> str | None:
    """Return the form from 008/23 or 008/29, or else from the leader."""
    kind = configuration(view)
    code = fixed(view, 29 if kind in (codes.MAP, codes.VISUAL) else 23)
    named = codes.FORM_OF_ITEM.get(code)
    if named is not None:
        return named
    if leader_code(view, 6) == "m":
        return "electronic"
    if leader_code(view, 6) == "o":
        return "kit"
    other_medium = any(text[:1] in ("c", "h") for text in view.controls("007"))
    written = leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,)
    printed = not written and (kind in (codes.BOOK, codes.SERIAL) or leader_code(view, 6) == "c")
    return "print" if code in (" ", "#") and printed and not other_medium else None


def _electronic(view: Marc21View, parts: Parts) -> None:
    for text in view.controls("007"):
        if text[:1] != "c":
            continue
        for name, value in (
            ("reformatting_quality", codes.REFORMATTING_QUALITY.get(text[13:14])),
            ("digital_origin", codes.DIGITAL_ORIGIN.get(text[11:12])),
        ):
            if value is not None:
                parts.setdefault(name, []).append(value)


# --- fields


def _add_form(field: DataField, parts: Parts) -> None:
    """Add what a field states of the physical form."""
    if field.tag == "856":
        for text in field.values("q"):
            if len(text) > 1:
                parts.setdefault("internet_media_type", []).append(text)
        return
    forms = parts.setdefault("form", [])
    if field.tag in ("337", "338"):
        kind = "media" if field.tag == "337" else "carrier"
        forms += [
            mods.Form(value=text, type=kind, authority=field.first("2"))
            for text in field.values("a") or field.values("b")
        ]
    elif field.tag == "347":
        for subfield in field.subfields:
            characteristic = {"a": "file type", "b": "encoding format"}.get(subfield.code)
            if characteristic is not None:
                forms.append(mods.Form(value=chop(subfield.value), type=characteristic, authority=field.first("2")))
    elif field.tag == "256":
        forms += map(mods.Form, chopped_values(field, "a"))
    else:
        designations = (chop(text).lstrip("[").partition("]")[0].strip() for text in field.values("h"))
        forms += [mods.Form(value=text, authority="gmd") for text in designations if text]


def pages_in_host(view: Marc21View) -> tuple[mods.PartExtent, ...]:
    """Return the pages that 300 states of an article or another component part."""
    if not is_component(view):
        return ()
    texts = [
        text
        for field in view.fields("300")
        if not view.is_alternate(field)
        for text in field.values("a")
        if is_pages(text.rstrip(_AFTER_PAGES))
    ]
    return parse_part([text.rstrip(_AFTER_PAGES) for text in texts]).extent


def _without_pages(field: DataField, view: Marc21View) -> DataField:
    """Return an extent without the pages that the resource has in a host, and what is counted with them."""
    if not is_component(view):
        return field
    kept = [item for item in field.subfields if item.code != "a" or not is_pages(item.value.rstrip(_AFTER_PAGES))]
    return field if len(kept) == len(field.subfields) else replace(field, subfields=tuple(kept))


def _add_extents(field: DataField, parts: Parts) -> None:
    """Add extents; illustrations that are stated without one, as of articles, are a note."""
    if any(item.code in "ace" for item in field.subfields):
        parts.setdefault("extent", []).extend(_extents(field))
    elif illustrations := chop_extent(join(field, "b")):
        parts.setdefault("note", []).append(mods.Note(value=illustrations, type="physical details"))


def _extents(field: DataField) -> Iterator[mods.Extent]:
    if field.first("f") is None:
        text = chop_extent(_punctuated_extent(field))
        if text:
            yield mods.Extent(value=text)
        return
    counted: list[mods.Extent] = []
    for subfield in field.subfields:
        if subfield.code == "f" and counted:
            counted[-1] = replace(counted[-1], unit=chop(subfield.value) or None)
        elif subfield.code == "a" or (subfield.code in "bceg" and not counted):
            counted.append(mods.Extent(value=chop_extent(subfield.value)))
        elif subfield.code in "bceg":
            counted[-1] = replace(counted[-1], value=f"{counted[-1].value} {chop_extent(subfield.value)}")
    yield from counted


_MARK_OF_EXTENT = {"b": " :", "c": " ;", "e": " +"}


def _punctuated_extent(field: DataField) -> str:
    """Join the subfields of 300; records without ISBD punctuation (Russia, Germany) get the marks between them."""
    text = ""
    for subfield in field.subfields:
        if subfield.code not in "abce3g":
            continue
        mark = _MARK_OF_EXTENT.get(subfield.code, "")
        text = (
            f"{text if not mark or text.endswith(_ENDS_OF_AREA) else text + mark} {subfield.value}"
            if text
            else subfield.value
        )
    return text


def _arrangements(field: DataField) -> Iterator[mods.Note]:
    text, materials = join(field, "abc"), field.first("3")
    if text:
        yield mods.Note(value=f"{chop(materials)}: {text}" if materials else text, type="arrangement")
