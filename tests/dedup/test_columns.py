"""Feature tables: rows are read as they were added, in any order; damaged files give an error that names them."""

import errno
import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.dedup._text_rows import decode_texts
from bibld.dedup.columns import TOMBSTONE, FeatureTable, FeatureWriter, stored_rows, tombstones
from bibld.errors import CatalogError
from bibld.model.features import LONG, NUMBERS, TEXTS, FeatureColumns, Features
from tests.dedup import twins
from tests.strategies import any_texts

SMALL = [
    (3, Features(title="война и мир", author="толстой л н", year=1868, pages=349)),
    (4, Features()),
    (9, Features(title="𝔘 \ud800", names="a|b", height=22)),
    (2**40, Features(title="a" * 40_000, identifiers="isbn:9785739003461")),
]
SHORT = [name for name in TEXTS if name not in LONG]


@pytest.fixture(scope="module", autouse=True)
def _quick_disk():
    """Tests need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


def features():
    chosen = st.fixed_dictionaries(
        {},
        optional={name: any_texts() | st.text("aЯаяџѣѯѰ|\x1f", max_size=140) for name in TEXTS}
        | {name: st.integers(-(2**31), 2**31 - 1) for name in NUMBERS},
    )
    return chosen.map(lambda values: Features(**values))


def records(most=6):
    return st.lists(st.tuples(st.integers(0, 2**64 - 1), features()), max_size=most)


def add(writer, records):
    count = len(records)
    columns = FeatureColumns.from_features(records)
    writer.add(stored_rows(columns), np.arange(count, dtype=np.uint64), np.full(count, 7, dtype=np.uint16))


def written(folder, records, rows=0):
    with FeatureWriter(folder, rows) as writer:
        add(writer, records)
        return writer.close()


def as_features(columns):
    return [(int(ordinal), columns.features(row)) for row, ordinal in enumerate(columns.ordinals)]


def without_separators(records, names=(*TEXTS, *NUMBERS)):
    """The records as they are read: with these columns, and blanks instead of the character that ends texts."""
    return [
        (ordinal, Features(**{
            name: value.replace("\x1f", " ") if isinstance(value := getattr(one, name), str) else value
            for name in names
        }))
        for ordinal, one in records
    ]  # fmt: skip


@pytest.fixture
def table(tmp_path):
    return written(tmp_path / "1", SMALL)


@given(records(), records(), st.lists(st.integers(0, 1000)), st.sets(st.sampled_from((*TEXTS, *NUMBERS))))
@settings(max_examples=60, deadline=None)
def test_rows_are_read_as_they_were_added(tmp_path_factory, one, other, wanted, names):
    folder = tmp_path_factory.mktemp("table")
    written(folder, one)
    table = written(folder, other, rows=len(one))
    expected = without_separators(one + other)
    every = (*TEXTS, *NUMBERS)
    assert as_features(table.chunk(0, len(table), every)) == expected
    assert as_features(table.chunk(0, len(table))) == without_separators(expected, [*SHORT, *NUMBERS])
    positions = np.array([number % len(table) for number in wanted] if len(table) else [], dtype=np.int64)
    in_memory = FeatureColumns.from_features(expected)
    for rows in (table, in_memory):
        assert len(rows) == len(expected)
        assert as_features(rows.rows(positions, every)) == [expected[position] for position in positions]
        some = rows.rows(positions, names)
        assert {*some.texts, *some.numbers} == names
        assert as_features(some) == without_separators([expected[position] for position in positions], names)
        assert as_features(rows.chunk(1, 3, names)) == without_separators(expected[1:3], names)
    shutil.rmtree(folder)


@given(st.binary(max_size=60), st.integers(1, 3), st.data())
@settings(max_examples=200, deadline=None)
def test_texts_are_decoded_as_by_the_plain_twin(content, columns, data):
    content = content.replace(b"\x1f", b"") if data.draw(st.booleans()) else content.decode("latin-1").encode()
    texts = np.array(bytearray(content + b"\x1f" * (-content.count(b"\x1f") % columns)), dtype=np.uint8)
    ends = np.flatnonzero(texts == 0x1F)
    slots = np.array(data.draw(st.permutations([*range(columns)])), dtype=np.int64)
    offsets, codes, firsts = decode_texts(texts, ends, slots, columns)
    found = [
        [codes[first + begin : first + end].tolist() for begin, end in pairwise(column)]
        for first, column in zip(firsts, offsets, strict=False)
    ]
    assert found == twins.decode_texts(texts.tobytes(), slots.tolist())


def test_the_same_rows_make_the_same_bytes_in_any_portions(tmp_path):
    complete = written(tmp_path / "complete", SMALL)
    with FeatureWriter(tmp_path / "copied") as writer:
        for rows in ([0], [1, 2], [], [3]):
            positions = np.array(rows, dtype=np.int64)
            writer.add(complete.stored(positions), complete.made[positions], complete.source[positions])
        writer.close()
    for path in complete.folder.iterdir():
        assert path.read_bytes() == (tmp_path / "copied" / path.name).read_bytes()


def test_rows_that_the_catalog_does_not_contain_are_ignored_and_overwritten(table):
    with FeatureWriter(table.folder, 4) as killed:
        add(killed, SMALL[:2])
        killed.close()
    assert as_features(FeatureTable(table.folder, 4).chunk(0, 9)) == SMALL
    appended = written(table.folder, SMALL[2:3], rows=4)
    assert as_features(appended.chunk(0, 9)) == SMALL + SMALL[2:3]
    assert appended.made.tolist() == [0, 1, 2, 3, 0]
    assert as_features(table.rows(np.array([3, 0]))) == [SMALL[3], SMALL[0]]


def test_a_tombstone_is_a_row_without_features(table):
    with FeatureWriter(table.folder, 4) as writer:
        writer.add(tombstones([9]), np.zeros(1, dtype=np.uint64), np.array([TOMBSTONE], dtype=np.uint16))
        found = writer.close()
    assert as_features(found.chunk(4, 5)) == [(9, Features())]
    assert found.source.tolist() == [7, 7, 7, 7, TOMBSTONE]


def test_unknown_columns_and_rows_are_refused(table):
    with pytest.raises(ValueError, match="colour"):
        table.chunk(0, 1, ("colour",))
    with pytest.raises(IndexError):
        table.rows(np.array([4]))
    with FeatureWriter(table.folder, 4) as writer, pytest.raises(ValueError, match="lengths"):
        writer.add(tombstones([1, 2]), np.zeros(1, dtype=np.uint64), np.zeros(2, dtype=np.uint16))


FILES = [
    "head.json", "ordinals.uint64", "made.uint64", "source.uint16", "numbers.int32", "texts.starts.int64", "texts.uint8"
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_or_missing_file_is_reported(table, name):
    path = table.folder / name
    os.truncate(path, path.stat().st_size - 1)
    message = rf"{table.folder}.*; run `bibld catalog check`"
    for refused in (FeatureTable, FeatureWriter):
        with pytest.raises(CatalogError, match=message):
            refused(table.folder, 4)
    path.unlink()
    with pytest.raises(CatalogError, match=message):
        FeatureTable(table.folder, 4)


@pytest.mark.parametrize("content", [b"{", b"{}", b'{"format": 1, "texts": {}, "numbers": []}'])
def test_a_table_of_another_format_is_refused(table, content):
    (table.folder / "head.json").write_bytes(content)
    with pytest.raises(CatalogError, match="catalog check"):
        FeatureTable(table.folder, 4)


def changed(table, name, position, value):
    data = bytearray((table.folder / name).read_bytes())
    data[position] = value
    (table.folder / name).write_bytes(data)
    return FeatureTable(table.folder, len(table))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_to_the_texts_gives_rows_or_an_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    table = written(folder / "1", SMALL[:3])
    name = data.draw(st.sampled_from(["texts.uint8", "texts.starts.int64"]))
    place = data.draw(st.integers(0, (folder / "1" / name).stat().st_size - 1))
    try:
        damaged = changed(table, name, place, data.draw(st.integers(0, 255)))
        for rows in (damaged.chunk(0, 3), damaged.rows(np.array([2, 0, 1]))):
            assert len(rows) == 3
    except CatalogError as error:
        assert "catalog check" in str(error)
    shutil.rmtree(folder)


def test_a_file_truncated_after_it_was_opened_is_reported(table):
    with (table.folder / "texts.uint8").open("r+b") as file:
        file.truncate(4)
    with pytest.raises(CatalogError, match=r"texts.uint8: cannot be read to its end.*catalog check"):
        table.rows(np.array([3]))


def test_a_full_disk_is_reported_and_spares_the_valid_rows(table, monkeypatch):
    def refuse(*arguments, **named):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with FeatureWriter(table.folder, 4) as writer:
        monkeypatch.setattr(writer, "_write", refuse)
        with pytest.raises(CatalogError, match=r"cannot be written: .*free some space, then run again"):
            add(writer, SMALL)
    with FeatureWriter(table.folder, 4) as writer:
        add(writer, SMALL)
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(CatalogError, match="free some space"):
            writer.close()
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CatalogError, match="free some space"):
        FeatureWriter(table.folder.parent / "2")
    assert as_features(FeatureTable(table.folder, 4).chunk(0, 4)) == SMALL
