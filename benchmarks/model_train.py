"""Train the shipped model again: `python benchmarks/model_train.py`, with BIBLD_TEST_DATA set.

Loads the labelled records of goldfinch and the RUSMARC files into a separate workspace, and calls `bibld train`. Takes
two minutes. The single records of the Russian pairs that the model is measured on are not among them.
"""

import csv
import gzip
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from _measure import real_data, run, source_table, write_config

RUSMARC = ("stavropol_cp866.mrc", "tatarstan_utf8.mrc", "nlr_cp1251.iso", "nlr_koi8r.iso", "articles_cp1251.mrc")
LABELLED = Path(__file__).parent / "labelled" / "development"
LIBRARIES = ("rsl", "nlr", "loc", "sbb")
WEIGHT = 5
SEED = 7
DAY = datetime(2026, 11, 22, tzinfo=UTC)
OUT = Path(__file__).parents[1] / "bibld" / "dedup" / "score" / "model.json"


def main() -> None:
    folder = real_data()
    sources = {"goldfinch": Path("goldfinch.json")}
    sources |= {name.partition(".")[0].replace("_", ""): folder / "rusmarc" / name for name in RUSMARC}
    tables = "".join(source_table(name, path, duplicates=True) for name, path in sources.items())
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    with tempfile.TemporaryDirectory() as workspace:
        tables += "".join(source_table(name, LABELLED / f"{name}.mrk") for name in LIBRARIES)
        config = write_config(Path(workspace), tables)
        write_live(folder / "gold" / "goldfinch" / "val_records.json.gz", Path(workspace) / "goldfinch.json")
        run(config, until="read")
        varied = [part for name in sources for part in ("--vary", name)]
        about = "--data", ABOUT, "--licence", "CC0-1.0 (goldfinch)", "--seed", str(SEED)
        labels = Path(workspace) / "labels.csv"
        write_labels(folder / "gold" / "goldfinch" / "val_labels.csv", labels)
        bibld("train", str(config), "--pairs", str(labels), *varied, *about, "--out", str(out))


def write_labels(goldfinch: Path, out: Path) -> None:
    """Join the pairs of goldfinch and those of the development half, which are few and therefore weigh more."""
    with out.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(("left", "right", "label", "weight"))
        for path, weight in ((goldfinch, 1), (LABELLED / "pairs.csv", WEIGHT)):
            with path.open(encoding="utf-8", newline="") as labels:
                rows.writerows((*list(row.values())[:2], row["label"], weight) for row in csv.DictReader(labels))


def write_live(records: Path, out: Path) -> None:
    """Copy records; the one that its library has deleted (leader/05) is in a labelled pair, so it becomes a corrected
    one."""
    with gzip.open(records, "rt", encoding="utf-8") as lines:
        out.write_text(re.sub(r'(?m)^(\{"leader": "\d{5})d', r"\1c", lines.read()), encoding="utf-8")


ABOUT = (
    "10,208 labelled pairs of HathiTrust records (goldfinch, California Digital Library), and pairs made up out of "
    "these records and of RUSMARC records of five files; 307 pairs of descriptions of Russian and other publications"
)


def bibld(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "bibld", *arguments],
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(int(DAY.timestamp()))},
    )


if __name__ == "__main__":
    main()
