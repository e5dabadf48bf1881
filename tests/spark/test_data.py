"""Descriptions and entities on Spark are those of one machine, and links are kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from bibld.catalog import Catalog, Queue
from bibld.errors import StageError
from bibld.model.origin import RecordId
from bibld.progress import Silent
from bibld.spark import _entities as entities
from bibld.spark._descriptions import describe_clusters
from bibld.spark._engine import Engine
from bibld.spark._entities import cluster_entities, keep_links, point_to_founders
from bibld.spark._frames import batches_of, spark_schema
from bibld.spark._frames import rows_of as rows_of_batches
from bibld.spark.conversion import write_tables
from bibld.triplify._claims import Claim, EntityClaim, NameForm, encode_assertions
from tests.configuration import load_config
from tests.spark.twins import Reported
from tests.triplify.merged_book import IRIS
from tests.triplify.small_world import NUMBERS, Book, Change, Decided, World

ROWS_OF_ENTITIES = pa.schema(
    [("component", pa.int64()), ("entity", pa.string()), ("body", pa.binary()), ("votes", pa.int64())]
)

MADE = ("merged", "statements", "entities", "existence_dependencies", "assertions")
"""The tables that these stages make and that one machine has, too."""

TIME = datetime(2026, 1, 1, tzinfo=UTC)

Rows = dict[str, list[tuple[Any, ...]]]


def run_triplify(engine: Engine) -> None:
    describe_clusters(engine)
    cluster_entities(engine)
    point_to_founders(engine)
    keep_links(engine)


def engine_beside(catalog: Catalog, engine: Engine) -> tuple[Engine, Rows]:
    """Return an engine whose tables are those of a catalog, without the results of merge and triplify; and these.

    The last committed run of the engine is the one before.
    """
    before = engine.tables.committed
    with catalog.commit():  # the clusters of these worlds are given, so nothing is matched
        catalog.dirty[Queue.UNMATCHED_RECORDS].clear()
    write_tables(catalog, engine.tables, engine.run_time.isoformat(), Silent())
    converted, expected = engine.tables.committed.tables, rows_of(engine)
    engine = Engine(engine.spark, engine.config, engine.run_time, Silent())
    engine.tables.committed = msgspec.structs.replace(engine.tables.committed, tables=before.tables)
    for name, version in converted.items():
        if name not in MADE:
            engine.tables.use(name, version)
    return engine, expected


def rows_of(engine: Engine) -> Rows:
    return {name: sorted(map(tuple, engine.tables.read(name).collect()), key=repr) for name in MADE}


def test_records_that_others_name_and_decisions_about_entities(spark: SparkSession, tmp_path: Path) -> None:
    settings = load_config(tmp_path, a="a.mrc")
    separate = tuple(NUMBERS)
    changes = [
        Change({1: Book(1, 5, host=2), 2: Book(2, 6), 3: Book(3, 7, host=4), 5: Book(1, 8, host=1)}, separate),
        Change({2: None, 4: Book(1, 4)}, separate, Decided(0, 2, "different")),
        Change({1: None}, separate, Decided(0, 2, "withdraw")),
    ]
    with World(tmp_path / "world") as world:
        for change in changes:
            world.change(change)
            world.triplify()
            engine, expected = engine_beside(world.catalog, Engine(spark, settings, TIME, Silent()))
            run_triplify(engine)
            made = rows_of(engine)
            assert made == expected
            assert len({row[3] for row in made["existence_dependencies"]}) == 2, "some exist, and some do not"
            engine.tables.commit()


def test_tied_entities_that_no_task_has_room_for_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [
        Claim(f"{IRIS.base}agent/{number}", "agent", EntityClaim(NameForm(f"Name {number}"), ties=("viaf:1",)), record)
        for number, record in enumerate(RecordId("a", str(number)) for number in range(9))
    ]
    rows = [(1, entity, body, votes) for (entity, body), votes in encode_assertions(claims).items()]
    (batch,) = batches_of(rows, ROWS_OF_ENTITIES)
    shared = SimpleNamespace(value=entities._Settings(IRIS, {}, ()))
    assert len(list(entities._describe_component(shared, 1, rows_of_batches([batch], entities._Row)))) == 9
    monkeypatch.setattr(entities, "MAX_COMPONENT_BYTES", 200)
    message = f"triplify: more entities are tied to {IRIS.base}agent/0 than one task has room for"
    with pytest.raises(StageError, match=message):
        list(entities._describe_component(shared, 1, rows_of_batches([batch], entities._Row)))


def test_links_of_entities_that_exist_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), TIME, Silent())
    quad = f"<{IRIS.base}agent/%s> <http://www.w3.org/2002/07/owl#sameAs> <http://viaf.org/viaf/1> <x> ."
    contents: dict[str, list[tuple[object, ...]]] = {
        "entities": [(f"{IRIS.base}agent/1", f"{IRIS.base}agent/1", b"<a> <b> <c> .\n", None)],
        "links": [
            (f"{IRIS.base}agent/{n}", "viaf", "v", "owl:sameAs", 1.0, "", "accepted", "", "", "file", quad % n)
            for n in (1, 2)
        ],
        "authority_files": [("file", "viaf.nt", "digest", "", "2026-01-01T00:00:00Z", 9, 0.9, 0.5)],
        "link_sets": [("viaf", "<x> <y> <z> <g> .\n"), ("gnd", "<x> <y> <z> <h> .\n")],
    }
    for name, some in contents.items():
        engine.tables.write(name, "1", spark.createDataFrame(some, spark_schema(name)))
    reports = Reported()
    engine.progress = reports
    assert keep_links(engine) == 1
    assert "1 new entity without links" in reports.messages[-1]
    assert [row["quad"] for row in engine.tables.read("links").collect()] == [quad % 1]
    (described,) = engine.tables.read("link_sets").collect()
    assert described["name"] == "viaf" and '"1"^^' in described["quads"] and "viaf.nt, 9 records" in described["quads"]
    version = engine.tables.version("links")
    assert keep_links(engine) == 0 and engine.tables.version("links") == version
