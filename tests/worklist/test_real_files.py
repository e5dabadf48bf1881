"""The faults in real files against those that Debian's ``marcvalidate`` finds; each difference has its reason."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from bibld import crosswalk
from bibld.errors import CrosswalkError
from bibld.model.marc import MarcRecord
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read
from bibld.worklist import FormatChecker, WorkKind, checker_for, describe_fault, load_format

DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")
PERL = pytest.mark.skipif(shutil.which("marcvalidate") is None, reason="needs Debian's libmarc-schema-perl")
FILES = ("loc_testbed_utf8", "gpo_covid_online", "stanford", "uva_marc8", "french_marc8", "jazz_marc8")

# A fault: number of the record, tag, what is wrong, and the subfield if one is.
Found = tuple[str, str, str, str]

_MESSAGES = {
    WorkKind.UNDEFINED_FIELD: "unknown field",
    WorkKind.DEPRECATED_FIELD: "unknown field",
    WorkKind.UNDEFINED_SUBFIELD: "unknown subfield",
    WorkKind.DEPRECATED_SUBFIELD: "unknown subfield",
    WorkKind.REPEATED_SUBFIELD: "subfield is not repeatable",
    WorkKind.REPEATED_FIELD: "field is not repeatable",
}
_LATER = {("023", ""), ("334", ""), ("353", ""), ("082", "1"), ("340", "p"), ("856", "n")}
_HOLDINGS = ("853", "863")
_NO_INDICATORS = ("035", "100", "110", "651")


def records_of(name: str) -> list[MarcRecord]:
    file = HarvestedFile("x", name, DATA / "marc21" / f"{name}.mrc")
    examined = examine(file)
    parsed = (examined.carrier.parse(piece).record for piece in read(file, examined) if isinstance(piece, Raw))
    return [record for record in parsed if isinstance(record, MarcRecord)]


def our_faults(name: str) -> set[Found]:
    checker = FormatChecker(load_format("marc21"), checks_local=True)
    found = set()
    for record in records_of(name):
        number = record.control_number or ""
        for fault in checker.inspect(record).faults:
            tag, _, code = fault.where.partition("$")
            if fault.kind in _MESSAGES:
                found.add((number, tag[:3], _MESSAGES[fault.kind], code[:1]))
            elif " ind" in tag:
                which = "first" if tag.endswith("1") else "second"
                found.add((number, tag[:3], f"unknown {which} indicator", ""))
    return found


def their_faults(name: str) -> set[Found]:
    run = subprocess.run(
        ["marcvalidate", DATA / "marc21" / f"{name}.mrc"], capture_output=True, check=False, timeout=300
    )
    found = set()
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        number, tag, message, *value = line.split("\t")
        code = value[0][:1] if value and "subfield" in message else ""
        found.add((number.strip(), tag, message, code))
    return found


def is_explained(found: Found) -> bool:
    """Whether a fault is found by one side only for a known reason."""
    _, tag, message, code = found
    return (
        tag == "440"  # obsolete; the schema has it
        or (tag, code) in _LATER  # in later updates of the format
        or tag in _HOLDINGS  # embedded holdings
        or code == "9"  # local in every field
        or (tag in _NO_INDICATORS and "indicator" in message)  # an undefined indicator must be blank
        or (tag == "043" and message == "field is not repeatable")  # the format: (NR)
    )


@REAL
@PERL
@pytest.mark.parametrize("name", FILES)
def test_faults_agree_with_those_of_marcvalidate(name: str) -> None:
    ours, theirs = our_faults(name), their_faults(name)
    readable = {number for number, *_ in ours} & {number for number, *_ in theirs}
    different = {one for one in ours ^ theirs if not is_explained(one)}
    # marcvalidate reads numbers and values of other charsets than UTF-8 wrongly.
    assert {one for one in different if one[0] in readable} == set()
    assert Counter(one[1] for one in different if one[0] not in readable).total() <= 8
    print(f"{name}: {len(ours & theirs):,} faults found by both, {len(ours ^ theirs):,} by one, all explained")


@REAL
@pytest.mark.parametrize("path", [
    *(f"marc21/{name}.mrc" for name in FILES),
    *(f"rusmarc/{name}" for name in ("stavropol_cp866.mrc", "tatarstan_utf8.mrc", "nlr_cp1251.iso")),
    *(f"unimarc/{name}" for name in ("fre_moccam.pan", "serial.bnr.1993.mrc", "unimarc_usemarcon_uni.mrc")),
])  # fmt: skip
def test_every_fault_of_real_records_is_described(path: str) -> None:
    file = HarvestedFile("x", path, DATA / path)
    examined = examine(file)
    inspected = 0
    for piece in read(file, examined):
        if not isinstance(piece, Raw):
            continue
        record = examined.carrier.parse(piece).record
        assert isinstance(record, MarcRecord)
        try:
            flavour, _ = crosswalk.convert(record)
        except CrosswalkError:
            continue
        checker = checker_for(flavour)
        assert checker is not None
        for fault in checker.inspect(record).faults:
            assert all(text.strip() for text in describe_fault(fault, checker.definition)), fault
        inspected += 1
    assert inspected
