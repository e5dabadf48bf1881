"""Make the catalogues of two libraries with known duplicates, of any size, and describe them.

`python benchmarks/synthetic.py --records 25000000` makes all records in memory, chunk by chunk, and prints figures and
records per second. `--realism` also blocks and scores them with the default method (for some 200,000), `--marc NAME`
writes them as MARC 21 into NAME_a.mrc and NAME_b.mrc. What they imitate was measured by `synthetic_profile.py`; how
often two descriptions differ is defined in `_synthetic/errors.py`, the works in `_synthetic/works.py`.

Others use `Catalogue(records, seed).chunks()`. The first call compiles for about a minute.
"""

import argparse
import resource
import time
from pathlib import Path

from _synthetic.catalogue import ROWS, Catalogue, Chunk
from _synthetic.check import Summary, check, realism
from _synthetic.marc import write_marc

__all__ = ["Catalogue", "Chunk"]

MOST_CHUNKS = 8
"""The number of chunks that the figures are taken from, evenly spaced."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000, help="of both libraries together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=ROWS, help="of a chunk")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--realism", action="store_true", help="block and score with the default method")
    parser.add_argument("--doubts", type=Path, help="write pairs that the model decides wrongly into this file")
    parser.add_argument("--marc", type=Path, help="write MARC 21 instead: the beginning of the names of two files")
    asked = parser.parse_args()
    catalogue = Catalogue(asked.records, asked.seed)
    if asked.marc:
        begin = time.perf_counter()
        for path, count in write_marc(catalogue, asked.marc):
            print(f"{path}: {count:,} records, {path.stat().st_size / 1e6:,.1f} MB")
        print(f"{time.perf_counter() - begin:.1f} s")
        return
    describe(catalogue, asked.rows, asked.threads)
    if asked.realism or asked.doubts:
        realism(catalogue, asked.doubts)


def describe(catalogue: Catalogue, rows: int, threads: int) -> None:
    """Make all records, and print figures."""
    check(catalogue, catalogue.chunk(0, min(20_000, catalogue.records)))
    in_b = catalogue.records - catalogue.in_a
    print(f"{catalogue.records:,} records: {catalogue.in_a:,} of library A, {in_b:,} of library B")
    print(f"  {catalogue.count_of_true_pairs():,} true pairs")
    begin, busy = time.perf_counter(), time.process_time()
    made = sum(len(chunk.columns) for chunk in catalogue.chunks(rows=rows, threads=threads))
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  made in {seconds:.1f} s, {made / seconds:,.0f} records per second, at most {peak:.2f} GB of memory")
    print(f"  {busy:.1f} s of the processors, {made / busy:,.0f} records per second of one")
    summary = Summary()
    for start in range(0, catalogue.records, max(rows, catalogue.records // MOST_CHUNKS + 1)):
        summary.add(catalogue.chunk(start, min(start + rows, catalogue.records)))
    summary.show()


if __name__ == "__main__":
    main()
