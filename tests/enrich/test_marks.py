"""How bibld recognises what it has added, by the record alone."""

import pytest

from bibld.model.enrichment import (
    ADDED_WHOLLY,
    MARC21_MARKS,
    UNIMARC_MARKS,
    find_additions,
    last_link_number,
    without_additions,
)
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin

BASE = "https://data.example.org/"
NUMBER = "883 $8 1\\p $a bibld: authorities $u https://data.example.org/agent/x"
OWN = "883 $8 1\\p $a bibld: subjects $c 0.97 $q RU-1 $u https://data.example.org/record/nlr/7"
LOCAL = "983 $6 z01 $a bibld: subjects $c 0.97 $u https://data.example.org/record/nlr/7"
LOCAL_NUMBER = "983 $6 z02 $a bibld: authorities $u https://data.example.org/agent/x"

CASES = {
    "a field linked to our provenance": ([OWN, "650 $8 1\\p $a Topic"], {0: "field", 1: "field"}),
    "a subfield behind the mark": ([NUMBER, "700 $a Name $8 1\\p $0 (DE-588)1"], {0: "field", 1: {1, 2}}),
    "two subfields, a mark before each": (
        [NUMBER, "700 $a Name $8 1\\p $0 x $8 1\\p $1 y"],
        {0: "field", 1: {1, 2, 3, 4}},
    ),
    "what a cataloguer wrote behind it stays": ([NUMBER, "700 $a Name $8 1\\p $0 x $e ed."], {0: "field", 1: {1, 2}}),
    "what a cataloguer deleted leaves a mark": ([NUMBER, "700 $a Name $8 1\\p"], {0: "field", 1: {1}}),
    "a system sorts subfields: the library's stay": (
        [NUMBER, "700 $0 x $1 y $8 1\\p $8 1\\p $a Name"],
        {0: "field", 1: {2, 3}},
    ),
    "a system sorts subfields: an added field is one all the same": (
        [OWN, "650 $2 rubbk $8 1\\p $a Topic"],
        {0: "field", 1: "field"},
    ),
    "a system sorts subfields of RUSMARC": (["700 $3 7 $6 z02983 $a Имя", LOCAL_NUMBER], {0: {1}, 1: "field"}),
    "the mark is deleted: the field is the library's": ([OWN, "650 $a Topic"], {0: "field"}),
    "a link to another field's provenance": ([OWN, "650 $8 2\\p $a Topic"], {0: "field"}),
    "a link of another type": ([OWN, "650 $8 1\\c $a Topic"], {0: "field"}),
    "provenance of another tool": (["883 $8 1\\p $a Annif $u https://data.example.org/x", "650 $8 1\\p $a Topic"], {}),
    "provenance of another dataset": (
        ["883 $8 1\\p $a bibld: subjects $u https://other.example.org/", "650 $8 1\\p $a Topic"],
        {},
    ),
    "a field of RUSMARC": (["606 $6 z01983 $a Тема", LOCAL], {0: "field", 1: "field"}),
    "a subfield of RUSMARC": (
        ["700 $a Имя $6 z02983 $3 RU\\NLR\\AUTH\\7 $4 070", LOCAL_NUMBER],
        {0: {1, 2}, 1: "field"},
    ),
    "another local field": (["606 $6 z01991 $a Тема", LOCAL.replace("983", "991")], {0: "field", 1: "field"}),
    "fields that the library links with the same number": (
        ["181 $6 z01182 $c txt", "182 $6 z01181 $c n", "010 $6 z01 $a 5739003466", LOCAL],
        {3: "field"},
    ),
    "fields that the library links": (["606 $6 z03 $a Тема", "700 $6 a01 $a Имя", LOCAL], {2: "field"}),
    "a link of MARC 21 with the same number": (["606 $8 1\\p $a Тема", LOCAL], {1: "field"}),
    "an institution of the library": (["606 $5 RU-1 $a Тема", "606 $5 bibld $a Тема"], {}),
    "control fields": (["001 1", "005 bibld"], {}),
}


def parse(line):
    tag, *parts = line.split(" $")
    if not parts:
        return ControlField(line[:3], line[4:])
    return DataField(tag, " ", " ", tuple(Subfield(part[0], part[2:]) for part in parts))


def values(field):
    return field.tag, [(one.code, one.value) for one in getattr(field, "subfields", ())]


@pytest.mark.parametrize("name", CASES)
def test_additions_are_recognised_by_their_marks(name):
    lines, expected = CASES[name]
    fields = [parse(line) for line in lines]
    found = find_additions([values(field) for field in fields], BASE)
    assert {at: "field" if one == ADDED_WHOLLY else set(one) for at, one in found.items()} == expected


@pytest.mark.parametrize("name", CASES)
def test_a_record_without_its_additions_has_all_the_rest(name):
    lines, expected = CASES[name]
    fields = tuple(parse(line) for line in lines)
    record = MarcRecord(Origin("s", "f", 1, 0), Leader(" " * 24), fields)
    kept = []
    for at, field in enumerate(fields):
        if expected.get(at) == "field":
            continue
        if at in expected:
            rest = tuple(one for place, one in enumerate(field.subfields) if place not in expected[at])
            field = DataField(field.tag, " ", " ", rest)
        kept.append(field)
    assert without_additions(record, BASE).all_fields == tuple(kept)


def test_link_numbers_follow_those_of_the_record():
    assert (
        last_link_number(
            [("700", [("8", "3.1\\c"), ("8", "12\\p"), ("8", "x"), ("a", "99")]), ("001", [])], MARC21_MARKS
        )
        == 12
    )
    assert last_link_number([("700", [("6", "a03700"), ("6", "z01"), ("8", "12\\p")])], UNIMARC_MARKS) == 3
    assert last_link_number([], MARC21_MARKS) == 0
