"""How well the configured matching does on the judged pairs of the sample: a baseline for later methods."""

import shutil
import tempfile
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from bibld import config, pipeline, progress, resources
from bibld.catalog import Catalog
from bibld.dedup import evaluate


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(resources.folder("sample_data"), Path(folder) / "sample")
        loaded = config.load(Path(folder) / "sample" / "bibld.toml")
        pipeline.run(loaded, datetime.now(UTC), progress.Silent(), until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            labelled = evaluate.read_pairs(loaded.folder / "gold_pairs.csv", catalog)
            methods = (("model", loaded), ("paper", loaded.matching(("paper",), "jaccard")))
            for (name, method), mode in product(methods, ("full", "pairs")):
                found = evaluate.evaluate(catalog, method, labelled, mode, progress.Silent())
                print(
                    f"{name}, {mode}: P {found.precision:.3f} R {found.recall:.3f} F1 {found.f1:.3f}, candidate recall "
                    f"{found.candidate_recall:.3f} at {found.candidates_per_record:.2f} candidates per record"
                )


if __name__ == "__main__":
    main()
