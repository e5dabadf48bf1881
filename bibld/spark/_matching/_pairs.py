"""Candidate pairs: records that share a key and pass the pre-filter, found part by part of the keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec
import numpy as np
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import functions as f

from bibld.catalog import digest
from bibld.dedup.candidates import KeyCounts, pairs_of_part
from bibld.dedup.keys import KeyMaker, KeyPart, cut_keys
from bibld.dedup.method import settings_digest
from bibld.spark._engine import Engine
from bibld.spark._matching._arrow import packed_rows, portions, to_bytes
from bibld.spark._matching._sharing import Matching, feature_rows, part_count, reads_long_texts
from bibld.spark._matching._statistics import FrozenStatistics
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import groups

_RECORDS = 10_000
"""Records whose keys are made together."""

_PAIRS = 500_000
"""Pairs in one row."""

_KEYS = "blocker long, part long, keys binary, places binary, records binary, cut_rows long"
_CUT = pa.schema(
    [("blocker", pa.int64()), ("part", pa.int64())]
    + [(name, pa.binary()) for name in ("keys", "places", "records")]
    + [("cut_rows", pa.int64())]
)


class _KeyRow(msgspec.Struct, frozen=True):
    """A :class:`KeyPart` of a blocker as bytes; ``cut_rows`` of all parts is in the first row of its records."""

    blocker: int
    part: int
    keys: bytes
    places: bytes
    records: bytes
    cut_rows: int

    def to_part(self, width: int) -> KeyPart:
        """Return the keys; ``width`` is the number of signatures of a record."""
        records = np.frombuffer(self.records, "<u8").reshape(-1, 1 + width)
        return KeyPart(np.frombuffer(self.keys, "<u8"), np.frombuffer(self.places, "<u4"), records)


def find_pairs(engine: Engine, frozen: FrozenStatistics) -> bool:
    """Write the table ``pairs`` of all candidate pairs; return False if the statistics are too old to find them."""
    tables = engine.tables
    # The trees of the pre-filter serve one scorer, so pairs depend on the scorer too.
    found_by = tables.made_by("found_pairs", settings_digest(engine.config), inputs=("features", "statistics"))
    if not tables.is_complete("found_pairs", found_by):
        shared = engine.broadcast(Matching.from_engine(engine, frozen.statistics))
        parts = part_count(engine)
        with engine.job("dedup: join keys"):
            keys = feature_rows(engine, reads_long_texts(engine)).mapInArrow(partial(_cut, shared, parts), _KEYS)
            sorted_keys = keys.repartition(parts, "blocker", "part").sortWithinPartitions("blocker", "part")
            tables.write(
                "found_pairs", found_by, sorted_keys.mapInArrow(partial(_join, shared), spark_schema("found_pairs"))
            )
    found = tables.use("found_pairs", found_by)
    counts = _key_counts(engine, frozen)
    if any(one.grown_far for one in counts):
        return False
    for message in filter(None, (one.message() for one in counts)):
        engine.progress.report(message)
    made_by = digest("pairs", found_by)
    if not tables.is_complete("pairs", made_by):
        with engine.job("dedup: candidate pairs"):
            pairs = found.select("pairs").mapInArrow(_unpack, "pair long").distinct()
            columns = pairs.select(
                f.shiftrightunsigned("pair", 32).alias("left_ordinal"),
                f.col("pair").bitwiseAND(0xFFFFFFFF).alias("right_ordinal"),
            )
            tables.write("pairs", made_by, columns)
    tables.use("pairs", made_by)
    return True


def _key_counts(engine: Engine, frozen: FrozenStatistics) -> list[KeyCounts]:
    """Return what became of oversized keys, by blocker."""
    with engine.job("dedup: count keys"):
        sums = engine.tables.read("found_pairs").groupBy("blocker").sum("grown", "grown_far", "cut_rows").collect()
    by_blocker = {row.blocker: tuple(row)[1:] for row in sums}
    result = []
    for number, blocker in enumerate(KeyMaker(engine.config).with_keys):
        grown, grown_far, cut_rows = by_blocker.get(number, (0, 0, 0))
        oversized = frozen.statistics.oversized.get(blocker.name, np.empty(0, np.uint64))
        result.append(KeyCounts.from_oversized(blocker.name, oversized, cut_rows, grown, grown_far))
    return result


def _cut(shared: Broadcast[Matching], parts: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    maker = KeyMaker(matching.config)
    for table in portions(batches, _RECORDS):
        rows = packed_rows(table)
        columns = rows.chunk(0, len(rows), maker.columns_read())
        for cut in cut_keys(maker, columns, matching.statistics, parts):
            cut_rows = cut.cut_rows
            for part, (keys, places, records) in cut.parts or [(0, _NO_KEYS)]:
                yield pa.RecordBatch.from_pydict(
                    {
                        "blocker": [cut.blocker],
                        "part": [part],
                        "keys": [to_bytes(keys)],
                        "places": [to_bytes(places)],
                        "records": [to_bytes(records)],
                        "cut_rows": [cut_rows],
                    },
                    schema=_CUT,
                )
                cut_rows = 0


_NO_KEYS = KeyPart(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint64))


def _join(shared: Broadcast[Matching], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    maker = KeyMaker(matching.config)
    for (number, _), rows in groups(batches, _KeyRow, lambda row: (row.blocker, row.part)):
        given = list(rows)
        pairs, (grown, grown_far) = pairs_of_part(
            maker, maker.with_keys[number], matching.config, [one.to_part(maker.width) for one in given]
        )
        cut_rows = sum(one.cut_rows for one in given)
        for start in range(0, max(len(pairs), 1), _PAIRS):
            some = to_bytes(pairs[start : start + _PAIRS])
            yield _found([number], [some], [grown], [grown_far], [cut_rows])
            grown = grown_far = cut_rows = 0


def _found(*columns: Sequence[object]) -> pa.RecordBatch:
    schema = SCHEMAS["found_pairs"]
    return pa.RecordBatch.from_pydict(dict(zip(schema.names, columns, strict=True)), schema=schema)


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for pairs in batch.column("pairs").to_pylist():
            numbers = np.frombuffer(pairs, "<i8")
            yield pa.RecordBatch.from_arrays([pa.array(numbers)], names=["pair"])
