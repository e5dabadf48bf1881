"""The definitions of the formats against those of others, which are only compared; each difference has its reason.

MARC 21: the schema of Debian's ``libmarc-schema-perl`` (skipped without it). RUSMARC: the definition of the format by
the National Library of Russia (among the real data).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from bibld import worklist
from bibld.worklist import FORMATS, load_format

PERL = Path("/usr/share/perl5/auto/share/dist/MARC-Schema/marc-schema.json")
RUSMARC = Path(os.environ.get("BIBLD_TEST_DATA", "")) / "rusmarc" / "rusmarc_format_definition.xml"

_LATER = "added to the format after the schema was made"
_PROVENANCE = "$7, $e, $l or $y for the provenance of data: a later update of the format"
_MANDATORY = "the format: mandatory; the schema states this of no field"
_SINGLE = "the format: (NR)"
_LATER_REPEATED = "the format: $d (R) in its later updates"
_HOLDINGS = "holdings that are embedded in bibliographic records follow the format for holdings"
_OBSOLETE_SERIES = "the format: obsolete since 2008, as 440 is"
_WAS_MULTIPLE_SURNAME = "obsolete: multiple surname, or the levels of added entries before 1993"
_OLD_INDICATOR = "the schema lists the same values as obsolete and as valid, or values without meaning"
_NUMBER = "obsolete: number of the meeting, before AACR2"
_ANY = "its content is that of another format: not defined"
_FIRST_POSITION = "the first position chooses the type, and the schema does not list it"
_RANGE = "the schema lists a range of numbers, and not a pattern"

MARC21 = {
    "001 required": _MANDATORY, "008 required": _MANDATORY, "245 required": _MANDATORY, "LDR required": _MANDATORY,
    "023 only ours": _LATER, "334 only ours": _LATER, "353 only ours": _LATER, "361 only ours": _LATER,
    "387 only ours": _LATER, "788 only ours": _LATER, "857 only ours": _LATER, "046 indicator1 +123": _LATER,
    "046 subfields +3xz": _LATER, "022 subfields +01": _LATER, "041 subfields +3": _LATER, "072 subfields +01": _LATER,
    "082 subfields +01": _LATER, "083 subfields +01": _LATER, "340 subfields +lpq": _LATER, "344 subfields +ij": _LATER,
    "348 subfields +cd": _LATER, "382 indicator1 +23": _LATER, "490 subfields +yz": _LATER, "532 subfields +3": _LATER,
    "648 indicator1 +01": _LATER, "658 subfields +01": _LATER, "856 indicator2 +34": _LATER,
    "008 Continuing Resources 21 +ghjrst": _LATER, "006 Continuing Resources 04 +ghjrst": _LATER,
    "046 repeatable": "the format: (R) in its later updates",
    "036 repeatable": _SINGLE, "043 repeatable": _SINGLE, "066 repeatable": _SINGLE, "507 repeatable": _SINGLE,
    "514 repeatable": _SINGLE,
    "111 repeatable +d": _LATER_REPEATED, "611 repeatable +d": _LATER_REPEATED,
    "711 repeatable +d": _LATER_REPEATED, "811 repeatable +d": _LATER_REPEATED,
    **{f"{tag} subfields +5l": _PROVENANCE
       for tag in (760, 762, 765, 767, 770, 772, 773, 774, 775, 776, 777, 780, 785, 786, 787)},
    **{f"{tag} subfields +y": _PROVENANCE for tag in (533, 800, 810, 811, 830)},
    "856 subfields +eghlnrt": "$e, $g, $h, $l, $n, $r, $t: defined again by later updates",
    "856 obsolete subfields -ghlnrt": "the same",
    **{f"{tag} only ours": _HOLDINGS
       for tag in (842, 843, 844, 845, 853, 854, 855, 863, 864, 865, 867, 868, 876, 877, 878)},
    **{f"{tag} only theirs": _OBSOLETE_SERIES for tag in (400, 410, 411, 440)},
    **{f"{tag} obsolete indicator1 +2": _WAS_MULTIPLE_SURNAME for tag in (100, 700, 800)},
    **{f"{tag} obsolete indicator2 +01": _WAS_MULTIPLE_SURNAME for tag in (700, 710, 711, 730)},
    "260 obsolete indicator2 +01": "obsolete: publisher not the same as issuing body",
    "050 obsolete indicator2 -0": _OLD_INDICATOR, "060 obsolete indicator2 -0": _OLD_INDICATOR,
    "082 obsolete indicator2 -#": _OLD_INDICATOR, "086 obsolete indicator1 -01": _OLD_INDICATOR,
    "222 obsolete indicator2 -0123": _OLD_INDICATOR, "365 indicator1 -01": _OLD_INDICATOR,
    "365 indicator2 -01": _OLD_INDICATOR,
    "111 obsolete subfields +b": _NUMBER, "611 obsolete subfields +b": _NUMBER, "711 obsolete subfields +b": _NUMBER,
    "500 obsolete subfields +n": "obsolete: used by CAN/MARC",
    "880 subfields -*": "each field 880 follows the definition of the field that $6 names",
    "886 subfields -*": _ANY, "886 indicator1 +#": _ANY, "886 indicator1 -012": _ANY,
    "886 obsolete subfields -cd": _ANY,
    "006 All Materials only theirs": _FIRST_POSITION, "007 Common only theirs": _FIRST_POSITION,
    "006 Visual Materials 01-03 pattern": _RANGE, "007 Electronic resource 06-08 pattern": _RANGE,
    "008 Visual Materials 18-20 pattern": _RANGE,
    "006 Books 16 obsolete +c": "obsolete as in 008/33: comic strips",
    "007 Projected graphic 06 -g": "obsolete, as the schema states too",
    "007 Projected graphic 07 -uy": "obsolete, as the schema states too",
    "007 Videorecording 06 -g": "obsolete, as the schema states too",
    "007 Remote-sensing image 04 +z": "the format: z is another attitude of the sensor",
    "007 Sound recording 01 obsolete -r": "r is valid: remote",
    "008 Maps 33-34 +|": "the fill character stands for each position",
    "008 Maps 33-34 -|": "the fill character stands for each position",
    "008 Music 24-29 obsolete -g": "g is valid: technical information on music",
    "008 Visual Materials 22 obsolete -fg": "f and g are valid: specialised and general audience",
}  # fmt: skip

_CONDITIONAL = "mandatory under a condition, which the schema language cannot state"
RUSMARC_DIFFERENCES = {
    "183 $c required": _CONDITIONAL,
    "225 $z required": _CONDITIONAL,
    "283 $c required": _CONDITIONAL,
    "283 $2 required": _CONDITIONAL,
    "318 $5 required": _CONDITIONAL,
    "101 IND1": "the format: the fill character, if the indicator cannot be set in a converted record",
}


@pytest.mark.skipif(not PERL.is_file(), reason="needs Debian's libmarc-schema-perl")
def test_marc21_agrees_with_the_schema_of_perl() -> None:
    theirs = json.loads(PERL.read_text(encoding="utf-8"))["fields"]
    ours = json.loads((Path(worklist.__file__).parent / "schemas" / "marc21.json").read_text(encoding="utf-8"))
    fields = ours["fields"]
    found = set()
    for tag in sorted(fields.keys() | theirs.keys()):
        if tag not in fields or tag not in theirs:
            found.add(f"{tag} only {'ours' if tag in fields else 'theirs'}")
        else:
            found |= {f"{tag} {one}" for one in field_differences(fields[tag], theirs[tag])}
    assert found - MARC21.keys() == set()
    assert MARC21.keys() - found == set(), "these agree now: delete them"
    compared = sum(1 + len(field.get("subfields", ())) for field in theirs.values())
    print(
        f"{len(theirs)} fields with {compared - len(theirs):,} subfields compared;"
        f" {len(found)} differences, all explained"
    )


def field_differences(ours: dict, theirs: dict) -> Iterator[str]:
    for key in ("repeatable", "required"):
        if bool(ours.get(key)) != bool(theirs.get(key)):
            yield key
    for key in ("indicator1", "indicator2"):
        one, other = ours.get(key) or {}, theirs.get(key) or {}
        yield from set_differences(key, set(one.get("codes", ())) or {" "}, spread(other.get("codes", ())) or {" "})
        obsolete = spread(other.get("historical-codes", ()))
        yield from set_differences(f"obsolete {key}", set(one.get("deprecated-codes", ())), obsolete)
    mine, other = ours.get("subfields"), theirs.get("subfields", {})
    if mine is None:
        if other:
            yield "subfields -*"
    else:
        # $7 (provenance of data) was defined in all fields by a later update of the format.
        yield from set_differences("subfields", mine.keys() - {"7"} | (mine.keys() & other.keys()), set(other))
        repeated = {code for code in mine.keys() & other.keys() if mine[code].get("repeatable")}
        their = {code for code in mine.keys() & other.keys() if other[code].get("repeatable")}
        yield from set_differences("repeatable", repeated, their)
    yield from set_differences(
        "obsolete subfields", set(ours.get("deprecated-subfields", ())), set(theirs.get("historical-subfields", ()))
    )
    yield from fixed_differences(ours, theirs)


def fixed_differences(ours: dict, theirs: dict) -> Iterator[str]:
    one = {name: fixed["positions"] for name, fixed in ours.get("types", {}).items()}
    other = {name: fixed["positions"] for name, fixed in theirs.get("types", {}).items()}
    one, other = (one or {"": ours.get("positions", {})}), (other or {"": theirs.get("positions", {})})
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other:
            yield f"{name} only {'ours' if name in one else 'theirs'}"
            continue
        for position in sorted(other[name]):
            mine, their = one[name].get(position), other[name][position]
            where = f"{name} {position}".strip()
            if mine is None:
                if their.get("codes") and not where.startswith("00"):
                    yield f"{where} only theirs"
            elif "pattern" in mine:
                if their.get("codes"):
                    yield f"{where} pattern"
            elif not isinstance(mine.get("codes"), str):
                codes = mine.get("codes") or mine.get("flags") or {}
                yield from set_differences(where, set(codes), set(their.get("codes", ())))
                obsolete = set(mine.get("deprecated-codes", ())), set(their.get("historical-codes", ()))
                yield from set_differences(f"{where} obsolete", *obsolete)


def set_differences(name: str, ours: set[str], theirs: set[str]) -> Iterator[str]:
    for sign, some in (("+", ours - theirs), ("-", theirs - ours)):
        if some:
            characters = sorted({character for one in some for character in one})
            yield f"{name} {sign}{''.join(characters).replace(' ', '#')}"


def spread(codes) -> set[str]:
    """Return the codes, ranges such as ``0-9`` written out; those without meaning are left out."""
    found = set()
    for code in codes:
        if re.fullmatch("[0-9]-[0-9]", code):
            found |= {str(digit) for digit in range(int(code[0]), int(code[2]) + 1)} if code != "2-9" else set()
        else:
            found.add(code)
    return found


@pytest.mark.skipif(not RUSMARC.is_file(), reason="BIBLD_TEST_DATA is not set")
def test_rusmarc_agrees_with_the_definition_of_the_format() -> None:
    ours = load_format("rusmarc").fields
    found, compared = set(), 0
    theirs = {field.get("tag"): field for field in etree.parse(RUSMARC).getroot().iter("FIELD")}
    assert ours.keys() - {"LDR"} == theirs.keys()
    for tag, field in theirs.items():
        mine = ours[tag]
        if (mine.repeatable, mine.required) != (field.get("repeatable") == "y", field.get("mandatory") == "y"):
            found.add(f"{tag} repeatable or required")
        for name, indicator in (("IND1", mine.indicator1), ("IND2", mine.indicator2)):
            element = field.find(name)
            if element is not None:
                stated = {
                    (one.get("code") or one.get("value")).replace("#", " ") for one in element.iter("ITEM", "OPTION")
                }
                if (stated or {" "}) != (set(indicator.codes) if indicator else {" "}):
                    found.add(f"{tag} {name}")
        subfields = {one.get("tag"): one for one in field.findall("SUBFIELD")}
        defined = mine.subfields or {}
        compared += len(subfields)
        # The text about 700 $9: "any fields are linked by the repeatable subfield $6"; the fields do not list it.
        found |= {
            f"{tag} ${code}" for code in subfields.keys() ^ defined.keys() if (code, code in defined) != ("6", True)
        }
        for code in subfields.keys() & defined.keys():
            if (subfields[code].get("repeatable") == "y") != defined[code].repeatable:
                found.add(f"{tag} ${code} repeatable")
            if (subfields[code].get("mandatory") == "y") != defined[code].required:
                found.add(f"{tag} ${code} required")
    assert found == RUSMARC_DIFFERENCES.keys()
    print(f"{len(theirs)} fields with {compared:,} subfields compared; {len(found)} differences, all explained")


@pytest.mark.skipif(not RUSMARC.is_file(), reason="BIBLD_TEST_DATA is not set")
@pytest.mark.parametrize(("tag", "code"), [("100", "a"), ("105", "a"), ("110", "a"), ("125", "a"), ("135", "a")])
def test_coded_data_of_rusmarc_agree(tag: str, code: str) -> None:
    """The definition has codes in Cyrillic letters; a blank and the fill character are always valid here."""
    field = next(one for one in etree.parse(RUSMARC).getroot().iter("FIELD") if one.get("tag") == tag)
    subfield = next(one for one in field.findall("SUBFIELD") if one.get("tag") == code)
    ours = load_format("rusmarc").fields[tag].subfields[code].positions
    compared = 0
    for element in subfield.iter("PSUBFIELD"):
        first, last = int(element.get("start")), int(element.get("end"))
        name = f"{first:02}" if first == last else f"{first:02}-{last:02}"
        stated = {
            one.get("code").translate(str.maketrans("асеоху", "aceoxy")).replace("#", " ")
            for one in element.iter("ITEM")
        }
        if name not in ours or not stated or ours[name].pattern:
            continue
        codes = ours[name].codes or ours[name].flags
        assert {one for one in codes if one.strip(" |")} == {one for one in stated if one.strip()}, name
        compared += 1
    assert compared >= 2


@pytest.mark.parametrize("name", FORMATS)
def test_definitions_are_one_line_a_field_and_sorted(name: str) -> None:
    definition = load_format(name)
    assert list(definition.fields) == ["LDR", *sorted(tag for tag in definition.fields if tag != "LDR")]
    assert all(field.label for field in definition.fields.values())
    assert not definition.fields.keys() & definition.deprecated_fields.keys()
