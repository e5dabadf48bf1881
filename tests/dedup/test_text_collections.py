"""Collections of texts, from CSV and JSON lines to clusters: copies are joined, excerpts related to their texts."""

import csv
import json
import random

import numpy as np
import pytest

import bibld
from bibld.dedup.decisions import cut_pairs
from bibld.dedup.memory import find_duplicates
from bibld.dedup.method import MethodOptions
from bibld.model.features import FeatureColumns, Features
from bibld.model.mods import Abstract, Mods, TitleInfo
from bibld.model.origin import RecordId

METHOD = """
[dedup]
block = ["exact", "minhash", "passages"]
score = "shingles"
[dedup.exact]
fields = ["text"]
[dedup.minhash]
fields = ["text"]
unit = "words"
size = 3
similarity = 0.45
"""
TEXTS_ONLY = MethodOptions(
    block=("exact", "minhash", "passages"),
    score="shingles",
    adapter_settings={
        "exact": {"fields": ("text",)},
        "minhash": {"fields": ("text",), "unit": "words", "size": 3, "similarity": 0.45},
    },
    sources_with_duplicates=frozenset("a"),
)


def words_of(seed, count=200):
    return random.Random(seed).choices([f"w{number}" for number in range(2000)], k=count)


def edited(words, seed):
    """The text with one word of twenty replaced."""
    return [f"x{place}" if place % 20 == seed else word for place, word in enumerate(words)]


@pytest.fixture
def collection(configured, tmp_path):
    """Five texts in a table, and a copy, an edited copy and two excerpts as JSON lines."""
    originals = [words_of(seed) for seed in range(5)]
    with (tmp_path / "a.csv").open("w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(("id", "title", "body"))
        rows.writerows((f"o{number}", f"Title {number}", " ".join(words)) for number, words in enumerate(originals))
    others = {
        "copy": originals[0],
        "edited": edited(originals[1], 3),
        "excerpt": originals[2][50:90],
        "end": originals[3][-30:],
        "other": words_of(9),
    }
    lines = [json.dumps({"id": name, "full text": " ".join(words).upper()}) + "\n" for name, words in others.items()]
    (tmp_path / "b.jsonl").write_text("".join(lines))
    return configured(METHOD, a="a.csv", b="b.jsonl")


def test_copies_and_excerpts_of_a_collection_are_found(collection, tmp_path):
    workspace = bibld.Workspace(tmp_path / "bibld.toml")
    workspace.run("dedup")
    assert sorted(sorted(row.records) for row in workspace.clusters()) == [["a:o0", "b:copy"], ["a:o1", "b:edited"]]
    assert {(row.left, row.right, row.relation, row.reasons[-1]) for row in workspace.pairs("related")} == {
        ("a:o2", "b:excerpt", "part_of", "the text of b:excerpt is part of the text of a:o2"),
        ("a:o3", "b:end", "part_of", "the text of b:end is part of the text of a:o3"),
    }


def found(*texts, method=TEXTS_ONLY):
    records = {
        RecordId("a", str(number)): Mods(abstract=(Abstract(text),) if text else ())
        for number, text in enumerate(texts)
    }
    return find_duplicates(records, method)


def test_short_and_empty_texts_are_joined_only_if_they_are_equal():
    result = found("Poems.", "poems", "verse", "", "", "two words", "Two words!")
    assert [[member.control_number for member in cluster.members] for cluster in result.clusters] == [
        ["0", "1"],
        ["5", "6"],
    ]


def test_equal_titles_without_another_field_are_reported_if_they_are_too_many():
    records = {RecordId("a", str(number)): Mods(title_info=(TitleInfo(title="Poems"),)) for number in range(300)}
    method = MethodOptions(block=("exact",), score="jaccard", sources_with_duplicates=frozenset("a"))
    result = find_duplicates(records, method)
    assert (result.candidates, result.clusters) == (0, ())
    (message,) = result.messages
    assert "exact" in message and "300 records" in message


def test_pairs_are_cut_into_portions_by_the_size_of_their_long_texts():
    rows = FeatureColumns.from_features(enumerate(Features(text="x" * 3_000_000 * (row % 2)) for row in range(8)))
    left, right = np.arange(7), np.arange(1, 8)

    def portions(names):
        return [(cut.start, cut.stop) for cut in cut_pairs(rows, names, left, right, 6)]

    assert portions({"text"}) == [(0, 2), (2, 5), (5, 6), (6, 7)]
    assert portions({"title"}) == portions(None) == [(0, 6), (6, 7)]
    assert list(cut_pairs(rows, None, left[:0], right[:0], 6)) == []
