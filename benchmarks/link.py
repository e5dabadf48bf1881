"""Quality of links to authority files, on numbers that records carry and on headings as other libraries write them.

Two samples, both split by a hash of the authority's id into a development half, on which the confidences of
``bibld/link/_score.py`` were set, and a test half:

``numbered``  Entities of real records that state a number of the file (``$0``). The number is hidden; linking must find
              it again, and must find nothing if the file does not contain it: half of each file was removed.
``rewritten`` Persons and organisations of FAST in the forms of other libraries (without dates, with initials, given
              names first, without diacritics). Each is linked twice: to the file, and to the file without its record,
              where the others of the same family name remain. Namesakes, with a year of birth that differs, must find
              nothing.

Usage: python benchmarks/link.py [--development] [--errors]. Needs BIBLD_TEST_DATA.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import msgspec
from _measure import real_data

import bibld
from bibld.catalog import Catalog
from bibld.link._entities import Entity, read_entity
from bibld.link._files import open_authority, read_authority
from bibld.link._index import AuthorityIndex, index_path, keys_of_profile, make_index
from bibld.link._linking import THRESHOLD
from bibld.link._score import rank_matches
from bibld.link._values import AuthorityRecord, Profile
from bibld.progress import Silent
from bibld.text.folding import fold
from bibld.triplify import parse_identity

FILES = ("fast.nt", "lcsh.csv", "gnd_subjects.csv", "gnd.ttl")
AUTHORITY_OF_FILE = {"fast.nt": "fast", "lcsh.csv": "lcsh", "gnd_subjects.csv": "gnd", "gnd.ttl": "gnd"}
KIND_NAMES = {"personal": "person", "family": "person", "corporate": "organisation", "conference": "organisation"}
REWRITTEN = 1500
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
_GIVEN = re.compile(r"(\w)[\w'’-]+")
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_DATES = re.compile(r",?\s*(?:b\.|d\.|active|approximately)?\s*-?\d{3,4}\??-?(?:\d{3,4}\??)?\s*$")


class Case(msgspec.Struct, frozen=True):
    """An entity, the record that it is (None: none of the file), and a record that is taken out of the file."""

    entity: Entity
    expected: str | None
    group: tuple[str, str, str]
    without: str = ""


class Result(msgspec.Struct, frozen=True):
    """The most probable record of a case."""

    case: Case
    found: str
    confidence: float
    evidence: str

    @property
    def is_right(self) -> bool:
        """Whether the record found is the expected one."""
        return self.found == self.case.expected


def main() -> None:
    folder = real_data() / "authorities"
    with tempfile.TemporaryDirectory() as place:
        indexes = {name: open_index(folder / name, Path(place)) for name in FILES}
        cases = list(numbered_cases(real_data(), Path(place)))
        begin = perf_counter()
        results = {
            name: [link(case, index) for case in cases if case.group[1] == name] for name, index in indexes.items()
        }
        results["fast.nt"] += [link(case, indexes["fast.nt"]) for case in rewritten_cases(folder / "fast.nt")]
        count = sum(map(len, results.values()))
        half = "development" if "--development" in sys.argv else "test"
        print(f"{half} half; {count / (perf_counter() - begin):.0f} entities a second\n")
        report([result for some in results.values() for result in some])


def open_index(path: Path, place: Path) -> AuthorityIndex:
    file = open_authority(path)
    index = index_path(place, file.digest)
    make_index(index, file, Silent())
    return AuthorityIndex(index)


def is_chosen(iri: str) -> bool:
    """Whether an authority record belongs to the half that is measured."""
    is_test = hashlib.blake2b(iri.encode(), digest_size=1).digest()[0] % 2 == 1
    return is_test != ("--development" in sys.argv)


def link(case: Case, index: AuthorityIndex) -> Result:
    records = [record for record in index.find(keys_of_profile(case.entity.profile)) if record.iri != case.without]
    matches = rank_matches(case.entity, records, index)
    if not matches:
        return Result(case, "", 0.0, "")
    return Result(case, matches[0].record.iri, matches[0].confidence, "; ".join(matches[0].evidence))


# -- entities of real records ------------------------------------------------------------------------------------------

CONFIG = """
workspace = "{place}/workspace"
[dataset]
base = "https://data.example.org/"
title = {{ en = "Sample" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "Sample"
[[source]]
id = "sample"
path = [{paths}]
"""


def numbered_cases(data: Path, place: Path) -> Iterator[Case]:
    """Yield the entities of the records with numbers, for each file; the number is hidden."""
    headings = (data / "authorities" / "headings.tsv").read_text(encoding="utf-8").splitlines()[1:]
    paths = sorted({line.split("\t")[0] for line in headings})
    config = place / "bibld.toml"
    config.write_text(CONFIG.format(place=place, paths=", ".join(f'"{data / path}"' for path in paths)))
    bibld.Workspace(config).run("triplify")
    contained = {
        name: {one.iri for one in read_authority(open_authority(data / "authorities" / name)) if one} for name in FILES
    }
    with Catalog(place / "workspace", read_only=True) as catalog:
        for number in list(catalog.entities.numbers()):
            entity = read_entity(catalog, number)
            if entity is None:
                continue
            for name in FILES:
                stated = [one for one in entity.profile.numbers if authority_of(one) == AUTHORITY_OF_FILE[name]]
                if (
                    len(stated) != 1
                    or not is_chosen(stated[0])
                    or (name == "gnd.ttl" and stated[0] not in contained[name])
                ):
                    continue
                profile = msgspec.structs.replace(entity.profile, numbers=())
                kind = KIND_NAMES.get(profile.type, "") or {"concept": "topic"}.get(profile.kind, profile.kind)
                works = entity.works if kind == "person" or name.startswith("gnd") else ()
                expected = stated[0] if stated[0] in contained[name] else None
                yield Case(Entity(profile, lambda works=works: works), expected, ("numbered", name, kind))


def authority_of(iri: str) -> str:
    identity = parse_identity(iri, None, "")
    return identity.authority if identity is not None else ""


# -- headings as other libraries write them ----------------------------------------------------------------------------


def rewritten_cases(path: Path) -> Iterator[Case]:
    """Yield persons and organisations in other forms, linked with and without their record in the file."""
    records = [one for one in read_authority(open_authority(path)) if one is not None and is_chosen(one.iri)]
    chosen = sorted(records, key=lambda one: hashlib.blake2b(b"order" + one.iri.encode()).digest())
    persons = [one for one in chosen if one.kind == "person" and "," in one.heading][:REWRITTEN]
    organisations = [one for one in chosen if one.kind == "organisation"][: REWRITTEN // 2]
    twins = twin_keys(path)
    for record in persons:
        has_twin = any(twins[key] > 1 for key in keys_of_twins(record))
        for form, heading, dates in person_forms(record):
            for case in with_and_without(record, "personal", heading, dates):
                if has_twin and case.without:
                    continue
                yield Case(case.entity, case.expected, ("rewritten", "person", form), case.without)
        if record.born:
            stem = _DATES.sub("", record.heading)
            shift = record.born % 37 + 2
            profile = profile_of("personal", stem, f"{record.born + shift}-")
            yield Case(Entity(profile, list), None, ("rewritten", "person", "namesake"))
    for record in organisations:
        plain = _PARENTHESES.sub("", record.heading)
        forms = [("as established", record.heading), ("without diacritics", without_diacritics(record.heading))]
        forms += [("without qualifier", plain)] if plain != record.heading else []
        for form, heading in forms:
            for case in with_and_without(record, "corporate", heading, ""):
                yield Case(case.entity, case.expected, ("rewritten", "organisation", form), case.without)


def twin_keys(path: Path) -> Counter[tuple[str, ...]]:
    """Count the persons of each name and year: FAST has some people twice, with and without a year of death."""
    return Counter(key for one in read_authority(open_authority(path)) if one is not None for key in keys_of_twins(one))


def keys_of_twins(record: AuthorityRecord) -> set[tuple[str, ...]]:
    family, _, given = fold_name(record.heading)
    years = {record.born, record.died} - {None} or {None}
    return {(family, given, str(year)) for year in years} if record.kind == "person" else set()


def fold_name(heading: str) -> tuple[str, str, str]:
    """Return family name, a comma, and the first given name."""
    stem = _PARENTHESES.sub("", _DATES.sub("", heading))
    family, comma, given = stem.partition(",")
    return fold(family), comma, (fold(given).split() or [""])[0]


def person_forms(record: AuthorityRecord) -> Iterator[tuple[str, str, str]]:
    """Yield name of the form, heading and dates."""
    stem = _PARENTHESES.sub("", _DATES.sub("", record.heading)).strip(" ,")
    dates = f"{record.born or ''}-{record.died or ''}" if record.born or record.died else ""
    family, _, given = stem.partition(", ")
    initials = f"{family}, {_GIVEN.sub(lambda match: f'{match[1]}.', given)}"
    if dates:
        yield "with dates", stem, dates
        yield "initials, dates", initials, dates
        yield "given names first, dates", f"{given} {family}", dates
        yield "no dates (has dates)", stem, ""
        if record.born and record.died:
            yield "year of birth", stem, f"{record.born}-"
    else:
        yield "no dates", without_diacritics(stem), ""
    yield "initials, no dates", initials, ""


def with_and_without(record: AuthorityRecord, kind: str, heading: str, dates: str) -> Iterator[Case]:
    entity = Entity(profile_of(kind, heading, dates), list)
    yield Case(entity, record.iri, ("", "", ""))
    yield Case(entity, None, ("", "", ""), record.iri)


def profile_of(kind: str, heading: str, dates: str) -> Profile:
    return Profile("https://data.example.org/agent/x", "agent", kind, ((heading, ""),), (dates,) if dates else ())


def without_diacritics(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


# -- report ------------------------------------------------------------------------------------------------------------


def report(results: Sequence[Result]) -> None:
    groups: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.case.group].append(result)
        if result.case.group[0] == "rewritten":
            groups["rewritten", result.case.group[1], "all"].append(result)
        else:
            groups["numbered", "all", "all"].append(result)
    names = ("sample", "file or kind", "kind or form", "cases", "in file", "precision", "recall", "F1", "wrong")
    print("{:<10} {:<17} {:<26} {:>6} {:>7} {:>9} {:>7} {:>6} {:>5}".format(*names))
    for group, some in sorted(groups.items()):
        print("{:<10} {:<17} {:<26} {:>6} {:>7} {:>9} {:>7} {:>6} {:>5}".format(*group, *figures(some)))
    print("\nconfidence   cases   mean  right")
    for low, high in pairwise(BINS):
        some = [one for one in results if (one.found and low <= one.confidence < high) or one.confidence == high == 1.0]
        if some:
            mean = sum(one.confidence for one in some) / len(some)
            print(
                f"{low:.3f}-{high:.3f} {len(some):>6}  {mean:.3f}  {sum(one.is_right for one in some) / len(some):.3f}"
            )
    if "--errors" in sys.argv:
        for one in results:
            if one.found and one.confidence >= THRESHOLD and not one.is_right:
                profile = one.case.entity.profile
                print(
                    one.case.group,
                    profile.labels[:2],
                    profile.dates,
                    "expected",
                    one.case.expected,
                    "found",
                    one.found,
                    one.evidence,
                )
    if "--missed" in sys.argv:
        for one in results:
            if (
                one.case.expected
                and one.case.group[0] == "numbered"
                and not (one.is_right and one.confidence >= THRESHOLD)
            ):
                profile = one.case.entity.profile
                print(
                    one.case.group,
                    profile.kind,
                    profile.scheme,
                    profile.labels[:2],
                    profile.dates,
                    one.case.expected,
                    one.found,
                    one.confidence,
                    one.evidence,
                )


def figures(results: Iterable[Result]) -> tuple[int, int, str, str, str, int]:
    some = list(results)
    linked = [one for one in some if one.found and one.confidence >= THRESHOLD]
    right = sum(one.is_right for one in linked)
    in_file = sum(one.case.expected is not None for one in some)
    precision = right / len(linked) if linked else None
    recall = right / in_file if in_file else None
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else None
    texts = ["–" if value is None else f"{value:.3f}" for value in (precision, recall, f1)]
    return len(some), in_file, texts[0], texts[1], texts[2], len(linked) - right


if __name__ == "__main__":
    main()
