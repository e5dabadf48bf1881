"""Publication, edition, dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

from bibld.model.mods import Controlled, Date, OriginInfo, PlaceTerm
from bibld.model.mods_words import publication_statement
from bibld.model.rdf import XSD, iri, literal
from bibld.text.dates import years
from bibld.text.folding import strip_brackets, tidy, trim
from bibld.text.places import MARC_COUNTRY_OF_ISO, expand_place, is_unknown_imprint
from bibld.triplify._claims import EntityClaim
from bibld.triplify._codes import (
    CLASS_OF_EVENT,
    EDTF,
    ISSUANCES,
    STATEMENT_OF_EVENT,
    loc,
)
from bibld.triplify._describe.agents import claimed_agent, claimed_publisher, identities
from bibld.triplify._draft import Draft
from bibld.triplify._keys import entity_key

_YEAR = re.compile(r"[0-2][0-9]{3}")
_DAY = re.compile(r"([0-2][0-9]{3})-([0-9]{2})(?:-([0-9]{2}))?")
_VAGUE_YEAR = re.compile(r"[0-9]{1,3}[u?|X-]{1,3}")
_COUNTRY = re.compile(r"[a-z]{2,3}")
_NO_COUNTRIES = frozenset(("xx", "vp"))
_ISO_3166 = frozenset((None, "iso3166", "iso3166-1"))
_OPEN = "9999"


def date_term(text: str) -> str:
    """A date as a literal: ``xsd:gYear``, ``xsd:gYearMonth`` or ``xsd:date`` where it is valid, else as it stands."""
    if _YEAR.fullmatch(text) and text != "0000":
        return literal(text, datatype=XSD + "gYear")
    match = _DAY.fullmatch(text)
    if match is not None:
        year, month, day = match.groups()
        try:
            datetime.date(int(year), int(month), int(day or 1))
        except ValueError:
            return literal(text)
        return literal(text, datatype=XSD + ("date" if day else "gYearMonth"))
    return literal(text)


def issued(infos: Iterable[OriginInfo]) -> list[str]:
    """When a resource was issued, as literals: the coded dates (of a span its begin), else the years stated."""
    dates = [date for info in infos for date in info.date_issued if tidy(date.value)]
    coded = [date_term(tidy(date.value)) for date in dates if date.encoding is not None and date.point != "end"]
    exact = [term for term in coded if "^^" in term]
    if exact:
        return list(dict.fromkeys(exact))
    stated = [tidy(date.value) for date in dates if date.encoding is None]
    exact = [date_term(str(found[0])) for found in map(years, stated) if len(found) == 1]
    return list(dict.fromkeys(exact or (literal(trim(text)) for text in stated)))


def describe_origin(draft: Draft) -> None:
    """Provision activities, places, publishers, dates, editions, issuance, frequency."""
    publications = [info for info in draft.mods.origin_info if _event(info) == "bf:Publication"]
    for term in issued(publications):
        draft.say("dcterms:issued", term)
        draft.say("schema:datePublished", term)
    for index, info in enumerate(draft.mods.origin_info):
        path = f"origin_info/{index}"
        _activity(draft, info, path)
        _other_dates(draft, info)
        for edition in info.edition:
            for predicate in ("bibo:edition", "bf:editionStatement", "schema:bookEdition"):
                draft.text(predicate, edition.value)
        for issuance in info.issuance:
            if issuance in ISSUANCES:
                draft.say("bf:issuance", loc("issuance", ISSUANCES[issuance]))
        for frequency in info.frequency:
            draft.labelled("bf:frequency", "bf:Frequency", "frequency", frequency.value)


def _event(info: OriginInfo) -> str:
    return CLASS_OF_EVENT.get((info.event_type or "publication").lower(), "bf:ProvisionActivity")


def _other_dates(draft: Draft, info: OriginInfo) -> None:
    for predicate, dates in (
        ("dcterms:created", info.date_created),
        ("dcterms:dateCopyrighted", info.copyright_date),
        ("dcterms:valid", info.date_valid),
        ("dcterms:modified", info.date_modified),
        ("dcterms:date", info.date_other),
    ):
        for date in dates:
            if tidy(date.value) and date.point != "end":
                draft.say(predicate, date_term(trim(date.value)))
    for date in info.date_captured:
        if _edtf(tidy(date.value)) or date.encoding is None:
            node = draft.node("capture")
            draft.say("bf:capture", node)
            draft.a("bf:Capture", node)
            draft.text("bf:date", date.value, node)


def _activity(draft: Draft, info: OriginInfo, path: str) -> None:
    places = _places(draft, info, path)
    agents = _agents(draft, info, path)
    dates = _dates(info.date_issued)
    if not (places or agents or dates):
        return
    event = _event(info)
    node = draft.node("provision")
    draft.say("bf:provisionActivity", node)
    draft.a("bf:ProvisionActivity", node)
    if event != "bf:ProvisionActivity":
        draft.a(event, node)
    for place in places:
        draft.say("bf:place", place, node)
    for agent in agents:
        draft.say("bf:agent", agent, node)
        if event == "bf:Publication":
            draft.say("dcterms:publisher", agent)
            draft.say("schema:publisher", agent)
    for date in dates:
        draft.say("bf:date", date, node)
    if event in STATEMENT_OF_EVENT:
        stated = [source.value for source in draft.not_shown(path)] or [publication_statement(info)]
        for statement in dict.fromkeys(stated):
            draft.text(STATEMENT_OF_EVENT[event], statement)


def _places(draft: Draft, info: OriginInfo, path: str) -> list[str]:
    terms: list[str] = []
    for index, place in enumerate(info.place):
        for term in place.place_term:
            if term.type == "code":
                terms.extend(_coded_place(draft, term))
                continue
            here = f"{path}/place/{index}"
            forms = [(term.value, here)]
            if len(place.place_term) == 1:
                forms += [(source.value, source.path) for source in draft.not_shown(here)]
            for text, holding in forms:
                found = claimed_place(draft, text, term, holding, is_transcribed=True)
                terms.extend((iri(found),) if found else ())
    return list(dict.fromkeys(terms))


def _coded_place(draft: Draft, term: PlaceTerm) -> list[str]:
    code = tidy(term.value).lower()
    if term.authority == "marccountry":
        return [loc("countries", code)] if _COUNTRY.fullmatch(code) and code not in _NO_COUNTRIES else []
    country = country_of(term)
    if country is not None or not code:
        return [country] if country is not None else []
    node = draft.node("place")
    draft.a("bf:Place", node)
    draft.text("bf:code", code.upper(), node)
    return [node]


def country_of(element: Controlled) -> str | None:
    """The term for the country that a code of ISO 3166-1 stands for; None for any other code."""
    code = MARC_COUNTRY_OF_ISO.get(tidy(str(getattr(element, "value", ""))).upper())
    return loc("countries", code) if code is not None and element.authority in _ISO_3166 else None


def claimed_place(draft: Draft, text: str, element: Controlled, path: str, is_transcribed: bool = False) -> str | None:
    """The IRI of a place; notes the claim about it. None for what says that the place is not known.

    ``is_transcribed``: the text stands on the resource, so it is in its language.
    """
    stated = trim(strip_brackets(tidy(text)).replace("?", ""))
    if not stated or is_unknown_imprint(stated):
        return None
    label = expand_place(stated)
    found = identities(draft, element, path)
    is_slavic = is_transcribed and draft.languages.is_slavic
    place = draft.iris.place(found[0].key if found else entity_key(label, is_slavic=is_slavic))
    others = (draft.form(stated, draft.languages.of_other(stated, element)),) if stated != label else ()
    claim = EntityClaim(
        label=draft.form(label, draft.languages.of_other(label, element)),
        others=others,
        links=tuple(sorted({one.iri for one in found if one.iri is not None})),
    )
    draft.claim(place, "place", claim, path)
    return place


def _agents(draft: Draft, info: OriginInfo, path: str) -> list[str]:
    found: list[str | None] = []
    for index, publisher in enumerate(info.publisher):
        stated = strip_brackets(publisher.value)
        if not is_unknown_imprint(stated):
            found.append(claimed_publisher(draft, stated, publisher, f"{path}/publisher/{index}"))
    found += [claimed_agent(draft, [(agent, f"{path}/agent/{index}")]) for index, agent in enumerate(info.agent)]
    return [iri(agent) for agent in dict.fromkeys(found) if agent is not None]


def _dates(dates: Iterable[Date]) -> list[str]:
    terms: list[str] = []
    start = ""
    for date in dates:
        value = tidy(date.value)
        if date.encoding is None:
            terms.append(literal(trim(value)))
        elif date.point == "start":
            start = _edtf(value)
        elif date.point == "end" and start:
            terms.append(literal(f"{start}/{'..' if value == _OPEN else _edtf(value)}", datatype=EDTF))
            start = ""
        elif _edtf(value):
            terms.append(literal(_edtf(value), datatype=EDTF))
    if start:
        terms.append(literal(start, datatype=EDTF))
    return [term for term in dict.fromkeys(terms) if term != '""']


def _edtf(text: str) -> str:
    if "^^" in date_term(text):
        return text
    return re.sub(r"[^0-9]", "X", text) if len(text) == 4 and _VAGUE_YEAR.fullmatch(text) else ""
