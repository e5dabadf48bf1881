"""The frozen statistics of blocking: words of titles, and keys that too many records have, counted over all records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame

from bibld.catalog import digest
from bibld.dedup.arrays import Numbers
from bibld.dedup.key_tables import (
    COUNTED_COLUMNS,
    IndexedStatistics,
    count_words,
    from_bytes,
    is_outgrown,
    to_bytes,
)
from bibld.dedup.keys import LEVELS, KeyMaker, count_keys, sum_counts
from bibld.dedup.method import INDEX_VERSION, blocking_digest
from bibld.model.features import Statistics
from bibld.spark._engine import Engine
from bibld.spark._matching._arrow import packed_rows, portions
from bibld.spark._matching._arrow import to_bytes as array_bytes
from bibld.spark._matching._sharing import Matching, feature_rows, part_count, reads_long_texts
from bibld.spark._stream import groups

_RECORDS = 20_000
"""Records that are looked at together."""

_COUNTS = "blocker long, part long, keys binary, counts binary"
_COUNTED = pa.schema([("blocker", pa.int64()), ("part", pa.int64()), ("keys", pa.binary()), ("counts", pa.binary())])

_WORDS = -1
"""The number in the column of blockers that words have."""


class _Counts(msgspec.Struct, frozen=True):
    blocker: int
    part: int
    keys: bytes
    counts: bytes


class FrozenStatistics(msgspec.Struct, frozen=True, eq=False):
    """The statistics with their version."""

    version: int
    statistics: IndexedStatistics


def freeze_statistics(engine: Engine, count_again: bool) -> FrozenStatistics:
    """Return the statistics of blocking: those of the last run if they serve, else counted over all records."""
    tables = engine.tables
    stored = tables.before("statistics").collect()
    version, statistics = 0, None
    if stored:
        version = stored[0].version
        if stored[0].made_for == blocking_digest(engine.config):
            statistics = from_bytes(bytes(stored[0].body))
    count_again = count_again or statistics is None or is_outgrown(statistics, tables.rows("features"))
    if statistics is not None and not count_again:
        tables.use("statistics", tables.committed.tables["statistics"])
        return FrozenStatistics(version, statistics)
    version += 1
    made_by = digest(
        tables.made_by("statistics", INDEX_VERSION, inputs=("features",)), blocking_digest(engine.config), version
    )
    if not tables.is_complete("statistics", made_by):
        counted = _count(engine)
        tables.write_rows("statistics", made_by, [(version, blocking_digest(engine.config), to_bytes(counted))])
    body = tables.use("statistics", made_by).collect()[0].body
    return FrozenStatistics(version, from_bytes(bytes(body)))


def _count(engine: Engine) -> Statistics:
    features = feature_rows(engine, reads_long_texts(engine))
    parts = part_count(engine)
    with engine.job("dedup: count words"):
        counted = features.mapInArrow(partial(_count_words, parts), _COUNTS)
        _, words, counts = _sums(engine, counted, parts, {_WORDS: 1})[0]
    statistics = Statistics(engine.tables.rows("features"), words, counts, {})
    maker = KeyMaker(engine.config)
    largest = {number: blocker.largest for number, blocker in enumerate(maker.with_keys) if blocker.largest}
    oversized: dict[str, list[Numbers]] = {blocker.name: [np.empty(0, np.uint64)] for blocker in maker.with_keys}
    for level in range(LEVELS if largest else 0):
        so_far = {name: np.concatenate(keys) for name, keys in oversized.items()}
        shared = engine.broadcast(Matching.from_engine(engine, msgspec.structs.replace(statistics, oversized=so_far)))
        with engine.job(f"dedup: count keys, level {level}"):
            counted = features.mapInArrow(partial(_count_keys, shared, level, parts), _COUNTS)
            found = _sums(engine, counted, parts, largest)
        for number, keys, _ in found:
            oversized[maker.with_keys[number].name].append(keys)
        if not any(len(keys) for _, keys, _ in found):
            break
    return msgspec.structs.replace(
        statistics, oversized={name: np.sort(np.concatenate(keys)) for name, keys in oversized.items()}
    )


def _sums(engine: Engine, counted: DataFrame, parts: int, least: dict[int, int]) -> list[tuple[int, Numbers, Any]]:
    """Return blocker, keys (ascending) and sums of the keys that occur more often than ``least`` of the blocker."""
    summed = (
        counted.repartition(parts, "blocker", "part")
        .sortWithinPartitions("blocker", "part")
        .mapInArrow(partial(_sum, least), _COUNTS)
        .collect()
    )
    result = []
    for blocker in sorted(least):
        rows = [row for row in summed if row.blocker == blocker]
        keys = np.concatenate([np.empty(0, np.uint64), *(np.frombuffer(row.keys, "<u8") for row in rows)])
        counts = np.concatenate([np.empty(0, np.int32), *(np.frombuffer(row.counts, "<i4") for row in rows)])
        order = np.argsort(keys)
        result.append((blocker, keys[order].astype(np.uint64), counts[order].astype(np.int32)))
    return result


def _sum(least: dict[int, int], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for (blocker, part), rows in groups(batches, _Counts, lambda row: (row.blocker, row.part)):
        given = ((np.frombuffer(row.keys, "<u8"), np.frombuffer(row.counts, "<i4")) for row in rows)
        keys, sums = sum_counts(given)
        frequent = sums > least[blocker]
        if frequent.any():
            yield _row(blocker, part, keys[frequent], sums[frequent])


def _count_words(parts: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for table in portions(batches, _RECORDS):
        rows = packed_rows(table)
        words, counts = count_words(rows.chunk(0, len(rows), COUNTED_COLUMNS))
        # Words are well mixed, and ascend: a part is a range of them.
        edges = np.searchsorted(words >> np.uint64(32), np.arange(parts + 1, dtype=np.uint64) * (1 << 32) // parts)
        for part in np.flatnonzero(np.diff(edges)).tolist():
            chosen = slice(edges[part], edges[part + 1])
            yield _row(_WORDS, part, words[chosen], counts[chosen])


def _count_keys(
    shared: Broadcast[Matching], level: int, parts: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    maker = KeyMaker(matching.config)
    for table in portions(batches, _RECORDS):
        rows = packed_rows(table)
        columns = rows.chunk(0, len(rows), maker.columns_read())
        for blocker, part, keys, counts in count_keys(maker, columns, matching.statistics, level, parts):
            yield _row(blocker, part, keys, counts)


def _row(blocker: int, part: int, keys: Numbers, counts: Any) -> pa.RecordBatch:  # noqa: ANN401
    row = {
        "blocker": [blocker],
        "part": [part],
        "keys": [array_bytes(keys.astype(np.uint64))],
        "counts": [array_bytes(counts.astype(np.int32))],
    }
    return pa.RecordBatch.from_pydict(row, schema=_COUNTED)
