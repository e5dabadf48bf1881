"""Features of the live records as a table; those of records that did not change are taken from the run before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.dedup.columns import stored_rows
from bibld.dedup.features import features_of
from bibld.dedup.method import INDEX_VERSION
from bibld.model.features import FeatureColumns
from bibld.model.mods import Mods
from bibld.model.withheld import public_fingerprint, public_mods
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._matching._arrow import feature_batch
from bibld.spark._schemas import SCHEMAS, spark_schema

_FEW = 1_000_000
"""Changed records whose ordinals are sent to every node, instead of sorting all records."""

_LARGEST_PART = 16 << 20

_MODS = msgspec.json.Decoder(Mods)

Withheld = dict[int, tuple[str, ...]]
"""The values of records that must not be published, by ordinal."""


def features_version(engine: Engine) -> str:
    """Return the version of the features of the records of this run."""
    return engine.tables.made_by("features", INDEX_VERSION, inputs=("records", "active_suppression"))


def extract_features(engine: Engine) -> None:
    """Write the table ``features`` of all live records."""
    tables = engine.tables
    made_by = features_version(engine)
    with engine.job("dedup: extract features"):
        if tables.is_complete("features", made_by):
            tables.use("features", made_by)
            return
        withheld = _withheld_values(engine)
        live = _with_version(engine, tables.read("records").where("status = 'live'"), withheld)
        before = tables.before("features").where(f.col("made").isNotNull())
        kept = changed = None
        if tables.committed.tables.get("features"):
            versions = live.select("ordinal", "made")
            changed = versions.join(before, ["ordinal", "made"], "left_anti").select("ordinal").persist()
            is_few = changed.count() <= _FEW
            kept = before.join(versions, ["ordinal", "made"], "left_semi")
            live = live.join(f.broadcast(changed) if is_few else changed, "ordinal", "left_semi")
        shared = engine.broadcast(withheld)
        rows = live.select("ordinal", "source", "control_number", "made", "mods")
        made = rows.mapInArrow(partial(_extract, shared), spark_schema("features"))
        tables.write("features", made_by, made if kept is None else made.unionByName(kept), sort=("ordinal",))
        if changed is not None:
            changed.unpersist()


def _withheld_values(engine: Engine) -> Withheld:
    found: dict[int, list[str]] = {}
    for row in engine.tables.read("active_suppression").where("value <> ''").collect():
        found.setdefault(row.ordinal, []).append(row.value)
    return {ordinal: tuple(sorted(values)) for ordinal, values in found.items()}


def _with_version(engine: Engine, records: DataFrame, withheld: Withheld) -> DataFrame:
    """Add the column ``made``: a hash of what the features of a record are made from, and the version of the rules."""
    version = str(INDEX_VERSION).encode()
    made = f.concat("made_by", f.lit(version))
    if not withheld:
        return records.withColumn("made", made)
    some = small_frame(engine.spark, [(ordinal,) for ordinal in sorted(withheld)], "ordinal long")
    rows = records.select("ordinal", "made_by").join(f.broadcast(some), "ordinal").collect()
    prints = [
        (row.ordinal, public_fingerprint(bytes(row.made_by), withheld[row.ordinal]) + version)
        for row in sorted(rows, key=lambda row: row.ordinal)
    ]
    redacted = small_frame(engine.spark, prints, "ordinal long, redacted binary")
    joined = records.join(f.broadcast(redacted), "ordinal", "left")
    return joined.withColumn("made", f.coalesce("redacted", made)).drop("redacted")


def cut_by_size(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch so that the descriptions in each part have some 16 MB; long texts may be in them."""
    sizes = np.cumsum(pc.binary_length(batch.column("mods")).to_numpy())
    starts = np.flatnonzero(np.diff(sizes // _LARGEST_PART, prepend=-1))
    for start, end in pairwise([*starts.tolist(), batch.num_rows]):
        yield batch.slice(start, end - start)


def _extract(withheld: Broadcast[Withheld], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    values: Any = withheld.value
    for batch in chain.from_iterable(map(cut_by_size, batches)):
        ordinals = batch.column("ordinal").to_pylist()
        descriptions = map(_MODS.decode, batch.column("mods").to_pylist())
        columns = FeatureColumns.from_features(
            (ordinal, features_of(public_mods(mods, values.get(ordinal, ()))))
            for ordinal, mods in zip(ordinals, descriptions, strict=True)
        )
        identity = {name: batch.column(name) for name in ("source", "control_number", "made")}
        yield feature_batch(stored_rows(columns), identity, SCHEMAS["features"])
