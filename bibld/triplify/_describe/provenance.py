"""Where the statements come from: source records, matches, and the sources of single values."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from typing import Any

from bibld.model.linkage import Edge
from bibld.model.mods import Date, RecordInfo
from bibld.model.mods_words import words_of
from bibld.model.origin import RecordId, to_slug
from bibld.model.rdf import XSD, iri, literal
from bibld.text.folding import tidy
from bibld.triplify._draft import Draft

GRAPH = "provenance"
"""The name of the graph that all this stands in."""

_NOT_DIGITS = re.compile(r"[-:.TZ ]")
_STAMP = re.compile(r"[0-9]{8}(?:[0-9]{6}[0-9]?)?")
_SHORT = re.compile(r"[0-9]{6}")
_PIVOT = 50
_NOT_IN_FRAGMENT = re.compile("[/#]")
_ABOUT_RECORDS = ("record_info/", "extension/")


def describe_members(draft: Draft) -> None:
    """The source records, and the resource IRIs that the merged resource stands for."""
    cluster = draft.merged.cluster
    for member in cluster.members:
        record = draft.record(member)
        resource = iri(draft.iris.resource(member))
        if member != cluster.founder:
            draft.say("owl:sameAs", resource)
        draft.say("prov:wasDerivedFrom", record, graph=GRAPH)
        draft.a(draft.own("SourceRecord"), record, GRAPH)
        draft.say("foaf:primaryTopic", resource, record, GRAPH)
        draft.say("void:inDataset", iri(draft.iris.source(member.source)), record, GRAPH)
        draft.say("dcterms:isPartOf", iri(draft.iris.source(member.source)), record, GRAPH)
        draft.say("dcterms:identifier", literal(member.control_number), record, GRAPH)
    for index, info in enumerate(draft.mods.record_info):
        member_of_info = _member(draft, info, f"record_info/{index}")
        if member_of_info is not None:
            _dates(draft, info, draft.record(member_of_info))


def _member(draft: Draft, info: RecordInfo, path: str) -> RecordId | None:
    """The member that a ``recordInfo`` is about."""
    members = draft.holders(path)
    for identifier in info.record_identifier:
        for member in members:
            if RecordId.from_control_number(member.source, identifier.value) == member:
                return member
    return members[0] if len(members) == 1 else None


def _dates(draft: Draft, info: RecordInfo, record: str) -> None:
    for predicate, dates in (
        ("dcterms:created", info.record_creation_date),
        ("dcterms:modified", info.record_change_date),
    ):
        for term in dict.fromkeys(filter(None, map(moment, dates))):
            draft.say(predicate, term, record, GRAPH)


def moment(date: Date) -> str | None:
    """The date of a record as ``xsd:date`` or ``xsd:dateTime``; None where it is none.

    Read are ``yymmdd`` (MARC 21, 008/00-05; years from 50 on are of the twentieth century), ``yyyymmdd``,
    ``yyyymmddhhmmss.f`` (005) and ISO 8601.
    """
    digits = _NOT_DIGITS.sub("", tidy(date.value))
    if _SHORT.fullmatch(digits):
        digits = ("19" if int(digits[:2]) >= _PIVOT else "20") + digits
    if not _STAMP.fullmatch(digits):
        return None
    try:
        if len(digits) == 8:
            return literal(datetime.date.fromisoformat(digits).isoformat(), datatype=XSD + "date")
        stamp = datetime.datetime.fromisoformat(f"{digits[:8]}T{digits[8:14]}")
    except ValueError:
        return None
    return literal(stamp.isoformat(), datatype=XSD + "dateTime")


def describe_matches(draft: Draft, edges: Sequence[Edge]) -> None:
    """A node for each match: which records, how alike, decided by what, for which reasons."""
    for edge in edges:
        page = draft.iris.match(edge.pair)
        match = iri(page)
        draft.a(draft.own("Match"), match, GRAPH)
        draft.say(draft.own("left"), draft.record(edge.pair.left), match, GRAPH)
        draft.say(draft.own("right"), draft.record(edge.pair.right), match, GRAPH)
        _number(draft, "score", edge.score.value, match)
        draft.say(draft.own("decision"), literal(edge.verdict.decision), match, GRAPH)
        draft.say(draft.own("rule"), literal(edge.verdict.by), match, GRAPH)
        for reason in edge.verdict.reasons:
            if tidy(reason):
                draft.say(draft.own("reason"), literal(tidy(reason)), match, GRAPH)
        for key in edge.score.shared_blocking_keys:
            draft.say(draft.own("blockingKey"), literal(key), match, GRAPH)
        for feature in edge.score.features:
            node = iri(f"{page}#feature-{to_slug(feature.name)}")
            draft.say(draft.own("feature"), node, match, GRAPH)
            draft.a(draft.own("Feature"), node, GRAPH)
            draft.say("rdfs:label", literal(feature.name), node, GRAPH)
            _number(draft, "score", feature.value, node)


def _number(draft: Draft, term: str, value: float, subject: str) -> None:
    """In the canonical form of XML Schema 1.1, as stores give it back."""
    if math.isfinite(value):
        text = f"{value:.6f}".rstrip("0").rstrip(".")
        draft.typed(draft.own(term), "0" if text == "-0" else text, "decimal", subject, GRAPH)


def describe_values(draft: Draft) -> None:
    """For each value that not all members hold, and each that a record has and the description does not show: what it
    is, and which records hold it."""
    members = set(draft.merged.cluster.members)
    for source in draft.merged.sources:
        holders = members.intersection(source.records)
        if not holders or (holders == members and source.is_shown) or source.path.startswith(_ABOUT_RECORDS):
            continue
        node = draft.part(f"value-{_NOT_IN_FRAGMENT.sub('-', source.path.replace('#', '--'))}")
        draft.say(draft.own("valueSource"), node, graph=GRAPH)
        draft.a(draft.own("ValueSource"), node, GRAPH)
        if not source.is_shown:
            draft.a(draft.own("ValueNotShown"), node, GRAPH)
        draft.say(draft.own("path"), literal(source.place), node, GRAPH)
        text = text_at(draft.mods, source.path) if source.is_shown else source.value
        if text:
            draft.say("rdf:value", literal(text), node, GRAPH)
        for record in sorted(holders):
            draft.say("prov:wasDerivedFrom", draft.record(record), node, GRAPH)


def text_at(mods: object, path: str) -> str:
    """The words of the value that a path leads to; raises ``LookupError`` for a path that leads nowhere."""
    value: Any = mods
    for step in path.split("/"):
        if step.isdecimal():
            value = value[int(step)]
        elif step in getattr(value, "__struct_fields__", ()):
            value = getattr(value, step)
        else:
            raise LookupError(f"{path!r} leads to nothing in this description")
    return words_of(value)
