"""Matching in memory gives what a run over the same records gives."""

import msgspec
import pytest

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.dedup.memory import Duplicates, find_duplicates
from bibld.dedup.method import MethodOptions, settings_digest
from bibld.dedup.stage import MatchingRun
from bibld.errors import ConfigError
from bibld.model.linkage import Pair, Verdict
from bibld.model.mods import Identifier, Mods, TitleInfo
from bibld.model.origin import RecordId

CLOCK = "2026-01-02T00:00:00Z"


def records_of(catalog):
    return {catalog.register.record(ordinal): catalog.records.mods(ordinal) for ordinal, _ in catalog.records.made_by()}


@pytest.mark.parametrize("method", ["model", "paper"])
def test_the_result_is_that_of_a_run_over_the_sample(sample, method):
    loaded = config.load(sample)
    if method == "model":
        loaded = msgspec.structs.replace(loaded, dedup=config.DedupConfig())
        with Catalog(loaded.workspace) as catalog:
            queue = pipeline.stage_queue(catalog, "dedup")
            MatchingRun(catalog, loaded, progress.Silent(), CLOCK, queue, rematch_all=True).run(restat=False)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        found = find_duplicates(records_of(catalog), loaded)
        assert found.pairs
        digest = settings_digest(loaded)
        stored = [msgspec.structs.replace(edge, made_by=digest) for edge in catalog.linkage.edges()]
        assert sorted(stored, key=lambda edge: edge.pair) == list(found.pairs)
        clusters = [catalog.linkage.cluster(founder) for founder in catalog.linkage.founders(2)]
        assert sorted(clusters, key=lambda one: one.founder) == sorted(found.clusters, key=lambda one: one.founder)
        assert clusters


def record(source, number, title):
    return RecordId(source, number), Mods(title_info=(TitleInfo(title=title),), identifier=(ISBN,))


ISBN = Identifier("9785020253308", type="isbn")
BOOKS = dict([record("a", "1", "История одного города"), record("b", "1", "История одного города. Сказки")])
LEFT, RIGHT = BOOKS
METHOD = MethodOptions(block=("identifier",), score="jaccard")


def test_thresholds_and_verdicts_decide():
    (pair,) = find_duplicates(BOOKS, msgspec.structs.replace(METHOD, same=0.5)).pairs
    assert 0.5 < pair.score.value < 0.95
    assert pair.verdict.decision == "same"
    found = find_duplicates(BOOKS, msgspec.structs.replace(METHOD, same=0.95))
    assert found.clusters == ()
    different = Verdict("different", "person", ("another edition",))
    found = find_duplicates(BOOKS, msgspec.structs.replace(METHOD, same=0.5), {Pair(LEFT, RIGHT): different})
    assert (found.clusters, found.pairs[0].verdict) == ((), different)
    same = Verdict("same", "person", ("compared on the shelf",))
    (cluster,) = find_duplicates(BOOKS, msgspec.structs.replace(METHOD, same=0.95), {Pair(LEFT, RIGHT): same}).clusters
    assert (cluster.founder, cluster.members) == (LEFT, (LEFT, RIGHT))


def test_the_first_record_founds_its_cluster_and_sources_may_have_duplicates():
    books = {RecordId("a", number): mods for number, mods in zip("21", BOOKS.values(), strict=True)}
    method = msgspec.structs.replace(METHOD, same=0.5)
    found = find_duplicates(books, method)
    assert (found.clusters, found.pairs[0].verdict.decision) == ((), "review")
    (cluster,) = find_duplicates(
        books, msgspec.structs.replace(method, sources_with_duplicates=frozenset({"a"}))
    ).clusters
    assert cluster.members == (RecordId("a", "2"), RecordId("a", "1"))


def test_without_records_there_are_no_clusters():
    assert find_duplicates({}) == Duplicates((), (), 0, ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block": ("composit",)}, 'did you mean "composite"'),
        ({"block": ()}, "at least one blocker"),
        ({"score": "jacard"}, 'did you mean "jaccard"'),
        ({"score": "jaccard", "review": 0.4}, 'unknown setting of jaccard "review"'),
        ({"same": 7}, "model: Expected .* <= 1"),
        ({"exceptions": ("colour",)}, "Invalid enum value 'colour'"),
        ({"largest_cluster": 1}, "largest_cluster"),
        ({"adapter_settings": {"paper": {}}}, "paper is not among the adapters used"),
    ],
)
def test_options_are_checked_before_anything_is_computed(options, message):
    with pytest.raises(ConfigError, match=message):
        MethodOptions(**options)
