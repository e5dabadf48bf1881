"""Every folder of ``cases/marc21`` holds a record and the MODS that it must become; a librarian can add one.

``record.mrk`` is MARCMaker text (``\\`` is a blank, ``%`` begins a comment), ``expected.mods.xml`` the MODS, in any
layout and with the elements of different kinds in any order. ``warnings.txt``, where there is one, holds the warnings.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bibld.crosswalk import convert
from bibld.model.marc import MarcRecord
from bibld.model.mods_xml import from_xml, to_xml
from bibld.read import mrk

CASES = Path(__file__).parent / "cases" / "marc21"


def record_of(path: Path) -> MarcRecord:
    data = path.read_bytes()
    carrier = mrk.examine(io.BytesIO(data), path.name, "case", mrk.Settings())
    raw = next(iter(carrier.raws(io.BytesIO(data))))
    return carrier.parse(raw).record


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_record_becomes_the_expected_mods(case):
    flavour, converted = convert(record_of(CASES / case / "record.mrk"))
    assert flavour == "marc21"
    expected = from_xml((CASES / case / "expected.mods.xml").read_bytes())
    assert to_xml(converted.mods, pretty=True).decode() == to_xml(expected, pretty=True).decode()
    warnings = CASES / case / "warnings.txt"
    assert list(converted.warnings) == (warnings.read_text(encoding="utf-8").splitlines() if warnings.exists() else [])
