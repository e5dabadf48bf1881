"""Kind and form: leader, 006-008, 041, 047, 245$h, 256, 300, 306, 336-353, 655, 856$q → typeOfResource, genre,
targetAudience, language, physicalDescription."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.characteristics import CODED, characteristics, durations
from bibld.crosswalk._marc21.conventions import Marc21View, configuration, fixed, is_component, leader_code
from bibld.crosswalk._marc21.names import heading_links
from bibld.crosswalk._parts import is_pages, parse_part
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import address, chop, chop_extent, chopped_values, join
from bibld.model import mods
from bibld.model.marc import DataField
from bibld.text.languages import language_code, language_codes
from bibld.text.resource_types import code_iri, type_code

KIND_AND_LANGUAGE = RuleBook()

OBJECT_PART = {
    "a": None, "b": "summary", "d": "sung or spoken text", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation", "i": "intertitles", "j": "subtitles",
    "k": "intermediate translation", "p": "captions", "t": "transcripts",
}  # fmt: skip
_PART_OF_ORIGINAL = OBJECT_PART["h"]
_PARTS_OF_TEXT = (OBJECT_PART["a"], OBJECT_PART["d"])

_LANGUAGE_SCHEMES = frozenset(("rfc3066", "rfc4646", "rfc5646", "iso639-3"))


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


class Aspect(NamedTuple):
    """Coded data of one kind of resource: 008/18-34, or the same positions of a field 006."""

    kind: str
    positions: str

    def code(self, start: int, end: int | None = None) -> str:
        """Return positions, counted as in 008."""
        return self.positions[start - 18 : (start + 1 if end is None else end) - 18]


def aspects(view: Marc21View) -> list[Aspect]:
    """Return 008/18-34, and each 006 that describes the resource itself rather than what accompanies it.

    Those are a serial's, and all others of electronic resources and of kits and collections.
    """
    found = [Aspect(configuration(view), fixed(view, 18, 35))]
    further = [text for text in view.controls("006") if text[:1] in codes.CONFIGURATION_OF_006]
    if further:
        has_aspects = leader_code(view, 6) in tuple("mop") or form_of_item(view) == "electronic"
        found += [
            Aspect(codes.CONFIGURATION_OF_006[text[0]], text[1:18]) for text in further if has_aspects or text[0] == "s"
        ]
    return found


@KIND_AND_LANGUAGE.record("genre[marcgt] from coded data", t006="", t007="", t008="")
def coded_genres(view: Marc21View) -> Iterator[mods.Genre]:
    """008 and 006 by the kind of resource, and 007 of maps."""
    terms: dict[str | None, None] = {}
    if any(text.startswith("ar") for text in view.controls("007")):
        terms["remote-sensing image"] = None
    for aspect in aspects(view):
        terms.update(dict.fromkeys(_coded_genres(aspect, view.controls("007"))))
    for term in terms:
        if term:
            yield mods.Genre(value=term, authority="marcgt")


def _coded_genres(aspect: Aspect, descriptions: list[str]) -> Iterator[str | None]:
    kind = aspect.kind
    if kind == codes.MAP and aspect.code(25) == "d":
        yield "globe"
    yield from _genres_of_kind(aspect, descriptions)
    if kind in (codes.BOOK, codes.SERIAL):
        terms = codes.BOOK_CONTENTS_GENRE if kind == codes.BOOK else codes.CONTENTS_GENRE
        yield from map(terms.get, aspect.code(24, 28))
    if kind not in ("", codes.MUSIC, codes.MIXED) and aspect.code(28) in (*codes.GOVERNMENT_CODES,):
        yield "government publication"
    if kind in (codes.BOOK, codes.SERIAL) and aspect.code(29) == "1":
        yield "conference publication"
    if kind == codes.BOOK:
        if aspect.code(30) == "1":
            yield "festschrift"
        yield codes.LITERARY_FORM.get(aspect.code(33))
        if aspect.code(34) in (*codes.BIOGRAPHY_CODES,):
            yield "biography"


def _genres_of_kind(aspect: Aspect, descriptions: list[str]) -> Iterator[str | None]:
    """Yield the genres from positions of 008 that only one kind of resource has."""
    kind = aspect.kind
    if kind == codes.MAP:
        yield codes.MAP_GENRE.get(aspect.code(25))
        yield from _genres_of_007(descriptions, {"ad": "atlas", "aj": "map"})
    elif kind == codes.FILE:
        yield codes.FILE_GENRE.get(aspect.code(26))
    elif kind == codes.MUSIC:
        yield from map(codes.MUSIC_TEXT_GENRE.get, aspect.code(30, 32))
    elif kind == codes.VISUAL:
        yield codes.VISUAL_GENRE.get(aspect.code(33))
        yield from _genres_of_007(descriptions, {"aq": "model"})
    elif kind == codes.SERIAL:
        yield codes.SERIAL_GENRE.get(aspect.code(21))


def _genres_of_007(descriptions: list[str], terms: Mapping[str, str]) -> Iterator[str]:
    yield from (term for start, term in terms.items() if any(text.startswith(start) for text in descriptions))


@KIND_AND_LANGUAGE.field("047", "abcdefgh2", "genre[musical composition], authority marcmuscomp or $2")
def form_of_composition(field: DataField, view: Marc21View) -> Iterator[mods.Genre]:
    """Form of musical composition."""
    authority = field.first("2") if field.indicator2 == "7" else "marcmuscomp"
    for value in field.values(*"abcdefgh"):
        yield mods.Genre(value=value, type="musical composition", authority=authority)


@KIND_AND_LANGUAGE.field("336", "ab012", "genre with the authority of $2, one for each $a (without $a: $b)")
def content_type(field: DataField, view: Marc21View) -> Iterator[mods.Genre]:
    """Content type (RDA 6.9)."""
    for value, link in _terms_and_links(field, "contentTypes"):
        yield mods.Genre(value=value, authority=field.first("2"), value_uri=link)


def _terms_and_links(field: DataField, name: str) -> Iterator[tuple[str, str | None]]:
    """Yield each term of a list of RDA (without terms: each code), and its IRI in ``$0`` or ``$1``.

    A term that the list does not have in any language has the IRI of its code in ``$b``.
    """
    terms, stated = field.values("a"), field.values("b")
    links = [link for link in map(address, field.values("0", "1")) if link is not None]
    values = terms or stated
    for position, value in enumerate(values):
        link = links[0] if links and len(values) == 1 else None
        if link is None and len(stated) == len(terms) and type_code(name, value) is None:
            code = type_code(name, stated[position])
            link = code_iri(name, code) if code is not None else None
        yield value, link


@KIND_AND_LANGUAGE.field(
    "655", "abvxyz0125", "genre, authority from the second indicator or $2; note[copy] of a field with $5"
)
def genre_or_form(field: DataField, view: Marc21View) -> Iterator[mods.Genre | mods.Note]:
    """Index term of genre or form with subdivisions. With ``$5`` it describes one library's copy."""
    value = "--".join(map(chop, field.values(*"abvxyz")))
    library = field.first("5")
    if value and library is not None:
        yield mods.Note(value=f"{value} ({library})", type="copy")
    elif value:
        authority = field.first("2") if field.indicator2 == "7" else codes.SUBJECT_AUTHORITY.get(field.indicator2)
        yield mods.Genre(value=value, authority=authority, value_uri=heading_links(field).reference)


