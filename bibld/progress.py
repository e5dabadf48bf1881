"""Progress of long work: silent by default, a bar on a terminal, one line per batch in a log.

A stage is given a ``Progress`` and reports to it; it never prints.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

Item = TypeVar("Item")


class Progress(Protocol):
    """Receives reports about the progress of a stage."""

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Begin a stage; ``what`` it counts (records, pairs …), ``total`` if it is known."""

    def advance(self, count: int = 1) -> None:
        """Count items that are done."""

    def report(self, message: str) -> None:
        """Show a message of one line."""


class Silent:
    """Shows nothing."""

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Do nothing."""

    def advance(self, count: int = 1) -> None:
        """Do nothing."""

    def report(self, message: str) -> None:
        """Do nothing."""


class LogLines:
    """Writes one line when a stage begins, and one for each ``every`` items that are done."""

    def __init__(self, out: TextIO, every: int = 100_000) -> None:
        self._out = out
        self._every = every
        self._stage = ""
        self._what = ""
        self._done = 0

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Write a line that names the stage."""
        self._stage, self._what, self._done = name, what, 0
        self.report(f"{name}: {total} {what}" if total is not None else name)

    def advance(self, count: int = 1) -> None:
        """Count, and write a line when a batch is full."""
        before = self._done // self._every
        self._done += count
        if self._done // self._every > before:
            self.report(f"{self._stage}: {self._done} {self._what} done")

    def report(self, message: str) -> None:
        """Write a line."""
        print(message, file=self._out, flush=True)


class Bar:
    """Draws a bar on a terminal."""

    def __init__(self, rich_progress: RichProgress) -> None:
        self._rich = rich_progress
        self._task: TaskID | None = None

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Begin a new bar."""
        if self._task is not None:
            self._rich.remove_task(self._task)
        self._task = self._rich.add_task(f"{name} ({what})", total=total)

    def advance(self, count: int = 1) -> None:
        """Move the bar."""
        if self._task is not None:
            self._rich.advance(self._task, count)

    def report(self, message: str) -> None:
        """Print a line above the bar."""
        self._rich.console.print(message, markup=False, highlight=False)


@contextmanager
def display(out: TextIO = sys.stderr, quiet: bool = False) -> Iterator[Progress]:
    """Yield the progress that fits the output: a bar on a terminal, lines otherwise, nothing if ``quiet``."""
    if quiet:
        yield Silent()
    elif out.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with RichProgress(*columns, console=Console(file=out), transient=True) as rich_progress:
            yield Bar(rich_progress)
    else:
        yield LogLines(out)


def count_items(items: Iterable[Item], progress: Progress) -> Iterator[Item]:
    """Yield the items and count each as done."""
    for item in items:
        yield item
        progress.advance()


def with_number(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 record", "2 records"; ``plural`` is the noun with an s by default."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
