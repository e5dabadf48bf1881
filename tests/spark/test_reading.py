"""Reading on Spark gives the tables that reading on one machine gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from pyspark.sql import SparkSession

from bibld import pipeline
from bibld.catalog import Catalog
from bibld.catalog.exchange import export_of
from bibld.config import Config
from bibld.ingest import LoadResult
from bibld.progress import Silent
from bibld.spark._engine import Engine
from bibld.spark._sources import last_readings, read_sources
from tests.configuration import write_config

TIME = datetime(2026, 1, 1, tzinfo=UTC)
COMPARED = ("register_ordinal", "register_suppression", "active_suppression", "records", "rejects", "loads")
NOT_COMPARED = {"carrier", "run"}


class Warnings(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warn(self, message: str) -> None:
        self.lines.append(message)

    def report(self, message: str) -> None:
        if message.startswith("read: source ") or "suppression" in message:
            self.lines.append(message)


def record(number: str, title: str = "A", status: str = "n") -> bytes:
    """Return a MARC 21 record; without a number it has no field 001."""
    fields = [("001", f"{number}\x1e")] if number else []
    fields.append(("245", f"10\x1fa{title}\x1e"))
    directory = content = ""
    for tag, text in fields:
        directory += f"{tag}{len(text.encode()):04}{len(content.encode()):05}"
        content += text
    base = 24 + len(directory) + 1
    length = base + len(content.encode()) + 1
    return f"{length:05}{status}am a22{base:05} i 4500{directory}\x1e{content}\x1d".encode()


def comparable(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    chosen = [number for number, column in enumerate(columns) if column not in NOT_COMPARED]
    return sorted(
        repr([list(row[n]) if isinstance(row[n], list | tuple) else plain(row[n]) for n in chosen]) for row in rows
    )


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def one_machine(config: Config, allow_deletes: bool) -> tuple[dict[str, list[str]], list[LoadResult], list[str]]:
    progress = Warnings()
    with Catalog(config.workspace) as catalog:
        options = pipeline.RunOptions(until="read", allow_deletes=allow_deletes)
        run = pipeline.LocalRun(catalog, config, TIME, progress, options)
        loads = list(run.run().sources)
        export = export_of(catalog)
        tables = {}
        for name in COMPARED:
            from bibld.spark._frames import SCHEMAS

            tables[name] = comparable(name, SCHEMAS[name].names, list(export.rows(name, 0, 10**9)))
    return tables, loads, progress.lines


def on_spark(
    spark: SparkSession, config: Config, allow_deletes: bool
) -> tuple[dict[str, list[str]], list[LoadResult], list[str], Engine]:
    progress = Warnings()
    options = pipeline.RunOptions(until="read", allow_deletes=allow_deletes)
    engine = Engine(spark, config, TIME, progress, options)
    read_sources(engine)
    tables = {
        name: comparable(name, engine.tables.read(name).columns, engine.tables.read(name).collect())
        for name in COMPARED
    }
    return tables, engine.log.loads, progress.lines, engine


class Both:
    """A configuration that is run by both engines, each in its own workspace."""

    def __init__(self, spark: SparkSession, folder: Path, text: str = "", **sources: str) -> None:
        self.spark = spark
        self.folder = folder
        self.reports: list[str] = []
        self.configure(text, **sources)

    def configure(self, text: str = "", **sources: str) -> None:
        from bibld import config

        for name in ("local", "spark"):
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            tables = "".join(f'[[source]]\nid = "{source}"\npath = "../{path}"\n' for source, path in sources.items())
            write_config(folder, tables + text)
        self.configs = [config.load(self.folder / name / "bibld.toml") for name in ("local", "spark")]

    def run(self, allow_deletes: bool = False) -> Engine:
        tables, loads, lines = one_machine(self.configs[0], allow_deletes)
        found, spark_loads, spark_lines, engine = on_spark(self.spark, self.configs[1], allow_deletes)
        assert [without_place(load, self.folder) for load in spark_loads] == [
            without_place(load, self.folder) for load in loads
        ]
        for name in COMPARED:
            assert found[name] == tables[name], name
        assert sorted(line.replace("/spark/", "/local/") for line in spark_lines) == sorted(lines)
        engine.tables.commit(None)
        self.reports = lines
        return engine


def without_place(load: LoadResult, folder: Path) -> str:
    return repr(load).replace(f"{folder}/spark", "").replace(f"{folder}/local", "")


def test_versions_deletions_and_rejects_are_those_of_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "a"
    data.mkdir()
    both = Both(spark, tmp_path, a="a/*.mrc", b="b.mrc")
    (tmp_path / "b.mrc").write_bytes(record("1", "Other") + record("", "No number"))
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(30)) + record("3", "Later"))
    (data / "2.mrc").write_bytes(record("7", "Newer") + b"rubbish\x1e\x1d" + record("40", "Gone", "d") + record("50"))
    engine = both.run()
    assert engine.tables.number == 2, "a run was committed"
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(28)) + record("5", "A", "d"))
    (data / "2.mrc").write_bytes(record("7", "Newer") + record("40", "Back") + record("60") + record("3", "", "d"))
    both.run()
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(3)))
    both.run()
    assert any("nothing was deleted" in line for line in both.reports)
    both.run(allow_deletes=True)
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(30)))
    both.run()


def test_files_that_were_written_again_give_the_same_tables(spark: SparkSession, tmp_path: Path) -> None:
    records = b"".join(record(str(number)) for number in range(30))
    (tmp_path / "a.mrc").write_bytes(records)
    both = Both(spark, tmp_path, a="a.mrc")
    before = both.run().tables.committed.tables
    (tmp_path / "a.mrc").write_bytes(records)
    with Catalog(both.configs[1].workspace):  # as a conversion makes it: with a register, in which nobody decided
        pass
    engine = both.run()
    again = engine.tables.committed.tables
    assert not [name for name in again if "verdict" in name], "new versions would have all records matched again"
    for name in ("conversions", "records", "register_ordinal", "rejects"):
        assert again[name] == before[name], name
    assert last_readings(engine)[1].keys() == {"a"}
    engine.tables.committed = replace(engine.tables.committed, tables=again | {"records": "of one machine"})
    assert last_readings(engine)[1] == {}, "records that came from elsewhere are not those of these files"


def test_suppressions_lists_of_deletions_and_removed_sources(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.mrc").write_bytes(b"".join(record(str(number), f"Title {number}") for number in range(30)))
    (tmp_path / "b.mrc").write_bytes(record("1") + record("2"))
    for name in ("local", "spark"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "gone.txt").write_text("4\n\n99\n5\n")
        (tmp_path / name / "suppress.csv").write_text(
            "record,value,reason\na:1,,asked\na:2,Title 2,asked\na:3,Not there,asked\nnosuch,,x\n"
            "https://data.example.org/record/a/7,,asked\n"
        )
    both = Both(spark, tmp_path, a="a.mrc", b="b.mrc")
    before = both.run().tables.committed.tables
    both.configure(a="a.mrc")
    after = both.run().tables.committed.tables
    assert any("nothing was deleted: the source is not in the configuration" in line for line in both.reports)
    assert (after["settled"], after["records"]) == (before["settled"], before["records"]), "nothing was settled again"
    text = 'deletes = "gone.txt"\n[publish]\nsuppress = "suppress.csv"\n'
    both.configure(text, a="a.mrc")
    both.run()
    assert any("were never seen, such as a:99" in line for line in both.reports)
    assert any("nothing was deleted: the source is not in the configuration" in line for line in both.reports)
    both.run(allow_deletes=True)
    for name in ("local", "spark"):
        (tmp_path / name / "suppress.csv").write_text("record,value,reason\na:1,,asked\n")
    both.run()
    (tmp_path / "a.mrc").write_bytes(b"".join(record(str(number), f"Title {number}") for number in range(1, 12)))
    both.run(allow_deletes=True)


def test_a_source_in_doubt_keeps_its_state(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.mrc").write_bytes(record("1") + record("2"))
    (tmp_path / "b.mrc").write_bytes(record("1") + b"rubbish\x1e\x1d")
    both = Both(spark, tmp_path, a="a.mrc", b="b.mrc")
    both.run()
    (tmp_path / "a.mrc").write_bytes(record("1", "New"))
    (tmp_path / "b.mrc").write_bytes(record("1", "New") + record("2")[:-20])
    both.run()
    assert any(line.startswith("b: keeps its old state") for line in both.reports)
