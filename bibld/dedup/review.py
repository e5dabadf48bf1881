"""What people decide: the pairs that wait for them, what they may say, and what will come of it.

``waiting`` and ``question`` give the pairs that matching left undecided; ``give`` keeps what people say about them, or
about any other pair; ``parting`` is what takes records out of their clusters; ``outlook`` tells the clusters to come.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import product

import msgspec

from bibld.catalog import Catalog, PersonVerdict, StoredVerdict, Verdicts
from bibld.config import Config
from bibld.dedup._features import features_of
from bibld.errors import ConfigError
from bibld.model.features import Features
from bibld.model.linkage import Edge, Pair
from bibld.model.origin import RecordId

SPLIT = "split"
"""What the reasons begin with of the verdicts that take a record out of its cluster."""


Ordinals = tuple[int, int]
"""The ordinals of a pair, the smaller first."""


class ComparedFeature(msgspec.Struct, frozen=True):
    """One thing that two records say, and whether they say the same."""

    name: str
    left: str
    right: str

    @property
    def sign(self) -> str:
        """``=`` equal, ``≠`` different, ``?`` one of them does not say it."""
        return "=" if self.left == self.right else "≠" if self.left and self.right else "?"

    def __str__(self) -> str:
        return f"{self.sign} {self.name}: {self.left or '–'} | {self.right or '–'}"


class Question(msgspec.Struct, frozen=True):
    """A pair that waits for a person.

    ``relation`` is what the two are if they are not the same, as far as matching knows; ``reasons`` state why the pair
    was left undecided.
    """

    left: str
    right: str
    score: float
    by: str
    reasons: tuple[str, ...]
    relation: str
    compared: tuple[ComparedFeature, ...]

    @property
    def pair(self) -> Pair:
        """The two records."""
        return Pair(RecordId.parse(self.left), RecordId.parse(self.right))


def compare_features(left: Features, right: Features) -> tuple[ComparedFeature, ...]:
    """What at least one of two records says; 0 is a missing number."""
    one, other = (
        {name: str(value or "") for name, value in msgspec.structs.asdict(side).items()} for side in (left, right)
    )
    return tuple(
        ComparedFeature(name.replace("_", " "), one[name], other[name]) for name in one if one[name] or other[name]
    )


# -- the pairs that wait ---------------------------------------------------------------------------------------------


def undecided_pairs(catalog: Catalog, config: Config, source: str | None = None) -> Iterator[Pair]:
    """The pairs up for review about which nobody has said anything, the most uncertain first.

    Most uncertain is what scores nearest to the middle between ``review`` and ``same``; ties in the order of ordinals.
    ``source``: only pairs with a record of it.
    """
    settings = config.settings("dedup.score", config.dedup.score)
    same = float(settings.same)
    review = getattr(settings, "review", None)
    middle = same if review is None else (same + float(review)) / 2
    said = catalog.register.verdicts()
    for ordinals in catalog.linkage.review_queue(middle):
        pair = Pair.from_records(*map(catalog.register.record, ordinals))
        if pair not in said and (source is None or source in (pair.left.source, pair.right.source)):
            yield pair


def load_question(catalog: Catalog, pair: Pair) -> Question | None:
    """A pair as people are asked about it; None where it is not up for review any more."""
    edge = catalog.edge(pair)
    if edge is None or edge.verdict.decision != "review":
        return None
    held = [catalog.record(record) for record in (pair.left, pair.right)]
    features = [features_of(record.mods) for record in held if record is not None and not record.deleted]
    if len(features) < 2:
        return None
    return Question(
        left=str(pair.left),
        right=str(pair.right),
        score=edge.score.value,
        by=edge.verdict.by,
        reasons=edge.verdict.reasons,
        relation=edge.verdict.relation,
        compared=compare_features(*features),
    )


# -- what people say -------------------------------------------------------------------------------------------------


def store_verdicts(
    verdicts: Verdicts, sayings: Sequence[PersonVerdict], given: str, places: Mapping[Pair, str] | None = None
) -> list[StoredVerdict]:
    """Keep what a person says: all of it or nothing; gives what is new.

    ``given`` is the time (ISO 8601), ``places`` tell where each pair was read, for the messages. Raises ``ConfigError``
    where two records are said to be the same and not the same, be it by way of others; ``CatalogError`` where the
    register cannot be written.
    """
    with verdicts.transaction():
        new = {verdicts.ordinals(saying.pair): saying for saying in sayings}
        decisions = verdicts.decisions() | {ordinals: saying.decision for ordinals, saying in new.items()}
        faults = [
            _fault(verdicts, apart, chain, new, places or {}) for apart, chain in _contradictions(decisions, new.keys())
        ]
        if faults:
            raise ConfigError(faults)
        return verdicts.add(sayings, given)


def _fault(
    verdicts: Verdicts,
    apart: Ordinals,
    chain: Iterable[Ordinals],
    new: Mapping[Ordinals, PersonVerdict],
    places: Mapping[Pair, str],
) -> str:
    """Why a pair cannot be kept apart: the way by which its records are the same, and who says all that."""

    def origin(ordinals: Ordinals) -> str:
        pair = verdicts.pair(ordinals)
        held = None if ordinals in new else verdicts.get(pair)
        return f"decided by {held.verdict.person} on {held.given_at}" if held else places.get(pair, "decided now")

    pair = verdicts.pair(apart)
    links = [(verdicts.pair(link), origin(link)) for link in chain]
    ways = "; ".join(f"{one.left} is the same as {one.right} ({where})" for one, where in links)
    return (
        f"{pair.left} and {pair.right} cannot be kept apart ({origin(apart)}): {ways}; correct or withdraw one of these"
    )


def withdraw_verdict(verdicts: Verdicts, pair: Pair) -> StoredVerdict:
    """Take back what was said last of a pair, and give it; what was said before holds again.

    Raises ``ConfigError`` if no person has decided about it.
    """
    with verdicts.transaction():
        held = verdicts.get(pair)
        if held is None:
            raise ConfigError([f"{pair.left} and {pair.right}: no verdict of a person to withdraw"])
        verdicts.withdraw(held)
        return held


def _contradictions(decisions: Mapping[Ordinals, str], new: Set[Ordinals]) -> Iterator[tuple[Ordinals, list[Ordinals]]]:
    """Pairs that are kept apart and yet the same by way of others, with that way; old ones are nobody's fault now."""
    beside: defaultdict[int, list[int]] = defaultdict(list)
    for (left, right), decision in decisions.items():
        if decision == "same":
            beside[left].append(right)
            beside[right].append(left)
    for apart, decision in decisions.items():
        if decision != "same" and apart[0] in beside and apart[1] in beside:
            chain = _chain(apart, beside)
            if chain and (apart in new or not new.isdisjoint(chain)):
                yield apart, chain


