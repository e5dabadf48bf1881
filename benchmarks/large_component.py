"""One connected component of very many records, clustered as one task of Spark does it: seconds and memory.

``python benchmarks/large_component.py --records 1000000``. The records form a chain: each is linked with the next one
alone, which is the shape that many wrong links make. They are tiny, so that a component of them is as large as tasks
accept; more rows end with the message that a run would end with. Rows come in batches, as Spark sends them.
"""

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pyarrow as pa
from _measure import source_table, write_config
from pyspark import Broadcast

from bibld import config
from bibld.dedup.columns import stored_rows
from bibld.dedup.decisions import DECISIONS, SAME
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Features, Statistics
from bibld.spark import _clusters
from bibld.spark._candidates import Matching
from bibld.spark._features import feature_batch
from bibld.spark._frames import BATCH, SCHEMAS

_MADE = 50_000
"""Records whose features are made together."""


class _Shared:
    """Has the value of a broadcast."""

    def __init__(self, value: Matching) -> None:
        self.value = value


def rows_of_chain(records: int) -> Iterator[pa.RecordBatch]:
    """Yield the members of one component, then its pairs, with the columns of the rows that Spark sends."""
    pairs = {
        "left_ordinal": pa.int64(), "right_ordinal": pa.int64(), "score": pa.float64(), "decision": pa.int64(),
        "exceptions": pa.int64(), "is_same_work": pa.bool_(), "is_one_source": pa.bool_(), "person": pa.string(),
    }  # fmt: skip
    names = [name for name in SCHEMAS["features"].names if name not in ("ordinal", "made", "text")]
    for start in range(0, records, _MADE):
        ordinals = range(start, min(start + _MADE, records))
        title = Features(title="a", main_title="a", names="b", year=1900)
        columns = FeatureColumns.from_features((ordinal, title) for ordinal in ordinals)
        identity = {
            "source": pa.array(["ab"[ordinal % 2] for ordinal in ordinals]),
            "control_number": pa.array([str(ordinal) for ordinal in ordinals]),
            "made": pa.array([b""] * len(ordinals), pa.binary()),
        }
        batch = feature_batch(stored_rows(columns), identity)
        cells = {"component": pa.array([0] * len(ordinals)), "kind": pa.array([0] * len(ordinals), pa.int32())}
        cells |= {"left_ordinal": batch.column("ordinal")}
        cells |= {f"left_{name}": batch.column(name) for name in names}
        cells |= {name: pa.nulls(len(ordinals), kind) for name, kind in pairs.items() if name not in cells}
        yield from pa.Table.from_pydict(cells).to_batches(max_chunksize=BATCH)
    schema = pa.Table.from_pydict(cells).schema
    for start in range(0, records - 1, _MADE):
        left = list(range(start, min(start + _MADE, records - 1)))
        count = len(left)
        given = {
            "component": [0] * count, "kind": [1] * count, "left_ordinal": left,
            "right_ordinal": [ordinal + 1 for ordinal in left], "score": [0.99] * count,
            "decision": [SAME] * count, "exceptions": [0] * count, "is_same_work": [True] * count,
            "is_one_source": [False] * count,
        }  # fmt: skip
        rows = {field.name: pa.array(given.get(field.name, [None] * count), field.type) for field in schema}
        yield from pa.Table.from_pydict(rows, schema=schema).to_batches(max_chunksize=BATCH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000)
    asked = parser.parse_args()
    assert DECISIONS[SAME] == "same"
    with TemporaryDirectory() as name:
        file = write_config(Path(name), source_table("a", "a.mrc") + source_table("b", "b.mrc"))
        shared = cast(Broadcast[Matching], _Shared(Matching(config.load(file), Statistics.empty())))
        list(_clusters._cluster(shared, rows_of_chain(10)))  # compiles
        begin, used, before = time.perf_counter(), time.process_time(), _memory()
        kinds: Counter[str] = Counter()
        messages = []
        try:
            for batch in _clusters._cluster(shared, rows_of_chain(asked.records)):
                kinds.update(batch.column("kind").to_pylist())
                messages += [text for text in batch.column("reason").to_pylist() if text][-1:]
        except StageError as error:
            messages.append(f"the run ends: {error}")
        print(
            f"{asked.records:,} records in one component: {time.perf_counter() - begin:.1f} s,"
            f" {time.process_time() - used:.1f} s of the processor, {_memory():,.0f} MB ({before:,.0f} before);"
            f" rows: {dict(kinds)}"
        )
        print(messages[-1] if messages else "no message")


def _memory() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
