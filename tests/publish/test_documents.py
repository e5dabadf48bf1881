"""The part `documents`: whatever changed and whatever was stopped, a release has the documents of its quads."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import settings as hypothesis_settings

from bibld.catalog import Queue
from bibld.documents import ReleaseState, fill, has_documents, open_published
from tests.publish.test_succession import GRADUAL, STEPS, Publisher, _stopped
from tests.publish.test_succession import publisher as publisher
from tests.triplify.merged_book import IRIS
from tests.triplify.small_world import Book, Change, World

SEPARATE = (1, 2, 3, 4, 5)


def documents_of(folder: Path, number: int) -> list[tuple[object, ...]]:
    with open_published(folder, number) as view:
        return [(one.path, one.status, one.target, one.title, one.digest, one.quads) for one in view.documents()]


def made_at_once(publisher: Publisher) -> list[tuple[object, ...]]:
    """The documents of all present quads, made from nothing."""
    with TemporaryDirectory() as folder:
        fill(Path(folder), IRIS.base, ReleaseState(1, "2026-01-01T00:00:00Z", 0), publisher.blocks())
        return documents_of(Path(folder), 1)


def test_a_release_changes_the_documents_that_its_changes_touch(publisher):
    publisher.publish()
    publisher.day = 1
    publisher.world.change(Change({1: Book(2, 1)}, SEPARATE))
    publisher.publish()
    assert documents_of(publisher.folder, 2) == made_at_once(publisher)
    with open_published(publisher.folder, 2) as view:
        modified = {one.path: one.modified for one in view.entries()}
        assert modified["resource/rsl/1"] == "2026-01-02T00:00:00Z"
        assert modified["resource/rsl/2"] == "2026-01-01T00:00:00Z"
        assert view.document("resource/rsl/1").title == "Title 2"
        changed = {one.path: str(one.kind) for one in view.changes()}
    assert changed["resource/rsl/1"] == "updated"
    assert "resource/rsl/2" not in changed


def test_absorbed_and_deleted_records_redirect(publisher):
    publisher.world.change(Change({}, (1, 1, 1, 4, 5)))
    publisher.publish()
    publisher.world.change(Change({2: None, 4: None}, (1, 1, 1, 4, 5)))
    with publisher.catalog.commit():  # as matching does
        publisher.catalog.register.set_redirects([(2, 3), (4, None)])
        publisher.catalog.history.record_events([(one, "2026-01-02T00:00:00Z", "deleted", None) for one in (2, 4)])
        publisher.catalog.dirty[Queue.UNDESCRIBED_CLUSTERS].add([2, 4])
    publisher.publish()
    with open_published(publisher.folder, 1) as view:
        assert [view.document(f"resource/rsl/{number}").status for number in SEPARATE] == [200, 303, 303, 200, 200]
    with open_published(publisher.folder, 2) as view:
        found = {number: view.document(f"resource/rsl/{number}") for number in SEPARATE}
        assert {number: (one.status, one.target) for number, one in found.items()} == {
            1: (200, ""),
            2: (303, "resource/rsl/1"),
            3: (303, "resource/rsl/1"),
            4: (410, ""),
            5: (200, ""),
        }
        assert view.document("record/rsl/2").status == 410
        kinds = {one.path: str(one.kind) for one in view.changes()}
    assert kinds["resource/rsl/2"] == kinds["resource/rsl/4"] == kinds["record/rsl/2"] == "deleted"


def test_a_workspace_without_documents_gets_them_with_the_next_release(publisher):
    publisher.publish()
    publisher.publish()
    (publisher.folder / "published.db").unlink()
    assert publisher.publish().number == 3
    assert not has_documents(publisher.folder, IRIS.base, 2)
    assert documents_of(publisher.folder, 3) == made_at_once(publisher)


def test_documents_are_deleted_with_the_last_release_that_needs_them(publisher):
    for number in (1, 2, 3):
        publisher.world.change(Change({1: Book(1, number)}, SEPARATE))
        publisher.publish()
    assert [has_documents(publisher.folder, IRIS.base, number) for number in (1, 2, 3)] == [False, True, True]


@given(STEPS)
@hypothesis_settings(max_examples=15, deadline=None)
def test_every_release_has_the_documents_of_its_quads_whatever_was_stopped(steps):
    with TemporaryDirectory() as folder, World(Path(folder)) as world:
        publisher = Publisher(world, Path(folder))
        for number, (change, stop, _) in enumerate([*steps, (Change({1: Book(1, 1)}, SEPARATE), None, 1.0)]):
            publisher.day = number
            world.change(change)
            _stopped(publisher, GRADUAL, stop)
            if stop is None:
                place, _ = publisher.current()
                assert documents_of(publisher.folder, int(place.name)) == made_at_once(publisher)
                with open_published(publisher.folder, int(place.name)) as view:
                    created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
                    changed = [view.document(one.path) for one in view.changes() if one.status_after]
                    assert all(one.modified == created.strftime("%Y-%m-%dT%H:%M:%SZ") for one in changed)
