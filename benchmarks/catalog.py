"""Measure the cost of a record in the catalog: microseconds to write it, bytes on disk.

``python benchmarks/catalog.py`` converts the real records of the Government Publishing Office once, then writes them
into a new catalog as a run does (register, compression, commit; in batches of up to 1,000), and into two others for
comparison: the same catalog without dictionaries, and an SQLite table with the plain blobs. Sizes are those of both
databases after reading, before matching: indices, queues and dictionaries are in them.

All writing happens in the measured process, so its processor time is complete: packing, training of
dictionaries and compression are part of the figure of the catalog, and are also measured alone.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import zstandard
from _measure import real_data, run, source_table, write_config

from bibld.catalog import Catalog, NewRecord, compression
from bibld.catalog._record_bytes import pack
from bibld.catalog._records import Records

FILES = "gpo_updates/new_*.mrc", "gpo_updates/changed_*.mrc", "gpo_covid_online.mrc"
TIMES = 5
TRAIN = compression.train_dictionary
Batches = list[list[NewRecord]]


def converted(folder: Path) -> Batches:
    """The records in the batches in which a run writes them."""
    files = [path for pattern in FILES for path in sorted((real_data() / "marc21").glob(pattern))]
    tables = "".join(source_table(f"s{number}", path) for number, path in enumerate(files))
    found: Batches = []
    put = Records.put

    def caught(self: Records, records: list[NewRecord], run: int):
        found.append(list(records))
        return put(self, records, run)

    Records.put = caught
    run(write_config(folder, tables, "workers = 1\n"), until="read")
    Records.put = put
    return [batch for batch in found if batch]


def into_catalog(place: Path, batches: Batches) -> None:
    with Catalog(place) as catalog:
        with catalog.commit():
            for number in range(1, 1 + max(record.carrier for batch in batches for record in batch)):
                catalog.records.add_carrier(f"s{number}", "x", "iso2709", b"{}")
        for batch in batches:
            with catalog.commit():
                catalog.records.put(batch, 1)


def without_dictionaries(place: Path, batches: Batches) -> None:
    compression.train_dictionary = lambda samples: None
    into_catalog(place, batches)
    compression.train_dictionary = TRAIN


def parts(place: Path, batches: Batches) -> None:
    """Print what packing, learning and compression take of the writing, each alone, in microseconds for each record."""
    count = sum(map(len, batches))
    spent = {"packing": 0.0, "learning": 0.0, "compression": 0.0}

    def timed(samples: Sequence[bytes]) -> zstandard.ZstdCompressionDict | None:
        begin = time.process_time()
        made = TRAIN(samples)
        spent["learning"] += time.process_time() - begin
        return made

    compression.train_dictionary = timed
    best = dict.fromkeys(spent, float("inf"))
    for turn in range(TIMES):
        spent.update(dict.fromkeys(spent, 0.0))
        with Catalog(place / str(turn)) as catalog, catalog.commit():
            for batch in batches:
                begin = time.process_time()
                pieces = [pack(record.mods, record.original) for record in batch]
                between = time.process_time()
                catalog._blobs.compress_all("record", batch[0].carrier, pieces)
                spent["packing"] += between - begin
                spent["compression"] += time.process_time() - between
        spent["compression"] -= spent["learning"]
        best = {name: min(best[name], seconds) for name, seconds in spent.items()}
    compression.train_dictionary = TRAIN
    shares = ", ".join(f"{seconds / count * 1e6:.0f} us {name}" for name, seconds in best.items())
    print(f"in the time of the catalog: {shares}; the rest is the databases")


def plainly(place: Path, batches: Batches) -> None:
    """One table with a key, in the same transactions."""
    place.mkdir()
    connection = sqlite3.connect(place / "plain.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE record (id TEXT PRIMARY KEY, original BLOB, mods BLOB)")
    for batch in batches:
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?)",
            [(str(record.id), record.original, record.mods) for record in batch],
        )
        connection.execute("COMMIT")
    connection.close()


def measured(name: str, write: Callable[[Path, Batches], None], place: Path, batches: Batches) -> tuple[float, float]:
    """Microseconds and bytes for each record: the best of some times, in CPU time, since others use the machine too."""
    count = sum(map(len, batches))
    best = elapsed = float("inf")
    for _ in range(TIMES):
        shutil.rmtree(place, ignore_errors=True)
        begin, cpu = time.perf_counter(), time.process_time()
        write(place, batches)
        best, elapsed = min(best, time.process_time() - cpu), min(elapsed, time.perf_counter() - begin)
    size = sum(path.stat().st_size for path in place.glob("*.db")) / count
    print(f"{name}: {best / count * 1e6:.0f} us of CPU ({elapsed / count * 1e6:.0f} us passed), {size:,.0f} bytes")
    return best, size


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        batches = converted(place)
        records = [record for batch in batches for record in batch]
        original, mods = (
            sum(len(getattr(one, name)) for one in records) / len(records) for name in ("original", "mods")
        )
        print(f"{len(records):,} records; one has {original:,.0f} bytes of original and {mods:,.0f} of MODS as JSON")
        ours, size = measured("the catalog", into_catalog, place / "ours", batches)
        _, untrained = measured("without dictionaries", without_dictionaries, place / "untrained", batches)
        parts(place / "parts", batches)
        baseline, plain = measured("plain blobs in SQLite", plainly, place / "plain", batches)
        one = zstandard.ZstdCompressor(level=3)
        begin = time.process_time()
        for record in records:
            one.compress(record.mods)
        alone = time.process_time() - begin
        print(f"{size / untrained:.2f} of the size without dictionaries, {size / plain:.2f} of that of plain blobs")
        print(
            f"{ours / baseline:.1f} times the time of plain blobs, {ours / alone:.1f} times that of zstd over the MODS"
        )


if __name__ == "__main__":
    main()
