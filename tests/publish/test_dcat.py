"""The description in DCAT has what DCAT-AP requires, for releases with full dumps and with patches."""

import warnings
from pathlib import Path

import msgspec
import pytest
import rdflib

from bibld.model.release import DatasetDescription, Figures, FullDumps, Manifest, PatchDumps, ReleaseFile
from bibld.publish.dcat import Settings, write
from tests.publish.test_files import BASE

DCAT = rdflib.Namespace("http://www.w3.org/ns/dcat#")
SPDX = rdflib.Namespace("http://spdx.org/rdf/terms#")
DATASET = DatasetDescription(BASE, {"en": "Books", "ru": "Книги"}, "https://example.org/licence", "A library")
NAMES = ("bibld.nq.gz", "bibld.nq.zst", "bibld.nt.gz")


def file(name: str, media_type: str = "application/n-quads") -> ReleaseFile:
    return ReleaseFile(name, 1234, "ab" * 32, media_type)


def manifest(number: int, full: int, *patches: PatchDumps) -> Manifest:
    names = [*NAMES, *(name for patch in patches for name in (patch.added, patch.removed))]
    files = (*map(file, names), file("void.ttl", "text/turtle"), file(f"merged-{full}-1.jsonl.gz", "application/jsonl"))
    return Manifest(
        number,
        "2026-01-08T00:00:00Z",
        "",
        DATASET,
        Figures((), 0, 0, 0, 0, 0, 0),
        files,
        full=FullDumps(full, "2026-01-01T00:00:00Z", NAMES, 10, 5),
        patches=patches,
    )


PATCH = PatchDumps(6, 5, "added-6.nq.gz", "removed-6.nq.gz", 2, 1, "2026-01-02T00:00:00Z")
NEXT = PatchDumps(7, 6, "added-7.nq.gz", "removed-7.nq.gz", 2, 1, "2026-01-08T00:00:00Z")
OLD = PatchDumps(7, 6, "added-7.nq.gz", "removed-7.nq.gz", 2, 1)


class Draft(msgspec.Struct):
    """What the part asks of a draft."""

    manifest: Manifest
    folder: Path


def described(folder: Path, manifest: Manifest, contact: str = "") -> rdflib.Graph:
    write(Draft(manifest, folder), Settings(contact))
    return rdflib.Graph().parse(folder / "dcat.ttl")


def faults(found: rdflib.Graph) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        shapes = rdflib.Graph().parse(Path(__file__).with_name("dcat_shapes.ttl"))
        conforms, _, text = pyshacl.validate(found, shacl_graph=shapes)
    return "" if conforms else text


@pytest.mark.parametrize(
    "release",
    [manifest(1, 1), manifest(7, 5, PATCH, NEXT), manifest(7, 7, OLD)],
    ids=["first", "patches", "full again"],
)
@pytest.mark.parametrize("contact", ["", "books@example.org", "https://example.org/contact"])
def test_what_dcat_ap_requires_is_there(tmp_path, release, contact):
    assert faults(described(tmp_path, release, contact)) == ""


@pytest.mark.parametrize("name", ["byteSize", "accessURL", "endpointURL", "last", "theme"])
def test_the_shapes_find_what_is_missing(tmp_path, name):
    found = described(tmp_path, manifest(1, 1))
    found.remove((None, DCAT[name], None))
    assert name in faults(found)


def test_dumps_and_patches_are_distributions_of_the_release_they_were_made_for(tmp_path):
    found = described(tmp_path, manifest(7, 5, PATCH, NEXT))
    dataset = rdflib.URIRef(f"{BASE}dataset")

    def node(name: str) -> rdflib.URIRef:
        return rdflib.URIRef(f"{dataset}#{name}")

    def files(owner: rdflib.URIRef) -> set[str]:
        return {str(each).rpartition("#distribution-")[2] for each in found.objects(owner, DCAT.distribution)}

    assert files(node("release-5")) == {*NAMES, "merged-5-1.jsonl.gz"}
    assert files(node("release-6")) == {PATCH.added, PATCH.removed}
    assert files(node("release-7")) == files(dataset) == {NEXT.added, NEXT.removed}
    assert list(found.objects(dataset, DCAT.hasCurrentVersion)) == [node("release-7")]
    assert list(found.objects(dataset, DCAT.version)) == [rdflib.Literal("7")]
    assert set(found.objects(dataset, DCAT.hasVersion)) == {node("release-5"), node("release-6"), node("release-7")}
    assert list(found.objects(node("release-7"), DCAT.previousVersion)) == [node("release-6")]
    assert list(found.objects(node("release-6"), DCAT.previousVersion)) == [node("release-5")]
    issued = {str(found.value(node(f"release-{number}"), rdflib.DCTERMS.issued))[:10] for number in (5, 6, 7)}
    assert issued == {"2026-01-01", "2026-01-02", "2026-01-08"}
    packed = node("distribution-bibld.nq.zst")
    assert str(found.value(packed, DCAT.compressFormat)).endswith("application/zstd")
    assert str(found.value(packed, DCAT.downloadURL)) == f"{BASE}dumps/bibld.nq.zst"
    checksum = found.value(packed, SPDX.checksum)
    assert found.value(checksum, SPDX.checksumValue).toPython() == bytes.fromhex("ab" * 32)


def test_without_a_description_the_title_describes_the_dataset(tmp_path):
    found = described(tmp_path, manifest(1, 1))
    dataset = rdflib.URIRef(f"{BASE}dataset")
    assert {str(each) for each in found.objects(dataset, rdflib.DCTERMS.description)} == {"Books", "Книги"}
