"""Each table of the catalog returns what was stored in it, and reports what is not there."""

import sqlite3
from contextlib import closing

import msgspec
import pytest

from bibld.catalog import Catalog, Queue, Superseded, Suppression
from bibld.catalog._register import _PARAMETERS
from bibld.errors import CatalogError, ReadError
from bibld.model.linkage import Pair
from bibld.model.mods import Note
from bibld.model.origin import Origin, RecordId
from tests.catalog.conftest import new, put


def clear(catalog):
    with catalog.commit():
        for queue in Queue:
            catalog.dirty[queue].clear()


def waiting(catalog, queue=Queue.UNMATCHED_RECORDS):
    return catalog.dirty[queue].items()


# -- records -----------------------------------------------------------------------------------------------------------


def test_a_record_that_is_not_stored_is_not_found(catalog):
    put(catalog, new("1"))
    assert catalog.records.get(2) is None
    assert catalog.records.unredacted_mods(2) is None
    assert catalog.record(RecordId("rsl", "2")) is None
    assert catalog.cluster_of(RecordId("rsl", "2")) is None
    assert catalog.merged(RecordId("rsl", "2")) is None
    assert catalog.edge(Pair.from_records(RecordId("rsl", "1"), RecordId("rsl", "2"))) is None
    assert catalog.redirect_target(RecordId("rsl", "2")) is None
    for find in (catalog.records.mods, catalog.records.fingerprint, catalog.register.record):
        with pytest.raises(KeyError):
            find(2)


def test_the_same_state_of_a_file_has_the_same_number(catalog):
    with catalog.commit():
        first = catalog.records.add_carrier("rsl", "c.mrc", "iso2709", b"1")
        other = catalog.records.add_carrier("rsl", "c.mrc", "iso2709", b"2")
        again = catalog.records.add_carrier("rsl", "c.mrc", "iso2709", b"1")
    assert first == again != other


def test_only_files_with_records_that_their_source_still_has_are_listed_and_exported(catalog):
    place = Origin("rsl", "a.mrc", 1, 0)
    second = msgspec.structs.replace(place, position=2)
    put(catalog, new("2", origin=second), new("1", origin=place), new("3", source="loc"))
    assert [row[:4] for row in catalog.records.carriers()] == [
        (2, "loc", "b.mrc", "iso2709"),
        (1, "rsl", "a.mrc", "iso2709"),
    ]
    assert [row[0] for row in catalog.records.carriers("rsl")] == [1]
    assert list(catalog.records.originals(1)) == [b"rsl1Title", b"rsl2Title"]
    with catalog.commit():
        assert catalog.records.delete(3, run=2)
        assert not catalog.records.delete(3, run=2)
    assert [row[0] for row in catalog.records.carriers()] == [1]


def test_records_that_a_run_did_not_see_are_missing_but_those_of_other_sources_and_spared_ones_are_not(catalog):
    put(catalog, new("1"), new("2"), new("3"), new("4", source="loc"), run=1)
    with catalog.commit():
        catalog.records.mark_seen(1, 1, 0, 1, run=2)
    clear(catalog)
    with catalog.commit():
        assert catalog.records.unseen("rsl", 2) == [2, 3]
        assert catalog.records.delete(2, 2)
    assert [ordinal for ordinal, _, _ in catalog.records.live()] == [1, 3, 4]
    assert waiting(catalog) == [2]
    with catalog.commit():
        catalog.records.mark_seen(2, 5, 50, 1, run=3)
        catalog.records.mark_seen(1, 6, 60, 1, run=3)
    assert waiting(catalog) == [2]
    assert catalog.records.get(2).origin == Origin("rsl", "a.mrc", 5, 50)


def test_a_source_is_deleted_with_its_rejects_and_counts(catalog):
    put(catalog, new("1"), new("2", source="loc"))
    with catalog.commit():
        catalog.records.put_rejects([ReadError(Origin(one, "f", 1, 0), "bad") for one in ("rsl", "loc")])
    with catalog.commit():
        assert catalog.records.delete_source("rsl", run=2) == 1
    assert [reject.origin.source for reject in catalog.records.rejects()] == ["loc"]
    assert [source for _, source, _ in catalog.records.live()] == ["loc"]
    assert catalog.records.get(1).deleted


