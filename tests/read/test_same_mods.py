"""The same records give the same MODS in every encoding."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bibld.crosswalk import rusmarc
from bibld.model.marc_writers import to_iso2709
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

CASES = Path(__file__).parents[1] / "crosswalk" / "cases" / "rusmarc"
DATA = os.environ.get("BIBLD_TEST_DATA")
ENCODINGS = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic", "utf-8")
REAL = (
    "articles_cp1251.mrc", "declared_cp1251_is_utf8.iso", "nlr_cp1251.iso", "nlr_koi8r.iso", "stavropol_cp866.mrc",
    "tatarstan_utf8.mrc",
)  # fmt: skip
ENOUGH = 150


def records_of(path):
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    return [examined.carrier.parse(raw).record for raw in read(file, examined) if isinstance(raw, Raw)]


def mods_of(records):
    return [rusmarc.convert(record, rusmarc.Settings()).mods for record in records]


def written(records, encoding):
    """Pairs of a record and its bytes, for those whose characters the encoding has."""
    for record in records:
        try:
            yield record, to_iso2709(record, encoding)
        except ValueError:
            continue


@pytest.fixture(scope="module")
def by_hand():
    """The records of the cases whose characters all six encodings have."""
    records = [record for folder in sorted(CASES.iterdir()) for record in records_of(folder / "record.mrk")]
    for encoding in ENCODINGS:
        records = [record for record, _ in written(records, encoding)]
    return records


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_file_gives_the_same_mods_in_every_encoding(encoding, by_hand, tmp_path):
    assert len(by_hand) >= 20
    path = tmp_path / "records.iso"
    path.write_bytes(b"".join(data for _, data in written(by_hand, encoding)))
    assert mods_of(records_of(path)) == mods_of(by_hand)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_file_of_one_record_gives_the_same_mods_in_every_encoding(encoding, by_hand, tmp_path):
    for number, (record, data) in enumerate(written(by_hand, encoding)):
        path = tmp_path / f"{number}.iso"
        path.write_bytes(data)
        assert mods_of(records_of(path)) == mods_of([record]), record.control_number


@pytest.mark.skipif(DATA is None, reason="BIBLD_TEST_DATA is not set")
@pytest.mark.parametrize("name", REAL)
def test_real_files_give_the_same_mods_in_every_encoding(name, tmp_path):
    known = records_of(Path(DATA) / "rusmarc" / name)[:ENOUGH]
    expected = dict(zip(map(id, known), mods_of(known), strict=True))
    for encoding in ENCODINGS:
        pairs = list(written(known, encoding))
        if not pairs:
            continue
        path = tmp_path / f"{encoding}.iso"
        path.write_bytes(b"".join(data for _, data in pairs))
        assert mods_of(records_of(path)) == [expected[id(record)] for record, _ in pairs], encoding
