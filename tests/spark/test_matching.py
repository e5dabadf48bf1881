"""Components that tasks cluster, and matching without records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace
from pyspark import Broadcast
from pyspark.sql import SparkSession

from bibld.config import Config
from bibld.dedup.candidates import all_pairs
from bibld.dedup.columns import stored_rows
from bibld.dedup.key_tables import KeyTables
from bibld.errors import ConfigError, StageError
from bibld.model.features import FeatureColumns, Features, Statistics
from bibld.progress import Silent
from bibld.spark import _clusters, _features
from bibld.spark._candidates import Matching, find_pairs, freeze_statistics
from bibld.spark._engine import Engine
from bibld.spark._features import feature_batch
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


TIME = datetime(2026, 1, 1, tzinfo=UTC)
TITLES = 6_000


def one_author() -> FeatureColumns:
    """Many titles of one author with one mistaken identifier; every tenth is described twice."""
    copies = (place // 10 * 10 if place % 10 == 1 else place for place in range(TITLES))
    return FeatureColumns.from_features(
        (
            2 * place + 1,
            Features(
                title=f"poems volume {title}",
                main_title=f"poems of {title * 7919 % 10007} and of {title}",
                names="pushkin aleksandr sergeevich",
                identifiers="isbn:9785000000000",
                year=1900 + title % 7,
                pages=100 + title % 11,
            ),
        )
        for place, title in enumerate(copies)
    )


def pairs_in(engine: Engine) -> set[tuple[int, int]]:
    return {(row.left_ordinal, row.right_ordinal) for row in engine.tables.read("pairs").collect()}


def pairs_on_one_machine(config: Config, columns: FeatureColumns) -> tuple[Statistics, set[tuple[int, int]]]:
    with KeyTables(None, config) as tables:
        statistics = tables.rebuild(columns)
        with all_pairs(tables, columns, statistics) as pairs:
            return statistics, {
                (2 * one + 1, 2 * other + 1)
                for left, right in pairs
                for one, other in zip(left.tolist(), right.tolist(), strict=True)
            }


def test_one_author_with_very_many_titles_has_the_pairs_of_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    config = load_config(tmp_path, a="a.mrc")
    engine = Engine(spark, config, TIME, Silent())
    columns = one_author()
    texts = {name: pa.array(["a"] * TITLES) for name in ("source", "control_number")}
    identity = texts | {"made": pa.array([b""] * TITLES, pa.binary())}
    batch = feature_batch(stored_rows(columns), identity)
    frame = spark.createDataFrame(pa.Table.from_batches([batch])).repartition(5)
    engine.tables.write("features", "made for this test", frame)
    frozen = freeze_statistics(engine, count_again=False)
    assert frozen.version == 1
    assert find_pairs(engine, frozen)
    found = pairs_in(engine)
    statistics, expected = pairs_on_one_machine(config, columns)
    assert found == expected
    assert len(found) >= TITLES // 10
    # The trees of the pre-filter serve one scorer alone.
    other = Engine(spark, config.with_dedup((), "jaccard"), TIME, Silent())
    for name in ("features", "statistics"):
        other.tables.use(name, engine.tables.version(name))
    assert find_pairs(other, frozen)
    assert pairs_in(other) == pairs_on_one_machine(other.config, columns)[1]
    assert len(pairs_in(other)) > len(found)
    # Statistics of a time when no key was oversized are too old; the driver has keys counted again.
    other = Engine(spark, config, TIME, Silent())
    other.tables.use("features", engine.tables.version("features"))
    assert not find_pairs(other, replace(frozen, statistics=replace(frozen.statistics, oversized={})))
    for name, keys in statistics.oversized.items():
        assert np.array_equal(frozen.statistics.oversized[name], keys)
    assert len(statistics.oversized["identifier"]) > 1


def test_a_model_of_the_driver_is_read_by_tasks(spark: SparkSession, tmp_path: Path) -> None:
    content = b'{"a model": 1}'
    (tmp_path / "model.json").write_bytes(content)
    config = load_config(tmp_path, '[dedup.model]\nfile = "model.json"\n', a="a.mrc")
    engine = Engine(spark, config, TIME, Silent())
    shared = engine.broadcast(Matching.from_engine(engine, Statistics.empty()))
    (tmp_path / "model.json").unlink()
    rows = spark.range(3).mapInArrow(partial(_read_model, shared), "content string, workers long").distinct().collect()
    assert [tuple(row) for row in rows] == [(content.decode(), 1)]
    with pytest.raises(ConfigError, match=r"dedup\.model\.file: .*model\.json: No such file"):
        Matching.from_engine(engine, Statistics.empty())


def _read_model(shared: Broadcast[Matching], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    config = shared.value.config
    content = Path(config.settings("dedup.score", "model").file).read_text(encoding="utf-8")
    for batch in batches:
        count = batch.num_rows
        yield pa.RecordBatch.from_pydict({"content": [content] * count, "workers": [config.workers] * count})


def test_batches_with_long_descriptions_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_features, "_MAX_PART_BYTES", 100)
    sizes = [10, 95, 20, 300, 1, 1, 99]
    batch = pa.RecordBatch.from_pydict({"mods": [b"x" * size for size in sizes]})
    parts = [[len(mods) for mods in part.column("mods").to_pylist()] for part in _features.cut_by_size(batch)]
    assert [size for part in parts for size in part] == sizes
    assert all(sum(part[1:]) <= 100 for part in parts)
    assert len(parts) > 2
    assert list(_features.cut_by_size(batch.slice(0, 0))) == []
