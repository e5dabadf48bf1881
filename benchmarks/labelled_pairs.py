"""The labelled pairs of `benchmarks/labelled`, end to end with default settings: each library is a source.

Prints for the default method and for the paper's what is found in each kind of pair and overall, in two ways: *pairs*
decides each labelled pair independently, *clusters* joins all records as a run does and counts every joined pair, also
those that are not listed. `--half test` is only for RESULTS.md: nobody looks at its pairs, so `--show`, which lists
wrong decisions, works for the development half alone.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from _measure import run, source_table, write_config

import bibld
from bibld import progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.evaluate import Labels, Numbers, Trial
from bibld.dedup.labels import LabelledPair, read_pairs
from bibld.dedup.memory import prepare
from bibld.dedup.packed_pairs import unpack_pairs
from bibld.model.linkage import Pair, Verdict

FOLDER = Path(__file__).parent / "labelled"
LIBRARIES = ("rsl", "nlr", "loc", "sbb")
PARTS = frozenset(("part_word", "part_letter", "part_number", "part_field", "part_title", "school_class", "annual"))
"""The kinds whose non-duplicates are different parts of one publication, or different years of one serial."""
_COLUMNS = ("pairs", "true", "candid.", "P", "R", "F1", "P cl.", "R cl.", "F1 cl.", "same", "review", "related")


class Matched(msgspec.Struct, frozen=True):
    """What a method decides: the true pairs among its candidates, the verdict of each pair, all pairs in clusters."""

    candidates: set[Pair]
    verdicts: dict[Pair, Verdict]
    joined: set[Pair]

    def same(self) -> set[Pair]:
        """Return the labelled pairs that are decided to be the same publication."""
        return {pair for pair, verdict in self.verdicts.items() if verdict.decision == "same"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("development", "test"), default="development")
    parser.add_argument("--show", action="store_true", help="list the pairs that are decided wrongly")
    asked = parser.parse_args()
    if asked.show and asked.half == "test":
        sys.exit("the pairs of the test half are not shown; use --half development")
    folder = FOLDER / asked.half
    with tempfile.TemporaryDirectory() as place:
        ours = loaded(Path(place), folder)
        with Catalog(ours.workspace, read_only=True) as catalog:
            labelled = read_pairs(folder / "pairs.csv", catalog)
            families = family_by_pair(folder / "pairs.csv")
            for name, method in (("model", ours), ("paper", ours.with_dedup(("paper",), "jaccard"))):
                matched = match(catalog, method, labelled)
                report(f"{name}, {asked.half} half", labelled, matched)
                if asked.show:
                    show(labelled, matched, families)


def loaded(place: Path, folder: Path) -> Config:
    """Read the records of a half; return the default configuration."""
    tables = (source_table(library, folder / f"{library}.mrk") for library in LIBRARIES)
    return run(write_config(place, "".join(tables)), until="read")


def match(catalog: Catalog, method: Config, labelled: Sequence[LabelledPair]) -> Matched:
    """Decide about the labelled pairs, and join all records."""
    with prepare(catalog, method, progress.Silent()) as ready:
        trial = Trial(ready, method, {})
        pairs = Labels.from_pairs(labelled, ready.rows, across=False).pairs

        def of_records(numbers: Numbers) -> set[Pair]:
            ends = (ready.rows.records_of(rows) for rows in unpack_pairs(numbers))
            return {Pair.from_records(*records) for records in zip(*ends, strict=True)}

        verdicts = dict(trial.verdicts(pairs, trial.match_pairs(pairs)).values())
        return Matched(
            of_records(np.intersect1d(pairs, trial.candidates)), verdicts, of_records(trial.match_all().joined)
        )


def family_by_pair(path: Path) -> dict[Pair, str]:
    """Return the name of the family of each pair."""
    with path.open(encoding="utf-8", newline="") as lines:
        parse = bibld.RecordId.parse
        return {
            Pair.from_records(parse(row["left"]), parse(row["right"])): row["family"] for row in csv.DictReader(lines)
        }


def report(name: str, labelled: Sequence[LabelledPair], matched: Matched) -> None:
    """Print a table with a row for each kind, and one for all."""
    print(f"\n{name}\n{'kind':14}{''.join(f'{column:>9}' for column in _COLUMNS)}")
    listed = {item.pair for item in labelled}
    for kind in sorted({item.kind for item in labelled}):
        print_row(kind, [item for item in labelled if item.kind == kind], matched)
    print_row("all", labelled, matched)
    different = {item.pair for item in labelled if item.kind in PARTS and not item.is_duplicate}
    print(
        f"different parts that are joined: {len(different & matched.same())} by pairs, "
        f"{len(different & matched.joined)} in clusters, of {len(different)}; "
        f"joined pairs that are not listed: {len(matched.joined - listed)}"
    )


def print_row(kind: str, items: Sequence[LabelledPair], matched: Matched) -> None:
    pairs = {item.pair for item in items}
    true = {item.pair for item in items if item.is_duplicate}
    joined = matched.joined if kind == "all" else matched.joined & pairs
    shares = [len(true & matched.candidates) / max(1, len(true))]
    shares += [*rates(matched.same() & pairs, true), *rates(joined, true)]
    decisions = [matched.verdicts[item.pair].decision for item in items]
    counts = [decisions.count(decision) for decision in ("same", "review", "related")]
    cells = [f"{len(pairs):>9}{len(true):>9}", *(f"{one:>9.3f}" for one in shares), *(f"{one:>9}" for one in counts)]
    print(f"{kind:14}{''.join(cells)}")


def rates(joined: set[Pair], true: set[Pair]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of joined pairs; 1 where nothing is to be found and nothing was."""
    hits = len(joined & true)
    found, wanted = len(joined) or 1, len(true) or 1
    if not joined and not true:
        return 1.0, 1.0, 1.0
    return hits / found, hits / wanted, 2 * hits / (len(joined) + len(true))


def show(labelled: Iterable[LabelledPair], matched: Matched, families: dict[Pair, str]) -> None:
    """List the pairs that are decided or joined otherwise than labelled, and the unlisted pairs that are joined."""
    same = matched.same()
    for item in sorted(labelled, key=lambda item: (item.is_duplicate, item.kind)):
        if item.is_duplicate == (item.pair in same) == (item.pair in matched.joined):
            continue
        verdict = matched.verdicts[item.pair]
        label = "duplicate" if item.is_duplicate else "different"
        cluster = "one cluster" if item.pair in matched.joined else "two clusters"
        candidate = "candidate" if item.pair in matched.candidates else "no candidate"
        print(
            f"  {label} {item.kind:12} {families[item.pair]:28} {item.pair.left} | {item.pair.right}: "
            f"{verdict.decision} by {verdict.by}, {candidate}, {cluster}"
        )
    for pair in sorted(matched.joined - families.keys()):
        print(f"  not listed, one cluster: {pair.left} | {pair.right}")


if __name__ == "__main__":
    main()
