"""Both engines beside each other: each run of one machine and of Spark must give the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from pyspark.sql import SparkSession
from zlib_ng import gzip_ng

from bibld import config, pipeline, spark
from bibld.catalog import Catalog, Verdicts
from bibld.catalog.exchange import TABLES, export_of
from bibld.config import Config
from bibld.model.origin import RecordId
from bibld.model.release import Manifest
from bibld.pipeline import Summary
from bibld.progress import Silent
from bibld.spark._tables import Storage, Tables

FIRST_NIGHT = datetime(2026, 1, 1, tzinfo=UTC)

_OWN = {"records": {"carrier", "run"}, "loads": {"run"}}
"""Columns of which each engine has its own numbers."""

_OWN_TABLES = {"carriers", "matching_sources"}

_SAME = re.compile("those of the last reading|^read: .*suppression")

Row = tuple[Any, ...]


class Reported(Silent):
    """Keeps what a run reports and warns of."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def report(self, message: str) -> None:
        self.messages.append(message)

    def warn(self, message: str) -> None:
        self.messages.append(message)


class Twins:
    """One configuration in the folder, and a workspace of each engine beside it.

    ``text`` is the configuration; its workspace has the name ``WORKSPACE``.
    """

    def __init__(self, session: SparkSession, folder: Path, text: str) -> None:
        self._session = session
        self.folder = folder
        self.night = 0
        self.rows: dict[str, list[Row]] = {}
        self.messages: list[str] = []
        self.configure(text)

    def configure(self, text: str) -> None:
        """Replace the configuration of both."""
        self.text = text
        self.local, self.spark = (self._load(name) for name in ("local", "spark"))

    def _load(self, name: str) -> Config:
        file = self.folder / f"{name}.toml"
        file.write_text(self.text.replace("WORKSPACE", f"work-{name}"), encoding="utf-8")
        return config.load(file)

    @property
    def place(self) -> Path:
        """The folder of the last release on Spark."""
        folder = self.spark.workspace / "spark" / "releases"
        return folder / str(max(int(one.name) for one in folder.iterdir()))

    def verdicts(self) -> Iterator[Verdicts]:
        """Yield what people decided, of both workspaces."""
        with Catalog(self.spark.workspace) as catalog, catalog.commit():  # as if it had been moved to one machine once
            for _, source, number in sorted(self.rows["register_ordinal"]):
                catalog.register.assign_ordinal(RecordId(source, number))
        for one in (self.local, self.spark):
            with Verdicts(one.workspace) as verdicts, verdicts.transaction():
                yield verdicts

    def tables(self) -> Tables:
        """Return the tables of the last committed run on Spark."""
        return Tables(self._session, Storage(self._session, str(self.spark.workspace / "spark")))

    def run(self, **options: Any) -> tuple[Summary, Summary]:
        """Run both, and assert that summaries, messages, tables and releases are the same."""
        self.night += 1
        time = FIRST_NIGHT + timedelta(days=self.night)
        reports = Reported(), Reported()
        local = pipeline.run(self.local, time, reports[0], **options)
        before = self.tables().committed.tables
        other = self.run_on_spark(reports[1], **options)
        self._check_summaries(local, other, has_clusters=options.get("until") != "read")
        matched = [next((stage.done for stage in one.stages if stage.stage == "dedup"), 0) for one in (local, other)]
        self._check_messages(*(report.messages for report in reports), matched_same=matched[0] == matched[1])
        self.messages = reports[0].messages
        self._check_tables()
        if options.get("until", "publish") == "publish":
            self._check_releases(is_update="released" in before)
        return local, other

    def run_on_spark(self, progress: Silent | None = None, **options: Any) -> Summary:
        """Run only Spark, for the same night."""
        time = FIRST_NIGHT + timedelta(days=self.night)
        return spark.run(self.spark, time, progress or Silent(), **options)

    def _check_messages(self, here: Sequence[str], there: Sequence[str], matched_same: bool) -> None:
        named = ("read: source ", *(f"{source.id}: " for source in self.local.sources))
        assert self._shown(there, *named) == self._shown(here, *named)
        if matched_same:
            assert self._shown(there, "dedup: ") == self._shown(here, "dedup: ")
        else:
            # An update on one machine compares the changed records only, and reports on the clusters that they are in;
            # Spark compares all records, so that its counts of pairs and keys are higher, and reports on all clusters.
            clusters = ("dedup: a component", "dedup: a person")
            assert set(self._shown(there, *clusters)) >= set(self._shown(here, *clusters))

    def _shown(self, messages: Iterable[str], *same: str) -> list[str]:
        own = [one for one in messages if one.startswith((*same, "suppress.csv")) or _SAME.search(one)]
        return sorted(one.replace("work-spark", "work-local").replace("spark.toml", "local.toml") for one in own)

    def _check_summaries(self, local: Summary, other: Summary, has_clusters: bool) -> None:
        for name in ("sources", "doubts", "withheld"):
            found, expected = (repr(getattr(summary, name)) for summary in (other, local))
            assert found.replace("work-spark", "work-local") == expected, name
        assert other.for_review == local.for_review
        assert other.release_is_new == local.release_is_new
        without = {"quads": 0}  # those of the description of the files differ
        if has_clusters:
            assert msgspec.structs.replace(other.figures, **without) == msgspec.structs.replace(
                local.figures, **without
            )

    def _check_tables(self) -> None:
        tables = self.tables()
        with Catalog(self.local.workspace, read_only=True) as catalog:
            export = export_of(catalog)
            for name, table in TABLES.items():
                if name in _OWN_TABLES:
                    continue
                places = [place for place, column in enumerate(table.columns) if column not in _OWN.get(name, ())]
                self.rows[name] = list(export.rows(name, 0, 10**12))
                expected = _comparable(self.rows[name], places)
                found = _comparable(tables.read(name).select(*table.columns).collect(), places)
                assert [one for one in found if one not in set(expected)] == [], name
                assert len(found) == len(expected), name

    def _check_releases(self, is_update: bool) -> None:
        here, there = self.place, pipeline.current_release(self.local)[0]
        ours, theirs = manifest(here), manifest(there)
        assert ours.number == theirs.number
        for file in ours.files:
            data = (here / file.name).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256), file.name
        assert {file.name for file in here.iterdir()} == {file.name for file in ours.files} | {"manifest.json"}
        for name in theirs.full.files:
            parts = here.glob(name.replace("bibld.", "bibld-*."))
            assert sorted(lines_of(parts)) == sorted(lines_of([there / name])), name
        assert ours.full is not None and theirs.full is not None
        assert (ours.full.quads, ours.full.triples) == (theirs.full.quads, theirs.full.triples)
        assert ours.figures.sources == theirs.figures.sources
        for place, found in ((here, ours), (there, theirs)):  # the rest describes the files of the release
            assert found.full and found.figures.quads - found.full.quads == len(lines_of_file(place / "run.nq"))
        assert bool(ours.patches) == bool(theirs.patches) == (is_update and bool(theirs.patches))
        if ours.patches:
            assert ours.patches[-1] == theirs.patches[-1]
            for name in (f"added-{ours.number}.nq.gz", f"removed-{ours.number}.nq.gz"):
                assert lines_of_file(here / name) == lines_of_file(there / name), name
        for name in ["changes.tsv", *(page.name for page in there.glob("feed*"))]:
            assert lines_of_file(here / name) == lines_of_file(there / name), name


def _comparable(rows: Iterable[Sequence[Any]], places: Sequence[int]) -> list[str]:
    return sorted(repr([_plain(row[place]) for place in places]) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, list | tuple):
        return list(value)
    return int(value) if isinstance(value, bool) else value


def manifest(place: Path) -> Manifest:
    """Return the manifest of a release."""
    return msgspec.json.decode((place / "manifest.json").read_bytes(), type=Manifest)


def lines_of(files: Iterable[Path]) -> Iterator[bytes]:
    """Yield the lines of dumps."""
    for file in files:
        yield from lines_of_file(file)


def lines_of_file(file: Path) -> list[bytes]:
    """Return the lines of one file, which may be compressed."""
    if file.suffix == ".zst":
        with file.open("rb") as raw:
            return zstandard.ZstdDecompressor().stream_reader(raw).read().splitlines()
    return (gzip_ng.open(file).read() if file.suffix == ".gz" else file.read_bytes()).splitlines()
