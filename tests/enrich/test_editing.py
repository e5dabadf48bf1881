"""Additions to the bytes of a record: where they go, what stays, and that they can be withdrawn again."""

import io

import msgspec
import pymarc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.enrich import (
    FORMS,
    Addition,
    NotEditableError,
    add_to_record,
    charset_for_additions,
    form_of,
    is_editable,
    withdraw_additions,
)
from bibld.errors import ReadError
from bibld.model.enrichment import MARC21_MARKS, UNIMARC_MARKS, AdditionSource, without_additions
from bibld.model.marc import DataField, Subfield
from bibld.model.marc_writers import to_iso2709, to_marcxml, to_mrk
from bibld.protocols import Raw
from bibld.read import aleph, encode_text, iso2709, marcjson, marcxml, mrk, yaz
from bibld.read._charset import Charsets
from tests.read.carriers import lines_of
from tests.read.test_laws import PIECES, in_json
from tests.strategies import marc_records, texts

BASE = "https://data.example.org/"
SOURCE = AdditionSource("subjects", BASE + "record/nlr/7", "RU-1", 0.971, "(RU-1)7")
MARKS = {False: msgspec.structs.replace(MARC21_MARKS, agency="RU-9"), True: UNIMARC_MARKS}
"""How additions are marked, by whether the record is of the UNIMARC family."""

READERS = {"iso2709": iso2709, "marcjson": marcjson, "marcxml": marcxml, "mrk": mrk, "aleph": aleph, "yaz": yaz}
LEADER = "00000nam a2200000 i 4500"


def subject(text, **others):
    return Addition(SOURCE, "650", (Subfield("a", text), Subfield("2", "rubbk")), " 7", **others)


NUMBERS = AdditionSource("authorities", BASE + "agent/x")


def number(position, text="(x)1"):
    return Addition(NUMBERS, "700", (Subfield("0", text),), field=position)


def read_one(name, data, charset="auto"):
    reader = READERS[name]
    carrier = reader.examine(io.BytesIO(data), "f", "s", reader.Settings(charset=charset))
    (raw,) = carrier.raws(io.BytesIO(data))
    return carrier, raw


def joined(form, sliced):
    return form.join(sliced.fields, sliced.frame)


def added_to(name, data, additions, charset="auto", is_unimarc=False):
    """Add to the only record of a file; return the enriched record and its bytes as they are read."""
    carrier, raw = read_one(name, data, charset)
    form = form_of(name, carrier)
    charset = charset_for_additions(form, raw.data, carrier, is_unimarc)
    enriched = add_to_record(form, form.slice(raw.data), additions, charset, MARKS[is_unimarc])
    assert withdraw_additions(form, enriched.data, BASE) == raw.data
    return enriched, carrier.parse(Raw(raw.origin, enriched.data))


MRK = (
    b"=LDR  00000nam\\a2200000\\i\\4500\n=001  1\n=245  10$aTitle\n=650  \\0$aOld\n=700  1\\$aName\n=999  \\\\$aLocal\n"
)

TEXT_FILES = {
    "mrk": MRK,
    "mrk without a line end": MRK.rstrip(b"\n"),
    "mrk with lines of Windows": MRK.replace(b"\n", b"\r\n"),
    "aleph": b"000000001 LDR   L 00000nam^a2200000^i^4500\n000000001 001   L 1\n000000001 24510 L $$aTitle\n"
    b"000000001 650 0 L $$aOld\n000000001 7001  L $$aName\n000000001 999   L $$aLocal\n",
    "yaz": b"00000nam a2200000 i 4500\n001 1\n245 10 $a Title\n650  0 $a Old\n700 1  $a Name\n999    $a Local\n",
    "marcjson": b'{"leader": "00000nam a2200000 i 4500", "fields": [{"001": "1"}, {"245": {"ind1": "1", "ind2": "0",'
    b' "subfields": [{"a": "Title"}]}},\n{"650": {"subfields": [{"a": "Old"}], "ind1": " ", "ind2": "0"}}, {"700": {'
    b'"ind1": "1", "ind2": " ", "subfields": [{"a": "Name"}]}}, {"999": {"ind1": " ", "ind2": " ", "subfields": [{'
    b'"a": "Local"}]}}]}',
    "marcxml": b"<record><leader>00000nam a2200000 i 4500</leader>\n  <controlfield tag='001'>1</controlfield>\n"
    b"  <datafield tag='245' ind1='1' ind2='0'>\n    <subfield code='a'>Title</subfield>\n  </datafield>\n"
    b"  <datafield tag='650' ind1=' ' ind2='0'><subfield code='a'>Old</subfield></datafield>\n"
    b"  <datafield tag='700' ind1='1' ind2=' '><subfield code='a'>Name</subfield></datafield>\n"
    b"  <datafield tag='999' ind1=' ' ind2=' '><subfield code='a'>Local</subfield></datafield>\n</record>",
}


