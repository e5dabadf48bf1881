"""Make the release of a run, in ``releases/<n>`` of the storage.

It has full dumps in parts, and the patch from the release of the last committed run. The manifest is written last, and
the release becomes the current one when the run is committed: until then nothing refers to it.

The bytes of the dumps depend on the quads alone, not on how the tasks were divided. Files are compressed on the disk of
a node, then copied to the storage under a temporary name. A task may run more than once, at the same time even. So each
attempt writes its own file, and reports it in a row; the driver gives the final names to the files of those attempts
whose rows it received.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from operator import attrgetter
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld import publish
from bibld.config import Config
from bibld.documents import Change
from bibld.errors import StageError
from bibld.model.rdf import split_graphs
from bibld.model.release import FullDumps, Manifest, PatchDumps, QuadCounts, ReleaseFile
from bibld.protocols import PreviousRelease, ReleaseDraft
from bibld.publish import ReleaseSummary, media_type, open_dump
from bibld.publish.dumps import Settings as DumpSettings
from bibld.spark._engine import Engine, Release, open_tables
from bibld.spark._frames import batches_of, groups, map_rows, small_frame, struct_schema
from bibld.spark._quads import (
    CHANGED_QUADS,
    COUNTED_COLUMNS,
    COUNTS,
    KEY,
    TABLES,
    Block,
    BlockCounter,
    ChangedLine,
    CountBlocks,
    Owner,
    all_blocks,
    block_of_lines,
    count_figures,
    count_of_blocks,
    count_quads,
    example_resources,
    has_new_suppressions,
    sum_counts,
    withdrawal_lines,
    write_changed_documents,
    write_changed_quads,
)
from bibld.spark._tables import FolderStorage, Storage
from bibld.triplify import dataset_statements

RELEASED = "released"

_TABLES = (*TABLES, "active_suppression")

FOLDER = "releases"
MANIFEST = "manifest.json"
_TEMPORARY = "_temporary"
_NEEDED_BEFORE = re.compile(r"void\.ttl|run\.nq|manifest\.json|feed-\d+-\d+\.ttl")
"""Files of the previous release that the next one is made from."""

PART_BYTES = 1 << 30
"""Bytes of quads in a part, on average; a fifteenth of it when compressed."""


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


def publish_release(engine: Engine) -> int:
    """Make the release of this run, unless that of the last committed run has the same quads.

    Returns the number of its files, 0 if it is the one of the last run; raises ``StageError``.
    """
    number, is_new = _find_or_make(engine)
    manifest = _manifest(engine.storage, number)
    engine.release = Release(engine.storage.path(FOLDER, str(number)), manifest, is_new)
    return len(manifest.files) if is_new else 0


def _find_or_make(engine: Engine) -> tuple[int, bool]:
    """Return the number of the release of this run, and whether this run made it."""
    tables = engine.tables
    with engine.job("publish: figures"):
        last = _last_row(engine)
        before = last if last is not None and _can_be_followed(engine, last) else None
        figures = count_figures(engine, last_manifest(engine))
        withdrawn = withdrawal_lines(engine)
        withdraws = has_new_suppressions(engine, "" if last is None else last.versions.get("active_suppression", ""))
    sources = dataset_statements(figures.sources, engine.iris)
    settings = publish.settings_digest(engine.config, figures.sources)
    made_by = tables.made_by(settings, withdrawn, withdraws, tables.number, inputs=TABLES)
    versions = [tables.version(name) for name in _TABLES]
    if tables.is_complete(RELEASED, made_by):  # by a run that was stopped before it was committed
        (row,) = tables.use(RELEASED, made_by).collect()
        return row["number"], True
    if before is not None:
        is_same = before.settings == settings and before.withdrawn == list(withdrawn) and not withdraws
        is_same = is_same and before.source_statements == list(sources)
        if is_same and before.tables == versions:
            return before.number, False
        # The lines about the sources are a part of the description of the dataset, which is compared for the patch.
        write_changed_quads(engine, made_by, all_blocks(engine, ()), all_blocks(engine, (), before.versions))
        if is_same and tables.rows(CHANGED_QUADS) == 0:
            same = msgspec.structs.replace(before, tables=versions)
            tables.write_rows(RELEASED, made_by, [msgspec.structs.astuple(same)])
            return before.number, False
    # A release of a run that was not committed does not count: it is replaced. Those of one machine do.
    committed = [int(row["number"]) for row in tables.before(RELEASED).select("number").collect()]
    number = max([*committed, *publish.Releases(engine.config.workspace).numbers()], default=0) + 1
    engine.storage.delete(f"{FOLDER}/{number}")  # left by a run that was stopped
    blocks = all_blocks(engine, sources)
    has_dumps = "dumps" in engine.config.publish.parts
    with engine.job("publish: dumps" if has_dumps else "publish: count quads"):
        if has_dumps:
            written = write_dumps(engine, f"{FOLDER}/{number}", blocks)
        else:
            written = Dumps([], 0, count_quads(engine, blocks))
    with engine.job("publish: examples"):
        examples = example_resources(engine)
    contents = publish.PartitionedContents(
        number=number,
        made_by=made_by,
        figures=figures,
        counts=written.counts,
        source_statements=sources,
        examples=examples,
        delivered=tables.number,
        withdraws=withdraws,
    )
    released = _Released(number, made_by, versions, settings, withdraws, list(sources), [], list(withdrawn))
    released = _write_release(engine, contents, written, released, before)
    tables.write_rows(RELEASED, made_by, [msgspec.structs.astuple(released)])
    return number, True


def _write_release(
    engine: Engine,
    contents: publish.PartitionedContents,
    written: Dumps,
    released: _Released,
    before: _Released | None,
) -> _Released:
    """Write all files but the dumps, the manifest as the last one; return the row with the description."""
    storage, parts, number = engine.storage, engine.config.publish.parts, released.number
    target = f"{FOLDER}/{number}"
    files = list(written.files)
    with tempfile.TemporaryDirectory(prefix="bibld-release-") as directory:
        folder, former = Path(directory, "release"), Path(directory, "previous")
        folder.mkdir()
        former.mkdir()
        previous = None
        if before is not None and not released.withdraws:
            for name in storage.names(f"{FOLDER}/{before.number}"):
                if _NEEDED_BEFORE.fullmatch(name):
                    storage.download(f"{FOLDER}/{before.number}/{name}", former / name)
            previous = PreviousRelease(former, _manifest(storage, before.number))
        draft = publish.begin_partitioned(engine.config, folder, engine.run_time, contents, previous)
        released = msgspec.structs.replace(released, description=sorted(draft.description))
        if "dumps" in parts:
            full, patch = _describe_full(engine, draft, written), None
            if previous is not None:
                names = f"added-{number}.nq.gz", f"removed-{number}.nq.gz"
                with engine.job("publish: patch"):
                    lines = publish.description_changes(draft, previous)
                    described = small_frame(engine.spark, lines, "line binary, added boolean")
                    changed = engine.tables.read(CHANGED_QUADS).unionByName(described)
                    added, removed = write_patch(engine, target, changed, names)
                files += [added, removed]
                counts = added.lines, removed.lines
                patch = PatchDumps(number, previous.manifest.number, *names, *counts, draft.manifest.created)
            draft = publish.add_dumps(draft, full, patch)
        if "feed" in parts:
            changes = None if before is None else _changed_documents(engine, released, before)
            draft = publish.write_feed(draft, engine.config, changes)
        storage.delete(f"{target}/{_TEMPORARY}")
        present = {file.name: ReleaseFile(file.name, file.bytes, file.sha256, media_type(file.name)) for file in files}
        manifest = publish.complete_partitioned(draft, engine.config, present.values())
        others = [file.name for file in manifest.files if file.name not in present]
        for name in (*others, MANIFEST):
            storage.upload(folder / name, f"{target}/{name}")
    return released


def _describe_full(engine: Engine, draft: ReleaseDraft, written: Dumps) -> FullDumps:
    """Describe the dumps, and write the lines about the dataset as a further part of them."""
    names = engine.config.settings("publish", "dumps").files_of_part(written.parts)
    added = "".join(sorted(draft.description - draft.source_statements)).encode()
    for name in names:
        with open_dump(draft.folder / name) as out:
            out.write(added if publish.has_all_graphs(name) else b"")
    quads = sum(file.lines for file in written.files if publish.has_all_graphs(file.name)) + added.count(b"\n")
    triples = sum(file.lines for file in written.files if not publish.has_all_graphs(file.name))
    files = sorted([*(file.name for file in written.files), *names])
    files.sort(key=publish.has_all_graphs, reverse=True)
    return FullDumps(draft.manifest.number, draft.manifest.created, tuple(files), quads, triples)


def _changed_documents(engine: Engine, released: _Released, before: _Released) -> Iterable[Change]:
    now, then = (
        all_blocks(engine, one.source_statements, one.versions).unionByName(
            block_of_lines(engine, Owner.DESCRIPTION, one.other_lines)
        )
        for one in (released, before)
    )
    return write_changed_documents(engine, released.made_by, now, then)


# -- dumps and patch -------------------------------------------------------------------------------------------------


class WrittenFile(msgspec.Struct, frozen=True):
    """A file that a task has written: its final name, its present one, and what it contains."""

    name: str
    temporary: str
    lines: int
    bytes: int
    sha256: str


class Dumps(msgspec.Struct, frozen=True):
    """The files of all parts, in order; the number of parts, of which some may be empty; the counts of the quads."""

    files: list[WrittenFile]
    parts: int
    counts: QuadCounts


_FILE = "file"
"""The kind of a row about a written file, beside those of the counts; its key is the description as JSON."""


class _PartBlock(Block, frozen=True):
    """A block, and the number of the part that it belongs to."""

    part: int


def write_dumps(engine: Engine, folder: str, blocks: DataFrame) -> Dumps:
    """Write all blocks in parts by a hash of their owners, those of each part in the order of their owners.

    ``folder`` is the folder of the release in the storage. The quads are counted on the way.
    """
    total = blocks.agg(sql.sum(sql.length("quads"))).collect()[0][0]
    parts = max(-(-int(total or 0) // PART_BYTES), 1)
    number = sql.pmod(sql.xxhash64(*KEY), sql.lit(parts)).cast("int")
    rows = blocks.withColumn("part", number).select(*_PartBlock.__struct_fields__)
    rows = rows.repartition("part").sortWithinPartitions("part", *KEY)
    place = engine.storage.path(folder, _TEMPORARY)
    compute = partial(_write_parts, place, engine.config.settings("publish", "dumps"), count_of_blocks(engine))
    # A task that runs again writes its files again, under other names; those that nobody knows of are deleted.
    result = rows.mapInArrow(compute, COUNTED_COLUMNS).persist(StorageLevel.DISK_ONLY)
    try:
        found = result.where(sql.col("kind") == _FILE).select("key").collect()
        files = [msgspec.json.decode(bytes(row["key"][0]), type=WrittenFile) for row in found]
        return Dumps(_complete(engine, folder, files), parts, sum_counts(engine, result))
    finally:
        result.unpersist()


def _write_parts(
    folder: str, settings: DumpSettings, count: CountBlocks, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    counter = BlockCounter(count)

    def contents(names: Sequence[str], blocks: Iterator[_PartBlock]) -> Iterator[list[bytes]]:
        for block in blocks:
            lines = block.lines
            counter.add(lines)
            yield [lines if publish.has_all_graphs(name) else split_graphs(lines)[0] for name in names]

    for part, blocks in groups(batches, _PartBlock, attrgetter("part")):
        names = settings.files_of_part(part)
        files = write_files(folder, names, contents(names, blocks))
        yield from batches_of([(_FILE, [msgspec.json.encode(file)], 0) for file in files], COUNTS)
    yield from counter.batches()


def write_patch(engine: Engine, folder: str, changes: DataFrame, names: tuple[str, str]) -> list[WrittenFile]:
    """Write the lines that were added, and those that were removed, sorted, to files with these names.

    ``changes`` has the columns ``line`` and ``added``. Files without lines are written, too. The result is sorted by
    name.
    """
    present = small_frame(engine.spark, [(None, None)], "line binary, added boolean")
    rows = changes.select("line", "added").unionByName(present).coalesce(1).sortWithinPartitions("line")
    compute = partial(_write_changes, engine.storage.path(folder, _TEMPORARY), names)
    written = map_rows(rows, ChangedLine, compute, struct_schema(WrittenFile)).collect()
    return _complete(engine, folder, [WrittenFile(*row) for row in map(tuple, written)])


def _write_changes(folder: str, names: tuple[str, str], changes: Iterator[ChangedLine]) -> list[WrittenFile]:
    blocks = (
        (change.line + b"\n", b"") if change.added else (b"", change.line + b"\n")
        for change in changes
        if change.line is not None
    )
    return write_files(folder, names, blocks)


def _complete(engine: Engine, folder: str, files: Sequence[WrittenFile]) -> list[WrittenFile]:
    """Give the files that tasks report their names; raises ``StageError``."""
    names = {file.name for file in files}
    if len(names) != len(files):
        raise StageError(f"{engine.storage.path(folder)}: a part was written by two tasks; report this as a fault")
    for file in files:
        engine.storage.rename(f"{folder}/{_TEMPORARY}/{file.temporary}", f"{folder}/{file.name}")
    return sorted(files, key=lambda file: file.name)


def write_files(folder: str, names: Sequence[str], blocks: Iterable[Sequence[bytes]]) -> list[WrittenFile]:
    """Write files side by side; each item of ``blocks`` has the bytes to be added to each of them.

    ``folder`` is an address of the storage for temporary files. Raises ``StageError``.
    """
    lines = [0] * len(names)
    with tempfile.TemporaryDirectory(prefix="bibld-") as directory:
        with ExitStack() as files:
            outs = [files.enter_context(open_dump(Path(directory, name))) for name in names]
            for block in blocks:
                for number, data in enumerate(block):
                    outs[number].write(data)
                    lines[number] += data.count(b"\n")
        return [_copy(Path(directory, name), folder, count) for name, count in zip(names, lines, strict=True)]


def _copy(file: Path, folder: str, lines: int) -> WrittenFile:
    temporary = f"{file.name}.{uuid.uuid4().hex}"
    files, path = file_system(folder)
    try:
        if isinstance(files, fs.LocalFileSystem):
            files.create_dir(path)
        with file.open("rb") as content:
            with files.open_output_stream(f"{path}/{temporary}") as out:
                shutil.copyfileobj(content, out, _PIECE)
            content.seek(0)
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise StageError(
            f"{folder}/{temporary}: cannot be written: {error}; check the space and the access there"
        ) from error
    return WrittenFile(file.name, temporary, lines, file.stat().st_size, checksum)


_PIECE = 1 << 22


def file_system(address: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of an address with a scheme, and the path in it; raises ``StageError``.

    HDFS needs ``libhdfs`` on the nodes (``HADOOP_HOME``, ``CLASSPATH``); credentials of object stores come from the
    environment of the executors.
    """
    scheme, _, rest = address.partition("://")
    if scheme == "file":
        return fs.LocalFileSystem(), rest
    known = {"s3a": "s3", "s3n": "s3"}.get(scheme, scheme)
    try:
        files, path = fs.FileSystem.from_uri(f"{known}://{rest}")
    except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise StageError(f"{address}: tasks cannot write there: {error}") from error
    return files, str(path)


