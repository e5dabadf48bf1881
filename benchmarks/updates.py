"""The updates of the U.S. Government Publishing Office, month by month: do they end where one run over all does?

``python benchmarks/updates.py [RECORDS]``; with a number only that many records of each file. The real records are
``marc21/gpo_updates``: new and changed ones from January to March 2026, 30 to be deleted, 7 to be restored. Besides
the office there is a library that has copied each third of these records and never changes them.

What the office held before is not among them. So the first load has, of each record that is changed later, a version
without its last subject; and the records to be deleted and restored. The 7 are deleted by a list in January and come
back in March; of the 30 the first half is deleted in February by the status of the record, the others by a list. New
and changed records come as deltas.

After each month the quads of the catalog, of the live store, and of the full dump with all patches must be the same,
and those of a rebuild. In the end a fresh workspace gets the final records in the opposite order: the same clusters,
and, since other records found them, the same quads but for the IRIs of the members of one cluster.
"""

import gzip
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from _measure import real_data

from bibld import config, pipeline, progress, publish, store, triplify
from bibld.catalog import Catalog
from bibld.model.iris import Iris
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import RecordId
from bibld.model.rdf import expand, line_in_default_graph
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

BASE = "http://localhost:8000/"
COPIED = 3
"""The other library has each record of this number."""

CONFIG = f"""workspace = "work"
[dataset]
base = "{BASE}"
title = {{{{ en = "Updates" }}}}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "benchmarks"
[publish]
full_after_days = 9999
full_above = 9.0
[[source]]
id = "gpo"
path = "gpo.mrc"
complete = {{complete}}
deletes = "deleted.txt"
[[source]]
id = "library"
path = "library.mrc"
"""
DATASET = ("dataset", "run")
"""The graphs that describe a release, and are not of the catalog."""


