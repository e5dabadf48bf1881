"""The smaller carriers: each is sniffed as itself, survives damage, and any bytes are records or rejects."""

import io
import json
import os
from itertools import count, islice
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.errors import ConfigError, HarvestError, ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.model.marc_writers import to_iso2709, to_marcxml, to_mrk
from bibld.model.mods_xml import to_xml
from bibld.protocols import HarvestedFile, Parsed, Raw, adapters
from bibld.read import aleph, csv, examine, irbis, jsonl, marcjson, mods, read, yaz
from tests.read.carriers import LEADER, read_all
from tests.strategies import marc_records
from tests.strategies import mods as descriptions

ALEPH = """000000001 FMT   L BK
000000001 LDR   L 00000nam^^2200205^a^4500
000000001 008   L 880719s1839^^^^mau
000000001 24510 L $$aAnna Karenina :$$bроман
000000002 001   L x2
000000002 24500 L $$aWar and peace
"""
YAZ = """00366nam  22001698a 4500
001    11224466 
008 910710c19910701nju           00010 eng  
245 10 $a How to program a computer $c for $5 a day
260 1  $b Penguin

00300nam a2200169 a 4500
245 00 $a Мир $n 2
"""  # noqa: W291
FIELDS = [{"001": "1"}, {"245": {"ind1": "1", "ind2": "0", "subfields": [{"a": "Summerland /"}, {"c": "M. Chabon"}]}}]
IN_JSON = {"leader": LEADER, "fields": FIELDS}
BY_TAG = {
    "v": 3,
    "f": {
        "000": LEADER, "001": ["1"],
        "245": [{"i1": "1", "i2": "0", "s": [{"a": "Summerland /"}, {"c": "M. Chabon"}]}],
    },
}  # fmt: skip
CATMANDU = {
    "_id": "1",
    "record": [
        ["LDR", None, None, "_", LEADER], ["001", None, None, "_", "1"],
        ["245", "1", "0", "a", "Summerland /", "c", "M. Chabon"],
    ],
}  # fmt: skip
SUBFIELDS = [{"code": "a", "value": "Summerland /"}, {"code": "c", "value": "M. Chabon"}]
TAGGED = {
    "leader": LEADER,
    "fields": [{"tag": "001", "data": "1"}, {"tag": "245", "ind1": "1", "ind2": "0", "subfields": SUBFIELDS}],
}
JAVASCRIPT = f"""{{ leader : "{LEADER}",
  controlfield : [ {{ tag : "001", data : "1" }} ]
  datafield : [ {{ tag : "245", ind : "10",
    subfield : [ {{ code : "a", data : "Summerland /" }} {{ code : "c", data : "M.
     Chabon" }} ] }} ] }}"""
MODS = """<?xml version="1.0"?>
<modsCollection xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink">
<mods><titleInfo><title>One</title><strange/></titleInfo><recordInfo><recordIdentifier>7</recordIdentifier></recordInfo></mods>
<mods><titleInfo><title>Two</titleInfo></mods>
<mods version="3.4"><titleInfo><title>Three</title></titleInfo><note xlink:href="http://x.org/">n</note></mods>
</modsCollection>"""
CSV = 'id,title,author,year\r\n1,"Anna, ""Karenina""","Tolstoy, Leo",1877\r\n2,Мир,,2001\r\n'
JSON_LINES = "".join(json.dumps(IN_JSON | {"leader": LEADER}) + "\n" for _ in range(3))

ROWS_IN_JSON = (
    '{"id": 1, "title": " Мир ", "authors": ["A. One", "B. Two"], "year": 1877, "open": true}\n'
    '{"id": "2", "host": {"title": "J", "part": {"pages": null}}, "scores": [0.5, [7]]}\r\n'
)

DUBLIN_CORE = """<records xmlns:dc="http://purl.org/dc/elements/1.1/"><record>
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"><dc:title>One</dc:title></oai_dc:dc>
</record></records>"""
IRBIS = """#920: PAZK
#903: 84(2)/Т53-1
#200: ^AАнна Каренина^EРоман
#10: ^A5-02-000000-0
*****
#200: ^AВойна и мир
#300: Первая строка
вторая
*****
"""

