"""Clusters partition the records, whatever the order of the edges."""

from hypothesis import given
from hypothesis import strategies as st

from bibld.dedup._clusters import clustered
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId

records = st.builds(RecordId, st.sampled_from(["rsl", "nlr", "slavica"]), st.sampled_from("12345"))


@st.composite
def edges(draw):
    pairs = draw(
        st.sets(st.tuples(records, records).filter(lambda pair: pair[0] != pair[1]).map(lambda p: Pair.of(*p)))
    )
    return [
        Edge(pair, Score(draw(st.floats(0, 1))), Verdict(draw(st.sampled_from(["same", "related"])), "test"), "")
        for pair in sorted(pairs)
    ]


@given(edges(), st.randoms())
def test_the_order_of_edges_changes_nothing(found, random):
    shuffled = list(found)
    random.shuffle(shuffled)
    assert clustered(found, frozenset()) == clustered(shuffled, frozenset())


@given(edges(), st.frozensets(st.sampled_from(["rsl", "nlr"])))
def test_no_record_is_in_two_clusters_and_a_source_gives_one_record_unless_it_may_give_more(found, several):
    clusters, kept = clustered(found, several)
    members = [record for cluster in clusters for record in cluster]
    assert len(members) == len(set(members))
    for cluster in clusters:
        single = [record.source for record in cluster if record.source not in several]
        assert len(single) == len(set(single))
    assert {edge.pair for edge in kept} == {edge.pair for edge in found}


def test_the_best_edge_wins_a_record_of_a_source_and_the_other_is_for_review():
    one, two, three = RecordId("rsl", "1"), RecordId("nlr", "2"), RecordId("nlr", "3")
    same = Verdict("same", "jaccard", ("alike",))
    weak, strong = Edge(Pair.of(one, two), Score(0.85), same, ""), Edge(Pair.of(one, three), Score(0.95), same, "")
    clusters, kept = clustered([weak, strong], frozenset())
    assert clusters == [tuple(sorted((one, three)))]
    decisions = {edge.pair: edge.verdict.decision for edge in kept}
    assert decisions == {Pair.of(one, two): "review", Pair.of(one, three): "same"}
