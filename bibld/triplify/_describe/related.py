"""Series, hosts and other related resources; the place of a part in its host."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations

from msgspec.structs import replace

from bibld.model.identifiers import issn
from bibld.model.iris import web_iri
from bibld.model.mods import Mods, Part, RelatedItem, TitleInfo
from bibld.model.origin import RecordId
from bibld.model.rdf import iri
from bibld.text.folding import tidy
from bibld.text.keys import entity_key
from bibld.text.publishers import is_abbreviation
from bibld.triplify._claims import EntityClaim, NameForm
from bibld.triplify._codes import CREATOR_ROLES, RELATIONS, loc
from bibld.triplify._dates import edtf_literal, edtf_of
from bibld.triplify._describe.agents import MAX_NAMESAKES, group_names
from bibld.triplify._describe.entities import claim_agent, name_ties
from bibld.triplify._describe.identifiers import add_number, published_number
from bibld.triplify._describe.mentions import find_mentioned, lives_differ
from bibld.triplify._describe.titles import full_title, main_title, main_titles
from bibld.triplify._describe.works import claim_related_work, is_manifested, is_work, relation_of_works
from bibld.triplify._draft import Draft, EntityForm, Mention
from bibld.triplify._entity_clusters import ABBREVIATION_TIE, PUBLICATION_TIE
from bibld.triplify._headings import Roles, heading
from bibld.triplify._identity import is_of_authority
from bibld.triplify._languages import Languages

_PROPERTY_OF_DETAIL = {
    "volume": "bibo:volume",
    "issue": "bibo:issue",
    "number": "bibo:number",
    "chapter": "bibo:chapter",
}
_RELATIONS_OF_WORKS = {
    "host": "bf:partOf",
    "constituent": "bf:hasPart",
    "preceding": "bf:precededBy",
    "succeeding": "bf:succeededBy",
}
"""``relatedItem/@type`` → how the work of the publication is related to that of the other one."""

_NOT_LETTERS = re.compile(r"[^a-z]+")


def describe_related(draft: Draft) -> None:
    """Describe every related item, by its IRI if it has one, else by a node."""
    for part in draft.mods.part:
        _describe_part(draft, part)
    for index, item in enumerate(draft.mods.related_item):
        path = f"related_item/{index}"
        if item.type == "series":
            _describe_series(draft, item, path)
        else:
            _describe_other(draft, item, path)
        if item.type == "host":
            for part in item.mods.part:
                _describe_part(draft, part)
    _add_date_of_host(draft, [item for item in draft.mods.related_item if item.type == "host"])


def _describe_series(draft: Draft, item: RelatedItem, path: str) -> None:
    titles = main_titles(item.mods.title_info)
    if not titles:
        return
    found = [issn(identifier.value) for identifier in item.mods.identifier if identifier.type == "issn"]
    number = next((one.value for one in found if one is not None and one.is_valid), "")
    volumes = [tidy(text) for part in item.mods.part for detail in part.detail for text in detail.number]
    counts_sections = bool(volumes)
    volumes = volumes or [tidy(text) for text in titles[0].part_number]
    creators = [heading(name).rstrip(".") for name in item.mods.name]
    name = ". ".join([*filter(None, creators), _title_of_series(titles[0], counts_sections)])
    others = [_title_of_series(title, counts_sections) for title in titles[1:]]
    series = draft.iris.series(f"issn-{number}" if number else entity_key(name, is_slavic=draft.languages.is_slavic))
    others += [full_title(title) for title in item.mods.title_info if title not in titles]
    forms = {draft.name_form(text, _language(draft, item, text)) for text in others if text not in ("", name)}
    claim = EntityClaim(
        label=draft.name_form(name, _language(draft, item, name, titles[0])),
        others=tuple(sorted(forms)),
        links=(item.xlink_href,) if item.xlink_href and is_of_authority(item.xlink_href) else (),
        issn=number,
        ties=name_ties(draft.iris, "series", name, name, draft.languages.is_slavic),
    )
    draft.add_claim(series, "series", claim, path)
    draft.add_form(series, "series", name, path)
    _add_part_of(draft, "series", iri(series), volumes)


def _title_of_series(title: TitleInfo, counts_sections: bool) -> str:
    """Return the title with its section; the number of the title is the section's (UNIMARC), or that of the volume."""
    section = [tidy(text) for text in title.part_name]
    if counts_sections:
        section = [", ".join(map(tidy, (*title.part_number, *section[:1]))), *section[1:]]
    return ". ".join(filter(None, (tidy(main_title(title)), *section))) or full_title(title)


