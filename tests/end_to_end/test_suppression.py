"""Suppressed records and values are stored in the catalog but never published; lifting publishes them again."""

import gzip
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import pytest
import zstandard
from click.testing import CliRunner

from bibld import Workspace, config, pipeline, progress
from bibld._api import explaining as explain
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.documents import Document, open_published, published_releases
from bibld.ingest import public_original_of
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin
from bibld.publish import Releases
from bibld.serve.site import Site
from tests.configuration import write_config
from tests.end_to_end.test_differences import live, to_be_stored
from tests.publish.follower import as_stored, quads_of
from tests.serve.client import running

PUBLISH = """
[publish]
keep = 5
full_above = 1.0
suppress = "suppress.csv"
"""
SECRET = "Donated by Countess Orlova"
FORMS = (".html", ".ttl", ".nt", ".jsonld", ".rdf", ".mods.xml", ".marcxml", ".mrk")


def unpack_zstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(data).read()


def marc(number: str, title: str, author: str, note: str = "") -> bytes:
    fields: list[ControlField | DataField] = [ControlField("001", number)]
    fields.append(ControlField("008", "900101s1869    ru            000 0 eng d"))
    wanted = [("100", "a", f"{author}."), ("245", "a", f"{title} /"), ("260", "c", "1869."), ("500", "a", note)]
    fields += [DataField(tag, "1", "0", (Subfield(code, text),)) for tag, code, text in wanted if text]
    return to_iso2709(MarcRecord(Origin("x", "x", 1, 0), Leader("00000nam a2200000 i 4500"), tuple(fields)))


WAR = marc("1", "War and peace", "Tolstoy, Leo", SECRET)
BOOKS = {
    "rsl": [WAR, marc("2", "The cherry orchard", "Chekhov, Anton")],
    "nlr": [marc("1", "War and peace", "Tolstoy, Leo"), marc("3", "Dead souls", "Gogol, Nikolai")],
}


class Listening(progress.Silent):
    """Collects the messages."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def report(self, message: str) -> None:
        self.messages.append(message)

    warn = report


class Library:
    """A workspace of two libraries."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.books = dict(BOOKS)
        self.list: list[str] = []
        write_config(place, PUBLISH, rsl="rsl.mrc", nlr="nlr.mrc")

    def run(self, *suppressed: str, until: str = "publish") -> list[str]:
        """Run with these lines in the list; returns what was reported."""
        for source, books in self.books.items():
            (self.place / f"{source}.mrc").write_bytes(b"".join(books))
        lines = "\n".join(("record,value,reason", *suppressed))
        (self.place / "suppress.csv").write_text(lines + "\n", encoding="utf-8")
        self.clock += timedelta(hours=1)
        listening = Listening()
        pipeline.run(self.loaded, self.clock, listening, until=until)
        return [message for message in listening.messages if "suppress" in message]

    @property
    def loaded(self) -> config.Config:
        return config.load(self.place / "bibld.toml")

    def published(self, but: str = "") -> str:
        """All that is stored in the releases as text, except files whose names begin with ``but``."""
        files = [path for path in sorted((self.place / "work/releases").rglob("*")) if path.is_file()]
        files = [path for path in files if not but or not path.name.startswith(but)]
        unpack = {".gz": gzip.decompress, ".zst": unpack_zstd}
        texts = [unpack.get(path.suffix, bytes)(path.read_bytes()) for path in files if "store" not in path.parts]
        return b"\n".join(texts).decode(errors="replace")  # the files of the search index are no text

    @contextmanager
    def site(self):
        release, manifest = pipeline.current_release(self.loaded)
        with Catalog(self.loaded.workspace, read_only=True) as catalog:
            original = partial(public_original_of, catalog=catalog)
            with running(Site(manifest, release, catalog, original, self.loaded.serve)) as client:
                yield client

    def documents(self) -> dict[str, Document]:
        """The documents of the current release by path."""
        _, manifest = pipeline.current_release(self.loaded)
        with open_published(self.loaded.workspace, manifest.number) as view:
            return {document.path: document for document in view.documents()}

    def releases(self) -> list[int]:
        return Releases(self.loaded.workspace).numbers()

    def command(self, *words: str) -> str:
        done = CliRunner().invoke(command_line, [words[0], *words[1:]])
        assert done.exit_code == 0, done.output
        return done.output


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def all_published(library: Library) -> tuple[set[str], set[str]]:
    return to_be_stored(library.place), live(library.place)


