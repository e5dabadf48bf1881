"""What SRU servers do wrong: no record is lost without a word, and every harvest ends."""

from __future__ import annotations

import msgspec
import pytest

from bibld import harvest
from bibld.errors import ConfigError
from bibld.harvest import HarvestOptions, ServerReport
from bibld.harvest.sru._answers import parse_search
from bibld.progress import Silent
from tests.configuration import load_config
from tests.harvest import sru_server
from tests.harvest.sru_server import FAULTS, RECORDS


def configured(folder, url, *lines):
    usual = ["portion = 10", "tries = 2", "first_wait = 0.01"]
    keys = {line.split()[0] for line in lines}
    stated = ['harvest = "sru"', f'url = "{url}"', *(line for line in usual if line.split()[0] not in keys), *lines]
    return load_config(folder, "\n".join(["[[source]]", 'id = "lib"', *stated, ""]))


def fetched(config, **options):
    return harvest.harvest_source(config, config.sources[0], Silent(), HarvestOptions(**options))


def findings(config):
    report = msgspec.json.decode((config.workspace / "reports" / "lib.json").read_bytes(), type=ServerReport)
    return {finding.kind for finding in report.findings}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_ends_as_documented(name, tmp_path):
    fault = FAULTS[name]
    with sru_server.serve(fault.answer) as url:
        config = configured(tmp_path, url)
        result = fetched(config)
        assert (result.outcome, result.stored) == (fault.outcome, fault.stored), result.line
        assert fault.reason in "; ".join(result.reasons)
        assert not fault.finding or fault.finding in findings(config)


def test_records_that_the_server_no_longer_has_are_removed_by_a_complete_list_alone(tmp_path):
    def fewer(asked):
        records = sru_server.portion(asked)[: max(RECORDS - 2 - asked.start + 1, 0)]
        return 200, sru_server.response(records, RECORDS - 2)

    answers = [sru_server.good, sru_server.limited(10), fewer]
    with sru_server.serve(lambda asked: answers[0](asked)) as url:
        config = configured(tmp_path, url)
        assert fetched(config).stored == RECORDS
        answers.pop(0)
        partial = fetched(config)
        assert (partial.outcome, partial.stored) == ("partial", RECORDS)
        answers.pop(0)
        last = fetched(config)
        assert (last.outcome, last.removed, last.stored) == ("complete", 2, RECORDS - 2)


def test_a_query_over_the_limit_is_divided_with_the_records_that_have_no_year(tmp_path):
    with sru_server.serve(sru_server.limited(10)) as url:
        config = configured(tmp_path, url, 'split = "year"')
        learned = fetched(config)
        assert (learned.outcome, learned.reasons, learned.stored) == ("complete", (), RECORDS)
        again = fetched(config)
        assert (again.outcome, again.received) == ("complete", RECORDS), "the limit is remembered"
    with sru_server.serve(sru_server.limited(10)) as url:
        (tmp_path / "other").mkdir()
        narrow = configured(tmp_path / "other", url, 'split = "year"', "split_range = [1990, 1999]")
        result = fetched(narrow)
        assert result.outcome == "partial"
        assert "gives only 10 of the 16 records" in result.reasons[0]


def test_the_same_count_in_two_nights_is_taken_for_all(tmp_path):
    with sru_server.serve(sru_server.shifted) as url:
        config = configured(tmp_path, url)
        assert [fetched(config).outcome for _ in range(2)] == ["partial", "complete"]


def test_the_same_count_of_other_records_is_not_taken_for_all(tmp_path):
    missing = [3]

    def change(asked):
        twice = [1 if number == missing[0] else number for number in range(1, RECORDS + 1)]
        shown = twice[asked.start - 1 : asked.start - 1 + asked.portion]
        packed = [sru_server.packed(sru_server.MARC.format(f"r{number}"), number) for number in shown]
        return 200, sru_server.response(packed, RECORDS)

    with sru_server.serve(change) as url:
        config = configured(tmp_path, url)
        assert fetched(config).outcome == "partial"
        missing[0] = 7
        assert fetched(config).outcome == "partial"  # 3 came now, and 7 did not
        assert fetched(config).outcome == "complete"


