"""originInfo → 102, 205, 210, 214, 326; its coded data are in 100 (see ``coded``)."""

from __future__ import annotations

import re

from bibld.crosswalk._to_marc.dates import further_copyright, publication_dates
from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import bracketed, places_and_publishers, places_of
from bibld.model.mods import Mods, OriginInfo
from bibld.text.places import MARC_COUNTRY_OF_ISO

BOOK = WriterBook()

_ISO_OF_MARC = {marc: iso for iso, marc in reversed(MARC_COUNTRY_OF_ISO.items())}
_COUNTRY_OF_PARTS = {"u": "US", "c": "CA", "k": "GB", "a": "AU"}
_LENGTH_OF_PART = 3
_FUNCTION = {
    "producer": "1", "production": "1", "distributor": "2", "distribution": "2", "manufacturer": "3",
    "manufacture": "3",
}  # fmt: skip
_MANUFACTURE = ("manufacture", "manufacturer")
_COUNTRY_AND_PART = re.compile(r"(?:X[A-Z]-)?(?P<country>[A-Z]{2})(?:-[A-Z0-9]{1,3})?")
"""A code of ISO 3166, of a state also, and with its continent as the German libraries write it."""
_UNKNOWN_COUNTRY = "XX"
_WITH_PERIOD = re.compile(r"(?P<frequency>.+?) \((?P<period>[^()]*\d[^()]*)\)")


@BOOK.writes(
    "originInfo",
    {
        "originInfo": "210 $a $c $d; production, distribution 214, in RUSMARC 210",
        "originInfo[@eventType=manufacture]": "210 $e $g $h of the imprint before it, else 214 _3",
        "originInfo/place/placeTerm[@type=code]": "102 $a, codes of MARC as those of ISO 3166; other codes $b",
        "originInfo/dateIssued, dateCreated": "100 $a/8-16, as stated 210 $d",
        "originInfo/copyrightDate": "100 $a/13-16, 214 _4 $d where no other date has it",
        "originInfo/edition": "205 $a $f",
        "originInfo/issuance": "leader/07, 08",
        "originInfo/frequency": "326 $a $b; [@authority=marcfrequency] 110 $a/1",
    },
)
def origin(mods: Mods, draft: MarcDraft) -> None:
    """Publication and other events."""
    infos = mods.origin_info
    if not infos:
        return
    main = infos[0]
    is_russian = draft.flavour == RUSMARC
    countries, others = _countries(main)
    draft.add("102", "  ", [*(("a", code) for code in countries), *(("b", code) for code in others)])
    printers = [info for info in infos[1:] if info.event_type in _MANUFACTURE]
    dates = publication_dates(main)
    dates_of_main = [*dates.stated] or ([f"[{dates.first}]"] if dates.first.isdecimal() else [])
    made: list[tuple[str, str | None]]
    for info in infos:
        if info in printers:
            continue
        made = []
        if info is main:
            made = [one for printer in printers[: None if is_russian else 1] for one in _manufacture(printer)]
        _imprint(info, draft, made, dates_of_main, is_main=info is main or is_counterpart(info, main))
        for edition in info.edition:
            text, _, responsibility = edition.value.partition(" / ")
            first, *more = responsibility.split(" ; ")
            subfields = [("a", bracketed(text, edition.supplied)), ("f", first), *(("g", one) for one in more)]
            draft.add("205", "  ", subfields, info)
        for frequency in info.frequency:
            if frequency.authority != "marcfrequency":
                found = _WITH_PERIOD.fullmatch(frequency.value)
                pieces = (found["frequency"], found["period"]) if found is not None else (frequency.value, None)
                draft.add("326", "  ", zip("ab", pieces, strict=True), info)
    for info in () if is_russian else printers[1:]:
        _imprint(info, draft, [], [], is_main=False)


def _countries(info: OriginInfo) -> tuple[list[str], list[str]]:
    """Return the codes of ISO 3166 of the places, and other codes of places."""
    countries: dict[str, None] = {}
    others: list[str] = []
    for term in (term for place in info.place for term in place.place_term if term.type == "code"):
        code = _iso_of_marc(term.value.casefold()) if term.authority == "marccountry" else None
        if term.authority == "iso3166":
            found = _COUNTRY_AND_PART.fullmatch(term.value)
            code = found["country"] if found is not None else None
            code = code if code in MARC_COUNTRY_OF_ISO else _UNKNOWN_COUNTRY
        if code is not None:
            countries[code] = None
        elif term.authority != "marccountry":
            others.append(term.value)
    return list(countries), others


def _iso_of_marc(code: str) -> str | None:
    """Return the country of a code of MARC, also of a state or province, whose third letter is that of the country."""
    return _ISO_OF_MARC.get(code) or (_COUNTRY_OF_PARTS.get(code[2]) if len(code) == _LENGTH_OF_PART else None)


def _imprint(
    info: OriginInfo,
    draft: MarcDraft,
    made: list[tuple[str, str | None]],
    dates_of_main: list[str],
    *,
    is_main: bool,
) -> None:
    """Add an imprint; in RUSMARC, which must have a date, one without has those of the first one."""
    function = _FUNCTION.get(info.event_type or "")
    if is_main and function == "1":
        function = None
    stated = list(publication_dates(info).stated)
    if not is_main:
        stated += [date.value for date in info.date_other if date.type != "original"]
    rights = further_copyright(info, stated)
    if draft.flavour == RUSMARC:  # 100 has the year of copyright of the main event
        stated += [] if is_main else [f"©{text}" for text in rights]
        rights = []
    published = [*places_and_publishers(info, "c")]
    if draft.flavour == RUSMARC and published:
        stated = stated or dates_of_main
    subfields = [*published, *(("d", text) for text in stated), *made]
    if function is None or draft.flavour == RUSMARC:
        draft.add("210", "  ", subfields, info)
    else:
        draft.add("214", f" {function}", subfields, info)
    for text in rights:
        draft.add("214", " 4", (("d", text),), info)
    for date in info.date_other if is_main else ():
        if date.type == "projected":
            draft.add("211", "  ", (("a", date.value),))


def _manufacture(info: OriginInfo) -> Subfields:
    yield from (("e", place) for place in places_of(info))
    yield from (("g", bracketed(one.value, one.supplied)) for one in info.publisher)
    yield from (("h", date.value) for date in info.date_other)
