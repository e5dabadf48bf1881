"""What records say about agents, concepts, places, publishers and series."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from bibld.model.origin import RecordId

Kind = Literal["agent", "concept", "place", "publisher", "series"]


class Form(msgspec.Struct, frozen=True, omit_defaults=True, order=True):
    """A form of a name, and the language tag it has as a literal."""

    text: str
    language: str = ""


class EntityClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one record says about an entity.

    ``label`` is the form that it prefers, ``others`` are further forms. ``type`` is that of a MODS name (personal …),
    ``dates`` stand as stated, ``links`` are IRIs of authority files, ``scheme`` is the code of a concept's scheme,
    ``notation`` a class mark, ``issn`` that of a series, ``parts`` are the IRIs of places and agents that a compound
    heading names.
    """

    label: Form
    others: tuple[Form, ...] = ()
    type: str = ""
    dates: str = ""
    links: tuple[str, ...] = ()
    scheme: str = ""
    notation: str = ""
    issn: str = ""
    parts: tuple[str, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """A claim of a record about the entity with this IRI."""

    entity: str
    kind: Kind
    value: EntityClaim
    record: RecordId


class Voice(msgspec.Struct, frozen=True, array_like=True):
    """What is claimed about an entity, whoever claims it."""

    kind: Kind
    value: EntityClaim


def voices(claims: Iterable[Claim]) -> dict[tuple[str, Voice], int]:
    """What is claimed about each entity (its IRI), and how many records vote for it.

    A record has one vote for each form that it prefers; it stands with the first claim of that form. So votes of
    clusters add up, since they share no record.
    """
    votes: dict[tuple[str, Voice], int] = {}
    given: set[tuple[str, Form, RecordId]] = set()
    for claim in claims:
        what, vote = (claim.entity, Voice(claim.kind, claim.value)), (claim.entity, claim.value.label, claim.record)
        votes[what] = votes.get(what, 0) + (vote not in given)
        given.add(vote)
    return votes


class Statements(msgspec.Struct, frozen=True):
    """What a cluster says.

    ``quads`` are the lines that belong to the cluster, ``claims`` what its records say about entities. ``sought`` are
    the records whose existence decided which of the quads were made: when one of them appears or goes, the statements
    have to be made anew.
    """

    quads: tuple[str, ...]
    claims: tuple[Claim, ...]
    sought: tuple[RecordId, ...] = ()
