"""Make the statements of queued entities again: computed from what the catalog contains, then stored in it."""

from __future__ import annotations

from collections import Counter

import msgspec

from bibld.catalog import Catalog, EntityRow
from bibld.model.iris import Iris
from bibld.triplify._claims import Assertion
from bibld.triplify._entities import describe_entity
from bibld.triplify._patch import count_changes

_ASSERTIONS = msgspec.json.Decoder(Assertion)


class EntityBatch(msgspec.Struct):
    """What to store of some entities; ``dropped`` are those that nothing asserts, the others are as of clusters."""

    rows: list[EntityRow] = []
    dropped: list[int] = []
    changes: Counter[bytes] = msgspec.field(default_factory=Counter)
    samples: list[bytes] = []


def describe_entities(iris: Iris, catalog: Catalog, entities: list[int]) -> EntityBatch:
    """Make the statements of entities."""
    batch = EntityBatch()
    is_awaited = catalog.patches.are_awaited()
    is_trained = catalog.entities.is_trained()
    for entity in entities:
        before = catalog.entities.quads(entity)
        iri = catalog.entities.iri(entity)
        assertions = [(_ASSERTIONS.decode(body), votes) for body, votes in catalog.entities.assertions(entity)]
        after = b""
        if iri is None or not assertions:
            batch.dropped.append(entity)
        else:
            after = "".join(describe_entity(iri, assertions, iris)).encode()
            if after != before:
                batch.rows.append(catalog.entities.row(entity, after))
            if not is_trained:
                batch.samples.append(after)
        if is_awaited:
            count_changes(batch.changes, before, after)
    return batch


def store_entities(catalog: Catalog, batch: EntityBatch) -> None:
    """Store the statements of entities."""
    catalog.entities.drop(batch.dropped)
    catalog.entities.put(batch.rows)
    catalog.patches.add(batch.changes)
    catalog.entities.train_dictionary(batch.samples)
