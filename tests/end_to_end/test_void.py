"""Every figure of the description of the dataset is counted again: by SPARQL in the store, and in the dumps."""

import gzip

import pyoxigraph
import pytest

from bibld import Workspace, pipeline
from tests.publish.follower import quads_of

VOID = "http://rdfs.org/ns/void#"
RUN = "graph/run"


class Description:
    """``void.ttl`` of a release, and the store that it describes."""

    def __init__(self, sample) -> None:
        self.release, self.manifest = pipeline.current_release(sample)
        self.base = sample.dataset.base
        self.dataset = f"{self.base}dataset"
        self.store = pyoxigraph.Store.read_only(str(self.release / "store"))
        self.void = pyoxigraph.Store()
        self.void.load(path=str(self.release / "void.ttl"), format=pyoxigraph.RdfFormat.TURTLE)

    def values(self, subject: str, name: str) -> list[str]:
        node, predicate = pyoxigraph.NamedNode(subject), pyoxigraph.NamedNode(f"{VOID}{name}")
        return sorted(quad.object.value for quad in self.void.quads_for_pattern(node, predicate, None))

    def number(self, subject: str, name: str) -> int:
        (value,) = self.values(subject, name)
        return int(value)

    def subjects(self, name: str) -> list[tuple[str, str]]:
        predicate = pyoxigraph.NamedNode(f"{VOID}{name}")
        return [(quad.subject.value, quad.object.value) for quad in self.void.quads_for_pattern(None, predicate, None)]

    def count(self, pattern: str, what: str = "*") -> int:
        ((number,),) = self.store.query(f"SELECT (COUNT({what}) AS ?n) {{ {pattern} }}")
        return int(number.value)


@pytest.fixture(scope="module")
def described(sample):
    return Description(sample)


@pytest.fixture(scope="module")
def patched(two_releases):
    """The second release of the sample, after some records of one source went."""
    return Description(Workspace(two_releases / "bibld.toml").config)


@pytest.fixture(params=["described", "patched"])
def description(request):
    return request.getfixturevalue(request.param)


def test_each_graph_has_the_number_of_its_quads_and_the_dataset_that_of_all(description):
    graphs = {name for _, name in description.subjects("subset") if "/graph/" in name}
    rows = description.store.query("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")
    provenance = f"{description.base}graph/provenance"
    stated = quads_of(description.release, description.manifest)
    in_dumps = sum(line.endswith(f" <{provenance}> .\n") for line in stated)
    assert description.number(provenance, "triples") == in_dumps > 0, "in the store it is in the default graph"
    assert graphs - {provenance} == {row[0].value for row in rows}
    for graph in graphs - {provenance}:
        counted = description.count(f"GRAPH <{graph}> {{ ?s ?p ?o }}")
        assert description.number(graph, "triples") == counted, graph
    assert description.number(f"{description.dataset}#default-graph", "triples") == description.count("?s ?p ?o")
    total = description.number(description.dataset, "triples")
    assert total == description.manifest.figures.quads == len(description.store)
    run = description.number(f"{description.base}{RUN}", "triples")
    assert total == len(stated) + run
    rows = description.store.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", use_default_graph_as_union=True)
    assert total == int(next(iter(rows))[0].value)


def test_the_counts_of_the_default_graph_are_those_of_sparql(description):
    default = f"{description.dataset}#default-graph"
    patterns = {
        "distinctSubjects": ("?s ?p ?o", "DISTINCT ?s"),
        "distinctObjects": ("?s ?p ?o", "DISTINCT ?o"),
        "properties": ("?s ?p ?o", "DISTINCT ?p"),
        "classes": ("?s a ?o", "DISTINCT ?o"),
        "entities": ('?s ?p ?o FILTER(!CONTAINS(STR(?s), "#"))', "DISTINCT ?s"),
    }
    for name, (pattern, what) in patterns.items():
        assert description.number(default, name) == description.count(pattern, what), name


def test_partitions_have_the_counts_of_sparql_and_are_all_there(description):
    for kind, unit, pattern in (
        ("class", "entities", "?s a <{}>"),
        ("property", "triples", "?s <{}> ?o"),
    ):
        parts = description.subjects(kind)
        default = f"{description.dataset}#default-graph"
        assert sorted(part for part, _ in parts) == description.values(default, f"{kind}Partition")
        assert len(parts) == description.number(default, "classes" if kind == "class" else "properties")
        for part, value in parts:
            assert description.number(part, unit) == description.count(pattern.format(value)), value


def test_link_sets_have_the_counts_of_sparql_and_are_all_there(description):
    sets = dict(description.subjects("linkPredicate"))
    counted = 0
    for link_set, predicate in sets.items():
        name = link_set.partition("#")[2].rpartition("-")[0]
        pattern = f"GRAPH <{description.base}graph/{name}> {{ ?s <{predicate}> ?o }}"
        if description.values(link_set, "objectsTarget") == [description.dataset]:
            kind = name.removeprefix("links-")
            pattern = f'?s <{predicate}> ?o FILTER(STRSTARTS(STR(?s), "{description.base}{kind}/"))'
        assert description.number(link_set, "triples") == description.count(pattern), link_set
        counted += description.number(link_set, "triples")
    everywhere = (
        "{ ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } FILTER(REGEX(STR(?p), '(sameAs|exactMatch|closeMatch)$'))"
    )
    assert counted == description.count(everywhere)
    names = {name.partition("#")[2] for name in sets}
    assert names >= {"links-resource-sameAs", "links-agent-sameAs", "links-lcnaf-sameAs"}


def test_each_dump_has_the_number_of_its_own_lines(description):
    dumps = description.subjects("dataDump")
    names = {dump.rpartition("/")[2] for _, dump in dumps}
    files = {file.name for file in description.manifest.files if ".n" in file.name}
    assert names == files - ({"run.nq"} if description.manifest.since_full else set())
    for subject, dump in dumps:
        file = description.release / dump.rpartition("/")[2]
        if file.suffix == ".gz":
            lines = gzip.decompress(file.read_bytes()).count(b"\n")
            if subject == description.dataset:
                lines += (description.release / "run.nq").read_bytes().count(b"\n")
            assert description.number(subject, "triples") == lines, dump


def test_dumps_of_an_earlier_release_are_not_those_of_the_dataset(patched):
    manifest = patched.manifest
    assert (manifest.full.release, [patch.release for patch in manifest.since_full]) == (1, [2])
    assert patched.values(patched.dataset, "dataDump") == []
    rows = patched.void.query(
        "PREFIX dcterms: <http://purl.org/dc/terms/> SELECT ?first ?date ?patch ?later {"
        f" <{patched.dataset}> dcterms:requires ?patch ; dcterms:hasVersion ?first ."
        " ?patch dcterms:requires ?first ; dcterms:issued ?later . ?first dcterms:issued ?date }"
    )
    ((first, date, patch, later),) = rows
    assert first.value == f"{patched.dataset}#release-1" and patch.value == f"{patched.dataset}#patch-2"
    assert (date.value, later.value) == ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")


def test_few_changed_records_change_few_lines_of_the_description(patched):
    before = pyoxigraph.parse(path=str(patched.release.parent / "1" / "void.ttl"), format=pyoxigraph.RdfFormat.TURTLE)
    after = {str(quad) for quad in patched.void}
    former = {str(triple) for triple in before}
    names = {line.split(" ")[0] for line in former ^ after if "#class" in line or "#property" in line}
    partitions = {name for name, _ in (*patched.subjects("class"), *patched.subjects("property"))}
    assert names
    assert len(former ^ after) < len(after) / 2
    assert len(names) < len(partitions)
