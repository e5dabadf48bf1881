"""Documents over HTTP: requests per second, p99 and processor time of each, beside rdflib-endpoint's DESCRIBE.

    python benchmarks/serving.py [--config bibld.toml] [--seconds 5] [--connections 8] [--without-endpoint]
                                 [--environment FOLDER]

Without ``--config`` the sample is published and served. Needs `wrk`. Processor time is that of all processes of the
server (user and system) divided by the requests: unlike requests per second it hardly depends on what else the machine
does. Requests are for random publications of the release; none is asked for twice before all were. rdflib-endpoint is
installed from PyPI into a temporary environment (or into ``--environment``, where it is kept), and loads the default
graph of the release.
"""

import argparse
import gzip
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from bibld import config
from bibld.documents import open_published
from bibld.model.rdf import is_of_named_graph

_PATHS = 8000
_PATIENCE = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")
_WRK = """local paths = {{{paths}}}
local at = 0
request = function() at = at % #paths + 1; return wrk.format("GET", paths[at]) end
{headers}
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("RESULT %d %d %.3f\\n", summary.requests, failed, latency:percentile(99) / 1000))
end
"""


class Result(NamedTuple):
    """Requests per second, the 99th percentile of their time and processor time of each (both in ms), failures."""

    rate: float
    p99: float
    processor: float
    failed: int


def processes(process: int) -> list[int]:
    """Return the ids of a process and of all that it started."""
    found = [process]
    with suppress(FileNotFoundError):  # it has just ended
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += processes(int(child))
    return found


def processor_seconds(process: int) -> float:
    """Return the processor time of a process and its children."""
    total = 0
    for each in processes(process):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))  # also that of children which have ended
    return total / _TICKS


@contextmanager
def running(*command: str | Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a server, which is ended by its process id."""
    process = subprocess.Popen(
        [str(part) for part in command], stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def measure(url: str, process: int, paths: list[str], header: str, options: argparse.Namespace) -> Result:
    """Send requests for a few seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        quoted = ",".join(json.dumps(path) for path in paths)
        headers = f"wrk.headers[{header!r}] = {options.headers[header]!r}" if header else ""
        script.write(_WRK.format(paths=quoted, headers=headers))
        script.flush()
        command = ["wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s", "-s", script.name, url]
        before, began = processor_seconds(process), time.perf_counter()
        written = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE).stdout
        spent, seconds = processor_seconds(process) - before, time.perf_counter() - began
    found = re.search(r"RESULT (\d+) (\d+) (\S+)", written)
    assert found is not None, written
    requests = int(found[1])
    return Result(requests / seconds, float(found[3]), spent / requests * 1000, int(found[2]))


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def wait_until(is_ready: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            is_ready()
            return
        except urllib.error.HTTPError:
            raise
        except OSError:
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.2)


def measure_documents(file: Path, paths: list[str], options: argparse.Namespace) -> dict[str, Result]:
    """Measure bibld's answers."""
    documents = {
        form: [f"/doc/{path}.{form}" for path in paths] for form in ("ttl", "nt", "jsonld", "json", "html", "rdf")
    }
    things = [f"/{path}" for path in paths]
    rows = {
        "Turtle": (documents["ttl"], ""),
        "N-Triples": (documents["nt"], ""),
        "JSON-LD": (documents["jsonld"], ""),
        "JSON": (documents["json"], ""),
        "HTML": (documents["html"], ""),
        "Turtle, gzip": (documents["ttl"], "Accept-Encoding"),
        "303": (things, "Accept"),
        "304": (documents["ttl"], "If-Modified-Since"),
        "SPARQL look-up": (_look_ups("/sparql", config.load(file).dataset.base, paths), ""),
        "SPARQL, evaluated": (_evaluated("/sparql", config.load(file).dataset.base, paths), ""),
    }
    with running(sys.executable, "-m", "bibld", "serve", file, "--port", "0") as server:
        assert server.stderr is not None
        found = re.search(r"http://[^/]+", server.stderr.readline())
        assert found is not None, "the server does not start"
        first = f"{found[0]}{documents['ttl'][0]}"
        wait_until(lambda: urllib.request.urlopen(first, timeout=_PATIENCE).read(), server)
        warm = argparse.Namespace(**{**vars(options), "seconds": 1})
        measure(found[0], server.pid, documents["rdf"], "", warm)
        return {name: measure(found[0], server.pid, asked, header, options) for name, (asked, header) in rows.items()}


