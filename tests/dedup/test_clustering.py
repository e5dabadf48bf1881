"""Clusters partition the records, whatever the order of the links, and every constraint holds inside them."""

from itertools import combinations, pairwise
from math import inf
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.dedup import clustering
from bibld.dedup.clustering import PersonDecisions, cluster_pairs
from bibld.dedup.decisions import DIFFERENT, RELATED, SAME, DecidedPairs, Refusal
from bibld.dedup.exceptions import Exceptions
from tests.dedup import twins

RECORDS = [(source, number) for source in ("dnb", "nlr", "rsl", "slavica") for number in "123"]
NODES = range(len(RECORDS))
pairs = st.sampled_from(list(combinations(NODES, 2)))
scores = st.sampled_from([0.1, 0.4, 0.6, 0.9, 0.92, 0.95, 0.99, 1.0])


class World(NamedTuple):
    """Links with their scores, the scores of all pairs, what bars some, and the verdicts of people."""

    links: dict
    scores: dict
    bars: dict
    people: dict


@st.composite
def worlds(draw):
    all_scores = {pair: draw(scores) for pair in combinations(NODES, 2)}
    people = draw(st.dictionaries(pairs, st.booleans(), max_size=4))
    links = {pair: max(all_scores[pair], 0.9) for pair in draw(st.sets(pairs, max_size=20))}
    all_scores |= links
    links |= {pair: all_scores[pair] for pair, is_same in people.items() if is_same}
    links = {pair: score for pair, score in links.items() if people.get(pair, True)}
    bars = draw(
        st.dictionaries(pairs, st.sampled_from([Refusal.RELATION, Refusal.PARTS, Refusal.IDENTIFIERS]), max_size=20)
    )
    bars = {pair: bar for pair, bar in bars.items() if bar == Refusal.IDENTIFIERS or pair not in links}
    return World(links, all_scores, bars, people)


class Rules(NamedTuple):
    """The settings of clusters; they may contain several records of ``with_duplicates`` sources."""

    with_duplicates: frozenset = frozenset()
    largest: int = 50
    review: float | None = None


EXCEPTIONS = {Refusal.PARTS: Exceptions.PART_NUMBERS, Refusal.IDENTIFIERS: Exceptions.IDENTIFIERS}


class WorldDecider:
    """Decides as a world is."""

    def __init__(self, world, rules, records):
        names = sorted({source for source, _ in records})
        self.sources = np.array([-1 if one in rules.with_duplicates else names.index(one) for one, _ in records])
        self.largest_cluster, self.review, self._world = rules.largest, rules.review, world

    def decide(self, left, right):
        pairs = [tuple(sorted(pair)) for pair in zip(left.tolist(), right.tolist(), strict=True)]
        bars = [self._world.bars.get(pair, 0) for pair in pairs]
        decisions = [
            SAME if pair in self._world.links else RELATED if bar == Refusal.RELATION else DIFFERENT
            for pair, bar in zip(pairs, bars, strict=True)
        ]
        nothing = np.zeros(len(pairs), bool)
        return DecidedPairs(
            *np.array(pairs, np.uint32).reshape(-1, 2).T,
            np.array([self._world.scores[pair] for pair in pairs], float),
            np.array(decisions, np.uint8),
            np.array([EXCEPTIONS.get(bar, 0) for bar in bars], np.uint16),
            nothing,
            nothing,
        )


def run(world, rules, order=None, records=RECORDS):
    """The clusters of two and more as tuples of nodes, what refused each link, and the result."""
    found = sorted(world.links)
    if order is not None:  # pairs in another order, and others that are known too
        others = [pair for pair in combinations(range(len(records)), 2) if pair not in world.links]
        found += order.sample(others, min(20, len(others)))
        order.shuffle(found)
    decider = WorldDecider(world, rules, records)
    pairs = decider.decide(*np.array(found, dtype=np.int64).reshape(-1, 2).T)
    verdicts = {pair: "same" if is_same else "different" for pair, is_same in world.people.items()}
    result = cluster_pairs(decider, pairs, PersonDecisions.from_verdicts(verdicts), lambda positions: positions)
    clusters = [tuple(members.tolist()) for members in result.clusters()]
    assert clusters == sorted(clusters)
    ends = zip(result.pairs.left.tolist(), result.pairs.right.tolist(), strict=True)
    refusals = dict(zip(ends, result.refusals.tolist(), strict=True))
    return clusters, {pair: code for pair, code in refusals.items() if pair in world.links}, result


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """The first use compiles, which no deadline of a single case should count."""
    one_by_one(Rules(review=0.5), (A, B, 0.9), (B, C, 0.9), records="abc")


