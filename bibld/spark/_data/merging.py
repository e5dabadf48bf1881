"""Merge the clusters of two and more records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter

import msgspec
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.errors import BibldError, StageError
from bibld.merge import Policies, input_digest, merge_records, settings_digest
from bibld.model.linkage import Cluster
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.withheld import public_fingerprint, public_mods
from bibld.spark._data.suppression import Suppressed, suppressed_values
from bibld.spark._engine import Engine
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import batches_of, groups

_BEFORE = -1
"""Stands for the ordinal in the row of a description that the last run made; it comes first in its group."""

_ENCODER = msgspec.json.Encoder()
_MODS = msgspec.json.Decoder(Mods)

_MergedRow = tuple[int, bytes, bytes, str]


class _Row(msgspec.Struct, frozen=True, gc=False):
    """A member of a cluster, or the description that the last run made of it."""

    founder: int
    ordinal: int
    source: str | None
    control_number: str | None
    fingerprint: bytes | None
    mods: bytes
    sources: bytes | None
    made_by: str | None


class _Settings(msgspec.Struct, frozen=True):
    made_with: str
    policies: Policies
    suppressed: Suppressed


def merge_clusters(engine: Engine) -> int:
    """Write the table ``merged``; descriptions whose inputs are as they were are taken from the last run.

    Returns the number of clusters, 0 if the table was complete.
    """
    tables = engine.tables
    made_with = settings_digest(engine.config)
    made_by = tables.made_by(made_with, inputs=("members", "records", "active_suppression"))
    if tables.is_complete("merged", made_by):
        tables.use("merged", made_by)
        return 0
    with engine.job("merge: clusters"):
        settings = _Settings(made_with, Policies.from_config(engine.config), suppressed_values(engine))
        compute = partial(_merge, engine.broadcast(settings))
        rows = _rows(engine).repartition("founder").sortWithinPartitions("founder", "ordinal")
        tables.write("merged", made_by, rows.mapInArrow(compute, spark_schema("merged")))
    return tables.rows("merged")


def _rows(engine: Engine) -> DataFrame:
    records = engine.tables.read("records").select(
        "ordinal", "source", "control_number", sql.col("made_by").alias("fingerprint"), "mods"
    )
    members = engine.tables.read("members").join(records, "ordinal")
    before = engine.tables.before("merged").withColumn("ordinal", sql.lit(_BEFORE).cast("long"))
    if engine.options.rebuild:
        before = before.where(sql.lit(False))
    return members.unionByName(before, allowMissingColumns=True).select(*_Row.__struct_fields__)


def _merge(settings: Broadcast[_Settings], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge the clusters of one partition; its rows are sorted by founder, then by ordinal."""
    made = (
        _merge_cluster(settings.value, founder, list(rows))
        for founder, rows in groups(batches, _Row, attrgetter("founder"))
    )
    return batches_of((row for row in made if row is not None), SCHEMAS["merged"])


def _merge_cluster(settings: _Settings, founder: int, rows: list[_Row]) -> _MergedRow | None:
    before = rows.pop(0) if rows[0].ordinal == _BEFORE else None
    if not rows:
        return None
    suppressed = [settings.suppressed.get(row.ordinal, ()) for row in rows]
    fingerprints = [
        public_fingerprint(row.fingerprint or b"", values) for row, values in zip(rows, suppressed, strict=True)
    ]
    made_by = input_digest(settings.made_with, fingerprints)
    if before is not None and before.made_by == made_by and before.sources is not None:
        return founder, before.mods, before.sources, made_by
    ids = [RecordId(row.source or "", row.control_number or "") for row in rows]
    try:
        mods = [public_mods(_MODS.decode(row.mods), values) for row, values in zip(rows, suppressed, strict=True)]
        merged = merge_records(Cluster(ids[0], tuple(ids)), list(zip(ids, mods, strict=True)), settings.policies)
    except BibldError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise StageError(f"merge: the cluster of record {ids[0]} cannot be merged: {cause}") from error
    return founder, _ENCODER.encode(merged.mods), _ENCODER.encode(merged.sources), made_by
