"""Faults of records: examples that a librarian reads and adds, in ``cases``; and what holds for all records.

An example is a few fields and, after ``=>``, the faults of a record that has them and what is mandatory: kind, location
and, after a colon, what to write instead, or the type of material. ``LDR nam2`` states the leader from position 5 on;
``001 -`` leaves the field out. The sentence before an example is what all examples up to the next sentence promise.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings

from bibld.model.marc import MarcRecord
from bibld.worklist import FORMATS, FormatChecker, FormatFindings, WorkKind, checker_for, describe_fault, load_format
from tests.crosswalk.test_marc21_any_record import records
from tests.crosswalk.test_rusmarc import record

CASES = Path(__file__).parent / "cases"
_UNIMARC = (
    "001 1",
    "100 ##$a20010101d1999    m  y0rusy50      ca",
    "101 0#$arus",
    "200 1#$aK",
    "801 #0$aRU$bX$c20010101",
)
COMPLETE = {
    "marc21": ("00000{}a2200000 i 4500", "nam", ("001 1", "008 840412s1884    xx a     bd   000 0 eng  ", "245 00$aK")),
    "rusmarc": ("00000{} 2200000   450 ", "nam0", _UNIMARC),
    "unimarc": ("00000{} 2200000   450 ", "nam0", _UNIMARC),
}


class Example(NamedTuple):
    flavour: str
    place: str
    promise: str
    fields: list[str]
    lines: list[str]


def examples():
    for file in sorted(CASES.glob("*.txt")):
        promise, fields, lines = "", [], []
        for number, line in enumerate([*file.read_text(encoding="utf-8").split("\n"), ""], 1):
            if line.startswith("# "):
                promise = line[2:]
            elif line.startswith("=>"):
                lines += [line[3:]] if line != "=>" else []
            elif line:
                fields.append(line)
            elif fields:
                yield Example(file.stem, f"{file.stem}-{number}", promise, fields, lines)
                fields, lines = [], []


def completed(flavour: str, fields: list[str]) -> MarcRecord:
    leader, levels, mandatory = COMPLETE[flavour]
    levels = next((field[4:] for field in fields if field.startswith("LDR")), levels)
    stated = [field for field in fields if not field.startswith("LDR")]
    tags = {field[:3] for field in stated}
    added = [field for field in mandatory if field[:3] not in tags]
    return record(
        *sorted([*added, *(one for one in stated if one[4:] != "-")], key=lambda one: one[:3]),
        leader=leader.format(levels.ljust(4)),
    )


def found_lines(findings: FormatFindings) -> list[str]:
    lines = []
    for fault in findings.faults:
        more = fault.suggestion or fault.material
        lines.append(f"{fault.kind.value} {fault.where}" + (f": {more}" if more else ""))
    return lines


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.place)
def test_records_have_the_faults_that_their_example_states(example: Example) -> None:
    checker = FormatChecker(load_format(example.flavour))
    found = checker.inspect(completed(example.flavour, example.fields))
    assert sorted(found_lines(found)) == sorted(example.lines), example.promise
    again = checker.inspect(completed(example.flavour, example.fields))
    assert again == found, "what is remembered of a shape changes nothing"
    for fault in found.faults:
        wrong, remedy = describe_fault(fault, checker.definition)
        assert wrong and remedy and "{" not in wrong.replace("{6}", "").replace("{3}", "").replace("{4}", "")


@pytest.mark.parametrize(
    ("flavour", "field", "own", "links"),
    [
        ("marc21", "773 0#$tHost$w123", "003 ABC", [("773$w", "123")]),
        ("marc21", "773 0#$tHost$w(ABC)123$w(DE-600)77", "003 ABC", [("773$w", "123")]),
        ("marc21", "787 08$tOther$w(ABC)123", "", []),
        ("rusmarc", r"461 #0$1001RU\NLR\1$12001#$aСборник", "", [("461$1", r"RU\NLR\1")]),
        ("unimarc", "461 #0$1200 1 $aRecueil", "", []),
        ("unimarc", "604 ##$1001FR1$1200#1$aTitre", "", [("604$1", "FR1")]),
        ("unimarc", "461 #0$0FR1$tRecueil", "", [("461$0", "FR1")]),
    ],
)
def test_links_are_numbers_of_records_of_the_same_catalogue(flavour, field, own, links) -> None:
    found = FormatChecker(load_format(flavour)).inspect(completed(flavour, [field, *([own] if own else [])]))
    assert [(link.where, link.number) for link in found.links] == links


def test_local_fields_are_faults_if_that_is_ordered() -> None:
    marc = completed("marc21", ["990 ##$ax"])
    assert FormatChecker(load_format("marc21")).inspect(marc).faults == ()
    strict = FormatChecker(load_format("marc21"), checks_local=True)
    assert found_lines(strict.inspect(marc)) == ["undefined-field 990"]


def test_other_flavours_have_no_checker() -> None:
    assert checker_for("irbis") is None
    assert checker_for("marc21") is checker_for("marc21")


CHECKERS = {name: FormatChecker(load_format(name)) for name in FORMATS}


@given(record=records)
@settings(max_examples=300)
def test_any_record_is_inspected_and_its_findings_are_stored_and_described(record) -> None:
    for name, checker in CHECKERS.items():
        found = checker.inspect(record)
        assert len(found.faults) <= 1000
        assert FormatChecker(load_format(name)).inspect(record) == found
        stored = msgspec.msgpack.encode(_without_surrogates(found))
        assert msgspec.msgpack.decode(stored, type=FormatFindings) == _without_surrogates(found)
        for fault in found.faults:
            assert all(describe_fault(fault, checker.definition))


def _without_surrogates(found: FormatFindings) -> FormatFindings:
    """A record that was read has none; MODS could not be written with them either."""
    text = repr(found).encode(errors="surrogatepass")
    return found if b"\\ud8" not in text else FormatFindings()


def test_kinds_have_a_harm_and_a_part() -> None:
    assert all(1 <= kind.harm <= 5 and kind.part for kind in WorkKind)


def test_the_reference_lists_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "worklist.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (\d) \|", page, re.MULTILINE)
    assert sorted(rows) == sorted((kind.value, kind.part.value, str(kind.harm)) for kind in WorkKind)


def test_a_hostile_record_is_inspected_in_bounded_time_and_space() -> None:
    wild = "\x07" + " " * 200_000 + "\x07"
    fields = [f"5{number % 100:02} ##$a{wild if number == 1 else 'x'}{'$z' * (number % 700)}" for number in range(1000)]
    found = FormatChecker(load_format("marc21")).inspect(completed("marc21", fields))
    assert 0 < len(found.faults) <= 1000
    assert all(len(fault.value) <= 120 and len(fault.suggestion) <= 120 for fault in found.faults)
