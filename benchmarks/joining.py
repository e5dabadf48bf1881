"""Measure the time and memory to index and join many records, and what the pre-filter drops.

Records are synthetic (`synthetic.py`), written as feature segments first. Core seconds are those that all threads
worked together; they count on a machine that others share. `--records 4000000`; a line extrapolates to 25 million.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
from synthetic import Catalogue

from bibld import adapters
from bibld.config import DedupConfig
from bibld.dedup._index.segments import Segment, SegmentWriter
from bibld.dedup._keys.indexing import index_base, index_segment
from bibld.dedup._keys.key_runs import SegmentRuns, open_runs
from bibld.dedup._keys.statistics import count_words
from bibld.dedup._pairs.join import join
from bibld.model.features import Statistics

GOAL = 25_000_000


class Blocking(msgspec.Struct, frozen=True):
    """As much of a configuration as blocking asks for: the defaults."""

    dedup: DedupConfig

    def settings(self, stage: str, name: str) -> object:
        return adapters.settings_type(stage, name)()


class Clock:
    """Wall and core seconds by step."""

    def __init__(self, records: int) -> None:
        self.records = records
        self.total = 0.0

    @contextmanager
    def step(self, name: str, counts: bool = True) -> Iterator[None]:
        wall, core = time.perf_counter(), time.process_time()
        yield
        wall, core = time.perf_counter() - wall, time.process_time() - core
        self.total += core if counts else 0
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        each = core / self.records * 1e6
        print(f"  {name:34} {wall:8.1f} s {core:8.1f} core s {each:7.2f} us a record; peak {peak:.2f} GB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--segments", type=int, default=2)
    parser.add_argument("--new", type=int, default=10_000, help="how many records are probed at the end")
    parser.add_argument("--blockers", default="identifier,composite")
    parser.add_argument("--unsieved", action="store_true", help="also count the pairs without the pre-filter")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(asked, Path(folder))


def measure(asked: argparse.Namespace, folder: Path) -> None:
    config = Blocking(DedupConfig(block=tuple(asked.blockers.split(","))))
    warm(config)
    catalogue = Catalogue(asked.records + asked.new)
    edges = [asked.records * number // asked.segments for number in range(asked.segments + 1)]
    segments = [write(catalogue, *ends, folder / str(ends[0])) for ends in pairwise(edges)]
    folders = [segment.folder for segment in segments]
    clock = Clock(asked.records)
    print(f"{asked.records:,} records in {asked.segments} segments")
    with clock.step("count words", counts=False):
        count_words(segments, 2, 1 << 30)
    with clock.step("statistics and runs, with that"):
        statistics, runs = index_base(segments, folders, config)  # type: ignore[arg-type]
    key_files = [path for one in folders for path in [*one.glob("*.keys"), *one.glob("*.signatures")]]
    size = sum(path.stat().st_size for path in key_files)
    count = sum(len(one.entries) for key_files in runs for levels in key_files.runs.values() for one in levels)
    print(f"  {count / asked.records:.1f} keys, {size / asked.records:.0f} bytes a record")
    report(runs, statistics, config, catalogue, clock)
    seconds = clock.total / asked.records * GOAL / 2
    print(f"  {clock.total / asked.records * 1e6:.2f} core us a record; {GOAL:,} records: {seconds:.0f} s on two cores")
    if asked.unsieved:
        plain = Blocking(DedupConfig(block=config.dedup.block, score="jaccard"))
        report(runs, statistics, plain, catalogue, Clock(asked.records))
    if asked.new:
        new = write(catalogue, asked.records, asked.records + asked.new, folder / "new")
        runs = [open_runs(one.folder, len(one), config) for one in segments]  # type: ignore[arg-type,misc]
        clock = Clock(asked.new)
        with clock.step(f"runs of {asked.new:,} new records"):
            runs.append(index_segment(new, new.folder, config, statistics))  # type: ignore[arg-type]
        for name in ("probe, cold", "probe, warm"):
            with clock.step(name), join(runs, config, statistics, new_from=len(runs) - 1) as found:  # type: ignore[arg-type]
                count = sum(len(left) for left, _ in found)
        print(f"  {count:,} pairs")


def report(
    runs: list[SegmentRuns], statistics: Statistics, config: Blocking, catalogue: Catalogue, clock: Clock
) -> None:
    """Join, and print what came out."""
    records = clock.records
    with clock.step(f"join ({config.dedup.score})"):
        found = join(runs, config, statistics)  # type: ignore[arg-type]
    with clock.step("once and in order"):
        count = sum(len(left) for left, _ in found)
    true = np.sort(catalogue.true_pairs(0, records))
    hits = sum(int(np.isin(pairs, true, assume_unique=True).sum()) for pairs in found.packed())
    found.close()
    print(f"  {count / records:.3f} pairs a record, candidate recall {hits / max(len(true), 1):.5f}")
    for message in found.messages():
        print(f"    {message}")


def write(catalogue: Catalogue, start: int, stop: int, folder: Path) -> Segment:
    """Some records of a catalogue as a segment."""
    with SegmentWriter(folder) as writer:
        for chunk in catalogue.chunks(start, stop, rows=50_000):
            writer.add(chunk.columns)
        writer.close()
    return Segment.open(folder)


def warm(config: Blocking) -> None:
    """Compile what is not compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        one = write(Catalogue(2_000), 0, 2_000, Path(folder) / "one")
        statistics, runs = index_base([one], [None], config)  # type: ignore[arg-type]
        with join(runs * 2, config, statistics, new_from=1) as found:  # type: ignore[arg-type]
            list(found)


if __name__ == "__main__":
    main()
