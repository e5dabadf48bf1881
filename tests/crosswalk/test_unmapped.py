"""What no rule reads has a reason, and the list of it for all real files fits on a page."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

from bibld import crosswalk
from bibld.crosswalk import Tally

FOLDER = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")
CLASS_MARKS_AND_HOLDINGS = ("051", "055", "070", "082", "850", "852", "853", "863", "866")


@pytest.fixture(scope="module")
def unmapped():
    """The module that lists; it is one of the benchmarks."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        return importlib.import_module("unmapped")
    finally:
        sys.path.pop(0)


def coverage_of(*names, flavour="marc21"):
    tally = Tally()
    tally.add(flavour, names, (), names)
    return {row.name: row.reason for row in crosswalk.coverage(tally)}


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("040$d", "about the record"),
        ("700$5", "the library whose copy"),
        ("810$7", "the type of record"),
        ("245$y", ""),
    ],
)
def test_a_reason_belongs_to_a_pattern_of_subfields(name, begins):
    reason = coverage_of(name)[name]
    assert reason.startswith(begins) and bool(reason) == bool(begins)


def test_subfields_of_one_reason_are_one_line(unmapped):
    tally = Tally()
    tally.add("marc21", ["040$c", "040$d", "042$a", "245$y"], (), ["040$c", "040$d", "042$a", "245$y"])
    lines = unmapped.page(crosswalk.coverage(tally))
    assert [line.partition(":")[0] for line in lines] == ["marc21 040$cd 042$a, 3 times", "marc21 245$y, 1 time"]
    assert lines[1].endswith("245?")


@REAL
def test_the_list_of_the_real_files_fits_on_a_page_and_gives_a_reason_for_each_line(unmapped):
    lines = unmapped.page(unmapped.unmapped(FOLDER))
    assert len(lines) <= unmapped.PAGE
    assert [line for line in lines if line.endswith("?") and line[-4:-1] not in CLASS_MARKS_AND_HOLDINGS] == []
