"""What reading costs, in processor time, in a night without changes: the same file, and the same records in a new file.

`python benchmarks/inspection.py FILE` inspects the file alone, loads it, and reads it twice more: as it is, which opens
no file, and after its time of change was set.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

from bibld import config, ingest, pipeline
from bibld.progress import Silent

_CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
_CONFIG = """\
workspace = "work"
workers = 1
[dataset]
base = "https://data.example.org/"
title = {{ en = "x" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "x"
[[source]]
id = "x"
path = "{}"
"""


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    begin = process_time()
    work()
    return process_time() - begin


def main(file: Path) -> None:
    """Print what each takes."""
    with tempfile.TemporaryDirectory() as name:
        path, copy = Path(name) / "bibld.toml", Path(name) / file.name
        shutil.copyfile(file, copy)
        path.write_text(_CONFIG.format(file.name), encoding="utf-8")
        loaded = config.load(path)
        (inspection,) = ingest.inspect_sources(loaded, Silent())  # loads the readers
        inspected = seconds(lambda: ingest.inspect_sources(loaded, Silent()))

        def read() -> object:
            return pipeline.run(loaded, _CLOCK, Silent(), until="read")

        read()
        unchanged = seconds(read)
        os.utime(copy, (0, 0))
        fetched_again = seconds(read)
    million = inspection.records / 1e6
    print(f"{inspection.records:,} records, {file.stat().st_size:,} bytes")
    again = fetched_again / million
    print(f"inspected: {inspected / million:.1f} s a million; the same records in a new file: {again:.1f} s a million")
    print(f"a night without changes: {unchanged:.3f} s, whatever the number of records")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
