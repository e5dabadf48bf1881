"""The catalog returns what was stored in it, and never changes an ordinal."""

import multiprocessing
from pathlib import Path

import msgspec
import pytest

from bibld.catalog import Catalog, digest
from bibld.catalog._queues import RecordChanges
from bibld.errors import CatalogError, ReadError
from bibld.model.origin import Origin, RecordId
from tests.catalog.conftest import new, put


def test_a_stored_record_is_returned_unchanged(catalog):
    one = new("1", unmapped=("650$5", "650$5"), warnings=("odd",))
    put(catalog, one)
    stored = catalog.record(RecordId("rsl", "1"))
    assert stored is not None
    assert (stored.original, msgspec.json.encode(stored.mods), stored.reader) == (one.original, one.mods, "iso2709")
    assert catalog.records.warnings(stored.ordinal) == ["odd"]
    assert catalog.records.coverage() == [("marc21", "650$5", "unmapped", 2)]


def test_many_records_compressed_with_a_dictionary_are_returned_unchanged(catalog):
    first = [new(str(number), f"Title {number} of a long series of very similar titles") for number in range(800)]
    put(catalog, *first[:400])
    put(catalog, *first[400:])
    assert [mods.title_info[0].title for _, _, mods in catalog.records.live()] == [
        f"Title {number} of a long series of very similar titles" for number in range(800)
    ]


def test_ordinals_are_consecutive_and_never_reused(catalog):
    def ids(*numbers):
        return [RecordId("rsl", number) for number in numbers]

    with catalog.commit():
        assert catalog.register.assign_ordinals(ids("b", "a", "b")) == [1, 2, 1]
        assert catalog.register.assign_ordinal(RecordId("rsl", "c")) == 3
        assert catalog.register.assign_ordinals(ids("d", "a", "c", "e", "d")) == [4, 2, 3, 5, 4]
        catalog._register_connection.execute("DELETE FROM ordinal WHERE control_number = 'e'")
        assert catalog.register.assign_ordinals(ids("f", "e")) == [6, 7]
    with pytest.raises(ZeroDivisionError), catalog.commit():
        assert catalog.register.assign_ordinals(ids("g")) == [8]
        raise ZeroDivisionError
    with catalog.commit():
        assert catalog.register.assign_ordinals(ids("h", "a")) == [8, 2]


def test_a_missing_record_is_restored_when_it_is_seen_again_but_not_one_deleted_by_its_status(catalog):
    put(catalog, new("1"), new("2", deleted=True))
    with catalog.commit():
        for ordinal in catalog.records.unseen("rsl", run=2):
            catalog.records.delete(ordinal, run=2)
    for number, deleted in (("1", False), ("2", True)):
        ordinal, _, by_status = catalog.records.find_unchanged(new(number).made_by)
        assert by_status is deleted
        with catalog.commit():
            catalog.records.mark_seen(ordinal, 1, 0, 1, run=3)
        assert catalog.record(RecordId("rsl", number)).deleted is deleted


def test_a_deleted_record_redirects_to_a_live_member_and_follows_its_redirects(catalog):
    put(catalog, new("1"), new("2"), new("3"), new("4"))
    with catalog.commit():
        catalog.linkage.replace_clusters([[1, 2, 3]])
    with catalog.commit():
        catalog.records.delete(1, run=2)
        catalog.records.delete(4, run=2)
        catalog.register.set_redirects((deleted, catalog.linkage.smallest_live_member(deleted)) for deleted in (1, 4))
        catalog.linkage.replace_clusters([[2, 3]], [1, 2, 3])
    assert catalog.redirect_target(RecordId("rsl", "1")) == RecordId("rsl", "2")
    assert catalog.redirect_target(RecordId("rsl", "4")) is None
    with catalog.commit():
        catalog.records.delete(2, run=3)
        catalog.register.set_redirects([(2, catalog.linkage.smallest_live_member(2))])
        catalog.linkage.replace_clusters([], [2, 3])
    assert catalog.redirect_target(RecordId("rsl", "1")) == RecordId("rsl", "3")


def test_a_reject_is_stored_with_bytes_origin_and_reason(catalog):
    error = ReadError(Origin("rsl", "a.mrc", 7, 99), "is no record", b"\x00\xff", "42")
    with catalog.commit():
        catalog.records.put_rejects([error])
    (reject,) = catalog.records.rejects("rsl")
    assert (reject.origin, reject.reason, reject.original, reject.control_number) == (
        error.origin,
        error.reason,
        error.original,
        "42",
    )
    with catalog.commit():
        catalog.records.begin_load("rsl")
    assert not list(catalog.records.rejects())


def test_a_catalog_from_before_changes_were_stored_gets_their_table(catalog, tmp_path):
    put(catalog, new("1"))
    with catalog.commit():
        catalog._connection.execute("DROP TABLE former_record")
    catalog.close()
    with Catalog(tmp_path) as opened:
        assert opened.records.former.changes("rsl") == RecordChanges()
        put(opened, new("1", "other"), new("2"), run=2)
        assert opened.records.former.changes("rsl") == RecordChanges(new=1, changed=1)
        with opened.commit():
            opened.records.former.forget()
        assert opened.records.former.changes("rsl") == RecordChanges()


def _try_to_open(workspace, answer):
    try:
        Catalog(workspace).close()
        answer.put("opened")
    except CatalogError as error:
        answer.put(str(error))


def test_a_second_run_is_refused_with_the_process_that_uses_the_workspace(catalog, tmp_path):
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_try_to_open, args=(tmp_path, answer))
    process.start()
    message = answer.get(timeout=600)
    process.join()
    assert f"process {multiprocessing.current_process().pid}" in message


@pytest.mark.parametrize(("version", "remedy"), [(99, "use the newer bibld"), (6, "move the folder .* away, then run")])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_workspace_of_another_format_is_refused(version, remedy, read_only, tmp_path):
    with Catalog(tmp_path) as opened:
        opened._connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(CatalogError, match=f"catalog.db: has format {version}.*, but .* reads format .*; {remedy}"):
        Catalog(tmp_path, read_only)


def test_a_register_of_another_catalog_is_refused(tmp_path):
    with Catalog(tmp_path):
        pass
    (tmp_path / "register.db").unlink()
    with pytest.raises(CatalogError, match="restore it from a backup"):
        Catalog(tmp_path)
    (tmp_path / "catalog.db").unlink()
    with Catalog(tmp_path) as opened:
        assert opened.records.count() == 0


def test_a_register_older_than_the_catalog_is_refused(catalog, tmp_path):
    put(catalog, new("1"), new("2"))
    catalog._register_connection.execute("DELETE FROM ordinal WHERE ordinal = 2")
    catalog.close()
    with pytest.raises(CatalogError, match="not the one"):
        Catalog(tmp_path)


def test_reading_before_the_first_run_reports_the_command_to_run(tmp_path):
    with pytest.raises(CatalogError, match="run `bibld run` first"):
        Catalog(tmp_path, read_only=True)
    with pytest.raises(CatalogError, match=r"run `bibld run '/a b/bibld\.toml'` first"):
        Catalog(tmp_path, read_only=True, config_file=Path("/a b/bibld.toml"))


def test_different_values_have_different_digests():
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest(b"abc"), digest(["abc"])}) == 5
