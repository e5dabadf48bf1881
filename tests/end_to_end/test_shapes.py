"""The published sample conforms to the shapes of its ontology."""

import gzip
import warnings

import pyoxigraph as ox
import rdflib

from bibld import pipeline
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.vocabulary import ontology_text


def test_all_graphs_of_the_sample_conform_to_the_shapes(sample: Config):
    release, _ = pipeline.current_release(sample)
    quads = ox.parse(gzip.decompress((release / "bibld.nq.gz").read_bytes()), ox.RdfFormat.N_QUADS)
    triples = ox.serialize({quad.triple for quad in quads}, format=ox.RdfFormat.N_TRIPLES)
    shapes = rdflib.Graph().parse(data=ontology_text("shapes.ttl", Iris(sample.dataset.base)), format="turtle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        data = rdflib.Graph().parse(data=triples, format="nt")
        conforms, _, text = pyshacl.validate(data, shacl_graph=shapes, allow_infos=True, allow_warnings=False)
    assert len(data) > 20_000
    assert conforms, text