def _look_ups(endpoint: str, base: str, paths: list[str]) -> list[str]:
    return [f"{endpoint}?query={quote(f'SELECT ?p ?o {{ <{base}{path}> ?p ?o }}')}" for path in paths]


def _evaluated(endpoint: str, base: str, paths: list[str]) -> list[str]:
    """Return addresses of queries that no prepared document answers: a worker process evaluates them."""
    return [f"{endpoint}?query={quote(f'SELECT ?o {{ <{base}{path}> ?p ?o ; a ?t }}')}" for path in paths]


def measure_endpoint(release: Path, base: str, paths: list[str], options: argparse.Namespace) -> dict[str, Result]:
    """Measure rdflib-endpoint's DESCRIBE of the same things, as Turtle, and its answers to the same queries."""
    with tempfile.TemporaryDirectory() as folder:
        environment = options.environment or Path(folder) / "environment"
        if not (environment / "bin" / "rdflib-endpoint").exists():
            venv.create(environment, with_pip=True)
            install = [environment / "bin" / "pip", "install", "-q", "rdflib-endpoint", "oxrdflib", "uvicorn"]
            subprocess.run(install, check=True, timeout=_PATIENCE)
        dump = Path(folder) / "release.nt"
        with gzip.open(release / "bibld.nq.gz") as lines:
            dump.write_bytes(b"".join(line for line in lines if not is_of_named_graph(line)))
        port = str(free_port())
        command = ("serve", "--store", "Oxigraph", "--host", "127.0.0.1", "--port", port, dump)
        queries = [f"/?query={quote(f'DESCRIBE <{base}{path}>')}" for path in paths]
        url = f"http://127.0.0.1:{port}"
        quiet = ("sh", "-c", 'exec "$@" >/dev/null 2>&1', "-")  # its log would fill the pipe
        with running(*quiet, environment / "bin" / "rdflib-endpoint", *command) as server:
            request = urllib.request.Request(url + queries[0], headers={"Accept": "text/turtle"})
            wait_until(lambda: urllib.request.urlopen(request, timeout=_PATIENCE).read(), server)
            return {
                "DESCRIBE": measure(url, server.pid, queries, "Accept", options),
                "SPARQL look-up": measure(url, server.pid, _look_ups("/", base, paths), "", options),
                "SPARQL, evaluated": measure(url, server.pid, _evaluated("/", base, paths), "", options),
            }


def show(name: str, result: Result, baseline: Result | None) -> None:
    ratios = ("", "")
    if baseline is not None:
        ratios = (f"{result.rate / baseline.rate:.1f}", f"{baseline.processor / result.processor:.1f}")
    figures = (f"{result.rate:,.0f}", f"{result.p99:.1f}", f"{result.processor:.3f}", *ratios, f"{result.failed}")
    print("| " + " | ".join((name, *figures)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--without-endpoint", action="store_true")
    parser.add_argument("--environment", type=Path, help="folder of rdflib-endpoint, made if it is missing")
    options = parser.parse_args()
    options.headers = {
        "Accept": "text/turtle",
        "Accept-Encoding": "gzip",
        "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT",
    }
    with tempfile.TemporaryDirectory() as folder:
        file = options.config
        if file is None:
            file = Path(folder) / "sample" / "bibld.toml"
            for command in (("sample", file.parent), ("run", file)):
                subprocess.run([sys.executable, "-m", "bibld", *map(str, command)], check=True, capture_output=True)
        loaded = config.load(file)
        number = int((loaded.workspace / "releases" / "current").read_text())
        with open_published(loaded.workspace, number) as view:
            paths = [entry.path for entry in view.entries("resource/") if entry.status == 200]
        random.Random(1).shuffle(paths)
        paths = paths[:_PATHS]
        baselines: dict[str, Result] = {}
        if not options.without_endpoint:
            release = loaded.workspace / "releases" / str(number)
            baselines = measure_endpoint(release, loaded.dataset.base, paths, options)
        print("| | requests a second | p99, ms | processor, ms | × requests | × processor | failed |")
        print("|---|---|---|---|---|---|---|")
        for name, result in baselines.items():
            show(f"rdflib-endpoint, {name}", result, None)
        for name, result in measure_documents(file, paths, options).items():
            show(name, result, baselines.get(name, baselines.get("DESCRIBE")))


if __name__ == "__main__":
    main()
