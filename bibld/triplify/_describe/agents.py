"""Names of the resource: which of them are the same agent, and what each agent did."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from bibld.model.mods import Mods, Name, Role
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal
from bibld.model.relators import TERM_OF_RELATOR, relators_of
from bibld.text.folding import fold, tidy
from bibld.text.places import is_unknown_imprint
from bibld.text.romanisation import romanise
from bibld.text.scripts import script_of
from bibld.triplify._claims import Contribution
from bibld.triplify._codes import (
    CREATOR_ROLES,
    CREATOR_ROLES_OF_CONTENT,
    CREATOR_ROLES_OF_MAIN_ENTRY,
    ROLES_IN_WORKS,
    ROLES_WITHOUT_CONTRIBUTION,
    loc,
)
from bibld.triplify._describe.entities import (
    NameAtPath,
    claim_agent,
    dates_of,
    find_identities,
    heading,
    heading_to_compare,
)
from bibld.triplify._draft import Draft
from bibld.triplify._identity import RomanisedName, parse_person_name, years_with_hyphen

MAX_NAMESAKES = 50
"""Persons of one publication with the same family name; more are not compared with each other."""

_NAMES_REMEMBERED = 16_384
_UNKNOWN_NAME = re.compile(
    r"unknown(?: author| artist| composer)?|(?:author |publisher )?not identified|anon|anonymous|anonymus|anonyme|"
    r"unbekannt|inconnu|sconosciuto|без издательства|без автора|б а|автор неизвестен|неизвестный(?: автор)?|аноним"
)
"""What records have in place of a name that is not known, besides what they have so for a publisher."""

_RELATOR_IRI = re.compile(r"https?://(?:www\.)?id\.loc\.gov/vocabulary/relators/([a-z]{3})")


def describe_names(draft: Draft) -> None:
    """Describe creators, contributors and their roles. A text such as ``s.n.`` in place of a name is left out."""
    names = [(name, f"name/{index}") for index, name in enumerate(draft.mods.name) if not _is_unknown(heading(name))]
    for group in group_names(draft, names):
        roles = Roles.from_names(draft.mods, [name for name, _ in group])
        agent = claim_agent(draft, group, roles.codes or (["cre"] if roles.is_primary else []))
        if agent is not None:
            _describe_contribution(draft, agent, roles)


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _is_unknown(name: str) -> bool:
    text = fold(name)
    has_letters = any(map(str.isalpha, text))
    return has_letters and (is_unknown_imprint(text) or _UNKNOWN_NAME.fullmatch(text) is not None)


# -- which names are the same agent ------------------------------------------------------------------------------------


class ComparedName(msgspec.Struct, frozen=True):
    """The parts of a name that decide whether it is the same agent as another one of the publication.

    ``key`` is the romanised heading, empty without one; ``pair`` is the ``@altRepGroup``; ``numbers`` are those in
    authority files, by the name of the file.
    """

    type: str | None
    key: str
    person: RomanisedName | None
    dates: str
    pair: str | None
    script: str | None
    records: tuple[RecordId, ...]
    numbers: dict[str, frozenset[str]]
    roles: frozenset[str]

    @classmethod
    def from_name(cls, draft: Draft, name: Name, path: str) -> ComparedName:
        """Extract the compared parts of the name at a path."""
        stem = heading_to_compare(name)
        person = parse_person_name(stem) if name.type == "personal" else None
        numbers: dict[str, set[str]] = {}
        for identity in find_identities(draft, name, path):
            file, _, number = identity.number_in_file().partition(" ")
            numbers.setdefault(file, set()).add(number)
        codes, _ = roles_of([name])
        return cls(
            type=name.type,
            key=person.key if person is not None else romanise(stem) or stem,
            person=person,
            dates=years_with_hyphen(dates_of(name)),
            pair=name.alt_rep_group,
            script=script_of(stem),
            records=draft.records_at(path),
            numbers={file: frozenset(found) for file, found in numbers.items()},
            roles=frozenset(codes or (["cre"] if name.usage == "primary" else [])),
        )

    @property
    def fullness(self) -> tuple[bool, bool, int, str]:
        """How completely it names the agent, for comparison."""
        return bool(self.numbers), bool(self.dates), len(self.key), self.key

    def pair_keys(self) -> Iterable[Hashable]:
        """Return what identifies the pair of the name in each record: ``@altRepGroup`` is unique in one record only."""
        return [] if self.pair is None else [(self.type, self.pair, record) for record in self.records]


class _GroupIndex:
    """Finds the first group (its number) that has a name with a heading, with dates, or of a pair in another script."""

    def __init__(self) -> None:
        self._by_heading: dict[Hashable, int] = {}
        self._by_dates: dict[Hashable, int] = {}
        self._by_pair: dict[Hashable, dict[str | None, int]] = {}

    def find(self, name: ComparedName) -> int | None:
        """Return the first group that contains a name of the same agent."""
        found = []
        if name.key and name.dates:
            found += [self._by_dates.get((name.type, name.key, dates)) for dates in (name.dates, "")]
        elif name.key:
            found.append(self._by_heading.get((name.type, name.key)))
        for pair in name.pair_keys():
            found += [group for script, group in self._by_pair.get(pair, {}).items() if script != name.script]
        return min((group for group in found if group is not None), default=None)

    def add(self, name: ComparedName, group: int) -> None:
        """Record that a name is in a group."""
        if name.key:
            _set_smaller(self._by_heading, (name.type, name.key), group)
            _set_smaller(self._by_dates, (name.type, name.key, name.dates), group)
        for pair in name.pair_keys():
            _set_smaller(self._by_pair.setdefault(pair, {}), name.script, group)


def _set_smaller(numbers: dict[Any, int], key: Hashable, number: int) -> None:
    numbers[key] = min(number, numbers.get(key, number))


def group_names(draft: Draft, names: Sequence[NameAtPath]) -> list[list[NameAtPath]]:
    """Group the names that are the same agent.

    These are names that a record pairs (``@altRepGroup``) in different scripts, and names with the same heading, in
    either script, whose dates and numbers do not differ. A name without dates and numbers belongs to the only fuller
    form that other records have for the same role (``Толстой, Л. Н.`` to ``Толстой, Лев Николаевич``).
    This is safe only because all names are in the description of one publication. Takes time in proportion to the
    number of names.
    """
    if len(names) == 1:
        return [list(names)]
    groups: list[list[int]] = []
    index = _GroupIndex()
    compared = [ComparedName.from_name(draft, name, path) for name, path in names]
    for place, name in enumerate(compared):
        group = index.find(name)
        if group is None or (name.numbers and any(_numbers_differ(name, compared[other]) for other in groups[group])):
            group = len(groups)
            groups.append([])
        groups[group].append(place)
        index.add(name, group)
    return [[names[place] for place in group] for group in _join_incomplete(groups, compared)]


def _numbers_differ(one: ComparedName, other: ComparedName) -> bool:
    return any(not numbers & other.numbers.get(file, numbers) for file, numbers in one.numbers.items())


def _join_incomplete(groups: list[list[int]], compared: Sequence[ComparedName]) -> list[list[int]]:
    """Join each group of persons without dates and numbers to the only group that may be a fuller form of it."""
    by_family: dict[str, list[int]] = {}
    for number, group in enumerate(groups):
        for family in dict.fromkeys(person.family for place in group if (person := compared[place].person)):
            by_family.setdefault(family, []).append(number)
    targets: dict[int, int] = {}
    for number, group in enumerate(groups):
        members = [compared[place] for place in group]
        if any(name.person is None or name.numbers or name.dates for name in members):
            continue
        namesakes = {other for name in members if name.person for other in by_family[name.person.family]} - {number}
        if len(namesakes) > MAX_NAMESAKES:
            continue
        found = [other for other in namesakes if _is_fuller([compared[place] for place in groups[other]], members)]
        if len(found) == 1:
            targets[number] = found[0]
    joined: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        target = number
        while target in targets:
            target = targets[target]
        joined.setdefault(target, []).extend(group)
    return [sorted(group) for group in sorted(joined.values(), key=min)]


def _is_fuller(these: Sequence[ComparedName], those: Sequence[ComparedName]) -> bool:
    """Whether names of one group are fuller forms of those of another, in the same role and in other records."""
    if max(name.fullness for name in these) <= max(name.fullness for name in those):
        return False
    if {record for name in these for record in name.records} & {record for name in those for record in name.records}:
        return False
    return any(
        one.person is not None and other.person is not None and one.person.is_compatible(other.person)
        and (not one.roles or not other.roles or bool(one.roles & other.roles))
        for one in these
        for other in those
    )  # fmt: skip


# -- roles -------------------------------------------------------------------------------------------------------------


def roles_of(names: Sequence[Name]) -> tuple[list[str], list[str]]:
    """Return the relator codes of an agent, and the terms of roles that have no code, each once."""
    codes: dict[str, None] = {}
    terms: dict[str, None] = {}
    for name in names:
        for role in name.role:
            found = _codes_of(role)
            codes.update(dict.fromkeys(found))
            if not found:
                terms.update(dict.fromkeys(tidy(stated.value) for stated in role.role_term if tidy(stated.value)))
    return list(codes), list(terms)


def _codes_of(role: Role) -> list[str]:
    found: dict[str, None] = {}
    for stated in role.role_term:
        value = tidy(stated.value)
        links = (match[1] for text in (value, stated.value_uri or "") if (match := _RELATOR_IRI.fullmatch(text)))
        link = next(links, None)
        code = value.lower().rstrip(" .,")
        is_code = code in TERM_OF_RELATOR and (stated.authority in (None, "marcrelator") or code != value)
        named = relators_of(value)
        if link is not None:
            found[link] = None
        elif is_code and not (named and stated.type == "text"):
            found[code] = None
        else:
            found |= dict.fromkeys(named)
    return list(found)


class Roles(msgspec.Struct, frozen=True):
    """What an agent did for a resource.

    ``terms`` are roles without a code; ``is_primary``: the resource is entered under the agent; ``is_creator``: the
    roles, or without one the main entry, make the agent a creator.
    """

    codes: tuple[str, ...]
    terms: tuple[str, ...]
    is_primary: bool
    is_creator: bool

    @classmethod
    def from_names(cls, mods: Mods, names: Sequence[Name]) -> Roles:
        """Return the roles that the names of one agent state.

        A record that is entered under a name without a role has it as that of the creator; a sound recording may also
        be entered under a performer, who is one if the note on performers names the agent. A role that another record
        states is stronger, unless it is no part in the content.
        """
        codes, terms = roles_of(names)
        contents = frozenset(tidy(kind.value).lower() for kind in mods.type_of_resource)
        is_primary = any(name.usage == "primary" for name in names)
        is_silent = not terms and ROLES_WITHOUT_CONTRIBUTION.issuperset(codes)
        is_entry = is_silent and any(name.usage == "primary" and not name.role for name in names)
        if is_entry and any(map(_is_recording, contents)) and any(_is_performer(mods, name) for name in names):
            codes, is_entry = [*codes, "prf"], False
        is_creator = is_entry or any(
            code in CREATOR_ROLES
            or (is_primary and code in CREATOR_ROLES_OF_MAIN_ENTRY)
            or any(code in CREATOR_ROLES_OF_CONTENT.get(content, ()) for content in contents)
            for code in codes
        )
        return cls(tuple(codes), tuple(terms), is_primary, is_creator)

    def dublin_core(self) -> list[str]:
        """Return the properties of DCMI that lead to the agent; none for one who had no part in the content."""
        if self.is_creator:
            return ["dcterms:creator"]
        has_no_part = bool(self.codes) and not self.terms and ROLES_WITHOUT_CONTRIBUTION.issuperset(self.codes)
        return ["dcterms:publisher"] * ("pbl" in self.codes) + ["dcterms:contributor"] * (not has_no_part)


def _is_recording(content: str) -> bool:
    return content.startswith("sound recording")


def _is_performer(mods: Mods, name: Name) -> bool:
    """Whether the note on performers has all words of a name."""
    words = set(fold(heading(name)).split())
    return any(words <= set(fold(note.value).split()) for note in mods.note if note.type == "performers")


def _describe_contribution(draft: Draft, agent: str, roles: Roles) -> None:
    """Describe what an agent did for the publication; creators and translators contributed to its work."""
    value = iri(agent)
    for property_ in roles.dublin_core():
        draft.add(property_, value)
    for code in roles.codes:
        draft.add(f"relators:{code}", value)
    if roles.is_creator or not ROLES_IN_WORKS.isdisjoint(roles.codes):
        contribution = Contribution(agent, roles.codes, roles.terms, roles.is_primary)
        draft.contributions_to_work.append(contribution)
        return
    class_ = "bf:PrimaryContribution" if roles.is_primary else "bf:Contribution"
    node = draft.add_node("bf:contribution", class_, "contribution")
    draft.add("bf:agent", value, node)
    for code in roles.codes:
        draft.add("bf:role", loc("relators", code), node)
    for text in roles.terms:
        role = draft.add_node("bf:role", "bf:Role", "role", node)
        draft.add("rdfs:label", literal(text), role)
