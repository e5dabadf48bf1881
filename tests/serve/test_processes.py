"""Several server processes: many connections, deaths, releases switched under load, limits counted together."""

from __future__ import annotations

import json
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.serve.server import PATIENCE, SCRIPT, Server, children, kill, runs, serving, wait_until

pytestmark = pytest.mark.server

DOCUMENT = "/lod/doc/resource/rsl/RU~5CNLR~5Cbibl~5C204591.nt"
PRODUCT = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
SPARQL = f"/lod/sparql?query={quote(PRODUCT)}"
NONE_EXEMPT = {"exempt": []}
THREADS = 4


@pytest.fixture(scope="module", autouse=True)
def enough_files():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 8000:
        pytest.skip(f"needs 8,000 open files, the limit is {before[1]:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Load:
    """Threads that request a document again and again, each over a new connection; counts answers and failures."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._threads = [threading.Thread(target=self._ask) for _ in range(THREADS)]
        self._is_over = False
        self.answers: list[int] = []
        self.failures: list[str] = []

    def __enter__(self) -> Load:
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        for each in self._threads:
            each.join()

    def wait_for_answers(self, count: int = 20) -> None:
        """Wait until ``count`` more requests have been answered."""
        enough = len(self.answers) + count
        wait_until(lambda: len(self.answers) >= enough)

    def _ask(self) -> None:
        while not self._is_over:
            try:
                status, body = self._server.get(DOCUMENT)
                if status != 200 or not body:
                    self.failures.append(f"status {status}")
                self.answers.append(status)
            except (OSError, IndexError) as error:
                self.failures.append(repr(error))


def open_idle_slow_and_half_open(server: Server, count: int) -> list[socket.socket]:
    """Open connections that have had an answer, that have begun a request, and that have sent nothing."""
    opened: list[socket.socket] = []
    for _ in range(count):
        idle = server.connect(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        slow = server.connect(b"GET /lod/ HTTP/1.1\r\nHost: loc")
        opened += (idle, slow, server.connect())
    return opened


def begin_bodies(server: Server, count: int) -> list[socket.socket]:
    """Open connections that have sent the beginning of a body."""
    begun = b"POST /lod/sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nquery="
    return [server.connect(begun) for _ in range(count)]


def test_others_are_answered_beside_thousands_of_idle_slow_and_half_open_connections(tmp_path):
    with serving(tmp_path, request_timeout=PATIENCE) as server:
        opened = [*open_idle_slow_and_half_open(server, 1000), *begin_bodies(server, 200)]
        with Load(server) as load:
            load.wait_for_answers(100)
        assert load.failures == []
        for client in opened:
            client.close()


def test_idle_slow_and_half_open_connections_are_cut(tmp_path):
    with serving(tmp_path, request_timeout=1.0) as server:
        bodies = begin_bodies(server, 20)
        opened = open_idle_slow_and_half_open(server, 20)
        for client in bodies:
            assert client.recv(1000).startswith(b"HTTP/1.1 408 ")
        for client in opened:
            while client.recv(65536):
                pass
        for client in (*opened, *bodies):
            client.close()


def test_a_client_that_takes_nothing_of_its_answer_is_cut(tmp_path):
    with serving(tmp_path, request_timeout=1.0, processes=1) as server:
        (process,) = server.servers()
        before = len(list(Path(f"/proc/{process}/fd").iterdir()))
        clients = []
        for _ in range(10):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.connect(("127.0.0.1", server.port))
            client.sendall(b"GET /lod/ HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
            clients.append(client)
        wait_until(lambda: len(list(Path(f"/proc/{process}/fd").iterdir())) <= before + 1)
        for client in clients:
            client.close()


@pytest.mark.parametrize("processes", [1, 3])
def test_a_server_process_that_is_killed_is_replaced_and_only_its_own_requests_fail(tmp_path, processes):
    with serving(tmp_path, processes=processes) as server:
        for number in (1, 2, 3):
            victim = server.servers()[0]
            with Load(server) as load:
                load.wait_for_answers()
                kill(victim)
                wait_until(lambda: victim not in server.servers())  # noqa: B023 - called in this round
                wait_until(lambda: len(server.servers()) == processes)
                load.wait_for_answers()
                wait_until(lambda: server.metrics()["bibld_processes_ready"] == processes)
            assert len(load.failures) <= THREADS, load.failures  # each had one connection; later ones wait
            assert server.metrics()["bibld_process_starts_total"] == processes + number
        assert runs(server.pid)


def is_free(port: int) -> bool:
    """Whether a new server could take a port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_a_killed_supervisor_leaves_no_process(tmp_path):
    with serving(tmp_path, query_timeout=PATIENCE) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        servers = server.servers()
        wait_until(lambda: any(children(each) for each in servers))
        queries = [query for each in servers for query in children(each)]
        kill(server.pid)
        wait_until(lambda: not any(runs(each) for each in (*servers, *queries)))
        wait_until(lambda: is_free(server.port))
        client.close()


def test_a_query_process_ends_with_its_server_process(tmp_path):
    with serving(tmp_path, query_timeout=PATIENCE, processes=1, query_workers=1, query_queue=0) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        (process,) = server.servers()
        wait_until(lambda: bool(children(process)))
        (query,) = children(process)
        wait_until(lambda: server.metrics()["bibld_queries_running"] == 1)
        kill(process)
        wait_until(lambda: not runs(query))
        client.close()
        wait_until(lambda: server.servers() not in ([], [process]))
        assert server.get("/lod/sparql?query=ASK%7B%7D")[0] == 200  # its place was freed


def test_a_killed_query_process_fails_at_most_its_query(tmp_path):
    with serving(tmp_path, processes=1) as server:
        assert server.get("/lod/sparql?query=ASK%7B%7D")[0] == 200
        (process,) = server.servers()
        (query,) = children(process)
        kill(query)
        assert server.get("/lod/sparql?query=ASK%7B?s?p?o%7D")[0] == 200


def test_requests_that_have_begun_end_when_the_server_is_stopped(tmp_path):
    with serving(tmp_path, query_timeout=PATIENCE) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        idle = server.connect()
        wait_until(lambda: any(children(each) for each in server.servers()))
        (query,) = (each for process in server.servers() for each in children(process))
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: is_free(server.port))  # further connections are refused at once
        kill(query)
        assert client.recv(100).startswith(b"HTTP/1.1 503 ")
        assert server.process.wait(PATIENCE) == 0
        idle.close()
        client.close()


