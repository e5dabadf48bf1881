"""Subjects, genres, classifications."""

from __future__ import annotations

import re
from itertools import pairwise

from msgspec.structs import replace

from bibld.model import mods
from bibld.model.rdf import iri
from bibld.text.classes import subclass_of_lcc
from bibld.text.folding import tidy, trim
from bibld.text.keys import CLASSIFICATIONS
from bibld.text.resource_types import type_code
from bibld.triplify._codes import CLASS_OF_CLASSIFICATION, CONTENT_TYPE_AUTHORITIES, loc
from bibld.triplify._describe.concepts import claim_class, claim_concept
from bibld.triplify._describe.entities import claim_agent
from bibld.triplify._describe.origin import country_of
from bibld.triplify._describe.places import claim_place
from bibld.triplify._describe.titles import full_title
from bibld.triplify._describe.works import access_point, claim_work
from bibld.triplify._draft import Draft
from bibld.triplify._headings import dates_of, heading

_AREA_CODE = re.compile(r"[a-z]{1,2}(?:-[a-z]{1,3}){0,2}")
_BEFORE_SUBDIVISION = "--"
_SUPPLEMENTARY_CONTENT = {"bib": "bibliography", "dis": "discography", "fil": "film"}
"""Codes of ``marcgt`` that records have for what a publication contains (008/24-27) → code of ``msupplcont``."""
_LEVELS = "extraterrestrial_area continent country province region state territory county city city_section island area"


def describe_subjects(draft: Draft) -> None:
    """Describe subjects, genres, audiences and classifications."""
    for index, subject in enumerate(draft.mods.subject):
        times = _coded_period(subject)
        if times:
            draft.add_text("dcterms:temporal", "/".join(times))
        else:
            _describe_subject(draft, subject, f"subject/{index}")
    for index, genre in enumerate(draft.mods.genre):
        _describe_genre(draft, genre, f"genre/{index}")
    for index, audience in enumerate(draft.mods.target_audience):
        path = f"target_audience/{index}"
        concept = claim_concept(draft, trim(audience.value), audience.authority, audience, path)
        if concept is not None:
            draft.relate_work("bf:intendedAudience", concept)
    for index, mark in enumerate(draft.mods.classification):
        _describe_classification(draft, mark, f"classification/{index}")


def _describe_genre(draft: Draft, genre: mods.Genre, path: str) -> None:
    if genre.authority in CONTENT_TYPE_AUTHORITIES:
        return
    code = type_code("marcgt", genre.value) if genre.authority == "marcgt" else None
    if code in _SUPPLEMENTARY_CONTENT:
        draft.add("bf:supplementaryContent", loc("msupplcont", _SUPPLEMENTARY_CONTENT[code]))
        return
    if code is not None:
        draft.add_to_work("bf:genreForm", loc("marcgt", code))
        return
    concept = claim_concept(draft, trim(genre.value), genre.authority, genre, path)
    if concept is not None:
        draft.relate_work("bf:genreForm", concept)


def _describe_subject(draft: Draft, subject: mods.Subject, path: str) -> None:
    words: list[str] = []
    entities: list[str] = []
    names_of_works = {
        index: part
        for index, (part, following) in enumerate(pairwise(subject.parts))
        if isinstance(part, mods.Name) and isinstance(following, mods.TitleInfo) and full_title(following)
    }
    for index, part in enumerate(subject.parts):
        part_path = f"{path}/parts/{index}"
        if isinstance(part, mods.GeographicCode):
            _describe_geographic_code(draft, part)
        elif isinstance(part, mods.Cartographics):
            _describe_map(draft, part)
        elif isinstance(part, mods.HierarchicalGeographic):
            _describe_hierarchy(draft, part, part_path)
        elif isinstance(part, mods.Name) and index in names_of_works:
            continue
        elif isinstance(part, mods.Name):
            agent = claim_agent(
                draft,
                [(_identified_name(part, subject), part_path)],
                roles=("subject",),
                scheme=subject.authority or part.authority or "",
            )
            if agent is not None:
                _add_subject(draft, agent)
                words.append(", ".join(filter(None, (heading(part), dates_of(part)))))
                entities.append(agent)
        elif isinstance(part, mods.TitleInfo):
            names = [(name, f"{path}/parts/{at}") for at, name in names_of_works.items() if at == index - 1]
            elements = [part, subject] if subject.parts[-1] is part else [part]
            work = claim_work(draft, [(part, None)], [[name] for name in names], elements, part_path)
            if work is not None:
                _add_subject(draft, work)
                words.append(access_point([name for name, _ in names], part))
                entities.append(work)
        else:
            words += _split_subdivisions(part)
            entities += _describe_place_or_time(draft, part, part_path)
    words = [word for word in words if word]
    if words and not all(isinstance(part, mods.Name | mods.TitleInfo) for part in subject.parts):
        scheme = subject.authority or next((part.authority for part in subject.parts if part.authority), None)
        is_identified_by_part = subject.value_uri is None and len(subject.parts) == 1
        identified = subject.parts[0] if is_identified_by_part else _identified_heading(subject)
        parts = entities if len(words) > 1 else []
        concept = claim_concept(draft, _BEFORE_SUBDIVISION.join(words), scheme, identified, path, parts)
        if concept is not None:
            _add_subject(draft, concept)


