"""The same records on one machine and on Spark: seconds and processor time of each stage, shuffle, memory.

`python benchmarks/spark.py --records 200000` makes synthetic records of two libraries (see `synthetic.py`) and runs all
stages over them, first on one machine, then on Spark with two cores in one process (`local[2]`), each in a new process
with an empty workspace. Both make the same parts of a release; the store of one machine is shown, but not compared.
Bytes of shuffle, input and output are those of Spark's event log; processor time and memory (proportional set size) are
those of the processes. `--jobs` shows each job of Spark, too.

`--marc A.mrc B.mrc` takes files that are there. `--engines spark` leaves the run on one machine out. `--memory` are
megabytes of Java. `--keep FOLDER` keeps the workspaces and event logs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import msgspec
from _measure import source_table, write_config
from _synthetic.marc import write_marc
from _watched_run import Usage, stage_of
from synthetic import Catalogue

from bibld.pipeline import Summary

COMPARED = ("read", "dedup", "merge", "triplify", "publish")
PARTS = '[publish]\nparts = ["void", "run", "dumps", "dcat"]\n'
JVM = ("driver", "executor")

_ENGINE = """[engine]
name = "spark"
master = "local[2]"
[engine.conf]
"spark.driver.memory" = "{memory}m"
"spark.driver.host" = "127.0.0.1"
"spark.driver.bindAddress" = "127.0.0.1"
"spark.ui.enabled" = false
"spark.eventLog.enabled" = true
"spark.eventLog.compress" = false
"spark.eventLog.rolling.enabled" = false
"""


class Work(msgspec.Struct):
    """What the tasks of a stage, or of a job, did: bytes, and milliseconds of their threads in the JVM."""

    written: int = 0
    read: int = 0
    input: int = 0
    output: int = 0
    spilled: int = 0
    cpu: float = 0
    collecting: float = 0
    tasks: int = 0

    def add(self, metrics: dict[str, object]) -> None:
        """Add the metrics of a task."""
        values = _flat(metrics)
        self.written += int(values["Shuffle Write Metrics.Shuffle Bytes Written"])
        self.read += sum(int(values[f"Shuffle Read Metrics.{place} Bytes Read"]) for place in ("Remote", "Local"))
        self.input += int(values["Input Metrics.Bytes Read"])
        self.output += int(values["Output Metrics.Bytes Written"])
        self.spilled += int(values["Disk Bytes Spilled"])
        self.cpu += values["Executor CPU Time"] / 1e6
        self.collecting += values["JVM GC Time"]
        self.tasks += 1


def _flat(metrics: dict[str, object], prefix: str = "") -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in metrics.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            found[prefix + name] = value
    return found


def read_event_log(folder: Path) -> dict[str, Work]:
    """Return the work of the jobs by their descriptions; those without one are ``other``."""
    job_of_stage: dict[int, str] = {}
    found: defaultdict[str, Work] = defaultdict(Work)
    for file in folder.iterdir():
        with file.open(encoding="utf-8") as lines:
            for event in map(json.loads, lines):
                if event["Event"] == "SparkListenerJobStart":
                    name = event["Properties"].get("spark.job.description") or "other"
                    job_of_stage |= dict.fromkeys(event["Stage IDs"], name)
                elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                    found[job_of_stage[event["Stage ID"]]].add(event["Task Metrics"])
    return dict(found)


# -- runs ------------------------------------------------------------------------------------------------------------


def run(config: Path) -> tuple[Summary, Usage]:
    """Run a configuration in a new process."""
    words = [sys.executable, str(Path(__file__).with_name("_watched_run.py")), str(config)]
    process = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    if process.returncode:
        sys.exit(f"{config}: the run failed")
    return msgspec.json.decode(process.stdout.splitlines()[-1], type=tuple[Summary, Usage])


def write_engine(folder: Path, tables: str, engine: str) -> Path:
    folder.mkdir()
    return write_config(folder, f"{PARTS}{engine}{tables}", "workers = 2\n")


def run_on_spark(folder: Path, tables: str, engine: str) -> tuple[Summary, Usage, Path]:
    log = folder / "events"
    config = write_engine(folder, tables, f'{engine}"spark.eventLog.dir" = "file://{log}"\n')
    log.mkdir()
    return *run(config), log


def show_local(summary: Summary, usage: Usage) -> None:
    records = summary.figures.records
    print(f"one machine, {records:,} records, {summary.figures.clusters:,} clusters")
    print("  stage       seconds   processor s   µs a record   most memory, MB")
    for stage in summary.stages:
        cpu, memory = usage.cpu[stage.stage], usage.memory.get(stage.stage, 0)
        print(f"  {stage.stage:9}{stage.seconds:10.1f}{cpu:14.1f}{1e6 * cpu / records:14.0f}{memory:18,.0f}")
    print(f"  processor seconds by stage: { {name: round(value, 1) for name, value in usage.cpu.items()} }")


def show_spark(summary: Summary, usage: Usage, log: Path, local: Usage | None) -> None:
    records = summary.figures.records
    work = read_event_log(log)
    by_stage: defaultdict[str, Work] = defaultdict(Work)
    for job, one in work.items():
        total = by_stage[stage_of(job)]
        for name in Work.__struct_fields__:
            setattr(total, name, getattr(total, name) + getattr(one, name))
    seconds = {stage.stage: stage.seconds for stage in summary.stages}
    print(f"Spark, {records:,} records, {summary.figures.clusters:,} clusters, {summary.seconds:.1f} s in all")
    print("  stage       seconds   processor s (JVM, Python)   µs a record   ratio   tasks   collecting s")
    stages = [name for name in usage.cpu if name not in COMPARED]
    for name in (*stages, *COMPARED):
        jobs = [kinds for job, kinds in usage.cpu_of_jobs.items() if stage_of(job) == name]
        jvm, python = (sum(used.get(kind, 0) for used in jobs for kind in wanted) for wanted in (JVM, ("python",)))
        one, ratio = by_stage[name], usage.cpu[name] / local.cpu[name] if local and local.cpu.get(name) else 0
        print(
            f"  {name:9}{seconds.get(name, 0):10.1f}{usage.cpu[name]:14.1f} ({jvm:.1f}, {python:.1f})"
            f"{1e6 * usage.cpu[name] / records:12.0f}{ratio:8.2f}{one.tasks:8}{one.collecting / 1e3:10.1f}"
        )
    total_cpu, base = (
        sum(cpu.get(name, 0) for name in cpu if name != "store") for cpu in (usage.cpu, local.cpu if local else {})
    )
    print(f"  {total_cpu:.1f} s of the processors" + (f", {total_cpu / base:.2f} times one machine's" if base else ""))
    print("  bytes a record: shuffle written, read; tables read, written; spilled | most MB: JVMs, Python; in all")
    for name in COMPARED:
        one, memory = by_stage[name], usage.memory_of_kinds.get(name, {})
        sizes = (one.written, one.read, one.input, one.output, one.spilled)
        most = (sum(memory.get(kind, 0) for kind in JVM), memory.get("python", 0), usage.memory.get(name, 0))
        columns = (f"{size / records:10,.0f}" for size in sizes), (f"{size:8,.0f}" for size in most)
        print(f"  {name:9}{' |'.join(map(''.join, columns))}")


def show_jobs(usage: Usage, log: Path) -> None:
    work = read_event_log(log)
    print("  job: processor seconds of JVM, Python, main; tasks; MB: shuffle, tables read, written, spilled")
    for job, used in usage.cpu_of_jobs.items():
        one = work.get(job, Work())
        seconds = (sum(used.get(kind, 0) for kind in JVM), used.get("python", 0), used.get("main", 0))
        sizes = (one.written, one.input, one.output, one.spilled)
        print(
            f"    {job:46}{''.join(f'{second:8.1f}' for second in seconds)}{one.tasks:7}"
            f"{''.join(f'{size / 1e6:9,.1f}' for size in sizes)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000, help="of both libraries together")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--marc", type=Path, nargs="+", help="files of MARC 21 to take instead")
    parser.add_argument("--engines", default="local,spark")
    parser.add_argument("--memory", type=int, default=2000, help="megabytes of Java")
    parser.add_argument("--conf", nargs="+", default=[], help="further properties of Spark: KEY=VALUE")
    parser.add_argument("--jobs", action="store_true", help="show each job of Spark")
    parser.add_argument("--keep", type=Path, help="a new folder for the workspaces, which is kept")
    asked = parser.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    folder = (asked.keep or Path(tempfile.mkdtemp())).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        files = asked.marc or [path for path, _ in write_marc(Catalogue(asked.records, asked.seed), folder / "records")]
        tables = "".join(source_table(f"s{number}", file.absolute()) for number, file in enumerate(files, 1))
        local = None
        if "local" in asked.engines:
            summary, local = run(write_engine(folder / "local", tables, ""))
            show_local(summary, local)
            shutil.rmtree(folder / "local" / "work" / "store", ignore_errors=True)
        if "spark" not in asked.engines:
            return
        place = folder / "spark"
        engine = _ENGINE.format(memory=asked.memory)
        engine += "".join('"{}" = "{}"\n'.format(*each.split("=", 1)) for each in asked.conf)
        summary, usage, log = run_on_spark(place, tables, engine)
        show_spark(summary, usage, log, local)
        if asked.jobs:
            show_jobs(usage, log)
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
