"""What an authority record states about its thing beside names and relations: dates, places, activities, notes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bibld.model import mods
from bibld.model.authority import (
    AttributeType,
    Authority,
    AuthorityDate,
    DateType,
    EntityAttribute,
    HeadingKind,
    SourceConsulted,
)
from bibld.model.iris import web_iri
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy
from bibld.text.keys import CLASSIFICATIONS
from bibld.text.languages import NO_LANGUAGES, language_code
from bibld.triplify._claims import Kind
from bibld.triplify._codes import loc
from bibld.triplify._dates import edtf_literal
from bibld.triplify._describe.concepts import claim_class
from bibld.triplify._describe.entities import claim_agent
from bibld.triplify._describe.origin import country_of
from bibld.triplify._describe.places import claim_place
from bibld.triplify._describe.subjects import area_term
from bibld.triplify._describe.titles import full_title
from bibld.triplify._draft import Draft
from bibld.triplify._languages import codes_of

Pairs = list[tuple[str, str]]


class HeadedThing(msgspec.Struct, frozen=True):
    """A thing that a heading names: its IRI, its kind, and the kind of the heading."""

    iri: str
    kind: Kind
    heading: HeadingKind


class Facts(msgspec.Struct, frozen=True):
    """Statements about a thing: about other things (a compact property and an IRI), and all others (and a term)."""

    entities: Pairs
    values: Pairs


_PERSON = "person"

_TEXTS: dict[AttributeType, dict[HeadingKind, str]] = {
    "field of activity": {"person": "schema:knowsAbout", "organisation": "schema:knowsAbout"},
    "occupation": {"person": "schema:jobTitle"},
    "gender": {"person": "schema:gender"},
    "address": {"organisation": "schema:address"},
}
"""Attribute → by the kind of the heading the property that states it as a text; of all others it is a note."""

_PLACES: dict[AttributeType, dict[HeadingKind, str]] = {
    "birth place": {"person": "schema:birthPlace"},
    "death place": {"person": "schema:deathPlace"},
    "residence": {"person": "schema:homeLocation"},
    "place of activity": {"person": "schema:workLocation"},
    "headquarters": {"organisation": "schema:location"},
    "country": {},
    "place": {},
    "place of origin": {},
}
"""Attribute → by the kind of the heading the property that names the place; of all others ``_PLACE`` does."""

_PLACE = "dcterms:spatial"

_DATES: dict[DateType, str] = {
    "start": "schema:foundingDate", "end": "schema:dissolutionDate", "creation": "bf:originDate",
    "event": "dcterms:date", "activity": "dcterms:temporal", "period": "dcterms:temporal",
}  # fmt: skip
"""Type of a date → property; birth and death have properties that headings of bibliographic records fill, too."""

_DATES_OF: dict[DateType, tuple[HeadingKind, ...]] = {
    "start": ("organisation",), "end": ("organisation",), "creation": ("title", "name-title"),
}  # fmt: skip
"""Type of a date → the headings of whose things its property may be stated."""

_LIMITS: dict[DateType, str] = {"birth": "schema:birthDate", "death": "schema:deathDate"}
_DAY_LENGTH = len("1828-09-09")

_NOTES = {"scope": "skos:scopeNote", "history": "skos:historyNote", "definition": "skos:definition"}


def describe_facts(draft: Draft, authority: Authority, thing: HeadedThing) -> Facts:
    """Return what an authority record states about its thing; places, bodies and classes that it names are claimed."""
    values = [*_dates(authority, thing), *_notes(authority), *_languages(authority, thing), *_links(authority)]
    entities: Pairs = []
    for attribute in authority.attributes:
        _describe_attribute(draft, attribute, thing, Facts(entities, values))
    for area in authority.areas:
        found = area_term(area)
        if found is not None:
            values.append((_PLACE, found))
    for mark in authority.classifications:
        if thing.kind == "concept" and mark.authority in CLASSIFICATIONS and "-" not in mark.value:
            class_ = mark.value.partition(" ")[0] if mark.authority == "ddc" else tidy(mark.value)
            entities.append(("skos:relatedMatch", claim_class(draft, mark.authority, class_, mark, "")))
        else:
            values.append(("skos:note", literal(" ".join(filter(None, (mark.authority, tidy(mark.value)))))))
    values += [("prov:wasDerivedFrom", draft.record_term(record)) for record in draft.merged.cluster.members]
    return Facts(entities, values)


def dates_of_thing(authority: Authority) -> str:
    """Return the years of a life as headings have them (``1828-1910``), from coded dates; empty if none is certain."""
    years = {date.type: date.value[:4] for date in authority.dates if date.value[:4].isdecimal()}
    born, died = years.get("birth", ""), years.get("death", "")
    return f"{born}-{died}" if born or died else ""


def _dates(authority: Authority, thing: HeadedThing) -> Iterator[tuple[str, str]]:
    for date in authority.dates:
        if date.type in _LIMITS:
            if thing.heading == _PERSON and len(date.value) == _DAY_LENGTH and date.value.count("-") == 2:
                yield _LIMITS[date.type], edtf_literal(date.value)
        elif thing.heading not in _DATES_OF.get(date.type, (thing.heading,)):
            yield "dcterms:temporal", _text_of_date(date)
        elif date.type not in ("start", "end"):
            yield _DATES[date.type], _text_of_date(date)
        elif date.value:
            yield _DATES[date.type], edtf_literal(date.value)


def _text_of_date(date: AuthorityDate) -> str:
    """Return a date as it is stated for headings; the end of an existence without its beginning follows a hyphen."""
    text = date.value or tidy(date.stated)
    return literal(f"{text}/.." if date.type == "start" else f"../{text}" if date.type == "end" else text)


def _describe_attribute(draft: Draft, attribute: EntityAttribute, thing: HeadedThing, facts: Facts) -> None:
    value = tidy(attribute.value)
    property_ = _TEXTS.get(attribute.type, {}).get(thing.heading)
    if property_ is not None:
        facts.values.append((property_, literal(value)))
    elif attribute.type in _PLACES:
        _describe_place(draft, attribute, thing, facts)
    elif attribute.type == "affiliation":
        name = mods.Name(name_part=(mods.NamePart(value=value),), type="corporate", value_uri=attribute.iri or None)
        body = claim_agent(draft, [(name, "")])
        if body is not None:
            is_person = thing.heading == _PERSON
            facts.entities.append(("schema:affiliation" if is_person else "dcterms:relation", body))
    elif attribute.type != "fuller form":
        facts.values.append(("skos:note", literal(f"{attribute.type}: {value}")))


def _describe_place(draft: Draft, attribute: EntityAttribute, thing: HeadedThing, facts: Facts) -> None:
    code = mods.GeographicCode(value=attribute.value, authority=attribute.scheme or None)
    country = country_of(code)
    if country is not None:
        facts.values.append((_PLACE, country))
        return
    element = mods.Geographic(value=attribute.value, value_uri=attribute.iri or None)
    place = claim_place(draft, attribute.value, element, "")
    if place is not None:
        facts.entities.append((_PLACES[attribute.type].get(thing.heading, _PLACE), place))


def _languages(authority: Authority, thing: HeadedThing) -> Iterator[tuple[str, str]]:
    for language in authority.languages:
        for stated in codes_of(language):
            code = language_code(stated.value)
            if code is not None and code not in NO_LANGUAGES:
                yield "dcterms:language", loc("iso639-2", code)


def _notes(authority: Authority) -> Iterator[tuple[str, str]]:
    for note in authority.notes:
        yield _NOTES.get(note.type or "", "skos:note"), literal(tidy(note.value))
    for place in authority.coordinates:
        yield from (("skos:note", literal(tidy(text))) for text in (*place.coordinates, *place.scale))
    for title in authority.titles:
        yield "skos:note", literal(", ".join(filter(None, (full_title(title.title), tidy(title.date)))))
    for source in authority.sources:
        if text := _text_of_source(source):
            yield "skos:editorialNote", literal(text)
    for identifier in authority.identifiers:
        if identifier.invalid != "yes":
            yield "dcterms:identifier", literal(tidy(identifier.value))


def _text_of_source(source: SourceConsulted) -> str:
    """Return a source as catalogues cite it; a minus sign is before one in which nothing was found."""
    text = ": ".join(filter(None, (tidy(source.citation), tidy(source.information))))
    return text if source.is_found or not text else f"− {text}"


def _links(authority: Authority) -> Iterator[tuple[str, str]]:
    addresses = [url.value for location in authority.locations for url in location.url]
    addresses += [link for source in authority.sources for link in source.links]
    yield from (("foaf:page", iri(address)) for address in map(web_iri, addresses) if address is not None)
