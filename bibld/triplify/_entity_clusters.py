"""Which entities are the same: clusters of the IRIs of agents, concepts, publishers and so on, and their founders.

An IRI belongs to one key for ever. Entities are tied by a number that one heading has beside another, by a name with
dates, by one publication that names both, or by the verdict of a person. The ties of a connected component are united
one after another in a fixed order, unless the entities contradict each other; so the result depends on nothing but the
component.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from functools import lru_cache
from itertools import combinations
from typing import Literal

import msgspec

from bibld.model.authorities import AUTHORITIES, read_authority_number
from bibld.model.iris import Iris, entity_identity, has_role
from bibld.model.origin import from_slug
from bibld.model.review import INVERSE_RELATION
from bibld.text.publishers import is_abbreviation, name_to_compare
from bibld.triplify._claims import Assertion, Kind, WorkFacts
from bibld.triplify._dates import life_intervals
from bibld.triplify._identity import NUMBER_TIE, is_same_or_initial
from bibld.triplify._work_clusters import (
    Sameness,
    certain_pairs,
    compared_pairs,
    differ_beside_creators,
    have_other_creators,
    have_same_creators,
)

MAX_ENTITIES_OF_COMPONENT = 1000
"""In a connected component of more entities, only numbers of authority files and verdicts tie."""

PUBLICATION_TIE = "publication "
"""The beginning of a tie between two entities that one publication names."""

SHORT_NAME_TIE = "short "
"""The beginning of a tie of a family name, the first given name and both years of a life.

Ties without such a beginning are a full name and a year.
"""

ABBREVIATION_TIE = "abbreviation "
"""The beginning of a tie between an abbreviated name of a publisher or series and the names that it may stand for."""

_NAME_KEY = re.compile(r"(?:[a-z0-9-]+-)?[0-9a-f]{10}")
_IRIS_REMEMBERED = 4096
_LOCAL_KEY = re.compile(r"[\\/:(]")

Interval = tuple[int, int]
Contradiction = Literal["kind", "type", "birth", "death", "number", "work", "creator"]
Verdicts = Mapping[tuple[str, str], str]
"""The decisions of people about two entities, by their identities, in the order of these; see ``PersonVerdict``."""


def verdicts_by_identity(iris: Iris, verdicts: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return the verdicts about entities, which are by two paths, one of which may be spelled as it was formerly."""
    found: dict[tuple[str, str], str] = {}
    for (left, right), decision in verdicts.items():
        one, other = entity_identity(iris.base + left), entity_identity(iris.base + right)
        if one < other:
            found[one, other] = decision
        else:
            found[other, one] = INVERSE_RELATION.get(decision, decision)
    return found


class Strength(IntEnum):
    """How much a common key proves; the strongest first."""

    NUMBER = 0
    NAME = 1
    PUBLICATION = 2
    SHORT_NAME = 3
    ABBREVIATION = 4
    WORK = 5


