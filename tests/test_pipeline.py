"""The declaration of the pipeline."""

import pytest

from bibld import pipeline
from bibld.catalog import Catalog, Queue


def test_every_stage_feeds_later_stages_and_every_other_one_is_fed():
    names = [stage.name for stage in pipeline.STAGES]
    assert len(set(names)) == len(names)
    for number, stage in enumerate(pipeline.STAGES):
        assert set(stage.feeds) <= set(names[number + 1 :])
    assert {fed for stage in pipeline.STAGES for fed in stage.feeds} == set(names[1:])


def test_no_queue_is_taken_by_two_stages():
    taken = [stage.queue for stage in pipeline.STAGES if stage.queue]
    assert len(set(taken)) == len(taken)


@pytest.mark.parametrize(
    ("stage", "fed"),
    [
        ("read", Queue.UNMATCHED_RECORDS),
        ("dedup", Queue.UNMERGED_CLUSTERS),
        ("merge", Queue.UNDESCRIBED_CLUSTERS),
    ],
)
def test_what_a_stage_marks_dirty_is_queued_for_the_stages_that_it_feeds(stage, fed, tmp_path):
    with Catalog(tmp_path) as catalog:
        with catalog.commit():
            pipeline.stage_queue(catalog, stage).mark_dirty([5, 3, 5])
        assert {queue: catalog.dirty[queue].items() for queue in Queue if len(catalog.dirty[queue])} == {fed: [3, 5]}


def test_a_stage_at_the_end_feeds_nothing(tmp_path):
    with Catalog(tmp_path) as catalog:
        with catalog.commit():
            pipeline.stage_queue(catalog, "triplify").mark_dirty([1])
        assert not any(len(catalog.dirty[queue]) for queue in Queue)
