"""What holds for any file: bytes become records or rejects and nothing else, and what was written is read."""

import json
from unicodedata import normalize

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.errors import ReadError
from bibld.model.marc import DataField, with_embedded_fields
from bibld.model.marc_writers import to_iso2709, to_marcxml, to_mrk
from bibld.protocols import Parsed
from bibld.read import iso2709, marcjson, marcxml, mrk
from tests.read.carriers import read_all
from tests.strategies import marc_records

ADAPTERS = {"iso2709": iso2709, "marcxml": marcxml, "mrk": mrk}

PIECES = {
    "iso2709": [
        b"\x1d", b"\x1e", b"\x1f", b"\x1fa", b"00050nam  2200037   4500", b"00000nam a22     i 450 ", b"001000400000",
        b"245000900004", b"\x1b(N", b"\x1b$1", b"\x1b", b"\xe2", "я".encode(), b"\xff\xfe", b"&#x1E;", b"\n", b" ",
    ],
    "marcxml": [
        b"<record>", b"</record>", b"<m:record ", b"<record/>", b"<leader>", b"</leader>", b"<datafield tag='245'>",
        b"</datafield>", b"<subfield code='a'>", b"</subfield>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"?>",
        b"<!DOCTYPE x [", b"]>", b"&amp;", b"&x;", b"&#0;", b"&#x10FFFFF;", b"<", b">", b"\xff", b"\0", b"\xff\xfe",
        b"<controlfield tag='001'>", b"</controlfield>", b" xmlns:a='b&c'", b" xmlns='", b"<c001>", b"<d245>", b"<sa>",
        b"<r xmlns='http://www.indexdata.com/turbomarc'>", b"</r>", b"<?xml encoding='utf-7'?>", b"text",
    ],
    "mrk": [b"=LDR  ", b"=245  10$a", b"=001  ", b"\n", b"\n\n", b"%", b"$", b"\\", b"{dollar}", b"=", b"\xff", b"\r"],
}  # fmt: skip
CHARSETS = ["auto", "auto", "auto", "utf-8", "marc8", "iso5426", "cp1251", "gb18030"]


@pytest.mark.parametrize("name", ADAPTERS)
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_any_bytes_are_records_or_rejects(name, data):
    pieces = st.lists(st.sampled_from(PIECES[name]) | st.binary(max_size=6), max_size=30).map(b"".join)
    content = data.draw(pieces | st.binary(max_size=200))
    adapter = ADAPTERS[name]
    adapter.sniffs(content)
    size = data.draw(st.sampled_from([16 * 1024 * 1024, 40]))
    for result in read_all(adapter, content, charset=data.draw(st.sampled_from(CHARSETS)), max_record_bytes=size):
        assert isinstance(result, Parsed | ReadError)
        if isinstance(result, Parsed):
            assert len(result.record.leader.text) == 24
            assert result.record.all_fields
            msgspec.json.encode(result)


@settings(deadline=None, max_examples=40)
@given(st.lists(marc_records(), min_size=1, max_size=4), st.data())
def test_flipped_bytes_cost_at_most_the_records_they_are_in(records, data):
    pieces = [to_iso2709(record) for record in records]
    victim = data.draw(st.integers(0, len(pieces) - 1))
    at = data.draw(st.integers(0, len(pieces[victim]) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != 0x1D))
    damaged = pieces[victim][:at] + bytes([byte]) + pieces[victim][at + 1 :]
    results = read_all(iso2709, b"".join([*pieces[:victim], damaged, *pieces[victim + 1 :]]), charset="utf-8")
    found = [result.record.all_fields for result in results if isinstance(result, Parsed)]
    for index, record in enumerate(records):
        if index != victim:
            assert record.all_fields in found


def in_json(record):
    fields = []
    for field in record.all_fields:
        if isinstance(field, DataField):
            subfields = [{one.code: one.value} for one in field.subfields]
            fields.append({field.tag: {"subfields": subfields, "ind1": field.indicator1, "ind2": field.indicator2}})
        else:
            fields.append({field.tag: field.value})
    return json.dumps({"leader": record.leader.text, "fields": fields}, ensure_ascii=False)


WRITTEN = {
    "iso2709": (iso2709, lambda records: b"".join(map(to_iso2709, records))),
    "marcxml": (
        marcxml,
        lambda records: b"<c>" + b"".join(to_marcxml(one).partition(b"?>")[2] for one in records) + b"</c>",
    ),
    "mrk": (mrk, lambda records: "\n".join(map(to_mrk, records)).encode()),
    "json lines": (marcjson, lambda records: "".join(f"{in_json(one)}\n" for one in records)),
    "json array": (marcjson, lambda records: f"[{', '.join(map(in_json, records))}]"),
}


@pytest.mark.parametrize("form", WRITTEN)
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_what_was_written_is_read(form, data):
    adapter, written = WRITTEN[form]
    records = data.draw(st.lists(marc_records(with_embedded=form == "mrk"), min_size=1, max_size=4))
    results = read_all(adapter, written(records), **({"charset": "utf-8"} if form == "iso2709" else {}))
    found = [
        tuple(with_embedded_fields(one) if isinstance(one, DataField) else one for one in result.record.all_fields)
        for result in results
    ]
    assert found == [record.all_fields for record in records]
    assert [result.warnings for result in results] == [()] * len(records)


@settings(deadline=None, max_examples=40)
@given(st.text("abcřéÄßøł фылп", min_size=1, max_size=30), st.sampled_from(["cp1251", "koi8-r", "cp866"]))
def test_decoding_by_a_configured_charset_is_exact(text, charset):
    from bibld.read._charset import Charsets, decode

    data = text.encode(charset, "ignore")
    assert decode(data, Charsets(None, charset, fixed=True)).text == data.decode(charset)


@given(st.binary(max_size=60))
def test_marc8_of_any_bytes_is_text_in_nfc(data):
    from bibld.read._marc8 import decode

    for name in ("marc8", "iso5426"):
        text, wrong = decode(data, name)
        assert normalize("NFC", text) == text
        assert wrong >= 0
        assert (text.count("\x1e"), text.count("\x1f")) == (data.count(b"\x1e"), data.count(b"\x1f"))