def _chain(ends: Ordinals, beside: Mapping[int, Sequence[int]]) -> list[Ordinals]:
    """The shortest way from one end to the other by pairs that are the same; empty where there is none."""
    came = {ends[0]: ends[0]}
    ahead = deque(came)
    while ahead and ends[1] not in came:
        here = ahead.popleft()
        for there in beside[here]:
            if there not in came:
                came[there] = here
                ahead.append(there)
    chain: list[Ordinals] = []
    here = ends[1]
    while here in came and came[here] != here:
        chain.append((min(came[here], here), max(came[here], here)))
        here = came[here]
    return chain[::-1]


# -- taking records out of their clusters, and putting them together --------------------------------------------------


def split_verdicts(catalog: Catalog, records: Sequence[RecordId], person: str, reason: str = "") -> list[PersonVerdict]:
    """What is to be said so that records leave the others of their clusters, and stay together themselves.

    Pairs that people keep apart already are left as they are. Raises ``ConfigError`` for every record that is deleted
    or alone, and where all members of a cluster would leave.
    """
    faults: list[str] = []
    leaving: dict[RecordId, dict[RecordId, None]] = {}
    members: dict[RecordId, tuple[RecordId, ...]] = {}
    for record in records:
        cluster = catalog.cluster_of(record)
        if cluster is None:
            faults.append(f"{record} is deleted: it is in no cluster")
        elif len(cluster.members) == 1:
            faults.append(f"{record} is in no cluster with others: there is nothing to split it from")
        else:
            leaving.setdefault(cluster.founder, {})[record] = None
            members[cluster.founder] = cluster.members
    for founder, gone in leaving.items():
        if len(gone) == len(members[founder]):
            names = " and ".join(map(str, gone))
            faults.append(f"{names} are their whole cluster: name those that do not belong to the others, not all")
    if faults:
        raise ConfigError(faults)
    said = catalog.register.verdicts()
    words = f"{SPLIT}: {reason}" if reason else SPLIT
    return [
        PersonVerdict(pair, "different", person, words)
        for founder, gone in leaving.items()
        for one, other in product(gone, [member for member in members[founder] if member not in gone])
        if (pair := Pair.from_records(one, other)) not in said or said[pair].decision == "same"
    ]