def _language(draft: Draft, item: RelatedItem, text: str, *titles: TitleInfo) -> str | None:
    """Return the language tag of a title of a related item.

    It comes from the languages that the item states; for the original of a translation, from the language that the
    record names as translated from.
    """
    own = Languages.from_mods(item.mods)
    if own.tags:
        return own.tag_own(text, titles[0] if titles else item)
    tag = draft.languages.tag_related(text, *titles, item)
    if tag is None and (item.type == "original" or item.other_type == "translationOf"):
        originals = Languages.originals_from_mods(draft.mods)
        return originals.tag_own(text, TitleInfo()) if len(originals.tags) == 1 else None
    return tag


def _add_part_of(draft: Draft, relationship: str, target: str, volumes: list[str]) -> None:
    """State that the resource is part of a series or host; with a number in it also by a node that has the number."""
    draft.add("dcterms:isPartOf", target)
    if not any(map(tidy, volumes)):
        return
    node = draft.add_node("bf:relation", "bf:Relation", "relation")
    draft.add("bf:relationship", loc("relationship", relationship), node)
    draft.add("bf:associatedResource", target, node)
    for volume in dict.fromkeys(volumes):
        draft.add_text("bf:seriesEnumeration", volume, node)


def _describe_other(draft: Draft, item: RelatedItem, path: str) -> None:
    if is_manifested(item):
        return
    records = _records_in_catalog(draft, item, path)
    targets = [iri(draft.iris.resource(record)) for record in records]
    if not records and is_work(item):
        _relate_work(draft, item, path)
        return
    if not records:
        node = _describe_node(draft, item, path)
        targets = [node] if node is not None else []
    if item.type in _RELATIONS_OF_WORKS:
        for record in records:
            _relate_work_of_record(draft, _RELATIONS_OF_WORKS[item.type], record, path)
    for target in targets:
        if item.type == "host":
            _add_part_of(draft, "partof", target, [])
        else:
            draft.add(RELATIONS.get(item.type or "", "dcterms:relation"), target)
    addresses = [item.xlink_href, *(url.value for location in item.mods.location for url in location.url)]
    for link in filter(None, map(web_iri, addresses)):
        draft.add("rdfs:seeAlso", iri(link), None if records or not targets else targets[0])


def _relate_work_of_record(draft: Draft, predicate: str, record: RecordId, path: str) -> None:
    """Relate the work to that of another record, which may be the work of the founder that the record was merged with.

    The claim, which states nothing, makes the IRI an alias of that work among the entities, so that it is replaced.
    """
    work = draft.iris.work_of(record)
    draft.add_claim(work, "work", EntityClaim(NameForm("")), path)
    draft.relate_work(predicate, work)


def _relate_work(draft: Draft, item: RelatedItem, path: str) -> None:
    titles = main_titles(item.mods.title_info)
    forms = titles[:1] + [
        one for one in titles[1:] if one.alt_rep_group and one.alt_rep_group == titles[0].alt_rep_group
    ]
    stated = [(title, _language(draft, item, full_title(title), title)) for title in forms]
    work = claim_related_work(draft, item, stated, path) if stated else None
    if work is not None:
        relation = "bf:hasPart" if item.type == "constituent" else relation_of_works(item)
        draft.relate_work(relation or "bf:relatedTo", work)


def _records_in_catalog(draft: Draft, item: RelatedItem, path: str) -> list[RecordId]:
    """Return the records that a related item names by control number, in the source of the record that names them.

    A number of a system without a prefix (``$w`` of MARC 21) is a control number.
    """
    numbers = [one.value for info in item.mods.record_info for one in info.record_identifier]
    numbers += [one.value for one in item.mods.identifier if one.type == "local" and not one.value.startswith("(")]
    numbers = [number for number in numbers if number.strip()]
    records = {
        RecordId.from_control_number(record.source, number): None
        for number in numbers
        for record in draft.records_at(path)
    }
    members = draft.merged.cluster.members
    return [record for record in records if record not in members and draft.is_in_catalog(record)]


def _describe_node(draft: Draft, item: RelatedItem, path: str) -> str | None:
    """Describe a related resource by a node; None if nothing is known of it."""
    mods = item.mods
    titles = main_titles(mods.title_info)
    if not (titles or mods.name or any(map(published_number, mods.identifier))):
        return None
    node = draft.new_node(_NOT_LETTERS.sub("", (item.type or "related").lower()) or "related")
    draft.add_class("bibo:Document", node)
    for title in titles:
        label = full_title(title)
        draft.add_text("dcterms:title", label, node, _language(draft, item, label, title))
    for identifier in mods.identifier:
        if identifier.invalid != "yes":
            add_number(draft, identifier, node)
    issued = edtf_of(date for info in mods.origin_info for date in info.date_issued)
    if issued:
        draft.add("dcterms:issued", edtf_literal(issued), node)
    _describe_creators(draft, mods, path, node)
    return node


