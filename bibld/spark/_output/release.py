"""Make the release of a run, in ``releases/<n>`` of the storage.

It has full dumps in parts, and the patch from the release of the last committed run. The manifest is written last, and
the release becomes the current one when the run is committed: until then nothing refers to it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from pyspark.sql import functions as sql

from bibld import publish
from bibld.catalog import LoadCounts
from bibld.documents import Change
from bibld.ingest import describe_sources, with_former_sources
from bibld.model.origin import RecordId
from bibld.model.release import Figures, FullDumps, Manifest, PatchDumps, ReleaseFile, SourceFigures
from bibld.pipeline import EXAMPLES
from bibld.protocols import PreviousRelease, ReleaseDraft
from bibld.spark._data.descriptions import live_records
from bibld.spark._data.entities import deletion_times
from bibld.spark._engine import Engine, Release
from bibld.spark._frames import small_frame
from bibld.spark._output import dumps
from bibld.spark._output.dumps import Dumps, WrittenFile
from bibld.spark._output.quads import (
    CHANGED_QUADS,
    TABLES,
    Owner,
    all_blocks,
    block_of_lines,
    count_quads,
    write_changed_documents,
    write_changed_quads,
)
from bibld.triplify import dataset_statements, withdrawal_quads


def count_figures(engine: Engine, before: Manifest | None) -> Figures:
    """Return the figures of the dataset; ``before`` describes the release of the last committed run."""
    tables = engine.tables
    live = live_records(engine)
    by_source = {source: int(number) for source, number in live.groupBy("source").count().collect()}
    members = tables.rows("members")
    merged = int(tables.read("members").select("founder").distinct().count())
    records = sum(by_source.values())
    clusters = records - members + merged
    entities = tables.read("entities").where(sql.col("quads").isNotNull()).count()
    suppressed = tables.read("active_suppression").where("value = ''").select("ordinal")
    deleted = (
        tables.read("register_redirect")
        .join(live.select("ordinal"), "ordinal", "left_anti")
        .join(suppressed, "ordinal", "left_anti")
        .count()
    )
    return Figures(
        _source_figures(engine, by_source, before), records, clusters, merged, records - clusters, 0, entities, deleted
    )


def _source_figures(engine: Engine, live: dict[str, int], before: Manifest | None) -> tuple[SourceFigures, ...]:
    columns = ("source", "read", "converted", "superseded", "rejected", "deleted")
    loads = [LoadCounts(*row) for row in map(tuple, engine.tables.read("loads").select(*columns).collect())]
    counted = describe_sources(engine.config, loads, live)
    configured = {source.id for source in engine.config.sources}
    kept = {load.source for load in loads if load.source not in configured and live.get(load.source)}
    return with_former_sources(counted, kept, before.figures.sources) if kept and before is not None else counted


def example_resources(engine: Engine) -> list[str]:
    """Return the IRIs of some resources: of the clusters with most members, then of the first records."""
    live = live_records(engine).select("ordinal", "source", "control_number")
    sizes = engine.tables.read("members").groupBy(sql.col("founder").alias("ordinal")).agg(sql.count("*").alias("size"))
    absorbed = engine.tables.read("members").where("ordinal <> founder").select("ordinal")
    founders = live.join(absorbed, "ordinal", "left_anti").join(sizes, "ordinal", "left")
    first = founders.orderBy(sql.coalesce("size", sql.lit(0)).desc(), "ordinal").limit(EXAMPLES)
    return [engine.iris.resource(RecordId(row["source"], row["control_number"])) for row in first.collect()]


def withdrawal_lines(engine: Engine) -> tuple[str, ...]:
    """Return the lines about records that must not be published, which only documents have."""
    records = engine.tables.read("register_ordinal").select("ordinal", "source", "control_number")
    rows = (
        engine.tables.read("register_suppression")
        .where("value = ''")
        .join(records, "ordinal")
        .join(deletion_times(engine), "ordinal", "left")
        .select("source", "control_number", "deleted")
        .collect()
    )
    return withdrawal_quads(engine.iris, [(RecordId(source, number), time) for source, number, time in rows])


def has_new_suppressions(engine: Engine, version: str) -> bool:
    """Return whether something is suppressed that was not with this version of the suppressions.

    If that is not stored any more, those of the last committed run are compared.
    """
    tables = engine.tables
    is_stored = bool(version) and tables.is_complete("active_suppression", version)
    before = tables.stored("active_suppression", version) if is_stored else tables.before("active_suppression")
    now = tables.read("active_suppression")
    return now.join(before, ["ordinal", "value"], "left_anti").limit(1).count() > 0


RELEASED = "released"

_TABLES = (*TABLES, "active_suppression")

FOLDER = "releases"
MANIFEST = "manifest.json"
_NEEDED_BEFORE = re.compile(r"void\.ttl|run\.nq|manifest\.json|feed-\d+-\d+\.ttl")
"""Files of the previous release that the next one is made from."""


class _Released(msgspec.Struct, frozen=True):
    """The release that has the quads of a run: a row of the table of this name.

    ``tables`` are the versions of the tables with these quads, and of the suppressions: later runs without a release,
    or a conversion, may have replaced them since.
    """

    number: int
    made_by: str
    tables: list[str]
    settings: str
    withdraws: bool
    source_statements: list[str]
    description: list[str]
    withdrawn: list[str]

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the tables by name; an earlier bibld did not store that of the suppressions."""
        return dict(zip(_TABLES, self.tables, strict=False))

    @property
    def other_lines(self) -> list[str]:
        """The lines that documents have and no table: about the dataset, and about withdrawn records."""
        return sorted({*self.description, *self.withdrawn} - {*self.source_statements})