HEADING = {"yaz": 4, "marcjson": 3}
"""The position of the field 700 among the slices, the leader included where it is one of them."""


@pytest.mark.parametrize("name", TEXT_FILES)
def test_additions_are_in_the_order_of_the_tags(name):
    enriched, parsed = added_to(
        name.split()[0], TEXT_FILES[name], [subject("Новое & ($5)"), number(HEADING.get(name, 4))]
    )
    assert [one.reason for one in enriched.omitted] == []
    assert lines_of(parsed.record.all_fields) == [
        "001 1",
        "245 10$aTitle",
        "650  0$aOld",
        "650  7$81\\p$aНовое & ($5)$2rubbk",
        "700 1 $aName$82\\p$0(x)1",
        "883 0 $81\\p$abibld: subjects$c0.97$qRU-9$uhttps://data.example.org/record/nlr/7$w(RU-1)7",
        "883 1 $82\\p$abibld: authorities$qRU-9$uhttps://data.example.org/agent/x",
        "999   $aLocal",
    ]
    assert parsed.warnings == ()


def test_xml_is_indented_as_the_rest():
    enriched, _ = added_to("marcxml", TEXT_FILES["marcxml"], [subject("A<B")])
    assert (
        b"\n  <datafield tag=\"650\" ind1=\" \" ind2=\"7\">\n    <subfield code=\"8\">1\\p</subfield>"
        b"\n    <subfield code=\"a\">A&lt;B</subfield>\n    <subfield code=\"2\">rubbk</subfield>\n  </datafield>"
        b"\n  <datafield tag='700'" in enriched.data
    )  # fmt: skip


@pytest.mark.parametrize("name", ["mrk", "aleph", "yaz", "marcjson"])
def test_a_field_can_be_the_first(name):
    data = {
        "mrk": b"=245  10$aTitle\n",
        "aleph": b"000000001 24510 L $$aTitle\n",
        "yaz": b"245 10 $a Title\n",
        "marcjson": b'{"fields": [{"245": {"ind1": "1", "ind2": "0", "subfields": [{"a": "Title"}]}}]}',
    }[name]
    form = FORMS[name]
    additions = [Addition(SOURCE, tag, (Subfield("a", "1"),)) for tag in ("020", "024")]
    enriched = add_to_record(form, form.slice(data), additions, "utf-8", MARKS[True])
    assert [field.tag for field in form.slice(enriched.data).fields] == ["020", "024", "245", "983"]
    assert withdraw_additions(form, enriched.data, BASE) == data


def test_the_prefix_of_the_elements_is_kept():
    data = b"<m:record xmlns:m='http://www.loc.gov/MARC21/slim'><m:leader>00000nam a2200000 i 4500</m:leader>"
    data += b"<m:datafield tag='245' ind1='1' ind2='0'><m:subfield code='a'>T</m:subfield></m:datafield></m:record>"
    enriched, parsed = added_to("marcxml", data, [subject("x")])
    assert b"<m:datafield tag=\"650\" ind1=\" \" ind2=\"7\"><m:subfield code=\"8\">" in enriched.data  # fmt: skip
    assert "650  7$81\\p$ax$2rubbk" in lines_of(parsed.record.all_fields)


def in_iso2709(entries, data, *, leader=LEADER, length=None):
    """Return a record with these directory entries (tag, length, start) and this data, and a stated length."""
    directory = "".join(f"{tag}{size:04d}{start:05d}" for tag, size, start in entries).encode()
    base = 25 + len(directory)
    body = directory + b"\x1e" + data + b"\x1d"
    stated = 24 + len(body) if length is None else length
    return f"{stated:05d}{leader[5:12]}{base:05d}{leader[17:]}".encode() + body