class EntityProfile(msgspec.Struct, frozen=True):
    """What decides whether an entity is the same as another one.

    ``numbers`` are its numbers by authority file, ``births`` and ``deaths`` the years that its records state;
    ``former`` are IRIs that lead to it if to nothing else, ``replaced`` those of headings instead of which it is used;
    ``names`` are those of a publisher or series of which one is abbreviated; ``works`` are the facts of a work.
    """

    iri: str
    kinds: frozenset[Kind]
    types: frozenset[str]
    births: frozenset[Interval]
    deaths: frozenset[Interval]
    numbers: dict[str, frozenset[str]]
    aliases: frozenset[str]
    former: frozenset[str]
    ties: frozenset[str]
    names: frozenset[str] = frozenset()
    works: tuple[WorkFacts, ...] = ()
    replaced: frozenset[str] = frozenset()

    @classmethod
    def from_assertions(cls, iri: str, assertions: Iterable[Assertion]) -> EntityProfile:
        """Build the profile of an entity from all assertions about it."""
        result = list(assertions)
        values = [assertion.value for assertion in result]
        lives = [life_intervals(value.dates) for value in values if value.dates and value.type == "personal"]
        numbers: dict[str, set[str]] = defaultdict(set)
        for value in values:
            for entry in value.numbers:
                file, _, number = entry.partition(" ")
                numbers[file].add(number)
        own = _key_of_iri(iri)
        ties = frozenset(tie for value in values for tie in value.all_ties)
        is_abbreviated = any(tie.startswith(ABBREVIATION_TIE) for tie in ties)
        return cls(
            iri,
            kinds=frozenset(assertion.kind for assertion in result),
            types=frozenset(value.type for value in values if value.type),
            births=frozenset(birth for birth, _ in lives if birth is not None),
            deaths=frozenset(death for _, death in lives if death is not None),
            numbers={file: frozenset((own,) if own in found else found) for file, found in numbers.items()},
            aliases=frozenset(alias for value in values for alias in value.aliases),
            former=frozenset(iri for value in values for iri in value.former),
            ties=ties,
            names=_names_to_compare(result) if is_abbreviated else frozenset(),
            works=tuple(dict.fromkeys(value.work for value in values if value.work is not None)),
            replaced=frozenset(iri for value in values for iri in value.replaced),
        )

    @property
    def rank(self) -> tuple[int, str]:
        """The place among the members of a cluster, the founder first: best number, name with dates, name; then IRI.

        The IRI of a work that is only mentioned comes last.
        """
        if "work" in self.kinds and (not self.works or has_role(self.iri)):
            return _RANK_OF_MENTION, self.iri
        rank = rank_of_iri(self.iri)
        return (rank if rank < _NAME_RANK or self.births or self.deaths else rank + 1), self.iri

    @property
    def identity(self) -> str:
        """What its IRI has in common with those of the same key in another spelling."""
        return entity_identity(self.iri)

    @property
    def all_aliases(self) -> frozenset[str]:
        """The IRIs that lead to it if nothing is asserted about them, and no other entity has them."""
        return self.aliases | self.former | self.replaced

    @property
    def keys(self) -> dict[str, Strength]:
        """The keys that tie it to others, and how much each proves."""
        keys = {
            entity_identity(iri): Strength.NUMBER if is_number(iri) else Strength.NAME
            for iri in (self.iri, *self.aliases)
        }
        if self.works:
            return keys | dict.fromkeys(self.ties, Strength.WORK)
        for tie in self.ties:
            beginning = next((one for one in _STRENGTH_OF_TIE if tie.startswith(one)), "")
            keys[tie] = _STRENGTH_OF_TIE.get(beginning, Strength.NAME)
        return keys

    def has_other_name(self, other: EntityProfile) -> bool:
        """Whether the full names of the two are known and none of one is an abbreviation of one of the other."""
        these, those = ([tie.split()[:-1] for tie in one._names()] for one in (self, other))
        return bool(these and those) and not any(
            all(is_same_or_initial(*words) for words in zip(one, two, strict=False)) for one in these for two in those
        )

    def _names(self) -> list[str]:
        return [
            tie for tie, strength in self.keys.items() if strength is Strength.NAME and tie in self.ties and " " in tie
        ]

    def has_unlike_names(self, other: EntityProfile) -> bool:
        """Whether no name of a publisher or series is the same as one of another, or an abbreviation of it."""
        return not any(
            one == two or is_abbreviation(one, two) or is_abbreviation(two, one)
            for one in self.names
            for two in other.names
        )

    def contradicts(self, other: EntityProfile) -> bool:
        """Whether the two cannot be the same: other kind or type, other years of life, another number of one file."""
        return next(self.contradictions(other), None) is not None

    def contradictions(self, other: EntityProfile) -> Iterator[Contradiction]:
        """Yield in what the two contradict each other."""
        if {_SAME_KIND.get(kind, kind) for kind in self.kinds} != {_SAME_KIND.get(kind, kind) for kind in other.kinds}:
            yield "kind"
        if self.types and other.types and not self.types & other.types:
            yield "type"
        if _differ(self.births, other.births):
            yield "birth"
        if _differ(self.deaths, other.deaths):
            yield "death"
        if any(not numbers & other.numbers.get(file, numbers) for file, numbers in self.numbers.items()):
            yield "number"
        if self.works and other.works:
            if differ_beside_creators(self.works, other.works):
                yield "work"
            if have_other_creators(self.works, other.works):
                yield "creator"


