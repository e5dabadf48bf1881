"""Measure the steps from MARC files on disk to clusters, in seconds.

``python benchmarks/from_marc.py [RECORDS]`` makes the MARC 21 files of two libraries (``synthetic.py``), a million
records by default, and runs what ``bibld dedup`` runs over them: reading and crosswalk into the catalog, features into
the index, keys, joining and scoring, clusters, and writing edges and clusters. ``--files A B`` takes files that
``synthetic.py --marc`` has made. The steps are measured from outside, by the clock.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import _measure
from _measure import source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc

from bibld import pipeline, progress
from bibld.catalog import Catalog
from bibld.dedup import stage, warm_up
from bibld.dedup.decisions import Decider
from bibld.dedup.index import Index
from bibld.dedup.method import MethodOptions
from bibld.ingest import Intake

STEPS = {
    "reading, crosswalk, catalog": (Intake, "load"),
    "matching, all of it": (pipeline.dedup, "dedup"),
    "features into the index": (Index, "build"),
    "statistics and keys": (stage.MatchingRun, "_open_keys"),
    "candidate pairs and scores": (stage.MatchingRun, "_decide"),
    "  of that scores": (Decider, "edges"),
    "clusters, edges and events written": (stage._Results, "replace_all"),
    "  of that clusters": (stage, "cluster_pairs"),
}


class Clock:
    """Seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin

    def around(self, name: str, function):
        """The function, measured."""

        def measured(*arguments, **named):
            with self.step(name):
                return function(*arguments, **named)

        return measured


def run(files: list[Path], place: Path, clock: Clock) -> None:
    """Read both files and match; the steps of that one by one."""
    tables = (source_table(letter, path.resolve()) for letter, path in zip("ab", files, strict=True))
    file = write_config(place, "".join(tables))
    with ExitStack() as stack:
        for step, (owner, name) in STEPS.items():
            stack.enter_context(patch.object(owner, name, clock.around(step, getattr(owner, name))))
        _measure.run(file, until="dedup")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--files", type=Path, nargs=2)
    asked = parser.parse_args()
    compiling = warm_up.KernelWarmUp(MethodOptions(), progress.Silent())
    compiling.begin()
    compiling.wait()
    with tempfile.TemporaryDirectory() as folder:
        place, clock = Path(folder), Clock()
        files = asked.files or [path for path, _ in write_marc(Catalogue(asked.records, 1), place / "made")]
        run(files, place, clock)
        with Catalog(place / "work", read_only=True) as catalog:
            records = catalog.records.count()
        print(f"{records:,} records, {sum(path.stat().st_size for path in files) / 1e6:.0f} MB of MARC 21")
        for name, seconds in clock.seconds.items():
            print(f"  {name:36} {seconds:8.1f} s {seconds / records * 1e6:8.1f} us a record")
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        size = sum(path.stat().st_size for path in (place / "work").rglob("*") if path.is_file())
        print(f"  largest process {own:.2f} GB; workspace {size / records:.0f} bytes a record")


if __name__ == "__main__":
    main()
