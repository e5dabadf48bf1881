"""Columns of features return what they were built from; counted words have their counts, others 1."""

import numpy as np
import pytest

from bibld.model.features import FeatureColumns, Features, Statistics, TextColumn

FIRST = Features(title="Война и мир", author="толстой", part="1", identifiers="isbn:1|issn:2", year=1869, pages=300)
SECOND = Features(title="", names="a||b", height=25)


def test_rows_of_columns_are_the_features_they_were_built_from():
    columns = FeatureColumns.from_features([(3, FIRST), (7, SECOND)])
    assert len(columns) == 2
    assert columns.ordinals.tolist() == [3, 7]
    assert [columns.features(0), columns.features(1)] == [FIRST, SECOND]
    assert (columns.title.text(0), columns.author.text(0), columns.part.text(0)) == ("Война и мир", "толстой", "1")
    chosen = columns.rows([1])
    assert (chosen.ordinals.tolist(), chosen.features(0), len(chosen)) == ([7], SECOND, 1)


@pytest.mark.parametrize("text, values", [("isbn:1|issn:2", ["isbn:1", "issn:2"]), ("a||b|", ["a", "b"]), ("", [])])
def test_the_values_of_a_text_are_separated_and_empty_ones_left_out(text, values):
    column = TextColumn.from_texts(["before", text, "after"])
    assert (len(column), column.values(1), column.text(2)) == (3, values, "after")


def test_words_have_the_counts_of_the_statistics_and_others_one():
    words = np.array([10, 20, 30], dtype=np.uint64)
    statistics = Statistics(100, words, np.array([5, 6, 7], dtype=np.int32), {})
    asked = np.array([30, 5, 20, 25, 99, 10], dtype=np.uint64)
    assert statistics.frequencies(asked).tolist() == [7, 1, 6, 1, 1, 5]
    assert Statistics.empty().frequencies(asked).tolist() == [1] * 6
    assert Statistics.empty().records == 0