def withdraw_split_verdicts(verdicts: Verdicts, records: Iterable[RecordId]) -> list[StoredVerdict]:
    """Take back the verdicts that took these records out of their clusters; gives those taken back.

    What people had said before of the same pairs holds again.
    """
    asked = set(records)
    with verdicts.transaction():
        return [
            one
            for one in verdicts.current()
            if one.verdict.decision == "different"
            and one.verdict.reason.partition(":")[0] == SPLIT
            and not asked.isdisjoint((one.verdict.pair.left, one.verdict.pair.right))
            and verdicts.withdraw(one)
        ]


def preview_clusters(catalog: Catalog, config: Config, records: Iterable[RecordId]) -> list[tuple[RecordId, ...]]:
    """The clusters to come of records and of the members of their clusters, as far as stored pairs and verdicts tell.

    The next matching knows more: it compares members anew, and a record that was kept out may find a place now.
    """
    found: dict[RecordId, RecordId] = {}
    for record in records:
        cluster = catalog.cluster_of(record)
        for member in cluster.members if cluster else (record,):
            found[member] = member
    said = catalog.register.verdicts()
    inside = {pair: verdict for pair, verdict in said.items() if pair.left in found and pair.right in found}
    edges = [edge for edge in catalog.edges_of(found) if edge.pair not in inside]
    apart = {pair for pair, verdict in inside.items() if verdict.decision != "same"}
    barred = apart | {edge.pair for edge in edges if edge.verdict.decision == "related"}
    several = {source.id for source in config.sources if source.config.duplicates}
    groups = {record: [record] for record in found}
    for pair in sorted(pair for pair, verdict in inside.items() if verdict.decision == "same"):
        _unite(groups, pair, lambda one, other: Pair.from_records(one, other) in apart)
    for edge in sorted((edge for edge in edges if edge.verdict.decision == "same"), key=_best_first):
        _unite(
            groups,
            edge.pair,
            lambda one, other: (
                Pair.from_records(one, other) in barred or (one.source == other.source and one.source not in several)
            ),
        )
    unique = {id(group): tuple(_by_ordinal(catalog, group)) for group in groups.values()}
    return sorted(unique.values(), key=lambda group: catalog.register.assign_ordinal(group[0]))


def _unite(groups: dict[RecordId, list[RecordId]], pair: Pair, is_barred: Callable[[RecordId, RecordId], bool]) -> None:
    """Join the groups of two records, unless something bars two members from one group."""
    left, right = groups[pair.left], groups[pair.right]
    if left is not right and not any(is_barred(one, other) for one, other in product(left, right)):
        left += right
        groups.update((record, left) for record in right)


def _best_first(edge: Edge) -> tuple[float, Pair]:
    return -edge.score.value, edge.pair


def _by_ordinal(catalog: Catalog, records: Iterable[RecordId]) -> list[RecordId]:
    return sorted(records, key=catalog.register.assign_ordinal)
