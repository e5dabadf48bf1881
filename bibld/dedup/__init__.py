"""Dedup: the features of all living records in; scored edges with reasons, and clusters, out.

The method is put together from a blocker or several (``block/``) and a scorer (``match/``). ``block = ["paper"]`` with
``match = "jaccard"`` is that of Kosolapov, Serebryakov, Teymurazov and Shorin, "Algorithm for merging duplicate
bibliographic records".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bibld import adapters
from bibld.catalog import Catalog, digest
from bibld.config import Config
from bibld.dedup._cache import is_first_use
from bibld.dedup._candidates import all_keys, candidate_pairs, statistics_of
from bibld.dedup._clusters import Clustered, clustered
from bibld.dedup._features import features_of
from bibld.dedup._judge import Judge
from bibld.dedup._keys import Keys, families_met, key_names
from bibld.dedup._statistics import from_bytes, to_bytes
from bibld.model.features import FeatureColumns, Features, Statistics
from bibld.model.linkage import Edge, Pair, Verdict
from bibld.model.origin import RecordId
from bibld.progress import Progress, counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Comparison", "Loaded", "Matched", "compare", "dedup", "features_of", "load", "made_by", "settings_digest"]

VERSION = 2


class Matched(msgspec.Struct, frozen=True):
    """What a run of dedup found."""

    records: int
    candidates: int
    edges: int
    clusters: int


class Loaded(msgspec.Struct, frozen=True, eq=False):
    """The feature columns of all living records, and which record stands in each row."""

    columns: FeatureColumns
    ids: dict[int, RecordId]
    rows: dict[RecordId, int]


class Comparison(msgspec.Struct, frozen=True):
    """Two records compared on their own, whether or not a blocker proposes the pair.

    ``left_keys`` and ``right_keys`` name the kinds of keys that each has, ``exceptions`` are sentences; the score
    of the edge names the keys that the two share.
    """

    edge: Edge
    left: Features
    right: Features
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    exceptions: tuple[str, ...]


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on."""
    settings = config.settings("dedup.match", config.dedup.match)
    identity = getattr(adapters.find("dedup.match", config.dedup.match), "identity", None)
    scorer = [config.dedup.match, digest(settings), identity(settings) if identity else ""]
    several = sorted(source.id for source in config.sources if source.config.duplicates)
    return digest(VERSION, _blocking_digest(config), scorer, several, config.dedup)


def made_by(catalog: Catalog, config: Config, restat: bool = False) -> str:
    """A hash of all that the result depends on but for the records: settings, statistics, verdicts of people."""
    people = [(pair, verdict) for pair, verdict in catalog.register.verdicts().items()]
    return digest(settings_digest(config), _version(catalog, config, restat), people)


def load(catalog: Catalog, progress: Progress) -> Loaded:
    """Take the features out of all living records of the catalog."""
    progress.stage("dedup", "records", catalog.records.count())
    ids: dict[int, RecordId] = {}
    features: list[tuple[int, Features]] = []
    for row, (ordinal, _, mods) in enumerate(counted(catalog.records.living(), progress)):
        ids[row] = catalog.register.record(ordinal)
        features.append((ordinal, features_of(mods)))
    return Loaded(FeatureColumns.of(features), ids, {record: row for row, record in ids.items()})


def dedup(catalog: Catalog, config: Config, progress: Progress, restat: bool = False) -> Matched:
    """Match all living records of the catalog and store edges and clusters in it.

    ``restat``: count the statistics of blocking anew instead of using the frozen ones.
    """
    loaded = load(catalog, progress)
    if is_first_use():
        progress.say("dedup: the first use on a machine compiles what compares records; this takes about half a minute")
    statistics = _renewed(catalog, config, loaded.columns, restat)
    keys = all_keys(loaded.columns, config, statistics)
    candidates = candidate_pairs(keys, loaded.columns, config)
    for message in filter(None, (blocker.message() for blocker in keys)):
        progress.say(message)
    progress.say(f"dedup: {len(candidates)} candidate pairs of {len(loaded.columns)} records")
    judge = Judge(loaded.columns, loaded.ids, config, made_by(catalog, config))
    found = cluster(judge, candidates, people_of(catalog, loaded))
    for message in found.messages:
        progress.say(message)
    ordinals = [sorted(catalog.register.given(record) for record in members) for members in found.clusters]
    catalog.linkage.replace_clusters(ordinals)
    catalog.linkage.replace_edges(judge.explained(found.edges, _met(found.edges, keys, loaded, config)))
    return Matched(len(loaded.columns), len(candidates), len(found.edges), len(found.clusters))


