"""Evaluation: the confusion by material, what lost which pairs, and both modes of the command."""

import msgspec
import pytest
from click.testing import CliRunner

from bibld import config, dedup, progress
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.dedup import evaluate
from bibld.dedup.memory import prepare
from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId


def evaluated(file, mode, **asked):
    loaded = config.load(file)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = evaluate.read_pairs(file.parent / "gold_pairs.csv", catalog)
        return evaluate.evaluate(catalog, loaded, labelled, mode, progress.Silent(), **asked)


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
        labelled = evaluate.read_pairs(sample.parent / "gold_pairs.csv", catalog)
        with prepare(catalog, loaded, progress.Silent()) as ready:
            verdicts = evaluate.Trial(ready, loaded, {}).match_pairs(labelled).verdicts
        for item in labelled[::10]:
            alone = dedup.compare(catalog, loaded, item.pair.left, item.pair.right, progress.Silent())
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
    pair = Pair.from_records(RecordId("nlr", "1"), RecordId("rsl", "2"))
    assert evaluate._wrong([], evaluate.Outcome({pair}, {}), set()) == (
        evaluate.Wrong("nlr:1", "rsl:2", is_joined=True, by="through others"),
    )


def test_no_blocker_proposes_more_than_all_together(sample):
    """A record may have one key twice; it is no candidate pair with itself."""
    loaded = config.load(sample).with_dedup(("identifier", "composite"), "model")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        labelled = evaluate.read_pairs(sample.parent / "gold_pairs.csv", catalog)
        found = evaluate.evaluate(catalog, loaded, labelled, "full", progress.Silent(), blockers=True)
    *some, every = found.blockers
    assert every.candidates == found.candidates
    assert max(one.candidates for one in some) <= every.candidates
