"""Subjects, genres, classifications."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bibld.model.mods import (
    Cartographics,
    Classification,
    Controlled,
    Geographic,
    GeographicCode,
    HierarchicalGeographic,
    Name,
    Subject,
    Temporal,
    TitleInfo,
)
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy, trim
from bibld.triplify._claims import EntityClaim
from bibld.triplify._codes import (
    CLASS_OF_CLASSIFICATION,
    CONCEPT_CLASSIFICATIONS,
    SCHEME_LANGUAGES,
    loc,
)
from bibld.triplify._describe.agents import claimed_agent, dates_of, heading, identities
from bibld.triplify._describe.origin import claimed_place, country_of
from bibld.triplify._describe.titles import full_title
from bibld.triplify._draft import Draft
from bibld.triplify._keys import entity_key

_AREA = re.compile(r"[a-z](?:-[a-z]{1,3}){0,2}")
_FREE = "keywords"
_BETWEEN = "--"


def describe_subjects(draft: Draft) -> None:
    """Subjects, genres, audiences and classifications."""
    for index, subject in enumerate(draft.mods.subject):
        _subject(draft, subject, f"subject/{index}")
    for index, genre in enumerate(draft.mods.genre):
        concept = claimed_concept(draft, trim(genre.value), genre.authority, genre, f"genre/{index}")
        if concept is not None:
            draft.say("bf:genreForm", iri(concept))
            draft.text("schema:genre", trim(genre.value), language=_language(draft, genre.value, genre, None))
    for index, audience in enumerate(draft.mods.target_audience):
        path = f"target_audience/{index}"
        concept = claimed_concept(draft, trim(audience.value), audience.authority, audience, path)
        if concept is not None:
            draft.say("dcterms:audience", iri(concept))
    for index, mark in enumerate(draft.mods.classification):
        _classification(draft, mark, f"classification/{index}")


def _subject(draft: Draft, subject: Subject, path: str) -> None:
    words: list[str] = []
    named: list[str] = []
    for index, part in enumerate(subject.parts):
        where = f"{path}/parts/{index}"
        if isinstance(part, GeographicCode):
            _geographic_code(draft, part)
        elif isinstance(part, Cartographics):
            _map(draft, part)
        elif isinstance(part, HierarchicalGeographic):
            _hierarchy(draft, part, where)
        elif isinstance(part, Name):
            agent = claimed_agent(draft, [(part, where)])
            if agent is not None:
                _about(draft, agent)
                words.append(", ".join(filter(None, (heading(part), dates_of(part)))))
                named.append(agent)
        elif isinstance(part, TitleInfo):
            words.append(full_title(part))
        else:
            words += _words_of_string(part)
            named += _place_or_time(draft, part, where)
    words = [word for word in words if word]
    if words and not (len(subject.parts) == 1 and isinstance(subject.parts[0], Name)):
        parts = named if len(words) > 1 else []
        concept = claimed_concept(draft, _BETWEEN.join(words), _scheme(subject), _bearer(subject), path, parts)
        if concept is not None:
            _about(draft, concept)


def _words_of_string(part: Controlled) -> list[str]:
    """The elements of a part of a heading: some records have a whole heading with its subdivisions in one text."""
    return [trim(text) for text in str(getattr(part, "value", "")).split(_BETWEEN) if trim(text)]


def _place_or_time(draft: Draft, part: Controlled, path: str) -> list[str]:
    """Say of the resource what a part of a heading says of place or time; gives the place. In a text with subdivisions
    only the head is a place, and an authority's identifier is that of the whole."""
    words = _words_of_string(part)
    if isinstance(part, Temporal):
        draft.text("dcterms:temporal", _BETWEEN.join(words))
    if not isinstance(part, Geographic) or not words:
        return []
    head = part if len(words) == 1 else msgspec.structs.replace(part, value_uri=None)
    place = claimed_place(draft, words[0], head, path)
    if place is None:
        return []
    draft.say("dcterms:spatial", iri(place))
    return [place]


