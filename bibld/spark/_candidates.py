"""The frozen statistics of blocking, and the candidate pairs: records that share a key and pass the pre-filter."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from pyspark import Broadcast, SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.catalog import digest
from bibld.config import Config
from bibld.dedup.arrays import Numbers
from bibld.dedup.candidates import KeyCounts, pairs_of_part
from bibld.dedup.key_tables import COUNTED_COLUMNS, IndexedStatistics, count_words, from_bytes, is_outgrown, to_bytes
from bibld.dedup.keys import LEVELS, KeyMaker, KeyPart, count_keys, cut_keys, sum_counts
from bibld.dedup.method import INDEX_VERSION, blocking_digest, settings_digest
from bibld.dedup.other_names import NameCollector, forms_in_rows, forms_of_names
from bibld.errors import ConfigError
from bibld.model.features import FeatureColumns, Statistics
from bibld.spark._descriptions import live_authorities
from bibld.spark._engine import Engine
from bibld.spark._features import (
    array_bytes,
    feature_rows,
    packed_rows,
    portions,
)
from bibld.spark._frames import SCHEMAS, groups, spark_schema, struct_schema, to_batch

_RECORDS_OF_PART = 50_000
"""Records whose keys are in one part, on average: some 40 MB."""


def part_count(engine: Engine) -> int:
    """Return into how many parts the keys of all records are divided."""
    least = 2 * engine.spark.sparkContext.defaultParallelism
    return max(least, -(-engine.tables.rows("features") // _RECORDS_OF_PART))


class Matching(msgspec.Struct, frozen=True, eq=False):
    """What keys, scores and decisions of records depend on beside the records; tasks start no threads.

    ``model`` is the content of the file that the scorer's settings name, which may be on the driver's machine only.
    """

    driver_config: Config
    statistics: Statistics
    model: bytes = b""

    @classmethod
    def from_engine(cls, engine: Engine, statistics: Statistics) -> Matching:
        """Return it for a run; raises ``ConfigError`` if the model cannot be read."""
        config = msgspec.structs.replace(engine.config, workers=1)
        file = getattr(config.settings("dedup.score", config.dedup.score), "file", "")
        try:
            return cls(config, statistics, Path(file).read_bytes() if file else b"")
        except OSError as error:
            raise ConfigError([f"dedup.{config.dedup.score}.file: {file}: {error.strerror}"]) from error

    @property
    def config(self) -> Config:
        """The configuration for a task: the scorer's file is one that the machine of the task has."""
        if not self.model:
            return self.driver_config
        key = "dedup.score", self.driver_config.dedup.score
        settings = msgspec.structs.replace(self.driver_config.settings(*key), file=_model_file(self.model))
        return msgspec.structs.replace(
            self.driver_config, adapter_settings=self.driver_config.adapter_settings | {key: settings}
        )


@lru_cache(maxsize=2)
def _model_file(content: bytes) -> str:
    """Write a model to the folder of this machine that Spark removes at the end of the application."""
    folder = Path(SparkFiles.getRootDirectory())
    file = folder / f"model-{digest(content)}.json"
    if not file.exists():
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as out:
            out.write(content)
        Path(out.name).replace(file)
    return str(file)


_COUNTED_RECORDS = 20_000
"""Records that are looked at together."""

_WORDS = -1
"""The number in the column of blockers that words have."""


class _Counts(msgspec.Struct, frozen=True):
    blocker: int
    part: int
    keys: bytes
    counts: bytes


_COUNTED = struct_schema(_Counts)


class FrozenStatistics(msgspec.Struct, frozen=True, eq=False):
    """The statistics with their version."""

    version: int
    statistics: IndexedStatistics


