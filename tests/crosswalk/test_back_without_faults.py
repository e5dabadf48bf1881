"""Records that are written back have no fault of their format that the record they come from has not.

The inspector is that of the worklist. Faults of values (a wrong check digit, a damaged text) come from the source;
``ALLOWED`` are faults of places for which the source has no value.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bibld import crosswalk
from bibld.errors import BibldError
from bibld.model.marc import MarcRecord
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read
from bibld.worklist import FormatFault, WorkKind, checker_for

SAMPLE = Path(__file__).parents[2] / "sample_data"
DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")
RECORDS_OF_A_FILE = 60
FLAVOURS = ("marc21", "unimarc", "rusmarc")

OF_VALUES = frozenset((
    WorkKind.WRONG_CHECK_DIGIT, WorkKind.BAD_CHARACTER, WorkKind.ENCODED_TWICE, WorkKind.CONTRADICTING_DATES,
    WorkKind.WRONG_FORM, WorkKind.WRONG_CODE, WorkKind.DEPRECATED_CODE, WorkKind.MISSING_RECORD,
))  # fmt: skip
ALLOWED = {
    "missing-field 801": "the source names no agency",
    "missing-field 200": "the source has no title",
    "missing-subfield 899$a": "the source has a shelf mark and names no library",
    "missing-subfield 210$d": "the source has no date",
    "missing-subfield 017$a": "the source has a wrong number only",
    "missing-subfield 035$a": "the source has a cancelled number only",
    "missing-subfield 510$z": "the source does not name the language of the parallel title",
    "missing-subfield 676$v": "the source does not name the edition of the classification",
    **{f"missing-subfield {tag}$2": "the source names no list of headings" for tag in ("600", "606", "607", "608")},
}


def place_of(fault: FormatFault) -> str:
    where = re.sub(r"\[\d+\]", "", fault.where)
    return f"{fault.kind} {where}"


def faults_of(record: MarcRecord, flavour: str) -> tuple[FormatFault, ...]:
    checker = checker_for(flavour)
    assert checker is not None
    return checker.inspect(record).faults


def new_faults(path: Path) -> dict[str, str]:
    """Return the faults that conversion makes, each with the flavours and the number of a record."""
    file = HarvestedFile("x", path.name, path)
    examined = examine(file)
    raws = [piece for piece in read(file, examined) if isinstance(piece, Raw)]
    found: dict[str, str] = {}
    for raw in raws[:: max(1, len(raws) // RECORDS_OF_A_FILE)]:
        record = examined.carrier.parse(raw).record
        assert isinstance(record, MarcRecord)
        try:
            flavour, converted = crosswalk.convert(record)
        except BibldError:
            continue
        of_source = faults_of(record, flavour)
        kinds = {one.kind for one in of_source} & OF_VALUES
        for other in FLAVOURS if flavour == "marc21" else ("marc21", flavour):
            made = crosswalk.to_marc(converted.mods, other)
            known = set(map(place_of, of_source)) if other == flavour else set()
            for fault in faults_of(made, other):
                place = place_of(fault)
                if fault.kind not in kinds and place not in known and place not in ALLOWED:
                    found[f"{flavour} to {other}: {place}"] = f"{record.control_number}: {fault.value}"
    return found


@pytest.mark.parametrize("name", ["nlr.iso", "rsl.mrc", "slavica.xml"])
def test_sample_records_get_no_new_faults(name: str) -> None:
    assert new_faults(SAMPLE / name) == {}


@REAL
@pytest.mark.parametrize("name", [
    *(f"marc21/{name}" for name in (
        "loc_testbed_utf8.mrc", "gpo_covid_online.mrc", "stanford.mrc", "uva_marc8.mrc", "french_marc8.mrc",
        "jazz_marc8.mrc", "rism_music_sample.xml", "culturegraph.marcxml",
    )),
    *(f"rusmarc/{name}" for name in (
        "articles_cp1251.mrc", "nlr_cp1251.iso", "nlr_koi8r.iso", "stavropol_cp866.mrc", "tatarstan_utf8.mrc",
    )),
    *(f"unimarc/{name}" for name in (
        "fre_moccam.pan", "serial.bnr.1993.mrc", "unimarc_usemarcon_uni.mrc", "unimarc_sudoc_143519379.xml",
    )),
])  # fmt: skip
def test_real_records_get_no_new_faults(name: str) -> None:
    assert new_faults(DATA / name) == {}
