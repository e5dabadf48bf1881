"""Publication and production: places, publishers, dates, edition (100$a/8-16, 102, 205, 210, 211, 214, 326)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import FREQUENCY, ISSUANCE, latin, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView, punctuate
from bibld.model.marc import DataField
from bibld.model.mods import Date, Edition, Frequency, Note, OriginInfo, Place, PlaceTerm, Publisher

BOOK = RuleBook()

_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_YEARS = re.compile(r"\[?(1[4-9]\d\d|20\d\d)\]?\s*[-–—]\s*\[?(1[4-9]\d\d|20\d\d)\]?\.?")
_UNSURE_YEAR = re.compile(r"\d{1,3}u{1,3}")
_MONTH_AND_DAY = re.compile(r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_COUNTRY = re.compile(r"[A-Z]{2}")
_PLACE_CODE = re.compile(r"[A-Z0-9-]{2,8}")
_BRACKETS = str.maketrans("", "", "[]. ")
_OPEN = "9999"
_EVENT_OF_214 = {"0": "publication", "1": "production", "2": "distribution", "3": "manufacture"}
_COPYRIGHT = "4"


class _Dates(msgspec.Struct):
    """The dates of an originInfo while they are gathered."""

    issued: list[Date] = []
    created: list[Date] = []
    copyright: list[Date] = []
    other: list[Date] = []

    def add_second(self, kind: str, date: Date) -> None:
        """Add date 2 of 100$a, if the code of the dates gives it a meaning."""
        if kind == "e":
            self.other.append(replace(date, type="original"))
        elif kind == "h":
            self.copyright.append(date)
        elif kind == "i":
            self.created.append(date)
        elif kind == "k":
            self.other.append(replace(date, type="manufacture"))


def coded_dates(kind: str, first: str, second: str) -> _Dates:
    """Read the dates of 100$a: the code at 8 states what date 1 (9-12) and date 2 (13-16) are."""
    dates = _Dates()
    one, two = _date(first), _date(second)
    if one is None:
        return dates
    if kind in (*"abcgl",):
        dates.issued += _range(kind, one, second)
    elif kind == "f":
        dates.issued.append(replace(one, qualifier="questionable", point="start" if two is not None else None))
        if two is not None:
            dates.issued.append(replace(two, qualifier="questionable", point="end"))
    elif kind == "u":
        dates.issued.append(replace(one, point="start"))
    elif kind == "j" and _MONTH_AND_DAY.fullmatch(second) and one.encoding == "w3cdtf":
        dates.issued.append(Date(value=f"{one.value}-{second[:2]}-{second[2:]}", encoding="w3cdtf"))
    else:
        dates.issued.append(one)
        if two is not None:
            dates.add_second(kind, two)
    return dates


def _range(kind: str, one: Date, second: str) -> list[Date]:
    """Return the dates of a resource that appears, or appeared, for some time."""
    start, two = replace(one, point="start"), _date(second)
    if second == _OPEN:
        return [start, Date(value=_OPEN, encoding="marc", point="end")]
    if two is not None and kind in "bgl" and two != one:
        return [start, replace(two, point="end")]
    return [one] if kind != "a" and two == one else [start]


def _date(text: str) -> Date | None:
    year = text.replace(" ", "u").replace("?", "u").replace("-", "u").replace("U", "u").ljust(4, "u")
    if year.isascii() and year.isdecimal():
        return Date(value=year, encoding="w3cdtf") if 0 < int(year) < 9999 else None
    return Date(value=year, encoding="marc") if _UNSURE_YEAR.fullmatch(year) and len(year) == 4 else None


def _dates_of(view: UnimarcView, stated: list[str]) -> _Dates:
    """Return the coded dates and, where it differs, the date of 210$d unchanged.

    Some systems write the year of cataloguing into 100$a: where the years differ by more than one, 210$d is used.
    """
    coded = without_fill(view.first("100", "a") or "").ljust(17)
    dates = _Dates() if view.is_nested else coded_dates(coded[8], coded[9:13], coded[13:17])
    texts = " ".join(stated)
    years = _YEAR.findall(texts)
    if years and dates.issued and not _agree(years, dates):
        view.warn(f"100: date 1 {coded[9:13]!r} contradicts 210$d {texts!r}, which is used")
        dates = _Dates()
    if not dates.issued and years and not view.is_nested:
        span = _YEARS.fullmatch(texts)
        if span is not None:
            dates.issued = [Date(value=span[1], encoding="w3cdtf", point="start")]
            dates.issued.append(Date(value=span[2], encoding="w3cdtf", point="end"))
        else:
            dates.issued = [Date(value=years[0], encoding="w3cdtf")]
    if dates.issued and not view.is_nested:
        dates.issued[0] = replace(dates.issued[0], key_date="yes")
    known = {"-".join(date.value for date in dates.issued), *(date.value for date in dates.issued)}
    dates.issued += [Date(value=text) for text in stated if text.translate(_BRACKETS) not in known]
    return dates


def _agree(years: list[str], dates: _Dates) -> bool:
    all_dates = [*dates.issued, *dates.copyright, *dates.other, *dates.created]
    numbers = [int(date.value[:4]) for date in all_dates if date.value[:4].isdecimal()]
    if len(numbers) < len(all_dates):
        return True
    return any(min(numbers) - 1 <= int(year) <= max(numbers) + 1 for year in years)


@BOOK.record(
    "originInfo[@eventType=publication]: place, publisher, dateIssued (the first with keyDate), copyrightDate, "
    "dateCreated, dateOther, edition, issuance, frequency; further originInfo for 210$e–$h, 214 and repeated 210",
    tLDR="", t100="a", t102="abc2", t110="a", t200="jk", t205="abdfg", t210="acdegh", t211="a", t214="acd",
    t326="ab", t620="d",
)  # fmt: skip
def origin(view: UnimarcView) -> Elements:
    """Where, when and by whom the resource was published, produced, manufactured."""
    imprints = [*view.fields("210"), *(f for f in view.fields("214") if _event_of(f, view) == "publication")]
    main = imprints[0] if imprints else None
    dates = _dates_of(view, main.values("d") if main is not None else [])
    others = [field for field in (*view.fields("210"), *view.fields("214")) if field is not main]
    for field in others:
        if field.tag == "214" and field.indicator2 == _COPYRIGHT:
            dates.copyright += [Date(value=value) for value in field.values("d")]
    info = OriginInfo(
        place=tuple(dict.fromkeys((*_country_codes(view), *_places(main, "a", view)))),
        publisher=tuple(Publisher(value=value) for value in main.values("c")) if main is not None else (),
        date_issued=tuple(dates.issued),
        date_created=(*dates.created, *(Date(value=value) for value in view.texts("200", "j"))),
        copyright_date=tuple(dates.copyright),
        date_other=(
            *dates.other,
            *(Date(value=value, type="projected") for value in view.texts("211", "a")),
            *(Date(value=value, type="bulk") for value in view.texts("200", "k")),
        ),
        edition=tuple(_editions(view)),
        issuance=_issuance(view),
        frequency=tuple(_frequencies(view)),
    )
    if info != OriginInfo():
        info = _of_event(info, "publication", view)
        yield info if main is None else view.mark(info, main)
    further = list(_manufacture(main, view)) if main is not None else []
    for field in others:
        if view.is_alternate(field):
            texts = tuple(item for item in field.subfields if item.code not in "dh")
            field_in_script = replace(field, subfields=texts)
            further += [view.mark(event, field) for event in _further_origin(field_in_script, view)]
        elif main is None or field.values("a", "c", "d") != main.values("a", "c", "d"):
            further += _further_origin(field, view)
    yield from dict.fromkeys(further)


def _event_of(field: DataField, view: UnimarcView) -> str | None:
    """Return the event that an imprint (210, 214) states; None for a copyright date."""
    if field.tag == "210" or field.indicator2 == " ":
        return "publication"
    if field.indicator2 == _COPYRIGHT:
        return None
    if field.indicator2 not in _EVENT_OF_214:
        view.warn(f"214 second indicator {field.indicator2!r} is an unknown function; read as publication")
    return _EVENT_OF_214.get(field.indicator2, "publication")


def _of_event(info: OriginInfo, event: str, view: UnimarcView) -> OriginInfo:
    return info if view.is_nested else replace(info, event_type=event)


def _country_codes(view: UnimarcView) -> Iterator[Place]:
    for field in view.fields("102"):
        for value in field.values("a"):
            for code in re.split(r"[\s,;]+", latin(value.strip(" |#")).upper()):
                if _COUNTRY.fullmatch(code) and code != "XX":
                    yield Place(place_term=(PlaceTerm(value=code, type="code", authority="iso3166"),))
                elif code and code != "XX":
                    yield Place(place_term=(PlaceTerm(value=value.strip(" |#"), type="text"),))
                    break
        for value in field.values("b", "c"):
            text = value.strip(" |#")
            if text:
                type_ = "code" if _PLACE_CODE.fullmatch(text) else "text"
                yield Place(place_term=(PlaceTerm(value=text, type=type_),))


def _places(field: DataField | None, code: str, view: UnimarcView) -> Iterator[Place]:
    stated = field.values(code) if field is not None else []
    if not stated and code == "a" and field is not None and not view.is_nested:
        stated = view.texts("620", "d")
    for value in stated:
        yield Place(place_term=(PlaceTerm(value=value, type="text"),))


def _editions(view: UnimarcView) -> Iterator[Edition]:
    for field in view.fields("205"):
        text = punctuate(field, {"a": " ; ", "b": ", ", "d": " = ", "f": " / ", "g": " ; "})
        if text:
            yield Edition(value=text)


def _issuance(view: UnimarcView) -> tuple[str, ...]:
    level = view.leader.bibliographic_level
    if level == "m" and view.leader.hierarchical_level == "1":
        return ("multipart monograph",)
    return (ISSUANCE[level],) if level in ISSUANCE else ()


def _frequencies(view: UnimarcView) -> Iterator[Frequency]:
    for text in view.texts("110", "a"):
        term = FREQUENCY.get(latin(text[1:2]))
        if term is not None:
            yield Frequency(value=term, authority="marcfrequency")
    for field in view.fields("326"):
        period = " ; ".join(field.values("b"))
        for value in field.values("a"):
            yield Frequency(value=f"{value} ({period})" if period else value)


def _manufacture(field: DataField, view: UnimarcView) -> Iterator[OriginInfo]:
    info = OriginInfo(
        place=tuple(_places(field, "e", view)),
        publisher=tuple(Publisher(value=value) for value in field.values("g")),
        date_other=tuple(Date(value=value, type="manufacture") for value in field.values("h")),
    )
    if info != OriginInfo():
        yield replace(info, event_type="manufacture")


def _further_origin(field: DataField, view: UnimarcView) -> Iterator[OriginInfo]:
    event = _event_of(field, view)
    stated = field.values("d") if event is not None else []
    info = OriginInfo(
        place=tuple(Place(place_term=(PlaceTerm(value=value, type="text"),)) for value in field.values("a")),
        publisher=tuple(Publisher(value=value) for value in field.values("c")),
        date_issued=tuple(Date(value=value) for value in stated if event == "publication"),
        date_created=tuple(Date(value=value) for value in stated if event == "production"),
        date_other=tuple(Date(value=value, type=event) for value in stated if event in ("distribution", "manufacture")),
    )
    if info != OriginInfo():
        yield replace(info, event_type=event)
    if field.tag == "210":
        yield from _manufacture(field, view)


@BOOK.field("210", "bfrs", "note[@type=publication]")
def imprint_notes(field: DataField, view: UnimarcView) -> Elements:
    """Addresses of publishers and manufacturers, and the imprint as the source words it."""
    for value in field.values("b", "f", "r", "s"):
        yield Note(value=value, type="publication")
