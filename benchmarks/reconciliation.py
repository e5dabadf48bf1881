"""Time of queries to the reconciliation service over many titles: ``python benchmarks/reconciliation.py [TITLES]``.

The titles are words of a vocabulary whose frequencies fall as those of a language do, with authors and years.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.rdf import quad, term
from bibld.model.release import DatasetDescription, Figures, Manifest
from bibld.search import open_search, write_search
from bibld.serve._interfaces.reconcile import ReconciliationQuery, Service

BASE = "https://data.example.org/"
SYLLABLES = ["ма", "ри", "ко", "ст", "во", "ле", "на", "ти", "го", "ра", "си", "ну", "бе", "да", "жи", "по"]
QUERIES = 500


def main(titles: int) -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    weights = [1 / (place + 1) for place in range(len(words))]
    names = [" ".join(chance.choices(words, weights, k=chance.randint(2, 7))) for _ in range(titles)]
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        fill(workspace, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 1), [lines(names)])
        begun = time.process_time()
        with open_published(workspace, 1) as view:
            write_search(workspace, BASE, view)
            print(f"{titles:,} titles: written in {time.process_time() - begun:.1f} s of processor time")
            dataset = DatasetDescription(BASE, {"en": "Benchmark"}, BASE, "nobody")
            manifest = Manifest(1, "", "", dataset, Figures((), 0, 0, 0, 0, 0, 0), ())
            service = Service(manifest, open_search(workspace), view)
            measure(service, [chance.randrange(titles) for _ in range(QUERIES)], names)


def lines(names: list[str]) -> bytes:
    return "".join(
        quad(f"<{BASE}resource/a/{number}>", term("dcterms:title"), f'"{name}"') for number, name in enumerate(names)
    ).encode()


def measure(service: Service, chosen: list[int], names: list[str]) -> None:
    times, first = [], 0
    for number in chosen:
        begun = time.perf_counter()
        answer = service.candidates(ReconciliationQuery(names[number], "publication"))
        times.append(1000 * (time.perf_counter() - begun))
        first += answer[0]["name"] == names[number]
    times.sort()
    middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
    print(f"a query: median {middle:.1f} ms, p95 {late:.1f} ms; the title itself first: {first} of {len(chosen)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
