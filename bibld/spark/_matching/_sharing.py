"""What tasks of matching are given, and into how many parts they divide their work."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

import msgspec
from pyspark import SparkFiles
from pyspark.sql import DataFrame

from bibld.catalog import digest
from bibld.config import Config
from bibld.dedup.decisions import Decider
from bibld.errors import ConfigError
from bibld.model.features import LONG, Statistics
from bibld.spark._engine import Engine

_RECORDS_OF_PART = 50_000
"""Records whose keys are in one part, on average: some 40 MB."""


class Matching(msgspec.Struct, frozen=True, eq=False):
    """What keys, scores and decisions of records depend on beside the records; tasks start no threads.

    ``model`` is the content of the file that the scorer's settings name, which may be on the driver's machine only.
    """

    driver_config: Config
    statistics: Statistics
    model: bytes = b""

    @classmethod
    def from_engine(cls, engine: Engine, statistics: Statistics) -> Matching:
        """Return it for a run; raises ``ConfigError`` if the model cannot be read."""
        config = msgspec.structs.replace(engine.config, workers=1)
        file = getattr(config.settings("dedup.score", config.dedup.score), "file", "")
        try:
            return cls(config, statistics, Path(file).read_bytes() if file else b"")
        except OSError as error:
            raise ConfigError([f"dedup.{config.dedup.score}.file: {file}: {error.strerror}"]) from error

    @property
    def config(self) -> Config:
        """The configuration for a task: the scorer's file is one that the machine of the task has."""
        if not self.model:
            return self.driver_config
        key = "dedup.score", self.driver_config.dedup.score
        settings = msgspec.structs.replace(self.driver_config.settings(*key), file=_model_file(self.model))
        return msgspec.structs.replace(
            self.driver_config, adapter_settings=self.driver_config.adapter_settings | {key: settings}
        )


@lru_cache(maxsize=2)
def _model_file(content: bytes) -> str:
    """Write a model to the folder of this machine that Spark removes at the end of the application."""
    folder = Path(SparkFiles.getRootDirectory())
    file = folder / f"model-{digest(content)}.json"
    if not file.exists():
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as out:
            out.write(content)
        Path(out.name).replace(file)
    return str(file)


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
