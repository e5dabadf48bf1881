"""Rows, batches and frames: the declared tables, and how functions of tasks take and give rows of them.

A function that Spark calls with ``mapInArrow`` takes and yields batches of one partition, in their order. To work group
by group, :func:`map_groups` brings the rows of a key together and sorts them; no more than a batch is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_type_hints

import msgspec
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from bibld.catalog.exchange import TABLES, columns_of
from bibld.errors import BibldError, StageError
from bibld.ingest import RecordState

Row = TypeVar("Row", bound=msgspec.Struct)
Key = TypeVar("Key")
Cells = Iterable[Sequence[Any] | msgspec.Struct]
"""Rows as structs or sequences, with the columns in their order."""

BATCH = 500
"""Rows of a batch."""

_BATCH_BYTES = 32 * 1024 * 1024
"""A batch ends at this size, so that a few large records do not fill the memory of a task."""

_FEW_ROWS = 200_000
"""Rows that are sent to all nodes: with some hundred bytes each, tens of megabytes."""

# -- tables ----------------------------------------------------------------------------------------------------------

_TYPES: dict[str, pa.DataType] = {
    "long": pa.int64(),
    "real": pa.float64(),
    "text": pa.string(),
    "bytes": pa.binary(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "dependencies": pa.list_(
        pa.struct([("source", pa.string()), ("control_number", pa.string()), ("existed", pa.bool_())])
    ),
    "assertions": pa.list_(pa.struct([("entity", pa.string()), ("body", pa.binary()), ("votes", pa.int64())])),
}

_PYTHON_TYPES = {int: "long", float: "real", str: "text", bytes: "bytes", bool: "flag", list[str]: "texts"}

_DESCRIBED = "founder:long quads:bytes made_by dependencies:dependencies assertions:assertions"

_OWN_TABLES = {
    # What reading made of each piece of the files; identity is the id of a record, of a reject too if it states one.
    # kind is that of the error, or empty; made_by is null for bytes that are not a record.
    "conversions": "source carrier:long position:long byte_offset:long identity kind reason control_number flavour"
    " made_by:bytes is_deleted:flag mods:bytes original:bytes unmapped:texts private:texts warnings:texts"
    " findings:bytes",
    # The files that conversions were made of: content is a hash of a file, context of what reads it.
    "inputs": "carrier:long content context",
    # The fingerprints of the files of sources whose next reading would change nothing.
    "readings": "source fingerprint",
    # -- matching: made is a hash of what the features of a live record are made from, and the version of the rules;
    # numbers and texts are stored as in the index of one machine
    "features": "ordinal:long source control_number made:bytes numbers:bytes texts:bytes text:bytes",
    # pairs are numbers of 64 bits; keys that grew since the statistics were counted
    "found_pairs": "blocker:long pairs:bytes grown:long grown_far:long cut_rows:long",
    "pairs": "left_ordinal:long right_ordinal:long",
    # decision is that of the pair alone, person that of a person; body is score and verdict, without a final one
    "decided": "left_ordinal:long right_ordinal:long score:real decision:long exceptions:long is_same_work:flag"
    " is_one_source:flag person relation body:bytes",
    "components": "node:long component:long",
    "clustered": "kind one:long other:long rule reason",
    # -- triplify: see bibld.spark._entities; the ties of entities are pairs of hashes of IRIs
    "described_first": _DESCRIBED,
    "described_again": _DESCRIBED,
    "entity_assertions": "entity body:bytes votes:long",
    "entity_ties": "left:long right:long",
    "entity_components": "node:long component:long",
    "described_entities": "iri founder quads:bytes parts:texts",
    # -- the release: see bibld.spark._quads
    "quad_changes": "line:bytes added:flag",
    "document_changes": "path kind status_before:long target_before status_after:long target_after",
    # The release that has the quads of the run; one row at most.
    "released": "number:long made_by tables:texts settings withdraws:flag source_statements:texts description:texts"
    " withdrawn:texts",
}


def arrow_schema(columns: str | dict[str, str]) -> pa.Schema:
    """Return columns, written as ``ordinal:long source``, as Arrow's types; all may be null."""
    named = columns_of(columns) if isinstance(columns, str) else columns
    return pa.schema([pa.field(name, _TYPES[kind]) for name, kind in named.items()])


def struct_schema(struct: type[msgspec.Struct]) -> pa.Schema:
    """Return the fields of a struct as columns."""
    columns = {}
    for name, hint in get_type_hints(struct).items():
        if name in struct.__struct_fields__:
            (kind,) = {one for one in get_args(hint) if one is not NoneType} if NoneType in get_args(hint) else {hint}
            columns[name] = _PYTHON_TYPES[kind]
    return arrow_schema(columns)


SCHEMAS: dict[str, pa.Schema] = {
    **{name: arrow_schema(table.columns) for name, table in TABLES.items()},
    "settled": struct_schema(RecordState),
    **{name: arrow_schema(columns) for name, columns in _OWN_TABLES.items()},
}
"""The columns of each table: those of the databases of one machine, and those between the stages."""


def spark_schema(columns: str | pa.Schema) -> StructType:
    """Return the columns of a table, by its name, or of a schema as Spark's types."""
    return from_arrow_schema(SCHEMAS[columns] if isinstance(columns, str) else columns)


