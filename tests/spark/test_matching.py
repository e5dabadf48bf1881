"""Components that tasks cluster, and matching without records."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from bibld.errors import StageError
from bibld.spark import _clusters
from bibld.spark._engine import Engine
from bibld.spark._matching import match_records
from tests.configuration import load_config
from tests.end_to_end.conftest import CLOCK
from tests.spark.twins import Reported

RESULTS = ("edges", "members", "register_redirect", "register_event", "matching", "statistics")


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_components_are_not_cut_where_batches_end(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(_clusters, "_ROWS", 20)
    sizes = [1, 2, 19, 60, 1, 1, 20, 3, 40, 2]
    rows = [(component * 3, place) for component, count in enumerate(sizes) for place in range(count)]
    table = pa.table({"component": [row[0] for row in rows], "place": [row[1] for row in rows]})
    nothing = table.slice(0, 0).to_batches()
    found = list(_clusters.complete_components([*nothing, *table.to_batches(max_chunksize=size), *nothing]))
    assert pa.concat_tables(found) == table
    ends = [set(portion["component"].to_pylist()) for portion in found]
    assert sum(map(len, ends)) == len(sizes)
    assert all(portion.num_rows for portion in found)
    if size <= 50:
        assert len(found) > 3


def test_a_component_that_no_task_has_room_for_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_clusters, "MAX_COMPONENT_BYTES", 4000)
    table = pa.table({"component": [5] * 600, "place": list(range(600))})
    with pytest.raises(StageError, match=r"linked with the record of ordinal 5 .* \(300 records and pairs, 0 MB\)"):
        list(_clusters.complete_components(table.to_batches(max_chunksize=100)))


def test_no_records_have_no_pairs(spark: SparkSession, tmp_path: Path) -> None:
    reports = Reported()
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), CLOCK, reports)
    assert match_records(engine) == 0
    assert {name: engine.tables.read(name).count() for name in RESULTS} == dict.fromkeys(RESULTS, 0) | {
        "matching": 1,
        "statistics": 1,
    }
    assert reports.messages[-1] == "dedup: 0 candidate pairs of 0 records"
