"""Runs that are killed with SIGKILL: does the next one end where an undisturbed run does?

``python benchmarks/kill.py [KILLS] [SEED]``. Two libraries of the sample get a delta again and again: records that are
new, changed, gone and back. Each updating run is killed, half of them at a random moment, half just before a step that
the disk remembers: a commit, a file that gets its name or goes. After each kill the catalog must be whole, and hold
what the run had reported as done; the run after it must end in the same register, clusters, live store and release as
the same deltas without kills.
"""

import hashlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from bibld import config, ingest, pipeline, progress, publish, store, triplify
from bibld.catalog import Catalog, Queue, _database
from bibld.model.iris import Iris
from bibld.serve import ontology as resources

DELTAS = 14
"""Enough deltas for the index to be compacted several times."""

FILES = {"rsl": "rsl.mrc", "nlr": "nlr.iso"}
RECORDS_OF_EACH = 80
CONFIG = """workspace = "work"
workers = 1
[dataset]
base = "http://localhost:8000/"
title = {{ en = "Two libraries" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "benchmarks"
[publish]
full_above = 0.5
{sources}"""
SOURCE = '[[source]]\nid = "{id}"\npath = "{path}"\n'
STEPS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "shutil.rmtree"}
INDEX = "/index/"
_MATCHED, _MERGED = (Queue.UNMATCHED_RECORDS,), (Queue.UNMATCHED_RECORDS, Queue.UNMERGED_CLUSTERS)
QUEUES = {
    "merge": _MATCHED,
    "triplify": _MERGED,
    "store": (*_MERGED, Queue.UNDESCRIBED_CLUSTERS, Queue.UNDESCRIBED_ENTITIES),
}
"""The queues that must be empty when the log reports that a stage has begun."""


class Catalogue:
    """Two libraries whose files change with each delta, in a folder with a configuration."""

    def __init__(self, records: int = RECORDS_OF_EACH) -> None:
        sample = resources.folder("sample_data")
        self._records = {
            source: [record + b"\x1d" for record in (sample / name).read_bytes().split(b"\x1d")[:records]]
            for source, name in FILES.items()
        }

    def write(self, place: Path, delta: int) -> Path:
        """Put the files as of a number of deltas into a folder; return the configuration."""
        place.mkdir(parents=True, exist_ok=True)
        for source, records in self._records.items():
            (place / FILES[source]).write_bytes(b"".join(_after(records, delta)))
        sources = "".join(SOURCE.format(id=source, path=name) for source, name in FILES.items())
        (place / "bibld.toml").write_text(CONFIG.format(sources=sources), encoding="utf-8")
        return place / "bibld.toml"


