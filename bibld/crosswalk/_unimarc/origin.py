"""Publication: imprint, dates, edition, frequency (100, 102, 110, 205, 210, 214, 326, 620)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._dates import copyright_dates, dates_of_publication, states_only_copyright
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._texts import without_brackets
from bibld.crosswalk._unimarc.codes import COUNTRY_OF_THREE_LETTERS, FREQUENCY, ISSUANCE, latin, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView, punctuate
from bibld.model.marc import DataField
from bibld.model.mods import Date, Edition, Frequency, Note, OriginInfo, Place, PlaceTerm, Publisher
from bibld.model.mods_plan import OPEN_END
from bibld.text.dates import years


class ImprintText(NamedTuple):
    """A text of an imprint; ``is_supplied``: it was in square brackets."""

    code: str
    value: str
    is_supplied: bool

    @property
    def supplied(self) -> str | None:
        """The MODS attribute ``supplied``."""
        return "yes" if self.is_supplied else None


def imprint_texts(field: DataField) -> list[ImprintText]:
    """Return the texts of the subfields of an imprint (210, 214)."""
    texts: list[ImprintText] = []
    for subfield in field.subfields:
        stated = subfield.value
        value, is_supplied = without_brackets(stated.rstrip(" .") if stated.endswith("].") else stated)
        texts.append(ImprintText(subfield.code, value or stated, is_supplied))
    return texts


_UNSURE_YEAR = re.compile(r"\d{1,3}u{1,3}")
_MONTH_AND_DAY = re.compile(r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?")


class Dates(msgspec.Struct):
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

    def add_copyright(self, text: str) -> None:
        """Add a copyright date as stated (``cop. 2012``), unless it is known."""
        found = years(text)
        date = Date(value=str(found[0]), encoding="w3cdtf") if found else Date(value=text)
        if date not in self.copyright:
            self.copyright.append(date)


def coded_dates(kind: str, first: str, second: str) -> Dates:
    """Read the dates of 100$a: the code at 8 states what date 1 (9-12) and date 2 (13-16) are."""
    dates = Dates()
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
    elif kind == "j" and one.encoding == "w3cdtf" and (day := _MONTH_AND_DAY.fullmatch(second.strip())):
        dates.issued.append(Date(value="-".join([one.value, *filter(None, day.groups())]), encoding="w3cdtf"))
    else:
        dates.issued.append(one)
        if two is not None:
            dates.add_second(kind, two)
    return dates


def _range(kind: str, one: Date, second: str) -> list[Date]:
    """Return the dates of a resource that appears, or appeared, for some time."""
    start, two = replace(one, point="start"), _date(second)
    if second == OPEN_END:
        return [start, Date(value=OPEN_END, encoding="marc", point="end")]
    if two is not None and kind in "bgl" and two != one:
        return [start, replace(two, point="end")]
    return [one] if kind != "a" and two == one else [start]


def _date(text: str) -> Date | None:
    year = text.replace(" ", "u").replace("?", "u").replace("-", "u").replace("U", "u").ljust(4, "u")
    if year.isascii() and year.isdecimal():
        return Date(value=year, encoding="w3cdtf") if 0 < int(year) < 9999 else None
    return Date(value=year, encoding="marc") if _UNSURE_YEAR.fullmatch(year) and len(year) == 4 else None


def dates_of(view: UnimarcView, stated: Sequence[ImprintText]) -> Dates:
    """Return the coded dates and those of the imprint; an embedded field has only the latter."""
    coded = without_fill(view.first("100", "a") or "").ljust(17)
    dates = Dates() if view.is_nested else coded_dates(coded[8], coded[9:13], coded[13:17])
    texts = [f"[{text.value}]" if text.is_supplied else text.value for text in stated]
    if view.is_nested:
        dates.issued = [Date(value=text) for text in texts if not states_only_copyright(text)]
        for text in filter(states_only_copyright, texts):
            dates.add_copyright(text)
        return dates
    dates.issued = dates_of_publication(dates.issued, texts, lambda message: view.warn(f"100$a/9-12: {message}"))
    dates.issued = [date for date in dates.issued if date.encoding or not states_only_copyright(date.value)]
    dates.copyright += copyright_dates(texts, dates.copyright)
    known = {date.value for date in dates.issued}
    dates.other = [date for date in dates.other if date.value not in known]
    return dates


BOOK = RuleBook()

_COUNTRY = re.compile(r"[A-Z]{2}")
_PLACE_CODE = re.compile(r"[A-Z0-9-]{2,8}")
_EVENT_OF_214 = {"0": "publication", "1": "production", "2": "distribution", "3": "manufacture"}
_COPYRIGHT_DATE = "4"


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
    texts = imprint_texts(main) if main is not None else []
    dates = dates_of(view, [text for text in texts if text.code == "d"])
    others = [field for field in (*view.fields("210"), *view.fields("214")) if field is not main]
    for field in others:
        if field.tag == "214" and field.indicator2 == _COPYRIGHT_DATE:
            for value in field.values("d"):
                dates.add_copyright(value)
    info = OriginInfo(
        place=tuple(dict.fromkeys((*_country_codes(view), *_places(texts, "a"), *_city_of_publication(main, view)))),
        publisher=tuple(_publishers(texts, "c")),
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
        info = info if view.is_nested else replace(info, event_type="publication")
        yield info if main is None else view.mark(info, main)
    further = list(_manufacture(main, view)) if main is not None else []
    for field in others:
        if view.is_alternate(field):
            without_dates = replace(field, subfields=tuple(item for item in field.subfields if item.code not in "dh"))
            further += [view.mark(event, field) for event in _further_origin(without_dates, view)]
        elif main is None or field.values("a", "c", "d") != main.values("a", "c", "d"):
            further += _further_origin(field, view)
    yield from dict.fromkeys(further)


def _event_of(field: DataField, view: UnimarcView) -> str | None:
    """Return the event that an imprint (210, 214) states; None for a copyright date."""
    if field.tag == "210" or field.indicator2 == " ":
        return "publication"
    if field.indicator2 == _COPYRIGHT_DATE:
        return None
    if field.indicator2 not in _EVENT_OF_214:
        view.warn(f"214 second indicator {field.indicator2!r} is an unknown function; read as publication")
    return _EVENT_OF_214.get(field.indicator2, "publication")


def _country_codes(view: UnimarcView) -> Iterator[Place]:
    for field in view.fields("102"):
        for value in field.values("a"):
            for stated in re.split(r"[\s,;]+", latin(value.strip(" |#")).upper()):
                code = COUNTRY_OF_THREE_LETTERS.get(stated, stated)
                if _COUNTRY.fullmatch(code) and code != "XX":
                    yield Place(place_term=(PlaceTerm(value=code, type="code", authority="iso3166"),))
                elif code and code != "XX":
                    yield Place(place_term=(PlaceTerm(value=value.strip(" |#"), type="text"),))
                    break
        for value in field.values("b", "c"):
            text = value.strip(" |#")
            if text:
                is_code = _PLACE_CODE.fullmatch(text) or (len(text) <= 3 and text.isascii() and text.isalnum())
                type_ = "code" if is_code else "text"
                yield Place(place_term=(PlaceTerm(value=text, type=type_),))


def _places(texts: list[ImprintText], code: str) -> Iterator[Place]:
    for text in texts:
        if text.code == code:
            yield Place(place_term=(PlaceTerm(value=text.value, type="text"),), supplied=text.supplied)


def _publishers(texts: list[ImprintText], code: str) -> Iterator[Publisher]:
    for text in texts:
        if text.code == code:
            for name in filter(None, map(str.strip, text.value.split("; "))):
                yield Publisher(value=name, supplied=text.supplied)


def _city_of_publication(main: DataField | None, view: UnimarcView) -> Iterator[Place]:
    """Yield the place of access (620$d) where the imprint names none."""
    if main is not None and main.first("a") is None and not view.is_nested:
        for value in view.texts("620", "d"):
            yield Place(place_term=(PlaceTerm(value=value, type="text"),))


def _editions(view: UnimarcView) -> Iterator[Edition]:
    for field in view.fields("205"):
        text = punctuate(field, {"a": " ; ", "b": ", ", "d": " = ", "f": " / ", "g": " ; "})
        if text:
            value, is_supplied = without_brackets(text)
            yield Edition(value=value, supplied="yes" if is_supplied else None)


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
    texts = imprint_texts(field)
    info = OriginInfo(
        place=tuple(_places(texts, "e")),
        publisher=tuple(_publishers(texts, "g")),
        date_other=tuple(Date(value=value, type="manufacture") for value in field.values("h")),
    )
    if info != OriginInfo():
        yield replace(info, event_type="manufacture")


def _further_origin(field: DataField, view: UnimarcView) -> Iterator[OriginInfo]:
    event = _event_of(field, view)
    stated = field.values("d") if event is not None else []
    texts = imprint_texts(field)
    info = OriginInfo(
        place=tuple(_places(texts, "a")),
        publisher=tuple(_publishers(texts, "c")),
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