def test_answers_of_nights_that_are_never_complete_do_not_pile_up(tmp_path):
    with sru_server.serve(sru_server.limited(10)) as url:
        config = configured(tmp_path, url)
        for _ in range(5):
            assert fetched(config).outcome == "partial"
    folders = sorted(path.name for path in (config.workspace / "harvest" / "lib" / "answers").iterdir())
    assert folders == ["000004", "000005"]


def test_a_server_that_dies_in_the_middle_is_continued(tmp_path):
    asked_for = []

    def answer(asked):
        asked_for.append(asked.start)
        return (503, b"") if asked.start > 10 and len(asked_for) < 8 else sru_server.good(asked)

    with sru_server.serve(answer) as url:
        config = configured(tmp_path, url, "tries = 1")
        first = fetched(config)
        assert (first.outcome, first.received) == ("partial", 10)
        for _ in range(3):
            last = fetched(config)
        assert (last.outcome, last.stored) == ("complete", RECORDS)


def test_a_list_of_queries_is_united(tmp_path):
    with sru_server.serve(sru_server.limited(100)) as url:
        queries = 'query = ["year>=1991 and year<=1995", "year>=1994 and year<=2000"]'
        result = fetched(configured(tmp_path, url, queries))
        assert (result.outcome, result.received, result.stored) == ("complete", 12, 10)


def test_one_of_two_queries_that_ends_too_early_is_not_complete(tmp_path):
    def answer(asked):
        reply = sru_server.limited(100)(asked)
        return (200, sru_server.response([], 0)) if asked.start > 1 and "1994" in asked.words["query"] else reply

    with sru_server.serve(answer) as url:
        queries = 'query = ["year>=1991 and year<=1995", "year>=1994 and year<=2014"]'
        result = fetched(configured(tmp_path, url, queries))
        assert (result.outcome, result.removed) == ("partial", 0)
        assert "the server stated 20 records at first, and 0 later" in result.reasons[0]


def test_a_gap_is_still_a_reason_when_the_harvest_is_continued(tmp_path):
    def dies_behind_a_gap(asked):
        return (503, b"") if asked.start > 10 else sru_server.surrogate(asked)

    answers = [sru_server.good, dies_behind_a_gap, sru_server.good]
    with sru_server.serve(lambda asked: answers[0](asked)) as url:
        config = configured(tmp_path, url, "tries = 1")
        assert fetched(config).stored == RECORDS
        answers.pop(0)
        assert fetched(config).outcome == "partial"
        answers.pop(0)
        continued = fetched(config)
        assert (continued.outcome, continued.received, continued.removed) == ("partial", RECORDS, 0)
        assert "in place of the record at position 7" in continued.reasons[0]
        last = fetched(config)
        assert (last.outcome, last.received, last.stored) == ("complete", RECORDS, RECORDS)


def test_nights_that_are_not_complete_do_not_add_up_to_a_complete_one(tmp_path):
    def without(*missing):
        def answer(asked):
            status, body = sru_server.good(asked)
            for number in missing:
                body = body.replace(f"Книга {number}<".encode(), "Книга 1<".encode())
                body = body.replace(f">{number}<".encode(), b">1<")
            return status, body

        return answer

    answers = [without(11), without(12, 14)]
    with sru_server.serve(lambda asked: answers[0](asked)) as url:
        config = configured(tmp_path, url)
        assert "24 different ones" in fetched(config).reasons[0]
        answers.pop(0)
        second = fetched(config)
        assert (second.outcome, second.received, second.stored) == ("partial", RECORDS, RECORDS)
        assert "23 different ones" in second.reasons[0]


