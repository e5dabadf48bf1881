"""Whole runs over the sample: the tables and the release of both engines are the same, night after night."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

import bibld
from bibld.catalog import Catalog, PersonVerdict
from bibld.cli import command_line
from bibld.config import EngineConfig
from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Pair
from bibld.model.review import EntityPair
from bibld.serve import ontology as resources
from bibld.spark import _release
from bibld.spark._engine import check_java, session
from tests.spark.twins import FIRST_NIGHT, Twins, manifest

SETTINGS = """
[publish]
suppress = "suppress.csv"
full = "always"
[dedup]  # few records of a key and few of a cluster: oversized keys of all levels, and components that are cut
largest_cluster = 2
[dedup.identifier]
largest_bucket = 2
[dedup.composite]
largest_bucket = 3
"""


@pytest.fixture
def twins(tmp_path: Path, spark: SparkSession) -> Twins:
    folder = tmp_path / "sample"
    shutil.copytree(resources.folder("sample_data"), folder)
    (folder / "suppress.csv").write_text("record,value,reason\n", encoding="utf-8")
    text = (folder / "bibld.toml").read_text(encoding="utf-8").replace("../build/sample", "WORKSPACE")
    return Twins(spark, folder, text + SETTINGS)


def keep_records(twins: Twins, first: int, last: int | None) -> None:
    """Write the file of one source again, with some of its records."""
    file = twins.folder / "nlr.iso"
    complete = file.with_suffix(".all")
    if not complete.exists():
        shutil.copy(file, complete)
    records = complete.read_bytes().split(b"\x1d")[:-1]
    file.write_bytes(b"".join(record + b"\x1d" for record in records[first:last]))


def change_record(twins: Twins) -> None:
    file = twins.folder / "slavica.xml"
    text = file.read_text(encoding="utf-8")
    assert text.count("New York") > 1
    file.write_text(text.replace("New York", "Brooklyn", 1), encoding="utf-8")


def decide(twins: Twins) -> None:
    """Separate the first records of two clusters, join two others, and separate two agents that are the same."""
    with Catalog(twins.local.workspace, read_only=True) as catalog:
        linkage, register = catalog.linkage, catalog.register
        clusters = [linkage.cluster(founder).members[:2] for founder in list(linkage.founders(least=2))[:4]]
        others = register.record(1), register.record(2)
    iri, founder = next(row[:2] for row in sorted(twins.rows["entities"]) if row[0] != row[1] and "/agent/" in row[0])
    paths = sorted(one.removeprefix(twins.local.dataset.base) for one in (iri, founder))
    time = FIRST_NIGHT.isoformat()
    pairs = [(*clusters[0], "different"), (*clusters[3], "related"), (*others, "same")]
    for verdicts in twins.verdicts():
        verdicts.add([PersonVerdict(Pair.from_records(*ends), kind, "anna") for *ends, kind in pairs], time)
        verdicts.add([PersonVerdict(EntityPair(*paths), "different", "anna")], time)


def kinds_of_events(twins: Twins) -> set[str]:
    return {kind for _, _, _, kind, _ in twins.rows["register_event"]}


def test_nights_of_both_engines(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_release, "PART_BYTES", 200_000)

    keep_records(twins, 5, None)
    twins.run()
    assert kinds_of_events(twins) == set()
    assert any("oversized keys were refined" in message for message in twins.messages)
    assert any("was cut at the score" in message for message in twins.messages)
    assert len(list(twins.place.glob("bibld-*.nq.gz"))) > 3, "the dumps consist of parts"

    # Records are added, changed and deleted, and people decide.
    keep_records(twins, 0, -5)
    change_record(twins)
    decide(twins)
    statistics = twins.rows["statistics"]
    twins.run(allow_deletes=True)
    assert kinds_of_events(twins) >= {"appeared", "deleted", "absorbed"}
    assert twins.rows["statistics"] == statistics
    assert manifest(twins.place).patches[0].removed_quads > 100
    assert b"\tdeleted\t" in (twins.place / "changes.tsv").read_bytes()

    # A release of a run that was stopped is not listed, and the next run replaces it.
    stopped = twins.place.with_name("3")
    shutil.copytree(twins.place, stopped)
    found = [(one.release, one.engine, one.is_current) for one in bibld.Workspace(twins.spark.file).releases()]
    assert found == [(1, "spark", False), (2, "spark", True)]
    listed = CliRunner().invoke(command_line, ["releases", str(twins.spark.file)]).output.splitlines()
    assert [line.split()[0] for line in listed[1:]] == ["1", "2"]
    assert listed[2].endswith("current, on Spark")
    assert [one.engine for one in bibld.Workspace(twins.local.file).releases()] == ["local", "local"]
    shutil.rmtree(stopped)

    # Nothing changes.
    versions = twins.tables().committed.tables
    done = CliRunner().invoke(command_line, ["run", str(twins.spark.file), "--engine", "spark", "--quiet"])
    assert done.exit_code == 0, done.output
    assert "since the last run: nothing changed" in done.output
    stages = ("read", "dedup", "merge", "triplify")
    found = [line.split()[:2] for line in done.output.splitlines() if line.startswith(stages)]
    assert found == [[stage, "current"] for stage in stages]
    assert "release is current: file://" in done.output
    assert twins.tables().committed.tables == versions

    # Records return, a verdict is withdrawn, and a record is suppressed.
    keep_records(twins, 0, None)
    for verdicts in twins.verdicts():
        verdicts.withdraw(verdicts.current()[0])
    (_, source, number), *_ = twins.rows["register_ordinal"]
    (twins.folder / "suppress.csv").write_text(f"record,value,reason\n{source}:{number},,a court\n", encoding="utf-8")
    twins.run(until="triplify")
    twins.run()
    assert kinds_of_events(twins) >= {"restored", "returned"}
    assert manifest(twins.place).patches == (), "a patch would contain what must not be published"
    assert len(list(twins.place.parent.iterdir())) == 1, "earlier releases are removed"

    with pytest.raises(StageError, match=r"was run on one machine; run `bibld workspace convert .* --to spark` first"):
        bibld.Workspace(twins.local.file).run(engine="spark")


@pytest.mark.parametrize(
    ("text", "until", "message"),
    [
        ("", "store", "Spark loads no store"),
        ('[dedup]\nblock = ["prefix"]\n', "publish", r'dedup\.block: "prefix" compares all records in the memory of'),
    ],
)
def test_what_spark_cannot_do_is_refused(
    configured: Callable[..., bibld.config.Config], text: str, until: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        bibld.Workspace(configured(text, a="a.mrc").file).run(until, engine="spark")


def test_java_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match=r"Spark needs Java 17: JAVA_HOME names .*; install it"):
        check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="there is no `java` on the path"):
        check_java()


def test_a_session_of_this_process_is_used(spark: SparkSession) -> None:
    with session(EngineConfig("spark"), "another") as opened:
        assert opened is spark
    assert spark.range(3).count() == 3, "it was not stopped"
