"""The lines of worklists of a small workspace: what they are about, who states what, and how they change with runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import bibld
from bibld import cli
from bibld.catalog import Catalog
from bibld.errors import CatalogError, ConfigError
from bibld.worklist import WorkKind, WorklistPart, read_findings
from tests.link.catalogue import TWAIN, write_catalogue

FIXED = "=008  840412s{year}    gw a     b    000 0 {language}  "
BOOK = """=LDR  00000nam a2200000 i 4500
=001  {number}
=003  {own}
{fixed}
=020  \\\\$a{isbn}
=041  0\\$a{language}
=100  1\\$aGoethe, Johann Wolfgang von,$d1749-1832{authority}
=245  10$aFaust :$bder Tragödie erster Teil{part}
=260  \\\\$aStuttgart :$bReclam,$c{year}.
=300  \\\\$a135 p.
{more}
"""
CONFIG = """workspace = "work"
workers = 1
[dataset]
base = "https://data.example.org/"
title = {{ en = "Test" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "tests"
[[source]]
id = "one"
path = "one.mrk"
duplicates = true
{worklist}
[[source]]
id = "two"
path = "two.mrk"
[[source]]
id = "three"
path = "three.mrk"
"""
GND = "$0(DE-588)118540238"


def book(number: str, **more: str) -> str:
    values = {
        "own": "ONE",
        "isbn": "3150000017",
        "year": "1986",
        "language": "ger",
        "authority": "",
        "part": "",
        "more": "",
    }
    values |= more
    fixed = FIXED.format(year=values["year"], language=values["language"])
    return BOOK.format(number=number, fixed=fixed, **values).replace("\n\n", "\n")


ONE = [
    book("a1"),
    book("a2", year="1986"),
    book("a3", isbn="3150000026", more="=999  \\\\$alocal\n=773  0\\$tHost$wa1\n=773  0\\$tGone$wa9"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> bibld.Workspace:
    (tmp_path / "one.mrk").write_text("\n".join(ONE), encoding="utf-8")
    (tmp_path / "two.mrk").write_text(book("b1", own="TWO", year="1987", authority=GND), encoding="utf-8")
    (tmp_path / "three.mrk").write_text(book("c1", own="THREE", year="1987"), encoding="utf-8")
    (tmp_path / "bibld.toml").write_text(CONFIG.format(worklist=""), encoding="utf-8")
    workspace = bibld.Workspace(tmp_path / "bibld.toml")
    workspace.run("merge")
    return workspace


def shown(lines: object) -> list[tuple[str, str, str, str]]:
    return [(line.record, line.kind, line.where, line.value) for line in lines]  # type: ignore[attr-defined]


def test_lines_of_every_part_are_found_and_sorted_by_harm(workspace) -> None:
    lines = workspace.worklist("one")
    found = shown(lines)
    assert ("one:a2", "duplicate-record", "", "Faust : der Tragödie erster Teil") in found
    assert ("one:a3", "wrong-check-digit", "020$a", "3150000026") in found
    assert ("one:a3", "missing-record", "773[2]$w", "a9") in found
    assert ("one:a1", "other-year", "260$c, 264$c", "1986") in found
    assert ("one:a1", "missing-authority", "$0", "Goethe, Johann Wolfgang von, 1749-1832") in found
    assert [line.harm for line in lines] == sorted((line.harm for line in lines), reverse=True)
    assert len({line.key for line in lines}) == len(lines)
    year = next(line for line in lines if line.kind == "other-year")
    assert set(year.others) == {"two:b1: 1987", "three:c1: 1987"}
    assert year.remedy == "compare with the publication; they have 1987"
    number = next(line for line in lines if line.kind == "missing-authority")
    assert number.remedy == "add https://d-nb.info/gnd/118540238"
    assert number.others == ("two:b1: https://d-nb.info/gnd/118540238",)


def test_the_majority_states_nothing_else(workspace) -> None:
    assert "other-year" not in {line.kind for line in workspace.worklist("two")}


def test_kinds_and_parts_are_chosen(workspace) -> None:
    assert {line.kind for line in workspace.worklist(kinds=["wrong-check-digit"])} == {"wrong-check-digit"}
    parts = [workspace.worklist(kinds=[part.value]) for part in WorklistPart]
    assert sum(map(len, parts)) == len(workspace.worklist())
    for part, lines in zip(WorklistPart, parts, strict=True):
        assert {WorkKind.__members__[line.kind.replace("-", "_").upper()].part for line in lines} <= {part}
    with pytest.raises(ConfigError, match='unknown kind "wrong"'):
        workspace.worklist(kinds=["wrong"])
    with pytest.raises(ConfigError, match='unknown source "four"'):
        workspace.worklist("four")


def test_lines_stay_until_they_are_mended_and_are_counted(workspace, tmp_path) -> None:
    first = workspace.worklist("one")
    assert {line.state for line in first} == {"new"}
    assert workspace.worklist("one") == first, "the same run has the same list"
    mended = [*ONE[:2], ONE[2].replace("3150000026", "3150000017").replace("=300", "=300  \\\\$ztwo\n=300")]
    (tmp_path / "one.mrk").write_text("\n".join(mended), encoding="utf-8")
    workspace.run("merge")
    second = workspace.worklist("one")
    known = {line.key for line in first}
    assert {line.state for line in second if line.key in known} == {"known"}
    assert [
        (line.kind, line.where) for line in second if line.state == "new" and line.kind.startswith("undefined")
    ] == [("undefined-subfield", "300[1]$z")]
    only = workspace.worklist("one", kinds=["missing-record", "undefined-subfield"])
    assert {line.kind: line.state for line in only} == {"missing-record": "known", "undefined-subfield": "new"}
    counts = {(one.run, one.kind): (one.lines, one.new, one.mended) for one in workspace.worklist_counts("one")}
    runs = sorted({run for run, _ in counts})
    assert counts[runs[0], "wrong-check-digit"] == (1, 1, 0)
    assert counts[runs[1], "wrong-check-digit"] == (0, 0, 1)
    assert counts[runs[1], "missing-record"] == (1, 0, 0)
    assert workspace.worklist_counts("two") == bibld.Table(bibld.WorklistCount, [])


def test_an_unchanged_record_is_not_inspected_again_but_a_new_profile_inspects_all(
    workspace, tmp_path, monkeypatch
) -> None:
    def fail(*arguments: object) -> bytes:
        raise AssertionError("inspected again")

    with monkeypatch.context() as patch:
        patch.setattr("bibld.worklist.inspect_record", fail)
        workspace.run("merge")
    assert "undefined-subfield" not in {line.kind for line in workspace.worklist("one")}
    (tmp_path / "own.json").write_text(
        '{"fields": {"999": {"label": "Ours", "subfields": {"b": {}}}}}', encoding="utf-8"
    )
    table = '[source.worklist]\nprofile = "own.json"\n'
    (tmp_path / "bibld.toml").write_text(CONFIG.format(worklist=table), encoding="utf-8")
    with_profile = bibld.Workspace(tmp_path / "bibld.toml")
    with_profile.run("merge")
    line = next(line for line in with_profile.worklist("one") if line.kind == "undefined-subfield")
    assert (line.where, line.wrong) == ("999$a", "999 (Ours) has no subfield $a")


def test_faults_of_the_profile_end_the_run_before_it_starts(workspace, tmp_path) -> None:
    (tmp_path / "own.json").write_text('{"fields": {"99": {}}}', encoding="utf-8")
    table = '[source.worklist]\nprofile = "own.json"\n'
    (tmp_path / "bibld.toml").write_text(CONFIG.format(worklist=table), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"own\.json: fields\.99: is not a tag"):
        bibld.Workspace(tmp_path / "bibld.toml").run("merge")


def test_a_record_that_became_right_or_was_deleted_has_no_findings(workspace, tmp_path) -> None:
    deleted = ONE[2].replace("00000nam", "00000dam")
    (tmp_path / "one.mrk").write_text("\n".join([*ONE[:2], deleted]), encoding="utf-8")
    workspace.run("merge", allow_deletes=True)
    assert "one:a3" not in {line.record for line in workspace.worklist("one")}
    with Catalog(tmp_path / "work", read_only=True) as catalog:
        assert [read_findings(body).faults for _, _, body in catalog.worklist.findings("one")] == []


def test_links_are_not_reported_if_none_leads_to_a_record(workspace, tmp_path) -> None:
    (tmp_path / "one.mrk").write_text("\n".join([*ONE[:2], ONE[2].replace("$wa1", "$wx1")]), encoding="utf-8")
    workspace.run("merge")
    assert "missing-record" not in {line.kind for line in workspace.worklist("one")}


def test_the_command_prints_counts_and_lines_and_writes_tables(workspace, tmp_path) -> None:
    def invoke(*arguments: object) -> str:
        result = CliRunner().invoke(cli.command_line, ["worklist", str(workspace.path), *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    text = invoke("one")
    assert "one     wrong-check-digit" in text
    assert "one:a3 020$a “3150000026”: the check digit is wrong; compare with the publication;" in text
    assert "more lines; --limit 0 prints all" in invoke("--limit", "1")
    rows = list(csv.DictReader(io.StringIO(invoke("one", "--kind", "missing-record", "--format", "csv"))))
    assert [(row["record"], row["where"], row["harm"]) for row in rows] == [("one:a3", "773[2]$w", "4")]
    found = json.loads(invoke("--json"))
    assert {"counts", "lines"} == found.keys() and found["lines"][0]["harm"] == 5
    for name in ("list.xlsx", "list.parquet", "list.jsonl", "list.csv"):
        assert "wrong-check-digit" in invoke("one", "-o", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert (tmp_path / "list.csv").read_bytes().startswith(b"\xef\xbb\xbfsource,record,kind")
    invoke("one", "--format", "text", "-o", tmp_path / "list.txt")
    assert "one:a3 020$a" in (tmp_path / "list.txt").read_text(encoding="utf-8")
    assert invoke("--kind", "encoded-twice") == "nothing to mend\n"


def test_a_damaged_memory_of_worklists_is_reported(workspace, tmp_path) -> None:
    (tmp_path / "work" / "worklist.db").write_bytes(b"no database" * 100)
    with pytest.raises(CatalogError, match=r"worklist\.db: cannot be read or written: .* or delete the file"):
        workspace.worklist("one")


def test_accepted_links_give_numbers_to_headings_of_single_records_too(tmp_path) -> None:
    workspace = bibld.Workspace(write_catalogue(tmp_path))
    workspace.run()
    workspace.links.update([tmp_path / "people.csv"])
    found = {(line.record, line.value): line.remedy for line in workspace.worklist(kinds=["authorities"])}
    assert found == {
        ("a:1", "Twain, Mark, 1835-1910"): f"add {TWAIN}",
        ("a:2", "Кузнецов, Пётр Ильич, 1901-1970"): "add http://viaf.org/viaf/3",
    }
