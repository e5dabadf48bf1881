"""Measure blocking, scoring and clustering of all goldfinch records (HathiTrust, CC0) against the pairs that share a
cluster id, and the paper's method for comparison.

No pair is scored by trees that were trained on the cluster of either record: connected clusters and labelled pairs are
in one of five folds, and for each two folds there is a model that was trained without both. (Made-up negative pairs may
borrow a title from any record.) Then the threshold above which pairs can be merged without asking. `--disputed` lists
the labelled pairs that the models are sure of against their labels. Takes ten minutes of one core; needs scikit-learn.
"""

import gzip
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from unittest.mock import patch

import msgspec
import numpy as np
import numpy.typing as npt
from _measure import RUSMARC, SEED, real_data, run, source_table, write_config
from model_goldfinch import converted, labelled_pairs, parsed, write_live
from rusmarc_merges import described

from bibld import crosswalk, progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup import evaluate, train
from bibld.dedup.evaluate import Evaluation, Mode
from bibld.dedup.features import features_of
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.score import model
from bibld.dedup.similarity.pairs import similarities
from bibld.dedup.similarity.rows import Rarity
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Pair, Score
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.protocols import adapters

FOLDS = 5
EVERY = ("edition", "year", "carrier", "language")
ASKED = (EVERY, ("edition", "year", "language"), ("edition", "carrier", "language"), ())
LEAST = 0.5
SURE = 0.95
PRECISION = 0.995
Ends = npt.NDArray[np.uint32]


class Gold(msgspec.Struct, frozen=True, eq=False):
    """The records, and the fold of each; ``true`` pairs share a cluster id, ``labelled`` ones were labelled one by
    one."""

    mods: dict[RecordId, Mods]
    folds: dict[RecordId, int]
    true: list[LabelledPair]
    labelled: list[LabelledPair]


class Folded:
    """A scorer that scores each pair by a model that was trained without the folds of both records."""

    Settings = model.Settings

    def __init__(self, gold: Gold) -> None:
        rusmarc = [converted(real_data() / "rusmarc" / name) for name in RUSMARC]
        varied = train.interleave([list(gold.mods.values()), *rusmarc], SEED)
        self._given = train.make_examples(gold.mods, gold.labelled, varied, SEED)
        self._rarity = Rarity.from_weights(train._weights(self._given.columns), 1.0)
        self._found = similarities(self._given.columns, self._given.left, self._given.right, self._rarity)
        fold_of = {id(mods): gold.folds[record] for record, mods in gold.mods.items()}
        varied_of = self._given.groups[len(gold.labelled) :] - len(gold.mods)
        made_of = [fold_of.get(id(varied[number]), -1) for number in varied_of]
        self._folds = np.array([*(gold.folds[item.pair.left] for item in gold.labelled), *made_of])
        self._trees = {(fold, fold): self._fitted(fold) for fold in range(FOLDS)}
        self._trees |= {folds: self._fitted(*folds) for folds in combinations(range(FOLDS), 2)}
        logits = np.zeros(len(self._folds))
        for fold in range(FOLDS):
            in_fold = self._folds == fold
            logits[in_fold] = self._trees[fold, fold].logits(self._found[in_fold])
        self._calibrations = {folds: self._calibrated(logits, *folds) for folds in self._trees}
        self.of_ordinals: dict[int, int] = {}

    def scores(self, columns: FeatureColumns, left: Ends, right: Ends, settings: object) -> npt.NDArray[np.float32]:
        """The probabilities of pairs of rows."""
        folds_of_rows = np.array([self.of_ordinals[ordinal] for ordinal in columns.ordinals.tolist()], np.int64)
        ends = np.sort(np.stack((folds_of_rows[left], folds_of_rows[right])), axis=0)
        found = similarities(columns, left, right, self._rarity)
        result = np.zeros(len(left))
        for folds in combinations_with_replacement(range(FOLDS), 2):
            chosen = (ends[0] == folds[0]) & (ends[1] == folds[1])
            if chosen.any():
                scale, shift = self._calibrations[folds]
                logits = self._trees[folds].logits(found[chosen])
                result[chosen] = 1 / (1 + np.exp(-(scale * logits + shift)))
        return result.astype(np.float32)

    def explain(self, columns: FeatureColumns, left: Ends, right: Ends, settings: object) -> Iterator[Score]:
        """The probabilities of pairs of rows."""
        for value in self.scores(columns, left, right, settings).tolist():
            yield Score(round(float(value), 6))

    def _fitted(self, *without: int) -> object:
        seen = ~np.isin(self._folds, without)
        return train.fitted(self._found[seen], self._given.labels[seen], self._given.weights[seen], SEED)

    def _calibrated(self, logits: npt.NDArray[np.float64], *without: int) -> tuple[float, float]:
        seen = ~np.isin(self._folds, without) & self._given.is_labelled
        return train.calibrated(logits[seen], self._given.labels[seen], self._given.weights[seen])


