"""Dumps of merged records: JSON Lines and MODS collections, split, and linked by the releases that build on them."""

import gzip
import shutil
from datetime import timedelta

import msgspec
import pytest
import rdflib
import zstandard
from lxml import etree

from bibld import Workspace, from_xml, pipeline
from bibld.catalog import Catalog
from bibld.model.iris import Iris
from bibld.model.mods import Mods
from tests.end_to_end.conftest import CLOCK, drop_records
from tests.publish.test_dcat import DCAT, faults

MODS = "{http://www.loc.gov/mods/v3}"
PARTS = """
parts = ["void", "run", "documents", "dumps", "jsonl", "mods", "store", "dcat"]
[publish.jsonl]
compression = "zst"
file_bytes = 60_000
[publish.mods]
file_bytes = 200_000
"""


@pytest.fixture(scope="module")
def workspace(two_releases, tmp_path_factory) -> Workspace:
    """A third release with merged records, and a fourth one that builds on its full dumps."""
    folder = tmp_path_factory.mktemp("merged") / "sample"
    shutil.copytree(two_releases, folder)
    text = (folder / "bibld.toml").read_text(encoding="utf-8").replace("full_above = 0.9", 'full = "always"' + PARTS)
    (folder / "bibld.toml").write_text(text, encoding="utf-8")
    Workspace(folder / "bibld.toml").run(at=CLOCK + timedelta(days=2))
    text = text.replace('full = "always"', "full_above = 0.9")
    (folder / "bibld.toml").write_text(text, encoding="utf-8")
    own = Workspace(folder / "bibld.toml")
    drop_records(own, 2)
    own.run(at=CLOCK + timedelta(days=3))
    return own


@pytest.fixture(scope="module")
def third(workspace):
    return workspace.config.workspace / "releases" / "3"


def expected(workspace) -> dict[str, Mods]:
    """The merged records before the last two were dropped: those that are still as they were."""
    iris = Iris(workspace.config.dataset.base)
    with Catalog(workspace.config.workspace, read_only=True) as catalog:
        merged = [catalog.descriptions.merged(founder) for founder in catalog.linkage.founders()]
    return {iris.resource(each.cluster.founder): each.mods for each in merged}


def test_each_line_has_iri_records_and_mods(workspace, third):
    files = sorted(third.glob("merged-3-*.jsonl.zst"))
    assert len(files) > 2
    lines = []
    for file in files:
        data = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
        assert len(data) <= 60_000
        lines += data.splitlines()
    found = {row["iri"]: row for row in map(msgspec.json.decode, lines)}
    assert len(found) == len(lines)
    present = expected(workspace)
    same = [iri for iri, mods in present.items() if msgspec.convert(found[iri]["mods"], Mods) == mods]
    assert len(same) > 0.95 * len(found)
    assert any(len(row["records"]) > 1 for row in found.values())


def test_each_collection_is_a_document_with_mods_that_name_their_iris(workspace, third):
    files = sorted(third.glob("merged-3-*.mods.xml.gz"))
    assert len(files) > 2
    iris = []
    present = expected(workspace)
    same = 0
    for file in files:
        data = gzip.decompress(file.read_bytes())
        root = etree.fromstring(data)
        assert root.tag == f"{MODS}modsCollection"
        for element in root:
            mods = from_xml(etree.tostring(element))
            first, *others = mods.identifier
            assert first.type == "uri"
            iris.append(first.value)
            work = mods.related_item[-1]
            assert work.other_type_uri == "http://id.loc.gov/ontologies/bibframe/instanceOf"
            own = msgspec.structs.replace(mods, identifier=tuple(others), related_item=mods.related_item[:-1])
            same += present.get(first.value) == own
    jsonl = sum(
        zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read().count(b"\n")
        for file in third.glob("merged-3-*.jsonl.zst")
    )
    assert len(set(iris)) == len(iris) == jsonl
    assert same > 0.9 * len(iris)


def test_a_release_that_builds_on_full_dumps_has_the_same_files_of_that_release(workspace, third):
    place, manifest = pipeline.current_release(workspace.config)
    assert (place.name, manifest.full.release) == ("4", 3)
    names = {path.name for kind in ("merged", "works") for path in third.glob(f"{kind}-3-*")}
    assert any(name.startswith("works-") for name in names)
    assert {path.name for kind in ("merged", "works") for path in place.glob(f"{kind}-*")} == names
    assert all((place / name).read_bytes() == (third / name).read_bytes() for name in names)
    found = rdflib.Graph().parse(place / "dcat.ttl")
    assert faults(found) == ""
    release = rdflib.URIRef(f"{workspace.config.dataset.base}dataset#release-3")
    owned = {str(each).rpartition("#distribution-")[2] for each in found.objects(release, DCAT.distribution)}
    assert names <= owned
    assert workspace.verify().is_ok
