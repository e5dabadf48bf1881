"""Dedup: the features of all living records in; scored edges with reasons, and clusters, out.

The method is put together from a blocker or several (``block/``) and a scorer (``match/``). The default is that of
Kosolapov, Serebryakov, Teymurazov and Shorin, "Algorithm for merging duplicate bibliographic records".
"""

from __future__ import annotations

import msgspec

from bibld.catalog import Catalog, digest
from bibld.config import Config
from bibld.dedup._candidates import candidate_pairs
from bibld.dedup._clusters import clustered
from bibld.dedup._features import features_of
from bibld.dedup._judge import Judge
from bibld.model.features import FeatureColumns, Features
from bibld.model.linkage import Edge
from bibld.model.origin import RecordId
from bibld.progress import Progress, counted

__all__ = ["Comparison", "Matched", "compare", "dedup", "features_of", "load", "settings_digest"]

VERSION = 1


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

    def row(self, record: RecordId) -> int | None:
        """The row of a record."""
        return next((row for row, held in self.ids.items() if held == record), None)


class Comparison(msgspec.Struct, frozen=True):
    """Two records compared on their own, whether or not a blocker would have proposed the pair."""

    edge: Edge
    left: Features
    right: Features
    keys_met: bool


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on."""
    blockers = [[name, digest(config.settings("dedup.block", name))] for name in config.dedup.block]
    scorer = [config.dedup.match, digest(config.settings("dedup.match", config.dedup.match))]
    several = sorted(source.id for source in config.sources if source.config.duplicates)
    return digest(VERSION, blockers, scorer, several)


def load(catalog: Catalog, progress: Progress) -> Loaded:
    """Take the features out of all living records of the catalog."""
    progress.stage("dedup", "records", catalog.records.count())
    ids: dict[int, RecordId] = {}
    features: list[tuple[int, Features]] = []
    for row, (ordinal, _, mods) in enumerate(counted(catalog.records.living(), progress)):
        ids[row] = catalog.register.record(ordinal)
        features.append((ordinal, features_of(mods)))
    return Loaded(FeatureColumns.of(features), ids)


def dedup(catalog: Catalog, config: Config, progress: Progress) -> Matched:
    """Match all living records of the catalog and store edges and clusters in it."""
    loaded = load(catalog, progress)
    candidates = candidate_pairs(loaded.columns, config)
    progress.say(f"dedup: {len(candidates)} candidate pairs of {len(loaded.columns)} records")
    judge = Judge(loaded.columns, loaded.ids, config, settings_digest(config))
    several = frozenset(source.id for source in config.sources if source.config.duplicates)
    clusters, edges = clustered(judge.edges(candidates), several)
    ordinals = [sorted(catalog.register.given(record) for record in cluster) for cluster in clusters]
    catalog.linkage.replace_clusters(ordinals)
    catalog.linkage.replace_edges(edges)
    return Matched(len(loaded.columns), len(candidates), len(edges), len(clusters))


def compare(catalog: Catalog, config: Config, left: RecordId, right: RecordId) -> Comparison | None:
    """Compare any two living records; None where one of them is not in the catalog."""
    records = [catalog.record(record) for record in sorted((left, right))]
    if any(record is None or record.deleted for record in records):
        return None
    held = [record for record in records if record is not None]
    features = [features_of(record.mods) for record in held]
    columns = FeatureColumns.of(enumerate(features))
    judge = Judge(columns, {row: record.id for row, record in enumerate(held)}, config, settings_digest(config))
    keys_met = len(candidate_pairs(columns, config)) > 0
    return Comparison(judge.edge(0, 1), features[0], features[1], keys_met)
