"""Where a file is cut depends on its bytes alone, not on how they arrive; what is no record costs only itself."""

import gzip
import io
import json
import zlib

import pytest

from bibld.errors import HarvestError, ReadError
from bibld.read import _xml_file, iso2709, marcjson, marcxml
from bibld.read._streams import Recoded, Rejoined, open_decompressed
from tests.read.carriers import read_all

LARGE = 16 * 1024 * 1024


class Dribble:
    """A stream that gives few bytes at a time, however many are wanted."""

    def __init__(self, data, size):
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, size=-1):
        return self._stream.read(self._size)


def json_record(number, **more):
    return json.dumps({"leader": "00000nam a2200000 i 4500", "fields": [{"001": str(number)}, *more.items()]})


ONE, TWO, THREE = (json_record(number) for number in (1, 2, 3))
XML = '<record><leader>x</leader><controlfield tag="001">{}</controlfield></record>'
FILES = {
    "json lines": (marcjson, f"{ONE}\n{TWO}\n{THREE}\n", 3),
    "a JSON array": (marcjson, f"[{ONE},\n {TWO} , {THREE}]", 3),
    "JSON records in an object": (marcjson, f'{{"total": 3, "of": {{"records": [{ONE}, {TWO}, {THREE}]}}}}', 3),
    "JSON records as values": (marcjson, f'{{"a": {ONE}, "b": {TWO}, "c": {THREE}}}', 3),
    "two JSON objects with records": (marcjson, f'{{"records": [{ONE}]}}\n{{"records": [{TWO}, {THREE}]}}', 3),
    "JSON with strings that look like records": (
        marcjson,
        "\n".join([ONE, json.dumps({"leader": 'x{"leader":"', "fields": [{"500": '}]{"\\'}]}), TWO]),
        3,
    ),
    "an object without records": (marcjson, f'{{"x": {{"y": [1]}}}}\n{ONE}\n{{"z": 1}}', 3),
    "xml": (_xml_file, "<collection>" + "".join(map(XML.format, "123")) + "</collection>", 3),
    "xml with comments": (
        _xml_file,
        f"<c><!-- {XML} -->{XML.format(1)}<![CDATA[{XML}]]><?x {XML}?>{XML.format(2)}</c>",
        2,
    ),
    "xml with a DOCTYPE": (_xml_file, f"<!DOCTYPE c [<!ENTITY r '{XML}'>]><c>{XML.format(1)}{XML.format(2)}</c>", 2),
    "xml within OAI-PMH": (
        _xml_file,
        f"<OAI-PMH><record><header/><metadata>{XML.format(1)}</metadata></record><record><header/></record></OAI-PMH>",
        1,
    ),
    "xml with a prefix": (_xml_file, XML.format(1).replace("<", "<m:").replace("<m:/", "</m:") * 2, 2),
    "xml with an empty record": (_xml_file, f"<c>{XML.format(1)}<record/>{XML.format(2)}</c>", 3),
}


def pieces(module, stream):
    return list(module.cut(stream, _xml_file.SLIM, LARGE) if module is _xml_file else module.cut(stream, LARGE))


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_cut_at_the_same_places_however_its_bytes_arrive(name):
    module, text, count = FILES[name]
    data = text.encode()
    expected = pieces(module, io.BytesIO(data))
    assert [fault for _, _, fault in expected] == [""] * count
    assert all(data[offset : offset + len(piece)] == piece for offset, piece, _ in expected)
    for size in (1, 2, 3, 7, 50, 199):
        assert pieces(module, Dribble(data, size)) == expected, size


def test_iso_2709_is_cut_at_the_same_places_however_its_bytes_arrive():
    record = b"00044nam a2200037   4500001000200000\x1e1\x1e\x1d"
    data = record + b"\r\n" + record + b"\n"
    expected = list(iso2709.cut(io.BytesIO(data), LARGE))
    assert [offset for offset, _, _ in expected] == [0, len(record) + 2]
    for size in (1, 5, 40, 43, 44, 45):
        assert list(iso2709.cut(Dribble(data, size), LARGE)) == expected


def results(adapter, data, **settings):
    """Return the control number of each record, the reason of each reject."""
    return [
        one.reason if isinstance(one, ReadError) else one.record.control_number
        for one in read_all(adapter, data, **settings)
    ]


BROKEN = "the next record begins before this one is closed"


@pytest.mark.parametrize(
    "text, expected",
    [
        (f'{{"x": 1\n{ONE}\n{TWO}\n', [BROKEN, "1", "2"]),
        (f'{ONE}\n{{"x": 1\n{TWO}\n', ["1", BROKEN, "2"]),
        (f"{ONE[:-2]}\n{TWO}\n{THREE}", [BROKEN, "2", "3"]),
        (f'{{"records": [{ONE[:-2]},\n {TWO}]}}\n{THREE}\n', [BROKEN, "2", "3"]),
        (f"{ONE}\n{TWO[:-5]}", ["1", "the file ends within this record; fetch it again"]),
        (f'{ONE}\n{{"x": 1', ["1", "the file ends within this record; fetch it again"]),
        (f'{{"records": [{ONE}', ["1"]),
        (
            f"{ONE}\nx\n{TWO}\ny",
            ["1", "not a JSON object; the records around it are read", "2", "not a JSON object; t"],
        ),
        (f'{{"x": 1}}\n{ONE}', ["the object has no field of MARC", "1"]),
        (f"{ONE}]]}}\n{TWO}\n", ["1", "not a JSON object; the records around it are read", "2"]),
    ],
)
def test_damage_between_records_of_json_costs_no_other_record(text, expected):
    found = results(marcjson, text)
    assert len(found) == len(expected), found
    assert all(one.startswith(begin) for one, begin in zip(found, expected, strict=True)), found


