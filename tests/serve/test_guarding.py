"""The guard of the site: who a client is, how much it may ask, what is written about it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time

import pytest

from bibld.errors import ConfigError, StageError
from bibld.serve._guarding.clients import BUCKET_BYTES, Buckets, Clients
from bibld.serve._guarding.log import AccessEntry, AccessLog
from bibld.serve._guarding.metrics import PROCESS_BYTES, Metrics
from bibld.serve._guarding.requests import DOCUMENTS, FILES, PAGES, Classes
from bibld.serve._guarding.slots import QuerySlots, QueueFullError, TooManyQueriesError, share_slots
from bibld.serve.settings import LimitSettings, QueryLimits

LOOPBACK = ("127.0.0.0/8", "::1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.7", b"", "203.0.113.7"),
        ("203.0.113.7", b"198.51.100.1", "203.0.113.7"),
        ("::ffff:203.0.113.7", b"", "203.0.113.7"),
        ("2001:db8:1:2:3::4", b"", "2001:db8:1:2::/64"),
        ("127.0.0.1", b"", "127.0.0.1"),
        ("127.0.0.1", b"198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", b"198.51.100.1, 198.51.100.2", "198.51.100.2"),
        ("127.0.0.1", b"198.51.100.1,198.51.100.2", "198.51.100.2"),
        ("127.0.0.1", b"198.51.100.1, 127.0.0.1", "198.51.100.1"),
        ("127.0.0.1", b"not an address", "127.0.0.1"),
        ("127.0.0.1", b"\xff\x00,,", "127.0.0.1"),
        ("::1", b"", "::1"),
        ("::1", b"2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("", b"198.51.100.1", "unknown"),
    ],
)
def test_a_client_is_an_address_or_a_network_of_ipv6(peer, forwarded, client):
    assert Clients(LOOPBACK, (), ()).find(peer, forwarded).name == client


def test_only_a_trusted_proxy_is_believed():
    clients = Clients(("10.0.0.0/8",), LOOPBACK, LOOPBACK)
    assert clients.find("127.0.0.1", b"198.51.100.1").name == "127.0.0.1"
    forged = clients.find("203.0.113.7", b"127.0.0.1")
    assert (forged.name, forged.is_exempt, forged.may_read_metrics) == ("203.0.113.7", False, False)
    through = clients.find("10.0.0.1", b"127.0.0.1, 198.51.100.9, 10.1.1.1")
    assert (through.name, through.is_exempt) == ("198.51.100.9", False)


def test_what_is_no_network_is_an_error_that_names_the_key():
    with pytest.raises(ConfigError, match=r'serve.trusted_proxies: "proxy.local" is no address'):
        Clients(("proxy.local",), (), ())


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def buckets(**limits: int) -> Buckets:
    return Buckets(LimitSettings(**limits), memoryview(bytearray(BUCKET_BYTES)))


def test_the_allowance_of_a_minute_is_saved_up_and_then_refilled_steadily(clock):
    table = buckets(pages=60)
    assert [table.take("a", PAGES) for _ in range(60)] == [0.0] * 60
    assert table.take("a", PAGES) == pytest.approx(1.0)
    clock[0] += 0.5
    assert table.take("a", PAGES) == pytest.approx(0.5)
    clock[0] += 0.5
    assert table.take("a", PAGES) == 0.0
    assert table.take("a", PAGES) > 0
    clock[0] += 3600
    assert sum(table.take("a", PAGES) == 0.0 for _ in range(200)) == 60


def test_clients_and_classes_are_counted_separately(clock):
    table = buckets(pages=1, documents=2)
    assert table.take("a", PAGES) == 0.0
    assert table.take("a", PAGES) > 0
    assert table.take("b", PAGES) == 0.0
    assert [table.take("a", DOCUMENTS) > 0 for _ in range(3)] == [False, False, True]
    assert not any(table.take("a", FILES) for _ in range(1000))
    unlimited = buckets(pages=0)
    assert not any(unlimited.take("a", PAGES) for _ in range(1000))


def test_no_client_is_refused_because_of_others(clock):
    table = buckets(pages=2)
    refused = [number for number in range(200_000) if table.take(f"client {number}", PAGES)]
    assert refused == []


@pytest.mark.parametrize(
    ("path", "accept", "name"),
    [
        ("/lod/sparql", b"text/html", "sparql"),
        ("/lod/dumps/bibld.nq.gz", b"", "dumps"),
        ("/lod/search", b"text/html", "search"),
        ("/lod/static/style.css", b"text/css", "files"),
        ("/robots.txt", b"", "files"),
        ("/health", b"", "control"),
        ("/metrics", b"", "control"),
        ("/lod/doc/resource/a/1.html", b"", "pages"),
        ("/lod/resource/a/1", b"text/html,*/*", "pages"),
        ("/lod/resource/a/1", b"text/turtle", "documents"),
        ("/lod/resource/sparql", b"", "documents"),
    ],
)
def test_a_request_has_a_class(path, accept, name):
    from bibld.serve._guarding.requests import CLASSES

    assert CLASSES[Classes("/lod/").find(path, accept)] == name


def entry(target: str = "/a", agent: str = "curl") -> AccessEntry:
    return AccessEntry("", "192.0.2.1", "GET", target, 200, 12, 1.5, "documents", "", agent)


def write_log(log: AccessLog, *entries: AccessEntry) -> None:
    async def write() -> None:
        for each in entries:
            log.write(each, 1_700_000_000.25)
        log.flush()

    asyncio.run(write())


def test_the_access_log_is_json_or_combined(tmp_path):
    write_log(AccessLog(str(tmp_path / "a.log"), "json"), entry('/a"\n'))
    written = json.loads((tmp_path / "a.log").read_text())
    assert written["time"] == "2023-11-14T22:13:20.250+00:00"
    assert (written["client"], written["target"], written["class"]) == ("192.0.2.1", '/a"\n', "documents")
    write_log(AccessLog(str(tmp_path / "b.log"), "combined"), entry('/a"\n\u009b'))
    line = (tmp_path / "b.log").read_text()
    assert line == ('192.0.2.1 - - [14/Nov/2023:22:13:20 +0000] "GET /a\\x22\\x0a\\x9b HTTP/1.1" 200 12 "-" "curl"\n')


def test_the_access_log_survives_rotation_in_both_ways(tmp_path):
    path = tmp_path / "a.log"
    log = AccessLog(str(path), "json")
    write_log(log, entry("/1"))
    os.truncate(path, 0)
    write_log(log, entry("/2"))
    assert json.loads(path.read_text())["target"] == "/2"
    path.rename(tmp_path / "a.log.1")
    log.reopen()
    write_log(log, entry("/3"))
    assert json.loads(path.read_text())["target"] == "/3"
    assert len((tmp_path / "a.log.1").read_text().splitlines()) == 1


def test_an_access_log_that_cannot_be_opened_is_an_error(tmp_path):
    with pytest.raises(StageError, match=r"access log .* cannot be opened"):
        AccessLog(str(tmp_path / "missing" / "a.log"), "json")


def test_the_query_of_a_logged_address_is_bounded(tmp_path):
    write_log(AccessLog(str(tmp_path / "a.log"), "json"), entry("/sparql?query=" + "x" * 10_000), entry("/a?b=c"))
    targets = [json.loads(line)["target"] for line in (tmp_path / "a.log").read_text().splitlines()]
    assert targets == ["/sparql?query=" + "x" * 194 + "…", "/a?b=c"]


def test_metrics_are_sums_over_processes():
    memory = memoryview(bytearray(2 * PROCESS_BYTES))
    first, second = Metrics(memory, 0), Metrics(memory, 1)
    for process, seconds in ((first, 0.0004), (second, 0.3), (second, 100.0)):
        process.begin()
        process.set_ready(7)
        process.add_in_flight(1)
        process.count_request(DOCUMENTS, 200, seconds)
        process.add_in_flight(-1)
    first.add_in_flight(1)
    second.mark_ended(1)
    text = first.write(lambda: dict.fromkeys(("running", "waiting", "accepted", "refused", "killed"), 3)).decode()
    lines = text.splitlines()
    assert 'bibld_requests_total{class="documents",status="200"} 3' in lines
    assert 'bibld_request_duration_seconds_bucket{class="documents",le="0.0005"} 1' in lines
    assert 'bibld_request_duration_seconds_bucket{class="documents",le="60.0"} 2' in lines
    assert 'bibld_request_duration_seconds_bucket{class="documents",le="+Inf"} 3' in lines
    assert "bibld_requests_in_flight 1" in lines
    assert "bibld_processes_ready 1" in lines
    assert 'bibld_release{process="0"} 7' in lines
    assert "bibld_queries_killed_total 3" in lines
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.]+')
    assert all(line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line) for line in lines)


LIMITS = QueryLimits(15.0, 64, workers=2, waiting=2, of_one_client=3)


def test_slots_hold_for_all_processes_together_and_those_of_an_ended_one_are_freed():
    shared = share_slots(LIMITS, 2)
    first, second = (QuerySlots(LIMITS, shared, process) for process in (0, 1))
    dying = [second.take("a"), second.take("a")]
    for each in dying:
        each.__enter__()
    with first.take("a"):
        with pytest.raises(TooManyQueriesError, match="running or waiting for your address: 3;"), first.take("a"):
            pass
        with first.take("b"), pytest.raises(QueueFullError), first.take("c"):
            pass
        first.clear(1)
        with first.take("c"), first.take("d"):
            assert first.counts()["waiting"] == 3
    assert first.counts() == {"running": 0, "waiting": 0, "accepted": 6, "refused": 2, "killed": 0}


def test_queries_run_in_the_order_in_which_they_came_to_any_process():
    shared = share_slots(LIMITS, 2)
    processes = [QuerySlots(LIMITS, shared, process) for process in (0, 1)]
    began: list[int] = []
    running = 0

    async def query(number: int) -> None:
        nonlocal running
        slots = processes[number % 2]
        with slots.take(str(number)) as slot:
            await slots.wait_for_slot(slot)
            began.append(number)
            running += 1
            assert running <= LIMITS.workers
            await asyncio.sleep(0.05)
            running -= 1

    async def run() -> None:
        await asyncio.gather(*(query(number) for number in range(4)))

    asyncio.run(run())
    assert began == [0, 1, 2, 3]


def test_a_query_that_waits_in_another_process_is_woken_when_its_turn_comes():
    shared = share_slots(LIMITS, 2)
    first, second = (QuerySlots(LIMITS, shared, process) for process in (0, 1))

    async def wait_in_second() -> None:
        with second.take("c") as slot:
            await second.wait_for_slot(slot)

    async def run() -> float:
        running = [first.take("a"), first.take("b")]
        for each in running:
            await first.wait_for_slot(each.__enter__())
        waiting = asyncio.create_task(wait_in_second())
        await asyncio.sleep(0.05)
        assert first.counts()["waiting"] == 1
        running[0].__exit__(None, None, None)
        loops = 0
        while not waiting.done():  # it is woken by the loop's next turns, and not by a clock
            await asyncio.sleep(0)
            loops += 1
        running[1].__exit__(None, None, None)
        return loops

    assert asyncio.run(run()) < 100
