"""Cases that a librarian reads and adds: a folder ``cases/FLAVOUR/NAME`` with a record and the MODS that it must give.

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

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(folder for flavour in ("marc21", "rusmarc", "unimarc") for folder in (CASES / flavour).iterdir())


def record_of(path: Path) -> MarcRecord:
    data = path.read_bytes()
    carrier = mrk.examine(io.BytesIO(data), path.name, "case", mrk.Settings())
    (raw,) = carrier.raws(io.BytesIO(data))
    return carrier.parse(raw).record


@pytest.mark.parametrize("case", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_record_becomes_the_expected_mods(case):
    flavour, converted = convert(record_of(case / "record.mrk"))
    assert flavour == case.parent.name
    expected = from_xml((case / "expected.mods.xml").read_bytes())
    assert to_xml(converted.mods, pretty=True).decode() == to_xml(expected, pretty=True).decode()
    if flavour != "marc21":
        assert converted.unmapped == ()
    elif (case / "warnings.txt").exists():
        assert list(converted.warnings) == (case / "warnings.txt").read_text(encoding="utf-8").splitlines()
    else:
        assert converted.warnings == ()
