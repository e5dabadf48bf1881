"""The profile ``loc`` writes what the stylesheet of the Library of Congress (MARC21slim2MODS 3.7, 1.140) writes."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest
from lxml import etree

from bibld.crosswalk import marc21
from bibld.model.mods_xml import to_element

DATA = os.environ.get("BIBLD_TEST_DATA")

pytestmark = pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")

FOLDER = Path(DATA or "")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

RECORDS = 1830
"""The number of records that have an expected description."""


@pytest.fixture(scope="module")
def agreement():
    """The module that measures; it is one of the benchmarks."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("loc_agreement")
    finally:
        sys.path.remove(str(BENCHMARKS))


EXPECTED = sorted((FOLDER / "mods" / "loc_expected").glob("*.jsonl.gz")) if DATA else []


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.partition(".")[0])
def test_every_record_is_identical(agreement, path):
    different = [
        (result.position, (result.expected - result.got) + (result.got - result.expected))
        for result in agreement.compared(path, FOLDER)
        if result.expected != result.got
    ]
    assert different == []


def test_all_expected_records_are_compared(agreement):
    assert sum(1 for path in EXPECTED for _ in agreement.compared(path, FOLDER)) == RECORDS


def test_the_comparison_finds_differences(agreement):
    record = next(agreement.records(agreement.source_of(EXPECTED[0], FOLDER)))
    ours, theirs = (
        agreement.nodes(to_element(marc21.convert(record, settings).mods))
        for settings in (agreement.STD, agreement.LOC)
    )
    assert ours != theirs


@pytest.mark.parametrize("version", ["3.7", "3.8"])
@pytest.mark.parametrize("profile", ["std", "loc"])
def test_every_description_is_valid(agreement, profile, version):
    file = FOLDER / "mods" / "schema" / f"mods-{version.replace('.', '-')}.xsd"
    schema = etree.XMLSchema(etree.parse(file))
    settings = marc21.Settings(profile=profile)
    faults = []
    for path in EXPECTED:
        for position, record in enumerate(agreement.records(agreement.source_of(path, FOLDER))):
            root = to_element(marc21.convert(record, settings).mods)
            root.set("version", version)
            if not schema.validate(root):
                faults.append((path.name, position, schema.error_log[0].message))
    assert faults == []
