"""Turn merged records into quads.

``cluster_statements`` turns the merged description of a cluster into lines of N-Quads and into *claims* about agents,
concepts, places, publishers and series; ``entity_statements`` turns all claims about one of these into the lines that
describe it; ``dataset_statements`` describes the sources. ``to_quads`` applies all three to merged descriptions in
memory. These are pure functions; ``triplify`` is the stage over a catalog; ``catalog_quads`` reads its results line by
line, ``catalog_blocks`` in blocks of lines.

The data use more than one vocabulary, so that queries written for the data of other libraries work:
DCMI terms, BIBO and ISBD elements flat on the resource, BIBFRAME 2 with nodes for contributions, identifiers,
provision activities and copies, and schema.org. Nodes are hash IRIs of their resource; there are no blank nodes.
Resources, entities and ``owl:sameAs`` between the records of a cluster are in the default graph, provenance (PROV-O
and bibld's own ontology) in ``graph/provenance``, links to each authority file in a separate graph
(``graph/links-viaf``).
"""

from __future__ import annotations

from bibld.triplify._claims import (
    Assertion,
    Claim,
    ClusterStatements,
    EntityClaim,
    Kind,
    NameForm,
    encode_assertions,
    read_assertion,
)
from bibld.triplify._cluster import cluster_statements
from bibld.triplify._cluster_batch import statements_digest
from bibld.triplify._counts import BlockCounts, count_blocks, count_quads
from bibld.triplify._coverage import (
    LANGUAGE_TAGS,
    ElementCoverage,
    declared_names,
    effective_attributes,
    mods_coverage,
)
from bibld.triplify._dataset import catalog_blocks, catalog_quads, dataset_statements, to_quads
from bibld.triplify._entities import entity_statements
from bibld.triplify._entity_batch import keys_of_assertion
from bibld.triplify._entity_descriptions import EntityDescription, describe_entity_clusters
from bibld.triplify._entity_reasons import EntityComparison, compare_entities
from bibld.triplify._identity import Identity, parse_identity
from bibld.triplify._stage import is_pending, requeue_all, settings_digest, triplify
from bibld.triplify._tombstones import tombstone_statements, withdrawal_quads, withdrawal_statements

__all__ = (
    "LANGUAGE_TAGS",
    "Assertion",
    "BlockCounts",
    "Claim",
    "ClusterStatements",
    "ElementCoverage",
    "EntityClaim",
    "EntityComparison",
    "EntityDescription",
    "Identity",
    "Kind",
    "NameForm",
    "catalog_blocks",
    "catalog_quads",
    "cluster_statements",
    "compare_entities",
    "count_blocks",
    "count_quads",
    "dataset_statements",
    "declared_names",
    "describe_entity_clusters",
    "effective_attributes",
    "encode_assertions",
    "entity_statements",
    "is_pending",
    "keys_of_assertion",
    "mods_coverage",
    "parse_identity",
    "read_assertion",
    "requeue_all",
    "settings_digest",
    "statements_digest",
    "to_quads",
    "tombstone_statements",
    "triplify",
    "withdrawal_quads",
    "withdrawal_statements",
)