def test_the_fields_may_be_in_another_order_than_the_directory():
    record = in_iso2709([("001", 2, 10), ("245", 10, 0), ("700", 5, 12)], b"00\x1faTitle\x1e1\x1e  \x1fx\x1e")
    carrier, raw = read_one("iso2709", record)
    assert joined(FORMS["iso2709"], FORMS["iso2709"].slice(raw.data)) == raw.data
    enriched, parsed = added_to("iso2709", record, [subject("New")])
    assert [field.tag for field in parsed.record.all_fields] == ["001", "245", "650", "700", "883"]
    assert carrier.parse(raw).record.all_fields[1] in parsed.record.all_fields
    assert int(enriched.data[:5]) == len(enriched.data)


@pytest.mark.parametrize("surplus", [-1, 3])
def test_a_wrong_record_length_stays_wrong_by_as_much(surplus):
    right = in_iso2709([("001", 2, 0), ("245", 10, 2)], b"1\x1e10\x1faTitle\x1e")
    record = in_iso2709([("001", 2, 0), ("245", 10, 2)], b"1\x1e10\x1faTitle\x1e", length=len(right) + surplus)
    enriched, _ = added_to("iso2709", record, [subject("New")])
    assert int(enriched.data[:5]) == len(enriched.data) + surplus


@pytest.mark.parametrize(
    ("entries", "data", "reason"),
    [
        ([("001", 2, 0), ("245", 99, 2)], b"1\x1e10\x1faTitle\x1e", "does not fit"),
        ([("001", 2, 0), ("245", 10, 1)], b"1\x1e10\x1faTitle\x1e", "does not fit"),
        ([("001", 2, 0)], b"1\x1e10\x1faTitle\x1e", "not in its directory"),
        ([("001", 2, 0), ("245", 9, 2)], b"1\x1e10\x1faTitle\x1e", "does not fit"),
    ],
)
def test_a_record_with_a_wrong_directory_is_not_changed(entries, data, reason):
    with pytest.raises(NotEditableError, match=reason):
        FORMS["iso2709"].slice(in_iso2709(entries, data))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("iso2709", b""),
        ("iso2709", b"00000nam a2200000 i 4500"),
        ("marcxml", b"<record>"),
        ("marcxml", b"<record><datafield></record>"),
        ("marcxml", b"<record/>"),
        ("mrk", b"text"),
        ("mrk", b"junk\n=001  1"),
        ("mrk", b"=LDR  00000nam a2200000 i 4500"),
        ("yaz", b"junk\n001 1"),
        ("marcjson", b"[]"),
        ("marcjson", b'{"fields": []}'),
        ("marcjson", b'{"fields": [1]}'),
        ("marcjson", b'{"fields": [{"001": "1"}'),
        ("marcjson", b'{leader: "", "fields": [{"001": "1"}]}'),
    ],
)
def test_what_is_no_record_is_not_changed(name, data):
    with pytest.raises(NotEditableError):
        FORMS[name].slice(data)
    assert withdraw_additions(FORMS[name], data + b"bibld", BASE) == data + b"bibld"


def test_an_addition_that_does_not_fit_is_left_out():
    record = in_iso2709([("001", 2, 0), ("245", 10, 2)], b"1\x1e10\x1faTitle\x1e")
    enriched, parsed = added_to("iso2709", record, [subject("x" * 10_000), subject("short"), number(0)])
    assert [(one.addition.tag, one.reason) for one in enriched.omitted] == [
        ("650", "the field 650 would have 10017 bytes; the format allows 9999"),
        ("700", "the field 001 cannot get subfields"),
    ]
    assert "650  7$81\\p$ashort$2rubbk" in lines_of(parsed.record.all_fields)


def test_what_could_be_taken_for_the_librarys_is_left_out():
    record = in_iso2709([("001", 2, 0), ("700", 9, 2)], b"1\x1e1 \x1faName\x1e")
    wrong = [
        subject("x", field=1),
        Addition(NUMBERS, "700", (Subfield("a", "x"),), field=1),
        Addition(NUMBERS, "700", ()),
    ]
    enriched, parsed = added_to("iso2709", record, wrong)
    assert len(enriched.omitted) == 3
    assert lines_of(parsed.record.all_fields) == ["001 1", "700 1 $aName"]


def test_a_record_that_is_full_gets_what_fits():
    fields = [("001", 2, 0), *(("500", 9999, 2 + at * 9999) for at in range(9))]
    full = in_iso2709(fields, b"1\x1e" + (b"  \x1fa" + b"y" * 9994 + b"\x1e") * 9)
    enriched, _ = added_to("iso2709", full, [subject("z" * 9000), subject("z" * 9800), subject("w" * 200)])
    assert [one.addition.text[:4] for one in enriched.omitted] == ["$a z"]
    assert enriched.omitted[0].reason.endswith("the format allows 99999")
    assert len(enriched.added) == 2
    assert len(enriched.data) <= 99_999


