"""Evaluation: the confusion by material, what lost which pairs, and both modes of the command."""

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import bibld
from bibld import config, progress
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.dedup import evaluate
from bibld.dedup.decisions import DECISIONS
from bibld.dedup.memory import compare, prepare
from bibld.dedup.pair_files import read_pairs
from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Verdict


def evaluated(file, mode, **asked):
    loaded = config.load(file)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = read_pairs(file.parent / "gold_pairs.csv", catalog)
        return evaluate.evaluate(catalog, loaded, labelled, mode, progress.Silent(), evaluate.Measures(**asked))


def cells(material):
    return material.joined, material.lost, material.wrongly_joined, material.rightly_separate


def test_every_labelled_pair_is_in_one_cell_of_each_confusion(sample):
    found = evaluated(sample, "pairs")
    assert found.review == 0, "the method of the paper sends no pair to review"
    for materials in (found.materials, found.carriers, found.levels):
        assert len({one.material for one in materials}) == len(materials)
        assert sum(sum(cells(one)) for one in materials) == found.pairs
        joined, lost, wrong, separate = (sum(column) for column in zip(*map(cells, materials), strict=True))
        assert joined + lost == found.true_pairs
        assert (joined, lost + wrong) == (
            round(found.recall * found.true_pairs),
            len(found.wrong),
        )
        assert separate == sum(kind.right for kind in found.kinds if not kind.is_duplicate)
    assert {one.material for one in found.carriers} >= {"print", "map", "score", "electronic"}
    assert {one.material for one in found.levels} >= {"monograph", "volume", "set", "serial", "article"}


def test_pairs_joined_beside_the_labelled_ones_are_wrong_in_mode_full(sample):
    found = evaluated(sample, "full")
    labelled_wrong = sum(kind.pairs - kind.right for kind in found.kinds if not kind.is_duplicate)
    assert sum(one.wrongly_joined for one in found.materials) >= labelled_wrong > 0
    assert sum(one.wrongly_joined for one in found.levels) == sum(one.is_joined for one in found.wrong)


def test_more_pairs_than_memory_holds_are_refused(sample, monkeypatch):
    monkeypatch.setattr(evaluate, "_MAX_CANDIDATES", 10)
    with pytest.raises(StageError, match=r"more than 10 pairs.*evaluate fewer records"):
        evaluated(sample, "full")


def test_each_lost_pair_is_attributed_to_one_step(sample):
    found = evaluated(sample, "full")
    lost = [pair for loss in found.losses for pair in loss.pairs]
    assert len(lost) == len(set(lost))
    assert set(lost) == {(one.left, one.right) for one in found.wrong if not one.is_joined}
    assert {(loss.by, loss.step) for loss in found.losses} >= {
        ("not a candidate", "blocking"),
        ("different: jaccard", "threshold"),
    }
    assert [len(loss.pairs) for loss in found.losses] == sorted(
        (len(loss.pairs) for loss in found.losses), reverse=True
    )


@pytest.mark.parametrize(
    ("verdict", "step"),
    [
        (Verdict("review", "model"), "threshold"),
        (Verdict("related", "part_numbers"), "exception"),
        (Verdict("review", "part_numbers"), "cluster"),
        (Verdict("review", "carrier"), "exception"),
        (Verdict("related", "contained"), "exception"),
        (Verdict("review", "one_record_per_source"), "cluster"),
        (Verdict("review", "medoid"), "cluster"),
        (Verdict("different", "anna"), "person"),
    ],
)
def test_a_verdict_belongs_to_a_step(verdict, step):
    assert evaluate._step(verdict, "model") == step


