"""Whole runs on Spark: the release has the same quads as one of one machine, and what is complete is only read."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import zstandard
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

import bibld
from bibld.cli import command_line
from bibld.config import EngineConfig
from bibld.errors import ConfigError, StageError
from bibld.spark._session import check_java, session
from bibld.spark._tables import Tables

SAMPLE = Path(__file__).parents[2] / "sample_data"
TIME = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spark") / "sample"
    shutil.copytree(SAMPLE, folder)
    config = folder / "bibld.toml"
    text = config.read_text(encoding="utf-8").replace('workspace = "../build/sample"', 'workspace = "work"')
    config.write_text(text, encoding="utf-8")
    config.with_name("local.toml").write_text(text.replace('"work"', '"local"'), encoding="utf-8")
    return config


def dump(release: str) -> list[bytes]:
    lines: list[bytes] = []
    for file in Path(release.removeprefix("file://")).glob("*.nq.zst"):
        with zstandard.open(file) as stream:
            lines += stream.read().splitlines()
    return sorted(lines)


def test_a_stopped_run_resumes_at_the_last_complete_table_and_gives_the_same_release(
    spark: SparkSession, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = bibld.Workspace(sample.with_name("local.toml")).run(at=TIME)
    write = Tables.write
    made: list[str] = []
    stop = "merged"

    def stopping(self: Tables, name: str, made_by: str, frame: DataFrame, *sort: object, **other: object) -> DataFrame:
        if name == stop:
            raise KeyboardInterrupt
        if not self.is_complete(name, made_by):
            made.append(name)
        return write(self, name, made_by, frame, *sort, **other)  # type: ignore[arg-type]

    monkeypatch.setattr(Tables, "write", stopping)
    with pytest.raises(KeyboardInterrupt):
        bibld.Workspace(sample).run(at=TIME, engine="spark")
    assert {"conversions", "settled", "records", "edges", "members"} <= set(made)
    made.clear()
    stop = ""
    summary = bibld.Workspace(sample).run(at=TIME, engine="spark")
    assert not {"conversions", "settled", "records", "edges", "members"} & set(made)
    assert "merged" in made
    assert dump(summary.release) == dump(local.release)
    assert summary.sources == local.sources
    assert summary.for_review == local.for_review
    quads = local.figures.quads  # those of the description of the files differ
    assert msgspec.structs.replace(summary.figures, quads=quads) == local.figures
    assert Path(summary.report).is_file()


def test_a_run_without_changes_is_current(spark: SparkSession, sample: Path) -> None:
    done = CliRunner().invoke(command_line, ["run", str(sample), "--engine", "spark", "--quiet"])
    assert done.exit_code == 0, done.output
    assert "since the last run: nothing changed" in done.output
    stages = [line.split()[:2] for line in done.output.splitlines() if line.startswith(("dedup", "merge", "triplify"))]
    assert stages == [["dedup", "current"], ["merge", "current"], ["triplify", "current"]]
    assert "release is current: file://" in done.output


def test_a_workspace_of_one_machine_is_converted_first(spark: SparkSession, sample: Path) -> None:
    with pytest.raises(StageError, match=r"was run on one machine; run `bibld workspace convert .* --to spark` first"):
        bibld.Workspace(sample.with_name("local.toml")).run(engine="spark")


def test_spark_loads_no_store(spark: SparkSession, sample: Path) -> None:
    with pytest.raises(ConfigError, match="Spark loads no store"):
        bibld.Workspace(sample).run("store", engine="spark")


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
