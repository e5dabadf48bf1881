"""All lines of a dataset: from a catalog, or from merged descriptions in memory; and the description of its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bibld.catalog import Catalog
from bibld.config import TriplifyConfig
from bibld.model.iris import Iris, web_iri
from bibld.model.linkage import Edge, Merged
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal, replace_entities, term
from bibld.model.release import SourceFigures
from bibld.text.folding import tidy
from bibld.triplify._claims import Assertion, count_assertions
from bibld.triplify._clusters import cluster_statements
from bibld.triplify._draft import Quad, sort_quads
from bibld.triplify._entities import describe_entity_clusters
from bibld.triplify._entity_clusters import Verdicts
from bibld.triplify._identity import library_key

GRAPH = "dataset"
"""The name of the graph of the dataset's description."""


def catalog_blocks(catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures]) -> Iterator[bytes]:
    """Yield every line of the dataset of a catalog once, in blocks of lines: one for each cluster and entity.

    The lines of a block are in a stable order, those of the default graph first.
    First the blocks of the clusters, in the order of their founders; then of the entities, in the order of their IRIs;
    of the links to authority files, then that of the sources. The dirty queues must be empty.
    """
    yield from catalog.statements.all_quads()
    yield from catalog.entities.all_quads()
    yield from other_blocks(catalog, iris, sources)


def other_blocks(catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures]) -> Iterator[bytes]:
    """Yield the lines of the dataset that belong to no cluster and no entity: of links, and that of the sources."""
    yield from catalog.links.all_quads()
    yield "".join(dataset_statements(sources, iris)).encode()


def catalog_quads(catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures]) -> Iterator[str]:
    """Yield the lines of :func:`catalog_blocks`."""
    for block in catalog_blocks(catalog, iris, sources):
        yield from (f"{line}\n" for line in block.decode().split("\n") if line)


def to_quads(
    descriptions: Iterable[Merged],
    iris: Iris,
    edges: Iterable[Edge] = (),
    settings: TriplifyConfig | None = None,
    sources: Iterable[SourceFigures] = (),
    verdicts: Verdicts | None = None,
) -> Iterator[str]:
    """Yield every line of the dataset that merged descriptions make, none twice, without a catalog.

    The lines are the same, and in the same order, as :func:`catalog_quads` yields for a catalog that holds these
    clusters in this order. ``edges`` are the matches to publish; those between two clusters are left out. A related
    resource is linked by IRI if one of the descriptions is made from its record. ``verdicts`` are decisions of people
    (same or different) about entities, by the two IRIs in their order.
    """
    clusters = list(descriptions)
    founders = {member: merged.cluster.founder for merged in clusters for member in merged.cluster.members}
    edges_by_founder: dict[RecordId, list[Edge]] = {}
    for edge in edges:
        founder = founders.get(edge.pair.left)
        if founder is not None and founder == founders.get(edge.pair.right):
            edges_by_founder.setdefault(founder, []).append(edge)
    blocks: list[tuple[bytes, Iterable[str]]] = []
    votes: dict[str, list[tuple[Assertion, int]]] = {}
    for merged in clusters:
        matches = edges_by_founder.get(merged.cluster.founder, [])
        statements = cluster_statements(merged, matches, iris, settings, founders.__contains__)
        counts = count_assertions(statements.claims)
        blocks.append(("".join(statements.quads).encode(), {entity for entity, _ in counts}))
        for (entity, assertion), number in counts.items():
            votes.setdefault(entity, []).append((assertion, number))
    entities = list(describe_entity_clusters(iris, verdicts or {}, votes, settings.dialects if settings else ()))
    moved = {member: one.members[0] for one in entities for member in one.members[1:]}
    blocks += [(one.quads, one.parts) for one in sorted(entities, key=lambda cluster: cluster.members[0])]
    for block, named in blocks:
        replaced = {entity: moved[entity] for entity in named if entity in moved}
        yield from (f"{line}\n" for line in replace_entities(block, replaced).decode().split("\n") if line)
    yield from dataset_statements(sources, iris) if sources else ()


def dataset_statements(sources: Iterable[SourceFigures], iris: Iris) -> tuple[str, ...]:
    """Return the lines that describe the parts of the dataset: one part for each source, with label and licence."""
    graph = iri(iris.graph(GRAPH))
    dataset = iri(iris.dataset)
    quads: list[Quad] = [(graph, dataset, term("rdf:type"), term("void:Dataset"))]
    for source in sources:
        subject = iri(iris.source(source.source))
        license_iri = web_iri(source.license)
        quads += [
            (graph, dataset, term("void:subset"), subject),
            (graph, subject, term("rdf:type"), term("void:Dataset")),
            (graph, subject, term("rdf:type"), term("dcat:Dataset")),
            (graph, subject, term("dcterms:isPartOf"), dataset),
            (graph, subject, term("dcterms:identifier"), literal(source.source)),
        ]
        if license_iri is not None:
            quads.append((graph, subject, term("dcterms:license"), iri(license_iri)))
        else:
            quads.append((graph, subject, term("dc:rights"), literal(source.license)))
        for language, label in source.label.items():
            for predicate in ("rdfs:label", "dcterms:title"):
                quads.append((graph, subject, term(predicate), literal(label, language)))
        quads += _library_quads(source, subject, graph, iris)
    return sort_quads(quads, dataset)


def _library_quads(source: SourceFigures, dataset: str, graph: str, iris: Iris) -> Iterable[Quad]:
    """Yield the description of the library that supplies a source, if the configuration has any.

    Its IRI is that of its ISIL (ISO 15511), else a hash IRI of the source.
    """
    isil = tidy(source.isil)
    if not (isil or source.catalogue_url or source.address or source.opening or source.contact):
        return
    library = iri(
        iris.agent(library_key(isil, is_stated_isil=True)) if isil else f"{iris.source(source.source)}#library"
    )
    yield graph, dataset, term("dcterms:publisher"), library
    for class_ in ("foaf:Organization", "bf:Organization"):
        yield graph, library, term("rdf:type"), term(class_)
    for predicate in ("dcterms:identifier", "skos:notation") if isil else ():
        yield graph, library, term(predicate), literal(isil)
    for language, label in source.label.items():
        for predicate in ("skos:prefLabel", "rdfs:label", "foaf:name"):
            yield graph, library, term(predicate), literal(label, language or None)
    for predicate, texts in (("schema:address", source.address), ("schema:openingHours", source.opening)):
        for language, text in texts.items():
            yield graph, library, term(predicate), literal(text, language or None)
    if source.contact:
        yield graph, library, *_contact_statement(source.contact)
    if source.catalogue_url:
        action, entry = (iri(f"{iris.source(source.source)}#{name}") for name in ("catalogue", "catalogue-entry"))
        yield graph, library, term("schema:potentialAction"), action
        yield graph, action, term("rdf:type"), term("schema:ViewAction")
        yield graph, action, term("schema:target"), entry
        yield graph, entry, term("rdf:type"), term("schema:EntryPoint")
        yield graph, entry, term("schema:urlTemplate"), literal(source.catalogue_url)


def _contact_statement(contact: str) -> tuple[str, str]:
    """Return predicate and object for an address for questions: a page, mail or telephone."""
    page = web_iri(contact)
    if page is not None:
        return term("foaf:page"), iri(page)
    return term("schema:email" if "@" in contact else "schema:telephone"), literal(tidy(contact))
