"""Run a configuration, and print its summary and what its processes used as JSON: `python _watched_run.py bibld.toml`.

A separate program, since worker processes import the program that starts them.
"""

import os
import sys
import threading
import time
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import bibld
from bibld.progress import Silent

DATE = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLES_A_SECOND = 4
SAMPLES_BETWEEN_MEMORY = 4
TICKS = os.sysconf("SC_CLK_TCK")

KINDS = {
    b"CoarseGrainedExecutorBackend": "executor",
    b"org.apache.spark.deploy.SparkSubmit": "driver",
    b"pyspark.daemon": "python",
    b"pyspark/daemon": "python",
}
"""What the command line of a process of Spark contains, and what the process is; others are ``main``."""


class Usage(msgspec.Struct):
    """What the processes of a run used, by stage: processor seconds (of all, of the main one) and most memory (MB).

    The jobs of Spark have names that begin with their stage: ``cpu_of_jobs`` are the processor seconds of each, by kind
    of process; ``memory_of_kinds`` the most memory in a stage by kind, ``most_of_one`` that of a single process.
    """

    cpu: dict[str, float]
    cpu_of_main: dict[str, float]
    memory: dict[str, float]
    cpu_of_jobs: dict[str, dict[str, float]]
    memory_of_kinds: dict[str, dict[str, float]]
    most_of_one: dict[str, dict[str, float]]


class Watcher(Silent):
    """Samples processor time and memory of this process and its descendants, by the stage that is running."""

    def __init__(self) -> None:
        self._job = "start"
        self._ends = threading.Event()
        self._lock = threading.Lock()
        self._cpu: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._cpu_of_main: Counter[str] = Counter()
        self._memory: Counter[str] = Counter()
        self._memory_of_kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._most_of_one: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._ticks: dict[int, int] = {}
        self._kinds: dict[int, str] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Attribute what follows to a stage, whose name may be followed by a colon and that of a job."""
        with self._lock:
            self._sample_cpu()
        self._job = name

    def finish(self) -> Usage:
        """Return what was used."""
        self._ends.set()
        self._thread.join()
        self._sample_cpu()
        cpu = Counter[str]()
        for job, kinds in self._cpu.items():
            cpu[stage_of(job)] += sum(kinds.values())
        return Usage(
            dict(cpu), dict(self._cpu_of_main), dict(self._memory), self._cpu, self._memory_of_kinds, self._most_of_one
        )

    def _watch(self) -> None:
        samples = 0
        while not self._ends.wait(1 / SAMPLES_A_SECOND):
            with self._lock:
                found = self._sample_cpu()
            if samples % SAMPLES_BETWEEN_MEMORY == 0:
                self._sample_memory(found)
            samples += 1

    def _sample_cpu(self) -> list[int]:
        """Count the processor time since the last sample, without that of sampling; return the processes."""
        begin = time.thread_time()
        found = []
        for pid in descendants(os.getpid()):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
                kind = self._kind(pid)
            except OSError:
                continue  # the process has ended
            ticks = int(fields[11]) + int(fields[12])
            seconds = (ticks - self._ticks.get(pid, 0)) / TICKS
            self._cpu[self._job][kind] += seconds
            if pid == os.getpid():
                self._cpu_of_main[stage_of(self._job)] += seconds
            self._ticks[pid] = ticks
            found.append(pid)
        self._subtract(time.thread_time() - begin)
        return found

    def _subtract(self, seconds: float) -> None:
        self._cpu[self._job]["main"] -= seconds
        self._cpu_of_main[stage_of(self._job)] -= seconds

    def _sample_memory(self, processes: list[int]) -> None:
        begin, stage, used = time.thread_time(), stage_of(self._job), Counter[str]()
        for pid in processes:
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue  # the process has ended
            size = int(rollup.partition("Pss:")[2].split()[0]) / 1000
            kind = self._kinds[pid]
            used[kind] += size
            self._most_of_one[stage][kind] = max(self._most_of_one[stage][kind], size)
        self._memory[stage] = max(self._memory[stage], sum(used.values()))
        for kind, size in used.items():
            self._memory_of_kinds[stage][kind] = max(self._memory_of_kinds[stage][kind], size)
        self._subtract(time.thread_time() - begin)

    def _kind(self, pid: int) -> str:
        if self._kinds.get(pid, "main") == "main" and pid != os.getpid():  # a new process has the line of its parent
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            self._kinds[pid] = next((kind for mark, kind in KINDS.items() if mark in command), "main")
        return self._kinds.setdefault(pid, "main")


def stage_of(job: str) -> str:
    """Return the stage that a job belongs to."""
    return job.partition(":")[0]


def descendants(root: int) -> set[int]:
    """Return the numbers of a process and of all that it started, directly or not."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue  # the process has ended
        children.setdefault(parent, []).append(int(folder.name))
    found, waiting = set[int](), [root]
    while waiting:
        found.add(process := waiting.pop())
        waiting += children.get(process, [])
    return found


def run(config: Path) -> None:
    """Run all stages; print the summary and what was used as JSON."""
    watcher = Watcher()
    summary = bibld.Workspace(config, progress=watcher).run(at=DATE)
    print(msgspec.json.encode([summary, watcher.finish()]).decode())


if __name__ == "__main__":
    run(Path(sys.argv[1]))
