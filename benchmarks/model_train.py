"""Train the shipped model again: `python benchmarks/model_train.py`, with BIBLD_TEST_DATA set.

Loads labelled records into a separate workspace, and calls `bibld train`: goldfinch, the development halves of
`benchmarks/labelled` and of the pairs that `gold_pairs.py` measures, half of the clusters of two tables of citations
(DBLP-ACM, Cora) with the pairs that blocking proposes, and RUSMARC records from which pairs are made up. Takes three
minutes. Nothing of the test halves is among them.
"""

import csv
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from _measure import RUSMARC, SEED, real_data, run, source_table, write_config
from gold_pairs import SETS, in_half, read_gold
from methods import COLUMNS_OF_CORA, COMMAS, cora, dblp_acm
from model_goldfinch import write_live

from bibld import progress
from bibld.catalog import Catalog
from bibld.config import load
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.evaluate import Trial
from bibld.dedup.memory import prepare

LABELLED = Path(__file__).parent / "labelled" / "development"
LIBRARIES = ("rsl", "nlr", "loc", "sbb")
WEIGHT = 5
"""Of pairs that people labelled because they are hard, which are few."""
WEIGHT_OF_CORA = 0.2
"""Its clusters are large, so that its pairs are many, and of few papers."""
DAY = datetime(2026, 11, 27, tzinfo=UTC)
OUT = Path(__file__).parents[1] / "bibld" / "dedup" / "score" / "model.json"
ABOUT = (
    "10,208 labelled pairs of HathiTrust records (goldfinch, California Digital Library); 657 pairs of descriptions of"
    " Russian and other publications; pairs of citations (half of DBLP-ACM and of Cora); and pairs made up out of"
    " records of goldfinch and of five RUSMARC files"
)


class Label(NamedTuple):
    """A labelled pair of records, and the set that it is from."""

    origin: str
    left: str
    right: str
    is_duplicate: bool
    weight: float


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    with tempfile.TemporaryDirectory() as name:
        config, labels, varied = load_training(Path(name))
        write_labels(labels, Path(name) / "labels.csv")
        about = "--data", ABOUT, "--licence", "CC0-1.0 (goldfinch, Russian pairs)", "--seed", str(SEED)
        given = (part for source in varied for part in ("--vary", source))
        pairs = str(Path(name) / "labels.csv")
        bibld("train", str(config), "--pairs", pairs, *given, *about, "--out", str(out))


def load_training(place: Path) -> tuple[Path, list[Label], list[str]]:
    """Read all records into a workspace; return its configuration, the labels, and the sources that are varied."""
    gold = real_data() / "gold"
    write_live(gold / "goldfinch" / "val_records.json.gz", place / "goldfinch.json")
    varied = {"goldfinch": place / "goldfinch.json"}
    varied |= {name.partition(".")[0].replace("_", ""): real_data() / "rusmarc" / name for name in RUSMARC}
    tables = [source_table(source, path, duplicates=True) for source, path in varied.items()]
    tables += [source_table(library, LABELLED / f"{library}.mrk") for library in LIBRARIES]
    sides = {one.folder: one.files for one in SETS.values()}
    sides["ru_pairs"] = SETS["hard"].files | SETS["western"].files
    for folder, files in sides.items():
        tables += [source_table(source_of(folder, side), gold / folder / file) for side, file in files.items()]
    labels = list(of_file("goldfinch", gold / "goldfinch" / "val_labels.csv", 1))
    labels += [*of_file("own", LABELLED / "pairs.csv", WEIGHT), *of_gold(gold)]
    for collection, weight in ((dblp_acm, 1.0), (cora, WEIGHT_OF_CORA)):
        (citations := place / collection.__name__).mkdir()
        labels += of_citations(collection.__name__, *collection(citations), weight)
    for source, file in (("dblp", "DBLP2.csv"), ("acm", "ACM.csv")):
        tables.append(source_table(source, gold / "dblp_acm" / file, read="csv", charset="latin-1") + COMMAS)
    citations = place / "cora" / "cora.csv"
    tables.append(source_table("cora", citations, read="csv", duplicates=True) + COLUMNS_OF_CORA)
    config = write_config(place, "".join(tables))
    run(config, until="read")
    return config, labels, list(varied)


def source_of(gold: str, side: str) -> str:
    """Return the id of the source that a file of a set of pairs becomes."""
    return f"{gold.replace('_', '')}{side}"


def of_file(origin: str, path: Path, weight: float) -> Iterator[Label]:
    with path.open(encoding="utf-8", newline="") as labels:
        for row in csv.DictReader(labels):
            left, right = list(row.values())[:2]
            yield Label(origin, left, right, row["label"] in ("1", "duplicate"), weight)


def of_gold(folder: Path) -> Iterator[Label]:
    """Yield the pairs of the development halves."""
    for name, one in SETS.items():
        for found in in_half(list(read_gold(one, folder / one.folder)), "development"):
            pair = found.labelled.pair
            ends = (f"{source_of(one.folder, end.source)}:{end.control_number}" for end in (pair.left, pair.right))
            yield Label(name, *ends, found.labelled.is_duplicate, WEIGHT)


def of_citations(origin: str, config: Path, true: Path, weight: float) -> Iterator[Label]:
    """Yield the pairs that blocking proposes of half of the clusters."""
    with true.open(encoding="utf-8", newline="") as lines:
        duplicates = {tuple(sorted(row)) for row in csv.reader(lines)}
    heads: dict[str, str] = {}

    def head(record: str) -> str:
        while (above := heads.setdefault(record, record)) != record:
            record = above
        return record

    for one, other in sorted(duplicates):
        first, second = sorted((head(one), head(other)))
        heads[second] = first
    for one, other, _ in candidates(load(config)):
        if all(zlib.crc32(head(record).encode()) % 2 == 0 for record in (one, other)):
            yield Label(origin, one, other, tuple(sorted((one, other))) in duplicates, weight)


def of_catalogues(config: Path) -> Iterator[Label]:
    """Yield the pairs that blocking proposes within the catalogues of libraries, which describe a publication once:
    they are different. Left out are those that a rule keeps apart, and equal ones, which may be slips."""
    for one, other, is_decided in candidates(load(config)):
        sources = {record.partition(":")[0] for record in (one, other)}
        if len(sources) == 1 and sources < CATALOGUES.keys() and not is_decided:
            yield Label("catalogues", one, other, is_duplicate=False, weight=WEIGHT_OF_CATALOGUES)


def candidates(config: Config) -> Iterator[tuple[str, str, bool]]:
    """Yield the candidate pairs of a workspace, with whether an exception holds for each, or it differs in nothing."""
    with Catalog(config.workspace, read_only=True) as catalog, prepare(catalog, config, progress.Silent()) as ready:
        trial = Trial(ready, config, {})
        left, right = (side.astype(int) for side in unpack_pairs(trial.candidates))
        found = Decider(ready.rows.table, ready.sources, config).decide(left, right, least=0.0)
        names = [map(str, ready.rows.records_of(side)) for side in (left, right)]
        is_decided = (found.exceptions & ~np.uint16(Exceptions.IDENTIFIERS) > 0) | (found.scores >= EQUAL)
        yield from zip(*names, is_decided.tolist(), strict=True)


def write_labels(labels: list[Label], out: Path) -> None:
    with out.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(("left", "right", "label", "weight"))
        rows.writerows((one.left, one.right, int(one.is_duplicate), one.weight) for one in labels)


def bibld(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "bibld", *arguments],
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(int(DAY.timestamp()))},
    )


if __name__ == "__main__":
    main()
