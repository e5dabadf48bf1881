"""What a process that evaluates queries may do, who counts as one client, and how long a query may be."""

from __future__ import annotations

import io
import platform
import re
import subprocess
import sys
from urllib.parse import urlencode

import msgspec
import pytest

from bibld.errors import BadQueryError, NotAcceptableError, StoreError
from bibld.protocols import Query
from bibld.serve import Settings
from bibld.serve._sparql import worker

LONGEST = 256 * 1024


def output_of(program: str) -> str:
    """What a program writes that has imported the worker."""
    text = f"import ctypes, errno, platform, resource, socket, sys\nfrom bibld.serve._sparql import worker\n{program}"
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"),
    reason="sockets are forbidden by a filter of Linux",
)
def test_sockets_are_forbidden_where_the_host_refuses_a_network_of_its_own():
    tries = """
worker._NEW_USER_AND_NETWORK_NAMESPACE = 0
print(worker._leave_network())
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try:
        socket.socket(family)
    except OSError as error:
        print(type(error).__name__)
libc = ctypes.CDLL(None, use_errno=True)
other_number = worker._FIRST_X32_CALL + worker._SOCKET_CALLS[platform.machine()][1]
for call in (worker._IO_URING_SETUP, other_number):
    print(libc.syscall(call, 2, 1, 0), ctypes.get_errno() == errno.EACCES)
print(len(open("/proc/self/status").read()) > 0)
"""
    assert output_of(tries).split() == ["True"] + ["PermissionError"] * 3 + ["-1", "True"] * 2 + ["True"]


def test_the_kernel_ends_a_query_soon_after_its_time():
    printed = output_of("""
hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
worker._limit_processor_time(100.0)
soft, still = resource.getrlimit(resource.RLIMIT_CPU)
print(soft, still == hard)
""")
    soft, is_hard_unchanged = printed.split()
    assert 101 <= int(soft) <= 110
    assert is_hard_unchanged == "True"


def test_a_query_may_take_the_stated_memory_beside_the_store():
    printed = output_of("""
worker._limit_memory(64)
for mebibytes in (32, 128):
    try:
        bytearray(mebibytes << 20)
        print("enough")
    except MemoryError:
        print("too much")
""")
    assert printed.splitlines() == ["enough", "too much"]


class Store:
    """Gives one answer, or fails."""

    def __init__(self, outcome: bytes | Exception) -> None:
        self._outcome = outcome

    def answer(self, query: Query, out: io.BytesIO) -> str:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        out.write(self._outcome[:2])
        out.write(self._outcome[2:])
        return "table"


@pytest.mark.parametrize(
    ("outcome", "expected", "body"),
    [
        (b"1234", {"status": "ok", "kind": "table", "media_type": "text/csv"}, b"1234"),
        (b"12345", {"status": "too large"}, b""),
        (BadQueryError("here", 1, 2), {"status": "bad query", "detail": "here", "line": 1, "column": 2}, b""),
        (NotAcceptableError("table"), {"status": "not acceptable", "detail": "table"}, b""),
        (StoreError("broken"), {"status": "failed", "detail": "broken"}, b""),
        (MemoryError(), {"status": "memory"}, b""),
    ],
)
def test_a_result_is_complete_and_within_its_limit_or_an_error(outcome, expected, body):
    job = worker.QueryJob(Query("SELECT", "http://x/", table="text/csv"), 1.0, limit=4)
    assert worker._answer(Store(outcome), job) == (expected, body)


def test_messages_are_read_as_they_were_sent_until_the_input_ends():
    job = worker.QueryJob(Query("SELECT ж", "http://x/"), 1.5, 4)
    data = msgspec.json.encode(job)
    source = io.BytesIO(len(data).to_bytes(4, "big") + data)
    assert worker._receive(source, worker.QueryJob) == job
    assert worker._receive(source, worker.QueryJob) is None
    sink = io.BytesIO()
    worker._send(sink, {"status": "ok"}, b"body")
    head = b'{"status": "ok", "size": 4}'
    assert sink.getvalue() == len(head).to_bytes(4, "big") + head + b"body"


@pytest.mark.parametrize(
    ("workers", "queue", "share", "of_one"),
    [(2, 32, 0.5, 17), (2, 2, 1.0, 4), (1, 0, 0.5, 1), (2, 8, 0.01, 1), (3, 4, 0.5, 3)],
)
def test_a_client_has_its_share_of_all_places_and_always_one(workers, queue, share, of_one):
    limits = Settings(
        query_workers=workers, query_queue=queue, query_share=share, query_timeout=3, query_memory=64
    ).query_limits
    assert limits.of_one_client == of_one
    assert (limits.seconds, limits.memory, limits.workers, limits.waiting) == (3, 64, workers, queue)


@pytest.mark.parametrize(("length", "status"), [(LONGEST, 200), (LONGEST + 1, 413)])
def test_a_query_has_the_documented_length_at_most(client, length, status):
    query = "ASK{}".ljust(length)
    direct = {"content-type": "application/sparql-query", "accept": "application/sparql-results+json"}
    assert client.request("POST", "/lod/sparql", content=query, headers=direct).status_code == status
    form = direct | {"content-type": "application/x-www-form-urlencoded"}
    body = urlencode({"query": query})
    assert client.request("POST", "/lod/sparql", content=body, headers=form).status_code == status


def test_parameters_of_the_address_belong_to_the_form(client):
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/sparql-results+json"}
    answer = client.request("POST", "/lod/sparql?format=csv", content=b"query=ASK{}", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    both = client.request("POST", "/lod/sparql?x=1", content=b"query=ASK{}&format=", headers=headers)
    assert both.headers["content-type"].startswith("application/sparql-results+json")


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("json", "application/sparql-results+json"),
        ("XML", "application/sparql-results+xml"),
        (" tsv ", "text/tab-separated-values"),
        ("text/csv", "text/csv"),
        ("html", "text/html"),
        ("text/turtle", None),
        ("ttl", None),
    ],
)
def test_a_format_is_a_short_name_or_a_media_type(client, name, sent):
    answer = client.get(f"/lod/sparql?{urlencode({'query': 'ASK{}', 'format': name})}", "text/csv")
    assert answer.status_code == (200 if sent else 406)
    if sent:
        assert answer.headers["content-type"].partition(";")[0] == sent


def test_the_description_of_the_service_is_negotiated_and_an_example_is_shown_on_request(client):
    assert client.get("/lod/sparql", "image/png").status_code == 406
    described = client.get("/lod/sparql", "text/turtle")
    assert described.headers["link"] == '<>; rel="describedby"; type="text/turtle"'
    for name in ("SPARQL_Results_JSON", "SPARQL_Results_CSV", "JSON-LD", "SPARQL11Query"):
        assert name in described.text
    first = client.get("/lod/sparql", "text/html").text
    assert client.get("/lod/sparql?example=unknown", "text/html").text == first
    names = re.findall(r'href="/lod/sparql\?example=([^"]+)"', first)
    shown = {client.get(f"/lod/sparql?example={name}", "text/html").text for name in names}
    assert len(shown) == len(names) > 1
