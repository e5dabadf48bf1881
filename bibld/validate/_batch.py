"""The second pass over the data: check the focus nodes of one batch."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from bibld.validate._evaluation import Result
from bibld.validate._focus import Deferred, FocusChecks
from bibld.validate._hashes import HashSet, hash_term
from bibld.validate._shapes import ShapesGraph
from bibld.validate._statements import KnownStatements, group_by_subject
from bibld.validate._survey import group_of, instance_key

PIECES = 64
"""The number of files that the groups of more than one batch are distributed to."""

_PLAN, _INSTANCES, _SPREAD = "plan", "instances", "spread"


class CheckPlan(msgspec.Struct, frozen=True):
    """What a process needs to check batches: the shapes, the subclasses, and how many results to describe."""

    shapes: ShapesGraph
    subclasses: Mapping[str, frozenset[str]]
    limit: int


class Workplace:
    """The folder in which the plan and the sets of the survey are stored for all processes."""

    def __init__(self, folder: Path) -> None:
        self.instances = folder / _INSTANCES
        self.spread = folder / _SPREAD
        self._plan = folder / _PLAN

    def write_plan(self, plan: CheckPlan) -> None:
        """Store the plan."""
        self._plan.write_bytes(pickle.dumps(plan))

    def read_plan(self) -> CheckPlan:
        """Return the stored plan."""
        plan: CheckPlan = pickle.loads(self._plan.read_bytes())
        return plan


class BatchResult(NamedTuple):
    """What the check of one batch found.

    ``focuses`` counts the checked nodes of each root shape, ``counts`` the results of each constraint; of each
    constraint only the first results are described. ``pieces`` are the lines of groups that are in other batches too,
    by the number of a file.
    """

    lines: int
    focuses: Counter[int]
    counts: Counter[int]
    results: list[Result]
    deferred: list[Deferred]
    pieces: dict[int, bytes]


class BatchChecker:
    """Checks batches in one process."""

    def __init__(self, folder: Path) -> None:
        place = Workplace(folder)
        self._plan = place.read_plan()
        self.checks = FocusChecks(self._plan.shapes, self._plan.subclasses)
        self._instances = HashSet(place.instances)
        self._spread = HashSet(place.spread)

    def is_instance(self, term: str, class_: str) -> bool:
        """Return whether the survey found that a term is an instance of a class."""
        return instance_key(term, class_) in self._instances

    def check(self, batch: bytes, is_piece: bool) -> BatchResult:
        """Check a batch, or a piece: a batch that contains all statements of the groups that are in it."""
        text = batch.decode()
        nodes = group_by_subject(text)
        pieces = {} if is_piece or not self._spread else self._separate(text, nodes)
        statements = KnownStatements(nodes, self._plan.subclasses, self.is_instance)
        focuses: Counter[int] = Counter()
        results: list[Result] = []
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


def count_results(results: list[Result], limit: int) -> tuple[Counter[int], list[Result]]:
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


def check_batch(folder: Path, batch: bytes, is_piece: bool = False) -> BatchResult:
    """Check a batch in a process, by the plan in a folder; see :meth:`BatchChecker.check`."""
    return _checker(folder).check(batch, is_piece)


def lines_of_groups(groups: frozenset[bytes], batch: bytes) -> bytes:
    """Return the lines of a batch whose subjects are in some groups."""
    found = (line for line in batch.split(b"\n") if line and group_of(line.partition(b" ")[0].decode()) in groups)
    return b"".join(b"%s\n" % line for line in found)
