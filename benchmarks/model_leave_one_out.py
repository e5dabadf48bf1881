"""How well the model does on labelled pairs that it was not trained on: in five folds, and each set left out in turn.

The sets are those of `model_train.py`, both halves. Pairs that records connect are in one fold. Scores are calibrated
as those of the shipped model; exceptions count as in a run. Prints precision, recall, F1, and the share of all pairs
that is joined wrongly and that is missed, as published figures for HathiTrust do. Takes eight minutes.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _measure import SEED
from model_train import Label, load_training

from bibld.catalog import Catalog
from bibld.config import load
from bibld.dedup import train
from bibld.dedup.exceptions import Effect, find_exceptions, in_force, with_effect
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.score import model
from bibld.dedup.similarity.pairs import similarities
from bibld.dedup.similarity.rows import Rarity
from bibld.dedup.trees import Model
from bibld.model.linkage import Pair
from bibld.model.mods import Mods
from bibld.model.origin import RecordId

HEADER = "\n{:14}   pairs    true       P       R      F1  % wrong % missed"
Flags = npt.NDArray[Any]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        config, labels, varied = load_training(Path(name))
        method = load(config)
        with Catalog(method.workspace, read_only=True) as catalog:
            given = examples(catalog, labels, varied)
    shipped = model._load("").model
    words = Rarity.from_weights(train._weights(given.columns), 1.0)
    found = similarities(given.columns, given.left, given.right, words)
    separating = with_effect(Effect.SEPARATE)
    barred = find_exceptions(given.columns, given.left, given.right) & np.uint16(
        in_force(method.dedup.exceptions) & ~separating
    )
    origins = np.array([one.origin for one in labels] + ["made up"] * given.made_up)
    scores = probabilities(train.cross_validate(found, given, SEED), shipped)
    print(HEADER.format("five folds"))
    for origin in dict.fromkeys(one.origin for one in labels):
        print_rates(origin, scores, given.labels, barred, origins == origin)
    print(HEADER.format("left out"))
    for origin in dict.fromkeys(one.origin for one in labels):
        # Hard and Western pairs share records.
        out = np.isin(origins, ("hard", "western") if origin in ("hard", "western") else (origin,))
        ensemble = train.fitted(found[~out], given.labels[~out], given.weights[~out], SEED)
        print_rates(origin, probabilities(ensemble.logits(found), shipped), given.labels, barred, origins == origin)


def probabilities(logits: train.Logits, calibrated: Model) -> train.Logits:
    result: train.Logits = 1 / (1 + np.exp(-(logits * calibrated.scale + calibrated.shift)))
    return result


def print_rates(origin: str, scores: train.Logits, labels: train.Labels, barred: Flags, chosen: Flags) -> None:
    is_joined = (scores[chosen] >= model.Settings().same) & (barred[chosen] == 0)
    is_true = labels[chosen] == 1
    right, wrong, missed = (is_joined & is_true).sum(), (is_joined & ~is_true).sum(), (~is_joined & is_true).sum()
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    rates = f"{precision:>8.3f}{recall:>8.3f}{2 * right / max(1, 2 * right + wrong + missed):>8.3f}"
    shares = f"{100 * wrong / chosen.sum():>9.2f}{100 * missed / chosen.sum():>9.2f}"
    print(f"{origin:14}{chosen.sum():>8}{is_true.sum():>8}{rates}{shares}", flush=True)


def examples(catalog: Catalog, labels: list[Label], varied: list[str]) -> train.Examples:
    """Return the labelled pairs and those that are made up as training sees them."""
    records: dict[RecordId, Mods] = {}
    sources: dict[str, list[Mods]] = {source: [] for source in sorted(varied)}
    for ordinal, _, mods in catalog.records.live():
        record = catalog.register.record(ordinal)
        records[record] = mods
        if record.source in sources:
            sources[record.source].append(mods)
    ids = {str(record): record for record in records} | {
        record.control_number: record for record in records if record.source == "goldfinch"
    }
    pairs = [
        LabelledPair(Pair.from_records(ids[one.left], ids[one.right]), one.is_duplicate, "", one.weight)
        for one in labels
    ]
    wanted = {record for one in pairs for record in (one.pair.left, one.pair.right)}
    chosen = {record: mods for record, mods in records.items() if record in wanted}
    return train.make_examples(chosen, pairs, train.interleave(list(sources.values()), SEED), SEED)


if __name__ == "__main__":
    main()
