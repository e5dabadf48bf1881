"""The way of one record; and why two records are, or are not, the same."""

from __future__ import annotations

import msgspec

from bibld import dedup
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.model.iris import Iris
from bibld.model.linkage import Edge
from bibld.model.origin import RecordId


class RecordWay(msgspec.Struct, frozen=True):
    """What became of one record: where it came from, what it is compared by, what it was joined with, its IRIs."""

    record: str
    ordinal: int
    origin: str
    flavour: str
    deleted: bool
    warnings: tuple[str, ...]
    title: str
    author: str
    part: str
    cluster: tuple[str, ...]
    edges: tuple[str, ...]
    resource: str
    answers: str


class PairWay(msgspec.Struct, frozen=True):
    """Two records side by side: what is compared, whether blocking proposes them, score, decision and reasons."""

    left: str
    right: str
    left_title: str
    right_title: str
    left_author: str
    right_author: str
    is_candidate: bool
    score: float
    features: dict[str, float]
    decision: str
    reasons: tuple[str, ...]
    in_one_cluster: bool


def named(catalog: Catalog, text: str) -> RecordId:
    """The record that a person means: ``source:control number``, or a control number that is unique.

    Raises ``ConfigError``.
    """
    try:
        record = RecordId.parse(text)
        if catalog.register.ordinal(record) is not None:
            return record
    except ValueError:
        pass  # not in that form: it may be a bare control number
    found = catalog.register.named(text.strip())
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError([f"{text!r} is the control number of {', '.join(map(str, found))}; name the source too"])
    raise ConfigError([f"there is no record {text!r} in the catalog; an id looks like rsl:01003120729"])


def record_way(catalog: Catalog, config: Config, record: RecordId) -> RecordWay:
    """Tell the way of one record; raises ``ConfigError`` for one that the catalog does not hold."""
    held = catalog.record(record)
    if held is None:
        raise ConfigError([f"{record} has an ordinal but is not in the catalog; run `bibld run` again"])
    iris = Iris(config.dataset.base)
    features = dedup.features_of(held.mods)
    cluster = catalog.cluster_of(record)
    members = cluster.members if cluster else ()
    answering = cluster.founder if cluster else catalog.heir(record)
    return RecordWay(
        record=str(record),
        ordinal=held.ordinal,
        origin=str(held.origin),
        flavour=held.flavour,
        deleted=held.deleted,
        warnings=tuple(catalog.records.warnings(held.ordinal)),
        title=features.title,
        author=features.author,
        part=features.part,
        cluster=tuple(map(str, members)),
        edges=tuple(_sentence(edge) for edge in catalog.edges_of(members)),
        resource=iris.resource(record),
        answers=iris.document(iris.resource(answering)) if answering else "410 Gone",
    )


def pair_way(catalog: Catalog, config: Config, left: RecordId, right: RecordId) -> PairWay:
    """Tell why two records are, or are not, the same; raises ``ConfigError`` where they cannot be compared."""
    compared = dedup.compare(catalog, config, left, right) if left != right else None
    if compared is None:
        raise ConfigError([f"{left} and {right} cannot be compared: they must be two living records"])
    edge = compared.edge
    stored = catalog.edge(edge.pair)
    verdict = stored.verdict if stored else edge.verdict
    reasons = verdict.reasons
    if not compared.keys_met:
        reasons = (*reasons, "blocking does not propose the pair, so a run never compares it")
    cluster = catalog.cluster_of(edge.pair.left)
    return PairWay(
        left=str(edge.pair.left),
        right=str(edge.pair.right),
        left_title=compared.left.title,
        right_title=compared.right.title,
        left_author=compared.left.author,
        right_author=compared.right.author,
        is_candidate=compared.keys_met,
        score=edge.score.value,
        features={feature.name: feature.value for feature in edge.score.features},
        decision=verdict.decision if compared.keys_met else "different",
        reasons=reasons,
        in_one_cluster=cluster is not None and edge.pair.right in cluster.members,
    )


def _sentence(edge: Edge) -> str:
    return f"{edge.pair.left} and {edge.pair.right}: {edge.verdict.decision}, {'; '.join(edge.verdict.reasons)}"