_STRENGTH_OF_TIE = {
    NUMBER_TIE: Strength.NUMBER,
    PUBLICATION_TIE: Strength.PUBLICATION,
    SHORT_NAME_TIE: Strength.SHORT_NAME,
    ABBREVIATION_TIE: Strength.ABBREVIATION,
}
_AMBIGUOUS_STRENGTHS = (Strength.NAME, Strength.SHORT_NAME, Strength.ABBREVIATION)
_SAME_KIND: dict[Kind, Kind] = {"publisher": "agent"}
_RANKS = {name: rank for rank, name in enumerate(AUTHORITIES)}
_NAME_RANK = len(AUTHORITIES) + 2
_RANK_OF_MENTION = _NAME_RANK + 2


class EntityCluster(msgspec.Struct, frozen=True):
    """Entities that are the same: their IRIs in the order of their ranks, the founder first.

    Those of headings that are not used any more follow. ``aliases`` are further IRIs of the headings of its members,
    about which nothing else is asserted.
    """

    members: tuple[str, ...]
    aliases: tuple[str, ...]

    @property
    def founder(self) -> str:
        """The IRI that carries the description."""
        return self.members[0]


@lru_cache(maxsize=_IRIS_REMEMBERED)
def rank_of_iri(iri: str) -> int:
    """Return the place of an IRI among those of one entity: by its authority file, other IRI, local number, name."""
    key = _key_of_iri(iri)
    name, _, number = key.partition("-")
    if name in _RANKS and read_authority_number(name, number) is not None:
        return _RANKS[name]
    if key.startswith(("http:", "https:")):
        return len(AUTHORITIES)
    return len(AUTHORITIES) + 1 if _LOCAL_KEY.search(key) or not _NAME_KEY.fullmatch(key) else _NAME_RANK


def is_number(iri: str) -> bool:
    """Whether an IRI is made of a number of an authority file, not of a name."""
    return rank_of_iri(iri) < _NAME_RANK


def _names_to_compare(assertions: Iterable[Assertion]) -> frozenset[str]:
    return frozenset(
        assertion.value.label.text if assertion.kind == "series" else name_to_compare(assertion.value.label.text)
        for assertion in assertions
        if assertion.value.label.text
    )


def _key_of_iri(iri: str) -> str:
    slug = iri.rpartition("/")[2]
    try:
        return from_slug(slug)
    except ValueError:
        return slug


def _differ(these: frozenset[Interval], those: frozenset[Interval]) -> bool:
    return bool(these and those) and not any(
        first <= other_last and other_first <= last for first, last in these for other_first, other_last in those
    )


def cluster_component(profiles: Iterable[EntityProfile], verdicts: Verdicts) -> list[EntityCluster]:
    """Cluster the entities of a connected component; the result does not depend on their order.

    Entities of one key in different spellings (of one identity) are one. A verdict ``same`` is stronger than
    contradicting records, a verdict ``different`` than everything. A name that members which contradict each other
    share ties none of them, unless years of birth and of death are known.
    """
    found = list(profiles)
    if len(found) == 1:
        return [EntityCluster((found[0].iri,), _other_aliases(found[0].all_aliases, {found[0].identity}))]
    ranked = sorted(found, key=lambda profile: profile.rank)
    clusters = _Clusters(ranked, verdicts)
    by_identity: dict[str, str] = {}
    for profile in ranked:
        clusters.unite(by_identity.setdefault(profile.identity, profile.iri), profile.iri, regardless=True)
    for (one, other), decision in sorted(verdicts.items()):
        if decision == "same" and one in by_identity and other in by_identity:
            clusters.unite(by_identity[one], by_identity[other], regardless=True)
    clusters.unite_tied(_ties(ranked, len(ranked) > MAX_ENTITIES_OF_COMPONENT))
    _unite_replaced(clusters, ranked, by_identity)
    holders_of_alias: dict[str, set[str]] = defaultdict(set)
    for profile in ranked:
        for alias in _other_aliases(profile.all_aliases, by_identity.keys()):
            holders_of_alias[alias].add(clusters.founder(profile.iri))
    aliases: dict[str, list[str]] = defaultdict(list)
    for alias, founders in holders_of_alias.items():
        if len(founders) == 1:
            aliases[founders.pop()].append(alias)
    members = {clusters.founder(profile.iri): clusters.members(profile.iri) for profile in ranked}
    return [
        EntityCluster(tuple(one.iri for one in united), _other_aliases(aliases[founder], set()))
        for founder, united in members.items()
    ]


