"""Time of SRU requests over HTTP: searches with records, and lists of words.

    python benchmarks/sru.py ADDRESS [--clients 1]
    python benchmarks/sru.py --index FOLDER

ADDRESS is that of the interface of a server that runs, such as http://localhost:8000/sru. Titles, names, numbers and
years are those of publications that are drawn from its first 100,000; each query is sent once, with
ten records in MODS. Times are those of the client: search, records, XML and transport together. With an index, such
as `search_speed.py --keep` leaves, each query is read and searched for without HTTP and records.
"""

import argparse
import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
from lxml import etree

from bibld.model.iris import Iris
from bibld.search import StoredPublication, open_search
from bibld.serve._interfaces.sru.cql import CqlReader

DRAWN = 100
DC = "{http://purl.org/dc/elements/1.1/}"
MAX_POSITION = 100_000
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
ISBN = re.compile(r"97[89]\d{10}|\d{9}[\dX]")


class Server:
    """An SRU server, asked over one connection."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._http = httpx.Client(timeout=120)

    def ask(self, **arguments: str) -> etree._Element:
        answer = self._http.get(self._address, params=arguments)
        answer.raise_for_status()
        root = etree.fromstring(answer.content)
        fatal = root.find("{*}diagnostics")
        assert fatal is None, (arguments, etree.tostring(fatal, encoding="unicode"))
        return root

    def search(self, query: str, **arguments: str) -> etree._Element:
        return self.ask(version="1.2", operation="searchRetrieve", query=query, **arguments)

    def drawn(self) -> list[etree._Element]:
        """Return descriptions of publications, the same at each call."""
        total = int(self.search("cql.allRecords=1", maximumRecords="0").findtext("{*}numberOfRecords"))
        chance = random.Random(1)
        positions = chance.choices(range(1, min(total, MAX_POSITION) + 1), k=DRAWN)
        print(f"{total:,} publications")
        return [
            next(
                iter(
                    self.search("cql.allRecords=1", maximumRecords="1", recordSchema="dc", startRecord=str(each)).iter(
                        "{info:srw/schema/1/dc-schema}dc"
                    )
                )
            )
            for each in positions
        ]


class Drawn(NamedTuple):
    """What is asked about a publication."""

    title: str
    name: str
    isbn: str
    year: str

    @classmethod
    def from_description(cls, description: etree._Element) -> "Drawn":
        numbers = [ISBN.search(text.replace("-", "")) for text in values(description, "identifier")]
        years = [YEAR.search(text) for text in values(description, "date")]
        return cls(
            next(iter(values(description, "title")), ""),
            next(iter(values(description, "creator", "contributor")), "").partition(",")[0],
            next((found[0] for found in numbers if found), ""),
            next((found[0] for found in years if found), ""),
        )

    @classmethod
    def from_stored(cls, stored: StoredPublication) -> "Drawn":
        name = next((agent.name for agent in stored.agents), "").partition(",")[0]
        return cls(stored.title.replace('"', " "), name.replace('"', " "), next(iter(stored.isbns), ""), stored.year)


def values(description: etree._Element, *names: str) -> list[str]:
    return [each.text.replace('"', " ").replace("\\", " ") for name in names for each in description.iter(DC + name)]


def words(text: str, least: int = 4) -> list[str]:
    return [word for word in re.findall(r"\w+", text) if len(word) >= least]


def queries(drawn: Iterable[Drawn]) -> Iterator[tuple[str, str]]:
    """Yield kinds and queries."""
    for title, name, isbn, year in drawn:
        of_title = words(title)
        if of_title:
            yield "a title", f'dc.title = "{title[:200]}"'
            yield "a title exactly", f'dc.title == "{title[:200]}"'
            yield "two words anywhere", f'"{" ".join(of_title[-2:])}"'
            yield "the beginning of a word", f'dc.title = "{of_title[0][:5]}*"' if len(of_title[0]) > 4 else "any = a"
        if name and of_title:
            yield "name and title", f'bath.name = "{name}" and dc.title any "{" ".join(of_title[:3])}"'
        if isbn:
            yield "ISBN", f"bath.isbn = {isbn}"
        if year.isdecimal() and of_title:
            years = f"{int(year) - 5} {year}"
            yield "word and years", f'"{of_title[0]}" and dc.date within "{years}" sortBy dc.date'
    yield "all records", "cql.allRecords = 1"
    yield "a language", "dc.language = rus sortBy dc.title"


def measure_index(folder: Path) -> None:
    """Time reading each query and searching for it in an index."""
    reader = CqlReader(Iris("https://data.example.org/"), {})
    with closing(open_search(folder)) as view:
        every = reader.read("cql.allRecords = 1 sortBy dc.title").condition
        _, total = view.retrieve(every, "year", 1)
        print(f"{total:,} publications")
        chance = random.Random(1)
        positions = chance.choices(range(min(total, MAX_POSITION)), k=DRAWN)
        drawn = [Drawn.from_stored(view.retrieve(every, "year", 1, position)[0][0]) for position in positions]
        kinds: dict[str, list[float]] = {}
        for kind, query in queries(drawn):
            begun = time.perf_counter()
            asked = reader.read(query)
            view.retrieve(asked.condition, asked.sort, 10)
            kinds.setdefault(kind, []).append(1000 * (time.perf_counter() - begun))
    for kind, times in kinds.items():
        print_times(kind, times)
    print_times("all queries", [each for times in kinds.values() for each in times])


def measure(server: Server, asked: Sequence[dict[str, str]]) -> list[float]:
    times = []
    for each in asked:
        begun = time.perf_counter()
        server.ask(**each)
        times.append(1000 * (time.perf_counter() - begun))
    return times


def print_times(name: str, times: list[float]) -> None:
    ordered = sorted(times)
    late = ordered[int(len(ordered) * 0.95)]
    print(f"{name}: median {ordered[len(ordered) // 2]:.1f} ms, p95 {late:.1f} ms, of {len(ordered)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?")
    parser.add_argument("--index", type=Path, help="a folder with an index, instead of an address")
    parser.add_argument("--clients", type=int, default=1, help="that send requests at the same time")
    options = parser.parse_args()
    if options.index is not None:
        measure_index(options.index)
        return
    server = Server(options.address)
    drawn = server.drawn()
    kinds: dict[str, list[dict[str, str]]] = {}
    common = {"version": "1.2", "operation": "searchRetrieve", "recordSchema": "mods", "maximumRecords": "10"}
    for kind, query in queries(map(Drawn.from_description, drawn)):
        kinds.setdefault(kind, []).append({**common, "query": query})
    scans = [
        {"scanClause": f'dc.title = "{word}"'} for each in drawn for word in words(" ".join(values(each, "title")))[:1]
    ]
    every: list[float] = []
    for kind, asked in kinds.items():
        with ThreadPoolExecutor(options.clients) as pool:
            parts = pool.map(lambda part: measure(Server(options.address), part), [asked] * options.clients)
        times = [each for part in parts for each in part]
        print_times(kind, times)
        every += times
    print_times("all queries", every)
    print_times("scan", measure(server, scans))


if __name__ == "__main__":
    main()
