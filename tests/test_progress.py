"""Progress: silent, only warnings, one line a minute, one changing line on a terminal, and a log in a file."""

import io
import re

import msgspec
import pytest

from bibld.errors import ConfigError
from bibld.progress import (
    LogFile,
    LogLines,
    Quiet,
    Silent,
    StatusLine,
    count_items,
    display,
    in_words,
    with_number,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_log_has_a_line_for_each_stage_and_one_a_minute():
    out, clock = io.StringIO(), Clock()
    log = LogLines(out, clock=clock)
    log.stage("read", "records", 4000)
    for clock.now in (10.0, 59.0, 60.0, 100.0, 119.9, 121.0):
        log.advance(500)
    log.stage("match", "pairs")
    log.advance(9)
    clock.now = 200.0
    log.advance(9)
    log.report("done")
    log.detail("not shown")
    log.warn("odd")
    lines = [re.sub(r"^[0-9-]+T[0-9:]+Z", "TIME", line) for line in out.getvalue().splitlines()]
    assert lines == [
        "read: 4,000 records",
        "TIME read: 37 % (1,500 of 4,000 records), 2 min left",
        "TIME read: 75 % (3,000 of 4,000 records), 40 s left",
        "match",
        "TIME match: 18 pairs done",
        "done",
        "warning: odd",
    ]


def test_details_are_shown_to_those_who_want_them():
    out = io.StringIO()
    with display(out, verbose=True) as progress:
        progress.detail("a file")
    assert out.getvalue() == "a file\n"


@pytest.mark.parametrize("quiet", [False, True])
def test_a_log_file_has_all_messages_with_their_time(tmp_path, quiet):
    log = tmp_path / "night.log"
    for log_format in ("json", "text"):
        with display(io.StringIO(), quiet, log=log, log_format=log_format) as progress:
            progress.stage("read", "records", 2)
            progress.advance(2)
            progress.report("deleted")
            progress.detail("a file")
            progress.warn("odd")
    *lines, _, _, _, last = log.read_text().splitlines()
    entries = [msgspec.json.decode(line) for line in lines]
    assert [(one["level"], one["message"]) for one in entries] == [
        ("info", "read: 2 records"),
        ("info", "deleted"),
        ("debug", "a file"),
        ("warning", "odd"),
    ]
    assert {**entries[0], "time": ""} == {
        "time": "",
        "level": "info",
        "message": "read: 2 records",
        "stage": "read",
        "what": "records",
        "done": 0,
        "total": 2,
    }
    assert re.fullmatch(r"[0-9-]{10}T[0-9:]{8}Z warning odd", last)


def test_a_log_file_has_the_progress_once_a_minute():
    out, clock = io.StringIO(), Clock()
    log = LogFile(Silent(), out, "json", clock)
    log.stage("read", "records", 400)
    for clock.now in (30.0, 60.0):
        log.advance(100)
    last = msgspec.json.decode(out.getvalue().splitlines()[-1])
    assert (last["message"], last["done"], last["total"]) == ("read: 50 % (200 of 400 records), 1 min left", 200, 400)


def test_a_log_that_cannot_be_written_is_a_fault(tmp_path):
    with pytest.raises(ConfigError, match="the log cannot be written"), display(log=tmp_path):
        pass


@pytest.mark.parametrize(
    "seconds, text",
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (42, "42 s"), (60, "1 min"), (3599, "1 h 00 min"), (11100, "3 h 05 min")],
)
def test_durations_are_written_as_people_do(seconds, text):
    assert in_words(seconds) == text


@pytest.mark.parametrize(
    "out, quiet, kind", [(io.StringIO(), False, LogLines), (Terminal(), True, Quiet), (Terminal(), False, StatusLine)]
)
def test_the_progress_fits_the_output(out, quiet, kind):
    with display(out, quiet) as progress:
        assert isinstance(progress, kind)
        progress.stage("read", "records", 2)
        assert list(count_items("ab", progress)) == ["a", "b"]
        progress.report("[read] 2 records")
        progress.warn("odd")
    assert "warning: odd" in out.getvalue()
    assert ("[read] 2 records" in out.getvalue()) is not quiet


def test_a_terminal_has_one_line_that_changes_and_below_it_nothing_stays(monkeypatch):
    out, clock = Terminal(), Clock()
    monkeypatch.setattr("bibld.progress.monotonic", clock)
    monkeypatch.setenv("COLUMNS", "41")
    with display(out) as progress:
        progress.stage("read", "records", 1000)
        for clock.now in (1.0, 1.05, 2.0):
            progress.advance(250)
        progress.report("[x]")
        progress.stage("match", "pairs")
    assert out.getvalue().split("\r\x1b[K") == [
        "",
        "read: 1,000 records",
        "read: 25 % (250 of 1,000 records), 3.0 s",
        "read: 75 % (750 of 1,000 records), 0.7 s",
        "[x]\n",
        "match",
        "",
    ]


def test_items_are_counted_after_they_were_processed():
    counted = []

    class Counting(Silent):
        def advance(self, count=1):
            counted.append(count)

    items = count_items("ab", Counting())
    assert (next(items), counted) == ("a", [])
    assert (next(items), counted) == ("b", [1])
    assert list(items) == []
    assert counted == [1, 1]


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((1, "record"), "1 record"),
        ((2, "record"), "2 records"),
        ((0, "file"), "0 files"),
        ((2, "entity", "entities"), "2 entities"),
        ((1, "entity", "entities"), "1 entity"),
    ],
)
def test_a_noun_agrees_with_its_number(arguments, text):
    assert with_number(*arguments) == text
