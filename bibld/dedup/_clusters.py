"""Clusters out of edges: joined the most alike first, under constraints, and checked against the middle of each.

Bare union-find would chain: one wrong edge in a hundred unites publications that nobody would. Here a join is made only
where all constraints hold between all members, and a member that is not like the medoid of its cluster leaves it. The
clusters of a component depend on its edges and the facts of its records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product

import msgspec

from bibld.dedup._exceptions import conflict
from bibld.model.linkage import Edge, Pair, Verdict
from bibld.model.origin import RecordId

Group = tuple[RecordId, ...]


class Facts(msgspec.Struct, frozen=True):
    """What the constraints ask about a record: its part numbers, and its ISBNs but for those of whole sets."""

    part: str = ""
    isbns: frozenset[str] = frozenset()


class ClusterRules(msgspec.Struct, frozen=True):
    """What must hold inside a cluster.

    Sources in ``several`` may have more than one record in it. A component of more than ``largest`` records is cut at a
    higher score. ``review``: the least score of a member and the medoid; None: neither this nor parts and ISBNs are
    asked about (the paper's method).
    """

    several: frozenset[str] = frozenset()
    largest: int = 50
    review: float | None = None


class Clustered(msgspec.Struct, frozen=True):
    """Clusters of two and more records, all edges as they stand then, and what people should hear."""

    clusters: list[Group]
    edges: list[Edge]
    messages: tuple[str, ...]


def clustered(
    edges: Iterable[Edge],
    rules: ClusterRules,
    facts: Callable[[RecordId], Facts],
    similarity: Callable[[Sequence[Pair]], Sequence[float]],
    people: Mapping[Pair, Verdict],
) -> Clustered:
    """Join what is the same; an edge *same* between different clusters is up for review, with the reason.

    ``people`` are verdicts of people; each must be the verdict of its edge, and they hold always. ``similarity`` scores
    pairs that have no edge.
    """
    return _Clustering(list(edges), rules, facts, similarity, people).done()


class _Clustering:
    def __init__(
        self,
        edges: list[Edge],
        rules: ClusterRules,
        facts: Callable[[RecordId], Facts],
        similarity: Callable[[Sequence[Pair]], Sequence[float]],
        people: Mapping[Pair, Verdict],
    ) -> None:
        self._edges = {edge.pair: edge for edge in edges}
        self._rules = rules
        self._similarity = similarity
        self._must = {pair for pair, verdict in people.items() if verdict.decision == "same"}
        self._apart = {pair for pair, verdict in people.items() if verdict.decision in ("different", "related")}
        self._related = {edge.pair for edge in edges if edge.verdict.decision == "related"}
        self._scores = {edge.pair: edge.score.value for edge in edges}
        self._refused: dict[Pair, tuple[str, str]] = {}
        self._messages: list[str] = []
        records = sorted({record for edge in edges for record in (edge.pair.left, edge.pair.right)})
        self._facts = {record: facts(record) for record in records}

    def done(self) -> Clustered:
        clusters: list[Group] = []
        joining = self._cut(sorted(edge.pair for edge in self._edges.values() if edge.verdict.decision == "same"))
        while joining:
            groups = self._joined(joining)
            self._score(groups)
            leaving: set[RecordId] = set()
            for group in groups:
                kept, left = self._checked(group)
                clusters.append(kept)
                leaving.update(left)
            joining = [
                pair for pair in joining if pair.left in leaving and pair.right in leaving and pair not in self._refused
            ]
        clusters = sorted(cluster for cluster in clusters if len(cluster) > 1)
        place = {record: number for number, cluster in enumerate(clusters) for record in cluster}
        edges = [self._edge(edge, place) for _, edge in sorted(self._edges.items())]
        return Clustered(clusters, edges, tuple(self._messages))

    # -- joining -----------------------------------------------------------------------------------------------------

    def _joined(self, pairs: Iterable[Pair]) -> list[Group]:
        """Groups of records, joined by what people said, then by the best edges first."""
        place: dict[RecordId, list[RecordId]] = {}
        order = sorted(pairs, key=lambda pair: (pair not in self._must, -self._scores[pair], pair))
        for pair in order:
            left, right = (place.setdefault(record, [record]) for record in (pair.left, pair.right))
            if left is right:
                continue
            reason = self._said_apart(left, right) if pair in self._must else self._conflict(left, right)
            if reason is not None:
                self._refuse(pair, reason)
                continue
            left.extend(right)
            for record in right:
                place[record] = left
        return sorted(tuple(sorted(group)) for group in {id(group): group for group in place.values()}.values())

    def _refuse(self, pair: Pair, reason: tuple[str, str]) -> None:
        self._refused[pair] = reason
        if pair in self._must:
            self._messages.append(f"dedup: {pair.left} and {pair.right} were said to be the same, but {reason[1]}")

    def _conflict(self, left: Sequence[RecordId], right: Sequence[RecordId]) -> tuple[str, str] | None:
        """The rule and the reason why two groups cannot be one."""
        said = self._said_apart(left, right)
        if said is not None:
            return said
        shared = {one.source for one in left} & {other.source for other in right} - self._rules.several
        if shared:
            reason = f"the cluster would hold two records of {', '.join(sorted(shared))}"
            return "one_record_per_source", reason
        if self._rules.review is None:
            return None
        for one, other in sorted(product(left, right)):
            first, second = self._facts[one], self._facts[other]
            if Pair.of(one, other) in self._related:
                return "related", f"{one} and {other} are related, not the same"
            if conflict(first.part, second.part):
                return "part_numbers", f"part numbers of {one} and {other} conflict: {first.part} and {second.part}"
            if first.isbns and second.isbns and not first.isbns & second.isbns:
                return "identifiers", f"{one} and {other} have no ISBN in common"
        return None

    def _said_apart(self, left: Sequence[RecordId], right: Sequence[RecordId]) -> tuple[str, str] | None:
        for one, other in sorted(product(left, right)) if self._apart else ():
            if Pair.of(one, other) in self._apart:
                return "person", f"a person said that {one} and {other} are not the same"
        return None

    # -- the middle --------------------------------------------------------------------------------------------------

    def _score(self, groups: Iterable[Group]) -> None:
        """Score all pairs inside groups of three and more that have no edge."""
        if self._rules.review is None:
            return
        inside = (Pair.of(*pair) for group in groups if len(group) > 2 for pair in combinations(group, 2))
        missing = [pair for pair in inside if pair not in self._scores]
        self._scores.update(zip(missing, self._similarity(missing), strict=True))

    def _checked(self, group: Group) -> tuple[Group, list[RecordId]]:
        """The members that are like the medoid, and those that are not; what people said the same stays together."""
        left: list[RecordId] = []
        if self._rules.review is None:
            return group, left
        while len(group) > 2:
            medoid = min(group, key=lambda one: (-sum(self._like(one, other) for other in group), one))
            gone = {
                record
                for unit in self._units(group)
                if medoid not in unit and max(self._like(medoid, member) for member in unit) < self._rules.review
                for record in unit
            }
            if not gone:
                break
            left += sorted(gone)
            group = tuple(record for record in group if record not in gone)
            for one, other in product(sorted(gone), group):
                reason = f"{one} is not enough like {medoid}, the middle of the cluster"
                self._refused.setdefault(Pair.of(one, other), ("medoid", reason))
        return group, left

    def _like(self, one: RecordId, other: RecordId) -> float:
        return 1.0 if one == other else self._scores[Pair.of(one, other)]

    def _units(self, group: Group) -> list[Group]:
        """The members of a group, those together that people said to be the same."""
        inside = set(group)
        tied = components(
            pair for pair in self._must if pair not in self._refused and pair.left in inside and pair.right in inside
        )
        held = {record for unit in tied for record in unit}
        return [*tied, *((record,) for record in group if record not in held)]

    # -- size --------------------------------------------------------------------------------------------------------

    def _cut(self, pairs: list[Pair]) -> list[Pair]:
        """The pairs without the weakest of components that are too large."""
        if self._rules.review is None:
            return pairs
        groups = components(pairs)
        if all(len(group) <= self._rules.largest for group in groups):
            return pairs
        place = {record: number for number, group in enumerate(groups) for record in group}
        own: list[list[Pair]] = [[] for _ in groups]
        for pair in pairs:
            own[place[pair.left]].append(pair)
        return [
            pair
            for group, inside in zip(groups, own, strict=True)
            for pair in (inside if len(group) <= self._rules.largest else self._strong(group, inside))
        ]

    def _strong(self, group: Group, pairs: list[Pair]) -> list[Pair]:
        """The pairs of a component above the least score that leaves no part of it too large, else of the highest."""
        levels = sorted({self._scores[pair] for pair in pairs})
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            parts = components(pair for pair in pairs if self._scores[pair] >= levels[middle])
            if max(map(len, parts)) <= self._rules.largest:
                high = middle
            else:
                low = middle + 1
        kept = [pair for pair in pairs if self._scores[pair] >= levels[low] or pair in self._must]
        reason = f"a component of {len(group)} records was cut at the score {levels[low]:.3f}"
        for pair in set(pairs).difference(kept):
            self._refused[pair] = ("largest_cluster", reason)
        self._messages.append(f"dedup: {reason}; it holds {group[0]}. Is a key or a description shared by mistake?")
        return kept

    def _edge(self, edge: Edge, place: Mapping[RecordId, int]) -> Edge:
        """An edge as it stands when all clusters are known."""
        left, right = place.get(edge.pair.left), place.get(edge.pair.right)
        is_joined = left is not None and left == right
        if edge.verdict.decision != "same" or is_joined or edge.pair in self._must:
            return edge
        rule, reason = self._refused.get(edge.pair, ("medoid", "one of them left the cluster of the other"))
        verdict = Verdict("review", rule, (*edge.verdict.reasons, reason), edge.verdict.relation)
        return msgspec.structs.replace(edge, verdict=verdict)


def components(pairs: Iterable[Pair]) -> list[Group]:
    """The connected components of pairs, each in the order of its records, in the order of their first."""
    place: dict[RecordId, list[RecordId]] = {}
    for pair in pairs:
        left, right = (place.setdefault(record, [record]) for record in (pair.left, pair.right))
        if left is not right:
            small, large = sorted((left, right), key=len)
            large.extend(small)
            for record in small:
                place[record] = large
    return sorted(tuple(sorted(group)) for group in {id(group): group for group in place.values()}.values())
