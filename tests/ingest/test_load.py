"""No record is lost: each is converted, superseded, deleted, or stored as a reject with bytes, origin and reason."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog
from bibld.ingest import original_of, public_original_of
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin, RecordId
from tests.configuration import load_config


def record(number: str | None, title: str = "War and peace", leader: str = "00000nam a2200000 i 4500") -> bytes:
    fields: list[ControlField | DataField] = [ControlField("001", number)] if number else []
    fields.append(DataField("245", "1", "0", (Subfield("a", title),)))
    return to_iso2709(MarcRecord(Origin("lib", "x", 1, 0), Leader(leader), tuple(fields)))


@pytest.fixture
def load(tmp_path: Path):
    def load(*records: bytes, extra: str = "", sources: int = 1):
        (tmp_path / "books.mrc").write_bytes(b"".join(records))
        loaded = load_config(tmp_path, extra, lib="books.mrc")
        summary = pipeline.run(loaded, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="read")
        assert len(summary.sources) == sources
        counts = summary.sources[0]
        assert counts.read == counts.converted + counts.superseded + counts.rejected + counts.deleted
        return counts, Catalog(loaded.workspace, read_only=True)

    return load


def as_tuple(counts) -> tuple[int, int, int, int, int]:
    return counts.read, counts.converted, counts.superseded, counts.rejected, counts.deleted


def test_good_records_are_converted(load):
    counts, catalog = load(record("1"), record("2"))
    with catalog:
        assert as_tuple(counts) == (2, 2, 0, 0, 0)


def test_the_last_record_with_the_same_number_is_stored(load):
    counts, catalog = load(record("1", "old"), record("2"), record("1", "new"), record("1", "new"))
    with catalog:
        assert as_tuple(counts) == (4, 2, 2, 0, 0)
        assert catalog.record(RecordId("lib", "1")).mods.title_info[0].title == "new"
    again, catalog = load(record("1", "old"), record("2"), record("1", "new"), record("1", "new"))
    with catalog:
        assert as_tuple(again) == as_tuple(counts)
        assert catalog.record(RecordId("lib", "1")).mods.title_info[0].title == "new"


def test_an_authority_record_is_stored_as_a_reject_with_the_reason(load):
    authority = record("9", leader="00000nz  a2200000 n 4500")
    counts, catalog = load(record("1"), authority, record("2"))
    with catalog:
        assert as_tuple(counts) == (3, 2, 0, 1, 0)
        (reject,) = catalog.records.rejects()
    assert "authority record" in reject.reason
    assert reject.original.rstrip(b"\x1d") == authority.rstrip(b"\x1d")
    assert (reject.origin.position, reject.origin.offset) == (2, len(record("1")))


def test_garbage_between_records_is_a_reject_and_the_records_are_converted(load):
    counts, catalog = load(record("1"), b"this is no record\x1d", record("2"))
    with catalog:
        assert as_tuple(counts) == (3, 2, 0, 1, 0)
        (reject,) = catalog.records.rejects()
    assert b"this is no record" in reject.original
    assert reject.reason


def test_a_record_without_a_control_number_is_identified_by_its_content(load):
    counts, catalog = load(record(None), record("2"))
    with catalog:
        assert as_tuple(counts) == (2, 2, 0, 0, 0)
        ids = {catalog.register.record(ordinal) for ordinal, _ in catalog.records.made_by()}
        (unnamed,) = ids - {RecordId("lib", "2")}
        assert unnamed.control_number.startswith("x")
        assert any("no control number" in text for text in catalog.records.warnings(catalog.register.ordinal(unnamed)))


def test_a_record_whose_status_is_deleted_is_counted_and_not_published(load):
    counts, catalog = load(record("1"), record("2", leader="00000dam a2200000 i 4500"))
    with catalog:
        assert as_tuple(counts) == (2, 1, 0, 0, 1)
        assert catalog.records.count() == 1
    again, catalog = load(record("1"), record("2", leader="00000dam a2200000 i 4500"))
    with catalog:
        assert as_tuple(again) == as_tuple(counts)


def test_a_record_missing_from_a_complete_load_is_deleted_and_restored_with_the_same_ordinal(load):
    load(record("1"), record("2"))[1].close()
    _, catalog = load(record("2"))
    with catalog:
        assert catalog.record(RecordId("lib", "1")).deleted
        assert catalog.cluster_of(RecordId("lib", "1")) is None
    _, catalog = load(record("1"), record("2"))
    with catalog:
        assert not catalog.record(RecordId("lib", "1")).deleted
        assert catalog.record(RecordId("lib", "1")).ordinal == 1


def test_a_delta_deletes_only_what_a_list_names(load, tmp_path):
    load(record("1"), record("2"), record("3"))[1].close()
    (tmp_path / "deletes.txt").write_text("2\n\nnever-seen\n")
    _, catalog = load(record("4"), extra='complete = false\ndeletes = "deletes.txt"\n')
    with catalog:
        live = [catalog.register.record(ordinal).control_number for ordinal, _ in catalog.records.made_by()]
    assert live == ["1", "3", "4"]


def test_original_bytes_can_be_read_again(load):
    _, catalog = load(record("1", "Война и мир"))
    with catalog:
        stored = catalog.record(RecordId("lib", "1"))
        again = original_of(stored)
    assert again is not None
    assert next(again.fields("245")).first("a") == "Война и мир"


def test_records_are_read_again_when_their_charset_is_changed(load):
    data = record("1", "Voina").replace(b"Voina", "Война".encode("cp1251"))
    load(data, extra='charset = "latin-1"\n')[1].close()
    _, catalog = load(data, extra='charset = "cp1251"\n')
    with catalog:
        assert catalog.record(RecordId("lib", "1")).mods.title_info[0].title == "Война"


def test_a_truncated_file_deletes_no_record(load, tmp_path):
    load(record("1"), record("2"), record("3"))[1].close()
    counts, catalog = load(record("1"), record("2")[:60])
    with catalog:
        assert as_tuple(counts) == (2, 1, 0, 1, 0)
        assert catalog.records.count() == 3
    counts, catalog = load(b"")
    with catalog:
        assert as_tuple(counts) == (0, 0, 0, 0, 0)
        assert catalog.records.count() == 3


def test_a_file_of_an_unknown_carrier_is_one_reject_and_other_files_are_read(load, tmp_path):
    (tmp_path / "odd.mrc").write_bytes(b"%PDF-1.7 not a catalogue")
    _, catalog = load(record("1"), extra='[[source]]\nid = "odd"\npath = "odd.mrc"\n', sources=2)
    with catalog:
        assert catalog.records.count() == 1
        (reject,) = catalog.records.rejects("odd")
    assert "odd.mrc" in reject.reason


def test_a_record_whose_new_version_is_rejected_stays_as_it_was(load):
    load(record("1"), record("2"))[1].close()
    counts, catalog = load(record("1"), record("2", leader="00000nz  a2200000 n 4500"))
    with catalog:
        assert as_tuple(counts) == (2, 1, 0, 1, 0)
        assert not catalog.record(RecordId("lib", "2")).deleted


def test_the_last_of_a_deleted_and_a_live_version_decides(load):
    deleted, live = record("1", leader="00000dam a2200000 i 4500"), record("1")
    counts, catalog = load(deleted, live)
    with catalog:
        assert as_tuple(counts) == (2, 1, 1, 0, 0)
        assert catalog.records.count() == 1
    counts, catalog = load(live, deleted)
    with catalog:
        assert as_tuple(counts) == (2, 0, 1, 0, 1)
        assert catalog.records.count() == 0


def test_a_renamed_file_is_not_converted_again(load, tmp_path):
    load(record("1"))[1].close()
    (tmp_path / "books.mrc").rename(tmp_path / "other.mrc")
    loaded = load_config(tmp_path, lib="other.mrc")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        before = list(catalog.records.made_by())
    pipeline.run(loaded, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="read")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        assert list(catalog.records.made_by()) == before
        assert catalog.record(RecordId("lib", "1")).origin.file == "other.mrc"


def test_the_records_of_a_source_that_is_no_longer_configured_are_deleted(load, tmp_path):
    (tmp_path / "more.mrc").write_bytes(record("7"))
    load(record("1"), extra='[[source]]\nid = "more"\npath = "more.mrc"\n', sources=2)[1].close()
    _, catalog = load(record("1"))
    with catalog:
        assert catalog.record(RecordId("more", "7")).deleted
        assert [counts.source for counts in catalog.records.load_counts()] == ["lib"]


def test_the_public_original_has_no_private_fields(load):
    fields = (
        ControlField("001", "1"),
        DataField("245", "1", "0", (Subfield("a", "War and peace"),)),
        DataField("541", "0", " ", (Subfield("a", "gift of a person"),)),
        DataField("990", " ", " ", (Subfield("a", "local"),)),
    )
    data = to_iso2709(MarcRecord(Origin("lib", "x", 1, 0), Leader("00000nam a2200000 i 4500"), fields))
    _, catalog = load(data)
    with catalog:
        stored = catalog.record(RecordId("lib", "1"))
        public = public_original_of(stored, catalog)
        assert {field.tag for field in original_of(stored).fields()} == {"245", "541", "990"}
        assert {field.tag for field in public.fields()} == {"245"}


def test_two_sources_may_contain_records_of_the_same_bytes(load, tmp_path):
    (tmp_path / "other.mrc").write_bytes(record("1"))
    _, catalog = load(record("1"), extra='[[source]]\nid = "other"\npath = "other.mrc"\n', sources=2)
    with catalog:
        assert catalog.records.count() == 2
        assert {counts.source: counts.converted for counts in catalog.records.load_counts()} == {"lib": 1, "other": 1}
