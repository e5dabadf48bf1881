"""Labelled queries: how often the wanted publication is first, and among ten.

    python benchmarks/search_quality.py SAMPLE_WORKSPACE [REAL_WORKSPACE] [--all]

The workspaces are those of the sample and of the real files (``benchmarks/_measure.py: real_config``). The queries are
in ``benchmarks/search_queries/labelled.csv``, with a pattern that the title, the names or the year of a wanted
publication match. They were written before anything was tuned; every second query of each kind was for tuning. Each
miss is printed; with ``--all`` each query.
"""

import argparse
import csv
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bibld.published import published_releases
from bibld.published.search import Asked, Hit, SearchView, open_search

LABELLED = Path(__file__).parent / "search_queries" / "labelled.csv"
HALVES = ("tuned on", "not tuned on")


class LabelledQuery(NamedTuple):
    kind: str
    data: str
    query: str
    title: str
    name: str
    year: str

    def is_wanted(self, hit: Hit) -> bool:
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
    options = parser.parse_args()
    views = {
        name: open_search(folder, published_releases(folder)[-1])
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


def report(view: SearchView, one: LabelledQuery, half: str, totals: Counter[tuple[str, str]], is_long: bool) -> None:
    found = view.search(Asked(one.query, per_page=10))
    wanted = [place for place, hit in enumerate(found.hits, 1) if one.is_wanted(hit)]
    totals[half, "count"] += 1
    totals[half, "first"] += wanted[:1] == [1]
    totals[half, "ten"] += bool(wanted)
    if is_long or wanted[:1] != [1]:
        first = found.hits[0].title if found.hits else "nothing"
        print(
            f"{half}, {one.kind}: {one.query!r}: wanted at {wanted[:1] or 'none'} of {found.total}; first: {first[:70]}"
        )


if __name__ == "__main__":
    main()
