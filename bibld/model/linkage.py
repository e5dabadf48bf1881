"""The results of matching and merging: pairs, scores, verdicts, clusters, merged descriptions."""

from __future__ import annotations

from typing import Literal

import msgspec

from bibld.model.brief import brief
from bibld.model.mods import Mods
from bibld.model.origin import RecordId


class Pair(msgspec.Struct, frozen=True, order=True):
    """Two records, ``left`` before ``right`` in the order of their ids."""

    left: RecordId
    right: RecordId

    @classmethod
    def from_records(cls, one: RecordId, other: RecordId) -> Pair:
        """Put two different records in order; raises ``ValueError`` for a record and itself."""
        if one == other:
            raise ValueError(f"a pair needs two different records, but {one} is named twice")
        return cls(min(one, other), max(one, other))


class Feature(msgspec.Struct, frozen=True):
    """One number that contributes to a score, mostly between 0 (differs) and 1 (equal); -1 if nothing is known.

    ``contribution`` is what it adds to the score, in the measure of the scorer that names it.
    """

    name: str
    value: float
    contribution: float = 0.0


class Score(msgspec.Struct, frozen=True):
    """How similar two records are (0 to 1), from which features, and the blocking keys that both have.

    ``scorer`` names what computed the score, and its version if it has one: ``model 1f3a9c04``.
    """

    value: float
    features: tuple[Feature, ...] = ()
    shared_blocking_keys: tuple[str, ...] = ()
    scorer: str = ""


Decision = Literal["same", "different", "related", "review"]


class Verdict(msgspec.Struct, frozen=True):
    """A decision about a pair; ``by`` names the rule, model or person, ``reasons`` are sentences for a cataloguer.

    ``relation`` names the relation of two records that are not the same: ``same_set`` (volumes of one set), ``part_of``
    (one describes a part of the other), ``other_edition``, ``other_format`` or ``translation``. With the decision
    *review* it is their relation if they are not the same.
    """

    decision: Decision
    by: str
    reasons: tuple[str, ...] = ()
    relation: str = ""


class Edge(msgspec.Struct, frozen=True):
    """A pair with its score and verdict, and the hash of its inputs."""

    pair: Pair
    score: Score
    verdict: Verdict
    made_by: str


class Cluster(msgspec.Struct, frozen=True):
    """Records that describe the same publication.

    ``members`` are in the order of their ordinals; the first is ``founder``, whose IRI names the cluster.
    """

    founder: RecordId
    members: tuple[RecordId, ...]


class Spelling(msgspec.Struct, frozen=True):
    """Another spelling of a value, which differs only in punctuation, case and blanks, and the records that have it."""

    value: str
    records: tuple[RecordId, ...]


class ValueSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """The records that have one value of a merged description.

    ``path`` leads to the value from the top of the ``Mods``: field names and indices with slashes between, as in
    ``title_info/0`` or ``origin_info/0/publisher/1``.

    A value that the merged description does not show has its words in ``value``, and ``#`` and a number at the end of
    its path. The path before the ``#`` is that of the value shown instead, if this is another form of it
    (``origin_info/0/place/0#1``) or a statement whose parts are united (``origin_info/0#1``, of which the first is the
    preferred one), else that of the element for which another record's values were chosen (``abstract#1``).

    ``spellings`` are other spellings of the value or of these words, such as an ISBN without hyphens; with them and the
    paths with ``#`` no form of a value is lost.
    """

    path: str
    records: tuple[RecordId, ...]
    value: str = ""
    spellings: tuple[Spelling, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether the merged description shows the value."""
        return "#" not in self.path

    @property
    def place(self) -> str:
        """The path without ``#`` and number."""
        return self.path.partition("#")[0]


class Merged(msgspec.Struct, frozen=True):
    """One description of a cluster, and for each value the records that have it."""

    cluster: Cluster
    mods: Mods
    sources: tuple[ValueSource, ...]

    __repr__ = brief
