"""What must not be published, as the functions of tasks need it."""

from __future__ import annotations

from pyspark.sql import functions as sql

from bibld.spark._engine import Engine

Suppressed = dict[int, tuple[str, ...]]
"""The suppressed values of records by ordinal; the empty value is the whole record."""


def suppressed_values(engine: Engine) -> Suppressed:
    """Return the suppressions that the results of this run respect; people state them one by one, so they are few."""
    rows = engine.tables.read("active_suppression").groupBy("ordinal").agg(sql.sort_array(sql.collect_list("value")))
    return {int(ordinal): tuple(values) for ordinal, values in rows.collect()}