@KIND_AND_LANGUAGE.record("targetAudience[marctarget] from coded data", t006="", t008="")
def coded_audience(view: Marc21View) -> Iterator[mods.TargetAudience]:
    """008/22 and 006/05 of books, computer files, music and visual materials."""
    kinds = (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL)
    terms = (codes.AUDIENCE.get(aspect.code(22)) for aspect in aspects(view) if aspect.kind in kinds)
    for term in dict.fromkeys(terms):
        if term is not None:
            yield mods.TargetAudience(value=term, authority="marctarget")


@KIND_AND_LANGUAGE.record("language, with objectPart", t008="", t041="abdefghijkpt2")
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
    """Yield code, its authority and the part of the resource.

    A code in 008 that 041 states as that of the original only is wrong, and is left out.
    """
    stated = list(_stated_languages(view))
    coded = fixed(view, 35, 38)
    code = language_code(coded)
    if code is not None:
        parts = {part for other, _, part in stated if other == code}
        has_text = any(part in _PARTS_OF_TEXT for _, _, part in stated)
        if has_text and _PART_OF_ORIGINAL in parts and parts.isdisjoint(_PARTS_OF_TEXT):
            view.warn(f"008/35-37 {coded!r} is the language of the original in 041; left out")
        else:
            yield code, "iso639-2b", None
    elif coded.strip(" #|"):
        view.warn(f"008/35-37 {coded!r} is not a language code; left out")
    yield from stated


def _stated_languages(view: Marc21View) -> Iterator[tuple[str, str, str | None]]:
    for field in view.fields("041"):
        scheme = (field.first("2") or "").strip().casefold()
        for subfield in field.subfields:
            if subfield.code not in OBJECT_PART:
                continue
            part = OBJECT_PART[subfield.code]
            if scheme in _LANGUAGE_SCHEMES:
                yield subfield.value, scheme, part
                continue
            codes_stated = language_codes(subfield.value)
            if not codes_stated:
                view.warn(f"041${subfield.code} {subfield.value!r} is not a language code; left out")
            for code in codes_stated:
                yield code, "iso639-2b", part


PHYSICAL = RuleBook()

_AFTER_PAGES = " :;+,"
_BETWEEN = " :;"
_ENDS_OF_AREA = (":", ";", "+", ",")
_RELATED_RESOURCE = "2"
_TITLE_TAGS = ("130", "240", "242", "245", "246")

