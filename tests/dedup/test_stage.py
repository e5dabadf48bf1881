"""The stage over the sample: what is stored, what computes it again, what is measured and explained."""

import csv
import os
import shutil
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from bibld import config, pipeline, progress
from bibld._api import explaining as explain
from bibld.catalog import Catalog, PersonVerdict, Queue, Verdicts
from bibld.cli import command_line
from bibld.dedup import edges, evaluate
from bibld.dedup.candidates import CandidatePairs
from bibld.dedup.features import features_of
from bibld.dedup.index import Index
from bibld.dedup.key_tables import from_bytes
from bibld.dedup.pair_files import read_pairs
from bibld.dedup.stage import MatchingRun
from bibld.model.linkage import Pair, Verdict
from bibld.protocols import adapters
from tests.dedup import similarity
from tests.dedup.conftest import CLOCK

NOW = "2026-01-01T00:00:00Z"
EVERY = ("identifier", "composite", "simhash")


@pytest.fixture
def with_review(monkeypatch):
    """Make the scorer of the tests an adapter."""
    find = adapters.load_adapter
    offered = {("dedup.score", "similarity"): similarity}
    monkeypatch.setattr(adapters, "load_adapter", lambda stage, name: offered.get((stage, name)) or find(stage, name))


def chosen(file, block=EVERY, score="similarity"):
    """The configuration with other blockers and another scorer."""
    loaded = config.load(file)
    return msgspec.structs.replace(loaded, dedup=msgspec.structs.replace(loaded.dedup, block=block, score=score))


def dedup(catalog, loaded, messages=None, rematch_all=False):
    messages = messages or progress.Silent()
    return MatchingRun(catalog, loaded, messages, NOW, pipeline.stage_queue(catalog, "dedup"), rematch_all).run(False)


def evaluated(file, loaded, mode="full", **asked):
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = read_pairs(file.parent / "gold_pairs.csv", catalog)
        return evaluate.evaluate(catalog, loaded, labelled, mode, progress.Silent(), evaluate.Measures(**asked))


def give_verdict(loaded, one, other, decision, reason="seen"):
    with Verdicts(loaded.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(Pair.from_records(one, other), decision, "anna", reason)], "2026-01-01T00:00:00Z")


def test_the_figures_of_the_papers_method_are_unchanged(sample):
    found = evaluated(sample, config.load(sample))
    assert (found.precision, found.recall, found.f1) == (0.5, 0.1735, 0.2576)
    assert (found.candidate_recall, found.candidates) == (0.2653, 126)


def test_stored_edges_name_the_shared_keys_and_the_relation(sample, with_review):
    loaded = chosen(sample)
    with Catalog(loaded.workspace) as catalog:
        dedup(catalog, loaded, rematch_all=True)
        edges = list(catalog.linkage.edges())
    assert all(edge.score.shared_blocking_keys and edge.score.features for edge in edges)
    assert {key.partition(":")[0] for edge in edges for key in edge.score.shared_blocking_keys} == set(EVERY)
    assert {edge.verdict.decision for edge in edges} == {"same", "related", "review"}
    assert all(edge.verdict.relation for edge in edges if edge.verdict.decision == "related")
    assert "same_set" in {edge.verdict.relation for edge in edges}


def test_edges_do_not_depend_on_the_number_of_processes(sample, monkeypatch):
    loaded = config.load(sample)

    def stored_edges(workers):
        of_workers = msgspec.structs.replace(loaded, workers=workers)
        with Catalog(loaded.workspace) as catalog:
            dedup(catalog, of_workers, rematch_all=True)
            return list(catalog.linkage.edges())

    expected = stored_edges(1)
    monkeypatch.setattr(edges, "WORTH_PROCESSES", 1)
    monkeypatch.setattr(edges, "_explain", None)  # not called in this process
    assert stored_edges(2) == expected