SAMPLES = {
    "aleph": [ALEPH],
    "irbis": [IRBIS, f"\ufeff{IRBIS}"],
    "yaz": [YAZ, "<!-- Record 1 offset 0 (0x0) -->\n" + YAZ],
    "csv": [
        CSV,
        "Title|Year|\nx|2|\n",
        "\ufeffназвание;год\nа;1\n",
        "sep=;\r\nГод;Автор\r\n1;а\r\n",
        "title\tyear\na\t1\nb\t2\n",
    ],
    "jsonl": [
        ROWS_IN_JSON,
        '\ufeff{"id": 7}',
        '{"text": "' + "word " * 20_000,
        '{"title": "x"}\n\n{"title": "y", "authors": [{"name": "z"}]}',
    ],
    "mods": [
        MODS,
        MODS.replace("<", "<m:").replace("<m:/", "</m:").replace("<m:?", "<?").replace("xmlns=", "xmlns:m="),
    ],
    "marcjson": [
        JSON_LINES,
        *(json.dumps(one, indent=indent) for one in (IN_JSON, BY_TAG, CATMANDU, TAGGED) for indent in (None, 2)),
        json.dumps([IN_JSON] * 2),
        json.dumps({"total": 1, "records": [IN_JSON]}),
        JAVASCRIPT,
    ],
    "dublincore": [DUBLIN_CORE, DUBLIN_CORE.replace("<record>", "").replace("</record>", "")],
    "mrk": ["=LDR  00714cam a2200205 a 4500\n=245  10$aText, with a comma\n"],
    "marcxml": ["<record><leader>x</leader><controlfield tag='001'>1</controlfield></record>"],
    "iso2709": ["00044nam a2200037   4500001000200000\x1e1\x1e\x1d"],
}
ADAPTERS = {"aleph": aleph, "yaz": yaz, "csv": csv, "irbis": irbis, "mods": mods, "marcjson": marcjson, "jsonl": jsonl}


def titles(results):
    return [
        next(field.first("a") for field in result.record.fields("245")) if isinstance(result, Parsed) else "reject"
        for result in results
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_carrier_is_sniffed_as_itself_only(name):
    assert set(SAMPLES) == set(adapters.adapter_names("read"))
    for sample in SAMPLES[name]:
        claims = [other for other in SAMPLES if adapters.load_adapter("read", other).sniffs(sample.encode())]
        assert claims == [name], sample


@pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="BIBLD_TEST_DATA is not set")
def test_every_real_file_is_sniffed_by_one_carrier_at_most():
    folder = Path(os.environ["BIBLD_TEST_DATA"])
    kinds = {".json": "marcjson", ".csv": "csv", ".mrc": "iso2709", ".iso": "iso2709", ".marc": "iso2709"}
    found = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (*kinds, ".xml")):
        with path.open("rb") as stream:
            head = stream.read(64 * 1024)
        claims = [name for name in SAMPLES if adapters.load_adapter("read", name).sniffs(head)]
        assert len(claims) <= 1, path
        if claims and path.suffix in kinds and head[:1] != b"<":
            assert claims == [kinds[path.suffix]], path
            found += 1
    assert found > 50


