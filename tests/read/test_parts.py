from __future__ import annotations

import gzip
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from bibld.errors import BibldError, DamagedFileError, ReadError
from bibld.protocols import HarvestedFile, Raw
from bibld.read import Examined, FilePart, PartPlan, examine, read, read_part, to_json

DATA = Path(os.environ.get("BIBLD_TEST_DATA", "no"))
MARC = b"00044nam a2200037 i 450000100060000024500000000\x1e"


def harvested(path: Path) -> HarvestedFile:
    return HarvestedFile("s", path.name, path)


def described(pieces: Iterator[Raw | ReadError]) -> list[tuple[str, int, int, bytes]]:
    return [
        (
            type(piece).__name__,
            piece.origin.position,
            piece.origin.offset,
            piece.data if isinstance(piece, Raw) else piece.original + piece.reason.encode(),
        )
        for piece in pieces
        if not isinstance(piece, DamagedFileError)
    ]


def plan(file: HarvestedFile, examined: Examined, size: int) -> tuple[FilePart, ...]:
    planned = PartPlan(file, examined.reader, examined.carrier, size)
    for piece in read(file, examined):
        planned.add(piece)
    return planned.parts()


def check(path: Path, size: int) -> int:
    """Compare the parts of a file with the whole; return how many there are."""
    file = harvested(path)
    examined = examine(file)
    copied = pickle.loads(pickle.dumps(examined.carrier))
    assert to_json(copied) == to_json(examined.carrier), "a process that examines files makes the same hashes"
    parts = plan(file, examined, size)
    if len(parts) > 1:
        found = [one for part in parts for one in described(read_part(file, examined.carrier, part))]
        assert found == described(read(file, examined))
    return len(parts)


@pytest.mark.skipif(not DATA.is_dir(), reason="BIBLD_TEST_DATA is not set")
def test_the_parts_of_real_files_are_the_files() -> None:
    divided = 0
    for path in sorted(path for path in DATA.rglob("*") if path.is_file() and path.stat().st_size < 3_000_000):
        for size in (1, 5_000):
            try:
                divided += check(path, size) > 1
            except BibldError:  # no catalogue
                break
    assert divided > 60


@pytest.mark.parametrize("between", [b"", b"\n", b"\r\n", b" \0\xef\xbb\xbf"])
@pytest.mark.parametrize("before", [b"", b"\n"])
def test_what_is_between_records_belongs_to_none(tmp_path: Path, between: bytes, before: bytes) -> None:
    record = MARC + b"00001\x1e  \x1faX\x1e"
    stated = b"%05d" % (len(record) + 1 + len(before)) + record[5:]
    path = tmp_path / "a.mrc"
    path.write_bytes(
        between.join([record + before + b"\x1d", stated + before + b"\x1d", record + record + b"\x1d"] * 5)
    )
    assert check(path, 1) >= 14


def test_records_in_comments_and_records_that_are_not_closed(tmp_path: Path) -> None:
    record = '<record><leader>00000nam a2200000 i 4500</leader><controlfield tag="001">1</controlfield></record>'
    path = tmp_path / "a.xml"
    path.write_text(
        f"<collection>{record}<!-- {record} -->{record}{record.removesuffix('</record>')}{record}{record}"
        f"<record><metadata>{record}</metadata></record>{record}</collection>"
    )
    assert check(path, 1) == 6


def test_files_that_cannot_be_divided_are_one_part(tmp_path: Path) -> None:
    content = (MARC + b"00001\x1e  \x1faX\x1e\x1d") * 9
    plain, packed = tmp_path / "a.mrc", tmp_path / "a.mrc.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    assert check(plain, 1) == 9
    assert check(plain, 10**6) == 1
    file = harvested(packed)
    (part,) = plan(file, examine(file), 1)
    assert part.is_file
