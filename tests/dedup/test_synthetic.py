"""The truth of the synthetic catalogue that the benchmarks measure by: who describes what, and all true pairs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RECORDS = 6_000


@pytest.fixture(scope="module")
def layout():
    """The module that lays the catalogue out; it is in the folder of the benchmarks."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("_synthetic.layout")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def catalogue(layout):
    return layout.layout(RECORDS, 3)


def test_any_cut_has_the_same_truth(layout, catalogue):
    cuts = [layout.truth(catalogue, start, min(start + 1_234, RECORDS)) for start in range(0, RECORDS, 1_234)]
    assert np.array_equal(np.concatenate(cuts), layout.truth(catalogue, 0, RECORDS))
    assert not np.array_equal(layout.truth(layout.layout(RECORDS, 4), 0, RECORDS), layout.truth(catalogue, 0, RECORDS))


def test_true_pairs_are_the_rows_of_one_publication(layout, catalogue):
    members: dict[int, list[int]] = {}
    for row, publication in enumerate(layout.truth(catalogue, 0, RECORDS).tolist()):
        members.setdefault(publication, []).append(row)
    expected = {(one, row) for rows in members.values() for row in rows for one in rows if one < row}
    cuts = [layout.pairs(catalogue, start, start + 1_500) for start in range(0, RECORDS, 1_500)]
    found = [(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for cut in cuts for pair in cut]
    assert len(found) == len(set(found)) == layout.count_of_pairs(catalogue)
    assert set(found) == expected


def test_library_a_has_most_of_what_b_has(layout, catalogue):
    truth = layout.truth(catalogue, 0, RECORDS)
    in_a, in_b = truth[: catalogue.in_a], truth[catalogue.in_a :]
    assert len(in_a) == 0.6 * RECORDS
    assert np.isin(in_b, in_a).mean() == pytest.approx(0.7, abs=0.01)
    assert len(in_a) - len(set(in_a.tolist())) == int(0.002 * len(in_a))


@pytest.mark.parametrize("records", [1, 2, 3, 10, 999])
def test_small_catalogues_have_pairs_too(layout, records):
    small = layout.layout(records, 1)
    assert len(layout.pairs(small, 0, records)) == layout.count_of_pairs(small)
