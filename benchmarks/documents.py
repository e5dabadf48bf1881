"""Prepared documents: processor time and bytes to write them, and to look one up.

`python benchmarks/documents.py` makes a workspace of the sample and one of 5,000 synthetic records and fills
`published.db` of each in a temporary folder: processor time of a record and of a document, also when all documents are
compared with those that are there; bytes on disk. Then changes of 1 % of the quads, and look-ups of random paths. The
time of a fill is without that of reading the quads from the catalog. `python benchmarks/documents.py CONFIG ...` takes
existing workspaces instead.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from _measure import run, run_sample, source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc

import bibld
from bibld import documents as published
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.triplify import catalog_blocks

SYNTHETIC_RECORDS = 5_000
LOOK_UPS = 20_000
LARGEST_COPY = 100_000_000
"""Bytes of quads that are read before the measurements; of a larger workspace the first ones are taken."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", type=Path, metavar="CONFIG")
    parser.add_argument("--records", type=int, default=SYNTHETIC_RECORDS, help="synthetic records")
    asked = parser.parse_args()
    if asked.configs:
        for file in asked.configs:
            measure(str(file), bibld.Workspace(file).config)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure("sample", run_sample(Path(folder) / "sample", "triplify"))
        place = Path(folder) / "synthetic"
        place.mkdir()
        files = [path for path, _ in write_marc(Catalogue(asked.records, 1), place / "library")]
        tables = "".join(source_table(name, path) for name, path in zip("ab", files, strict=True))
        measure("synthetic", run(write_config(place, tables), "triplify"))


def measure(name: str, config: Config) -> None:
    """Print the figures of a workspace whose records have quads."""
    base = config.dataset.base
    with Catalog(config.workspace, read_only=True) as catalog:
        blocks, are_all = read_blocks(catalog_blocks(catalog, Iris(base), ()))
        records = sum(catalog.records.count_by_source().values())
    quads = sum(block.count(b"\n") for block in blocks)
    if not are_all:
        records = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        file = place / "published.db"
        filled = processor_time(lambda: published.fill(place, base, release(1), blocks))
        with published.open_published(place, 1) as view:
            paths = [entry.path for entry in view.entries()]
            described = [entry.path for entry in view.entries() if entry.status == 200]
        size = file.stat().st_size / len(paths)
        compared = processor_time(lambda: published.fill(place, base, release(2), blocks))
        lines = sorted(line for block in blocks[::100] for line in block.splitlines())
        removed = [(line, False) for line in lines]
        updated = processor_time(lambda: published.update(place, base, release(3), removed))
        with published.open_published(place, 3) as view:
            touched = sum(1 for _ in view.changes())
        print(
            f"{name}: {records:,} records, {quads:,} quads, {len(paths):,} documents,"
            f" {len(described):,} of them described"
        )
        each = f", {filled / records * 1e6:.0f} µs a record" if records else ""
        print(
            f"  fill: {filled / len(paths) * 1e6:.1f} µs of processor time a document{each}; {size:.0f} bytes on disk"
        )
        print(f"  fill over the same documents: {compared / len(paths) * 1e6:.1f} µs a document")
        print(f"  update: {updated / max(touched, 1) * 1e6:.0f} µs a document, {touched:,} documents changed")
        chosen = random.Random(1).choices(described, k=LOOK_UPS)
        with published.open_published(place, 2) as view:
            view.document(chosen[0])
            looked_up = processor_time(lambda: [view.document(path) for path in chosen])
            titles = processor_time(lambda: [view.titles(chosen[at : at + 50]) for at in range(0, LOOK_UPS, 50)])
        print(f"  look-up: {looked_up / LOOK_UPS * 1e6:.1f} µs; title: {titles / LOOK_UPS * 1e6:.1f} µs, 50 at once")


def read_blocks(blocks: Iterable[bytes]) -> tuple[list[bytes], bool]:
    """Return blocks up to a size, and whether these are all."""
    taken, size = [], 0
    for block in blocks:
        if size > LARGEST_COPY:
            return taken, False
        taken.append(block)
        size += len(block)
    return taken, True


def release(number: int) -> published.ReleaseState:
    return published.ReleaseState(number, f"2026-01-{number:02}T00:00:00Z", number)


def processor_time(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
