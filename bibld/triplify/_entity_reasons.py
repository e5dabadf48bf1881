"""Why two entities may be the same, and why they were kept apart: for people who decide about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import msgspec

from bibld.triplify._claims import Assertion
from bibld.triplify._entity_clusters import Contradiction, EntityProfile


class EntityComparison(msgspec.Struct, frozen=True):
    """What two entities have in common, and in what they contradict each other.

    ``common`` are the kinds of keys that both have, in lower case, the strongest first: ``number`` (of an authority
    file), ``name`` (with a year of life), ``publication`` (that names both) and so on, see ``Strength``.
    """

    common: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def compare_entities(
    one: Mapping[str, Iterable[Assertion]], other: Mapping[str, Iterable[Assertion]]
) -> EntityComparison:
    """Compare two clusters of entities by all assertions about each of their members (by IRI)."""
    these, those = ([EntityProfile.from_assertions(*member) for member in side.items()] for side in (one, other))
    pairs = list(product(these, those))
    common = {strength for left, right in pairs for key, strength in left.keys.items() if key in right.keys}
    contradictions = dict.fromkeys(found for left, right in pairs for found in left.contradictions(right))
    return EntityComparison(tuple(strength.name.lower() for strength in sorted(common)), tuple(contradictions))
