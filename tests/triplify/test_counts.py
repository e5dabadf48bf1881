"""The counts of the description of the dataset are those that SPARQL gives."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pyoxigraph
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.model.rdf import iri, move_to_default_graph
from bibld.model.release import LinkSet, QuadCounts
from bibld.triplify import catalog_blocks, count_quads
from bibld.triplify._counts import DistinctCounter, hashes_of
from tests.triplify.merged_book import IRIS
from tests.triplify.small_world import CHANGES, SOURCES, World

LINKS = "VALUES ?p { <http://www.w3.org/2002/07/owl#sameAs> skos:exactMatch skos:closeMatch }".replace(
    "skos:", "<http://www.w3.org/2004/02/skos/core#"
).replace("Match", "Match>")


def sparql_counts(store: pyoxigraph.Store, base: str = IRIS.base) -> QuadCounts:
    def rows(query: str) -> list[list[str]]:
        return [[str(term) for term in row] for row in store.query(query) if row[0] is not None]

    def numbers(query: str) -> dict[str, int]:
        return {term: int(number.split('"')[1]) for term, number in rows(query)}

    def distinct(variable: str) -> int:
        ((number,),) = rows(f"SELECT (COUNT(DISTINCT {variable}) AS ?n) {{ ?s ?p ?o }}")
        return int(number.split('"')[1])

    links = Counter()
    for predicate, subject, value in rows(f"SELECT ?p ?s ?o {{ {LINKS} ?s ?p ?o }}"):
        inside = subject.startswith(f"<{base}") and value.startswith(f"<{base}")
        links["", predicate, subject.removeprefix(f"<{base}").partition("/")[0] if inside else ""] += 1
    for graph, predicate in rows(f"SELECT ?g ?p {{ {LINKS} GRAPH ?g {{ ?s ?p ?o }} }}"):
        links[graph, predicate, ""] += 1
    ((entities,),) = rows('SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o FILTER(!CONTAINS(STR(?s), "#")) }')
    return QuadCounts(
        classes=numbers("SELECT ?c (COUNT(?s) AS ?n) { ?s a ?c } GROUP BY ?c"),
        properties=numbers("SELECT ?p (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?p"),
        subjects=distinct("?s"),
        objects=distinct("?o"),
        links=tuple(LinkSet(*key, number) for key, number in sorted(links.items())),
        graphs=numbers("SELECT ?g (COUNT(?s) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"),
        entities=int(entities.split('"')[1]),
    )


def in_memory(blocks: list[bytes]) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(b"".join(blocks), format=pyoxigraph.RdfFormat.N_QUADS)
    return store


@given(st.lists(CHANGES, max_size=4))
@settings(max_examples=30, deadline=None)
def test_counts_are_those_of_sparql_whatever_changed(changes):
    with TemporaryDirectory() as folder, World(Path(folder)) as world:
        for change in changes:
            world.change(change)
            world.triplify()
        blocks = list(catalog_blocks(world.catalog, IRIS, SOURCES))
        assert count_quads(world.catalog, IRIS, SOURCES) == sparql_counts(in_memory(blocks))
        provenance = iri(IRIS.graph("provenance"))
        moved = [move_to_default_graph(block, provenance.encode()) for block in blocks]
        found = count_quads(world.catalog, IRIS, SOURCES, in_default_graph=provenance)
        graphs = {name: count for name, count in found.graphs.items() if name != provenance}
        counted = msgspec.structs.replace(found, graphs=graphs, in_default_graph="")
        assert counted == sparql_counts(in_memory(moved))
        quads = sum(block.count(b"\n") for block in blocks)
        assert found.quads_without("") == quads == len(in_memory(moved)), "no triple is in both graphs"


@given(st.lists(st.lists(st.integers(0, 40)), max_size=20))
@settings(deadline=None)
def test_different_values_are_counted_in_little_memory(batches):
    with DistinctCounter(max_in_memory=8) as counter:
        for batch in batches:
            counter.add(hashes_of([b"%d" % number for number in batch]))
        assert counter.count() == len({number for batch in batches for number in batch})


def test_hashes_of_all_ranges_are_counted():
    values = np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64)
    with DistinctCounter(max_in_memory=2) as counter:
        for _ in range(3):
            counter.add(values)
        assert counter.count() == 4
