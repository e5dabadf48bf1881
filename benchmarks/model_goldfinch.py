"""How well the model does on the labelled pairs of goldfinch: five folds, each cluster (CID) on one side only, beside
the paper's score and the published predictions of a neural model on the same pairs. `--disputed` lists the pairs that
the model is sure of against their labels. Then the speed of the shipped model."""

import csv
import gzip
import json
import re
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
from _measure import RUSMARC, SEED, real_data, seconds

from bibld import crosswalk
from bibld.dedup import train
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.score import jaccard, model
from bibld.dedup.similarity.pairs import similarities
from bibld.dedup.similarity.rows import Rarity
from bibld.errors import CrosswalkError
from bibld.model.linkage import Pair
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

SURE = 0.97


def main() -> None:
    folder = real_data() / "gold" / "goldfinch"
    records, clusters = loaded(folder / "val_records.json.gz")
    labelled, neural = labelled_pairs(folder)
    rusmarc = [converted(real_data() / "rusmarc" / name) for name in RUSMARC]
    varied = train.interleave([list(records.values()), *rusmarc], SEED)
    given = train.make_examples(records, labelled, varied, SEED)
    given = by_cluster(given, labelled, clusters)
    real = given.is_labelled
    rarity = Rarity.from_weights(train._weights(given.columns), 1.0)
    found = similarities(given.columns, given.left, given.right, rarity)
    logits = train.cross_validate(found, given, SEED)[real]
    scale, shift = train.calibrated(logits, given.labels[real], given.weights[real])
    probabilities = 1 / (1 + np.exp(-(scale * logits + shift)))
    labels = given.labels[real]
    left, right = given.left[real], given.right[real]
    print(f"goldfinch: {len(labels)} pairs, {labels.sum()} true, clusters on one side of five folds")
    report("model", probabilities, labels, (0.5, 0.9))
    report("paper", jaccard.scores(given.columns, left, right, jaccard.Settings()), labels, (0.8, 0.67))
    report("neural model, as published", np.array(neural), labels, (0.5,))
    if "--disputed" in sys.argv:
        disputed(labelled, probabilities, labels, given)
    speed(given)


def report(name: str, scores: np.ndarray, labels: np.ndarray, thresholds: tuple[float, ...]) -> None:
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    precision, recall = hits / np.arange(1, len(order) + 1), hits / labels.sum()
    automatic = recall[precision >= 0.995].max(initial=0)
    parts = [f"best F1 {(2 * precision * recall / (precision + recall)).max():.4f}"]
    for threshold in thresholds:
        predicted = scores >= threshold
        right = (predicted & (labels == 1)).sum()
        parts.append(
            f"at {threshold}: P {right / predicted.sum():.4f} R {right / labels.sum():.4f} "
            f"F1 {2 * right / (predicted.sum() + labels.sum()):.4f}"
        )
    print(f"  {name}: " + "; ".join(parts) + f"; recall at precision 0.995: {automatic:.4f}")


def disputed(
    labelled: list[LabelledPair], probabilities: np.ndarray, labels: np.ndarray, given: train.Examples
) -> None:
    """Print pairs whose label differs from a sure score of a model that was not trained on them."""
    for number in np.argsort(-np.abs(probabilities - labels), kind="stable"):
        if abs(probabilities[number] - labels[number]) < SURE:
            break
        left, right = (item.control_number for item in (labelled[number].pair.left, labelled[number].pair.right))
        print(f"  label {labels[number]}, model {probabilities[number]:.3f}: {left} {right}")
        for row in (int(given.left[number]), int(given.right[number])):
            one = given.columns.features(row)
            imprint = f"{one.place}: {one.publisher}, {one.year}; {one.pages} p."
            print(f"    {one.title} / {one.author}; {one.edition_text}; {imprint}")


