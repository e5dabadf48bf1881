"""How well a model does on Cora that is trained on other clusters of Cora; beside it the shipped one and the paper's.

The candidates are those of the composite keys. Clusters are dealt into five folds; each pair is scored by trees that
saw no pair of either of its two clusters, so that no paper is on both sides. `--by-pairs` distributes pairs instead, as
published figures do: then trees know the papers that they score.
"""

import csv
import re
import sys
from collections.abc import Iterable
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _measure import candidate_pairs, real_data

from bibld.dedup import train
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.method import MethodOptions
from bibld.dedup.score import jaccard, model
from bibld.dedup.similarity.pairs import similarities
from bibld.dedup.similarity.rows import Rarity
from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, Features
from bibld.text.dates import year
from bibld.text.folding import fold
from bibld.text.names import person_key
from bibld.text.romanisation import romanise

FOLDS = 5
SEED = 7
DATED = ("year", "address", "month", "venue", "note", "title")
"""Columns that may contain a year, the likeliest first."""
_INITIALS = re.compile(r"(?:[a-z](?:\.|\b)[\s-]*){1,3}(?:jr\.?)?", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r",|;|&|\band\b|\(|\)")
_NO_NAME = re.compile(r"eds?\.?|et al\.?|jr\.?|editors?|[\W\d]*", re.IGNORECASE)

Pairs = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]


def main() -> None:
    folder = real_data() / "gold" / "cora"
    columns = FeatureColumns.from_features(enumerate(citations(folder / "cora.csv")))
    clusters = true_clusters(folder / "cora_gt.csv", len(columns))
    _, sizes = np.unique(clusters, return_counts=True)
    true = int((sizes * (sizes - 1) // 2).sum())
    left, right = candidates(columns)
    labels = clusters[left] == clusters[right]
    print(
        f"Cora: {len(columns)} records in {len(sizes)} clusters, {true} true pairs; {len(left)} candidates "
        f"({len(left) / len(columns):.1f} a record) hold {labels.sum() / true:.4f} of them"
    )
    is_by_pairs = "--by-pairs" in sys.argv
    ways = {
        "trained on other pairs" if is_by_pairs else "trained on other clusters": unseen(
            columns, (left, right), labels, clusters, is_by_pairs
        ),
        "shipped model": model.scores(columns, left, right, model.Settings()),
        "paper": jaccard.scores(columns, left, right, jaccard.Settings()),
    }
    for name, scores in ways.items():
        report(f"{name}, all true pairs", scores, labels, true, (0.9, 0.5))
        report(f"{name}, those proposed", scores, labels, int(labels.sum()), (0.9, 0.5))


def unseen(
    columns: FeatureColumns,
    pairs: Pairs,
    labels: npt.NDArray[np.bool_],
    clusters: npt.NDArray[np.int64],
    is_by_pairs: bool,
) -> npt.NDArray[np.float64]:
    """The probability of each pair by trees that saw neither of its clusters, or just not the pair itself."""
    found = similarities(columns, *pairs, Rarity.from_weights(train._weights(columns), 1.0))
    if is_by_pairs:
        folds = np.random.default_rng(SEED).integers(FOLDS, size=len(labels))
        sides = folds, folds
    else:
        dealt = dealt_folds(clusters)
        sides = dealt[pairs[0]], dealt[pairs[1]]
    logits = np.zeros(len(labels))
    weights = np.ones(len(labels))
    for one, other in combinations_with_replacement(range(FOLDS), 2):
        is_left_out = (np.minimum(*sides) == one) & (np.maximum(*sides) == other)
        if is_left_out.any():
            seen = ~np.isin(sides[0], (one, other)) & ~np.isin(sides[1], (one, other))
            ensemble = train.fitted(found[seen], labels[seen].astype(np.int8), weights[seen], SEED)
            logits[is_left_out] = ensemble.logits(found[is_left_out])
    return 1 / (1 + np.exp(-logits))


def report(
    label: str, scores: npt.NDArray[np.float64], labels: npt.NDArray[np.bool_], true: int, thresholds: Iterable[float]
) -> None:
    """Print F1 at the best threshold, and precision, recall and F1 at some."""
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


def dealt_folds(clusters: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The fold of each record: clusters by falling size, each to the fold that holds the fewest true pairs."""
    names, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    folds, loads = np.zeros(len(names), np.int64), np.zeros(FOLDS)
    for cluster in np.argsort(-sizes, kind="stable"):
        folds[cluster] = np.argmin(loads)
        loads[folds[cluster]] += sizes[cluster] ** 2
    return folds[places]


def candidates(columns: FeatureColumns) -> Pairs:
    return unpack_pairs(candidate_pairs(columns, MethodOptions(block=("composite",))))


def true_clusters(path: Path, records: int) -> npt.NDArray[np.int64]:
    """Return the number of the cluster of each record."""
    with path.open(encoding="utf-8", newline="") as lines:
        pairs = [(int(one), int(other)) for one, other in csv.reader(lines, delimiter="|")]
    return np.array(train._components(pairs, records))


def citations(path: Path) -> list[Features]:
    """Citations as features; the venue stands for the series, and the first page for the number of pages."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [citation(row) for row in csv.DictReader(lines, delimiter="|")]


def citation(row: dict[str, str]) -> Features:
    names = people(row["author"])
    when = next(filter(None, (year(row[column]) for column in DATED)), 0)
    page = re.search(r"\d{1,5}", row["pages"])
    volume = re.search(r"\d+", row["volume"])
    return Features(
        title=fold(row["title"]),
        author=fold(names[0]) if names else "",
        main_title=romanise(row["title"]),
        names=VALUE_SEPARATOR.join(romanise(name) for name in names),
        publisher=romanise(row["publisher"] or row["institution"]),
        place=romanise(row["address"]),
        series=romanise(row["venue"]),
        series_number=volume[0] if volume else "",
        language="eng",
        carrier="print",
        level="a",
        year=when,
        last_year=when,
        pages=int(page[0]) if page else 0,
    )


def people(text: str) -> list[str]:
    """The names of a list, family name first, whichever way the list has them."""
    found: list[tuple[str, str]] = []
    for part in map(str.strip, _BETWEEN_NAMES.split(text)):
        if _NO_NAME.fullmatch(part):
            continue
        if _INITIALS.fullmatch(part) and found and not found[-1][1]:
            found[-1] = found[-1][0], part
            continue
        *given, last = part.replace(".", " ").split()
        if len(last) == 1 and given:
            found.append((given[0], " ".join((*given[1:], last))))
        else:
            found.append((last, " ".join(given)))
    keys = (person_key(", ".join(filter(None, name))) for name in found)
    return [key for key in keys if key]


if __name__ == "__main__":
    main()