def test_a_character_that_the_charset_lacks_leaves_an_addition_out():
    text = "Заглавие".encode("cp1251")
    data = b"1\x1e10\x1fa" + text + b"\x1e"
    record = in_iso2709([("001", 2, 0), ("245", 4 + 1 + len(text), 2)], data, leader="00000nam  2200000 i 450 ")
    enriched, parsed = added_to("iso2709", record, [subject("café"), subject("Тема")], "cp1251", is_unimarc=True)
    assert [one.reason for one in enriched.omitted] == [
        "the character 'é' (U+00E9 LATIN SMALL LETTER E WITH ACUTE) is not in cp1251"
    ]
    assert lines_of(parsed.record.all_fields) == [
        "001 1",
        "245 10$aЗаглавие",
        "650  7$6z01983$aТема$2rubbk",
        "983 0 $6z01$abibld: subjects$c0.97$uhttps://data.example.org/record/nlr/7$w(RU-1)7",
    ]


@pytest.mark.parametrize(
    ("data", "charsets", "is_unimarc", "expected"),
    [
        (b"00000nam a", Charsets("utf-8", "ascii"), False, "utf-8"),
        (b"00000nam a", Charsets("marc8", "marc8"), False, "utf-8"),
        (b"00000nam  ", Charsets("marc8", "ascii", legacy="marc8"), False, "marc8"),
        (b"00000nam  ", Charsets("marc8", "cp1251"), False, "cp1251"),
        (b"00000nam  ", Charsets("cp866", "ascii", legacy="iso5426"), True, "cp866"),
        (b"00000nam  ", Charsets(None, "ascii", legacy="iso5426"), True, "iso5426"),
        ("00000nam  мир".encode(), Charsets(None, "utf-8"), True, "utf-8"),
    ],
)
def test_a_record_of_plain_ascii_gets_the_charset_of_its_file_or_standard(data, charsets, is_unimarc, expected):
    carrier = iso2709.CarrierType(source="s", file="f", charsets=charsets, max_record_bytes=100)
    assert charset_for_additions(FORMS["iso2709"], data, carrier, is_unimarc) == expected


WRITERS = {
    "iso2709": to_iso2709,
    "marcxml": to_marcxml,
    "mrk": lambda record: to_mrk(record).encode(),
    "marcjson": lambda record: in_json(record).encode(),
}


@pytest.mark.parametrize("name", WRITERS)
@given(st.data())
def test_what_is_added_can_be_withdrawn_and_all_else_stays(name, data):
    record = data.draw(marc_records())
    carrier, raw = read_one(name, WRITERS[name](record), "utf-8")
    before = carrier.parse(raw).record
    form = form_of(name, carrier)
    sliced = form.slice(raw.data)
    assert joined(form, sliced) == raw.data
    is_unimarc = data.draw(st.booleans())
    new = st.builds(
        lambda tag, text: Addition(SOURCE, tag, (Subfield("a", text),)), st.sampled_from(["010", "650", "999"]), texts()
    )
    places = [at for at, field in enumerate(sliced.fields) if is_editable(form, field)]
    more = st.builds(number, st.sampled_from(places), texts()) if places else new
    additions = data.draw(st.lists(new | more, max_size=4))
    enriched = add_to_record(form, sliced, additions, "utf-8", MARKS[is_unimarc])
    assert withdraw_additions(form, enriched.data, BASE) == raw.data
    after = carrier.parse(Raw(raw.origin, enriched.data)).record
    assert without_additions(after, BASE).all_fields == before.all_fields
    assert len(enriched.added) + len(enriched.omitted) == len(additions)
    fields = len(after.all_fields) - len(before.all_fields)
    wholly = sum(one.field is None for one in enriched.added)
    assert fields == wholly + len({one.source for one in enriched.added})


@given(marc_records(), st.lists(texts(), min_size=1, max_size=3))
def test_pymarc_reads_the_lengths(record, added):
    data = to_iso2709(record)
    enriched = add_to_record(
        FORMS["iso2709"], FORMS["iso2709"].slice(data), [subject(text) for text in added], "utf-8", MARKS[False]
    )
    assert int(enriched.data[:5]) == len(enriched.data)
    (read,) = pymarc.MARCReader(enriched.data, force_utf8=True)
    fields = [field for field in record.all_fields if isinstance(field, DataField)]
    assert (
        len([field for field in read.get_fields() if not field.control_field]) == len(fields) + len(enriched.added) + 1
    )
    assert [field["a"] for field in read.get_fields("650") if field.get("8") == "1\\p"] == [
        one.subfields[0].value for one in enriched.added
    ]


