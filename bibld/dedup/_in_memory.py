"""Matching in memory: records that are in no catalog, by the code that matches those of a catalog."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld.dedup._keys.keys import families_met, keys_of_all
from bibld.dedup._pairs.join import join
from bibld.dedup._prepared import prepared_in_memory
from bibld.dedup.clustering import PersonDecisions, cluster_pairs
from bibld.dedup.decisions import Decider
from bibld.dedup.edges import Edges
from bibld.dedup.method import Method, MethodOptions, settings_digest
from bibld.model.linkage import Cluster, Edge, Pair, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress, Silent


class Duplicates(msgspec.Struct, frozen=True):
    """What matching found among records.

    ``pairs`` are the candidate pairs that are the same, related or for review, with score, decision and reasons, in the
    order of their ids; ``clusters`` are the groups of two or more records that describe the same publication, in the
    order of their founders. ``candidates`` counts the pairs that were compared; ``messages`` report clusters that were
    cut and verdicts that cannot be followed.
    """

    pairs: tuple[Edge, ...]
    clusters: tuple[Cluster, ...]
    candidates: int
    messages: tuple[str, ...]


def find_duplicates(
    records: Mapping[RecordId, Mods],
    method: Method | None = None,
    verdicts: Mapping[Pair, Verdict] | None = None,
    progress: Progress | None = None,
) -> Duplicates:
    """Find the records that describe the same publication.

    Nothing is stored, but the result is that of a first run over the same records in the same order: the first record
    of a cluster is its founder. ``method`` is a configuration or ``MethodOptions``, which are the defaults;
    ``verdicts`` are what people decided about pairs, which outweighs every score.

    Raises ``ConfigError`` for a model file that cannot be used.
    """
    config, progress = method or MethodOptions(), progress or Silent()
    people = {pair: verdict for pair, verdict in (verdicts or {}).items() if {pair.left, pair.right} <= records.keys()}
    with prepared_in_memory(records, config, progress) as ready:
        decider = Decider(ready.segments, ready.sources, config)
        edges = Edges(decider, ready.named, settings_digest(config))
        with join(ready.runs, config, ready.statistics) as found:
            candidates = list(found)
            messages = found.messages()
        by_people = PersonDecisions.from_verdicts(ready.said(people))
        clustered = cluster_pairs(decider, decider.edges(candidates), by_people, ready.order)
        outcomes = edges.outcomes(clustered)
        pairs = []
        scored = edges.explain(
            clustered.pairs,
            lambda columns, left, right: families_met(
                keys_of_all(columns, config, ready.statistics),
                columns,
                config,
                left.astype("uint32"),
                right.astype("uint32"),
            ),
        )
        for place, edge in enumerate(scored):
            verdict = outcomes[place].apply(edge.verdict) if place in outcomes else edge.verdict
            pairs.append(msgspec.structs.replace(edge, verdict=people.get(edge.pair, verdict)))
        members = [tuple(ready.named(cluster)) for cluster in clustered.clusters()]
        return Duplicates(
            tuple(sorted(pairs, key=lambda edge: edge.pair)),
            tuple(Cluster(cluster[0], cluster) for cluster in members),
            sum(len(left) for left, _ in candidates),
            (*messages, *edges.messages(clustered)),
        )
