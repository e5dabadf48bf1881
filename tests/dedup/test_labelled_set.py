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


SUBJECTS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and path.name not in HALVES)
RELATIONS = {"same", "translation", "part", "related", "different"}
LABELS = {"works": RELATIONS, "editions": RELATIONS}
"""Of a set by subject whose pairs are not of publications."""


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_pairs_of_a_subject_name_its_records_once(subject: str) -> None:
    records = [
        f"{path.stem}:{record.control_number}"
        for path in (FOLDER / subject).glob("*.mrk")
        for record in records_of(path)
    ]
    for table in {*(FOLDER / subject).glob("*.csv")} - {FOLDER / subject / "pairs.csv"}:
        with table.open(encoding="utf-8", newline="") as lines:
            records += [f"{table.stem}:{row['id']}" for row in csv.DictReader(lines)]
    rows = pairs(subject)
    assert len(set(records)) == len(records)
    assert {row[side] for row in rows for side in ("left", "right")} <= set(records)
    assert len({frozenset((row["left"], row["right"])) for row in rows}) == len(rows) > 100
    assert {row["label"] for row in rows} == LABELS.get(subject, {"0", "1"})
    assert all(row["family"] and row["kind"] for row in rows)


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
