"""Publication and making: 008, 033, 044, 046, 250–264, 310, 321 → originInfo (MODS guidelines, originInfo)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._dates import copyright_dates, dates_of_publication
from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.conventions import Marc21View, configuration, fixed, leader_code
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values, iso_day, without_brackets
from bibld.model.marc import DataField
from bibld.model.mods import Date, Edition, Frequency, OriginInfo, Place, PlaceTerm, Publisher
from bibld.model.mods_plan import OPEN_END
from bibld.text.places import town_with_state

ORIGIN = RuleBook()

_KINDS_OF_DATES = (*"bcdeikmnpqrstu|# ", "")
"""008/06; with another character the positions of 008 have shifted."""
_SINGLE, _RANGE, _QUESTIONABLE = "eprst", "cdikmu", "q"

_COPYRIGHT_OF_OLD_PRACTICE = {"c": "t"}
"""008/06 of a time that would end before it begins: ``c`` was once the code for dates of publication and copyright."""

_PRODUCTION, _PUBLICATION, _COPYRIGHT = "0", "1", "4"
_EVENT_OF_FUNCTION = {_PRODUCTION: "producer", _PUBLICATION: "publisher", "2": "distributor", "3": "manufacturer"}
_DATE_OF_FUNCTION = {_PRODUCTION: "production", "2": "distribution", "3": "manufacture"}


_UNKNOWN_DIGITS = str.maketrans("U |#-", "uuuuu")

_ISO_OF_GND = re.compile(r"^X[A-Q]-([A-Z]{2})(?:-.*)?$")
"""044$c as the German authority file writes countries: ``XA-DE``."""

Parts = dict[str, list[Any]]
"""The children of one originInfo under the names of their fields."""


@ORIGIN.record(
    "originInfo: place, publisher, dates, edition, issuance, frequency; one more for manufacture and each other event",
    tLDR="", t008="", t033="a", t044="ac", t046="cejklmn2", t250="ab", t257="a", t260="abcefg", t262="abc", t264="abc",
    t310="ab", t321="ab",
)  # fmt: skip
def origin(view: Marc21View) -> Iterator[OriginInfo]:
    """Publication: one element of coded data and imprint, one for each other script, event and further imprint.

    Where the publisher has changed, each imprint is a separate event, and the coded data are about all of them.
    """
    regular: Parts = {}
    other_scripts: dict[str, Parts] = {}
    linkage = None
    imprint, changed = _main_imprint(view), _changed_imprints(view)
    _coded(view, regular)
    for field in view.fields("044", "257", "260", "262", "264", "046", "033", "250", "310", "321"):
        is_other_event = field.tag == "264" and field is not imprint and not _is_other_script(field, imprint, view)
        if is_other_event or field in changed:
            continue
        linked = view.linkage(field)
        if linked is not None and linked.is_alternate:
            _READERS[field.tag](field, other_scripts.setdefault(linked.script or "", {}), view)
            continue
        if linked is not None and linkage is None:
            linkage = linked
        _READERS[field.tag](field, regular, view)
    add_dates(view, regular, imprint if not changed else None)
    event = _event(imprint, view)
    if any(regular.values()):
        main = replace(_origin_info(regular), event_type=event)
        yield main if linkage is None else linkage.mark(main)
    for script, parts in other_scripts.items():
        group = linkage.alt_rep_group if linkage is not None else None
        if any(parts.values()):
            yield replace(_origin_info(parts), event_type=event, script=script or None, alt_rep_group=group)
    for field in changed:
        yield view.mark(replace(_changed_imprint(field, view), event_type=event), field)
    yield from _manufacture(view)
    yield from functions(view, imprint, changed)


def _changed_imprints(view: Marc21View) -> list[DataField]:
    """Return the imprints of a resource whose publisher has changed, if they state which is of which time."""
    fields = [
        field
        for field in view.fields("260", "264")
        if not view.is_alternate(field) and field.values("a", "b") and field.indicator2 in (_PUBLICATION, " ")
    ]
    is_changed = len(fields) > 1 and any(field.indicator1 in ("2", "3") or field.first("3") for field in fields)
    return fields if is_changed else []


def _changed_imprint(field: DataField, view: Marc21View) -> OriginInfo:
    parts: Parts = {}
    _places_and_publishers(field, parts, view)
    for date in dates_of_publication((), chopped_values(field, "c"), view.warn):
        add_part(parts, "date_issued", replace(date, key_date=None))
    return _origin_info(parts)


def _main_imprint(view: Marc21View) -> DataField | None:
    """Return the field that states what the coded data are about: publication, else production."""
    fields = [field for field in view.fields("260", "262", "264") if not view.is_alternate(field)]
    for function in (_PUBLICATION, " ", _PRODUCTION):
        for field in fields:
            if field.tag != "264" or field.indicator2 == function:
                return field
    return None


def _is_other_script(field: DataField, imprint: DataField | None, view: Marc21View) -> bool:
    """Whether a field has the main imprint in another script, or the imprint of a record has no other."""
    if not view.is_alternate(field):
        return False
    return field.indicator2 == (imprint.indicator2 if imprint is not None else _PUBLICATION)


def _event(imprint: DataField | None, view: Marc21View) -> str | None:
    """Return the event of the main imprint; None where a 260 does not state it. A manuscript is not published."""
    if imprint is not None and imprint.tag == "264":
        return _EVENT_OF_FUNCTION.get(imprint.indicator2)
    return "producer" if leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,) else None


def _origin_info(parts: Parts) -> OriginInfo:
    return replace(OriginInfo(), **{name: tuple(values) for name, values in parts.items()})


# --- coded data


def _coded(view: Marc21View, parts: Parts) -> None:
    is_damaged = fixed(view, 6) not in _KINDS_OF_DATES
    is_of_reproduction = fixed(view, 6) == "r" and view.has("533")
    country = "" if is_damaged or is_of_reproduction else fixed(view, 15, 18).strip(" |#").casefold()
    if country.isascii() and country.isalpha() and 2 <= len(country) <= 3:
        if country != "xx":
            add_part(parts, "place", _code_place(country, "marccountry"))
    elif country:
        view.warn(f"008/15-17 {country!r} is not a country code; left out")
    level = leader_code(view, 7)
    issuance = codes.ISSUANCE.get(level)
    if level == "m" and leader_code(view, 19) == "a":
        issuance = "multipart monograph"
    if issuance is not None:
        add_part(parts, "issuance", issuance)
    if configuration(view) == codes.SERIAL:
        frequency = codes.FREQUENCY.get(fixed(view, 18))
        if frequency is not None:
            add_part(parts, "frequency", Frequency(value=frequency, authority="marcfrequency"))


def coded_dates(view: Marc21View, parts: Parts) -> list[Date]:
    """Return the dates of issue in 008/06-14; add a second date of another meaning to the parts."""
    kind, first, second = fixed(view, 6), fixed(view, 7, 11), fixed(view, 11, 15)
    if kind in (*_RANGE,) and second.isdecimal() and second < first:
        kind = _COPYRIGHT_OF_OLD_PRACTICE.get(kind, "s")
    dates: list[Date | None] = []
    if kind in (*_SINGLE,):
        detail = _day_or_month(first, second) if kind == "e" else None
        dates.append(Date(value=detail, encoding="w3cdtf") if detail else _coded_date(first, view))
        if kind == "t":
            add_part(parts, "copyright_date", _coded_date(second, view))
        elif kind == "r":
            add_part(parts, "date_other", _coded_date(second, view, type="original"))
    elif kind in (*_RANGE, _QUESTIONABLE):
        qualifier = "questionable" if kind == _QUESTIONABLE else None
        dates.append(_coded_date(first, view, point="start", qualifier=qualifier))
        if second == OPEN_END and dates[0] is not None:
            dates.append(Date(value=OPEN_END, encoding="marc", point="end"))
        else:
            dates.append(_coded_date(second, view, point="end", qualifier=qualifier))
    return [date for date in dates if date is not None]


def _day_or_month(year: str, detail: str) -> str | None:
    month = detail[:2] if not detail[2:].strip(" |#") else ""
    has_month = year.isdecimal() and month.isdecimal() and 1 <= int(month) <= 12
    return f"{year}-{month}" if has_month else iso_day(year + detail)


def _coded_date(text: str, view: Marc21View, **attributes: str | None) -> Date | None:
    if text.isdecimal() and text.isascii() and len(text) == 4 and text not in (OPEN_END, "0000"):
        return Date(value=text, encoding="w3cdtf", **attributes)
    if text == OPEN_END:
        return None
    digits = text.translate(_UNKNOWN_DIGITS)
    known = digits.rstrip("u")
    if len(text) == 4 and known.isdecimal() and known.isascii() and known.strip("0"):
        return Date(value=digits, encoding="marc", **attributes)
    if known:
        view.warn(f"008/07-14 {text!r} is not a year; left out")
    return None


def add_dates(view: Marc21View, parts: Parts, imprint: DataField | None) -> None:
    """Add the dates of publication or production, and of copyright, coded and in the main imprint."""
    stated = chopped_values(imprint, "c") if imprint is not None else []
    is_made = _event(imprint, view) == "producer" or leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,)
    name = "date_created" if is_made else "date_issued"
    dates = dates_of_publication(coded_dates(view, parts), stated, lambda message: view.warn(f"008/07-10: {message}"))
    years = {date.value for date in dates}
    parts["date_other"] = [date for date in parts.get("date_other", ()) if date.value not in years]
    parts[name] = [*dates, *parts.get(name, ())]
    fields = [field for field in view.fields("264") if field.indicator2 == _COPYRIGHT and not view.is_alternate(field)]
    stated += [f"©{chop(text).lstrip(_SIGNS_OF_COPYRIGHT)}" for field in fields for text in field.values("c")]
    for date in copyright_dates(stated, parts.get("copyright_date", ())):
        add_part(parts, "copyright_date", date)


_SIGNS_OF_COPYRIGHT = "©℗ⓒcpсCP ."


# --- fields


def _places_and_publishers(field: DataField, parts: Parts, view: Marc21View) -> None:
    misplaced = [text for text in field.values("b") if text.endswith(":") and town_with_state(chop(text))]
    for text in (*field.values("a"), *misplaced):
        for place in text.split(" ; "):
            add_part(parts, "place", _text_place(chop(place)))
    for text in field.values("b"):
        if text in misplaced:
            continue
        for publisher in text.split("; "):
            name = chop(publisher)
            is_abbreviated = publisher.endswith(".,") and not name.endswith(".")
            add_part(parts, "publisher", _publisher(f"{name}." if is_abbreviated else name))


def _country(field: DataField, parts: Parts, view: Marc21View) -> None:
    known = {term.value for place in parts.get("place", ()) for term in place.place_term}
    for code, authority in (("a", "marccountry"), ("c", "iso3166")):
        for text in field.values(code):
            value = text.strip(" -").casefold() if code == "a" else _ISO_OF_GND.sub(r"\1", text.strip())
            if value and value not in known:
                known.add(value)
                add_part(parts, "place", _code_place(value, authority))


def _country_of_producers(field: DataField, parts: Parts, view: Marc21View) -> None:
    for text in chopped_values(field, "a"):
        add_part(parts, "place", _text_place(text))


def _coded_special(field: DataField, parts: Parts, view: Marc21View) -> None:
    encoding = "edtf" if field.first("2") == "edtf" else "marc"
    for code, name, point in (
        ("m", "date_valid", "start"), ("n", "date_valid", "end"), ("j", "date_modified", None),
        ("c", "date_issued", "start"), ("e", "date_issued", "end"),
        ("k", "date_created", "start"), ("l", "date_created", "end"),
    ):  # fmt: skip
        for text in field.values(code):
            if not any(map(str.isdigit, text)):
                view.warn(f"046${code} {text!r} is not a date; left out")
                continue
            date = Date(value=text, encoding=encoding, point=point)
            if encoding == "marc" and text.isdecimal() and text.isascii() and len(text) in (4, 8):
                value = text if len(text) == 4 else iso_day(text)
                date = Date(value=value, encoding="w3cdtf", point=point) if value else date
            add_part(parts, name, date)


def _captured(field: DataField, parts: Parts, view: Marc21View) -> None:
    points = ("start", "end") if field.indicator1 == "2" else ()
    for position, text in enumerate(field.values("a")):
        point = points[position] if position < len(points) else None
        digits = text.rstrip("-")
        value = iso_day(digits) or (f"{digits[:4]}-{digits[4:]}" if len(digits) == 6 and digits.isdecimal() else digits)
        if value:
            add_part(parts, "date_captured", Date(value=value, encoding="iso8601", point=point))


def _edition(field: DataField, parts: Parts, view: Marc21View) -> None:
    text, supplied = without_brackets(chop(" ".join(field.values("a", "b"))))
    if text:
        add_part(parts, "edition", Edition(value=text, supplied="yes" if supplied else None))


def _frequency(field: DataField, parts: Parts, view: Marc21View) -> None:
    text = chop(" ".join(field.values("a", "b")))
    if text and all(text != known.value for known in parts.get("frequency", ())):
        add_part(parts, "frequency", Frequency(value=text))


_READERS = {
    "033": _captured, "044": _country, "046": _coded_special, "250": _edition, "257": _country_of_producers,
    "260": _places_and_publishers, "262": _places_and_publishers, "264": _places_and_publishers,
    "310": _frequency, "321": _frequency,
}  # fmt: skip


# --- other events


def _manufacture(view: Marc21View) -> Iterator[OriginInfo]:
    """Yield where, by whom and when the resource was printed (260$e-$g)."""
    for field in view.fields("260"):
        parts: Parts = {}
        for subfield in field.subfields:
            value = chop(chop(subfield.value).strip("()")) if subfield.code in "efg" else ""
            if value and subfield.code == "e":
                add_part(parts, "place", _text_place(value))
            elif value and subfield.code == "f":
                add_part(parts, "publisher", _publisher(value))
            elif value:
                add_part(parts, "date_other", Date(value=value, encoding=_encoding(value), type="manufacture"))
        if parts:
            yield view.mark(replace(_origin_info(parts), event_type="manufacturer"), field)


def functions(view: Marc21View, imprint: DataField | None, read: Sequence[DataField] = ()) -> Iterator[OriginInfo]:
    """Yield what each 264 beside the main imprint states: production, publication, distribution, manufacture.

    Those that are ``read`` already are left out.
    """
    for field in view.fields("264"):
        if field is not imprint and field not in read and not _is_other_script(field, imprint, view):
            info = _function(field, view)
            if info is not None:
                yield view.mark(info, field)


def _function(field: DataField, view: Marc21View) -> OriginInfo | None:
    function = field.indicator2
    if function == _COPYRIGHT:
        return None
    if function not in _EVENT_OF_FUNCTION:
        view.warn(f"264 second indicator {function!r} is an unknown function; read as publication")
        function = _PUBLICATION
    parts: Parts = {}
    _places_and_publishers(field, parts, view)
    is_publication = function == _PUBLICATION
    for value in chopped_values(field, "c"):
        date = Date(value=value, encoding=_encoding(value), type=_DATE_OF_FUNCTION.get(function))
        add_part(parts, "date_issued" if is_publication else "date_other", date)
    return replace(_origin_info(parts), event_type=_EVENT_OF_FUNCTION[function]) if parts else None


# --- values


def add_part(parts: Parts, name: str, value: object) -> None:
    """Add a child to those of its name, unless it is None."""
    if value is not None:
        parts.setdefault(name, []).append(value)


def _encoding(value: str) -> str | None:
    return "w3cdtf" if len(value) == 4 and value.isdecimal() and value.isascii() else None


def _code_place(code: str, authority: str) -> Place:
    return Place(place_term=(PlaceTerm(value=code, type="code", authority=authority),))


def _text_place(text: str) -> Place | None:
    """Return a place as stated; brackets mean that it is supplied."""
    value, supplied = without_brackets(text)
    if not value:
        return None
    return Place(place_term=(PlaceTerm(value=value, type="text"),), supplied="yes" if supplied else None)


def _publisher(text: str) -> Publisher | None:
    value, supplied = without_brackets(text)
    return Publisher(value=value, supplied="yes" if supplied else None) if value else None