# -- rows ------------------------------------------------------------------------------------------------------------


def rows_of(batches: Iterable[pa.RecordBatch], struct: type[Row]) -> Iterator[Row]:
    """Yield the rows of batches as structs; the fields of the struct name the columns, others are not read."""
    names = struct.__struct_fields__
    for batch in batches:
        yield from map(struct, *(batch.column(name).to_pylist() for name in names))


def batches_of(rows: Cells, schema: pa.Schema, size: int = BATCH) -> Iterator[pa.RecordBatch]:
    """Yield rows in batches of up to ``size``."""
    waiting: list[Sequence[Any]] = []
    weight = 0
    for row in rows:
        values = msgspec.structs.astuple(row) if isinstance(row, msgspec.Struct) else row
        waiting.append(values)
        weight += sum(len(value) for value in values if isinstance(value, str | bytes))
        if len(waiting) >= size or weight >= _BATCH_BYTES:
            yield to_batch(waiting, schema)
            waiting, weight = [], 0
    if waiting:
        yield to_batch(waiting, schema)


def to_batch(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows as one batch, of no rows too."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def groups(
    batches: Iterable[pa.RecordBatch], struct: type[Row], key: Callable[[Row], Key]
) -> Iterator[tuple[Key, Iterator[Row]]]:
    """Yield consecutive rows with the same key, of a partition that is sorted by it; a group may span batches.

    As of ``itertools.groupby``, the rows of a group must be taken before the next group is.
    """
    return groupby(rows_of(batches, struct), key)


def map_rows(
    frame: DataFrame,
    struct: type[Row],
    function: Callable[[Iterator[Row]], Cells],
    schema: pa.Schema,
    size: int = BATCH,
) -> DataFrame:
    """Return what a function makes of the rows of each partition; ``size``: rows of its batches."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return batches_of(function(rows_of(batches, struct)), schema, size)

    return frame.select(*struct.__struct_fields__).mapInArrow(run, spark_schema(schema))


def map_groups(
    frame: DataFrame,
    struct: type[Row],
    function: Callable[[Any, Iterator[Row]], Cells],
    schema: pa.Schema,
    key: Sequence[str],
    order: Sequence[str] = (),
) -> DataFrame:
    """Return what a function makes of each key and its rows, which come in the order of the columns ``order``.

    Columns that the frame lacks are null. The function gets the value of the key, a tuple of several columns.
    """
    kinds = struct_schema(struct) if set(struct.__struct_fields__) - set(frame.columns) else None
    for name in struct.__struct_fields__:
        if kinds is not None and name not in frame.columns:
            kind = from_arrow_schema(pa.schema([kinds.field(name)]))[0].dataType
            frame = frame.withColumn(name, sql.lit(None).cast(kind))
    rows = frame.select(*struct.__struct_fields__).repartition(*key).sortWithinPartitions(*key, *order)
    run = partial(_map_groups, struct, function, schema, tuple(key))
    return rows.mapInArrow(run, spark_schema(schema))


def _map_groups(
    struct: type[Row],
    function: Callable[[Any, Iterator[Row]], Cells],
    schema: pa.Schema,
    key: tuple[str, ...],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    found = groups(batches, struct, attrgetter(*key))
    return batches_of((row for value, rows in found for row in function(value, rows)), schema)


@contextmanager
def located_errors(what: str) -> Iterator[None]:
    """Convert an exception that is not bibld's to a ``StageError``: ``<what>: <type>: <text>``."""
    try:
        yield
    except BibldError:
        raise
    except Exception as error:
        raise StageError(f"{what}: {type(error).__name__}: {error}") from error


# -- frames ----------------------------------------------------------------------------------------------------------


def small_frame(spark: SparkSession, rows: Iterable[Sequence[Any]], schema: StructType | str) -> DataFrame:
    """Return rows that the driver has as a data frame; ``schema`` may be written as text: ``carrier long, turn long``.

    Unlike ``createDataFrame`` of Python's rows, it is a relation that the plan contains: a job that joins it knows how
    small it is, and what is done with an empty one is left out of the plan.
    """
    columns = cast(StructType, StructType.fromDDL(schema)) if isinstance(schema, str) else schema
    types = to_arrow_schema(columns)
    some = [tuple(row) for row in rows]
    # Arrow sends no batch for no rows, so one row of nulls is sent, and taken away again.
    table = pa.Table.from_batches([to_batch(some or [(None,) * len(types)], types)])
    create: Callable[[pa.Table, StructType], DataFrame] = spark.createDataFrame  # Spark does not declare this use
    frame = create(table, columns)
    return frame if some else frame.limit(0)


@contextmanager
def broadcast_if_few(frame: DataFrame, few: int = _FEW_ROWS) -> Iterator[DataFrame]:
    """Compute the rows of a frame once, and return them so that a join sends them to all nodes if they are few.

    If there are more, the join looks them up part by part: in no case the rows of the other side are sorted.
    Spark estimates the size of what a Python function returns, and of what it has not computed yet, far too high.
    """
    stored = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield sql.broadcast(stored) if stored.count() <= few else stored.hint("shuffle_hash")
    finally:
        stored.unpersist()
