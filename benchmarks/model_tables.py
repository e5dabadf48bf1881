"""How well the shipped model does on tables it was not trained on: DBLP-ACM and Cora, all pairs that a simple block of
shared title words proposes; beside it the paper's score on the same pairs, each at its best threshold and its own. Then
what is joined where a cluster holds one record of each table, as the pipeline joins sources without duplicates."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from html import unescape
from itertools import combinations
from pathlib import Path

import numpy as np
from _measure import real_data

from bibld.dedup.score import jaccard, model
from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, Features
from bibld.text.dates import year
from bibld.text.extents import pages
from bibld.text.folding import fold
from bibld.text.names import person_key
from bibld.text.romanisation import romanise

_BIGGEST_BLOCK = 150


def main() -> None:
    folder = real_data() / "gold"
    for name, (features, true, across) in (
        ("DBLP-ACM", dblp_acm(folder / "dblp_acm")),
        ("Cora", cora(folder / "cora")),
    ):
        columns = FeatureColumns.from_features(enumerate(features))
        left, right = proposed(features, across)
        labels = np.array([pair in true for pair in zip(left.tolist(), right.tolist(), strict=True)])
        print(f"{name}: {len(features)} records, {len(true)} true pairs, {len(left)} proposed, holding {labels.sum()}")
        for label, scorer, settings in (
            ("model", model, model.Settings()),
            ("paper", jaccard, jaccard.Settings()),
        ):
            scores = scorer.scores(columns, left, right, settings)
            report(label, scores, labels, len(true), (settings.same, 0.5))
            if across:
                single = best_of_both(left, right, scores)
                report(f"{label}, one record of each", scores[single], labels[single], len(true), (settings.same, 0.5))


def report(label: str, scores: np.ndarray, labels: np.ndarray, true: int, thresholds: Iterable[float]) -> None:
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + true)
    best = int(np.argmax(f1))
    parts = [f"best F1 {f1[best]:.4f} at {scores[order][best]:.3f}"]
    for threshold in thresholds:
        predicted = scores >= threshold
        right = (predicted & labels).sum()
        parts.append(
            f"at {threshold}: P {right / max(1, predicted.sum()):.4f} R {right / true:.4f} "
            f"F1 {2 * right / (predicted.sum() + true):.4f}"
        )
    print(f"  {label}: " + "; ".join(parts))


def best_of_both(left: np.ndarray, right: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the pairs that are joined if each record is joined once at most, the highest scores first."""
    taken: tuple[set[int], set[int]] = set(), set()
    found = []
    for pair in np.argsort(-scores, kind="stable").tolist():
        one, other = int(left[pair]), int(right[pair])
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
            found.append(pair)
    return np.array(found)


def proposed(features: list[Features], across: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs that share two of the words of their titles, in blocks of a bounded size; across the first ``across`` rows
    and the rest, or among all where it is 0."""
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    words = [sorted(set(fold(one.main_title).split())) for one in features]
    for row_words in words:
        for word in row_words:
            counts[word] += 1
    for row, row_words in enumerate(words):
        rare = sorted(row_words, key=lambda word: (counts[word], word))[:6]
        for pair in combinations(sorted(rare), 2):
            blocks[pair].append(row)
        if len(row_words) == 1:
            blocks[row_words[0], ""].append(row)
    found = {
        pair
        for rows in blocks.values()
        if len(rows) <= _BIGGEST_BLOCK
        for pair in combinations(rows, 2)
        if not across or pair[0] < across <= pair[1]
    }
    ordered = np.array(sorted(found), dtype=np.uint32).reshape(-1, 2)
    return ordered[:, 0].copy(), ordered[:, 1].copy()


def dblp_acm(folder: Path) -> tuple[list[Features], set[tuple[int, int]], int]:
    features, ids = [], {}
    for name in ("DBLP2.csv", "ACM.csv"):
        with (folder / name).open(encoding="latin-1", newline="") as lines:
            for row in csv.DictReader(lines):
                ids[name, row["id"]] = len(features)
                features.append(article(unescape(row["title"]), unescape(row["authors"]).split(","), "", row["year"]))
        if name == "DBLP2.csv":
            across = len(features)
    with (folder / "DBLP-ACM_perfectMapping.csv").open(encoding="latin-1", newline="") as lines:
        true = {(ids["DBLP2.csv", row["idDBLP"]], ids["ACM.csv", row["idACM"]]) for row in csv.DictReader(lines)}
    return features, true, across


def cora(folder: Path) -> tuple[list[Features], set[tuple[int, int]], int]:
    features, ids = [], {}
    with (folder / "cora.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="|"):
            ids[row["Entity Id"]] = len(features)
            authors = row["author"].replace("&", ",").replace(" and ", ",").split(",")
            features.append(article(row["title"], authors, row["publisher"], row["year"], row["pages"]))
    with (folder / "cora_gt.csv").open(encoding="utf-8", newline="") as lines:
        true = {tuple(sorted((ids[one], ids[other]))) for one, other in csv.reader(lines, delimiter="|")}
    return features, true, 0


def article(title: str, authors: list[str], publisher: str, date: str, extent: str = "") -> Features:
    """A row as features: names given name first are turned round. Venues are left out: the tables shorten them."""
    names = [name for author in authors if (name := turned(author))]
    when = year(date) or 0
    return Features(
        title=fold(title),
        author=fold(authors[0]),
        main_title=romanise(title),
        names=VALUE_SEPARATOR.join(romanise(name) for name in names),
        publisher=romanise(publisher),
        language="eng",
        carrier="print",
        level="a",
        year=when,
        last_year=when,
        pages=pages(extent) or 0,
    )


def turned(author: str) -> str:
    words = author.replace(".", ". ").split()
    return person_key(f"{words[-1]}, {' '.join(words[:-1])}") if words else ""


if __name__ == "__main__":
    main()