RULES = [Rules(), Rules(review=0.5), Rules(frozenset({"rsl", "dnb"}), largest=4, review=0.5)]


@pytest.mark.parametrize("rules", RULES)
@given(worlds(), st.randoms())
def test_the_order_of_links_changes_nothing(rules, world, random):
    assert run(world, rules)[:2] == run(world, rules, random)[:2]


@pytest.mark.parametrize("rules", RULES[:2])
@given(worlds())
def test_the_clusters_are_those_of_plain_python(rules, world):
    by_people = {pair for pair, is_same in world.people.items() if is_same}
    separated = world.people.keys() - by_people
    best_first = sorted(
        world.links.keys() - separated, key=lambda pair: (pair not in by_people, -world.links[pair], pair)
    )
    links = [(*pair, pair in by_people) for pair in best_first]
    expected = twins.clusters(
        links, separated, [source for source, _ in RECORDS], world.scores, world.bars, rules.review
    )
    assert run(world, rules)[0] == [cluster for cluster in expected if len(cluster) > 1]


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_no_record_is_in_two_clusters_and_only_linked_records_are_joined(rules, world):
    clusters, refused, _ = run(world, rules)
    members = [node for cluster in clusters for node in cluster]
    assert len(members) == len(set(members))
    place = {node: number for number, cluster in enumerate(clusters) for node in cluster}
    assert set(place) <= {node for pair in world.links for node in pair}
    for (left, right), code in refused.items():
        is_joined = left in place and place[left] == place.get(right)
        assert is_joined or code != 0


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_the_constraints_hold_between_all_members_that_no_person_joined(rules, world):
    musts = {pair for pair, is_same in world.people.items() if is_same}
    for cluster in run(world, rules)[0]:
        if any(pair in musts for pair in combinations(cluster, 2)):
            continue
        for left, right in combinations(cluster, 2):
            assert world.people.get((left, right), True)
            one, other = RECORDS[left][0], RECORDS[right][0]
            assert one != other or one in rules.with_duplicates
            assert rules.review is None or (left, right) not in world.bars


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_records_that_a_person_separated_are_never_in_one_cluster(rules, world):
    for cluster in run(world, rules)[0]:
        assert all(world.people.get(pair, True) for pair in combinations(cluster, 2))


@given(worlds())
def test_records_that_a_person_joined_are_in_one_cluster_unless_people_contradict_each_other(world):
    if not all(world.people.values()):
        return
    place = {node: number for number, cluster in enumerate(run(world, RULES[2])[0]) for node in cluster}
    assert all(place[left] == place[right] for left, right in world.people)


@given(worlds())
def test_every_member_is_similar_to_the_medoid(world):
    """Unless people joined it; the least score is the threshold for review."""
    if any(world.people.values()):
        return
    for cluster in run(world, Rules(review=0.5))[0]:
        similarities = {
            one: [world.scores[tuple(sorted((one, other)))] for other in cluster if other != one] for one in cluster
        }
        medoid = max(cluster, key=lambda one: (sum(similarities[one]), -one))
        assert len(cluster) == 2 or min(similarities[medoid]) >= 0.5


def one_by_one(rules, *found, records="abcde", bars=None, others=None, people=None):
    """Clusters, what refused each link, and the result; each letter names the source of a record."""
    links = {pair: score for *pair, score in ((*sorted(one[:2]), one[2]) for one in found) for pair in [tuple(pair)]}
    all_scores = dict.fromkeys(combinations(range(len(records)), 2), 0.9) | (others or {}) | links
    world = World(links, all_scores, bars or {}, people or {})
    return run(world, rules, records=[(letter, "") for letter in records])


A, B, C, D, E = range(5)


def test_the_best_link_wins_a_record_of_a_source_and_the_other_is_refused():
    clusters, refused, _ = one_by_one(Rules(), (A, B, 0.85), (A, C, 0.95), records="abb")
    assert clusters == [(A, C)]
    assert refused == {(A, B): Refusal.SOURCE, (A, C): 0}


def test_a_member_that_is_not_similar_to_the_medoid_leaves():
    others = {(A, D): 0.1, (B, D): 0.1, (A, E): 0.1, (B, E): 0.1, (C, E): 0.1}
    clusters, refused, _ = one_by_one(
        Rules(review=0.5),
        *((A, B, 0.99), (A, C, 0.98), (B, C, 0.99), (C, D, 0.95), (D, E, 0.91)),
        others=others,
    )
    assert clusters == [(A, B, C, D)]
    assert refused[D, E] == Refusal.MEDOID


