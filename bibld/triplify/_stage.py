"""The stage over a catalog: statements of the clusters that changed are made anew, all others stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from bibld.catalog import Catalog, digest
from bibld.model.iris import Iris
from bibld.model.origin import RecordId
from bibld.model.release import SourceFigures
from bibld.progress import Progress
from bibld.triplify._claims import Claim, EntityClaim, Kind
from bibld.triplify._cluster import Settings, statements
from bibld.triplify._dataset import dataset_statements
from bibld.triplify._entities import entity_statements

VERSION = 3
"""To be raised when the same input gives other statements."""

_CLUSTERS_AT_ONCE = 500


class _HeldClaim(msgspec.Struct, frozen=True, array_like=True):
    """A claim as the catalog holds it, beside the IRI of its entity."""

    kind: Kind
    value: EntityClaim
    record: RecordId


_ENCODER = msgspec.json.Encoder()
_CLAIM = msgspec.json.Decoder(_HeldClaim)


def settings_digest(base: str, settings: Settings) -> str:
    """A hash of the version and of all settings that the statements depend on."""
    return digest(VERSION, base, settings)


def triplify(catalog: Catalog, iris: Iris, settings: Settings, progress: Progress) -> int:
    """Make the statements of the clusters whose records, edges or related records changed; the number of clusters."""
    made_with = settings_digest(iris.base, settings)
    founders = list(catalog.linkage.founders())
    progress.stage("triplify", "clusters", len(founders))
    for start in range(0, len(founders), _CLUSTERS_AT_ONCE):
        with catalog.commit():
            for founder in founders[start : start + _CLUSTERS_AT_ONCE]:
                _triplify_one(catalog, founder, made_with, iris, settings)
                progress.advance()
    with catalog.commit():
        catalog.linkage.drop_stale_statements()
    return len(founders)


def _triplify_one(catalog: Catalog, founder: int, made_with: str, iris: Iris, settings: Settings) -> None:
    members = catalog.linkage.members(founder)
    edges = catalog.linkage.edges_among(members) if len(members) > 1 else []
    hashes = [catalog.records.hash_of(ordinal).hex() for ordinal in members]
    made_by = digest(made_with, hashes, catalog.linkage.merged_made_by(founder), edges)
    exists = partial(_exists, catalog)
    stored = catalog.linkage.statements_made_by(founder)
    if stored is not None and stored[0] == made_by and all(exists(record) == did for record, did in stored[1]):
        return
    made = statements(catalog.linkage.merged(founder), edges, iris, settings, exists)
    claims = [(claim.entity, _body(claim)) for claim in made.claims]
    sought = [(record, exists(record)) for record in made.sought]
    catalog.linkage.put_statements(founder, made.quads, claims, sought, made_by)


def _body(claim: Claim) -> bytes:
    return _ENCODER.encode(_HeldClaim(claim.kind, claim.value, claim.record))


def _exists(catalog: Catalog, record: RecordId) -> bool:
    ordinal = catalog.register.ordinal(record)
    return ordinal is not None and catalog.records.is_living(ordinal)


def quads(catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures]) -> Iterator[str]:
    """Every line of the dataset, none twice: those of the clusters, of the entities, and of the sources."""
    for block in catalog.linkage.statements():
        yield from (f"{line}\n" for line in block.decode().split("\n") if line)
    for entity, bodies in catalog.linkage.claims():
        held = map(_CLAIM.decode, bodies)
        claims = [Claim(entity, one.kind, one.value, one.record) for one in held]
        yield from entity_statements(entity, claims, iris)
    yield from dataset_statements(sources, iris)
