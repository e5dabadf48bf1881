"""Turn merged records into quads.

``cluster_statements`` turns the merged description of a cluster into lines of N-Quads and into *claims* about agents,
concepts, places, publishers, series and works; ``entity_statements`` turns all claims about one of these into the lines
that describe it; ``dataset_statements`` describes the sources. ``to_quads`` applies all three to merged descriptions in
memory. These are pure functions; ``triplify`` is the stage over a catalog; ``catalog_quads`` reads its results line by
line, ``catalog_blocks`` in blocks of lines.

The data use more than one vocabulary, so that queries written for the data of other libraries work:
DCMI terms, BIBO and ISBD elements flat on the resource, BIBFRAME 2 with nodes for contributions, identifiers,
provision activities and copies, and classes of schema.org; dialects that are chosen add statements in the terms of
others. Nodes are hash IRIs of their resource; there are no blank nodes.
Resources, entities and ``owl:sameAs`` between the records of a cluster are in the default graph, provenance (PROV-O
and bibld's own ontology) in ``graph/provenance``, links to each authority file in a separate graph
(``graph/links-viaf``).
"""

from __future__ import annotations

from functools import partial

from bibld.catalog import Catalog, Queue, StageQueue, digest
from bibld.catalog.processing import QueueProcessor
from bibld.config import TriplifyConfig
from bibld.model.iris import Iris
from bibld.progress import Progress
from bibld.text.headings import table_version
from bibld.triplify._claims import Assertion as Assertion
from bibld.triplify._claims import Claim as Claim
from bibld.triplify._claims import ClusterStatements as ClusterStatements
from bibld.triplify._claims import EntityClaim as EntityClaim
from bibld.triplify._claims import Kind as Kind
from bibld.triplify._claims import NameForm as NameForm
from bibld.triplify._claims import encode_assertions as encode_assertions
from bibld.triplify._claims import read_assertion as read_assertion
from bibld.triplify._clusters import cluster_statements as cluster_statements
from bibld.triplify._clusters import describe_clusters, store_clusters
from bibld.triplify._clusters import statements_digest as statements_digest
from bibld.triplify._counts import BlockCounts as BlockCounts
from bibld.triplify._counts import count_blocks as count_blocks
from bibld.triplify._counts import count_quads as count_quads
from bibld.triplify._counts import update_counts as update_counts
from bibld.triplify._coverage import LANGUAGE_TAGS as LANGUAGE_TAGS
from bibld.triplify._coverage import ElementCoverage as ElementCoverage
from bibld.triplify._coverage import effective_attributes as effective_attributes
from bibld.triplify._coverage import mods_coverage as mods_coverage
from bibld.triplify._dataset import catalog_blocks as catalog_blocks
from bibld.triplify._dataset import catalog_quads as catalog_quads
from bibld.triplify._dataset import dataset_statements as dataset_statements
from bibld.triplify._dataset import to_quads as to_quads
from bibld.triplify._describe.authorities import authority_statements as authority_statements
from bibld.triplify._entities import EntityComparison as EntityComparison
from bibld.triplify._entities import EntityDescription as EntityDescription
from bibld.triplify._entities import compare_entities as compare_entities
from bibld.triplify._entities import describe_entity_clusters as describe_entity_clusters
from bibld.triplify._entities import entity_statements as entity_statements
from bibld.triplify._entity_batch import (
    describe_entities,
    entity_verdicts,
    has_new_verdicts,
    queue_verdicts,
    store_entities,
)
from bibld.triplify._entity_batch import keys_of_assertion as keys_of_assertion
from bibld.triplify._entity_clusters import verdicts_by_identity as verdicts_by_identity
from bibld.triplify._identity import Identity as Identity
from bibld.triplify._identity import is_qualified_number as is_qualified_number
from bibld.triplify._identity import parse_identity as parse_identity
from bibld.triplify._references import NUMBER_MARK as NUMBER_MARK
from bibld.triplify._references import live_authorities, numbers_cited
from bibld.triplify._references import warn_of_broken_references as warn_of_broken_references
from bibld.triplify._references import warn_of_uncatalogued_numbers as warn_of_uncatalogued_numbers
from bibld.triplify._tombstones import tombstone_statements as tombstone_statements
from bibld.triplify._tombstones import withdrawal_quads as withdrawal_quads
from bibld.triplify._tombstones import withdrawal_statements as withdrawal_statements

VERSION = 22
"""To be raised when the same input gives other statements, of clusters or of entities."""


def settings_digest(base: str, settings: TriplifyConfig) -> str:
    """Return a hash of the version, the table of headings, and all settings that the statements depend on."""
    return digest(VERSION, table_version(), base, settings)


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters and entities, since the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders())
    queue.dirty.add(catalog.records.authorities())
    queue.dirty.add(catalog.statements.owners())
    queue.dirty.add(catalog.register.redirected_records())
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(catalog.entities.owners())


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Whether any cluster or entity is queued, or people have decided about entities."""
    entities = catalog.dirty[Queue.UNDESCRIBED_ENTITIES]
    return not (queue.dirty.is_empty() and entities.is_empty()) or has_new_verdicts(catalog)


def triplify(
    catalog: Catalog, iris: Iris, settings: TriplifyConfig, queue: StageQueue, progress: Progress, workers: int = 1
) -> int:
    """Make the statements of the queued clusters again, then those of the entities whose claims changed thereby.

    The statements of dissolved clusters are deleted. ``workers`` is the number of processes, 0 for one for each core;
    the results are the same for any. Returns the number of clusters.
    """
    has_authorities = catalog.records.has_authorities(queue.dirty.queue)
    with QueueProcessor(catalog, workers, "make statements", [__name__]) as processor:
        progress.stage("triplify", "clusters", len(queue.dirty))
        compute = partial(describe_clusters, settings_digest(iris.base, settings), iris, settings)
        clusters = processor.process(queue.dirty, compute, partial(store_clusters, catalog), progress)
        queue_verdicts(catalog, iris)
        entities = catalog.dirty[Queue.UNDESCRIBED_ENTITIES]
        progress.stage("triplify", "entities", len(entities))
        describe = partial(describe_entities, iris, settings.dialects, entity_verdicts(catalog, iris))
        processor.process(entities, describe, partial(store_entities, catalog), progress)
    if has_authorities:
        warn_of_broken_references(live_authorities(catalog), progress)
        warn_of_uncatalogued_numbers(numbers_cited(catalog), progress)
    return clusters
