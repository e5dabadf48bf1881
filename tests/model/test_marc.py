"""MARC records as values: what their methods return, and how they become records of pymarc and back."""

import pytest

from bibld.model.marc import (
    ControlField,
    DataField,
    Leader,
    MarcRecord,
    Subfield,
    with_embedded_fields,
    without_subfields,
)
from bibld.model.origin import Origin

ORIGIN = Origin("lib", "x.mrc", 1, 0)
LEADER = Leader("00000cam1a22002057i 4500")


def field(tag, *texts, indicators="  ", embedded=()):
    return DataField(tag, *indicators, tuple(Subfield(text[0], text[1:]) for text in texts), tuple(embedded))


RECORD = MarcRecord(
    ORIGIN,
    LEADER,
    (
        ControlField("001", " 17 "),
        ControlField("007", "first"),
        ControlField("007", "second"),
        field("245", "aTitle", "bone", "btwo", indicators="10"),
        field("500", "aNote"),
        field("245", "aOther"),
    ),
)


def test_the_positions_of_a_leader_have_names():
    assert LEADER.record_status == "c"
    assert LEADER.type_of_record == "a"
    assert LEADER.bibliographic_level == "m"
    assert LEADER.hierarchical_level == "1"
    assert LEADER.encoding_level == "7"
    assert LEADER.descriptive_form == "i"
    assert (LEADER[0], LEADER[9]) == ("0", "a")


def test_texts_of_subfields_are_found_by_their_codes_in_the_order_of_the_record():
    title = RECORD.all_fields[3]
    assert title.values() == ["Title", "one", "two"]
    assert title.values("b", "a") == ["Title", "one", "two"]
    assert title.values("b") == ["one", "two"]
    assert (title.first("b"), title.first("c")) == ("one", None)


def test_fields_are_found_by_their_tags_in_the_order_of_the_record():
    assert [one.first("a") for one in RECORD.fields()] == ["Title", "Note", "Other"]
    assert [one.first("a") for one in RECORD.fields("245")] == ["Title", "Other"]
    assert [one.first("a") for one in RECORD.fields("500", "245")] == ["Title", "Note", "Other"]
    assert list(RECORD.fields("001")) == []
    assert (RECORD.control("007"), RECORD.control("245"), RECORD.control("008")) == ("first", None, None)
    assert (RECORD.controls("007"), RECORD.controls("245")) == (["first", "second"], [])


@pytest.mark.parametrize("text, number", [(" 17 ", "17"), ("  ", None), ("", None), (None, None)])
def test_the_control_number_is_field_001_without_blanks_around_it(text, number):
    fields = () if text is None else (ControlField("001", text),)
    assert MarcRecord(ORIGIN, LEADER, fields).control_number == number


EMBEDDED = [
    (("a1", "b2"), field("461", "a1", "b2")),
    (
        ("tSet", "1001nlr-7", "12001 ", "aTitle", "v2"),
        field("461", "tSet", embedded=[ControlField("001", "nlr-7"), field("200", "aTitle", "v2", indicators="1 ")]),
    ),
    (
        ("1001nlr-7", "x1234", "1700#1", "aA", "17011", "aB"),
        field(
            "461",
            "x1234",
            embedded=[
                ControlField("001", "nlr-7"),
                field("700", "aA", indicators=" 1"),
                field("701", "aB", indicators="1 "),
            ],
        ),
    ),
    (("1001nlr-7",), field("461", embedded=[ControlField("001", "nlr-7")])),
    (("1200", "aTitle"), field("461", embedded=[field("200", "aTitle")])),
    (("1", "aOwn", "12001 "), field("461", "aOwn", embedded=[field("200", indicators="1 ")])),
    (("1009local ", "1010  ", "aisbn"), field("461", embedded=[ControlField("009", "local"), field("010", "aisbn")])),
]


@pytest.mark.parametrize("subfields, expected", EMBEDDED)
def test_fields_inside_a_field_are_separated_from_its_subfields(subfields, expected):
    assert with_embedded_fields(field("461", *subfields)) == expected


@pytest.mark.parametrize(
    "names, expected",
    [
        (["245$b"], ["001 17", "461 $1001 nlr-7 $12001 aSet v2", "245 aTitle", "009 x"]),
        (["009"], ["001 17", "461 $1001 nlr-7 $12001 aSet v2", "245 aTitle bRest"]),
        (["245$a", "245$b"], ["001 17", "461 $1001 nlr-7 $12001 aSet v2", "009 x"]),
        (["461/200$v"], ["001 17", "461 $1001 nlr-7 $12001 aSet", "245 aTitle bRest", "009 x"]),
        (["461/001"], ["001 17", "461 $12001 aSet v2", "245 aTitle bRest", "009 x"]),
        (["461/001", "461/200$v", "461/200$a"], ["001 17", "245 aTitle bRest", "009 x"]),
        (["200$a", "245$c"], ["001 17", "461 $1001 nlr-7 $12001 aSet v2", "245 aTitle bRest", "009 x"]),
    ],
)
def test_content_is_left_out_by_its_name(names, expected):
    record = MarcRecord(
        ORIGIN,
        LEADER,
        (
            ControlField("001", "17"),
            field("461", "1001nlr-7", "12001 ", "aSet", "v2"),
            field("245", "aTitle", "bRest"),
            ControlField("009", "x"),
        ),
    )

    def shown(one):
        if isinstance(one, ControlField):
            return f"{one.tag} {one.value}"
        one = with_embedded_fields(one)
        inner = [f"$1{shown(each)}".replace("$1200 ", "$12001 ") for each in one.embedded]
        return " ".join([one.tag, *(part.code + part.value for part in one.subfields), *inner])

    rest = without_subfields(record, frozenset(names))
    assert [shown(one) for one in rest.all_fields] == expected
    assert (rest.origin, rest.leader) == (ORIGIN, LEADER)


def test_a_record_becomes_one_of_pymarc_and_comes_back():
    pytest.importorskip("pymarc")
    converted = RECORD.to_pymarc()
    assert str(converted.leader) == LEADER.text
    assert converted["245"]["a"] == "Title"
    assert MarcRecord.from_pymarc(converted, ORIGIN) == RECORD


def test_fields_inside_a_field_are_flat_in_a_record_of_pymarc():
    pytest.importorskip("pymarc")
    flat = field("461", "1001nlr-7", "12001 ", "aSet")
    record = MarcRecord(ORIGIN, LEADER, (with_embedded_fields(flat),))
    assert MarcRecord.from_pymarc(record.to_pymarc(), ORIGIN).all_fields == (flat,)
