"""Authority records: examples that a librarian reads and adds, in ``authorities``.

An example is a few fields and, after ``=>``, what they add to the authority of a record: a line for each heading,
variant, related heading …, for each warning and for each subfield that is private or unmapped. A record without a
heading has a usual one; ``LDR`` states the leader. The sentence before an example is what all examples up to the next
sentence promise.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bibld.crosswalk import EVERY, Tally, authority_flavour, convert, convert_authority, coverage, rules_of
from bibld.crosswalk._authorities import AUTHORITY_RULES, MARC21, UNIMARC
from bibld.errors import CrosswalkError
from bibld.model import mods
from bibld.model.authority import Authority, ConvertedAuthority, Heading, RecordNumber
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.triplify._describe.titles import full_title
from bibld.triplify._describe.works import access_point
from bibld.triplify._headings import dates_of, heading
from tests.crosswalk.test_rusmarc import record

FOLDER = Path(__file__).parent / "authorities"
DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")

LEADERS = {"marc21": "00000nz  a2200000n  4500", "rusmarc": "     nx  a22     3  45  "}
USUAL_HEADING = {"marc21": ("1", "100 1#$aK"), "rusmarc": ("2", "200 #1$aK")}


class Example(NamedTuple):
    flavour: str
    place: str
    promise: str
    fields: list[str]
    lines: list[str]


def examples() -> Iterator[Example]:
    for file in sorted(FOLDER.glob("*/*.txt")):
        promise, fields, lines = "", [], []
        for number, line in enumerate([*file.read_text(encoding="utf-8").split("\n"), ""], 1):
            if line.startswith("# "):
                promise = line[2:]
            elif line.startswith("=>"):
                lines += [line[3:]] if line != "=>" else []
            elif line:
                fields.append(line)
            elif fields:
                yield Example(file.parent.name, f"{file.parent.name}-{file.stem}-{number}", promise, fields, lines)
                fields, lines = [], []


def label(found: Heading) -> str:
    """Return a heading as it is published: subdivisions after ``--``, a work after its creator."""
    names = [part for part in found.parts if isinstance(part, mods.Name)]
    titles = [part for part in found.parts if isinstance(part, mods.TitleInfo)]
    words = [access_point(names, titles[0])] if names and titles else []
    for part in found.parts if not words else found.parts[len(names) + len(titles) :]:
        if isinstance(part, mods.Name):
            words.append(", ".join(filter(None, (heading(part), dates_of(part)))))
        elif isinstance(part, mods.TitleInfo):
            words.append(full_title(part))
        elif isinstance(part, mods.HierarchicalGeographic):
            words += [text for kind in ("country", "state", "county", "city") for text in getattr(part, kind)]
        else:
            words.append(part.value)
    return "--".join(words)


def lines_of(authority: Authority) -> Iterator[str]:
    state = authority.state
    for name in ("status", "record_type", "scheme"):
        if getattr(state, name) not in ("", "new", "established"):
            yield f"{name}={getattr(state, name)}"
    uses = ("is_provisional", "is_differentiated", "is_used_as_name", "is_used_as_subject", "is_used_as_series")
    yield from (f"{name}={getattr(state, name)}" for name in uses if getattr(state, name) is not None)
    yield from lines_of_headings(authority)
    yield from lines_of_facts(authority)
    yield from lines_of_notes(authority)


def lines_of_headings(authority: Authority) -> Iterator[str]:
    for one in authority.headings:
        yield f"heading{marks(one.kind, *traits(one))}={label(one)}"
    for variant in authority.variants:
        shown = "" if variant.is_shown else "not shown"
        yield f"variant{marks(variant.type, variant.label, shown, *traits(variant.heading))}={label(variant.heading)}"
    for other in authority.equivalents:
        stated = marks(other.label, *map(number_of, other.numbers), *traits(other.heading))
        yield f"equivalent{stated}={label(other.heading)}"
    for related in authority.related:
        shown = "" if related.is_shown else "not shown"
        stated = marks(related.relation, related.label, related.period, shown, *map(number_of, related.numbers))
        yield f"related{stated}={' = '.join(map(label, related.headings))}"


def lines_of_facts(authority: Authority) -> Iterator[str]:
    for number in authority.numbers:
        yield f"number{marks(number.source, 'cancelled' if number.is_cancelled else '')}={number_of(number)}"
    for date in authority.dates:
        yield f"date{marks(date.type)}={date.value}" + ("" if date.value == date.stated else f" ({date.stated})")
    for attribute in authority.attributes:
        yield f"{attribute.type}{marks(attribute.scheme, attribute.period, attribute.iri)}={attribute.value}"
    for language in authority.languages:
        yield f"language={language.language_term[0].value}"
    for area in authority.areas:
        yield f"area{marks(area.authority or '')}={area.value}"
    for place in authority.coordinates:
        yield f"coordinates={' '.join(place.coordinates)}"
    for mark in authority.classifications:
        yield f"class{marks(mark.authority or '', mark.edition or '', mark.display_label or '')}={mark.value}"


def lines_of_notes(authority: Authority) -> Iterator[str]:
    for note in authority.notes:
        yield f"note{marks(note.type or '')}={note.value}"
    for source in authority.sources:
        found = [source.citation, source.information, *source.links]
        yield f"source{'' if source.is_found else '[nothing found]'}={' | '.join(filter(None, found))}"
    for title in authority.titles:
        mine = "" if title.is_related else "of somebody else"
        yield f"title{marks(mine, title.date, *map(number_of, title.numbers))}={full_title(title.title)}"
    for identifier in authority.identifiers:
        yield f"identifier{marks(identifier.type or '', 'invalid' if identifier.invalid else '')}={identifier.value}"
    for location in authority.locations:
        yield f"address={location.url[0].value}"


def number_of(number: RecordNumber) -> str:
    return number.iri or (f"({number.source}){number.value}" if number.source else number.value)


def traits(one: Heading) -> tuple[str, ...]:
    return one.language, "" if one.script == "Latn" else one.script, one.scheme


def marks(*texts: str) -> str:
    stated = ",".join(filter(None, texts))
    return f"[{stated}]" if stated else ""


def converted(flavour: str, fields: list[str]) -> ConvertedAuthority:
    leader = next((field[4:] for field in fields if field.startswith("LDR")), LEADERS[flavour])
    stated = [field for field in fields if not field.startswith("LDR")]
    return convert_authority(record(*stated, leader=leader))[1]


def all_lines(flavour: str, fields: list[str]) -> list[str]:
    made = converted(flavour, fields)
    accounts = (("warning", made.warnings), ("private", made.private), ("unmapped", made.unmapped))
    return [*lines_of(made.authority), *(f"{name}: {text}" for name, texts in accounts for text in texts)]


def added_lines(flavour: str, fields: list[str]) -> list[str]:
    """Return the lines that fields add to a record; a heading among them replaces the usual one."""
    block, usual = USUAL_HEADING[flavour]
    has_heading = any(field.startswith(block) for field in fields)
    known = Counter([] if has_heading else all_lines(flavour, [usual]))
    added = []
    for line in all_lines(flavour, fields if has_heading else [usual, *fields]):
        if known[line]:
            known[line] -= 1
        else:
            added.append(line)
    return added


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.place)
def test_fields_become_what_their_example_states(example: Example) -> None:
    assert added_lines(example.flavour, example.fields) == example.lines, example.promise


# --- a heading is the same label as in a bibliographic record


NAMES = [
    "1#$aTolstoy, Leo,$cgraf,$d1828-1910.",
    "0#$aCatherine$bII,$cEmpress of Russia,$d1729-1796",
    "1#$aWoolf, V.$q(Virginia),",
    "3#$aRomanov family.",
    "1#$aЧехов, А. П.$d1860-1904",
]
BODIES = ["1#$aRussia (Federation).$bMinisterstvo kulʹtury.", "2#$aUnited Nations.$bLibrary."]
SUBJECTS = [
    ("50", "##$aMusical instruments$zChina.$xHistory"),
    ("50", "##$aРабота с читателями"),
    ("51", "##$aRussia$xHistory$y1801-1917."),
    ("30", "#0$aBible.$pN.T.$pMatthew."),
    ("48", "##$a1939-1945"),
    ("10", "2#$aUnesco$xHistory"),
    ("11", "2#$aOlympic Games$n(22nd :$d1980 :$cMoscow, Russia)"),
]


def subject_of(tag: str, text: str) -> tuple[mods.SubjectPart, ...]:
    made = convert(record(f"6{tag} {text}", "245 00$aK", leader="00000nam a2200000 i 4500"))[1]
    return made.mods.subject[0].parts


@pytest.mark.parametrize(
    ("tag", "text"), [*(("00", name) for name in NAMES), *(("10", body) for body in BODIES), *SUBJECTS]
)
def test_a_heading_of_marc21_has_the_parts_that_it_has_as_a_subject(tag: str, text: str) -> None:
    assert converted("marc21", [f"1{tag} {text}"]).authority.headings[0].parts == subject_of(tag, text)


@pytest.mark.parametrize(("tag", "text"), [*(("00", name) for name in NAMES), *(("10", body) for body in BODIES)])
def test_a_heading_of_marc21_is_the_name_of_an_added_entry(tag: str, text: str) -> None:
    made = convert(record(f"7{tag} {text}", "245 00$aK", leader="00000nam a2200000 i 4500"))[1]
    assert converted("marc21", [f"1{tag} {text}"]).authority.headings[0].parts == made.mods.name


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("700", "1#$aTolstoy, Leo,$cgraf,$d1828-1910.$tVoĭna i mir.$nChast' 1.$lEnglish"),
        ("710", "2#$aCatholic Church.$tMissal."),
        ("700", "1#$aBach, Johann Sebastian,$d1685-1750.$tCantatas.$kSelections;$oarr."),
    ],
)
def test_a_heading_of_a_work_is_that_of_an_added_entry(tag: str, text: str) -> None:
    made = convert(record(f"{tag} {text}", "245 00$aK", leader="00000nam a2200000 i 4500"))[1]
    item = made.mods.related_item[0].mods
    found = converted("marc21", [f"1{tag[1:]} {text}"]).authority.headings[0]
    assert label(found) == access_point(item.name, item.title_info[0])


@pytest.mark.parametrize(
    ("entry", "authority", "text"),
    [
        ("700", "200", "#1$aТолстой$bЛ. Н.$gЛев Николаевич$f1828 - 1910"),
        ("700", "200", "#0$aЕкатерина II$cимператрица российская$f1729-1796"),
        ("710", "210", "02$aРоссийская национальная библиотека$cСанкт-Петербург$bОтдел рукописей"),
        ("710", "210", "12$aМеждународный конгресс по математике$d8$f1928$eБолонья"),
        ("720", "220", "##$aРомановы$cдинастия$f1613-1917"),
        ("606", "250", "##$aБиблиотеки$xИстория$yРоссия$z19 в."),
        ("607", "215", "##$aРоссия, страна$xИстория"),
        ("620", "260", "##$aРоссия$dМосква"),
    ],
)
def test_a_heading_of_rusmarc_has_the_parts_of_a_bibliographic_one(entry: str, authority: str, text: str) -> None:
    made = convert(record(f"{entry} {text}", "200 1#$aК", leader="     nam0 22     i 450 "))[1].mods
    found = converted("rusmarc", [f"{authority} {text}"]).authority.headings[0]
    names = tuple(replace(name, usage=None) for name in made.name)
    assert found.parts == (names if entry[0] == "7" else made.subject[0].parts)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("130 0#", "$aBible.$pN.T.$pMatthew.$lEnglish.$f2004."),
        ("730 0#", "$aNibelungenlied.$lGerman."),
        ("240 10", "$aVoĭna i mir.$nChast' 1.$lEnglish"),
    ],
)
def test_a_uniform_title_is_the_title_that_a_bibliographic_record_has(entry: str, text: str) -> None:
    made = convert(record("100 1#$aT", f"{entry}{text}", "245 00$aK", leader="00000nam a2200000 i 4500"))[1].mods
    titles = [*made.title_info, *(title for item in made.related_item for title in item.mods.title_info)]
    own = next(full_title(title) for title in titles if title.type == "uniform")
    assert label(converted("marc21", [f"130 #0{text}"]).authority.headings[0]) == own


@pytest.mark.parametrize("text", ["##$aDetective and mystery fiction.", "##$aMaps$zRussia"])
def test_a_genre_is_the_genre_that_a_bibliographic_record_has(text: str) -> None:
    made = convert(record(f"655 #7{text[2:]}$2lcgft", "245 00$aK", leader="00000nam a2200000 i 4500"))[1].mods
    assert label(converted("marc21", [f"155 {text}"]).authority.headings[0]) == made.genre[0].value


@pytest.mark.parametrize(
    ("authority", "entry", "text"),
    [
        ("230 ##", "500 10", "$aСлово о полку Игореве$iИзбранное"),
        ("230 ##", "500 10", "$aБиблия$mрус.$q1998"),
        ("280 ##", "608 ##", "$aАтласы$yРоссия"),
    ],
)
def test_a_title_or_genre_of_rusmarc_is_that_of_a_bibliographic_record(authority: str, entry: str, text: str) -> None:
    made = convert(record(f"{entry}{text}", "200 1#$aК", leader="     nam0 22     i 450 "))[1].mods
    own = made.genre[0].value if entry[0] == "6" else full_title(next(one for one in made.title_info if one.type))
    assert label(converted("rusmarc", [f"{authority}{text}"]).authority.headings[0]) == own


# --- bad input


@pytest.mark.parametrize(
    ("leader", "fields", "message"),
    [
        ("00000nam a2200000 i 4500", ["245 00$aTitle"], "leader/06 'a' is not an authority record"),
        ("00000nx  a2200000 i 4500", ["852 ##$aDLC"], "leader/06 'x' is not an authority record"),
        ("00000nz  a2200000n  4500", ["670 ##$aBook"], r"without a heading \(1XX\)"),
        ("00000nz  a2200000n  4500", ["100 1#$d1828-1910"], r"without a heading \(1XX\)"),
        ("     nx  a22     3  45  ", ["801 #0$aRU$bNLR"], "leader/06 'x' is not an authority record"),
        ("     nx  a22     3  45  ", ["200 #1$aК", "801 #0$aRU$bNLR", "210 02$c()"], None),
        ("", ["100 1#$aK"], "is not an authority record"),
    ],
)
def test_what_is_no_authority_record_is_refused_with_a_reason(leader, fields, message) -> None:
    if message is None:
        assert convert_authority(record(*fields, leader=leader))[1].authority.headings
        return
    with pytest.raises(CrosswalkError, match=message):
        convert_authority(record("001 1", *fields, leader=leader))


@pytest.mark.parametrize(
    ("leader", "field", "flavour"),
    [
        (LEADERS["marc21"], "150 ##$aTopic", MARC21),
        (LEADERS["marc21"], "103 ##$aTopic$bTopic", MARC21),
        (LEADERS["rusmarc"], "250 ##$aТема", UNIMARC),
        ("     nz  a22     3  45  ", "210 02$aАкадемия наук", UNIMARC),
        ("     nx  a22     3  45  ", "245 ##$1200#1$aК$1235##$aПисьма", UNIMARC),
        ("     ny  a22     3  45  ", "240 ##$1200#1$aК$1230##$aТ", UNIMARC),
    ],
)
def test_the_format_is_recognised_by_leader_and_headings(leader, field, flavour) -> None:
    assert authority_flavour(record(field, leader=leader)) == flavour


def test_characters_that_could_not_be_decoded_are_reported() -> None:
    made = convert_authority(record("200 #1$aТолст\ufffdй", leader=LEADERS["rusmarc"]))[1]
    assert made.warnings == (
        'some characters could not be decoded; state the charset of the source: charset = "cp1251"',
    )


def test_the_rules_of_both_formats_describe_what_they_write() -> None:
    tally = Tally()
    tally.add(MARC21, ("150$a", "040$9"), ("040$9",), ())
    rows = {row.name: row for row in coverage(tally)}
    assert rows["150$a"].writes[0].startswith("heading:") and rules_of(MARC21) is AUTHORITY_RULES[MARC21]


@pytest.mark.parametrize(
    ("leader", "flavour"), [("     dx  a22     3  45  ", UNIMARC), ("00000dz  a2200000n  4500", MARC21)]
)
def test_a_deletion_without_fields_is_an_authority_record(leader, flavour) -> None:
    found, made = convert_authority(record("001 42", leader=leader))
    assert (found, made.authority.control_number, made.authority.state.status) == (flavour, "42", "deleted")


def test_references_of_marc21_are_no_headings_of_unimarc() -> None:
    made = record("150 ##$aCrimes", "260 ##$isubdivision$aCrimes$iunder", leader=LEADERS["marc21"])
    assert authority_flavour(made) == MARC21


# --- whatever a record contains

READ_TAGS = sorted(
    {tag for rules in AUTHORITY_RULES.values() for rule in rules.rules for tag, codes in rule.reads if codes}
)
ODD_TEXTS = [
    "", " ", ".", "...", "[", "=", "\x98Die\x9c Welt", "\x00", "\ud800", "100-01/(N", "400-1", "880", "(DE-588)1",
    "(", "()", "http://[x", "https://example.org/%zz?q={}#a#b", "9999", "20201332", "1900-", "-44", "106-43 B.C.",
    "nnaa", "g", "r", "0", "a0", "xxxcа", "L:eng", "4:pseu", "Z:1900-1950", "--", "A--B", "x3x6", "rus", "rusrus",
    "²²²²", "٣٣٣٣", "2001 ", "200#1",
]  # fmt: skip
texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=12), st.text("0123456789|u# abcdx-", max_size=42))
codes = st.one_of(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789"), st.text(max_size=2))
tags = st.one_of(st.sampled_from([*READ_TAGS, "880"]), st.text(max_size=3))
indicators = st.one_of(st.sampled_from(" 0123456789"), st.text(max_size=1))
data_fields = st.builds(
    DataField, tags, indicators, indicators, st.lists(st.builds(Subfield, codes, texts), max_size=6).map(tuple)
)
control_fields = st.builds(ControlField, st.sampled_from(["001", "003", "005", "008"]), texts)
records = st.builds(
    lambda leader, fields: MarcRecord(Origin("t", "t.mrc", 1, 0), Leader(leader), tuple(fields)),
    st.one_of(st.text(max_size=24), st.sampled_from([*LEADERS.values(), "00000dz  a2200000n  4500"])),
    st.lists(st.one_of(data_fields, data_fields, control_fields), max_size=12),
)


@given(record=records)
@settings(max_examples=300, deadline=None)
def test_any_record_becomes_an_authority_or_is_refused_and_no_subfield_is_lost_silently(record: MarcRecord) -> None:
    try:
        flavour, made = convert_authority(record)
    except CrosswalkError as error:
        assert "report this fault" not in error.reason  # no rule raises an exception
        return
    assert msgspec.json.decode(msgspec.json.encode(made.authority), type=Authority) == made.authority
    assert convert_authority(record) == (flavour, made)
    read: dict[str, set[str]] = {}
    for rule in AUTHORITY_RULES[flavour].rules:
        for tag, codes_of_tag in rule.reads:
            read.setdefault(tag, set()).update(codes_of_tag or EVERY)
    linking = "67" if flavour == UNIMARC else "68"
    accounted = {name.rpartition("/")[2] for name in (*made.unmapped, *made.private)}
    for field in record.fields():
        if field.tag == "880" or any(subfield.code == "1" for subfield in field.subfields):
            continue
        for subfield in field.subfields:
            is_read = read.get(field.tag, set()) & {subfield.code, EVERY}
            has_text = (
                len(subfield.code) == 1
                and subfield.code.isalnum()
                and subfield.value.strip()
                and subfield.value.isprintable()
            )
            if has_text and not is_read and subfield.code not in linking:
                assert f"{field.tag}${subfield.code}" in accounted


# --- real records


def real_records(name: str) -> list[MarcRecord]:
    from bibld.protocols import HarvestedFile, Raw
    from bibld.read import examine, read

    file = HarvestedFile("s", name, DATA / name)
    examined = examine(file)
    return [examined.carrier.parse(raw).record for raw in read(file, examined) if isinstance(raw, Raw)]


@REAL
@pytest.mark.parametrize(
    ("name", "count"),
    [("marc21/authorities_utf8.mrc", 548), ("authorities/loc_names.mrc", 11), ("authorities/loc_subjects.mrc", 6)],
)
def test_every_real_record_is_converted_and_its_subfields_are_covered(name: str, count: int) -> None:
    made = [convert_authority(one)[1] for one in real_records(name)]
    subfields = sum(len(field.subfields) for one in real_records(name) for field in one.fields())
    assert len(made) == count and all(one.authority.headings for one in made)
    assert sum(len(one.unmapped) for one in made) <= 0.01 * subfields
