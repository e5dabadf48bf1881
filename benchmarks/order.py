"""The same clusters, whatever the order of the records, the number of threads, the memory, and the deltas.

`python benchmarks/order.py --records 1000000` matches a synthetic catalogue at once with two threads; then with its
records in another order, one thread, an eighth of the memory, as a base with seven deltas that are added one by one;
and compares the clusters.
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
from bibld.dedup.candidates import all_pairs, pairs_of
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.columns import FeatureTable, FeatureWriter
from bibld.dedup.decisions import DecidedPairs, Decider
from bibld.dedup.key_tables import KeyTables

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
        base = FeatureTable(place / "index", asked.records)
        one = describe("at once, two threads, 1 GB", at_once(base, loaded), np.arange(len(base)))
        order = np.random.default_rng(1).permutation(len(base))
        shuffled = copied(base, order, place / "shuffled")
        ends = np.linspace(len(base) * 0.8, len(base), _DELTAS + 1).astype(int).tolist()
        found = bit_by_bit(shuffled, ends, loaded, order)
        other = describe(f"another order, one thread, 128 MB, base and {_DELTAS} deltas", found, order)
    print("the same clusters" if one == other else "DIFFERENT clusters")
    raise SystemExit(one != other)


def copied(base: FeatureTable, order: np.ndarray, folder: Path) -> FeatureTable:
    """Copy the rows of a table in another order."""
    with FeatureWriter(folder) as writer:
        for first in range(0, len(order), _ROWS):
            some = order[first : first + _ROWS]
            writer.add(base.stored(some), base.made[some], base.source[some])
        return writer.close()


def at_once(base: FeatureTable, loaded: Config) -> ClusteredPairs:
    loaded = msgspec.structs.replace(loaded, workers=2)
    decider = Decider(base, base.source.astype(np.int32), loaded)
    with KeyTables(None, loaded, _MEMORY) as tables:
        statistics = tables.rebuild(base)
        with all_pairs(tables, base, statistics) as found:
            scored = decider.edges(found)
    return cluster_pairs(decider, scored, PersonDecisions.from_verdicts({}), lambda positions: positions)


def bit_by_bit(rows: FeatureTable, ends: list[int], loaded: Config, order: np.ndarray) -> ClusteredPairs:
    """Match the base, then each delta against all before, with the statistics that all records give."""
    loaded = msgspec.structs.replace(loaded, workers=1)
    with KeyTables(None, loaded, _MEMORY // 8) as tables:
        statistics = tables.rebuild(rows)
    decider, scored, start = Decider(rows, rows.source.astype(np.int32), loaded), [], 0
    with KeyTables(None, loaded, _MEMORY // 8) as tables:
        for end in ends:
            some = FeatureTable(rows.folder, end)
            tables.add(some, statistics)
            with pairs_of(tables, np.arange(start, end), some, statistics) as found:
                scored.append(decider.edges(found))
            start = end
    return cluster_pairs(
        decider, DecidedPairs.concatenate(scored), PersonDecisions.from_verdicts({}), lambda positions: order[positions]
    )


def describe(name: str, found: ClusteredPairs, rows: np.ndarray) -> str:
    """A hash of the clusters, by the rows of the first table."""
    members = rows[found.members]
    of_cluster = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    firsts = np.minimum.reduceat(members, found.starts[:-1])[of_cluster]
    ordered = np.lexsort((members, firsts))
    state = hashlib.blake2b(firsts[ordered].tobytes() + members[ordered].tobytes(), digest_size=16).hexdigest()
    print(f"{name}: {len(found.starts) - 1:,} clusters of {len(members):,} records, {state}")
    return state


if __name__ == "__main__":
    main()