PIECES = {
    "marcjson": [
        "]", "}", '"', "\\", ",", "[", "{", "\n", "é", "\\ud800", "null", '{"_id":"1","record":[[', '{"v":1,"f":{',
        '{"leader":"', '{"fields":[', '{"245":{', '"subfields":[{"a":"x"}]', '{"leader":"x","fields":[{"001":"1"}]}',
    ],
    "csv": ['"', ",", ";", "\n", "\r\n", "a", "b c", '""', "id,title\n", "\ufeff", "я"],
    "aleph": ["000000001 24510 L $$a", "000000002 LDR   L ", "\n", "$$", "x", "^", "000000001 001   L 7\n", "я"],
    "irbis": ["#200: ^A", "#903: 7\n", "*****", "\n", "^", "^E", "x", "#", ": ", "я"],
    "yaz": ["00366nam  22001698a 4500\n", "245 10 $a ", "001 ", "\n", " $b ", "x", "<!-- -->\n", "я"],
    "mods": [
        "<mods>", "</mods>", "<titleInfo>", "<title>a</title>", "</titleInfo>", "<m:mods", ">", "<mods/>", "&x;",
        "<!--", "-->", "<![CDATA[", "<extension><a xmlns='u'/></extension>", " xmlns:xlink='v'", "text", "&#1;",
    ],
    "jsonl": [
        '{"a":', '"b"', "}", "[", "]", "1", "1e999", "9" * 5000, "null", ",", "\n", "\r", '\\u0001"', "\ufeff", "я",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ADAPTERS)
@settings(deadline=None, max_examples=120)
@given(st.data())
def test_any_bytes_are_records_or_rejects(name, data):
    pieces = st.sampled_from(PIECES[name]).map(str.encode) | st.binary(max_size=4)
    content = data.draw(st.lists(pieces, max_size=25).map(b"".join) | st.binary(max_size=100))
    ADAPTERS[name].sniffs(content)
    size = data.draw(st.sampled_from([16 * 1024 * 1024, 40]))
    charset = data.draw(st.sampled_from(["auto", "utf-8", "cp1251"]))
    for result in read_all(ADAPTERS[name], content, charset=charset, max_record_bytes=size):
        assert isinstance(result, Parsed | ReadError)
        if isinstance(result, Parsed):
            msgspec.json.encode(result)
            to_xml(result.record) if name == "mods" else None


def test_aleph_lines_become_records():
    first, second = (result.record for result in read_all(aleph, ALEPH))
    assert first.leader.text == "00000nam  2200205 a 4500"
    assert first.control_number == "000000001"
    assert first.control("008") == "880719s1839    mau"
    assert first.all_fields[-1] == DataField(
        "245", "1", "0", (Subfield("a", "Anna Karenina :"), Subfield("b", "роман"))
    )
    assert second.control_number == "x2"


def test_an_aleph_line_without_number_goes_on_with_the_field_before():
    (result,) = read_all(aleph, "000000001 24510 L $$aA\nB\n\n000000001 008   L x\n")
    assert titles([result]) == ["A B"]
    assert any("without a system number" in warning for warning in result.warnings)


def test_yaz_lines_become_records():
    first, second = (result.record for result in read_all(yaz, YAZ))
    assert first.leader.text == "00366nam  22001698a 4500"
    assert first.control("001") == "   11224466 "
    title = next(first.fields("245"))
    assert title.subfields[:2] == (Subfield("a", "How to program a computer"), Subfield("c", "for"))
    assert second.all_fields == (DataField("245", "0", "0", (Subfield("a", "Мир"), Subfield("n", "2"))),)


@pytest.mark.parametrize("sample", SAMPLES["marcjson"])
def test_every_dialect_of_json_gives_the_same_record(sample):
    for result in read_all(marcjson, sample):
        assert result.record.leader.text == LEADER
        title = DataField("245", "1", "0", (Subfield("a", "Summerland /"), Subfield("c", "M. Chabon")))
        assert result.record.all_fields == (ControlField("001", "1"), title)
        assert result.warnings == ()


def lines(*titles_):
    return [json.dumps({"leader": LEADER, "fields": [{"245": {"subfields": [{"a": one}]}}]}) for one in titles_]


@pytest.mark.parametrize(
    "begin, between, end", [("", "\n", "\n"), ("[", ",", "]"), ("[\n", ",\n", "\n]\n"), ("", "", "")]
)
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-2],
        lambda text: text.replace('"a":', '"a:'),
        lambda text: text.replace(', "fields"', '", "fields"'),
        lambda text: text.replace("[", "", 1),
        lambda text: text[:40],
    ],
)
def test_a_damaged_json_record_costs_itself_only(damage, begin, between, end):
    one, two, three, four = lines("one", "two", "three", "four")
    found = titles(read_all(marcjson, begin + between.join([one, damage(two), three, four]) + end))
    assert [title for title in found if title not in ("reject", "two")] == ["one", "three", "four"]
    assert "reject" in found or "two" in found


