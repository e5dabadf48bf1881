"""Publication, edition, dates."""

from __future__ import annotations

import re

from bibld.model.mods import Controlled, OriginInfo, PlaceTerm
from bibld.model.mods_plan import countries_of, publication_statement
from bibld.model.rdf import iri
from bibld.text.folding import tidy, trim
from bibld.text.places import MARC_COUNTRY_OF_ISO, is_unknown_imprint
from bibld.triplify._codes import CLASS_OF_EVENT, STATEMENT_OF_EVENT, loc
from bibld.triplify._dates import date_literal, issued_dates, provision_dates, to_edtf
from bibld.triplify._describe.entities import claim_agent, claim_place, claim_publisher
from bibld.triplify._draft import Draft

_COUNTRY_CODE = re.compile(r"[a-z]{2,3}")
_UNKNOWN_COUNTRIES = frozenset(("xx", "vp"))
_ISO_3166 = frozenset((None, "iso3166", "iso3166-1"))


def describe_origin(draft: Draft) -> None:
    """Describe provision activities, places, publishers, dates, editions, issuance, frequency."""
    publications = [info for info in draft.mods.origin_info if class_of_event(info) == "bf:Publication"]
    for term in issued_dates(publications):
        draft.add("dcterms:issued", term)
        draft.add("schema:datePublished", term)
    for index, info in enumerate(draft.mods.origin_info):
        _describe_activity(draft, info, f"origin_info/{index}")
        _describe_other_dates(draft, info)
        for edition in info.edition:
            draft.add_text("bibo:edition", edition.value)
            draft.add_text("bf:editionStatement", edition.value)
        for frequency in info.frequency:
            draft.add_labelled_node("bf:frequency", "bf:Frequency", "frequency", frequency.value)


def class_of_event(info: OriginInfo) -> str:
    """Return the class of a provision activity."""
    return CLASS_OF_EVENT.get((info.event_type or "publication").lower(), "bf:ProvisionActivity")


def _describe_other_dates(draft: Draft, info: OriginInfo) -> None:
    for predicate, dates in (
        ("dcterms:created", info.date_created),
        ("dcterms:dateCopyrighted", info.copyright_date),
        ("dcterms:valid", info.date_valid),
        ("dcterms:modified", info.date_modified),
        ("dcterms:date", info.date_other),
    ):
        for date in dates:
            if tidy(date.value) and date.point != "end":
                draft.add(predicate, date_literal(trim(date.value)))
    for date in info.date_captured:
        if to_edtf(tidy(date.value)) or date.encoding is None:
            node = draft.add_node("bf:capture", "bf:Capture", "capture")
            draft.add_text("bf:date", date.value, node)


def _describe_activity(draft: Draft, info: OriginInfo, path: str) -> None:
    places = _places(draft, info, path)
    agents = _agents(draft, info, path)
    dates = provision_dates(info.date_issued)
    if not (places or agents or dates):
        return
    event = class_of_event(info)
    node = draft.add_node("bf:provisionActivity", event, "provision")
    for place in places:
        draft.add("bf:place", place, node)
    for agent in agents:
        draft.add("bf:agent", agent, node)
        if event == "bf:Publication":
            draft.add("dcterms:publisher", agent)
    for date in dates:
        draft.add("bf:date", date, node)
    if event in STATEMENT_OF_EVENT:
        stated = [source.value for source in draft.hidden_values(path)] or [publication_statement(info)]
        for statement in dict.fromkeys(stated):
            draft.add_text(STATEMENT_OF_EVENT[event], statement)


def _places(draft: Draft, info: OriginInfo, path: str) -> list[str]:
    terms: list[str | None] = []
    countries = countries_of(info)
    first = next((index for index, place in enumerate(info.place) if any(map(_is_named, place.place_term))), 0)
    for index, place in enumerate(info.place):
        for term in place.place_term:
            if not _is_named(term):
                terms.append(_coded_place(draft, term))
                continue
            place_path = f"{path}/place/{index}"
            forms = [(term.value, place_path)]
            if len(place.place_term) == 1:
                forms += [(source.value, source.path) for source in draft.hidden_values(place_path)]
            for text, path_of_form in forms:
                claimed = claim_place(draft, text, term, path_of_form, countries, index == first)
                terms.append(iri(claimed) if claimed else None)
    return [term for term in dict.fromkeys(terms) if term is not None]


def _is_named(term: PlaceTerm) -> bool:
    return term.type != "code"


def _coded_place(draft: Draft, term: PlaceTerm) -> str | None:
    code = tidy(term.value).lower()
    if term.authority == "marccountry":
        is_country = _COUNTRY_CODE.fullmatch(code) and code not in _UNKNOWN_COUNTRIES
        return loc("countries", code) if is_country else None
    country = country_of(term)
    if country is not None or not code:
        return country
    node = draft.new_node("place")
    draft.add_class("bf:Place", node)
    draft.add_text("bf:code", code.upper(), node)
    return node


def country_of(element: Controlled) -> str | None:
    """Return the term for the country with a code of ISO 3166-1; None for any other code."""
    code = MARC_COUNTRY_OF_ISO.get(tidy(str(getattr(element, "value", ""))).upper())
    return loc("countries", code) if code is not None and element.authority in _ISO_3166 else None


def _agents(draft: Draft, info: OriginInfo, path: str) -> list[str]:
    named = [
        claim_agent(draft, [(agent, f"{path}/agent/{index}")], roles=("pbl",)) for index, agent in enumerate(info.agent)
    ]
    agents: list[str | None] = []
    for index, publisher in enumerate(info.publisher):
        if not is_unknown_imprint(publisher.value):
            agents.append(claim_publisher(draft, publisher.value, publisher, f"{path}/publisher/{index}"))
    return [iri(agent) for agent in dict.fromkeys(agents + named) if agent is not None]
