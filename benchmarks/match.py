"""Match 10,000 records with a release of a million: seconds of each step, memory, and how many were found rightly.

`python benchmarks/match.py --records 1000000 --file 10000` makes the index of a synthetic catalogue (`synthetic.py`),
and looks up the features of further records in it, in a separate process; beside that it converts as many real records
in cp866 (BIBLD_TEST_DATA), which is the other part of `bibld match`. The ratio is that of all to merely converting.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import msgspec
import numpy as np
from _measure import RUSMARC, real_data, source_table, write_config
from synthetic import Catalogue

from bibld import config
from bibld._api.records import Converter
from bibld.dedup import lookup
from bibld.dedup.columns import FeatureTable, FeatureWriter, stored_rows
from bibld.dedup.key_tables import KeyTables, to_bytes
from bibld.dedup.method import blocking_digest
from bibld.model.features import NUMBERS, TEXTS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000, help="of the release")
    parser.add_argument("--file", type=int, default=10_000, help="records that are matched")
    parser.add_argument("--folder", type=Path, help="where the index is written; a temporary folder by default")
    parser.add_argument("--look-up", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.look_up:
        print(json.dumps(look_up(asked.look_up, asked.records)))
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        place = Path(name)
        show("release", write(place, asked.records, asked.file))
        words = [sys.executable, __file__, "--look-up", name, "--records", str(asked.records)]
        found = dict(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
        show("look up", found)
        converted = convert(place, asked.file)
        show("convert", {"seconds": converted})
        show("all", {"seconds": round(converted + found["seconds"], 2), "ratio": 1 + found["seconds"] / converted})


def show(step: str, figures: dict[str, float]) -> None:
    print(f"{step}: " + ", ".join(f"{name} {value:,.6g}" for name, value in figures.items()), flush=True)


def write(place: Path, records: int, new: int) -> dict[str, float]:
    """Write the index of a release, and the features of the records of a file."""
    write_config(place, source_table("a", "a") + source_table("b", "b"))
    truth, written = [np.empty(0, np.int64)], 0
    with FeatureWriter(place / "index") as index, FeatureWriter(place / "file") as file:
        for part in Catalogue(records + new).chunks(rows=min(50_000, records)):
            truth.append(part.truth)
            of_index = min(max(records - written, 0), len(part.columns))
            for writer, start, stop in ((index, 0, of_index), (file, of_index, len(part.columns))):
                columns = part.columns.chunk(start, stop, (*TEXTS, *NUMBERS))
                made, source = np.zeros(len(columns), np.uint64), part.source[start:stop].astype(np.uint16)
                writer.add(stored_rows(columns), made, source)
            written += len(part.columns)
        table = index.close()
        file.close()
    np.save(place / "truth.npy", np.concatenate(truth))
    loaded = config.load(place / "bibld.toml")
    with KeyTables(place / "index" / "keys-1.duckdb", loaded) as tables:
        statistics = tables.rebuild(table)
        begin = time.perf_counter()
        lookup.copy_index(table, np.ones(len(table), np.bool_), tables, place / "match")
        seconds = time.perf_counter() - begin
        width = tables.width
    (place / "match" / "members.uint64").write_bytes(b"")
    (place / "match" / "statistics").write_bytes(to_bytes(statistics))
    head = {"format": 1, "rows": records, "width": width, "blocking": blocking_digest(loaded), "sources": {}}
    (place / "match" / "head.json").write_bytes(msgspec.json.encode(head))
    own = sum(path.stat().st_size for path in (place / "match").iterdir() if path.stat().st_nlink == 1)
    return {"seconds": seconds, "bytes a record that are not shared": own / records}


def look_up(place: Path, records: int) -> dict[str, float]:
    """Look up the records of the file; the time begins with the process that has loaded what it needs."""
    loaded = config.load(place / "bibld.toml")
    begin = time.perf_counter()
    index = lookup.ReleasedIndex(place / "match", loaded)
    found = list(lookup.Lookup(index, FeatureTable.open_complete(place / "file")).found())
    seconds = time.perf_counter() - begin
    truth = np.load(place / "truth.npy")
    known = set(truth[:records].tolist())
    right = wrong = missed = 0
    ordinals = {int(ordinal): row for row, ordinal in enumerate(index.table.ordinals)}
    for row, one in enumerate(found):
        is_same = one.outcome == "same" and one.ordinal is not None
        is_right = is_same and truth[ordinals[one.ordinal or 0]] == truth[records + row]
        right += is_right
        wrong += is_same and not is_right
        missed += not is_same and truth[records + row] in known
    return {
        "seconds": round(seconds, 2),
        "records": len(found),
        "precision": right / max(right + wrong, 1),
        "recall": right / max(right + missed, 1),
        "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def convert(place: Path, records: int) -> float:
    """Convert this many real records to features with two processes, from a file; return the seconds."""
    pieces = (real_data() / "rusmarc" / RUSMARC[0]).read_bytes().split(b"\x1d")[:-1]
    target = place / "file.mrc"
    target.write_bytes(b"".join(piece + b"\x1d" for piece in islice(cycle(pieces), records)))
    begin = time.perf_counter()
    with Converter(workers=2, inspects=True) as converter:
        count = sum(1 for _ in converter.convert(target, form="features"))
    assert count == records
    shutil.rmtree(place / "file")
    return round(time.perf_counter() - begin, 2)


if __name__ == "__main__":
    main()
