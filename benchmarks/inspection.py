"""What it costs to inspect the files before they are loaded, in processor time, of a night without changes.

`python benchmarks/inspection.py FILE` inspects the file alone, then reads it once, and once more without changes.
"""

import sys
import tempfile
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


def main(file: Path) -> None:
    """Print seconds for each million records."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "bibld.toml"
        path.write_text(_CONFIG.format(file.absolute()), encoding="utf-8")
        loaded = config.load(path)
        ingest.inspect_sources(loaded, Silent())  # loads the readers
        begin = process_time()
        (inspection,) = ingest.inspect_sources(loaded, Silent())
        inspected = process_time() - begin
        pipeline.run(loaded, _CLOCK, Silent(), until="read")
        begin = process_time()
        pipeline.run(loaded, _CLOCK, Silent(), until="read")
        unchanged = process_time() - begin
    million = inspection.records / 1e6
    print(f"{inspection.records:,} records, {file.stat().st_size:,} bytes")
    print(f"inspected: {inspected / million:.1f} s a million; a night without changes: {unchanged / million:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
