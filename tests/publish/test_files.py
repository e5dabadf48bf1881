"""The files of a release: described once, linked to those before, removed when they must not be published."""

from __future__ import annotations

import gzip
import hashlib
from types import SimpleNamespace

import msgspec
import pytest
import zstandard

from bibld.config import PublishConfig
from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.release import (
    DatasetDescription,
    Figures,
    FullDumps,
    LinkSet,
    Manifest,
    PatchDumps,
    QuadCounts,
    ReleaseFile,
    link_or_copy,
)
from bibld.protocols import PreviousRelease
from bibld.publish._files import describe_files, open_dump
from bibld.publish._releases import Releases, writing
from bibld.publish.dumps import Settings, is_full_dump_due
from bibld.publish.void import void_quads

BASE = "https://data.example.org/"
DATASET = DatasetDescription(BASE, {"en": "Books", "ru": "Книги"}, "https://example.org/licence", "A library")
VOID = "http://rdfs.org/ns/void#"


def manifest(number: int = 1, quads: int = 1000, created: str = "2026-01-01T00:00:00Z", **more: object) -> Manifest:
    figures = Figures((), 0, 0, 0, 0, quads, 0)
    return Manifest(number, created, "", DATASET, figures, (), **more)


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("bibld.nq.gz", "application/n-quads"),
        ("bibld.nq.zst", "application/n-quads"),
        ("bibld.nt.gz", "application/n-triples"),
        ("run.nq", "application/n-quads"),
        ("void.ttl", "text/turtle"),
        ("manifest.json", "application/json"),
        ("README", "text/plain"),
    ],
)
def test_a_file_is_described_with_its_size_checksum_and_media_type(tmp_path, name, media_type):
    (tmp_path / name).write_bytes(b"content")
    (tmp_path / "folder").mkdir()
    checksum = hashlib.sha256(b"content").hexdigest()
    assert describe_files(tmp_path, None) == (ReleaseFile(name, 7, checksum, media_type),)


def test_a_file_that_is_linked_to_the_previous_release_is_not_read_again(tmp_path):
    before, now = tmp_path / "1", tmp_path / "2"
    for folder in (before, now):
        folder.mkdir()
    (before / "linked").write_bytes(b"same")
    link_or_copy(before / "linked", now / "linked")
    (before / "changed").write_bytes(b"old")
    (now / "changed").write_bytes(b"new!")
    (now / "added").write_bytes(b"added")
    known = ReleaseFile("linked", 4, "as it was described", "text/plain")
    old = ReleaseFile("changed", 3, "x", "text/plain")
    previous = PreviousRelease(before, msgspec.structs.replace(manifest(), files=(old, known)))
    found = {file.name: file for file in describe_files(now, previous)}
    assert list(found) == ["added", "changed", "linked"]
    assert found["linked"] == known
    assert (found["changed"].bytes, found["changed"].sha256) == (4, hashlib.sha256(b"new!").hexdigest())


