"""A collection of texts with planted duplicates and subsets, from CSV and JSON lines to clusters and relations.

`python benchmarks/shingles.py --texts 20000` writes texts of made-up words: originals, exact copies, edited copies
(some words of a hundred replaced) and excerpts of others, one half as CSV and one half as JSON lines. Then it runs
bibld on them up to dedup, with `exact`, `minhash` and `passages` as blockers and `shingles` as scorer. All copies must
be in the cluster of their original, all excerpts related to it by part_of, and nothing else joined. Exit code 1 if not.
"""

import argparse
import csv
import json
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _measure import run, source_table, write_config

import bibld

METHOD = """
[dedup]
block = ["exact", "minhash", "passages"]
score = "shingles"
[dedup.exact]
fields = ["text"]
[dedup.minhash]
fields = ["text"]
unit = "words"
size = 3
similarity = 0.45
"""
VOCABULARY = 50_000
EDITED = 0.06
"""The share of words that are replaced in an edited copy."""


def texts(count: int, rng: np.random.Generator) -> Iterator[tuple[str, str, list[str]]]:
    """Yield id, id of the original (its own for an original) and words: 70 % originals, 10 % of each kind of copy."""
    originals: list[tuple[str, list[str]]] = []
    for number in range(count):
        kind = rng.choice(4, p=(0.7, 0.1, 0.1, 0.1)) if len(originals) > count // 20 else 0
        if kind == 0:
            words = [f"w{word}" for word in (VOCABULARY * rng.random(int(rng.integers(120, 2_000))) ** 3).astype(int)]
            originals.append((f"o{number}", words))
            yield f"o{number}", f"o{number}", words
            continue
        name, words = originals[int(rng.integers(len(originals)))]
        if kind == 1:
            yield f"c{number}", name, words
        elif kind == 2:
            is_replaced = rng.random(len(words)) < EDITED
            yield (
                f"e{number}",
                name,
                [f"x{number}" if new else word for word, new in zip(words, is_replaced, strict=True)],
            )
        else:
            length = max(30, int(len(words) * rng.uniform(0.05, 0.4)))
            start = int(rng.integers(0, len(words) - length + 1))
            yield f"p{number}", name, words[start : start + length]


def write(folder: Path, count: int, seed: int) -> dict[str, str]:
    """Write the two files and the configuration; return the original of each text."""
    originals = {}
    with (folder / "a.csv").open("w", newline="") as table, (folder / "b.jsonl").open("w") as lines:
        rows = csv.writer(table)
        rows.writerow(("id", "title", "text"))
        for number, (name, original, words) in enumerate(texts(count, np.random.default_rng(seed))):
            source = "ab"[number % 2]
            originals[f"{source}:{name}"] = original
            text = " ".join(words).capitalize() + "."
            if source == "a":
                rows.writerow((name, f"Text {number}", text))
            else:
                lines.write(json.dumps({"id": name, "title": f"Text {number}", "text": text}) + "\n")
    tables = source_table("a", "a.csv", duplicates=True) + source_table("b", "b.jsonl", duplicates=True)
    write_config(folder, tables + METHOD)
    return originals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        originals = write(folder, asked.texts, asked.seed)
        size = sum((folder / file).stat().st_size for file in ("a.csv", "b.jsonl"))
        print(f"{len(originals):,} texts, {size / 1e6:.0f} MB")
        run(folder / "bibld.toml", until="read")
        start = time.perf_counter()
        run(folder / "bibld.toml", until="dedup")
        print(
            f"dedup: {time.perf_counter() - start:.1f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB"
        )
        workspace = bibld.Workspace(folder / "bibld.toml")
        members = {record: row.cluster for row in workspace.clusters() for record in row.records}
        parts = {frozenset((row.left, row.right)) for row in workspace.pairs("related") if row.relation == "part_of"}
    raise SystemExit(not report(originals, members, parts))


def report(originals: dict[str, str], members: dict[str, str], parts: set[frozenset[str]]) -> bool:
    """Print what was found of each kind; return whether it is all and nothing else."""
    by_name = {key[2:]: key for key in originals}
    planted, found = Counter[str](), Counter[str]()
    for record, original in originals.items():
        first, kind = by_name[original], record[2]
        if record != first:
            planted[kind] += 1
            is_joined = members.get(record, record) == members.get(first, first)
            found[kind] += frozenset((record, first)) in parts if kind == "p" else is_joined
    for kind, what in {"c": "exact copies", "e": "edited copies", "p": "excerpts"}.items():
        print(f"{what}: {found[kind]:,} of {planted[kind]:,} found")
    wrong = sum(originals[record] != originals[founder] for record, founder in members.items())
    wrong += sum(len({originals[record] for record in pair}) > 1 for pair in parts)
    print(f"joined or related by mistake: {wrong:,}")
    return found == planted and not wrong


if __name__ == "__main__":
    main()
