"""The events of a record are stored once, in the order in which they happened."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.catalog import Catalog
from bibld.model.origin import RecordId
from bibld.protocols import RecordEvent

FIRST, SECOND, THIRD = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            assert [opened.register.assign_ordinal(RecordId("rsl", str(number))) for number in (1, 2, 3)] == [1, 2, 3]
        yield opened


def record_events(catalog, *events):
    with catalog.commit():
        return catalog.history.record_events(events)


def test_events_are_stored_in_order_with_the_founder_that_they_name(catalog):
    assert record_events(catalog, (2, FIRST, "appeared", None), (1, FIRST, "appeared", None)) == 2
    assert record_events(catalog, (2, SECOND, "absorbed", 1)) == 1
    assert record_events(catalog, (2, THIRD, "returned", 1), (2, THIRD, "deleted", None)) == 2
    assert catalog.history.events(2) == [
        RecordEvent(FIRST, "appeared"),
        RecordEvent(SECOND, "absorbed", RecordId("rsl", "1")),
        RecordEvent(THIRD, "returned", RecordId("rsl", "1")),
        RecordEvent(THIRD, "deleted"),
    ]
    assert [str(event) for event in catalog.history.events(2)][1:3] == [
        f"{SECOND} was merged into rsl:1",
        f"{THIRD} was separated from rsl:1",
    ]
    assert catalog.history.events(3) == []


def test_events_of_an_interrupted_run_are_not_stored_twice(catalog):
    record_events(catalog, (2, FIRST, "appeared", None), (2, FIRST, "absorbed", 1))
    moved = ((2, SECOND, "returned", 1), (2, SECOND, "absorbed", 3))
    assert record_events(catalog, *moved) == 2
    again = [(ordinal, THIRD, what, other) for ordinal, _, what, other in moved]
    assert record_events(catalog, *again, (3, THIRD, "appeared", None)) == 1
    assert [event.run_time for event in catalog.history.events(2)] == [FIRST, FIRST, SECOND, SECOND]


def test_the_same_event_may_happen_twice(catalog):
    record_events(catalog, (2, FIRST, "absorbed", 1))
    record_events(catalog, (2, SECOND, "returned", 1))
    assert record_events(catalog, (2, THIRD, "absorbed", 1)) == 1
    assert [event.kind for event in catalog.history.events(2)] == ["absorbed", "returned", "absorbed"]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A catalog, and a function that assigns a new ordinal in it."""
    with Catalog(tmp_path_factory.mktemp("history")) as opened:
        numbers = count()

        def ordinal():
            with opened.commit():
                return opened.register.assign_ordinal(RecordId("rsl", str(next(numbers))))

        yield opened, ordinal


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.sampled_from(["absorbed", "returned", "deleted", "restored"]), max_size=3), max_size=4))
def test_repeating_the_events_of_a_run_changes_nothing(fresh, runs):
    catalog, new = fresh
    histories = []
    for times in (1, 2):
        ordinal = new()
        with catalog.commit():
            for run_time, run in enumerate(runs):
                for _ in range(times):
                    catalog.history.record_events((ordinal, str(run_time), what, None) for what in run)
        histories.append(catalog.history.events(ordinal))
    assert histories[0] == histories[1]
