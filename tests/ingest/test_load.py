"""No record is lost: each is converted, superseded, deleted, or stored as a reject with bytes, origin and reason."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog, Queue
from bibld.errors import StageError
from bibld.ingest import _load as loading
from bibld.ingest import original_of, public_original_of
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin, RecordId
from tests.configuration import load_config


def record(number: str | None, title: str = "War and peace", leader: str = "00000nam a2200000 i 4500") -> bytes:
    fields: list[ControlField | DataField] = [ControlField("001", number)] if number else []
    fields.append(DataField("245", "1", "0", (Subfield("a", title),)))
    return to_iso2709(MarcRecord(Origin("lib", "x", 1, 0), Leader(leader), tuple(fields)))


def run(loaded, allow_deletes: bool = False):
    clock = datetime(2026, 1, 1, tzinfo=UTC)
    return pipeline.run(loaded, clock, progress.Silent(), until="read", allow_deletes=allow_deletes)


@pytest.fixture
def load(tmp_path: Path):
    def load(*records: bytes, extra: str = "", sources: int = 1, allow_deletes: bool = False):
        (tmp_path / "books.mrc").write_bytes(b"".join(records))
        loaded = load_config(tmp_path, extra, lib="books.mrc")
        summary = run(loaded, allow_deletes)
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
    counts, catalog = load(record(None), record("2"), extra="max_unnumbered = 50\n")
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


@pytest.mark.parametrize("damaged", [record("1") + record("2")[:60], record("1") + b"0", b"", b"%PDF-1.7 no catalogue"])
def test_a_source_whose_file_is_damaged_keeps_its_old_state_and_the_others_are_loaded(load, tmp_path, damaged):
    extra = '[[source]]\nid = "more"\npath = "more.mrc"\n'
    (tmp_path / "more.mrc").write_bytes(record("7"))
    load(record("1", "old"), record("2"), b"this is no record\x1d", extra=extra, sources=2)[1].close()
    (tmp_path / "books.mrc").write_bytes(damaged)
    (tmp_path / "more.mrc").write_bytes(record("8"))
    summary = run(load_config(tmp_path, extra, lib="books.mrc"))
    assert [loaded.source for loaded in summary.sources] == ["more"]
    (doubt,) = summary.doubts
    assert (doubt.source, len(doubt.reasons), "books.mrc" in doubt.reasons[0]) == ("lib", 1, True)
    with Catalog(load_config(tmp_path, extra, lib="books.mrc").workspace, read_only=True) as catalog:
        assert catalog.records.count_by_source() == {"lib": 2, "more": 1}
        assert catalog.record(RecordId("lib", "1")).mods.title_info[0].title == "old"
        assert len(list(catalog.records.rejects("lib"))) == 1
        assert [one.read for one in catalog.records.load_counts() if one.source == "lib"] == [3]


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


def test_the_records_of_a_source_that_is_no_longer_configured_are_deleted_when_that_is_allowed(load, tmp_path):
    (tmp_path / "more.mrc").write_bytes(record("7"))
    load(record("1"), extra='[[source]]\nid = "more"\npath = "more.mrc"\n', sources=2)[1].close()
    _, catalog = load(record("1"))
    with catalog:
        assert not catalog.record(RecordId("more", "7")).deleted
        assert (catalog.workspace / "withheld" / "more.txt").read_text() == "more:7\n"
    _, catalog = load(record("1"), allow_deletes=True)
    with catalog:
        assert not (catalog.workspace / "withheld" / "more.txt").exists()
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


DELETED = "00000dam a2200000 i 4500"


def numbers(count: int, first: int = 1) -> list[bytes]:
    return [record(str(number)) for number in range(first, first + count)]


@pytest.mark.parametrize(
    ("before", "now", "extra", "withheld"),
    [
        (19, 1, "", 0),
        (20, 10, "", 0),
        (20, 9, "", 11),
        (123, 10, "", 113),
        (600, 540, "", 0),
        (600, 539, "", 61),
        (100, 50, "", 0),
        (30, 27, "max_deletes = 3\n", 0),
        (30, 26, "max_deletes = 3\n", 4),
        (30, 29, "max_deletes = 0\n", 1),
        (30, 27, 'max_deletes = "10%"\n', 0),
        (30, 26, 'max_deletes = "10 %"\n', 4),
        (30, 1, 'max_deletes = "100%"\n', 0),
    ],
)
@pytest.mark.parametrize("how", ["absent", "status", "list"])
def test_more_deletions_than_a_source_may_lose_are_withheld(load, tmp_path, before, now, extra, withheld, how):
    gone = range(now + 1, before + 1)
    listed = tmp_path / "gone.txt"
    listed.write_text("")
    if how == "list":
        extra += 'deletes = "gone.txt"\n'
    load(*numbers(before), extra=extra)[1].close()
    kept = numbers(now) if how != "list" else numbers(before)
    if how == "status":
        kept += [record(str(number), leader=DELETED) for number in gone]
    listed.write_text("".join(f"{number}\n" for number in gone))
    new = [record("new")]
    for allowed in (False, True):
        counts, catalog = load(*kept, *new, extra=extra, allow_deletes=allowed)
        expected = before if withheld and not allowed else now
        with catalog:
            assert catalog.records.count() == expected + 1
            file = catalog.workspace / "withheld" / "lib.txt"
            assert counts.absent + counts.withdrawn == (
                before - now if expected == now and (allowed or not withheld) else 0
            )
            if withheld and not allowed:
                assert counts.withheld.deletions == withheld
                assert file.read_text().splitlines() == [f"lib:{number}" for number in gone]
            else:
                assert (counts.withheld, file.exists()) == (None, False)
        if not withheld:
            break


def test_records_that_are_missing_while_some_pieces_cannot_be_read_are_not_deleted(load):
    load(*numbers(5), b"always broken\x1d")[1].close()
    counts, catalog = load(*numbers(4), b"always broken\x1d", b"5 has become this\x1d")
    with catalog:
        assert (catalog.records.count(), counts.withheld.deletions) == (5, 1)
        assert "cannot be read" in counts.withheld.reason
    counts, catalog = load(*numbers(4), b"always broken\x1d")
    with catalog:
        assert (catalog.records.count(), counts.withheld) == (4, None)


def test_pieces_of_a_delta_that_cannot_be_read_do_not_withhold_its_list_of_deletions(load, tmp_path):
    (tmp_path / "gone.txt").write_text("")
    extra = 'complete = false\ndeletes = "gone.txt"\n'
    load(*numbers(3), extra=extra)[1].close()
    (tmp_path / "gone.txt").write_text("2\n")
    counts, catalog = load(record("4"), b"broken\x1d", extra=extra)
    with catalog:
        assert (catalog.records.count(), counts.absent, counts.withheld) == (3, 1, None)


def test_a_live_version_after_a_deleted_one_of_a_stored_record_decides(load):
    live, deleted, other = record("1"), record("1", leader=DELETED), record("1", "other")
    load(live)[1].close()
    for versions, counts_expected, is_live in [
        ((deleted, live), (2, 1, 1, 0, 0), True),
        ((live, deleted), (2, 0, 1, 0, 1), False),
        ((deleted, other), (2, 1, 1, 0, 0), True),
        ((deleted, deleted), (2, 0, 1, 0, 1), False),
    ]:
        counts, catalog = load(*versions)
        with catalog:
            assert (as_tuple(counts), catalog.records.count() == 1) == (counts_expected, is_live)
        load(live)[1].close()


def test_an_unchanged_load_with_two_versions_of_a_record_leaves_nothing_to_match(load):
    records = [record("1", "old"), record("2"), record("1", "new")]
    load(*records)[1].close()
    with Catalog(load(*records)[1].workspace) as catalog, catalog.commit():
        catalog.dirty[Queue.UNMATCHED_RECORDS].clear()
    counts, catalog = load(*records)
    with catalog:
        assert catalog.dirty[Queue.UNMATCHED_RECORDS].is_empty()
        assert (counts.new, counts.changed, counts.restored, counts.absent) == (0, 0, 0, 0)
    counts, catalog = load(*records[:2], record("1", "newer"), record("3"))
    with catalog:
        assert catalog.dirty[Queue.UNMATCHED_RECORDS].items() == [1, 3]
        assert (counts.new, counts.changed, counts.restored, counts.absent) == (1, 1, 0, 0)


def test_what_a_load_changed_is_counted(load):
    load(record("1"), record("2"), record("3"))[1].close()
    counts, catalog = load(record("1"), record("2", "other"), record("4"))
    catalog.close()
    assert (counts.new, counts.changed, counts.restored, counts.absent, counts.withdrawn) == (1, 1, 0, 1, 0)
    counts, catalog = load(record("1", leader=DELETED), record("2", "other"), record("3"), record("4"))
    catalog.close()
    assert (counts.new, counts.changed, counts.restored, counts.absent, counts.withdrawn) == (0, 0, 1, 0, 1)
    counts, catalog = load(record("1"), record("2", "other"), record("3"), record("4"))
    catalog.close()
    assert (counts.new, counts.changed, counts.restored, counts.absent, counts.withdrawn) == (0, 0, 1, 0, 0)


def changes(counts) -> tuple[int, int, int, int, int]:
    return counts.new, counts.changed, counts.restored, counts.absent, counts.withdrawn


def test_a_record_that_is_changed_by_the_second_of_its_versions_is_counted(load):
    load(record("1"))[1].close()
    counts, catalog = load(record("1"), record("1", "other"))
    catalog.close()
    assert changes(counts) == (0, 1, 0, 0, 0)


def test_a_record_that_comes_and_goes_in_one_load_was_not_deleted(load):
    counts, catalog = load(record("1"), record("2"), record("1", leader=DELETED))
    catalog.close()
    assert changes(counts) == (2, 0, 0, 0, 0)


class Stopping(progress.Silent):
    """Stops a run after some batches."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def advance(self, count: int = 1) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("batches", [1, 2, 4])
