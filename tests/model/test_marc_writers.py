"""MARC written: lengths and directory are right, nothing that a form cannot hold slips in, other software reads it."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pymarc
import pytest
from hypothesis import given
from lxml import etree

from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield, flat_subfields
from bibld.model.marc_writers import MARCXML, to_iso2709, to_marcxml, to_mrk, write_marcxml
from bibld.model.origin import Origin
from bibld.protocols import Raw
from bibld.read import mrk
from tests.strategies import any_texts, marc_records

DATA = os.environ.get("BIBLD_TEST_DATA")
ORIGIN = Origin("rsl", "rsl.mrc", 1, 0)
LEADER = Leader("00000nam a2200000 i 4500")


def record(*fields: ControlField | DataField, leader: Leader = LEADER) -> MarcRecord:
    return MarcRecord(ORIGIN, leader, fields)


def title(text: str) -> DataField:
    return DataField("245", "1", "0", (Subfield("a", text),))


EMBEDDED = DataField(
    "461",
    " ",
    "0",
    embedded=(ControlField("001", "N$1"), DataField("200", "1", " ", (Subfield("a", "Собрание"), Subfield("v", "3")))),
)


# --- ISO 2709


def test_a_record_in_iso_2709_has_the_layout_of_the_standard() -> None:
    data = to_iso2709(record(ControlField("001", "42"), title("Ёж")))
    assert data == (b"00062nam a2200049 i 4500001000300000245000900003\x1e42\x1e10\x1fa" + "Ёж".encode() + b"\x1e\x1d")


def test_lengths_count_bytes_of_the_encoding() -> None:
    data = to_iso2709(record(title("Ёж")), "windows-1251")
    assert int(data[:5]) == len(data) == 45
    assert data.endswith("10\x1faЁж\x1e\x1d".encode("cp1251"))


def test_embedded_fields_are_written_flat() -> None:
    assert "\x1e 0\x1f1001N$1\x1f12001 \x1faСобрание\x1fv3\x1e".encode() in to_iso2709(record(EMBEDDED))


@given(marc_records(with_embedded=True))
def test_other_software_reads_the_same_fields(record: MarcRecord) -> None:
    data = to_iso2709(record)
    read = pymarc.Record(data=data, to_unicode=True, force_utf8=True)
    assert int(data[:5]) == len(data)
    assert int(data[12:17]) == data.index(b"\x1e") + 1
    fields = []
    for field in record.all_fields:
        if isinstance(field, ControlField):
            fields.append((field.tag, field.value))
        else:
            found = [(subfield.code, subfield.value) for subfield in flat_subfields(field)]
            fields.append((field.tag, field.indicator1 + field.indicator2, found))
    assert fields == [
        (field.tag, field.data)
        if field.control_field
        else (field.tag, "".join(field.indicators), [tuple(subfield) for subfield in field.subfields])
        for field in read.fields
    ]


@pytest.mark.parametrize(
    ("field", "encoding", "complaint"),
    [
        (title("x" * 10_000), "utf-8", "245: 10005 bytes"),
        (title("Voĭna"), "windows-1251", "245: 'ĭ' has no place in windows-1251"),
        (title("a\x1eb"), "utf-8", r"245: a value holds U\+001E"),
        (ControlField("001", "a\x1d"), "utf-8", r"001: a value holds U\+001D"),
        (DataField("245", "Ё", " "), "utf-8", "245: 'Ё' is an indicator or code of 2 bytes"),
        (DataField("245", "", " "), "utf-8", "245: '' is an indicator or code of 0 bytes"),
        (DataField("24", " ", " "), "utf-8", "'24' is no tag"),
        (DataField("Б45", " ", " "), "utf-8", "'Б45' is no tag"),
    ],
)
def test_what_iso_2709_cannot_hold_is_refused_with_its_tag(
    field: ControlField | DataField, encoding: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        to_iso2709(record(field), encoding)


def test_a_record_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too long for ISO 2709"):
        to_iso2709(record(*(title("x" * 9_000) for _ in range(12))))


def test_a_record_whose_directory_makes_it_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match=r"LDR: 1[0-9]{5} bytes"):
        to_iso2709(record(*(title("") for _ in range(6_000))))


@pytest.mark.parametrize("leader", ["", "00000nam a2200000 i 45", "00000nam a2200000 ё 4500"])
def test_a_leader_of_the_wrong_form_is_refused(leader: str) -> None:
    with pytest.raises(ValueError, match=r"LDR: .* is no leader"):
        to_iso2709(record(leader=Leader(leader)))


# --- MARCXML


def test_a_record_in_marcxml() -> None:
    assert (
        etree.tostring(etree.fromstring(to_marcxml(record(ControlField("001", "42"), title("A & B")))), method="c14n")
        == (
            f'<record xmlns="{MARCXML}"><leader>{LEADER.text}</leader><controlfield tag="001">42</controlfield>'
            '<datafield ind1="1" ind2="0" tag="245"><subfield code="a">A &amp; B</subfield></datafield></record>'
        ).encode()
    )


@given(any_texts())
def test_marcxml_is_always_well_formed(text: str) -> None:
    root = etree.fromstring(to_marcxml(record(ControlField("001", text), title(text), leader=Leader(text))))
    assert root.findtext(f"{{{MARCXML}}}datafield/{{{MARCXML}}}subfield") == root.findtext(f"{{{MARCXML}}}controlfield")


def test_a_collection_holds_every_record_unchanged_by_its_indentation() -> None:
    out = io.BytesIO()
    assert write_marcxml([record(title(" A ")), record(EMBEDDED)], out) == 2
    root = etree.fromstring(out.getvalue())
    assert [etree.QName(child).localname for child in root] == ["record", "record"]
    assert [node.text for node in root.iter(f"{{{MARCXML}}}subfield")] == [" A ", "001N$1", "2001 ", "Собрание", "3"]


@pytest.mark.skipif(not DATA, reason="BIBLD_TEST_DATA is not set")
def test_marcxml_is_valid() -> None:
    schema = etree.XMLSchema(etree.parse(Path(DATA or "") / "mods" / "schema" / "MARC21slim.xsd"))
    out = io.BytesIO()
    write_marcxml([record(ControlField("001", "42"), title("A"))], out)
    schema.assertValid(etree.fromstring(out.getvalue()))


# --- text


def test_a_record_as_text_shows_blanks_where_they_count() -> None:
    text = to_mrk(
        record(
            ControlField("001", "RU\\NLR\\1"),
            ControlField("008", "850312s1970    ru"),
            DataField("260", " ", " ", (Subfield("a", "Old {York}"), Subfield("c", "5$\n1999"))),
            EMBEDDED,
        )
    )
    assert text == (
        "=LDR  00000nam\\a2200000\\i\\4500\n"
        "=001  RU\\NLR\\1\n"
        "=008  850312s1970\\\\\\\\ru\n"
        "=260  \\\\$aOld {lcub}York{rcub}$c5{dollar} 1999\n"
        "=461  \\0$1001N{dollar}1$12001\\$aСобрание$v3\n"
    )


@given(marc_records(with_embedded=True))
def test_the_reader_of_such_text_gives_the_same_record(record: MarcRecord) -> None:
    stream = io.BytesIO(to_mrk(record).encode())
    carrier = mrk.examine(stream, "a.mrk", "rsl", mrk.Settings(charset="utf-8"))
    stream.seek(0)
    (raw,) = carrier.raws(stream)
    assert isinstance(raw, Raw)
    read = carrier.parse(raw).record
    assert isinstance(read, MarcRecord)
    assert read.leader == record.leader
    assert to_iso2709(read) == to_iso2709(record)
