"""Inspect the files of the sources and convert their records, each part of a file in a task."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import digest
from bibld.config import Source
from bibld.errors import BibldError, HarvestError, ReadError, RecordError, StageError
from bibld.ingest import (
    Conversion,
    Inspected,
    InspectedFile,
    Inspection,
    Job,
    SourceFile,
    conversion_job,
    convert_record,
    file_context,
    identify,
    inspect_file,
    record_made_by,
    settings_digest,
)
from bibld.model.origin import RecordId
from bibld.progress import Silent
from bibld.protocols import HarvestedFile, Raw
from bibld.read import Examined, FilePart, PartPlan, read, read_part, to_json
from bibld.spark._engine import Engine
from bibld.spark._frames import SCHEMAS, arrow_schema, small_frame

VERSION = 1

_MIN_PART_BYTES, _MAX_PART_BYTES = 1 << 18, 1 << 26
"""Bytes of a part of a file, at least and at most (unless it cannot be divided)."""

_PARTS_OF_CORE = 4
_INSPECTED = arrow_schema("id:long body:bytes")


class FilePlan(msgspec.Struct, frozen=True):
    """A file of this run: its number among them , its carrier's number, and how it is divided."""

    file_number: int
    carrier: int
    source: str
    inspected: InspectedFile
    parts: tuple[FilePart, ...]
    content: str
    context: bytes

    @property
    def key(self) -> tuple[int, str, str]:
        """What its conversions depend on."""
        return self.carrier, self.content, self.context.decode()


class _Found(msgspec.Struct, frozen=True):
    """What a task found in a file: the result or the error, its parts, the hash of its bytes."""

    result: Inspected
    parts: tuple[FilePart, ...]
    content: str


