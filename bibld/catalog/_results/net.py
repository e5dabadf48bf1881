"""The sum of many patches, in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

_LINES_IN_MEMORY = 500_000
_LINE = itemgetter(0)


class Net:
    """Sums how often lines were added and removed, and gives those where something remains, in the order of the lines.

    What does not fit in memory is kept in sorted runs in temporary files and merged when it is asked for.
    """

    def __init__(self, folder: Path, lines_in_memory: int = _LINES_IN_MEMORY) -> None:
        self._folder = folder
        self._lines_in_memory = lines_in_memory
        self._sums: dict[bytes, int] = {}
        self._runs: list[BinaryIO] = []
        self.mentioned = 0
        """How many lines the patches have, each as often as it occurs."""

    def __enter__(self) -> Net:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self._runs:
            run.close()

    def add(self, lines: bytes, number: int) -> None:
        """Count every line of N-Quads so many times."""
        sums = self._sums
        for line in lines.splitlines():
            self.mentioned += 1
            sums[line] = sums.get(line, 0) + number
        if len(sums) > self._lines_in_memory:
            self._spill()

    def _spill(self) -> None:
        run = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed with all others
        self._runs.append(run)
        run.writelines(b"%s\t%d\n" % (line, number) for line, number in sorted(self._sums.items()) if number)
        self._sums.clear()

    def lines(self) -> Iterator[tuple[bytes, bool]]:
        """The lines that were added more often than removed (True) or the other way round (False), sorted; may be
        asked for more than once, one after the other."""
        held = sorted(item for item in self._sums.items() if item[1])
        for line, number in self._with_runs(held) if self._runs else held:
            if number:
                yield line, number > 0

    def _with_runs(self, held: list[tuple[bytes, int]]) -> Iterator[tuple[bytes, int]]:
        for line, group in groupby(merge(*map(_read, self._runs), held, key=_LINE), key=_LINE):
            yield line, sum(count for _, count in group)


def _read(run: BinaryIO) -> Iterator[tuple[bytes, int]]:
    run.seek(0)
    for held in run:
        line, _, number = held.rpartition(b"\t")
        yield line, int(number)
