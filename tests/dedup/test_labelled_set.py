"""The measuring set of ``benchmarks/labelled``: its records can be read, and its two halves are independent."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sample_data.build import records_of

FOLDER = Path(__file__).parents[2] / "benchmarks" / "labelled"
HALVES = ("development", "test")


def pairs(half: str) -> list[dict[str, str]]:
    with (FOLDER / half / "pairs.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("half", HALVES)
def test_every_pair_names_two_records_of_two_libraries(half: str) -> None:
    records = {
        f"{path.stem}:{record.control_number}" for path in (FOLDER / half).glob("*.mrk") for record in records_of(path)
    }
    named = {row[side] for row in pairs(half) for side in ("left", "right")}
    assert named == records
    assert all(row["left"].partition(":")[0] != row["right"].partition(":")[0] for row in pairs(half))


def test_no_family_is_in_both_halves() -> None:
    development, test = ({row["family"] for row in pairs(half)} for half in HALVES)
    assert development and test and not development & test


@pytest.mark.parametrize("half", HALVES)
def test_duplicates_of_a_record_are_duplicates_of_each_other(half: str) -> None:
    rows = {frozenset((row["left"], row["right"])): row["label"] for row in pairs(half)}
    same = [pair for pair, label in rows.items() if label == "1"]
    for one in same:
        for other in same:
            if len(one ^ other) == 2:
                assert rows.get(one ^ other) == "1"
