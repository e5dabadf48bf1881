"""The stage as others use it: examine a file, cut it, keep the carrier, read bytes again later."""

import gzip
import zlib
from itertools import islice

import pytest

from bibld.errors import CatalogError, ConfigError, DamagedFileError, HarvestError, ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709, to_marcxml, to_mrk
from bibld.model.origin import Origin
from bibld.protocols import HarvestedFile, Raw
from bibld.read import carrier_of, examine, iso2709, read, to_json


def record(number):
    title = DataField("245", "1", "0", (Subfield("a", f"Анна Каренина {number}"),))
    fields = (ControlField("001", f"id{number}"), title)
    return MarcRecord(Origin("s", "f", 1, 0), Leader("00000nam a2200000 i 4500"), fields)


RECORDS = [record(number) for number in range(20)]
ISO2709 = b"".join(map(to_iso2709, RECORDS))
MRK = "\n".join(map(to_mrk, RECORDS)).encode()
MARCXML = b"<c>" + b"".join(to_marcxml(item).partition(b"?>")[2] for item in RECORDS) + b"</c>"
FILES = {"iso2709": ISO2709, "marcxml": MARCXML, "mrk": MRK}


@pytest.fixture
def harvested(tmp_path):
    def made(data, name="dump/file"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return HarvestedFile("rsl", name, path)

    return made


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_the_carrier_is_recognised_and_all_records_are_read(name, packed, harvested):
    file = harvested(gzip.compress(FILES[name]) if packed else FILES[name])
    examined = examine(file)
    assert examined.reader == name
    parsed = [examined.carrier.parse(raw) for raw in read(file, examined)]
    assert [item.record.all_fields for item in parsed] == [item.all_fields for item in RECORDS]
    assert parsed[3].record.origin.position == 4
    assert (parsed[3].record.origin.source, parsed[3].record.origin.file) == ("rsl", "dump/file")


@pytest.mark.parametrize("name", FILES)
def test_a_carrier_survives_as_json_and_reads_the_bytes_again(name, harvested):
    file = harvested(FILES[name])
    examined = examine(file)
    again = carrier_of(examined.reader, to_json(examined.carrier))
    assert again == examined.carrier
    assert to_json(again) == to_json(examined.carrier)
    raws = list(read(file, examined))
    assert [again.parse(raw) for raw in raws] == [examined.carrier.parse(raw) for raw in raws]


def test_read_examines_by_itself(harvested):
    assert len(list(read(harvested(MRK)))) == 20
    assert len(list(read(harvested(MRK), reader="mrk", charset="utf-8"))) == 20


def test_settings_and_charset_are_passed_on(harvested):
    examined = examine(harvested(ISO2709), "iso2709", "koi8-r", iso2709.Settings(max_record_bytes=99))
    assert (examined.carrier.charset, examined.carrier.max_record_bytes) == ("koi8-r", 99)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + bytes(100), b"hello", b"PK\x03\x04"])
def test_a_file_of_unknown_kind_names_itself_and_what_is_supported(data, harvested):
    supported = "supported are .*iso2709, jsonl, marcjson, marcxml, mods, mrk, yaz"
    with pytest.raises(HarvestError, match=rf"dump/file: is of no known carrier( \(.*\))?; {supported}"):
        examine(harvested(data))


def test_an_empty_file_is_reported_as_empty(harvested):
    with pytest.raises(HarvestError, match="dump/file: is empty; fetch it again"):
        examine(harvested(b""))


def test_a_web_page_in_place_of_data_is_reported_with_its_title(harvested):
    with pytest.raises(HarvestError, match='dump/file: is a web page \\("Log & in"\\); fetch the catalogue again'):
        examine(harvested(b"<!DOCTYPE html><html><title>Log &amp; in</title>"))
    with pytest.raises(HarvestError, match="dump/file: is a web page; fetch"):
        examine(harvested(b"<html/>"))


def test_an_unknown_reader_is_a_fault_of_the_configuration(harvested):
    with pytest.raises(ConfigError, match='did you mean "iso2709"'):
        examine(harvested(ISO2709), "iso2907")
    with pytest.raises(ConfigError, match='did you mean "marcxml"'):
        carrier_of("marcxm", b"{}")


def test_json_of_another_shape_is_a_fault_of_the_catalog():
    with pytest.raises(CatalogError, match="not a carrier of iso2709"):
        carrier_of("iso2709", b'{"source": 1}')


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(HarvestError, match="cannot be opened"):
        examine(HarvestedFile("s", "x", tmp_path / "x"))


def test_a_truncated_gzip_keeps_what_came_before(harvested):
    noise = b"".join(zlib.crc32(bytes([n % 251, n // 251])).to_bytes(4, "big").hex().encode() for n in range(9000))
    packed = gzip.compress(ISO2709 + noise)
    file = harvested(packed[: len(packed) - 2000])
    *records, cut_off, damage = read(file)
    assert len(records) == 20
    assert all(isinstance(piece, Raw) for piece in records)
    assert "no record terminator" in cut_off.reason
    assert isinstance(damage, ReadError)
    assert "cut off" in damage.reason
    assert damage.origin.position == 22


def test_a_corrupt_gzip_is_one_reject_and_no_traceback(harvested):
    packed = bytearray(gzip.compress(ISO2709))
    packed[-8] ^= 0xFF
    *records, damage = read(harvested(bytes(packed)))
    assert len(records) == 20
    assert "is damaged" in damage.reason


def test_decompression_is_bounded(harvested):
    file = harvested(gzip.compress(ISO2709 + bytes(10_000_000)))
    *records, damage = read(file, max_bytes=len(ISO2709) + 1000)
    assert len(records) == 20
    assert "more bytes than are allowed" in damage.reason


def test_a_reader_that_fails_in_the_middle_of_a_file_keeps_what_was_read(harvested, monkeypatch):
    cut = iso2709.Iso2709Carrier.raws

    def raws(self, stream):
        yield from islice(cut(self, stream), 3)
        raise KeyError("z")

    monkeypatch.setattr(iso2709.Iso2709Carrier, "raws", raws)
    *records, damage = read(harvested(ISO2709))
    assert len(records) == 3
    assert isinstance(damage, DamagedFileError)
    assert damage.origin.position == 4
    assert damage.reason.endswith("reader \"iso2709\" failed in raws() (KeyError: 'z'); report it to its author")


@pytest.mark.parametrize(
    ("examine_file", "message"),
    [
        (lambda *_: 1 // 0, r"dump/file: reader \"iso2709\" failed in examine\(\) \(ZeroDivisionError: .*report it"),
        (lambda *_: object(), r"dump/file: reader \"iso2709\" failed in examine\(\) \(TypeError: .*report it"),
        (lambda *_: None, "CatalogError: not a carrier of iso2709"),
    ],
)
def test_a_reader_that_cannot_examine_costs_its_file(examine_file, message, harvested, monkeypatch):
    monkeypatch.setattr(iso2709, "examine", examine_file)
    with pytest.raises(HarvestError, match=message):
        examine(harvested(ISO2709))


def test_damage_before_the_first_record_is_at_the_beginning_of_the_file(harvested):
    examined = examine(harvested(ISO2709))
    (damage,) = read(harvested(gzip.compress(b"")[:10] + b"\xff" * 100), examined)
    assert isinstance(damage, DamagedFileError)
    assert (damage.origin.position, damage.origin.offset) == (1, 0)
