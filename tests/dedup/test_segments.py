"""Feature segments: rows are read as they were written, in any order; an incomplete segment never opens."""

import errno
import json
import os
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.dedup._index import segment_writer as _segment_writer
from bibld.dedup._index.segments import Segment, Segments, SegmentWriter, packed
from bibld.errors import CatalogError
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns, Features
from tests.strategies import any_texts

SMALL = [
    (3, Features(title="война и мир", author="толстой л н", year=1868, pages=349)),
    (4, Features()),
    (9, Features(title="𝔘 \ud800", names="a|b", height=22)),
    (2**40, Features(title="a" * 40_000, identifiers="isbn:9785739003461")),
]


@pytest.fixture(scope="module", autouse=True)
def _quick_disk():
    """Nobody pulls the plug on a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


def features():
    chosen = st.fixed_dictionaries(
        {},
        optional={name: any_texts() | st.text("aЯаяџѣѯѰ|", min_size=120, max_size=140) for name in TEXTS}
        | {name: st.integers(-(2**31), 2**31 - 1) for name in NUMBERS},
    )
    return chosen.map(lambda values: Features(**values))


@st.composite
def records(draw, most=6):
    ordinals = sorted(draw(st.sets(st.integers(0, 2**64 - 1), max_size=most)))
    return [(ordinal, draw(features())) for ordinal in ordinals]


def written(folder, rows, **arrays):
    with SegmentWriter(folder, {name: array.dtype for name, array in arrays.items()}) as writer:
        writer.add(FeatureColumns.from_features(rows), **arrays)
        return writer.close()


def as_features(columns):
    return [(int(ordinal), columns.features(row)) for row, ordinal in enumerate(columns.ordinals)]


@pytest.fixture
def segment(tmp_path):
    return written(tmp_path / "base", SMALL)


@given(records())
@settings(max_examples=60, deadline=None)
def test_rows_are_read_as_they_were_written(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("segment") / "base"
    segment = written(folder, rows)
    given = FeatureColumns.from_features(rows)
    found = Segment.open(folder).chunk(0, len(segment))
    assert found.ordinals.tolist() == given.ordinals.tolist()
    for name in TEXTS:
        assert found.texts[name].offsets.tolist() == given.texts[name].offsets.tolist()
        assert found.texts[name].codes.tolist() == given.texts[name].codes.tolist()
    for name in NUMBERS:
        assert found.numbers[name].tolist() == given.numbers[name].tolist() == segment.numbers[name].tolist()
    shutil.rmtree(folder.parent)


@given(records(), records(), st.lists(st.integers(0, 1000)), st.sets(st.sampled_from((*TEXTS, *NUMBERS))))
@settings(max_examples=40, deadline=None)
def test_rows_in_any_order_are_those_of_the_chunks(tmp_path_factory, one, other, wanted, names):
    folder = tmp_path_factory.mktemp("segments")
    both = Segments([written(folder / "1", one), written(folder / "2", other)])
    all_rows = as_features(both.chunk(0, len(both)))
    assert all_rows == one + other
    positions = np.array([number % len(both) for number in wanted] if len(both) else [], dtype=np.int64)
    assert as_features(both.rows(positions)) == [all_rows[position] for position in positions]
    assert both.ordinal(positions).tolist() == [all_rows[position][0] for position in positions]
    assert both.numbers("year", positions).tolist() == [all_rows[position][1].year for position in positions]
    some = both.rows(positions, names)
    assert {*some.texts, *some.numbers} == names
    expected = [Features(**{name: getattr(all_rows[position][1], name) for name in names}) for position in positions]
    assert [record for _, record in as_features(some)] == expected
    shutil.rmtree(folder)


def test_the_same_rows_make_the_same_bytes_in_any_chunks(tmp_path):
    complete = written(tmp_path / "complete", SMALL)
    with SegmentWriter(tmp_path / "cut") as writer:
        for record in SMALL:
            writer.add(packed(FeatureColumns.from_features([record])))
        cut = writer.close()
    with SegmentWriter(tmp_path / "copied") as writer:
        writer.add(Segments([complete, cut]).packed(np.array([0, 1])))
        writer.add(Segments([complete, cut]).packed(np.array([6, 7])))
        copied = writer.close()
    names = sorted(path.name for path in complete.folder.iterdir())
    for other in (cut, copied):
        assert names == sorted(path.name for path in other.folder.iterdir())
        assert all((complete.folder / name).read_bytes() == (other.folder / name).read_bytes() for name in names)


def test_a_column_of_some_rows_is_read_alone(segment):
    assert [segment.column("title", 1, 3).text(row) for row in range(2)] == ["", "𝔘 \ud800"]
    assert len(segment.column("title")) == len(segment) == 4
    with pytest.raises(ValueError, match="colour"):
        segment.chunk(0, 1, ("colour",))
    with pytest.raises(IndexError):
        segment.rows(np.array([4]))


def test_a_small_cyrillic_letter_takes_a_byte(tmp_path):
    cyrillic = written(tmp_path / "1", [(1, Features(title="воина и мир"))])
    latin = written(tmp_path / "2", [(1, Features(title="voina i mir"))])
    assert len(cyrillic.texts) == len(latin.texts)


def test_empty_columns_cost_a_byte(tmp_path):
    empty = written(tmp_path / "empty", [(number, Features()) for number in range(100)])
    fixed = 8 + 8 + 4 * len(NUMBERS)
    assert empty.bytes_per_row() <= fixed + len(TEXTS) + 1


def test_live_records_are_found_by_ordinal_in_the_newest_segment(tmp_path):
    base = written(tmp_path / "base", [(1, Features(title="a")), (2, Features(title="b")), (5, Features(title="c"))])
    delta = written(tmp_path / "delta", [(2, Features(title="new")), (7, Features(title="d"))])
    ordinals = np.array([7, 1, 2, 3, 5], dtype=np.uint64)
    assert base.position(ordinals).tolist() == [-1, 0, 1, -1, 2]
    assert Segments([base, delta]).position(ordinals).tolist() == [4, 0, 3, -1, 2]
    deleted = np.array([False, True, True, False, False])
    both = Segments([base, delta], deleted)
    assert both.position(ordinals).tolist() == [4, 0, 3, -1, -1]
    walked = [(positions.tolist(), as_features(columns)) for positions, columns in both.chunks(2, ("title",))]
    assert walked == [
        ([0], [(1, Features(title="a"))]),
        ([3, 4], [(2, Features(title="new")), (7, Features(title="d"))]),
    ]


def test_a_released_segment_is_read_again(segment):
    before = as_features(segment.chunk(0, 4))
    segment.release()
    assert as_features(segment.chunk(0, 4)) == before == SMALL


def test_further_columns_are_stored_beside_the_features(tmp_path):
    signatures = np.array([7, 8, 9, 2**64 - 1], dtype=np.uint64)
    segment = written(tmp_path / "base", SMALL, signature=signatures)
    segment.put("rarity", [np.array([0.5]), np.array([1, 2, 3])], np.float32)
    opened = Segment.open(segment.folder)
    assert opened.array("signature").tolist() == signatures.tolist()
    assert opened.array("rarity").tolist() == [0.5, 1, 2, 3]
    opened.put("rarity", [np.arange(4)], np.uint8)
    assert Segments([opened, opened]).array("rarity", np.array([7, 1])).tolist() == [3, 1]
    with pytest.raises(ValueError, match="3 items for 4 rows"):
        opened.put("rarity", [np.arange(3)], np.uint8)
    assert Segment.open(segment.folder).array("rarity").tolist() == [0, 1, 2, 3]
    with pytest.raises(KeyError):
        opened.array("colour")
    (opened.folder / "rarity.uint8").write_bytes(b"12")
    with pytest.raises(CatalogError, match="2 items for 4 rows"):
        Segment.open(segment.folder).array("rarity")


def test_the_files_of_a_killed_writer_do_not_open_and_are_removed_by_the_next(tmp_path):
    killed = SegmentWriter(tmp_path / "base")
    killed.add(FeatureColumns.from_features(SMALL))
    assert not (tmp_path / "base").exists()
    with pytest.raises(CatalogError, match="catalog check"):
        Segment.open(killed.folder)
    (killed.folder / "keys.of.another").write_bytes(b"1")
    for file in killed._files.values():
        file.close()
    segment = written(tmp_path / "base", SMALL[:1])
    assert [path.name for path in tmp_path.iterdir()] == ["base"]
    assert len(segment) == 1 and not (segment.folder / "keys.of.another").exists()


def test_all_files_are_on_the_disk_before_the_folder_is_renamed(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(Path(f"/proc/self/fd/{number}").readlink()))
    rename = Path.rename
    monkeypatch.setattr(Path, "rename", lambda path, target: synced.append("rename") or rename(path, target))
    segment = written(tmp_path / "base", SMALL)
    before, after = synced[: synced.index("rename")], synced[synced.index("rename") + 1 :]
    building = tmp_path / "base.building"
    assert sorted(before) == sorted([building, *(building / path.name for path in segment.folder.iterdir())])
    assert after == [tmp_path]


def test_a_writer_that_fails_removes_what_it_wrote_and_spares_the_earlier_segment(segment):
    with pytest.raises(RuntimeError), SegmentWriter(segment.folder) as writer:
        writer.add(FeatureColumns.from_features(SMALL[:2]))
        raise RuntimeError
    assert [path.name for path in segment.folder.parent.iterdir()] == ["base"]
    assert len(Segment.open(segment.folder)) == 4


def test_a_writer_refuses_rows_out_of_order_and_columns_that_do_not_fit(tmp_path):
    with SegmentWriter(tmp_path / "base", {"signature": np.uint64}) as writer:
        with pytest.raises(ValueError, match="signature"):
            writer.add(FeatureColumns.from_features(SMALL))
        writer.add(FeatureColumns.from_features(SMALL[1:2]), signature=np.zeros(1))
        for rows in (SMALL[:1], SMALL[1:2], [SMALL[3], SMALL[2]]):
            with pytest.raises(ValueError, match="ascend"):
                writer.add(FeatureColumns.from_features(rows), signature=np.zeros(len(rows)))


@pytest.mark.parametrize("name", ["ordinals.uint64", "starts.int64", "texts.uint8", "numbers.int32", "head.json"])
def test_a_truncated_or_missing_file_is_reported(segment, name):
    path = segment.folder / name
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(CatalogError, match=r"catalog check"):
        Segment.open(segment.folder)
    path.unlink()
    with pytest.raises(CatalogError, match=r"catalog check"):
        Segment.open(segment.folder)


@pytest.mark.parametrize("changes", [{"format": 2}, {"rows": 3}, {"rows": "many"}, {"numbers": []}, {"files": {}}])
def test_a_wrong_header_is_reported(segment, changes):
    head = json.loads((segment.folder / "head.json").read_bytes())
    (segment.folder / "head.json").write_bytes(msgspec.json.encode(head | changes))
    with pytest.raises(CatalogError, match="catalog check"):
        Segment.open(segment.folder)


def changed(segment, name, position, value):
    data = bytearray((segment.folder / name).read_bytes())
    data[position] = value
    (segment.folder / name).write_bytes(data)
    return Segment.open(segment.folder)


@pytest.mark.parametrize("value", [0x00, 0x7F, 0x80, 0xFF])
def test_bytes_that_were_changed_on_disk_give_an_error_and_never_a_crash(segment, value):
    damaged = changed(segment, "texts.uint8", 0, value)
    for read in (lambda: damaged.chunk(0, 4), lambda: damaged.rows(np.array([2, 0]))):
        with pytest.raises(CatalogError, match="record 3 cannot be read"):
            read()
    damaged = changed(segment, "starts.int64", 15, 0x7F)
    for read in (lambda: damaged.chunk(0, 1), lambda: damaged.rows(np.array([0]))):
        with pytest.raises(CatalogError, match="begin or end"):
            read()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_to_the_texts_gives_rows_or_an_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    segment = written(folder / "base", SMALL[:3])
    size = len(segment.texts)
    damaged = changed(segment, "texts.uint8", data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, 255)))
    try:
        assert len(damaged.chunk(0, 3)) == 3
    except CatalogError as error:
        assert "cannot be read" in str(error)
    shutil.rmtree(folder)


def test_segments_of_different_columns_are_refused(segment, tmp_path):
    other = written(tmp_path / "other", [])
    other.head = msgspec.structs.replace(other.head, numbers=("year",))
    with pytest.raises(CatalogError, match="differ"):
        Segments([segment, other])


class Full:
    """A file on a disk that is full."""

    def __init__(self, file):
        self._file = file

    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_a_full_disk_is_reported_and_leaves_no_files(tmp_path, monkeypatch):
    with SegmentWriter(tmp_path / "base") as writer:
        writer._files["texts"] = Full(writer._files["texts"])
        with pytest.raises(CatalogError, match=r"cannot be written: .*free some space, then run again"):
            writer.add(FeatureColumns.from_features(SMALL))
    assert list(tmp_path.iterdir()) == []

    def refuse(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_segment_writer, "close_to_disk", refuse)
    with SegmentWriter(tmp_path / "base") as writer:
        writer.add(FeatureColumns.from_features(SMALL))
        with pytest.raises(CatalogError, match="free some space"):
            writer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_spares_the_earlier_further_column(segment, monkeypatch):
    segment.put("rarity", [np.arange(4)], np.uint8)

    def pieces():
        yield np.arange(2)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(CatalogError, match="free some space"):
        segment.put("rarity", pieces(), np.uint8)
    assert segment.array("rarity").tolist() == [0, 1, 2, 3]
    assert not list(segment.folder.glob("*.building"))


def test_a_file_truncated_after_it_was_opened_is_reported(tmp_path):
    with SegmentWriter(tmp_path / "one") as writer:
        writer.add(packed(FeatureColumns.from_features(SMALL)))
        writer.close()
    segment = Segment.open(tmp_path / "one")
    with (tmp_path / "one" / "texts.uint8").open("r+b") as file:
        file.truncate(4)
    with pytest.raises(CatalogError, match=r"cannot be read to its end.*catalog check"):
        segment.rows(np.array([3]))
