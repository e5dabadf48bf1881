"""Kind and form: typeOfResource, genre, audience, physicalDescription; music, maps (leader, 1XX, 203-230)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.characteristics import DURATION
from bibld.crosswalk._marc21.codes import DIGITAL_ORIGIN, REFORMATTING_QUALITY
from bibld.crosswalk._parts import is_pages, parse_part
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import (
    AUDIENCE,
    BINDING_CODES,
    DETAIL_CODES,
    FORM_CODES,
    GENRE_CODES,
    ISBD_CONTENT,
    ISBD_MEDIA,
    ISBD_QUALIFICATION,
    MANUSCRIPT,
    PROJECTION,
    TYPE_OF_RESOURCE,
    CodeTable,
    latin,
    without_fill,
)
from bibld.crosswalk._unimarc.view import UnimarcView, punctuate
from bibld.model import mods
from bibld.model.marc import DataField

ELECTRONIC = "l"
"""Leader 06."""

_TEXT = "text"
_OF_CONTENT_FORM = {
    "b": "still image", "d": "sound recording-musical", "g": "sound recording-nonmusical",
    "h": "sound recording-nonmusical", "i": _TEXT,
}  # fmt: skip
"""181$a/0, the content forms of ISBD."""

_OF_STATED_FORM = {
    "текст": _TEXT, "text": _TEXT, "изображение": "still image", "музыка": "sound recording-musical",
    "звуки": "sound recording-nonmusical", "устная речь": "sound recording-nonmusical",
}  # fmt: skip
"""203$a, folded."""

_OF_KIND_OF_FILE = {"c": "still image", "d": _TEXT, "h": "sound recording-nonmusical"}
"""135$a/0."""

_TEXT_DATA = re.compile(r"текст|\btext", re.IGNORECASE)
TEXT_FORMAT = re.compile(
    r"(?:application/(?:pdf|epub|msword|rtf|x-fb2|x-mobi)|text/|image/vnd\.djvu)|\b(?:pdf|epub|fb2)\b"
)
PAGES = re.compile(r"\d\]?\s*(?:с|стр|л|p|pages?|s)\b", re.IGNORECASE)


def content_of_electronic(view: UnimarcView) -> str:
    """Return the ``typeOfResource`` that the forms of content, the kind of file or the extent state.

    A resource that states none of them is software or multimedia.
    """
    for text in view.texts("181", "a"):
        if latin(text[:1]) in _OF_CONTENT_FORM:
            return _OF_CONTENT_FORM[latin(text[:1])]
    for text in view.texts("203", "a"):
        if text.casefold() in _OF_STATED_FORM:
            return _OF_STATED_FORM[text.casefold()]
    for text in view.texts("135", "a"):
        if latin(text[:1]) in _OF_KIND_OF_FILE:
            return _OF_KIND_OF_FILE[latin(text[:1])]
    is_text = (
        any(map(_TEXT_DATA.search, view.texts("230", "a")))
        or any(map(TEXT_FORMAT.search, map(str.casefold, view.texts("856", "q"))))
        or any(map(PAGES.search, view.texts("215", "a")))
    )
    return _TEXT if is_text else TYPE_OF_RESOURCE[ELECTRONIC]


MUSIC = "cd"
"""Leader 06."""

_FIELDS_OF_MUSIC = ("013", "036", "071", "125", "126", "128", "145", "146", "208", "230")
_TEXTS = (
    ("200", "abefgi"), ("203", "a"), ("205", "a"), ("215", "ace"), ("225", "ae"), ("300", "a"), ("327", "a"),
    ("330", "a"), ("606", "ax"), ("608", "a"), ("610", "a"),
)  # fmt: skip
_WORD_OF_MUSIC = re.compile(
    r"\bнот(?:ы|н|\b)|музык|партитур|клавир|\bпес[ен]|романс|\bхор|фортепиан|\bф-?п\b|скрип|баян|гитар|аккордеон|оркестр|голос"
    r"|струнн|сюит|сонат|симфон|\bопер(?:а|н)|балет|соло\b|джаз|җыр|көй|music|\bscor|partition|piano|song|choral|noten|chant"
    r"|chanson|opera|sonat|symphon|violin|orchest",
    re.IGNORECASE,
)


def is_music(view: UnimarcView) -> bool:
    """Return whether a field of music, or a word in title, extent, notes or subjects, agrees with the leader."""
    if view.is_nested or view.has(*_FIELDS_OF_MUSIC):
        return True
    stated = (value for tag, codes in _TEXTS for code in codes for value in view.texts(tag, code))
    return any(map(_WORD_OF_MUSIC.search, stated))


BOOK = RuleBook()

_ARTICLE = mods.Genre(value="article", authority="marcgt")
_GOVERNMENT_PUBLICATION = mods.Genre(value="government publication", authority="marcgt")
_EXTENT = {"a": ", ", "c": " : ", "d": " ; ", "e": " + "}
_SIZE_ALONE = re.compile(r"\d{1,3}(?:[.,]\d)?(?:\s*[xх×]\s*\d{1,3}(?:[.,]\d)?)?")
_CYRILLIC_CATALOGUES = frozenset(["rus", "ukr", "bel", "tat", "bak", "kaz", "kir", "chv", "sah", "bul", "srp"])
"""Languages of cataloguing in which centimetres are ``см``."""

_TEXT_OF_MUSIC = {"c": "a", "d": "b"}
_PRINTED = "acek"
_PRINTED_DESIGNATION = re.compile(r"imprim|tip[aă]rit|печат|printed|^\[?текст\b\]?$", re.IGNORECASE)
"""General material designations of printed texts; ``Текст`` without more is one."""

_PLATFORM = {
    "a": "BIOS", "b": "MS-DOS", "c": "Windows", "d": "Macintosh", "e": "OS/2", "g": "Unix", "i": "mobile",
    "j": "Amiga", "k": "Atari", "l": "PlayStation",
}  # fmt: skip
"""139$a/0."""

_TEXTUAL_MATERIALS, _POSITION_OF_INDEX = "105", 10

_MEDIA_TYPE = frozenset(["application", "audio", "font", "image", "model", "multipart", "text", "video"])


@BOOK.record(
    "typeOfResource, @manuscript=yes, @collection=yes (leader 06, 07; of an electronic resource also 135, 181, 203 …)",
    tLDR="", t135="a", t181="a", t203="a", t215="ace", t230="a", t856="q", t200="abefgi", t300="a", t610="a",
)  # fmt: skip
def type_of_resource(view: UnimarcView) -> Elements:
    """Kind of content."""
    kind, level = view.leader.type_of_record, view.leader.bibliographic_level
    if kind in (*MUSIC,) and not is_music(view):
        view.warn(f"leader/06 {kind} is music, but no field agrees; written as text")
        kind = _TEXT_OF_MUSIC[kind]
    if kind in TYPE_OF_RESOURCE:
        yield mods.TypeOfResource(
            value=content_of_electronic(view) if kind == ELECTRONIC else TYPE_OF_RESOURCE[kind],
            manuscript="yes" if kind in MANUSCRIPT else None,
            collection="yes" if level == "c" else None,
        )


def terms_of_field(coded: CodeTable, view: UnimarcView) -> Iterator[str]:
    """Yield the terms for the codes of one coded field; codes without a term are skipped."""
    for text in view.texts(coded.tag, coded.code):
        yield from terms_in(coded, text)


def terms_in(coded: CodeTable, text: str) -> Iterator[str]:
    """Yield the terms for the codes of one subfield."""
    codes = latin(without_fill(text))
    for position in range(coded.start, coded.start + coded.width * coded.times, coded.width):
        term = coded.terms.get(codes[position : position + coded.width])
        if term is not None:
            yield term


@BOOK.record(
    "genre[@authority=marcgt]: article (leader 07), government publication (100$a/20), coded forms of content",
    tLDR="", t100="a", t105="a", t110="a", t115="a", t116="a", t117="a", t124="b", t125="b",
    t135="a", t140="a",
)  # fmt: skip
def genres(view: UnimarcView) -> Elements:
    """Genres that are given as codes."""
    found = [_ARTICLE] if view.leader.bibliographic_level == "a" else []
    if latin(without_fill(view.first("100", "a") or "")[20:21]) in tuple("abcdefgh"):
        found.append(_GOVERNMENT_PUBLICATION)
    for coded in view.present(GENRE_CODES):
        found += [mods.Genre(value=term, authority=coded.authority) for term in terms_of_field(coded, view)]
    yield from dict.fromkeys(found)


@BOOK.record("targetAudience[@authority=marctarget]", t100="a")
def audience(view: UnimarcView) -> Elements:
    """Target audience (100$a/17-19)."""
    codes = latin(without_fill(view.first("100", "a") or "")[17:20])
    for term in dict.fromkeys(AUDIENCE[code] for code in codes if code in AUDIENCE):
        yield mods.TargetAudience(value=term, authority="marctarget")


@BOOK.record(
    "physicalDescription: form (105, 106, 115, 125, 126, 130, 135, 181–183, 200$b, 203, 283), extent (215, 127), "
    "internetMediaType (856$q), digitalOrigin and reformattingQuality (135), note (230), "
    "note[@type='physical details'] (codes of 115–117, 120, 121, 126, 130, 135, 140)",
    tLDR="", t105="a", t106="a", t115="a", t116="a", t117="a", t120="a", t121="a", t125="a", t126="a", t127="a",
    t130="a", t135="a", t140="a", t181="abc2", t182="ac2", t183="ac2", t200="b",
    t203="abc", t215="acde", t230="a", t283="ac2", t856="q",
)  # fmt: skip
def physical_description(view: UnimarcView) -> Elements:
    """Physical form of the resource."""
    description = mods.PhysicalDescription(
        form=tuple(dict.fromkeys(_forms(view))),
        reformatting_quality=_of_electronic(view, 12, REFORMATTING_QUALITY),
        internet_media_type=tuple(
            dict.fromkeys(value for value in view.texts("856", "q") if value.partition("/")[0] in _MEDIA_TYPE)
        ),
        extent=(
            *(mods.Extent(value=text) for text in (_extent(field, view) for field in view.fields("215")) if text),
            *map(_duration, view.texts("127", "a")),
        ),
        digital_origin=_of_electronic(view, 10, DIGITAL_ORIGIN),
        note=tuple(
            mods.Note(value=value)
            for value in (
                *view.texts("230", "a"),
                *(value for value in view.texts("856", "q") if value.partition("/")[0] not in _MEDIA_TYPE),
            )
        )
        + tuple(_details(view)),
    )
    if description != mods.PhysicalDescription():
        yield description


def _details(view: UnimarcView) -> Iterator[mods.Note]:
    """Yield what codes state of illustrations of old books, material, technique, color, sound and size, by fields.

    Illustrations that are stated without an extent, as of articles, are such a detail.
    """
    terms: dict[str, list[str]] = {}
    for coded in view.present(DETAIL_CODES):
        if coded.tag != _TEXTUAL_MATERIALS:
            terms.setdefault(coded.tag, []).extend(terms_of_field(coded, view))
    for stated in terms.values():
        if stated:
            yield mods.Note(value=", ".join(dict.fromkeys(stated)), type="physical details")
    for field in view.fields("215"):
        if not _extent(field, view) and field.first("c") is not None:
            yield mods.Note(value=" : ".join(field.values("c")), type="physical details")


def pages_in_host(view: UnimarcView) -> tuple[mods.PartExtent, ...]:
    """Return the pages that 215 states of an article or another component part."""
    return parse_part([text for text in view.texts("215", "a") if _states_pages(text, view)]).extent


def _states_pages(text: str, view: UnimarcView) -> bool:
    return view.leader.bibliographic_level in ("a", "b") and is_pages(text)


def _extent(field: DataField, view: UnimarcView) -> str:
    """Return an extent, without pages in a host; a size that is stated alone and without a unit is in centimetres."""
    kept = tuple(item for item in field.subfields if item.code != "a" or not _states_pages(item.value, view))
    if not any(item.code in "ade" for item in kept):
        return ""
    text = punctuate(replace(field, subfields=kept), _EXTENT)
    if not _SIZE_ALONE.fullmatch(text) or text != field.first("d"):
        return text
    language = (view.first("100", "a") or "")[22:25].lower()
    return f"{text} {'см' if language in _CYRILLIC_CATALOGUES else 'cm'}"


def _duration(text: str) -> mods.Extent:
    """Return ``004530`` as ``00:45:30``, with ``duration`` as unit."""
    digits = text.strip()
    if len(digits) != 6 or not digits.isdecimal():
        return mods.Extent(value=digits)
    return mods.Extent(value=f"{digits[:2]}:{digits[2:4]}:{digits[4:]}", unit=DURATION)


def _of_electronic(view: UnimarcView, position: int, terms: dict[str, str]) -> tuple[str, ...]:
    """Return the term for 135$a at one position; MODS allows it once."""
    codes = (latin(without_fill(text))[position : position + 1] for text in view.texts("135", "a"))
    return tuple(dict.fromkeys(terms[code] for code in codes if code in terms))[:1]


def _forms(view: UnimarcView) -> Iterator[mods.Form]:
    for coded in view.present(FORM_CODES[:2]):
        for term in terms_of_field(coded, view):
            yield mods.Form(value=term, authority=coded.authority)
    if view.leader.type_of_record == ELECTRONIC:
        yield mods.Form(value="electronic", authority="marcform")
    if _is_printed(view):
        yield mods.Form(value="print", authority="marcform")
    for coded in view.present(FORM_CODES[2:]):
        for term in terms_of_field(coded, view):
            yield mods.Form(value=term, authority=coded.authority)
    for coded in view.present(DETAIL_CODES):
        kind = "supplementary content" if coded.start == _POSITION_OF_INDEX else "illustrative content"
        for term in terms_of_field(coded, view) if coded.tag == _TEXTUAL_MATERIALS else ():
            yield mods.Form(value=term, type=kind)
    for value in view.texts("200", "b"):
        yield mods.Form(value=value, authority="gmd")
    for field in view.fields("203"):
        yield from _stated_forms(field)
    yield from _coded_area_0(view, "181", "content", ISBD_CONTENT)
    yield from _coded_area_0(view, "182", "media", ISBD_MEDIA)
    for tag in ("183", "283"):
        yield from _coded_area_0(view, tag, "carrier", {})


def _is_printed(view: UnimarcView) -> bool:
    """Whether texts, printed music, maps and pictures without a code for the form are print."""
    return (
        view.leader.type_of_record in _PRINTED
        and view.leader.bibliographic_level != "a"
        and not view.has("106", "130", "135", "182", "230")
        and _PRINTED_DESIGNATION.search(view.first("200", "b") or "текст") is not None
        and all(value.casefold().startswith(("непосредств", "неопосред")) for value in view.texts("203", "c"))
    )


def _stated_forms(field: DataField) -> Iterator[mods.Form]:
    """Yield the forms of 203: content ($a) with its qualifications ($b) in parentheses, and media types ($c)."""
    content: list[list[str]] = []
    for subfield in field.subfields:
        if subfield.code == "a":
            content.append([subfield.value])
        elif subfield.code == "b":
            if content:
                content[-1].append(subfield.value)
            else:
                content.append([subfield.value])
    for pieces in content:
        text = f"{pieces[0]} ({' ; '.join(pieces[1:])})" if len(pieces) > 1 else pieces[0]
        yield mods.Form(value=text, type="content", authority="isbdcontent")
    for value in field.values("c"):
        yield mods.Form(value=value, type="media", authority="isbdmedia")


def _coded_area_0(view: UnimarcView, tag: str, type_: str, terms: dict[str, str]) -> Iterator[mods.Form]:
    for field in view.fields(tag):
        for value in field.values("a"):
            term = terms.get(latin(value.strip()[:1])) if terms else value.strip()
            if term is not None:
                qualified = _qualifications(field.first("b") or "") if tag == "181" else ""
                term = f"{term} ({qualified})" if qualified else term
                yield mods.Form(value=term, type=type_, authority=f"isbd{type_}" if terms else field.first("2"))
        for value in field.values("c"):
            yield mods.Form(value=value.strip(), type=type_, authority=field.first("2") or f"rda{type_}")


def _qualifications(codes: str) -> str:
    terms = [terms.get(code) for code, terms in zip(latin(codes), ISBD_QUALIFICATION, strict=False)]
    return " ; ".join(term for term in terms if term is not None)


@BOOK.field("141", "ac5", "note[@type=condition]; $5 @displayLabel")
def binding(field: DataField, view: UnimarcView) -> Elements:
    """Binding and condition of a copy of an old book, from codes."""
    terms = [term for coded in BINDING_CODES for text in field.values(coded.code) for term in terms_in(coded, text)]
    if terms:
        yield mods.Note(
            value=", ".join(dict.fromkeys(terms)), type="condition", display_label="; ".join(field.values("5")) or None
        )


@BOOK.field("139", "ax", "note[@type='system details']")
def platform(field: DataField, view: UnimarcView) -> Elements:
    """Platform of an electronic resource, from codes, and the formats of its files."""
    stated = [_PLATFORM[code] for text in field.values("a") if (code := latin(text[:1])) in _PLATFORM]
    stated += field.values("x")
    if stated:
        yield mods.Note(value=", ".join(stated), type="system details")


_BEFORE_OUR_ERA, _OF_OUR_ERA = "c", "d"


@BOOK.field("122", "a", "subject/temporal[@encoding=w3cdtf]")
def period_covered(field: DataField, view: UnimarcView) -> Elements:
    """Period that the content covers (indicator 1: 2), as beginning and end; else dates, each for itself.

    ``d`` (of our era) is followed by year, month, day and hour, ``c`` by a year before our era.
    """
    dates = [date for date in map(_date_covered, field.values("a")) if date is not None]
    is_range = len(dates) == 2 and field.indicator1 != "1"
    parts = tuple(
        replace(date, point=("start", "end")[position] if is_range else None) for position, date in enumerate(dates)
    )
    if parts:
        yield mods.Subject(parts=parts)


def _date_covered(text: str) -> mods.Temporal | None:
    era, digits = latin(text[:1]), text[1:].strip(" #-|")
    if not digits.isdecimal() or not digits.isascii() or len(digits) < 4:
        return None
    if era == _BEFORE_OUR_ERA:
        return mods.Temporal(value=f"-{digits[:4]}")
    if era != _OF_OUR_ERA:
        return None
    pieces = [digits[:4], digits[4:6], digits[6:8]]
    return mods.Temporal(value="-".join(piece for piece in pieces if piece), encoding="w3cdtf")


# --- music: form, key and medium of performance

_MUSIC = {
    "a": "vocal music a cappella", "b": "instrumental music", "c": "vocal and instrumental music",
    "d": "electroacoustic music", "e": "mixed electroacoustic music",
}  # fmt: skip
"""145$a and 146$a."""


@BOOK.field("128", "abcd", "genre[@type='musical composition'] ($a); note[@type='medium of performance' or 'key']")
def form_and_key(field: DataField, view: UnimarcView) -> Elements:
    """Form, instruments and key; forms are of the list of IAML (three letters) or of MARC (two)."""
    for value in field.values("a"):
        code = value.strip(" |#")
        if code:
            authority = "iamlmf" if len(code) == 3 else "marcmuscomp"
            yield mods.Genre(value=code, type="musical composition", authority=authority)
    instruments = field.values("b", "c")
    if instruments:
        yield mods.Note(value=", ".join(instruments), type="medium of performance")
    for value in field.values("d"):
        yield mods.Note(value=value.strip(), type="key")


@BOOK.field("145 146", "abcdefhi", "note[@type='medium of performance']")
def medium_of_performance(field: DataField, view: UnimarcView) -> Elements:
    """For whom the music is: its kind in words, voices and instruments as codes of IAML, numbers of parts."""
    stated = []
    for subfield in field.subfields:
        if subfield.code in "abcdefhi":
            text = without_fill(subfield.value).strip()
            stated.append(_MUSIC.get(latin(text), text) if subfield.code == "a" else text)
    if any(stated):
        yield mods.Note(value=", ".join(text for text in stated if text), type="medium of performance")


# --- maps: mathematical data

_DIRECTIONS = {"w": "W", "e": "E", "n": "N", "s": "S"}


@BOOK.field("123", "abcdefg", "subject/cartographics: scale, coordinates")
def coded_scale_and_coordinates(field: DataField, view: UnimarcView) -> Elements:
    """Scale and bounding coordinates of a map, from codes."""
    scales = [f"1:{value.strip()}" for value in field.values("b", "c") if value.strip().isdecimal()]
    west, east, north, south = (_coordinate(field.first(code) or "") for code in "defg")
    coordinates = ()
    if west and north:
        coordinates = (f"{west}--{east or west}/{north}--{south or north}",)  # type: ignore[assignment]
    if scales or coordinates:
        yield mods.Subject(parts=(mods.Cartographics(scale=_one(scales), coordinates=coordinates),))


def _coordinate(text: str) -> str:
    direction, digits = _DIRECTIONS.get(latin(text[:1])), text[1:8].strip()
    if direction is None or len(digits) < 3 or not digits.isdecimal():
        return ""
    return f"{direction} {int(digits[:3])}°{digits[3:5] or '00'}'{digits[5:7] or '00'}\""


def _one(texts: list[str]) -> tuple[str, ...]:
    """Join scales or projections: MODS allows one of each."""
    return (" ; ".join(texts),) if texts else ()


@BOOK.field("206", "abcdef", "subject/cartographics: scale, projection, coordinates")
def stated_scale(field: DataField, view: UnimarcView) -> Elements:
    """Mathematical data of a map as stated; in $a they are one text."""
    cartographics = mods.Cartographics(
        scale=_one(field.values("a", "b")),
        projection=_one(field.values("c")),
        coordinates=tuple(field.values("d", "e", "f")),
    )
    if cartographics != mods.Cartographics():
        yield mods.Subject(parts=(cartographics,))


@BOOK.field("120", "a", "subject/cartographics/projection")
def coded_projection(field: DataField, view: UnimarcView) -> Elements:
    """Projection of a map, from a code."""
    for text in field.values("a"):
        term = PROJECTION.get(latin(without_fill(text))[7:9])
        if term is not None:
            yield mods.Subject(parts=(mods.Cartographics(projection=(term,)),))
