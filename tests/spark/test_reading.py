"""Reading on Spark gives the tables that reading on one machine gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from pyspark.sql import SparkSession

from bibld.catalog import Catalog
from bibld.progress import Silent
from bibld.spark._engine import Engine
from bibld.spark._sources import last_readings
from tests.configuration import HEAD, source
from tests.spark.twins import FIRST_NIGHT, Twins

Both = Callable[..., Twins]


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Both:
    """A function that runs both engines until their records are read, with other sources and settings if given."""
    twins: list[Twins] = []

    def run(text: str = "", allow_deletes: bool = False, **paths: str) -> Twins:
        if paths:
            tables = [source(name, path) for name, path in paths.items()]
            configuration = "".join([HEAD.replace('"work"', '"WORKSPACE"'), *tables, text])
            if twins:
                twins[0].configure(configuration)
            else:
                twins.append(Twins(spark, tmp_path, configuration))
        twins[0].run(until="read", allow_deletes=allow_deletes)
        return twins[0]

    return run


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


def test_versions_deletions_and_rejects_are_those_of_one_machine(both: Both, tmp_path: Path) -> None:
    data = tmp_path / "a"
    data.mkdir()
    (tmp_path / "b.mrc").write_bytes(record("1", "Other") + record("", "No number"))
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(30)) + record("3", "Later"))
    (data / "2.mrc").write_bytes(record("7", "Newer") + b"rubbish\x1e\x1d" + record("40", "Gone", "d") + record("50"))
    assert both("max_unnumbered = 50\n", a="a/*.mrc", b="b.mrc").tables().committed.number == 1
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(28)) + record("5", "A", "d"))
    (data / "2.mrc").write_bytes(record("7", "Newer") + record("40", "Back") + record("60") + record("3", "", "d"))
    both()
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(3)))
    assert any("nothing was deleted" in line for line in both().messages)
    both(allow_deletes=True)
    (data / "1.mrc").write_bytes(b"".join(record(str(number)) for number in range(30)))
    both()


def test_files_that_were_written_again_give_the_same_tables(both: Both, spark: SparkSession, tmp_path: Path) -> None:
    records = b"".join(record(str(number)) for number in range(30))
    (tmp_path / "a.mrc").write_bytes(records)
    before = both(a="a.mrc").tables().committed.tables
    (tmp_path / "a.mrc").write_bytes(records)
    with Catalog(tmp_path / "work-spark"):  # as a conversion makes it: with a register, in which nobody decided
        pass
    twins = both()
    again = twins.tables().committed.tables
    assert not [name for name in again if "verdict" in name], "new versions would have all records matched again"
    for name in ("conversions", "records", "register_ordinal", "rejects"):
        assert again[name] == before[name], name
    engine = Engine(spark, twins.spark, FIRST_NIGHT, Silent())
    assert last_readings(engine)[1].keys() == {"a"}
    engine.tables.committed = replace(engine.tables.committed, tables=again | {"records": "of one machine"})
    assert last_readings(engine)[1] == {}, "records that came from elsewhere are not those of these files"


def test_suppressions_lists_of_deletions_and_removed_sources(both: Both, tmp_path: Path) -> None:
    (tmp_path / "a.mrc").write_bytes(b"".join(record(str(number), f"Title {number}") for number in range(30)))
    (tmp_path / "b.mrc").write_bytes(record("1") + record("2"))
    (tmp_path / "gone.txt").write_text("4\n\n99\n5\n")
    (tmp_path / "suppress.csv").write_text(
        "record,value,reason\na:1,,asked\na:2,Title 2,asked\na:3,Not there,asked\nnosuch,,x\n"
        "https://data.example.org/record/a/7,,asked\n"
    )
    before = both(a="a.mrc", b="b.mrc").tables().committed.tables
    removed = "nothing was deleted: the source is not in the configuration"
    twins = both(a="a.mrc")
    after = twins.tables().committed.tables
    assert any(removed in line for line in twins.messages)
    assert (after["settled"], after["records"]) == (before["settled"], before["records"]), "nothing was settled again"
    messages = both('deletes = "gone.txt"\n[publish]\nsuppress = "suppress.csv"\n', a="a.mrc").messages
    assert any("were never seen, such as a:99" in line for line in messages)
    assert any(removed in line for line in messages)
    both(allow_deletes=True)
    (tmp_path / "suppress.csv").write_text("record,value,reason\na:1,,asked\n")
    both()
    (tmp_path / "a.mrc").write_bytes(b"".join(record(str(number), f"Title {number}") for number in range(1, 12)))
    both(allow_deletes=True)


def test_a_source_in_doubt_keeps_its_state(both: Both, tmp_path: Path) -> None:
    (tmp_path / "a.mrc").write_bytes(record("1") + record("2"))
    (tmp_path / "b.mrc").write_bytes(record("1") + b"rubbish\x1e\x1d")
    both(a="a.mrc", b="b.mrc")
    (tmp_path / "a.mrc").write_bytes(record("1", "New"))
    (tmp_path / "b.mrc").write_bytes(record("1", "New") + record("2")[:-20])
    assert any(line.startswith("b: keeps its old state") for line in both().messages)
