"""Triple stores: how fast each is loaded, and how long a patch of 1,000 records takes.

``PYTHONPATH=. python benchmarks/stores.py [--quads N] [--store NAME]``: N synthetic quads (default 1,000,000), as
bibld publishes them: records of 57 quads, 30 % of them in the graph of provenance, half of the objects literals. The
stores are the embedded one, Oxigraph's server (package ``oxigraph``), and Virtuoso 7 over HTTP and with its own loader
(Debian's ``virtuoso-opensource-7``); servers that are missing are left out.

The patch has 400 new records, 100 deleted ones, and 500 in which 20 of the quads are replaced. The load of remote
stores includes writing the files that are sent; the quads of each graph are counted afterwards, and that is timed too.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from bibld.config import remote_of_url
from bibld.progress import Silent
from bibld.store import oxigraph
from bibld.store._delivery import write_files
from tests.store.real_servers import oxigraph_binary, oxigraph_server, virtuoso_binary, virtuoso_server

BASE = "https://data.example.org/"
PROVENANCE = f"<{BASE}graph/provenance>"
QUADS_OF_RECORD = 57
IN_PROVENANCE = 17
FILE_QUADS = 200_000
NEW, DELETED, CHANGED, REPLACED = 400, 100, 500, 20


def record(number: int, version: int = 0) -> list[str]:
    """The quads of a record; another version has other values in the first 20."""
    resource = f"<{BASE}resource/rsl/{number:09}>"
    lines = []
    for place in range(QUADS_OF_RECORD):
        graph = f" {PROVENANCE}" if place >= QUADS_OF_RECORD - IN_PROVENANCE else ""
        changed = f" {version}" if version and place < REPLACED else ""
        node = resource if place % 3 else f"{resource[:-1]}#node-{place}>"
        if place % 2:
            value = f'"Сочинения в двух томах: {number * 7919 % 100_003} {place}{changed}"@ru'
        else:
            value = f"<{BASE}agent/author-{(number * 31 + place) % 50_021}{changed.strip()}>"
        lines.append(f"{node} <http://purl.org/dc/terms/property{place}> {value}{graph} .\n")
    return lines


def blocks(records: int) -> Iterator[bytes]:
    for begin in range(0, records, 100):
        yield "".join(line for number in range(begin, min(begin + 100, records)) for line in record(number)).encode()


def patch(records: int) -> tuple[list[str], list[str]]:
    """The lines that are added and removed."""
    added = [line for number in range(records, records + NEW) for line in record(number)]
    removed = [line for number in range(DELETED) for line in record(number)]
    for number in range(DELETED, DELETED + CHANGED):
        removed += record(number)[:REPLACED]
        added += record(number, 1)[:REPLACED]
    return added, removed


def timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def report(name: str, quads: int, load: float, patched: float, counted: float) -> None:
    print(
        f"{name}: {quads:,} quads loaded in {load:.1f} s, {quads / load:,.0f} a second; patch of 1,000 records"
        f" {patched:.2f} s; counting {counted:.2f} s",
        flush=True,
    )


def embedded(place: Path, records: int) -> None:
    store = oxigraph.open_store(place / "embedded", oxigraph.Settings())
    loaded = timed(lambda: store.load(blocks(records)))
    added, removed = patch(records)
    patched = timed(lambda: store.apply(added, removed))
    expected = records * QUADS_OF_RECORD + len(added) - len(removed)
    counted = timed(lambda: check(store.count(), expected))
    store.close()
    report("embedded Oxigraph", records * QUADS_OF_RECORD, loaded, patched, counted)


def remote(name: str, place: Path, records: int, url: str, kind: str, **settings: str) -> None:
    os.environ.update(STORE_USER="dba", STORE_PASSWORD="dba")
    named = remote_of_url(url, kind, "STORE_USER", "STORE_PASSWORD")
    adapter_settings = type(named.settings)(**settings)
    store = type(named)(named.config, adapter_settings).open(BASE)
    begin = time.perf_counter()
    files = write_files(place / f"files {name}", blocks(records), FILE_QUADS, Silent())
    written = time.perf_counter() - begin
    for first in range(0, len(files), store.files_at_once):
        store.load_files(files[first : first + store.files_at_once])
    loaded = time.perf_counter() - begin
    added, removed = patch(records)
    patched = timed(lambda: store.apply(added, removed))
    expected = records * QUADS_OF_RECORD + len(added) - len(removed)
    counted = timed(lambda: check(sum(store.counts().values()), expected))
    report(f"{name} (files {written:.1f} s)", records * QUADS_OF_RECORD, loaded, patched, counted)


def check(found: int, expected: int) -> None:
    assert found == expected, f"{found} quads instead of {expected}"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quads", type=int, default=1_000_000)
    options.add_argument("--store", choices=("embedded", "oxigraph", "virtuoso", "virtuoso-sql"))
    arguments = options.parse_args()
    records = arguments.quads // QUADS_OF_RECORD
    buffers = max(20_000, arguments.quads // 40)
    chosen = [arguments.store] if arguments.store else ["embedded", "oxigraph", "virtuoso", "virtuoso-sql"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in chosen:
            with ExitStack() as stack:
                if name == "embedded":
                    embedded(place, records)
                elif name == "oxigraph" and oxigraph_binary():
                    server = stack.enter_context(oxigraph_server(place / name))
                    remote("Oxigraph's server", place, records, server.url, "oxigraph")
                elif name.startswith("virtuoso") and virtuoso_binary():
                    server = stack.enter_context(virtuoso_server(place / name, place, buffers))
                    settings = {"sql": server.sql} if name == "virtuoso-sql" else {}
                    title = "Virtuoso with its own loader" if settings else "Virtuoso over HTTP"
                    remote(title, place, records, server.url, "virtuoso", **settings)
                else:
                    print(f"{name}: not installed")


if __name__ == "__main__":
    main()
