"""Documents while the server is under attack: their latency, errors, the memory of all processes, ends of queries.

`python benchmarks/server_stress.py URL PID` attacks a running `bibld serve` (PID is its first process) for some seconds
with, at once: 1,000 idle connections, 200 slow bodies, 100 hostile queries, and a crawler of HTML. Beside them eight
clients read documents. The server needs `query_timeout = 5`. Without arguments this builds the sample, serves it, and
attacks that.

The first line is the same without the attack. Run it on the machine of the server: it uses one core itself.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

IDLE, SLOW_BODIES, HOSTILE, READERS = 1000, 200, 100, 8
QUERY_TIMEOUT = 5.0
OVERTIME = 0.5
TARGET_MS = 50.0
MEMORY_CAP_MIB = 3000
HOSTILE_QUERIES = (
    "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
    "SELECT DISTINCT ?a ?d ?g WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c ?f ?i",
    "SELECT * WHERE { ?a (<x:p>|!<x:p>)* ?b . ?b (<x:q>|!<x:q>)* ?c }",
    'SELECT * WHERE { ?a ?b ?c . ?d ?e ?f FILTER(REGEX(STR(?c), "(a+)+$") && CONTAINS(STR(?f), STR(?c))) }',
    "SELECT ?a (GROUP_CONCAT(CONCAT(STR(?c), STR(?f))) AS ?t) WHERE { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a",
)


class Site:
    """The server under test."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port, self.mount = parts.hostname, parts.port or 80, parts.path

    async def connect(self, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(sent)
        return reader, writer

    def request(self, path: str, accept: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAccept: {accept}\r\n\r\n".encode()

    async def get(self, path: str, accept: str, headers: str = "") -> tuple[int, bytes]:
        request = self.request(path, accept)[:-2] + f"Connection: close\r\n{headers}\r\n".encode()
        reader, writer = await self.connect(request)
        try:
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
        return int(head.split()[1]), body


class Readers:
    """Clients that read documents over connections that stay open."""

    def __init__(self, site: Site, paths: list[str]) -> None:
        self.site, self.paths = site, paths
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self.is_over = False

    async def read(self, number: int) -> None:
        reader, writer = await self.site.connect(b"")
        while not self.is_over:
            path = self.paths[(number + len(self.seconds)) % len(self.paths)]
            begin = time.perf_counter()
            try:
                writer.write(self.site.request(path, "application/n-triples"))
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
                if int(head.split()[1]) != 200:
                    self.errors.append(head.split(b"\r\n")[0].decode())
            except (OSError, asyncio.IncompleteReadError, TypeError) as error:
                self.errors.append(repr(error))
                reader, writer = await self.site.connect(b"")
            self.seconds.append(time.perf_counter() - begin)
            await asyncio.sleep(0.01)  # a reader is no flood
        writer.close()

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def query(site: Site, number: int, ends: list[tuple[float, int]]) -> None:
    """Send a hostile query, each from another address, so that the limits of one client do not help."""
    text = f"{HOSTILE_QUERIES[number % len(HOSTILE_QUERIES)]} #{number}"
    begin = time.perf_counter()
    forwarded = f"X-Forwarded-For: 198.51.100.{number}\r\n"
    status, _ = await site.get(f"{site.mount}sparql?query={quote(text)}", "application/json", forwarded)
    ends.append((time.perf_counter() - begin, status))


async def slow_body(site: Site, counts: dict[str, int]) -> None:
    reader, writer = await site.connect(
        f"POST {site.mount}sparql HTTP/1.1\r\nHost: {site.host}\r\nContent-Length: 100000\r\n\r\n".encode()
    )
    answering = asyncio.create_task(reader.read(4096))
    while not answering.done():
        writer.write(b"a")
        await asyncio.wait((answering,), timeout=0.5)
    counts["slow bodies cut"] += answering.result().startswith(b"HTTP/1.1 408 ")
    writer.close()


async def crawl(site: Site, paths: list[str], readers: Readers, counts: dict[str, int]) -> None:
    while not readers.is_over:
        path = paths[counts["pages"] % len(paths)].removesuffix(".nt") + ".html"
        status, _ = await site.get(path, "text/html")
        counts["pages"] += 1
        counts["pages with errors"] += status not in (200, 303)


def memory_mib(supervisor: int) -> float:
    """Return the memory of a process and its descendants; pages that they share are counted once."""
    total, waiting = 0.0, [supervisor]
    while waiting:
        process = waiting.pop()
        try:
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1]) / 1024
    return total


async def watch_memory(supervisor: int, readers: Readers, largest: list[float]) -> None:
    while not readers.is_over:
        largest.append(await asyncio.to_thread(memory_mib, supervisor))
        await asyncio.sleep(0.5)


