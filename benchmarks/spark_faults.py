"""Runs on a cluster whose executors and workers are killed and whose disks are full: is the release the same?

``python benchmarks/spark_faults.py [--records N] [CASE …]``. A master and two workers run on this machine. The cases:
``executors`` and ``workers`` kill one in each stage, ``disk`` gives one worker a small disk for its shuffle files,
``disks`` both (the run must end with a message). Each release must have the same lines as one of a single machine.
``disk`` and ``disks`` mount a file system in memory and need root.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from _measure import source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc
from engines import FIRST_DAY, run, sorted_lines

from tests.ports import free_port
from tests.spark.cluster import PROPERTIES, Cluster, ClusterRun, Victim, running_cluster, toml_of

STAGES = ("read", "dedup", "merge", "triplify", "publish")
VICTIMS: dict[str, Victim] = {"executors": "executor", "workers": "worker"}
SMALL_DISK = {"disk": 1, "disks": 2}
"""How many workers have a small disk."""

_DUMPS = "bibld*.nq.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help=f"of {', '.join((*VICTIMS, *SMALL_DISK))}; all by default")
    parser.add_argument("--records", type=int, default=5_000)
    parser.add_argument("--disk", default="2m", help="the size of a small disk")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_marc(Catalogue(asked.records, 1), folder / "books")
        tables = "".join(source_table(one, path) for one, (path, _) in zip("ab", files, strict=True))
        machine = write_config(folder, tables)
        summary, seconds = run(machine, "local", 0)
        lines, expected = sorted_lines(Path(str(summary["release"])), _DUMPS, folder / "sorted")
        print(f"one machine: {lines:,} lines, {seconds:.0f} s", flush=True)
        faults = 0
        for case in asked.case or (*VICTIMS, *SMALL_DISK):
            faults += not run_case(case, machine, folder / case, expected, asked.disk)
        sys.exit(faults > 0)


def run_case(case: str, machine: Path, folder: Path, expected: str, disk: str) -> bool:
    """Run one case; print and return whether it ended as it must."""
    (folder / "events").mkdir(parents=True)
    with ExitStack() as stack:
        small = [
            stack.enter_context(small_disk(folder / f"disk{number}", disk)) for number in range(SMALL_DISK.get(case, 0))
        ]
        cluster = stack.enter_context(running_cluster(folder / "cluster", local_folders=small))
        port = free_port()
        more = {
            "spark.ui.port": port,
            "spark.eventLog.enabled": True,
            "spark.eventLog.compress": False,
            "spark.eventLog.dir": f"file://{folder}/events",
        }
        text = machine.read_text(encoding="utf-8").replace('workspace = "work"', f'workspace = "{folder}/work"')
        file = machine.with_name(f"{case}.toml")
        file.write_text(text + toml_of(cluster.master, PROPERTIES | more), encoding="utf-8")
        begin = time.perf_counter()
        with ClusterRun(file, port, FIRST_DAY) as going:
            killed = kill_in_each_stage(going, cluster, VICTIMS[case]) if case in VICTIMS else []
            code = going.wait()
        seconds = time.perf_counter() - begin
        found = f"exit code {code}: {going.lines[-1][:300]}"
        is_right = code == 1 and case == "disks"
        if code == 0:
            release = Path(going.summary()["release"].removeprefix("file://"))
            _, digest = sorted_lines(release, _DUMPS, folder / "sorted")
            is_right = digest == expected and (case not in VICTIMS or killed == list(STAGES))
            found = "the same lines" if digest == expected else "OTHER LINES"
    failed, speculative = tasks_of(folder / "events")
    print(f"{case}: {found}; killed in {', '.join(killed) or 'no stage'}; {seconds:.0f} s;"
          f" {failed} tasks failed, {speculative} were speculative", flush=True)  # fmt: skip
    return is_right


def kill_in_each_stage(going: ClusterRun, cluster: Cluster, victim: Victim) -> list[str]:
    """Kill something that computes in each stage; return the stages in which there was something."""
    killed = []
    for stage in STAGES:
        host = going.wait_for_task(stage)
        if host:
            cluster.kill(host, victim)
            killed.append(stage)
    return killed


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system of this size."""
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def tasks_of(events: Path) -> tuple[int, int]:
    """Return how many tasks failed, and how many were second attempts beside a slow one, from Spark's event log."""
    failed = speculative = 0
    for file in events.rglob("*"):
        if not file.is_file():
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            event = json.loads(line) if line.startswith('{"Event":"SparkListenerTaskEnd"') else None
            if event:
                failed += bool(event["Task Info"]["Failed"])
                speculative += bool(event["Task Info"]["Speculative"])
    return failed, speculative


if __name__ == "__main__":
    main()
