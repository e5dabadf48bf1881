"""The labelled pairs of `benchmarks/labelled`, end to end with default settings: each library is a source.

Prints for the default method and for the paper's what is found in each kind of pair and overall, in two ways: *pairs*
decides each labelled pair independently, *clusters* joins all records as a run does and counts every joined pair, also
those that are not listed. `--half test` is only for RESULTS.md: nobody looks at its pairs, so `--show`, which lists
wrong decisions, works for the development half alone.
"""

import csv
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from _measure import chosen_model, halves_parser, run, source_table, write_config

from bibld import progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.evaluate import Labels, Trial, found_share, rates
from bibld.dedup.memory import prepare
from bibld.dedup.pair_files import LabelledPair, read_pairs
from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId

FOLDER = Path(__file__).parent / "labelled"
LIBRARIES = ("rsl", "nlr", "loc", "sbb")
PARTS = ("part_word", "part_letter", "part_number", "part_field", "part_title", "school_class", "annual")
"""The kinds whose non-duplicates are different parts of one publication, or different years of one serial."""
COLUMNS = ("pairs", "true", "candid.", "P", "R", "F1", "P cl.", "R cl.", "F1 cl.", "same", "review", "related")

Numbers = npt.NDArray[np.uint64]


class Matched(NamedTuple):
    """What a method decides: its candidates, the pairs that are the same, those in one cluster, and each verdict."""

    labels: Labels
    candidates: Numbers
    same: Numbers
    joined: Numbers
    verdicts: dict[int, tuple[Pair, Verdict]]


def main() -> None:
    asked = halves_parser(__doc__).parse_args()
    folder = FOLDER / asked.half
    with tempfile.TemporaryDirectory() as place:
        ours = read_half(Path(place), folder, chosen_model(asked))
        with Catalog(ours.workspace, read_only=True) as catalog:
            labelled = read_pairs(folder / "pairs.csv", catalog)
            for name, method in (("model", ours), ("paper", ours.with_dedup(("paper",), "jaccard"))):
                matched = match(catalog, method, labelled)
                print(f"\n{name}, {asked.half} half")
                report(matched)
                if asked.show:
                    show(matched, family_by_pair(folder / "pairs.csv"))


def read_half(place: Path, folder: Path, model: str = "") -> Config:
    """Read the records of a half; return the default configuration."""
    tables = (source_table(library, folder / f"{library}.mrk") for library in LIBRARIES)
    return run(write_config(place, "".join(tables) + model), until="read")


def match(catalog: Catalog, method: Config, labelled: Sequence[LabelledPair]) -> Matched:
    """Decide about the labelled pairs, and join all records."""
    with prepare(catalog, method, progress.Silent()) as ready:
        trial = Trial(ready, method, {})
        labels = Labels.from_pairs(labelled, ready.rows, across=False)
        alone, joined = trial.match_pairs(labels.pairs), trial.match_all().joined
        decided = trial.verdicts(np.union1d(labels.pairs, joined), alone)
        verdicts = {number: (pair, verdict) for number, pair, verdict in decided}
        return Matched(labels, trial.candidates, alone.joined, joined, verdicts)


def report(matched: Matched) -> None:
    """Print a table with a row for each kind and one for all, and how many different parts are joined."""
    print(f"{'kind':14}{''.join(f'{column:>9}' for column in COLUMNS)}")
    kinds = np.array(matched.labels.kinds)
    for kind in sorted(set(matched.labels.kinds)):
        pairs = matched.labels.pairs[kinds == kind]
        print_row(kind, pairs, matched, np.intersect1d(matched.joined, pairs))
    print_row("all", matched.labels.pairs, matched, matched.joined)
    parts = matched.labels.pairs[np.isin(kinds, PARTS) & ~matched.labels.is_true]
    unlisted = np.setdiff1d(matched.joined, matched.labels.pairs)
    print(
        f"different parts that are joined: {np.isin(parts, matched.same).sum()} by pairs, "
        f"{np.isin(parts, matched.joined).sum()} in clusters, of {len(parts)}; "
        f"joined pairs that are not listed: {len(unlisted)}"
    )


def print_row(kind: str, pairs: Numbers, matched: Matched, joined: Numbers) -> None:
    true = np.intersect1d(matched.labels.true, pairs)
    shares = [found_share(true, matched.candidates)]
    shares += [*rates(np.intersect1d(matched.same, pairs), true), *rates(joined, true)]
    decisions = Counter(matched.verdicts[pair][1].decision for pair in pairs.tolist())
    counts = [decisions["same"], decisions["review"], decisions["related"]]
    cells = [f"{len(pairs):>9}{len(true):>9}", *(f"{one:>9.3f}" for one in shares), *(f"{one:>9}" for one in counts)]
    print(f"{kind:14}{''.join(cells)}")


def show(matched: Matched, families: dict[Pair, str]) -> None:
    """List the pairs that are decided or joined otherwise than labelled, and the unlisted pairs that are joined."""
    labels = {
        pair: (is_true, kind)
        for pair, is_true, kind in zip(
            matched.labels.pairs.tolist(), matched.labels.is_true.tolist(), matched.labels.kinds, strict=True
        )
    }
    same, joined, candidates = (set(one.tolist()) for one in (matched.same, matched.joined, matched.candidates))
    for number, (pair, verdict) in sorted(matched.verdicts.items(), key=lambda one: labels.get(one[0], (False, ""))):
        is_true, kind = labels.get(number, (False, "not listed"))
        if is_true == (number in same) == (number in joined):
            continue
        label = "duplicate" if is_true else "different"
        cluster = "one cluster" if number in joined else "two clusters"
        candidate = "candidate" if number in candidates else "no candidate"
        print(
            f"  {label} {kind:12} {families.get(pair, ''):28} {pair.left} | {pair.right}: "
            f"{verdict.decision} by {verdict.by}, {candidate}, {cluster}"
        )


def family_by_pair(path: Path) -> dict[Pair, str]:
    """Return the name of the family of each pair."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {
        Pair.from_records(*(RecordId.parse(row[side]) for side in ("left", "right"))): row["family"] for row in rows
    }


if __name__ == "__main__":
    main()
