"""Provenance: source records and matches."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from bibld.model.linkage import Edge, ValueSource
from bibld.model.mods import (
    Classification,
    Form,
    Genre,
    Identifier,
    Location,
    Name,
    Note,
    OriginInfo,
    RecordInfo,
    RelatedItem,
    TitleInfo,
)
from bibld.model.mods import Subject as SubjectHeading
from bibld.model.mods_plan import event_of, words_of
from bibld.model.origin import RecordId
from bibld.model.rdf import decimal_literal, iri, literal, term
from bibld.text.folding import tidy
from bibld.text.keys import CLASSIFICATIONS
from bibld.triplify._codes import (
    CONTENT_TYPE_AUTHORITIES,
    NODE_OF_NOTE,
    PROPERTY_OF_TYPE,
    RELATIONS,
    STATEMENT_OF_EVENT,
    TEXT_OF_NOTE,
)
from bibld.triplify._dates import record_date
from bibld.triplify._describe.characteristics import CHARACTERISTICS
from bibld.triplify._describe.identifiers import published_number
from bibld.triplify._describe.titles import full_title
from bibld.triplify._draft import PROVENANCE, Draft
from bibld.triplify._headings import Roles, heading

GRAPH = PROVENANCE


def link_members(draft: Draft) -> None:
    """Link the resource IRIs of the other members to that of the merged resource."""
    cluster = draft.merged.cluster
    for member in cluster.members:
        if member != cluster.founder:
            draft.add("owl:sameAs", iri(draft.iris.resource(member)))


def describe_records(draft: Draft) -> None:
    """State from which records the merged resource was derived, and describe them."""
    for member in draft.merged.cluster.members:
        draft.add("prov:wasDerivedFrom", draft.record_term(member), graph=GRAPH)
    describe_source_records(draft)


def describe_source_records(draft: Draft) -> None:
    """Describe the source records. The topic of each is the subject of the draft."""
    for member in draft.merged.cluster.members:
        record = draft.record_term(member)
        draft.add_class(draft.own_term("SourceRecord"), record, GRAPH)
        draft.add("foaf:primaryTopic", draft.subject, record, GRAPH)
        draft.add("void:inDataset", iri(draft.iris.source(member.source)), record, GRAPH)
        draft.add("dcterms:identifier", literal(member.control_number), record, GRAPH)
    for index, info in enumerate(draft.mods.record_info):
        described = _member_described_by(draft, info, f"record_info/{index}")
        if described is None:
            continue
        for predicate, dates in (
            ("dcterms:created", info.record_creation_date),
            ("dcterms:modified", info.record_change_date),
        ):
            for date in dict.fromkeys(filter(None, map(record_date, dates))):
                draft.add(predicate, date, draft.record_term(described), GRAPH)


def _member_described_by(draft: Draft, info: RecordInfo, path: str) -> RecordId | None:
    members = draft.records_at(path)
    for identifier in info.record_identifier:
        for member in members:
            if RecordId.from_control_number(member.source, identifier.value) == member:
                return member
    return members[0] if len(members) == 1 else None


def describe_matches(draft: Draft, edges: Sequence[Edge]) -> None:
    """Describe each match by a node: the records, score, scorer, decision, who or what decided, and the reasons.

    Features and blocking keys are not published: they are of use to one who looks at a pair, whom its page,
    ``bibld explain`` and the Python API show them.
    """
    for edge in edges:
        match = iri(draft.iris.match(edge.pair))
        draft.add_class(draft.own_term("Match"), match, GRAPH)
        draft.add(draft.own_term("left"), draft.record_term(edge.pair.left), match, GRAPH)
        draft.add(draft.own_term("right"), draft.record_term(edge.pair.right), match, GRAPH)
        if math.isfinite(edge.score.value):
            draft.add(draft.own_term("score"), decimal_literal(edge.score.value), match, GRAPH)
        draft.add(draft.own_term("decision"), literal(edge.verdict.decision), match, GRAPH)
        draft.add(draft.own_term("rule"), literal(edge.verdict.by), match, GRAPH)
        for reason in filter(None, map(tidy, edge.verdict.reasons)):
            draft.add(draft.own_term("reason"), literal(reason), match, GRAPH)
        if edge.score.scorer:
            draft.add(draft.own_term("scorer"), literal(edge.score.scorer), match, GRAPH)


_NOT_IN_FRAGMENT = re.compile("[/#]")
_PATHS_ABOUT_RECORDS = ("record_info", "extension")
_PATHS_REMEMBERED = 4096
_CONTAINERS = ("origin_info", "physical_description")
"""Elements whose parts are merged one by one, so that the element is no value if its parts are."""

_PROPERTIES = {
    "abstract": "dcterms:abstract",
    "access_condition": "dc:rights",
    "classification": "bf:classification",
    "copyright_date": "dcterms:dateCopyrighted",
    "date_captured": "bf:capture",
    "date_created": "dcterms:created",
    "date_issued": "dcterms:issued",
    "date_modified": "dcterms:modified",
    "date_other": "dcterms:date",
    "date_valid": "dcterms:valid",
    "edition": "bibo:edition",
    "extent": "isbd:P1053",
    "form": "dc:format",
    "frequency": "bf:frequency",
    "genre": "bf:genreForm",
    "identifier": "bf:identifiedBy",
    "internet_media_type": "dc:format",
    "issuance": "bf:issuance",
    "language": "dcterms:language",
    "location": "bf:hasItem",
    "name": "dcterms:contributor",
    "note": "dcterms:description",
    "origin_info": "bf:publicationStatement",
    "part": "bibo:locator",
    "physical_description": "isbd:P1053",
    "place": "bf:place",
    "publisher": "dcterms:publisher",
    "related_item": "dcterms:relation",
    "subject": "dcterms:subject",
    "table_of_contents": "dcterms:tableOfContents",
    "target_audience": "bf:intendedAudience",
    "title_info": "dcterms:title",
    "type_of_resource": "rdf:type",
}
"""Element of MODS → the main property that its values are published with."""


def _of_note(note: Note) -> str:
    kind = note.type or ""
    if kind in TEXT_OF_NOTE:
        return TEXT_OF_NOTE[kind]
    if kind in NODE_OF_NOTE:
        return NODE_OF_NOTE[kind][0]
    return "bf:note" if kind or note.display_label else "dcterms:description"


def _of_form(form: Form) -> str:
    known = CHARACTERISTICS.get(form.type or "")
    return known.predicate if known is not None else PROPERTY_OF_TYPE.get(form.type or "", "dc:format")


def _of_location(location: Location) -> str:
    has_copy = location.physical_location or location.shelf_locator or location.holding_simple
    return "bf:hasItem" if has_copy else "foaf:page"


_BY_ELEMENT: dict[type, Callable[[Any], str]] = {
    Classification: lambda mark: "dcterms:subject" if mark.authority in CLASSIFICATIONS else "bf:classification",
    Form: _of_form,
    Genre: lambda genre: PROPERTY_OF_TYPE["content"] if genre.authority in CONTENT_TYPE_AUTHORITIES else "bf:genreForm",
    Identifier: lambda identifier: (published_number(identifier) or ("bf:identifiedBy", ""))[0],
    Location: _of_location,
    Note: _of_note,
    OriginInfo: lambda info: STATEMENT_OF_EVENT.get(event_of(info), "bf:provisionActivity"),
    RelatedItem: lambda item: RELATIONS.get(item.type or "", "dcterms:relation"),
    SubjectHeading: lambda subject: "dcterms:subject",
    TitleInfo: lambda title: "dcterms:title" if title.type is None else "dcterms:alternative",
}


def main_property(draft: Draft, source: ValueSource) -> str:
    """Return the property (a compact IRI or a term) that a value is mainly published with, by its element and path."""
    element, path = _element_and_path(source.place)
    shown = value_at(draft.mods, path)
    if isinstance(shown, Name):
        return (*Roles.from_names(draft.mods, [shown]).dublin_core(), "bf:contribution")[0]
    if isinstance(shown, Note) and (stated := draft.property_of_note(shown)) is not None:
        return stated
    choose = _BY_ELEMENT.get(type(shown))
    if choose is not None:
        return choose(shown)
    return _PROPERTIES.get(element, "dcterms:description")


@lru_cache(maxsize=_PATHS_REMEMBERED)
def _element_and_path(place: str) -> tuple[str, str]:
    """Return the element that a value is published as, and its path: of a related item all is published together."""
    steps = place.split("/")
    names = [step for step in steps if not step.isdecimal()]
    if names[0] == "related_item" or len(names) == 1:
        return names[0], "/".join(steps[:2])
    return names[-1], place


def describe_values(draft: Draft) -> None:
    """Describe the values of each property in which the members differ, whether they are shown or not."""
    members = set(draft.merged.cluster.members)
    if len(members) == 1:
        return
    by_property: dict[str, list[ValueSource]] = {}
    for source in draft.merged.sources:
        if not members.isdisjoint(source.records) and source.path.partition("/")[0] not in _PATHS_ABOUT_RECORDS:
            by_property.setdefault(main_property(draft, source), []).append(source)
    for property_, sources in by_property.items():
        differing = [source for source in sources if not (source.is_shown and members.issubset(source.records))]
        for source in sources if differing else ():
            if source in differing or not _is_container(source):
                _describe_value(draft, property_, source)


def _is_container(source: ValueSource) -> bool:
    return source.path.count("/") == 1 and source.path.startswith(_CONTAINERS)


def _describe_value(draft: Draft, property_: str, source: ValueSource) -> None:
    node = draft.hash_iri(f"value-{_NOT_IN_FRAGMENT.sub('-', source.path.replace('#', '--'))}")
    draft.add(draft.own_term("valueSource"), node, graph=GRAPH)
    draft.add_class(draft.own_term("ValueSource"), node, GRAPH)
    if not source.is_shown and not (_is_container(source) and source is draft.hidden_values(source.place)[0]):
        draft.add_class(draft.own_term("ValueNotShown"), node, GRAPH)
    draft.add(draft.own_term("property"), property_ if property_[0] == "<" else term(property_), node, GRAPH)
    draft.add(draft.own_term("path"), literal(source.place), node, GRAPH)
    text = published_words(value_at(draft.mods, source.path)) if source.is_shown else source.value
    if text:
        draft.add("rdf:value", literal(text), node, GRAPH)
    for record in source.records:
        if record in draft.merged.cluster.members:
            draft.add("prov:wasDerivedFrom", draft.record_term(record), node, GRAPH)


def published_words(value: Any) -> str:  # noqa: ANN401
    """Return a value in the form in which it is published as a literal or label, if it has one, else in its words."""
    if isinstance(value, TitleInfo):
        return full_title(value)
    if isinstance(value, Name):
        return heading(value) or words_of(value)
    number = published_number(value) if isinstance(value, Identifier) else None
    return number[1] if number is not None else words_of(value)


def value_at(mods: object, path: str) -> Any:  # noqa: ANN401
    """Return the value at a path of a description, None if there is nothing at its end.

    Raises ``LookupError`` for a path with a step that no description has.
    """
    value: Any = mods
    for step in _steps(path):
        if isinstance(step, int):
            value = value[step] if step < len(value) else None
        elif value is None or step in getattr(value, "__struct_fields__", ()):
            value = None if value is None else getattr(value, step)
        else:
            raise LookupError(f"this description has no value at {path!r}")
    return value


@lru_cache(maxsize=_PATHS_REMEMBERED)
def _steps(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path: names of elements and positions."""
    return tuple(int(step) if step.isdecimal() else step for step in path.split("/"))
