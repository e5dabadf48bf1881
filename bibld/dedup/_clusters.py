"""Clusters out of edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from bibld.model.linkage import Edge, Verdict
from bibld.model.origin import RecordId


def clustered(edges: Iterable[Edge], several: frozenset[str]) -> tuple[list[tuple[RecordId, ...]], list[Edge]]:
    """Join what is the same, the most alike first, so that no cluster holds two records of a source.

    Sources in ``several`` may have more than one record in a cluster. Gives the clusters of two and more records, and
    the edges as they stand then: one that would have brought two records of a source together is up for review. A pure
    function of the set of edges.
    """
    place: dict[RecordId, list[RecordId]] = {}
    kept: list[Edge] = []
    for edge in sorted(edges, key=lambda edge: (-edge.score.value, edge.pair)):
        if edge.verdict.decision != "same":
            kept.append(edge)
            continue
        left = place.setdefault(edge.pair.left, [edge.pair.left])
        right = place.setdefault(edge.pair.right, [edge.pair.right])
        if left is right:
            kept.append(edge)
            continue
        shared = _sources(left, several) & _sources(right, several)
        if shared:
            kept.append(_for_review(edge, shared))
            continue
        left.extend(right)
        for record in right:
            place[record] = left
        kept.append(edge)
    groups = {id(group): group for group in place.values() if len(group) > 1}
    return sorted(tuple(sorted(group)) for group in groups.values()), sorted(kept, key=lambda edge: edge.pair)


def _sources(records: Sequence[RecordId], several: frozenset[str]) -> set[str]:
    return {record.source for record in records} - several


def _for_review(edge: Edge, shared: set[str]) -> Edge:
    reason = f"the cluster would hold two records of {', '.join(sorted(shared))}"
    verdict = Verdict("review", "one_record_per_source", (*edge.verdict.reasons, reason))
    return msgspec.structs.replace(edge, verdict=verdict)