def speed(given: train.Examples) -> None:
    repeated = np.tile(given.left, 5), np.tile(given.right, 5)
    settings = model.Settings()
    model.scores(given.columns, *repeated, settings)
    took = seconds(lambda: model.scores(given.columns, *repeated, settings))
    paper = seconds(lambda: jaccard.scores(given.columns, *repeated, jaccard.Settings()))
    pairs = len(repeated[0])
    rows = len(np.unique(repeated))
    print(
        f"speed: {pairs / took:,.0f} pairs/s ({took / pairs * 1e6:.2f} µs a pair) on one core, {pairs / rows:.1f} pairs"
        f" for each row; {paper / took:.2f} x the paper's score ({pairs / paper:,.0f})"
    )
    explained = given.left[:10_000], given.right[:10_000]
    explained_in = seconds(lambda: sum(1 for _ in model.explain(given.columns, *explained, settings)), 1)
    print(f"explained: {explained_in / len(explained[0]) * 1e6:.0f} µs a pair")


def loaded(path: Path) -> tuple[dict[RecordId, Mods], dict[str, str]]:
    records: dict[RecordId, Mods] = {}
    clusters: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record, cluster = parsed(json.loads(line))
            name = record.control_number or ""
            clusters[name] = cluster
            records.setdefault(RecordId("goldfinch", name), crosswalk.convert(record, "marc21")[1].mods)
    return records, clusters


def converted(path: Path) -> list[Mods]:
    """The records of a file that describe publications."""
    file = HarvestedFile("file", path.name, path)
    examined = examine(file)
    found = []
    for raw in read(file, examined):
        if isinstance(raw, Raw):
            with suppress(CrosswalkError):
                found.append(crosswalk.convert(examined.carrier.parse(raw).record)[1].mods)
    return found


def parsed(data: dict) -> tuple[MarcRecord, str]:
    fields, cluster = [], ""
    for field in data["fields"]:
        ((tag, value),) = field.items()
        if isinstance(value, str):
            fields.append(ControlField(tag, value))
            continue
        subfields = tuple(Subfield(code, text) for subfield in value["subfields"] for code, text in subfield.items())
        if tag == "CID":
            cluster = subfields[0].value
        else:
            fields.append(DataField(tag, value["ind1"], value["ind2"], subfields))
    return MarcRecord(Origin("goldfinch", "val_records", 0, 0), Leader(data["leader"]), tuple(fields)), cluster


def labelled_pairs(folder: Path) -> tuple[list[LabelledPair], list[float]]:
    predicted = {}
    with (folder / "cdl_model_predictions_val.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            predicted[frozenset((row["id1"], row["id2"]))] = float(row["prediction"])
    labelled, neural = [], []
    with (folder / "val_labels.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            pair = Pair.from_records(RecordId("goldfinch", row["id1"]), RecordId("goldfinch", row["id2"]))
            labelled.append(LabelledPair(pair, row["label"] == "1", ""))
            neural.append(predicted[frozenset((row["id1"], row["id2"]))])
    return labelled, neural


def by_cluster(given: train.Examples, labelled: list[LabelledPair], clusters: dict[str, str]) -> train.Examples:
    """The same examples with groups that no cluster straddles; made-up pairs keep separate groups."""
    import msgspec

    names = {name: number for number, name in enumerate(dict.fromkeys(clusters.values()))}
    pairs = [
        (names[clusters[item.pair.left.control_number]], names[clusters[item.pair.right.control_number]])
        for item in labelled
    ]
    tops = train._components(pairs, len(names))
    groups = given.groups + len(names)
    groups[: len(labelled)] = [tops[left] for left, _ in pairs]
    return msgspec.structs.replace(given, groups=groups)


def write_live(records: Path, out: Path) -> None:
    """Copy records; the one that its library has deleted (leader/05) is in a labelled pair, so it becomes a corrected
    one."""
    with gzip.open(records, "rt", encoding="utf-8") as lines:
        out.write_text(re.sub(r'(?m)^(\{"leader": "\d{5})d', r"\1c", lines.read()), encoding="utf-8")


if __name__ == "__main__":
    main()