def freeze_statistics(engine: Engine, count_again: bool) -> FrozenStatistics:
    """Return the statistics of blocking: those of the last run if they serve, else counted over all records."""
    tables = engine.tables
    stored = tables.before("statistics").collect()
    made_for = blocking_digest(engine.config)
    version = stored[0].version if stored else 0
    if stored and stored[0].made_for == made_for and not count_again:
        statistics = from_bytes(bytes(stored[0].body))
        if not is_outgrown(statistics, tables.rows("features")):
            tables.use("statistics", tables.committed.tables["statistics"])
            return FrozenStatistics(version, statistics)
    version += 1
    made_by = digest(tables.made_by("statistics", INDEX_VERSION, inputs=("features",)), made_for, version)
    if not tables.is_complete("statistics", made_by):
        tables.write_rows("statistics", made_by, [(version, made_for, to_bytes(_count(engine)))])
    body = tables.use("statistics", made_by).collect()[0].body
    return FrozenStatistics(version, from_bytes(bytes(body)))


def _count(engine: Engine) -> Statistics:
    features = feature_rows(engine)
    parts = part_count(engine)
    with engine.job("dedup: count words"):
        counted = features.mapInArrow(partial(_count_words, parts), spark_schema(_COUNTED))
        _, words, counts = _sums(engine, counted, parts, {_WORDS: 1})[0]
    with engine.job("dedup: collect other names of persons"):
        persons = (one.names_of_person for _, one in live_authorities(engine))
        known = [list(person) for person in persons if len(person) > 1]
        names = NameCollector(known)
        wanted = engine.broadcast(forms_of_names(chain.from_iterable(known)))
        for row in features.mapInArrow(partial(_collect_names, wanted), "names binary, forms binary").collect():
            names.merge(bytes(row.names))
            names.add_forms(np.frombuffer(bytes(row.forms), np.uint64))
    statistics = Statistics(engine.tables.rows("features"), words, counts, {}, names.fitted())
    maker = KeyMaker(engine.config)
    largest = {number: blocker.largest for number, blocker in enumerate(maker.with_keys) if blocker.largest}
    oversized: dict[str, list[Numbers]] = {blocker.name: [np.empty(0, np.uint64)] for blocker in maker.with_keys}
    for level in range(LEVELS if largest else 0):
        so_far = {name: np.concatenate(keys) for name, keys in oversized.items()}
        shared = engine.broadcast(Matching.from_engine(engine, msgspec.structs.replace(statistics, oversized=so_far)))
        with engine.job(f"dedup: count keys, level {level}"):
            counted = features.mapInArrow(partial(_count_keys, shared, level, parts), spark_schema(_COUNTED))
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
        .mapInArrow(partial(_sum, least), spark_schema(_COUNTED))
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


def _chunks(batches: Iterable[pa.RecordBatch], records: int, columns: Sequence[str] | None) -> Iterator[FeatureColumns]:
    """Yield these columns of some records at a time."""
    for table in portions(batches, records):
        rows = packed_rows(table)
        yield rows.chunk(0, len(rows), columns)


