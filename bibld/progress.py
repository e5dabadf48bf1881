"""Progress of long work: silent by default, one changing line on a terminal, a line a minute elsewhere; and a log.

A stage is given a ``Progress`` and reports to it; it never prints.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import Literal, Protocol, TextIO, TypeVar

import msgspec

from bibld.errors import ConfigError
from bibld.text.translations import SOURCE_LANGUAGE, Sentences, sentences_in

Item = TypeVar("Item")

LogFormat = Literal["text", "json"]

_EVERY = 60.0
"""Seconds between two lines about the same stage."""


class Progress(Protocol):
    """Receives reports about the progress of a stage."""

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Begin a stage; ``what`` it counts (records, pairs …), ``total`` if it is known."""

    def advance(self, count: int = 1) -> None:
        """Count items that are done."""

    def report(self, message: str) -> None:
        """Show a message of one line."""

    def detail(self, message: str) -> None:
        """Show a message of one line to those who want to see more."""

    def warn(self, message: str) -> None:
        """Show a message that a person must see: something is not as it should be. Also without other progress."""


class Silent:
    """Shows nothing."""

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Do nothing."""

    def advance(self, count: int = 1) -> None:
        """Do nothing."""

    def report(self, message: str) -> None:
        """Do nothing."""

    def detail(self, message: str) -> None:
        """Do nothing."""

    def warn(self, message: str) -> None:
        """Do nothing."""


class Quiet(Silent):
    """Shows only warnings."""

    def __init__(self, out: TextIO, words: Sentences | None = None) -> None:
        self._out = out
        self._words = words or sentences_in(SOURCE_LANGUAGE)

    def warn(self, message: str) -> None:
        """Write a line."""
        _write(self._out, self._words.text(f"warning: {message}"))


class _Lines(Progress):
    """Shows warnings as messages, and details if ``is_verbose``; ``words`` are those of the user's language."""

    def __init__(self, is_verbose: bool, words: Sentences | None) -> None:
        self._is_verbose = is_verbose
        self._words = words or sentences_in(SOURCE_LANGUAGE)

    def detail(self, message: str) -> None:
        """Show a message if that is wanted."""
        if self._is_verbose:
            self.report(message)

    def warn(self, message: str) -> None:
        """Show a message that begins with what it is."""
        self.report(f"warning: {message}")


class LogLines(_Lines):
    """Writes one line when a stage begins, and while it lasts one a minute: time, percentage, remaining time."""

    def __init__(
        self,
        out: TextIO,
        is_verbose: bool = False,
        every: float = _EVERY,
        clock: Callable[[], float] = monotonic,
        words: Sentences | None = None,
    ) -> None:
        """``every``: seconds between two lines; ``clock`` returns seconds that only grow."""
        super().__init__(is_verbose, words)
        self._out = out
        self._counter = _Counter(clock, every)

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Write a line that names the stage."""
        in_context = self._words.word
        self.report(self._counter.begin(name, in_context("stage", what), total))

    def advance(self, count: int = 1) -> None:
        """Count, and write a line when a minute has passed since the last one."""
        if due := self._counter.advance(count):
            _write(self._out, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {self._words.text(due)}")

    def report(self, message: str) -> None:
        """Write a line."""
        _write(self._out, self._words.text(message))


class StatusLine(LogLines):
    """Writes on a terminal what the stage has done, ten times a second, each time over the line before."""

    def __init__(self, out: TextIO, is_verbose: bool = False, words: Sentences | None = None) -> None:
        super().__init__(out, is_verbose, 0.1, monotonic, words)

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Write the name of the stage."""
        self._write_over(self._counter.begin(name, self._words.word("stage", what), total))

    def advance(self, count: int = 1) -> None:
        """Count, and write what is done if a tenth of a second has passed."""
        if due := self._counter.advance(count):
            self._write_over(due)

    def report(self, message: str) -> None:
        """Write a line that stays."""
        self.clear()
        super().report(message)

    def clear(self) -> None:
        """Remove the line."""
        print("\r\x1b[K", end="", file=self._out, flush=True)

    def _write_over(self, message: str) -> None:
        self.clear()
        print(self._words.text(message)[: get_terminal_size().columns - 1], end="", file=self._out, flush=True)


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the log: when, how important, and what; for progress also the stage and its counts."""

    time: str
    level: Literal["debug", "info", "warning"]
    message: str
    stage: str = ""
    what: str = ""
    done: int | None = None
    total: int | None = None


class WarningLog(Silent):
    """Passes everything on, and remembers the warnings."""

    def __init__(self, shown: Progress) -> None:
        self.stage, self.advance = shown.stage, shown.advance  # type: ignore[method-assign]
        self.report, self.detail = shown.report, shown.detail  # type: ignore[method-assign]
        self._warn = shown.warn
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        """Remember a warning, too."""
        self.warnings.append(message)
        self._warn(message)


class LogFile:
    """Passes everything on, and writes it to a file too, each line with its time: as text, or as JSON."""

    def __init__(
        self, shown: Progress, out: TextIO, log_format: LogFormat = "text", clock: Callable[[], float] = monotonic
    ) -> None:
        self._shown = shown
        self._out = out
        self._format = log_format
        self._counter = _Counter(clock, _EVERY)

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Log that a stage begins."""
        self._log("info", self._counter.begin(name, what, total), with_counts=True)
        self._shown.stage(name, what, total)

    def advance(self, count: int = 1) -> None:
        """Count, and log the progress once a minute."""
        if due := self._counter.advance(count):
            self._log("info", due, with_counts=True)
        self._shown.advance(count)

    def report(self, message: str) -> None:
        """Log a message."""
        self._log("info", message)
        self._shown.report(message)

    def detail(self, message: str) -> None:
        """Log a detail, wanted or not."""
        self._log("debug", message)
        self._shown.detail(message)

    def warn(self, message: str) -> None:
        """Log a warning."""
        self._log("warning", message)
        self._shown.warn(message)

    def _log(self, level: Literal["debug", "info", "warning"], message: str, with_counts: bool = False) -> None:
        time = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        if self._format == "text":
            _write(self._out, f"{time} {level} {message}")
            return
        entry = LogEntry(time, level, message)
        if with_counts:
            counter = self._counter
            entry = LogEntry(time, level, message, counter.name, counter.what, counter.done, counter.total)
        _write(self._out, msgspec.json.encode(entry).decode())


