"""The way of one record; and why two records are, or are not, the same."""

from __future__ import annotations

import msgspec

from bibld import dedup
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.model.features import Features
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Feature, Pair, Verdict
from bibld.model.origin import RecordId
from bibld.progress import Silent


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


class Compared(msgspec.Struct, frozen=True):
    """One thing that two records say, and whether they say the same."""

    name: str
    left: str
    right: str

    def __str__(self) -> str:
        sign = "=" if self.left == self.right else "≠" if self.left and self.right else "?"
        return f"{sign} {self.name}: {self.left or '–'} | {self.right or '–'}"


class PairWay(msgspec.Struct, frozen=True):
    """Two records side by side: what they say, which keys they share, score, exceptions, decision, cluster.

    ``features`` are what the scorer made of the pair: similarities, and what each adds to the score. ``keys_met``
    name the keys that both have; a pair without any is never compared in a run, and only then ``left_keys`` and
    ``right_keys`` tell which kinds of keys each has.
    """

    left: str
    right: str
    compared: tuple[Compared, ...]
    is_candidate: bool
    keys_met: tuple[str, ...]
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    score: float
    features: tuple[Feature, ...]
    exceptions: tuple[str, ...]
    decision: str
    by: str
    relation: str
    reasons: tuple[str, ...]
    in_one_cluster: bool
    cluster: str


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
    found = dedup.compare(catalog, config, left, right, Silent()) if left != right else None
    if found is None:
        raise ConfigError([f"{left} and {right} cannot be compared: they must be two living records"])
    edge = found.edge
    is_candidate = bool(edge.score.keys_met)
    person = catalog.register.verdicts().get(edge.pair)
    stored = catalog.edge(edge.pair)
    verdict = person or (stored.verdict if stored else edge.verdict)
    if not is_candidate and person is None:
        reason = "no key in common: blocking does not propose the pair, so a run never compares it"
        verdict = Verdict("different", "blocking", (*edge.verdict.reasons, reason))
    cluster = catalog.cluster_of(edge.pair.left)
    together = cluster is not None and edge.pair.right in cluster.members
    return PairWay(
        left=str(edge.pair.left),
        right=str(edge.pair.right),
        compared=_compared(found.left, found.right),
        is_candidate=is_candidate,
        keys_met=edge.score.keys_met,
        left_keys=() if is_candidate else found.left_keys,
        right_keys=() if is_candidate else found.right_keys,
        score=edge.score.value,
        features=edge.score.features,
        exceptions=found.exceptions,
        decision=verdict.decision,
        by=verdict.by,
        relation=verdict.relation,
        reasons=verdict.reasons,
        in_one_cluster=together,
        cluster=_about_cluster(catalog, edge.pair, verdict, cluster if together else None),
    )


def _compared(left: Features, right: Features) -> tuple[Compared, ...]:
    """What at least one of two records says; 0 is a missing number."""
    one, other = (
        {name: str(value or "") for name, value in msgspec.structs.asdict(side).items()} for side in (left, right)
    )
    return tuple(Compared(name.replace("_", " "), one[name], other[name]) for name in one if one[name] or other[name])


def _about_cluster(catalog: Catalog, pair: Pair, verdict: Verdict, cluster: Cluster | None) -> str:
    """Why two records stand, or do not stand, in one cluster."""
    if cluster is not None:
        if verdict.decision == "same":
            return f"both are in the cluster of {cluster.founder}"
        ways = [_sentence(edge) for edge in catalog.edges_of(cluster.members)]
        return f"both are in the cluster of {cluster.founder} through other members: {'; '.join(ways)}"
    if verdict.decision == "same":
        return "the pair is the same, but no run has joined it; run `bibld run` again"
    return {
        "related": "kept apart: they are related, not the same",
        "review": "kept apart until a person has looked",
    }.get(verdict.decision, "nothing joins them")


def _sentence(edge: Edge) -> str:
    return f"{edge.pair.left} and {edge.pair.right}: {edge.verdict.decision}, {'; '.join(edge.verdict.reasons)}"
