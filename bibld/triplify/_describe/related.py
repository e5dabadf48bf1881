"""Series, hosts and other related resources; the place of a part in its host."""

from __future__ import annotations

import re

from bibld.model.identifiers import issn
from bibld.model.mods import Mods, Part, RelatedItem, TitleInfo
from bibld.model.origin import RecordId
from bibld.model.rdf import iri
from bibld.text.folding import tidy
from bibld.triplify._claims import EntityClaim, Form
from bibld.triplify._codes import CREATOR_ROLES, RELATIONS, loc
from bibld.triplify._describe.agents import claimed_agent, roles_of, same_agents
from bibld.triplify._describe.identifiers import say_number
from bibld.triplify._describe.origin import issued
from bibld.triplify._describe.titles import full_title, main_titles
from bibld.triplify._draft import Draft
from bibld.triplify._keys import entity_key
from bibld.triplify._language import Languages
from bibld.triplify._links import web_iri

_NUMBER_OF = {"volume": "bibo:volume", "issue": "bibo:issue", "number": "bibo:number", "chapter": "bibo:chapter"}
_UNSORTED = re.compile(r"[^a-z]+")


def describe_related(draft: Draft) -> None:
    """Every related item, by IRI where it is known, else by a node of its own."""
    for part in draft.mods.part:
        _part(draft, part)
    for index, item in enumerate(draft.mods.related_item):
        path = f"related_item/{index}"
        if item.type == "series":
            _series(draft, item, path)
        else:
            _other(draft, item, path)
        if item.type == "host":
            for part in item.mods.part:
                _part(draft, part)


def _series(draft: Draft, item: RelatedItem, path: str) -> None:
    titles = main_titles(item.mods.title_info)
    if not titles:
        return
    label, *others = (full_title(title) for title in titles)
    stem = tidy(f"{titles[0].non_sort or ''}{titles[0].title}")
    found = [issn(identifier.value) for identifier in item.mods.identifier if identifier.type == "issn"]
    number = next((one.value for one in found if one is not None and one.is_valid), "")
    numbers = [tidy(text) for part in item.mods.part for detail in part.detail for text in detail.number]
    numbers += [tidy(text) for text in titles[0].part_number]
    name = ". ".join(filter(None, (stem, *(tidy(text) for text in titles[0].part_name)))) or label
    series = draft.iris.series(f"issn-{number}" if number else entity_key(name, is_slavic=draft.languages.is_slavic))
    variants = [full_title(title) for title in item.mods.title_info if title not in titles]
    claim = EntityClaim(
        label=draft.form(name, _language(draft, item, name, titles[0])),
        others=tuple(sorted({_form(draft, text, item) for text in (*others, *variants) if text and text != name})),
        issn=number,
    )
    draft.claim(series, "series", claim, path)
    _relate(draft, "series", iri(series), numbers)


def _form(draft: Draft, text: str, item: RelatedItem) -> Form:
    return draft.form(text, _language(draft, item, text))


def _language(draft: Draft, item: RelatedItem, text: str, *titles: TitleInfo) -> str | None:
    """The language tag of a title of a related item: by what the item states of itself; that of what was translated by
    the language from which it was, where the record names one."""
    own = Languages.of(item.mods)
    if own.tags:
        return own.of_own(text, titles[0] if titles else item)
    tag = draft.languages.of_related(text, *titles, item)
    if tag is None and (item.type == "original" or item.other_type == "translationOf"):
        originals = Languages.of(draft.mods, "translation")
        return originals.of_own(text, TitleInfo()) if len(originals.tags) == 1 else None
    return tag


def _relate(draft: Draft, kind: str, target: str, numbers: list[str]) -> None:
    """Say that the resource is part of a series or host, flat and as a node that holds the numbering."""
    draft.say("dcterms:isPartOf", target)
    draft.say("schema:isPartOf", target)
    node = draft.node("relation")
    draft.say("bf:relation", node)
    draft.a("bf:Relation", node)
    draft.say("bf:relationship", loc("relationship", "series" if kind == "series" else "partof"), node)
    draft.say("bf:associatedResource", target, node)
    for number in dict.fromkeys(filter(None, numbers)):
        draft.text("bf:seriesEnumeration", number, node)


def _other(draft: Draft, item: RelatedItem, path: str) -> None:
    predicate = RELATIONS.get(item.type or "", "dcterms:relation")
    known = _known(draft, item, path)
    targets = [iri(draft.iris.resource(record)) for record in known]
    if not targets:
        described = _described(draft, item, path)
        targets = [described] if described is not None else []
    for target in targets:
        if item.type == "host":
            _relate(draft, "host", target, [])
        else:
            draft.say(predicate, target)
    link = web_iri(item.xlink_href)
    if link is not None:
        draft.say("rdfs:seeAlso", iri(link), None if known or not targets else targets[0])


def _known(draft: Draft, item: RelatedItem, path: str) -> list[RecordId]:
    """The records that a related item names by their control numbers, each in the source that says so."""
    numbers = [one.value for info in item.mods.record_info for one in info.record_identifier if one.value.strip()]
    sought = {
        RecordId.from_control_number(record.source, number): None
        for number in numbers
        for record in draft.holders(path)
    }
    members = draft.merged.cluster.members
    return [record for record in sought if record not in members and draft.exists(record)]


def _described(draft: Draft, item: RelatedItem, path: str) -> str | None:
    """A hash node that says of a related resource what is known; None where nothing is."""
    mods = item.mods
    titles = main_titles(mods.title_info)
    if not (titles or mods.identifier or mods.name):
        return None
    node = draft.node(_UNSORTED.sub("", (item.type or "related").lower()) or "related")
    draft.a("bf:Instance", node)
    draft.a("bibo:Document", node)
    for title in titles:
        label = full_title(title)
        draft.text("dcterms:title", label, node, _language(draft, item, label, title))
    if titles:
        label = full_title(titles[0])
        draft.text("rdfs:label", label, node, _language(draft, item, label, titles[0]))
    for identifier in mods.identifier:
        if identifier.invalid != "yes":
            say_number(draft, identifier, node)
    for term in issued(mods.origin_info):
        draft.say("dcterms:issued", term, node)
    _creators(draft, mods, path, node)
    return node


def _creators(draft: Draft, mods: Mods, path: str, node: str) -> None:
    held = [(name, f"{path}/name/{index}") for index, name in enumerate(mods.name)]
    for group in same_agents(draft, held):
        agent = claimed_agent(draft, group)
        if agent is not None:
            names = [name for name, _ in group]
            codes, _terms = roles_of(names)
            is_creator = not codes or any(code in CREATOR_ROLES for code in codes)
            draft.say("dcterms:creator" if is_creator else "dcterms:contributor", iri(agent), node)


def _part(draft: Draft, part: Part) -> None:
    for detail in part.detail:
        for number in detail.number:
            draft.text(_NUMBER_OF.get(detail.type or "", "bibo:locator"), number)
    for extent in part.extent:
        if extent.unit not in (None, "page", "pages"):
            continue
        start, end = tidy(extent.start or ""), tidy(extent.end or "")
        draft.text("bibo:pageStart", start)
        draft.text("bibo:pageEnd", end)
        draft.text("bibo:pages", extent.list or "")
        draft.text("schema:pagination", "-".join(filter(None, (start, end))))
    for text in part.text:
        draft.text("bibo:locator", text.value)
