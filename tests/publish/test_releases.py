"""Releases are numbered, complete or not there at all, and the last ones are kept."""

import gzip

import zstandard

from bibld.publish._releases import Releases
from bibld.publish.dumps import write_full_dumps


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


def test_dumps_hold_no_time_and_no_name(tmp_path):
    lines = ['<http://x/a> <http://x/p> "б" .\n', "<http://x/a> <http://x/p> <http://x/b> <http://x/g> .\n"]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert write_full_dumps(["".join(lines).encode()], tmp_path / folder) == (2, 1)
    assert (tmp_path / "one/bibld.nq.gz").read_bytes() == (tmp_path / "two/bibld.nq.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one/bibld.nq.gz").read_bytes()).decode() == "".join(lines)
    zstd = (tmp_path / "one/bibld.nq.zst").read_bytes()
    assert zstd == (tmp_path / "two/bibld.nq.zst").read_bytes()
    assert zstandard.ZstdDecompressor().stream_reader(zstd).read().decode() == "".join(lines)
    assert gzip.decompress((tmp_path / "one/bibld.nt.gz").read_bytes()).decode() == lines[0]
