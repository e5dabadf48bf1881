"""Features and keys of records, ready to be matched without changing a catalog: for evaluation and in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup._index.extraction import BATCH, columns_of, extract
from bibld.dedup._index.index import Index
from bibld.dedup._index.segments import Segment, Segments, SegmentWriter
from bibld.dedup._keys.statistics import from_bytes
from bibld.dedup._matching import blocking_digest
from bibld.dedup.features import features_of
from bibld.dedup.method import Method
from bibld.dedup.warm_up import KernelWarmUp
from bibld.model.features import Statistics
from bibld.model.linkage import Decision, Pair, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._keys.key_runs import SegmentRuns

    Nodes = npt.NDArray[np.int64]


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """Features and keys of records, each at a position.

    ``sources`` (n,): the number of the source at each position, -1 where a cluster may hold several of it.
    """

    segments: Segments
    sources: Nodes
    statistics: Statistics
    runs: Sequence[SegmentRuns]
    records: Sequence[RecordId]
    positions: dict[RecordId, int]

    def named(self, positions: Nodes) -> list[RecordId]:
        """The records at some positions."""
        return [self.records[position] for position in positions.tolist()]

    def order(self, positions: Nodes) -> Nodes:
        """Numbers that put positions in the order of the ids of their records."""
        import numpy as np

        records = self.named(positions)
        found = np.empty(len(records), dtype=np.int64)
        found[sorted(range(len(records)), key=records.__getitem__)] = np.arange(len(records))
        return found

    def said(self, people: dict[Pair, Verdict]) -> dict[tuple[int, int], Decision]:
        """What people said, by positions."""
        found: dict[tuple[int, int], Decision] = {}
        for pair, verdict in people.items():
            if pair.left in self.positions and pair.right in self.positions:
                left, right = sorted((self.positions[pair.left], self.positions[pair.right]))
                found[left, right] = verdict.decision
        return found


@contextmanager
def prepared(catalog: Catalog, config: Config, progress: Progress, features: Path | None = None) -> Iterator[Prepared]:
    """Extract features and keys of all live records into a temporary folder, which the context removes.

    ``features``: a folder that the features are stored in and that remains; if it exists, it is used as it is.
    """
    _warm_up(progress)
    progress.stage("dedup", "records", catalog.records.count())
    with tempfile.TemporaryDirectory(prefix="bibld-") as name:
        if features is not None and features.exists():
            segment = Segment.open(features)
        else:
            segment = extract(catalog, config, features or Path(name) / "features", progress)
        records = [catalog.register.record(ordinal) for ordinal in segment.ordinals.tolist()]
        yield _ready(segment, records, config, frozen_statistics(catalog, config))


@contextmanager
def prepared_in_memory(records: Mapping[RecordId, Mods], config: Method, progress: Progress) -> Iterator[Prepared]:
    """Extract features and keys of records that are in no catalog; their positions are those in ``records``."""
    _warm_up(progress)
    progress.stage("dedup", "records", len(records))
    with tempfile.TemporaryDirectory(prefix="bibld-") as name, SegmentWriter(Path(name) / "features") as writer:
        numbered = enumerate(features_of(mods) for mods in records.values())
        while batch := list(islice(numbered, BATCH)):
            writer.add(columns_of(batch))
            progress.advance(len(batch))
        yield _ready(writer.close(), list(records), config, None)


def _warm_up(progress: Progress) -> None:
    compiling = KernelWarmUp(progress)
    compiling.begin()
    compiling.wait()


def _ready(segment: Segment, records: list[RecordId], config: Method, frozen: Statistics | None) -> Prepared:
    import numpy as np

    # Imported here, since these compile their kernels when they are imported, unless the warm-up has done so.
    from bibld.dedup._keys.indexing import index_base, index_segment

    if frozen is None:
        statistics, runs = index_base([segment], [None], config)
    else:
        statistics, runs = frozen, [index_segment(segment, None, config, frozen)]
    several = {source.id for source in config.sources if source.config.duplicates}
    numbers = {name: number for number, name in enumerate(sorted({record.source for record in records}))}
    sources = [-1 if record.source in several else numbers[record.source] for record in records]
    positions = {record: position for position, record in enumerate(records)}
    return Prepared(Segments([segment]), np.array(sources, dtype=np.int64), statistics, runs, records, positions)


def frozen_statistics(catalog: Catalog, config: Config) -> Statistics | None:
    """The statistics of the last matching, where they were counted for these settings by this version."""
    stored = catalog.linkage.statistics()
    if stored is None or stored[1] != blocking_digest(config) or not Index(catalog, config).is_usable():
        return None
    return from_bytes(stored[2])