def test_a_suppressed_record_is_removed_from_all_published_data_and_does_not_redirect(library):
    library.run()
    before = all_published(library)
    assert SECRET in library.published()
    library.run("rsl:1,,a court ordered it")
    after, live = all_published(library)
    assert after == live
    assert not any("rsl/1>" in line or "rsl/1#" in line or SECRET in line for line in after)
    assert any("resource/nlr/1>" in line for line in after)
    text = library.published()
    assert SECRET not in text
    assert "rsl/1>" not in library.published(but="feed-"), "only the feed names it: followers must delete it, too"
    release, manifest = pipeline.current_release(library.loaded)
    assert after <= as_stored((line.strip() for line in quads_of(release, manifest)), manifest.dataset.base)
    with library.site() as client:
        for path in ("resource/rsl/1", "doc/resource/rsl/1", "record/rsl/1", "doc/record/rsl/1"):
            for form in ("", *FORMS):
                answer = client.get(f"/{path}{form}")
                assert answer.status_code == 410, (path, form)
                assert "peace" not in answer.text and SECRET not in answer.text
        assert client.get("/resource/nlr/1").status_code == 303
        assert SECRET not in client.get("/doc/resource/nlr/1.html").text
    found = library.documents()
    for path in ("resource/rsl/1", "record/rsl/1"):
        tombstone = found[path].quads.decode()
        assert found[path].status == 410
        assert found[path].is_withdrawn
        assert '"The record was withdrawn from publication."@en' in tombstone
        assert '"Запись снята с публикации."@ru' in tombstone
        assert "2026-01-01T02:00:00Z" in tombstone, "the time of the run"
    assert not any(SECRET.encode() in document.quads for document in found.values())
    assert published_releases(library.loaded.workspace) == [2]
    assert Workspace(library.place / "bibld.toml").verify().is_ok
    library.run()
    assert all_published(library) == before
    assert library.documents()["resource/rsl/1"].status == 200
    with library.site() as client:
        assert client.get("/doc/resource/rsl/1.html").status_code == 200


def test_a_suppressed_value_is_removed_from_the_merged_description_and_the_original(library):
    library.run()
    before = all_published(library)
    library.run(f"rsl:1,{SECRET},a letter")
    after, live = all_published(library)
    assert after == live
    assert SECRET not in library.published() and SECRET not in "".join(after)
    assert any("resource/rsl/1>" in line and "War and peace" in line for line in after)
    with library.site() as client:
        for path in ("doc/resource/rsl/1", "record/rsl/1"):
            for form in FORMS:
                answer = client.get(f"/{path}{form}")
                assert answer.status_code == (404 if path.startswith("doc") and form in FORMS[-2:] else 200)
                assert "Orlova" not in answer.text, (path, form)
        assert "War and peace" in client.get("/record/rsl/1.marcxml").text
    library.run()
    assert all_published(library) == before
    with library.site() as client:
        assert "Orlova" in client.get("/record/rsl/1.marcxml").text


def test_a_suppressed_title_is_removed_from_its_record_only(library):
    library.books["rsl"] = [marc("1", "War and peas", "Tolstoy, Leo", SECRET), BOOKS["rsl"][1]]
    library.run("rsl:1,titleInfo/title=War and peas,a typing error")
    found = "".join(all_published(library)[0])
    assert "War and peas" not in found and "War and peace" in found and SECRET in found
    with Catalog(library.loaded.workspace, read_only=True) as catalog:
        titles = [mods.title_info[0].title for _, _, mods in catalog.records.unredacted()]
    assert "War and peas" in titles, "the catalog keeps it"


def test_new_records_that_are_suppressed_are_never_published(library):
    messages = library.run("rsl:1,,x", "nlr:3,,y")
    assert messages == ["read: 2 new suppressions, 0 lifted, 2 in force"]
    assert SECRET not in library.published() and "Dead souls" not in library.published()


def test_a_takedown_removes_all_earlier_releases_and_their_dumps(library):
    library.run()
    library.books["nlr"] = [BOOKS["nlr"][0]]
    library.run()
    assert library.releases() == [1, 2]
    releases = Releases(library.loaded.workspace)
    release = releases.hold(releases.current())
    library.run(f"rsl:1,{SECRET},x")
    _, manifest = pipeline.current_release(library.loaded)
    assert (manifest.full.release, manifest.patches) == (3, ())
    assert library.releases() == [2, 3], "one that is served stays"
    release.close()
    library.run(f"rsl:1,{SECRET},x")
    assert library.releases() == [3], "until a run finds it free, though nothing changed"
    library.run(f"rsl:1,{SECRET},x", "rsl:2,,y")
    assert library.releases() == [4]
    library.run("rsl:2,,y")
    assert library.releases() == [4, 5], "what is lifted is in no earlier release"
    _, manifest = pipeline.current_release(library.loaded)
    assert [patch.release for patch in manifest.patches] == [5]


def test_a_takedown_of_a_value_that_only_pages_show_makes_a_release(library):
    library.run()
    with library.site() as client:
        assert "Tolstoy, Leo" in client.get("/record/nlr/1.mrk").text
    messages = library.run("nlr:1,Leo Tolstoy,x")
    assert messages[1:] == [
        "suppress.csv line 2: 'Leo Tolstoy' is not the text of an element in the MODS of nlr:1; fields of its"
        " original that contain it are left out"
    ]
    assert library.releases() == [2]
    with library.site() as client:
        assert "Tolstoy" not in client.get("/record/nlr/1.mrk").text


def test_an_unchanged_list_makes_no_release(library):
    library.run("rsl:1,,x")
    assert library.run("rsl:1,,another reason") == []
    assert library.releases() == [1]


