"""The same records as MARC-8, as UTF-8 and as MARCXML give the same MODS."""

import os
from pathlib import Path

import pytest

from bibld import crosswalk
from bibld.model.mods import Mods
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

DATA = os.environ.get("BIBLD_TEST_DATA")
FORMS = ("marc8", "utf8", "xml")

pytestmark = pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")


def converted(folder: Path) -> dict[str, Mods]:
    found = {}
    for path in sorted(folder.iterdir()):
        file = HarvestedFile("gpo", path.name, path)
        examined = examine(file)
        for raw in read(file, examined):
            assert isinstance(raw, Raw)
            record = examined.carrier.parse(raw).record
            found[f"{path.stem} {record.control_number}"] = crosswalk.convert(record)[1].mods
    return found


def test_three_serialisations_of_a_record_give_the_same_mods():
    folder = Path(DATA) / "marc21" / "gpo_same_records"
    first, *others = (converted(folder / form) for form in FORMS)
    assert len(first) == 1206
    for other in others:
        assert other == first