def test_additions_are_the_same_when_they_are_made_again():
    record = in_iso2709([("001", 2, 0), ("245", 10, 2)], b"1\x1e10\x1faTitle\x1e")
    additions = [subject("b"), subject("a"), Addition(AdditionSource("isbn", BASE), "020", (Subfield("a", "1"),))]
    once, _ = added_to("iso2709", record, additions)
    bare = withdraw_additions(FORMS["iso2709"], once.data, BASE)
    assert (
        add_to_record(FORMS["iso2709"], FORMS["iso2709"].slice(bare), additions, "utf-8", MARKS[False]).data
        == once.data
    )


CYRILLIC = st.text(st.sampled_from("АБВабвгдеёжзийклмнопрстуфхцчшщъыьэюя ,.-"), min_size=3, max_size=30).map(str.strip)


@pytest.mark.parametrize("charset", ["cp1251", "koi8-r", "cp866", "iso8859-5", "marc8", "iso5426", "utf-8"])
@given(st.lists(CYRILLIC.filter(bool), min_size=1, max_size=3), st.lists(CYRILLIC.filter(bool), min_size=1, max_size=3))
def test_additions_are_in_the_charset_of_the_record(charset, own, added):
    fields, body = [], b""
    for tag, text in zip(["001", *["500"] * len(own)], ["1", *own], strict=True):
        data = (b"" if tag == "001" else b"  \x1fa") + encode_text(text, charset) + b"\x1e"
        fields.append((tag, len(data), len(body)))
        body += data
    leader = "00000nam a2200000 i 4500" if charset == "utf-8" else "00000nam  2200000 i 4500"
    record = in_iso2709(fields, body, leader=leader)
    enriched, parsed = added_to("iso2709", record, [subject(text) for text in added], charset)
    assert enriched.omitted == ()
    assert [field.first("a") for field in parsed.record.fields("500")] == own
    assert [field.first("a") for field in parsed.record.fields("650")] == added
    assert not [warning for warning in parsed.warnings if "U+FFFD" in warning]


ALL_PIECES = PIECES | {
    "yaz": [
        b"00000nam a2200000 i 4500\n", b"001 1\n", b"245 10 $a T\n", b"650  0 $a x $8 1\\p\n", b"\n", b" $", b"\r",
        b"<!-- x -->\n", b"abc\n",
    ],
    "aleph": [
        b"000000001 LDR   L 00000nam^a2200000^i^4500\n", b"000000001 245   L $$aT\n", b"000000001 650   L $$8x$$a\n",
        b"000000002 001   L 1\n", b"\n", b"$$", b"junk\n", b"\r", b"000000001 ",
    ],
    "marcjson": [
        b'{"leader":"00000nam a2200000 i 4500","fields":[', b'{"001":"1"}', b",", b'{"245":{"subfields":[{"a":"x"}]}}',
        b'{"650":{"subfields":[{"8":"1\\\\p"},{"a":"x"}]}}', b"]}", b"\n", b"{", b"}", b'"', b"]", b"[", b":",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ALL_PIECES)
@given(st.data())
def test_any_bytes_are_enriched_and_restored_or_refused(name, data):
    pieces = st.lists(st.sampled_from([*ALL_PIECES[name], b"bibld", b"883", b"8"]) | st.binary(max_size=6), max_size=40)
    content = data.draw(pieces.map(b"".join))
    reader = READERS[name]
    carrier = reader.examine(io.BytesIO(content), "f", "s", reader.Settings())
    form = form_of(name, carrier)
    for raw in carrier.raws(io.BytesIO(content)):
        if form is None or isinstance(raw, ReadError):
            continue
        try:
            carrier.parse(raw)
            sliced = form.slice(raw.data)
        except (ReadError, NotEditableError):
            continue
        assert joined(form, sliced) == raw.data
        assert withdraw_additions(form, raw.data, BASE) == raw.data
        charset = charset_for_additions(form, raw.data, carrier, False)
        enriched = add_to_record(form, sliced, [subject("x"), number(0)], charset, MARKS[False])
        assert withdraw_additions(form, enriched.data, BASE) == raw.data
