"""Terms of BIBFRAME, schema.org and RDA exist in the published vocabularies and are used as these allow."""

import os
import re
from itertools import islice
from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import RDFS

import bibld
from bibld.config import TriplifyConfig
from bibld.model.linkage import Cluster, Merged
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.serve.ontology import ONTOLOGIES, folder, ontology_text
from bibld.triplify import to_quads
from tests.ontology.published_terms import CHECKED, RDA, Vocabularies, misuses
from tests.triplify.merged_book import BASE, EDGE, IRIS, MERGED

DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
CODE = Path(bibld.__file__).parent
SAMPLES = {
    "marc21/loc_testbed_utf8.mrc": 60,
    "marc21/rism_music_sample.xml": 40,
    "marc21/culturegraph.marcxml": 60,
    "marc21/jazz_marc8.mrc": 40,
    "marc21/gpo_covid_online.mrc": 40,
    "rusmarc/tatarstan_utf8.mrc": 60,
    "rusmarc/nlr_cp1251.iso": 42,
}
"""Files, and how many of their records are described."""

pytestmark = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs vocabularies: set BIBLD_TEST_DATA")


@pytest.fixture(scope="module")
def vocabularies() -> Vocabularies:
    return Vocabularies(DATA / "vocabularies")


@pytest.fixture(scope="module")
def real_descriptions() -> dict[str, list[Merged]]:
    made: dict[str, list[Merged]] = {}
    for name, records in SAMPLES.items():
        for number, mods in enumerate(islice(bibld.to_mods(DATA / name), records)):
            record = RecordId("real", mods.record_identifier or f"x{number}")
            made.setdefault(name, []).append(Merged(Cluster(record, (record,)), mods, ()))
    return made


def test_each_term_of_the_ontology_is_defined_and_not_obsolete(vocabularies):
    named = {
        str(term)
        for name in ("terms", "alignment", "shapes")
        for triple in rdflib.Graph().parse(data=ontology_text(ONTOLOGIES[name], IRIS), format="turtle")
        for term in triple
        if str(term).startswith(CHECKED) and str(term) not in CHECKED
    }
    assert len(named) > 200
    assert {f"{term} {fault}" for term in named if (fault := vocabularies.fault_of_term(term))} == set()


def test_each_term_in_the_code_and_the_queries_is_defined_and_not_obsolete(vocabularies):
    files = [file for stage in ("triplify", "serve", "search", "publish") for file in (CODE / stage).rglob("*.py")]
    files += (folder("ontology") / "queries").glob("*.rq")
    texts = [file.read_text("utf-8") for file in files]
    named = {name for text in texts for name in re.findall(r"\b((?:bf|schema):[A-Za-z][A-Za-z0-9]*)", text)}
    assert len(named) > 120
    assert {f"{name} {fault}" for name in named if (fault := vocabularies.fault_of_term(expand(name)))} == set()


def test_the_alignment_states_no_subclass_that_a_vocabulary_does_not_have(vocabularies):
    graph = rdflib.Graph().parse(data=ontology_text(ONTOLOGIES["alignment"], IRIS), format="turtle")
    stated = [(str(term), str(above)) for term, above in graph.subject_objects(RDFS.subClassOf)]
    own = [pair for pair in stated if any(all(term.startswith(space) for term in pair) for space in CHECKED[:3])]
    assert len(own) > 50
    assert [pair for pair in own if not vocabularies.is_subclass(*pair)] == []


@pytest.mark.parametrize("dialects", [(), ("schema",)])
def test_a_typical_publication_uses_terms_where_they_are_allowed(dialects, vocabularies):
    counts, examples = misuses(to_quads([MERGED], IRIS, [EDGE], TriplifyConfig(dialects=dialects)), vocabularies)
    assert not counts, examples


@pytest.mark.parametrize("dialects", [(), ("schema",)])
def test_descriptions_of_real_records_use_terms_where_they_are_allowed(dialects, real_descriptions, vocabularies):
    assert {name: len(made) for name, made in real_descriptions.items()} == SAMPLES
    for name, descriptions in real_descriptions.items():
        lines = to_quads(descriptions, IRIS, settings=TriplifyConfig(dialects=dialects))
        counts, examples = misuses(lines, vocabularies)
        assert not counts, (name, examples)


RESOURCE = f"<{BASE}resource/a/1>"
AGENT = f"<{BASE}agent/a>"
NODE = f"<{BASE}resource/a/1#node1>"


def statement(subject: str, predicate: str, value: str) -> str:
    value = f"<{expand(value)}>" if re.fullmatch(r"[a-z]+:\w+", value) else value
    return f"{subject} <{expand(predicate)}> {value} .\n"


BOOK = [statement(RESOURCE, "rdf:type", each) for each in ("bf:Instance", "schema:Book", "bibo:Book")]
MAP = [statement(RESOURCE, "rdf:type", each) for each in ("bf:Instance", "schema:Map")]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([*BOOK, statement(RESOURCE, "bf:content", "<http://x.org/txt>")], "bf:content is not on bf:Work"),
        ([*BOOK, statement(RESOURCE, "rdf:type", "bf:Serial")], "bf:Serial is a class of works on bf:Instance"),
        ([*BOOK, statement(RESOURCE, "rdf:type", "bf:Isil")], "bf:Isil is not defined"),
        ([*BOOK, statement(RESOURCE, "bf:contributor", AGENT)], "bf:contributor is obsolete"),
        ([*MAP, statement(RESOURCE, "schema:isbn", '"9785710765128"')], "schema:isbn is not on schema:Book"),
        ([*BOOK, statement(RESOURCE, "bf:note", NODE)], "bf:note has a value that is none of bf:Note"),
        ([*BOOK, statement(RESOURCE, "bf:note", '"Index."')], "bf:note has a value that is none of bf:Note"),
        (
            [*BOOK, statement(RESOURCE, "schema:datePublished", '"[198-?]"')],
            "schema:datePublished has a value that is none of schema:Date, schema:DateTime",
        ),
        (
            [*BOOK, statement(AGENT, "rdf:type", "foaf:Organization"), statement(RESOURCE, "schema:editor", AGENT)],
            "schema:editor has a value that is none of schema:Person",
        ),
        ([*BOOK, statement(RESOURCE, "bf:media", "<http://x.org/n>"), statement(RESOURCE, "schema:isbn", '"1"')], None),
        ([*BOOK, statement(AGENT, "rdf:type", "foaf:Person"), statement(RESOURCE, "schema:editor", AGENT)], None),
        ([*BOOK, statement(RESOURCE, "schema:datePublished", '"1983"')], None),
    ],
)
def test_what_a_vocabulary_does_not_allow_is_found(lines, found, vocabularies):
    counts, _ = misuses(lines, vocabularies)
    assert [f"{misuse.term} {misuse.cause}" for misuse in counts] == ([found] if found else [])


def test_terms_of_rda_are_found_by_their_canonical_iri(vocabularies):
    assert vocabularies.fault_of_term(f"{RDA}m/P30156") == ""
    assert vocabularies.fault_of_term(f"{RDA}m/P30130") == "is obsolete"
    assert vocabularies.fault_of_term(f"{RDA}c/C99999") == "is not defined"
