"""The shapes of the ontology find on published data, right and damaged, what pyshacl finds."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter

import pytest
import rdflib
from rdflib.namespace import SH

from bibld import pipeline
from bibld.model.iris import Iris
from bibld.model.rdf import expand, iri, typed_literal
from bibld.serve.ontology import ontology_text
from tests.end_to_end.conftest import sample as sample
from tests.ontology.test_ontology import published
from tests.triplify.merged_book import IRIS
from tests.validate.agreement import found_by_bibld, found_by_pyshacl, found_by_rudof

SHAPES = ontology_text("shapes.ttl", IRIS)
SAMPLE_SHAPES = ontology_text("shapes.ttl", Iris("http://localhost:8000/"))


def test_the_sample_is_found_as_pyshacl_finds_it(sample):
    release, _ = pipeline.current_release(sample)
    lines = gzip.decompress((release / "bibld.nq.gz").read_bytes()).decode()
    found = found_by_bibld(lines, SAMPLE_SHAPES)
    assert found == found_by_pyshacl(lines, SAMPLE_SHAPES)
    assert not [result for result in found if result[-1] == "violation"]


def damage(lines: list[str], seed: int) -> list[str]:
    """Delete, duplicate with another value, retype or misdirect some statements."""
    chosen = random.Random(seed)
    damaged = []
    for line in lines:
        if chosen.random() > 0.12:
            damaged.append(line)
            continue
        subject, predicate, rest = line.split(" ", 2)
        graph = rest.rpartition(" ")[0].rpartition(" ")[2] if rest.count("<") > 1 and rest.endswith("> .\n") else ""
        value = chosen.choice(
            [
                None,
                '"damaged"',
                '"damaged"@en',
                '"другое"@en',
                subject,
                iri(expand("foaf:Person")),
                typed_literal("7", "integer"),
            ]
        )
        if value is not None:
            damaged.append(f"{subject} {predicate} {value} {graph}{' ' if graph else ''}.\n")
            if chosen.random() < 0.5:
                damaged.append(line)
    return damaged


@pytest.mark.parametrize("seed", range(12))
def test_damaged_data_are_found_as_pyshacl_finds_them(seed):
    lines = "".join(damage(published(), seed))
    found, expected = found_by_bibld(lines, SHAPES), found_by_pyshacl(lines, SHAPES)
    # SHACL reports values that cannot be compared (4.5.3); pyshacl does not.
    without_order = [{one: found[one] for one in found if "LessThan" not in one[2]} for found in (found, expected)]
    assert without_order[0]
    assert without_order[0] == without_order[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, *range(5)])
def test_rudof_finds_the_same_on_the_sample_and_on_damaged_data(seed, request):
    pytest.importorskip("pyrudof")
    if seed is None:
        release, _ = pipeline.current_release(request.getfixturevalue("sample"))
        lines, shapes = gzip.decompress((release / "bibld.nq.gz").read_bytes()).decode(), SAMPLE_SHAPES
    else:
        lines, shapes = "".join(damage(published(), seed)), SHAPES
    found: Counter[tuple[str, str, str]] = Counter()
    for (focus, _, component, _, severity), number in found_by_bibld(lines, shapes).items():
        found[focus, component, severity] += number
    expected = found_by_rudof(lines, shapes)
    assert found
    assert not [one for one in (found - expected) + (expected - found) if "LessThan" not in one[1]]  # as above


# The regular expressions of XPath and SPARQL have no groups with "?", no anchors but ^ and $, and no possessive "+".
UNKNOWN_TO_SPARQL = re.compile(r"\(\?|\\[bBAZzGkQE]|[*+?}]\+")


def test_patterns_have_only_what_sparql_knows():
    graph = rdflib.Graph().parse(data=SHAPES, format="turtle")
    patterns = [str(pattern) for pattern in graph.objects(None, SH.pattern)]
    assert patterns
    assert not [pattern for pattern in patterns if UNKNOWN_TO_SPARQL.search(pattern)]
    assert UNKNOWN_TO_SPARQL.search("^(?!.*[^ -]--[^ -])")
