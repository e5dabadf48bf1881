"""The catalog keeps what it was given, and its ordinals for ever."""

import multiprocessing

import msgspec
import pytest

from bibld.catalog import Catalog, NewRecord, Superseded, digest
from bibld.errors import CatalogError, ReadError
from bibld.model.mods import Mods, TitleInfo
from bibld.model.origin import Origin, RecordId


def new(number: str, title: str = "Война и мир", deleted: bool = False, carrier: int = 1) -> NewRecord:
    mods = msgspec.json.encode(Mods(title_info=(TitleInfo(title),)))
    data = f"{number}{title}".encode()
    return NewRecord(
        id=RecordId("rsl", number),
        origin=Origin("rsl", "a.mrc", 1, 0),
        original=data,
        carrier=carrier,
        made_by=data,
        flavour="marc21",
        mods=mods,
        unmapped=("650$5", "650$5"),
        private=(),
        warnings=("odd",),
        deleted=deleted,
    )


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            opened.records.add_carrier("rsl", "a.mrc", "iso2709", b"{}")
        yield opened


def put(catalog, *records, run=1):
    with catalog.commit():
        return catalog.records.put(records, run)


def test_a_record_comes_back_as_it_was(catalog):
    put(catalog, new("1"))
    held = catalog.record(RecordId("rsl", "1"))
    assert held is not None
    assert (held.original, held.mods, held.reader) == (
        new("1").original,
        Mods(title_info=(TitleInfo("Война и мир"),)),
        "iso2709",
    )
    assert catalog.records.warnings(held.ordinal) == ["odd"]
    assert catalog.records.coverage() == [("marc21", "650$5", "unmapped", 2)]


def test_many_records_survive_their_dictionary(catalog):
    first = [new(str(number), f"Title {number} of a long series of very similar titles") for number in range(800)]
    put(catalog, *first[:400])
    put(catalog, *first[400:])
    assert [mods.title_info[0].title for _, _, mods in catalog.records.live()] == [
        f"Title {number} of a long series of very similar titles" for number in range(800)
    ]


def test_the_same_id_again_in_one_load_supersedes(catalog):
    assert put(catalog, new("1", "old"), new("1", "new")) == Superseded(1, 0)
    assert put(catalog, new("1", "newer"), run=2) == Superseded(0, 0)
    assert catalog.record(RecordId("rsl", "1")).mods.title_info[0].title == "newer"
    assert catalog.records.count() == 1


def test_ordinals_are_kept_when_a_record_goes_and_comes_back(catalog):
    put(catalog, new("1"), new("2"))
    ordinal = catalog.register.ordinal(RecordId("rsl", "1"))
    with catalog.commit():
        assert catalog.records.delete_unseen("rsl", run=2) == 2
    assert catalog.records.count() == 0
    put(catalog, new("1"), run=3)
    assert catalog.record(RecordId("rsl", "1")).ordinal == ordinal
    assert not catalog.record(RecordId("rsl", "1")).deleted


def test_ordinals_go_up_one_by_one_and_none_is_given_twice(catalog):
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


def test_an_unchanged_record_that_went_missing_lives_again_but_one_deleted_by_its_status_does_not(catalog):
    put(catalog, new("1"), new("2", deleted=True))
    with catalog.commit():
        catalog.records.delete_unseen("rsl", run=2)
    for number, deleted in (("1", False), ("2", True)):
        ordinal, _, by_status = catalog.records.find_unchanged(new(number).made_by)
        assert by_status is deleted
        with catalog.commit():
            catalog.records.mark_seen(ordinal, 1, 0, 1, run=3)
        assert catalog.record(RecordId("rsl", number)).deleted is deleted


def test_a_deleted_record_is_answered_by_its_heir_and_the_heir_s_heir(catalog):
    put(catalog, new("1"), new("2"), new("3"), new("4"))
    with catalog.commit():
        catalog.linkage.replace_clusters([[1, 2, 3]])
    with catalog.commit():
        catalog.records.delete(1, run=2)
        catalog.records.delete(4, run=2)
        catalog.register.set_redirects((gone, catalog.linkage.smallest_live_member(gone)) for gone in (1, 4))
        catalog.linkage.replace_clusters([[2, 3]], [1, 2, 3])
    assert catalog.redirect_target(RecordId("rsl", "1")) == RecordId("rsl", "2")
    assert catalog.redirect_target(RecordId("rsl", "4")) is None
    with catalog.commit():
        catalog.records.delete(2, run=3)
        catalog.register.set_redirects([(2, catalog.linkage.smallest_live_member(2))])
        catalog.linkage.replace_clusters([], [2, 3])
    assert catalog.redirect_target(RecordId("rsl", "1")) == RecordId("rsl", "3")


def test_a_reject_keeps_bytes_origin_and_reason(catalog):
    error = ReadError(Origin("rsl", "a.mrc", 7, 99), "is no record", b"\x00\xff", "42")
    with catalog.commit():
        catalog.records.put_rejects([error])
    (held,) = catalog.records.rejects("rsl")
    assert (held.origin, held.reason, held.original, held.control_number) == (
        error.origin,
        error.reason,
        error.original,
        "42",
    )
    with catalog.commit():
        catalog.records.begin_load("rsl")
    assert not list(catalog.records.rejects())


def test_what_is_not_committed_is_not_there(catalog):
    with pytest.raises(ZeroDivisionError), catalog.commit():
        catalog.records.put([new("1")], 1)
        raise ZeroDivisionError
    assert catalog.records.count() == 0
    assert catalog.register.ordinal(RecordId("rsl", "1")) is None


def _try_to_open(workspace, answer):
    try:
        Catalog(workspace).close()
        answer.put("opened")
    except CatalogError as error:
        answer.put(str(error))


def test_a_second_run_is_told_who_holds_the_workspace(catalog, tmp_path):
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_try_to_open, args=(tmp_path, answer))
    process.start()
    message = answer.get(timeout=60)
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


def test_reading_before_the_first_run_says_what_to_do(tmp_path):
    with pytest.raises(CatalogError, match="bibld run"):
        Catalog(tmp_path, read_only=True)


def test_a_digest_tells_different_things_apart():
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest(b"abc"), digest(["abc"])}) == 5
