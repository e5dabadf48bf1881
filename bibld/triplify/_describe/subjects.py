"""Subjects, genres, classifications."""

from __future__ import annotations

import re

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
from bibld.triplify._claims import EntityClaim
from bibld.triplify._codes import (
    CLASS_OF_CLASSIFICATION,
    CONCEPT_CLASSIFICATIONS,
    SCHEME_LANGUAGES,
)
from bibld.triplify._describe.agents import claimed_agent, dates_of, heading, identities, trimmed
from bibld.triplify._describe.origin import claimed_place
from bibld.triplify._describe.titles import full_title
from bibld.triplify._draft import Draft, tidy
from bibld.triplify._keys import entity_key
from bibld.triplify._vocabulary import loc

_AREA = re.compile(r"[a-z](?:-[a-z]{1,3}){0,2}")
_FREE = "keywords"
_BETWEEN = "--"


def describe_subjects(draft: Draft) -> None:
    """Subjects, genres, audiences and classifications."""
    for index, subject in enumerate(draft.mods.subject):
        _subject(draft, subject, f"subject/{index}")
    for index, genre in enumerate(draft.mods.genre):
        concept = claimed_concept(draft, trimmed(genre.value), genre.authority, genre, f"genre/{index}")
        if concept is not None:
            draft.say("bf:genreForm", iri(concept))
            draft.text("schema:genre", trimmed(genre.value), language=_language(draft, genre.value, genre, None))
    for index, audience in enumerate(draft.mods.target_audience):
        path = f"target_audience/{index}"
        concept = claimed_concept(draft, trimmed(audience.value), audience.authority, audience, path)
        if concept is not None:
            draft.say("dcterms:audience", iri(concept))
    for index, mark in enumerate(draft.mods.classification):
        _classification(draft, mark, f"classification/{index}")


def _subject(draft: Draft, subject: Subject, path: str) -> None:
    words: list[str] = []
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
        else:
            words.append(_words(draft, part, where))
    words = [word for word in words if word]
    if words and not (len(subject.parts) == 1 and isinstance(subject.parts[0], Name)):
        concept = claimed_concept(draft, _BETWEEN.join(words), _scheme(subject), _bearer(subject), path)
        if concept is not None:
            _about(draft, concept)


def _words(draft: Draft, part: Controlled, path: str) -> str:
    """The words of a part of a heading; what they say of place or time is said of the resource, too."""
    if isinstance(part, TitleInfo):
        return full_title(part)
    text = trimmed(str(getattr(part, "value", "")))
    if isinstance(part, Geographic):
        place = claimed_place(draft, text, part, path)
        if place is not None:
            draft.say("dcterms:spatial", iri(place))
    elif isinstance(part, Temporal):
        draft.text("dcterms:temporal", text)
    return text


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


def claimed_concept(draft: Draft, label: str, scheme: str | None, element: Controlled, path: str) -> str | None:
    """The IRI of a concept of a scheme; notes the claim about it. None where there is no label."""
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
    )
    draft.claim(concept, "concept", claim, path)
    return concept


def _language(draft: Draft, label: str, element: Controlled, scheme: str | None) -> str | None:
    return SCHEME_LANGUAGES.get(scheme or element.authority or "") or draft.languages.of_other(label, element)


def _geographic_code(draft: Draft, part: GeographicCode) -> None:
    code = tidy(part.value).rstrip("-").lower()
    if part.authority in (None, "marcgac") and _AREA.fullmatch(code):
        draft.say("dcterms:spatial", loc("geographicAreas", code))


def _hierarchy(draft: Draft, part: HierarchicalGeographic, path: str) -> None:
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
    place = claimed_place(draft, _BETWEEN.join(trimmed(level) for level in levels if trimmed(level)), part, path)
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
