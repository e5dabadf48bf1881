"""A stream of blocks gives the results of the same data in memory, with any cuts between blocks."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.namespace import RDF, SH

from bibld.errors import StageError
from bibld.validate import ReportSettings, read_shapes, validate
from bibld.validate import _passes as passes
from tests.ontology.test_ontology import published
from tests.triplify.merged_book import IRIS
from tests.validate.agreement import PREFIXES, check_all
from tests.validate.test_agreement import SHAPES, damage

LINES = damage(published(), 3)
ALL = ReportSettings(limit=0)


def counts(report) -> Counter:
    return Counter({(each.shape, each.path, each.component): each.count for each in report.findings})


def expected(lines: str, shapes) -> Counter:
    constraints = shapes.constraints()
    found: Counter = Counter()
    for result in check_all(lines, shapes):
        shape, constraint = constraints[result.constraint]
        path = "" if shape.path is None else str(shape.path)
        found[shape.label, path.strip("<>") if path.startswith("<") else path, constraint.component] += 1
    return found


@settings(max_examples=30, deadline=None)
@given(
    cuts=st.lists(st.integers(0, len(LINES)), max_size=6),
    order=st.randoms(use_true_random=False),
    size=st.sampled_from([1, 2000]),
)
def test_blocks_can_be_cut_anywhere(cuts, order, size, tmp_path_factory):
    shapes = read_shapes(SHAPES, "shapes.ttl")
    lines = list(LINES)
    order.shuffle(lines)
    ends = sorted({0, *cuts, len(lines)})
    blocks = ["".join(lines[begin:end]).encode() for begin, end in pairwise(ends)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passes, "_BATCH", size)
        report = validate(lambda: blocks, shapes, tmp_path_factory.getbasetemp(), ALL)
    assert counts(report) == expected("".join(lines), shapes)
    assert report.statements == len(lines)


SHAPES_ACROSS = f"""{PREFIXES}
ex:Person a sh:NodeShape ; sh:targetClass ex:Person ; sh:targetNode ex:nobody ; sh:targetObjectsOf ex:by ;
    rdfs:label "person" ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .
ex:Book a sh:NodeShape ; sh:targetClass ex:Book ; rdfs:label "book" ;
    sh:property [ sh:path ex:by ; sh:class ex:Agent ] ;
    sh:property [ sh:path ex:by ; sh:node [ sh:property [ sh:path ( ex:born ex:name ) ; sh:minCount 1 ] ] ] .
