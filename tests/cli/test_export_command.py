"""Clusters and pairs as CSV, Excel, JSON Lines and Parquet: the rows are those of the tables of the API."""

import csv
import io
import json

import duckdb
import msgspec
import openpyxl
import pytest
from click.testing import CliRunner

import bibld
from bibld._api.table_files import table_format, write_table
from bibld.cli import command_line
from bibld.errors import ConfigError
from bibld.text.translations import sentences_in
from tests.dedup.conftest import _loaded_sample, sample  # noqa: F401


@pytest.fixture
def invoke(sample):  # noqa: F811
    def invoke(table, *words):
        done = CliRunner().invoke(command_line, ["export", table, str(sample), *map(str, words)])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return invoke


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_record_of_a_cluster_has_a_row(invoke, sample):  # noqa: F811
    workspace = bibld.Workspace(sample)
    rows = rows_of(invoke("clusters").stdout)
    assert [(row["cluster"], row["record"]) for row in rows] == [
        (one.cluster, record) for one in workspace.clusters() for record in one.records
    ]
    assert all(row["record"].partition(":")[0] == row["source"] for row in rows)
    titles = {row.record: row.title for row in workspace.records()}
    assert {row["record"]: row["title"] for row in rows}.items() <= titles.items()
    every = rows_of(invoke("clusters", "--min-size", "1").stdout)
    assert {row["record"] for row in every} == titles.keys()
    assert {row["size"] for row in every} >= {"1", "2"}


def test_each_scored_pair_has_a_row(invoke, sample):  # noqa: F811
    pairs = bibld.Workspace(sample).pairs()
    rows = rows_of(invoke("pairs").stdout)
    assert [(row["left"], row["right"], float(row["score"]), row["decision"]) for row in rows] == [
        (pair.left, pair.right, pair.score, pair.decision) for pair in pairs
    ]
    assert rows[0]["reasons"] == "; ".join(pairs[0].reasons)
    chosen = rows_of(invoke("pairs", "--decision", "review").stdout)
    assert chosen == [row for row in rows if row["decision"] == "review"]


@pytest.mark.parametrize("table", ["clusters", "pairs"])
def test_parquet_has_the_rows_of_csv_in_their_order(invoke, tmp_path, table):
    by_suffix, by_option = tmp_path / "a.parquet", tmp_path / "b.table"
    assert invoke(table, "--out", by_suffix).output == ""
    invoke(table, "--out", by_option, "--format", "parquet")
    rows = duckdb.sql(f"select columns(*)::text from '{by_suffix}'")
    assert rows.columns == list(rows_of(invoke(table).stdout)[0])
    assert [list(row) for row in rows.fetchall()] == [list(row.values()) for row in rows_of(invoke(table).stdout)]
    assert by_option.read_bytes()[:4] == b"PAR1"
    assert (
        dict(duckdb.sql(f"select column_name, column_type from (describe from '{by_suffix}')").fetchall()).get(
            "score", "DOUBLE"
        )
        == "DOUBLE"
    )
    assert sorted(file.name for file in tmp_path.iterdir() if file.suffix in (".parquet", ".table", ".unfinished")) == [
        "a.parquet",
        "b.table",
    ]


@pytest.mark.parametrize("table", ["clusters", "pairs"])
def test_json_lines_have_lists_and_numbers(invoke, tmp_path, table):
    text = invoke(table, "--format", "jsonl").stdout
    rows = [json.loads(line) for line in text.splitlines()]
    as_text = [
        {name: "; ".join(value) if isinstance(value, list) else str(value) for name, value in row.items()}
        for row in rows
    ]
    assert as_text == rows_of(invoke(table).stdout)
    assert invoke(table, "--out", tmp_path / "table.jsonl").output == ""
    assert (tmp_path / "table.jsonl").read_text(encoding="utf-8") == text


def test_a_file_that_cannot_be_written_is_named(invoke, tmp_path, sample):  # noqa: F811
    (tmp_path / "file").write_text("")
    done = invoke("pairs", "--out", tmp_path / "file" / "pairs.csv")
    assert (done.exit_code, "pairs.csv: cannot be written" in done.stderr) == (2, True)
    done = invoke("pairs", "--format", "parquet")
    assert (done.exit_code, "needs a file" in done.stderr) == (2, True)
    with pytest.raises(ConfigError, match="unknown format"):
        bibld.Workspace(sample).export_pairs(io.StringIO(), "xls")


