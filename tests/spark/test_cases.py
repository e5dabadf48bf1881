"""Whole runs over small files of all kinds: both engines give the same, also where runs are stopped and repeated."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from bibld.spark import _reading
from bibld.spark._tables import Tables
from tests.configuration import HEAD, source
from tests.spark.test_reading import record
from tests.spark.twins import Twins, manifest

STOPS = ("records", "members", "released")
"""Tables before which a run is stopped; with ``BIBLD_STOP_EVERYWHERE`` it is stopped before every table.

Each costs some ten seconds. These three are in reading, in matching, and behind the dumps.
"""

SETTINGS = """
[publish]
full = "always"
[dedup.composite]
largest_bucket = 3
"""


def xml(*titles: str) -> bytes:
    """Return MARCXML with one record a title, after a comment that looks like a record."""
    slim = "http://www.loc.gov/MARC21/slim"
    records = (
        f'<record><leader>00000nam a2200000 i 4500</leader><controlfield tag="001">x{number}</controlfield>'
        f'<datafield tag="245" ind1="1" ind2="0"><subfield code="a">{title}</subfield></datafield></record>\n'
        for number, title in enumerate(titles)
    )
    return f'<collection xmlns="{slim}"><!-- <record> -->\n{"".join(records)}</collection>'.encode()


def sources(**paths: str) -> str:
    tables = [source(name, path) for name, path in paths.items()]
    return HEAD.replace('"work"', '"WORKSPACE"') + "".join(tables) + "complete = false\n" + SETTINGS


class _StopError(Exception):
    pass


def stop_again_and_again(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> int:
    """Begin the next run, and stop it before one table after the other; return how often it was stopped."""
    waiting, stops, made = list(STOPS), list[str](), list[tuple[str, str]]()

    def stopping(write: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
        def stop_or_write(self: Tables, name: str, made_by: str, *content: object, **options: object) -> DataFrame:
            is_everywhere = "BIBLD_STOP_EVERYWHERE" in os.environ and name not in stops
            if not self.is_complete(name, made_by):
                if is_everywhere or name in waiting:
                    waiting[:] = [one for one in waiting if one != name]
                    stops.append(name)
                    raise _StopError
                made.append((name, made_by))
            return write(self, name, made_by, *content, **options)

        return stop_or_write

    twins.night += 1
    with monkeypatch.context() as patch:
        for method in ("write", "write_rows"):
            patch.setattr(Tables, method, stopping(getattr(Tables, method)))
        while "released" not in stops:
            with pytest.raises(_StopError):
                twins.run_on_spark()
    twins.night -= 1
    assert len(made) == len(set(made)), "a table that was complete was written again"
    return len(stops)


def test_small_files_of_all_kinds(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_reading, "_MIN_PART_BYTES", 100)
    monkeypatch.setattr(_reading, "_MAX_PART_BYTES", 300)
    titles = [f"Title {number}" for number in range(12)]
    (tmp_path / "a.mrc").write_bytes(record("1", titles[3]))
    (tmp_path / "b.xml").write_bytes(xml(*titles, "A title that is longer than a part of this file. " * 20, "Last"))
    copies = (record(str(number), title) for number, title in enumerate(titles[:6]))
    (tmp_path / "c.mrc.gz").write_bytes(gzip.compress(b"".join(copies)))
    (tmp_path / "d.mrc").write_bytes(b"")
    twins = Twins(spark, tmp_path, sources(a="a.mrc", b="b.xml", c="c.mrc.gz", d="d.mrc"))
    assert stop_again_and_again(twins, monkeypatch) >= len(STOPS)
    twins.run()
    assert len(twins.rows["records"]) == 21
    assert len(twins.rows["members"]) > 0

    # One source was removed and another one added; that of one file is unchanged, the delta has records.
    (tmp_path / "e.mrc").write_bytes(record("1", titles[5]) + record("2", "Another"))
    (tmp_path / "b.xml").write_bytes(xml(*titles[2:], "Last"))
    (tmp_path / "d.mrc").write_bytes(record("7", titles[3]))
    twins.configure(sources(e="e.mrc", a="a.mrc", b="b.xml", d="d.mrc").replace("full =", "keep = 3\nfull ="))
    twins.run(until="triplify")
    assert "read: a: the files are those of the last reading" in twins.messages
    assert any("the source is not in the configuration any more" in message for message in twins.messages)

    # The release of the night after contains the changes of both.
    twins.run()
    assert manifest(twins.place).patches[-1].added_quads > 10

    # Everything is made again, with keys that are counted again, with another scorer and other quads.
    (tmp_path / "e.mrc").write_bytes(b"".join(record(str(number), titles[5]) for number in range(40)))
    twins.configure(twins.text + '[dedup]\nscore = "jaccard"\n[triplify]\nprovenance = "records"\n')
    twins.run(allow_deletes=True, rebuild=True)
    assert any("1 key of 41 records stayed oversized" in message for message in twins.messages)
    assert [version for version, _, _ in twins.rows["statistics"]] == [2]
    assert {row[9] for row in twins.rows["records"] if row[1] == "c"} == {"missing"}
