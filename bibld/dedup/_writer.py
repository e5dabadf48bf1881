"""What matching found, into the catalog: edges, clusters, heirs and events; and what the stages behind must look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from bibld.catalog import Catalog, EventKind, StoredEdge
from bibld.config import Config
from bibld.dedup._index.index import Place
from bibld.dedup._keys.keys import families_met, keys_of_all
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.decisions import SAME, DecidedPairs, Decider
from bibld.dedup.edges import Edges, Outcome
from bibld.model.features import FeatureColumns, Statistics
from bibld.model.linkage import Decision, Pair, Verdict
from bibld.model.origin import RecordId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]

_SAMPLES = 500


class Written(msgspec.Struct, frozen=True):
    """How many edges and clusters were written, messages for people, and the founders of clusters that changed."""

    edges: int
    clusters: int
    messages: tuple[str, ...]
    dirty: set[int]


def _unnamed(verdict: Verdict) -> Verdict:
    """What a person said, as it may be published: who said it, and in which words, stays in the register."""
    return Verdict(verdict.decision, "person", ("a person decided",), verdict.relation)


class Writer:
    """Clusters judged pairs and writes all that follows, within one commit of the catalog."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        decider: Decider,
        place: Place,
        statistics: Statistics,
        made_by: str,
        run_time: str,
    ) -> None:
        self._catalog = catalog
        self._linkage = catalog.linkage
        self._config = config
        self._decider = decider
        self._place = place
        self._statistics = statistics
        self._edges = Edges(decider, self.named, made_by)
        self._run_time = run_time
        self._people = catalog.register.verdicts()

    def everything(self, decided: DecidedPairs) -> Written:
        """Store what was found among all records instead of all before."""
        found = self._clustered(decided)
        self._linkage.drop_edges()
        self._put(found, len(decided.left))
        is_first = not self._linkage.has_clusters() and self._catalog.runs.made_by("dedup") is None
        gone, living = self._catalog.records.deleted_in_queue(), self._catalog.register.redirected_records()
        self._bequeath(gone)
        back = self._restored(living)
        changes = self._linkage.replace_clusters(self._clusters(found))
        self._tell([] if is_first else changes, gone, back)
        dirty = {founder for _, was, now in changes for founder in (was, now)}.union(gone)
        return Written(len(found.decisions), len(found.starts) - 1, tuple(self._edges.messages(found)), dirty)

    def touched(self, decided: DecidedPairs, pending: Sequence[int], first: int) -> Written:
        """Store what was found about the pending records, and cluster all that is joined with them anew.

        Their rows stand in the segments from ``first`` on.
        """
        ordinals, same = self._place.segments.ordinal, decided.decisions == SAME
        ends = {member for one in pending for member in self._linkage.members(self._linkage.founder(one))}
        ends.update(pending, self._linkage.drop_edges(pending))
        ends.update(*(ordinals(side[same].astype("int64")).tolist() for side in (decided.left, decided.right)))
        reached, stored = self._reached(ends, decided.take(same))
        found = self._clustered(DecidedPairs.concatenate([decided, self._decided_before(stored)]), reached)
        self._put(found, len(decided.left))
        gone = self._catalog.records.deleted_in_queue()
        living = sorted(set(pending).difference(gone))
        self._bequeath(gone)
        back = self._restored(living)
        changes = self._linkage.replace_clusters(self._clusters(found), sorted(reached))
        self._tell(changes, gone, back, self._new(set(living).difference(back), first))
        messages = tuple(self._edges.messages(found))
        return Written(len(decided.left), len(found.starts) - 1, messages, self._dirty(pending, changes, gone))

    # -- what is joined with what -------------------------------------------------------------------------------------

    def _reached(self, ends: set[int], fresh: DecidedPairs) -> tuple[set[int], dict[tuple[int, int], float]]:
        """The ordinals that edges judged the same, or people, join with some; and these edges as far as stored."""
        ordinal = self._place.segments.ordinal
        others: dict[int, set[int]] = {}
        pairs = zip(*(ordinal(side.astype("int64")).tolist() for side in (fresh.left, fresh.right)), strict=True)
        said = (self._ordinals(pair) for pair, verdict in self._people.items() if verdict.decision == "same")
        for left, right in (*pairs, *said):
            others.setdefault(left, set()).add(right)
            others.setdefault(right, set()).add(left)
        waiting, reached = sorted(ends), set(ends)
        stored: dict[tuple[int, int], float] = {}
        while waiting:
            one = waiting.pop()
            held = self._linkage.same_as(one)
            stored.update(((min(one, other), max(one, other)), score) for score, other in held)
            new = {other for _, other in held}.union(others.get(one, ())) - reached
            reached |= new
            waiting.extend(new)
        return reached, stored

    def _decided_before(self, stored: dict[tuple[int, int], float]) -> DecidedPairs:
        """Return stored edges that were decided to be the same, with their scores."""
        import numpy as np

        pairs = np.array(sorted(stored), dtype=np.uint64).reshape(-1, 2)
        ends = [self._place.segments.position(pairs[:, side].copy()) for side in (0, 1)]
        decided = self._decider.decide(np.minimum(*ends), np.maximum(*ends))
        scores = np.array([stored[left, right] for left, right in pairs.tolist()], dtype=np.float64)
        return decided._replace(scores=scores, decisions=np.full(len(pairs), SAME, dtype=np.uint8))

    def _clustered(self, decided: DecidedPairs, reached: set[int] | None = None) -> ClusteredPairs:
        """Clusters of what was judged and said; what people said of records beyond ``reached`` is left out."""
        import numpy as np

        verdicts: dict[tuple[int, int], Decision] = {}
        for pair, verdict in self._people.items():
            ends = self._ordinals(pair)
            if reached is None or reached.issuperset(ends):
                left, right = sorted(self._place.segments.position(np.array(ends, dtype=np.uint64)).tolist())
                if left >= 0:
                    verdicts[left, right] = verdict.decision
        return cluster_pairs(self._decider, decided, PersonDecisions.from_verdicts(verdicts), self._order)

    def _ordinals(self, pair: Pair) -> tuple[int, int]:
        left, right = (
            self._catalog.register.assign_ordinal(pair.left),
            self._catalog.register.assign_ordinal(pair.right),
        )
        return min(left, right), max(left, right)

    def named(self, positions: Nodes) -> list[RecordId]:
        """The records at some positions."""
        return [self._catalog.register.record(one) for one in self._place.segments.ordinal(positions).tolist()]

    def _order(self, positions: Nodes) -> Nodes:
        """Numbers that put positions in the order of the ids of their records."""
        import numpy as np

        records = self.named(positions)
        found = np.empty(len(records), dtype=np.int64)
        found[sorted(range(len(records)), key=records.__getitem__)] = np.arange(len(records))
        return found

    def _clusters(self, found: ClusteredPairs) -> Iterator[list[int]]:
        """The clusters as ordinals, ascending."""
        for members in found.clusters():
            yield sorted(self._place.segments.ordinal(members).tolist())

    # -- edges -------------------------------------------------------------------------------------------------------

    def _put(self, found: ClusteredPairs, fresh: int) -> None:
        """Store the first ``fresh`` of the judged pairs, and those that people spoke of, with what came of them; and
        what came of the others, which are stored already."""
        import numpy as np

        outcomes = self._edges.outcomes(found)
        is_new = (np.arange(len(found.decisions)) < fresh) | found.is_by_person
        # By position, so that the table grows at its end.
        places = np.flatnonzero(is_new)
        places = places[np.lexsort((found.pairs.right[places], found.pairs.left[places]))]
        stored = self._stored(found, places, outcomes)
        samples = list(islice(stored, _SAMPLES))
        self._linkage.train_dictionary(samples)
        self._linkage.put_edges(samples)
        self._linkage.put_edges(stored)
        ordinals = self._place.segments.ordinal
        for place in np.flatnonzero(~is_new).tolist():
            ends = ordinals(np.array([found.pairs.left[place], found.pairs.right[place]])).tolist()
            outcome = outcomes.get(place)
            self._linkage.set_final_verdict(min(ends), max(ends), outcome.apply if outcome else None)

    def _stored(self, found: ClusteredPairs, places: Nodes, outcomes: Mapping[int, Outcome]) -> Iterator[StoredEdge]:
        edges = self._edges.explain(found.pairs.take(places), self._met)
        for place, edge in zip(places.tolist(), edges, strict=True):
            outcome = outcomes[place].apply(edge.verdict) if place in outcomes else None
            if found.is_by_person[place]:
                outcome = _unnamed(self._people[edge.pair])
            yield StoredEdge(*self._ordinals(edge.pair), edge, outcome)

    def _met(self, columns: FeatureColumns, left: Nodes, right: Nodes) -> list[tuple[str, ...]]:
        import numpy as np

        keys = keys_of_all(columns, self._config, self._statistics)
        return families_met(keys, columns, self._config, left.astype(np.uint32), right.astype(np.uint32))

    # -- identity ----------------------------------------------------------------------------------------------------

    def _bequeath(self, gone: Sequence[int]) -> None:
        """Note who answers for records that are gone: the smallest living member of the cluster that each leaves."""
        heirs = [(one, self._linkage.smallest_live_member(one)) for one in gone]
        self._catalog.register.set_redirects(
            (one, heir) for one, heir in heirs if heir is not None or not self._catalog.register.has_redirect(one)
        )

    def _restored(self, living: Sequence[int]) -> list[int]:
        """Those of some records that were gone and live again; nobody answers for them any more."""
        back = [
            one for one in living if self._catalog.register.has_redirect(one) and self._catalog.records.is_live(one)
        ]
        self._catalog.register.clear_redirects(back)
        return back

    def _new(self, some: Iterable[int], first: int) -> list[int]:
        """Those of some ordinals, ascending, that no segment before the ``first`` has known: ordinals only grow."""
        known = [int(segment.ordinals[-1]) for segment in self._place.segments.segments[:first] if len(segment)]
        return sorted(one for one in some if one > max(known, default=-1))

    def _tell(
        self,
        changes: Sequence[tuple[int, int, int]],
        gone: Sequence[int],
        back: Sequence[int],
        new: Sequence[int] = (),
    ) -> None:
        """Note what became of the IRIs of records."""
        dead = set(gone)
        events: list[tuple[int, str, EventKind, int | None]] = [(one, self._run_time, "deleted", None) for one in gone]
        events += [(one, self._run_time, "appeared", None) for one in new]
        events += [(one, self._run_time, "restored", None) for one in back]
        for one, was, now in changes:
            if one in dead:
                continue
            if now != one:
                events.append((one, self._run_time, "absorbed", now))
            elif was != one:
                events.append((one, self._run_time, "returned", was))
        self._catalog.history.record_events(events)

    def _dirty(self, pending: Sequence[int], changes: Sequence[tuple[int, int, int]], gone: Sequence[int]) -> set[int]:
        """Return the founders of the clusters that have other members, members that changed, or statements that depend
        on records that appeared or disappeared."""
        founders = {self._linkage.founder(one) for one in pending}.union(pending)
        founders.update(founder for one, was, now in changes for founder in (one, was, now))
        dead = set(gone)
        for one in pending:
            record = self._catalog.register.record(one)
            founders.update(self._catalog.statements.dependents(record, one not in dead))
        return founders
