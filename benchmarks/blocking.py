"""How many true pairs each blocker finds, and at how many candidates per record; the paper's blocking beside it.

Over the sample, and where ``BIBLD_TEST_DATA`` is set over goldfinch (MARC records of HathiTrust; true pairs share a
cluster id), DBLP-ACM and Cora (tables; true pairs are listed).
"""

import csv
import gzip
import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _measure import candidate_pairs, real_data, run_sample

from bibld import crosswalk
from bibld.catalog import Catalog
from bibld.dedup.candidates import proposed_pairs
from bibld.dedup.features import features_of
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.keys import keys_of_all
from bibld.dedup.method import MethodOptions
from bibld.dedup.pair_files import read_pairs
from bibld.model.features import FeatureColumns, Features
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.text.dates import years
from bibld.text.folding import fold
from bibld.text.names import person_key
from bibld.text.romanisation import romanise

OURS = ("identifier", "composite", "simhash")
UNIONS = (("paper",), ("identifier",), ("composite",), ("simhash",), ("identifier", "composite"), OURS)
Rows = tuple[list[Features], set[tuple[int, int]]]


def goldfinch(folder: Path) -> Rows:
    """The records of the validation split, each id once (the last one), and the pairs that share a cluster."""
    by_number: dict[str, tuple[str, Features]] = {}
    with gzip.open(folder / "goldfinch" / "val_records.json.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            cluster, record = marc(json.loads(line), number)
            by_number[record.control_number or ""] = cluster, features_of(crosswalk.convert(record, "marc21")[1].mods)
    members = defaultdict(list)
    for row, (cluster, _) in enumerate(by_number.values()):
        members[cluster].append(row)
    true = {pair for rows in members.values() for pair in combinations(rows, 2)}
    return [features for _, features in by_number.values()], true


def marc(tree: dict[str, Any], number: int) -> tuple[str, MarcRecord]:
    """The cluster id and the record out of MARC-in-JSON."""
    fields: list[ControlField | DataField] = []
    cluster = ""
    for entry in tree["fields"]:
        ((tag, value),) = entry.items()
        if tag == "CID":
            cluster = value["subfields"][0]["a"]
        elif isinstance(value, str):
            fields.append(ControlField(tag, value))
        else:
            subfields = tuple(Subfield(code, text) for one in value["subfields"] for code, text in one.items())
            fields.append(DataField(tag, value["ind1"], value["ind2"], subfields))
    return cluster, MarcRecord(Origin("goldfinch", "val", number, 0), Leader(tree["leader"]), tuple(fields))


def dblp_acm(folder: Path) -> Rows:
    """Both tables behind each other, and the pairs of the perfect mapping."""
    rows: dict[str, Features] = {}
    for name in ("DBLP2.csv", "ACM.csv"):
        for row in table(folder / "dblp_acm" / name, "latin-1"):
            rows[name[0] + row["id"]] = article(row["title"], row["authors"].split(", "), row["year"])
    place = {key: number for number, key in enumerate(rows)}
    mapping = table(folder / "dblp_acm" / "DBLP-ACM_perfectMapping.csv", "latin-1")
    return list(rows.values()), {(place["D" + row["idDBLP"]], place["A" + row["idACM"]]) for row in mapping}


def cora(folder: Path) -> Rows:
    """The citations, and the pairs of the ground truth."""
    names = re.compile(r",? and |, (?=\w\. )|, & |,(?=[^,]*,)")
    rows = [
        article(row["title"], [name for name in names.split(row["author"]) if name], row["year"])
        for row in table(folder / "cora" / "cora.csv", "utf-8", "|")
    ]
    lines = (folder / "cora" / "cora_gt.csv").read_text(encoding="utf-8").split()
    return rows, {(min(pair), max(pair)) for pair in (tuple(map(int, line.split("|"))) for line in lines)}


def table(path: Path, charset: str, delimiter: str = ",") -> Iterator[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding=charset, newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)


def article(title: str, authors: Sequence[str], date: str) -> Features:
    """The features of a line of a bibliography."""
    keys = [romanise(person_key(author)) for author in authors if author.strip()]
    year = next(iter(years(date)), 0)
    author = fold(authors[0]) if authors else ""
    names = "|".join(dict.fromkeys(key for key in keys if key))
    return Features(
        title=fold(title), author=author, main_title=romanise(title), names=names, year=year, last_year=year
    )


def sample() -> tuple[FeatureColumns, set[tuple[int, int]]]:
    """The sample's records and its true pairs."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "sample"
        loaded = run_sample(folder, until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            labelled = read_pairs(folder / "gold_pairs.csv", catalog)
            live_records = list(catalog.records.live())
            columns = FeatureColumns.from_features((ordinal, features_of(mods)) for ordinal, _, mods in live_records)
            rows = {catalog.register.record(ordinal): row for row, (ordinal, *_) in enumerate(live_records)}
    pairs = ((rows[item.pair.left], rows[item.pair.right]) for item in labelled if item.is_duplicate)
    return columns, {(min(pair), max(pair)) for pair in pairs}


def measure(name: str, columns: FeatureColumns, true: set[tuple[int, int]]) -> None:
    """Print candidate recall and cost of every blocker, of unions, and of the kinds of composite keys."""
    packed = np.array([min(pair) << 32 | max(pair) for pair in sorted(true)], dtype=np.uint64)
    print(f"\n{name}: {len(columns):,} records, {len(true):,} true pairs")
    for union in UNIONS:
        chosen = MethodOptions(block=union)
        begin = time.perf_counter()
        pairs = candidate_pairs(columns, chosen)
        seconds = time.perf_counter() - begin
        show(" + ".join(union), pairs, packed, len(columns), f"{seconds:6.2f} s")
        if union == ("composite",):
            with KeyTables(None, chosen) as tables:
                (keys,) = keys_of_all(columns, chosen, tables.rebuild(columns))
            for part in keys.families():
                show(f"    {part.family}", proposed_pairs(part, columns, chosen), packed, len(columns), "")


def show(name: str, pairs: npt.NDArray[np.uint64], true: npt.NDArray[np.uint64], records: int, seconds: str) -> None:
    """Print one line."""
    recall = np.isin(true, pairs).mean() if len(true) else 1.0
    print(f"  {name:36} candidate recall {recall:.4f} at {len(pairs) / records:8.3f} candidates per record {seconds}")


def main() -> None:
    measure("sample", *sample())
    if not os.environ.get("BIBLD_TEST_DATA"):
        sys.exit("the rest of this benchmark needs real records: set BIBLD_TEST_DATA to their folder")
    gold = real_data() / "gold"
    for name, read in (("goldfinch", goldfinch), ("DBLP-ACM", dblp_acm), ("Cora", cora)):
        rows, true = read(gold)
        measure(name, FeatureColumns.from_features(enumerate(rows)), true)


if __name__ == "__main__":
    main()
