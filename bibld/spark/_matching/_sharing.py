"""What tasks of matching are given, and into how many parts they divide their work."""

from __future__ import annotations

import msgspec
from pyspark.sql import DataFrame

from bibld.config import Config
from bibld.dedup.decisions import Decider
from bibld.dedup.statistics import IndexedStatistics
from bibld.model.features import LONG, Statistics
from bibld.spark._engine import Engine

_RECORDS_OF_PART = 50_000
"""Records whose keys are in one part, on average: some 40 MB."""


class Matching(msgspec.Struct, frozen=True, eq=False):
    """What keys, scores and decisions of records depend on beside the records; tasks start no threads."""

    config: Config
    statistics: Statistics

    @classmethod
    def from_engine(cls, engine: Engine, statistics: IndexedStatistics) -> Matching:
        """Return it for a run."""
        return cls(msgspec.structs.replace(engine.config, workers=1), statistics)


def feature_rows(engine: Engine, with_long_texts: bool) -> DataFrame:
    """Return the ordinals and features of all live records."""
    long = LONG if with_long_texts else ()
    return engine.tables.read("features").select("ordinal", "numbers", "texts", *long)


def reads_long_texts(engine: Engine) -> bool:
    """Return whether blockers or the scorer read the long texts of records."""
    return not {*LONG}.isdisjoint(Decider.from_records([], engine.config).columns)


def part_count(engine: Engine) -> int:
    """Return into how many parts the keys of all records are divided."""
    least = 2 * engine.spark.sparkContext.defaultParallelism
    return max(least, -(-engine.tables.rows("features") // _RECORDS_OF_PART))