def test_text_between_json_records_is_a_reject():
    one, two = lines("one", "two")
    results = read_all(marcjson, f"{one}\ngarbage\n{two}\n")
    assert titles(results) == ["one", "reject", "two"]
    assert b"garbage" in results[1].original


def test_an_array_of_any_length_is_cut_without_holding_it():
    class Endless:
        def __init__(self):
            self.number = count()

        def read(self, size=-1):
            return "".join(f"{line}," for line in lines(f"t{next(self.number)}")).encode()

    from bibld.read.marcjson import cut

    carrier = marcjson.examine(io.BytesIO(b"["), "f", "s", marcjson.Settings())
    stream = Endless()
    found = []
    for offset, data, fault in islice(cut(stream, 10_000), 3_000):
        assert not fault
        found.append(carrier.parse(Raw(msgspec.structs.replace(ORIGIN, offset=offset), data)))
    assert titles(found) == [f"t{number}" for number in range(3_000)]
    assert next(stream.number) < 3_200


ORIGIN = read_all(marcjson, lines("x")[0])[0].record.origin


def test_mods_is_read_unchanged_and_unknown_elements_give_warnings():
    for sample in SAMPLES["mods"]:
        first, second, third = read_all(mods, sample)
        assert first.record.title_info[0].title == "One"
        assert first.record.record_identifier == "7"
        assert any("titleInfo/strange" in warning for warning in first.warnings)
        assert isinstance(second, ReadError)
        assert third.record.note[0].xlink_href == "http://x.org/"


def test_mods_of_an_older_namespace_or_without_declaration_is_read():
    old = read_all(mods, MODS.replace("mods/v3", "mods/"))[0]
    assert old.record.title_info[0].title == "One"
    assert any("read as MODS 3" in warning for warning in old.warnings)
    (bare,) = read_all(mods, "<mods:mods><mods:note xlink:href='u'>n</mods:note></mods:mods>")
    assert (bare.record.note[0].value, bare.record.note[0].xlink_href) == ("n", "u")


@settings(deadline=None, max_examples=30)
@given(st.lists(descriptions(), min_size=1, max_size=3))
def test_mods_that_was_written_is_read(written):
    body = b"".join(to_xml(one).partition(b"?>")[2] for one in written)
    results = read_all(mods, b"<modsCollection>" + body + b"</modsCollection>")
    kept = [one for one in written if to_xml(one).count(b"<") > 2]
    assert [result.record for result in results if isinstance(result, Parsed)] == kept


def cells(data, **options):
    return [
        result.record.cells if isinstance(result, Parsed) else "reject" for result in read_all(csv, data, **options)
    ]


def test_an_export_of_irbis_has_fields_with_three_digits_and_small_codes():
    first, second = read_all(irbis, IRBIS)
    assert first.record.control_number == "84(2)/Т53-1"
    assert next(first.record.fields("200")).values("a", "e") == ["Анна Каренина", "Роман"]
    assert first.record.control("010") is None
    assert next(first.record.fields("010")).first("a") == "5-02-000000-0"
    assert second.record.control("300") == "Первая строка вторая"
    assert any("without a tag" in warning for warning in second.warnings)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp1251", "utf-16", "utf-16-le"])
def test_a_table_is_read_in_the_charsets_of_spreadsheets(codec, tmp_path):
    text = "Заглавие;Автор;Год\r\nАнна Каренина;Толстой, Лев;1877\r\nВойна и мир;Толстой, Лев;1869\r\n"
    for name, begin in (("plain.csv", ""), ("excel.csv", "sep=;\r\n")):
        path = tmp_path / name
        mark = "\ufeff" if codec == "utf-16-le" else ""
        path.write_bytes(f"{mark}{begin}{text}".encode(codec))
        found = list(csv_records(path))
        assert [dict(row.cells)["Заглавие"] for row in found] == ["Анна Каренина", "Война и мир"]


