"""Features of the live records, the frozen statistics of blocking, and the candidate pairs.

Features of records that did not change are taken from the run before. Candidate pairs are records that share a key and
pass the pre-filter.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast, SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.catalog import digest
from bibld.config import Config
from bibld.dedup.arrays import Numbers
from bibld.dedup.candidates import KeyCounts, pairs_of_part
from bibld.dedup.columns import END, TEXT_FILES, PackedRows, StoredRows, stored_rows
from bibld.dedup.decisions import Decider
from bibld.dedup.features import features_of
from bibld.dedup.key_tables import COUNTED_COLUMNS, IndexedStatistics, count_words, from_bytes, is_outgrown, to_bytes
from bibld.dedup.keys import LEVELS, KeyMaker, KeyPart, count_keys, cut_keys, sum_counts
from bibld.dedup.method import INDEX_VERSION, blocking_digest, settings_digest
from bibld.errors import ConfigError
from bibld.model.features import LONG, NUMBERS, FeatureColumns, Statistics
from bibld.model.mods import Mods
from bibld.model.withheld import public_fingerprint, public_mods
from bibld.spark._descriptions import Suppressed, suppressed_values
from bibld.spark._engine import Engine
from bibld.spark._frames import SCHEMAS, groups, small_frame, spark_schema, struct_schema, to_batch

_MAX_BATCH_BYTES = 1 << 30
"""Bytes of texts of which positions in a batch are counted with 32 bits."""


def feature_batch(stored: StoredRows, identity: dict[str, pa.Array]) -> pa.RecordBatch:
    """Return rows as a batch of the table ``features``; ``identity`` are its columns that are not features."""
    rows = len(stored.ordinals)
    width = 4 * len(NUMBERS)
    numbers = np.ascontiguousarray(stored.numbers, "<i4").view(np.uint8).reshape(-1)
    columns = identity | {
        "ordinal": pa.array(stored.ordinals.astype(np.int64)),
        "numbers": _binary_array(np.arange(rows + 1, dtype=np.int64) * width, numbers),
        **{name: _binary_array(*stored.texts[name]) for name in TEXT_FILES},
    }
    schema = SCHEMAS["features"]
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def packed_rows(table: pa.Table) -> PackedRows:
    """Return the features in a table; long texts that it lacks, or that are null, are empty."""
    rows = table.num_rows
    _, data = binary_column(table.column("numbers"))
    numbers = data.view("<i4").reshape(rows, len(NUMBERS)).astype(np.int32, copy=False)
    texts = {}
    for name, columns in TEXT_FILES.items():
        if name in LONG and (name not in table.column_names or table.column(name).null_count):
            ends = np.full(rows * len(columns), END, np.uint8)
            texts[name] = np.arange(rows + 1, dtype=np.int64) * len(columns), ends
        else:
            texts[name] = binary_column(table.column(name))
    return PackedRows(StoredRows(numbers_column(table, "ordinal").astype(np.uint64), numbers, texts))


def numbers_column(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """Return a column of numbers without nulls."""
    return np.asarray(table.column(name).to_numpy())


def binary_column(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return where the values of a column of bytes start (n + 1,), and all bytes."""
    starts, parts, end = [np.zeros(1, np.int64)], [np.empty(0, np.uint8)], 0
    for chunk in column.chunks:
        if not len(chunk):
            continue
        _, offsets, data = chunk.buffers()
        kind = np.int64 if pa.types.is_large_binary(chunk.type) else np.int32
        positions = np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
        if data is not None:
            parts.append(np.frombuffer(data, np.uint8)[positions[0] : positions[-1]])
        starts.append(positions[1:] - positions[0] + end)
        end += int(positions[-1] - positions[0])
    return np.concatenate(starts), np.concatenate(parts)


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """Return the numbers of an array as little-endian bytes."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def portions(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Put batches together to tables of some ``rows`` each; nothing for no rows."""
    waiting: list[pa.RecordBatch] = []
    count = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        count += batch.num_rows
        size += batch.nbytes
        if count >= rows or size >= _MAX_BATCH_BYTES // 4:
            yield pa.Table.from_batches(waiting)
            waiting, count, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _binary_array(starts: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> pa.Array:
    if int(starts[-1]) > _MAX_BATCH_BYTES:
        raise ValueError(f"{starts[-1]} bytes of texts are too many for a batch")
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers)


_RECORDS_OF_PART = 50_000
"""Records whose keys are in one part, on average: some 40 MB."""


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


