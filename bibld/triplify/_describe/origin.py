"""Publication, edition, dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from bibld.model.mods import Controlled, Date, OriginInfo, PlaceTerm
from bibld.model.mods_plan import countries_of, event_of, publication_statement
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy, trim
from bibld.text.places import MARC_COUNTRY_OF_ISO, is_unknown_imprint
from bibld.text.publishers import back_reference, distributor, is_printer, publisher_label
from bibld.triplify._claims import Kind
from bibld.triplify._codes import CLASS_OF_EVENT, STATEMENT_OF_EVENT, loc
from bibld.triplify._dates import EDTF, edtf_literal, edtf_of, to_edtf
from bibld.triplify._describe.entities import claim_agent, claim_other_form, claim_publisher
from bibld.triplify._describe.mentions import find_publisher
from bibld.triplify._describe.places import claim_place
from bibld.triplify._draft import Draft

_PUBLISHER = "pbl"
_COUNTRY_CODE = re.compile(r"[a-z]{2,3}")
_UNKNOWN_COUNTRIES = frozenset(("xx", "vp"))
_ISO_3166 = frozenset((None, "iso3166", "iso3166-1"))


class _Event(NamedTuple):
    """An event with the forms of its statement: each ``originInfo`` with its path, other scripts at the end."""

    name: str
    forms: list[tuple[OriginInfo, str]]

    @property
    def info(self) -> OriginInfo:
        """The first form."""
        return self.forms[0][0]


def describe_origin(draft: Draft) -> None:
    """Describe provision activities, places, publishers, dates, editions, issuance, frequency."""
    events = _events(draft)
    published = next((date for event in events if event.name == "publication" and (date := _date(event))), "")
    if published:
        draft.add("dcterms:issued", edtf_literal(published))
    for event in events:
        _describe_activity(draft, event)
    for info in draft.mods.origin_info:
        _describe_other_dates(draft, info)
        for edition in info.edition:
            draft.add_text("bibo:edition", edition.value)
        for frequency in info.frequency:
            draft.add_labelled_node("bf:frequency", "bf:Frequency", "frequency", frequency.value)


def _events(draft: Draft) -> list[_Event]:
    """Return the events. Forms of one statement in different scripts have the same ``@altRepGroup``."""
    events: list[_Event] = []
    for index, info in enumerate(draft.mods.origin_info):
        form = (info, f"origin_info/{index}")
        name = event_of(info)
        for event in events:
            if event.name == name and event.info.alt_rep_group and event.info.alt_rep_group == info.alt_rep_group:
                event.forms.append(form)
                break
        else:
            events.append(_Event(name, [form]))
    return events


def _date(event: _Event) -> str:
    """Return the date of an event in EDTF; empty if none is known."""
    for info, _ in event.forms:
        others = [date for date in info.date_other if date.type == event.name]
        for dates in (info.date_issued, info.date_created if event.name == "production" else (), others):
            if date := edtf_of(dates):
                return date
    return ""


def _describe_other_dates(draft: Draft, info: OriginInfo) -> None:
    others = [date for date in info.date_other if date.type is None]
    for predicate, dates in (
        ("dcterms:created", info.date_created),
        ("dcterms:dateCopyrighted", info.copyright_date),
        ("dcterms:valid", info.date_valid),
        ("dcterms:modified", info.date_modified),
        ("dcterms:date", others),
    ):
        stated = edtf_of(dates)
        if stated:
            draft.add(predicate, edtf_literal(stated))
    for date in info.date_captured:
        if to_edtf(tidy(date.value)) or date.encoding is None:
            node = draft.add_node("bf:capture", "bf:Capture", "capture")
            draft.add_text("bf:date", date.value, node)
    original = edtf_of(date for date in info.date_other if date.type == "original")
    if original and all(item.type != "original" for item in draft.mods.related_item):
        node = draft.add_node("dcterms:isVersionOf", "bibo:Document", "original")
        draft.add("dcterms:issued", edtf_literal(original), node)


def _describe_activity(draft: Draft, event: _Event) -> None:
    places = _places(draft, event)
    agents = _agents(draft, event)
    date = _date(event)
    own = agents.pop(event.name, [])
    own_places = places.pop(event.name, [])
    if own_places or own or date:
        node = _add_activity(draft, event.name, own, own_places)
        if date:
            draft.add("bf:date", literal(date, datatype=EDTF), node)
    for agent in own if event.name == "publication" else ():
        draft.add("dcterms:publisher", agent)
    for name in dict.fromkeys((*agents, *places)):
        _add_activity(draft, name, agents.get(name, ()), places.get(name, ()))
    if event.name in STATEMENT_OF_EVENT:
        for info, path in event.forms:
            stated = next((source.value for source in draft.hidden_values(path)), "")
            dated = info if info.date_issued else replace(info, date_issued=_dates_for_script(info, event))
            draft.add_text(STATEMENT_OF_EVENT[event.name], stated or publication_statement(dated))


def _dates_for_script(info: OriginInfo, event: _Event) -> tuple[Date, ...]:
    """Return the dates of an event for its form in another script: the coded ones, which need no letters."""
    coded = tuple(date for date in event.info.date_issued if date.encoding is not None)
    return coded if info.script and coded else event.info.date_issued


def _add_activity(draft: Draft, event: str, agents: Iterable[str], places: Iterable[str]) -> str:
    class_ = CLASS_OF_EVENT.get(event, "bf:ProvisionActivity")
    node = draft.add_node("bf:provisionActivity", class_, "provision")
    for agent in agents:
        draft.add("bf:agent", agent, node)
    for place in places:
        draft.add("bf:place", place, node)
    return node


def _places(draft: Draft, event: _Event) -> dict[str, list[str]]:
    """Return the places of an event, by event: as many publishers as places are each at the place of its position.

    A form of the statement in another script has other names of the places of the first one, if it names as many.
    """
    by_event: dict[str, dict[str, None]] = {event.name: {}}
    for info, _ in event.forms:
        codes = [term for place in info.place for term in place.place_term if term.type == "code"]
        by_event[event.name].update(dict.fromkeys(filter(None, (_coded_place(draft, code) for code in codes))))
    count = len(_named_places(event.info))
    same = [form for form in event.forms if len(_named_places(form[0])) == count]
    for forms in (same, *([form] for form in event.forms if form not in same)):
        for position, done in enumerate(_done_at_places(event.name, forms[0][0])):
            place = _claim_place_of_event(draft, forms, position)
            if place is not None:
                by_event.setdefault(done, {})[iri(place)] = None
    return {name: [*places] for name, places in by_event.items() if places}


def _claim_place_of_event(draft: Draft, forms: Sequence[tuple[OriginInfo, str]], position: int) -> str | None:
    """Claim the place at a position among those with names, under its name in each form of the statement."""
    (info, path), *others = forms
    index, term = _named_places(info)[position]
    path = f"{path}/place/{index}"
    countries = countries_of(info)
    is_first = position == 0 and bool(countries)
    claimed = claim_place(
        draft, term.value, term, path, countries or countries_of(draft.mods.origin_info[0]), is_first=is_first
    )
    if claimed is None:
        return None
    if len(info.place[index].place_term) == 1:
        for source in draft.hidden_values(path):
            claim_other_form(draft, claimed, "place", (trim(source.value), term), source.path)
    for other, other_path in others:
        index, term = _named_places(other)[position]
        claim_other_form(draft, claimed, "place", (trim(term.value), term), f"{other_path}/place/{index}")
    return claimed


def _done_at_places(event: str, info: OriginInfo) -> list[str]:
    """Return the event at each place with a name: that of its publisher, who may only print or distribute."""
    count = len(_named_places(info))
    if event != "publication" or not 1 < count == len(info.publisher):
        return [event] * count
    return [_done_by(publisher.value)[0] for publisher in info.publisher]


def _named_places(info: OriginInfo) -> list[tuple[int, PlaceTerm]]:
    """Return the places with a name in words, with their positions."""
    return [(index, term) for index, place in enumerate(info.place) for term in place.place_term if term.type != "code"]


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


def _agents(draft: Draft, event: _Event) -> dict[str, list[str]]:
    """Return the agents of an event, by event: some only printed or distribute what others published.

    A publisher has its name in each script, if the forms of the statement name as many. Where the statement names
    none, those are meant that a heading calls publishers.
    """
    found: dict[str, str] = {}
    info, path = event.forms[0]
    others = [form for form in event.forms[1:] if len(form[0].publisher) == len(info.publisher)]
    for index, publisher in enumerate(info.publisher):
        if is_unknown_imprint(publisher.value):
            continue
        done, name = _done_by(publisher.value) if event.name == "publication" else (event.name, publisher.value)
        mentioned = find_publisher(draft, name)
        is_name = mentioned is None and not back_reference(name)
        agent = claim_publisher(draft, name, publisher, f"{path}/publisher/{index}") if is_name else mentioned
        if agent is None:
            continue
        if found.get(iri(agent)) != event.name:
            found[iri(agent)] = done
        kind: Kind = "publisher" if agent.startswith(draft.iris.publisher("")) else "agent"
        for other, other_path in others if is_name else ():
            stated = (publisher_label(other.publisher[index].value), other.publisher[index])
            claim_other_form(draft, agent, kind, stated, f"{other_path}/publisher/{index}")
    for index, named in enumerate(info.agent):
        agent = claim_agent(draft, [(named, f"{path}/agent/{index}")], roles=(_PUBLISHER,))
        if agent is not None:
            found[iri(agent)] = event.name
    if not found and event.name == "publication":
        found = {iri(one.agent): event.name for one in draft.mentions if _PUBLISHER in one.roles}
    by_event: dict[str, list[str]] = {}
    for term, done in found.items():
        by_event.setdefault(done, []).append(term)
    return by_event


def _done_by(publisher: str) -> tuple[str, str]:
    """Return the event whose agent a text in place of a publisher names, and the name of the agent."""
    name = distributor(publisher)
    if name:
        return "distribution", name
    return "manufacture" if is_printer(publisher) else "publication", publisher
