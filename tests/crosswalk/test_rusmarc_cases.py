"""Cases that a librarian reads and adds: a folder with ``record.mrk`` and the MODS that it must give."""

from __future__ import annotations

from pathlib import Path

import pytest

from bibld.crosswalk import rusmarc, unimarc
from bibld.model.mods_xml import from_xml, to_xml
from bibld.read import mrk

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(folder for kind in ("rusmarc", "unimarc") for folder in (CASES / kind).iterdir())
ADAPTERS = {"rusmarc": rusmarc, "unimarc": unimarc}


def record_of(folder):
    with (folder / "record.mrk").open("rb") as stream:
        carrier = mrk.examine(stream, "record.mrk", "case", mrk.Settings())
        stream.seek(0)
        (raw,) = list(carrier.raws(stream))
    return carrier.parse(raw).record


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_record_gives_the_expected_mods(folder):
    adapter = ADAPTERS[folder.parent.name]
    record = record_of(folder)
    assert adapter.sniffs(record)
    got = to_xml(adapter.convert(record, adapter.Settings()).mods, pretty=True)
    expected = (folder / "expected.mods.xml").read_bytes()
    if from_xml(got) != from_xml(expected):
        assert got.decode() == expected.decode()


def test_there_are_cases_of_both_flavours():
    assert {folder.parent.name for folder in FOLDERS} == {"rusmarc", "unimarc"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_all_subfields_of_the_cases_are_mapped_or_private(folder):
    adapter = ADAPTERS[folder.parent.name]
    assert adapter.convert(record_of(folder), adapter.Settings()).unmapped == ()
