"""Clusters partition the records, whatever the order of the edges, and every constraint holds inside them."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.dedup._clusters import ClusterRules, Facts, clustered
from bibld.dedup._exceptions import conflict
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId

RECORDS = [RecordId(source, number) for source in ("rsl", "nlr", "slavica", "dnb") for number in "123"]
records = st.sampled_from(RECORDS)
pairs = st.tuples(records, records).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: Pair.of(*pair))
scores = st.sampled_from([0.1, 0.4, 0.6, 0.9, 0.92, 0.95, 0.99, 1.0])


@st.composite
def edges(draw):
    found = draw(st.dictionaries(pairs, st.tuples(scores, st.sampled_from(["same", "same", "same", "related"]))))
    return [
        Edge(pair, Score(max(score, 0.9) if decision == "same" else score), Verdict(decision, "test"), "")
        for pair, (score, decision) in found.items()
    ]


@st.composite
def worlds(draw):
    """Edges with facts about their records, scores of all pairs, and verdicts of people, who have edges."""
    held = {edge.pair: edge for edge in draw(edges())}
    people = {
        pair: Verdict(decision, "anna")
        for pair, decision in draw(
            st.dictionaries(pairs, st.sampled_from(["same", "different", "related"]), max_size=4)
        ).items()
    }
    for pair, verdict in people.items():
        held[pair] = Edge(pair, Score(0.5), verdict, "")
    facts = draw(
        st.dictionaries(
            records,
            st.builds(Facts, st.sampled_from(["", "1", "2", "1 2"]), st.frozensets(st.sampled_from("ab"), max_size=2)),
        )
    )
    others = {Pair.of(*pair): draw(scores) for pair in combinations(RECORDS, 2)}
    others |= {pair: edge.score.value for pair, edge in held.items()}
    return list(held.values()), facts, others, people


def run(world, rules, order=None):
    found, facts, others, people = world
    found = list(found)
    if order is not None:
        order.shuffle(found)
    return clustered(
        found, rules, lambda record: facts.get(record, Facts()), lambda asked: [others[pair] for pair in asked], people
    )


RULES = [ClusterRules(), ClusterRules(review=0.5), ClusterRules(frozenset({"rsl", "dnb"}), largest=4, review=0.5)]


@pytest.mark.parametrize("rules", RULES)
@given(worlds(), st.randoms())
def test_the_order_of_edges_changes_nothing(rules, world, random):
    assert run(world, rules) == run(world, rules, random)


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_no_record_is_in_two_clusters_and_no_edge_is_lost(rules, world):
    result = run(world, rules)
    members = [record for cluster in result.clusters for record in cluster]
    assert len(members) == len(set(members))
    assert all(len(cluster) > 1 for cluster in result.clusters)
    assert [edge.pair for edge in result.edges] == sorted(edge.pair for edge in world[0])


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_what_is_the_same_is_in_one_cluster_and_what_people_kept_apart_is_not(rules, world):
    result = run(world, rules)
    people = world[3]
    place = {record: number for number, cluster in enumerate(result.clusters) for record in cluster}
    for edge in result.edges:
        together = place.get(edge.pair.left, -1) == place.get(edge.pair.right, -2)
        if edge.pair in people:
            assert edge.verdict == people[edge.pair], "the verdict of a person changed"
        elif edge.verdict.decision == "same":
            assert together
        if edge.pair in people and edge.verdict.decision != "same":
            assert not together


@pytest.mark.parametrize("rules", RULES)
@given(worlds())
def test_the_constraints_hold_between_all_members_that_no_person_joined(rules, world):
    _, facts, others, people = world
    if any(verdict.decision == "same" for verdict in people.values()):
        return
    for cluster in run(world, rules).clusters:
        single = [record.source for record in cluster if record.source not in rules.several]
        assert len(single) == len(set(single))
        if rules.review is None:
            continue
        for one, other in combinations(cluster, 2):
            first, second = facts.get(one, Facts()), facts.get(other, Facts())
            assert not conflict(first.part, second.part)
            assert not (first.isbns and second.isbns and not first.isbns & second.isbns)
        likeness = {one: sum(others[Pair.of(one, other)] for other in cluster if other != one) for one in cluster}
        medoids = [one for one in cluster if likeness[one] == pytest.approx(max(likeness.values()))]
        assert any(
            all(others[Pair.of(medoid, one)] >= rules.review for one in cluster if one != medoid) for medoid in medoids
        )


@given(worlds())
def test_what_a_person_joined_stays_together_unless_people_contradict_each_other(world):
    people = world[3]
    if any(verdict.decision != "same" for verdict in people.values()):
        return
    place = {record: number for number, cluster in enumerate(run(world, RULES[2]).clusters) for record in cluster}
    assert all(place[pair.left] == place[pair.right] for pair in people)


SAME = Verdict("same", "model", ("alike",))


def one_by_one(rules, *found, facts=None, others=None, people=None):
    held = [Edge(Pair.of(left, right), Score(score), SAME, "") for left, right, score in found]
    world = (held, facts or {}, {edge.pair: edge.score.value for edge in held} | (others or {}), people or {})
    result = run(world, rules)
    return result.clusters, {edge.pair: edge.verdict for edge in result.edges}, result.messages


A, B, C, D = RecordId("a", "1"), RecordId("b", "1"), RecordId("c", "1"), RecordId("d", "1")


def test_the_best_edge_wins_a_record_of_a_source_and_the_other_is_for_review():
    other = RecordId("b", "2")
    clusters, verdicts, _ = one_by_one(ClusterRules(), (A, B, 0.85), (A, other, 0.95))
    assert clusters == [(A, other)]
    assert verdicts[Pair.of(A, B)].decision == "review"
    assert verdicts[Pair.of(A, B)].by == "one_record_per_source"
    assert verdicts[Pair.of(A, other)] == SAME


def test_a_member_that_is_not_like_the_middle_leaves_and_the_edge_says_so():
    far = RecordId("e", "1")
    apart = {Pair.of(*pair): 0.1 for pair in ((A, D), (B, D), (A, far), (B, far), (C, far))}
    clusters, verdicts, _ = one_by_one(
        ClusterRules(review=0.5),
        *((A, B, 0.99), (A, C, 0.98), (B, C, 0.99), (C, D, 0.95), (D, far, 0.91)),
        others=apart,
    )
    assert clusters == [(A, B, C, D)]
    assert verdicts[Pair.of(D, far)].by == "medoid"
    assert verdicts[Pair.of(D, far)].decision == "review"


def test_isbns_without_one_in_common_and_different_parts_are_for_review():
    facts = {A: Facts("1"), B: Facts(), C: Facts("2")}
    clusters, verdicts, _ = one_by_one(ClusterRules(review=0.5), (A, B, 0.99), (B, C, 0.95), facts=facts)
    assert clusters == [(A, B)]
    assert verdicts[Pair.of(B, C)].by == "part_numbers"
    facts = {A: Facts(isbns=frozenset({"x", "y"})), B: Facts(isbns=frozenset({"z"}))}
    clusters, verdicts, _ = one_by_one(ClusterRules(review=0.5), (A, B, 0.99), facts=facts)
    assert clusters == []
    assert verdicts[Pair.of(A, B)].by == "identifiers"


def test_a_person_joins_what_no_rule_would_and_that_holds():
    other = RecordId("a", "2")
    people = {Pair.of(A, other): SAME}
    clusters, verdicts, messages = one_by_one(
        ClusterRules(review=0.5), (A, other, 0.2), (A, B, 0.9), others={Pair.of(B, other): 0.2}, people=people
    )
    assert clusters == [(A, other, B)]
    assert verdicts[Pair.of(A, other)].decision == "same"
    assert messages == ()


def test_verdicts_that_contradict_each_other_are_told():
    different = Verdict("different", "anna")
    people = {Pair.of(A, B): SAME, Pair.of(B, C): SAME, Pair.of(A, C): different}
    clusters, _, messages = one_by_one(ClusterRules(review=0.5), (A, B, 0.9), (B, C, 0.8), (A, C, 0.1), people=people)
    assert clusters == [(A, B)]
    assert len(messages) == 1
    assert "were said to be the same" in messages[0]


def test_a_component_that_is_too_large_is_cut_at_a_higher_score_with_a_message():
    chain = [RecordId(f"s{number}", "1") for number in range(6)]
    found = [(left, right, 0.99 if number % 2 == 0 else 0.91) for number, (left, right) in enumerate(pairwise(chain))]
    everything = {Pair.of(*pair): 0.95 for pair in combinations(chain, 2)}
    everything |= {Pair.of(left, right): score for left, right, score in found}
    clusters, verdicts, messages = one_by_one(ClusterRules(largest=3, review=0.5), *found, others=everything)
    assert clusters == [(chain[0], chain[1]), (chain[2], chain[3]), (chain[4], chain[5])]
    assert verdicts[Pair.of(chain[1], chain[2])].by == "largest_cluster"
    assert "6 records" in messages[0]
    whole, _, silence = one_by_one(ClusterRules(largest=6, review=0.5), *found, others=everything)
    assert (len(whole), silence) == (1, ())