def test_a_record_that_replaces_another_of_the_same_load_is_counted_by_the_status_of_the_replaced_one(catalog):
    assert put(catalog, new("1", deleted=True), new("1"), new("2"), new("2")) == Superseded(1, 1)
    assert put(catalog) == Superseded(0, 0)
    assert put(catalog, new("1", "b"), run=1) == Superseded(1, 0)
    assert put(catalog, new("1", "c"), run=2) == Superseded(0, 0)


def test_subfields_are_counted_for_each_flavour(catalog):
    many = tuple(f"9{number:02}$a" for number in range(200))
    put(
        catalog,
        new("1", unmapped=many),
        new("2", unmapped=("900$a", "900$a", "999$x"), private=("541$a",)),
        new("3", unmapped=("900$a",), flavour="rusmarc"),
    )
    found = {(flavour, name, fate): count for flavour, name, fate, count in catalog.records.coverage()}
    assert len(found) == 200 + 2 + 1
    assert found["marc21", "900$a", "unmapped"] == 3
    assert found["marc21", "9199$a", "unmapped"] == 1
    assert found["marc21", "541$a", "private"] == 1
    assert found["rusmarc", "900$a", "unmapped"] == 1


# -- register ----------------------------------------------------------------------------------------------------------


def test_more_control_numbers_than_one_query_takes_are_found(catalog):
    records = [RecordId("rsl", str(number)) for number in range(2 * _PARAMETERS + 1)]
    with catalog.commit():
        ordinals = catalog.register.assign_ordinals(records)
        assert ordinals == list(range(1, len(records) + 1))
        assert catalog.register.assign_ordinals(records[::-1]) == ordinals[::-1]


def test_a_record_is_named_by_its_id_or_by_a_control_number_that_is_unique(catalog):
    put(catalog, new("1"), new("2"), new("2", source="loc"), new("a:b"))
    resolve = catalog.register.resolve_record
    assert resolve(" rsl:1 ") == resolve("1") == RecordId("rsl", "1")
    assert resolve("loc:2") == RecordId("loc", "2")
    assert resolve("a:b") == RecordId("rsl", "a:b")
    with pytest.raises(ValueError, match=r"'2' is the control number of rsl:2, loc:2; name the source too"):
        resolve("2")
    for name in ("3", "loc:1", ""):
        with pytest.raises(ValueError, match="not found in the catalog; an id is source:control-number"):
            resolve(name)


def test_redirects_are_stored_replaced_and_cleared(catalog):
    with catalog.commit():
        catalog.register.set_redirects([(3, 1), (2, None)])
        catalog.register.set_redirects([(3, 4)])
    register = catalog.register
    assert (register.redirect_target(3), register.redirect_target(2), register.redirect_target(1)) == (4, None, None)
    assert [register.has_redirect(ordinal) for ordinal in (1, 2, 3)] == [False, True, True]
    assert register.redirected_records() == [2, 3]
    with catalog.commit():
        register.clear_redirects([3])
    assert register.redirected_records() == [2]


def test_redirects_in_a_circle_lead_to_no_record(catalog):
    put(catalog, new("1"), new("2"))
    with catalog.commit():
        catalog.records.delete(1, run=2)
        catalog.records.delete(2, run=2)
        catalog.register.set_redirects([(1, 2), (2, 1)])
    assert catalog.redirect_target(RecordId("rsl", "1")) is None


# -- suppressions ------------------------------------------------------------------------------------------------------


def suppress(catalog, wanted):
    with catalog.commit():
        return catalog.suppressions.replace(wanted)


