"""Publication and making: 008, 033, 044, 046, 250, 260, 264, 310, 321 → originInfo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.fixed import configuration, fixed, leader_code
from bibld.crosswalk._marc21.origin import (
    Parts,
    coded_dates,
    copyright_dates,
    functions,
    stated_dates,
    text_place,
    with_key_date,
)
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, chop_both
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import Date, Edition, Frequency, OriginInfo, Place, PlaceTerm, Publisher

ORIGIN = RuleBook()


@ORIGIN.record(
    "originInfo: place, publisher, dates, edition, issuance, frequency; one more for each function of 264",
    tLDR="", t008="", t033="a", t044="c", t046="cejklmn", t250="a", t260="abcg", t264="abc", t310="ab", t321="ab",
)  # fmt: skip
def origin(view: StylesheetView) -> Iterator[OriginInfo]:
    """One element; where a field has ``$6``, one for each such field and one for the others, all with coded data."""
    coded = _coded(view)
    fields = view.in_order(*_READERS)
    linked = [field for field in fields if view.linkage(field) is not None]
    others = [field for field in fields if view.linkage(field) is None]
    for field in linked:
        yield view.mark(_united(coded, (field,), view), field)
    if linked and others:
        yield _united(coded, others, view)
    elif not linked and (others or view.controls("008") or "copyright_date" in coded):
        if not view.settings.country_codes_written:
            others = [field for field in others if field.tag != "044"]
        yield _united(coded, others, view)
    for field in view.fields(*_READERS):
        if view.is_alternate(field):
            yield view.mark(_united(coded, (field,), view), field)
    yield from functions(view)


def _united(coded: Parts, fields: Iterable[DataField], view: StylesheetView) -> OriginInfo:
    parts = {name: list(values) for name, values in coded.items()}
    for field in fields:
        _READERS[field.tag](field, parts, view)
    with_key_date(parts, view)
    return replace(OriginInfo(), **{name: tuple(values) for name, values in parts.items()})


def _coded(view: StylesheetView) -> Parts:
    parts: Parts = {}
    country = fixed(view, 15, 18).strip()
    if country.strip("|"):
        parts["place"] = [Place(place_term=(PlaceTerm(value=country, type="code", authority="marccountry"),))]
    coded_dates(view, parts)
    copyright_dates(view, parts)
    issuance = codes.ISSUANCE.get(leader_code(view, 7))
    if issuance is not None:
        parts["issuance"] = [issuance]
    if configuration(view) == codes.SERIAL:
        frequency = _FREQUENCY.get(fixed(view, 18))
        if frequency is not None:
            parts["frequency"] = [Frequency(value=frequency, authority="marcfrequency") for _ in view.controls("008")]
    return parts


_FREQUENCY = {code: term for code, term in codes.FREQUENCY.items() if code != "x"}
_FREQUENCY |= {" ": codes.FREQUENCY["x"], "#": codes.FREQUENCY["x"]}


# --- fields


def _publication(field: DataField, parts: Parts, view: StylesheetView) -> None:
    for text in field.values("a"):
        _add(parts, "place", _place(text, view))
    for text in field.values("b"):
        _add(parts, "publisher", Publisher(value=chop(text, ":,;/ ")))
    is_manuscript = leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,) and not view.is_alternate(field)
    if view.settings.dates_normalized:
        stated_dates(field, parts, view)
    else:
        for text in field.values("c"):
            _add(parts, "date_created" if is_manuscript else "date_issued", Date(value=chop(text)))
    for text in field.values("g"):
        _add(parts, "date_created", Date(value=text))


def _place(text: str, view: StylesheetView) -> Place | None:
    if view.settings.places_unbracketed:
        return text_place(chop(text), view)
    return Place(place_term=(PlaceTerm(value=chop_both(text), type="text"),))


def _country(field: DataField, parts: Parts, view: StylesheetView) -> None:
    for text in field.values("c"):
        term = PlaceTerm(value=chop_both(text), type="code", authority="iso3166")
        _add(parts, "place", Place(place_term=(term,)))


_SPECIAL_DATES = (
    ("m", "date_valid", None, "start"), ("n", "date_valid", None, "end"), ("j", "date_modified", None, None),
    ("c", "date_issued", "marc", "start"), ("e", "date_issued", "marc", "end"),
    ("k", "date_created", "marc", "start"), ("l", "date_created", "marc", "end"),
)  # fmt: skip


def _special_dates(field: DataField, parts: Parts, view: StylesheetView) -> None:
    for code, name, encoding, point in _SPECIAL_DATES:
        for text in field.values(code):
            _add(parts, name, Date(value=text, encoding=encoding, point=point))


def _captured(field: DataField, parts: Parts, view: StylesheetView) -> None:
    texts = field.values("a")
    if field.indicator1 == "2":
        for text, point in zip(texts, ("start", "end"), strict=False):
            _add(parts, "date_captured", Date(value=text, encoding="iso8601", point=point))
    elif field.indicator1 in ("0", "1"):
        for text in texts:
            _add(parts, "date_captured", Date(value=text, encoding="iso8601"))


def _edition(field: DataField, parts: Parts, view: StylesheetView) -> None:
    for text in field.values("a"):
        _add(parts, "edition", Edition(value=text))


def _frequency(field: DataField, parts: Parts, view: StylesheetView) -> None:
    _add(parts, "frequency", Frequency(value=join(field, "ab")))


_READERS = {
    "044": _country, "260": _publication, "046": _special_dates, "033": _captured, "250": _edition,
    "310": _frequency, "321": _frequency,
}  # fmt: skip


def _add(parts: Parts, name: str, value: object) -> None:
    if value is not None:
        parts.setdefault(name, []).append(value)
