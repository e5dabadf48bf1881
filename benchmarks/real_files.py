"""Run all stages over every real file: what becomes of the records of each, and records per second of each stage."""

import tempfile
from pathlib import Path

from _measure import real_config, real_data

import bibld
from bibld import config
from bibld.cli.run import print_summary


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = real_config(real_data(), Path(folder))
        for source in config.load(file).sources:
            print(source.id, source.config.label["en"])
        summary = bibld.Workspace(file).run()
        print_summary(summary, file)
        for counts in summary.sources:
            assert counts.read == counts.converted + counts.superseded + counts.rejected + counts.deleted


if __name__ == "__main__":
    main()
