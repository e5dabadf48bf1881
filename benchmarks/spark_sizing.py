"""The tables of docs/how-to/run-on-spark.md from the figures of a run: what a record takes, and what follows.

``python benchmarks/spark.py --records 1000000 > million.txt``, then ``python benchmarks/spark_sizing.py million.txt``.

The time of a run is the longest of three, plus a constant:

    processor: records × growth × µs / cores × TAIL
    disks of the nodes: records × shuffle bytes, written and read, / (nodes × NODE_DISK)
    storage: records × (tables + release) bytes / STORAGE

``--constant`` are the seconds that any run takes: what two runs of different size on the same cores leave for no
records.
"""

import argparse
import re
from pathlib import Path
from typing import NamedTuple

RECORDS = (25_000_000, 100_000_000, 500_000_000)
CORES = (8, 32, 64, 200)
GROWTH = {25_000_000: 1.0, 100_000_000: 1.04, 500_000_000: 1.08}
"""Decisions about pairs grow faster than the records."""

TAIL = 1.2
"""Tasks of a stage end at different times."""

CORES_OF_NODE = 8
NODE_DISK = 200e6
"""Bytes a second that the disk for intermediate files of a node writes or reads."""

STORAGE = 500e6
"""Bytes a second of the storage that all nodes share."""

RELEASE = 700
"""Bytes of the release for a record."""

_TIMES = re.compile(r"^  (\w+) +([\d.]+) +([\d.]+) \(([\d.]+), ([\d.]+)\) +(\d+) ")


class Stage(NamedTuple):
    """Seconds; for a record µs of the processors (of which in Java) and bytes; the most MB of all processes."""

    seconds: float
    cpu: float
    java: float
    shuffle: float = 0
    tables: float = 0
    spilled: float = 0
    memory: float = 0


def read_figures(text: str) -> tuple[int, dict[str, Stage]]:
    """Return the number of records, and the stages, of what ``benchmarks/spark.py`` printed about Spark."""
    head = re.search(r"^Spark, ([\d,]+) records", text, re.MULTILINE)
    assert head, "this is no output of benchmarks/spark.py with a run on Spark"
    records = int(head[1].replace(",", ""))
    stages: dict[str, Stage] = {}
    for line in text[head.start() :].splitlines():
        if found := _TIMES.match(line):
            name, seconds, cpu, jvm, _, _ = found.groups()
            stages[name] = Stage(float(seconds), 1e6 * float(cpu) / records, 1e6 * float(jvm) / records)
        elif line.count("|") == 1 and (words := line.replace(",", "").replace("|", " ").split())[0] in stages:
            written, _, _, output, spilled, _, _, memory = map(float, words[1:])
            stages[words[0]] = stages[words[0]]._replace(shuffle=written, tables=output, spilled=spilled, memory=memory)
    return records, stages


def show_stages(stages: dict[str, Stage]) -> None:
    """Print what a record takes."""
    print("| stage | processor time, µs (of which in Java) | shuffle written, bytes | tables written, bytes |")
    print("| --- | ---: | ---: | ---: |")
    for name, one in stages.items():
        print(f"| {name} | {one.cpu:,.0f} ({one.java:,.0f}) | {one.shuffle:,.0f} | {one.tables:,.0f} |")
    cpu, java, shuffle, tables = (sum(one[place] for one in stages.values()) for place in (1, 2, 3, 4))
    print(f"| **together** | **{cpu:,.0f}** ({java:,.0f}) | **{shuffle:,.0f}** | **{tables:,.0f}** |")


def show_sizes(stages: dict[str, Stage], constant: float) -> None:
    """Print the hours for catalogues and clusters, and what limits each."""
    cpu, shuffle, tables = (sum(one[place] for one in stages.values()) for place in (1, 3, 4))
    print(f"| records | {' | '.join(f'{cores} cores' for cores in CORES)} | shuffle, all nodes | tables, two runs |")
    print(f"| ---: |{' ---: |' * (len(CORES) + 2)}")
    for records in RECORDS:
        cells = []
        for cores in CORES:
            times = {
                "processor": records * GROWTH[records] * cpu / 1e6 / cores * TAIL,
                "disks": records * shuffle * 2 / (cores / CORES_OF_NODE * NODE_DISK),
                "storage": records * (tables + RELEASE) / STORAGE,
            }
            limit = max(times, key=times.__getitem__)
            mark = "" if limit == "processor" else f" ({limit})"
            cells.append(f"{_duration(times[limit] + constant)}{mark}")
        sizes = (_size(records * shuffle), _size(2 * records * tables))
        print(f"| {records // 1_000_000} million | {' | '.join((*cells, *sizes))} |")
    cores = cpu / 1e6 * TAIL / ((tables + RELEASE) / STORAGE)
    print(f"\nStorage of {STORAGE / 1e6:.0f} MB/s becomes the bottleneck beyond {cores:.0f} cores.")
    print(f"A core writes {shuffle / cpu:.1f} MB of shuffle a second.")


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min"


def _size(size: float) -> str:
    return f"{size / 1e12:.1f} TB" if size >= 1e12 else f"{size / 1e9:.0f} GB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="what benchmarks/spark.py printed")
    parser.add_argument("--constant", type=float, default=100, help="seconds of any run")
    asked = parser.parse_args()
    records, stages = read_figures(asked.output.read_text(encoding="utf-8"))
    print(f"{records:,} records\n")
    show_stages(stages)
    print()
    show_sizes(stages, asked.constant)


if __name__ == "__main__":
    main()