def test_a_continued_run_counts_what_stopped_ones_have_changed(tmp_path, monkeypatch, batches):
    def write(*records: bytes) -> None:
        (tmp_path / "books.mrc").write_bytes(b"".join(records))

    def stop(*_: object) -> None:
        raise StageError("the disk is full")

    write(record("1"), record("2"), record("3"), record("4"))
    loaded = load_config(tmp_path, lib="books.mrc")
    run(loaded)
    now = [record("1"), record("2", "other"), record("3", leader=DELETED), record("5")]
    write(*now)
    monkeypatch.setattr(loading, "_RECORDS_AT_ONCE", 1)
    with pytest.raises(KeyboardInterrupt):
        pipeline.run(loaded, datetime(2026, 1, 2, tzinfo=UTC), Stopping(batches), until="read")
    with monkeypatch.context() as patched, pytest.raises(StageError):
        patched.setattr(pipeline.ingest, "apply_suppressions", stop)  # all is loaded then
        run(loaded)
    (counts,) = run(loaded).sources
    assert changes(counts) == (1, 1, 0, 1, 1)
    (counts,) = run(loaded).sources
    assert changes(counts) == (0, 0, 0, 0, 0)

    # What one run changed and the next one changed back has not changed.
    write(*now[:1], record("2"), record("5", "other"), record("6"))
    with monkeypatch.context() as patched, pytest.raises(StageError):
        patched.setattr(pipeline.ingest, "apply_suppressions", stop)
        run(loaded)
    write(*now[:2], record("5", "another"), record("6", "other"))
    (counts,) = run(loaded).sources
    assert changes(counts) == (1, 1, 0, 0, 0)


def test_an_empty_delta_is_a_day_without_changes(load):
    load(record("1"), extra="complete = false\n")[1].close()
    counts, catalog = load(b"", extra="complete = false\n")
    with catalog:
        assert (as_tuple(counts), catalog.records.count()) == ((0, 0, 0, 0, 0), 1)
