"""A run from MARC files to a release: records per second, seconds of each stage, memory, bytes of the workspace.

`python benchmarks/throughput.py --records 200000` makes synthetic records of two libraries (see `synthetic.py`), runs
all stages over them in a new process, and reads the same files with pymarc alone as a baseline. `--marc A.mrc B.mrc`
takes files that are there. Memory is that of all processes of the run together (proportional set size), and so is
processor time. The workspace is measured directly after the run; a file with more than one name counts once. `--keep
FOLDER` keeps it.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec
import pymarc
from _measure import source_table, write_config
from _synthetic.marc import write_marc
from _watched_run import Usage
from synthetic import Catalogue

from bibld import pipeline


def bytes_by_part(workspace: Path) -> Counter[str]:
    """Return the bytes on disk of each part of a workspace; a file with more than one name counts once."""
    parts: Counter[str] = Counter()
    seen = set[int]()
    for path in sorted(workspace.rglob("*"), key=lambda path: ("releases" in path.parts, path)):
        if path.is_file() and (status := path.stat()).st_ino not in seen:
            seen.add(status.st_ino)
            part = path.relative_to(workspace).parts[0]
            is_dump = part == "releases" and "store" not in path.parts
            name = "dumps" if is_dump else "store" if part == "releases" else part.partition(".db")[0]
            parts[name] += status.st_blocks * 512
    return parts


def read_with_pymarc(files: list[Path]) -> tuple[float, float]:
    """Return the seconds, and those of the processor, in which pymarc reads the files."""
    begin, begin_of_processor = time.perf_counter(), time.process_time()
    for file in files:
        with file.open("rb") as stream:
            for _ in pymarc.MARCReader(stream, to_unicode=True, permissive=True):
                pass
    return time.perf_counter() - begin, time.process_time() - begin_of_processor


def report(summary: pipeline.Summary, usage: Usage, files: list[Path], workspace: Path) -> None:
    """Print all figures."""
    figures = summary.figures
    records, total = figures.records, sum(stage.seconds for stage in summary.stages)
    print(f"{records:,} records in {total:.1f} s: {records / total:,.0f} records per second")
    print(f"  {figures.clusters:,} clusters, {figures.quads:,} quads, {figures.quads / records:.1f} a record")
    baseline, of_processor = read_with_pymarc(files)
    print(f"  pymarc alone reads the files in {baseline:.1f} s: the run takes {total / baseline:.1f} times as long,")
    used = sum(usage.cpu.values())
    print(f"  and {used / of_processor:.1f} times its processor time, which other programs beside it change less")
    print("  stage      wall s   processor s   (main process)   µs a record   most memory, MB")
    for stage in summary.stages:
        cpu, main = (times.get(stage.stage, 0) for times in (usage.cpu, usage.cpu_of_main))
        memory = usage.memory.get(stage.stage, 0)
        figures_of_stage = f"{stage.seconds:8.1f}{cpu:14.1f}{main:17.1f}{1e6 * cpu / records:14.0f}{memory:18,.0f}"
        print(f"  {stage.stage:9}{figures_of_stage}")
    print(f"  {used:.1f} s of the processors, at most {max(usage.memory.values()):,.0f} MB")
    parts = bytes_by_part(workspace)
    print(f"  workspace: {sum(parts.values()) / records:,.0f} bytes a record")
    for part, size in parts.most_common():
        print(f"    {part:10}{size / records:10,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000, help="of both libraries together")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--workers", type=int, default=0, help="0: one process for each core")
    parser.add_argument("--marc", type=Path, nargs="+", help="files of MARC 21 to take instead")
    parser.add_argument("--keep", type=Path, help="a new folder for the workspace, which is kept")
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        files = asked.marc or [path for path, _ in write_marc(Catalogue(asked.records, asked.seed), folder / "records")]
        tables = "".join(source_table(f"s{number}", file.absolute()) for number, file in enumerate(files, 1))
        config = write_config(folder, tables, f"workers = {asked.workers}\n")
        words = [sys.executable, str(Path(__file__).with_name("_watched_run.py")), str(config)]
        printed = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
        summary, usage = msgspec.json.decode(printed, type=tuple[pipeline.Summary, Usage])
        report(summary, usage, files, folder / "work")
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
