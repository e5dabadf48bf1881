from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bibld.errors import ConfigError, StageError
from bibld.progress import Silent
from bibld.spark._engine import Engine
from tests.configuration import load_config

TIME = datetime(2026, 1, 1, tzinfo=UTC)


class Recorded(Silent):
    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        self.stages.append(f"{name} ({what})")


def test_jobs_have_the_name_of_what_they_do(spark: SparkSession, tmp_path: Path) -> None:
    progress = Recorded()
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), TIME, progress)
    assert engine.storage.root == f"file://{tmp_path}/work/spark"
    assert engine.tables.number == 1
    with engine.job("dedup: keys"):
        assert spark.sparkContext.getLocalProperty("spark.job.description") == "dedup: keys"
        spark.range(5).count()
    assert spark.sparkContext.getLocalProperty("spark.job.description") is None
    assert progress.stages == ["dedup: keys (tasks)"]
    with pytest.raises(StageError, match=r"^merge: .*nothere"), engine.job("merge"):
        spark.read.parquet(f"{tmp_path}/nothere").count()


def test_the_extra_has_what_functions_over_arrow_need() -> None:
    # pyspark demands pandas of the driver before it takes such a function, and does not install it.
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {requirement.partition(">")[0] for requirement in project["optional-dependencies"]["spark"]}
    assert names == {"pandas", "pyarrow", "pyspark"}


def test_values_are_sent_to_tasks(spark: SparkSession, tmp_path: Path) -> None:
    config = load_config(tmp_path, a="a.mrc")
    engine = Engine(spark, config, TIME, Silent())
    assert engine.broadcast(config).value == config


def test_the_engine_is_configured(tmp_path: Path) -> None:
    text = '[engine]\nname = "spark"\nstorage = "tables"\nenvironment = "env.tar.gz"\n'
    loaded = load_config(tmp_path, text + '[engine.conf]\nspark.executor.memory = "2g"\n"spark.a" = true\n', a="a.mrc")
    assert loaded.engine.storage == str(tmp_path / "tables")
    assert loaded.engine.environment == str(tmp_path / "env.tar.gz")
    assert loaded.engine.conf == {"spark.executor.memory": "2g", "spark.a": True}
    assert load_config(tmp_path, '[engine]\nstorage = "s3a://b/c"\n', a="a.mrc").engine.storage == "s3a://b/c"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('name = "flink"', r"bibld\.toml:\d+: engine\.name: Invalid enum value 'flink'"),
        ('mastr = "yarn"', r'unknown key "engine\.mastr"; did you mean "master"\?'),
        ("conf = { executor = 1 }", r'engine\.conf: "executor" is not a property of Spark'),
        ("conf = { spark.jars = [1] }", r'engine\.conf: "spark\.jars" is neither text, number nor true or false'),
    ],
)
def test_faults_of_the_engine_are_located(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        load_config(tmp_path, f"[engine]\n{text}\n", a="a.mrc")