def test_a_suppressed_record_is_not_live_until_it_is_lifted(catalog):
    put(catalog, new("1"), new("2"))
    clear(catalog)
    assert suppress(catalog, {(1, ""): "court order"}) == (1, 0)
    assert catalog.suppressions.is_suppressed(1)
    assert not catalog.suppressions.is_suppressed(2)
    assert [ordinal for ordinal, _, _ in catalog.records.live()] == [2]
    assert [ordinal for ordinal, _, _ in catalog.records.unredacted()] == [1, 2]
    assert catalog.redirect_target(RecordId("rsl", "1")) is None
    assert (waiting(catalog), waiting(catalog, Queue.NEWLY_SUPPRESSED)) == ([1], [1])
    assert (catalog.suppressions.has_new(), waiting(catalog, Queue.NO_LONGER_SUPPRESSED)) == (True, [])
    clear(catalog)
    assert suppress(catalog, {(1, ""): "another reason"}) == (0, 0)
    assert waiting(catalog) == []
    assert suppress(catalog, {}) == (0, 1)
    assert [ordinal for ordinal, _, _ in catalog.records.live()] == [1, 2]
    assert (waiting(catalog), waiting(catalog, Queue.NO_LONGER_SUPPRESSED)) == ([1], [1])
    with catalog.commit():
        catalog.suppressions.mark_released()
    assert waiting(catalog, Queue.NO_LONGER_SUPPRESSED) == []
    assert not catalog.suppressions.has_new()


def test_a_suppressed_value_is_in_no_description_and_changes_the_fingerprint(catalog):
    put(catalog, new("1"), new("2"))
    clear(catalog)
    before = {ordinal: fingerprint for ordinal, fingerprint, _ in catalog.records.fingerprints()}
    assert suppress(catalog, {(1, " private "): ""}) == (1, 0)
    assert catalog.records.mods(1).note == ()
    assert catalog.records.unredacted_mods(1).note == (Note(value="private"),)
    assert catalog.records.mods(2).note == (Note(value="private"),)
    after = {ordinal: fingerprint for ordinal, fingerprint, _ in catalog.records.fingerprints()}
    assert after[1] != before[1]
    assert after[2] == before[2]
    assert catalog.records.fingerprint(1) == after[1]
    assert waiting(catalog) == [1]
    clear(catalog)
    assert suppress(catalog, {}) == (0, 1)
    assert waiting(catalog) == [1]
    assert catalog.records.mods(1).note == (Note(value="private"),)


def test_a_suppressed_value_of_a_record_that_is_not_live_leaves_nothing_to_match(catalog):
    put(catalog, new("1"))
    with catalog.commit():
        catalog.records.delete(1, run=2)
    clear(catalog)
    suppress(catalog, {(1, "private"): ""})
    assert (waiting(catalog), waiting(catalog, Queue.NEWLY_SUPPRESSED)) == ([], [1])


def test_a_suppressed_record_that_goes_missing_and_comes_back_is_still_suppressed(catalog):
    put(catalog, new("1"))
    suppress(catalog, {(1, ""): ""})
    clear(catalog)
    with catalog.commit():
        assert not catalog.records.delete(1, run=2)
        catalog.records.mark_seen(1, 1, 0, 1, run=3)
    assert list(catalog.records.live()) == []
    assert [ordinal for ordinal, _, _ in catalog.records.unredacted()] == [1]
    assert waiting(catalog) == []


def test_suppressions_are_listed_by_record_with_their_reasons(catalog):
    put(catalog, new("1"), new("2"))
    suppress(catalog, {(2, "b"): "", (2, "a"): "wrong", (1, ""): "court order"})
    one, two = RecordId("rsl", "1"), RecordId("rsl", "2")
    values = [Suppression(two, "a", "wrong"), Suppression(two, "b", "")]
    assert catalog.suppressions.of_record(2) == values
    assert catalog.suppressions.all() == [Suppression(one, "", "court order"), *values]
    assert [str(each).partition(": ")[2] for each in catalog.suppressions.all()] == ["court order", "wrong", ""]
    assert [str(each) for each in values] == ["the value 'a': wrong", "the value 'b'"]


# -- linkage -----------------------------------------------------------------------------------------------------------