def feature_rows(engine: Engine) -> DataFrame:
    """Return the ordinals and features of all live records, with the long texts if they are read."""
    long = LONG if reads_long_texts(engine) else ()
    return engine.tables.read("features").select("ordinal", "numbers", "texts", *long)


def reads_long_texts(engine: Engine) -> bool:
    """Return whether blockers or the scorer read the long texts of records."""
    return not {*LONG}.isdisjoint(Decider.from_records([], engine.config).columns)


def part_count(engine: Engine) -> int:
    """Return into how many parts the keys of all records are divided."""
    least = 2 * engine.spark.sparkContext.defaultParallelism
    return max(least, -(-engine.tables.rows("features") // _RECORDS_OF_PART))


_FEW = 1_000_000
"""Changed records whose ordinals are sent to every node, instead of sorting all records."""

_MAX_PART_BYTES = 16 << 20

_MODS = msgspec.json.Decoder(Mods)


def features_version(engine: Engine) -> str:
    """Return the version of the features of the records of this run."""
    return engine.tables.made_by("features", INDEX_VERSION, inputs=("records", "active_suppression"))


def extract_features(engine: Engine) -> None:
    """Write the table ``features`` of all live records."""
    tables = engine.tables
    changed: list[DataFrame] = []

    def rows() -> DataFrame:
        withheld = suppressed_values(engine)
        live = _with_version(engine, tables.read("records").where("status = 'live'"), withheld)
        kept = None
        if tables.committed.tables.get("features"):
            before = tables.before("features").where(f.col("made").isNotNull())
            versions = live.select("ordinal", "made")
            new = versions.join(before, ["ordinal", "made"], "left_anti").select("ordinal").persist()
            changed.append(new)
            kept = before.join(versions, ["ordinal", "made"], "left_semi")
            live = live.join(f.broadcast(new) if new.count() <= _FEW else new, "ordinal", "left_semi")
        found = live.select("ordinal", "source", "control_number", "made", "mods")
        result = found.mapInArrow(partial(_extract, engine.broadcast(withheld)), spark_schema("features"))
        return result if kept is None else result.unionByName(kept)

    engine.step("features", features_version(engine), "dedup: extract features", rows, sort=("ordinal",))
    for frame in changed:
        frame.unpersist()


def _with_version(engine: Engine, records: DataFrame, withheld: Suppressed) -> DataFrame:
    """Add the column ``made``: a hash of what the features of a record are made from, and the version of the rules."""
    version = str(INDEX_VERSION).encode()
    fingerprint = f.concat("made_by", f.lit(version))
    if not withheld:
        return records.withColumn("made", fingerprint)
    some = small_frame(engine.spark, [(ordinal,) for ordinal in sorted(withheld)], "ordinal long")
    rows = records.select("ordinal", "made_by").join(f.broadcast(some), "ordinal").collect()
    prints = [
        (row.ordinal, public_fingerprint(bytes(row.made_by), withheld[row.ordinal]) + version)
        for row in sorted(rows, key=lambda row: row.ordinal)
    ]
    redacted = small_frame(engine.spark, prints, "ordinal long, redacted binary")
    joined = records.join(f.broadcast(redacted), "ordinal", "left")
    return joined.withColumn("made", f.coalesce("redacted", fingerprint)).drop("redacted")


def cut_by_size(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch so that the descriptions in each part have some 16 MB; long texts may be in them."""
    sizes = np.cumsum(pc.binary_length(batch.column("mods")).to_numpy())
    starts = np.flatnonzero(np.diff(sizes // _MAX_PART_BYTES, prepend=-1))
    for start, end in pairwise([*starts.tolist(), batch.num_rows]):
        yield batch.slice(start, end - start)


def _extract(withheld: Broadcast[Suppressed], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    values = withheld.value
    for batch in chain.from_iterable(map(cut_by_size, batches)):
        ordinals = batch.column("ordinal").to_pylist()
        descriptions = map(_MODS.decode, batch.column("mods").to_pylist())
        columns = FeatureColumns.from_features(
            (ordinal, features_of(public_mods(mods, values.get(ordinal, ()))))
            for ordinal, mods in zip(ordinals, descriptions, strict=True)
        )
        identity = {name: batch.column(name) for name in ("source", "control_number", "made")}
        yield feature_batch(stored_rows(columns), identity)


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
    statistics = Statistics(engine.tables.rows("features"), words, counts, {})
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
