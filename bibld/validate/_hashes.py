"""Sets of nodes as numbers of 64 bits in temporary files, so that memory does not grow with the data.

Two of a billion nodes share a number with a probability of 3 %. If two do, a node is counted as an instance of a class
by mistake, or checked with a detour; nothing else depends on the numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

_FILES = 16
_SHIFT = np.uint64(60)
_CACHED = 1 << 18


def hash_term(term: bytes) -> int:
    """Return the number of a term, the same in every process."""
    return int.from_bytes(hashlib.blake2b(term, digest_size=8).digest(), "little")


def to_array(terms: Iterable[bytes]) -> Hashes:
    """Return the numbers of terms."""
    return np.fromiter(map(hash_term, terms), np.uint64)


class HashFiles:
    """Numbers in files by their first bits: collected in any order, and read file by file in ascending order."""

    def __init__(self, folder: Path, name: str) -> None:
        self._paths = [folder / f"{name}-{number:02}" for number in range(_FILES)]
        self._files = [path.open("wb") for path in self._paths]

    def add(self, hashes: Hashes) -> None:
        """Store numbers, each as often as it is given."""
        file_numbers = (hashes >> _SHIFT).astype(np.intp)
        for number, file in enumerate(self._files):
            file.write(hashes[file_numbers == number].tobytes())

    def close(self) -> None:
        """Close the files for writing."""
        for file in self._files:
            file.close()

    def write_unique(self, target: Path) -> None:
        """Write the numbers in ascending order, each once."""
        self.close()
        with target.open("wb") as out:
            for path in self._paths:
                out.write(np.unique(np.fromfile(path, np.uint64)).tobytes())

    def write_repeated(self, target: Path) -> None:
        """Write the numbers that were added more than once, in ascending order."""
        self.close()
        with target.open("wb") as out:
            for path in self._paths:
                numbers, counts = np.unique(np.fromfile(path, np.uint64), return_counts=True)
                out.write(numbers[counts > 1].tobytes())


class HashSet:
    """A set of numbers that :class:`HashFiles` wrote. Answers are remembered for terms that are asked for often."""

    def __init__(self, file: Path) -> None:
        size = file.stat().st_size // 8
        self._numbers: Hashes = np.memmap(file, np.uint64, "r") if size else np.empty(0, np.uint64)
        self._known: dict[bytes, bool] = {}

    def __bool__(self) -> bool:
        return len(self._numbers) > 0

    def __contains__(self, term: bytes) -> bool:
        answer = self._known.get(term)
        if answer is None:
            number = np.uint64(hash_term(term))
            place = int(np.searchsorted(self._numbers, number))
            answer = place < len(self._numbers) and bool(self._numbers[place] == number)
            if len(self._known) >= _CACHED:
                self._known.clear()
            self._known[term] = answer
        return answer
