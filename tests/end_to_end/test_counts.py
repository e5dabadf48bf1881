"""What a release states about its size, and the dumps in two compressions, on the sample."""

import gzip
import hashlib

import msgspec
import pyoxigraph
import pytest
import zstandard

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
        counts = count_quads(catalog, Iris(sample.dataset.base), sources, workers)
    expected = sparql_counts(store, sample.dataset.base)
    graph = f"<{sample.dataset.base}graph/"
    added_by_release = {f"{graph}dataset>": counts.graphs[f"{graph}dataset>"], f"{graph}run>": None}
    known = {name: added_by_release.get(name, count) for name, count in expected.graphs.items()}
    assert counts == msgspec.structs.replace(expected, graphs={name: count for name, count in known.items() if count})
    assert {link_set.kind for link_set in counts.links} >= {"", "resource", "agent"}


def test_the_dumps_have_the_same_content_in_both_compressions_and_checksums(sample):
    release, manifest = pipeline.current_release(sample)
    unpacked = gzip.decompress((release / "bibld.nq.gz").read_bytes())
    assert zstandard.ZstdDecompressor().stream_reader((release / "bibld.nq.zst").read_bytes()).read() == unpacked
    assert unpacked.count(b"\n") == manifest.full.quads
    assert manifest.full.quads + (release / "run.nq").read_bytes().count(b"\n") == manifest.figures.quads
    for name in manifest.full.files:
        assert manifest.file(name).sha256 == hashlib.sha256((release / name).read_bytes()).hexdigest()
    assert manifest.full.files == ("bibld.nq.gz", "bibld.nq.zst", "bibld.nt.gz")
