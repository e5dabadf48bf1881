"""Publication and making: 008, 033, 044, 046, 250, 260, 264, 310, 321 → originInfo (MODS guidelines, originInfo)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.conventions import Marc21View, configuration, fixed, leader_code
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values, date_qualifier, iso_day, without_brackets, year_range
from bibld.model.marc import DataField
from bibld.model.mods import Date, Edition, Frequency, OriginInfo, Place, PlaceTerm, Publisher

ORIGIN = RuleBook()

_SINGLE, _RANGE, _QUESTIONABLE = "eprst", "cdikmu", "q"

_EVENT_OF_FUNCTION = {"0": "producer", "1": "publisher", "2": "distributor", "3": "manufacturer"}
_DATE_OF_FUNCTION = {"0": "production", "2": "distribution", "3": "manufacture"}

_OPEN = "9999"
"""008/11-14 of what still appears."""

_UNKNOWN_DIGITS = str.maketrans("U |#-", "uuuuu")

_SQUARE_BRACKETS = str.maketrans("", "", "[]")

_ISO_OF_GND = re.compile(r"^X[A-Q]-([A-Z]{2})(?:-.*)?$")
"""044$c as the German authority file writes countries: ``XA-DE``."""

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")

Parts = dict[str, list[Any]]
"""The children of one originInfo under the names of their fields."""


@ORIGIN.record(
    "originInfo: place, publisher, dates, edition, issuance, frequency; one more for each function of 264",
    tLDR="", t008="", t033="a", t044="ac", t046="cejklmn2", t250="ab", t260="abcefg", t264="abc", t310="ab", t321="ab",
)  # fmt: skip
def origin(view: Marc21View) -> Iterator[OriginInfo]:
    """Publication: one element, one more for each other script, and one for each 264."""
    regular: Parts = {}
    other_scripts: dict[str, Parts] = {}
    linkage = None
    _coded(view, regular)
    for field in view.fields("044", "260", "046", "033", "250", "310", "321"):
        linked = view.linkage(field)
        if linked is not None and linked.is_alternate:
            _READERS[field.tag](field, other_scripts.setdefault(linked.script or "", {}), view)
            continue
        if linked is not None and linkage is None:
            linkage = linked
        _READERS[field.tag](field, regular, view)
    copyright_dates(view, regular)
    by_function = list(functions(view))
    mark_key_date(regular, view)
    if regular:
        main = _origin_info(regular)
        yield main if linkage is None else linkage.mark(main)
    for script, parts in other_scripts.items():
        _drop_known_dates(parts, regular)
        group = linkage.alt_rep_group if linkage is not None else None
        if any(parts.values()):
            yield replace(_origin_info(parts), script=script or None, alt_rep_group=group)
    yield from by_function


def _drop_known_dates(parts: Parts, regular: Parts) -> None:
    """Drop dates that the regular fields state too: figures are the same in every script."""
    for name in ("date_issued", "date_created"):
        known = {date.value.strip("[]") for date in regular.get(name, ())}
        if name in parts:
            parts[name] = [date for date in parts[name] if date.value.strip("[]") not in known]


def _origin_info(parts: Parts) -> OriginInfo:
    return replace(OriginInfo(), **{name: tuple(values) for name, values in parts.items()})


# --- coded data


def _coded(view: Marc21View, parts: Parts) -> None:
    country = fixed(view, 15, 18).strip(" |#").casefold()
    if country.isascii() and country.isalpha() and 2 <= len(country) <= 3:
        if country != "xx":
            add_part(parts, "place", _code_place(country, "marccountry"))
    elif country:
        view.warn(f"008/15-17 {country!r} is not a country code; left out")
    coded_dates(view, parts)
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


def coded_dates(view: Marc21View, parts: Parts) -> None:
    """Add the dates of 008/06-14."""
    kind, first, second = fixed(view, 6), fixed(view, 7, 11), fixed(view, 11, 15)
    name = _date_name(view)
    if kind in (*_SINGLE,):
        detail = iso_day(first + second) if kind == "e" else None
        add_part(parts, name, Date(value=detail, encoding="w3cdtf") if detail else _coded_date(first, view))
        if kind == "t":
            add_part(parts, "copyright_date", _coded_date(second, view))
    elif kind in (*_RANGE, _QUESTIONABLE):
        qualifier = "questionable" if kind == _QUESTIONABLE else None
        add_part(parts, name, _coded_date(first, view, point="start", qualifier=qualifier))
        add_part(parts, name, _coded_date(second, view, point="end", qualifier=qualifier))


def _coded_date(text: str, view: Marc21View, **attributes: str | None) -> Date | None:
    if text.isdecimal() and text.isascii() and len(text) == 4 and text not in (_OPEN, "0000"):
        return Date(value=text, encoding="w3cdtf", **attributes)
    if text == _OPEN:
        return None
    digits = text.translate(_UNKNOWN_DIGITS)
    known = digits.rstrip("u")
    if len(text) == 4 and known.isdecimal() and known.isascii() and known.strip("0"):
        return Date(value=digits, encoding="marc", **attributes)
    if known:
        view.warn(f"008/07-14 {text!r} is not a year; left out")
    return None


def _date_name(view: Marc21View) -> str:
    return "date_created" if leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,) else "date_issued"


def mark_key_date(parts: Parts, view: Marc21View) -> None:
    """Mark the first date; where coded data gives none, a year in the text is inserted before the text."""
    name = _date_name(view)
    dates = parts.get(name, [])
    imprints = [
        field for field in view.fields("260", "264") if field.indicator2 != "4" and not view.is_alternate(field)
    ]
    stated = [chop(text) for field in imprints for text in field.values("c")]
    if not any(date.encoding for date in dates):
        for text in [date.value for date in dates] + stated:
            years = dict.fromkeys(_YEAR.findall(text))
            if years:
                qualifier = date_qualifier([text])
                first, last = year_range(text) or (next(iter(years)), "")
                point = "start" if year_range(text) else None
                found = [Date(value=first, encoding="w3cdtf", point=point, qualifier=qualifier)]
                if last:
                    found.append(Date(value=last, encoding="w3cdtf", point="end", qualifier=qualifier))
                parts[name] = [*found, *(date for date in dates if date.encoding or date.value != first)]
                break
    if parts.get(name):
        key = parts[name][0]
        known = [text for text in stated if key.value in _YEAR.findall(text.translate(_SQUARE_BRACKETS))]
        parts[name][0] = replace(key, key_date="yes", qualifier=key.qualifier or date_qualifier(known))


# --- fields


def _publication(field: DataField, parts: Parts, view: Marc21View) -> None:
    _places_and_publishers(field, parts, view)
    stated_dates(field, parts, view)
    for subfield in field.subfields:
        value = chop(subfield.value.strip("()")) if subfield.code in "efg" else ""
        if value and subfield.code == "e":
            add_part(parts, "place", _text_place(value))
        elif value and subfield.code == "f":
            add_part(parts, "publisher", _publisher(value))
        elif value:
            add_part(parts, "date_other", Date(value=value, type="manufacture"))


def stated_dates(field: DataField, parts: Parts, view: Marc21View) -> None:
    """Add the dates of 260$c that coded data does not state."""
    name = _date_name(view)
    for date in map(chop, field.values("c")):
        is_known = any(date.strip("[]") == known.value for known in parts.get(name, ()))
        if date and not is_known:
            add_part(parts, name, Date(value=date))


def _places_and_publishers(field: DataField, parts: Parts, view: Marc21View) -> None:
    for text in field.values("a"):
        for place in text.split(" ; "):
            add_part(parts, "place", _text_place(chop(place)))
    for text in field.values("b"):
        add_part(parts, "publisher", _publisher(chop(text)))


def _country(field: DataField, parts: Parts, view: Marc21View) -> None:
    known = {term.value for place in parts.get("place", ()) for term in place.place_term}
    for code, authority in (("a", "marccountry"), ("c", "iso3166")):
        for text in field.values(code):
            value = text.strip(" -").casefold() if code == "a" else _ISO_OF_GND.sub(r"\1", text.strip())
            if value and value not in known:
                known.add(value)
                add_part(parts, "place", _code_place(value, authority))


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
    "033": _captured, "044": _country, "046": _coded_special, "250": _edition, "260": _publication,
    "310": _frequency, "321": _frequency,
}  # fmt: skip


def copyright_dates(view: Marc21View, parts: Parts) -> None:
    """Add the dates of 264 with second indicator 4."""
    for field in view.fields("264"):
        if field.indicator2 != "4" or view.is_alternate(field):
            continue
        for text in field.values("c"):
            value = chop(text).lstrip("©℗ⓒcpсCP ").strip()
            if value and all(value != known.value for known in parts.get("copyright_date", ())):
                add_part(parts, "copyright_date", Date(value=value, encoding=_encoding(value)))


def functions(view: Marc21View) -> Iterator[OriginInfo]:
    """Yield what other 264 state: production, publication, distribution, manufacture."""
    for field in view.fields("264"):
        info = _function(field, view)
        if info is not None:
            yield view.mark(info, field)


def _function(field: DataField, view: Marc21View) -> OriginInfo | None:
    function = field.indicator2
    if function == "4":
        return None
    if function not in _EVENT_OF_FUNCTION:
        view.warn(f"264 second indicator {function!r} is an unknown function; read as publication")
        function = "1"
    parts: Parts = {}
    _places_and_publishers(field, parts, view)
    name, kind = (_date_name(view), None) if function == "1" else ("date_other", _DATE_OF_FUNCTION[function])
    for value in chopped_values(field, "c"):
        add_part(parts, name, Date(value=value, encoding=_encoding(value), type=kind))
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