def people_of(catalog: Catalog, loaded: Loaded) -> dict[Pair, Verdict]:
    """What people said about pairs of living records."""
    return {
        pair: verdict
        for pair, verdict in catalog.register.verdicts().items()
        if pair.left in loaded.rows and pair.right in loaded.rows
    }


def cluster(judge: Judge, candidates: npt.NDArray[np.uint64], people: dict[Pair, Verdict]) -> Clustered:
    """Judge candidates and join what is the same; the verdicts of people stand above those of the judge."""
    return joined(judge, {edge.pair: edge for edge in judge.edges(candidates)}, people)


def joined(judge: Judge, edges: dict[Pair, Edge], people: dict[Pair, Verdict]) -> Clustered:
    """Join edges that are judged already."""
    for pair, verdict in people.items():
        edge = edges.get(pair) or judge.between(pair)
        edges[pair] = msgspec.structs.replace(edge, verdict=verdict)
    return clustered(edges.values(), judge.rules, judge.facts, judge.scores, people)


def statistics(catalog: Catalog, config: Config, columns: FeatureColumns) -> Statistics:
    """The frozen statistics where they were made for these settings, else what they would be now."""
    stored = catalog.linkage.statistics()
    if stored is not None and stored[1] == _blocking_digest(config):
        return from_bytes(stored[2])
    return statistics_of(columns, config)


def compare(catalog: Catalog, config: Config, left: RecordId, right: RecordId, progress: Progress) -> Comparison | None:
    """Compare any two living records; None where one of them is not in the catalog."""
    records = [catalog.record(record) for record in sorted((left, right))]
    held = [record for record in records if record is not None and not record.deleted]
    if len(held) < 2:
        return None
    features = [features_of(record.mods) for record in held]
    columns = FeatureColumns.of(enumerate(features))
    stored = catalog.linkage.statistics()
    is_frozen = stored is not None and stored[1] == _blocking_digest(config)
    known = statistics(catalog, config, columns if is_frozen else load(catalog, progress).columns)
    keys = all_keys(columns, config, known)
    pair = Loaded(columns, {row: record.id for row, record in enumerate(held)}, {})
    judge = Judge(columns, pair.ids, config, made_by(catalog, config))
    edge = judge.edge(0, 1)
    (met,) = families_met(keys, columns, config, *_ends([(0, 1)]))
    edge = msgspec.structs.replace(edge, score=msgspec.structs.replace(edge.score, keys_met=met))
    left_keys, right_keys = (tuple(name for blocker in keys for name in key_names(blocker, row)) for row in (0, 1))
    exceptions = tuple(finding.reason for finding in judge.exceptions(0, 1))
    return Comparison(edge, features[0], features[1], left_keys, right_keys, exceptions)


def _met(edges: list[Edge], keys: list[Keys], loaded: Loaded, config: Config) -> list[tuple[str, ...]]:
    """The names of the keys by which the pairs of edges met."""
    ends = _ends([(loaded.rows[edge.pair.left], loaded.rows[edge.pair.right]) for edge in edges])
    return families_met(keys, loaded.columns, config, *ends)


def _ends(pairs: list[tuple[int, int]]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    import numpy as np

    both = np.array(pairs, dtype=np.uint32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def _blocking_digest(config: Config) -> str:
    return digest([[name, digest(config.settings("dedup.block", name))] for name in config.dedup.block])


def _version(catalog: Catalog, config: Config, restat: bool) -> int:
    """The version of the statistics that the next matching uses."""
    stored = catalog.linkage.statistics()
    if stored is None:
        return 1
    return stored[0] + (restat or stored[1] != _blocking_digest(config))


def _renewed(catalog: Catalog, config: Config, columns: FeatureColumns, restat: bool) -> Statistics:
    """The frozen statistics, counted and stored where there are none for these settings."""
    version = _version(catalog, config, restat)
    stored = catalog.linkage.statistics()
    if stored is not None and stored[0] == version:
        return from_bytes(stored[2])
    made = statistics_of(columns, config)
    catalog.linkage.put_statistics(version, _blocking_digest(config), to_bytes(made))
    return made