def test_a_json_record_that_is_longer_than_allowed_costs_only_itself():
    long = json.dumps({"leader": "x", "fields": [{"001": "9"}, {"500": {"subfields": [{"a": "x" * 2_000_000}]}}]})
    for text in (f"{ONE}\n{long}\n{TWO}\n", f"[{ONE},{long},{TWO}]", f'{{"records": [{ONE}, {long}, {TWO}]}}'):
        first, rejected, *rest = results(marcjson, text, max_record_bytes=1_000_000)
        assert (first, rest[-1]) == ("1", "2")
        assert rejected.startswith("a record of more than 1000000 bytes")


def test_an_xml_record_that_is_longer_than_allowed_costs_only_itself():
    long = XML.format("x" * 2_000_000)
    text = f"<c>{XML.format(1)}{long}{XML.format(2)}</c>"
    first, rejected, *rest = results(marcxml, text, max_record_bytes=1_000_000)
    assert (first, rest) == ("1", ["2"])
    assert rejected.startswith("a record of more than 1000000 bytes")


@pytest.mark.parametrize(
    "text, expected",
    [
        (f"<c>{XML.format(1)[:-9]}{XML.format(2)}</c>", [BROKEN, "2"]),
        (f"<c>{XML.format(1)}{XML.format(2)[:-9]}", ["1", "the file ends within this record; fetch it again"]),
        (f"<c><!-- {XML.format(1)}{XML.format(2)}</c>", ["1", "2"]),
        (f"<c><record>{XML.format(1)}</record></c>", ["1"]),
        (f"<c>{XML.format(1)}</record>{XML.format(2)}</c>", ["1", "2"]),
    ],
)
def test_damage_of_xml_costs_no_other_record(text, expected):
    assert results(marcxml, text) == expected


def test_an_iso_2709_record_that_is_longer_than_a_block_of_the_file_costs_only_itself():
    record = b"00044nam a2200037   4500001000200000\x1e1\x1e\x1d"
    for long in (1_500_000, 3_500_000):
        data = record + b"x" * long + b"\x1d" + record
        carrier = iso2709.examine(io.BytesIO(data), "f", "s", iso2709.Settings(max_record_bytes=1_000_000))
        first, rejected, last = carrier.raws(io.BytesIO(data))
        assert (first.data, last.data) == (record, record)
        assert rejected.reason.startswith("no record terminator within 1000000 bytes")
        assert (rejected.origin.offset, last.origin.offset) == (len(record), len(record) + long + 1)
        assert len(rejected.original) == 64 * 1024


# -- streams -----------------------------------------------------------------------------------------------------------


def packed(tmp_path, data):
    file = tmp_path / "file.gz"
    file.write_bytes(data)
    return file


def test_padding_between_members_of_any_length_is_passed_over(tmp_path):
    for padding in (1, 300_000, 700_000):
        data = gzip.compress(b"one") + bytes(padding) + gzip.compress(b"two") + bytes(padding)
        with open_decompressed(packed(tmp_path, data)) as stream:
            assert stream.read() == b"onetwo"


def test_all_bytes_before_the_damage_of_a_compressed_file_are_read(tmp_path):
    content = b"a" * 3_000_000 + bytes(range(256)) * 10
    compressor = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    data = compressor.compress(content) + compressor.flush(zlib.Z_FULL_FLUSH) + b"\xff" * 500
    file = packed(tmp_path, data)
    with pytest.raises(HarvestError, match="the compressed file is damaged"), open_decompressed(file) as stream:
        assert stream.read() == content


def test_a_folder_cannot_be_read(tmp_path):
    with pytest.raises(HarvestError, match=r"cannot be opened: Is a directory"), open_decompressed(tmp_path):
        pass


def test_bytes_that_were_read_already_come_before_the_others():
    stream = Rejoined(b"ab", io.BytesIO(b"cdef"))
    assert [stream.read(1), stream.read(3), stream.read(3), stream.read(3)] == [b"ab", b"cde", b"f", b""]
    assert Rejoined(b"", io.BytesIO(b"c")).read(1) == b"c"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_utf_16_becomes_utf_8_however_its_bytes_arrive(size):
    stream = Recoded(Dribble("Мир 𝄞".encode("utf-16"), size), "utf-16")
    assert b"".join(iter(lambda: stream.read(10), b"")) == "Мир 𝄞".encode()
