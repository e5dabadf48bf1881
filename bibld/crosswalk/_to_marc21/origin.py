"""originInfo → 033, 044, 046, 250, 260, 264, 310, 321; its coded data are in 008 (see ``fixed``)."""

from __future__ import annotations

import re

from bibld.crosswalk._to_marc.dates import further_copyright, publication_dates
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import bracketed, places_and_publishers, places_of
from bibld.model.mods import Date, Mods, OriginInfo, Place
from bibld.text.places import MARC_COUNTRY_OF_ISO

BOOK = WriterBook()

_FUNCTION = {
    "producer": "0", "production": "0", "publisher": "1", "publication": "1", "distributor": "2", "distribution": "2",
    "manufacturer": "3", "manufacture": "3",
}  # fmt: skip
"""Type of the event → second indicator of 264."""

_MANUFACTURE, _PUBLICATION, _COPYRIGHT = "3", "1", "4"
_WITH_PERIOD = re.compile(
    r"(?P<frequency>[^\d]+?,?) (?P<period>[<\[(]?(?:[^\W\d]+\.? )?\d{4}\??[>\])]?[-–/].*)", re.DOTALL
)
_EDITION_AND_RESPONSIBILITY = re.compile(r"(?P<edition>.*?) / (?P<rest>.*)", re.DOTALL)


@BOOK.writes(
    "originInfo",
    {
        "originInfo": "260 $a $b $c; with @eventType 264, the second indicator from it; in other scripts 880",
        "originInfo[@eventType=manufacturer]": "264 _3; behind a 260 its $e $f $g",
        "originInfo/place/placeTerm[@authority=marccountry]": "008/15-17; 044 $a if there are more",
        "originInfo/place/placeTerm[@authority=iso3166]": "044 $c",
        "originInfo/dateIssued, dateCreated": "008/06-14; as stated 260 $c, 264 $c",
        "originInfo/copyrightDate": "008/11-14; 264 _4 $c where no other date has it",
        "originInfo/dateOther[@type=original]": "008/11-14",
        "originInfo/dateCaptured": "033 $a",
        "originInfo/dateValid, dateModified": "046 $m $n $j",
        "originInfo/edition": "250 $a $b",
        "originInfo/issuance": "leader/07 and 19",
        "originInfo/frequency": "310 $a $b, further ones 321; [@authority=marcfrequency] 008/18 of serials",
    },
)
def origin(mods: Mods, draft: MarcDraft) -> None:
    """Publication and other events."""
    infos = mods.origin_info
    if not infos:
        return
    main = infos[0]
    _countries(main, draft)
    for info in infos:
        is_main = info is main
        function = _FUNCTION.get(info.event_type or "")
        if not is_main and function == _MANUFACTURE and _joins_imprint(info, main):
            continue
        printer = next((one for one in infos[1:] if is_main and _joins_imprint(one, main)), None)
        _imprint(info, function, draft, printer, is_main=is_main or is_counterpart(info, main))
        for edition in info.edition:
            found = _EDITION_AND_RESPONSIBILITY.fullmatch(edition.value)
            is_divided = found is not None and draft.punctuates
            text, rest = (found["edition"], found["rest"]) if found and is_divided else (edition.value, None)
            draft.add("250", "  ", (("a", bracketed(text, edition.supplied)), ("b", rest)), info)
        for frequency in info.frequency:
            if frequency.authority != "marcfrequency":
                found = _WITH_PERIOD.fullmatch(frequency.value)
                pieces = (found["frequency"], found["period"]) if found is not None else (frequency.value, None)
                is_former = draft.has("310") and not (info.script and is_counterpart(info, main))
                draft.add("321" if is_former else "310", "  ", zip("ab", pieces, strict=True), info)
        coded = next((one.value for one in info.frequency if one.authority == "marcfrequency"), None)
        if is_main and not draft.has("310"):
            draft.add("310", "  ", (("a", coded),))
        _special_dates(info, draft)


def _joins_imprint(info: OriginInfo, main: OriginInfo) -> bool:
    """Whether a manufacture is of the imprint of a 260, which has subfields for it."""
    return main.event_type is None and _FUNCTION.get(info.event_type or "") == _MANUFACTURE and info.script is None


def _imprint(
    info: OriginInfo, function: str | None, draft: MarcDraft, printer: OriginInfo | None, *, is_main: bool
) -> None:
    dates = publication_dates(info)
    stated = list(dates.stated)
    if not is_main or not stated:
        stated += [date.value for date in info.date_other if date.type != "original" and date.encoding != "marc"]
    made: Subfields = ()
    if printer is not None:
        made = [
            *(("e", place) for place in places_of(printer)),
            *(("f", bracketed(one.value, one.supplied)) for one in printer.publisher),
            *(("g", date.value) for date in printer.date_other),
        ]
    subfields = [
        *places_and_publishers(info, "b"),
        *(("c", text) for text in stated),
        *((code, f"({text})" if code == "g" else text) for code, text in made),
    ]
    if function is None:
        draft.add("260", "  ", subfields, info)
    else:
        draft.add("264", f" {function}", subfields, info)
    for text in further_copyright(info, stated):
        draft.add("264", f" {_COPYRIGHT}", (("c", text if text.startswith(("©", "℗")) else f"©{text}"),), info)


def country_codes(places: tuple[Place, ...], authority: str) -> list[str]:
    """Return the codes of places from one list."""
    return [
        term.value
        for place in places
        for term in place.place_term
        if term.type == "code" and term.authority == authority
    ]


def marc_countries(places: tuple[Place, ...]) -> list[str]:
    """Return the codes of MARC for countries that have a code of ISO 3166."""
    found = (MARC_COUNTRY_OF_ISO.get(code) for code in country_codes(places, "iso3166"))
    return [code for code in found if code is not None]


def _countries(main: OriginInfo, draft: MarcDraft) -> None:
    marc, iso = country_codes(main.place, "marccountry"), country_codes(main.place, "iso3166")
    if not marc and len(iso) == 1 and marc_countries(main.place):
        return
    stated = [("a", code) for code in marc] if len(marc) > 1 else []
    draft.add("044", "  ", [*stated, *(("c", code) for code in iso)])


def _special_dates(info: OriginInfo, draft: MarcDraft) -> None:
    captured = [_digits(date) for date in info.date_captured]
    kind = " "
    if captured:
        kind = "2" if any(date.point for date in info.date_captured) else "1" if len(captured) > 1 else "0"
    draft.add("033", f"{kind} ", (("a", text) for text in captured))
    coded = [
        *(("n" if date.point == "end" else "m", date) for date in info.date_valid),
        *(("j", date) for date in info.date_modified),
        *(("l" if date.point == "end" else "k", date) for date in info.date_created if info.date_issued),
    ]
    for is_edtf in (False, True):
        chosen = [(code, date) for code, date in coded if (date.encoding == "edtf") == is_edtf]
        scheme = "edtf" if is_edtf else None
        draft.add(
            "046", "  ", [*((code, date.value if is_edtf else _digits(date)) for code, date in chosen), ("2", scheme)]
        )


def _digits(date: Date) -> str:
    return date.value.replace("-", "") if date.value[:4].isdecimal() else date.value