async def find_documents(site: Site) -> list[str]:
    """Return the paths of documents, from the home page and the pages that it links."""
    found: dict[str, None] = {}
    waiting, seen = [site.mount], {site.mount}
    while waiting and len(found) < 200 and len(seen) < 60:
        _, page = await site.get(waiting.pop(0), "text/html")
        for link in re.findall(r'href="(' + re.escape(site.mount) + r'(?:doc/)?[a-z]+/[^"#?]+)', page.decode()):
            name = re.sub(r"\.(html|ttl|nt|jsonld|rdf|json|mods\.xml|marcxml|mrk)$", "", link)
            if re.match(re.escape(site.mount) + r"(doc/)?(resource|agent|concept)/", name):
                document = (
                    name if name.startswith(f"{site.mount}doc/") else f"{site.mount}doc/{name[len(site.mount) :]}"
                )
                found[f"{document}.nt"] = None
                if document not in seen:
                    seen.add(document)
                    waiting.append(f"{document}.html")
    good = [path for path in found if (await site.get(path, "application/n-triples"))[0] == 200]
    return good[:200]


async def measure(site: Site, paths: list[str], seconds: float, supervisor: int, is_attack: bool) -> bool:
    readers, counts = Readers(site, paths), {"pages": 0, "pages with errors": 0, "slow bodies cut": 0}
    largest: list[float] = []
    ends: list[tuple[float, int]] = []
    tasks = [asyncio.create_task(watch_memory(supervisor, readers, largest))]
    idle = []
    if is_attack:
        for number in range(IDLE):  # half of them have sent a request before
            idle.append(await site.connect(site.request("/health/live", "*/*") if number % 2 else b""))
        tasks += [asyncio.create_task(slow_body(site, counts)) for _ in range(SLOW_BODIES)]
        tasks += [asyncio.create_task(query(site, number, ends)) for number in range(HOSTILE)]
        tasks.append(asyncio.create_task(crawl(site, paths, readers, counts)))
    tasks += [asyncio.create_task(readers.read(number)) for number in range(READERS)]
    await asyncio.sleep(seconds)
    readers.is_over = True
    await asyncio.gather(*tasks)
    for _, writer in idle:
        writer.close()
    p50, p99 = readers.percentile(0.5), readers.percentile(0.99)
    print(
        f"{'attack' if is_attack else 'alone':7} {len(readers.seconds):,} documents: p50 {p50:.1f} ms, "
        f"p99 {p99:.1f} ms, longest {1000 * max(readers.seconds):.0f} ms, {len(readers.errors)} errors "
        f"{readers.errors[:3]}; memory at most {max(largest):,.0f} MiB",
        flush=True,
    )
    if not is_attack:
        return True
    slowest = max(second for second, _ in ends)
    statuses = {status: sum(each == status for _, each in ends) for status in sorted({each for _, each in ends})}
    print(
        f"        {len(ends)} hostile queries: statuses {statuses}, the longest {slowest:.2f} s; {json.dumps(counts)}"
    )
    checks = {
        f"p99 at most {TARGET_MS:g} ms": p99 <= TARGET_MS,
        "no errors": not readers.errors and not counts["pages with errors"],
        f"memory at most {MEMORY_CAP_MIB:,} MiB": max(largest) <= MEMORY_CAP_MIB,
        f"queries end by {QUERY_TIMEOUT + OVERTIME:g} s": slowest <= QUERY_TIMEOUT + OVERTIME,
    }
    print("        " + "; ".join(f"{name}: {'yes' if good else 'NO'}" for name, good in checks.items()))
    return all(checks.values())


def serve_sample(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Build the sample and serve it."""
    folder = folder / "sample"
    folder.mkdir()
    config = folder / "bibld.toml"
    for each in (Path(__file__).parents[1] / "sample_data").iterdir():
        if each.is_file():
            (folder / each.name).write_bytes(each.read_bytes())
    with config.open("a") as settings:
        settings.write(f"\n[serve]\nquery_timeout = {QUERY_TIMEOUT}\nrequest_timeout = {QUERY_TIMEOUT}\n")
    subprocess.run([sys.executable, "-m", "bibld", "run", str(config), "--quiet"], check=True)
    server = subprocess.Popen(
        [sys.executable, "-m", "bibld", "serve", str(config), "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    line = server.stderr.readline()
    found = re.search(r"http://\S+", line)
    assert found, line
    return server, found[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?")
    parser.add_argument("pid", nargs="?", type=int)
    parser.add_argument("--seconds", type=float, default=8.0)
    asked = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        server = None
        url, pid = asked.url, asked.pid
        if url is None:
            server, url = serve_sample(Path(folder))
            pid = server.pid
        try:
            site = Site(url)
            paths = asyncio.run(find_documents(site))
            print(f"{len(paths)} documents, {os.cpu_count()} cores", flush=True)
            asyncio.run(measure(site, paths, asked.seconds / 2, pid, is_attack=False))
            is_good = asyncio.run(measure(site, paths, asked.seconds, pid, is_attack=True))
        finally:
            if server is not None:
                server.send_signal(signal.SIGTERM)
                server.communicate(timeout=30)
    raise SystemExit(0 if is_good else 1)


if __name__ == "__main__":
    main()
