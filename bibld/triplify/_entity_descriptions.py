"""Cluster entities and describe each cluster, from all assertions about them; nothing is read or stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bibld.model.iris import Iris
from bibld.triplify._claims import Assertion
from bibld.triplify._entities import describe_entity
from bibld.triplify._entity_clusters import EntityProfile, Verdicts, cluster_component, components


class EntityDescription(msgspec.Struct, frozen=True):
    """Entities that are the same, by their IRIs, the founder first, and the quads that describe them.

    ``parts`` are the IRIs of other entities that the quads point to, sorted.
    """

    members: tuple[str, ...]
    quads: bytes
    parts: tuple[str, ...]


def describe_entity_clusters(
    iris: Iris, verdicts: Verdicts, assertions: Mapping[str, Sequence[tuple[Assertion, int]]]
) -> Iterator[EntityDescription]:
    """Cluster entities, and yield the description of each cluster.

    ``assertions`` are all those about some entities, with their votes, by IRI; entities that are connected by ties or
    verdicts must be among them together. The quads point to entities as the assertions do.
    """
    profiles = [EntityProfile.from_assertions(iri, (one for one, _ in made)) for iri, made in assertions.items()]
    for component in components(profiles, verdicts):
        for cluster in cluster_component(component, verdicts):
            united = [assertion for member in cluster.members for assertion in assertions[member]]
            lines = describe_entity(cluster.founder, united, iris, (*cluster.members[1:], *cluster.aliases))
            parts = sorted({part for one, _ in united for part in one.value.named_entities})
            yield EntityDescription(cluster.members, "".join(lines).encode(), tuple(parts))
