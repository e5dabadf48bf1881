"""Joins of a table with large values and one with few rows, which need not sort the large values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

_FEW = 200_000
"""Rows that are sent to all nodes: with some hundred bytes each, tens of megabytes."""


@contextmanager
def broadcast_if_few(frame: DataFrame, few: int = _FEW) -> Iterator[DataFrame]:
    """Compute the rows of a frame once, and return them so that a join sends them to all nodes if they are few.

    If there are more, the join looks them up part by part: in no case the rows of the other side are sorted.
    Spark estimates the size of what a Python function returns, and of what it has not computed yet, far too high.
    """
    stored = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield sql.broadcast(stored) if stored.count() <= few else stored.hint("shuffle_hash")
    finally:
        stored.unpersist()
