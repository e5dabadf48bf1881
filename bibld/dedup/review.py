"""Decisions by people: the pairs to review, the verdicts about them, and the clusters that follow.

``undecided_pairs`` and ``load_question`` return the pairs that matching left undecided; ``store_verdicts`` stores
verdicts about these or any other pairs; ``split_verdicts`` makes the verdicts that take records out of their clusters;
``preview_clusters`` returns the clusters to expect from the next run.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, product

import msgspec
import numpy as np

from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.config import Config
from bibld.dedup.clustering import PersonDecisions, cluster_pairs, rank_by_id
from bibld.dedup.deciding_facts import deciding_facts
from bibld.dedup.decisions import Decider
from bibld.dedup.features import features_of
from bibld.dedup.memory import frozen_statistics
from bibld.dedup.side_by_side import ComparedValue, compare_cards, describe_differences
from bibld.errors import ConfigError
from bibld.model.brief import brief
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

_PAIRS_OF_TENTH = 1_000

_Ruled = tuple[Pair, float, str]
"""A pair, its score, and the rule that decided about it."""

SPLIT = "split"
"""The first word of the reasons of verdicts that take a record out of its cluster."""

Ordinals = tuple[int, int]
"""The ordinals of a pair, the smaller first."""


class Question(msgspec.Struct, frozen=True):
    """A pair to be reviewed by a person.

    ``compared`` are the lines of the catalogue cards as the libraries wrote them. ``reasons`` state why the pair was
    left undecided, what is equal, what differs, and what only one record states. ``would_decide`` state what would have
    to be known to decide. ``relation`` is the relation that matching suggests in case the two are not the same;
    ``pages`` are the addresses of the two records.
    """

    left: str
    right: str
    score: float
    by: str
    reasons: tuple[str, ...]
    relation: str
    compared: tuple[ComparedValue, ...]
    pages: tuple[str, ...] = ()
    would_decide: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def pair(self) -> Pair:
        """Return the two records."""
        return Pair(RecordId.parse(self.left), RecordId.parse(self.right))

    @property
    def sides(self) -> tuple[str, str]:
        """Return short names of the two records: their sources if these differ."""
        left, right = self.pair.left.source, self.pair.right.source
        return (left, right) if left != right else ("first", "second")


# -- pairs to review -------------------------------------------------------------------------------------------------


def undecided_pairs(catalog: Catalog, config: Config, source: str | None = None) -> Iterator[Pair]:
    """Yield the pairs for review that nobody has decided, those first from whose decision most is learned.

    Pairs are of one kind if they are of the same two sources, the same rule sent them to review, and their scores are
    in the same tenth. The kinds take turns, so that the first questions are of different kinds; a kind of which people
    have decided n pairs begins in turn n + 1. In each turn those kinds are first that have many undecided pairs, and
    uncertain ones: by their number, times 1 less the distance of the score from the middle between ``review`` and
    ``same``. Of a kind, the pairs nearest to this middle are first; ties are in the order of ordinals.

    Kinds are looked up for the first ``_PAIRS_OF_TENTH`` pairs of each tenth only, so that a million pairs are no
    burden. The others follow, nearest to the middle first. ``source``: only pairs with a record of this source.
    """
    settings = config.settings("dedup.score", config.dedup.score)
    same = float(settings.same)
    review = getattr(settings, "review", None)
    middle = same if review is None else (same + float(review)) / 2
    linkage, decided = catalog.linkage, catalog.verdicts.decisions()
    first = [ends for ends in linkage.most_uncertain(middle, _PAIRS_OF_TENTH) if ends not in decided]

    def others() -> Iterator[Pair]:
        seen = {*first, *decided}
        for ends in linkage.review_queue(middle):
            if ends not in seen:
                yield Pair.from_records(*map(catalog.register.record, ends))

    for pair in chain(_take_turns(list(linkage.rules(first)), linkage.rules(decided), middle), others()):
        if source is None or source in (pair.left.source, pair.right.source):
            yield pair


def _take_turns(waiting: Sequence[_Ruled], decided: Iterable[_Ruled], middle: float) -> list[Pair]:
    """Return undecided pairs, of which the most uncertain are first, in the turns of their kinds."""
    counts, turns = Counter(map(_kind, waiting)), Counter(map(_kind, decided))
    order = []
    for position, one in enumerate(waiting):
        kind = _kind(one)
        weight = round(counts[kind] * (1 - abs(one[1] - middle)), 6)
        order.append((turns[kind], -weight, position))
        turns[kind] += 1
    return [waiting[position][0] for *_, position in sorted(order)]


def _kind(one: _Ruled) -> tuple[str, str, str, int]:
    pair, score, rule = one
    return pair.left.source, pair.right.source, rule, int(10 * score)


def load_question(catalog: Catalog, config: Config, pair: Pair) -> Question | None:
    """Load what a person needs to decide about a pair; None if it is no longer to be reviewed."""
    edge = catalog.edge(pair)
    if edge is None or edge.verdict.decision != "review":
        return None
    left, right = (catalog.record(record) for record in (pair.left, pair.right))
    if left is None or right is None or left.deleted or right.deleted:
        return None
    features = features_of(left.mods), features_of(right.mods)
    names = names_in_sentences(pair)
    iris = Iris(config.dataset.base)
    return Question(
        left=str(pair.left),
        right=str(pair.right),
        score=edge.score.value,
        by=edge.verdict.by,
        reasons=(*edge.verdict.reasons, *describe_differences(*features, names)),
        relation=edge.verdict.relation,
        compared=compare_cards(left.mods, right.mods, features),
        pages=(iris.record(pair.left), iris.record(pair.right)),
        would_decide=tuple(deciding_facts(*features, names, config)),
    )


def names_in_sentences(pair: Pair) -> tuple[str, str]:
    """Return what sentences call two records: their sources if these differ, else their ids."""
    left, right = pair.left, pair.right
    return (left.source, right.source) if left.source != right.source else (str(left), str(right))


# -- verdicts of people ----------------------------------------------------------------------------------------------


def store_verdicts(
    verdicts: Verdicts, new: Sequence[PersonVerdict], given: str, locations: Mapping[Pair, str] | None = None
) -> list[PersonVerdict]:
    """Store verdicts, all or none of them, and return those that were not stored before.

    ``given`` is the time (ISO 8601); ``locations`` name the line that each pair was read from, for the messages. Raises
    ``ConfigError`` if two records would be the same and not the same, also by way of others, and ``CatalogError`` if
    the register cannot be written.
    """
    with verdicts.transaction():
        by_ordinals = {verdicts.ordinals(verdict.pair): verdict for verdict in new}

        def origin(ordinals: Ordinals) -> str:
            pair = verdicts.pair(ordinals)
            stored = None if ordinals in by_ordinals else verdicts.get(pair)
            if stored is not None:
                return f"decided by {stored.person} on {stored.given_at}"
            return (locations or {}).get(pair, "decided now")

        faults = []
        decisions = verdicts.decisions() | {ordinals: verdict.decision for ordinals, verdict in by_ordinals.items()}
        for separate, chain in _contradictions(decisions, by_ordinals.keys()):
            pair, links = verdicts.pair(separate), [(verdicts.pair(link), origin(link)) for link in chain]
            ways = "; ".join(f"{one.left} is the same as {one.right} ({where})" for one, where in links)
            faults.append(
                f"{pair.left} and {pair.right} cannot be kept apart ({origin(separate)}): {ways}; correct or withdraw"
                " one of these"
            )
        if faults:
            raise ConfigError(faults)
        return verdicts.add(new, given)


def withdraw_verdict(verdicts: Verdicts, pair: Pair) -> PersonVerdict:
    """Withdraw the last verdict about a pair and return it; the verdict before it is in force again.

    Raises ``ConfigError`` if no person has decided about the pair.
    """
    with verdicts.transaction():
        stored = verdicts.get(pair)
        if stored is None:
            raise ConfigError([f"{pair.left} and {pair.right}: no verdict of a person to withdraw"])
        verdicts.withdraw(stored)
        return stored


def _contradictions(decisions: Mapping[Ordinals, str], new: Set[Ordinals]) -> Iterator[tuple[Ordinals, list[Ordinals]]]:
    """Yield the pairs that are separate and yet joined by others, with the chain, if a new verdict is part of it."""
    beside: defaultdict[int, list[int]] = defaultdict(list)
    for (left, right), decision in decisions.items():
        if decision == "same":
            beside[left].append(right)
            beside[right].append(left)
    for separate, decision in decisions.items():
        if decision != "same" and separate[0] in beside and separate[1] in beside:
            chain = _chain(separate, beside)
            if chain and (separate in new or not new.isdisjoint(chain)):
                yield separate, chain


def _chain(ends: Ordinals, beside: Mapping[int, Sequence[int]]) -> list[Ordinals]:
    """Return the shortest chain of pairs that are the same from one end to the other; empty if there is none."""
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


# -- splitting and joining clusters ------------------------------------------------------------------------------------


def split_verdicts(catalog: Catalog, records: Sequence[RecordId], person: str, reason: str = "") -> list[PersonVerdict]:
    """Return the verdicts by which records leave their clusters, but stay with each other.

    Pairs that a person separated before are left out. Raises ``ConfigError`` for every record that is deleted or
    alone, and if all members of a cluster would leave.
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
    for founder, named in leaving.items():
        if len(named) == len(members[founder]):
            names = " and ".join(map(str, named))
            faults.append(f"{names} are their whole cluster: name those that do not belong to the others, not all")
    if faults:
        raise ConfigError(faults)
    verdicts = catalog.register.verdicts()
    words = f"{SPLIT}: {reason}" if reason else SPLIT
    return [
        PersonVerdict(pair, "different", person, words)
        for founder, named in leaving.items()
        for one, other in product(named, [member for member in members[founder] if member not in named])
        if (pair := Pair.from_records(one, other)) not in verdicts or verdicts[pair].decision == "same"
    ]


