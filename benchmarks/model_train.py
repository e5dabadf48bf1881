"""Train the shipped model again: `python benchmarks/model_train.py`, with BIBLD_TEST_DATA set.

Loads labelled records into a separate workspace, and calls `bibld train`: goldfinch, `benchmarks/labelled`, the pairs
that `gold_pairs.py` measures, half of the clusters of two tables of citations (DBLP-ACM, Cora) with the pairs that
blocking proposes, pairs within catalogues, whose records are different, and RUSMARC records from which pairs are made
up. `--development` leaves out the test halves, for a model that can be measured on them. Takes three minutes.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Container, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _measure import RUSMARC, SEED, real_data, run, source_table, write_config
from gold_pairs import SETS, UNSEEN, GoldSet, in_half, read_gold
from methods import COLUMNS_OF_CORA, COMMAS, cora, dblp_acm
from model_goldfinch import write_live

from bibld import progress
from bibld.catalog import Catalog
from bibld.config import Config, load
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.decisions import Decider
from bibld.dedup.evaluate import Trial
from bibld.dedup.exceptions import Effect, with_effect
from bibld.dedup.memory import prepare
from bibld.dedup.side_by_side import ELEMENTS, are_equal
from bibld.model.features import Features

TRAINING = {name: one for name, one in SETS.items() if name not in UNSEEN}
LABELLED = Path(__file__).parent / "labelled"
HALVES = ("development", "test")
LIBRARIES = ("rsl", "nlr", "loc", "sbb")
WEIGHT = 5
"""Of pairs that people labelled because they are hard, which are few."""
WEIGHT_OF_SUBJECTS = 2
"""Of pairs of special subjects, of which each differs from all others."""
WEIGHT_OF_CORA = 0.2
"""Its clusters are large, so that its pairs are many, and of few papers."""
WEIGHT_OF_CATALOGUES = 0.3
"""Of different records of one catalogue, of which there are ten thousand."""
CATALOGUES = {
    "uva": "uva_marc8.mrc", "jazz": "jazz_marc8.mrc", "french": "french_marc8.mrc", "testbed": "loc_testbed_utf8.mrc",
    "rism": "rism_music_prints.xml.gz", "mozart": "rism_music_sample.xml", "covid": "gpo_covid_online.mrc",
    "dnb": "bibframe_sample/dnb.xml", "general": "bibframe_sample/loc_general.xml", "nlm": "bibframe_sample/nlm.xml",
    "princeton": "bibframe_sample/princeton.xml", "nist": "gpo_same_records/utf8/*.mrc",
    "gpo": "gpo_updates/[cn]*.mrc",
}  # fmt: skip
"""Files of MARC 21 records, each of one catalogue."""
LIBRARY_OF = {"gpo": "gpo", "covid": "gpo", "nist": "gpo", "rism": "rism", "mozart": "rism"}
"""The libraries from whose catalogues several files are, or very many pairs."""
DAY = datetime(2026, 11, 27, tzinfo=UTC)
OUT = Path(__file__).parents[1] / "bibld" / "dedup" / "score" / "model.json"
ABOUT = (
    "10,208 labelled pairs of HathiTrust records (goldfinch, California Digital Library); 2,700 pairs of descriptions"
    " of Russian and other publications; pairs of citations (half of DBLP-ACM and of Cora); different records of one"
    " catalogue each of eighteen files; and pairs made up out of records of goldfinch and of five RUSMARC files"
)


class Label(NamedTuple):
    """A labelled pair of records, and the set that it is from."""

    origin: str
    left: str
    right: str
    is_duplicate: bool
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", default=OUT, help="the file that the model is written to")
    parser.add_argument("--development", action="store_true", help="leave out the test halves")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        config, labels, varied = load_training(Path(name), HALVES[: 1 if asked.development else None])
        write_labels(labels, Path(name) / "labels.csv")
        about = "--data", ABOUT, "--licence", "CC0-1.0 (goldfinch, Russian pairs)", "--seed", str(SEED)
        given = (part for source in varied for part in ("--vary", source))
        pairs = str(Path(name) / "labels.csv")
        bibld("train", str(config), "--pairs", pairs, *given, *about, "--out", str(asked.out))


def load_training(place: Path, halves: Sequence[str] = HALVES) -> tuple[Path, list[Label], list[str]]:
    """Read all records into a workspace; return its configuration, the labels of some halves, and the sources that are
    varied."""
    gold = real_data() / "gold"
    write_live(gold / "goldfinch" / "val_records.json.gz", place / "goldfinch.json")
    varied = {"goldfinch": place / "goldfinch.json"}
    varied |= {name.partition(".")[0].replace("_", ""): real_data() / "rusmarc" / name for name in RUSMARC}
    tables = [source_table(source, path, duplicates=True) for source, path in varied.items()]
    tables += [
        source_table(f"{library}{half}", LABELLED / half / f"{library}.mrk") for library in LIBRARIES for half in halves
    ]
    hard_and_western = SETS["hard"]._replace(files=SETS["hard"].files | SETS["western"].files)
    for one in (TRAINING | {"hard": hard_and_western, "western": hard_and_western}).values():
        if (table := one.source_tables(prefix_of(one))) not in tables:
            tables.append(table)
    labels = list(of_file("goldfinch", gold / "goldfinch" / "val_labels.csv", 1))
    for half in halves:
        labels += [*of_file("own", LABELLED / half / "pairs.csv", WEIGHT, half), *of_gold(half)]
    for collection, weight in ((dblp_acm, 1.0), (cora, WEIGHT_OF_CORA)):
        (citations := place / collection.__name__).mkdir()
        labels += of_citations(collection.__name__, *collection(citations), weight)
    for source, file in (("dblp", "DBLP2.csv"), ("acm", "ACM.csv")):
        tables.append(source_table(source, gold / "dblp_acm" / file, read="csv", charset="latin-1") + COMMAS)
    citations = place / "cora" / "cora.csv"
    tables.append(source_table("cora", citations, read="csv", duplicates=True) + COLUMNS_OF_CORA)
    tables += [
        source_table(source, sorted((real_data() / "marc21").glob(files)), duplicates=True)
        for source, files in CATALOGUES.items()
    ]
    config = write_config(place, "".join(tables))
    run(config, until="read")
    labels += of_catalogues(config, {*CATALOGUES, *varied} - {"goldfinch"})
    return config, labels, list(varied)


def prefix_of(one: GoldSet) -> str:
    """Return what the ids of the sources begin with that the files of a set become."""
    return one.folder.replace("_", "")


def of_file(origin: str, path: Path, weight: float, half: str = "") -> Iterator[Label]:
    """Yield the pairs of a file; ``half`` is the end of the ids of their sources."""
    with path.open(encoding="utf-8", newline="") as labels:
        for row in csv.DictReader(labels):
            left, right = (end.replace(":", f"{half}:", 1) for end in list(row.values())[:2])
            yield Label(origin, left, right, row["label"] in ("1", "duplicate"), weight)


def of_gold(half: str) -> Iterator[Label]:
    for name, one in TRAINING.items():
        weight = WEIGHT_OF_SUBJECTS if one.is_own else WEIGHT
        for found in in_half(list(read_gold(one)), half):
            pair = found.labelled.pair
            ends = (f"{prefix_of(one)}{end.source}:{end.control_number}" for end in (pair.left, pair.right))
            yield Label(name, *ends, found.labelled.is_duplicate, weight)


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


def of_catalogues(config: Path, sources: Container[str]) -> Iterator[Label]:
    """Yield the pairs that blocking proposes within the catalogues of libraries, which describe a publication once, so
    that they are different; without those that a rule keeps apart, and those that contradict each other in nothing,
    which may be slips."""
    for one, other, is_ruled in candidates(load(config)):
        source, *others = {record.partition(":")[0] for record in (one, other)}
        if source in sources and not others and not is_ruled:
            origin = f"in {LIBRARY_OF.get(source, 'others')}"
            yield Label(origin, one, other, is_duplicate=False, weight=WEIGHT_OF_CATALOGUES)


def candidates(config: Config) -> Iterator[tuple[str, str, bool]]:
    """Yield the candidate pairs of a workspace, and whether a rule decides about each, or it contradicts nothing."""
    with Catalog(config.workspace, read_only=True) as catalog, prepare(catalog, config, progress.Silent()) as ready:
        left, right = (side.astype(int) for side in unpack_pairs(Trial(ready, config, {}).candidates))
        decider = Decider(ready.rows.table, ready.sources, config)
        is_ruled = decider.decide(left, right, least=0.0).exceptions & np.uint16(~with_effect(Effect.SEPARATE)) > 0
        columns = ready.rows.table.rows(np.arange(len(ready.rows.table)))
        features = [columns.features(row) for row in range(len(columns))]
        records = list(map(str, ready.rows.records_of(np.arange(len(columns)))))
        for one, other, ruled in zip(left.tolist(), right.tolist(), is_ruled.tolist(), strict=True):
            yield records[one], records[other], ruled or contradicts_nothing(features[one], features[other])


def contradicts_nothing(left: Features, right: Features) -> bool:
    """Return whether two records agree in all elements that both state; identifiers of records aside."""
    stated = (name for name in ELEMENTS if name != "identifiers" and getattr(left, name) and getattr(right, name))
    return all(are_equal(name, left, right) for name in stated)


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