def test_no_cluster_contains_two_volumes_of_a_set(sample, with_review):
    loaded = chosen(sample)
    with Catalog(loaded.workspace) as catalog:
        dedup(catalog, loaded, rematch_all=True)
        clusters = [catalog.linkage.members(founder) for founder in catalog.linkage.founders(least=2)]
        parts = [{features_of(catalog.records.mods(one)).part.split(" ")[0] for one in some} for some in clusters]
    assert clusters
    assert all(len(numbers - {""}) <= 1 for numbers in parts)


def test_a_run_matches_again_only_after_a_verdict_or_a_recount_of_statistics(sample):
    loaded = config.load(sample)

    def was_current(**asked):
        summary = pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup", **asked)
        return next(stage.was_current for stage in summary.stages if stage.stage == "dedup")

    assert was_current()
    assert not was_current(restat=True)
    assert was_current()
    with Catalog(loaded.workspace, read_only=True) as catalog:
        assert catalog.linkage.statistics()[0] == 2
        edge = next(edge for edge in catalog.linkage.edges() if edge.verdict.decision == "same")
    give_verdict(loaded, edge.pair.left, edge.pair.right, "different")
    assert not was_current()
    assert was_current()


def test_a_verdict_is_in_force_in_the_next_run(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        same = next(edge.pair for edge in catalog.linkage.edges() if edge.verdict.decision == "same")
        members = {
            record for founder in catalog.linkage.founders(2) for record in catalog.linkage.cluster(founder).members
        }
        everyone = [catalog.register.record(ordinal) for ordinal, _ in catalog.records.made_by()]
    alone = [record for record in everyone if record not in members]
    never = Pair.from_records(alone[0], alone[-1])
    give_verdict(loaded, same.left, same.right, "different", "two printings")
    give_verdict(loaded, never.left, never.right, "same")
    pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        assert same.right not in catalog.cluster_of(same.left).members
        assert catalog.cluster_of(never.left).members == tuple(
            sorted((never.left, never.right), key=catalog.register.ordinal)
        )
        assert catalog.edge(never).verdict == Verdict("same", "person", ("a person decided",))
        report = explain.explain_pair(catalog, loaded, same.left, same.right)
    assert (report.decision, report.by, report.reasons) == ("different", "anna", ("two printings",))


def test_statistics_stay_frozen_until_blocking_changes(sample):
    loaded = chosen(sample, score="jaccard")
    with Catalog(loaded.workspace) as catalog:
        for expected in (2, 2):
            dedup(catalog, loaded)
            assert catalog.linkage.statistics()[0] == expected
        dedup(catalog, config.load(sample))
        assert catalog.linkage.statistics()[0] == 3


def test_statistics_are_counted_again_when_a_key_has_grown_far(sample, monkeypatch):
    loaded, reports = chosen(sample, score="jaccard"), []
    match(loaded)
    before = stored(loaded)
    stale = [True, False]
    monkeypatch.setattr(CandidatePairs, "is_stale", property(lambda self: stale.pop(0)))
    match(loaded, reports)
    assert not stale
    assert stored(loaded) == before
    assert any("far more records share a key" in report for report in reports)


def match(loaded, reports=None):
    """Match what is in the queue; the messages are added to ``reports``."""

    class Reports(progress.Silent):
        def report(self, message):
            if reports is not None:
                reports.append(message)

        warn = report

    with Catalog(loaded.workspace) as catalog:
        return dedup(catalog, loaded, Reports())


def stored(loaded):
    """What matching has stored: edges, clusters, and which records have live rows."""
    with Catalog(loaded.workspace, read_only=True) as catalog:
        edges = {edge.pair: (edge.score, edge.verdict) for edge in catalog.linkage.edges()}
        clusters = [catalog.linkage.members(founder) for founder in catalog.linkage.founders()]
        rows = Index(catalog, loaded).open()
        return edges, clusters, sorted(rows.ordinals_of(rows.live))


def delete(loaded, ordinals):
    with Catalog(loaded.workspace) as catalog, catalog.commit():
        for ordinal in ordinals:
            catalog.records.delete(ordinal, run=99)


def folder_of(loaded):
    with Catalog(loaded.workspace, read_only=True) as catalog:
        state = catalog.matching.index()
        return Index(catalog, loaded).path(state.folder)


def test_a_deleted_record_leaves_an_outdated_row_until_a_quarter_of_them_is_so(sample):
    loaded = config.load(sample)
    before, (edges, _, live) = folder_of(loaded), stored(loaded)
    few, many = live[:3], live[3 : len(live) // 3]
    delete(loaded, few)
    match(loaded)
    assert folder_of(loaded) == before
    assert stored(loaded)[2] == live[3:]
    delete(loaded, many)
    match(loaded)
    after = folder_of(loaded)
    assert after != before and not before.exists()
    assert stored(loaded)[2] == live[len(live) // 3 :]
    with Catalog(loaded.workspace) as catalog:
        rows = Index(catalog, loaded).open()
        assert rows.live.all() and np.all(np.diff(rows.table.ordinals.astype(np.int64)) > 0)
        gone = {catalog.register.record(ordinal) for ordinal in live[: len(live) // 3]}
    assert stored(loaded)[0] == {pair: edge for pair, edge in edges.items() if gone.isdisjoint((pair.left, pair.right))}


def remove_file(path):
    path.unlink()


def truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 2] = b"\x1f" * (len(data) // 2 - len(data) // 3)
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [remove_file, truncate, overwrite])
@pytest.mark.parametrize("name", ["texts.uint8", "texts.starts.int64", "ordinals.uint64", "head.json", "keys-1.duckdb"])
def test_a_damaged_index_is_built_again_with_one_message(sample, name, damage):
    loaded = config.load(sample)
    expected = stored(loaded)
    damage(folder_of(loaded) / name)
    with Catalog(loaded.workspace) as catalog, catalog.commit():
        catalog.dirty[Queue.UNMATCHED_RECORDS].add(expected[2][:5])
    reports = []
    match(loaded, reports)
    assert stored(loaded) == expected
    messages = [message for message in reports if "again" in message]
    if (name, damage) == ("keys-1.duckdb", remove_file):
        return  # the keys of all rows are made without a message
    assert len(messages) == 1, reports
    assert str(loaded.workspace / "index") in messages[0]


def test_a_missing_index_is_built_again(sample):
    loaded = config.load(sample)
    expected = stored(loaded)
    shutil.rmtree(loaded.workspace / "index")
    reports = []
    match(loaded, reports)
    assert stored(loaded) == expected
    assert sum("the index is built again" in message for message in reports) == 1


def test_records_can_be_compared_while_a_run_has_opened_the_index(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace) as catalog:
        index, (number, _, statistics) = Index(catalog, loaded), catalog.linkage.statistics()
        with (
            index.key_tables(index.open(), from_bytes(statistics), number, progress.Silent()),
            Catalog(loaded.workspace, read_only=True) as reader,
        ):
            pair = next(edge.pair for edge in reader.linkage.edges())
            assert explain.explain_pair(reader, loaded, pair.left, pair.right).is_candidate


def test_the_figures_are_consistent(sample, with_review):
    found = evaluated(sample, chosen(sample), blockers=True, sweep=True)
    lost = sum(len(loss.pairs) for loss in found.losses)
    assert lost == found.true_pairs - round(found.recall * found.true_pairs)
    assert sum(one.joined + one.lost for one in found.materials) == found.true_pairs
    assert lost == sum(one.lost for one in found.materials)
    assert sum(kind.pairs for kind in found.kinds) == found.pairs
    all_blockers = found.blockers[-1]
    assert all_blockers.blocker == "all"
    assert (all_blockers.candidate_recall, all_blockers.candidates) == (found.candidate_recall, found.candidates)
    assert all(one.candidate_recall <= all_blockers.candidate_recall for one in found.blockers)
    assert {one.blocker for one in found.blockers} >= {*EVERY, "all", "  title 18"}
    at_setting = next(point for point in found.sweep if point.threshold == similarity.Settings().same)
    assert (at_setting.precision, at_setting.recall, at_setting.f1) == (found.precision, found.recall, found.f1)
    assert found.candidate_recall > 0.9
    assert any(loss.by.startswith("review: ") for loss in found.losses)


def test_pairs_are_scored_whether_or_not_they_are_candidates(sample):
    loaded = config.load(sample)
    full, pairs = evaluated(sample, loaded), evaluated(sample, loaded, mode="pairs", sweep=True)
    assert pairs.recall > full.recall
    assert all(loss.by != "not a candidate" for loss in pairs.losses)
    at_setting = next(point for point in pairs.sweep if point.threshold == 0.8)
    assert (at_setting.precision, at_setting.recall) == (pairs.precision, pairs.recall)


def test_the_command_prints_one_object_and_draws_the_sweep(sample, tmp_path):
    plot = tmp_path / "plot.svg"
    words = ["evaluate", str(sample), "--pairs", str(sample.parent / "gold_pairs.csv"), "--quiet"]
    done = CliRunner().invoke(command_line, [*words, "--json", "--plot", str(plot)], catch_exceptions=False)
    printed = msgspec.json.decode(done.stdout)
    assert printed.keys() >= {
        "precision", "recall", "f1", "candidate_recall", "candidates_per_record", "pairs", "seconds"
    }  # fmt: skip
    lines = ElementTree.parse(plot).getroot().findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines[:3]] == [len(printed["sweep"])] * 3
    table = CliRunner().invoke(command_line, [*words, "--wrong", "--blockers"], catch_exceptions=False).stdout
    assert "(not a candidate)" in table
    assert "paper" in table
    failed = CliRunner().invoke(command_line, [*words, "--plot", str(tmp_path / "no" / "plot.svg")])
    assert failed.exit_code == 2 and "there is no folder" in failed.output


def test_explain_reports_why_two_records_are_or_are_not_the_same(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        edges = {edge.verdict.decision: edge.pair for edge in catalog.linkage.edges()}
        candidates = {edge.pair for edge in catalog.linkage.edges()}
        with (sample.parent / "gold_pairs.csv").open(encoding="utf-8") as lines:
            far = next(
                pair
                for row in csv.DictReader(lines)
                if (
                    pair := Pair.from_records(
                        explain.resolve_record_id(catalog, row["left"]),
                        explain.resolve_record_id(catalog, row["right"]),
                    )
                )
                not in candidates
            )
        same, related, never = (
            explain.explain_pair(catalog, loaded, pair.left, pair.right)
            for pair in (edges["same"], edges["related"], far)
        )
    assert same.decision == "same" and same.in_one_cluster and same.shared_blocking_keys and not same.exceptions
    assert all(key == "paper: two bytes of the title and of the author" for key in same.shared_blocking_keys)
    assert related.relation == "same_set" and related.exceptions and "not merged" in related.cluster
    assert not never.is_candidate and never.decision == "different" and never.by == "blocking"
    assert never.left_keys and never.right_keys
    assert "no shared blocking key" in never.reasons[-1]
    title = next(one for one in same.compared if one.name == "title")
    assert str(title).startswith(("= title (equal): ", "≠ title (different): "))


def test_explain_prints_text_and_json(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        pair = next(edge.pair for edge in catalog.linkage.edges() if edge.verdict.decision == "same")
    words = ["explain", str(sample), str(pair.left), str(pair.right)]
    shown = CliRunner().invoke(command_line, words, catch_exceptions=False).stdout
    printed = msgspec.json.decode(CliRunner().invoke(command_line, [*words, "--json"], catch_exceptions=False).stdout)
    assert "decision: same" in shown
    assert printed["shared_blocking_keys"][0] in shown
    assert printed["compared"][0].keys() == {"name", "left", "right", "sign"}
