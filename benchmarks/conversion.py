"""Conversion: reading and crosswalk to MODS and its JSON, in one process against pymarc that merely reads the same
file, in two processes against one, and the peak memory of a long file.

``--million`` makes that file a million records long (by repeating real ones) instead of 50,000.
"""

import contextlib
import io
import multiprocessing
import os
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import pymarc
from _measure import real_data

from bibld.ingest import Conversion, ConversionPool, Job
from bibld.protocols import HarvestedFile, Raw, adapters
from bibld.read import examine, read

FILES = ("marc21/gpo_covid_online.mrc", "marc21/uva_marc8.mrc", "rusmarc/stavropol_cp866.mrc")
LONG, MILLION, SAMPLE = 50_000, 1_000_000, 10_000
TICKS = os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """What a conversion took: records, seconds of the clock and of all processors, MB of its largest process."""

    records: int
    seconds: float
    processor: float
    peak: float


def main() -> None:
    for name in FILES:
        against_pymarc(real_data() / name)
    with tempfile.TemporaryDirectory() as folder:
        sample, long = Path(folder) / "sample.mrc", Path(folder) / "long.mrc"
        repeat(real_data() / FILES[0], SAMPLE, sample)
        two_against_one(sample)
        repeat(sample, MILLION if "--million" in sys.argv else LONG, long)
        memory(long)


def against_pymarc(path: Path) -> None:
    """One process, on a file that fits into the cache; seconds of the processor, the least of several runs."""

    def theirs() -> int:
        with path.open("rb") as stream, contextlib.redirect_stderr(io.StringIO()):
            return sum(record is not None for record in pymarc.MARCReader(stream, to_unicode=True, permissive=True))

    times: list[tuple[float, float]] = []
    for _ in range(5):
        begin = time.process_time()
        count = converted(path, 1).records
        between = time.process_time()
        other = theirs()
        times.append(((between - begin) / count, (time.process_time() - between) / other))
    mine, baseline = (min(column) for column in zip(*times, strict=True))
    print(
        f"{path.name}: {count} records converted, {1 / mine:,.0f} a second in one process; "
        f"pymarc reads {1 / baseline:,.0f} a second; {baseline / mine:.2f} times as many"
    )


def two_against_one(path: Path) -> None:
    """Two processes against one; on a machine that is busy otherwise only the seconds of the processor mean much."""
    runs = [(converted(path, 1), converted(path, 2)) for _ in range(2)]
    one, two = (min(column, key=lambda run: run.seconds) for column in zip(*runs, strict=True))
    processor = min(run[1].processor for run in runs) / min(run[0].processor for run in runs)
    print(
        f"{one.records:,} records: two processes are {one.seconds / two.seconds:.2f} times as fast as one, "
        f"for {processor:.2f} times the processor's time: {2 / processor:.2f} times on two idle cores"
    )


def memory(path: Path) -> None:
    """The largest process while a long file is converted in two."""
    run = converted(path, 2)
    print(
        f"{run.records:,} records ({path.stat().st_size / 1e6:,.0f} MB): {run.records / run.seconds:,.0f} a second "
        f"in two processes, the largest of which took {run.peak:,.0f} MB"
    )


def converted(path: Path, workers: int) -> Run:
    """Convert all records of a file to MODS and its JSON."""
    begin, own = time.perf_counter(), time.process_time()
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    settings = {name: adapters.settings_type("crosswalk", name)() for name in adapters.adapter_names("crosswalk")}
    with ConversionPool(workers) as conversions:
        outcomes = conversions.convert(Job("s", examined.carrier, "auto", settings), read(file, examined))
        count = sum(isinstance(outcome, Conversion) for outcome in outcomes)
        seconds, own = time.perf_counter() - begin, time.process_time() - own
        others = [child.pid for child in multiprocessing.active_children()]
        processor = own + sum(map(processor_seconds, others))
        return Run(count, seconds, processor, max(map(peak_megabytes, ["self", *others])))


def processor_seconds(pid: int | str | None) -> float:
    """The time of the processor that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_megabytes(pid: int | str | None) -> float:
    """The most memory that a process ever held."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def repeat(source: Path, count: int, target: Path) -> None:
    """Write the records of a file repeatedly until a number is reached."""
    file = HarvestedFile("s", source.name, source)
    pieces = (piece.data for piece in read(file) if isinstance(piece, Raw))
    records = list(islice(pieces, 2_000))
    with target.open("wb") as out:
        for data in islice(cycle(records), count):
            out.write(data if data.endswith(b"\x1d") else data + b"\x1d")


if __name__ == "__main__":
    main()
