"""The same clusters, whatever the order of the records, the number of threads, the memory, and the segments.

`python benchmarks/order.py --records 1000000` matches a synthetic catalogue as one segment with two threads; then with
its records in another order, one thread, an eighth of the memory, as a base with seven deltas that are probed one by
one; and compares the clusters.
"""

import argparse
import hashlib
import tempfile
from pathlib import Path

import msgspec
import numpy as np
from scale import write

from bibld import config
from bibld.config import Config
from bibld.dedup._index.segments import Segment, Segments, SegmentWriter
from bibld.dedup._keys.indexing import index_base, index_segment
from bibld.dedup._pairs.join import join
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.decisions import DecidedPairs, Decider

_ROWS = 50_000
_DELTAS = 7
_MEMORY = 1 << 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write(name, asked.records, 0, "default", 1.0, 2)
        loaded = config.load(place / "bibld.toml")
        base = Segment.open(place / "0")
        order = np.arange(len(base))
        one = describe("one segment, two threads, 1 GB", at_once(base, loaded), order)
        shuffled = np.random.default_rng(1).permutation(len(base))
        parts = np.split(shuffled, np.linspace(len(base) * 0.8, len(base), _DELTAS + 1).astype(int)[:-1])
        starts = np.cumsum([0, *map(len, parts)]).tolist()
        segments = [
            copied(base, part, start, place / f"part{number}")
            for number, (part, start) in enumerate(zip(parts, starts, strict=False))
        ]
        name = f"another order, one thread, 128 MB, base and {_DELTAS} deltas"
        other = describe(name, bit_by_bit(segments, loaded, shuffled), shuffled)
    print("the same clusters" if one == other else "DIFFERENT clusters")
    raise SystemExit(one != other)


def copied(base: Segment, rows: np.ndarray, start: int, folder: Path) -> Segment:
    """Some rows of a segment, in this order, as another one, whose ordinals begin at ``start``."""
    with SegmentWriter(folder, {"source": "uint8"}) as writer:
        for first in range(0, len(rows), _ROWS):
            some = rows[first : first + _ROWS]
            packed = Segments([base]).packed(some)
            ordinals = np.arange(start + first, start + first + len(some), dtype=np.uint64)
            writer.add(msgspec.structs.replace(packed, ordinals=ordinals), source=base.array("source")[some])
        return writer.close()


def at_once(base: Segment, loaded: Config) -> ClusteredPairs:
    statistics, runs = index_base([base], [None], loaded, workers=2, memory=_MEMORY)
    decider = Decider(Segments([base]), base.array("source").astype(np.int32), loaded)
    with join(runs, loaded, statistics, memory=_MEMORY, workers=2) as found:
        scored = decider.edges(found)
    return cluster_pairs(decider, scored, PersonDecisions.from_verdicts({}), lambda positions: positions)


def bit_by_bit(segments: list[Segment], loaded: Config, rows: np.ndarray) -> ClusteredPairs:
    """The base, then each delta against all before, with the statistics that all records give."""
    loaded = msgspec.structs.replace(loaded, workers=1)
    statistics, runs = index_base(segments, [None] * len(segments), loaded, workers=1, memory=_MEMORY // 8)
    sources = np.concatenate([one.array("source") for one in segments]).astype(np.int32)
    decider = Decider(Segments(segments), sources, loaded)
    scored = []
    for number in range(len(segments)):
        all_runs = [runs[0], *(index_segment(one, None, loaded, statistics) for one in segments[1 : number + 1])]
        with join(all_runs, loaded, statistics, new_from=number, memory=_MEMORY // 8, workers=1) as found:
            scored.append(decider.edges(found))
    return cluster_pairs(
        decider, DecidedPairs.concatenate(scored), PersonDecisions.from_verdicts({}), lambda positions: rows[positions]
    )


def describe(name: str, found: ClusteredPairs, rows: np.ndarray) -> str:
    """A hash of the clusters, by the rows of the first segment."""
    members = rows[found.members]
    of_cluster = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    firsts = np.minimum.reduceat(members, found.starts[:-1])[of_cluster]
    ordered = np.lexsort((members, firsts))
    state = hashlib.blake2b(firsts[ordered].tobytes() + members[ordered].tobytes(), digest_size=16).hexdigest()
    print(f"{name}: {len(found.starts) - 1:,} clusters of {len(members):,} records, {state}")
    return state


if __name__ == "__main__":
    main()
