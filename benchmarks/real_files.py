"""A run over every real file: what becomes of the records of each, and records per second of each stage."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from _measure import real_config, real_data

from bibld import config, pipeline, progress
from bibld.cli._summary import print_summary


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = config.load(real_config(real_data(), Path(folder)))
        summary = pipeline.run(loaded, datetime.now(UTC), progress.Silent())
        for source in loaded.sources:
            print(source.id, source.config.label["en"])
        print_summary(summary)
        for counts in summary.sources:
            assert counts.read == counts.converted + counts.superseded + counts.rejected + counts.deleted


if __name__ == "__main__":
    main()
