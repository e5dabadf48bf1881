"""Features and arrays of numbers in Arrow batches, without a Python object a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bibld.dedup.columns import END, TEXT_FILES, PackedRows, StoredRows
from bibld.model.features import LONG, NUMBERS

_LARGEST_BATCH = 1 << 30
"""Bytes of texts of which positions in a batch are counted with 32 bits."""


def feature_batch(stored: StoredRows, identity: dict[str, pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows as a batch of the table ``features``; ``identity`` are its columns that are not features."""
    rows = len(stored.ordinals)
    width = 4 * len(NUMBERS)
    numbers = np.ascontiguousarray(stored.numbers, "<i4").view(np.uint8).reshape(-1)
    columns = identity | {
        "ordinal": pa.array(stored.ordinals.astype(np.int64)),
        "numbers": _binary_array(np.arange(rows + 1, dtype=np.int64) * width, numbers),
        **{name: _binary_array(*stored.texts[name]) for name in TEXT_FILES},
    }
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
    found: npt.NDArray[Any] = table.column(name).to_numpy()
    return found


def binary_column(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return where the values of a column of bytes start (n + 1,), and all bytes."""
    starts, parts, end = [np.zeros(1, np.int64)], [np.empty(0, np.uint8)], 0
    for chunk in column.chunks:
        if not len(chunk):
            continue
        _, offsets, data = chunk.buffers()
        kind = np.int64 if pa.types.is_large_binary(chunk.type) else np.int32
        places = np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
        if data is not None:
            parts.append(np.frombuffer(data, np.uint8)[places[0] : places[-1]])
        starts.append(places[1:] - places[0] + end)
        end += int(places[-1] - places[0])
    return np.concatenate(starts), np.concatenate(parts)


def to_bytes(array: npt.NDArray[Any]) -> bytes:
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
        if count >= rows or size >= _LARGEST_BATCH // 4:
            yield pa.Table.from_batches(waiting)
            waiting, count, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _binary_array(starts: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> pa.Array:
    if int(starts[-1]) > _LARGEST_BATCH:
        raise ValueError(f"{starts[-1]} bytes of texts are too many for a batch")
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers)
