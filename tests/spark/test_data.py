"""Merge, triplify and the release on Spark give what one machine gives, in a first run and in updates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from pyspark.sql import SparkSession
from zlib_ng import gzip_ng

from bibld import config, pipeline
from bibld.catalog import Catalog, EntityVerdict, PersonVerdict, Queue, Verdicts
from bibld.model.linkage import Pair
from bibld.model.release import Manifest
from bibld.progress import Silent
from bibld.spark._convert.to_tables import write_tables
from bibld.spark._data import cluster_entities, describe_clusters, keep_links, merge_clusters, point_to_founders
from bibld.spark._engine import Engine
from bibld.spark._output import publish_release, remove_releases
from bibld.spark._schemas import spark_schema
from tests.configuration import load_config
from tests.end_to_end.conftest import CLOCK, sample_in
from tests.triplify.merged_book import IRIS
from tests.triplify.small_world import NUMBERS, Book, Change, Decided, World

MADE = ("merged", "statements", "entities", "existence_dependencies", "assertions")
"""The tables that these stages make and that one machine has, too."""

Rows = dict[str, list[tuple[Any, ...]]]

TIMES = [CLOCK + timedelta(days=day) for day in range(4)]
SETTINGS = '\n[publish]\nsuppress = "suppress.csv"\nkeep = 3\nfull = "always"\n'


class Twins:
    """A workspace of one machine, and one on Spark that gets the tables of the stages before merge from it."""

    def __init__(self, folder: Path, spark: SparkSession) -> None:
        file = sample_in(folder).file
        file.write_text(file.read_text(encoding="utf-8").replace("../build/sample", "workspace") + SETTINGS, "utf-8")
        (file.parent / "suppress.csv").write_text("record,value,reason\n", encoding="utf-8")
        self.config = config.load(file)
        self._config_of_spark = msgspec.structs.replace(self.config, workspace=folder / "other")
        self._spark = spark
        self.expected: Rows = {}
        self.made: Rows = {}
        self.number = 0

    def run(self, time: datetime) -> None:
        """Run all stages on one machine, and those from merge on on Spark."""
        pipeline.run(self.config, time, Silent(), allow_deletes=True)
        with Catalog(self.config.workspace) as catalog:
            engine, self.expected = engine_beside(catalog, self.engine(time))
        merge_clusters(engine)
        run_triplify(engine)
        self.number = publish_release(engine, part_bytes=200_000).number
        self.made = rows_of(engine)
        engine.tables.commit()
        remove_releases(engine)

    def engine(self, time: datetime) -> Engine:
        return Engine(self._spark, self._config_of_spark, time, Silent())

    @property
    def place(self) -> Path:
        """The folder of the release on Spark."""
        return self._config_of_spark.workspace / "spark" / "releases" / str(self.number)

    @property
    def place_on_one_machine(self) -> Path:
        return pipeline.current_release(self.config)[0]


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


def manifest(place: Path) -> Manifest:
    return msgspec.json.decode((place / "manifest.json").read_bytes(), type=Manifest)


def lines_of(files: Iterable[Path]) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as raw:
            data = zstandard.ZstdDecompressor().stream_reader(raw).read() if file.suffix == ".zst" else None
        yield from (gzip_ng.open(file).read() if data is None else data).splitlines()


def check_equality(twins: Twins) -> None:
    for name in MADE:
        assert twins.made[name] == twins.expected[name], name
    here, there = twins.place, twins.place_on_one_machine
    for pattern, name in (("bibld-*.nq.zst", "bibld.nq.gz"), ("bibld-*.nt.zst", "bibld.nt.gz")):
        assert sorted(lines_of(here.glob(pattern))) == sorted(lines_of([there / name])), name
    ours, theirs = manifest(here), manifest(there)
    assert ours.figures.sources == theirs.figures.sources
    assert ours.full is not None and theirs.full is not None
    assert (ours.full.quads, ours.full.triples) == (theirs.full.quads, theirs.full.triples)
    for file in ours.files:
        data = (here / file.name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256), file.name
    assert {file.name for file in here.iterdir()} == {file.name for file in ours.files} | {"manifest.json"}


def check_changes(twins: Twins) -> None:
    """The patch and the feed have the same bytes; the times of both runs are the same."""
    here, there = twins.place, twins.place_on_one_machine
    names = [f"added-{twins.number}.nq.gz", f"removed-{twins.number}.nq.gz", "changes.tsv", "feed.ttl"]
    for name in [*names, *(page.name for page in there.glob("feed*.activities.json"))]:
        assert (here / name).read_bytes() == (there / name).read_bytes(), name
    (patch,) = manifest(here).patches
    assert patch == manifest(there).patches[-1]


def change_sources(twins: Twins) -> None:
    """Delete records of one source, change one record, and add it a second time under another number."""
    file = twins.config.folder / "nlr.iso"
    *records, _ = file.read_bytes().split(b"\x1d")
    file.write_bytes(b"".join(record + b"\x1d" for record in records[3:]))
    file = twins.config.folder / "slavica.xml"
    text = file.read_text(encoding="utf-8")
    assert text.count("New York") > 1
    file.write_text(text.replace("New York", "Brooklyn", 1), encoding="utf-8")


def give_verdicts(twins: Twins) -> None:
    """Separate the first two records of the largest cluster, and the first two agents that are the same."""
    with Catalog(twins.config.workspace, read_only=True) as catalog:
        members = catalog.linkage.cluster(catalog.linkage.largest_clusters(1)[0]).members
    base = twins.config.dataset.base
    same = next(row for row in sorted(twins.made["entities"], key=repr) if row[0] != row[1] and "/agent/" in row[0])
    left, right = sorted(iri.removeprefix(base) for iri in same[:2])
    with Verdicts(twins.config.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(Pair.from_records(*members[:2]), "different", "me")], TIMES[1].isoformat())
        verdicts.of_entities.add(EntityVerdict(left, right, "different", "me", "", TIMES[1].isoformat()))


def test_runs_of_one_workspace(spark: SparkSession, tmp_path: Path) -> None:
    twins = Twins(tmp_path, spark)
    twins.run(TIMES[0])
    assert twins.number == 1
    check_equality(twins)
    assert len(list(twins.place.glob("bibld-*.nq.zst"))) > 3, "the dumps consist of parts"

    change_sources(twins)
    give_verdicts(twins)
    twins.run(TIMES[1])
    assert twins.number == 2
    check_equality(twins)
    check_changes(twins)
    assert manifest(twins.place).patches[0].removed_quads > 100
    assert b"\tdeleted\t" in (twins.place / "changes.tsv").read_bytes()

    engine = twins.engine(TIMES[2])
    same = publish_release(engine)
    engine.tables.commit()
    assert (same.number, same.is_new) == (2, False), "nothing changed, so there is no new release"

    engine = twins.engine(TIMES[3])
    with Catalog(twins.config.workspace, read_only=True) as catalog:
        ordinal = next(catalog.linkage.founders())
    for name, row in (("active_suppression", (ordinal, "")), ("register_suppression", (ordinal, "", "a court"))):
        engine.tables.write(name, "suppressed", spark.createDataFrame([row], spark_schema(name)))
    last = publish_release(engine)
    engine.tables.commit()
    remove_releases(engine)
    assert (last.number, last.is_new) == (3, True)
    assert last.manifest.patches == (), "a patch would contain what must not be published"
    assert sorted(folder.name for folder in twins.place.parent.iterdir()) == ["3"], "earlier releases are removed"


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
            engine, expected = engine_beside(world.catalog, Engine(spark, settings, TIMES[0], Silent()))
            run_triplify(engine)
            made = rows_of(engine)
            assert made == expected
            assert len({row[3] for row in made["existence_dependencies"]}) == 2, "some exist, and some do not"
            engine.tables.commit()


def test_links_of_entities_that_exist_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), TIMES[0], Silent())
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
    assert keep_links(engine) == 1
    assert [row["quad"] for row in engine.tables.read("links").collect()] == [quad % 1]
    (described,) = engine.tables.read("link_sets").collect()
    assert described["name"] == "viaf" and '"1"^^' in described["quads"] and "viaf.nt, 9 records" in described["quads"]
    version = engine.tables.version("links")
    assert keep_links(engine) == 0 and engine.tables.version("links") == version
