"""``bibld workspace convert``: tables in a folder need no Java."""

import json
import shutil
import sys
from collections.abc import Callable

import msgspec
import pytest
from click.testing import CliRunner, Result

from bibld import config, pipeline, progress
from bibld.catalog.engines import note_run_on_spark
from bibld.cli import command_line
from bibld.config import Config
from tests.end_to_end.conftest import CLOCK, sample_in

pytest.importorskip("pyspark", reason="pyspark is not installed")


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    loaded = sample_in(tmp_path_factory.mktemp("intact"))
    pipeline.run(loaded, CLOCK, progress.Silent())
    return loaded


@pytest.fixture
def sample(intact, tmp_path):
    shutil.copytree(intact.folder.parent, tmp_path / "copy")
    return config.load(tmp_path / "copy" / "sample" / "bibld.toml")


@pytest.fixture
def convert(sample: Config) -> Callable[..., Result]:
    def run(*words: str) -> Result:
        return CliRunner().invoke(command_line, ["workspace", "convert", str(sample.file), *words])

    return run


def test_a_workspace_goes_to_tables_and_back(sample, convert):
    there = convert("--to", "spark", "-q")
    assert there.exit_code == 0, there.output
    assert there.output.endswith(f" rows of 27 tables, 289 records copied to run 1 in {sample.workspace / 'spark'}\n")
    again = convert("--to", "spark", "-q")
    assert again.output.startswith(f"run 1 in {sample.workspace / 'spark'} is current: ")
    back = convert("--to", "local", "-q", "--json")
    found = json.loads(back.output)
    assert (found["engine"], found["run"], found["rows"]["records"]) == ("local", 1, 289)
    ran = CliRunner().invoke(command_line, ["run", str(sample.file), "-q"])
    assert ran.exit_code == 0, ran.output


def test_one_machine_does_not_run_what_spark_has_run_since(sample, convert):
    assert convert("--to", "spark", "-q").exit_code == 0
    note_run_on_spark(sample.workspace, 2)
    advice = f"run `bibld workspace convert {sample.file} --to local`"
    convert_again = ["workspace", "convert", str(sample.file), "--to", "spark", "-q"]
    for words in (["run", str(sample.file), "-q"], ["link", str(sample.file)], convert_again):
        refused = CliRunner().invoke(command_line, words)
        assert refused.exit_code == 1, words
        assert f"run 2 was on Spark, and this machine does not have its results; {advice} first" in refused.output
    for name in ("catalog.db", "register.db"):
        (sample.workspace / name).unlink()
    shutil.rmtree(sample.workspace / "releases")
    file = str(sample.file)
    for words in (["stats", file], ["serve", file], ["catalog", "check", file], ["split", file, "a:1"]):
        refused = CliRunner().invoke(command_line, words)
        assert refused.exit_code == 1, words
        assert "on this machine, only on Spark" in refused.output
        assert f"{advice}, then `bibld run {sample.file} --engine local`" in refused.output
    assert convert("--to", "local", "-q").exit_code == 0
    ran = CliRunner().invoke(command_line, ["run", str(sample.file), "-q"])
    assert ran.exit_code == 0, ran.output


def test_there_must_be_results_to_convert(sample, convert):
    nothing = convert("--to", "local", "-q")
    assert nothing.exit_code == 1
    assert "contains no complete run; run `bibld run CONFIG --engine spark` first" in nothing.output
    shutil.rmtree(sample.workspace)
    nothing = convert("--to", "spark", "-q")
    assert nothing.exit_code == 1
    assert "nothing has been run yet, there is nothing to convert" in nothing.output


@pytest.fixture
def without_spark(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("bibld.spark")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)


def test_releases_of_this_machine_need_no_spark_although_it_ran_last(sample, without_spark):
    first = sample.workspace / "releases" / "1"
    shutil.copytree(first, first.with_name("2"))
    manifest = msgspec.json.decode((first / "manifest.json").read_bytes())
    (first.with_name("2") / "manifest.json").write_bytes(msgspec.json.encode({**manifest, "number": 2}))
    (first.parent / "current").write_text("2\n")
    note_run_on_spark(sample.workspace, 7)
    back = CliRunner().invoke(command_line, ["rollback", str(sample.file)])
    assert (back.exit_code, back.stdout) == (0, "release 1 is current; the newest one is 2\n")
    listed = CliRunner().invoke(command_line, ["releases", str(sample.file)])
    assert (listed.exit_code, listed.stdout) == (2, "")
    assert "Spark is not installed; run: pip install 'bibld[spark]'" in listed.stderr


def test_without_spark_the_command_states_what_to_install(convert, without_spark):
    missing = convert("--to", "spark")
    assert missing.exit_code == 2
    assert "Spark is not installed; run: pip install 'bibld[spark]'" in missing.output
