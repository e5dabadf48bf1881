"""Archives are unpacked within bounds; whatever they contain, nothing is written outside the folder that is given."""

from __future__ import annotations

import bz2
import fcntl
import gzip
import io
import lzma
import os
import shutil
import struct
import subprocess
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from bibld.errors import HarvestError
from bibld.read import _archives
from bibld.read._archives import Limits, archive_of, delete_others, unpack, unpack_once
from bibld.read._streams import open_decompressed

BOOKS = b"00044nam a2200037   4500001000200000\x1e1\x1e\x1d"
BSDTAR = shutil.which("bsdtar")
needs_bsdtar = pytest.mark.skipif(not BSDTAR, reason="bsdtar is not installed (Debian: libarchive-tools)")


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(members: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def by_bsdtar(folder: Path, form: str, members: dict[str, bytes]) -> bytes:
    for name, data in members.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    subprocess.run(
        [BSDTAR, "-cf", "made", "--format", form, *members], cwd=folder, check=True, capture_output=True, timeout=60
    )
    return (folder / "made").read_bytes()


COMPRESSIONS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "zst without sizes": lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
}


def written(folder: Path, data: bytes, name: str = "file") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def contents(folder: Path, data: bytes, *patterns: str, limits: Limits | None = None) -> dict[str, bytes]:
    """The members of an archive by name, unpacked next to a folder that must stay as it is."""
    place = folder / "in" / "here"
    place.mkdir(parents=True)
    members = unpack(written(folder, data), place, patterns, limits).members
    assert {path.parent for path in folder.rglob("*") if path.is_file() and path.name != "file"} <= {place}
    return {member.name: member.path.read_bytes() for member in members}


