"""Whole runs on Spark: the tables and the release of one machine, night after night; complete tables are only read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

import bibld
from bibld import resources
from bibld.catalog import Catalog, EntityVerdict, PersonVerdict
from bibld.cli import command_line
from bibld.config import EngineConfig
from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Pair
from bibld.spark._output import dumps
from bibld.spark._session import check_java, session
from bibld.spark._tables import Tables
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


def repeat_record(twins: Twins, count: int) -> None:
    """Add copies, with other control numbers, of a record with an ISBN to the file of one source."""
    file = twins.folder / "slavica.xml"
    text = file.read_text(encoding="utf-8")
    records = [piece.split("</record>")[0] for piece in text.split("<record ")[1:]]
    record = next(one for one in records if 'tag="020"' in one)
    number = record.split('tag="001">')[1].split("<")[0]
    copies = ("<record " + record.replace(number, f"copy{place}", 1) + "</record>" for place in range(count))
    file.write_text(text.replace("</collection>", "".join(copies) + "</collection>"), encoding="utf-8")


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
        verdicts.of_entities.add(EntityVerdict(paths[0], paths[1], "different", "anna", "", time))


def stop_at(table: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let runs stop when this table is about to be written; return where the tables that are written are named."""
    write, made = Tables.write, list[str]()

    def stopping(self: Tables, name: str, made_by: str, frame: DataFrame, *sort: object, **other: object) -> DataFrame:
        if name == table:
            raise KeyboardInterrupt
        if not self.is_complete(name, made_by):
            made.append(name)
        return write(self, name, made_by, frame, *sort, **other)  # type: ignore[arg-type]

    monkeypatch.setattr(Tables, "write", stopping)
    return made


def kinds_of_events(twins: Twins) -> set[str]:
    return {kind for _, _, _, kind, _ in twins.rows["register_event"]}


def test_nights_of_both_engines(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "PART_BYTES", 200_000)

    # The first run is stopped, and resumes at the last complete table.
    keep_records(twins, 5, None)
    twins.night = 1
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_at("merged", patch)
        twins.run_on_spark()
    twins.night = 0
    with monkeypatch.context() as patch:
        made = stop_at("", patch)
        twins.run()
    assert made[0] == "merged"
    assert kinds_of_events(twins) == set()
    assert any("oversized keys were refined" in message for message in twins.messages)
    assert any("was cut at the score" in message for message in twins.messages)
    assert len(list(twins.place.glob("bibld-*.nq.zst"))) > 3, "the dumps consist of parts"

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
    twins.run()
    assert kinds_of_events(twins) >= {"restored", "returned"}
    assert manifest(twins.place).patches == (), "a patch would contain what must not be published"
    assert len(list(twins.place.parent.iterdir())) == 1, "earlier releases are removed"

    # Keys grow too far, and there is another scorer.
    repeat_record(twins, 25)
    edges = twins.rows["edges"]
    twins.configure(twins.text.replace("[dedup] ", '[dedup]\nscore = "jaccard"\n#'))
    twins.run()
    again = "dedup: far more records share a key than when keys were counted; they are counted again"
    assert again in twins.messages
    assert [version for version, _, _ in twins.rows["statistics"]] == [2]
    assert len(twins.rows["edges"]) != len(edges)

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
