"""What a load makes of one record id is what loading its versions into a catalog does."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bibld import config, ingest, pipeline
from bibld.catalog import Catalog, RecordStatus
from bibld.catalog.exchange import export_of
from bibld.config import Config
from bibld.ingest import LoadResult, RecordState, RecordVersion, SourceRules, VersionKind, load_versions
from bibld.progress import Silent
from bibld.protocols import Raw
from bibld.read import read
from tests.configuration import write_config
from tests.spark.test_reading import record

VERSION = st.builds(record, st.sampled_from("1234567"), st.sampled_from("AB"), st.sampled_from("nnnd"))
FILE = st.lists(VERSION, min_size=1, max_size=12).map(b"".join)
NIGHT = st.tuples(FILE, FILE, st.booleans(), st.sampled_from(["", "2\n5\n"]), st.sampled_from(["", "a:3,,asked\n"]))

Stored = dict[str, tuple[str, bytes]]
"""Status and hash of the records of a catalog, by control number."""


def stored_in(workspace: Path) -> Stored:
    if not (workspace / "catalog.db").exists():
        return {}
    with Catalog(workspace, read_only=True) as catalog:
        return {row[2]: (row[9], row[7]) for row in export_of(catalog).rows("records", 0, 10**9)}


def versions_by_id(loaded: Config, before: Stored) -> dict[str, list[RecordVersion]]:
    """Return what is known about each id of the source, in the order in which Spark sorts it."""
    found: dict[str, list[RecordVersion]] = defaultdict(list)
    for number, (status, made_by) in before.items():
        found[number].append(RecordVersion("a", number, VersionKind.STORED, -1, 0, made_by=made_by, status=status))
    (inspection,) = ingest.inspect_sources(loaded, Silent())
    made_with = ingest.settings_digest(loaded, inspection.source)
    for file_number, inspected in enumerate(inspection.files):
        context = ingest.file_context(made_with, "a", inspected.examined)
        job = ingest.conversion_job(loaded, inspection.source, inspected.examined)
        for raw in read(inspected.file, inspected.examined):
            assert isinstance(raw, Raw)
            converted = ingest.convert_record(job, raw)
            assert isinstance(converted, ingest.Conversion)
            number = ingest.identify(converted, "a")[0].control_number
            found[number].append(
                RecordVersion(
                    "a",
                    number,
                    VersionKind.CONVERTED,
                    file_number,
                    raw.origin.position,
                    carrier=file_number,
                    made_by=ingest.record_made_by(raw, context),
                    is_deleted=converted.deleted,
                )
            )
    return found


def final_status(one: RecordState, is_done: bool) -> str:
    has_record = one.status in (RecordStatus.LIVE, RecordStatus.SUPPRESSED)
    if is_done and one.deletion_carrier is not None:
        return RecordStatus.DELETED
    return RecordStatus.MISSING if is_done and (one.is_missing or one.is_listed) and has_record else one.status


def counts(settled: list[RecordState], result: LoadResult) -> dict[str, int]:
    """Return the counts of a load, added up as Spark does."""
    total: Counter[str] = Counter()
    is_done = result.withheld is None
    for one in settled:
        stays = one.deletion_carrier is None and not one.is_listed
        supersedes = one.deletion_supersedes and is_done
        total["converted"] += one.converted - supersedes
        total["superseded"] += one.superseded + supersedes
        total["deleted"] += one.deleted + (one.deletion_carrier is not None)
        total["new"] += one.is_new
        total["changed"] += one.is_changed and (stays or not is_done)
        total["restored"] += one.is_restored and (stays or not is_done)
        was_live = one.status_before == RecordStatus.LIVE
        total["absent"] += is_done and (one.is_missing or one.is_listed) and was_live
        total["withdrawn"] += is_done and one.deletion_carrier is not None and was_live
    return {name: int(number) for name, number in total.items()}


@settings(max_examples=60)
@given(st.lists(NIGHT, min_size=1, max_size=4))
def test_any_nights(nights: list[tuple[bytes, bytes, bool, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        text = 'deletes = "gone.txt"\n[publish]\nsuppress = "suppress.csv"\n'
        file = write_config(folder, f'[[source]]\nid = "a"\npath = ["1.mrc", "2.mrc"]\n{text}')
        suppressed = ""
        for number, (one, other, allow_deletes, listed, asked) in enumerate(nights):
            for name, content in (("1.mrc", one), ("2.mrc", other), ("gone.txt", listed.encode())):
                (folder / name).write_bytes(content)
            (folder / "suppress.csv").write_text(f"record,value,reason\n{asked}", encoding="utf-8")
            loaded = config.load(file)
            before = stored_in(loaded.workspace)
            seen = versions_by_id(loaded, before)
            time = datetime(2026, 1, 1 + number, tzinfo=UTC)
            run = pipeline.run(loaded, time, Silent(), until="read", allow_deletes=allow_deletes)
            (result,) = run.sources
            rules = SourceRules(loses_missing=True, listed=frozenset(listed.split()))
            settled = [load_versions(versions, rules, name == suppressed) for name, versions in seen.items()]
            found = [one for one in settled if one is not None]
            made_by = {
                (name, one.carrier, one.position): one.made_by
                for name in seen
                for one in seen[name]
                if one.carrier is not None
            }
            expected = counts(found, result)
            assert {name: getattr(result, name) for name in expected} == expected
            after: Stored = {}
            is_done = result.withheld is None
            for one_id in found:
                name, status = one_id.control_number, final_status(one_id, is_done)
                place_in_force = (one_id.carrier, one_id.position)
                if is_done and one_id.deletion_carrier is not None:
                    place_in_force = (one_id.deletion_carrier, one_id.deletion_position)
                in_force = made_by[(name, *place_in_force)] if place_in_force[0] is not None else before[name][1]
                if status in (RecordStatus.LIVE, RecordStatus.SUPPRESSED):
                    status = RecordStatus.SUPPRESSED if asked and name == "3" else RecordStatus.LIVE
                after[name] = str(status), in_force or b""
            assert after == stored_in(loaded.workspace)
            suppressed = "3" if asked and "3" in after else ""  # an id that was never seen is not suppressed