class Inspector:
    """Inspects files on Spark, a file in a task; remembers their parts and hashes by name."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._found: dict[tuple[str, str], _Found] = {}

    def __call__(self, files: Sequence[SourceFile]) -> list[Inspected]:
        """Return what each file contains, as ``bibld.ingest.inspect_sources`` needs it."""
        if not files:
            return []
        engine = self._engine
        cores = engine.spark.sparkContext.defaultParallelism
        size = sum(_size(file.path) for _, file in files) // (cores * _PARTS_OF_CORE)
        size = min(max(size, _MIN_PART_BYTES), _MAX_PART_BYTES)
        tasks = min(len(files), cores * _PARTS_OF_CORE)
        with engine.job("read: inspect files"):
            items = [(number, *file) for number, file in enumerate(files)]
            rows = engine.map_tasks(items, partial(_inspect, size), _INSPECTED, tasks).collect()
        found = [pickle.loads(row.body) for row in sorted(rows, key=lambda row: int(row.id))]
        for (source, file), one in zip(files, found, strict=True):
            self._found[source.id, file.name] = one
        return [one.result for one in found]

    def plan(self, inspections: Sequence[Inspection], carriers: CarrierNumbers) -> list[FilePlan]:
        """Return the files of these sources with their parts, in the order of configuration."""
        plans: list[FilePlan] = []
        for inspection in inspections:
            source = inspection.source
            made_with = settings_digest(self._engine.config, source)
            for inspected in inspection.files:
                found = self._found[source.id, inspected.file.name]
                plans.append(
                    FilePlan(
                        file_number=len(plans),
                        carrier=carriers.number(source.id, inspected.file.name, inspected.examined),
                        source=source.id,
                        inspected=inspected,
                        parts=found.parts,
                        content=found.content,
                        context=file_context(made_with, source.id, inspected.examined),
                    )
                )
        return plans


class CarrierNumbers:
    """The numbers of examined files: those of earlier runs, and further ones for others."""

    def __init__(self, engine: Engine) -> None:
        rows = engine.tables.before("carriers").collect()
        self._numbers = {(row.source, row.file, row.reader, bytes(row.state)): int(row.carrier) for row in rows}
        self._next = max(self._numbers.values(), default=0) + 1

    def number(self, source: str, file: str, examined: Examined) -> int:
        """Return the number of an examined file."""
        key = (source, file, examined.reader, to_json(examined.carrier))
        if key not in self._numbers:
            self._numbers[key] = self._next
            self._next += 1
        return self._numbers[key]

    def of_sources(self, sources: Collection[str]) -> set[int]:
        """Return the numbers of the files of these sources."""
        return {number for key, number in self._numbers.items() if key[0] in sources}

    def write(self, engine: Engine) -> None:
        """Write the table of carriers."""
        rows = [(number, *key) for key, number in sorted(self._numbers.items(), key=lambda item: item[1])]
        made_by = digest("carriers", [(number, *key[:3], key[3].decode()) for number, *key in rows])
        engine.tables.write_rows("carriers", made_by, rows)


def convert_files(
    engine: Engine, plans: Sequence[FilePlan], unread: Collection[int]
) -> tuple[DataFrame, list[FilePlan]]:
    """Return the table ``conversions`` of these files, and those that were converted now.

    What earlier runs made of unchanged files is taken from them; ``unread`` are carriers of which it stays in the
    table, although their files are not read now.
    """
    tables = engine.tables
    known = {(int(row.carrier), row.content, row.context) for row in tables.before("inputs").collect()}
    if not tables.committed.tables.get("conversions"):
        known = set()
    rows = sorted({plan.key for plan in plans} | {key for key in known if key[0] in unread})
    made_by = digest("conversions", VERSION, rows)
    tables.write_rows("inputs", digest("inputs", made_by), rows)
    changed = [plan for plan in plans if plan.key not in known]
    if tables.is_complete("conversions", made_by):
        return tables.use("conversions", made_by), changed
    unchanged = sorted(key[0] for key in known.intersection(rows))
    frame = _converted(engine, changed)
    if unchanged:
        numbers = small_frame(engine.spark, [(number,) for number in unchanged], "carrier long")
        kept = tables.before("conversions").join(sql.broadcast(numbers), "carrier", "left_semi")
        frame = kept.unionByName(frame) if changed else kept
    with engine.job("read: convert records"):
        return tables.write("conversions", made_by, frame), changed


def _converted(engine: Engine, plans: Sequence[FilePlan]) -> DataFrame:
    """Return the conversions of all parts of files, each part in a task."""
    sources = {source.id: source for source in engine.config.sources}
    jobs = [conversion_job(engine.config, sources[plan.source], plan.inspected.examined) for plan in plans]
    items = [(plan, job, part) for plan, job in zip(plans, jobs, strict=True) for part in plan.parts]
    if not items:
        return engine.rows([], "conversions")
    return engine.map_tasks(items, _convert_part, SCHEMAS["conversions"], len(items))


# -- in tasks --------------------------------------------------------------------------------------------------------


def _inspect(part_size: int, item: tuple[int, Source, HarvestedFile]) -> list[tuple[int, bytes]]:
    number, source, file = item
    return [(number, pickle.dumps(_inspected(source, file, part_size)))]


def _inspected(source: Source, file: HarvestedFile, part_size: int) -> _Found:
    plan: list[PartPlan] = []

    def observe(examined: Examined, piece: Raw | ReadError) -> None:
        if not plan:
            plan.append(PartPlan(file, examined.reader, examined.carrier, part_size))
        plan[0].add(piece)

    try:
        result = inspect_file(file, source, Silent(), observe)
    except HarvestError as error:
        return _Found(error, (), "")
    except OSError as error:
        return _Found(HarvestError(f"{file.name}: cannot be read: {error.strerror}"), (), "")
    parts = plan[0].parts() if plan else (FilePart(),)
    return _Found(result, parts, _content_of(file.path) if result is not None else "")


def _content_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _convert_part(item: tuple[FilePlan, Job, FilePart]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of one part of a file, in the order of its pieces."""
    plan, job, part = item
    file, examined = plan.inspected.file, plan.inspected.examined
    try:
        pieces = read(file, examined) if part.is_file else read_part(file, examined.carrier, part)
        for piece in pieces:
            outcome = convert_record(job, piece) if isinstance(piece, Raw) else piece
            if isinstance(outcome, RecordError):
                yield _reject(plan, outcome, piece)
            else:
                yield _conversion(plan, outcome)
    except OSError as error:
        raise StageError(f"{file.name}: cannot be read: {error.strerror}; every node must see {file.path}") from error
    except (BibldError, MemoryError) as error:
        raise StageError(f"{file.name}: {error or 'memory ran out'}") from error


def _conversion(plan: FilePlan, conversion: Conversion) -> tuple[object, ...]:
    record, warnings = identify(conversion, plan.source)
    origin = conversion.raw.origin
    return (
        plan.source,
        plan.carrier,
        origin.position,
        origin.offset,
        record.control_number,
        "",
        "",
        None,
        conversion.flavour,
        record_made_by(conversion.raw, plan.context),
        conversion.deleted,
        conversion.content,
        conversion.raw.data,
        list(conversion.unmapped),
        list(conversion.private),
        list(warnings),
    )


def _reject(plan: FilePlan, error: RecordError, piece: Raw | ReadError) -> tuple[object, ...]:
    number = error.control_number
    identity = RecordId.from_control_number(plan.source, number).control_number if number else None
    origin = error.origin
    return (
        plan.source,
        plan.carrier,
        origin.position,
        origin.offset,
        identity,
        type(error).__name__,
        error.reason,
        number,
        None,
        record_made_by(piece, plan.context) if isinstance(piece, Raw) else None,
        None,
        None,
        error.original,
        *(None,) * 3,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
