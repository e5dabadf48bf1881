"""A server starts, answers at its address, and ends; a taken address is an error."""

from __future__ import annotations

import re
import signal
import socket
from urllib.parse import quote

import httpx
import pytest

from tests.serve.server import PATIENCE, children, runs, serving, wait_until

pytestmark = pytest.mark.server


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_starts_answers_and_ends_with_all_its_processes(tmp_path, number):
    with serving(tmp_path, processes=1) as server:
        line = (tmp_path / "server.log").read_text()
        assert re.fullmatch(r"serving release 1 at http://127\.0\.0\.1:[0-9]+/lod/\n", line)
        with httpx.Client(base_url=f"{server.url}/lod/", timeout=PATIENCE) as http:
            assert "<h1" in http.get("").text
            document = http.get("dataset", headers={"accept": "text/turtle"})
            assert document.headers["content-type"] == "text/turtle; charset=utf-8"
            assert http.head("dataset").content == b""
            assert http.get("dumps/void.ttl").status_code == 200
            assert http.get("sparql", params={"query": "ASK { ?s ?p ?o }"}).json()["boolean"] is True
        (process,) = server.servers()
        started = [process, *children(process)]
        assert len(started) > 1
        server.process.send_signal(number)
        assert server.process.wait(PATIENCE) == 0
        wait_until(lambda: not any(map(runs, started)))


def test_a_client_that_leaves_takes_its_query_with_it_and_a_base_may_have_escapes(tmp_path):
    with serving(tmp_path, base="https://пример.рф/a%20b/данные/", processes=1, query_timeout=PATIENCE) as server:
        path = re.search(r"at http://127\.0\.0\.1:[0-9]+(/a%20b/%D0%B4[^ ]*/)\n", (tmp_path / "server.log").read_text())
        assert path
        assert [server.get(path[1] + name)[0] for name in ("", "dataset.ttl")] == [200, 200]
        query = quote("SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }")
        (parent,) = server.servers()
        with server.connect(f"GET {path[1]}sparql?query={query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()):
            wait_until(lambda: bool(children(parent)))
            (process,) = children(parent)
        wait_until(lambda: not runs(process))


def test_a_taken_address_is_an_error_with_a_remedy(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = rf"(?s)port {port}.*choose another port"
        with pytest.raises(AssertionError, match=refused), serving(tmp_path, port=port):
            pass
