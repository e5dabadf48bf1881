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
from bibld.spark._frames import SCHEMAS, arrow_schema, small_frame, spark_schema

VERSION = 2

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


class Found(msgspec.Struct, frozen=True):
    """What a task found in a file: the result or the error, its parts, the hash of its bytes."""

    result: Inspected
    parts: tuple[FilePart, ...] = ()
    content: str = ""


FoundFiles = dict[tuple[str, str], Found]
"""What was found in files, by source and name."""

CarrierNumbers = dict[tuple[str, str, str, bytes], int]
"""The numbers of examined files, by source, name, reader and state."""


def inspect_files(engine: Engine, found: FoundFiles, files: Sequence[SourceFile]) -> list[Inspected]:
    """Return what each file contains, as ``bibld.ingest.inspect_sources`` needs it: a file in a task.

    ``found`` is filled with the parts and hashes of the files.
    """
    if not files:
        return []
    tasks = engine.spark.sparkContext.defaultParallelism * _PARTS_OF_CORE
    size = min(max(sum(_size(file.path) for _, file in files) // tasks, _MIN_PART_BYTES), _MAX_PART_BYTES)
    with engine.job("read: inspect files"):
        items = [(number, *file) for number, file in enumerate(files)]
        rows = engine.map_tasks(items, partial(_inspect, size), _INSPECTED, min(len(files), tasks)).collect()
    results = [pickle.loads(row.body) for row in sorted(rows, key=lambda row: int(row.id))]
    for (source, file), one in zip(files, results, strict=True):
        found[source.id, file.name] = one
    return [one.result for one in results]


def plan_files(
    engine: Engine, inspections: Sequence[Inspection], found: FoundFiles, numbers: CarrierNumbers
) -> list[FilePlan]:
    """Return the files of these sources with their parts, in the order of configuration.

    ``numbers`` are those of earlier runs; further ones are added for other files.
    """
    plans: list[FilePlan] = []
    for inspection in inspections:
        source = inspection.source
        made_with = settings_digest(engine.config, source)
        for inspected in inspection.files:
            examined = inspected.examined
            one = found[source.id, inspected.file.name]
            key = (source.id, inspected.file.name, examined.reader, to_json(examined.carrier))
            plans.append(
                FilePlan(
                    file_number=len(plans),
                    carrier=numbers.setdefault(key, max(numbers.values(), default=0) + 1),
                    source=source.id,
                    inspected=inspected,
                    parts=one.parts,
                    content=one.content,
                    context=file_context(made_with, source.id, examined),
                )
            )
    return plans


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
    sources = {source.id: source for source in engine.config.sources}
    items = [
        (plan, conversion_job(engine.config, sources[plan.source], plan.inspected.examined), part)
        for plan in changed
        for part in plan.parts
    ]
    frame = small_frame(engine.spark, [], spark_schema("conversions"))
    if items:
        frame = engine.map_tasks(items, _convert_part, SCHEMAS["conversions"], len(items))
    if unchanged:
        numbers = small_frame(engine.spark, [(number,) for number in unchanged], "carrier long")
        kept = tables.before("conversions").join(sql.broadcast(numbers), "carrier", "left_semi")
        frame = kept.unionByName(frame) if changed else kept
    with engine.job("read: convert records"):
        return tables.write("conversions", made_by, frame), changed


# -- in tasks --------------------------------------------------------------------------------------------------------


def _inspect(part_size: int, item: tuple[int, Source, HarvestedFile]) -> list[tuple[int, bytes]]:
    number, source, file = item
    plan: list[PartPlan] = []

    def observe(examined: Examined, piece: Raw | ReadError) -> None:
        if not plan:
            plan.append(PartPlan(file, examined.reader, examined.carrier, part_size))
        plan[0].add(piece)

    found = Found(None)
    try:
        if (result := inspect_file(file, source, Silent(), observe)) is not None:
            with file.path.open("rb") as stream:
                content = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
            found = Found(result, plan[0].parts() if plan else (FilePart(),), content)
    except HarvestError as error:
        found = Found(error)
    except OSError as error:
        found = Found(HarvestError(f"{file.name}: cannot be read: {error.strerror}"))
    return [(number, pickle.dumps(found))]


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
        conversion.findings,
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
        *(None,) * 4,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
