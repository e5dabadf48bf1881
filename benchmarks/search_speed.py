"""Time of searches and suggestions, and size of the index.

    python benchmarks/search_speed.py [RECORDS] [--keep FOLDER]
    python benchmarks/search_speed.py --workspace WORKSPACE

With ``--workspace``, its own titles and names are searched for in its newest release. Otherwise publications are made
up: words of a vocabulary whose frequencies fall as those of a language do, authors, subjects, publishers and series
that are shared as unevenly, works of one to forty publications, one to four
libraries. Times are those of ``SearchView`` with facets and folded works, without HTTP; beside them is processor time,
which other programs on the machine change little.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from msgspec.structs import replace

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.rdf import literal, quad, term
from bibld.publish import Releases
from bibld.search import EntryKind, SearchRequest, SearchView, has_search, open_search, write_search
from bibld.search._index import FOLDER, IndexReader, open_index
from bibld.search._matching import of_kinds
from bibld.text.romanisation import romanise_ala_lc

BASE = "https://data.example.org/"
LETTERS = "ма ри ко ст во ле на ти го ра си ну бе да жи по ве ло ки ча ше цы ню пра вар тол кни мир вой"
SYLLABLES = LETTERS.split()
LIBRARIES = ("rsl", "nlr", "hse", "msu")
AT_ONCE = 20_000
EDITIONS = 40
QUERIES = 600
SPAN = "search_speed"


class Catalogue:
    """Made-up publications; the same number gives the same ones."""

    def __init__(self, records: int) -> None:
        self.records = records
        chance = random.Random(1)
        count = int(40 * records**0.6)
        self.words = list(
            dict.fromkeys("".join(chance.choices(SYLLABLES, k=chance.randint(2, 5))) for _ in range(count))
        )
        self._weights = list(accumulate(1 / (place + 2) for place in range(len(self.words))))
        self._sizes = {
            "agent": records // 3,
            "concept": records // 10,
            "publisher": records // 100,
            "series": records // 50,
        }
        self.names = {
            kind: [self._name(kind, number) for number in range(max(1, size))] for kind, size in self._sizes.items()
        }

    def _name(self, kind: str, number: int) -> str:
        chance = random.Random(f"{kind}{number}")
        words = chance.choices(self.words, k=2 if kind == "agent" else 3)
        if kind == "agent":
            return f"{words[0].capitalize()}, {words[1].capitalize()} {chance.choice(self.words).capitalize()}"
        return " ".join(words).capitalize()

    def work(self, number: int) -> int:
        """Return the number of the first publication of the work of a publication.

        One work in a thousand publications has forty of them; of the others a third belong to works of two or three.
        """
        place = number % 1000
        if place < EDITIONS:
            return number - place
        return number - (0, 0, 0, 0, 1, 0, 0, 1, 2, 0)[place % 10]

    def title(self, number: int) -> str:
        chance = random.Random(self.work(number))
        return " ".join(chance.choices(self.words, cum_weights=self._weights, k=chance.randint(2, 9))).capitalize()

    def linked(self, kind: str, number: int) -> int:
        """Return the number of a thing that a publication links to: low ones are linked to most."""
        source = self.work(number) if kind == "agent" else number
        share = random.Random(f"{SPAN}{kind}{source}").random()
        return int(len(self.names[kind]) * share**3)

    def blocks(self) -> Iterator[bytes]:
        for kind, names in self.names.items():
            for first in range(0, len(names), AT_ONCE):
                part = range(first, min(first + AT_ONCE, len(names)))
                yield "".join(line for number in part for line in self._thing(kind, number)).encode()
        for first in range(0, self.records, AT_ONCE):
            part = range(first, min(first + AT_ONCE, self.records))
            yield "".join(line for number in part for line in self._publication(number)).encode()
            works = sorted({self.work(number) for number in part})
            yield "".join(line for number in works for line in self._work(number)).encode()

    def _thing(self, kind: str, number: int) -> Iterator[str]:
        subject = f"<{BASE}{path_of(kind, number)}>"
        yield quad(subject, term("rdfs:label"), literal(self.names[kind][number], "ru"))
        if kind == "agent":
            yield quad(subject, term("rdf:type"), term("foaf:Person"))

    def _work(self, number: int) -> Iterator[str]:
        subject, node = (f"<{BASE}work/rsl/{number}{ending}>" for ending in ("", "#contribution1"))
        yield quad(subject, term("rdfs:label"), literal(self.title(number), "ru"))
        yield quad(subject, term("bf:contribution"), node)
        yield quad(node, term("bf:agent"), f"<{BASE}{path_of('agent', self.linked('agent', number))}>")
        yield quad(subject, term("bf:hasInstance"), f"<{BASE}resource/rsl/{number}>")

    def _publication(self, number: int) -> Iterator[str]:
        chance = random.Random(number + 1)
        subject = f"<{BASE}resource/rsl/{number}>"
        title = self.title(number)
        yield quad(subject, term("rdfs:label"), literal(title, "ru"))
        yield quad(subject, term("bf:instanceOf"), f"<{BASE}work/rsl/{self.work(number)}>")
        yield quad(subject, term("bf:publicationStatement"), literal(f"М. : {title[:12]}, {1900 + number % 120}"))
        yield quad(subject, term("dcterms:issued"), literal(str(1900 + number % 120)))
        yield quad(
            subject,
            term("dcterms:language"),
            f"<http://id.loc.gov/vocabulary/iso639-2/{'rus' if number % 5 else 'eng'}>",
        )
        yield quad(subject, term("rdf:type"), term("bibo:Book"))
        yield quad(subject, term("bibo:isbn13"), literal(f"978{number:010}"))
        for kind, predicate in (
            ("agent", "dcterms:creator"), ("concept", "dcterms:subject"), ("publisher", "dcterms:publisher"),
            ("series", "dcterms:isPartOf"),
        ):  # fmt: skip
            yield quad(subject, term(predicate), f"<{BASE}{path_of(kind, self.linked(kind, number))}>")
        for library in LIBRARIES[: chance.choice((1, 1, 1, 1, 1, 2, 2, 3, 4))]:
            yield quad(subject, term("prov:wasDerivedFrom"), f"<{BASE}record/{library}/{number}>")

    def queries(self) -> dict[str, list[SearchRequest]]:
        chance = random.Random(2)
        numbers = [chance.randrange(self.records) for _ in range(QUERIES // 10)]
        surnames = [self.names["agent"][self.linked("agent", number)].partition(",")[0] for number in numbers]
        by_isbn = [SearchRequest(f"978{number:010}") for number in numbers]
        titles = [self.title(number) for number in numbers]
        return {**searches(titles, surnames, self.words[:40], "nlr"), "ISBN": by_isbn}

    def beginnings(self) -> list[str]:
        chance = random.Random(3)
        names = [chance.choice(names) for names in self.names.values() for _ in range(60)]
        return [name[: chance.randint(2, 8)] for name in names] + [
            self.title(n)[: chance.randint(3, 20)] for n in range(60)
        ]


class StoredNames:
    """Titles and names of people of a workspace, drawn at random; the same at each call."""

    def __init__(self, release: Path) -> None:
        index = IndexReader(open_index(release / FOLDER))
        self._library = index.libraries[0]
        chance = random.Random(5)
        drawn: list[list[str]] = []
        for kind in (EntryKind.PUBLICATION, EntryKind.PERSON):
            hits = index.find(of_kinds([kind]), 1_000_000).hits
            drawn.append([stored.title for stored in index.read(chance.choices(hits, k=QUERIES // 10))])
        self._titles, self._names = drawn

    def queries(self) -> dict[str, list[SearchRequest]]:
        words = Counter(word for title in self._titles for word in title.split() if len(word) > 2)
        surnames = [name.partition(",")[0] for name in self._names]
        return searches(self._titles, surnames, [word for word, _ in words.most_common(40)], self._library)

    def beginnings(self) -> list[str]:
        chance = random.Random(3)
        names = [name for name in self._names for _ in range(4)]
        return [name[: chance.randint(2, 8)] for name in names] + [
            title[: chance.randint(3, 20)] for title in self._titles
        ]


def searches(
    titles: list[str], surnames: list[str], frequent: list[str], library: str
) -> dict[str, list[SearchRequest]]:
    """Return searches of several kinds for publications with some titles, and for some people."""
    chance = random.Random(4)
    both = list(zip(surnames, titles, strict=False))
    return {
        "title": [SearchRequest(title) for title in titles],
        "two words of a title": [SearchRequest(" ".join(title.split()[-2:])) for title in titles],
        "author": [SearchRequest(name) for name in surnames],
        "author and word": [SearchRequest(f"{name} {title.split()[0]}") for name, title in both],
        "romanised title": [SearchRequest(romanise_ala_lc(title)) for title in titles],
        "misspelt title": [SearchRequest(swapped(title.split()[-1], chance)) for title in titles],
        "one frequent word": [SearchRequest(word) for word in frequent],
        "word and filters": [
            SearchRequest(chance.choice(frequent), {"library": (library,), "year": ("1950-1980",)}) for _ in titles
        ],
        "fields": [SearchRequest(f"автор:{name} год:1920-1990") for name in surnames],
        "browsing, by year": [SearchRequest("", {"language": ("rus",)}, sort="-year")],
    }


def path_of(kind: str, number: int) -> str:
    return f"concept/keywords/{number}" if kind == "concept" else f"{kind}/{number}"


def swapped(word: str, chance: random.Random) -> str:
    place = chance.randrange(max(1, len(word) - 1))
    return word[:place] + word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :]


def measure(name: str, works: list[Callable[[], object]]) -> list[tuple[float, float]]:
    times = []
    for work in works:
        begun, spent = time.perf_counter(), time.process_time()
        work()
        times.append((1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - spent)))
    print_times(name, times)
    return times


def print_times(name: str, times: list[tuple[float, float]]) -> None:
    clock, processor = (sorted(column) for column in zip(*times, strict=True))
    median, late = len(times) // 2, int(len(times) * 0.95)
    print(
        f"{name}: median {clock[median]:.1f} ms (processor {processor[median]:.1f}),"
        f" p95 {clock[late]:.1f} ms (processor {processor[late]:.1f}), of {len(times)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="?", default=100_000)
    parser.add_argument("--keep", type=Path, help="a folder for the databases, which are used again if they are there")
    parser.add_argument("--workspace", type=Path, help="a workspace with a release; nothing is written")
    options = parser.parse_args()
    if options.workspace is not None:
        release = Releases(options.workspace).newest()
        assert release is not None, options.workspace
        run(open_search(release), StoredNames(release))
        return
    catalogue = Catalogue(options.records)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not has_search(folder):
            fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 1), catalogue.blocks())
            begun = time.process_time()
            with open_published(folder, 1) as view:
                write_search(folder, BASE, view)
            spent = time.process_time() - begun
            print(f"written in {spent:.1f} s of processor time: {spent / options.records * 1e6:.0f} µs a record")
        size = sum(file.stat().st_size for file in (folder / FOLDER).iterdir())
        print(f"{size / options.records:.0f} bytes a record")
        run(open_search(folder), catalogue)


def run(view: SearchView, catalogue: Catalogue | StoredNames) -> None:
    view.search(SearchRequest("тепло"))
    every = []
    for name, asked in catalogue.queries().items():
        folded = [replace(one, is_folded=True) for one in asked]
        every += measure(name, [lambda one=one: view.search(one) for one in folded])
    print_times("all searches", every)
    measure("suggestions", [lambda text=text: view.suggest(text) for text in catalogue.beginnings()])


if __name__ == "__main__":
    main()
