"""From segments to key runs: chunk by chunk, so that memory holds a few chunks whatever the segment's size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bibld import adapters
from bibld.dedup._keys.key_runs import LEVELS, Run, SegmentRuns, largest_bucket, open_runs, write_run, write_signatures
from bibld.dedup._keys.spool import Spool, groups, together
from bibld.dedup._keys.statistics import AT_ONCE, Rows, chunks, count_words
from bibld.dedup._pairs import sieve as _sieve
from bibld.dedup.method import Method, columns_read
from bibld.model.features import FeatureColumns, Statistics
from bibld.parallel import map_in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]

__all__ = ["index_base", "index_segment", "open_runs"]

MEMORY = 1 << 30
WORKERS = 2
_PARTS = 1024
_LEVEL = 42
"""The bits of a key's hash; oversized keys stand in the statistics with the number of their level above it."""


class _Keyed(msgspec.Struct, frozen=True, eq=False):
    """A chunk of rows: entries by blocker, hashes of blockers that compare them, signatures."""

    start: int
    entries: dict[str, tuple[Offsets, Numbers]]
    near: dict[str, Numbers]
    sieve: Numbers


def index_base(
    segments: Sequence[Rows],
    folders: Sequence[Path | None],
    config: Method,
    workers: int = WORKERS,
    memory: int = MEMORY,
) -> tuple[Statistics, list[SegmentRuns]]:
    """Count statistics over all segments and make the runs of each, in a folder of its own or in memory (None).

    ``memory`` bounds the bytes of keys that are held at a time. Raises ``CatalogError`` when the disk is full.
    """
    import numpy as np

    known: Statistics = count_words(segments, workers, memory)
    runs = [
        _keyed(segment, folder, config, known, workers, memory)
        for segment, folder in zip(segments, folders, strict=True)
    ]
    oversized = {}
    for name in dict.fromkeys(config.dedup.block):
        found = [np.empty(0, np.uint64)]
        largest = largest_bucket(name, config)
        for level in range(LEVELS if largest else 0):
            keys = _oversized([held.runs[name][level] for held in runs], largest, workers)
            found.append(keys | np.uint64(level << _LEVEL))
            if level + 1 < LEVELS:
                runs = [
                    _refined(held, folder, name, level, keys, workers, memory)
                    for held, folder in zip(runs, folders, strict=True)
                ]
        oversized[name] = np.concatenate(found)
    return msgspec.structs.replace(known, oversized=oversized), runs


def index_segment(
    rows: Rows,
    folder: Path | None,
    config: Method,
    statistics: Statistics,
    workers: int = WORKERS,
    memory: int = MEMORY,
) -> SegmentRuns:
    """Make the runs of a segment by frozen statistics; raises ``CatalogError`` when the disk is full."""
    runs = _keyed(rows, folder, config, statistics, workers, memory)
    for name in dict.fromkeys(config.dedup.block):
        if largest_bucket(name, config):
            for level in range(LEVELS - 1):
                runs = _refined(runs, folder, name, level, oversized_at(statistics, name, level), workers, memory)
    return runs


def oversized_at(statistics: Statistics, name: str, level: int) -> Numbers:
    """The hashes, ascending, of the keys of a blocker that are oversized at a level of refining."""
    import numpy as np

    keys = statistics.oversized.get(name, np.empty(0, np.uint64))
    begin, end = np.searchsorted(keys, np.array([level << _LEVEL, (level + 1) << _LEVEL], dtype=np.uint64))
    found: Numbers = keys[begin:end] & np.uint64((1 << _LEVEL) - 1)
    return found


def columns_wanted(config: Method) -> tuple[str, ...] | None:
    """The columns that blockers and sieve look at; None: all, since a blocker does not say."""
    asked = [columns_read(config, "dedup.block", name) for name in config.dedup.block]
    if any(names is None for names in asked):
        return None
    return tuple(dict.fromkeys([name for names in (*asked, _sieve.COLUMNS) for name in names or ()]))


