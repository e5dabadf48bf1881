"""Time of SRU requests over HTTP: searches with records, and lists of words.

    python benchmarks/sru.py ADDRESS [--clients 1]

ADDRESS is that of the interface of a server that runs, such as http://localhost:8000/sru. Titles, names, numbers and
years are those of publications that are drawn from its first 100,000; each query is sent once, with
ten records in MODS. Times are those of the client: search, records, XML and transport together.
"""

import argparse
import random
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
from lxml import etree

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


def values(description: etree._Element, *names: str) -> list[str]:
    return [each.text.replace('"', " ").replace("\\", " ") for name in names for each in description.iter(DC + name)]


def words(text: str, least: int = 4) -> list[str]:
    return [word for word in re.findall(r"\w+", text) if len(word) >= least]


def queries(drawn: Sequence[etree._Element]) -> Iterator[tuple[str, str]]:
    """Yield kinds and queries."""
    for each in drawn:
        title = next(iter(values(each, "title")), "")
        name = next(iter(values(each, "creator", "contributor")), "").partition(",")[0]
        numbers = [found[0] for text in values(each, "identifier") if (found := ISBN.search(text.replace("-", "")))]
        years = [found[0] for text in values(each, "date") if (found := YEAR.search(text))]
        of_title = words(title)
        if of_title:
            yield "a title", f'dc.title = "{title[:200]}"'
            yield "a title exactly", f'dc.title == "{title[:200]}"'
            yield "two words anywhere", f'"{" ".join(of_title[-2:])}"'
            yield "the beginning of a word", f'dc.title = "{of_title[0][:5]}*"' if len(of_title[0]) > 4 else "any = a"
        if name and of_title:
            yield "name and title", f'bath.name = "{name}" and dc.title any "{" ".join(of_title[:3])}"'
        if numbers:
            yield "ISBN", f"bath.isbn = {numbers[0]}"
        if years and of_title:
            yield (
                "word and years",
                f'"{of_title[0]}" and dc.date within "{int(years[0]) - 5} {years[0]}" sortBy dc.date',
            )
    yield "all records", "cql.allRecords = 1"
    yield "a language", "dc.language = rus sortBy dc.title"


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
    parser.add_argument("address")
    parser.add_argument("--clients", type=int, default=1, help="that send requests at the same time")
    options = parser.parse_args()
    server = Server(options.address)
    drawn = server.drawn()
    kinds: dict[str, list[dict[str, str]]] = {}
    common = {"version": "1.2", "operation": "searchRetrieve", "recordSchema": "mods", "maximumRecords": "10"}
    for kind, query in queries(drawn):
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