def _after(records: list[bytes], delta: int) -> Iterator[bytes]:
    """Of ten records one is not there, which changes with each delta; others have another digit in their last half."""
    for number, record in enumerate(records):
        if (number + delta) % 10 == 0:
            continue
        changes = (number + 3 * delta) // 12
        places = [place for place in range(len(record) * 2 // 3, len(record)) if record[place] in b"0123456789"]
        if changes and places:
            place = places[changes % len(places)]
            record = record[:place] + b"%d" % (changes % 10) + record[place + 1 :]
        yield record


# -- in separate processes ---------------------------------------------------------------------------------------------


def run(file: Path, delta: int, log: Path) -> None:
    """One run; what it reports goes to a file."""
    with log.open("w", encoding="utf-8") as out:
        clock = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=delta)
        pipeline.run(config.load(file), clock, progress.LogLines(out), allow_deletes=True)
        print("done", file=out, flush=True)


def run_to_step(file: Path, delta: int, log: Path, last: int = 0) -> list[str]:
    """A run that kills itself just before a step that the disk remembers; ``last``: which one, 0: none. Gives the
    names of the steps."""
    steps: list[str] = []

    def step(name: str) -> None:
        steps.append(name)
        if len(steps) == last:
            with log.open("a", encoding="utf-8") as out:
                out.write(f"killed before {name}\n")
            os.kill(os.getpid(), signal.SIGKILL)

    def count_event(event: str, arguments: tuple[object, ...]) -> None:
        if event in STEPS and str(file.parent) in str(arguments[0]) and (event != "open" or "w" in str(arguments[1])):
            step(f"{event} {arguments[0]}")

    connect = _database.connect

    def traced(database: Path, read_only: bool):
        connection = connect(database, read_only)
        connection.set_trace_callback(lambda sql: step(f"{sql} of {database.name}") if sql == "COMMIT" else None)
        return connection

    _database.connect = traced
    sys.addaudithook(count_event)
    run(file, delta, log)
    return steps


def outcome(file: Path) -> dict[str, str]:
    """Hashes of all that a run leaves: the register, clusters, quads, the live store, the release."""
    loaded = config.load(file)
    iris = Iris(loaded.dataset.base)
    about = tuple(f"<{iris.graph(name)}> .\n" for name in ("dataset", "run"))
    found: dict[str, list[object]] = {}
    with Catalog(loaded.workspace, read_only=True) as catalog:
        ask = catalog._register_connection.execute
        found["ordinals"] = ask("SELECT * FROM ordinal ORDER BY ordinal").fetchall()
        found["redirects"] = ask("SELECT * FROM redirect ORDER BY ordinal").fetchall()
        found["events"] = ask("SELECT ordinal, kind, other FROM event ORDER BY ordinal, event").fetchall()
        ask = catalog._connection.execute
        found["members"] = ask("SELECT * FROM member ORDER BY ordinal").fetchall()
        found["edges"] = ask("SELECT left_ordinal, right_ordinal, score, decision FROM edge").fetchall()
        found["queues"] = ask("SELECT queue, count(*) FROM dirty_queue GROUP BY queue").fetchall()
        found["quads"] = [line for line in triplify.catalog_quads(catalog, iris, ()) if not line.endswith(about)]
    live = store.open_live(loaded)
    found["store"] = [line for line in live.quads() if not line.endswith(about)]
    live.close()
    found["release"] = [line for line in _released(loaded.workspace) if not line.endswith(about)]
    return {
        name: hashlib.blake2b(repr(sorted(map(repr, released))).encode()).hexdigest()
        for name, released in found.items()
    }


def _released(workspace: Path) -> set[str]:
    import gzip

    def lines(name: str) -> set[str]:
        return set(gzip.decompress((place / name).read_bytes()).decode().splitlines(True))

    releases = publish.Releases(workspace)
    place = releases.current()
    assert place is not None
    manifest = releases.manifest(place)
    released = lines("bibld.nq.gz")
    for patch in manifest.since_full:
        released = released - lines(patch.removed) | lines(patch.added)
    return released


def missing(file: Path, log: Path) -> list[str]:
    """What a killed run had reported as done, and is not."""
    workspace = config.load(file).workspace
    if not (workspace / "catalog.db").is_file():
        return []
    logged = log.read_text("utf-8").splitlines()
    faults: list[str] = []
    with Catalog(workspace, read_only=True) as catalog:
        for stage, queues in QUEUES.items():
            if any(line.split(":")[0] == stage for line in logged):
                waiting = [(queue, len(catalog.dirty[queue])) for queue in queues]
                faults += [f"{stage} had begun: {count} {queue}" for queue, count in waiting if count]
        if any(line.startswith("dedup") for line in logged):
            known = {source: catalog.runs.last_reading(source) for source in FILES}
            inspections = ingest.inspect_sources(config.load(file), progress.Silent(), known=known)
            faults += [f"dedup had begun: {one.source.id} is not read" for one in inspections if not one.is_unchanged]
        releases = publish.Releases(workspace)
        if "done" in logged and releases.current() is None:
            faults.append("done, and there is no release")
    return faults


# -- from outside ------------------------------------------------------------------------------------------------------


class Child:
    """A function in a separate process, which shares the imports of this one."""

    def __init__(self, work: Callable[[], object], answer: Path) -> None:
        self._answer = answer
        self._pid = os.fork()
        if self._pid == 0:
            code = 1
            try:
                answer.write_bytes(msgspec.json.encode(work()))
                code = 0
            except BaseException:  # noqa: BLE001 - whatever it is, this process must end here
                import traceback

                traceback.print_exc()
            finally:
                os._exit(code)

    def kill_after(self, seconds: float) -> None:
        """Kill the process after some seconds, if it still runs then."""
        time.sleep(seconds)
        os.kill(self._pid, signal.SIGKILL)

    def ended(self) -> bool:
        """Wait for its end; whether it was killed. Raises ``RuntimeError`` when it failed."""
        _, status = os.waitpid(self._pid, 0)
        if os.WIFSIGNALED(status):
            return True
        if os.WEXITSTATUS(status):
            raise RuntimeError("a run failed; see above")
        return False

    def answer(self) -> object:
        """What the function gave."""
        if self.ended():
            raise RuntimeError("a process was killed that should not be")
        return msgspec.json.decode(self._answer.read_bytes())


def _index_folder(file: Path) -> list[str]:
    """The folder of the index, which compaction changes."""
    return [path.name for path in (file.parent / "work" / "index").glob("*")]


class Killing:
    """Runs over the same deltas, undisturbed and killed."""

    def __init__(self, folder: Path, seed: int, records: int = RECORDS_OF_EACH) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self._catalogue = Catalogue(records)
        self._expected: list[object] = []
        self._seconds: list[float] = []
        self._steps: list[list[str]] = []
        self.moments: Counter[str] = Counter()
        self.at_index = self.compactions = 0

    def undisturbed(self, deltas: int) -> None:
        """All deltas without kills: what to expect, and how long each run takes."""
        file = self._catalogue.write(self._folder / "first", 0)
        self._child(lambda: run(file, 0, self._log)).answer()  # the first use compiles what compares records
        for delta in range(deltas):
            file = self._catalogue.write(self._folder / "undisturbed", delta)
            begin = time.perf_counter()
            before = _index_folder(file)
            steps = self._child(lambda file=file, delta=delta: run_to_step(file, delta, self._log)).answer()
            self._seconds.append(time.perf_counter() - begin)
            assert isinstance(steps, list)
            self._steps.append(steps)
            self.compactions += bool(before) and _index_folder(file) != before
            self._expected.append(self._child(lambda file=file: outcome(file)).answer())

    def killed(self, kills: int) -> Iterator[str]:
        """Kill a number of runs; yield what is wrong after each, or an empty text."""
        delta, done = 0, 0
        place = self._folder / "killed"
        while done < kills:
            if delta == 0:
                shutil.rmtree(place, ignore_errors=True)
            file = self._catalogue.write(place, delta)
            for _ in range(1 + (self._random.random() < 0.3)):
                self._kill(file, delta, at_step=bool(done % 2))
                faults = self._child(lambda file=file: missing(file, self._log)).answer()
                done += 1
                yield "; ".join(map(str, faults)) if isinstance(faults, list) else ""
            self._child(lambda file=file, delta=delta: run(file, delta, self._log)).answer()
            got, expected = self._child(lambda file=file: outcome(file)).answer(), self._expected[delta]
            if got != expected and isinstance(got, dict) and isinstance(expected, dict):
                names = [name for name in expected if got.get(name) != expected[name]]
                yield f"delta {delta} ends otherwise than undisturbed: {', '.join(names)}"
                delta = -1
            delta = (delta + 1) % len(self._expected)

    def _kill(self, file: Path, delta: int, at_step: bool) -> None:
        self._log.write_text("")
        if at_step:
            last = self._step_of(delta)
            self._child(lambda: run_to_step(file, delta, self._log, last)).ended()
        else:
            child = self._child(lambda: run(file, delta, self._log))
            child.kill_after(self._random.uniform(0, self._seconds[delta]))
            child.ended()
        logged = self._log.read_text("utf-8").splitlines()
        stages = [
            line.split(":")[0] for line in logged if line.split(":")[0] in {stage.name for stage in pipeline.STAGES}
        ]
        self.moments["after the end" if "done" in logged else stages[-1] if stages else "before the start"] += 1
        self.last = logged[-1] if logged else "no output"
        self.at_index += self.last.startswith("killed before") and INDEX in self.last

    def _step_of(self, delta: int) -> int:
        """The number of any step, or as often of one in the index: few are."""
        steps = self._steps[delta]
        in_index = [number for number, name in enumerate(steps, 1) if INDEX in name]
        return self._random.choice(in_index if in_index and self._random.random() < 0.5 else range(1, len(steps) + 1))

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _child(self, work: Callable[[], object]) -> Child:
        return Child(work, self._folder / "answer")


def main() -> None:
    kills, seed = (int(word) for word in (sys.argv[1:] + ["100", "1"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        killing = Killing(Path(folder), seed)
        killing.undisturbed(DELTAS)
        wrong = 0
        for number, fault in enumerate(killing.killed(kills), 1):
            if fault:
                wrong += 1
                print(f"{number}: {fault} ({killing.last})", flush=True)
        print(f"{sum(killing.moments.values())} kills, {wrong} faults; the runs were at {dict(killing.moments)}")
        print(f"{killing.at_index} kills before a step in the index; {killing.compactions} runs compacted the index")


if __name__ == "__main__":
    main()
