"""Harvests of a small OAI-PMH server night after night: changes, deletions, what disappears, what is interrupted."""

import gzip
import re

import pytest

import bibld
from bibld import harvest, ingest
from bibld.errors import HarvestError
from bibld.harvest import HarvestOptions, SourceStore
from bibld.progress import Silent
from tests.harvest import hostile_oai
from tests.harvest.hostile_oai import Reply, serving
from tests.harvest.small_oai import Library
from tests.harvest.test_hostile_oai import configured, fetch

DAY = 86400


@pytest.fixture
def library():
    found = Library()
    for number in range(1, 12):
        found.put(number, f"Title {number}")
    found.clock += DAY / 2
    return found


@pytest.fixture
def server(library):
    with serving(lambda request, answer: library.answer(request)) as running:
        yield running


def titles(config):
    """Return the titles of the stored records by number."""
    found = {}
    for file in ingest.source_files(config, config.sources[0]):
        data = gzip.decompress(file.path.read_bytes()).decode()
        for number, title in re.findall(r'tag="001">r(\d+)<.*?code="a">([^<]*)<', data, re.DOTALL):
            assert int(number) not in found
            found[int(number)] = title
    return dict(sorted(found.items()))


def test_the_first_harvest_fetches_all_and_the_next_only_changes(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    first = fetch(config)
    assert (first.outcome, first.kind, first.received, first.new) == ("complete", "full", 11, 11)
    library.clock += DAY
    library.put(3, "Another title")
    library.put(12, "Title 12")
    library.delete(5)
    server.requests.clear()
    second = fetch(config)
    assert (second.outcome, second.kind) == ("complete", "changes")
    assert (second.received, second.new, second.changed, second.removed) == (3, 1, 1, 1)
    assert any("from=" in path for path in server.requests)
    assert titles(config) == library.titles()


def test_changes_are_asked_for_by_the_clock_of_the_server_with_an_overlap(library, server, tmp_path):
    library.clock = 1_500_000_000
    for number in range(1, 12):
        library.put(number, f"Title {number}")
    config = configured(tmp_path, server.url)
    fetch(config)
    server.requests.clear()
    fetch(config)
    asked = next(path for path in server.requests if "ListRecords" in path)
    assert "from=2017-07-14T01%3A40%3A00Z" in asked  # an hour before 02:40:00
    assert titles(config) == library.titles()


def test_a_night_without_changes_is_complete_and_writes_nothing(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    before = [(path, path.stat().st_mtime_ns) for path in files_of(config)]
    library.clock += DAY
    result = fetch(config)
    assert (result.outcome, result.received, result.stored) == ("complete", 0, 11)
    assert [(path, path.stat().st_mtime_ns) for path in files_of(config)] == before


def files_of(config):
    return [file.path for file in ingest.source_files(config, config.sources[0])]


def test_a_server_without_deletions_is_asked_for_all_identifiers_from_time_to_time(
    library, server, tmp_path, monkeypatch
):
    library.keeps_deletions = False
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
    config = configured(tmp_path, server.url)
    fetch(config)
    library.clock += DAY
    library.delete(2)
    library.delete(9)
    library.put(4, "Changed 4")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
    assert fetch(config).kind == "changes"
    assert 2 in titles(config)
    library.clock += 7 * DAY
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
    server.requests.clear()
    result = fetch(config)
    assert (result.outcome, result.kind, result.removed) == ("complete", "full", 2)
    assert any("ListIdentifiers" in path for path in server.requests)
    assert titles(config) == library.titles()


def test_records_that_the_list_of_identifiers_shows_are_fetched_one_by_one(library, server, tmp_path, monkeypatch):
    config = configured(tmp_path, server.url, full_every="1d")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
    fetch(config)
    library.put(20, "An old datestamp")
    library.records[20] = ("2001-01-01T00:00:00Z", "An old datestamp")
    library.clock += 3 * DAY
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
    server.requests.clear()
    assert fetch(config).outcome == "complete"
    assert [path for path in server.requests if "GetRecord" in path]
    assert titles(config) == library.titles()


def test_a_full_list_that_is_empty_removes_nothing(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    library.records.clear()
    result = fetch(config, full=True)
    assert result.outcome == "partial"
    assert "though it had 11" in result.reasons[0]
    assert len(titles(config)) == 11


def test_a_server_that_is_down_keeps_the_state(library, tmp_path):
    with serving(lambda request, answer: library.answer(request)) as running:
        config = configured(tmp_path, running.url, tries=2)
        fetch(config)
        url = running.url
    result = fetch(config)
    assert result.outcome == "failed"
    assert url in result.reasons[0]
    assert titles(config) == library.titles()


def test_a_partial_list_goes_on_where_it_stopped(library, tmp_path):
    is_busy = True

    def change(request, answer):
        if is_busy and request.token and request.token.endswith("~8"):
            return Reply(b"busy", 503, {"Retry-After": "100000"})
        return library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config).outcome == "partial"
        assert len(titles(config)) == 8
        is_busy = False
        server.requests.clear()
        result = fetch(config)
    assert (result.outcome, result.kind, result.received) == ("complete", "full", 11)
    assert len([path for path in server.requests if "ListRecords" in path]) == 1
    assert titles(config) == library.titles()


def test_a_limit_makes_the_harvest_partial(server, tmp_path):
    config = configured(tmp_path, server.url)
    result = fetch(config, limit=3)
    assert (result.outcome, result.stored) == ("partial", 4)
    assert fetch(config).outcome == "complete"


def test_since_asks_from_a_day_and_full_for_all(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    server.requests.clear()
    assert fetch(config, since="2020-01-01").received == 11
    assert any("from=2020-01-01T00%3A00%3A00Z" in path for path in server.requests)
    library.keeps_deletions = False
    library.delete(1)
    assert fetch(config, full=True).removed == 1
    assert titles(config) == library.titles()


def test_a_wrong_size_is_believed_once(library, tmp_path):
    def change(request, answer):
        reply = library.answer(request)
        return reply._replace(body=reply.body.replace(b'completeListSize="11"', b'completeListSize="500"'))

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config).outcome == "partial"
        assert fetch(config).outcome == "complete"
        library.clock += DAY
        assert fetch(config).outcome == "complete"


def test_a_size_is_not_wrong_if_other_records_are_missing_each_time(library, tmp_path):
    missing = [3]

    def change(request, answer):
        reply = library.answer(request)
        begin, found, rest = reply.body.partition(b"<record><header><identifier>oai:library:%d<" % missing[0])
        if request.verb != "ListRecords" or not found:
            return reply
        return reply._replace(body=begin + rest.partition(b"</metadata></record>")[2])

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config).outcome == "partial"
        missing[0] = 7
        assert fetch(config, full=True).outcome == "partial"
        assert titles(config) == library.titles()
        missing[0] = 7
        assert fetch(config, full=True).outcome == "complete"  # what is missing now is missing each time


def test_another_set_or_prefix_begins_again(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    config = configured(tmp_path, server.url, set="books")
    assert fetch(config).kind == "full"


def test_two_harvests_of_one_source_exclude_each_other(server, tmp_path):
    config = configured(tmp_path, server.url)
    with SourceStore(config.workspace, "far") as store, store.lock():
        result = fetch(config)
    assert result.outcome == "failed"
    assert re.search(r"another harvest of this source is running \(process \d+, since 2\d{3}-", result.reasons[0])


def test_a_probe_stores_nothing(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    result = harvest.probe_result(config, config.sources[0], Silent())
    assert "Hostile: OAI-PMH 2.0, 11 records as marc21, deletions persistent" in result.line
    assert not (config.workspace / "harvest").exists()
    with pytest.raises(HarvestError, match="never harvested"):
        list(ingest.source_files(config, config.sources[0]))


def test_answers_are_kept_as_they_came_and_forgotten_after_the_next_full_list(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    fetch(config)
    with SourceStore(config.workspace, "far") as store:
        answers = list(store.answers())
    assert [answer.status for answer in answers] == [200] * len(answers)
    assert sum(b"<ListRecords>" in answer.body for answer in answers) == 3
    fetch(config, full=True)
    with SourceStore(config.workspace, "far") as store:
        assert {answer.number for answer in store.answers()}.isdisjoint(answer.number for answer in answers)


def test_freshness_states_the_last_complete_harvest(library, server, tmp_path):
    config = configured(tmp_path, server.url)
    assert harvest.freshness(config)[0].outcome == "never harvested"
    fetch(config)
    (fresh,) = harvest.freshness(config)
    assert (fresh.outcome, fresh.records, fresh.newest) == ("complete", 11, library.records[1][0])
    assert fresh.complete == fresh.attempt != ""
    assert not fresh.is_silent


MODS = (
    '<m:mods xmlns:m="http://www.loc.gov/mods/v3"><m:titleInfo><m:title>A title</m:title></m:titleInfo>'
    "<m:recordInfo><m:recordOrigin>x</m:recordOrigin></m:recordInfo></m:mods>"
)
SLIM = '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>{}</record>'
TITLE = '<datafield tag="245" ind1=" " ind2=" "><subfield code="a">A title</subfield></datafield>'


@pytest.mark.parametrize("metadata", [MODS, SLIM.format(TITLE)], ids=["mods", "marc"])
def test_a_record_without_control_number_is_known_by_its_header(metadata, tmp_path):
    def change(request, answer):
        if request.is_list:
            return hostile_oai.page(2, [7], make=lambda number: hostile_oai.record(number, metadata))
        return answer()

    with serving(change) as server:
        config = configured(tmp_path, server.url)
        result = fetch(config)
    assert result.outcome == "partial"  # nine are stated
    (record,) = bibld.read(list(ingest.source_files(config, config.sources[0])))
    assert record.control_number == "oai:test:7"


def test_an_address_may_have_a_query(library, tmp_path):
    def change(request, answer):
        assert request.arguments.get("db") == "books"
        assert request.query.count("?") == 0
        return library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, f"{server.url}?db=books")
        assert fetch(config).outcome == "complete"
    assert titles(config) == library.titles()


def test_a_full_list_in_parts_by_date(library, tmp_path):
    asked = []

    def change(request, answer):
        if request.is_list and request.token is None:
            asked.append((request.arguments["from"], request.arguments.get("until", "")))
        return library.answer(request)

    with serving(change) as server:
        begin = f"{int(library.now[:4]) - 1}-03-01"
        config = configured(tmp_path, server.url, begin=begin, intervals="year")
        assert fetch(config).outcome == "complete"
    assert asked[0] == (f"{begin}T00:00:00Z", f"{begin[:4]}-12-31T23:59:59Z")
    assert asked[-1] == (f"{library.now[:4]}-01-01T00:00:00Z", "")
    assert titles(config) == library.titles()


def test_parts_by_date_of_a_server_whose_days_end_when_they_begin(library, tmp_path):
    library.put(50, "On the last day of a month")
    library.records[50] = (f"{int(library.now[:4]) - 1}-03-31T12:00:00Z", library.records[50][1])

    def change(request, answer):
        if until := request.arguments.get("until"):
            request.arguments["until"] = f"{until}T00:00:00Z"
        return library.answer(request)

    with serving(change) as server:
        begin = f"{int(library.now[:4]) - 1}-03-01"
        config = configured(tmp_path, server.url, begin=begin, intervals="month", granularity="day")
        assert fetch(config).outcome == "complete"
    assert titles(config) == library.titles()


def test_check_reports_a_server_before_the_first_harvest(server, tmp_path):
    config = configured(tmp_path, server.url)
    report = bibld.Workspace(config.file).check_sources()
    assert report.doubts == ()
    assert "Hostile" in report.servers[0]


def test_check_reports_a_server_that_does_not_answer(library, tmp_path):
    with serving(lambda request, answer: library.answer(request)) as running:
        config = configured(tmp_path, running.url)
    (doubt,) = bibld.check_sources(config.file).doubts
    assert "no connection" in doubt.reasons[0]
    assert doubt.reasons[0].endswith("(2 tries)")


def test_the_result_has_one_line(server, tmp_path):
    config = configured(tmp_path, server.url)
    result = harvest.harvest_source(config, config.sources[0], Silent(), HarvestOptions())
    assert result.line.startswith("far: complete, full list; 11 received (11 new), 11 stored")