def publish_release(engine: Engine) -> Release:
    """Make the release of this run, unless that of the last committed run has the same quads; raises ``StageError``."""
    with engine.job("publish: figures"):
        last = _last_row(engine)
        before = last if last is not None and _can_be_followed(engine, last) else None
        figures = count_figures(engine, last_manifest(engine))
        withdrawn = withdrawal_lines(engine)
        withdraws = has_new_suppressions(engine, "" if last is None else last.versions.get("active_suppression", ""))
    sources = dataset_statements(figures.sources, engine.iris)
    settings = publish.settings_digest(engine.config, figures.sources)
    made_by = engine.tables.made_by(settings, withdrawn, withdraws, engine.number, inputs=TABLES)
    if engine.tables.is_complete(RELEASED, made_by):  # by a run that was stopped before it was committed
        (row,) = engine.tables.use(RELEASED, made_by).collect()
        return _release(engine, row["number"], is_new=True)
    if before is not None:
        is_same = before.settings == settings and before.withdrawn == list(withdrawn) and not withdraws
        is_same = is_same and before.source_statements == list(sources)
        if is_same and before.tables == _versions(engine):
            return _release(engine, before.number, is_new=False)
        # The lines about the sources are a part of the description of the dataset, which is compared for the patch.
        write_changed_quads(engine, made_by, all_blocks(engine, ()), all_blocks(engine, (), before.versions))
        if is_same and engine.tables.rows(CHANGED_QUADS) == 0:
            _note(engine, made_by, msgspec.structs.replace(before, tables=_versions(engine)))
            return _release(engine, before.number, is_new=False)
    number = _next_number(engine)
    written = _write_quads(engine, number, sources)
    with engine.job("publish: examples"):
        examples = example_resources(engine)
    contents = publish.PartitionedContents(
        number=number,
        made_by=made_by,
        figures=figures,
        counts=written.counts,
        source_statements=sources,
        examples=examples,
        delivered=engine.number,
        withdraws=withdraws,
    )
    with tempfile.TemporaryDirectory(prefix="bibld-release-") as directory:
        folder, former = Path(directory, "release"), Path(directory, "previous")
        folder.mkdir()
        previous = None
        if before is not None and not withdraws:
            previous = _download(engine, before.number, former)
        draft = publish.begin_partitioned(engine.config, folder, engine.run_time, contents, previous)
        released = _Released(
            number,
            made_by,
            _versions(engine),
            settings,
            withdraws,
            list(sources),
            sorted(draft.description),
            list(withdrawn),
        )
        making = _Making(engine, draft, released, before)
        making.add_dumps(written)
        making.write_feed()
        making.complete()
    _note(engine, made_by, released)
    return _release(engine, number, is_new=True)


