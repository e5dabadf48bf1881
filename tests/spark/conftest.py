from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from pyspark.sql import SparkSession

from bibld.config import EngineConfig
from bibld.spark._engine import session
from bibld.spark._tables import Storage, Tables

SMALL = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": 2,
    "spark.default.parallelism": 2,
    # Tables of some rows: it would take longer to compile the code for them than to run it.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": False,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": False,
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session in this process; the same code as on a cluster, without its network."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with session(EngineConfig("spark", "local[2]", dict(SMALL)), "tests of bibld") as opened:
        yield opened


@pytest.fixture
def tables(spark: SparkSession, tmp_path: Path) -> Tables:
    return Tables(spark, Storage(spark, str(tmp_path / "storage")))
