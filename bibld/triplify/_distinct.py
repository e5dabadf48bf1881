"""Count different values among any number of them, in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_IN_MEMORY = 1 << 23
"""Hashes that are kept in memory; more are written to a file, sorted."""

_PARTS = 64
"""The number of ranges of hashes that are compared between the files, one after the other."""

Hashes = npt.NDArray[np.uint64]


def hashes_of(values: Sequence[bytes]) -> Hashes:
    """Return hashes of values, of 64 bits: of a billion values, two have the same once in forty times."""
    return np.frombuffer(b"".join([blake2b(value, digest_size=8).digest() for value in values]), dtype=np.uint64)


class DistinctCounter:
    """Counts different hashes. Use it in a ``with`` statement."""

    def __init__(self, most_in_memory: int = _MOST_IN_MEMORY) -> None:
        self._most_in_memory = most_in_memory
        self._waiting: list[Hashes] = []
        self._number_waiting = 0
        self._files: list[Any] = []
        self._runs: list[Hashes] = []

    def __enter__(self) -> DistinctCounter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.clear()
        for file in self._files:
            file.close()

    def add(self, hashes: Hashes) -> None:
        """Add hashes, in any order."""
        self._waiting.append(hashes)
        self._number_waiting += len(hashes)
        if self._number_waiting > self._most_in_memory:
            merged = self._merge_waiting()
            if len(merged) > self._most_in_memory // 2:
                self._write(merged)
            else:
                self._waiting, self._number_waiting = [merged], len(merged)

    def count(self) -> int:
        """Return the number of different hashes."""
        runs = [*self._runs, self._merge_waiting()]
        if len(runs) == 1:
            return len(runs[0])
        bounds = [np.uint64(part * (2**64 // _PARTS)) for part in range(_PARTS)]
        places = [[*(int(place) for place in np.searchsorted(run, bounds)), len(run)] for run in runs]
        return sum(
            len(np.unique(np.concatenate([run[at[part] : at[part + 1]] for run, at in zip(runs, places, strict=True)])))
            for part in range(_PARTS)
        )

    def _merge_waiting(self) -> Hashes:
        return np.unique(np.concatenate(self._waiting)) if self._waiting else np.empty(0, np.uint64)

    def _write(self, hashes: Hashes) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end
        self._files.append(file)
        hashes.tofile(file)
        file.flush()
        self._runs.append(np.memmap(file, dtype=np.uint64, mode="r"))
        self._waiting, self._number_waiting = [], 0