def test_where_there_are_no_hard_links_a_file_is_copied(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError("not on this file system")

    monkeypatch.setattr("os.link", refuse)
    (tmp_path / "a").write_bytes(b"x")
    link_or_copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"x"


@pytest.mark.parametrize("end", [".gz", ".zst"])
@pytest.mark.parametrize("size", [0, 1, 1000, 700_000])
def test_a_compressed_file_depends_on_its_content_alone(tmp_path, end, size):
    content = b"".join(b"line %d\n" % number for number in range(size))
    for name, at_once in (("one", 1 << 30), ("other", 5000)):
        with open_dump(tmp_path / f"{name}{end}") as out:
            for start in range(0, len(content), at_once):
                out.write(content[start : start + at_once])
    one = (tmp_path / f"one{end}").read_bytes()
    assert one == (tmp_path / f"other{end}").read_bytes()
    if end == ".gz":
        assert one[4:8] == bytes(4), "the time of the header"
        assert gzip.decompress(one) == content
    else:
        assert zstandard.ZstdDecompressor().stream_reader(one).read() == content


def test_a_full_disk_is_an_error_of_the_stage(tmp_path):
    with pytest.raises(StageError, match=r"cannot be written: .*free some space"), writing(tmp_path):
        raise OSError("No space left on device")


FULL = FullDumps(1, "2026-01-01T00:00:00Z", ("bibld.nq.gz",))
PATCH = PatchDumps(2, 1, "added-2", "removed-2", 20, 10)
NEXT = PatchDumps(3, 2, "added-3", "removed-3", 15, 5)


@pytest.mark.parametrize(
    ("settings", "full", "created", "missing", "is_due"),
    [
        (PublishConfig(full_above=0.05), FULL, "2026-01-02T00:00:00Z", "", False),
        (PublishConfig(full_above=0.0499), FULL, "2026-01-02T00:00:00Z", "", True),
        (PublishConfig(full_above=0.05, full="always"), FULL, "2026-01-02T00:00:00Z", "", True),
        (PublishConfig(full_above=0.05), None, "2026-01-02T00:00:00Z", "", True),
        (PublishConfig(full_above=0.05, full_after_days=7), FULL, "2026-01-07T23:59:59Z", "", False),
        (PublishConfig(full_above=0.05, full_after_days=7), FULL, "2026-01-08T00:00:00Z", "", True),
        (PublishConfig(full_above=0.05), FULL, "2026-01-02T00:00:00Z", "bibld.nq.gz", True),
        (PublishConfig(full_above=0.05), FULL, "2026-01-02T00:00:00Z", "removed-2", True),
    ],
)
def test_full_dumps_are_due_when_they_are_missing_old_or_far_behind(tmp_path, settings, full, created, missing, is_due):
    for name in ("bibld.nq.gz", "added-2", "removed-2"):
        if name != missing:
            (tmp_path / name).touch()
    previous = PreviousRelease(tmp_path, manifest(2, 1000, full=full, patches=(PATCH,)))
    draft = SimpleNamespace(manifest=manifest(3, created=created), settings=settings)
    assert is_full_dump_due(draft, Settings(), previous, NEXT) is is_due
    assert is_full_dump_due(draft, Settings(formats=("nq.zst",)), previous, NEXT)


def test_withdrawn_releases_are_removed_and_locked_ones_later(tmp_path):
    releases = Releases(tmp_path)
    places = []
    for _ in range(4):
        number, place = releases.begin()
        (place / "manifest.json").write_text("{}")
        places.append(releases.complete(number, place, keep=9))
    lock = releases.hold(places[0])
    releases.withdraw_before(3)
    assert releases.numbers() == [1, 3, 4]
    lock.close()
    releases.sweep()
    assert releases.numbers() == [3, 4]


def releases_in(folder, count: int) -> Releases:
    releases = Releases(folder)
    for _ in range(count):
        number, place = releases.begin()
        (place / "manifest.json").write_bytes(msgspec.json.encode(manifest(number)))
        (place / "store").mkdir()
        (place / "store" / "data").write_bytes(b"12345")
        releases.complete(number, place, keep=9)
    return releases


def test_any_release_on_disk_can_be_made_current(tmp_path):
    releases = releases_in(tmp_path, 4)
    assert releases.roll_back() == releases.current() == releases.folder / "3"
    assert releases.roll_back() == releases.current() == releases.folder / "2"
    assert releases.roll_back(4) == releases.current() == releases.folder / "4"
    assert releases.roll_back(1) == releases.current() == releases.folder / "1"
    with pytest.raises(StageError, match="no release is older than the current one"):
        releases.roll_back()
    with pytest.raises(StageError, match="there is no release 7; those on disk are: 1, 2, 3, 4"):
        releases.roll_back(7)
    assert releases.current() == releases.folder / "1"
    assert sorted(path.name for path in releases.folder.iterdir()) == ["1", "2", "3", "4", "current"]


def test_a_withdrawn_release_cannot_be_made_current(tmp_path):
    releases = releases_in(tmp_path, 3)
    with releases.hold(releases.folder / "1"):
        releases.withdraw_before(3)
        assert releases.numbers() == [1, 3]
        with pytest.raises(StageError, match="was withdrawn, because it contains what must not be published"):
            releases.roll_back(1)
        with pytest.raises(StageError, match="no release is older"):
            releases.roll_back()
        assert [(each.release, each.is_withdrawn) for each in releases.list_all()] == [(1, True), (3, False)]
    assert releases.current() == releases.folder / "3"


def test_a_release_that_is_withdrawn_at_this_moment_does_not_become_current(tmp_path, monkeypatch):
    releases = releases_in(tmp_path, 2)
    point_to = Releases._point_to

    def withdraw_first(self, number):
        if number == 1:
            (self.folder / "1" / "withdrawn").touch()
        point_to(self, number)

    monkeypatch.setattr(Releases, "_point_to", withdraw_first)
    with pytest.raises(StageError, match="is being withdrawn by a run"):
        releases.roll_back(1)
    assert releases.current() == releases.folder / "2"


def test_a_run_does_not_remove_the_release_that_somebody_went_back_to(tmp_path, monkeypatch):
    releases = releases_in(tmp_path, 2)
    number, place = releases.begin()
    (place / "manifest.json").write_bytes(msgspec.json.encode(manifest(number)))
    numbers = Releases.numbers

    def go_back(self):
        self._point_to(1)
        return numbers(self)

    monkeypatch.setattr(Releases, "numbers", go_back)
    releases.complete(number, place, keep=1)
    monkeypatch.undo()
    assert releases.numbers() == [1, 3]
    assert releases.current() == releases.folder / "1"


def test_what_is_left_of_a_removed_release_is_not_a_release(tmp_path):
    releases = releases_in(tmp_path, 3)
    (releases.folder / "2" / "manifest.json").unlink()
    assert [each.release for each in releases.list_all()] == [1, 3]
    with pytest.raises(StageError, match="there is no release 2; those on disk are: 1, 3"):
        releases.roll_back(2)
    assert releases.roll_back().name == "1"


def test_releases_are_listed_with_their_sizes_and_whether_a_server_uses_them(tmp_path):
    releases = releases_in(tmp_path, 2)
    with releases.hold(releases.folder / "1"):
        first, second = releases.list_all()
    assert (first.is_served, first.is_current, second.is_served, second.is_current) == (True, False, False, True)
    assert (second.release, second.quads, second.store_bytes, second.full_dumps) == (2, 1000, 5, 0)
    assert not releases.list_all()[0].is_served
    assert Releases(tmp_path / "empty").list_all() == []


def test_the_current_release_is_a_number_whose_folder_exists(tmp_path):
    releases = Releases(tmp_path)
    assert (releases.numbers(), releases.newest(), releases.current()) == ([], None, None)
    for number in (9, 10):
        (releases.folder / str(number)).mkdir(parents=True)
    assert releases.newest() == releases.folder / "10"
    for text, current in (("9\n", "9"), ("11", None), ("building", None), ("../releases/9", None), ("", None)):
        (releases.folder / "current").write_text(text)
        assert releases.current() == (releases.folder / current if current else None), text


@pytest.mark.parametrize("content", [None, b"{", b"{}"])
def test_a_release_without_a_readable_manifest_is_named(tmp_path, content):
    if content is not None:
        (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(StageError, match="is not a release of this version"):
        Releases(tmp_path).manifest(tmp_path)


COUNTS = QuadCounts(
    classes={"<http://schema.org/Book>": 2, "<urn:Frequent>": 7},
    properties={"<urn:p>": 5, "<urn:q>": 6},
    subjects=4,
    objects=8,
    links=(
        LinkSet("", "<http://www.w3.org/2002/07/owl#sameAs>", "resource", 2),
        LinkSet(f"<{BASE}graph/links-viaf>", "<http://www.w3.org/2002/07/owl#sameAs>", "", 3),
        LinkSet(f"<{BASE}graph/links-viaf>", "<http://www.w3.org/2004/02/skos/core#closeMatch>", "", 1),
    ),
    graphs={f"<{BASE}graph/links-viaf>": 4, f"<{BASE}graph/provenance>": 20},
    entities=3,
)


def test_the_description_counts_each_graph_and_what_is_in_the_default_graph():
    lines = void_quads(COUNTS, DATASET, [], [f"{BASE}resource/rsl/1"])
    iris = Iris(BASE)
    dataset = iris.dataset

    def values(subject: str, name: str) -> list[str]:
        start = f"<{subject}> <{VOID}{name}> "
        return sorted(
            line.removeprefix(start).partition("^^")[0].split(" ")[0] for line in lines if line.startswith(start)
        )

    default = f"{dataset}#default-graph"
    assert values(iris.graph("dataset"), "triples") == [f'"{len(lines)}"']
    assert values(iris.graph("provenance"), "triples") == ['"20"']
    names = ("triples", "properties", "classes", "distinctSubjects", "distinctObjects", "entities")
    assert [values(default, name) for name in names] == [['"11"'], ['"2"'], ['"2"'], ['"4"'], ['"8"'], ['"3"']]
    assert values(f"{dataset}#class-schema-Book", "class") == ["<http://schema.org/Book>"]
    assert values(f"{dataset}#class-schema-Book", "entities") == ['"2"']
    assert len(values(default, "propertyPartition")) == 2
    assert values(f"{dataset}#links-resource-sameAs", "triples") == ['"2"']
    assert values(f"{dataset}#links-resource-sameAs", "objectsTarget") == [f"<{dataset}>"]
    assert values(f"{dataset}#links-viaf-closeMatch", "triples") == ['"1"']
    assert values(f"{dataset}#links-viaf-sameAs", "objectsTarget") == ["<http://viaf.org/>"]
    assert values(dataset, "exampleResource") == [f"<{BASE}resource/rsl/1>"]
    assert all(line.endswith(f" <{iris.graph('dataset')}> .\n") for line in lines)
