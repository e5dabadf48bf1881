"""The default mapping of MARC 21 differs from the stylesheet of the Library of Congress by named corrections alone."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path

import pytest
from lxml import etree

from bibld.crosswalk import marc21
from bibld.model.mods_xml import to_element

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")
RECORDS = 1830
"""The number of records of which the output of the stylesheet is stored."""


@pytest.fixture(scope="module")
def agreement():
    """The module that measures; it is one of the benchmarks."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module("loc_agreement")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_each_correction_is_documented(agreement):
    page = (ROOT / "docs" / "reference" / "mapping-marc21.md").read_text(encoding="utf-8")
    assert set(agreement.CORRECTIONS) <= set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))


def test_an_element_is_changed_added_or_missing(agreement):
    ours, theirs = (
        agreement.nodes(etree.fromstring(f'<mods xmlns="http://www.loc.gov/mods/v3">{text}</mods>'))
        for text in ("<note>A.</note><genre>B</genre>", '<note type="x">A</note><abstract>C</abstract>')
    )
    found = sorted(map(str, agreement.differences(ours, theirs)))
    assert found == ["added genre  : B", "changed note type,text : A.", "missing abstract  : C"]
    assert [each.correction for each in agreement.differences(ours, theirs)] == ["notes_complete", None, None]


@REAL
def test_each_difference_is_explained_and_each_description_is_valid(agreement):
    schemas = [etree.XMLSchema(etree.parse(FOLDER / "mods" / "schema" / f"mods-{name}.xsd")) for name in ("3-7", "3-8")]
    count = 0
    for record, written in agreement.pairs(FOLDER):
        root = to_element(marc21.convert(record, marc21.Settings()).mods)
        found = agreement.differences(agreement.nodes(root), agreement.nodes(written))
        assert [str(each) for each in found if each.correction is None] == [], record.origin
        for version, schema in zip(("3.7", "3.8"), schemas, strict=True):
            root.set("version", version)
            assert schema.validate(root), (record.origin, schema.error_log[0].message)
        count += 1
    assert count == RECORDS