def test_a_rejected_record_with_an_older_version_counts_once(tmp_path):
    def one_rejected_and_one_missing(asked):
        status, body = sru_server.foreign_record(asked)
        seventh = b"<dc:title>"
        body = body.replace(seventh, b"<dc:identifier>7</dc:identifier>" + seventh)
        return status, body.replace("Книга 11<".encode(), "Книга 1<".encode()).replace(b">11<", b">1<")

    answers = [sru_server.good, one_rejected_and_one_missing]
    with sru_server.serve(lambda asked: answers[0](asked)) as url:
        config = configured(tmp_path, url)
        fetched(config)
        answers.pop(0)
        second = fetched(config)
        assert (second.outcome, second.rejected, second.stored) == ("partial", 1, RECORDS)
        assert "24 different ones" in second.reasons[0]


def test_a_limit_counts_the_records_of_one_run(tmp_path):
    with sru_server.serve(sru_server.good) as url:
        config = configured(tmp_path, url, "portion = 5")
        assert [fetched(config, limit=10).received for _ in range(2)] == [10, 20]
        assert fetched(config).outcome == "complete"


def test_records_that_share_an_identifier_are_counted_and_stated(tmp_path):
    def shared(asked):
        return 200, sru_server.good(asked)[1].replace(b'tag="001">11<', b'tag="001">1<')

    with sru_server.serve(shared) as url:
        config = configured(tmp_path, url)
        result = fetched(config)
        assert (result.outcome, result.new, result.stored) == ("partial", RECORDS - 1, RECORDS - 1)
        assert "24 different ones came (1 more have the control number of another one)" in result.reasons[0]
        assert "same-identifier" in findings(config)


def test_absurd_numbers_do_not_stop_a_harvest(tmp_path):
    number = "9" * 5000

    def positions(asked):
        return 200, sru_server.good(asked)[1].replace(b"<recordPosition>", f"<recordPosition>{number}".encode())

    with sru_server.serve(positions) as url:
        assert fetched(configured(tmp_path, url)).outcome == "complete"
    (tmp_path / "b").mkdir()
    with sru_server.serve(lambda asked: (200, sru_server.response(sru_server.portion(asked), number))) as url:
        result = fetched(configured(tmp_path / "b", url))
        assert (result.outcome, result.stored) == ("failed", 0)
        assert "states no numberOfRecords" in result.reasons[0]


def test_an_address_that_has_a_query_keeps_it(tmp_path):
    with sru_server.serve(lambda asked: sru_server.good(asked) if asked.words.get("key") == "1" else (404, b"")) as url:
        assert fetched(configured(tmp_path, f"{url}?key=1")).outcome == "complete"
        (tmp_path / "b").mkdir()
        assert fetched(configured(tmp_path / "b", url, 'parameters = { key = "1" }')).outcome == "complete"


def test_a_list_of_changes_cannot_be_asked_for(tmp_path):
    with sru_server.serve(sru_server.good) as url:
        result = fetched(configured(tmp_path, url), since="2026-01-01")
        assert result.reasons == ("SRU has no list of changes; leave --since out, or state the date in the query",)


@pytest.mark.parametrize("line", ['query = ""', "query = []", "split_range = [5, 1]", 'url = "ftp://x"', "portion = 0"])
def test_settings_that_cannot_work_are_faults_of_the_configuration(line, tmp_path):
    stated = ['url = "http://localhost/"', line] if "url" not in line else [line]
    with pytest.raises(ConfigError):
        load_config(tmp_path, "\n".join(["[[source]]", 'id = "lib"', 'harvest = "sru"', *stated, ""]))


@pytest.mark.parametrize(
    ("parts", "number"),
    [
        ("<identifier>isbn</identifier><relatedItem>{host}</relatedItem>{own}", "own"),
        ("<identifier>isbn</identifier>", "isbn"),
    ],
)
def test_the_number_of_mods_is_that_of_the_record_and_not_of_what_it_is_related_to(parts, number):
    host, own = (f"<recordInfo><recordIdentifier>{each}</recordIdentifier></recordInfo>" for each in ("host", "own"))
    mods = f'<mods xmlns="http://www.loc.gov/mods/v3">{parts.format(host=host, own=own)}</mods>'
    records = f"<records><record><recordData>{mods}</recordData></record></records>"
    body = f'<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/">{records}</searchRetrieveResponse>'
    (piece,) = parse_search(body.encode()).pieces
    assert piece.identifier == number
