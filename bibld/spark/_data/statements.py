"""Let all statements point to the founders of the entities that they name; add the tombstones of deleted records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import digest, to_moved
from bibld.model.iris import Iris
from bibld.model.origin import RecordId
from bibld.spark._data.descriptions import AGAIN, FIRST, described, live_records
from bibld.spark._data.entities import DESCRIBED
from bibld.spark._engine import Engine
from bibld.spark._joins import broadcast_if_few
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import batches_of, rows_of
from bibld.triplify import settings_digest, tombstone_statements

_TOMBSTONE_INPUTS = (
    "register_redirect", "register_event", "register_ordinal", "records", "active_suppression",
)  # fmt: skip


class _Deleted(msgspec.Struct, frozen=True):
    """A deleted record, when it was deleted, and the record that its IRI redirects to."""

    ordinal: int
    source: str
    control_number: str
    deleted: str | None
    target_source: str | None
    target_number: str | None


class _Named(msgspec.Struct, frozen=True):
    """What owns statements, and the entities that they name by other IRIs than those of their founders."""

    owner: str
    moved: list[dict[str, str]]


def point_to_founders(engine: Engine) -> int:
    """Write the tables ``statements`` and ``entities``; return the number of owners of statements."""
    tables = engine.tables
    others = tables.read(DESCRIBED).where("iri <> founder").select("iri", sql.col("founder").alias("founder_iri"))
    with engine.job("triplify: entities that descriptions name"):
        found = tables.read(DESCRIBED)
        parts = found.where(sql.col("quads").isNotNull()).select(
            sql.col("iri").alias("owner"), sql.explode("parts").alias("iri")
        )
        moved = _moved(parts.join(others, "iri")).withColumnRenamed("owner", "iri")
        made_by = tables.made_by(inputs=(DESCRIBED,))
        if not tables.is_complete("entities", made_by):
            with broadcast_if_few(moved) as rows:
                entities = found.join(rows, "iri", "left").select("iri", "founder", "quads", "moved")
                tables.write("entities", made_by, entities)
        tables.use("entities", made_by)
    with engine.job("triplify: statements"):
        inputs = (FIRST, AGAIN, "assertions", DESCRIBED, *_TOMBSTONE_INPUTS)
        made_with = settings_digest(engine.config.dataset.base, engine.config.triplify)
        named = tables.read("assertions").select(
            sql.col("founder").cast("string").alias("owner"), sql.col("entity").alias("iri")
        )
        moved = _moved(named.join(others, "iri").distinct())
        moved = moved.select(sql.col("owner").cast("long").alias("founder"), "moved")
        made = described(tables.read(FIRST), tables.read(AGAIN)).select("founder", "quads", "made_by")
        tombstones = _tombstones(engine, made_with)
        made_by = tables.made_by(made_with, inputs=inputs)
        if not tables.is_complete("statements", made_by):
            with broadcast_if_few(moved) as rows:
                statements = made.join(rows, "founder", "left").unionByName(tombstones, allowMissingColumns=True)
                tables.write("statements", made_by, statements)
        tables.use("statements", made_by)
    return tables.rows("statements") + tables.rows("entities")


def _moved(named: DataFrame) -> DataFrame:
    """Return the stored form of the founders by owner, from rows with the columns owner, iri, founder_iri."""
    one = sql.struct("iri", sql.col("founder_iri").alias("founder"))
    grouped = named.groupBy("owner").agg(sql.collect_list(one).alias("moved"))
    return grouped.mapInArrow(_encode_moved, "owner string, moved string")


_MOVED = pa.schema([("owner", pa.string()), ("moved", pa.string())])


def _encode_moved(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (
        (row.owner, to_moved({one["iri"]: one["founder"] for one in row.moved})) for row in rows_of(batches, _Named)
    )
    return batches_of(rows, _MOVED)


# -- tombstones ------------------------------------------------------------------------------------------------------


def deletion_times(engine: Engine) -> DataFrame:
    """Return when each record was last deleted: its ordinal, and the time of the run."""
    events = engine.tables.read("register_event").where("kind = 'deleted'")
    return events.groupBy("ordinal").agg(sql.max_by("run_time", "event").alias("deleted"))


def _tombstones(engine: Engine, made_with: str) -> DataFrame:
    tables = engine.tables
    suppressed = tables.read("active_suppression").where("value = ''").select("ordinal").distinct()
    ids = tables.read("register_ordinal").select("ordinal", "source", "control_number")
    targets = ids.join(suppressed, "ordinal", "left_anti").select(
        sql.col("ordinal").alias("target"),
        sql.col("source").alias("target_source"),
        sql.col("control_number").alias("target_number"),
    )
    deleted = (
        tables.read("register_redirect")
        .join(live_records(engine).select("ordinal"), "ordinal", "left_anti")
        .join(suppressed, "ordinal", "left_anti")
        .join(ids, "ordinal")
        .join(deletion_times(engine), "ordinal", "left")
        .join(targets, "target", "left")
        .select(*_Deleted.__struct_fields__)
    )
    return deleted.mapInArrow(
        partial(_make_tombstones, engine.broadcast(engine.iris), made_with), spark_schema("statements")
    )


def _make_tombstones(
    iris: Broadcast[Iris], made_with: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    rows = (_tombstone(iris.value, made_with, row) for row in rows_of(batches, _Deleted))
    return batches_of(rows, SCHEMAS["statements"])


def _tombstone(iris: Iris, made_with: str, row: _Deleted) -> tuple[int, bytes, str, None]:
    replacement = None
    if row.target_source is not None and row.target_number is not None:
        replacement = RecordId(row.target_source, row.target_number)
    quads = tombstone_statements(iris, RecordId(row.source, row.control_number), row.deleted, replacement)
    return row.ordinal, quads, digest(made_with, quads.decode()), None