def test_a_restored_record_stays_suppressed_and_a_deleted_one_stays_deleted(library):
    library.run()
    library.run("rsl:1,,x")
    library.books["rsl"] = [marc("1", "War and peace", "Tolstoy, Leo", f"{SECRET}, changed"), BOOKS["rsl"][1]]
    library.run("rsl:1,,x")
    assert SECRET not in library.published()
    library.books["rsl"] = BOOKS["rsl"][1:]
    library.run("rsl:1,,x")
    with library.site() as client:
        assert client.get("/resource/rsl/1").status_code == 410
    library.run()
    with library.site() as client:
        answer = client.get("/resource/rsl/1")
        assert (answer.status_code, "nlr/1" in answer.headers["location"]) == (303, True), "its redirect answers"
        assert client.get("/record/rsl/1").status_code == 410
    found = library.documents()
    assert (found["resource/rsl/1"].status, found["resource/rsl/1"].target) == (303, "resource/nlr/1")
    assert "The record was deleted from its source." in found["record/rsl/1"].quads.decode()
    assert pipeline.current_release(library.loaded)[1].figures.deleted == 1
    library.run("rsl:1,,x")
    library.books["rsl"] = BOOKS["rsl"]
    library.run("rsl:1,,x")
    assert SECRET not in library.published()
    library.run()
    assert SECRET in library.published()


def test_suppressed_records_are_counted_as_converted(library):
    library.run("rsl:1,,x", until="read")
    library.books["rsl"] = [marc("1", "Old", "A"), WAR, BOOKS["rsl"][1]]
    library.run("rsl:1,,x", until="read")
    with Catalog(library.loaded.workspace, read_only=True) as catalog:
        load = next(load for load in catalog.records.load_counts() if load.source == "rsl")
        assert catalog.records.count() == 3
    assert (load.read, load.converted, load.superseded, load.deleted) == (3, 2, 1, 0)


def test_a_run_interrupted_between_the_commits_of_register_and_catalog_is_completed(library):
    library.run()
    register = sqlite3.connect(library.place / "work/register.db")
    with register:
        register.execute("INSERT INTO suppression SELECT ordinal, '', 'x' FROM ordinal WHERE source = 'rsl'")
    register.close()
    library.run("rsl:1,,x", "rsl:2,,x")
    assert "rsl/1>" not in "".join(all_published(library)[0])


def test_a_takedown_of_a_run_interrupted_before_its_release_is_published_by_the_next(library):
    library.run()
    library.run("rsl:1,,x", until="store")
    library.run("rsl:1,,x")
    assert library.releases() == [2]
    assert SECRET not in library.published()


def test_records_and_values_that_are_not_found_are_reported_with_their_lines(library):
    messages = library.run("rsl:9,,x", "lib:1,,x", "https://data.example.org/agent/x,,x", "rsl:1,War and piece,x")
    assert [message.partition(": ")[0] for message in messages[:3]] == [
        f"suppress.csv line {line}" for line in (2, 3, 4)
    ]
    assert all("nothing was taken down" in message for message in messages[:3])
    assert messages[-1] == (
        "suppress.csv line 5: 'War and piece' is not the text of an element in the MODS of rsl:1: nothing was taken"
        " down; did you mean 'War and peace'?"
    )


def test_a_record_may_be_named_by_its_iri(library):
    for number, name in enumerate(("resource/rsl/1", "doc/resource/rsl/1.html", "record/rsl/1"), 1):
        assert len(library.run(f"https://data.example.org/{name},,{number}")) == (number == 1)
        with Catalog(library.loaded.workspace, read_only=True) as catalog:
            assert [str(one.record) for one in catalog.suppressions.all()] == ["rsl:1"]


def test_explain_and_stats_show_suppressions_with_their_reasons(library):
    library.run("rsl:1,,a court ordered it", "nlr:1,1869,x")
    with Catalog(library.loaded.workspace, read_only=True) as catalog:
        report = explain.explain_record(catalog, library.loaded, explain.resolve_record_id(catalog, "rsl:1"))
    assert (report.answers, report.suppressed) == ("410 Gone", ("the whole record: a court ordered it",))
    assert report.state == "suppressed; requests get 410 Gone"
    stats = msgspec.json.decode(library.command("stats", str(library.loaded.file), "--json"))
    assert [(one["value"], one["reason"]) for one in stats["suppressed"]] == [("1869", "x"), ("", "a court ordered it")]
    assert "a court ordered it" in library.command("stats", str(library.loaded.file))


def test_the_export_of_the_catalog_contains_suppressed_records(library):
    library.run("rsl:1,,x", "rsl:2,The cherry orchard,y")
    for what, marks in (("mods", (SECRET, "cherry")), ("original", (SECRET, "cherry"))):
        words = [
            sys.executable,
            "-m",
            "bibld",
            "catalog",
            "export",
            str(library.loaded.file),
            "--what",
            what,
            "--source",
            "rsl",
        ]
        done = subprocess.run(words, capture_output=True, check=True)
        assert [mark for mark in marks if mark.encode() not in done.stdout] == []