Parts = dict[str, list[Any]]
"""The children of one physicalDescription under the names of their fields."""


@PHYSICAL.record(
    "physicalDescription: form (the type of 340-353 is the kind of characteristic), reformattingQuality, "
    "internetMediaType, extent (306: unit=duration), digitalOrigin, note",
    tLDR="", t007="", t008="", t130="h", t240="h", t242="h", t245="h", t246="h", t256="a", t300="abcefg3",
    t306="a", t337="ab012", t338="ab012", t351="abc3", t856="q",
    **{f"t{tag}": "".join([*kinds, *CODED.get(tag, ()), "012"]) for tag, kinds in codes.CHARACTERISTICS.items()},
)  # fmt: skip
def physical_description(view: Marc21View) -> Iterator[mods.PhysicalDescription]:
    """One element, and one more for each other script."""
    regular: Parts = {}
    other_scripts: dict[str, Parts] = {}
    linkage = None
    regular["form"] = list(dict.fromkeys(_coded_forms(view)))
    _electronic(view, regular)
    for field in view.fields(*_TITLE_TAGS, "256", "337", "338", *codes.CHARACTERISTICS, "856", "300", "306", "351"):
        linked = view.linkage(field)
        parts = regular
        if linked is not None and linked.is_alternate:
            parts = other_scripts.setdefault(linked.script or "", {})
        if field.tag == "300":
            _add_extents(_without_pages(field, view), parts)
        elif field.tag == "306":
            parts.setdefault("extent", []).extend(durations(field, view))
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
        for text in field.values("q") if field.indicator2 != _RELATED_RESOURCE else ():
            if len(text) > 1:
                parts.setdefault("internet_media_type", []).append(text)
        return
    forms = parts.setdefault("form", [])
    if field.tag in ("337", "338"):
        kind, name = ("media", "mediaTypes") if field.tag == "337" else ("carrier", "carriers")
        forms += [
            mods.Form(value=text, type=kind, authority=field.first("2"), value_uri=link)
            for text, link in _terms_and_links(field, name)
        ]
    elif field.tag in codes.CHARACTERISTICS:
        forms += characteristics(field)
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


def numbers_in_host(view: Marc21View) -> list[str]:
    """Return the numbers that 300 states of a piece in a host in place of its extent (RISM): ``1.13``."""
    if not is_component(view):
        return []
    return [text for field in view.fields("300") for text in field.values("a") if _NUMBERS.fullmatch(text)]


_NUMBERS = re.compile(r"\d+(?:[.,/-]\d+)*")


def _without_pages(field: DataField, view: Marc21View) -> DataField:
    """Return an extent without the pages or numbers that the resource has in a host, and what is counted with them."""
    if not is_component(view):
        return field
    kept = [
        item
        for item in field.subfields
        if item.code != "a" or not (_NUMBERS.fullmatch(item.value) or is_pages(item.value.rstrip(_AFTER_PAGES)))
    ]
    return field if len(kept) == len(field.subfields) else replace(field, subfields=tuple(kept))


def _add_extents(field: DataField, parts: Parts) -> None:
    """Add extents; illustrations that are stated without one, as of articles, are a note."""
    if any(item.code in "ace" for item in field.subfields):
        text = chop_extent(_punctuated_extent(field))
        parts.setdefault("extent", []).extend([mods.Extent(value=text)] if text else [])
    elif illustrations := chop_extent(join(field, "b")):
        parts.setdefault("note", []).append(mods.Note(value=illustrations, type="physical details"))


_MARK_OF_EXTENT = {"b": " :", "c": " ;", "e": " +"}


def _punctuated_extent(field: DataField) -> str:
    """Join the subfields of 300; records without ISBD punctuation (Russia, Germany) get the marks between them.

    The full stop at the end of the details is that of the next area of old records, if it is of no abbreviation. A size
    in their place (Germany) is one.
    """
    text = previous = ""
    for subfield in field.subfields:
        code, value = subfield.code, subfield.value
        if code not in "abcefg3":
            continue
        if code == "b" and _SIZE.fullmatch(value):
            code, text = "c", text.rstrip(_BETWEEN)
        if code == "b" and value.rstrip(_BETWEEN).endswith("."):
            value = chop_extent(value)
        mark = _MARK_OF_EXTENT.get(code, "")
        if code == "a" and previous in ("a", "f") and not value.startswith("("):
            mark = ","
        previous = code
        text = f"{text if not mark or text.endswith(_ENDS_OF_AREA) else text + mark} {value}" if text else value
    return text


_SIZE = re.compile(r"\d+(?:[.,]\d+)?(?: ?[x×] ?\d+(?:[.,]\d+)?)? ?(?:cm|mm|см|мм)\.?")


def _arrangements(field: DataField) -> Iterator[mods.Note]:
    text, materials = join(field, "abc"), field.first("3")
    if text:
        yield mods.Note(value=f"{chop(materials)}: {text}" if materials else text, type="arrangement")