def _count_words(parts: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for columns in _chunks(batches, _COUNTED_RECORDS, COUNTED_COLUMNS):
        words, counts = count_words(columns)
        # Words are well mixed, and ascend: a part is a range of them.
        edges = np.searchsorted(words >> np.uint64(32), np.arange(parts + 1, dtype=np.uint64) * (1 << 32) // parts)
        for part in np.flatnonzero(np.diff(edges)).tolist():
            chosen = slice(edges[part], edges[part + 1])
            yield _row(_WORDS, part, words[chosen], counts[chosen])


def _collect_names(wanted: Broadcast[Numbers], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    names, forms = NameCollector(), np.empty(0, np.uint64)
    for columns in _chunks(batches, _COUNTED_RECORDS, COUNTED_COLUMNS):
        names.add(columns)
        if len(wanted.value):
            forms = np.union1d(forms, forms_in_rows(columns, wanted.value))
    found = {"names": [names.to_bytes()], "forms": [forms.tobytes()]}
    yield pa.RecordBatch.from_pydict({name: pa.array(values, pa.binary()) for name, values in found.items()})


def _count_keys(
    shared: Broadcast[Matching], level: int, parts: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    maker = KeyMaker(matching.config)
    for columns in _chunks(batches, _COUNTED_RECORDS, maker.columns_read()):
        for blocker, part, keys, counts in count_keys(maker, columns, matching.statistics, level, parts):
            yield _row(blocker, part, keys, counts)


def _row(blocker: int, part: int, keys: Numbers, counts: Any) -> pa.RecordBatch:  # noqa: ANN401
    row = blocker, part, array_bytes(keys.astype(np.uint64)), array_bytes(counts.astype(np.int32))
    return to_batch([row], _COUNTED)


_RECORDS = 10_000
"""Records whose keys are made together."""

_PAIRS = 500_000
"""Pairs in one row."""


class _KeyRow(msgspec.Struct, frozen=True):
    """A :class:`KeyPart` of a blocker as bytes; ``cut_rows`` of all parts is in the first row of its records."""

    blocker: int
    part: int
    keys: bytes
    positions: bytes
    records: bytes
    cut_rows: int

    def to_part(self, width: int) -> KeyPart:
        """Return the keys; ``width`` is the number of signatures of a record."""
        records = np.frombuffer(self.records, "<u8").reshape(-1, 1 + width)
        return KeyPart(np.frombuffer(self.keys, "<u8"), np.frombuffer(self.positions, "<u4"), records)


_CUT = struct_schema(_KeyRow)


def find_pairs(engine: Engine, frozen: FrozenStatistics) -> bool:
    """Write the table ``pairs`` of all candidate pairs; return False if the statistics are too old to find them."""
    tables = engine.tables
    # The trees of the pre-filter serve one scorer, so pairs depend on the scorer too.
    found_by = tables.made_by("found_pairs", settings_digest(engine.config), inputs=("features", "statistics"))

    def joined() -> DataFrame:
        shared = engine.broadcast(Matching.from_engine(engine, frozen.statistics))
        parts = part_count(engine)
        keys = feature_rows(engine).mapInArrow(partial(_cut, shared, parts), spark_schema(_CUT))
        sorted_keys = keys.repartition(parts, "blocker", "part").sortWithinPartitions("blocker", "part")
        return sorted_keys.mapInArrow(partial(_join, shared), spark_schema("found_pairs"))

    def pairs() -> DataFrame:
        found = tables.read("found_pairs").select("pairs").mapInArrow(_unpack, "pair long").distinct()
        return found.select(
            f.shiftrightunsigned("pair", 32).alias("left_ordinal"),
            f.col("pair").bitwiseAND(0xFFFFFFFF).alias("right_ordinal"),
        )

    engine.step("found_pairs", found_by, "dedup: join keys", joined)
    with engine.job("dedup: count keys"):
        sums = tables.read("found_pairs").groupBy("blocker").sum("grown", "grown_far", "cut_rows").collect()
    by_blocker = {row.blocker: tuple(row)[1:] for row in sums}
    messages = []
    for number, blocker in enumerate(KeyMaker(engine.config).with_keys):
        grown, grown_far, cut_rows = by_blocker.get(number, (0, 0, 0))
        oversized = frozen.statistics.oversized.get(blocker.name, np.empty(0, np.uint64))
        counts = KeyCounts.from_oversized(blocker.name, oversized, cut_rows, grown, grown_far)
        if counts.grown_far:
            return False
        messages.append(counts.message())
    for message in filter(None, messages):
        engine.progress.report(message)
    engine.step("pairs", digest("pairs", found_by), "dedup: candidate pairs", pairs)
    return True


def _cut(shared: Broadcast[Matching], parts: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    maker = KeyMaker(matching.config)
    for columns in _chunks(batches, _RECORDS, maker.columns_read()):
        for cut in cut_keys(maker, columns, matching.statistics, parts):
            cut_rows = cut.cut_rows
            for part, (keys, positions, records) in cut.parts or [(0, _NO_KEYS)]:
                row = cut.blocker, part, array_bytes(keys), array_bytes(positions), array_bytes(records), cut_rows
                yield to_batch([row], _CUT)
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
            some = array_bytes(pairs[start : start + _PAIRS])
            yield to_batch([(number, some, grown, grown_far, cut_rows)], SCHEMAS["found_pairs"])
            grown = grown_far = cut_rows = 0


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for pairs in batch.column("pairs").to_pylist():
            numbers = np.frombuffer(pairs, "<i8")
            yield pa.RecordBatch.from_arrays([pa.array(numbers)], names=["pair"])