def reads(process: int, release: Path) -> bool:
    """Whether a process has opened files of a release."""
    found = False
    for each in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            found |= each.readlink().is_relative_to(release)
    return found


def test_releases_are_switched_and_rolled_back_under_load_without_a_failed_request(tmp_path):
    with serving(tmp_path, names=("1", "2", "3")) as server:
        with Load(server) as load:
            for name in ("2", "3", "1"):
                load.wait_for_answers()
                server.switch(name)
                wait_until(lambda: all(reads(each, tmp_path / name) for each in server.servers()))  # noqa: B023
            load.wait_for_answers()
        assert load.failures == []
        log = (tmp_path / "server.log").read_text()
        assert "cannot be served" not in log


def test_a_release_that_cannot_be_opened_ends_the_server_with_its_error(tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "current").write_text("missing")
    conftest = str(Path(__file__).with_name("conftest.py"))
    begun = subprocess.run(
        [sys.executable, "-c", SCRIPT, conftest, str(tmp_path), '{"port": 0, "processes": 2}'],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert begun.returncode != 0
    assert "failed 3 times before it answered" in begun.stderr


def test_the_supervisor_loads_no_kernels_and_opens_no_store(tmp_path):
    with serving(tmp_path) as server:
        maps = Path(f"/proc/{server.pid}/maps").read_text()
        assert "llvmlite" not in maps
        opened = [str(each.readlink()) for each in Path(f"/proc/{server.pid}/fd").iterdir()]
        assert not any("/store/" in each for each in opened)


def refusal(server: Server, request: bytes) -> bytes:
    """Return the answer to a request that is repeated until the limit of its client is reached."""
    answer = b""

    def is_refused() -> bool:
        nonlocal answer
        answer = server.exchange(request)
        return answer.startswith(b"HTTP/1.1 429 ")

    wait_until(is_refused)
    return answer


def test_limits_hold_for_all_processes_together_and_point_to_the_dumps(tmp_path):
    limits = {"pages": 2, "documents": 20, "sparql": 3, **NONE_EXEMPT}
    with serving(tmp_path, processes=3, limits=limits) as server:
        begin = time.monotonic()
        statuses = [server.get(DOCUMENT)[0] for _ in range(40)]
        regained = 20 * (time.monotonic() - begin) / 60
        assert statuses[:20] == [200] * 20
        assert statuses.count(200) <= 21 + regained
        request = f"GET {DOCUMENT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        head, _, body = refusal(server, request).partition(b"\r\n\r\n")
        refused = json.loads(body)
        assert (refused["status"], refused["title"]) == (429, "Too many requests")
        assert "/lod/dumps/manifest.json" in refused["detail"]
        assert "sitemap" in refused["detail"]
        assert b"retry-after: " in head.lower()
        assert b"content-type: application/problem+json" in head.lower()
        page = request.replace(b"\r\n\r\n", b"\r\nAccept: text/html\r\nAccept-Language: ru\r\n\r\n")
        assert "<h1>Слишком много запросов</h1>" in refusal(server, page).decode()
        assert server.get("/lod/dumps/void.ttl")[0] == 200  # another class
        others = [server.get(DOCUMENT, b"X-Forwarded-For: 203.0.113.9\r\n")[0] for _ in range(10)]
        assert others == [200] * 10  # the proxy on this machine is trusted
        assert server.metrics()['bibld_requests_total{class="documents",status="429"}'] > statuses.count(429)


def test_a_forwarded_address_is_believed_of_trusted_proxies_only(tmp_path):
    limits = {"documents": 2, **NONE_EXEMPT}
    with serving(tmp_path, trusted_proxies=["10.0.0.0/8"], limits=limits, processes=1) as server:
        invented = (f"X-Forwarded-For: 203.0.113.{number}\r\n".encode() for number in range(256))
        wait_until(lambda: server.get(DOCUMENT, next(invented))[0] == 429)


def test_health_metrics_and_the_access_log_of_all_processes(tmp_path):
    log = tmp_path / "access.log"
    with serving(tmp_path, access_log=str(log), access_log_format="json", processes=2) as server:
        wait_until(lambda: json.loads(server.get("/health")[1]) == {"status": "ok", "release": 1})
        assert server.get("/health/live")[0] == 200
        assert server.get("/metrics", b"X-Forwarded-For: 203.0.113.9\r\n")[0] == 403
        for number in range(20):
            query = f"?{number}" if number % 2 else ""  # those without one are answered in another thread
            assert server.get(f"{DOCUMENT}{query}", b'User-Agent: a\xff"\\\r\n')[0] == 200
        wait_until(lambda: server.metrics()['bibld_requests_total{class="documents",status="200"}'] == 20)
        wait_until(lambda: log.read_text().count(DOCUMENT) == 20)
        log.rename(tmp_path / "access.log.1")
        server.process.send_signal(signal.SIGHUP)
        wait_until(log.exists)
        sent = "/lod/sparql?query=" + "a" * 5000  # again, since each process opens the new file by itself
        wait_until(lambda: server.get(sent)[0] == 400 and "/lod/sparql" in log.read_text())
        lines = [json.loads(line) for line in log.read_text().rpartition("\n")[0].splitlines()]
        assert max(len(line["target"]) for line in lines) < 250
        assert all(line["client"] == "127.0.0.1" and line["ms"] >= 0 for line in lines)


def test_metrics_count_what_the_caches_had(tmp_path):
    with serving(tmp_path, processes=1) as server:
        document = "/lod/doc/resource/rsl/RU~5CNLR~5Cbibl~5C204591"
        query = "/lod/sparql?query=ASK%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D"
        for address in (f"{document}.ttl", f"{document}.html", query):
            for _ in range(3):
                assert server.get(address)[0] == 200
        metrics = server.metrics()
        assert metrics["bibld_cache_misses_total"] == 3
        assert metrics["bibld_cache_hits_total"] == 6
        # Each second one request passes through the event loop, which looks for a newer release.
        wait_until(lambda: server.get(f"{document}.nt")[0] == 200 and server.metrics()["bibld_at_once_total"] > 3)
