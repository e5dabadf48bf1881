"""Releases are numbered, complete or not there at all, and the last ones are kept."""

import gzip

import msgspec
import pytest
import zstandard

from bibld.publish._releases import Releases
from bibld.publish.dumps import Settings, write_full_dumps


def test_numbers_go_up_and_old_releases_are_let_go(tmp_path):
    releases = Releases(tmp_path)
    assert releases.current() is None
    for expected in (1, 2, 3):
        number, place = releases.begin()
        assert number == expected
        (place / "file").write_text(str(number))
        assert releases.complete(number, place, keep=2).name == str(expected)
    assert releases.numbers() == [2, 3]
    assert (releases.current() / "file").read_text() == "3"


def release(releases, keep=2):
    number, place = releases.begin()
    (place / "manifest.json").write_text("{}")
    return releases.complete(number, place, keep)


def test_a_locked_release_stays_until_a_later_run(tmp_path):
    releases = Releases(tmp_path)
    served = release(releases)
    with releases.hold(served), releases.hold(served):
        for _ in range(4):
            release(releases)
        assert releases.numbers() == [1, 4, 5]
        assert (served / "manifest.json").exists()
    release(releases)
    assert releases.numbers() == [5, 6]


def test_a_release_that_was_removed_cannot_be_locked(tmp_path):
    releases = Releases(tmp_path)
    old = release(releases)
    release(releases, keep=1)
    assert releases.hold(old) is None


def test_a_removal_that_was_stopped_is_ended_by_a_later_run(tmp_path):
    releases = Releases(tmp_path)
    (release(releases) / "manifest.json").unlink()
    release(releases, keep=1)
    assert releases.numbers() == [2]


def test_what_was_left_half_built_is_not_a_release(tmp_path):
    releases = Releases(tmp_path)
    _, place = releases.begin()
    (place / "half").write_text("")
    assert releases.numbers() == []
    _, again = releases.begin()
    assert list(again.iterdir()) == []


EVERY_FORMAT = Settings(formats=("nq.gz", "nq.zst", "nt.gz", "nt.zst"))


def test_dumps_hold_no_time_and_no_name(tmp_path):
    lines = ['<http://x/a> <http://x/p> "б" .\n', "<http://x/a> <http://x/p> <http://x/b> <http://x/g> .\n"]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert write_full_dumps(["".join(lines).encode()], tmp_path / folder, EVERY_FORMAT) == (2, 1)
    assert (tmp_path / "one/bibld.nq.gz").read_bytes() == (tmp_path / "two/bibld.nq.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one/bibld.nq.gz").read_bytes()).decode() == "".join(lines)
    zstd = (tmp_path / "one/bibld.nq.zst").read_bytes()
    assert zstd == (tmp_path / "two/bibld.nq.zst").read_bytes()
    assert zstandard.ZstdDecompressor().stream_reader(zstd).read().decode() == "".join(lines)
    assert gzip.decompress((tmp_path / "one/bibld.nt.gz").read_bytes()).decode() == lines[0]
    zstd = (tmp_path / "one/bibld.nt.zst").read_bytes()
    assert zstandard.ZstdDecompressor().stream_reader(zstd).read().decode() == lines[0]


def test_one_dump_is_written_by_default_and_one_must_have_all_quads(tmp_path):
    assert write_full_dumps([b"<http://x/a> <http://x/p> <http://x/b> .\n"], tmp_path, Settings()) == (1, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["bibld.nq.gz"]
    with pytest.raises(msgspec.ValidationError, match=r'formats must contain "nq\.gz" or "nq\.zst"'):
        msgspec.convert({"formats": ["nt.gz"]}, Settings)
