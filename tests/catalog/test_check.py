"""``bibld catalog check`` finds damage, and a run over the repaired workspace gives the same release."""

import os
import shutil
from contextlib import closing

import msgspec
import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog
from bibld.catalog._database import connect
from tests.end_to_end.conftest import CLOCK, dumps


def execute(*statements):
    def damage(loaded):
        with closing(connect(loaded.workspace / "catalog.db", read_only=False)) as connection:
            for statement in statements:
                connection.execute(statement)

    return damage


def overwrite(pattern, data=b"damaged", place=None):
    """Return a function that overwrites part of the first file that matches a pattern, by default appends to it."""

    def damage(loaded):
        file = next(path for path in sorted(loaded.workspace.glob(pattern)) if path.is_file())
        content = file.read_bytes()
        start = len(content) if place is None else place
        file.unlink()  # not in place: other releases may link to the same file
        file.write_bytes(content[:start] + data + content[start + len(data) :])

    return damage


def truncate(pattern):
    def damage(loaded):
        file = next(iter(loaded.workspace.glob(pattern)))
        os.truncate(file, file.stat().st_size // 2)

    return damage


def remove(pattern):
    def damage(loaded):
        paths = sorted(loaded.workspace.glob(pattern))
        assert paths
        for path in paths:  # the first file of a store may be one that it has replaced, but not deleted yet
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


FRAME = "x'28b52ffd2004'"
DAMAGES = {
    "a record's blob": (execute(f"UPDATE record SET body = {FRAME} WHERE ordinal = 5"), "record 5 cannot be read"),
    "an edge's blob": (
        execute(f"UPDATE edge SET body = {FRAME} WHERE left_ordinal = (SELECT max(left_ordinal) FROM edge)"),
        "edge",
    ),
    "a cluster's description": (
        execute(f"UPDATE merged SET mods = {FRAME} WHERE founder = (SELECT max(founder) FROM merged)"),
        "cannot be read",
    ),
    "the quads of a cluster": (
        execute(f"UPDATE statement SET quads = {FRAME} WHERE founder = 1"),
        "statement 1 cannot",
    ),
    "the quads of an entity": (execute(f"UPDATE entity SET quads = {FRAME} WHERE entity = 3"), "entity 3 cannot"),
    "a lost edge's end": (
        execute(
            "UPDATE edge SET right_ordinal = 999 WHERE (left_ordinal, right_ordinal) ="
            " (SELECT left_ordinal, right_ordinal FROM edge LIMIT 1)"
        ),
        "have an end that is not live",
    ),
    "a cluster without its founder": (
        execute("DELETE FROM member WHERE ordinal = (SELECT min(founder) FROM member)"),
        "have a founder that is not their smallest member",
    ),
    "a cluster that is not merged": (
        execute("DELETE FROM merged WHERE founder = (SELECT min(founder) FROM merged)"),
        "are not merged",
    ),
    "a description without a cluster": (
        execute("INSERT INTO merged SELECT 288, mods, sources, made_by FROM merged LIMIT 1"),
        "belong to no cluster",
    ),
    "a cluster without statements": (
        execute("DELETE FROM delivery", "DELETE FROM statement WHERE founder = (SELECT max(founder) FROM statement)"),
        "have no statements",
    ),
    "an entity without assertions": (
        execute("INSERT INTO entity (iri, quads) VALUES ('http://x', NULL)"),
        "there are no assertions",
    ),
    "a wrong number of votes": (
        execute("UPDATE assertion SET votes = votes + 1 WHERE assertion = (SELECT max(assertion) FROM assertion)"),
        "have wrong counts of clusters or votes",
    ),
    "an assertion that does not exist": (
        execute(
            "INSERT INTO asserting_cluster SELECT founder, 1000000, 1 FROM statement ORDER BY founder LIMIT 1 OFFSET 99"
        ),
        "make assertions about an entity that does not exist",
    ),
    "a missing index": (remove("index/1"), "index/1"),
    "a truncated file of features": (truncate("index/1/texts.uint8"), "texts.uint8 has"),
    "damaged texts": (overwrite("index/1/texts.uint8", b"\x1f", 80), "texts begin or end"),
    "rows of other records": (overwrite("index/1/made.*", b"\1\2\3", 80), "another version"),
    "a lost row": (execute("UPDATE feature_index SET valid_rows = valid_rows - 1"), "have no row"),
    "a file of keys": (overwrite("index/1/keys-1.duckdb", b"nothing", 0), "keys-1.duckdb"),
    "the live store": (remove("store/*.sst"), "store: "),
    "a live store of other quads": (execute("UPDATE delivery SET quads = 17"), "quads instead of 17"),
    "a dump": (overwrite("releases/1/bibld.nq.gz", b"x", 100), "changed since they were made: bibld.nq.gz"),
    "a manifest": (overwrite("releases/1/manifest.json", b"}", 0), "is not a release"),
}


SEPARATE = {"rows of other records", "a lost row", "a file of keys", "a live store of other quads", "a manifest"}
GROUPS = [
    [name for name, (damage, _) in DAMAGES.items() if "execute" in damage.__qualname__ and name not in SEPARATE],
    ["a missing index", "a dump"],
    ["a truncated file of features", "the live store"],
    ["damaged texts"],
    sorted(SEPARATE),
]
"""Damages that can be found in one check because none hides another."""


def test_every_damage_is_in_a_group():
    assert sorted(name for names in GROUPS for name in names) == sorted(DAMAGES)


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_damage_is_found_and_repaired_by_the_next_run(names, copy, intact, invoke):
    for name in names:
        DAMAGES[name][0](copy)
    found = invoke("catalog", "check", copy.file, "--all", "-q")
    assert found.exit_code == 1
    assert [name for name in names if DAMAGES[name][1] not in found.output] == [], found.output
    mended = invoke("catalog", "check", copy.file, "--all", "-q", "--repair")
    assert (mended.exit_code, mended.output.count("mended") >= len(names)) == (0, True), mended.output
    pipeline.run(copy, CLOCK, progress.Silent())
    after = invoke("catalog", "check", copy.file, "--all", "-q")
    assert (after.exit_code, after.output) == (0, "289 records checked: no faults\n")
    assert dumps(copy) == dumps(intact)


def test_checking_an_intact_workspace_does_not_change_it(intact, invoke):
    before = {path: path.stat().st_mtime_ns for path in intact.workspace.rglob("*.db")}
    for words in ((), ("--all",), ("--repair", "--json")):
        assert invoke("catalog", "check", intact.file, "-q", *words).exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in intact.workspace.rglob("*.db")} == before


