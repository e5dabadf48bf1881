"""What the default matching merges among all Russian records at hand, for a person to check: each library is a source.

Prints every cluster and the head of the review list, with what distinguishes the records side by side, then once more
with several records of one library allowed in a cluster, which is harder: then nothing but the matching keeps the
volumes and editions of one catalogue apart. So is the paper's method, of which only the clusters are shown whose part
numbers or years differ. `--all` prints the whole review list."""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from _measure import DATE, real_data, source_table, write_config

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.dedup.features import features_of
from bibld.model.features import Features
from bibld.model.linkage import Edge
from bibld.model.origin import RecordId

LIBRARIES = {
    "stavropol": ("stavropol_cp866.mrc",),
    "tatarstan": ("tatarstan_utf8.mrc",),
    "nlr": ("nlr_cp1251.iso", "nlr_koi8r.iso", "neb/NLR*", "neb/7_rusmarc.mrc", "neb/rusmarc2marc-rusmarc.mrc"),
    "articles": ("articles_cp1251.mrc",),
    "urait": ("declared_cp1251_is_utf8.iso",),
    "rsl": ("neb/*marc21.mrc", "neb/0*.mrc", "neb/rsl*", "neb/heritage*", "neb/files1.mrc", "neb/nokey.mrc"),
    "rslrusmarc": ("neb/0*.iso", "neb/RuMoRGB*.iso"),
    "svod": ("neb/svod*.mrx",),
    "loc": ("neb/marc-schema-test.mrc", "neb/sandburg.mrc"),
}
"""The files of each library; its records in MARC 21 and in RUSMARC are two sources."""
HEAD = 40
FeaturesByRecord = dict[RecordId, Features]


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        for name, allows_duplicates in (("model", False), ("model", True), ("paper", True)):
            measure(Path(place), name, allows_duplicates)


def measure(place: Path, name: str, allows_duplicates: bool) -> None:
    """Match all and print what was merged and what waits for a person."""
    folder = real_data() / "rusmarc"
    tables = (
        source_table(source, [folder / file for file in files], duplicates=allows_duplicates)
        for source, files in LIBRARIES.items()
    )
    loaded = config.load(write_config(place, "".join(tables)))
    if name == "paper":
        loaded = loaded.with_dedup(("paper",), "jaccard")
    summary = pipeline.run(loaded, DATE, progress.Silent(), until="dedup")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        features_by_record = {
            catalog.register.record(ordinal): features_of(mods) for ordinal, _, mods in catalog.records.live()
        }
        edges = list(catalog.linkage.edges())
        clusters = [catalog.linkage.cluster(founder).members for founder in catalog.linkage.founders(least=2)]
    converted = {counts.source: counts.converted for counts in summary.sources}
    decisions = Counter(edge.verdict.decision for edge in edges)
    allowed = "several records" if allows_duplicates else "one record"
    print(f"\n==== {name}, {allowed} of a library in a cluster; {len(features_by_record):,} records: {converted}")
    odd = [members for members in clusters if differ(members, features_by_record)]
    print(
        f"{len(clusters)} clusters of {sum(map(len, clusters))} records, {len(odd)} of them with different part "
        f"numbers or years; edges: {dict(sorted(decisions.items()))}"
    )
    for members in odd if name == "paper" else clusters:
        show_cluster(members, edges, features_by_record)
    show_review(edges, features_by_record)


def differ(members: tuple[RecordId, ...], features_by_record: FeaturesByRecord) -> bool:
    """Whether members of a cluster name different parts, or years that do not meet."""
    features = [features_by_record[record] for record in members]
    years = [one for one in features if one.year]
    differ_in_year = any(one.year > other.last_year for one in years for other in years)
    return len({one.part for one in features if one.part}) > 1 or differ_in_year


def show_cluster(members: tuple[RecordId, ...], edges: list[Edge], features_by_record: FeaturesByRecord) -> None:
    inside = set(members)
    scores = [edge.score.value for edge in edges if {edge.pair.left, edge.pair.right} <= inside]
    remark = "  PARTS OR YEARS DIFFER" if differ(members, features_by_record) else ""
    print(f"\ncluster of {len(members)}, scores {', '.join(f'{score:.4f}' for score in scores)}{remark}")
    for record in members:
        print(f"  {described(record, features_by_record[record])}")


def show_review(edges: list[Edge], features_by_record: FeaturesByRecord) -> None:
    review = sorted((edge for edge in edges if edge.verdict.decision == "review"), key=lambda one: -one.score.value)
    shown = review if "--all" in sys.argv else review[:HEAD]
    print(f"\n-- for review: {len(review)}, the {len(shown)} with the highest scores")
    for edge in shown:
        print(f"\n{edge.score.value:.4f} {edge.verdict.by}: {'; '.join(edge.verdict.reasons[1:])}")
        for record in (edge.pair.left, edge.pair.right):
            print(f"  {described(record, features_by_record[record])}")


def described(record: RecordId, one: Features) -> str:
    """Return what distinguishes a record, in a line."""
    years = str(one.year) if one.year == one.last_year else f"{one.year}-{one.last_year}"
    part = f" [{one.part} {one.part_name}]" if one.part or one.part_name else ""
    of_set = f" (in: {one.set_title})" if one.set_title else ""
    edition = f"ed. {one.edition} {one.edition_text}".rstrip()
    extent = f"{one.pages} p., {one.volumes} v., {one.height} cm; {one.carrier} {one.level}"
    imprint = f"{one.place}: {one.publisher}, {years}; {extent}"
    return f"{record}: {one.title}{part}{of_set} / {one.author}; {edition}; {imprint}; {one.series}; {one.identifiers}"


if __name__ == "__main__":
    main()
