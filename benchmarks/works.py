"""Which publications are editions, translations and parts of one work: the labelled pairs of `labelled/works`, or of
the other set of that sort, `labelled/editions`.

All records of a half are one catalogue, each a publication, and the relation of each pair is read in the quads that are
published about it. `--show` lists the wrong decisions of the development half.
"""

import argparse
import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bibld
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, term
from bibld.triplify import to_quads

FOLDER = Path(__file__).parent / "labelled"
SOURCES = ("marc21", "rusmarc")
RELATIONS = ("same", "translation", "part")
PROPERTIES = ("bf:instanceOf", "bf:translationOf", "bf:partOf", "bf:hasPart")
IRIS = Iris("http://localhost/")


class WorkPair(NamedTuple):
    """Two records, the relation of their works, and why they are similar."""

    left: str
    right: str
    label: str
    kind: str
    family: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", nargs="?", choices=("works", "editions"), default="works")
    parser.add_argument("--half", choices=("development", "test"), default="development")
    parser.add_argument("--show", action="store_true", help="list the pairs that are decided wrongly")
    wanted = parser.parse_args()
    if wanted.show and wanted.half == "test":
        parser.error("the pairs of the test half are not shown; use --half development")
    folder = FOLDER / wanted.set
    pairs = list(labelled_pairs(folder, wanted.half))
    records = read_records(folder, {record for pair in pairs for record in pair[:2]})
    found = Relations(records)
    decided = [(pair, found.between(pair.left, pair.right)) for pair in pairs]
    report(decided, with_kinds=wanted.half == "development")
    for pair, relation in decided if wanted.show else ():
        if relation != pair.label and (relation or pair.label in RELATIONS):
            print(
                f"{pair.label:>11} decided {relation or 'none':11} {pair.left} {pair.right} {pair.kind} [{pair.family}]"
            )


def labelled_pairs(folder: Path, half: str) -> Iterator[WorkPair]:
    """Yield the pairs of one half."""
    with (folder / "pairs.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            is_test = hashlib.sha256(row["family"].encode()).digest()[0] % 2 == 1
            if is_test == (half == "test"):
                yield WorkPair(**row)


def read_records(folder: Path, wanted: set[str]) -> dict[str, Mods]:
    """Return the descriptions of records by source and control number."""
    records = ((source, mods) for source in SOURCES for mods in bibld.to_mods(folder / f"{source}.mrk"))
    found = {f"{source}:{mods.record_identifier}": mods for source, mods in records}
    return {record: mods for record, mods in found.items() if record in wanted}


class Relations:
    """The relations of publications, as the published quads state them."""

    def __init__(self, records: dict[str, Mods]) -> None:
        ids = {record: RecordId.parse(record) for record in records}
        merged = [Merged(Cluster(ids[record], (ids[record],)), mods, ()) for record, mods in records.items()]
        stated: dict[str, dict[str, set[str]]] = {term(name): defaultdict(set) for name in PROPERTIES}
        for line in to_quads(merged, IRIS):
            subject, predicate, value, *_ = line.split(" ", 3)
            if predicate in stated:
                stated[predicate][subject].add(value)
        instances, self._originals, self._hosts, self._parts = (stated[term(name)] for name in PROPERTIES)
        self._own = {record: next(iter(instances[iri(IRIS.resource(ids[record]))])) for record in records}

    def between(self, left: str, right: str) -> str:
        """Return the relation of the works of two records; empty if there is none."""
        one, other = self._own[left], self._own[right]
        if one == other:
            return "same"
        these, those = self._originals[one], self._originals[other]
        if other in these or one in those or these & those:
            return "translation"
        is_part = other in self._hosts[one] or one in self._hosts[other]
        return "part" if is_part or other in self._parts[one] or one in self._parts[other] else ""


def report(decided: list[tuple[WorkPair, str]], with_kinds: bool) -> None:
    for relation in RELATIONS:
        labelled = [found == relation for pair, found in decided if pair.label == relation]
        given = [pair.label for pair, found in decided if found == relation]
        right = sum(labelled)
        precision = right / len(given) if given else 1.0
        wrong = dict(Counter(label for label in given if label != relation))
        recall = right / len(labelled)
        print(f"{relation:11} precision {precision:.3f} recall {recall:.3f} of {len(labelled)} wrong {wrong}")
    if with_kinds:
        kinds: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for pair, found in decided:
            is_right = found == pair.label or (pair.label not in RELATIONS and not found)
            kinds[pair.label, pair.kind].append(is_right)
        for (label, kind), rights in sorted(kinds.items()):
            if not all(rights):
                print(f"  {label:11} {kind:32} {sum(rights)}/{len(rights)}")


if __name__ == "__main__":
    main()