def _keyed(
    segment: Rows, folder: Path | None, config: Method, statistics: Statistics, workers: int, memory: int
) -> SegmentRuns:
    """The first level of the runs of a segment, and its signatures."""
    import numpy as np

    names = list(dict.fromkeys(config.dedup.block))
    columns = columns_wanted(config)
    spools = {name: Spool(memory // len(names)) for name in names}
    sieve = np.empty((len(segment), _sieve.WIDTH), dtype=np.uint64)
    near = {name: np.empty(len(segment), np.uint64) for name in names if _compares(name)}

    def keyed(chunk: tuple[Rows, int, int]) -> _Keyed:
        _, start, stop = chunk
        return _chunk_keyed(segment.chunk(start, stop, columns), start, config, statistics)

    try:
        for chunk in map_in_threads(keyed, chunks([segment]), workers):
            stop = chunk.start + len(chunk.sieve)
            sieve[chunk.start : stop] = chunk.sieve
            for name, hashes in chunk.near.items():
                near[name][chunk.start : stop] = hashes
            for name, entries in chunk.entries.items():
                spools[name].add(*entries)
        runs: dict[str, tuple[Run, ...]] = {}
        for name, spool in spools.items():
            runs[name] = (_run(spool, folder, name, 0, workers),)
    finally:
        for spool in spools.values():
            spool.close()
    kept = {name: write_signatures(folder, name, hashes) for name, hashes in near.items()}
    return SegmentRuns(len(segment), runs, kept, write_signatures(folder, "sieve", sieve))


def _chunk_keyed(columns: FeatureColumns, start: int, config: Method, statistics: Statistics) -> _Keyed:
    import numpy as np

    from bibld.dedup._keys.key_kernels import entries_of, key_hashes

    entries, near = {}, {}
    for name in dict.fromkeys(config.dedup.block):
        blocker, settings = adapters.load_adapter("dedup.block", name), config.settings("dedup.block", name)
        keys, rows = blocker.keys(columns, settings, statistics)
        entries[name] = entries_of(key_hashes(keys), rows + np.uint32(start))
        if _compares(name):
            near[name] = blocker.signatures(columns, settings)
    return _Keyed(start, entries, near, _sieve.signatures(columns))


def _compares(name: str) -> bool:
    return hasattr(adapters.load_adapter("dedup.block", name), "signatures")


def _run(spool: Spool, folder: Path | None, name: str, level: int, workers: int) -> Run:
    """Write what a spool holds as a run."""
    parts = groups(spool.sizes(_PARTS), AT_ONCE)
    pieces = map_in_threads(lambda part: spool.sorted(*part, is_set=True), parts, workers)
    return write_run(folder, name, level, pieces)


def _refined(
    held: SegmentRuns, folder: Path | None, name: str, level: int, keys: Numbers, workers: int, memory: int
) -> SegmentRuns:
    """A segment with the run of the next level, made of the entries that have oversized keys."""
    from bibld.dedup._keys.key_kernels import entries_of

    run = held.runs[name][level]
    last = held.sieve[:, _sieve.WIDTH - 1]

    def of_parts(part: tuple[int, int]) -> tuple[Offsets, Numbers]:
        from bibld.dedup._keys.refining_kernels import held_by, refined

        hashes, rows = held_by(*run.parts(*part), part[0], between(keys, *part))
        fields = _sieve.fields(last[rows], _sieve.REFINED_BY[level])
        entries: tuple[Offsets, Numbers] = entries_of(refined(hashes, fields), rows)
        return entries

    spool = Spool(memory)
    try:
        for piece in map_in_threads(of_parts, parts_of([run]) if len(keys) else [], workers):
            spool.add(*piece)
        following = _run(spool, folder, name, level + 1, workers)
    finally:
        spool.close()
    return msgspec.structs.replace(held, runs=held.runs | {name: (*held.runs[name], following)})


def _oversized(runs: Sequence[Run], largest: int, workers: int) -> Numbers:
    """The hashes, ascending, of the keys that more than ``largest`` rows of all segments have."""
    import numpy as np

    from bibld.dedup._keys.key_kernels import oversized

    def of_parts(part: tuple[int, int]) -> Numbers:
        found: Numbers = oversized(*together([run.parts(*part) for run in runs], low=32), part[0], largest)
        return found

    return np.concatenate([np.empty(0, np.uint64), *map_in_threads(of_parts, parts_of(runs), workers)])


def parts_of(runs: Sequence[Run], most: int = AT_ONCE) -> list[tuple[int, int]]:
    """The parts of some runs in groups that are worth a step; those without entries are left out."""
    import numpy as np

    sizes = np.zeros(_PARTS, np.int64)
    for run in runs:
        sizes += np.diff(run.offsets)
    return [(first, last) for first, last in groups(sizes, most) if sizes[first:last].any()]


def between(keys: Numbers, first: int, last: int) -> Numbers:
    """Those of some hashes (ascending) that stand in these parts."""
    import numpy as np

    begin, end = np.searchsorted(keys, np.array([first << 32, last << 32], dtype=np.uint64))
    return keys[begin:end]