@pytest.mark.parametrize("table", ["clusters", "pairs"])
def test_a_workbook_has_the_rows_of_csv(invoke, tmp_path, table):
    assert invoke(table, "--out", tmp_path / "table.xlsx").output == ""
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx").active
    header, *rows = sheet.iter_rows(values_only=True)
    expected = rows_of(invoke(table).stdout)
    assert list(header) == list(expected[0])
    for row, wanted in zip(rows, expected, strict=True):
        for cell, (name, text) in zip(row, wanted.items(), strict=True):
            assert str(cell or "") == text or (name == "score" and cell == float(text))
    assert "needs a file" in invoke(table, "--format", "xlsx").stderr


def test_excel_recognises_a_file_of_csv_as_utf_8(invoke, tmp_path):
    invoke("clusters", "--out", tmp_path / "clusters.csv")
    written = (tmp_path / "clusters.csv").read_bytes()
    assert written.decode("utf-8-sig").encode() == invoke("clusters").stdout_bytes
    assert written.startswith(b"\xef\xbb\xbfcluster,")


class Line(msgspec.Struct):
    title: str
    score: float | None = None


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("Война и мир", "Война и мир"),
        ("=HYPERLINK(A1)", "'=HYPERLINK(A1)"),
        ("@SUM(1)", "'@SUM(1)"),
        ("+1 и другие", "'+1 и другие"),
        ("a=b", "a=b"),
    ],
)
def test_no_title_is_a_formula(tmp_path, title, cell):
    for name, shown in (("table.csv", cell), ("table.xlsx", title)):
        write_table([Line(title, -0.5)], ("title", "score"), tmp_path / name, table_format(name, None))
        if name.endswith("csv"):
            rows = list(csv.reader((tmp_path / name).read_text(encoding="utf-8-sig").splitlines()))
            assert rows == [["title", "score"], [shown, "-0.5"]]
        else:
            found = openpyxl.load_workbook(tmp_path / name).active["A2"]
            assert (found.value, found.data_type) == (shown, "s")


def test_a_sheet_that_is_full_has_another_behind_it(tmp_path, monkeypatch):
    monkeypatch.setattr("bibld._api.table_files._ROWS_OF_A_SHEET", 2)
    for count, sheets in ((0, 1), (2, 1), (5, 3)):
        file = tmp_path / f"{count}.xlsx"
        write_table([Line(f"title {number}") for number in range(count)], ("title",), file, "xlsx")
        found = [list(sheet.values) for sheet in openpyxl.load_workbook(file)]
        assert [len(rows) - 1 for rows in found] == [min(2, count - 2 * each) for each in range(sheets)]


def test_tables_for_people_are_in_their_language_and_those_for_programs_in_english(tmp_path):
    class Row(msgspec.Struct):
        outcome: str
        score: float
        reasons: tuple[str, ...]

    rows = [Row("new", 0.5, ("no shared blocking key, so a run never compares the pair",))]
    written = {}
    for name in ("a.csv", "a.jsonl"):
        write_table(
            rows, ("outcome", "score", "reasons"), tmp_path / name, table_format(name, None), sentences_in("ru")
        )
        written[name] = (tmp_path / name).read_text(encoding="utf-8-sig").splitlines()
    assert written["a.csv"][0] == "исход;оценка;почему"
    assert written["a.csv"][1].startswith("новая;0,5;общего ключа блокирования нет")
    assert written["a.jsonl"][0].startswith('{"outcome":"new","score":0.5,"reasons":["no shared')


def test_a_suffix_of_another_format_is_refused(invoke, tmp_path):
    done = invoke("clusters", "--out", tmp_path / "clusters.xls")
    assert done.exit_code == 2
    assert ".xls is no format of tables; write .csv, .xlsx, .jsonl or .parquet, or --format" in done.output
    assert invoke("clusters", "--out", tmp_path / "clusters.xls", "--format", "csv").exit_code == 0
