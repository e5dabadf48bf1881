"""A night: some records of many have changed. What triplify, store and publish take, against the same over everything.

``python benchmarks/nightly.py [RECORDS] [CHANGED]``; records are those of the sample, over and over with other titles.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from _measure import DATE, run_sample

from bibld import dedup, pipeline, progress, publish, store, triplify
from bibld.catalog import Catalog, NewRecord, Queue
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.model.mods import Mods, Name, NamePart, Note
from bibld.model.origin import Origin, RecordId
from bibld.model.release import Figures, Manifest
from bibld.protocols import Store


def sample(folder: Path) -> tuple[Config, list[Mods]]:
    """The configuration of the sample, with an empty workspace, and the MODS of its records."""
    loaded = run_sample(folder / "sample", until="read")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        found = [mods for _, _, mods in catalog.records.live()]
    shutil.rmtree(loaded.workspace)
    return loaded, found


def record(number: int, mods: Mods, version: int) -> NewRecord:
    """Return a record with a distinct title; another version has another note, and two in three another author."""
    titles = tuple(msgspec.structs.replace(title, title=f"{title.title} {number}") for title in mods.title_info)
    mods = msgspec.structs.replace(mods, title_info=titles)
    if version:
        mods = msgspec.structs.replace(mods, note=(*mods.note, Note(f"version {version}")))
        if number % 3:
            author = Name(name_part=(NamePart(f"Author, New {number}"),), type="personal")
            mods = msgspec.structs.replace(mods, name=(*mods.name, author))
    body = msgspec.json.encode(mods)
    key = f"{number} {version}".encode()
    origin = Origin("rsl", "x", number, 0)
    return NewRecord(RecordId("rsl", str(number)), origin, key, 1, key, "marc21", body, (), (), (), False)


def put(catalog: Catalog, found: list[Mods], numbers: Iterable[int], version: int) -> None:
    with catalog.commit():
        catalog.records.add_carrier("rsl", "x", "iso2709", b"{}")
        catalog.records.put([record(number, found[number % len(found)], version) for number in numbers], version + 1)
        ordinals = (catalog.register.ordinal(RecordId("rsl", str(number))) for number in numbers)
        catalog.dirty[Queue.UNDESCRIBED_CLUSTERS].add(ordinal for ordinal in ordinals if ordinal is not None)


class Stages:
    """The three stages over a catalog, timed."""

    def __init__(self, catalog: Catalog, loaded: Config) -> None:
        self._catalog = catalog
        self._config = loaded
        self._iris = Iris(loaded.dataset.base)

    def run(self, version: str) -> tuple[dict[str, float], Manifest]:
        """Seconds of each stage, and the release."""
        times: dict[str, float] = {}

        def timed(name: str, work: Callable[[], object]) -> None:
            begin = time.perf_counter()
            work()
            times[name] = time.perf_counter() - begin

        catalog, loaded = self._catalog, self._config
        of_dataset: dict[str, Any] = {"iris": self._iris, "sources": ()}
        made: list[Manifest] = []

        def publishing() -> None:
            figures = Figures((), 0, 0, 0, 0, 0, 0)
            contents = publish.Contents(
                made_by=version,
                figures=figures,
                blocks=partial(triplify.catalog_blocks, **of_dataset),
                counts=partial(triplify.count_quads, **of_dataset, in_default_graph=loaded.graph_in_default),
                update_counts=partial(triplify.update_counts, base=self._iris.base.encode()),
                match_index=partial(dedup.write_match_index, config=loaded),
                source_statements=(),
                examples=(),
            )

            def open_store() -> AbstractContextManager[Store]:
                return closing(store.open_live(loaded))

            made.append(publish.publish(catalog, open_store, contents, loaded, DATE, progress.Silent()))

        settings, queue = loaded.triplify, pipeline.stage_queue(catalog, "triplify")
        timed("triplify", lambda: triplify.triplify(catalog, self._iris, settings, queue, progress.Silent()))
        blocks = triplify.catalog_blocks(catalog, self._iris, ())
        timed("store", lambda: store.store(catalog, blocks, loaded, progress.Silent()))
        timed("publish", publishing)
        return times, made[0]


def main() -> None:
    many, changed = (int(word) for word in (sys.argv[1:] + ["2000", "100"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        loaded, found = sample(Path(folder))
        with Catalog(loaded.workspace) as catalog:
            for start in range(0, many, 1000):
                put(catalog, found, range(start, min(start + 1000, many)), 0)
            full, manifest = Stages(catalog, loaded).run("full")
            put(catalog, found, range(0, many, max(many // changed, 1)), 1)
            night, patched = Stages(catalog, loaded).run("night")
        (patch,) = patched.since_full
        size = {name: patched.file(name) for name in (patch.added, patch.removed, "bibld.nq.gz")}
        print(f"{manifest.figures.quads:,} quads of {many:,} records; {changed:,} records changed:")
        print(
            f"  +{patch.added_quads:,} -{patch.removed_quads:,} quads; bytes",
            [file and file.bytes for file in size.values()],
        )
        for stage, seconds in night.items():
            print(
                f"  {stage}: {seconds:.2f} s; everything {full[stage]:.2f} s, {full[stage] / seconds:.0f} times as long"
            )


if __name__ == "__main__":
    main()
