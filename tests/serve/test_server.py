"""A real server in a separate process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

SCRIPT = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("sample", sys.argv[1])
sample = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample)
import bibld.serve.site
from bibld.serve._sparql import pool
pool._REPLACED_AFTER_SECONDS = 600.0  # on a busy machine a short query, too, takes more than a second
settings = bibld.serve.Settings(port=int(sys.argv[3]), query_timeout=600.0, processes=1)
site = sample.make_site(Path(sys.argv[2]), settings, *sys.argv[4:])
bibld.serve.site.serve(settings, site.manifest.dataset.base, bibld.serve.site.ReleaseLookup(lambda: None, lambda: site))
"""


@pytest.mark.server
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_starts_answers_and_ends_with_all_its_processes(tmp_path, number):
    conftest = Path(__file__).with_name("conftest.py")
    server = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(conftest), str(tmp_path), "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.fullmatch(r"serving release 1 at (http://127\.0\.0\.1:[0-9]+/lod/)\n", line)
        assert found, line + server.stderr.read()
        with httpx.Client(base_url=found[1], timeout=600) as http:
            assert "<h1" in http.get("").text
            document = http.get("dataset", headers={"accept": "text/turtle"})
            assert document.headers["content-type"] == "text/turtle; charset=utf-8"
            assert http.head("dataset").content == b""
            assert http.get("dumps/void.ttl").status_code == 200
            assert http.get("sparql", params={"query": "ASK { ?s ?p ?o }"}).json()["boolean"] is True
        (process,) = _children(server.pid)
        children = [process, *_children(process)]
        assert len(children) > 1
        server.send_signal(number)
        assert server.wait(timeout=600) == 0
        assert not any(_lives(child) for child in children)
    finally:
        server.kill()
        server.communicate()


@pytest.mark.server
def test_a_client_that_leaves_takes_its_query_with_it_and_a_base_may_have_escapes(tmp_path):
    conftest = Path(__file__).with_name("conftest.py")
    base = "https://пример.рф/a%20b/данные/"
    server = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(conftest), str(tmp_path), "0", base], stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        found = re.search(r"at (http://127\.0\.0\.1:([0-9]+)(/a%20b/%D0%B4[^ ]*/))\n", server.stderr.readline())
        assert found
        assert httpx.get(found[1], timeout=600).status_code == 200
        assert httpx.get(f"{found[1]}dataset.ttl", timeout=600).status_code == 200
        query = quote("SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }")
        with socket.create_connection(("127.0.0.1", int(found[2]))) as client:
            client.sendall(f"GET {found[3]}sparql?query={query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            (parent,) = _children(server.pid)
            while not _children(parent):
                time.sleep(0.02)
            (process,) = _children(parent)
        assert not _lives(process)
    finally:
        server.kill()
        server.communicate()


@pytest.mark.server
def test_a_taken_address_is_an_error_with_a_remedy(tmp_path, taken_port):
    conftest = Path(__file__).with_name("conftest.py")
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(conftest), str(tmp_path), str(taken_port)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode != 0
    assert f"port {taken_port}" in ended.stderr
    assert "choose another port" in ended.stderr


@pytest.fixture
def taken_port():
    """A port that somebody else listens at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def _children(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def _lives(process: int) -> bool:
    """Whether a process runs; some time is given to it to be gone."""
    for _ in range(30_000):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.02)
    return True
