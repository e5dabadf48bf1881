"""A list that the server cannot give to its end is divided by dates until the records of one second are missing."""

import io
from datetime import UTC, datetime, timedelta

import pytest

from bibld import harvest
from bibld.harvest.oaipmh import _walk
from bibld.harvest.oaipmh._server import ListStep, halve
from bibld.progress import Quiet
from tests.harvest.hostile_oai import Reply, error, serving
from tests.harvest.small_oai import PART, Library
from tests.harvest.test_hostile_oai import configured, faults, fetch
from tests.harvest.test_oaipmh import titles

FAILS = Reply(b"Internal Server Error", 500)


@pytest.fixture(autouse=True)
def long_lists(monkeypatch):
    """Take lists of ten records for long ones."""
    monkeypatch.setattr(_walk, "_SHORT", 3)


@pytest.fixture
def library():
    """A library with forty records, one an hour."""
    found = Library()
    for number in range(1, 41):
        found.put(number, f"Title {number}")
        found.clock += 3600
    return found


def broken_at(library, *bad, verbs=("ListRecords",)):
    """Return a server that fails on each part of a list that would have one of these records, and on it alone."""

    def change(request, answer):
        if request.verb == "GetRecord" and int(request.arguments["identifier"].rpartition(":")[2]) in bad:
            return FAILS
        reply = library.answer(request)
        has_bad = any(f"<identifier>oai:library:{number}</identifier>".encode() in reply.body for number in bad)
        return FAILS if request.verb in verbs and has_bad else reply

    return change


@pytest.mark.parametrize("bad", [(23,), (1,), (40,), (7, 31)])
def test_only_the_bad_records_are_missing(bad, library, tmp_path):
    with serving(broken_at(library, *bad)) as server:
        config = configured(tmp_path, server.url, tries=2, first_wait=0.0001)
        result = harvest.fetch_source(config, config.sources[0], Quiet(out := io.StringIO()))
    singles = {path for path in server.requests if "GetRecord" in path}
    assert (result.outcome, result.rejected) == ("complete", len(bad)), result.reasons
    assert titles(config) == {number: title for number, title in library.titles().items() if number not in bad}
    assert len(singles) <= len(bad) * PART  # not the whole list, one by one
    assert "server-error" in faults(config)
    assert all(f"oai:library:{number}" in out.getvalue() for number in bad)  # on standard error


def test_a_divided_list_of_days(library, tmp_path):
    for number, title in library.titles().items():
        library.records[number] = (f"2026-0{1 + number // 10}-{1 + number % 10:02}", title)
    with serving(broken_at(library, 23)) as server:
        config = configured(tmp_path, server.url, tries=2, first_wait=0.0001, granularity="day")
        result = fetch(config)
    assert (result.outcome, result.rejected, result.stored) == ("complete", 1, 39), result.reasons


def test_a_night_without_the_bad_record_is_complete_again(library, tmp_path):
    bad = [23]
    with serving(lambda request, answer: broken_at(library, *bad)(request, answer)) as server:
        config = configured(tmp_path, server.url, tries=2, first_wait=0.0001)
        fetch(config)
        bad.clear()
        result = fetch(config, full=True)
    assert (result.outcome, result.rejected, titles(config)) == ("complete", 0, library.titles())


def test_a_server_that_never_lists_records_gives_them_one_by_one(library, tmp_path):
    def change(request, answer):
        return FAILS if request.verb == "ListRecords" else library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, server.url, tries=1, first_wait=0.0001)
        result = fetch(config)
    assert (result.outcome, titles(config)) == ("complete", library.titles()), result.reasons
    assert len([path for path in server.requests if "ListRecords" in path]) < 100


def test_a_server_that_is_down_is_asked_again_from_the_same_place(library, tmp_path):
    is_down = True

    def change(request, answer):
        return FAILS if is_down and (request.token or len(server.requests) > 3) else library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, server.url, tries=2, first_wait=0.0001)
        assert fetch(config).outcome == "partial"
        is_down = False
        server.requests.clear()
        assert fetch(config).outcome == "complete"
    assert not any("from=" in path or "until=" in path for path in server.requests)  # nothing was divided
    assert sum("ListRecords" in path for path in server.requests) == 40 // PART - 1
    assert titles(config) == library.titles()


