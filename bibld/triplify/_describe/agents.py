"""Names: who they are, what they did, what is claimed about them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import msgspec

from bibld.model.mods import Controlled, Name, Role
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal
from bibld.model.relators import TERM_OF_RELATOR, relator_of
from bibld.text.folding import tidy, trim
from bibld.text.romanisation import romanise
from bibld.text.scripts import LATIN, script_of
from bibld.triplify._claims import EntityClaim
from bibld.triplify._codes import CREATOR_ROLES, SCHEMA_OF_ROLE, loc
from bibld.triplify._draft import Draft
from bibld.triplify._keys import entity_key, figures, name_key
from bibld.triplify._life import life
from bibld.triplify._links import Identity, identity, web_iri

_RELATOR_IRI = re.compile(r"https?://(?:www\.)?id\.loc\.gov/vocabulary/relators/([a-z]{3})")
_ROMAN = re.compile(r"[IVXLCM]+\.?")

Held = tuple[Name, str]
"""A name and its path in the merged description."""


def describe_names(draft: Draft) -> None:
    """Creators, contributors and their roles."""
    for group in same_agents(draft, [(name, f"name/{index}") for index, name in enumerate(draft.mods.name)]):
        agent = claimed_agent(draft, group)
        if agent is not None:
            _contribution(draft, agent, [name for name, _ in group])


class _Likeness(msgspec.Struct, frozen=True):
    """What decides whether two names of one publication are one agent; ``key`` is empty without a heading."""

    type: str | None
    key: str
    dates: str
    pair: str | None
    script: str | None
    records: tuple[RecordId, ...]

    @classmethod
    def of(cls, draft: Draft, name: Name, path: str) -> _Likeness:
        stem = _stem(name)
        key = romanise(stem) or stem
        return cls(name.type, key, figures(dates_of(name)), name.alt_rep_group, script_of(stem), draft.holders(path))


class _Groups:
    """Which group of names (by its number) is the first with a heading and dates, or in a pair in another script."""

    def __init__(self) -> None:
        self._with_heading: dict[Hashable, int] = {}
        self._with_dates: dict[Hashable, int] = {}
        self._of_pair: dict[Hashable, dict[str | None, int]] = {}

    def find(self, one: _Likeness) -> int | None:
        """The first group that has a name which is the same."""
        found = []
        if one.key and one.dates:
            found += [self._with_dates.get((one.type, one.key, dates)) for dates in (one.dates, "")]
        elif one.key:
            found.append(self._with_heading.get((one.type, one.key)))
        for pair in self._pairs(one):
            found += [group for script, group in self._of_pair.get(pair, {}).items() if script != one.script]
        return min((group for group in found if group is not None), default=None)

    def add(self, one: _Likeness, group: int) -> None:
        """Note that a name is in a group."""
        if one.key:
            _keep_first(self._with_heading, (one.type, one.key), group)
            _keep_first(self._with_dates, (one.type, one.key, one.dates), group)
        for pair in self._pairs(one):
            _keep_first(self._of_pair.setdefault(pair, {}), one.script, group)

    @staticmethod
    def _pairs(one: _Likeness) -> Iterable[Hashable]:
        """What pairs a name: a group of representations is one of a record."""
        return [] if one.pair is None else [(one.type, one.pair, record) for record in one.records]


def _keep_first(numbers: dict[Any, int], key: Hashable, number: int) -> None:
    numbers[key] = min(number, numbers.get(key, number))


def same_agents(draft: Draft, held: Sequence[Held]) -> list[list[Held]]:
    """Put together the names that are one agent: those that a record pairs (``@altRepGroup``) in several scripts, and
    those that have the same heading, in either script, where their dates do not differ.

    The latter is safe only because all stand in the description of one publication. Takes time in proportion to the
    number of names.
    """
    if len(held) == 1:
        return [list(held)]
    groups: list[list[Held]] = []
    known = _Groups()
    for name, path in held:
        likeness = _Likeness.of(draft, name, path)
        group = known.find(likeness)
        if group is None:
            group = len(groups)
            groups.append([])
        groups[group].append((name, path))
        known.add(likeness, group)
    return groups


def _stem(name: Name) -> str:
    """The heading without terms of address, but for the numerals of rulers."""
    if not any(part.type == "termsOfAddress" for part in name.name_part):
        return heading(name)
    kept = (part for part in name.name_part if part.type != "termsOfAddress" or _ROMAN.fullmatch(trim(part.value)))
    return heading(Name(name_part=tuple(kept), display_form=name.display_form, type=name.type)) or heading(name)


def heading(name: Name) -> str:
    """The name as a heading, without dates."""
    parts: dict[str | None, list[str]] = {}
    for part in name.name_part:
        parts.setdefault(part.type, []).append(tidy(part.value))
    stems = [trim(part) for part in parts.get(None, ()) if trim(part)]
    family, given = " ".join(parts.get("family", ())), " ".join(parts.get("given", ()))
    if family or given:
        stems.append(f"{family}, {given}" if family and given else family or given)
    stem = (". " if name.type == "corporate" else ", ").join(stems)
    if not stem:
        stem = next((trim(form) for form in name.display_form if tidy(form)), "")
    if not stem or "termsOfAddress" not in parts:
        return stem
    return ", ".join(filter(None, (stem, *map(trim, parts["termsOfAddress"]))))


def dates_of(name: Name) -> str:
    """The dates of a name, as stated."""
    return next((trim(tidy(part.value)) for part in name.name_part if part.type == "date"), "")


def identities(draft: Draft, element: Name | Controlled, path: str) -> list[Identity]:
    """What authority identifiers a name or term carries, the preferred one first."""
    links = [link for link in (element.value_uri, getattr(element, "xlink_href", None)) if link]
    if not links and not (isinstance(element, Name) and element.name_identifier):
        return []
    source = draft.source_of(path)
    found = []
    if isinstance(element, Name):
        for identifier in element.name_identifier:
            if identifier.invalid != "yes":
                found.append(identity(identifier.value, identifier.type, source))
    for link in links:
        if web_iri(link) is not None:
            found.append(identity(link, None, source))
    return sorted({one for one in found if one is not None}, key=lambda one: one.rank)


def claimed_agent(draft: Draft, group: Sequence[Held]) -> str | None:
    """The IRI of the agent that a group of names names; notes the claims about it. None for a name without text.

    The first identifier names the agent. A further local one names an agent of its own, which is said to be the same,
    since other records may know it by that only; and so does the name with its dates where these identify a person.
    """
    group = [(name, path) for name, path in group if heading(name)]
    if not group:
        return None
    carried = [identities(draft, name, path) for name, path in group]
    found = sorted({one for identified in carried for one in identified}, key=lambda one: one.rank)
    own_key = _key_of_names(group)
    is_told_apart = _is_told_apart(group)
    keys = [one.key for one in found if one is found[0] or one.authority == "local"] or [own_key]
    if found and is_told_apart:
        keys.append(own_key)
    agents = [draft.iris.agent(key) for key in keys]
    centre = agents[-1] if is_told_apart else agents[0]
    for (name, path), identified in zip(group, carried, strict=True):
        outside = [one.iri for one in identified if one.iri is not None]
        for agent in agents:
            links = outside if agent == agents[0] else []
            draft.claim(agent, "agent", _claim(draft, name, links if agent == centre else [*links, centre]), path)
    return agents[0]


def _is_told_apart(group: Sequence[Held]) -> bool:
    """Whether name and dates identify: a person with family and given name, and a year of birth or death."""
    return any(
        name.type == "personal" and any(life(dates_of(name))) and len(_stem(name).split()) > 1 for name, _ in group
    )


def _key_of_names(group: Sequence[Held]) -> str:
    """The key of the form that says most: with dates before one without, Cyrillic before Latin."""

    def rank(held: Held) -> tuple[bool, bool]:
        return not dates_of(held[0]), script_of(_stem(held[0])) == LATIN

    name = (min(group, key=rank) if len(group) > 1 else group[0])[0]
    return name_key(_stem(name), dates_of(name), name.type or "")


def _claim(draft: Draft, name: Name, links: Sequence[str]) -> EntityClaim:
    own = heading(name)
    others = [tidy(form) for form in name.display_form]
    others += [heading(Name(name_part=other.name_part, type=name.type)) for other in name.alternative_name]
    forms = {draft.form(other, draft.languages.of_other(other, name)) for other in others if other and other != own}
    return EntityClaim(
        label=draft.form(own, draft.languages.of_other(own, name)),
        others=tuple(sorted(forms)),
        type=name.type or "",
        dates=dates_of(name),
        links=tuple(sorted(set(links))),
    )


def roles_of(names: Sequence[Name]) -> tuple[list[str], list[str]]:
    """The relator codes of an agent, and the terms for roles that have no code, each once."""
    codes: dict[str, None] = {}
    terms: dict[str, None] = {}
    for name in names:
        for role in name.role:
            found = _codes_of(role)
            codes.update(dict.fromkeys(found))
            if not found:
                terms.update(dict.fromkeys(tidy(term.value) for term in role.role_term if tidy(term.value)))
    return list(codes), list(terms)


def _codes_of(role: Role) -> list[str]:
    found = []
    for term in role.role_term:
        value = tidy(term.value)
        for text in (value, term.value_uri or ""):
            match = _RELATOR_IRI.fullmatch(text)
            if match is not None:
                value = match[1]
        code = value.lower().rstrip(" .,")
        if code in TERM_OF_RELATOR and (term.authority in (None, "marcrelator") or code != value):
            found.append(code)
        elif (known := relator_of(value)) is not None:
            found.append(known)
    return list(dict.fromkeys(found))


def _contribution(draft: Draft, agent: str, names: Sequence[Name]) -> None:
    codes, terms = roles_of(names)
    is_primary = any(name.usage == "primary" for name in names)
    is_creator = any(code in CREATOR_ROLES for code in codes) or (is_primary and not codes)
    term = iri(agent)
    draft.say("dcterms:creator" if is_creator else "dcterms:contributor", term)
    node = draft.node("contribution")
    draft.say("bf:contribution", node)
    draft.a("bf:PrimaryContribution" if is_primary else "bf:Contribution", node)
    draft.say("bf:agent", term, node)
    for code in codes:
        draft.say(f"relators:{code}", term)
        draft.say("bf:role", loc("relators", code), node)
        draft.say(f"schema:{SCHEMA_OF_ROLE.get(code, 'creator' if code in CREATOR_ROLES else 'contributor')}", term)
    if not codes:
        draft.say("schema:author" if is_creator else "schema:contributor", term)
    for text in terms:
        role = draft.node("role")
        draft.say("bf:role", role, node)
        draft.a("bf:Role", role)
        draft.say("rdfs:label", literal(text), role)


def claimed_body(draft: Draft, text: str, element: Controlled, path: str) -> str | None:
    """The IRI of an organisation known by a text, such as a library that holds a copy; notes the claim about it."""
    label = trim(text)
    if not label:
        return None
    found = identities(draft, element, path)
    agent = draft.iris.agent(found[0].key if found else name_key(label, "", "corporate"))
    draft.claim(
        agent,
        "agent",
        EntityClaim(
            label=draft.form(label, draft.languages.of_other(label, element)),
            type="corporate",
            links=tuple(sorted({one.iri for one in found if one.iri is not None})),
        ),
        path,
    )
    return agent


def claimed_publisher(draft: Draft, text: str, element: Controlled, path: str) -> str | None:
    """The IRI of a publisher; notes the claim about it."""
    label = trim(text)
    if not label:
        return None
    found = identities(draft, element, path)
    publisher = draft.iris.publisher(found[0].key if found else entity_key(label, is_slavic=draft.languages.is_slavic))
    links = tuple(sorted({one.iri for one in found if one.iri is not None}))
    form = draft.form(label, draft.languages.of_other(label, element))
    draft.claim(publisher, "publisher", EntityClaim(label=form, type="corporate", links=links), path)
    return publisher
