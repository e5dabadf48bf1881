"""Records of any bytes are unpacked as they were packed."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.catalog import Catalog
from bibld.catalog._record_bytes import Subfields, pack, unpack_mods, unpack_original
from bibld.catalog.compression import Blobs
from bibld.errors import CatalogError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
LEADER = Leader("00000nam a2200000 a 4500")


@st.composite
def iso2709(draw):
    fields = [ControlField("001", draw(TEXT))]
    fields += [DataField("245", "1", "0", (Subfield("a", text),)) for text in draw(st.lists(TEXT, max_size=5))]
    return to_iso2709(MarcRecord(Origin("x", "x", 1, 0), LEADER, tuple(fields)))


@st.composite
def damaged(draw):
    record = bytearray(draw(iso2709()))
    for place in draw(st.lists(st.integers(0, len(record) - 1), max_size=4)):
        record[place] = draw(st.integers(0, 255))
    return bytes(record[: draw(st.integers(0, len(record)))])


@given(st.one_of(iso2709(), damaged(), st.binary()))
def test_any_bytes_are_unpacked_unchanged(original):
    piece = pack(b'{"note":"a\\n"}', original)
    assert (unpack_mods(piece), unpack_original(piece)) == (b'{"note":"a\\n"}', original)


@given(iso2709())
def test_a_regular_record_is_stored_without_its_directory(original):
    base = int(original[12:17])
    fields = (base - 25) // 12
    assert len(pack(b"", original)) == len(original) - 10 - 9 * fields - 2 + 2


def with_fields(sizes):
    """Return a record with fields of these sizes; lengths are cut to four digits, starts to five."""
    starts = list(accumulate((size + 1 for size in sizes), initial=0))
    entries = (f"{n % 1000:03X}{(n + 1) % 10000:04}{start:05}" for n, start in zip(sizes, starts, strict=False))
    directory = "".join(entries).encode()
    base, content = 25 + len(directory), b"".join(b"x" * size + b"\x1e" for size in sizes)
    return b"%05dnam a22%05d a 4500%b\x1e%b\x1d" % (base + len(content) + 1, base, directory, content)


@pytest.mark.parametrize("sizes", [[0], [0, 0, 7], [9998, 3], [9999, 3], [10_000, 0], [30_000, 60_000], range(1, 300)])
def test_records_with_many_or_long_fields_are_stored_without_their_directory(sizes):
    original = with_fields(sizes)
    piece = pack(b"{}", original)
    assert unpack_original(piece) == original
    assert len(piece) == 3 + len(original) - 10 - 9 * len(sizes) - 2 + 1


def test_bytes_that_were_not_packed_are_refused():
    too_few_tags = b"{}\n\x01" + b"leader of 14 b" + b"001" + b"\x1eone\x1etwo"
    for piece in (b"", b"{}", b"{}\n", b"{}\n\x07abc", too_few_tags):
        with pytest.raises(ValueError):
            unpack_original(piece)


@given(st.lists(st.integers(1, 400)), st.lists(st.integers(1, 400)))
def test_any_coverage_is_decoded_unchanged(unmapped, private):
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE subfield (subfield INTEGER PRIMARY KEY, name TEXT, fate TEXT, UNIQUE (name, fate))"
    )
    subfields = Subfields(connection)
    subfields.refresh()
    subfields.encode([f"{number}$a" for number in range(300)], [])
    written = subfields.encode([f"{number}$a" for number in unmapped], [f"{number}$a" for number in private])
    assert subfields.decode(written) == [(f"{number}$a", "unmapped") for number in unmapped] + [
        (f"{number}$a", "private") for number in private
    ]
    connection.close()


def books(kind, count=400):
    return [
        f"{kind} {number}: a description of {kind} in a number of words {number * 7919}".encode()
        for number in range(count)
    ]


def test_a_dictionary_is_trained_only_for_blobs_that_none_compresses_well(tmp_path):
    with Catalog(tmp_path) as catalog, catalog.commit():
        blobs = Blobs(catalog._connection)
        frames = blobs.compress_all("record", 1, books("book"))
        blobs.compress_all("record", 2, books("book"))
        assert len(blobs._numbers("record")) == 1
        blobs.compress_all("record", 3, books("карта"))
        assert len(blobs._numbers("record")) == 2
        assert [Blobs(catalog._connection).decompress(frame) for frame in frames] == books("book")


def test_a_dictionary_that_was_rolled_back_is_not_used(tmp_path):
    with Catalog(tmp_path) as catalog:
        with pytest.raises(ZeroDivisionError), catalog.commit():
            catalog._blobs.compress_all("record", 1, books("book"))
            raise ZeroDivisionError
        with catalog.commit():
            frames = catalog._blobs.compress_all("record", 1, books("book")[:9])
        assert [Blobs(catalog._connection).decompress(frame) for frame in frames] == books("book")[:9]


def test_a_damaged_blob_is_reported(tmp_path):
    with Catalog(tmp_path) as catalog:
        frame = bytearray(catalog._blobs.compress("record", b"some text that is stored here " * 9))
        frame[-1] ^= 1
        with pytest.raises(CatalogError, match="bibld catalog check"):
            catalog._blobs.decompress(bytes(frame))
