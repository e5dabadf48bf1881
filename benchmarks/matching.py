"""How well the default matching and the paper's method do on the labelled pairs of the sample, on which neither was
trained; and which true pairs each loses in which step. `--lost` also shows the records of the paper's lost pairs."""

import sys
import tempfile
from itertools import product
from pathlib import Path

from _measure import run_sample
from rusmarc_merges import described

from bibld import progress
from bibld.catalog import Catalog
from bibld.dedup import evaluate
from bibld.dedup.evaluate import Loss
from bibld.dedup.features import features_of
from bibld.dedup.pair_files import read_pairs
from bibld.model.origin import RecordId


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = run_sample(Path(folder) / "sample", until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            labelled = read_pairs(loaded.folder / "gold_pairs.csv", catalog)
            methods = (("model", loaded), ("paper", loaded.with_dedup(("paper",), "jaccard")))
            for (name, method), mode in product(methods, ("full", "pairs")):
                found = evaluate.evaluate(catalog, method, labelled, mode, progress.Silent())
                print(
                    f"{name}, {mode}: P {found.precision:.3f} R {found.recall:.3f} F1 {found.f1:.3f}, candidate recall "
                    f"{found.candidate_recall:.3f} at {found.candidates_per_record:.2f} candidates per record"
                )
                for loss in found.losses:
                    print(f"  lost by {loss.by} ({loss.step}): {len(loss.pairs)}")
                    if mode == "full" and (name == "model" or "--lost" in sys.argv):
                        show(loss, catalog)


def show(loss: Loss, catalog: Catalog) -> None:
    for pair in loss.pairs:
        for record in (catalog.record(RecordId.parse(name)) for name in pair):
            print(f"    {described(record.id, features_of(record.mods))}")
        print()


if __name__ == "__main__":
    main()