def remove_releases(engine: Engine) -> None:
    """Remove the releases that ``[publish] keep`` does not keep, and those of runs that were not committed.

    Call it when the run is committed. If the current release withdraws something, all earlier ones are removed.
    """
    current = _last_row(engine)
    if current is None or not _is_complete(engine, current.number):
        return
    complete = [number for number in _numbers(engine) if _is_complete(engine, number) and number <= current.number]
    kept = [current.number] if current.withdraws else complete[-engine.config.publish.keep :]
    for number in _numbers(engine):
        if number not in kept:
            engine.storage.delete(f"{FOLDER}/{number}")


class _Making:
    """A release in the making: ``draft`` is on the disk of this machine, the dumps are in the storage."""

    def __init__(self, engine: Engine, draft: ReleaseDraft, released: _Released, before: _Released | None) -> None:
        self._engine = engine
        self._draft = draft
        self._released = released
        self._before = before
        self._folder = f"{FOLDER}/{released.number}"
        self._files: list[ReleaseFile] = []

    def add_dumps(self, written: Dumps) -> None:
        """Add the dumps to the release, the lines about the dataset in a separate part, and write the patch."""
        if not written.parts:
            return
        names = publish.part_names(written.parts)
        added = "".join(sorted(self._draft.description - self._draft.source_statements)).encode()
        for name in names:
            with publish.open_dump(self._draft.folder / name) as out:
                out.write(added if publish.has_all_graphs(name) else b"")
        quads = sum(file.lines for file in written.files if publish.has_all_graphs(file.name)) + added.count(b"\n")
        triples = sum(file.lines for file in written.files if not publish.has_all_graphs(file.name))
        files = sorted([*(file.name for file in written.files), *names])
        files.sort(key=publish.has_all_graphs, reverse=True)
        manifest = self._draft.manifest
        full = FullDumps(manifest.number, manifest.created, tuple(files), quads, triples)
        self._note_files(written.files)
        self._draft = publish.add_dumps(self._draft, full, self._write_patch())

    def _write_patch(self) -> PatchDumps | None:
        previous = self._draft.previous
        if previous is None:
            return None
        manifest = self._draft.manifest
        names = (f"added-{manifest.number}.nq.gz", f"removed-{manifest.number}.nq.gz")
        described = small_frame(
            self._engine.spark, publish.description_changes(self._draft, previous), "line binary, added boolean"
        )
        changed = self._engine.tables.read(CHANGED_QUADS).unionByName(described)
        with self._engine.job("publish: patch"):
            written = dumps.write_patch(self._engine, self._folder, changed, names)
        self._note_files(written)
        added, removed = (next(file.lines for file in written if file.name == name) for name in names)
        return PatchDumps(manifest.number, previous.manifest.number, *names, added, removed, manifest.created)

    def write_feed(self) -> None:
        """Write the change feed, if the release has one."""
        if "feed" in self._engine.config.publish.parts:
            self._draft = publish.write_feed(self._draft, self._engine.config, self._changes())

    def _changes(self) -> Iterable[Change] | None:
        if self._before is None:
            return None
        now, before = (
            all_blocks(self._engine, released.source_statements, released.versions).unionByName(
                block_of_lines(self._engine, Owner.DESCRIPTION, released.other_lines)
            )
            for released in (self._released, self._before)
        )
        return write_changed_documents(self._engine, self._draft.manifest.made_by, now, before)

    def complete(self) -> Manifest:
        """Copy all other files to the storage, the manifest as the last one."""
        storage = self._engine.storage
        storage.delete(f"{self._folder}/{dumps.TEMPORARY}")
        manifest = publish.complete_partitioned(self._draft, self._engine.config, self._files)
        present = {file.name for file in self._files}
        for file in manifest.files:
            if file.name not in present:
                storage.upload(self._draft.folder / file.name, f"{self._folder}/{file.name}")
        storage.upload(self._draft.folder / MANIFEST, f"{self._folder}/{MANIFEST}")
        return manifest

    def _note_files(self, written: Sequence[WrittenFile]) -> None:
        self._files += [file.described for file in written]


