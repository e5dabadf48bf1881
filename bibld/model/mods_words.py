"""What MODS elements mean: their words, as texts for people; the countries of an event."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from bibld.model.mods import OriginInfo
from bibld.model.mods_plan import plan_of
from bibld.text.folding import tidy, trim
from bibld.text.places import MARC_COUNTRY_OF_ISO

_YEAR = re.compile(r"[12][0-9]{3}")


def words_of(value: object) -> str:
    """Return all text in an element (or text) and its children, in the order of MODS; attributes are no text."""
    return tidy(" ".join(_texts(value)))


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    if not value:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for one in value for text in _texts(one)]
    kind: type = type(value)
    return [text for field in _fields_with_texts(kind) for text in _texts(getattr(value, field))]


@cache
def _fields_with_texts(kind: type) -> tuple[str, ...]:
    """Return the fields of an element that contain text or other elements, in the order of MODS."""
    plan = plan_of(kind)
    fields = [child.field for child in plan.children]
    fields += [field for field in (plan.raw, plan.inline) if field is not None]
    return (*fields, "value") if plan.has_text else tuple(fields)


def publication_statement(info: OriginInfo) -> str:
    """Return places, publishers and dates as stated on the publication, with the punctuation of ISBD (area 4).

    Codes are omitted, except for the year if there is a place or publisher and no date in words: crosswalks need not
    state a date twice.
    """
    terms = [term for place in info.place for term in place.place_term if term.type != "code"]
    places = [trim(term.value) for term in terms if term.value]
    publishers = [trim(publisher.value) for publisher in info.publisher if publisher.value]
    dates = [trim(date.value) for date in info.date_issued if date.encoding is None and date.value]
    where = " : ".join(filter(None, (" ; ".join(places), " : ".join(publishers))))
    if where and not dates:
        dates = ["-".join(date.value for date in info.date_issued if _YEAR.fullmatch(date.value))]
    return ", ".join(filter(None, (where, *dates)))


def countries_of(info: OriginInfo) -> set[str]:
    """Return the codes of the MARC code list for the countries that are places of an event."""
    terms = [term for place in info.place for term in place.place_term if term.type == "code"]
    codes = {tidy(term.value).lower() for term in terms if term.authority == "marccountry"}
    other_codes = {tidy(term.value).upper() for term in terms if term.authority != "marccountry"}
    return (codes | {MARC_COUNTRY_OF_ISO.get(code, "") for code in other_codes}) - {""}