def _coded_period(subject: mods.Subject) -> list[str]:
    """Return the date, or the beginning and end, that are all of a subject: it is no heading of a list of subjects."""
    times = [
        tidy(part.value) for part in subject.parts if isinstance(part, mods.Temporal) and (part.encoding or part.point)
    ]
    return times if len(times) == len(subject.parts) <= 2 else []


def _identified_heading(subject: mods.Subject) -> mods.Subject:
    """Return a heading with subdivisions without its link if that is the link of the name or title that it begins with.

    Only the authority file of subject headings has entries for names with subdivisions.
    """
    is_name = isinstance(subject.parts[0], mods.Name | mods.TitleInfo)
    return replace(subject, value_uri=None) if is_name and not _is_subject_heading(subject.value_uri) else subject


def _identified_name(name: mods.Name, subject: mods.Subject) -> mods.Name:
    """Return a name without its links if these are those of the heading with subdivisions that begins with it."""
    is_heading = len(subject.parts) > 1 and _is_subject_heading(name.value_uri)
    return replace(name, value_uri=None, name_identifier=()) if is_heading else name


def _is_subject_heading(link: str | None) -> bool:
    return link is not None and "id.loc.gov/authorities/subjects/" in link


def _split_subdivisions(part: mods.Controlled) -> list[str]:
    """Return the elements of a part of a heading: some records have a heading with its subdivisions in one text."""
    return [trim(text) for text in str(getattr(part, "value", "")).split(_BEFORE_SUBDIVISION) if trim(text)]


def _describe_place_or_time(draft: Draft, part: mods.Controlled, path: str) -> list[str]:
    """Describe the place or time that a part of a heading names; return the place.

    In a text with subdivisions only the first element is a place, and the authority's identifier belongs to the
    complete heading.
    """
    words = _split_subdivisions(part)
    if isinstance(part, mods.Temporal):
        draft.add_text("dcterms:temporal", _BEFORE_SUBDIVISION.join(words))
    if not isinstance(part, mods.Geographic) or not words:
        return []
    first = part if len(words) == 1 else replace(part, value_uri=None)
    place = claim_place(draft, words[0], first, path)
    if place is None:
        return []
    draft.add("dcterms:spatial", iri(place))
    return [place]


def _add_subject(draft: Draft, entity: str) -> None:
    draft.add("dcterms:subject", iri(entity))
    draft.relate_work("bf:subject", entity)


def area_term(part: mods.GeographicCode) -> str | None:
    """Return the term for the area or country with a code; None for a code that is not known."""
    code = tidy(part.value).rstrip("-").lower()
    if part.authority in (None, "marcgac") and _AREA_CODE.fullmatch(code):
        return loc("geographicAreas", code)
    return country_of(part) if part.authority is not None else None


def _describe_geographic_code(draft: Draft, part: mods.GeographicCode) -> None:
    area = area_term(part)
    if area is not None:
        draft.add("dcterms:spatial", area)


def _describe_hierarchy(draft: Draft, part: mods.HierarchicalGeographic, path: str) -> None:
    """Describe each level as a place; the authority's identifier is that of the last."""
    names = [trim(level) for kind in _LEVELS.split() for level in getattr(part, kind) if trim(level)]
    for index, name in enumerate(names, 1):
        element = part if index == len(names) else replace(part, value_uri=None)
        place = claim_place(draft, name, element, path)
        if place is not None:
            draft.add("dcterms:spatial", iri(place))


def _describe_map(draft: Draft, part: mods.Cartographics) -> None:
    for scale in part.scale:
        draft.add_labelled_node("bf:scale", "bf:Scale", "scale", scale)
    if not (any(map(tidy, part.projection)) or any(map(tidy, part.coordinates))):
        return
    node = draft.add_node("bf:cartographicAttributes", "bf:Cartographic", "map")
    for coordinates in part.coordinates:
        draft.add_text("bf:coordinates", coordinates, node)
    for projection in part.projection:
        draft.add_labelled_node("bf:projection", "bf:Projection", "projection", projection, node)


def _describe_classification(draft: Draft, mark: mods.Classification, path: str) -> None:
    value, scheme = tidy(mark.value), tidy(mark.authority or "")
    if not (value if scheme else any(map(str.isdigit, value))):
        return  # words without a scheme are no class mark, such as ``ISSN RECORD``
    node = draft.add_node(
        "bf:classification", CLASS_OF_CLASSIFICATION.get(scheme, "bf:Classification"), "classification"
    )
    draft.add_text("bf:classificationPortion", value, node)
    draft.add_text("bf:edition", mark.edition or "", node)
    if scheme and scheme not in CLASS_OF_CLASSIFICATION:
        draft.add("bf:source", iri(draft.claim_scheme(scheme, path)), node)
    if scheme in CLASSIFICATIONS:
        class_ = value.partition(" ")[0] if scheme == "ddc" else value
        _add_subject(draft, claim_class(draft, scheme, class_, mark, path))
    subclass = subclass_of_lcc(value) if scheme == "lcc" else None
    if subclass is not None:
        _add_subject(draft, f"http://id.loc.gov/authorities/classification/{subclass}")