def _write_quads(engine: Engine, number: int, source_statements: Sequence[str]) -> Dumps:
    """Write the dumps, if the release has some, and count their quads."""
    folder = f"{FOLDER}/{number}"
    engine.storage.delete(folder)  # left by a run that was stopped
    blocks = all_blocks(engine, source_statements)
    if "dumps" not in engine.config.publish.parts:
        with engine.job("publish: count quads"):
            return Dumps([], 0, count_quads(engine.iris.base, blocks))
    with engine.job("publish: dumps"):
        return dumps.write_dumps(engine, folder, blocks)


# -- the releases of a storage ---------------------------------------------------------------------------------------


def _numbers(engine: Engine) -> list[int]:
    return sorted(int(name) for name in engine.storage.names(FOLDER) if name.isdigit())


def _next_number(engine: Engine) -> int:
    """Return the number of the next release; those that one machine has made of this workspace count, too.

    A release of a run that was not committed does not count: it is replaced.
    """
    committed = [int(row["number"]) for row in engine.tables.before(RELEASED).select("number").collect()]
    return max([*committed, *publish.Releases(engine.config.workspace).numbers()], default=0) + 1


def _versions(engine: Engine) -> list[str]:
    return [engine.tables.version(name) for name in _TABLES]


def _is_complete(engine: Engine, number: int) -> bool:
    return engine.storage.exists(f"{FOLDER}/{number}/{MANIFEST}")


def _manifest(engine: Engine, number: int) -> Manifest:
    return msgspec.json.decode(engine.storage.read(f"{FOLDER}/{number}/{MANIFEST}"), type=Manifest)


def _release(engine: Engine, number: int, is_new: bool) -> Release:
    return Release(number, engine.storage.path(FOLDER, str(number)), _manifest(engine, number), is_new)


def _download(engine: Engine, number: int, folder: Path) -> PreviousRelease:
    """Copy the small files of the previous release to this machine."""
    folder.mkdir()
    for name in engine.storage.names(f"{FOLDER}/{number}"):
        if _NEEDED_BEFORE.fullmatch(name):
            engine.storage.download(f"{FOLDER}/{number}/{name}", folder / name)
    return PreviousRelease(folder, _manifest(engine, number))


def needed_tables(engine: Engine) -> list[tuple[str, str]]:
    """Return names and versions of the tables that the patch from the last release to the next one needs."""
    last = _last_row(engine)
    return [] if last is None else [*last.versions.items()]


def last_manifest(engine: Engine) -> Manifest | None:
    """Return the manifest of the last release that a committed run has made; None if it is not stored."""
    last = _last_row(engine)
    return _manifest(engine, last.number) if last is not None and _is_complete(engine, last.number) else None


def _last_row(engine: Engine) -> _Released | None:
    """Return the last release that a committed run has made; None if there is none."""
    rows = engine.tables.before(RELEASED).collect()
    return msgspec.convert(rows[0].asDict(), _Released) if rows else None


def _can_be_followed(engine: Engine, last: _Released) -> bool:
    """Return whether a patch can lead from a release to the next one: files and tables exist.

    After a conversion none does, because one machine may have published releases since.
    """
    tables = engine.tables
    if not _is_complete(engine, last.number):
        return False
    if not all(not version or tables.is_complete(name, version) for name, version in last.versions.items()):
        return False
    result = tables.manifest(RELEASED, tables.committed.tables[RELEASED]).run
    return not any(run.is_conversion for run in tables.runs_since(result))


def _note(engine: Engine, made_by: str, released: _Released) -> None:
    engine.tables.write_rows(RELEASED, made_by, [msgspec.structs.astuple(released)])
