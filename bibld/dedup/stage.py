"""A run over a catalog: new and changed records are matched against all, and what they are joined with is clustered.

The result is that of matching all records again with the same statistics: pairs and decisions depend on two records
alone, and clusters on the connected component of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog, EventKind, MatchingState, StageQueue, StoredEdge, digest, with_outcome
from bibld.config import Config
from bibld.dedup.candidates import all_pairs, pairs_of
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.decisions import SAME, DecidedPairs, Decider
from bibld.dedup.edges import ClusterRefusal, Edges, explain_pairs, verdict_of_person
from bibld.dedup.index import Index, RecordRows
from bibld.dedup.key_tables import IndexedStatistics, KeyTables, is_outgrown, to_bytes
from bibld.dedup.method import blocking_digest, settings_digest
from bibld.errors import DamagedIndexError
from bibld.model.features import Statistics
from bibld.model.linkage import Pair, Verdict
from bibld.progress import Progress

_COMPACTED_ABOVE = 4
"""The index is compacted when more than one row in this many is outdated."""

_SAMPLES = 500
"""Edges that the compression dictionary is trained with."""

Rows = npt.NDArray[np.int64]

Change = tuple[int, int, int]
"""A record whose cluster changed, the founder of its cluster before, and the founder now."""


class _StaleStatisticsError(Exception):
    """A key has grown so far since the statistics were counted that its pairs are too many to compare."""


class DedupSummary(msgspec.Struct, frozen=True):
    """The records that a run of dedup looked at, its candidates, and the edges and clusters among what it touched."""

    records: int
    candidates: int
    edges: int
    clusters: int


class MatchingRun:
    """One run of the stage: matches the dirty records against all live ones, and stores edges and clusters.

    ``run_time`` is the time of the run (ISO 8601), for the history of the records. ``rematch_all``: match all records,
    not only the dirty ones.
    """

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        progress: Progress,
        run_time: str,
        queue: StageQueue,
        rematch_all: bool = False,
    ) -> None:
        self._catalog = catalog
        self._linkage = catalog.linkage
        self._config = config
        self._progress = progress
        self._run_time = run_time
        self._queue = queue
        self._rematch_all = rematch_all
        self._names_of_persons: Iterable[Sequence[str]] = ()
        self._index = Index(catalog, config)

    def run(self, restat: bool, names_of_persons: Iterable[Sequence[str]] = ()) -> DedupSummary:
        """Bring index, edges and clusters up to date, and empty the queue; a damaged index is built again.

        ``restat``: count the statistics of blocking again instead of using the frozen ones. ``names_of_persons``: the
        headings of each person who has several, from authority files; they are read only if statistics are counted.
        """
        self._names_of_persons = names_of_persons
        try:
            return self._match(restat)
        except DamagedIndexError as error:
            self._progress.warn(f"dedup: {str(error).partition('; run')[0]}; the index is built again")
            self._index.discard()
        except _StaleStatisticsError:
            self._progress.report(
                "dedup: far more records share a key than when keys were counted; they are counted again"
            )
            restat = True
        return self._match(restat)

    def _match(self, restat: bool) -> DedupSummary:
        self._index.sweep()
        verdict_change = self._queue_records_with_new_verdicts()
        version, statistics = self._index.frozen_statistics()
        count = self._catalog.records.count()
        restat = restat or statistics is None or is_outgrown(statistics, count)
        pending = self._queue.dirty.items()
        rows = self._index.open()
        rematch_all = self._rematch_all or restat or rows is None
        count = count if rematch_all else len(pending)
        self._progress.stage("dedup", "records", count)
        if rows is None:
            rows = self._index.build(self._progress)
        else:
            rows = self._index.update(rows, pending, self._progress)
            outdated = len(rows.live) - int(np.count_nonzero(rows.live))
            if outdated * _COMPACTED_ABOVE > len(rows.live) or (restat and outdated):
                rows = self._index.compact(rows)
        if restat or statistics is None:
            version += 1
            statistics, tables = self._count_again(rows, version)
        else:
            tables = self._index.key_tables(rows, statistics, version, self._progress)
        decider = Decider(rows.table, rows.sources(self._sources_with_duplicates()), self._config, statistics)
        with tables:
            fresh = None if rematch_all else rows.rows_of(pending)
            decided, candidates = self._decide(decider, rows, tables, statistics, fresh)
        made_by = digest(settings_digest(self._config), version)
        results = _Results(self._catalog, self._config, decider, rows, statistics, made_by)
        with self._catalog.commit():
            if rematch_all:
                clustered, dirty = results.replace_all(decided, self._run_time)
                self._queue.mark_live_records_dirty()
            else:
                clustered, dirty = results.update(decided, pending, self._run_time)
            self._queue.mark_dirty(dirty)
            self._queue.dirty.clear()
            last = max(rows.last_ordinal, self._catalog.matching.state().ordinal)
            self._catalog.matching.set_state(MatchingState(verdict_change, last))
        for message in results.edges.messages(clustered):
            self._progress.report(message)
        edges = len(clustered.decisions) if rematch_all else len(decided.left)
        return DedupSummary(count, candidates, edges, len(clustered.starts) - 1)

    def _queue_records_with_new_verdicts(self) -> int:
        """Queue the records about which people decided since the last matching; return the last change of verdicts."""
        last, pairs = self._catalog.register.changed_verdicts(self._catalog.matching.state().verdict_change)
        with self._catalog.commit():
            self._queue.dirty.add(ordinal for pair in pairs for ordinal in pair)
        return last

    def _sources_with_duplicates(self) -> list[int]:
        """Return the numbers of the sources of which a cluster may contain two records."""
        with_duplicates = {source.id for source in self._config.sources if source.config.duplicates}
        return [number for number, name in self._catalog.matching.sources().items() if name in with_duplicates]

    def _count_again(self, rows: RecordRows, version: int) -> tuple[IndexedStatistics, KeyTables]:
        """Count the statistics and store them; return them with the keys of all rows."""
        tables = self._index.new_key_tables(rows, version)
        try:
            statistics = tables.rebuild(rows.table, self._names_of_persons)
            with self._catalog.commit():
                self._linkage.put_statistics(version, blocking_digest(self._config), to_bytes(statistics))
        except BaseException:
            tables.close()
            raise
        return statistics, tables

    # -- pairs ---------------------------------------------------------------------------------------------------------

    def _decide(
        self, decider: Decider, rows: RecordRows, tables: KeyTables, statistics: Statistics, fresh: Rows | None
    ) -> tuple[DecidedPairs, int]:
        """Return the candidate pairs of ``fresh`` rows (None: of all) that are not different, and their number."""
        count = 0

        def counted(portions: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
            nonlocal count
            for left, right in portions:
                count += len(left)
                yield left, right

        if fresh is None:
            candidates = all_pairs(tables, rows.table, statistics, rows.live)
        else:
            candidates = pairs_of(tables, fresh[fresh >= 0], rows.table, statistics, rows.live)
        with candidates:
            if candidates.is_stale:
                raise _StaleStatisticsError
            decided = decider.edges(counted(candidates))
            for message in candidates.messages():
                self._progress.report(message)
        self._progress.report(f"dedup: {count} candidate pairs of {int(np.count_nonzero(rows.live))} records")
        return decided, count


class _Results:
    """Clusters decided pairs, and writes edges, clusters and what became of IRIs, within one commit of the catalog."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        decider: Decider,
        rows: RecordRows,
        statistics: Statistics,
        made_by: str,
    ) -> None:
        self._catalog = catalog
        self._linkage = catalog.linkage
        self._config = config
        self._decider = decider
        self._rows = rows
        self._statistics = statistics
        self._made_by = made_by
        self.edges = Edges(decider, rows.records_of, made_by)
        self._people = catalog.register.verdicts()

    def replace_all(self, decided: DecidedPairs, run_time: str) -> tuple[ClusteredPairs, set[int]]:
        """Store what was found among all records instead of all results before; return the founders that changed."""
        clustered = self._cluster(decided)
        self._linkage.drop_edges()
        self._store_edges(clustered, len(decided.left))
        is_first = not self._linkage.has_clusters() and self._catalog.runs.made_by("dedup") is None
        deleted = self._catalog.records.deleted_in_queue()
        redirected = self._catalog.register.redirected_records()
        self._set_redirects(deleted)
        restored = self._clear_redirects(redirected)
        changes = self._linkage.replace_clusters(self._ordinals_of_clusters(clustered))
        appeared = [] if is_first else self._appeared(self._rows.ordinals_of(np.flatnonzero(self._rows.live)), restored)
        self._record_events(run_time, [] if is_first else changes, deleted, restored, appeared)
        return clustered, {founder for _, before, now in changes for founder in (before, now)}.union(deleted)

    def update(self, decided: DecidedPairs, pending: Sequence[int], run_time: str) -> tuple[ClusteredPairs, set[int]]:
        """Store what was found about the pending records, and cluster again all that they are joined with.

        Return the founders of the clusters that have other members, members that changed, or statements that depend on
        records that appeared or disappeared.
        """
        reached, stored = self._reach(decided, pending)
        clustered = self._cluster(DecidedPairs.concatenate([decided, self._decide_stored(stored)]), reached)
        self._store_edges(clustered, len(decided.left))
        deleted = self._catalog.records.deleted_in_queue()
        live = sorted(set(pending).difference(deleted))
        self._set_redirects(deleted)
        restored = self._clear_redirects(live)
        live = [one for one, row in zip(live, self._rows.rows_of(live).tolist(), strict=True) if row >= 0]
        changes = self._linkage.replace_clusters(self._ordinals_of_clusters(clustered), sorted(reached))
        self._record_events(run_time, changes, deleted, restored, self._appeared(live, restored))
        dirty = {self._linkage.founder(one) for one in pending}.union(pending)
        dirty.update(founder for change in changes for founder in change)
        for one in pending:
            record = self._catalog.register.record(one)
            dirty.update(self._catalog.statements.dependents(record, one not in deleted))
        return clustered, dirty

    # -- clusters ------------------------------------------------------------------------------------------------------

    def _reach(self, decided: DecidedPairs, pending: Sequence[int]) -> tuple[set[int], set[tuple[int, int]]]:
        """Delete the edges of the pending records. Return the ordinals of the connected components that they belong to,
        or belonged to, and the stored pairs that are the same in these.
        """
        same = decided.take(decided.decisions == SAME)
        pairs = list(zip(self._rows.ordinals_of(same.left), self._rows.ordinals_of(same.right), strict=True))
        reached = {member for one in pending for member in self._linkage.members(self._linkage.founder(one))}
        reached.update(pending, self._linkage.drop_edges(pending), *pairs)
        pairs += [self._ordinals(pair) for pair, verdict in self._people.items() if verdict.decision == "same"]
        neighbours: dict[int, set[int]] = {}
        for left, right in pairs:
            neighbours.setdefault(left, set()).add(right)
            neighbours.setdefault(right, set()).add(left)
        waiting, stored = sorted(reached), set[tuple[int, int]]()
        while waiting:
            one = waiting.pop()
            others = {other for _, other in self._linkage.same_as(one)}
            stored.update((min(one, other), max(one, other)) for other in others)
            new = (others | neighbours.get(one, set())) - reached
            reached |= new
            waiting.extend(new)
        return reached, stored

    def _decide_stored(self, pairs: set[tuple[int, int]]) -> DecidedPairs:
        """Decide again about stored pairs, which gives what is stored about them."""
        ordinals = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        one, other = self._rows.rows_of(ordinals[:, 0]), self._rows.rows_of(ordinals[:, 1])
        return self._decider.decide(np.minimum(one, other), np.maximum(one, other))

    def _cluster(self, decided: DecidedPairs, reached: set[int] | None = None) -> ClusteredPairs:
        """Cluster decided pairs; verdicts about records that were not reached are left out."""
        verdicts = PersonDecisions.from_verdicts(self._rows.verdicts(self._people, reached))
        return cluster_pairs(self._decider, decided, verdicts, self._rows.order_of)

    def _ordinals_of_clusters(self, clustered: ClusteredPairs) -> Iterator[list[int]]:
        for members in clustered.clusters():
            yield sorted(self._rows.ordinals_of(members))

    def _ordinals(self, pair: Pair) -> tuple[int, int]:
        one, other = (self._catalog.register.assign_ordinal(record) for record in (pair.left, pair.right))
        return min(one, other), max(one, other)

    # -- edges ---------------------------------------------------------------------------------------------------------

    def _store_edges(self, clustered: ClusteredPairs, fresh: int) -> None:
        """Store the first ``fresh`` pairs and those that people decided; of others, which are stored, the outcome."""
        outcomes = self.edges.outcomes(clustered)
        is_new = (np.arange(len(clustered.decisions)) < fresh) | clustered.is_by_person
        # By row, so that the table grows at its end.
        positions = np.flatnonzero(is_new)
        positions = positions[np.lexsort((clustered.pairs.right[positions], clustered.pairs.left[positions]))]
        stored = self._edges_to_store(clustered, positions, outcomes)
        samples = list(islice(stored, _SAMPLES))
        self._linkage.train_dictionary(samples)
        self._linkage.put_edges(chain(samples, stored))
        others = clustered.pairs.take(~is_new)
        ends = zip(self._rows.ordinals_of(others.left), self._rows.ordinals_of(others.right), strict=True)
        for position, (left, right) in zip(np.flatnonzero(~is_new).tolist(), ends, strict=True):
            apply = outcomes[position].apply if position in outcomes else None
            self._linkage.set_final_verdict(min(left, right), max(left, right), apply)

    def _edges_to_store(
        self, clustered: ClusteredPairs, positions: Rows, outcomes: Mapping[int, ClusterRefusal]
    ) -> Iterator[StoredEdge]:
        pairs = clustered.pairs.take(positions)
        explained = explain_pairs(self.edges, pairs, self._statistics, self._config, self._made_by)
        ends = zip(self._rows.ordinals_of(pairs.left), self._rows.ordinals_of(pairs.right), strict=True)
        for position, (score, decision, body), (one, other) in zip(positions.tolist(), explained, ends, strict=True):
            change: Callable[[Verdict], Verdict] | None = None
            if clustered.is_by_person[position]:
                change = self._decided_by_person(one, other)
            elif position in outcomes:
                change = outcomes[position].apply
            final = decision
            if change is not None:
                body, verdict = with_outcome(body, change)
                final = verdict.decision
            yield StoredEdge(min(one, other), max(one, other), score, decision, final, body, self._made_by)

    def _decided_by_person(self, one: int, other: int) -> Callable[[Verdict], Verdict]:
        """Return what replaces the verdict about two ordinals of which a person decided."""
        verdict = self._people[Pair.from_records(*map(self._catalog.register.record, (one, other)))]
        return lambda _: verdict_of_person(verdict.decision, verdict.relation)

    # -- IRIs ----------------------------------------------------------------------------------------------------------

    def _set_redirects(self, deleted: Sequence[int]) -> None:
        """Redirect the IRIs of deleted records to the smallest live member of the cluster that each leaves."""
        targets = [(one, self._linkage.smallest_live_member(one)) for one in deleted]
        self._catalog.register.set_redirects(
            (one, target)
            for one, target in targets
            if target is not None or not self._catalog.register.has_redirect(one)
        )

    def _clear_redirects(self, ordinals: Sequence[int]) -> list[int]:
        """Clear the redirects of the records that are live again, and return these."""
        register, records = self._catalog.register, self._catalog.records
        restored = [one for one in ordinals if register.has_redirect(one) and records.is_live(one)]
        register.clear_redirects(restored)
        return restored

    def _appeared(self, live: Iterable[int], restored: Sequence[int]) -> list[int]:
        """Return those of the live records that the last matching did not know."""
        last_ordinal, known = self._catalog.matching.state().ordinal, set(restored)
        return [one for one in live if one > last_ordinal and one not in known]

    def _record_events(
        self,
        run_time: str,
        changes: Sequence[Change],
        deleted: Sequence[int],
        restored: Sequence[int],
        appeared: Sequence[int] = (),
    ) -> None:
        """Record what became of the IRIs of records."""
        founders = {one: (before, now) for one, before, now in changes}
        is_deleted, is_restored, has_appeared = set(deleted), set(restored), set(appeared)
        self._catalog.history.record_events(
            (one, run_time, kind, other)
            for one in sorted(founders.keys() | is_deleted | is_restored | has_appeared)
            for kind, other in events_of_iri(
                one, founders.get(one, (one, one)), one in is_deleted, one in has_appeared, one in is_restored
            )
        )


def events_of_iri(
    ordinal: int, founders: tuple[int, int], is_deleted: bool, has_appeared: bool, is_restored: bool
) -> list[tuple[EventKind, int | None]]:
    """Return what became of the IRI of a record, with the ordinal of the other record that this is about.

    ``founders`` are those of its cluster before and now, the record itself if it has no duplicates.
    """
    before, now = founders
    events: list[tuple[EventKind, int | None]] = [("deleted", None)] if is_deleted else []
    events += [("appeared", None)] if has_appeared else []
    events += [("restored", None)] if is_restored else []
    if is_deleted:
        return events
    if now not in (ordinal, before):
        events.append(("absorbed", now))
    elif now == ordinal != before:
        events.append(("returned", before))
    return events