# -- the records -------------------------------------------------------------------------------------------------------


def gold_of(folder: Path) -> Gold:
    """The records of the validation split, each id once (the last one)."""
    mods: dict[RecordId, Mods] = {}
    clusters: dict[RecordId, str] = {}
    with gzip.open(folder / "val_records.json.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record, cluster = parsed(json.loads(line))
            name = RecordId("goldfinch", record.control_number or "")
            clusters[name], mods[name] = cluster, crosswalk.convert(record, "marc21")[1].mods
    members = defaultdict(list)
    for name in mods:
        members[clusters[name]].append(name)
    pairs = sorted(Pair.from_records(*pair) for in_fold in members.values() for pair in combinations(in_fold, 2))
    labelled, _ = labelled_pairs(folder)
    folds = folds_of(list(mods), [*pairs, *(item.pair for item in labelled)])
    return Gold(mods, folds, [LabelledPair(pair, True, "") for pair in pairs], labelled)


def folds_of(records: Sequence[RecordId], pairs: Iterable[Pair]) -> dict[RecordId, int]:
    """The fold of each record: what pairs hold together has one, and folds fill evenly, the largest groups first."""
    rows = {record: row for row, record in enumerate(records)}
    tops = train._components([(rows[pair.left], rows[pair.right]) for pair in pairs], len(rows))
    groups = defaultdict(list)
    for record, top in zip(records, tops, strict=True):
        groups[top].append(record)
    filled = [0] * FOLDS
    folds: dict[RecordId, int] = {}
    for group in sorted(groups.values(), key=lambda one: (-len(one), one[0])):
        fold = filled.index(min(filled))
        filled[fold] += len(group)
        folds |= dict.fromkeys(group, fold)
    return folds


def loaded_into(place: Path, folder: Path) -> Config:
    """The default configuration, with goldfinch loaded; one cluster may hold several of its records."""
    write_live(folder / "val_records.json.gz", place / "goldfinch.json")
    return run(write_config(place, source_table("goldfinch", "goldfinch.json", duplicates=True)), until="read")


# -- end to end --------------------------------------------------------------------------------------------------------


class Measures:
    """Evaluates methods on the records of the catalog; the method ``folded`` is that of the folds."""

    def __init__(self, catalog: Catalog, method: Config, gold: Gold, folded: Folded) -> None:
        self._catalog = catalog
        self.default = method
        self.gold = gold
        self.scorer = folded
        self.folded = with_dedup(method, score="folded")
        folded.of_ordinals = {catalog.register.ordinal(record): fold for record, fold in gold.folds.items()}

    def found(self, method: Config, mode: Mode, is_swept: bool = False) -> Evaluation:
        """Against all true pairs (``full``), or on the labelled pairs (``pairs``)."""
        pairs = self.gold.true if mode == "full" else self.gold.labelled
        find = adapters.load_adapter
        offered = {("dedup.score", "folded"): self.scorer}
        with patch.object(
            adapters, "load_adapter", lambda stage, name: offered.get((stage, name)) or find(stage, name)
        ):
            measures = evaluate.Measures(sweep=is_swept)
            return evaluate.evaluate(self._catalog, method, pairs, mode, progress.Silent(), measures)

    def columns(self) -> tuple[FeatureColumns, Ends, Ends]:
        """The features of all records, and the rows of the labelled pairs."""
        ordinals = {record: self._catalog.register.ordinal(record) or 0 for record in self.gold.mods}
        ordered = sorted(self.gold.mods, key=ordinals.__getitem__)
        rows = {record: row for row, record in enumerate(ordered)}
        columns = FeatureColumns.from_features((ordinals[name], features_of(self.gold.mods[name])) for name in ordered)
        left, right = (
            np.array([rows[getattr(item.pair, side)] for item in self.gold.labelled], np.uint32)
            for side in ("left", "right")
        )
        return columns, left, right


def with_dedup(method: Config, **changes: object) -> Config:
    return msgspec.structs.replace(method, dedup=msgspec.structs.replace(method.dedup, **changes))


def report(name: str, found: Evaluation) -> None:
    print(
        f"  {name}: P {found.precision:.4f} R {found.recall:.4f} F1 {found.f1:.4f}; candidate recall "
        f"{found.candidate_recall:.4f} at {found.candidates_per_record:.3f} candidates per record; for review "
        f"{found.review:,}, {found.review_true:,} of them true"
    )
    print(f"    true pairs lost: {', '.join(f'{one.by} ({one.step}) {len(one.pairs)}' for one in found.losses)}")


def sweep(measures: Measures) -> None:
    """F1 of clusters by threshold and by which exceptions are asked for."""
    print("  F1 (precision, recall) after clustering, by the exceptions that are asked for, and by `same`:")
    best = (0.0, "")
    for asked in ASKED:
        print(f"    {', '.join(asked) or 'none'}")
        for point in measures.found(with_dedup(measures.folded, exceptions=asked), "full", is_swept=True).sweep:
            if point.threshold >= LEAST:
                print(f"      {point.threshold:.3f}: {point.f1:.4f} ({point.precision:.4f}, {point.recall:.4f})")
                best = max(best, (point.f1, f"same = {point.threshold}, exceptions = {list(asked)}"))
    print(f"  best F1 {best[0]:.4f} at {best[1]}")


# -- pairs -------------------------------------------------------------------------------------------------------------


def tier(measures: Measures, is_listed: bool) -> None:
    """The threshold from which on pairs can be merged without asking, and the disputed labels."""
    labels = np.array([item.is_duplicate for item in measures.gold.labelled])
    scores = measures.scorer.scores(*measures.columns(), None).astype(np.float64)
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    are_last = np.append(np.diff(scores[order]) < 0, True)
    precise = np.flatnonzero((hits / np.arange(1, len(order) + 1) >= PRECISION) & are_last)
    print(f"labelled pairs: {len(labels):,}, {labels.sum():,} of them duplicates")
    if len(precise):
        last = precise[-1]
        precision, recall = hits[last] / (last + 1), hits[last] / labels.sum()
        print(f"  by score alone: precision {precision:.4f} at recall {recall:.4f} from {scores[order[last]]:.4f} on")
    for name, asked in (("all exceptions", EVERY), ("all but carrier", ("edition", "year", "language"))):
        points = measures.found(with_dedup(measures.folded, exceptions=asked), "pairs", is_swept=True).sweep
        shares = (
            f"{one.threshold}: P {one.precision:.4f} R {one.recall:.4f}" for one in points if one.threshold >= LEAST
        )
        print(f"  verdict same, {name}: {'; '.join(shares)}")
    wrong = np.where(labels, scores <= 1 - SURE, scores >= SURE)
    surely, hardly = (wrong & ~labels).sum(), (wrong & labels).sum()
    print(f"  disputed: {surely} not duplicates at {SURE} or above, {hardly} duplicates at {1 - SURE:.2f} or below")
    if is_listed:
        disputed(measures.gold, scores, np.flatnonzero(wrong))


def disputed(gold: Gold, scores: npt.NDArray[np.float64], numbers: Iterable[int]) -> None:
    """Both descriptions of each disputed pair, one under the other, the surest first."""
    for number in sorted(numbers, key=lambda one: (gold.labelled[one].is_duplicate, -abs(scores[one] - 0.5))):
        item = gold.labelled[number]
        label = "duplicate" if item.is_duplicate else "not duplicate"
        print(f"\nlabelled {label}, score {scores[number]:.4f}")
        for record in (item.pair.left, item.pair.right):
            print(f"  {described(record, features_of(gold.mods[record]))}")


def main() -> None:
    folder = real_data() / "gold" / "goldfinch"
    gold = gold_of(folder)
    folded = Folded(gold)
    print(f"goldfinch: {len(gold.mods):,} records, {len(gold.true):,} true pairs")
    with tempfile.TemporaryDirectory() as place:
        method = loaded_into(Path(place), folder)
        with Catalog(method.workspace, read_only=True) as catalog:
            measures = Measures(catalog, method, gold, folded)
            report("model, each pair by one that saw neither cluster", measures.found(measures.folded, "full"))
            report("model as shipped, which saw some of these clusters", measures.found(method, "full"))
            report("paper", measures.found(method.with_dedup(("paper",), "jaccard"), "full"))
            sweep(measures)
            tier(measures, "--disputed" in sys.argv)


if __name__ == "__main__":
    main()
