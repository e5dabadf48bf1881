"""Kind and form: typeOfResource, genre, audience, physical description (leader, 1XX, 203, 215, 230)."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._rules import Produces, RuleBook
from bibld.crosswalk._unimarc.codes import (
    AUDIENCE,
    FORM_CODES,
    GENRE_CODES,
    ISBD_CONTENT,
    ISBD_MEDIA,
    ISBD_QUALIFICATION,
    MANUSCRIPT,
    MARC_FORM,
    TYPE_OF_RESOURCE,
    Coded,
    latin,
    without_fill,
)
from bibld.crosswalk._unimarc.view import UnimarcView, punctuated
from bibld.model.marc import DataField
from bibld.model.mods import (
    Cartographics,
    Extent,
    Form,
    Genre,
    Note,
    PhysicalDescription,
    Subject,
    TargetAudience,
    Temporal,
    TypeOfResource,
)

BOOK = RuleBook()

_ARTICLE = Genre(value="article", authority="marcgt")
_GOVERNMENT_PUBLICATION = Genre(value="government publication", authority="marcgt")
_EXTENT = {"a": ", ", "c": " : ", "d": " ; ", "e": " + "}
_PRINTED = "acek"
_MEDIA_TYPE = frozenset(["application", "audio", "font", "image", "model", "multipart", "text", "video"])


@BOOK.record("typeOfResource, @manuscript=yes, @collection=yes (leader 06 and 07)", tLDR="")
def type_of_resource(view: UnimarcView) -> Produces:
    """The kind of content."""
    kind, level = view.leader.type_of_record, view.leader.bibliographic_level
    if kind in TYPE_OF_RESOURCE:
        yield TypeOfResource(
            value=TYPE_OF_RESOURCE[kind],
            manuscript="yes" if kind in MANUSCRIPT else None,
            collection="yes" if level == "c" else None,
        )


def terms_of(coded: Coded, view: UnimarcView) -> Iterator[str]:
    """The terms that the codes of one coded field stand for; codes without a term are passed over."""
    for text in view.texts(coded.tag, coded.code):
        codes = latin(without_fill(text))
        for position in range(coded.start, coded.start + coded.width * coded.times, coded.width):
            term = coded.terms.get(codes[position : position + coded.width])
            if term is not None:
                yield term


@BOOK.record(
    "genre[@authority=marcgt]: article (leader 07), government publication (100$a/20), coded forms of content",
    tLDR="", t100="a", t105="a", t110="a", t115="a", t116="a", t117="a", t124="b", t135="a", t140="a",
)  # fmt: skip
def genres(view: UnimarcView) -> Produces:
    """Genres that are given as codes."""
    found = [_ARTICLE] if view.leader.bibliographic_level == "a" else []
    if latin(without_fill(view.first("100", "a") or "")[20:21]) in tuple("abcdefgh"):
        found.append(_GOVERNMENT_PUBLICATION)
    for coded in GENRE_CODES:
        found += [Genre(value=term, authority=coded.authority) for term in terms_of(coded, view)]
    yield from dict.fromkeys(found)


@BOOK.record("targetAudience[@authority=marctarget]", t100="a")
def audience(view: UnimarcView) -> Produces:
    """For whom the resource is meant (100$a/17-19)."""
    codes = latin(without_fill(view.first("100", "a") or "")[17:20])
    for term in dict.fromkeys(AUDIENCE[code] for code in codes if code in AUDIENCE):
        yield TargetAudience(value=term, authority="marctarget")


@BOOK.record(
    "physicalDescription: form (106, 115, 126, 130, 135, 181–183, 200$b, 203, 283), extent (215), internetMediaType "
    "(856$q), note (230)",
    tLDR="", t106="a", t115="a", t126="a", t130="a", t135="a", t181="abc2", t182="ac2", t183="ac2", t200="b",
    t203="abc", t215="acde", t230="a", t283="ac2", t856="q",
)  # fmt: skip
def physical_description(view: UnimarcView) -> Produces:
    """What the resource is physically."""
    description = PhysicalDescription(
        form=tuple(dict.fromkeys(_forms(view))),
        internet_media_type=tuple(
            dict.fromkeys(value for value in view.texts("856", "q") if value.partition("/")[0] in _MEDIA_TYPE)
        ),
        extent=tuple(
            Extent(value=text) for text in (punctuated(field, _EXTENT) for field in view.fields("215")) if text
        ),
        note=tuple(
            Note(value=value)
            for value in (
                *view.texts("230", "a"),
                *(value for value in view.texts("856", "q") if value.partition("/")[0] not in _MEDIA_TYPE),
            )
        ),
    )
    if description != PhysicalDescription():
        yield description


def _forms(view: UnimarcView) -> Iterator[Form]:
    for text in view.texts("106", "a"):
        term = MARC_FORM.get(latin(text.strip()[:1]))
        if term is not None:
            yield Form(value=term, authority="marcform")
    if _is_printed(view):
        yield Form(value="print", authority="marcform")
    for coded in FORM_CODES:
        for term in terms_of(coded, view):
            yield Form(value=term, authority=coded.authority)
    for value in view.texts("200", "b"):
        yield Form(value=value, authority="gmd")
    for field in view.fields("203"):
        yield from _stated_forms(field)
    yield from _coded_area_0(view, "181", "content", ISBD_CONTENT)
    yield from _coded_area_0(view, "182", "media", ISBD_MEDIA)
    for tag in ("183", "283"):
        yield from _coded_area_0(view, tag, "carrier", {})


def _is_printed(view: UnimarcView) -> bool:
    """Without a code for the form, texts, printed music, maps and pictures are print, unless something says else."""
    return (
        view.leader.type_of_record in _PRINTED
        and view.leader.bibliographic_level != "a"
        and not view.has("106", "130", "135", "182", "230")
        and view.first("200", "b") is None
        and all(value.casefold().startswith(("непосредств", "неопосред")) for value in view.texts("203", "c"))
    )


def _stated_forms(field: DataField) -> Iterator[Form]:
    """Field 203: each content form ($a) with its qualifications ($b) in parentheses, and the media types ($c)."""
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
        yield Form(value=text, type="content", authority="isbdcontent")
    for value in field.values("c"):
        yield Form(value=value, type="media", authority="isbdmedia")


def _coded_area_0(view: UnimarcView, tag: str, type_: str, terms: dict[str, str]) -> Iterator[Form]:
    for field in view.fields(tag):
        for value in field.values("a"):
            term = terms.get(latin(value.strip()[:1])) if terms else value.strip()
            if term is not None:
                qualified = _qualifications(field.first("b") or "") if tag == "181" else ""
                term = f"{term} ({qualified})" if qualified else term
                yield Form(value=term, type=type_, authority=f"isbd{type_}" if terms else field.first("2"))
        for value in field.values("c"):
            yield Form(value=value.strip(), type=type_, authority=field.first("2") or f"rda{type_}")


def _qualifications(codes: str) -> str:
    terms = [terms.get(code) for code, terms in zip(latin(codes), ISBD_QUALIFICATION, strict=False)]
    return " ; ".join(term for term in terms if term is not None)


_DIRECTIONS = {"w": "W", "e": "E", "n": "N", "s": "S"}


@BOOK.field("123", "abcdefg", "subject/cartographics: scale, coordinates")
def coded_scale_and_coordinates(field: DataField, view: UnimarcView) -> Produces:
    """Scale and bounding coordinates of a map, from codes."""
    scales = [f"1:{value.strip()}" for value in field.values("b", "c") if value.strip().isdecimal()]
    west, east, north, south = (_coordinate(field.first(code) or "") for code in "defg")
    coordinates = ()
    if west and north:
        coordinates = (f"{west}--{east or west}/{north}--{south or north}",)  # type: ignore[assignment]
    if scales or coordinates:
        yield Subject(parts=(Cartographics(scale=_one(scales), coordinates=coordinates),))


def _coordinate(text: str) -> str:
    direction, digits = _DIRECTIONS.get(latin(text[:1])), text[1:8].strip()
    if direction is None or len(digits) < 3 or not digits.isdecimal():
        return ""
    return f"{direction} {int(digits[:3])}°{digits[3:5] or '00'}'{digits[5:7] or '00'}\""


def _one(texts: list[str]) -> tuple[str, ...]:
    """MODS allows one scale and one projection."""
    return (" ; ".join(texts),) if texts else ()


@BOOK.field("206", "abcdef", "subject/cartographics: scale, projection, coordinates")
def stated_scale(field: DataField, view: UnimarcView) -> Produces:
    """The mathematical data of a map as stated; in $a they stand as one text."""
    cartographics = Cartographics(
        scale=_one(field.values("a", "b")),
        projection=_one(field.values("c")),
        coordinates=tuple(field.values("d", "e", "f")),
    )
    if cartographics != Cartographics():
        yield Subject(parts=(cartographics,))


@BOOK.field("122", "a", "subject/temporal[@encoding=w3cdtf]")
def period_covered(field: DataField, view: UnimarcView) -> Produces:
    """The period that the content covers: years after ``d`` (of our era), one or a beginning and an end."""
    years = [text[1:5] for text in map(latin, field.values("a")) if text[:1] == "d" and text[1:5].isdecimal()]
    points = ("start", "end") if len(years) == 2 else (None,) * len(years)
    parts = tuple(
        Temporal(value=year, encoding="w3cdtf", point=point) for year, point in zip(years, points, strict=True)
    )
    if parts:
        yield Subject(parts=parts)
