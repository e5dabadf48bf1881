"""What crawlers and mirrors follow: sitemaps, the change feed, and the descriptions of the release."""

import gzip
import hashlib
import shutil
import warnings
import xml.etree.ElementTree as ElementTree
from datetime import timedelta
from html import escape

import pytest
import rdflib

from bibld import Workspace, pipeline
from bibld._api.site import open_site
from bibld.documents import open_published
from bibld.model.iris import record_of_path
from bibld.publish.dcat import FILE as DCAT_FILE
from bibld.serve import ontology as resources
from tests.end_to_end.conftest import CLOCK, drop_records
from tests.publish.test_dcat import DCAT, SPDX, faults
from tests.serve.client import running

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
AS = rdflib.Namespace("https://www.w3.org/ns/activitystreams#")
LDES = rdflib.Namespace("https://w3id.org/ldes#")
TREE = rdflib.Namespace("https://w3id.org/tree#")
FOLDERS = ("resource", "agent", "concept", "place", "publisher", "series", "work")


@pytest.fixture(scope="module")
def workspace(two_releases):
    return Workspace(two_releases / "bibld.toml")


@pytest.fixture(scope="module")
def release(workspace):
    place, _ = pipeline.current_release(workspace.config)
    return place


@pytest.fixture(scope="module")
def client(workspace):
    site = open_site(workspace, workspace.config.serve)
    with running(site) as client:
        yield client


def fetch(client, workspace, iri: str, accept: str = "*/*"):
    """The answer to a request for an IRI of the dataset, after redirects."""
    base = workspace.config.dataset.base
    assert iri.startswith(base), iri
    answer = client.get("/" + iri.removeprefix(base), accept)
    return (
        fetch(client, workspace, base + answer.headers["location"][1:], accept) if answer.status_code == 303 else answer
    )


