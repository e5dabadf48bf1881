"""Scores and decisions about candidate pairs, with their reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.catalog import digest, encode_edge
from bibld.dedup.decisions import DIFFERENT, Decider
from bibld.dedup.edges import Edges
from bibld.dedup.method import settings_digest
from bibld.model.features import LONG
from bibld.model.origin import RecordId
from bibld.spark._engine import Engine
from bibld.spark._matching._arrow import numbers_column, packed_rows, portions
from bibld.spark._matching._sharing import Matching, reads_long_texts
from bibld.spark._matching._statistics import FrozenStatistics
from bibld.spark._schemas import SCHEMAS, spark_schema

_PAIRS = 5_000
"""Pairs that are decided together."""

_FEATURES = ("source", "control_number", "numbers", "texts", "text")


def decided_version(engine: Engine, statistics: int) -> str:
    """Return the version of what is decided about the pairs of this run, with the statistics of this version."""
    inputs = ("features", "pairs", "register_verdict")
    return engine.tables.made_by("decided", edge_version(engine, statistics), inputs=inputs)


def decide_pairs(engine: Engine, frozen: FrozenStatistics) -> None:
    """Write the table ``decided``: the candidate pairs that are not different, and the pairs that people decided."""
    tables = engine.tables
    edges_made_by = edge_version(engine, frozen.version)
    made_by = decided_version(engine, frozen.version)
    if not tables.is_complete("decided", made_by):
        shared = engine.broadcast(Matching.from_engine(engine, frozen.statistics))
        with engine.job("dedup: score pairs"):
            pairs = with_features(engine, _with_verdicts(engine), "left")
            pairs = with_features(engine, pairs, "right")
            decided = pairs.mapInArrow(partial(_decide, shared, edges_made_by), spark_schema("decided"))
            tables.write("decided", made_by, decided, sort=("left_ordinal", "right_ordinal"))
    tables.use("decided", made_by)


def edge_version(engine: Engine, statistics: int) -> str:
    """Return what edges are made by: versions and settings, and the version of the statistics."""
    return digest(settings_digest(engine.config), statistics)


def with_features(engine: Engine, pairs: DataFrame, side: str) -> DataFrame:
    """Add the features of the record in the column ``<side>_ordinal``, which must have some, as ``<side>_…``."""
    names = ("ordinal", *(name for name in _FEATURES if name not in LONG or reads_long_texts(engine)))
    rows = engine.tables.read("features").select(*(f.col(name).alias(f"{side}_{name}") for name in names))
    return pairs.join(rows, f"{side}_ordinal")


def _with_verdicts(engine: Engine) -> DataFrame:
    """Return the candidate pairs, and those that people decided: with the decision and the relation of these."""
    verdicts = engine.tables.read("register_verdict")
    last = verdicts.groupBy("left_ordinal", "right_ordinal").agg(
        f.max_by("decision", "verdict").alias("person"), f.max_by("relation", "verdict").alias("relation")
    )
    pairs = engine.tables.read("pairs")
    ends = ["left_ordinal", "right_ordinal"]
    if not engine.tables.rows("register_verdict"):
        nothing = f.lit(None).cast("string")
        return pairs.select(*ends, nothing.alias("person"), nothing.alias("relation"))
    known = pairs.join(f.broadcast(last), ends)
    others = last.join(known.select(*ends), ends, "left_anti")
    return pairs.join(f.broadcast(last), ends, "left").unionByName(others)


def _decide(shared: Broadcast[Matching], made_by: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    matching = shared.value
    for table in portions(batches, _PAIRS):
        yield _decided(matching, made_by, table)


def _decided(matching: Matching, made_by: str, table: pa.Table) -> pa.RecordBatch:
    """Return what is decided about some pairs, with their features, without those that are different."""
    names = [name for name in ("ordinal", *_FEATURES) if f"left_{name}" in table.column_names]
    sides = [table.select([f"{side}_{name}" for name in names]).rename_columns(names) for side in ("left", "right")]
    ordinals, firsts, ends = np.unique(
        np.concatenate([numbers_column(side, "ordinal") for side in sides]), return_index=True, return_inverse=True
    )
    records = pa.concat_tables(sides).take(pa.array(firsts))
    rows, ids = packed_rows(records), record_ids(records)
    decider = Decider(rows, source_numbers(records, matching), matching.config)
    left, right = np.split(ends.astype(np.int64), [table.num_rows])
    pairs = decider.decide(left, right)
    person = np.array([value is not None for value in table.column("person").to_pylist()], np.bool_)
    places = np.flatnonzero((pairs.decisions != DIFFERENT) | person)
    chosen = pairs.take(places)
    edges = Edges(decider, lambda some: [ids[row] for row in some.tolist()], made_by)
    some = table.take(pa.array(places))
    columns = {
        "left_ordinal": pa.array(ordinals[chosen.left]),
        "right_ordinal": pa.array(ordinals[chosen.right]),
        "score": pa.array(chosen.scores),
        "decision": pa.array(chosen.decisions.astype(np.int64)),
        "exceptions": pa.array(chosen.exceptions.astype(np.int64)),
        "is_same_work": pa.array(chosen.is_same_work),
        "is_one_source": pa.array(chosen.is_one_source),
        "person": some.column("person").combine_chunks(),
        "relation": some.column("relation").combine_chunks(),
        "body": pa.array([encode_edge(edge) for edge in edges.explain(chosen, matching.statistics)], pa.binary()),
    }
    schema = SCHEMAS["decided"]
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def record_ids(records: pa.Table) -> list[RecordId]:
    """Return the ids of records in a table with their features."""
    return list(map(RecordId, records.column("source").to_pylist(), records.column("control_number").to_pylist()))


def source_numbers(records: pa.Table, matching: Matching) -> npt.NDArray[np.int64]:
    """Return a number for the source of each record, -1 if a cluster may contain several records of it."""
    with_duplicates = {source.id for source in matching.config.sources if source.config.duplicates}
    names = records.column("source").to_pylist()
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([-1 if name in with_duplicates else numbers[name] for name in names], dtype=np.int64)