class Month(msgspec.Struct, frozen=True):
    """What comes in one month: records, and the control numbers of deleted ones."""

    name: str
    records: Sequence[MarcRecord]
    gone: Sequence[str] = ()
    complete: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What a workspace publishes: the quads three times over, and the clusters."""

    catalog: set[str]
    live: set[str]
    released: set[str]
    clusters: set[frozenset[str]]

    def is_one(self) -> bool:
        """Whether all are equal."""
        return self.catalog == self.live == self.released


# -- what happens ------------------------------------------------------------------------------------------------------


def records_of(path: Path, most: int | None = None) -> list[MarcRecord]:
    """The records of a file, or the first of them."""
    file = HarvestedFile("gpo", path.name, path)
    examined = examine(file)
    found = [examined.carrier.parse(raw).record for raw in read(file, examined) if isinstance(raw, Raw)]
    return [record for record in found if isinstance(record, MarcRecord)][:most]


def months(folder: Path, most: int | None = None) -> list[Month]:
    """The first load, and the three months after it."""
    names = ("changed_202601", "changed_202602", "new_202601", "new_202602", "new_202603", "to_delete_30")
    published = {name: records_of(folder / f"{name}.mrc", most) for name in names}
    restored = records_of(folder / "to_restore_7.mrc")
    changed = [*published["changed_202601"], *published["changed_202602"]]
    deleted = published["to_delete_30"]
    half = len(deleted) // 2
    first = {_number(record): _former(record) for record in changed}
    first |= {_number(record): record for record in (*deleted, *restored)}
    february = [
        *published["changed_202602"],
        *published["new_202602"],
        *(_deleted(record) for record in deleted[:half]),
    ]
    return [
        Month("2025-12", list(first.values()), complete=True),
        Month(
            "2026-01",
            [*published["changed_202601"], *published["new_202601"]],
            [_number(record) for record in restored],
        ),
        Month("2026-02", february, [_number(record) for record in deleted[half:]]),
        Month("2026-03", [*published["new_202603"], *restored]),
    ]


def _number(record: MarcRecord) -> str:
    return record.control_number or ""


def _former(record: MarcRecord) -> MarcRecord:
    """A record as it may have been before: without its last subject."""
    fields = list(record.all_fields)
    subjects = [place for place, field in enumerate(fields) if isinstance(field, DataField) and field.tag == "650"]
    if subjects:
        del fields[subjects[-1]]
    return msgspec.structs.replace(record, all_fields=tuple(fields))


def _deleted(record: MarcRecord) -> MarcRecord:
    """A record that reports that it is deleted."""
    text = record.leader.text
    return msgspec.structs.replace(record, leader=Leader(f"{text[:5]}d{text[6:]}"))


def copied(months_so_far: Iterable[Month]) -> list[MarcRecord]:
    """The records of the other library, under its own control numbers."""
    came = {_number(record): record for month in months_so_far for record in month.records}
    some = [came[number] for number in sorted(came)[::COPIED]]
    return [_renumbered(_former(record)) for record in some if record.leader.record_status != "d"]


def _renumbered(record: MarcRecord) -> MarcRecord:
    fields = [
        ControlField("001", f"c{field.value}") if field.tag == "001" else field
        for field in record.all_fields
        if isinstance(field, DataField) or field.tag != "003"
    ]
    return msgspec.structs.replace(record, all_fields=tuple(fields))


def final(months_so_far: Iterable[Month]) -> list[MarcRecord]:
    """The records that are there after all months."""
    published: dict[str, MarcRecord] = {}
    for month in months_so_far:
        published |= {_number(record): record for record in month.records}
        for number in month.gone:
            published.pop(number, None)
    return [record for record in published.values() if record.leader.record_status != "d"]


# -- runs --------------------------------------------------------------------------------------------------------------


def bring(place: Path, month: Month, library: Sequence[MarcRecord], number: int) -> pipeline.Summary:
    """Put the files of a month into a folder, and run over them."""
    (place / "library.mrc").write_bytes(b"".join(map(to_iso2709, library)))
    (place / "gpo.mrc").write_bytes(b"".join(map(to_iso2709, month.records)))
    (place / "deleted.txt").write_text("".join(f"{one}\n" for one in month.gone), encoding="utf-8")
    (place / "bibld.toml").write_text(CONFIG.format(complete=str(month.complete).lower()), encoding="utf-8")
    return again(place, number)


def again(place: Path, number: int, rebuild: bool = False, restat: bool = False) -> pipeline.Summary:
    """Run over a folder, in the month of this number."""
    clock = datetime(2026, number, 1, tzinfo=UTC)
    loaded = config.load(place / "bibld.toml")
    return pipeline.run(loaded, clock, progress.Silent(), rebuild=rebuild, restat=restat, allow_deletes=True)


def outcome(place: Path) -> Outcome:
    """What a folder publishes, without the description of the dataset, which counts and dates it."""
    loaded = config.load(place / "bibld.toml")
    iris = Iris(loaded.dataset.base)
    about = tuple(f"<{iris.graph(name)}> ." for name in DATASET)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        stated = {line.rstrip("\n") for line in triplify.catalog_quads(catalog, iris, ())}
        founders = list(catalog.linkage.founders())
        clusters = {frozenset(map(str, catalog.linkage.cluster(founder).members)) for founder in founders}
    live = store.open_live(loaded)
    stored = {line.rstrip("\n") for line in live.quads()}
    live.close()
    graph = loaded.graph_in_default.encode()
    parts = [
        {line for line in part if not line.endswith(about)} for part in (stated, stored, released(loaded.workspace))
    ]
    # The store has the provenance of the others in its default graph.
    as_stored = [{line_in_default_graph(line.encode(), graph).decode() for line in part} for part in parts]
    catalog_quads, live_quads, dumped = as_stored
    return Outcome(catalog_quads, live_quads, dumped, clusters)


def released(workspace: Path) -> set[str]:
    """The quads of the current release: those of the full dump, changed by each patch in turn."""
    releases = publish.Releases(workspace)
    place = releases.current()
    assert place is not None
    manifest = releases.manifest(place)
    published = _lines(gzip.decompress((place / "bibld.nq.gz").read_bytes()))
    for patch in manifest.since_full:
        published -= _lines(gzip.decompress((place / patch.removed).read_bytes()))
        published |= _lines(gzip.decompress((place / patch.added).read_bytes()))
    return published


def _lines(data: bytes) -> set[str]:
    return {line for line in data.decode().split("\n") if line}


# -- other founders ----------------------------------------------------------------------------------------------------


def by_smallest(found: Outcome) -> set[str]:
    """The quads with the smallest member of each cluster in the place of all: who founded it is seen no more.

    Works are named after the founders of their publications, and the first of those that are one carries the
    description. Tombstones are left out, since another register knows nothing of them.
    """
    iris = Iris(BASE)
    smallest: dict[str, str] = {}
    for cluster in found.clusters:
        paths = sorted(RecordId.parse(member).path for member in cluster)
        smallest.update((path, paths[0]) for path in paths)
    of_publication = re.compile(f"<({re.escape(iris.base)}(?:resource|work)/)([^#>]*?)(?=#|>|~~)")
    lines = {
        of_publication.sub(lambda match: f"<{match[1]}{smallest.get(match[2], match[2])}", line)
        for line in without_tombstones(found.catalog)
    }
    one_work = re.compile(f"<({re.escape(iris.base)}work/[^#>]*)> <{re.escape(expand('owl:sameAs'))}> <([^>]*)>")
    first: dict[str, str] = {}
    for one, other in sorted(match.groups() for line in lines if (match := one_work.match(line))):
        names = {name for name in (one, other) for name in (name, first.get(name, name))}
        united = {name for name, founder in first.items() if founder in names} | names
        first.update(dict.fromkeys(united, min(united)))
    of_work = re.compile(f"<({re.escape(iris.base)}work/[^#>]*)")
    return {of_work.sub(lambda match: f"<{first.get(match[1], match[1])}", line) for line in lines}


def without_tombstones(lines: set[str]) -> set[str]:
    """The quads without those of deleted records."""
    deleted = {line.partition(" ")[0] for line in lines if f"<{expand('prov:invalidatedAtTime')}>" in line}
    return {line for line in lines if line.partition(" ")[0] not in deleted}


# -- the figures -------------------------------------------------------------------------------------------------------


def play(place: Path, folder: Path, most: int | None = None) -> Iterator[str]:
    """All months in one workspace, then the checks; gives a line for each. Raises ``AssertionError``."""
    months_so_far = months(folder / "marc21" / "gpo_updates", most)
    library = copied(months_so_far)
    here, copy, fresh = (place / name for name in ("here", "copy", "fresh"))
    here.mkdir(parents=True)
    ever: set[str] = set()
    live_ids: set[str] = set()
    for number, month in enumerate(months_so_far, 1):
        begin = time.perf_counter()
        summary = bring(here, month, library, number)
        took = time.perf_counter() - begin
        yield _line(month, took, here, summary, ever, live_ids)
        found = outcome(here)
        assert found.is_one(), f"{month.name}: catalog, live store and release differ"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(here, copy)
        begin = time.perf_counter()
        again(copy, number, rebuild=True)
        rebuilding = time.perf_counter() - begin
        rebuilt = outcome(copy)
        assert rebuilt.is_one() and rebuilt == found, f"{month.name}: a rebuild gives other quads"
        yield f"         the same {len(found.catalog):,} quads as a rebuild, in {rebuilding:.1f} s"
    fresh.mkdir()
    yield from _compared(
        fresh, copy, Month("fresh", final(months_so_far)[::-1], complete=True), library, len(months_so_far)
    )


def _line(month: Month, took: float, place: Path, summary: pipeline.Summary, ever: set[str], live_ids: set[str]) -> str:
    """What came in a month, and what became of it; ``ever`` and ``living`` are brought up to date."""
    gone = {
        *month.gone,
        *(_number(record) for record in month.records if record.leader.record_status == "d"),
    } & live_ids
    came = {_number(record) for record in month.records if record.leader.record_status != "d"}
    counts = (came - ever, came & live_ids, gone, (came & ever) - live_ids)
    words = ", ".join(
        f"{len(numbers):,} {what}"
        for numbers, what in zip(counts, ("new", "changed", "deleted", "restored"), strict=True)
    )
    ever |= came
    live_ids |= came
    live_ids -= gone
    releases = publish.Releases(place / "work")
    current = releases.current()
    assert current is not None
    manifest = releases.manifest(current)
    patch = "a full dump"
    if manifest.since_full:
        last = manifest.since_full[-1]
        size = sum(file.bytes for file in manifest.files if file.name in (last.added, last.removed))
        patch = f"patch +{last.added_quads:,} -{last.removed_quads:,} quads, {size / 1e3:,.0f} kB"
    return f"{month.name}  {words}; {took:.1f} s; {patch}; {summary.figures.merged_clusters:,} clusters of two and more"


def _compared(fresh: Path, copy: Path, all_months: Month, library: Sequence[MarcRecord], number: int) -> Iterator[str]:
    """A fresh workspace over the final records, against the updated one after its statistics were counted again."""
    summary = bring(fresh, all_months, library, number)
    again(copy, number, restat=True)
    one, other = outcome(fresh), outcome(copy)
    moved = len(without_tombstones(one.catalog) ^ without_tombstones(other.catalog)) // 2
    assert one.is_one() and other.is_one()
    assert one.clusters == other.clusters, f"{len(one.clusters ^ other.clusters)} clusters differ"
    assert len(without_tombstones(one.catalog)) == len(without_tombstones(other.catalog))
    differing = by_smallest(one) ^ by_smallest(other)
    assert not differing, sorted(differing)[:10]
    yield (
        f"fresh    {summary.figures.records:,} records in the opposite order: the same {len(one.clusters):,} clusters;"
        f" {moved:,} of {len(one.catalog):,} quads name another founder, and are the same otherwise"
    )


def main() -> None:
    """Play all months over the real records."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as place:
        for line in play(Path(place), real_data(), most):
            print(line, flush=True)


if __name__ == "__main__":
    main()
