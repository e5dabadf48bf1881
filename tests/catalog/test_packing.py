"""Records come back from their packed form as they were, whatever their bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.catalog import Catalog
from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.coverage import Subfields
from bibld.catalog._records.packing import mods_in, original_in, packed
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
def test_any_bytes_come_back(original):
    piece = packed(b'{"note":"a\\n"}', original)
    assert (mods_in(piece), original_in(piece)) == (b'{"note":"a\\n"}', original)


@given(iso2709())
def test_a_regular_record_is_kept_without_its_directory(original):
    base = int(original[12:17])
    fields = (base - 25) // 12
    assert len(packed(b"", original)) == len(original) - 10 - 9 * fields - 2 + 2


def test_what_is_no_piece_is_refused():
    for piece in (b"", b"{}", b"{}\n", b"{}\n\x07abc"):
        with pytest.raises(ValueError):
            original_in(piece)


@given(st.lists(st.integers(1, 400)), st.lists(st.integers(1, 400)))
def test_any_coverage_comes_back(unmapped, private):
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE subfield (subfield INTEGER PRIMARY KEY, name TEXT, fate TEXT, UNIQUE (name, fate))"
    )
    subfields = Subfields(connection)
    subfields.refresh()
    subfields.written([f"{number}$a" for number in range(300)], [])
    written = subfields.written([f"{number}$a" for number in unmapped], [f"{number}$a" for number in private])
    assert subfields.read(written) == [(f"{number}$a", "unmapped") for number in unmapped] + [
        (f"{number}$a", "private") for number in private
    ]
    connection.close()


def books(kind, count=400):
    return [
        f"{kind} {number}: a description of {kind} in so many words {number * 7919}".encode() for number in range(count)
    ]


def test_a_dictionary_is_learnt_for_what_none_suits_and_not_for_what_one_does(tmp_path):
    with Catalog(tmp_path) as catalog, catalog.commit():
        blobs = Blobs(catalog._connection)
        frames = [blobs.suited("record", 1, books("book"))(blob) for blob in books("book")]
        blobs.suited("record", 2, books("book"))
        assert len(blobs._numbers("record")) == 1
        blobs.suited("record", 3, books("карта"))
        assert len(blobs._numbers("record")) == 2
        assert [Blobs(catalog._connection).decompressed(frame) for frame in frames] == books("book")


def test_a_dictionary_that_was_rolled_back_is_not_used(tmp_path):
    with Catalog(tmp_path) as catalog:
        with pytest.raises(ZeroDivisionError), catalog.commit():
            catalog._blobs.suited("record", 1, books("book"))
            raise ZeroDivisionError
        with catalog.commit():
            frame = catalog._blobs.suited("record", 1, books("book")[:9])(b"a book")
        assert Blobs(catalog._connection).decompressed(frame) == b"a book"


def test_damage_is_told(tmp_path):
    with Catalog(tmp_path) as catalog:
        frame = bytearray(catalog._blobs.compressed("record", b"some text that stands here " * 9))
        frame[-1] ^= 1
        with pytest.raises(CatalogError, match="bibld catalog check"):
            catalog._blobs.decompressed(bytes(frame))