def _other_aliases(aliases: Iterable[str], identities: Set[str]) -> tuple[str, ...]:
    """Return aliases of other identities, sorted, the first spelling of each."""
    found = {entity_identity(alias): alias for alias in sorted(aliases, reverse=True)}
    return tuple(sorted(alias for identity, alias in found.items() if identity not in identities))


def _ties(ranked: Sequence[EntityProfile], is_large: bool) -> list[tuple[Strength, str, list[str]]]:
    """Return the holders of each key that more than one entity has, the strongest keys first."""
    holders: dict[tuple[Strength, str], list[str]] = defaultdict(list)
    for profile in ranked:
        for key, strength in profile.keys.items():
            if strength is Strength.NUMBER or not is_large:
                holders[strength, key].append(profile.iri)
    return [(strength, key, found) for (strength, key), found in sorted(holders.items()) if len(found) > 1]


def _unite_replaced(clusters: _Clusters, ranked: Sequence[EntityProfile], by_identity: Mapping[str, str]) -> None:
    """Unite the entities of headings that are not used any more with the only entities that are used instead."""
    holders: dict[str, list[str]] = defaultdict(list)
    for profile in ranked:
        for replaced in profile.replaced:
            holders[entity_identity(replaced)].append(profile.iri)
    for identity, found in sorted(holders.items()):
        if identity in by_identity and len({clusters.founder(holder) for holder in found}) == 1:
            clusters.absorb(found[0], by_identity[identity])


