"""Whatever a record holds, it becomes MODS (valid MODS 3.7), or is refused as another kind of record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from bibld.crosswalk import EVERY, convert, marc21
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods_xml import from_xml, to_xml
from bibld.model.origin import Origin

ORIGIN = Origin("test", "any.mrc", 1, 0)

READ_TAGS = sorted({tag for rule in marc21.RULES.rules for tag, codes in rule.reads if codes})
ODD_TEXTS = [
    "", " ", ".", "/ :", "...", "[", "]", "=", " = ", "\x98Die\x9c Welt", "\x00", "\ud800", "￾", " x ", "\x85",
    "880-01", "245-01/(N", "100-00/$1", "245-1", "880", "-", "/", "(DE-588)1", "(", "()", "(OCoLC)", "http://[x", "ftp://a",
    "https://example.org/%zz?q={}#a#b", "http://", "9999", "uuuu", "20201332", "1<2:3:4:5", "<", "0000", "²²²²", "٣٣٣٣",
    "978-5-17-090630-7 (в пер.)", "X", "--", "d1999", "c0044", "Place : Publisher, 1999", ": , 1999", "aut", "eng",
]  # fmt: skip

texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=12), st.text("0123456789|u# abcdx-", max_size=42))
codes = st.one_of(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789"), st.text(max_size=2))
tags = st.one_of(st.sampled_from([*READ_TAGS, "880"]), st.text(max_size=3))
indicators = st.one_of(st.sampled_from(" 0123456789"), st.text(max_size=1))
subfields = st.lists(st.builds(Subfield, codes, texts), max_size=6).map(tuple)
data_fields = st.builds(DataField, tags, indicators, indicators, subfields)
control_fields = st.builds(
    ControlField, st.sampled_from(["001", "003", "005", "006", "007", "008", "008", "000"]), texts
)
leaders = st.one_of(
    st.text(max_size=24),
    st.tuples(st.sampled_from("acdefgijkmoprtxz "), st.sampled_from("abcdims ")).map(
        lambda kind: f"00000n{kind[0]}{kind[1]} a2200000 a 4500"
    ),
)
records = st.builds(
    lambda leader, fields: MarcRecord(ORIGIN, Leader(leader), tuple(fields)),
    leaders,
    st.lists(st.one_of(data_fields, data_fields, control_fields), max_size=12),
)


@pytest.fixture(scope="module")
def schema():
    folder = os.environ.get("BIBLD_TEST_DATA")
    if not folder:
        return None
    return etree.XMLSchema(etree.parse(Path(folder) / "mods" / "schema" / "mods-3-7.xsd"))


@given(record=records)
@settings(max_examples=400, deadline=None)
def test_any_record_becomes_mods_or_is_refused(schema, record):
    try:
        converted = marc21.convert(record, marc21.Settings())
    except CrosswalkError:
        assert record.leader.text[6:7] in "zuvxywq"
        return
    data = to_xml(converted.mods)
    assert from_xml(data) == converted.mods
    if schema is not None:
        root = etree.fromstring(data)
        root.set("version", "3.7")
        schema.assertValid(root)


@given(record=records)
@settings(max_examples=100, deadline=None)
def test_conversion_is_a_pure_function(record):
    def outcome():
        try:
            return convert(record)
        except CrosswalkError as error:
            return str(error)

    assert outcome() == outcome()


@given(record=records)
@settings(max_examples=200, deadline=None)
def test_every_subfield_is_read_or_accounted_for(record):
    try:
        converted = marc21.convert(record, marc21.Settings())
    except CrosswalkError:
        return
    read = {}
    for rule in marc21.RULES.rules:
        for tag, codes_of_tag in rule.reads:
            read.setdefault(tag, set()).update(codes_of_tag or EVERY)
    unread = [
        f"{field.tag}${subfield.code}"
        for field in record.fields()
        if field.tag != "880"
        for subfield in field.subfields
        if subfield.code not in "68" or subfield.code in ("", "68")
        if not read.get(field.tag, set()) & {subfield.code, EVERY}
    ]
    accounted = [name for name in (*converted.unmapped, *converted.private) if "$" in name]
    assert not (set(unread) - set(accounted))