def withdraw_split_verdicts(verdicts: Verdicts, records: Iterable[RecordId]) -> list[PersonVerdict]:
    """Withdraw the verdicts that took these records out of their clusters, and return them.

    Earlier verdicts about the same pairs are in force again.
    """
    wanted = set(records)
    with verdicts.transaction():
        return [
            one
            for one in verdicts.current()
            if one.decision == "different"
            and one.reason.partition(":")[0] == SPLIT
            and not wanted.isdisjoint((one.pair.left, one.pair.right))
            and verdicts.withdraw(one)
        ]


def preview_clusters(catalog: Catalog, config: Config, records: Iterable[RecordId]) -> list[tuple[RecordId, ...]]:
    """Return the clusters to expect for records and the members of their clusters, by stored pairs and verdicts.

    They are clustered as in a run. The next run may find others, if it finds new pairs.
    """
    found = {record for one in records for record in _members(catalog, one)}
    by_ordinal = sorted(found, key=catalog.register.assign_ordinal)
    read = {record: catalog.record(record) for record in by_ordinal}
    live = [(record, one.mods) for record, one in read.items() if one is not None and not one.deleted]
    position = {record: index for index, (record, _) in enumerate(live)}
    decider = Decider.from_records(live, config, frozen_statistics(catalog, config))
    verdicts = {
        (position[pair.left], position[pair.right]): verdict.decision
        for pair, verdict in catalog.register.verdicts().items()
        if pair.left in position and pair.right in position
    }
    pairs = [(position[edge.pair.left], position[edge.pair.right]) for edge in catalog.edges_of(position)]
    ends = np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
    clustered = cluster_pairs(
        decider,
        decider.edges([(ends[:, 0], ends[:, 1])]),
        PersonDecisions.from_verdicts({(min(ends), max(ends)): decision for ends, decision in verdicts.items()}),
        lambda positions: rank_by_id([live[index][0] for index in positions.tolist()]),
    )
    groups = [tuple(live[index][0] for index in members.tolist()) for members in clustered.clusters()]
    alone = found.difference(*groups)
    return sorted([*groups, *((record,) for record in alone)], key=lambda one: catalog.register.assign_ordinal(one[0]))


def _members(catalog: Catalog, record: RecordId) -> tuple[RecordId, ...]:
    cluster = catalog.cluster_of(record)
    return cluster.members if cluster else (record,)
