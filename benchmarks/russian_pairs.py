"""The hand-judged pairs of the Russian State Library and the National Library of Russia, end to end among all Russian
records at hand: each file of a labelled pair is a separate source. The paper's method beside it; it knows no relations,
so for it a pair that is not joined is right where the two are not the same."""

import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from _measure import DATE, RUSMARC, real_data, source_table, write_config

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.memory import Comparison, compare
from bibld.model.origin import RecordId

EXPECTED = {"duplicate": "same", "same_record": "same", "sibling_not_duplicate": "same_set"}
"""What each relation of the table asks for: that the two are the same, or how they are related."""


def main() -> None:
    folder = real_data()
    with (folder / "gold" / "rsl_nlr_pairs.tsv").open(encoding="utf-8", newline="") as lines:
        labelled = list(csv.DictReader(lines, delimiter="\t"))
    files = sorted({row[side] for row in labelled for side in ("left", "right")})
    sources = {file: f"s{number}" for number, file in enumerate(files, 1)}
    background = {f"rusmarc/{name}": f"b{number}" for number, name in enumerate(RUSMARC, 1)}
    with tempfile.TemporaryDirectory() as place:
        ours = configured(Path(place), folder, sources | background)
        right = report("model", ours, labelled, sources)
        report("paper", ours.with_dedup(("paper",), "jaccard"), labelled, sources)
    if right < len(labelled):
        sys.exit("the default method decides a pair wrongly")


def configured(place: Path, folder: Path, sources: dict[str, str]) -> Config:
    tables = (source_table(source, folder / file) for file, source in sources.items())
    return config.load(write_config(place, "".join(tables)))


def report(name: str, method: Config, labelled: Sequence[dict[str, str]], sources: dict[str, str]) -> int:
    """Match all and print score, verdict and cluster of each labelled pair; return how many are right."""
    summary = pipeline.run(method, DATE, progress.Silent(), until="dedup")
    right = 0
    with Catalog(method.workspace, read_only=True) as catalog:
        records = {record.source: record for record in live_records(catalog)}
        print(f"{name}: {sum(counts.converted for counts in summary.sources):,} records")
        for row in labelled:
            left, other = (records[sources[row[side]]] for side in ("left", "right"))
            compared = compare(catalog, method, left, other, progress.Silent())
            assert compared is not None
            is_joined = any({left, other} <= set(members) for members in clusters(catalog))
            is_right = is_as_expected(compared, is_joined, EXPECTED[row["relation"]], name == "paper")
            right += is_right
            print(f"  {'right' if is_right else 'WRONG'}: {row['relation']:21} {describe(compared, is_joined)}")
            print(f"         {row['left']} | {row['right']}")
    print(f"  {right} of {len(labelled)} right")
    return right


def is_as_expected(compared: Comparison, is_joined: bool, expected: str, is_paper: bool) -> bool:
    verdict = compared.edge.verdict
    if expected == "same":
        return is_joined and verdict.decision == "same"
    return not is_joined and (is_paper or (verdict.decision, verdict.relation) == ("related", expected))


def describe(compared: Comparison, is_joined: bool) -> str:
    edge = compared.edge
    relation = f" ({edge.verdict.relation})" if edge.verdict.relation else ""
    cluster = "one cluster" if is_joined else "two clusters"
    candidate = "candidate" if edge.score.shared_blocking_keys else "no candidate"
    return (
        f"score {edge.score.value:.4f}, {edge.verdict.decision}{relation} by {edge.verdict.by}, {candidate}, {cluster}"
    )


def live_records(catalog: Catalog) -> Iterator[RecordId]:
    return (catalog.register.record(ordinal) for ordinal, _, _ in catalog.records.live())


def clusters(catalog: Catalog) -> Iterator[tuple[RecordId, ...]]:
    return (catalog.linkage.cluster(founder).members for founder in catalog.linkage.founders(least=2))


if __name__ == "__main__":
    main()
