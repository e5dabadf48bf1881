"""A release is compared with itself, and the first difference is named; one can go back to an earlier release."""

import gzip
import hashlib
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import msgspec
import pyoxigraph
import pytest
from click.testing import CliRunner

import bibld
from bibld import pipeline
from bibld.cli import command_line
from tests.end_to_end.conftest import CLOCK, drop_records


@pytest.fixture
def own(two_releases, tmp_path) -> bibld.Workspace:
    """A copy that a test may change."""
    shutil.copytree(two_releases, tmp_path / "sample")
    return bibld.Workspace(tmp_path / "sample" / "bibld.toml")


def release_of(workspace: bibld.Workspace) -> Path:
    place, _ = pipeline.current_release(workspace.config)
    return place


def replace_file(place: Path, name: str, content: bytes) -> None:
    """Write a file, and its size and sum into the manifest."""
    (place / name).write_bytes(content)
    manifest = msgspec.json.decode((place / "manifest.json").read_bytes())
    for file in manifest["files"]:
        if file["name"] == name:
            file["bytes"], file["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    (place / "manifest.json").write_bytes(msgspec.json.encode(manifest))


def first_difference(workspace: bibld.Workspace) -> tuple[str, str]:
    found = workspace.verify()
    assert not found.is_ok
    return next((check.name, check.detail) for check in found.checks if not check.is_ok)


@pytest.mark.parametrize("release", [None, 1, 2])
def test_full_dumps_and_patches_agree_with_store_description_and_documents(two_releases, release):
    found = bibld.Workspace(two_releases / "bibld.toml").verify(release)
    assert [(check.name, check.is_ok) for check in found.checks] == [
        (name, True) for name in ("files", "dumps", "store", "void", "documents")
    ], found
    assert found.release == (release or 2)


def test_a_file_that_was_changed_lost_or_added_is_named(own):
    place = release_of(own)
    content = (place / "bibld.nq.gz").read_bytes()
    (place / "bibld.nq.gz").write_bytes(content[:-1] + b"\1")
    assert first_difference(own) == ("files", f"{place / 'bibld.nq.gz'}: its SHA-256 is not that of the manifest")
    (place / "bibld.nq.gz").unlink()
    assert "bibld.nq.gz: not found, but the manifest names it" in first_difference(own)[1]
    (place / "bibld.nq.gz").write_bytes(content)
    (place / "notes.txt").touch()
    assert first_difference(own) == ("files", f"{place / 'notes.txt'}: not named by the manifest")


def test_a_quad_that_the_store_lacks_or_has_more_is_named(own):
    store = pyoxigraph.Store(str(release_of(own) / "store"))
    quad = next(iter(store.quads_for_pattern(None, None, None, pyoxigraph.DefaultGraph())))
    store.remove(quad)
    store.flush()
    del store
    found = {check.name: check.detail for check in own.verify().checks if not check.is_ok}
    assert f"only in dumps and patches, not in store: {quad.triple} ." in found["store"]
    assert "triples" in found["void"]
    store = pyoxigraph.Store(str(release_of(own) / "store"))
    store.add(quad)
    store.add(pyoxigraph.Quad(quad.subject, quad.predicate, pyoxigraph.Literal("more")))
    store.flush()
    del store
    assert '"more" .' in first_difference(own)[1]


def test_a_patch_with_other_lines_is_found(own):
    place = release_of(own)
    lines = gzip.decompress((place / "added-2.nq.gz").read_bytes()).splitlines(keepends=True)
    replace_file(place, "added-2.nq.gz", gzip.compress(b"".join(lines[1:])))
    name, detail = first_difference(own)
    assert name == "dumps" and f"has {len(lines) - 1:,} lines, the manifest states {len(lines):,}" in detail
    other = b"<http://x/a> <http://x/b> <http://x/c> .\n"
    replace_file(place, "added-2.nq.gz", gzip.compress(b"".join([*lines[1:], other])))
    name, detail = first_difference(own)
    assert name == "store" and (other.decode().strip() in detail or lines[0].decode().strip()[:200] in detail)


def test_a_wrong_figure_of_the_description_is_named(own):
    place = release_of(own)
    text = (place / "void.ttl").read_text(encoding="utf-8")
    start = text.index("#class-bf-Person> void:class")
    changed = text[start:].replace("void:entities ", "void:entities 1", 1)
    replace_file(place, "void.ttl", (text[:start] + changed).encode())
    name, detail = first_difference(own)
    assert name == "void" and "#class-bf-Person> has <http://rdfs.org/ns/void#entities>" in detail


def test_a_document_that_is_missing_is_found(own):
    with closing(sqlite3.connect(own.config.workspace / "published.db")) as connection:
        connection.execute("DELETE FROM document WHERE path LIKE 'agent/%' AND status = 200 AND until IS NULL")
        connection.commit()
    name, detail = first_difference(own)
    assert name == "documents" and "only in store, not in documents: <http://localhost:8000/agent/" in detail


def test_a_damaged_dump_is_found(own):
    place = release_of(own)
    replace_file(place, "bibld.nq.gz", (place / "bibld.nq.gz").read_bytes()[:-2000])
    name, detail = first_difference(own)
    assert name == "dumps"
    assert re.search(r"bibld\.nq\.gz: cannot be read: .*make a release with full dumps again", detail)


def test_the_command_prints_what_it_found_and_its_exit_code_is_1_if_anything_differs(own):
    def invoke(*words: str):
        return CliRunner().invoke(command_line, ["publish", str(own.path), *words], catch_exceptions=False)

    done = invoke("--verify", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.endswith("release 2 agrees with itself\n")
    (release_of(own) / "run.nq").write_text("")
    done = invoke("--verify", "--quiet")
    assert done.exit_code == 1
    assert "files: DIFFERENT" in done.stdout and "release 2 does not agree with itself" in done.stdout
    report = msgspec.json.decode(invoke("--verify", "--quiet", "--json").stdout)
    assert report["release"] == 2 and not report["checks"][0]["is_ok"]
    assert invoke("--verify", "--quiet", "--release", "1").exit_code == 0
    assert "release 9 does not exist" in invoke("--verify", "--release", "9").output
    assert invoke("--release", "1").exit_code == 2


def test_after_going_back_the_next_run_goes_on_from_the_newest_release(own):
    def invoke(*words: str):
        return CliRunner().invoke(command_line, [words[0], str(own.path), *words[1:]], catch_exceptions=False)

    done = invoke("rollback")
    assert done.stdout == "release 1 is current; the newest one is 2\n"
    assert own.verify().release == 1
    again = own.run(at=CLOCK + timedelta(days=2))
    assert not again.release_is_new, "what nobody changed stays as somebody decided"
    assert release_of(own).name == "1"
    drop_records(own, 2)
    own.run(at=CLOCK + timedelta(days=3))
    place, manifest = pipeline.current_release(own.config)
    assert place.name == "3"
    assert [(patch.since, patch.release) for patch in manifest.since_full] == [(1, 2), (2, 3)]
    assert own.verify().is_ok, own.verify()
    rows = msgspec.json.decode(invoke("releases", "--json").stdout)
    assert [(row["release"], row["is_current"], row["full_dumps"], row["patches"]) for row in rows] == [
        (2, False, 1, 1),
        (3, True, 1, 2),
    ]
    table = invoke("releases").stdout.splitlines()
    assert table[0].split()[:3] == ["release", "created", "records"] and table[-1].endswith("1 + 2       current")
    assert "there is no release 1; those on disk are: 2, 3" in invoke("rollback", "1").output
    assert invoke("rollback", "2").exit_code == 0
