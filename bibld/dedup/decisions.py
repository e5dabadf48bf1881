"""Decisions about candidate pairs: their scores, and the exceptions that outweigh them.

:class:`Decider` scores pairs of rows portion by portion, in threads. A scorer whose settings have ``review`` makes
three groups: pairs from ``same`` on are the same, those from ``review`` on are for review, all others are different;
and all exceptions apply. Different pairs with an exception are related if they look like descriptions of one work. A
scorer without ``review`` decides as the paper does: the same above ``same``, unless part numbers conflict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from enum import IntEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup.columns import FeatureRows
from bibld.dedup.exceptions import COLUMNS, Effect, Exceptions, find_exceptions, in_force, with_effect, with_relation
from bibld.dedup.features import features_of
from bibld.dedup.method import Method, columns_read
from bibld.dedup.other_names import OTHER_NAMES, with_other_names
from bibld.model.features import LONG, NUMBERS, TEXTS, FeatureColumns, Statistics
from bibld.model.linkage import Decision
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.parallel import map_in_threads, worker_count
from bibld.protocols import adapters

Positions = npt.NDArray[np.integer[Any]]
"""Row numbers of all feature rows."""

DECISIONS: tuple[Decision, ...] = ("different", "review", "related", "same")
"""Decisions in the order of their numbers."""

DIFFERENT, REVIEW, RELATED, SAME = range(4)


class Refusal(IntEnum):
    """What keeps two records out of one cluster though they are linked; 0 is nothing."""

    PERSON = 1
    SOURCE = 2
    RELATION = 3
    PARTS = 4
    IDENTIFIERS = 5
    MEDOID = 6
    CUT = 7


_PORTION = 10_000
_LONG_TEXTS_AT_ONCE = 8_000_000
"""Characters of the long texts of a portion; a pair with more is in a separate portion."""
_WAITING = 6

_DIGITS_OF_VERSION = 8

_PART_NUMBERS, _CONTAINED = np.uint16(Exceptions.PART_NUMBERS), np.uint16(Exceptions.CONTAINED)
_PARTS = np.uint16(Exceptions.PART_NUMBERS | Exceptions.NESTED_PARTS)
_RELATING = np.uint16(with_relation())
_DECIDING, _SEPARATING = np.uint16(with_effect(Effect.RELATED)), np.uint16(with_effect(Effect.SEPARATE))
_WORK_COLUMNS = ("part", "main_title", "set_title", "names")


class DecidedPairs(NamedTuple):
    """Pairs of positions with what was found about each; all of shape (pairs,).

    ``decisions`` are positions in ``DECISIONS``, ``exceptions`` are :class:`~bibld.dedup.exceptions.Exceptions` in
    force. ``is_same_work``: both have the same title and first name (never for a scorer without ``review``);
    ``is_one_source``: both are of one source of which a cluster may contain one record only.
    """

    left: npt.NDArray[np.uint32]
    right: npt.NDArray[np.uint32]
    scores: npt.NDArray[np.float64]
    decisions: npt.NDArray[np.uint8]
    exceptions: npt.NDArray[np.uint16]
    is_same_work: npt.NDArray[np.bool_]
    is_one_source: npt.NDArray[np.bool_]

    def take(self, chosen: npt.NDArray[Any]) -> DecidedPairs:
        """Return some of the pairs, by a mask or by their positions."""
        return DecidedPairs(*(column[chosen] for column in self))

    @classmethod
    def concatenate(cls, parts: Iterable[DecidedPairs]) -> DecidedPairs:
        """Return the pairs of all parts, one part after another."""
        kinds = (np.uint32, np.uint32, np.float64, np.uint8, np.uint16, np.bool_, np.bool_)
        nothing = [np.empty(0, kind) for kind in kinds]
        columns: list[Any] = [np.concatenate(column) for column in zip(nothing, *parts, strict=True)]
        return cls(*columns)


class Decider:
    """Scores pairs of positions and decides about them.

    ``sources`` is the number of the source at each position, inverted (``~number``, which is negative) if a cluster may
    contain several records of it. ``statistics`` are those of blocking, which also state other names of persons.
    ``columns`` are the columns that scorer, blockers and exceptions read.
    """

    def __init__(
        self, rows: FeatureRows, sources: Positions, method: Method, statistics: Statistics | None = None
    ) -> None:
        self.rows = with_other_names(rows, statistics.fitted.get(OTHER_NAMES, b"")) if statistics else rows
        self.sources = sources
        self.method = method
        self.name = method.dedup.score
        self.scorer = adapters.load_adapter("dedup.score", self.name)
        self.settings = method.settings("dedup.score", self.name)
        self.same: float = self.settings.same
        self.review: float | None = getattr(self.settings, "review", None)
        self.largest_cluster = method.dedup.largest_cluster
        own = columns_read(method, "dedup.score", self.name)
        self._columns = None if own is None else {*own, *COLUMNS, *_WORK_COLUMNS}
        names = {name for block in method.dedup.block for name in columns_read(method, "dedup.block", block) or ()}
        self.columns = tuple(name for name in (*TEXTS, *NUMBERS) if name != "text" or name in names.union(own or ()))
        self._in_force = np.uint16(in_force(method.dedup.exceptions))
        self._workers = worker_count(method.workers)

    @classmethod
    def from_records(
        cls, records: Sequence[tuple[RecordId, Mods]], method: Method, statistics: Statistics | None = None
    ) -> Decider:
        """Build one for a few records, whose positions are their row numbers."""
        columns = FeatureColumns.from_features(enumerate(features_of(mods) for _, mods in records))
        return cls(columns, source_numbers([record for record, _ in records], method), method, statistics)

    def decide(self, left: Positions, right: Positions, least: float | None = None) -> DecidedPairs:
        """Decide about pairs.

        Exceptions count for pairs from ``review`` on and for those of one work; with ``least`` for all with that score.
        """
        return DecidedPairs.concatenate(self._decide_portions([(left, right)], least))

    @property
    def scorer_version(self) -> str:
        """The name of the scorer, and the begin of the hash of its model if it has one: ``model 1f3a9c04``."""
        identity = getattr(self.scorer, "identity", None)
        return f"{self.name} {identity(self.settings)[:_DIGITS_OF_VERSION]}" if identity else self.name

    def edges(self, candidates: Iterable[tuple[Positions, Positions]], least: float | None = None) -> DecidedPairs:
        """Decide about portions of candidate pairs, and leave out those that are different.

        With ``least`` different pairs stay if they have that score or look like one work.
        """

        def select(pairs: DecidedPairs) -> DecidedPairs:
            chosen = pairs.decisions != DIFFERENT
            return pairs.take(chosen if least is None else chosen | pairs.is_same_work | (pairs.scores >= least))

        return DecidedPairs.concatenate(map(select, self._decide_portions(candidates, least)))

    def with_threshold(self, same: float) -> Decider:
        """Return a decider with another threshold; ``review`` is lowered to it if it is higher."""
        other = copy(self)
        other.same = same
        other.review = None if self.review is None else min(self.review, same)
        return other

    def decide_again(self, pairs: DecidedPairs) -> DecidedPairs:
        """Decide about pairs with known scores and exceptions by the thresholds of this decider."""
        bits = pairs.exceptions & ~_SEPARATING
        decisions = np.full(len(bits), DIFFERENT, dtype=np.uint8)
        if self.review is None:
            is_same = pairs.scores > self.same
            decisions[is_same] = np.where(bits[is_same] > 0, RELATED, SAME)
        else:
            is_high = pairs.scores >= self.review
            decisions[is_high] = REVIEW
            decisions[(pairs.scores >= self.same) & (bits == 0)] = SAME
            decisions[is_high & (bits & _DECIDING > 0)] = RELATED
            decisions[~is_high & pairs.is_same_work & (bits & _RELATING > 0)] = RELATED
        decisions[bits & _CONTAINED > 0] = RELATED
        decisions[(decisions == SAME) & pairs.is_one_source] = REVIEW
        return pairs._replace(decisions=decisions)

    # -- portions ------------------------------------------------------------------------------------------------------

    def _decide_portions(
        self, pairs: Iterable[tuple[Positions, Positions]], least: float | None
    ) -> Iterator[DecidedPairs]:
        """Yield decisions in the order of the pairs, made by several threads."""

        def portions() -> Iterator[tuple[Positions, Positions]]:
            for left, right in pairs:
                for portion in cut_pairs(self.rows, self._columns, left, right, _PORTION):
                    yield left[portion], right[portion]

        return map_in_threads(lambda ends: self._decide_portion(*ends, least), portions(), self._workers, _WAITING)

    def _decide_portion(self, left: Positions, right: Positions, least: float | None) -> DecidedPairs:
        positions, rows = np.unique(np.concatenate((left, right)).astype(np.int64), return_inverse=True)
        columns = self.rows.rows(positions, self._columns)
        ones, others = np.split(rows.astype(np.uint32), [len(left)])
        scores = np.round(self.scorer.scores(columns, ones, others, self.settings).astype(np.float64), 6)
        source = self.sources[left]
        are_of_one_source = source == self.sources[right]
        exceptions = find_exceptions(columns, ones, others, are_of_one_source)
        is_same_work = np.zeros(len(left), dtype=np.bool_)
        if self.review is None:
            exceptions = np.where(exceptions & _PARTS, _PART_NUMBERS, np.uint16(0))
        else:
            is_same_work = are_of_one_work(columns, ones, others)
            exceptions &= self._in_force
            least = self.review if least is None else min(least, self.review)
            counts = is_same_work | (scores >= least)
            exceptions[~counts] &= _SEPARATING
        if part_of := getattr(self.scorer, "part_of", None):
            exceptions[part_of(columns, ones, others, self.settings) > 0] |= _CONTAINED
        is_one_source = are_of_one_source & (source >= 0)
        undecided = np.zeros(len(left), dtype=np.uint8)
        ends = left.astype(np.uint32), right.astype(np.uint32)
        return self.decide_again(DecidedPairs(*ends, scores, undecided, exceptions, is_same_work, is_one_source))


def source_numbers(records: Sequence[RecordId], method: Method) -> npt.NDArray[np.int64]:
    """Return the number of the source of each record as :class:`Decider` takes it."""
    with_duplicates = {source.id for source in method.sources if source.config.duplicates}
    names = enumerate(sorted({record.source for record in records}))
    numbers = {name: ~number if name in with_duplicates else number for number, name in names}
    return np.array([numbers[record.source] for record in records], dtype=np.int64)


def cut_pairs(
    rows: FeatureRows, names: Collection[str] | None, left: Positions, right: Positions, most: int
) -> Iterator[slice]:
    """Cut pairs into portions of ``most`` pairs, or fewer if the long texts among the columns ``names`` need memory."""
    starts = np.arange(0, len(left), most)
    if any(name in LONG for name in names or ()):
        sizes = np.cumsum(rows.long_text_sizes(left) + rows.long_text_sizes(right))
        starts = np.union1d(starts, np.flatnonzero(np.diff(sizes // _LONG_TEXTS_AT_ONCE)) + 1)
    for start, stop in pairwise([*starts.tolist(), len(left)]):
        yield slice(start, stop)


def are_of_one_work(columns: FeatureColumns, left: Positions, right: Positions) -> npt.NDArray[np.bool_]:
    """Return whether the rows of each pair have the same title (volumes: of their sets) and the same first name: family
    name and initial.

    Such records describe editions, formats or volumes of one work.
    """
    from bibld.dedup.hashes import ALL_LETTERS, INITIAL_FORM, prefixes, values

    own, of_set, names = (columns.texts[name] for name in ("main_title", "set_title", "names"))
    titles, set_titles = (prefixes(column.offsets, column.codes, ALL_LETTERS) for column in (own, of_set))
    titles = np.where((np.diff(columns.part.offsets) > 0) & (set_titles != 0), set_titles, titles)
    offsets, hashes = values(names.offsets, names.codes, INITIAL_FORM, 1, np.empty(0, np.uint32))
    first_names = np.zeros(len(columns), np.uint64)
    first_names[np.diff(offsets) > 0] = hashes
    is_same: npt.NDArray[np.bool_] = titles[left] == titles[right]
    is_same &= (titles[left] != 0) & (first_names[left] == first_names[right])
    return is_same