def csv_records(path):
    examined = examine(HarvestedFile("s", path.name, path))
    assert examined.reader == "csv"
    for raw in read(HarvestedFile("s", path.name, path), examined):
        yield examined.carrier.parse(raw).record


def test_csv_rows_have_the_names_of_their_columns():
    first = (("id", "1"), ("title", 'Anna, "Karenina"'), ("author", "Tolstoy, Leo"), ("year", "1877"))
    assert cells(CSV) == [first, (("id", "2"), ("title", "Мир"), ("year", "2001"))]


def test_a_quoted_cell_may_hold_line_ends_and_one_too_many_is_named_by_its_number():
    assert cells('a,b\n1,"x\ny"\n1,2,3\n') == [(("a", "1"), ("b", "x\ny")), (("a", "1"), ("b", "2"), ("column 3", "3"))]


@pytest.mark.parametrize(
    "bad", ['2,"open,2', '2,"open', '2,x,"open', '"2,open,3'], ids=["middle", "end", "last", "first"]
)
def test_a_quotation_mark_that_is_never_closed_costs_its_own_line(bad):
    good = [(("a", number), ("b", "q"), ("c", "z")) for number in "134"]
    assert cells(f'a,b,c\n1,q,z\n{bad}\n3,"q",z\n4,q,z\n') == [good[0], "reject", *good[1:]]


def test_delimiter_and_header_can_be_settled():
    assert cells("1:2\n", delimiter=":", header=("a", "b")) == [(("a", "1"), ("b", "2"))]
    for delimiter in ("", '"', "\n"):
        with pytest.raises(ConfigError, match="delimiter"):
            cells("a,b\n1,2\n", delimiter=delimiter)


def test_json_lines_are_rows():
    assert [result.record.cells for result in read_all(jsonl, ROWS_IN_JSON)] == [
        (("id", "1"), ("title", "Мир"), ("authors", "A. One"), ("authors", "B. Two"), ("year", "1877")),
        (("id", "2"), ("host.title", "J"), ("scores", "0.5"), ("scores", "7")),
    ]


@pytest.mark.parametrize(
    "bad", ["{", '{"a": 1,}', "[1]", '"text"', "{}", '{"a": null}', "x", '{"a": "' + "x" * 99 + '"}']
)
def test_a_line_that_is_no_object_with_text_costs_itself_only(bad):
    one, two, three = read_all(jsonl, f'{{"a": "1"}}\n{bad}\n\n{{"a": "3"}}', max_record_bytes=80)
    assert isinstance(two, ReadError)
    assert [result.record.cells for result in (one, three)] == [(("a", "1"),), (("a", "3"),)]
    assert [result.record.origin.offset for result in (one, three)] == [0, 13 + len(bad)]


def test_a_table_in_another_charset_is_read(tmp_path):
    text = "название;автор\n" + "Война и мир в четырёх томах;Толстой Лев Николаевич\n" * 20
    path = tmp_path / "books.csv"
    path.write_bytes(text.encode("cp1251"))
    examined = examine(HarvestedFile("s", "books.csv", path))
    assert (examined.reader, examined.carrier.charset) == ("csv", "cp1251")
    assert examined.carrier.columns == ("название", "автор")
    assert csv.header(path) == examined.carrier.columns
    assert csv.header(tmp_path / "absent.csv") == ()


def test_a_file_of_no_carrier_is_not_recognised(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Nothing of the kind.\nReally.\n")
    with pytest.raises(HarvestError, match="no known carrier"):
        examine(HarvestedFile("s", "notes.txt", path))


@settings(deadline=None, max_examples=30)
@given(marc_records())
def test_written_records_of_other_carriers_are_not_claimed(record):
    for data in (to_iso2709(record), to_marcxml(record), to_mrk(record).encode()):
        assert not any(adapter.sniffs(data) for adapter in ADAPTERS.values())
