"""Names of the resource: which of them are the same agent, and what each agent did."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from bibld.model.mods import Name
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal
from bibld.text.folding import fold
from bibld.text.places import is_unknown_imprint
from bibld.text.romanisation import romanise
from bibld.text.scripts import script_of
from bibld.triplify._claims import Contribution
from bibld.triplify._codes import (
    ROLES_IN_WORKS,
    loc,
)
from bibld.triplify._describe.entities import NameAtPath, claim_agent, find_identities
from bibld.triplify._draft import Draft
from bibld.triplify._headings import Roles, dates_of, heading, heading_to_compare, roles_of
from bibld.triplify._identity import RomanisedName, parse_person_name, years_with_hyphen

MAX_NAMESAKES = 50
"""Persons of one publication with the same family name; more are not compared with each other."""

_NAMES_REMEMBERED = 16_384
_UNKNOWN_NAME = re.compile(
    r"unknown(?: author| artist| composer)?|(?:author |publisher )?not identified|anon|anonymous|anonymus|anonyme|"
    r"unbekannt|inconnu|sconosciuto|без издательства|без автора|б а|автор неизвестен|неизвестный(?: автор)?|аноним"
)
"""What records have in place of a name that is not known, besides what they have so for a publisher."""


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
