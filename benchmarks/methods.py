"""Every method of matching side by side: what each finds and what it costs, on labelled collections.

`python benchmarks/methods.py sample dblp_acm` measures some of the sample, goldfinch, DBLP-ACM and Cora; `synthetic`
with `--records 1000000` a catalogue with known duplicates of any size. `--methods`, `--mode` and `--plot FOLDER` are
those of `bibld evaluate`. Prints a table in Markdown for each. The model was trained on goldfinch, and blockers and
thresholds were chosen with the sample, goldfinch and the synthetic records at hand: figures on these describe
development data. DBLP-ACM and Cora were not used for that. The synthetic million takes half an hour, mostly to read it.
"""

import argparse
import csv
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from _measure import real_data, run, run_sample, source_table, write_config
from goldfinch_end_to_end import gold_of, loaded_into
from model_cora import people
from synthetic import Catalogue, write_marc

import bibld
from bibld.cli.evaluate import method_panels, write_plot
from bibld.dedup.comparison import MethodComparison, MethodResult

Pairs = Iterable[tuple[str, str]]
Loaded = tuple[Path, Path]
"""The configuration of records that were read, and their pairs."""

COMMAS = """[source.columns]
separator = ","
"""
COLUMNS_OF_CORA = """[source.columns]
id = "Entity Id"
place = "address"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=["sample", "goldfinch", "dblp_acm", "cora"])
    parser.add_argument("--methods", default="all")
    parser.add_argument("--mode", choices=("full", "pairs"), default="full")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the synthetic catalogue")
    parser.add_argument("--plot", type=Path, help="write NAME.svg into this folder for each collection")
    asked = parser.parse_args()
    collections: dict[str, Callable[[Path], Loaded]] = {
        "sample": sample,
        "goldfinch": goldfinch,
        "dblp_acm": dblp_acm,
        "cora": cora,
        "synthetic": partial(synthetic, records=asked.records),
    }
    for name in asked.collections:
        with tempfile.TemporaryDirectory() as folder:
            file, pairs = collections[name](Path(folder))
            found = bibld.Workspace(file).compare_methods(pairs, asked.methods, mode=asked.mode)
        report(name, found)
        if asked.plot:
            write_plot(asked.plot / f"{name}.svg", name, method_panels(found))


def report(name: str, found: MethodComparison) -> None:
    print(
        f"\n{name}: {found.records:,} records, {found.true_pairs:,} true pairs, {found.similar:,} pairs with similar"
        f" titles ({found.similarity})\n\n| method | scorer | candidate recall | similar found | candidates a record |"
        " precision | recall | F1 | seconds | MB memory | MB disk |\n| --- | --- " + "| --: " * 9 + "|"
    )
    for one in found.methods:
        print(f"| {' | '.join(row(one))} |", flush=True)
    for one in found.methods:
        for bin_, expected in zip(one.curve, one.expected, strict=False):
            print(f"  {one.method} {bin_.similarity:.2f}: {bin_.pairs} pairs, {bin_.found} found, {expected} expected")


def row(one: MethodResult) -> list[str]:
    if not one.candidates:
        return [f"`{one.method}`", f"`{one.score}`", one.note, *[""] * 8]
    similar = "" if one.similar_recall is None else f"{one.similar_recall:.3f}"
    shares = [f"{share:.3f}" for share in (one.precision, one.recall, one.f1)]
    costs = [f"{one.seconds:.2f}", f"{one.memory / 1e6:.0f}", f"{one.disk / 1e6:.1f}"]
    found = [f"{one.candidate_recall:.3f}", similar, f"{one.candidates_per_record:.2f}"]
    return [f"`{one.method}`", f"`{one.score}`", *found, *shares, *costs]


# -- collections -------------------------------------------------------------------------------------------------------


def sample(folder: Path) -> Loaded:
    config = run_sample(folder / "sample", until="read")
    return config.file, config.file.parent / "gold_pairs.csv"


def goldfinch(folder: Path) -> Loaded:
    gold = real_data() / "gold" / "goldfinch"
    config = loaded_into(folder, gold)
    true = ((str(one.pair.left), str(one.pair.right)) for one in gold_of(gold).true)
    return config.file, write_pairs(folder, true)


def dblp_acm(folder: Path) -> Loaded:
    """The two tables as they are, with all their columns: title, authors, venue and year."""
    gold = real_data() / "gold" / "dblp_acm"
    files = (("dblp", "DBLP2.csv"), ("acm", "ACM.csv"))
    tables = (source_table(source, gold / file, read="csv", charset="latin-1") + COMMAS for source, file in files)
    run(file := write_config(folder, "".join(tables)), until="read")
    with (gold / "DBLP-ACM_perfectMapping.csv").open(encoding="latin-1", newline="") as lines:
        true = [(f"dblp:{one}", f"acm:{other}") for one, other in list(csv.reader(lines))[1:]]
    return file, write_pairs(folder, true)


def cora(folder: Path) -> Loaded:
    """The table with all its columns; only the names of authors, whose order and separators vary, are divided."""
    gold = real_data() / "gold" / "cora"
    with (gold / "cora.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="|"))
    with (folder / "cora.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, [column for column in rows[0] if column], extrasaction="ignore")
        table.writeheader()
        table.writerows(row | {"author": "; ".join(people(row["author"]))} for row in rows)
    run(
        file := write_config(folder, source_table("cora", "cora.csv", read="csv", duplicates=True) + COLUMNS_OF_CORA),
        until="read",
    )
    with (gold / "cora_gt.csv").open(encoding="utf-8", newline="") as lines:
        true = [(f"cora:{one}", f"cora:{other}") for one, other in csv.reader(lines, delimiter="|")]
    return file, write_pairs(folder, true)


def synthetic(folder: Path, records: int) -> Loaded:
    catalogue = Catalogue(records)
    files = write_marc(catalogue, folder / "library")
    tables = "".join(source_table(path.stem[-1], path.name) for path, _ in files)
    run(file := write_config(folder, tables), until="read")

    def name(number: int) -> str:
        letter = "a" if number < catalogue.in_a else "b"
        return f"{letter}:{letter}{number:09}"

    true = ((name(pair >> 32), name(pair & 0xFFFFFFFF)) for pair in sorted(catalogue.true_pairs().tolist()))
    return file, write_pairs(folder, true)


def write_pairs(folder: Path, pairs: Pairs) -> Path:
    file = folder / "pairs.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("left", "right"), *pairs])
    return file


if __name__ == "__main__":
    main()
