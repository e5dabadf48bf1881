"""What is done with one batch of lines, in any process: the survey, and the check of its focus nodes."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.validate._evaluation import Deferred, FocusChecks, ValidationResult
from bibld.validate._shapes import ShapesGraph
from bibld.validate._terms import RDF_TYPE, SUBCLASS_OF, KnownStatements, group_by_subject

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

    def write(self, target: Path, times: int = 1) -> None:
        """Write the numbers that were added this often or more in ascending order, each once."""
        for file in self._files:
            file.close()
        with target.open("wb") as out:
            for path in self._paths:
                numbers, counts = np.unique(np.fromfile(path, np.uint64), return_counts=True)
                out.write(numbers[counts >= times].tobytes())


class HashSet:
    """A set of numbers that :class:`HashFiles` wrote. Remembers the terms that were looked up last."""

    def __init__(self, file: Path) -> None:
        size = file.stat().st_size // 8
        self._numbers: Hashes = np.memmap(file, np.uint64, "r") if size else np.empty(0, np.uint64)
        self._known: dict[bytes, bool] = {}

    def __bool__(self) -> bool:
        return len(self._numbers) > 0

    def __contains__(self, term: bytes) -> bool:
        is_in = self._known.get(term)
        if is_in is None:
            number = np.uint64(hash_term(term))
            position = int(np.searchsorted(self._numbers, number))
            is_in = position < len(self._numbers) and bool(self._numbers[position] == number)
            if len(self._known) >= _CACHED:
                self._known.clear()
            self._known[term] = is_in
        return is_in


# Each pattern begins with a line end, because a search for a literal character is much faster than one for "^".
_GROUP = re.compile(rb"\n(<[^>#\n]*|_:[^ \n]+)")
_SUBCLASS = re.compile(rb"\n(<[^>\n]*>) %s (<[^>\n]*>)" % re.escape(SUBCLASS_OF.encode()))


class BatchSurvey(NamedTuple):
    """What one batch contains: its number of lines, its groups, instances of classes, and (subclass, class) pairs."""

    lines: int
    groups: Hashes
    instances: Hashes
    subclasses: tuple[tuple[str, str], ...]


def group_of(term: str) -> bytes:
    """Return the name of the group of a node."""
    return (term.partition("#")[0].removesuffix(">") if term.startswith("<") else term).encode()


def survey_batch(classes: dict[str, tuple[str, ...]], batch: bytes) -> BatchSurvey:
    """Survey a batch; ``classes`` maps each class or subclass to the classes that constraints name."""
    lines = b"\n" + batch
    groups = set(_GROUP.findall(lines))
    keys: set[bytes] = set()
    if classes:
        names = b"|".join(re.escape(name.encode()) for name in sorted(classes))
        typed = re.compile(rb"\n(<[^>\n]*>|_:[^ \n]+) %s (%s)" % (re.escape(RDF_TYPE.encode()), names))
        for node, found in typed.findall(lines):
            keys.update(class_.encode() + b" " + node for class_ in classes[found.decode()])
    pairs = {(child.decode(), parent.decode()) for child, parent in _SUBCLASS.findall(lines)}
    return BatchSurvey(batch.count(b"\n"), to_array(groups), to_array(keys), tuple(sorted(pairs)))


INSTANCES, SPREAD = "instances", "spread"
"""The files of the instances of classes, and of the groups that are in more than one batch."""

PIECES = 64
"""The number of files that the groups of more than one batch are distributed to."""


class CheckPlan(msgspec.Struct, frozen=True):
    """What a process needs to check batches: the shapes, the subclasses, and how many results to describe.

    It is stored for all processes in one folder, together with the sets of the survey.
    """

    shapes: ShapesGraph
    subclasses: Mapping[str, frozenset[str]]
    limit: int

    def write(self, folder: Path) -> None:
        """Store the plan."""
        (folder / "plan").write_bytes(pickle.dumps(self))


class BatchResult(NamedTuple):
    """What the check of one batch found.

    ``focuses`` counts the checked nodes of each root shape, ``counts`` the results of each constraint; of each
    constraint only the first results are described. ``pieces`` are the lines of groups that are in other batches too,
    by the number of a file.
    """

    lines: int
    focuses: Counter[int]
    counts: Counter[int]
    results: list[ValidationResult]
    deferred: list[Deferred]
    pieces: dict[int, bytes]


class BatchChecker:
    """Checks batches in one process."""

    def __init__(self, folder: Path) -> None:
        self._plan: CheckPlan = pickle.loads((folder / "plan").read_bytes())
        self.checks = FocusChecks(self._plan.shapes, self._plan.subclasses)
        self._instances = HashSet(folder / INSTANCES)
        self._spread = HashSet(folder / SPREAD)

    def is_instance(self, term: str, class_: str) -> bool:
        """Return whether the survey found that a term is an instance of a class."""
        return f"{class_} {term}".encode() in self._instances

    def check(self, batch: bytes, is_piece: bool) -> BatchResult:
        """Check a batch, or a piece: a batch that contains all statements of the groups that are in it."""
        text = batch.decode()
        nodes = group_by_subject(text)
        pieces = {} if is_piece or not self._spread else self._separate(text, nodes)
        statements = KnownStatements(nodes, self._plan.subclasses, self.is_instance)
        focuses: Counter[int] = Counter()
        results: list[ValidationResult] = []
        deferred: list[Deferred] = []
        for focus, node in nodes.items():
            numbers = self.checks.shapes_of(node)
            if numbers:
                focuses.update(numbers)
                found, undecided = self.checks.check(focus, numbers, statements)
                results += found
                deferred += undecided
            deferred += ((number, value, value) for number, value in self.checks.nodes_pointed_at(node))
        counts, described = count_results(results, self._plan.limit)
        return BatchResult(batch.count(b"\n"), focuses, counts, described, deferred, pieces)

    def _separate(self, text: str, nodes: dict[str, dict[str, list[str]]]) -> dict[int, bytes]:
        """Remove the nodes of groups that are in other batches too; return their lines by the number of a piece."""
        numbers: dict[str, int] = {}
        for node in list(nodes):
            group = group_of(node)
            if group in self._spread:
                numbers[node] = hash_term(group) % PIECES
                del nodes[node]
        lines: dict[int, list[str]] = {}
        if numbers:
            for line in text.split("\n"):
                number = numbers.get(line.partition(" ")[0])
                if number is not None:
                    lines.setdefault(number, []).append(f"{line}\n")
        return {number: "".join(found).encode() for number, found in lines.items()}


def count_results(results: list[ValidationResult], limit: int) -> tuple[Counter[int], list[ValidationResult]]:
    """Return the number of results of each constraint, and the first ``limit`` results of each (0: all)."""
    counts: Counter[int] = Counter()
    described = []
    for result in results:
        counts[result.constraint] += 1
        if not limit or counts[result.constraint] <= limit:
            described.append(result)
    return counts, described


@lru_cache(maxsize=1)
def _checker(folder: Path) -> BatchChecker:
    return BatchChecker(folder)


def check_batch(folder: Path, is_piece: bool, batch: bytes) -> BatchResult:
    """Check a batch in a process, by the plan in a folder; see :meth:`BatchChecker.check`."""
    return _checker(folder).check(batch, is_piece)


def lines_of_groups(groups: frozenset[bytes], batch: bytes) -> bytes:
    """Return the lines of a batch whose subjects are in some groups."""
    found = (line for line in batch.split(b"\n") if line and group_of(line.partition(b" ")[0].decode()) in groups)
    return b"".join(b"%s\n" % line for line in found)