def test_similar_members_that_leave_form_one_cluster():
    """Seven are like the first; the eighth and ninth are like each other, and like one of the seven."""
    others = {pair: 0.99 if pair[0] == 0 else 0.6 for pair in combinations(range(7), 2)}
    others |= {(low, high): 0.1 for low in range(7) for high in (7, 8)}
    found = [(0, other, 0.99) for other in range(1, 7)]
    clusters, refused, _ = one_by_one(
        Rules(review=0.5), *found, (6, 7, 0.9), (7, 8, 0.99), records="abcdefghi", others=others
    )
    assert clusters == [tuple(range(7)), (7, 8)]
    assert refused[6, 7] == Refusal.MEDOID


def test_isbns_without_one_in_common_and_different_parts_are_refused():
    clusters, refused, _ = one_by_one(
        Rules(review=0.5), (A, B, 0.99), (B, C, 0.95), records="abc", bars={(A, C): Refusal.PARTS}
    )
    assert clusters == [(A, B)]
    assert refused[B, C] == Refusal.PARTS
    clusters, refused, _ = one_by_one(Rules(review=0.5), (A, B, 0.99), records="ab", bars={(A, B): Refusal.IDENTIFIERS})
    assert clusters == []
    assert refused[A, B] == Refusal.IDENTIFIERS


def test_the_papers_method_uses_no_constraint_but_sources_and_verdicts():
    clusters, _, _ = one_by_one(Rules(), (A, B, 0.99), (B, C, 0.95), records="abc", bars={(A, C): Refusal.PARTS})
    assert clusters == [(A, B, C)]
    clusters, refused, _ = one_by_one(Rules(), (A, B, 0.99), (B, C, 0.95), records="abc", people={(A, C): False})
    assert clusters == [(A, B)]
    assert refused[B, C] == Refusal.PERSON


def test_a_verdict_joins_records_against_all_rules():
    clusters, refused, _ = one_by_one(
        Rules(review=0.5),
        *((A, B, 0.2), (A, C, 0.9)),
        records="aab",
        others={(B, C): 0.2},
        people={(A, B): True},
    )
    assert clusters == [(A, B, C)]
    assert set(refused.values()) == {0}


def test_of_contradicting_verdicts_the_consistent_one_is_used():
    people = {(A, B): True, (B, C): True, (A, C): False}
    clusters, refused, _ = one_by_one(Rules(review=0.5), (A, B, 0.9), (B, C, 0.8), records="abc", people=people)
    assert clusters == [(A, B)]
    assert refused[B, C] == Refusal.PERSON


def test_a_component_that_is_too_large_is_cut_at_a_higher_score():
    found = [
        (left, right, 0.99 if number % 2 == 0 else 0.91) for number, (left, right) in enumerate(pairwise(range(6)))
    ]
    others = dict.fromkeys(combinations(range(6), 2), 0.95)
    clusters, refused, result = one_by_one(Rules(largest=3, review=0.5), *found, records="abcdef", others=others)
    assert clusters == [(0, 1), (2, 3), (4, 5)]
    assert refused[1, 2] == refused[3, 4] == Refusal.CUT
    (cut,) = result.cuts
    assert (cut.position, cut.size, cut.score) == (0, 6, 0.99)


def test_very_many_records_that_no_score_divides_are_not_joined(monkeypatch):
    monkeypatch.setattr(clustering, "MAX_PART_RECORDS", 4)
    found = [(left, right, 0.91 if left == 4 else 0.99) for left, right in pairwise(range(8))]
    others = dict.fromkeys(combinations(range(8), 2), 0.95)
    clusters, refused, result = one_by_one(Rules(largest=2, review=0.5), *found, records="abcdefgh", others=others)
    assert clusters == [(5, 6, 7)], "the part of five is too large to be compared, that of three is not"
    assert set(refused.values()) == {0, Refusal.CUT}
    assert [(cut.position, cut.size, cut.score) for cut in result.cuts] == [(0, 8, 0.99), (0, 5, inf)]


@pytest.mark.parametrize(("size", "is_cut"), [(3, False), (4, True)])
def test_a_component_of_the_largest_size_is_left_and_one_with_a_record_more_is_cut(size, is_cut):
    found = [(left, right, 0.99 if left == 0 else 0.91) for left, right in pairwise(range(size))]
    others = dict.fromkeys(combinations(range(size), 2), 0.95)
    clusters, _, result = one_by_one(Rules(largest=3, review=0.5), *found, records="abcd"[:size], others=others)
    assert clusters == [(0, 1) if is_cut else tuple(range(size))]
    assert [cut.size for cut in result.cuts] == ([size] if is_cut else [])
