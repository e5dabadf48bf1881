"""What matching and merging say about records."""

from __future__ import annotations

from typing import Literal

import msgspec

from bibld.model.mods import Mods
from bibld.model.origin import RecordId


class Pair(msgspec.Struct, frozen=True, order=True):
    """Two records, ``left`` before ``right`` in the order of their ids."""

    left: RecordId
    right: RecordId

    @classmethod
    def of(cls, one: RecordId, other: RecordId) -> Pair:
        """Put two different records in order; raises ``ValueError`` for a record and itself."""
        if one == other:
            raise ValueError(f"{one} makes no pair with itself")
        return cls(min(one, other), max(one, other))


class Feature(msgspec.Struct, frozen=True):
    """One number that a score is made of, between 0 (differs) and 1 (equal)."""

    name: str
    value: float


class Score(msgspec.Struct, frozen=True):
    """How alike two records are (0 to 1), from which features, and which blocking keys brought them together."""

    value: float
    features: tuple[Feature, ...] = ()
    keys_met: tuple[str, ...] = ()


Decision = Literal["same", "different", "related", "review"]


class Verdict(msgspec.Struct, frozen=True):
    """A decision about a pair; ``by`` names the rule, model or person, ``reasons`` are sentences for a cataloguer."""

    decision: Decision
    by: str
    reasons: tuple[str, ...] = ()


class Edge(msgspec.Struct, frozen=True):
    """A pair with its score and verdict, and the hash of what made it."""

    pair: Pair
    score: Score
    verdict: Verdict
    made_by: str


class Cluster(msgspec.Struct, frozen=True):
    """Records that describe the same publication.

    ``members`` stand in the order of their ordinals; the first is ``founder``, whose IRI names the cluster.
    """

    founder: RecordId
    members: tuple[RecordId, ...]


class ValueSource(msgspec.Struct, frozen=True):
    """Which records hold one value of a merged description.

    ``path`` leads to the value from the top of the ``Mods``: field names and indices with slashes between, as in
    ``title_info/0`` or ``origin_info/0/publisher/1``.
    """

    path: str
    records: tuple[RecordId, ...]


class Merged(msgspec.Struct, frozen=True):
    """One description of a cluster, and for each value the records that hold it."""

    cluster: Cluster
    mods: Mods
    sources: tuple[ValueSource, ...]
