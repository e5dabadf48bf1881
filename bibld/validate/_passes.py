"""All passes over the data: the survey, the check of every batch, and the nodes that need statements from elsewhere.

1. The survey finds the instances of classes, and groups of nodes that are in more than one batch.
2. Each batch is checked as a small graph. The lines of groups that are in other batches too are put into files,
   each of which is then checked in the same way.
3. A focus node that a constraint follows into another batch is checked at the end, with the statements of all nodes
   that it leads to. There must be few of these.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from bibld.errors import StageError
from bibld.parallel import ProcessPool
from bibld.progress import Progress
from bibld.validate._batch import (
    INSTANCES,
    PIECES,
    SPREAD,
    BatchChecker,
    BatchResult,
    CheckPlan,
    HashFiles,
    check_batch,
    count_results,
    group_of,
    lines_of_groups,
    survey_batch,
)
from bibld.validate._evaluation import Deferred, ValidationResult
from bibld.validate._shapes import ShapesGraph
from bibld.validate._terms import KnownStatements, group_by_subject, subclass_closure

Blocks = Callable[[], Iterable[bytes]]
"""Begins a pass over the data: blocks of entire lines of N-Quads, in the same order each time."""

_BATCH = 1 << 20
_MAX_DEFERRED = 100_000
_Value = TypeVar("_Value")


class ValidationOutcome:
    """The totals of all passes: focus nodes by root shape, results by constraint, and the first results of each."""

    def __init__(self, limit: int) -> None:
        self.lines = 0
        self.focuses: Counter[int] = Counter()
        self.counts: Counter[int] = Counter()
        self.results: dict[int, list[ValidationResult]] = {}
        self._limit = limit

    def add(self, focuses: Counter[int], counts: Counter[int], results: Iterable[ValidationResult]) -> None:
        """Add the results of some focus nodes."""
        self.focuses.update(focuses)
        self.counts.update(counts)
        for result in results:
            described = self.results.setdefault(result.constraint, [])
            if not self._limit or len(described) < self._limit:
                described.append(result)


class Passes:
    """The passes over the data of one validation, in the processes of a pool."""

    def __init__(self, blocks: Blocks, pool: ProcessPool, folder: Path, progress: Progress) -> None:
        self._blocks = blocks
        self._pool = pool
        self._folder = folder
        self._progress = progress

    def run(self, shapes: ShapesGraph, limit: int) -> ValidationOutcome:
        """Check all data; raises ``StageError``."""
        lines, subclasses = self._survey(shapes)
        CheckPlan(shapes, subclasses, limit).write(self._folder)
        checker = BatchChecker(self._folder)
        outcome = ValidationOutcome(limit)
        deferred: set[Deferred] = {(number, node, node) for number, node in checker.checks.named_nodes()}
        self._check_batches(outcome, deferred, lines)
        if outcome.lines != lines:
            raise StageError("the catalog changed while it was validated; wait until the run has ended, then try again")
        pieces = (self._piece(number).read_bytes() for number in range(PIECES))
        for found in self._map(partial(check_batch, self._folder, True), filter(None, pieces)):
            self._add(outcome, deferred, found)
        if deferred:
            self._check_deferred(checker, outcome, deferred, subclasses, limit)
        return outcome

    def _map(self, function: Callable[[bytes], _Value], batches: Iterable[bytes]) -> Iterator[_Value]:
        """Return what a function returns for each batch, in the order of the batches."""
        if self._pool.workers < 2:
            return map(function, batches)
        return self._pool.results(self._pool.submit(function, batch) for batch in batches)

    def _batches(self) -> Iterator[bytes]:
        waiting: list[bytes] = []
        size = 0
        for block in self._blocks():
            waiting.append(block)
            size += len(block)
            if size >= _BATCH:
                yield b"".join(waiting)
                waiting, size = [], 0
        if waiting:
            yield b"".join(waiting)

    def _survey(self, shapes: ShapesGraph) -> tuple[int, dict[str, frozenset[str]]]:
        """Survey all data; return the number of lines, and the subclasses of classes."""
        subclasses: dict[str, frozenset[str]] = {}
        while True:
            wanted: dict[str, tuple[str, ...]] = {}
            for class_ in shapes.classes:
                for each in sorted(subclasses.get(class_, {class_})):
                    wanted[each] = (*wanted.get(each, ()), class_)
            groups, instances = HashFiles(self._folder, "groups"), HashFiles(self._folder, "typed")
            pairs: set[tuple[str, str]] = set()
            lines = 0
            self._progress.stage("validate", "lines surveyed")
            for found in self._map(partial(survey_batch, wanted), self._batches()):
                groups.add(found.groups)
                instances.add(found.instances)
                pairs.update(found.subclasses)
                lines += found.lines
                self._progress.advance(found.lines)
            groups.write(self._folder / SPREAD, times=2)
            instances.write(self._folder / INSTANCES)
            closure = subclass_closure(pairs)
            if closure == subclasses:
                return lines, subclasses
            subclasses = closure

    def _check_batches(self, outcome: ValidationOutcome, deferred: set[Deferred], total: int) -> None:
        self._progress.stage("validate", "lines checked", total)
        files = {number: self._piece(number).open("wb") for number in range(PIECES)}
        try:
            for found in self._map(partial(check_batch, self._folder, False), self._batches()):
                for number, lines in found.pieces.items():
                    files[number].write(lines)
                self._add(outcome, deferred, found)
                outcome.lines += found.lines
                self._progress.advance(found.lines)
        finally:
            for file in files.values():
                file.close()

    def _piece(self, number: int) -> Path:
        return self._folder / f"piece-{number:02}"

    def _add(self, outcome: ValidationOutcome, deferred: set[Deferred], found: BatchResult) -> None:
        outcome.add(found.focuses, found.counts, found.results)
        deferred.update(found.deferred)
        if len(deferred) > _MAX_DEFERRED:
            number, focus, node = found.deferred[0]
            raise StageError(
                f"more than {_MAX_DEFERRED:,} nodes lead to statements about other publications or entities"
                f" ({focus} to {node}, shape {number + 1}); such shapes cannot be streamed: use sh:class for links to"
                " entities, and sh:node only for nodes with the IRI of their publication"
            )

    def _check_deferred(
        self,
        checker: BatchChecker,
        outcome: ValidationOutcome,
        deferred: set[Deferred],
        subclasses: dict[str, frozenset[str]],
        limit: int,
    ) -> None:
        """Check the deferred nodes, collecting the statements of what they lead to until nothing is missing."""
        waiting = {(number, focus) for number, focus, other in deferred if focus != other}
        targets = {(number, focus) for number, focus, other in deferred if focus == other} - waiting
        needed = {group_of(node) for _, focus, other in deferred for node in (focus, other)}
        nodes: dict[str, dict[str, list[str]]] = {}
        known: set[bytes] = set()
        while waiting or targets:
            self._collect(needed, nodes, outcome.lines)
            known |= needed
            needed = set()
            # A target that is also the target of the same shape in another way has been checked, or waits.
            targets = {
                (number, node)
                for number, node in targets
                if number not in checker.checks.shapes_of(nodes.get(node, {}))
            }
            outcome.focuses.update(number for number, _ in targets)
            statements = KnownStatements(
                nodes,
                subclasses,
                checker.is_instance,
                lambda node: group_of(node) in known,  # noqa: B023
            )
            undecided = set()
            for number, focus in sorted(waiting | targets):
                results, missing = checker.checks.check(focus, [number], statements)
                if missing:
                    needed |= {group_of(node) for _, _, node in missing}
                    undecided.add((number, focus))
                else:
                    outcome.add(Counter(), *count_results(results, limit))
            waiting, targets = undecided, set()

    def _collect(self, groups: set[bytes], nodes: dict[str, dict[str, list[str]]], total: int) -> None:
        self._progress.stage("validate", "lines searched for nodes that others lead to", total)
        for lines in self._map(partial(lines_of_groups, frozenset(groups)), self._batches()):
            for subject, node in group_by_subject(lines.decode()).items():
                merged = nodes.setdefault(subject, {})
                for predicate, values in node.items():
                    merged[predicate] = list(dict.fromkeys([*merged.get(predicate, []), *values]))


def run_passes(
    blocks: Blocks, shapes: ShapesGraph, workers: int, limit: int, folder: Path, progress: Progress
) -> ValidationOutcome:
    """Check all data against shapes; ``folder`` is where temporary files are put. Raises ``StageError``."""
    try:
        with (
            tempfile.TemporaryDirectory(dir=folder, prefix="validate-") as temporary,
            ProcessPool(workers, "check statements", ["bibld.validate._batch"]) as pool,
        ):
            return Passes(blocks, pool, Path(temporary), progress).run(shapes, limit)
    except OSError as error:
        raise StageError(
            f"{folder}: temporary files cannot be written: {error.strerror or error}; free some space, then try again"
        ) from error
