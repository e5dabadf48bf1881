"""What records state about agents, concepts, places, publishers, series, works and schemes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from bibld.model.origin import RecordId

Kind = Literal["agent", "concept", "place", "publisher", "scheme", "series", "work"]


class NameForm(msgspec.Struct, frozen=True, omit_defaults=True, order=True):
    """A form of a name, and the language tag it has as a literal."""

    text: str
    language: str = ""


class EntityClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """The properties that one record states of an entity.

    ``label`` is the form that the record prefers, ``others`` are further forms. ``type`` is that of a MODS name
    (personal …), ``dates`` are as stated, ``links`` are IRIs of authority files, ``scheme`` is the code of a concept's
    scheme, ``notation`` a class mark, ``issn`` that of a series, ``broad_links`` are IRIs of authority files for
    something broader. ``is_established``: the label is preferred in an authority file, whatever most records have.
    ``entities`` are statements about other entities: a compact property and the IRI of the entity;
    ``values`` are all other statements: a compact property and a term.

    The others are evidence that entities are the same. ``aliases`` are the IRIs that the same heading has by its other
    keys; ``former`` are IRIs that it would have if less were known of it, which lead to the entity unless something is
    asserted about them, or another entity has them, too; ``replaced`` are IRIs of headings instead of which this one is
    used: what is asserted about them is about this entity, unless another one is used instead, too; ``numbers`` are its
    numbers in authority files, each as name
    of the file, blank, number; entities with an equal text among their ``ties`` may be the same. A claim that is only
    evidence has an empty label.
    """

    label: NameForm
    others: tuple[NameForm, ...] = ()
    type: str = ""
    dates: str = ""
    links: tuple[str, ...] = ()
    scheme: str = ""
    notation: str = ""
    issn: str = ""
    is_established: bool = False
    entities: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    broad_links: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()

    @property
    def named_entities(self) -> tuple[str, ...]:
        """The IRIs of the other entities that the description of this one points to."""
        return tuple(iri for _, iri in self.entities)


class Claim(msgspec.Struct, frozen=True):
    """The statement of one record about the entity with this IRI."""

    entity: str
    kind: Kind
    value: EntityClaim
    record: RecordId


class Assertion(msgspec.Struct, frozen=True, array_like=True):
    """A claim about an entity without the record that makes it. This is the form that the catalog stores."""

    kind: Kind
    value: EntityClaim


_ENCODER = msgspec.json.Encoder()
_ASSERTIONS = msgspec.json.Decoder(Assertion)


def count_assertions(claims: Iterable[Claim]) -> dict[tuple[str, Assertion], int]:
    """Return the different assertions about each entity (its IRI), and how many records vote for them.

    A record has one vote for each form that it prefers, counted with its first claim of that form. So the votes of
    clusters can be added up, since no two clusters share a record.
    """
    votes: dict[tuple[str, Assertion], int] = {}
    counted: set[tuple[str, NameForm, RecordId]] = set()
    for claim in claims:
        assertion, vote = (
            (claim.entity, Assertion(claim.kind, claim.value)),
            (claim.entity, claim.value.label, claim.record),
        )
        votes[assertion] = votes.get(assertion, 0) + (vote not in counted)
        counted.add(vote)
    return votes


def encode_assertions(claims: Iterable[Claim]) -> dict[tuple[str, bytes], int]:
    """Return the votes for each assertion, by the IRI of the entity and the assertion in its stored form."""
    return {
        (entity, _ENCODER.encode(assertion)): votes for (entity, assertion), votes in count_assertions(claims).items()
    }


def read_assertion(body: bytes) -> Assertion:
    """Return an assertion from its stored form."""
    return _ASSERTIONS.decode(body)


class ClusterStatements(msgspec.Struct, frozen=True):
    """The statements made from one cluster.

    ``quads`` are the lines that belong to the cluster, ``claims`` what its records state about entities.
    ``existence_dependencies`` are the records whose existence decided which quads were made: when one of them is added
    or deleted, the statements must be made again.
    """

    quads: tuple[str, ...]
    claims: tuple[Claim, ...]
    existence_dependencies: tuple[RecordId, ...] = ()
