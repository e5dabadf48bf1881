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


class Contribution(msgspec.Struct, frozen=True, omit_defaults=True, order=True, array_like=True):
    """What an agent (its IRI) contributed to a work: relator codes, and terms of roles without one.

    ``is_primary``: the work is entered under the agent.
    """

    agent: str
    roles: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    is_primary: bool = False


BODY = "="
"""The beginning of the name of a body among the creators of a work."""

BETWEEN_FORMS = " = "
"""What is between the forms of the name of one creator of a work."""


class WorkFacts(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """What decides whether two works are the same.

    ``form`` is what the work is made of: ``text`` (printed, electronic or read aloud), ``music`` (score or
    performance), ``film`` and so on. ``traits`` are what kind of work it is, each as group and value (``kind:guide``,
    ``year:2011``); works differ by a trait in ``!`` that only one of them has, and by others of one group of which none
    is equal. ``language`` is the code of ISO 639-2 of a text, or several with blanks between. ``creators`` are the
    persons and bodies that created it, each as the forms of its name with `` = `` between them, those of a body with
    ``=`` before; ``translators`` those of a translation, or the name of its version; ``others`` other persons and
    bodies, and publishers. ``part`` is the designation of a part, empty for a whole, ``remainder`` other title
    information as keys of words. ``origin`` is ``original`` or ``translation`` if that is known.

    Works with an equal text among their ``ties`` may be the same. A tie among the ``variants``, too, is made of a title
    that names the work beside its own: it ties to works of which it is the title, not to others so named. Those among
    the ``beginnings`` are made of the beginning of a long title, and tie only translations by one translator, and
    originals.
    """

    form: str = "text"
    traits: tuple[str, ...] = ()
    language: str = ""
    creators: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    part: str = ""
    remainder: str = ""
    origin: Literal["", "original", "translation"] = ""
    ties: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()


class EntityClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """The properties that one record states of an entity.

    ``label`` is the form that the record prefers, ``others`` are further forms. ``type`` is that of a MODS name
    (personal …), ``dates`` are as stated, ``links`` are IRIs of authority files, ``scheme`` is the code of a concept's
    scheme, ``notation`` a class mark, ``issn`` that of a series, ``broad_links`` are IRIs of authority files for
    something broader, ``related_links`` are links to the works of others that are not the same: a compact property and
    an IRI. ``is_established``: the label is preferred in an authority file, whatever most records have. ``entities``
    are statements about other entities: a compact property and the IRI of the entity; ``values`` are all other
    statements: a compact property and a term. ``contributions`` are those to a work.

    The others are evidence that entities are the same. ``aliases`` are the IRIs that the same heading has by its other
    keys; ``former`` are IRIs that it would have if less were known of it, which lead to the entity unless something is
    asserted about them, or another entity has them, too; ``replaced`` are IRIs of headings instead of which this one is
    used: what is asserted about them is about this entity, unless another one is used instead, too; ``numbers`` are its
    numbers in authority files, each as name of the file, blank, number; entities with an equal text among their
    ``ties`` may be the same; ``work`` are the facts that decide whether a work is the same as another one. A claim that
    is only evidence has an empty label.
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
    contributions: tuple[Contribution, ...] = ()
    broad_links: tuple[str, ...] = ()
    related_links: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    work: WorkFacts | None = None

    @property
    def all_ties(self) -> tuple[str, ...]:
        """The texts that tie the entity to others: those of the claim, and those of the facts of a work."""
        return self.ties if self.work is None else (*self.ties, *self.work.ties)

    @property
    def named_entities(self) -> tuple[str, ...]:
        """The IRIs of the other entities that the description of this one points to."""
        return (*(iri for _, iri in self.entities), *(one.agent for one in self.contributions))


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
