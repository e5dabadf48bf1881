"""Features of the live records; those of records that did not change are taken from the run before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.catalog import IS_PUBLICATION
from bibld.dedup.columns import END, TEXT_FILES, PackedRows, StoredRows, stored_rows
from bibld.dedup.decisions import Decider
from bibld.dedup.features import features_of
from bibld.dedup.method import INDEX_VERSION
from bibld.model.features import LONG, NUMBERS, FeatureColumns
from bibld.model.mods import Mods
from bibld.model.withheld import public_fingerprint, public_mods
from bibld.spark._descriptions import Suppressed, suppressed_values
from bibld.spark._engine import Engine
from bibld.spark._frames import SCHEMAS, small_frame, spark_schema

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


def feature_rows(engine: Engine) -> DataFrame:
    """Return the ordinals and features of all live records, with the long texts if they are read."""
    long = LONG if reads_long_texts(engine) else ()
    return engine.tables.read("features").select("ordinal", "numbers", "texts", *long)


def reads_long_texts(engine: Engine) -> bool:
    """Return whether blockers or the scorer read the long texts of records."""
    return not {*LONG}.isdisjoint(Decider.from_records([], engine.config).columns)


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
        live = _with_version(engine, tables.read("records").where(IS_PUBLICATION), withheld)
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
