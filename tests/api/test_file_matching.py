"""Matching files with a release: the outcome is that of a run with them, and nothing of them is stored."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

import bibld
from bibld._api.file_matching import match_files
from bibld.cli import command_line
from bibld.dedup import lookup
from bibld.errors import CatalogError, ConfigError, StageError
from bibld.model.matched import OUTCOMES, MatchedRecord

SLAVICA = '[[source]]\nid = "slavica"'


@pytest.fixture(scope="module")
def without_slavica(tmp_path_factory) -> bibld.Workspace:
    """The sample, run without its third source."""
    file = bibld.write_sample(tmp_path_factory.mktemp("matched") / "sample")
    begin, _, rest = file.read_text(encoding="utf-8").partition(SLAVICA)
    file.with_name("all.toml").write_text(begin + SLAVICA + rest, encoding="utf-8")
    after = rest.partition("\n[")[2]
    file.write_text(f"{begin}[{after}" if after else begin, encoding="utf-8")
    workspace = bibld.Workspace(file)
    workspace.run()
    return workspace


@pytest.fixture
def file(without_slavica) -> Path:
    return without_slavica.path.with_name("slavica.xml")


def test_records_of_the_release_are_found_in_it(workspace):
    for name in ("rsl.mrc", "nlr.iso", "slavica.xml"):
        found = workspace.match(workspace.path.with_name(name))
        source = name.partition(".")[0]
        assert [row.outcome for row in found] == ["same"] * len(found)
        assert all(f"{source}:{row.record}" in row.records for row in found)
        assert all(row.publication.startswith(workspace.config.dataset.base) for row in found)
        assert all(row.published_title and row.work and source in row.libraries and row.reasons for row in found)


def test_a_file_is_matched_as_a_run_would_match_it(without_slavica, file, tmp_path):
    found = {row.record: row for row in without_slavica.match(file)}
    assert {row.outcome for row in found.values()} == {"same", "related", "new"}
    copy = shutil.copytree(without_slavica.path.parent, tmp_path / "copy")
    with_file = bibld.Workspace(copy / "all.toml")
    with_file.run("dedup")
    decisions: dict[str, set[str]] = {record: set() for record in found}
    for pair in with_file.pairs():
        sides = {record.partition(":")[0]: record.partition(":")[2] for record in (pair.left, pair.right)}
        if "slavica" in sides and len(sides) == 2:
            is_refused = pair.by in ("one_record_per_source", "medoid")  # by the cluster, not for the pair
            decisions[sides["slavica"]].add("same" if is_refused else pair.decision)
    for record, row in found.items():
        best = next((one for one in ("same", "review", "related") if one in decisions[record]), "new")
        assert row.outcome == best, (record, decisions[record])


def test_records_that_describe_the_same_within_a_file_are_named(without_slavica, tmp_path):
    one = (without_slavica.path.with_name("nlr.iso")).read_bytes()
    first = one.split(b"\x1d")[0] + b"\x1d"
    (tmp_path / "twice.iso").write_bytes(first + one)
    found = without_slavica.match(tmp_path / "twice.iso")
    assert found[0].duplicates == (f"2: {found[0].record}",)
    assert found[1].duplicates == (f"1: {found[0].record}",)
    assert not found[2].duplicates


def test_many_records_with_one_key_are_found_all_the_same(without_slavica, tmp_path, monkeypatch):
    records = [record + b"\x1d" for record in without_slavica.path.with_name("nlr.iso").read_bytes().split(b"\x1d")[:2]]
    (tmp_path / "copies.iso").write_bytes(records[0] * 40 + records[1])
    monkeypatch.setattr(lookup, "GROWN_FAR", 0.2)
    monkeypatch.setattr(lookup, "_WORDS_AT_ONCE", 10)
    found = without_slavica.match(tmp_path / "copies.iso")
    expected = [without_slavica.match(_written(tmp_path, record))[0] for record in records]
    assert [(row.outcome, row.matched, row.score) for row in found] == [
        (row.outcome, row.matched, row.score) for row in [expected[0]] * 40 + [expected[1]]
    ]


def _written(folder: Path, record: bytes) -> Path:
    (folder / "one.iso").write_bytes(record)
    return folder / "one.iso"


def test_texts_of_any_length_make_rows_of_a_bounded_one(without_slavica, tmp_path):
    long = "а" * 3_000_000
    (tmp_path / "long.xml").write_text(
        "<collection xmlns='http://www.loc.gov/MARC21/slim'><record><leader>00000nam a2200000 i 4500</leader>"
        f"<controlfield tag='001'>{long[:200_000]}</controlfield><datafield tag='245' ind1='0' ind2='0'>"
        f"<subfield code='a'>{long}</subfield></datafield></record></collection>",
        encoding="utf-8",
    )
    (row,) = without_slavica.match(tmp_path / "long.xml")
    assert max(map(len, (row.title, row.record, row.message, *row.faults))) < 1_100


def test_portions_change_nothing(without_slavica, file, monkeypatch):
    found = list(without_slavica.match(file))
    for size in (1, 7):
        monkeypatch.setattr(lookup, "_PORTION", size)
        assert list(without_slavica.match(file)) == found


def test_nothing_of_a_file_is_stored(without_slavica, file, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def state() -> list[tuple[str, int]]:
        files = (one for one in without_slavica.config.workspace.rglob("*") if not one.name.endswith(("-shm", "-wal")))
        return sorted((str(one), one.stat().st_size) for one in (*files, *tmp_path.iterdir()))

    before = state()
    without_slavica.match(file)
    begun = match_files(without_slavica, file)
    next(begun)
    assert state() != before
    begun.close()
    assert state() == before


def test_what_cannot_be_used_is_located(without_slavica, tmp_path):
    records = without_slavica.path.with_name("nlr.iso").read_bytes().split(b"\x1d")
    (tmp_path / "bad.iso").write_bytes(b"\x1d".join([records[0], b"<html>no record</html>", records[1], b""]))
    (tmp_path / "empty.mrc").write_bytes(b"")
    found = without_slavica.match([tmp_path / "bad.iso", tmp_path / "empty.mrc"])
    assert [(row.outcome, row.position) for row in found][:3] == [("same", 1), ("rejected", 2), ("same", 3)]
    assert found[1].message
    assert not found[1].publication
    with pytest.raises(ConfigError, match="not found"):
        without_slavica.match(tmp_path / "nowhere.mrc")


def test_a_release_without_index_and_one_of_other_blockers_are_reported(without_slavica, file, tmp_path):
    copy = shutil.copytree(without_slavica.path.parent, tmp_path / "copy")
    workspace = bibld.Workspace(copy / "bibld.toml")
    index = next(workspace.config.workspace.glob("releases/*/match"))
    text = workspace.path.read_text(encoding="utf-8")
    workspace.path.write_text(text + '\n[dedup]\nblock = ["identifier"]\n', encoding="utf-8")
    with pytest.raises(StageError, match="other blockers; run `bibld run` first"):
        bibld.Workspace(workspace.path).match(file)
    workspace.path.write_text(text, encoding="utf-8")
    (index / "statistics").write_bytes(b"")
    with pytest.raises(CatalogError, match=r"--restat|damaged"):
        workspace.match(file)
    (index / "identifier.keys").unlink()
    with pytest.raises(CatalogError, match="damaged"):
        workspace.match(file)
    shutil.rmtree(index)
    with pytest.raises(StageError, match=r'add "match" to \[publish\] parts'):
        workspace.match(file)


def test_a_run_with_other_blockers_makes_a_release_with_their_index(without_slavica, file, tmp_path):
    copy = shutil.copytree(without_slavica.path.parent, tmp_path / "copy")
    path = copy / "bibld.toml"
    path.write_text(path.read_text(encoding="utf-8") + '\n[dedup]\nblock = ["identifier"]\n', encoding="utf-8")
    workspace = bibld.Workspace(path)
    assert workspace.run().release_is_new
    assert len(workspace.match(file)) == len(bibld.Workspace(without_slavica.path).match(file))


def test_a_release_keeps_its_index_while_runs_change_that_of_the_workspace(without_slavica, file, tmp_path):
    copy = shutil.copytree(without_slavica.path.parent, tmp_path / "copy")
    before = list(bibld.Workspace(copy / "bibld.toml").match(file))
    workspace = bibld.Workspace(copy / "all.toml")
    workspace.run()
    assert {row.outcome for row in workspace.match(file)} == {"same"}
    workspace.roll_back()
    assert list(bibld.Workspace(copy / "bibld.toml").match(file)) == before


def test_what_is_wrong_in_a_record_is_stated(without_slavica, tmp_path):
    record = without_slavica.path.with_name("nlr.iso").read_bytes().split(b"\x1d")[0]
    assert record.count(b"1970") > 1
    (tmp_path / "wrong.iso").write_bytes(record.replace(b"19981104d1970", b"19981104d1950") + b"\x1d")
    (found,) = without_slavica.match(tmp_path / "wrong.iso")
    assert [fault for fault in found.faults if fault.startswith("100$a/09-12: ") and '"1950"' in fault]


def test_libraries_are_named_with_their_own_catalogues(without_slavica, file, tmp_path):
    copy = shutil.copytree(without_slavica.path.parent, tmp_path / "copy")
    path = copy / "bibld.toml"
    text = path.read_text(encoding="utf-8")
    for source, template in (("rsl", "https://rsl.example/{id}"), ("nlr", "https://nlr.example/?isbn={isbn}")):
        text = text.replace(f'id = "{source}"', f'id = "{source}"\ncatalogue_url = "{template}"')
    path.write_text(text, encoding="utf-8")
    found = bibld.Workspace(path).match([file, copy / "nlr.iso"])
    addresses = [address for row in found for address in row.addresses]
    assert any(address.startswith("https://nlr.example/?isbn=") for address in addresses), addresses[:9]
    for row in found:
        own = [f"https://rsl.example/{record.removeprefix('rsl:')}" for record in row.records if "rsl:" in record]
        assert set(own) <= set(row.addresses)


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "jsonl", "parquet"])
def test_the_command_writes_the_table_in_each_form(without_slavica, file, tmp_path, suffix):
    out = tmp_path / f"matches.{suffix}"
    done = CliRunner().invoke(command_line, ["match", str(without_slavica.path), str(file), "--out", str(out), "-q"])
    rows = without_slavica.match(file)
    assert done.exit_code == 0, done.output
    assert f"{len(rows)} records: " in done.stderr
    assert OUTCOMES["new"] in done.stderr
    if suffix == "csv":
        table = list(csv.reader(out.read_text(encoding="utf-8-sig").splitlines()))
    elif suffix == "xlsx":
        table = [list(row) for row in openpyxl.load_workbook(out).active.values]
    elif suffix == "jsonl":
        lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        table = [list(lines[0]), *(list(line.values()) for line in lines)]
    else:
        import duckdb

        found = duckdb.sql(f"select * from '{out}'")
        table = [found.columns, *map(list, found.fetchall())]
    assert list(table[0]) == list(MatchedRecord.__struct_fields__)
    assert [row[4] for row in table[1:]] == [row.outcome for row in rows]


def test_the_command_shows_only_some_outcomes(without_slavica, file):
    words = ["match", str(without_slavica.path), str(file), "--only", "new", "--format", "jsonl", "-q"]
    done = CliRunner().invoke(command_line, words)
    assert {json.loads(line)["outcome"] for line in done.stdout.splitlines()} == {"new"}
    assert f"{len(without_slavica.match(file))} records: " in done.stderr
