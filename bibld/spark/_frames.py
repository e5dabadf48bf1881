"""Small tables of rows that the driver has, as data frames that Spark's planner sees into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def small_frame(spark: SparkSession, rows: Iterable[Sequence[Any]], schema: StructType | str) -> DataFrame:
    """Return rows as a data frame; ``schema`` may be written as text: ``carrier long, turn long``.

    Unlike ``createDataFrame`` of Python's rows, it is a relation that the plan contains: a job that joins it knows how
    small it is, and what is done with an empty one is left out of the plan.
    """
    columns = cast(StructType, StructType.fromDDL(schema)) if isinstance(schema, str) else schema
    types = to_arrow_schema(columns)
    some = [tuple(row) for row in rows]
    # Arrow sends no batch for no rows, so one row of nulls is sent, and taken away again.
    cells = zip(*(some or [(None,) * len(types)]), strict=True)
    table = pa.Table.from_arrays(
        [pa.array(column, field.type) for column, field in zip(cells, types, strict=True)], schema=types
    )
    create: Callable[[pa.Table, StructType], DataFrame] = spark.createDataFrame  # Spark does not declare this use
    frame = create(table, columns)
    return frame if some else frame.limit(0)
