"""A library's profile: an Avram schema that adds to a format; its faults are located."""

from __future__ import annotations

import json

import pytest

from bibld.errors import ConfigError
from bibld.worklist import InspectionRules, checker_for, load_format, load_profile, read_definition
from tests.crosswalk.test_rusmarc import record

FIELD = {"label": "Own", "subfields": {"a": {"required": True}}}


def faults_of(profile: object) -> list[str]:
    content = profile if isinstance(profile, bytes) else json.dumps(profile).encode()
    with pytest.raises(ConfigError) as caught:
        read_definition(content, "our.json")
    return caught.value.faults


@pytest.mark.parametrize(
    ("profile", "fault"),
    [
        (b"{\n\n  'fields': {}}", "our.json:3: is not JSON"),
        (b"\xff", "our.json:1: is not JSON"),
        ([], 'our.json: is not an Avram schema; write an object with the object "fields"'),
        ({"fields": []}, 'our.json: is not an Avram schema; write an object with the object "fields"'),
        ({}, 'our.json: defines no field; write at least one into "fields"'),
        ({"fields": {"9999": FIELD}}, "our.json: fields.9999: is not a tag"),
        ({"fields": {"245": {"repeatable": "yes"}}}, "our.json: fields.245: Expected bool, got str - at $.repeatable"),
        (
            {"fields": {"245": {"subfields": {"ab": {}}}}},
            "our.json: fields.245: subfields.ab: is not the code of a subfield",
        ),
        (
            {"fields": {"245": {"subfields": {"a": {"pattern": "("}}}}},
            'our.json: fields.245: subfields.a: "(" is not a regular',
        ),
        (
            {"fields": {"245": {"subfields": {"a": {"codes": "colours"}}}}},
            "our.json: fields.245: subfields.a: no code list is named",
        ),
        (
            {"fields": {"245": {"subfields": {"a": {"checks": "vat"}}}}},
            'our.json: fields.245: subfields.a.checks: "vat" is unknown',
        ),
        (
            {"fields": {"008": {"positions": {"x": {}}}}},
            "our.json: fields.008: positions.x: is not a range of positions",
        ),
        ({"fields": {"008": {"positions": {"5-3": {}}}}}, "our.json: fields.008: positions.5-3: is not a range"),
        (
            {"fields": {"008": {"positions": {"00": {"flags": {"a": {}, "bb": {}}}}}}},
            "our.json: fields.008: positions.00.flags",
        ),
        (
            {"fields": {"245": {"indicator1": {"codes": {"12": {}}}}}},
            'our.json: fields.245: indicator1: "12" is not one character',
        ),
        ({"codelists": {"x": []}, "fields": {"245": FIELD}}, "our.json: codelists.x: is not an object of codes"),
    ],
)
def test_faults_of_a_profile_are_located(profile, fault) -> None:
    assert [one.startswith(fault) for one in faults_of(profile)] == [True], faults_of(profile)


def test_all_faults_are_reported_at_once() -> None:
    assert len(faults_of({"fields": {"24": FIELD, "245": {"repeatable": 1}, "246": {"pattern": "["}}})) == 3


def test_a_file_that_cannot_be_read_is_named(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json: cannot be read: No such file or directory"):
        load_profile(str(tmp_path / "none.json"))


def test_a_profile_adds_and_replaces_fields() -> None:
    profile = {
        "title": "MARC 21 of our library",
        "fields": {
            "949": FIELD,
            "300": {"label": "Extent", "subfields": {"a": {"codes": "kinds"}}},
            "440": {"label": "Kept"},
        },
        "deprecated-fields": {"500": {"label": "Note"}},
        "codelists": {"kinds": {"codes": {"book": "Book", "map": "Map"}}},
    }
    checker = checker_for("marc21", InspectionRules(json.dumps(profile).encode()))
    assert checker is not None
    assert checker.definition.title == "MARC 21 of our library"
    fixed = "008 840412s1884    xx a     bd   000 0 eng  "
    fields = [
        "001 1",
        fixed,
        "245 00$aK",
        "300 ##$a10 p.",
        "300 ##$abook",
        "440 #0$aS",
        "500 ##$aN",
        "949 ##$bx",
        "980 ##$ax",
    ]
    found = checker.inspect(record(*fields, leader="00000nam a2200000 i 4500"))
    assert sorted((fault.kind.value, fault.where) for fault in found.faults) == [
        ("deprecated-field", "500"),
        ("missing-subfield", "949$a"),
        ("repeated-field", "300[2]"),
        ("undefined-subfield", "949$b"),
        ("wrong-code", "300[1]$a"),
    ]
    assert load_format("marc21").fields["300"].repeatable, "the format itself is not changed"