def test_items_that_a_run_has_still_to_process_are_no_faults(copy, invoke):
    with Catalog(copy.workspace) as catalog, catalog.commit():
        catalog.records.delete(1, run=9)
        catalog.records.delete(200, run=9)
    assert invoke("catalog", "check", copy.file, "-q").output == "287 records checked: no faults\n"


@pytest.mark.parametrize("words", [(), ("--repair",)])
def test_a_register_without_an_ordinal_is_never_repaired(words, copy, invoke):
    with closing(connect(copy.workspace / "register.db", read_only=False)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM ordinal WHERE ordinal = 7")
    before = (copy.workspace / "register.db").read_bytes()
    found = invoke("catalog", "check", copy.file, "-q", *words)
    assert found.exit_code == 1
    assert "register.db: does not contain 7, which catalog.db contains; restore it from a backup" in found.output
    assert (copy.workspace / "register.db").read_bytes() == before


@pytest.mark.parametrize("name", ["register.db", "catalog.db"])
def test_a_damaged_database_is_found_and_not_repaired(name, copy, invoke):
    file = copy.workspace / name
    content = bytearray(file.read_bytes())
    content[5000:9000] = b"\xff" * 4000
    file.write_bytes(content)
    found = invoke("catalog", "check", copy.file, "-q", "--repair", "--json")
    assert found.exit_code == 1
    (finding,) = msgspec.json.decode(found.output)["findings"]
    assert (finding["where"], finding["mended"]) == (name, False)
    assert "restore it from a backup" in finding["remedy"]


def test_checking_before_the_first_run_reports_the_command_to_run(tmp_path, intact, invoke):
    shutil.copytree(intact.folder, tmp_path / "sample")
    found = invoke("catalog", "check", tmp_path / "sample" / "bibld.toml")
    assert f"run `bibld run {tmp_path / 'sample' / 'bibld.toml'}` first" in found.output
