"""The examples in the reference of the ontology are of terms that the sample publishes."""

import gzip
from pathlib import Path

import pyoxigraph as ox

from bibld import pipeline
from bibld.config import Config
from bibld.model.rdf import expand

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples.nt"
TYPE = expand("rdf:type")
ADVICE = "run the sample, then python docs/generate.py --examples RELEASE/bibld.nq.gz"


def terms(quads) -> set[str]:
    return {
        term.rpartition("ontology#")[2] if "/ontology#" in term else term
        for quad in quads
        for term in [quad.object.value if quad.predicate.value == TYPE else quad.predicate.value]
    }


def test_the_examples_show_terms_of_the_sample(sample: Config):
    release, _ = pipeline.current_release(sample)
    dump = gzip.decompress((release / "bibld.nq.gz").read_bytes())
    published = terms(ox.parse(dump, ox.RdfFormat.N_QUADS))
    shown = terms(ox.parse(EXAMPLES.read_bytes(), ox.RdfFormat.N_TRIPLES))
    assert len(shown) > 100
    assert shown <= published, ADVICE
    own = {term for term in published if "/" not in term}
    assert own
    assert own <= shown, ADVICE
