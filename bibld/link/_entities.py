"""What the catalogue knows of an entity: the claims of its records, and the publications that name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Literal, cast

import msgspec

from bibld.catalog import Catalog
from bibld.link._index import number_key
from bibld.link._names import Life, life_of
from bibld.link._values import Creator, Profile, Work
from bibld.model.mods import Geographic, Mods, Name
from bibld.text.dates import year
from bibld.text.folding import fold
from bibld.triplify import Assertion, read_assertion

_ASSERTIONS = msgspec.json.Decoder(Assertion)
_MAX_WORKS = 50
_CREATORS = frozenset(
    {"aut", "author", "автор", "cre", "creator", "cmp", "composer", "art", "artist", "070", "verfasser"}
)


class Entity:
    """A profile, and the publications that name the entity, which are fetched only when they decide."""

    def __init__(self, profile: Profile, fetch_works: Callable[[], Sequence[Work]]) -> None:
        self.profile = profile
        self._fetch_works = fetch_works

    @cached_property
    def works(self) -> Sequence[Work]:
        """The publications that name the entity."""
        return self._fetch_works()

    @property
    def is_geographic(self) -> bool:
        """Whether a publication has the entity as a geographic subject."""
        return any(work.is_about_place for work in self.works)

    @cached_property
    def life(self) -> Life | None:
        """The years of the entity; None if its records contradict each other."""
        lives = [life for life in map(life_of, self.profile.dates) if life != Life()]
        born, died = {life.born for life in lives} - {None}, {life.died for life in lives} - {None}
        if len(born) > 1 or len(died) > 1:
            return None
        return Life(next(iter(born), None), next(iter(died), None), all(life.is_exact for life in lives))

    @cached_property
    def number_keys(self) -> frozenset[str]:
        """The keys of the numbers that the records of the entity state."""
        return frozenset(map(number_key, self.profile.numbers))


def read_entity(catalog: Catalog, founder: int) -> Entity | None:
    """Return the founder of a cluster of entities with the evidence of all members.

    None if it does not exist any more, is not the founder of its cluster, or is of a kind that is not linked.
    """
    iri = catalog.entities.iri(founder)
    if iri is None or catalog.entities.founder(founder) != founder:
        return None
    members = catalog.entities.members(founder)
    found = [
        (_ASSERTIONS.decode(body), votes) for member in members for body, votes in catalog.entities.assertions(member)
    ]
    profile = profile_of(iri, found)
    if profile is None:
        return None
    if profile.kind == "work":
        profile = msgspec.structs.replace(profile, creators=_creators(catalog, found))
    return Entity(profile, partial(_works_of, catalog, members, profile))


def profile_of(iri: str, assertions: Sequence[tuple[Assertion, int]]) -> Profile | None:
    """Return the profile of an entity from what is asserted about it, with the votes for each assertion.

    None without an assertion with a label, and for publishers and series: they are not linked. The creators of a work
    are not known from these.
    """
    votes: dict[tuple[str, str], int] = defaultdict(int)
    types: dict[str, int] = defaultdict(int)
    dates: set[str] = set()
    numbers: set[str] = set()
    notations: set[str] = set()
    schemes: set[str] = set()
    kinds = {assertion.kind for assertion, _ in assertions}
    for assertion, number in assertions:
        claim = assertion.value
        if claim.label.text:
            votes[claim.label.text, claim.label.language] += number + 1
        for form in claim.others:
            votes[form.text, form.language] += 0
        types[claim.type] += number
        dates |= {claim.dates} - {""}
        numbers.update(claim.links)
        notations |= {claim.notation} - {""}
        schemes |= {claim.scheme} - {""}
    kind = min(kinds, default="")
    if kind not in ("agent", "concept", "place", "work") or not votes:
        return None
    facts = [assertion.value.work for assertion, _ in assertions if assertion.value.work is not None]
    return Profile(
        iri=iri,
        kind=cast(Literal["agent", "concept", "place", "work"], kind),
        type=min(types, key=lambda one: (not one, -types[one], one)) if kind == "agent" else "",
        labels=tuple(sorted(votes, key=lambda form: (-votes[form], form))),
        dates=tuple(sorted(dates)),
        scheme=min(schemes, default=""),
        notations=tuple(sorted(notations)),
        numbers=tuple(sorted(numbers)),
        languages=tuple(sorted({code for one in facts for code in one.language.split()})),
        is_version=any(one.origin == "translation" or any(map(_is_of_version, one.traits)) for one in facts),
        is_part=any(one.part for one in facts),
    )


def _is_of_version(trait: str) -> bool:
    return trait.startswith("!")


def _creators(catalog: Catalog, assertions: Sequence[tuple[Assertion, int]]) -> tuple[Creator, ...]:
    """Return the agents that a work is entered under, each once."""
    stated = {one.agent for assertion, _ in assertions for one in assertion.value.contributions if one.is_primary}
    founders = {catalog.entities.founder(number) for one in stated if (number := catalog.entities.number(one))}
    creators = []
    for founder in sorted(founders):
        claims = [
            read_assertion(body).value
            for member in catalog.entities.members(founder)
            for body, _ in catalog.entities.assertions(member)
        ]
        names = sorted({claim.label.text for claim in claims} - {""})
        dates = sorted({claim.dates for claim in claims} - {""})
        if names:
            creators.append(Creator(tuple(names), tuple(dates)))
    return tuple(creators)


def _works_of(catalog: Catalog, entities: Sequence[int], profile: Profile) -> list[Work]:
    """Return the publications that name one of some entities, up to fifty of them."""
    labels = {fold(text) for text, _ in profile.labels}
    works = []
    for founder in catalog.entities.clusters_asserting(entities)[:_MAX_WORKS]:
        mods = catalog.descriptions.merged(founder).mods
        published = next(
            (one for info in mods.origin_info for date in info.date_issued if (one := year(date.value))), None
        )
        is_creator = any(_is_creator(name, labels) for name in mods.name)
        is_place = profile.kind == "concept" and _has_place(mods, labels)
        works += [Work(title, published, is_creator, is_place) for title in _titles(mods) or [""]]
    return works


def _titles(mods: Mods) -> list[str]:
    return [info.title for info in mods.title_info if info.title]


def _has_place(mods: Mods, labels: set[str]) -> bool:
    """Whether one of these labels is a geographic subject."""
    parts = (part for subject in mods.subject for part in subject.parts)
    return any(isinstance(part, Geographic) and fold(part.value) in labels for part in parts)


def _is_creator(name: Name, labels: set[str]) -> bool:
    """Whether a name is one of these labels, and that of a creator."""
    stem = fold(", ".join(part.value for part in name.name_part if part.type != "date"))
    if not any(stem.startswith(label) or label.startswith(stem) for label in labels if stem):
        return False
    roles = {term.value.strip(" .").casefold() for role in name.role for term in role.role_term}
    return bool(roles & _CREATORS) or (name.usage == "primary" and not roles)
