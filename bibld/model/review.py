"""What people decide about: pairs of records, of entities, and of an entity and a record of an authority file."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from bibld.model.linkage import Pair
from bibld.model.origin import RecordId


class ItemKind(StrEnum):
    """The kinds of pairs, as in addresses."""

    RECORDS = "records"
    ENTITIES = "entities"
    LINKS = "links"


class EntityPair(msgspec.Struct, frozen=True):
    """Two agents, concepts, places, publishers, series or works (the paths of their IRIs) that may be the same."""

    left: str
    right: str


class LinkCandidate(msgspec.Struct, frozen=True):
    """An entity (the path of its IRI) and the IRI of a record of an authority file that may describe it."""

    entity: str
    target: str


Item = Pair | EntityPair | LinkCandidate


VerdictDecision = Literal[
    "same", "different", "related", "accepted", "rejected", "withdrawn",
    "translation_of", "has_translation", "part_of", "has_part",
]  # fmt: skip
"""About records same, different or related; about entities same or different, about works also how the left one is
related to the right one; about links accepted or rejected."""

INVERSE_RELATION = {
    "translation_of": "has_translation",
    "has_translation": "translation_of",
    "part_of": "has_part",
    "has_part": "part_of",
}
"""Decision about two works that are not the same → the same with left and right exchanged."""


class PersonVerdict(msgspec.Struct, frozen=True):
    """The decision of a person about two records, two entities or a link.

    ``relation`` of related records is one of ``bibld.RELATIONS``, or empty. A stored verdict has the time at which it
    was given (ISO 8601), and its ``number`` among those of its kind.
    """

    item: Item
    decision: VerdictDecision
    person: str
    reason: str = ""
    relation: str = ""
    given_at: str = ""
    number: int = 0

    @property
    def kind(self) -> ItemKind:
        """What it is about: records, entities or links."""
        return kind_of(self.item)

    @property
    def pair(self) -> Pair:
        """The two records that it is about."""
        assert isinstance(self.item, Pair)
        return self.item


class NamingPublication(msgspec.Struct, frozen=True):
    """A publication that names an entity: the path of its IRI, its title, and the year of publication or nothing."""

    path: str
    title: str
    year: str


class EntitySide(msgspec.Struct, frozen=True):
    """What the records state about an entity.

    ``type`` is that of a MODS name (personal …) or empty; ``names`` are pairs of text and language tag, the preferred
    one first; ``numbers`` are IRIs of authority files. ``works`` are the first of the ``count`` publications.
    """

    path: str
    type: str
    names: tuple[tuple[str, str], ...]
    dates: tuple[str, ...]
    numbers: tuple[str, ...]
    works: tuple[NamingPublication, ...]
    count: int


class EntityQuestion(msgspec.Struct, frozen=True):
    """Two entities, what they have in common, and in what they contradict each other.

    The words of ``common`` and ``contradictions`` are those of ``bibld.triplify.EntityComparison``.
    """

    left: EntitySide
    right: EntitySide
    common: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()


class LinkQuestion(msgspec.Struct, frozen=True):
    """An entity and a record of an authority file: how probable the link is, and why.

    ``link_set`` is the short name of the authority file; ``others`` are the headings and IRIs of other candidates.
    """

    entity: EntitySide
    target: str
    heading: str
    link_set: str
    confidence: float
    evidence: tuple[str, ...]
    others: tuple[tuple[str, str], ...] = ()


def kind_of(item: Item) -> ItemKind:
    """Return the kind of a pair."""
    if isinstance(item, EntityPair):
        return ItemKind.ENTITIES
    return ItemKind.LINKS if isinstance(item, LinkCandidate) else ItemKind.RECORDS


def to_text(item: Item) -> str:
    """Write a pair as text for forms and tables."""
    if isinstance(item, Pair):
        return f"{item.left}\n{item.right}"
    return "\n".join((kind_of(item).value, *msgspec.structs.astuple(item)))


def from_text(text: str) -> Item:
    """Read what :func:`to_text` wrote; raises ``ValueError``."""
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) == 3 and lines[0] == ItemKind.ENTITIES:
        return EntityPair(*lines[1:])
    if len(lines) == 3 and lines[0] == ItemKind.LINKS:
        return LinkCandidate(*lines[1:])
    left, _, right = text.replace("\r\n", "\n").partition("\n")
    return Pair.from_records(RecordId.parse(left), RecordId.parse(right))