class _Counter:
    """What a stage has done, and when that is due to be written again: ``every`` some seconds of the clock."""

    def __init__(self, clock: Callable[[], float], every: float) -> None:
        self._clock = clock
        self._every = every
        self.begin("", "", None)

    def begin(self, name: str, what: str, total: int | None) -> str:
        """Begin a stage, and return the line that names it."""
        self.name, self.what, self.total, self.done = name, what, total, 0
        self._begun = self._written = self._clock()
        return f"{name}: {total:,} {what}" if total is not None else name

    def advance(self, count: int) -> str:
        """Count. If it is due, return what is done, its share of all, and how long the rest takes at this speed."""
        self.done += count
        now = self._clock()
        if now - self._written < self._every:
            return ""
        self._written = now
        if not self.total:
            return f"{self.name}: {self.done:,} {self.what} done"
        left = (now - self._begun) * max(self.total - self.done, 0) / max(self.done, 1)
        share = min(100 * self.done // self.total, 100)
        return f"{self.name}: {share} % ({self.done:,} of {self.total:,} {self.what}), {in_words(left)} left"


def _write(out: TextIO, line: str) -> None:
    print(line, file=out, flush=True)


@contextmanager
def display(
    out: TextIO | None = None,
    quiet: bool = False,
    verbose: bool = False,
    log: Path | None = None,
    log_format: LogFormat = "text",
    words: Sentences | None = None,
) -> Iterator[Progress]:
    """Yield the progress that fits the output: one line on a terminal, lines otherwise, only warnings if ``quiet``.

    ``out`` is standard error by default. ``verbose`` shows details too. ``log`` is a file to which all of this is
    appended, in English. Raises ``ConfigError`` if it cannot be written. ``words`` are those of the user's language.
    """
    with _shown(out or sys.stderr, quiet, verbose, words) as shown:
        if log is None:
            yield shown
            return
        try:
            file = log.open("a", encoding="utf-8")
        except OSError as error:
            raise ConfigError([f"{log}: the log cannot be written: {error.strerror}; name another file"]) from error
        with file:
            yield LogFile(shown, file, log_format)


@contextmanager
def _shown(out: TextIO, quiet: bool, verbose: bool, words: Sentences | None) -> Iterator[Progress]:
    if quiet:
        yield Quiet(out, words)
    elif out.isatty():
        line = StatusLine(out, verbose, words)
        try:
            yield line
        finally:
            line.clear()
    else:
        yield LogLines(out, verbose, words=words)


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress]:
    """Yield the progress that an argument asks for: True for one that is displayed, False or None for none."""
    if progress is True:
        with display() as displayed:
            yield displayed
    else:
        yield progress or Silent()


def count_items(items: Iterable[Item], progress: Progress) -> Iterator[Item]:
    """Yield the items and count each as done."""
    for item in items:
        yield item
        progress.advance()


def with_number(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 record", "2 records"; ``plural`` is the noun with an s by default."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def in_words(seconds: float) -> str:
    """Return a duration as people write it: "4.2 s", "12 min", "3 h 05 min"."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