def test_founders_that_change_are_reported_with_the_former_and_the_new_one(catalog):
    put(catalog, *(new(str(number)) for number in range(1, 7)))
    linkage = catalog.linkage
    assert not linkage.has_clusters()
    with catalog.commit():
        assert linkage.replace_clusters([[1, 2], [3, 4, 5]]) == [(2, 2, 1), (4, 4, 3), (5, 5, 3)]
    assert linkage.has_clusters()
    assert linkage.count_clusters() == (3, 2)
    assert [linkage.founder(ordinal) for ordinal in range(1, 7)] == [1, 1, 3, 3, 3, 6]
    assert (linkage.members(3), linkage.members(6)) == ([3, 4, 5], [6])
    assert (list(linkage.founders()), list(linkage.founders(2)), list(linkage.founders(3))) == ([1, 3, 6], [1, 3], [3])
    assert linkage.largest_clusters(2) == [3, 1]
    assert linkage.cluster(3).members == tuple(RecordId("rsl", number) for number in "345")
    with catalog.commit():
        assert linkage.replace_clusters([[2, 3, 4, 5]], [1, 2, 3, 4, 5]) == [(2, 1, 2), (3, 3, 2), (4, 3, 2), (5, 3, 2)]
    assert [linkage.founder(ordinal) for ordinal in range(1, 7)] == [1, 2, 2, 2, 2, 6]
    with catalog.commit():
        assert linkage.replace_clusters([]) == [(3, 2, 3), (4, 2, 4), (5, 2, 5)]
    assert linkage.count_clusters() == (6, 0)


def test_the_smallest_live_member_of_a_cluster_is_found(catalog):
    put(catalog, *(new(str(number)) for number in range(1, 5)))
    with catalog.commit():
        catalog.linkage.replace_clusters([[1, 2, 3]])
        catalog.records.delete(1, run=2)
        catalog.records.delete(2, run=2)
        catalog.records.delete(4, run=2)
    assert catalog.linkage.smallest_live_member(1) == 3
    assert catalog.linkage.smallest_live_member(4) is None


# -- databases ---------------------------------------------------------------------------------------------------------


def test_a_queue_has_each_item_once_in_ascending_order(catalog):
    put(catalog, new("1"), new("2"), new("3", source="loc"))
    with catalog.commit():
        catalog.records.delete(2, run=2)
        queue = catalog.dirty[Queue.UNMERGED_CLUSTERS]
        assert (queue.is_empty(), len(queue), queue.items()) == (True, 0, [])
        queue.add([5, 1, 5])
        queue.add_live_records()
        assert (queue.is_empty(), len(queue), queue.items(), queue.items(limit=2)) == (False, 3, [1, 3, 5], [1, 3])
        queue.remove([1, 9])
        assert queue.items() == [3, 5]
        queue.clear()
        assert queue.is_empty()


def test_results_of_a_stage_are_complete_when_they_were_marked_so(catalog):
    assert catalog.runs.made_by("merge") is None
    with catalog.commit():
        run = catalog.runs.begin("2026-01-01")
        assert catalog.runs.begin("2026-01-02") == run + 1
        catalog.runs.complete("merge", "x", run)
        catalog.runs.complete("merge", "y", run)
    assert catalog.runs.made_by("merge") == "y"


def test_a_commit_that_the_database_refuses_changes_neither_database_and_names_the_remedy(catalog):
    put(catalog, new("1"))
    with pytest.raises(CatalogError, match=r"cannot be written: .*; free some space, then run again"), catalog.commit():
        catalog.records.delete(1, run=2)
        catalog.register.set_redirects([(1, None)])
        raise sqlite3.OperationalError("database or disk is full")
    assert catalog.records.is_live(1)
    assert not catalog.register.has_redirect(1)


def test_a_commit_waits_for_another_program_and_names_it(catalog, tmp_path):
    catalog._register_connection.execute("PRAGMA busy_timeout = 20")
    with closing(sqlite3.connect(tmp_path / "register.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CatalogError, match="locked; another program is using it; wait until"), catalog.commit():
            pass
        other.execute("ROLLBACK")
    put(catalog, new("1"))


def test_a_file_that_is_no_database_of_bibld_is_refused(tmp_path):
    (tmp_path / "one").mkdir()
    with closing(sqlite3.connect(tmp_path / "one" / "register.db")) as connection:
        connection.execute("CREATE TABLE other (x)")
    with pytest.raises(CatalogError, match=r"register.db: is not a database of bibld; name another `workspace`"):
        Catalog(tmp_path / "one")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "register.db").write_bytes(b"no database " * 100)
    with pytest.raises(CatalogError, match=r"register.db: cannot be opened: .*; restore it from a backup, or name"):
        Catalog(tmp_path / "two")


def test_a_folder_that_cannot_be_a_workspace_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CatalogError, match=r"the workspace cannot be written: .*"):
        Catalog(tmp_path / "file")