def fault(folder: Path, data: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(HarvestError) as raised:
        contents(folder, data, limits=limits)
    return str(raised.value)


# -- compressed files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_a_compressed_file_is_read_as_if_it_were_not(name, tmp_path):
    compress = COMPRESSIONS[name]
    content = b"".join(b"%09d" % number for number in range(200_000))
    for data in (compress(content), compress(content[:7]) + compress(b"") + compress(content[7:])):
        with open_decompressed(written(tmp_path, data)) as stream:
            assert stream.read() == content


@cache
def some_blocks(name: str) -> tuple[bytes, bytes]:
    """Return a content of several blocks, and the same compressed."""
    content = b"".join(b"%09d" % (number * number % 1_000_003) for number in range(400_000))
    return content, COMPRESSIONS[name](content)


@pytest.mark.parametrize("name", COMPRESSIONS)
@pytest.mark.parametrize("keep", [0.3, 0.9, -4])
def test_a_compressed_file_that_is_cut_gives_its_beginning_and_an_error(name, keep, tmp_path):
    content, data = some_blocks(name)
    file = written(tmp_path, data[: keep if keep < 0 else int(len(data) * keep)])
    with pytest.raises(HarvestError, match="cut off"), open_decompressed(file) as stream:
        found = stream.read()
        assert content.startswith(found)
        assert len(found) > keep * len(content) / 3


@pytest.mark.parametrize("name", ["bz2", "xz"])
def test_damage_inside_a_compressed_file_is_an_error(name, tmp_path):
    data = bytearray(COMPRESSIONS[name](b"".join(b"%09d" % (number * 7919) for number in range(100_000))))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(HarvestError, match="damaged"), open_decompressed(written(tmp_path, bytes(data))) as stream:
        stream.read()


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_what_follows_a_compressed_file_is_reported(name, tmp_path):
    file = written(tmp_path, COMPRESSIONS[name](b"12345") + b"<html>error</html>")
    with pytest.raises(HarvestError, match="follows the compressed data"), open_decompressed(file) as stream:
        assert stream.read() == b"12345"


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_a_compressed_file_gives_as_many_bytes_as_are_allowed(name, tmp_path):
    file = written(tmp_path, COMPRESSIONS[name](b"x" * 3_000_000))
    with pytest.raises(HarvestError, match="more bytes than are allowed"), open_decompressed(file, 1_000_000) as stream:
        assert stream.read() == b"x" * 1_000_000


def test_a_bomb_of_zstd_needs_little_memory_and_ends_with_a_message(tmp_path):
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    file = tmp_path / "bomb.zst"
    with file.open("wb") as out:
        for _ in range(600):
            out.write(compressor.compress(b"x" * (1 << 20)))
        out.write(compressor.flush())
    assert file.stat().st_size < 100_000
    count = 0
    with pytest.raises(HarvestError, match="more than 1,000 times its size"), open_decompressed(file) as stream:
        while data := stream.read(1 << 20):
            count += len(data)
    assert 256 << 20 <= count <= 260 << 20


def test_a_file_that_a_web_server_compressed_once_more_is_read(tmp_path):
    with open_decompressed(written(tmp_path, gzip.compress(bz2.compress(BOOKS)))) as stream:
        assert stream.read() == BOOKS
    with open_decompressed(written(tmp_path, gzip.compress(gzip.compress(gzip.compress(BOOKS))))) as stream:
        assert stream.read() == gzip.compress(BOOKS)


# -- archives ----------------------------------------------------------------------------------------------------------

MEMBERS = {"b.mrc": BOOKS, "folder/a.mrc": BOOKS * 3}
FORMS = {
    "zip": zipped,
    "zip, stored": lambda members: zipped(members, zipfile.ZIP_STORED),
    "zip, bzip2": lambda members: zipped(members, zipfile.ZIP_BZIP2),
    "zip, lzma": lambda members: zipped(members, zipfile.ZIP_LZMA),
    "tar": tarred,
    "tar, old": lambda members: tarred(members, tarfile.USTAR_FORMAT),
    "tar, gnu": lambda members: tarred(members, tarfile.GNU_FORMAT),
    **{f"tar.{name}": lambda members, name=name: COMPRESSIONS[name](tarred(members)) for name in COMPRESSIONS},
}


@pytest.mark.parametrize("form", FORMS)
def test_the_members_of_an_archive_are_given_by_name(form, tmp_path):
    assert contents(tmp_path, FORMS[form](MEMBERS)) == MEMBERS


@needs_bsdtar
@pytest.mark.parametrize("form", ["7zip", "zip", "ustar"])
def test_archives_that_another_program_made_are_read(form, tmp_path):
    (tmp_path / "made").mkdir()
    data = by_bsdtar(tmp_path / "made", form, MEMBERS | {"книга.mrc": BOOKS})
    (tmp_path / "test").mkdir()
    assert contents(tmp_path / "test", data) == MEMBERS | {"книга.mrc": BOOKS}


@needs_bsdtar
def test_a_damaged_7z_archive_is_an_error(tmp_path):
    (tmp_path / "made").mkdir()
    data = by_bsdtar(tmp_path / "made", "7zip", {"a": bytes(range(256)) * 4000})
    for number, damaged in enumerate((data[:-20], data[:100] + b"\0" * 50 + data[150:])):
        (tmp_path / str(number)).mkdir()
        assert "the archive cannot be read" in fault(tmp_path / str(number), damaged)


def test_a_7z_archive_where_no_program_reads_it_names_the_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fault(tmp_path, b"7z\xbc\xaf\x27\x1c" + bytes(100)) == (
        "is an archive that only bsdtar reads, which is not installed; install bsdtar (Debian: libarchive-tools), or"
        " unpack it"
    )


def test_a_name_in_the_charset_of_the_russian_console_is_read(tmp_path):
    data = zipped({"xxxxx.mrc": BOOKS}).replace(b"xxxxx", "книга".encode("cp866"))
    assert list(contents(tmp_path, data)) == ["книга.mrc"]


def test_archives_in_archives_are_unpacked_once(tmp_path):
    inner = zipped({"c.mrc": BOOKS})
    assert contents(tmp_path, tarred({"x/b.zip": inner, "a.mrc.gz": gzip.compress(BOOKS)})) == {
        "a.mrc.gz": gzip.compress(BOOKS),
        "x/b.zip/c.mrc": BOOKS,
    }
    (tmp_path / "deep").mkdir()
    message = fault(tmp_path / "deep", zipped({"a.zip": zipped({"b.zip": inner})}))
    assert message == "a.zip: a.zip/b.zip: is an archive in an archive in an archive; unpack it"


def test_what_is_no_data_is_left_out_unless_patterns_ask_for_it(tmp_path):
    members = MEMBERS | {
        "README.txt": b"read me",
        "b.mrc.md5": b"0",
        "__MACOSX/b.mrc": b"",
        ".hidden": b"",
        "doc/manual.pdf": b"%PDF",
    }
    assert contents(tmp_path, zipped(members)) == MEMBERS
    for number, (patterns, expected) in enumerate(
        [
            (["*.TXT"], ["README.txt"]),
            (["folder/*"], ["folder/a.mrc"]),
            (["b.mrc", "*.pdf"], ["b.mrc", "doc/manual.pdf"]),
        ]
    ):
        (tmp_path / str(number)).mkdir()
        assert list(contents(tmp_path / str(number), zipped(members), *patterns)) == expected
    (tmp_path / "none").mkdir()
    with pytest.raises(HarvestError, match=r"no file in it matches \*\.xml; it has b\.mrc, folder/a\.mrc, README\.txt"):
        contents(tmp_path / "none", zipped(members), "*.xml")


@pytest.fixture
def chatty(tmp_path, monkeypatch):
    """The program with another before it, as a line of the shell: returns what sets that line."""

    def before(line: str) -> None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "bsdtar").write_text(f'#!/bin/sh\n{line}\nexec {BSDTAR} "$@"\n')
        (tmp_path / "bin" / "bsdtar").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")

    return before


