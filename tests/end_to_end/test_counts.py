"""What a release states about its size, and the dumps in two compressions, on the sample."""

import gzip
import hashlib

import msgspec
import pyoxigraph
import pytest

from bibld import pipeline
from bibld.catalog import Catalog
from bibld.model.iris import Iris
from bibld.triplify import count_quads
from tests.triplify.test_counts import sparql_counts


@pytest.mark.parametrize("workers", [1, 2])
def test_counts_of_the_sample_are_those_of_sparql_for_any_number_of_workers(sample, workers, monkeypatch):
    monkeypatch.setattr("bibld.triplify._counts._BLOCKS_AT_ONCE", 10)
    release, _ = pipeline.current_release(sample)
    store = pyoxigraph.Store.read_only(str(release / "store"))
    with Catalog(sample.workspace, read_only=True) as catalog:
        sources = pipeline.count_sources(catalog, sample)
        iris, in_default_graph = Iris(sample.dataset.base), sample.graph_in_default
        found = count_quads(catalog, iris, sources, workers, in_default_graph)
    graphs = {name: count for name, count in found.graphs.items() if name != in_default_graph}
    counts = msgspec.structs.replace(found, graphs=graphs, in_default_graph="")
    expected = sparql_counts(store, sample.dataset.base)
    graph = f"<{sample.dataset.base}graph/"
    added_by_release = {f"{graph}dataset>": counts.graphs[f"{graph}dataset>"], f"{graph}run>": None}
    known = {name: added_by_release.get(name, count) for name, count in expected.graphs.items()}
    assert counts == msgspec.structs.replace(expected, graphs={name: count for name, count in known.items() if count})
    assert {link_set.kind for link_set in counts.links} >= {"", "resource", "agent"}


def test_the_dump_has_the_quads_and_the_checksum_that_the_manifest_states(sample):
    release, manifest = pipeline.current_release(sample)
    unpacked = gzip.decompress((release / "bibld.nq.gz").read_bytes())
    assert unpacked.count(b"\n") == manifest.full.quads
    assert manifest.full.quads + (release / "run.nq").read_bytes().count(b"\n") == manifest.figures.quads
    assert manifest.full.files == ("bibld.nq.gz",)
    for name in manifest.full.files:
        assert manifest.file(name).sha256 == hashlib.sha256((release / name).read_bytes()).hexdigest()
