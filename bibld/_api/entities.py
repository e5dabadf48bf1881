"""Two entities that may be the same: which pairs wait for a person, what is known of both, why they are one or two."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import msgspec

from bibld.catalog import Catalog
from bibld.errors import ConfigError
from bibld.model.brief import brief
from bibld.model.card import title_text
from bibld.model.iris import Iris, entity_identity
from bibld.model.review import INVERSE_RELATION, EntityPair, EntityQuestion, EntitySide, NamingPublication
from bibld.text.dates import year
from bibld.triplify import Assertion, EntityComparison, compare_entities, read_assertion, verdicts_by_identity

MAX_WAITING = 1000
"""Pairs of a kind in one list; it is read again when people have decided about some."""

_MAX_SHARING = 4
"""A key that more clusters of entities share is too frequent to be evidence."""

_MAX_NAMES = 12
_MAX_WORKS = 8


def waiting_entities(catalog: Catalog, iris: Iris) -> list[EntityPair]:
    """Return pairs of entities that share a key but were not united; those with most assertions first."""
    decided = catalog.register.entity_verdicts()
    pairs: dict[EntityPair, int] = {}
    uses: Counter[int] = Counter()
    paths: dict[int, str] = {}
    for founders in catalog.entities.founders_with_common_keys(MAX_WAITING, _MAX_SHARING):
        for founder in founders:
            if founder not in paths:
                paths[founder] = iris.path(catalog.entities.iri(founder) or "") or ""
                uses[founder] = len(catalog.entities.assertions(founder))
        for one, other in combinations(founders, 2):
            left, right = sorted((paths[one], paths[other]))
            if left and _folder(left) == _folder(right) and (left, right) not in decided:
                pairs[EntityPair(left, right)] = uses[one] + uses[other]
    return sorted(pairs, key=lambda pair: (-pairs[pair], pair.left, pair.right))


def _folder(path: str) -> str:
    return path.partition("/")[0]


def entity_question(catalog: Catalog, iris: Iris, pair: EntityPair) -> EntityQuestion | None:
    """Return what a person needs to decide about two entities; None if one was deleted, or they are one by now."""
    founders = [catalog.entities.founder_of_iri(iris.base + path) for path in (pair.left, pair.right)]
    sides = [entity_side(catalog, iris, path) for path in (pair.left, pair.right)]
    left, right = sides
    if left is None or right is None or founders[0] == founders[1]:
        return None
    one, other = (_members(catalog, founder) for founder in founders if founder is not None)
    found = compare_entities(one, other)
    return EntityQuestion(left, right, found.common, found.contradictions)


def _members(catalog: Catalog, founder: int) -> dict[str, list[Assertion]]:
    """Return the assertions about each member of a cluster of entities, by the IRI of the member."""
    return {catalog.entities.iri(one) or "": _assertions(catalog, one) for one in catalog.entities.members(founder)}


def _assertions(catalog: Catalog, entity: int) -> list[Assertion]:
    return [read_assertion(body) for body, _ in catalog.entities.assertions(entity)]


def entity_side(catalog: Catalog, iris: Iris, path: str) -> EntitySide | None:
    """Return what the records state about the entity with a path, and all that is the same; None if there is none."""
    founder = catalog.entities.founder_of_iri(iris.base + path)
    if founder is None:
        return None
    members = catalog.entities.members(founder)
    votes: Counter[tuple[str, str]] = Counter()
    types: Counter[str] = Counter()
    dates: Counter[str] = Counter()
    numbers: set[str] = set()
    for member in members:
        for body, number in catalog.entities.assertions(member):
            claim = read_assertion(body).value
            if claim.label.text:
                votes[claim.label.text, claim.label.language] += number + 1
            for form in claim.others:
                votes[form.text, form.language] += 0
            types[claim.type] += number
            dates[claim.dates] += number
            numbers.update(claim.links)
    clusters = catalog.entities.clusters_asserting(members)
    return EntitySide(
        path,
        min(types, key=lambda one: (not one, -types[one], one), default=""),
        tuple(sorted(votes, key=lambda form: (-votes[form], form))[:_MAX_NAMES]),
        tuple(sorted((one for one in dates if one), key=lambda one: (-dates[one], one))),
        tuple(sorted(numbers)),
        tuple(_work(catalog, iris, cluster) for cluster in clusters[:_MAX_WORKS]),
        len(clusters),
    )


def _work(catalog: Catalog, iris: Iris, founder: int) -> NamingPublication:
    merged = catalog.descriptions.merged(founder)
    title = next((text for info in merged.mods.title_info if (text := title_text(info))), "")
    dates = (date.value for info in merged.mods.origin_info for date in info.date_issued)
    published = next((one for text in dates if (one := year(text))), None)
    path = iris.path(iris.resource(merged.cluster.founder)) or ""
    return NamingPublication(path, title, str(published or ""))


class ComparedEntity(msgspec.Struct, frozen=True):
    """An entity by its IRI: its names, the most frequent first, and the facts that decide which work it is."""

    iri: str
    names: tuple[str, ...]
    facts: tuple[str, ...]


class EntityPairReport(msgspec.Struct, frozen=True):
    """Two entities side by side, and why they are, or are not, the same.

    ``decision`` is that of people, or that of the rules (``by``), about the left one in relation to the right one;
    ``reasons`` are what both have in common, and in what they contradict each other. ``cluster`` is a sentence about
    who describes them now.
    """

    left: ComparedEntity
    right: ComparedEntity
    decision: str
    by: str
    reasons: tuple[str, ...]
    cluster: str

    __repr__ = brief


def explain_entities(catalog: Catalog, iris: Iris, paths: tuple[str, str]) -> EntityPairReport:
    """Explain why two entities (their paths) are, or are not, the same; raises ``ConfigError`` for an unknown one."""
    numbers: list[int] = []
    for path in paths:
        number = catalog.entities.number(iris.base + path)
        number = catalog.entities.founder_of_iri(iris.base + path) if number is None else number
        if number is None:
            raise ConfigError(
                [f"{iris.base}{path}: entity not found; name the IRI of an agent, work, concept or the like"]
            )
        numbers.append(number)
    founders = [catalog.entities.founder(number) for number in numbers]
    is_one = founders[0] == founders[1]
    stated = [_assertions(catalog, number) for number in numbers]
    found = compare_entities(*({iris.base + path: made} for path, made in zip(paths, stated, strict=True)))
    one, other = (entity_identity(iris.base + path) for path in paths)
    verdict = verdicts_by_identity(iris, catalog.register.entity_verdicts()).get((min(one, other), max(one, other)))
    if verdict is not None and one > other:
        verdict = INVERSE_RELATION.get(verdict, verdict)
    cluster = f"both are described by {catalog.entities.iri(founders[0])}" if is_one else "two descriptions"
    if is_one and not found.common and verdict is None:
        cluster += ", through other entities that are the same as both"
    return EntityPairReport(
        left=_compared(catalog, iris, paths[0], stated[0]),
        right=_compared(catalog, iris, paths[1], stated[1]),
        decision=verdict or ("same" if is_one else "different"),
        by="a person" if verdict else "rules",
        reasons=_reasons(found),
        cluster=cluster,
    )


def _compared(catalog: Catalog, iris: Iris, path: str, stated: list[Assertion]) -> ComparedEntity:
    side = entity_side(catalog, iris, path)
    names = dict.fromkeys(text for text, _ in side.names) if side else ()
    return ComparedEntity(iris.base + path, tuple(names), _facts(stated))


_COMMON = {
    "number": "both have the same number of an authority file, or the same key",
    "name": "both have the same name and year",
    "publication": "one publication names both in the same role",
    "short_name": "both have the same family name, first given name and years",
    "abbreviation": "one name is an abbreviation of the other",
    "work": "both have a title in common, and the name of its creator where many works have such a title",
}
_CONTRADICTIONS = {
    "kind": "they are things of different kinds",
    "type": "they are agents of different types",
    "birth": "they were born in different years",
    "death": "they died in different years",
    "number": "they have different numbers in one authority file",
    "work": "they differ in form, language, translator, part, number, year or kind",
    "creator": "they have different creators",
}


def _reasons(found: EntityComparison) -> tuple[str, ...]:
    common = [_COMMON.get(kind, kind) for kind in found.common]
    return (
        *(common or ["they have no key in common"]),
        *(_CONTRADICTIONS.get(one, one) for one in found.contradictions),
    )


def _facts(stated: list[Assertion]) -> tuple[str, ...]:
    """Return what decides which work an entity is, each fact with its name, as the assertions state them."""
    facts: dict[str, None] = {}
    for assertion in stated:
        if assertion.value.work is not None:
            for name, value in msgspec.structs.asdict(assertion.value.work).items():
                texts = value if isinstance(value, tuple) else (value,)
                facts.update(dict.fromkeys(f"{name.replace('_', ' ')}: {text}" for text in texts if text))
    return tuple(facts)
