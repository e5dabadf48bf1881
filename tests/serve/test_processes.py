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
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.serve.server import SCRIPT, Server, children, kill, runs, serving, wait_until

pytestmark = pytest.mark.server

DOCUMENT = "/lod/doc/resource/rsl/RU~5CNLR~5Cbibl~5C204591.nt"
PRODUCT = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
SPARQL = f"/lod/sparql?query={quote(PRODUCT)}"
NONE_EXEMPT = {"exempt": []}


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

    def __init__(self, server: Server, threads: int = 4) -> None:
        self._server = server
        self._threads = [threading.Thread(target=self._ask) for _ in range(threads)]
        self._is_over = False
        self.seconds: list[float] = []
        self.failures: list[str] = []

    def __enter__(self) -> Load:
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        for each in self._threads:
            each.join()

    def _ask(self) -> None:
        while not self._is_over:
            begin = time.monotonic()
            try:
                status, body = self._server.get(DOCUMENT)
                if status != 200 or not body:
                    self.failures.append(f"status {status}")
            except (OSError, IndexError) as error:
                self.failures.append(repr(error))
            self.seconds.append(time.monotonic() - begin)


def test_others_are_answered_beside_thousands_of_idle_slow_and_half_open_connections(tmp_path):
    with serving(tmp_path, request_timeout=6.0) as server:
        open_connections: list[socket.socket] = []
        begin = time.monotonic()
        for _ in range(1000):
            idle = server.connect(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            slow = server.connect(b"GET /lod/ HTTP/1.1\r\nHost: loc")
            half_open = server.connect()
            open_connections += (idle, slow, half_open)
        bodies = [
            server.connect(b"POST /lod/sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nquery=")
            for _ in range(200)
        ]
        assert time.monotonic() - begin < 6.0, "the machine is too slow for this test"
        with Load(server) as load:
            time.sleep(1.0)
        assert load.failures == []
        assert max(load.seconds) < 1.0
        begin = time.monotonic()
        for client in bodies:
            client.settimeout(10.0)
            assert client.recv(1000).startswith(b"HTTP/1.1 408 ")
        for client in open_connections:
            client.settimeout(10.0)
            while client.recv(65536):
                pass
        assert time.monotonic() - begin < 9.0
        for client in (*open_connections, *bodies):
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
        wait_until(lambda: len(list(Path(f"/proc/{process}/fd").iterdir())) <= before + 1, 30.0)
        for client in clients:
            client.close()


@pytest.mark.parametrize("processes", [1, 3])
def test_a_server_process_that_is_killed_is_replaced_within_two_seconds(tmp_path, processes):
    with serving(tmp_path, processes=processes) as server:
        for _ in range(3):
            victim = server.servers()[0]
            with Load(server) as load:
                time.sleep(0.3)
                kill(victim)
                wait_until(
                    lambda: (
                        len(server.servers()) == processes
                        and victim not in server.servers()  # noqa: B023 - called in this round
                        and server.metrics()["bibld_processes_ready"] == processes
                    ),
                    2.0,
                )
                time.sleep(0.2)
            assert len(load.seconds) > 20
            assert max(load.seconds) < 2.0  # the connections that it had are lost, later ones wait
            assert len(load.failures) <= 8, load.failures
        assert server.metrics()["bibld_process_starts_total"] == processes + 3
        assert runs(server.pid)


def is_free(port: int) -> bool:
    """Whether a new server could take a port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_a_killed_supervisor_leaves_no_process(tmp_path):
    with serving(tmp_path, query_timeout=60.0) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        servers = server.servers()
        wait_until(lambda: any(children(each) for each in servers))
        queries = [query for each in servers for query in children(each)]
        kill(server.pid)
        wait_until(lambda: not any(runs(each) for each in (*servers, *queries)), 2.0)
        wait_until(lambda: is_free(server.port), 1.0)
        client.close()


def test_a_query_process_ends_with_its_server_process(tmp_path):
    with serving(tmp_path, query_timeout=60.0, processes=1, query_workers=1, query_queue=0) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        (process,) = server.servers()
        wait_until(lambda: bool(children(process)))
        (query,) = children(process)
        wait_until(lambda: server.metrics()["bibld_queries_running"] == 1)
        kill(process)
        wait_until(lambda: not runs(query), 2.0)
        client.close()
        wait_until(lambda: server.servers() not in ([], [process]), 2.0)
        assert server.get("/lod/sparql?query=ASK%7B%7D")[0] == 200  # its place was freed


def test_a_killed_query_process_fails_at_most_its_query(tmp_path):
    with serving(tmp_path, processes=1) as server:
        assert server.get("/lod/sparql?query=ASK%7B%7D")[0] == 200
        (process,) = server.servers()
        (query,) = children(process)
        kill(query)
        assert server.get("/lod/sparql?query=ASK%7B?s?p?o%7D")[0] == 200


def test_requests_that_have_begun_end_when_the_server_is_stopped(tmp_path):
    with serving(tmp_path, query_timeout=2.0) as server:
        client = server.connect(f"GET {SPARQL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        idle = server.connect()
        wait_until(lambda: server.metrics()["bibld_queries_running"] == 1)
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: is_free(server.port), 1.0)  # further connections are refused at once
        assert client.recv(100).startswith(b"HTTP/1.1 503 ")
        assert server.process.wait(10) == 0
        assert time.monotonic() - begin < 8.0
        idle.close()
        client.close()


def test_releases_are_switched_and_rolled_back_under_load_without_a_failed_request(tmp_path):
    with serving(tmp_path, names=("1", "2", "3")) as server:
        with Load(server) as load:
            for name in ("2", "3", "1"):
                time.sleep(0.4)
                server.switch(name)
                time.sleep(1.2)
        assert load.failures == []
        assert len(load.seconds) > 50
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
        timeout=60,
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


def test_limits_hold_for_all_processes_together_and_point_to_the_dumps(tmp_path):
    limits = {"pages": 2, "documents": 20, "sparql": 3, **NONE_EXEMPT}
    with serving(tmp_path, processes=3, limits=limits) as server:
        answers = [server.get(DOCUMENT) for _ in range(40)]
        statuses = [status for status, _ in answers]
        assert 20 <= statuses.count(200) <= 24
        refused = json.loads(answers[-1][1])
        assert (refused["status"], refused["title"]) == (429, "Too many requests")
        assert "/lod/dumps/manifest.json" in refused["detail"]
        assert "sitemap" in refused["detail"]
        request = f"GET {DOCUMENT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        head = server.exchange(request).partition(b"\r\n\r\n")[0].lower()
        assert b"retry-after: " in head
        assert b"content-type: application/problem+json" in head
        page = request.replace(b"\r\n\r\n", b"\r\nAccept: text/html\r\nAccept-Language: ru\r\n\r\n")
        pages = [server.exchange(page).decode() for _ in range(6)]
        assert "<h1>Слишком много запросов</h1>" in pages[-1]
        assert server.get("/lod/dumps/void.ttl")[0] == 200  # another class
        others = [server.get(DOCUMENT, b"X-Forwarded-For: 203.0.113.9\r\n")[0] for _ in range(10)]
        assert others == [200] * 10  # the proxy on this machine is trusted
        assert server.metrics()['bibld_requests_total{class="documents",status="429"}'] >= 16


def test_a_forwarded_address_is_believed_of_trusted_proxies_only(tmp_path):
    limits = {"documents": 2, **NONE_EXEMPT}
    with serving(tmp_path, trusted_proxies=["10.0.0.0/8"], limits=limits, processes=1) as server:
        statuses = [server.get(DOCUMENT, f"X-Forwarded-For: 203.0.113.{n}\r\n".encode())[0] for n in range(4)]
        assert statuses == [200, 200, 429, 429]


def test_health_metrics_and_the_access_log_of_all_processes(tmp_path):
    log = tmp_path / "access.log"
    with serving(tmp_path, access_log=str(log), access_log_format="json", processes=2) as server:
        assert json.loads(server.get("/health")[1]) == {"status": "ok", "release": 1}
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
        time.sleep(0.5)
        assert server.get("/lod/sparql?query=" + "a" * 5000)[0] == 400
        wait_until(lambda: "/lod/sparql" in log.read_text())
        lines = [json.loads(line) for line in log.read_text().splitlines()]
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