"""
ACROSS = """
<http://example.org/b1> <TYPE> <http://example.org/Book> .
<http://example.org/b1> <http://example.org/by> <http://example.org/anna> .
<http://example.org/anna> <TYPE> <http://example.org/Person> .
<http://example.org/b2> <TYPE> <http://example.org/Book> .
<http://example.org/b2> <http://example.org/by> <http://example.org/boris> .
<http://example.org/anna> <http://example.org/name> "Anna" .
<http://example.org/anna> <http://example.org/born> <http://example.org/kyiv> .
<http://example.org/Person> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://example.org/Agent> .
<http://example.org/kyiv> <http://example.org/name> "Kyiv" .
""".lstrip().replace("TYPE", str(RDF.type))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_nodes_are_followed_into_other_blocks(workers, size, tmp_path, monkeypatch):
    monkeypatch.setattr(passes, "_BATCH", size)
    shapes = read_shapes(SHAPES_ACROSS, "shapes.ttl")
    blocks = [line.encode() for line in ACROSS.splitlines(keepends=True)]
    report = validate(lambda: blocks, shapes, tmp_path, ALL, workers)
    assert counts(report) == expected(ACROSS, shapes)
    assert counts(report) == Counter(
        {
            ("person", "http://example.org/name", "MinCount"): 2,  # nobody, boris
            ("book", "http://example.org/by", "Class"): 1,  # boris
            ("book", "http://example.org/by", "Node"): 1,
        }
    )
    assert {each.shape: each.nodes for each in report.shapes} == {"person": 3, "book": 2}
    assert list(tmp_path.iterdir()) == []


def test_shapes_that_cannot_be_streamed_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(passes, "_BATCH", 1)
    monkeypatch.setattr(passes, "_MAX_DEFERRED", 1)
    shapes = read_shapes(SHAPES_ACROSS, "shapes.ttl")
    with pytest.raises(StageError, match="use sh:class for links to entities"):
        validate(lambda: [line.encode() for line in ACROSS.splitlines(keepends=True)], shapes, tmp_path)


def test_data_that_change_in_between_are_reported(tmp_path):
    passes_begun = []

    def blocks() -> list[bytes]:
        passes_begun.append(1)
        return [ACROSS.encode() * len(passes_begun)]

    with pytest.raises(StageError, match="the catalog changed while it was validated"):
        validate(blocks, read_shapes(SHAPES_ACROSS, "shapes.ttl"), tmp_path)


def test_a_line_that_is_not_n_quads_is_reported(tmp_path):
    with pytest.raises(StageError, match="a stored line is not N-Quads: <a> b"):
        validate(lambda: [b"<a> b <c> .\n"], read_shapes(SHAPES_ACROSS, "shapes.ttl"), tmp_path)


def test_no_data_conform(tmp_path):
    report = validate(lambda: [], read_shapes(SHAPES, "shapes.ttl"), tmp_path)
    assert report.conforms
    assert report.statements == 0


def test_the_report_is_a_validation_report(tmp_path):
    shapes = read_shapes(SHAPES, "shapes.ttl")
    file = tmp_path / "report.nt"
    report = validate(lambda: ["".join(LINES).encode()], shapes, tmp_path, ReportSettings(file, "violation", 2))
    graph = rdflib.Graph().parse(file, format="turtle")
    results = list(graph.objects(None, SH.result))
    assert results
    assert len(results) == sum(min(each.count, 2) for each in report.findings)
    assert {each.severity for each in report.findings} == {"violation"}
    assert [str(value) for value in graph.objects(None, SH.conforms)] == ["false"]
    for result in results:
        assert str(graph.value(result, SH.focusNode)).startswith(IRIS.base)
        assert graph.value(result, SH.resultSeverity) == SH.Violation
        assert str(graph.value(result, SH.sourceConstraintComponent)).endswith("ConstraintComponent")
        assert graph.value(result, SH.sourceShape) is not None


def test_paths_in_the_report_are_written_as_shacl_writes_them(tmp_path):
    shapes = read_shapes(
        f"""{PREFIXES} ex:S a sh:NodeShape ; sh:targetNode ex:nobody ;
        sh:property [ sh:path ( ex:p [ sh:alternativePath ( ex:q [ sh:zeroOrOnePath ex:r ] ) ] ) ; sh:minCount 1 ] .""",
        "shapes.ttl",
    )
    file = tmp_path / "report.nt"
    validate(lambda: [], shapes, tmp_path, ReportSettings(file))
    graph = rdflib.Graph().parse(file, format="turtle")
    path = next(graph.objects(None, SH.resultPath))
    first, second = rdflib.collection.Collection(graph, path)
    assert str(first) == "http://example.org/p"
    alternative = list(rdflib.collection.Collection(graph, graph.value(second, SH.alternativePath)))
    assert str(alternative[0]) == "http://example.org/q"
    assert str(graph.value(alternative[1], SH.zeroOrOnePath)) == "http://example.org/r"


def test_a_report_that_cannot_be_written_is_an_error(tmp_path):
    file = Path(tmp_path / "no" / "report.nt")
    with pytest.raises(StageError, match="the report cannot be written"):
        validate(lambda: [], read_shapes(SHAPES, "shapes.ttl"), tmp_path, ReportSettings(file))
