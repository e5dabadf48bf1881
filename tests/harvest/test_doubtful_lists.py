"""A full list that lacks too much removes nothing; what the next harvest asks for is decided with what is removed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harvest.hostile_oai import Reply, page, serving
from tests.harvest.small_oai import Library
from tests.harvest.test_hostile_oai import configured, fetch, numbers
from tests.harvest.test_oaipmh import titles

KILLED = """
import os, signal, sys
from pathlib import Path
from bibld import config, harvest
from bibld.harvest._records import StoredRecords
from bibld.progress import Silent
StoredRecords.drop_unseen = lambda records: os.kill(os.getpid(), signal.SIGKILL)
loaded = config.load(Path(sys.argv[1]))
harvest.fetch_source(loaded, loaded.sources[0], Silent(), harvest.HarvestOptions(full=True))
"""


@pytest.fixture
def library():
    found = Library(keeps_deletions=False)
    for number in range(1, 101):
        found.put(number, f"Title {number}")
    found.clock += 3600
    return found


@pytest.fixture
def server(library):
    with serving(lambda request, answer: library.answer(request)) as running:
        yield running


def later(library, monkeypatch, days):
    library.clock += days * 86400
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))


def test_a_list_that_suddenly_lacks_most_records_removes_nothing(library, server, tmp_path, monkeypatch):
    later(library, monkeypatch, 0)
    config = configured(tmp_path, server.url)
    fetch(config)
    gone = {number: library.records.pop(number) for number in range(11, 101)}
    for _ in range(2):
        later(library, monkeypatch, 8)
        server.requests.clear()
        result = fetch(config)
        assert (result.outcome, result.kind, result.removed, result.stored) == ("partial", "full", 0, 100)
        assert "lacks 90 of 100 records" in result.reasons[0]
        assert f"`bibld harvest {config.file} far --full`" in result.reasons[0]
    later(library, monkeypatch, 1)
    library.records.update(gone)
    server.requests.clear()
    assert fetch(config).outcome == "complete"
    assert not any("from=" in path for path in server.requests)  # the full list was due
    assert titles(config) == library.titles()


def test_full_confirms_that_most_records_are_gone(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    library.records = {number: record for number, record in library.records.items() if number <= 10}
    assert (fetch(config, full=True).outcome, titles(config)) == ("complete", library.titles())


def test_the_limit_of_the_source_holds_for_its_lists(library, server, tmp_path, monkeypatch):
    later(library, monkeypatch, 0)
    config = configured(tmp_path, server.url, max_deletes=2)
    fetch(config)
    for number in (5, 6, 7):
        library.delete(number)
    later(library, monkeypatch, 8)
    assert (fetch(config).outcome, len(titles(config))) == ("partial", 100)


def test_a_harvest_that_is_killed_while_it_removes_records_removes_them_next_time(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    library.delete(7)
    folder = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", KILLED, str(config.file)], cwd=folder, check=False)
    assert done.returncode == -signal.SIGKILL
    server.requests.clear()
    result = fetch(config, full=True)
    assert (result.outcome, result.stored) == ("complete", 99)
    assert not any("ListRecords" in path for path in server.requests)
    assert titles(config) == library.titles()


def test_a_source_with_steady_rejects_is_in_doubt_once(library, tmp_path):
    def change(request, answer):
        reply = library.answer(request)
        for number in range(1, 7):
            reply = reply._replace(body=reply.body.replace(b">Title %d<" % number, b"><i>Title %d<" % number))
        return reply

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config).outcome == "partial"
        assert (fetch(config).outcome, len(titles(config))) == ("complete", 94)


def test_a_list_that_breaks_off_removes_nothing(tmp_path):
    breaks_off = False

    def change(request, answer):
        if breaks_off and request.part == 1:
            return page(1, [], token="")
        return answer()

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config).outcome == "complete"
        breaks_off = True
        result = fetch(config, full=True)
    assert (result.outcome, len(numbers(config))) == ("partial", 9)
    assert "3 of 9 records" in result.reasons[0]


def test_a_damaged_store_fails_its_source_with_a_message(server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    database = config.workspace / "harvest" / "far" / "harvest.db"
    data = database.read_bytes()
    database.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
    result = fetch(config)
    assert result.outcome == "failed"
    assert "far: the store cannot be used: " in result.reasons[0]
    assert "remove the folder, and all is fetched again" in result.reasons[0]


def test_credentials_go_only_to_the_server_that_was_asked(library, tmp_path, monkeypatch):
    monkeypatch.setenv("HARVEST_USER", "reader")
    with serving(lambda request, answer: library.answer(request)) as other:

        def change(request, answer):
            return Reply(b"", 302, {"Location": f"{other.url}?{request.query}"}) if request.is_list else answer()

        with serving(change) as server:
            config = configured(tmp_path, server.url, user=Table('{ env = "HARVEST_USER" }'))
            assert fetch(config).outcome == "complete"
    assert all(server.authorizations)
    assert other.authorizations
    assert not any(other.authorizations)


class Table:
    """A value that is written into the configuration as it is."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


def test_a_server_outside_does_not_lead_inside(library, tmp_path, monkeypatch):
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving(lambda request, answer: library.answer(request)) as inside:
        to = f"http://localhost:{inside.server_address[1]}/secret"
        with serving(lambda request, answer: Reply(b"", 302, {"Location": to})) as proxy:
            monkeypatch.setenv("http_proxy", proxy.url)
            config = configured(tmp_path, "http://library.invalid/oai", tries=1)
            result = fetch(config)
    assert result.outcome == "failed"
    assert "inside this network" in result.reasons[0]
    assert not inside.requests