def test_labelled_pairs_get_the_decisions_of_single_pairs(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = read_pairs(sample.parent / "gold_pairs.csv", catalog)
        with prepare(catalog, loaded, progress.Silent()) as ready:
            trial, labels = evaluate.Trial(ready, loaded, {}), evaluate.Labels.from_pairs(labelled, ready.rows, False)
            outcome = trial.match_pairs(labels.pairs)
            verdicts = {pair: verdict for _, pair, verdict in trial.verdicts(labels.pairs, outcome)}
        assert [DECISIONS[one] for one in outcome.decisions] == [one.decision for one in verdicts.values()]
        for item in labelled[::10]:
            alone = compare(catalog, loaded, item.pair.left, item.pair.right, progress.Silent())
            assert verdicts[item.pair] == alone.edge.verdict


@pytest.mark.parametrize("mode", ["pairs", "full"])
def test_the_command_measures_in_both_modes(sample, mode):
    words = ["evaluate", str(sample), "--pairs", str(sample.parent / "gold_pairs.csv"), "--quiet", "--mode", mode]
    printed = msgspec.json.decode(CliRunner().invoke(command_line, [*words, "--json"], catch_exceptions=False).stdout)
    found = evaluated(sample, mode)
    assert {name: printed[name] for name in ("mode", "precision", "recall", "f1", "candidate_recall", "pairs")} == {
        "mode": mode,
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "candidate_recall": found.candidate_recall,
        "pairs": found.pairs,
    }
    table = CliRunner().invoke(command_line, words, catch_exceptions=False).stdout
    assert f"F1                {found.f1:.4f}\n" in table
    for loss in found.losses:
        assert any(line.split("  ")[0] == loss.by and loss.step in line for line in table.splitlines())
    listed = CliRunner().invoke(command_line, [*words, "--wrong"], catch_exceptions=False).stdout.splitlines()
    expected = [
        f"{'wrongly joined' if one.is_joined else 'not joined'}: {one.left} {one.right} ({one.by})"
        for one in found.wrong
    ]
    assert listed[-len(expected) :] == expected


def test_a_pair_joined_through_another_record_is_reported_as_such(sample):
    found = evaluated(sample, "full")
    assert {one.by for one in found.wrong if one.is_joined} == {"same: jaccard"}
    loaded = config.load(sample)
    with (
        Catalog(loaded.workspace, read_only=True) as catalog,
        prepare(catalog, loaded, progress.Silent()) as ready,
    ):
        trial = evaluate.Trial(ready, loaded, {})
        unlinked = np.array([1 << 32 | 5], np.uint64)
        outcome = trial.match_pairs(unlinked[:0])._replace(joined=unlinked)
        (wrong,) = trial.wrong(unlinked[:0], outcome)
    assert (wrong.is_joined, wrong.by) == (True, "through others")


def test_no_blocker_proposes_more_than_all_together(sample):
    """A record may have one key twice; it is no candidate pair with itself."""
    loaded = config.load(sample).with_dedup(("identifier", "composite"), "model")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = read_pairs(sample.parent / "gold_pairs.csv", catalog)
        found = evaluate.evaluate(
            catalog, loaded, labelled, "full", progress.Silent(), evaluate.Measures(blockers=True)
        )
    *some, every = found.blockers
    assert every.candidates == found.candidates
    assert max(one.candidates for one in some) <= every.candidates


def test_pairs_of_one_source_do_not_count_across_sources(sample):
    every, found = (evaluated(sample, "full", across=across) for across in (False, True))
    assert found.within > 0
    assert found.pairs + found.within == every.pairs
    assert {
        left.partition(":")[0] != right.partition(":")[0] for loss in found.losses for left, right in loss.pairs
    } == {True}
    assert not any(one.left.partition(":")[0] == one.right.partition(":")[0] for one in found.wrong)
    (method,) = bibld.Workspace(sample).compare_methods(sample.parent / "gold_pairs.csv", "paper", across=True).methods
    assert (method.precision, method.recall, method.f1) == (found.precision, found.recall, found.f1)


@pytest.mark.parametrize("mode", ["pairs", "full"])
def test_calibration_counts_each_pair_in_the_bin_of_its_score(sample, mode):
    found = evaluated(sample, mode, sweep=True)
    assert [one.least for one in found.calibration] == sorted({one.least for one in found.calibration})
    assert all(one.least <= one.score <= 1 for one in found.calibration)
    true = round(sum(one.pairs * one.share for one in found.calibration))
    if mode == "pairs":
        assert sum(one.pairs for one in found.calibration) == found.pairs
        assert true == found.true_pairs
    else:
        assert true <= found.true_pairs
        assert min(one.least for one in found.calibration) >= evaluate.THRESHOLDS[0]


def test_unknown_and_deleted_records_are_skipped_and_counted(sample, tmp_path):
    pairs = tmp_path / "pairs.csv"
    lines = (sample.parent / "gold_pairs.csv").read_text(encoding="utf-8").splitlines()
    pairs.write_text("\n".join([*lines[:30], "rsl:000000000,nlr:1,1", *lines[30:]]), encoding="utf-8")
    words = ["evaluate", str(sample), "--pairs", str(pairs), "--quiet", "--mode", "pairs"]
    done = CliRunner().invoke(command_line, words, catch_exceptions=False)
    assert "210 labelled ones, 1 skipped; 289 records" in done.stdout
    assert (
        done.stderr == 'skipped: pairs.csv line 31: record "rsl:000000000" not found in the catalog; was it loaded?\n'
    )
    assert bibld.Workspace(sample).evaluate(pairs, mode="pairs").pairs == 210
    pairs.write_text("left,right\nrsl:1,nlr:2\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        bibld.Workspace(sample).evaluate(pairs)


def test_the_plot_shows_thresholds_and_calibration(sample, tmp_path):
    file = tmp_path / "sweep.svg"
    words = ["evaluate", str(sample), "--pairs", str(sample.parent / "gold_pairs.csv"), "-q", "--plot", str(file)]
    printed = CliRunner().invoke(command_line, words, catch_exceptions=False).stdout
    assert "score from" in printed
    drawn = file.read_text(encoding="utf-8")
    assert ">Matching by threshold<" in drawn and ">Calibration<" in drawn
    assert drawn.count("<circle") == drawn.count("<title>true pairs</title>") > 0
