"""Labelled queries: how often the wanted publication is first, and among ten.

    python benchmarks/search_quality.py SAMPLE_WORKSPACE [REAL_WORKSPACE] [--all]
    python benchmarks/search_quality.py --misprints WORKSPACE …

The workspaces are those of the sample and of the real files (``benchmarks/_measure.py: real_config``). The queries are
in ``benchmarks/search_queries/labelled.csv``, with a pattern that the title, the names or the year of a wanted
publication match. They were written before anything was tuned; every second query of each kind was for tuning. Each
miss is printed; with ``--all`` each query.

With ``--misprints``, words of titles get one random misprint, long ones two. Counted is how often the word itself is
proposed first, by the number of publications that have it; misspelt words that the index has are left out.
"""

import argparse
import csv
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bibld.publish import Releases
from bibld.search import SearchRequest, SearchView, StoredPublication, open_search, to_words
from bibld.search._index import FOLDER, TEXT_FIELDS, IndexReader, open_index
from bibld.search._matching import ANY_PUBLICATION
from bibld.search._searching import corrections

LABELLED = Path(__file__).parent / "search_queries" / "labelled.csv"
HALVES = ("tuned on", "not tuned on")
MISPRINTS = 600
TITLES = 5000


class LabelledQuery(NamedTuple):
    kind: str
    data: str
    query: str
    title: str
    name: str
    year: str

    def is_wanted(self, hit: StoredPublication) -> bool:
        titles = [form.casefold() for form in (hit.title, *hit.forms)]
        names = " ".join([hit.statement, *(agent.name for agent in hit.agents)]).casefold()
        return (
            any(re.search(self.title, title) for title in titles)
            and re.search(self.name, names) is not None
            and self.year in ("", hit.year)
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspaces", nargs="+", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--misprints", action="store_true")
    options = parser.parse_args()
    if options.misprints:
        for folder in options.workspaces:
            for edits in (1, 2):
                report_misprints(folder, edits)
        return
    views = {
        name: open_search(newest_release(folder))
        for name, folder in zip(("sample", "real"), options.workspaces, strict=False)
    }
    with LABELLED.open(encoding="utf-8", newline="") as file:
        labelled = [LabelledQuery(**row) for row in csv.DictReader(file)]
    totals: Counter[tuple[str, str]] = Counter()
    places: Counter[str] = Counter()
    for one in labelled:
        half = HALVES[places[one.kind] % 2]
        places[one.kind] += 1
        if one.data in views:
            report(views[one.data], one, half, totals, options.all)
    for half in (*HALVES, "all"):
        halves = HALVES if half == "all" else (half,)
        count, first, ten = (sum(totals[each, key] for each in halves) for key in ("count", "first", "ten"))
        print(f"{half}: {count} queries, first {first / count:.1%}, among ten {ten / count:.1%}")


def newest_release(workspace: Path) -> Path:
    release = Releases(workspace).newest()
    assert release is not None, workspace
    return release


def report(view: SearchView, one: LabelledQuery, half: str, totals: Counter[tuple[str, str]], is_long: bool) -> None:
    found = view.search(SearchRequest(one.query, per_page=10))
    wanted = [place for place, hit in enumerate(found.hits, 1) if one.is_wanted(hit)]
    totals[half, "count"] += 1
    totals[half, "first"] += wanted[:1] == [1]
    totals[half, "ten"] += bool(wanted)
    if is_long or wanted[:1] != [1]:
        first = found.hits[0].title if found.hits else "nothing"
        print(
            f"{half}, {one.kind}: {one.query!r}: wanted at {wanted[:1] or 'none'} of {found.total}; first: {first[:70]}"
        )


def report_misprints(workspace: Path, edits: int) -> None:
    index = IndexReader(open_index(newest_release(workspace) / FOLDER))
    titles = [stored.title for stored in index.publications(index.find(ANY_PUBLICATION, TITLES).hits)]
    chance = random.Random(7)
    counts: Counter[tuple[str, str]] = Counter()
    times = []
    for _ in range(MISPRINTS):
        words = [word for word in to_words(chance.choice(titles)) if len(word) >= 2 + 3 * edits and word.isalpha()]
        word = chance.choice(words or [""])
        misspelt = word
        for _ in range(edits if word else 0):
            misspelt = with_misprint(misspelt, chance)
        if misspelt == word or index.frequency(TEXT_FIELDS, misspelt):
            continue
        publications = index.frequency(TEXT_FIELDS, word)
        begun = time.process_time()
        proposed = corrections(index, misspelt)
        times.append(1000 * (time.process_time() - begun))
        group = "one" if publications < 2 else "two to nine" if publications < 10 else "ten or more"
        for each in (group, "any number of"):
            counts[each, "count"] += 1
            counts[each, "first"] += proposed[:1] == [word]
    for group, key in sorted(counts):
        if key == "count":
            share = counts[group, "first"] / counts[group, key]
            print(
                f"{workspace.name}: {edits} misprints, {group} publications: {share:.1%} first of {counts[group, key]}"
            )
    times.sort()
    print(f"processor time: median {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


def with_misprint(word: str, chance: random.Random) -> str:
    """Return a word with one letter removed, replaced, added or swapped; the first letter stays."""
    place = chance.randrange(1, len(word))
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz" if word.isascii() else "абвгдежзийклмнопрстуфхцчшщъыьэюя")
    return chance.choice(
        (
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place + 1 :],
            word[:place] + letter + word[place:],
            word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :],
        )
    )


if __name__ == "__main__":
    main()