def rows(place) -> list[list[str]]:
    header, *lines = (place / "changes.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == ["iri", "change", "other", "time"]
    return [line.split("\t") for line in lines]


# -- sitemap ---------------------------------------------------------------------------------------------------------


def listed(place) -> dict[str, str]:
    found = {}
    for name in sorted(path.name for path in place.glob("sitemap-*.xml.gz")):
        for url in ElementTree.fromstring(gzip.decompress((place / name).read_bytes())):
            assert url.tag == f"{SITEMAP}url"
            found[url.findtext(f"{SITEMAP}loc")] = url.findtext(f"{SITEMAP}lastmod")
    return found


def test_the_sitemap_lists_each_document_with_the_time_of_its_last_change(workspace, release):
    with open_published(workspace.config.workspace, 2) as view:
        expected = {
            f"{workspace.config.dataset.base}doc/{entry.path}": entry.modified
            for entry in view.entries()
            if entry.status == 200 and entry.path.startswith(tuple(f"{name}/" for name in FOLDERS))
        }
    found = listed(release)
    assert found == expected
    assert set(found.values()) == {"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"}
    changed = {iri.replace("/resource/", "/doc/resource/") for iri, kind, *_ in rows(release) if kind == "updated"}
    assert changed & set(found)
    assert {found[each] for each in changed & set(found)} == {"2026-01-02T00:00:00Z"}


def test_crawlers_find_the_sitemap_and_every_address_in_it_answers(workspace, release, client):
    base = workspace.config.dataset.base
    robots = client.get("/robots.txt").text
    (address,) = [line.partition(" ")[2] for line in robots.splitlines() if line.startswith("Sitemap: ")]
    answer = fetch(client, workspace, address)
    assert answer.headers["content-type"].startswith("application/xml")
    index = ElementTree.fromstring(answer.content)
    names = [each.findtext(f"{SITEMAP}loc") for each in index]
    assert [each.findtext(f"{SITEMAP}lastmod") for each in index] == ["2026-01-02T00:00:00Z"]
    for name in names:
        assert name.startswith(base) and "/" not in name.removeprefix(base)
        content = fetch(client, workspace, name)
        assert (content.status_code, content.headers["content-type"]) == (200, "application/gzip")
        assert gzip.decompress(content.content).startswith(b"<?xml")
    for each in list(listed(release))[::40]:
        assert client.get("/" + each.removeprefix(base), "text/html").status_code == 200, each


def test_many_documents_are_listed_in_more_files(two_releases, tmp_path, monkeypatch):
    shutil.copytree(two_releases, tmp_path / "sample")
    monkeypatch.setattr("bibld.publish.sitemap._MAX_ADDRESSES", 100)
    own = Workspace(tmp_path / "sample" / "bibld.toml")
    drop_records(own, 1)
    own.run(at=CLOCK + timedelta(days=2))
    place, _ = pipeline.current_release(own.config)
    files = sorted(place.glob("sitemap-*.xml.gz"))
    sizes = [gzip.decompress(file.read_bytes()).count(b"<url>") for file in files]
    assert len(files) > 5 and max(sizes) == 100
    assert sum(sizes) == len(listed(place))
    index = ElementTree.fromstring((place / "sitemap.xml").read_bytes())
    assert [each.findtext(f"{SITEMAP}loc").rpartition("/")[2] for each in index] == [
        f"sitemap-{number}.xml.gz" for number in range(1, len(files) + 1)
    ]


# -- the change feed -------------------------------------------------------------------------------------------------


def test_a_deleted_record_is_in_the_table_of_changes_and_its_iri_answers_410_or_leads_on(workspace, release, client):
    changes = rows(release)
    deleted = {iri: other for iri, kind, other, _ in changes if kind == "deleted" and "/resource/nlr/" in iri}
    assert len(deleted) == 3
    assert {time for *_, time in changes} == {"2026-01-02T00:00:00Z"}
    for iri, other in deleted.items():
        answer = fetch(client, workspace, iri, "text/turtle")
        assert answer.status_code == (200 if other else 410), iri
    gone = [iri for iri, other in deleted.items() if not other]
    for iri in gone:
        with workspace.catalog() as catalog:
            record = catalog.record(record_of_path(iri.partition("/resource/")[2]))
        assert record is not None and record.deleted
        page = fetch(client, workspace, iri, "text/html").text
        assert escape(record.mods.title_info[0].title) in page.partition("<h1")[2].partition("</h1>")[0]
        assert escape(f"The record {record.id} was withdrawn on 2 January 2026") in page
    assert gone


def test_every_change_is_in_the_event_stream(workspace, release):
    changes = rows(release)
    root = rdflib.Graph().parse(release / "feed.ttl")
    (stream,) = root.subjects(rdflib.RDF.type, LDES.EventStream)
    (view,) = root.objects(stream, TREE.view)
    assert str(view) == f"{workspace.config.dataset.base}dumps/feed.ttl"
    assert root.value(stream, LDES.timestampPath) == AS.published
    nodes = [str(node).rpartition("/")[2] for node in root.objects(None, TREE.node)]
    assert nodes == ["feed-2-1.ttl"]
    page = rdflib.Graph().parse(release / nodes[0])
    members = set(page.objects(stream, TREE.member))
    assert len(members) == len(changes)
    things = {str(page.value(member, root.value(stream, LDES.versionOfPath))) for member in members}
    assert things == {iri for iri, *_ in changes}
    types = {"created": "Create", "updated": "Update", "deleted": "Delete", "merged": "Move", "split": "Move"}
    found = []
    for number in range(1, len(changes) + 1):
        member = rdflib.URIRef(f"{workspace.config.dataset.base}dumps/{nodes[0]}#{number}")
        kind = str(page.value(member, AS.summary))
        assert page.value(member, rdflib.RDF.type) == AS[types[kind]]
        thing, published = page.value(member, AS.object), page.value(member, AS.published)
        other = page.value(member, AS.origin) or page.value(member, AS.target) or ""
        found.append([str(thing), kind, str(other), str(published).replace("+00:00", "Z")])
    assert found == changes
    tombstones = {str(each) for each in page.subjects(rdflib.RDF.type, AS.Tombstone)}
    assert tombstones == {iri for iri, kind, *_ in changes if kind == "deleted"}


def test_the_first_release_has_no_changes(two_releases):
    assert rows(two_releases / "workspace" / "releases" / "1") == []
    root = rdflib.Graph().parse(two_releases / "workspace" / "releases" / "1" / "feed.ttl")
    assert list(root.objects(None, TREE.relation)) == []


def test_pages_of_the_feed_stay_as_they_are_and_a_returning_record_is_created_again(two_releases, tmp_path):
    shutil.copytree(two_releases, tmp_path / "sample")
    own = Workspace(tmp_path / "sample" / "bibld.toml")
    former, _ = pipeline.current_release(own.config)
    config = own.path.read_text(encoding="utf-8")
    own.path.write_text(f"{config}\n[publish.feed]\npage = 1\n", encoding="utf-8")
    drop_records(own, 1)
    own = Workspace(own.path)
    own.run(at=CLOCK + timedelta(days=2))
    place, manifest = pipeline.current_release(own.config)
    assert place.name == "3"
    name = "feed-2-1.ttl"
    assert (place / name).read_bytes() == (former / name).read_bytes()
    assert manifest.file(name).sha256 == hashlib.sha256((place / name).read_bytes()).hexdigest()
    pages = sorted(path.name for path in place.glob("feed-3-*.ttl"))
    assert len(pages) == len(rows(place)) > 1
    root = rdflib.Graph().parse(place / "feed.ttl")
    assert {str(node).rpartition("/")[2] for node in root.objects(None, TREE.node)} == {name, *pages}
    times = {str(root.value(relation, TREE.value))[:10] for relation in root.objects(None, TREE.relation)}
    assert times == {"2026-01-02", "2026-01-03"}
    deleted = {iri for iri, kind, *_ in [*rows(former), *rows(place)] if kind == "deleted" and "/resource/" in iri}
    shutil.copy(resources.folder("sample_data") / "nlr.iso", own.path.parent / "nlr.iso")
    own.run(at=CLOCK + timedelta(days=3))
    last, _ = pipeline.current_release(own.config)
    back = {iri: kind for iri, kind, *_ in rows(last)}
    assert len(deleted) == 4 and {back[iri] for iri in deleted} <= {"created", "merged"}
    assert own.verify().is_ok


def test_pages_of_the_feed_may_be_stored_for_ever_and_the_first_node_may_not(client):
    page, root = client.get("/dumps/feed-2-1.ttl"), client.get("/dumps/feed.ttl")
    assert "immutable" in page.headers["cache-control"] and page.headers["content-type"].startswith("text/turtle")
    assert "immutable" not in root.headers["cache-control"]
    assert client.get("/dumps/changes.tsv").headers["content-type"].startswith("text/tab-separated-values")


# -- DCAT ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
def test_the_description_in_dcat_is_complete_and_true(two_releases, number):
    place = two_releases / "workspace" / "releases" / str(number)
    found = rdflib.Graph().parse(place / DCAT_FILE)
    assert faults(found) == ""
    distributions = set(found.subjects(rdflib.RDF.type, DCAT.Distribution))
    assert len(distributions) == (1 if number == 1 else 3)
    for each in distributions:
        data = (place / str(found.value(each, DCAT.downloadURL)).rpartition("/")[2]).read_bytes()
        assert found.value(each, DCAT.byteSize).toPython() == len(data)
        checksum = found.value(found.value(each, SPDX.checksum), SPDX.checksumValue)
        assert checksum.toPython() == hashlib.sha256(data).digest()


def test_one_follows_links_from_void_to_dcat_dump_resource_and_page(workspace, client):
    dataset = rdflib.URIRef(f"{workspace.config.dataset.base}dataset")
    void = rdflib.Graph().parse(data=client.get("/.well-known/void").text, format="turtle")
    (dcat,) = [each for each in void.objects(dataset, rdflib.RDFS.seeAlso) if str(each).endswith("dcat.ttl")]
    described = rdflib.Graph().parse(data=fetch(client, workspace, str(dcat)).text, format="turtle")
    assert client.get("/dcat.ttl").text == fetch(client, workspace, str(dcat)).text
    current = described.value(dataset, DCAT.hasCurrentVersion)
    assert str(described.value(current, DCAT.version)) == "2"
    patch = void.value(dataset, rdflib.DCTERMS.requires)
    full = void.value(patch, rdflib.DCTERMS.requires)
    dump = next(each for each in void.objects(full, rdflib.VOID.dataDump) if str(each).endswith(".gz"))
    lines = gzip.decompress(fetch(client, workspace, str(dump)).content).decode().splitlines()
    assert len(lines) == void.value(full, rdflib.VOID.triples).toPython()
    resource = next(line.split(" ")[0][1:-1] for line in lines if "/resource/" in line.split(" ")[0])
    page = fetch(client, workspace, resource, "text/html")
    assert (page.status_code, "<h1" in page.text) == (200, True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = rdflib.Graph().parse(data=fetch(client, workspace, resource, "text/turtle").text, format="turtle")
    assert (rdflib.URIRef(resource), None, None) in data
