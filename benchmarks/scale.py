"""Matching at scale: feature columns on disk to clusters, from one to 25 million records of two libraries.

`python benchmarks/scale.py 1 5 25` makes synthetic catalogues of 1, 5 and 25 million records (`synthetic.py`), writes
their features into an index, and matches each in a separate process: seconds for each step, the most memory it took
(its own, and with pages of mapped files), candidates per record, candidate recall and F1 against the known truth, bytes
on disk. `--paper 0.05` does the same by the paper's method at other sizes, `--new 10000` then adds 10,000 records."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from _measure import source_table, write_config
from synthetic import Catalogue

from bibld import config
from bibld.dedup.candidates import CandidatePairs, all_pairs, pairs_of
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.columns import FeatureTable, FeatureWriter, stored_rows
from bibld.dedup.decisions import Decider
from bibld.dedup.key_tables import KeyTables, from_bytes, to_bytes

_PAPER = '[dedup]\nblock = ["paper"]\nscore = "jaccard"\n'


class Watch(threading.Thread):
    """Return the most private memory that this process has had, in kB; pages of mapped files aside, which the system
    takes back when it needs them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0

    def run(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text(encoding="ascii")
            self.most = max(self.most, int(status.partition("RssAnon:")[2].split()[0]))
            time.sleep(0.1)


class Steps:
    """Seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begin, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("millions", type=float, nargs="*", default=[1.0])
    parser.add_argument("--paper", type=float, nargs="*", default=[], help="millions to match by the paper's method")
    parser.add_argument("--new", type=int, default=0, help="records to add to each afterwards")
    parser.add_argument("--folder", type=Path, help="where the indexes are written; a temporary folder by default")
    parser.add_argument("--memory", type=float, default=1.0, help="gigabytes that keys and pairs may take")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(globals()[asked.one.pop("do")](**asked.one)))
        return
    for method, sizes in (("default", asked.millions), ("paper", asked.paper)):
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=asked.folder) as name:
                settings = {"folder": name, "method": method, "memory": asked.memory, "workers": asked.workers}
                records = int(size * 1_000_000)
                alone("write", records=records, new=asked.new, **settings)
                show(alone("match", records=records, **settings))
                if asked.new:
                    show(alone("add", records=records, new=asked.new, **settings))


def alone(do: str, **arguments: object) -> dict[str, object]:
    """Run one part in a separate process, so that its memory can be measured."""
    words = [sys.executable, __file__, "--one", json.dumps({"do": do, **arguments})]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(result.stderr)
    return dict(json.loads(result.stdout.splitlines()[-1]))


def show(figures: dict[str, object]) -> None:
    print(
        ", ".join(
            f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in figures.items()
        )
    )
    sys.stdout.flush()


# -- parts -------------------------------------------------------------------------------------------------------------


def write(folder: str, records: int, new: int, method: str, memory: float, workers: int) -> dict[str, object]:
    """Write the features of all records, and of those to add twice, as rows; and the truth beside them."""
    place = Path(folder)
    tables = source_table("a", "a") + source_table("b", "b")
    write_config(place, tables + (_PAPER if method == "paper" else ""))
    for source in "ab":
        (place / source).touch()
    truth = [np.empty(0, np.int32)]
    with FeatureWriter(place / "index") as writer:
        for chunk in Catalogue(records + 2 * new).chunks(rows=50_000):
            truth.append(chunk.truth.astype(np.int32))
            made = np.zeros(len(chunk.columns), np.uint64)
            writer.add(stored_rows(chunk.columns), made, chunk.source.astype(np.uint16))
        writer.close()
    np.save(place / "truth.npy", np.concatenate(truth))
    return {}


def match(folder: str, records: int, method: str, memory: float, workers: int) -> dict[str, object]:
    """Match all records."""
    place, steps = Path(folder), Steps()
    loaded = msgspec.structs.replace(config.load(place / "bibld.toml"), workers=workers)
    memory_watch = Watch()
    memory_watch.start()
    rows = FeatureTable(place / "index", records)
    with KeyTables(place / "index" / "keys.duckdb", loaded, int(memory * (1 << 30))) as tables:
        with steps.step("keys"):
            statistics = tables.rebuild(rows)
        decider = Decider(rows, rows.source.astype(np.int32), loaded)
        with steps.step("join"):
            found = all_pairs(tables, rows, statistics)
        with steps.step("score"):
            scored = decider.edges(found)
        with steps.step("cluster"):
            result = cluster_pairs(decider, scored, PersonDecisions.from_verdicts({}), lambda positions: positions)
        truth = np.load(place / "truth.npy")[:records]
        with found:
            met = count(found, truth)
    seconds = sum(steps.seconds.values())
    mapped = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    (place / "statistics").write_bytes(to_bytes(statistics))
    size = sum(one.stat().st_size for one in (place / "index").rglob("*") if one.is_file())
    return {
        "method": method,
        "records": len(rows),
        **steps.seconds,
        "all": round(seconds, 1),
        "us/record": round(seconds / len(rows) * 1e6, 2),
        "GB": round(memory_watch.most / 1e6, 2),
        "GB with mapped files": round(mapped, 2),
        "candidates/record": round(met[0] / len(rows), 3),
        **quality(result, truth, met[1]),
        "bytes/record": round(size / len(rows)),
    }


def add(folder: str, records: int, new: int, method: str, memory: float, workers: int) -> dict[str, object]:
    """Match new records against those stored: cold, from the start of the process; then warm, as many more."""
    place, times = Path(folder), {}
    all_truth = np.load(place / "truth.npy")
    figures: dict[str, object] = {}
    for number, name in enumerate(("cold", "warm")):
        stored = records + number * new
        begin = time.perf_counter()
        loaded = msgspec.structs.replace(config.load(place / "bibld.toml"), workers=workers)
        rows = FeatureTable(place / "index", stored + new)
        statistics = from_bytes((place / "statistics").read_bytes())
        decider = Decider(rows, rows.source.astype(np.int32), loaded)
        with KeyTables(place / "index" / "keys.duckdb", loaded, int(memory * (1 << 30))) as tables:
            tables.add(rows, statistics)
            with pairs_of(tables, np.arange(stored, stored + new), rows, statistics) as found:
                cluster_pairs(
                    decider, decider.edges(found), PersonDecisions.from_verdicts({}), lambda positions: positions
                )
                times[name] = round(time.perf_counter() - begin, 2)
                truth = all_truth[: stored + new]
                met = count(found, truth)
        figures = {
            "stored": stored,
            "new": new,
            "true pairs met": met[1],
            "of": met_by(truth, np.arange(len(truth)) >= stored),
        }
    return {**figures, **times}


def met_by(truth: np.ndarray, is_new: np.ndarray) -> int:
    """How many true pairs have an end that is new."""
    return true_pairs(truth) - true_pairs(truth[~is_new])


def count(candidates: CandidatePairs, truth: np.ndarray) -> tuple[int, int]:
    """How many candidate pairs there are, and how many are true."""
    found = [(len(left), int(np.count_nonzero(truth[left] == truth[right]))) for left, right in candidates]
    return sum(pairs for pairs, _ in found), sum(true for _, true in found)


def quality(result: ClusteredPairs, truth: np.ndarray, met: int) -> dict[str, object]:
    """Candidate recall, precision, recall and F1 over pairs."""
    sizes = np.diff(result.starts)
    joined = int((sizes * (sizes - 1) // 2).sum())
    of_cluster = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((truth[result.members], of_cluster))
    keys = np.stack([of_cluster[order], truth[result.members][order]])
    _, same = np.unique(keys, axis=1, return_counts=True) if keys.size else (None, np.zeros(0, np.int64))
    right, true = int((same * (same - 1) // 2).sum()), true_pairs(truth)
    precision, recall = right / max(joined, 1), right / max(true, 1)
    return {
        "candidate recall": round(met / max(true, 1), 4),
        "P": round(precision, 4),
        "R": round(recall, 4),
        "F1": round(2 * precision * recall / max(precision + recall, 1e-9), 4),
    }


def true_pairs(truth: np.ndarray) -> int:
    counts = np.bincount(np.unique(truth, return_inverse=True)[1])
    return int((counts * (counts - 1) // 2).sum())


if __name__ == "__main__":
    main()
