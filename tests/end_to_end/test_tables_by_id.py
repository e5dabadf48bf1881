"""Rows of tables are known by their column ``id``: to people, to files of pairs and deletions, and to the next run."""

import pytest

import bibld

CONFIG = """
workspace = "build"
[dataset]
base = "https://books.example.org/"
title = {en = "Two tables"}
publisher = "A library"
license = "https://creativecommons.org/publicdomain/zero/1.0/"
[[source]]
id = "t"
path = "cards.csv"
[[source]]
id = "u"
path = "list.jsonl"
deletes = "withdrawn.txt"
"""
CARDS = """id,title,author,year,publisher,pages
A1,War and Peace,Leo Tolstoy,1922,Oxford University Press,1300
A2,Anna Karenina,Leo Tolstoy,1918,Oxford University Press,800
"""
LIST = """{"id": "B1", "title": "War and peace", "author": "Tolstoy, Leo", "year": 1922, "pages": 1300}
{"id": 17, "title": "Anna Karenina", "author": "Tolstoy, Leo", "year": "1918", "pages": 800}
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("bibld.toml", CONFIG), ("cards.csv", CARDS), ("list.jsonl", LIST), ("withdrawn.txt", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    bibld.Workspace(tmp_path / "bibld.toml").run()
    return tmp_path


def test_rows_are_found_by_their_ids(folder):
    workspace = bibld.Workspace(folder / "bibld.toml")
    assert [row.record for row in workspace.records()] == ["t:A1", "t:A2", "u:B1", "u:17"]
    assert workspace.explain("t:A1").title == "war and peace"
    assert workspace.explain("17").record == "u:17"
    assert workspace.explain("A1", "u:B1").shared_blocking_keys


def test_files_of_pairs_and_verdicts_name_rows_by_their_ids(folder):
    workspace = bibld.Workspace(folder / "bibld.toml")
    pairs = folder / "pairs.csv"
    pairs.write_text("left,right,label\nt:A1,u:B1,1\nA2,17,1\nA1,17,0\n", encoding="utf-8")
    found = workspace.evaluate(pairs, across=True)
    assert (found.true_pairs, found.pairs, found.skipped) == (2, 3, ())
    assert found.candidate_recall == 1
    assert len(workspace.review.import_csv(pairs, "anna").new) == 3
    assert {(row.left, row.right) for row in workspace.review.verdicts()} == {
        ("t:A1", "u:17"),
        ("t:A1", "u:B1"),
        ("t:A2", "u:17"),
    }


def test_a_corrected_row_keeps_its_id_and_a_deleted_one_is_skipped(folder):
    (folder / "cards.csv").write_text(CARDS.replace("Karenina", "Karénina"), encoding="utf-8")
    (folder / "withdrawn.txt").write_text("B1\n", encoding="utf-8")
    workspace = bibld.Workspace(folder / "bibld.toml")
    workspace.run()
    assert [row.record for row in workspace.records()] == ["t:A1", "t:A2", "u:17"]
    assert "Karénina" in workspace.record("t:A2").original.decode()
    assert workspace.explain("u:B1").deleted
    pairs = folder / "pairs.csv"
    pairs.write_text("left,right\nA1,B1\nA2,17\n", encoding="utf-8")
    found = workspace.evaluate(pairs)
    assert found.pairs == 1
    assert found.skipped == ('pairs.csv line 2: record "B1" not found in the catalog; was it loaded?',)


def test_pairs_with_a_source_that_no_label_is_about_do_not_count(folder):
    """Nobody labelled the pairs with a third catalogue, which has the same books."""
    (folder / "third.csv").write_text(CARDS, encoding="utf-8")
    config = folder / "bibld.toml"
    config.write_text(f'{CONFIG}[[source]]\nid = "v"\npath = "third.csv"\n', encoding="utf-8")
    workspace = bibld.Workspace(config)
    workspace.run()
    pairs = folder / "pairs.csv"
    pairs.write_text("left,right,label\nt:A1,u:B1,1\nt:A2,u:17,1\n", encoding="utf-8")
    found = workspace.evaluate(pairs)
    assert (found.precision, found.recall, found.wrong) == (1, 1, ())
    (method,) = workspace.compare_methods(pairs, "composite:model", across=True).methods
    assert (method.precision, method.recall) == (1, 1)
    pairs.write_text("left,right,label\nt:A1,u:B1,1\nt:A2,v:A2,1\n", encoding="utf-8")
    assert {(one.left, one.right) for one in workspace.evaluate(pairs).wrong} == {("t:A2", "u:17"), ("t:A1", "v:A1")}
