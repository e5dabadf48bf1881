"""What became of a record is told once, in the order of time."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.catalog import Catalog
from bibld.catalog._register.history import Event
from bibld.model.origin import RecordId

FIRST, SECOND, THIRD = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            assert [opened.register.assign_ordinal(RecordId("rsl", str(number))) for number in (1, 2, 3)] == [1, 2, 3]
        yield opened


def tell(catalog, *events):
    with catalog.commit():
        return catalog.history.record_events(events)


def test_a_history_is_kept_in_order_and_says_who_the_other_was(catalog):
    assert tell(catalog, (2, FIRST, "appeared", None), (1, FIRST, "appeared", None)) == 2
    assert tell(catalog, (2, SECOND, "absorbed", 1)) == 1
    assert tell(catalog, (2, THIRD, "returned", 1), (2, THIRD, "deleted", None)) == 2
    assert catalog.history.events(2) == [
        Event(FIRST, "appeared"),
        Event(SECOND, "absorbed", RecordId("rsl", "1")),
        Event(THIRD, "returned", RecordId("rsl", "1")),
        Event(THIRD, "deleted"),
    ]
    assert [str(event) for event in catalog.history.events(2)][1:3] == [
        f"{SECOND} was merged into rsl:1",
        f"{THIRD} was separated from rsl:1",
    ]
    assert catalog.history.events(3) == []


def test_what_a_stopped_run_told_already_is_not_told_twice(catalog):
    tell(catalog, (2, FIRST, "appeared", None), (2, FIRST, "absorbed", 1))
    moved = ((2, SECOND, "returned", 1), (2, SECOND, "absorbed", 3))
    assert tell(catalog, *moved) == 2
    again = [(ordinal, THIRD, what, other) for ordinal, _, what, other in moved]
    assert tell(catalog, *again, (3, THIRD, "appeared", None)) == 1
    assert [event.run_time for event in catalog.history.events(2)] == [FIRST, FIRST, SECOND, SECOND]


def test_the_same_fate_may_befall_a_record_twice(catalog):
    tell(catalog, (2, FIRST, "absorbed", 1))
    tell(catalog, (2, SECOND, "returned", 1))
    assert tell(catalog, (2, THIRD, "absorbed", 1)) == 1
    assert [event.kind for event in catalog.history.events(2)] == ["absorbed", "returned", "absorbed"]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A catalog, and a function that gives a new ordinal of it."""
    with Catalog(tmp_path_factory.mktemp("history")) as opened:
        numbers = count()

        def ordinal():
            with opened.commit():
                return opened.register.assign_ordinal(RecordId("rsl", str(next(numbers))))

        yield opened, ordinal


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.sampled_from(["absorbed", "returned", "deleted", "restored"]), max_size=3), max_size=4))
def test_telling_every_run_twice_changes_nothing(fresh, runs):
    catalog, new = fresh
    told = []
    for times in (1, 2):
        ordinal = new()
        with catalog.commit():
            for happened, run in enumerate(runs):
                for _ in range(times):
                    catalog.history.record_events((ordinal, str(happened), what, None) for what in run)
        told.append(catalog.history.events(ordinal))
    assert told[0] == told[1]
