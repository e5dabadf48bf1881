"""Methods side by side: each has the figures of a separate evaluation, and one that fails does not end the others."""

import re
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import bibld
from bibld.cli import command_line
from bibld.dedup import comparison
from bibld.dedup.clustering import pairs_in_clusters
from bibld.errors import ConfigError
from bibld.protocols.adapters import adapter_names

FIGURES = ("candidate_recall", "candidates", "candidates_per_record", "precision", "recall", "f1")


def figures(result):
    return [getattr(result, name) for name in FIGURES]


def test_each_method_has_the_figures_of_its_own_evaluation(sample):
    workspace, pairs = bibld.Workspace(sample), sample.parent / "gold_pairs.csv"
    found = workspace.compare_methods(pairs, "paper, identifier+composite:model")
    assert [one.method for one in found.methods] == ["paper", "identifier+composite:model"]
    for one in found.methods:
        assert one.note == ""
        assert figures(one) == figures(workspace.evaluate(pairs, mode="full", block=one.block, score=one.score))
        assert one.seconds > 0
        assert one.memory >= 0
    assert (found.records, found.true_pairs) == (289, 98)
    paper, other = found.methods
    assert (paper.score, other.score) == ("jaccard", "model")


def test_with_mode_pairs_only_labelled_pairs_count(sample):
    pairs = sample.parent / "gold_pairs.csv"
    (full,) = bibld.Workspace(sample).compare_methods(pairs, "paper").methods
    (labelled,) = bibld.Workspace(sample).compare_methods(pairs, "paper", mode="pairs").methods
    assert labelled.recall == full.recall
    assert labelled.precision >= full.precision


def test_a_method_that_fails_is_reported_and_the_others_are_measured(sample, tmp_path):
    (tmp_path / "junk.json").write_text("{}", encoding="utf-8")
    with sample.open("a", encoding="utf-8") as file:
        file.write(f'[dedup.model]\nfile = "{tmp_path / "junk.json"}"\n')
    found = bibld.Workspace(sample).compare_methods(sample.parent / "gold_pairs.csv", "composite:model,paper:jaccard")
    broken, paper = found.methods
    assert broken.note
    assert broken.candidates == 0
    assert paper.note == ""
    assert paper.candidates > 0


def test_functions_are_measured_as_in_their_own_evaluation(sample):
    def years(mods):
        return [date.value[:4] for origin in mods.origin_info for date in origin.date_issued]

    def same_title(left, right):
        return float(left.title_info == right.title_info)

    workspace, pairs = bibld.Workspace(sample), sample.parent / "gold_pairs.csv"
    methods = "years:same_title,paper+years,paper:jaccard"
    found = workspace.compare_methods(pairs, methods, block=[years], score=[same_title])
    arguments = [([years], same_title), (["paper", years], None), (["paper"], "jaccard")]
    for one, (block, score) in zip(found.methods, arguments, strict=True):
        assert one.note == ""
        assert figures(one) == figures(workspace.evaluate(pairs, mode="full", block=block, score=score))
    with pytest.raises(ConfigError, match=r'unknown dedup\.block adapter "years"'):
        workspace.compare_methods(pairs, "years")


def test_all_are_the_blockers_the_configured_method_and_combinations(sample):
    config = bibld.Workspace(sample).config.with_dedup(("composite", "simhash"), None)
    names = comparison._methods("all", config)
    assert {*adapter_names("dedup.block"), "composite+simhash", "identifier+composite"} <= {*names}
    assert len(names) == len({*names})


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("", "name at least one method"),
        ("compsite", 'unknown dedup.block adapter "compsite"; did you mean "composite"?'),
        ("composite:modle", 'did you mean "model"?'),
    ],
)
def test_unknown_methods_are_refused(sample, methods, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        bibld.Workspace(sample).compare_methods(sample.parent / "gold_pairs.csv", methods)


def test_the_command_prints_a_table_json_and_a_drawing(sample, tmp_path):
    words = ["evaluate", str(sample), "--pairs", str(sample.parent / "gold_pairs.csv"), "--quiet", "--methods", "paper"]
    drawing, page = tmp_path / "methods.svg", tmp_path / "methods.html"
    table = CliRunner().invoke(command_line, [*words, "--plot", str(drawing)], catch_exceptions=False).stdout
    printed = CliRunner().invoke(command_line, [*words, "--json", "--plot", str(page)], catch_exceptions=False).stdout
    (paper,) = msgspec.json.decode(printed)["methods"]
    (line,) = (line for line in table.splitlines() if line.startswith("paper "))
    assert f"{paper['candidate_recall']:.4f}" in line
    assert f"{paper['f1']:.4f}" in line
    root = ElementTree.parse(drawing).getroot()
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 2, "one mark in each of two panels"
    assert "<svg" in page.read_text(encoding="utf-8")
    refused = CliRunner().invoke(command_line, [*words, "--sweep"])
    assert refused.exit_code == 2


def test_pairs_of_clusters_are_all_pairs_of_their_members():
    members, starts = np.array([1, 5, 0, 2, 9, 3, 4]), np.array([0, 2, 5, 7])
    found = pairs_in_clusters(members, starts)
    pairs = [(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in found]
    assert pairs == [(0, 2), (0, 9), (1, 5), (2, 9), (3, 4)]
    assert len(pairs_in_clusters(np.empty(0, np.int64), np.zeros(1, np.int64))) == 0


def test_the_curve_counts_the_candidates_of_each_bin():
    similarities = np.array([0.31, 0.34, 0.5, 0.999, 1.0, 1.0])
    is_found = np.array([True, False, True, True, True, False])
    curve = comparison._bins(similarities, is_found)
    assert [(one.similarity, one.pairs, one.found) for one in curve] == [
        (0.3, 2, 0.5),
        (0.5, 1, 1.0),
        (0.95, 1, 1.0),
        (1.0, 2, 0.5),
    ]