def test_a_place_whose_identifiers_cannot_be_listed_either_is_tried_twice_and_named(library, tmp_path):
    with serving(broken_at(library, 23, verbs=("ListRecords", "ListIdentifiers"))) as server:
        config = configured(tmp_path, server.url, tries=1, first_wait=0.0001)
        first = fetch(config)
        assert (first.outcome, "status 500" in first.reasons[0]) == ("partial", True)
        second = fetch(config)
    stamp = library.records[23][0]
    assert second.outcome == "partial"
    assert f"until {stamp}" in second.reasons[0] or f"from {stamp}" in second.reasons[0]
    assert titles(config) == {number: title for number, title in library.titles().items() if number != 23}


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"])
@pytest.mark.parametrize("step", [ListStep("ListRecords"), ListStep("ListRecords", set="books")])
def test_halves_meet_and_end_at_one_unit(form, step):
    unit = timedelta(days=1) if len(form) < 10 else timedelta(seconds=1)
    latest = datetime(2026, 11, 23, 9, 0, 0, tzinfo=UTC).strftime(form)
    granularity = "day" if len(form) < 10 else "second"
    waiting, ended = [step], []
    while waiting and len(ended) < 40:
        current = waiting.pop()
        halves = halve(current, granularity, "2026-11-01", latest)
        if halves is None:
            ended.append(current)
            continue
        first, second = halves
        assert (first.begin, second.end) == (current.begin, current.end)
        assert first.end == second.begin
        assert first.set == second.set == step.set
        waiting += [second, first]
    dated = [one for one in ended if one.begin and one.end]
    assert dated
    for one in dated:
        begin, end = (datetime.strptime(text, form) for text in (one.begin, one.end))
        assert end - begin <= unit


@pytest.mark.parametrize("earliest", ["", "yesterday", "2026-11-23T09:00:00Z", "2199-01-01", "1970-01-01T00:00:00Z"])
def test_a_list_without_dates_is_divided_whatever_the_server_states(earliest):
    halves = halve(ListStep("ListRecords"), "second", earliest, "2026-11-23T09:00:00Z")
    assert halves is not None
    assert "1969" < halves[0].end < "2026-11-23T09:00:00Z"


def test_records_of_two_sets(library, tmp_path):
    for number in library.records:
        library.sets[number] = ("books", "maps", "scores")[number % 3]

    def change(request, answer):
        if request.verb == "ListSets":
            specs = "".join(f"<set><setSpec>{one}</setSpec></set>" for one in ("books", "maps", "scores"))
            reply = answer()
            return reply._replace(body=reply.body.replace(b"<set><setSpec>books</setSpec>", specs[:-6].encode()))
        return library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, server.url, set=["books", "maps"])
        result = fetch(config)
        assert result.outcome == "complete", result.reasons
        chosen = {number: title for number, title in library.titles().items() if number % 3 < 2}
        assert titles(config) == chosen
        library.put(100, "New")
        library.sets[100] = "maps"
        assert fetch(config).new == 1
        asked = [path for path in server.requests if "ListRecords" in path and "resumptionToken" not in path]
        assert [("set=books" in path, "set=maps" in path) for path in asked] == [(True, False), (False, True)] * 2


def test_one_of_two_sets_that_vanished_removes_nothing(library, tmp_path):
    for number in library.records:
        library.sets[number] = "books" if number % 2 else "maps"

    def change(request, answer):
        if request.verb == "ListSets":
            return answer()  # books only
        return library.answer(request)

    with serving(change) as server:
        config = configured(tmp_path, server.url, set=["books", "maps"])
        assert fetch(config).outcome == "complete"  # it is not listed, but has records
        library.records = {number: one for number, one in library.records.items() if number % 2}
        result = fetch(config, full=True)
    assert result.outcome == "partial"
    assert '"maps": the set is not listed any more' in result.reasons[0]
    assert result.stored == 40


