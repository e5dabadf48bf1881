"""Progress: silent, one line per batch in a log, a bar on a terminal."""

import io

import pytest

from bibld.progress import Bar, LogLines, Silent, count_items, display, with_number


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_log_has_a_line_for_each_stage_and_each_full_batch():
    out = io.StringIO()
    log = LogLines(out, every=10)
    log.stage("read", "records", 25)
    log.advance(9)
    log.advance()
    log.advance(9)
    log.advance(12)
    log.stage("match", "pairs")
    log.advance(9)
    log.report("done")
    assert out.getvalue().splitlines() == [
        "read: 25 records",
        "read: 10 records done",
        "read: 31 records done",
        "match",
        "done",
    ]


@pytest.mark.parametrize(
    "out, quiet, kind", [(io.StringIO(), False, LogLines), (Terminal(), True, Silent), (Terminal(), False, Bar)]
)
def test_the_progress_fits_the_output(out, quiet, kind):
    with display(out, quiet) as progress:
        assert isinstance(progress, kind)
        progress.stage("read", "records", 2)
        assert list(count_items("ab", progress)) == ["a", "b"]
        progress.report("[read] 2 records")
    assert ("[read] 2 records" in out.getvalue()) is not quiet


class RichProgress:
    """Notes what a bar draws."""

    def __init__(self):
        self.calls = []
        self.console = self

    def add_task(self, text, total):
        self.calls.append(f"add {text} {total}")
        return len(self.calls)

    def remove_task(self, task):
        self.calls.append(f"remove {task}")

    def advance(self, task, count):
        self.calls.append(f"advance {task} {count}")

    def print(self, message, markup, highlight):
        assert not markup, "brackets in messages are text"
        assert not highlight
        self.calls.append(f"print {message}")


def test_a_bar_replaces_the_one_before():
    rich = RichProgress()
    bar = Bar(rich)
    bar.advance()
    bar.stage("read", "records", 10)
    bar.advance()
    bar.advance(5)
    bar.stage("match", "pairs")
    bar.report("[x]")
    assert rich.calls == [
        "add read (records) 10",
        "advance 1 1",
        "advance 1 5",
        "remove 1",
        "add match (pairs) None",
        "print [x]",
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