# -- the releases of a storage ---------------------------------------------------------------------------------------


def remove_releases(engine: Engine) -> None:
    """Remove the releases that ``[publish] keep`` does not keep, and those of runs that were not committed.

    Call it when the run is committed. If the current release withdraws something, all earlier ones are removed.
    """
    current, storage = _last_row(engine), engine.storage
    if current is None or not _is_complete(storage, current.number):
        return
    numbers = _numbers(storage)
    complete = [number for number in numbers if _is_complete(storage, number) and number <= current.number]
    kept = [current.number] if current.withdraws else complete[-engine.config.publish.keep :]
    for number in numbers:
        if number not in kept:
            storage.delete(f"{FOLDER}/{number}")


def list_releases(config: Config) -> list[ReleaseSummary]:
    """Return the releases that committed runs on Spark have made, the oldest first; the last one is the current one.

    Raises ``StageError``, and ``ConfigError`` without Java, which only storage that is no folder of this machine needs.
    """
    with open_tables(config, "bibld: list of releases") as tables, tempfile.TemporaryDirectory() as folder:
        # A later release than that of the last committed run is of a run that was stopped, and will be replaced.
        current = 0
        if version := tables.committed.tables.get(RELEASED):
            for name in tables.files(RELEASED, version):
                local = Path(folder, "part.parquet")
                tables.storage.download(name, local)
                current = max(current, *pq.read_table(local, columns=["number"]).column("number").to_pylist())
        return [
            ReleaseSummary.from_manifest(
                _manifest(tables.storage, number), 0, is_current=number == current, engine="spark"
            )
            for number in _numbers(tables.storage)
            if number <= current and _is_complete(tables.storage, number)
        ]


