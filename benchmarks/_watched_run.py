"""Run a configuration, and print its summary and what its processes used as JSON: `python _watched_run.py bibld.toml`.

A separate program, since worker processes import the program that starts them.
"""

import os
import sys
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import bibld
from bibld.progress import Silent

DATE = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLES_A_SECOND = 4
TICKS = os.sysconf("SC_CLK_TCK")


class Usage(msgspec.Struct):
    """What the processes of a run used, by stage: processor seconds (of all, of the main one) and most memory (MB)."""

    cpu: dict[str, float]
    cpu_of_main: dict[str, float]
    memory: dict[str, float]


class Watcher(Silent):
    """Samples processor time and memory of this process and its descendants, by the stage that is running."""

    def __init__(self) -> None:
        self._stage = "start"
        self._ends = threading.Event()
        self._cpu: Counter[str] = Counter()
        self._cpu_of_main: Counter[str] = Counter()
        self._memory: dict[str, float] = {}
        self._ticks: dict[int, int] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Attribute what follows to a stage."""
        self._sample()
        self._stage = name

    def finish(self) -> Usage:
        """Return what was used."""
        self._ends.set()
        self._thread.join()
        self._sample()
        return Usage(dict(self._cpu), dict(self._cpu_of_main), self._memory)

    def _watch(self) -> None:
        while not self._ends.wait(1 / SAMPLES_A_SECOND):
            self._sample()

    def _sample(self) -> None:
        memory = 0.0
        for pid in descendants(os.getpid()):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue  # the process has ended
            ticks = int(fields[11]) + int(fields[12])
            seconds = (ticks - self._ticks.get(pid, 0)) / TICKS
            self._cpu[self._stage] += seconds
            if pid == os.getpid():
                self._cpu_of_main[self._stage] += seconds
            self._ticks[pid] = ticks
            memory += int(rollup.partition("Pss:")[2].split()[0]) / 1000
        self._memory[self._stage] = max(self._memory.get(self._stage, 0), memory)


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
