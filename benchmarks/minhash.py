"""MinHash: the share of pairs that are found, by resemblance, beside the S-curve; time for a record.

`python benchmarks/minhash.py` makes pairs of texts of known resemblance (the Jaccard similarity of their words) and
counts those that share a band. Exit code 1 if a share is more than 0.02 from the S-curve.
"""

import argparse
import time

import numpy as np

from bibld.dedup.block import minhash
from bibld.model.features import FeatureColumns, Features, Statistics

LENGTH = 60
"""Words of each text."""

LARGEST_DIFFERENCE = 0.02
CHOICES = (
    {"bands": 20, "rows": 5},
    {"bands": 32, "rows": 4},
    {"bands": 16, "rows": 2},
    {"similarity": 0.45},
    {"similarity": 0.8},
)


def pairs_of(resemblance: float, pairs: int, rng: np.random.Generator) -> tuple[FeatureColumns, float]:
    """Texts in pairs (rows 2i and 2i + 1) and the resemblance that they have exactly."""
    shared = round(2 * LENGTH * resemblance / (1 + resemblance))
    texts = []
    for words in rng.integers(0, 1 << 60, (pairs, 2 * LENGTH - shared)).astype(str).tolist():
        texts += [" ".join(words[:LENGTH]), " ".join(words[LENGTH - shared :])]
    columns = FeatureColumns.from_features(enumerate(Features(text=text) for text in texts))
    return columns, shared / (2 * LENGTH - shared)


def share_found(columns: FeatureColumns, settings: minhash.Settings) -> float:
    bands, _ = minhash.bands_and_rows(settings)
    keys = minhash.keys(columns, settings, Statistics.empty())[0].reshape(-1, 2, bands)
    return float((keys[:, 0] == keys[:, 1]).any(axis=1).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs of each resemblance")
    asked = parser.parse_args()
    rng = np.random.default_rng(1)
    made = [pairs_of(resemblance, asked.pairs, rng) for resemblance in np.linspace(0.05, 0.95, 19)]
    worst = 0.0
    for choice in CHOICES:
        settings = minhash.Settings(fields=("text",), unit="words", size=1, **choice)
        bands, rows = minhash.bands_and_rows(settings)
        start = time.process_time()
        found = np.array([share_found(columns, settings) for columns, _ in made])
        seconds = time.process_time() - start
        resemblances = np.array([resemblance for _, resemblance in made])
        expected = minhash.s_curve(bands, rows, resemblances)[1]
        difference = float(np.abs(found - expected).max())
        worst = max(worst, difference)
        print(f"{bands} bands of {rows} ({choice}): largest difference from the S-curve {difference:.4f}, ", end="")
        print(f"{seconds / (len(made) * asked.pairs * 2) * 1e6:.0f} µs for a text of {LENGTH} words")
        for row in zip(resemblances, expected, found, strict=True):
            print("  resemblance {:.3f}: expected {:.4f}, found {:.4f}".format(*row))
    print(f"largest difference: {worst:.4f} (at most {LARGEST_DIFFERENCE})")
    raise SystemExit(worst > LARGEST_DIFFERENCE)


if __name__ == "__main__":
    main()