def moved(library, host):
    """Return a server that puts a host into its identifiers."""

    def change(request, answer):
        identifier = request.arguments.get("identifier", "")
        request.arguments["identifier"] = identifier.replace(host(), "oai:library")
        reply = library.answer(request)
        return reply._replace(body=reply.body.replace(b"oai:library", host().encode()))

    return change


@pytest.mark.parametrize(
    "names", [("oai:old.example.org", "oai:new.example.org"), ("http://a/oai", "https://www.b/oai")]
)
def test_identifiers_with_another_host_are_the_same_records(names, library, tmp_path):
    host = names[0]
    with serving(moved(library, lambda: host)) as server:
        config = configured(tmp_path, server.url, id_from="local")
        assert fetch(config).new == 40
        host = names[1]
        library.delete(7)
        result = fetch(config, full=True)
    assert (result.outcome, result.new, result.removed) == ("complete", 0, 1)
    assert "new-identifiers" not in faults(config)
    assert titles(config) == library.titles()


def test_identifiers_that_are_all_new_are_a_fault_of_the_server_and_the_rest_of_a_list_is_none(library, tmp_path):
    host = "oai:old.example.org"
    with serving(moved(library, lambda: host)) as server:
        config = configured(tmp_path, server.url)
        assert fetch(config, limit=25).outcome == "partial"
        assert (fetch(config).outcome, "new-identifiers" in faults(config)) == ("complete", False)
        host = "oai:new.example.org"
        assert (fetch(config, full=True).outcome, "new-identifiers" in faults(config)) == ("complete", True)


def test_the_records_of_a_source_keep_their_place_when_their_host_stops_to_count(library, tmp_path):
    host = "oai:old.example.org"
    with serving(moved(library, lambda: host)) as server:
        fetch(configured(tmp_path, server.url))
        config = configured(tmp_path, server.url, id_from="local")
        host = "oai:new.example.org"
        result = fetch(config, full=True)
    assert (result.outcome, result.new, result.removed, result.stored) == ("complete", 0, 0, 40)


def bare(library, others, *numbers):
    """Return a server that sends some records without metadata, unless they are asked for under another prefix."""
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><metadataNamespace>{namespace}</metadataNamespace>"
        "</metadataFormat>"
        for prefix, namespace in others.items()
    )

    def change(request, answer):
        if request.verb == "ListMetadataFormats":
            reply = answer()
            return reply._replace(
                body=reply.body.replace(b"<ListMetadataFormats>", b"<ListMetadataFormats>" + formats.encode())
            )
        reply = library.answer(request)
        if request.arguments.get("metadataPrefix") in others:
            return reply if request.arguments["identifier"] != "oai:library:9" else error("cannotDisseminateFormat")
        for number in numbers:
            title = library.records[number][1].encode()
            begin, found, rest = reply.body.partition(b"oai:library:%d</identifier>" % number)
            if found and title in rest:
                before, _, after = rest.partition(b"<metadata>")
                reply = reply._replace(
                    body=begin + found + before + b"<metadata/>" + after.partition(b"</metadata>")[2]
                )
        return reply

    return change


def test_records_without_metadata_are_asked_for_under_another_prefix(library, tmp_path):
    others = {"marc": "http://www.loc.gov/MARC21/slim"}
    with serving(bare(library, others, 5, 9, 23)) as server:
        config = configured(tmp_path, server.url)
        result = fetch(config)
        assert (result.outcome, result.rejected) == ("complete", 1), result.reasons
        assert titles(config) == {number: title for number, title in library.titles().items() if number != 9}
        assert "other-prefix" in faults(config)
        assert sum("metadataPrefix=marc&" in f"{path}&" for path in server.requests) == 3


def test_another_kind_of_format_is_no_replacement(library, tmp_path):
    others = {"mods": "http://www.loc.gov/mods/v3"}
    with serving(bare(library, others, 5)) as server:
        assert fetch(configured(tmp_path, server.url)).rejected == 1
    assert not any("metadataPrefix=mods" in path for path in server.requests)
