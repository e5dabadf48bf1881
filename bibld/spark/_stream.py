"""Rows of Arrow batches as structs, and back, for functions that Spark calls with ``mapInArrow``.

Such a function takes and yields batches of one partition, in their order. To work group by group, repartition by the
key, sort within partitions, and stream: :func:`groups` never holds more than the caller does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import msgspec
import pyarrow as pa

Row = TypeVar("Row", bound=msgspec.Struct)
Key = TypeVar("Key")

BATCH = 500
"""Rows of a batch."""

_BATCH_BYTES = 32 * 1024 * 1024
"""A batch ends at this size, so that a few large records do not fill the memory of a task."""


def rows_of(batches: Iterable[pa.RecordBatch], struct: type[Row]) -> Iterator[Row]:
    """Yield the rows of batches as structs; the fields of the struct name the columns, others are not read."""
    names = struct.__struct_fields__
    for batch in batches:
        yield from map(struct, *(batch.column(name).to_pylist() for name in names))


def batches_of(
    rows: Iterable[Sequence[Any] | msgspec.Struct], schema: pa.Schema, size: int = BATCH
) -> Iterator[pa.RecordBatch]:
    """Yield rows in batches of up to ``size``; a row is a struct or sequence with the columns in their order."""
    waiting: list[Sequence[Any]] = []
    weight = 0
    for row in rows:
        values = msgspec.structs.astuple(row) if isinstance(row, msgspec.Struct) else row
        waiting.append(values)
        weight += sum(len(value) for value in values if isinstance(value, str | bytes))
        if len(waiting) >= size or weight >= _BATCH_BYTES:
            yield _batch(waiting, schema)
            waiting, weight = [], 0
    if waiting:
        yield _batch(waiting, schema)


def groups(
    batches: Iterable[pa.RecordBatch], struct: type[Row], key: Callable[[Row], Key]
) -> Iterator[tuple[Key, Iterator[Row]]]:
    """Yield consecutive rows with the same key, of a partition that is sorted by it; a group may span batches.

    As of ``itertools.groupby``, the rows of a group must be taken before the next group is.
    """
    return groupby(rows_of(batches, struct), key)


def _batch(rows: list[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
