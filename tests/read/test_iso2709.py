"""A file of ISO 2709 is read whole, whatever is wrong with one of its records."""

import io

import pytest

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin
from bibld.read import iso2709
from tests.read.carriers import read_all, shown

LEADER = "00000nam a2200000 a 4500"


def record(number, *fields):
    title = DataField("245", "1", "0", (Subfield("a", f"Der Prozeß {number} /"), Subfield("c", "Franz Kafka")))
    return MarcRecord(Origin("s", "f", 1, 0), Leader(LEADER), (ControlField("001", f"id{number}"), title, *fields))


def written(number, *fields):
    return to_iso2709(record(number, *fields))


def fields_of(result):
    return result.record.all_fields


GOOD = [written(number) for number in range(5)]


def replaced(data, start, new):
    return data[:start] + new + data[start + len(new) :]


def with_third(damaged):
    return b"".join([*GOOD[:2], damaged, *GOOD[3:]])


THIRD = GOOD[2]
LENGTH = len(THIRD)
BASE = int(THIRD[12:17])

DAMAGES = {
    "line feed between records": (b"\n".join(GOOD), "RRRRR", ""),
    "CR LF between records": (b"\r\n".join(GOOD) + b"\r\n", "RRRRR", ""),
    "NUL and blanks between records": (b"\0\0 ".join(GOOD) + b"\0", "RRRRR", ""),
    "record length + 1": (with_third(replaced(THIRD, 0, b"%05d" % (LENGTH + 1))), "RRRRR", "record length"),
    "record length - 1": (with_third(replaced(THIRD, 0, b"%05d" % (LENGTH - 1))), "RRRRR", "record length"),
    "length not numeric": (with_third(replaced(THIRD, 0, b"abcde")), "RRRRR", "is not a number"),
    "length 00000": (with_third(replaced(THIRD, 0, b"00000")), "RRRRR", "record length 0"),
    "base address 99999": (with_third(replaced(THIRD, 12, b"99999")), "RRRRR", "base address '99999'"),
    "base address not numeric": (with_third(replaced(THIRD, 12, b"     ")), "RRRRR", "base address"),
    "base address too small": (with_third(replaced(THIRD, 12, b"00012")), "RRRRR", "base address"),
    "directory entry not numeric": (with_third(replaced(THIRD, 27, b"xxxx")), "RRRRR", "paired with fields in order"),
    "field length + 1": (with_third(replaced(THIRD, 27, b"0005")), "RRRRR", "paired with fields in order"),
    "field starts overlap": (with_third(replaced(THIRD, 43, b"00001")), "RRRRR", "paired with fields in order"),
    "field terminator at the end lost": (with_third(THIRD[:-2] + b"\x1d"), "RRRRR", "no terminator"),
    "record terminator lost": (with_third(THIRD[:-1]), "RRRRR", "record terminator missing"),
    "record terminator became a blank": (with_third(THIRD[:-1] + b" "), "RRRRR", "record terminator missing"),
    "a leader beyond ASCII": (
        with_third(replaced(THIRD, 18, b"\xe9")),
        "RRRRR",
        "characters in the leader",
    ),
    "byte order mark at the start": (b"\xef\xbb\xbf" + b"".join(GOOD), "RRRRR", ""),
    "1A at the end": (b"".join(GOOD) + b"\x1a", "RRRRR", ""),
    "terminators and blanks at the end": (b"".join(GOOD) + b"\x1d\x1d \r\n", "RRRRR", ""),
    "last record truncated": (b"".join(GOOD)[:-40], "RRRRE", ""),
    "last record without its terminator": (b"".join(GOOD)[:-1], "RRRRR", "record terminator missing"),
    "junk between records": (with_third(b"\xff\xfe junk " + THIRD), "RRERRR", ""),
    "an empty record": (with_third(b"00025nam a2200025 a 4500\x1d"), "RRERR", ""),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_costs_at_most_the_record_that_has_it(name):
    data, expected, warning = DAMAGES[name]
    results = read_all(iso2709, data)
    assert shown(results) == expected
    if expected == "RRRRR":
        assert [fields_of(result) for result in results] == [record(number).all_fields for number in range(5)]
    found = {fields_of(result) for result in results if not isinstance(result, ReadError)}
    untouched = [0, 1, 3] if name.startswith("last record truncated") else [0, 1, 3, 4]
    assert all(record(number).all_fields in found for number in untouched)
    warnings = [text for result in results if not isinstance(result, ReadError) for text in result.warnings]
    assert any(warning in text for text in warnings) if warning else warnings == []


def test_a_directory_in_another_order_than_the_fields_is_followed():
    first, second = THIRD[24:36], THIRD[36:48]
    swapped = replaced(THIRD, 24, second + first)
    (result,) = read_all(iso2709, swapped)
    assert [field.tag for field in fields_of(result)] == ["245", "001"]
    assert set(fields_of(result)) == set(record(2).all_fields)
    assert result.warnings == ()


def test_a_lost_field_terminator_does_not_shift_the_tags_behind_it():
    notes = [DataField("500", subfields=(Subfield("a", text),)) for text in ("one", "two", "three")]
    data = written(1, *notes)
    at = data.index(b"one\x1e") + 3
    (result,) = read_all(iso2709, replaced(data, at, b"#"))
    assert fields_of(result) == record(1, *notes).all_fields
    assert result.warnings


def test_fields_that_no_directory_entry_names_are_counted():
    data = written(1)
    body = data[:-1] + b"  \x1faorphan\x1e\x1d"
    (result,) = read_all(iso2709, b"%05d" % len(body) + body[5:])
    assert fields_of(result) == record(1).all_fields
    assert result.warnings == ("1 field without a directory entry dropped",)


def test_lengths_that_overflow_are_made_good_from_the_terminators():
    long = [DataField("520", subfields=(Subfield("a", letter * 12_000),)) for letter in "abcdefghij"]
    bodies = [b"id1\x1e", *(b"  \x1fa" + field.subfields[0].value.encode() + b"\x1e" for field in long)]
    directory, start = b"", 0
    for tag, body in zip([b"001"] + [b"520"] * 10, bodies, strict=True):
        directory += tag + (b"%04d" % len(body))[:4] + (b"%05d" % start)[:5]
        start += len(body)
    data = b"99999" + LEADER[5:12].encode() + b"%05d" % (25 + len(directory)) + LEADER[17:].encode()
    data += directory + b"\x1e" + b"".join(bodies) + b"\x1d"
    results = read_all(iso2709, data + GOOD[0])
    assert fields_of(results[0]) == (ControlField("001", "id1"), *long)
    assert fields_of(results[1]) == record(0).all_fields


def test_origins_are_exact():
    data = b"\xef\xbb\xbf" + GOOD[0] + b"\r\n" + GOOD[1] + b"  \0" + GOOD[2]
    carrier = iso2709.examine(io.BytesIO(data), "file.mrc", "s", iso2709.Settings())
    origins = [piece.origin for piece in carrier.raws(io.BytesIO(data))]
    assert [origin.position for origin in origins] == [1, 2, 3]
    assert [data[origin.offset :].startswith(GOOD[n]) for n, origin in enumerate(origins)] == [True] * 3
    assert {(origin.source, origin.file) for origin in origins} == {("s", "file.mrc")}


def test_a_leader_that_begins_with_blanks_is_not_cut():
    blank = b"     " + GOOD[0][5:]
    results = read_all(iso2709, blank + GOOD[1])
    assert shown(results) == "RR"
    assert results[0].record.leader.text.startswith("     nam")


def test_a_piece_without_terminator_is_rejected_in_bounded_memory_and_reading_goes_on():
    data = GOOD[0] + b"x" * 3_000_000 + b"\x1d" + GOOD[1]
    results = read_all(iso2709, data, max_record_bytes=100_000)
    assert shown(results) == "RER"
    assert len(results[1].original) <= 100_000
    assert "no record terminator within 100000 bytes" in results[1].reason
    assert fields_of(results[2]) == record(1).all_fields


def test_characters_that_xml_cannot_hold_are_dropped_and_counted():
    data = to_iso2709(record(1, DataField("500", subfields=(Subfield("a", "a\x01b\x0bc\ufffed\te"),))))
    (result,) = read_all(iso2709, data)
    assert fields_of(result)[-1].first("a") == "abcd\te"
    assert result.warnings == ("3 characters illegal in XML dropped",)


def test_a_reject_names_the_record_and_keeps_its_bytes():
    (*_, last) = read_all(iso2709, b"".join(GOOD)[:-40])
    assert isinstance(last, ReadError)
    assert str(last).startswith("f record 5 (byte ")
    assert "the file ends within this record" in last.reason
    assert last.original == GOOD[4][:-40]