def needed_tables(engine: Engine) -> list[tuple[str, str]]:
    """Return names and versions of the tables that the patch from the last release to the next one needs."""
    last = _last_row(engine)
    return [] if last is None else [*last.versions.items()]


def last_manifest(engine: Engine) -> Manifest | None:
    """Return the manifest of the last release that a committed run has made; None if it is not stored."""
    last, storage = _last_row(engine), engine.storage
    return _manifest(storage, last.number) if last is not None and _is_complete(storage, last.number) else None


def _numbers(storage: Storage | FolderStorage) -> list[int]:
    return sorted(int(name) for name in storage.names(FOLDER) if name.isdigit())


def _is_complete(storage: Storage | FolderStorage, number: int) -> bool:
    return storage.exists(f"{FOLDER}/{number}/{MANIFEST}")


def _manifest(storage: Storage | FolderStorage, number: int) -> Manifest:
    file = f"{FOLDER}/{number}/{MANIFEST}"
    try:
        return msgspec.json.decode(storage.read(file), type=Manifest)
    except msgspec.MsgspecError as error:
        raise StageError(
            f"{storage.path(file)}: is not a release of this version of bibld: {error}; run `bibld run` with"
            " --engine spark again"
        ) from error


def _last_row(engine: Engine) -> _Released | None:
    """Return the last release that a committed run has made; None if there is none."""
    rows = engine.tables.before(RELEASED).collect()
    return msgspec.convert(rows[0].asDict(), _Released) if rows else None


def _can_be_followed(engine: Engine, last: _Released) -> bool:
    """Return whether a patch can lead from a release to the next one: files and tables exist.

    After a conversion none does, because one machine may have published releases since.
    """
    tables = engine.tables
    if not _is_complete(engine.storage, last.number):
        return False
    if not all(not version or tables.is_complete(name, version) for name, version in last.versions.items()):
        return False
    result = tables.manifest(RELEASED, tables.committed.tables[RELEASED]).run
    return not any(run.is_conversion for run in tables.runs_since(result))
