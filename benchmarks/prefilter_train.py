"""Train the trees of the pre-filter again: `python benchmarks/prefilter_train.py`, with BIBLD_TEST_DATA set.

They learn from all pairs that the default blockers bring together and the rules of the pre-filter let through, among
the records of goldfinch, of all MARC 21 and RUSMARC files, and of a synthetic catalogue: which of them the shipped
model scores 0.2 or more. Measured by two halves, each by trees that saw the other, and on data that no trees see: the
sample, DBLP-ACM, Cora, and another synthetic catalogue. Must be run again when model.json changes; takes some minutes.
"""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
from _measure import candidate_pairs, real_config, real_data, run
from blocking import cora, dblp_acm, goldfinch, sample
from sklearn.ensemble import HistGradientBoostingClassifier
from synthetic import Catalogue

from bibld.catalog import Catalog
from bibld.dedup import prefilter
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.features import features_of
from bibld.dedup.method import MethodOptions
from bibld.dedup.score import model
from bibld.model.features import FeatureColumns

OUT = Path(prefilter.__file__).with_name("prefilter.json")
DAY = datetime(2026, 11, 20, tzinfo=UTC)
RECORDS = 200_000
ROUNDS, LEAVES, RATE, WEIGHT, SEED = 40, 16, 0.2, 5.0, 7
LEAST = 0.01
COUNTS = 0.2


class Training(MethodOptions, frozen=True):
    """The rules of the pre-filter without its trees, which serve the shipped model alone."""

    def settings(self, stage: str, name: str) -> object:
        return model.Settings(file="another") if stage == "dedup.score" else super().settings(stage, name)


class Pairs(msgspec.Struct, frozen=True, eq=False):
    """Pairs that met: what the trees see of each, whether they are one work, and the score."""

    features: np.ndarray
    is_work: np.ndarray
    scores: np.ndarray


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    gold = real_data() / "gold"
    seen = {"goldfinch": met(columns_of(goldfinch(gold)[0])), "real files": met(real_records())}
    seen["synthetic"] = met(synthetic(seed=2))
    unseen = {"sample": met(sample()[0]), "DBLP-ACM": met(columns_of(dblp_acm(gold)[0]))}
    unseen |= {"Cora": met(columns_of(cora(gold)[0])), "synthetic, another": met(synthetic(seed=1))}
    halves = {name: np.random.default_rng(SEED).integers(0, 2, len(pairs.scores)) for name, pairs in seen.items()}
    first, second = (
        fitted([pairs_where(pairs, halves[name] == half) for name, pairs in seen.items()]) for half in (0, 1)
    )
    made = fitted(list(seen.values()))
    figures = {name: tested(pairs, made) for name, pairs in unseen.items()}
    for name, pairs in seen.items():
        results = [tested(pairs_where(pairs, halves[name] == half), other) for half, other in ((0, second), (1, first))]
        figures[name] = tuple(map(sum, zip(*results, strict=True)))
    for name, (pairs, passing, counting, lost) in figures.items():
        print(f"{name}: of {pairs:,} pairs {passing:,} pass; of {counting:,} that count {lost} are lost")
    results = [{name: figures[name][column] for name in sorted(figures)} for column in range(4)]
    about = prefilter.PrefilterProvenance(
        "pairs that met among the records of goldfinch (HathiTrust, CC0), MARC 21 and RUSMARC files, and a synthetic"
        " catalogue; the sample, DBLP-ACM, Cora and another synthetic catalogue were not seen",
        DAY.strftime("%Y-%m-%d"),
        "python benchmarks/prefilter_train.py",
        *results,
    )
    out.write_bytes(msgspec.json.format(msgspec.json.encode(stated(made, about)), indent=0) + b"\n")


def columns_of(rows: list) -> FeatureColumns:
    return FeatureColumns.from_features(enumerate(rows))


def real_records() -> FeatureColumns:
    """All MARC 21 and RUSMARC files."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = run(real_config(real_data(), Path(folder)), until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            return FeatureColumns.from_features(
                (ordinal, features_of(mods)) for ordinal, _, mods in catalog.records.live()
            )


def synthetic(seed: int) -> FeatureColumns:
    return Catalogue(RECORDS, seed).chunk(0, RECORDS).columns


def met(columns: FeatureColumns) -> Pairs:
    """The pairs that the default blockers bring together and the rules let through."""
    left, right = unpack_pairs(candidate_pairs(columns, Training()))
    row_signatures = prefilter.signatures(columns)
    features = prefilter.described(row_signatures, left.astype(np.int64), right.astype(np.int64))
    low = np.uint64(0xFFFFFFFF)
    is_work = (row_signatures[left, 3] & low == row_signatures[right, 3] & low) & (row_signatures[left, 3] & low != 0)
    return Pairs(features, is_work, model.scores(columns, left, right, model.Settings()))


def pairs_where(pairs: Pairs, chosen: np.ndarray) -> Pairs:
    return Pairs(pairs.features[chosen], pairs.is_work[chosen], pairs.scores[chosen])


def fitted(many: list[Pairs]) -> prefilter.PrefilterModel:
    """Trees that learn from all pairs that are not one work (those pass anyhow)."""
    features = np.concatenate([pairs.features[~pairs.is_work] for pairs in many])
    labels = np.concatenate([pairs.scores[~pairs.is_work] >= COUNTS for pairs in many])
    learner = HistGradientBoostingClassifier(
        max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, min_samples_leaf=20, random_state=SEED,
        early_stopping=False,
    )  # fmt: skip
    learner.fit(features, labels, sample_weight=np.where(labels, WEIGHT, 1.0))
    roots, nodes = [], []
    for (predictor,) in learner._predictors:
        base = len(nodes)
        roots.append(base)
        for node in predictor.nodes:
            is_leaf = bool(node["is_leaf"])
            nodes.append(
                (-1, 0, 0, 0, round(float(node["value"]), 5)) if is_leaf
                else (
                    int(node["feature_idx"]), int(np.floor(node["num_threshold"])),
                    base + int(node["left"]), base + int(node["right"]), 0.0,
                )
            )  # fmt: skip
    columns = [list(column) for column in zip(*nodes, strict=True)]
    start = float(learner._baseline_prediction.ravel()[0])
    least = float(np.log(LEAST / (1 - LEAST)))
    nothing = prefilter.PrefilterProvenance("", "", "", {}, {}, {}, {})
    return prefilter.PrefilterModel(nothing, prefilter.FEATURES, round(start, 5), round(least, 5), roots, *columns)


def tested(pairs: Pairs, made: prefilter.PrefilterModel) -> tuple[int, int, int, int]:
    """Pairs, those that pass, those that count, those of them that are lost."""
    passes = pairs.is_work | prefilter.reach(pairs.features, prefilter.trees_of(made))
    counts = pairs.scores >= COUNTS
    return len(passes), int(passes.sum()), int(counts.sum()), int((counts & ~passes).sum())


def stated(made: prefilter.PrefilterModel, about: prefilter.PrefilterProvenance) -> prefilter.PrefilterModel:
    return msgspec.structs.replace(made, provenance=about)


if __name__ == "__main__":
    main()