class _Clusters:
    """The clusters of a component while they are united. ``ranked`` are its entities, in the order of their ranks."""

    def __init__(self, ranked: Sequence[EntityProfile], verdicts: Verdicts) -> None:
        self.by_iri = {profile.iri: profile for profile in ranked}
        self._place = {profile.iri: place for place, profile in enumerate(ranked)}
        self._members = {profile.iri: [profile] for profile in ranked}
        self._different = {pair for pair, decision in verdicts.items() if decision != "same"}

    def members(self, iri: str) -> list[EntityProfile]:
        """Return the members of the cluster of an entity, in the order of their ranks."""
        return self._members[iri]

    def founder(self, iri: str) -> str:
        """Return the first member of the cluster of an entity."""
        return self._members[iri][0].iri

    def unite(self, one: str, other: str, regardless: bool = False) -> None:
        """Unite the clusters of two entities, unless members contradict each other, or regardless of that.

        A verdict that they are different is respected in any case.
        """
        these, those = self._members[one], self._members[other]
        if these is those or not self._may_unite(these, those, regardless):
            return
        united = sorted(these + those, key=lambda profile: self._place[profile.iri])
        for profile in united:
            self._members[profile.iri] = united

    def unite_tied(self, ties: Sequence[tuple[Strength, str, Sequence[str]]]) -> None:
        """Unite the entities that have common keys, the strongest keys first."""
        for strength, _, holders in ties:
            if strength is Strength.WORK:
                continue
            if strength not in _AMBIGUOUS_STRENGTHS or not self.is_ambiguous(holders, strength):
                for one, other in combinations(holders, 2):
                    self.unite(one, other)
        self.unite_works([(tie, holders) for strength, tie, holders in ties if strength is Strength.WORK])

    def unite_works(self, ties: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Unite the works that have common ties: those that are the same, then those that may be one and no other."""
        if not ties:
            return
        facts = {iri: profile.works for iri, profile in self.by_iri.items() if profile.works}
        known: dict[tuple[str, str], Sameness] = {}
        compared = [list(compared_pairs(facts, holders, tie, known)) for tie, holders in ties]
        for found in compared:
            for one, other, sameness in found:
                if sameness is Sameness.SAME:
                    self.unite(one, other)
        for found in compared:
            pairs = [
                (self.founder(one), self.founder(other))
                for one, other, sameness in found
                if sameness is Sameness.POSSIBLE
            ]
            for one, other in certain_pairs((pair for pair in pairs if pair[0] != pair[1]), self.can_unite):
                self.unite(one, other)

    def can_unite(self, one: str, other: str) -> bool:
        """Whether no members of the clusters of two entities contradict each other."""
        return self._may_unite(self._members[one], self._members[other], False)

    def absorb(self, used: str, replaced: str) -> None:
        """Unite the clusters of two entities, of which one is used instead of the other and stays the founder.

        A verdict that they are different is respected.
        """
        these, those = self._members[used], self._members[replaced]
        if these is not those and self._may_unite(these, those, regardless=True):
            united = these + those
            for profile in united:
                self._members[profile.iri] = united

    def is_ambiguous(self, holders: Sequence[str], strength: Strength) -> bool:
        """Whether the holders of a name contradict each other, and the years of a life are not known in full.

        The holders of a short name contradict each other also by other names, those of an abbreviation by names that
        are no forms of each other.
        """
        clusters = list({self.founder(iri): self._members[iri] for iri in holders}.values())
        if strength is Strength.ABBREVIATION:
            return any(
                self.by_iri[one].has_unlike_names(self.by_iri[other])
                or not self._may_unite(self._members[one], self._members[other], False)
                for one, other in combinations(holders, 2)
                if self._members[one] is not self._members[other]
            )
        if strength is Strength.SHORT_NAME:
            return any(
                one.has_other_name(other) or one.contradicts(other)
                for these, those in combinations(clusters, 2)
                for one in these
                for other in those
            )
        if all(self.by_iri[iri].births and self.by_iri[iri].deaths for iri in holders):
            return False
        return any(not self._may_unite(these, those, False) for these, those in combinations(clusters, 2))

    def _may_unite(self, these: Sequence[EntityProfile], those: Sequence[EntityProfile], regardless: bool) -> bool:
        for one in these:
            for other in those:
                if tuple(sorted((one.identity, other.identity))) in self._different:
                    return False
                if not regardless and not self._agree(one, other, (*these, *those)):
                    return False
        return True

    @staticmethod
    def _agree(one: EntityProfile, other: EntityProfile, all_members: Sequence[EntityProfile]) -> bool:
        """Whether two entities do not contradict each other; works may have creators whose names a third one has."""
        found = set(one.contradictions(other))
        return not found or (
            found == {"creator"}
            and any(
                have_same_creators(one.works, third.works) and have_same_creators(other.works, third.works)
                for third in all_members
            )
        )


def components(profiles: Iterable[EntityProfile], verdicts: Verdicts) -> list[list[EntityProfile]]:
    """Divide entities into connected components: those that share a key, or about which there is a verdict.

    Entities that may lead to one another are in one component, too.
    """
    found = list(profiles)
    number_of = {profile.identity: number for number, profile in enumerate(found)}
    parents = list(range(len(found)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    first: dict[str, int] = {}
    for number, profile in enumerate(found):
        for key in (*profile.keys, *map(entity_identity, profile.former | profile.replaced)):
            parents[root(number)] = root(first.setdefault(key, number))
    for one, other in verdicts:
        if one in number_of and other in number_of:
            parents[root(number_of[one])] = root(number_of[other])
    members: dict[int, list[EntityProfile]] = defaultdict(list)
    for number, profile in enumerate(found):
        members[root(number)].append(profile)
    return list(members.values())