def _describe_creators(draft: Draft, mods: Mods, path: str, node: str) -> None:
    for group in group_names(draft, [(name, f"{path}/name/{index}") for index, name in enumerate(mods.name)]):
        agent = find_mentioned(draft, group[0][0]) or claim_agent(draft, group)
        if agent is not None:
            entries = [replace(name, usage="primary") for name, _ in group]
            for property_ in Roles.from_names(mods, entries).dublin_core():
                draft.add(property_, iri(agent), node)


def _describe_part(draft: Draft, part: Part) -> None:
    """Describe a place in a host: numbers of volume and issue, pages, and the rest as text."""
    for detail in part.detail:
        predicate = _PROPERTY_OF_DETAIL.get(detail.type or "")
        for number in detail.number:
            if predicate is not None:
                draft.add_text(predicate, number)
            else:
                draft.add_text("bibo:locator", " ".join((*detail.caption[:1], number)))
    for extent in part.extent:
        start, end = tidy(extent.start or ""), tidy(extent.end or "")
        if extent.unit in (None, "page", "pages"):
            draft.add_text("bibo:pageStart", start)
            draft.add_text("bibo:pageEnd", end)
            draft.add_text("bibo:pages", extent.list or "")
        else:
            stated = extent.list or "-".join(filter(None, (start, end)))
            draft.add_text("bibo:locator", f"{extent.unit} {stated}")
    for text in part.text:
        draft.add_text("bibo:locator", text.value)


def _add_date_of_host(draft: Draft, hosts: list[RelatedItem]) -> None:
    """State the date of the issue, or of the book that contains it, for a part that has no date itself."""
    if not hosts or any(info.date_issued for info in draft.mods.origin_info):
        return
    parts = [part for item in hosts for part in item.mods.part]
    issued = edtf_of(date for part in parts for date in part.date)
    if any(part.extent for part in parts) and not any(part.detail or part.date for part in parts):
        issued = edtf_of(date for item in hosts for info in item.mods.origin_info for date in info.date_issued)
    if issued:
        draft.add("dcterms:issued", edtf_literal(issued))


def tie_agents(draft: Draft) -> None:
    """Claim for each pair of persons that the publication shows to be the same that they are tied.

    These are persons with compatible names and the same years of birth and of death; and persons in the same role, none
    of whose records names both, with the same family name and the same year of birth, or with compatible names if one
    of them has no dates but a number.
    """
    by_family: dict[str, list[Mention]] = defaultdict(list)
    for mention in dict.fromkeys(draft.mentions):
        if mention.is_identified:
            for family in {name.family for name in mention.names}:
                by_family[family].append(mention)
    ties = {
        tuple(sorted((one.agent, other.agent)))
        for namesakes in by_family.values()
        if len(namesakes) <= MAX_NAMESAKES
        for one, other in combinations(namesakes, 2)
        if one.agent != other.agent and _are_the_same(one, other)
    }
    for pair in sorted(ties):
        tie = PUBLICATION_TIE + " ".join(pair)
        for agent in pair:
            claim = EntityClaim(NameForm(""), type="personal", ties=(tie,))
            draft.add_claim(agent, "agent", claim, "")


def tie_abbreviations(draft: Draft) -> None:
    """Claim for publishers and series that they may be those that other records of the publication name in full."""
    ties: dict[EntityForm, set[str]] = defaultdict(set)
    for one, other in combinations(dict.fromkeys(draft.forms), 2):
        if (
            one.entity == other.entity
            or (one.kind == "series") != (other.kind == "series")
            or one.records & other.records
        ):
            continue
        for short, full in ((one, other), (other, one)):
            if is_abbreviation(short.text, full.text):
                for form in (one, other):
                    ties[form].add(ABBREVIATION_TIE + short.entity)
    for form, stated in ties.items():
        name_type = "" if form.kind == "series" else "corporate"
        claim = EntityClaim(NameForm(""), type=name_type, ties=tuple(sorted(stated)))
        draft.add_claim(form.entity, form.kind, claim, "")


def _are_the_same(one: Mention, other: Mention) -> bool:
    if lives_differ(one.life, other.life):
        return False
    (born, died), (other_born, _) = one.life, other.life
    are_compatible = any(these.is_compatible(those) for these in one.names for those in other.names)
    if are_compatible and born is not None and died is not None and one.life == other.life:
        return True
    if one.records & other.records or not have_common_role(one, other):
        return False
    return (born is not None and born == other_born) or (are_compatible and (born is None or other_born is None))


def have_common_role(one: Mention, other: Mention) -> bool:
    """Whether two agents may have done the same for a publication; no stated role may be any."""
    return not one.roles or not other.roles or bool(_general(one.roles) & _general(other.roles))


def _general(roles: frozenset[str]) -> frozenset[str]:
    return roles | {"cre"} if roles & CREATOR_ROLES else roles