@pytest.fixture
def of_7z(tmp_path):
    (tmp_path / "made").mkdir()
    return written(tmp_path, by_bsdtar(tmp_path / "made", "7zip", {"книга.mrc": BOOKS}), "a.7z")


def members_of(file: Path) -> dict[str, bytes]:
    place = file.parent / "place"
    place.mkdir()
    members = unpack(file, place).members
    return {member.name: member.path.read_bytes() for member in members}


@needs_bsdtar
def test_names_in_a_7z_archive_are_read_where_the_locale_is_c(of_7z, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert members_of(of_7z) == {"книга.mrc": BOOKS}


@needs_bsdtar
def test_a_7z_archive_with_many_warnings_is_read(of_7z, chatty):
    chatty("head -c 300000 /dev/zero >&2")
    assert members_of(of_7z) == {"книга.mrc": BOOKS}


@needs_bsdtar
def test_a_program_that_hangs_is_ended(chatty, tmp_path, monkeypatch):
    chatty("exec sleep 600")
    monkeypatch.setattr(_archives, "MAX_SECONDS", 0.5)
    file = written(tmp_path, b"7z\xbc\xaf\x27\x1c" + bytes(100))
    with pytest.raises(HarvestError, match="bsdtar took longer than"):
        unpack(file, tmp_path)


# -- hostile archives --------------------------------------------------------------------------------------------------

NAMES = ["../../../etc/x.mrc", "/etc/x.mrc", "C:\\x.mrc", "a/../../b.mrc", "..", "\x1b[31mx.mrc", "x" * 300]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_no_name_in_an_archive_leads_out_of_the_folder(form, name, tmp_path):
    (found,) = contents(tmp_path, FORMS[form]({name: BOOKS})).items()
    assert found[1] == BOOKS
    assert found[0].isprintable()
    assert ".." not in found[0].split("/") and not found[0].startswith("/")


def test_two_members_of_one_name_are_two_members(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.mrc", BOOKS)
        archive.writestr("a.mrc", BOOKS * 2)
    place = tmp_path / "here"
    place.mkdir()
    members = unpack(written(tmp_path, out.getvalue()), place).members
    assert [(member.name, len(member.path.read_bytes())) for member in members] == [
        ("a.mrc", len(BOOKS)),
        ("a.mrc", 2 * len(BOOKS)),
    ]


def test_links_and_devices_in_an_archive_are_left_out(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo(f"link{kind!r}")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        entry = tarfile.TarInfo("a.mrc")
        entry.size = len(BOOKS)
        archive.addfile(entry, io.BytesIO(BOOKS))
    assert contents(tmp_path, out.getvalue()) == {"a.mrc": BOOKS}


BOMB = b"\0" * (64 << 20)
SMALL = Limits(bytes=32 << 20, members=100, ratio=50, free=1 << 20)


@pytest.mark.parametrize(
    "make",
    [
        lambda: zipped({"a": BOMB}),
        lambda: gzip.compress(tarred({"a": BOMB})),
        lambda: zstandard.ZstdCompressor().compress(tarred({"a": BOMB})),
        lambda: zipped({"a.zip": zipped({"b": BOMB}), "c": BOMB[: 1 << 19]}),
        lambda: zipped({str(number): BOMB[: 1 << 20] for number in range(64)}),
    ],
)
def test_a_decompression_bomb_is_refused_before_it_fills_the_disk(make, tmp_path):
    data = make()
    assert "50 times its size" in fault(tmp_path, data, SMALL)
    assert sum(path.stat().st_size for path in (tmp_path / "in").rglob("*") if path.is_file()) < 8 << 20


def test_an_archive_of_too_many_bytes_or_members_is_refused(tmp_path):
    (tmp_path / "a").mkdir()
    noise = bytes(range(256)) * 40
    message = fault(tmp_path / "a", zipped({"a": noise}), Limits(bytes=10_000))
    assert message.startswith("contains more than 10,000 bytes")
    assert fault(tmp_path, zipped({str(number): b"x" for number in range(101)}), SMALL).startswith(
        "contains more than 100 files"
    )


def test_folders_and_links_in_an_archive_count_as_members(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for number in range(101):
            entry = tarfile.TarInfo(f"folder{number}")
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
    assert fault(tmp_path, out.getvalue(), SMALL).startswith("contains more than 100 files")


def test_a_zip_file_whose_members_overlap_is_refused(tmp_path):
    """The same compressed bytes stated for many members, as in "better zip bombs"."""
    data = bytearray(zipped({"a": BOOKS * 100, "b": b"1"}))
    directory = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", directory + 4)
    data[second + 16 : second + 46] = data[directory + 16 : directory + 46]
    message = fault(tmp_path, bytes(data))
    assert "the archive is damaged" in message


def test_an_encrypted_archive_and_an_office_document_are_named(tmp_path):
    data = bytearray(zipped({"a.mrc": BOOKS}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert fault(tmp_path, bytes(data)) == "the archive is encrypted; ask for one without a password"
    (tmp_path / "x").mkdir()
    sheet = zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<x/>"})
    assert fault(tmp_path / "x", sheet) == "is an Office document, not data; export it as text (CSV)"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keep", [0.2, 0.5, 0.8, 0.85])
def test_an_archive_that_is_cut_is_an_error_and_never_a_smaller_archive(form, keep, tmp_path):
    noise = b"".join(struct.pack("<Q", number * 0x9E3779B97F4A7C15 % 2**64) for number in range(3000))
    data = FORMS[form](dict.fromkeys(("a.mrc", "b.mrc", "c.mrc"), noise))
    fault(tmp_path, data[: int(len(data) * keep)])


@given(st.data())
def test_no_bytes_raise_anything_else(tmp_path_factory, data):
    form = data.draw(st.sampled_from(sorted(FORMS)))
    damaged = bytearray(FORMS[form](MEMBERS))
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=20)):
        damaged[place] = data.draw(st.integers(0, 255))
    try:
        contents(tmp_path_factory.mktemp("any"), bytes(damaged))
    except HarvestError as error:
        assert str(error)


# -- unpacked once -----------------------------------------------------------------------------------------------------


def test_an_archive_is_unpacked_again_only_if_it_changed(tmp_path):
    folder = tmp_path / "unpacked"
    file = written(tmp_path, zipped(MEMBERS), "a.zip")
    first = unpack_once(file, folder)
    first.members[0].path.write_bytes(b"untouched")
    again = unpack_once(file, folder)
    assert again == first
    assert again.members[0].path.read_bytes() == b"untouched"
    written(tmp_path, zipped({"b.mrc": BOOKS}), "a.zip")
    changed = unpack_once(file, folder)
    assert [member.name for member in changed.members] == ["b.mrc"]
    delete_others(folder, [member.path for member in changed.members])
    assert len(list(folder.iterdir())) == 1


def test_an_archive_that_fails_leaves_nothing(tmp_path):
    data = zipped(MEMBERS)
    with pytest.raises(HarvestError):
        unpack_once(written(tmp_path, data[:-30]), tmp_path / "unpacked")
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_an_index_that_was_cut_is_made_again(tmp_path):
    folder = tmp_path / "unpacked"
    file = written(tmp_path, zipped(MEMBERS), "a.zip")
    first = unpack_once(file, folder)
    (index,) = folder.glob("*/members.json")
    index.write_bytes(index.read_bytes()[:10])
    assert unpack_once(file, folder) == first
    assert {member.name: member.path.read_bytes() for member in first.members} == MEMBERS


def test_what_a_killed_process_left_is_deleted_and_what_another_unpacks_is_not(tmp_path):
    folder = tmp_path / "unpacked"
    for name in ("part-killed", "part-busy"):
        (folder / name / "members").mkdir(parents=True)
    descriptor = os.open(folder / "part-busy", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    members = unpack_once(written(tmp_path, zipped(MEMBERS), "a.zip"), folder).members
    assert sorted(path.name for path in folder.glob("part-*")) == ["part-busy"]
    os.close(descriptor)
    delete_others(folder, [member.path for member in members])
    assert list(folder.glob("part-*")) == []


def test_only_archives_are_taken_for_archives(tmp_path):
    for data in (BOOKS, b"", gzip.compress(BOOKS), b"PK", bytes(512), b"0" * 512):
        assert archive_of(written(tmp_path, data)) is None
    assert archive_of(tmp_path / "none") is None
