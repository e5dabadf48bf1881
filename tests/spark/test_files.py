"""Files that tasks write, without Spark."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import zstandard

from bibld.errors import StageError
from bibld.spark._release import file_system, write_files

BLOCKS = [(b"<a> <b> <c> .\n<a> <b> <c> <g> .\n", b"<a> <b> <c> .\n"), (b"<d> <b> <c> .\n", b"<d> <b> <c> .\n")]


def test_attempts_write_the_same_bytes_under_names_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    names = ("bibld-00000.nq.zst", "bibld-00000.nt.zst")
    first, second = (write_files(f"file://{folder}", names, iter(BLOCKS)) for _ in range(2))
    assert [file.lines for file in first] == [3, 2]
    assert [file.name for file in first] == list(names)
    assert [file.sha256 for file in first] == [file.sha256 for file in second]
    assert len({file.temporary for file in (*first, *second)}) == len(list(folder.iterdir())) == 4
    for file, contents in zip(first, zip(*BLOCKS, strict=True), strict=True):
        data = (folder / file.temporary).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256)
        assert zstandard.ZstdDecompressor().stream_reader(data).read() == b"".join(contents)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(
        StageError, match=rf"file://{tmp_path}/file/x\.nq\.gz\.\w+: cannot be written: .*check the space"
    ):
        write_files(f"file://{tmp_path}/file", ["x.nq.gz"], [(b"",)])
    with pytest.raises(StageError, match="nowhere://a/b: tasks cannot write there"):
        file_system("nowhere://a/b")
