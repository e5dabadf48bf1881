"""Which publications are editions, translations and parts of one work: the labelled pairs of `labelled/works`.

All records of a half are one catalogue: the claims of each are made, the works of the claims clustered, and the relation
of each pair of publications is read off the clusters. `--show` lists the wrong decisions of the development half.
"""

import argparse
import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bibld
from bibld.model.mods import Mods
from bibld.triplify._claims import Assertion, EntityClaim, NameForm
from bibld.triplify._entity_clusters import EntityProfile, cluster_component, components
from bibld.triplify._works import NamedWork, find_works

FOLDER = Path(__file__).parent / "labelled" / "works"
SOURCES = ("marc21", "rusmarc")
RELATIONS = ("same", "translation", "part")


class WorkPair(NamedTuple):
    """Two records, the relation of their works, and why they are similar."""

    left: str
    right: str
    label: str
    kind: str
    family: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("development", "test"), default="development")
    parser.add_argument("--show", action="store_true", help="list the pairs that are decided wrongly")
    wanted = parser.parse_args()
    if wanted.show and wanted.half == "test":
        parser.error("the pairs of the test half are not shown; use --half development")
    pairs = list(labelled_pairs(wanted.half))
    records = read_records({record for pair in pairs for record in pair[:2]})
    found = Relations(records)
    decided = [(pair, found.between(pair.left, pair.right)) for pair in pairs]
    report(decided, with_kinds=wanted.half == "development")
    for pair, relation in decided if wanted.show else ():
        if relation != pair.label and (relation or pair.label in RELATIONS):
            print(f"{pair.label:>11} decided {relation or 'none':11} {pair.left} {pair.right} {pair.kind} [{pair.family}]")


def labelled_pairs(half: str) -> Iterator[WorkPair]:
    """Yield the pairs of one half."""
    with (FOLDER / "pairs.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            is_test = hashlib.sha256(row["family"].encode()).digest()[0] % 2 == 1
            if is_test == (half == "test"):
                yield WorkPair(**row)


def read_records(wanted: set[str]) -> dict[str, Mods]:
    """Return the descriptions of records by source and control number."""
    records = ((source, mods) for source in SOURCES for mods in bibld.to_mods(FOLDER / f"{source}.mrk"))
    found = {f"{source}:{mods.record_identifier}": mods for source, mods in records}
    return {record: mods for record, mods in found.items() if record in wanted}


class Relations:
    """The relations of publications, by the clusters of the works that they name."""

    def __init__(self, records: dict[str, Mods]) -> None:
        self._own: dict[str, str] = {}
        self._named: dict[str, dict[str, set[str]]] = {
            relation: defaultdict(set) for relation in ("translation", "part", "base")
        }
        profiles = list(self._profiles(records))
        self._cluster = {
            member: cluster.founder
            for component in components(profiles, {})
            for cluster in cluster_component(component, {})
            for member in cluster.members
        }
        self._own = {record: self._cluster[work] for record, work in self._own.items()}
        for relation, named in self._named.items():
            merged: dict[str, set[str]] = defaultdict(set)
            for work, others in named.items():
                merged[self._cluster[work]] |= {self._cluster[other] for other in others}
            self._named[relation] = merged

    def _profiles(self, records: dict[str, Mods]) -> Iterator[EntityProfile]:
        for record, mods in records.items():
            works = find_works(mods)
            own = self._own[record] = f"http://localhost/work/{record}"
            yield profile(own, works.own)
            others = [("translation", works.original), ("part", works.whole)]
            others += [("base", base) for base in works.bases]
            for number, (relation, work) in enumerate(others):
                if work is not None:
                    self._named[relation][own].add(f"{own}/{number}")
                    yield profile(f"{own}/{number}", work)
            for number, work in enumerate(works.contents):
                self._named["part"][f"{own}/content{number}"].add(own)
                yield profile(f"{own}/content{number}", work)

    def between(self, left: str, right: str) -> str:
        """Return the relation of the works of two records; empty if there is none."""
        one, other = self._own[left], self._own[right]
        if one == other:
            return "same"
        originals = self._named["translation"]
        if other in originals[one] or one in originals[other] or originals[one] & originals[other]:
            return "translation"
        wholes = self._named["part"]
        return "part" if other in wholes[one] or one in wholes[other] else ""

    def clusters(self) -> dict[str, list[str]]:
        """Return the records of each cluster with a publication, by its founder."""
        found: dict[str, list[str]] = defaultdict(list)
        for record, founder in self._own.items():
            found[founder].append(record)
        return found


def profile(iri: str, work: NamedWork) -> EntityProfile:
    """Return the profile of a work, as the claim about it makes it."""
    claim = EntityClaim(NameForm("work"), ties=work.facts.ties, work=work.facts)
    return EntityProfile.from_assertions(iri, [Assertion("work", claim)])


def report(decided: list[tuple[WorkPair, str]], with_kinds: bool) -> None:
    for relation in RELATIONS:
        labelled = [found == relation for pair, found in decided if pair.label == relation]
        given = [pair.label for pair, found in decided if found == relation]
        right = sum(labelled)
        precision = right / len(given) if given else 1.0
        wrong = dict(Counter(label for label in given if label != relation))
        print(f"{relation:11} precision {precision:.3f} recall {right / len(labelled):.3f} of {len(labelled)} wrong {wrong}")
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