def _about(draft: Draft, entity: str) -> None:
    draft.say("dcterms:subject", iri(entity))
    draft.say("schema:about", iri(entity))


def _scheme(subject: Subject) -> str | None:
    return subject.authority or next((part.authority for part in subject.parts if part.authority), None)


def _bearer(subject: Subject) -> Controlled:
    """What carries the authority's identifier of the whole heading."""
    if subject.value_uri is None and len(subject.parts) == 1:
        return subject.parts[0]
    return subject


def claimed_concept(
    draft: Draft, label: str, scheme: str | None, element: Controlled, path: str, parts: Sequence[str] = ()
) -> str | None:
    """The IRI of a concept of a scheme; notes the claim about it. None where there is no label.

    ``parts`` are the IRIs of places and agents that a compound heading names.
    """
    label = tidy(label)
    if not label:
        return None
    code = tidy(scheme or "") or _FREE
    found = identities(draft, element, path)
    concept = draft.iris.concept(code, found[0].key if found else entity_key(label))
    claim = EntityClaim(
        label=draft.form(label, _language(draft, label, element, code)),
        scheme=code,
        links=tuple(sorted({one.iri for one in found if one.iri is not None})),
        parts=tuple(sorted(set(parts))),
    )
    draft.claim(concept, "concept", claim, path)
    return concept


def _language(draft: Draft, label: str, element: Controlled, scheme: str | None) -> str | None:
    return SCHEME_LANGUAGES.get(scheme or element.authority or "") or draft.languages.of_other(label, element)


def _geographic_code(draft: Draft, part: GeographicCode) -> None:
    code = tidy(part.value).rstrip("-").lower()
    if part.authority in (None, "marcgac") and _AREA.fullmatch(code):
        draft.say("dcterms:spatial", loc("geographicAreas", code))
    country = country_of(part) if part.authority is not None else None
    if country is not None:
        draft.say("dcterms:spatial", country)


def _hierarchy(draft: Draft, part: HierarchicalGeographic, path: str) -> None:
    """Each level is a place; an authority's identifier is that of the last."""
    levels = (
        *part.extraterrestrial_area,
        *part.continent,
        *part.country,
        *part.province,
        *part.region,
        *part.state,
        *part.territory,
        *part.county,
        *part.city,
        *part.city_section,
        *part.island,
        *part.area,
    )
    names = [trim(level) for level in levels if trim(level)]
    for name in names:
        last = name is names[-1]
        place = claimed_place(draft, name, part if last else msgspec.structs.replace(part, value_uri=None), path)
        if place is not None:
            draft.say("dcterms:spatial", iri(place))


def _map(draft: Draft, part: Cartographics) -> None:
    for scale in part.scale:
        draft.labelled("bf:scale", "bf:Scale", "scale", scale)
    if not (any(map(tidy, part.projection)) or any(map(tidy, part.coordinates))):
        return
    node = draft.node("map")
    draft.say("bf:cartographicAttributes", node)
    draft.a("bf:Cartographic", node)
    for coordinates in part.coordinates:
        draft.text("bf:coordinates", coordinates, node)
    for projection in part.projection:
        draft.labelled("bf:projection", "bf:Projection", "projection", projection, node)


def _classification(draft: Draft, mark: Classification, path: str) -> None:
    value = tidy(mark.value)
    if not value:
        return
    scheme = tidy(mark.authority or "")
    node = draft.node("classification")
    draft.say("bf:classification", node)
    draft.a(CLASS_OF_CLASSIFICATION.get(scheme, "bf:Classification"), node)
    draft.text("bf:classificationPortion", value, node)
    draft.text("bf:edition", mark.edition or "", node)
    if scheme and scheme not in CLASS_OF_CLASSIFICATION:
        draft.say(draft.own("scheme"), literal(scheme), node)
    if scheme in CONCEPT_CLASSIFICATIONS:
        concept = draft.iris.concept(scheme, value)
        claim = EntityClaim(label=draft.form(value, None), scheme=scheme, notation=value)
        draft.claim(concept, "concept", claim, path)
        _about(draft, concept)
