"""Works in a release: in JSON Lines, in MODS, in the feed, and as a table of their own."""

import csv
import gzip
import io
import json

import duckdb
import pytest
from click.testing import CliRunner
from lxml import etree

import bibld
from bibld import from_xml
from bibld.cli import command_line
from bibld.model.works import find_top_work
from tests.configuration import write_config

PARTS = """
[publish]
parts = ["void", "run", "documents", "dumps", "jsonl", "mods", "store", "sitemap", "feed", "dcat"]
full = "always"
"""
HEAD = r"""=LDR  00000nam a2200000   4500
=001  {}
=008  800101s{}    ru       b    000 1 {} d
=100  1\$aТолстой, Лев Николаевич,$d1828-1910.$4aut
"""


def record(number: int, year: int, *fields: str, language: str = "rus") -> str:
    return HEAD.format(number, year, language) + "\n".join(fields) + "\n\n"


RUSSIAN = (
    record(1, 1950, r"=245  10$aВойна и мир.", r"=260  \\$aМосква :$bНаука,$c1950."),
    record(2, 1978, r"=245  10$aВойна и мир.", r"=260  \\$aЛенинград :$bЛениздат,$c1978."),
    record(3, 1899, r"=245  10$aВоскресение.", r"=260  \\$aМосква :$bНаука,$c1899."),
)
ENGLISH = (
    record(
        1, 1957,
        r"=041  1\$aeng$hrus",
        r"=240  10$aВойна и мир.$lEnglish",
        r"=245  10$aWar and peace /$cLeo Tolstoy ; translated by Rosemary Edmonds.",
        r"=260  \\$aLondon :$bPenguin,$c1957.",
        r"=700  1\$aEdmonds, Rosemary,$d1905-1998.$4trl",
        language="eng",
    ),
)  # fmt: skip
BASE = "https://data.example.org/"
WAR, RESURRECTION, ENGLISH_WAR = f"{BASE}work/a/1", f"{BASE}work/a/3", f"{BASE}work/b/1"


def write_books(folder, russian=RUSSIAN, english=ENGLISH):
    (folder / "a.mrk").write_text("".join(russian), encoding="utf-8")
    (folder / "b.mrk").write_text("".join(english), encoding="utf-8")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("works")
    write_books(folder)
    workspace = bibld.Workspace(write_config(folder, PARTS, a="a.mrk", b="b.mrk"))
    workspace.run()
    return workspace


def release(workspace, number=1):
    return workspace.config.workspace / "releases" / str(number)


def lines(workspace, name):
    data = gzip.decompress((release(workspace) / name).read_bytes())
    return [json.loads(line) for line in data.splitlines()]


def test_each_publication_names_its_work_and_the_work_under_which_readers_expect_it(workspace):
    found = {
        row["iri"].removeprefix(f"{BASE}resource/"): (row["work"], row["top_work"])
        for row in lines(workspace, "merged-1-1.jsonl.gz")
    }
    assert found == {
        "a/1": (WAR, WAR),
        "a/2": (WAR, WAR),
        "a/3": (RESURRECTION, RESURRECTION),
        "b/1": (ENGLISH_WAR, WAR),
    }


def test_each_work_has_a_line_with_its_creators_its_original_and_its_editions(workspace):
    rows = {row["iri"]: row for row in lines(workspace, "works-1-1.jsonl.gz")}
    assert set(rows) == {WAR, RESURRECTION, ENGLISH_WAR}
    war, english = rows[WAR], rows[ENGLISH_WAR]
    assert (war["title"], war["languages"]) == ("Война и мир", ["rus"])
    assert [(one["name"], one["roles"]) for one in war["creators"]] == [("Толстой, Лев Николаевич", ["aut"])]
    assert war["publications"] == [f"{BASE}resource/a/1", f"{BASE}resource/a/2"]
    assert english["translation_of"] == [{"iri": WAR, "title": "Война и мир", "languages": ["rus"]}]
    assert [(one["name"], one["roles"]) for one in english["contributors"]] == [("Edmonds, Rosemary", ["trl"])]


def test_a_collection_of_mods_names_the_work_of_each_publication(workspace):
    data = gzip.decompress((release(workspace) / "merged-1-1.mods.xml.gz").read_bytes())
    mods = from_xml(etree.tostring(etree.fromstring(data)[0]))
    item = mods.related_item[-1]
    assert (item.other_type_uri, item.xlink_href) == ("http://id.loc.gov/ontologies/bibframe/instanceOf", WAR)
    assert [title.title for title in item.mods.title_info] == ["Война и мир"]


def test_the_files_of_works_are_distributions_of_the_release(workspace):
    assert "works-1-1.jsonl.gz" in (release(workspace) / "dcat.ttl").read_text(encoding="utf-8")


def test_the_sitemap_and_the_description_of_the_dataset_know_works(workspace):
    sitemap = gzip.decompress((release(workspace) / "sitemap-1.xml.gz").read_bytes()).decode()
    assert sitemap.count(f"{BASE}doc/work/") == 3
    void = (release(workspace) / "void.ttl").read_text(encoding="utf-8")
    description = void[void.index(f"<{BASE}dataset#links-work-sameAs>") :].partition(" .\n")[0]
    assert f"void:objectsTarget <{BASE}dataset>" in description, "other IRIs of the works of this dataset"


def invoke(workspace, *words):
    done = CliRunner().invoke(command_line, ["export", "works", str(workspace.config.file), *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_works_are_exported_as_a_table(workspace):
    rows = {row["work"]: row for row in csv.DictReader(io.StringIO(invoke(workspace)))}
    war, english = rows[WAR], rows[ENGLISH_WAR]
    assert (war["title"], war["creators"], war["languages"]) == ("Война и мир", "Толстой, Лев Николаевич", "rus")
    assert (war["publications"], war["first_year"], war["last_year"], war["libraries"]) == ("2", "1950", "1978", "a")
    assert (english["translation_of"], english["original_title"], english["original_languages"]) == (
        WAR,
        "Война и мир",
        "rus",
    )
    assert english["libraries"] == "b"
    assert [row["work"] for row in csv.DictReader(io.StringIO(invoke(workspace, "--min-publications", 2)))] == [WAR]


def test_each_form_of_the_table_has_the_rows_of_the_python_interface(workspace, tmp_path):
    table = workspace.works()
    assert [row.work for row in table] == [WAR, RESURRECTION, ENGLISH_WAR]
    rows = [json.loads(line) for line in invoke(workspace, "--format", "jsonl").splitlines()]
    assert rows == table.to_dicts()
    for name in ("works.jsonl", "works.parquet", "works.csv"):
        assert invoke(workspace, "--out", tmp_path / name) == ""
    assert (tmp_path / "works.jsonl").read_text(encoding="utf-8") == invoke(workspace, "--format", "jsonl")
    found = duckdb.sql(f"select work, publications, first_year from '{tmp_path / 'works.parquet'}'").fetchall()
    assert found == [(row.work, row.publications, row.first_year) for row in table]


def changes(workspace, number):
    with (release(workspace, number) / "changes.tsv").open(encoding="utf-8") as table:
        return {
            (row["iri"].removeprefix(BASE), row["change"], row["other"].removeprefix(BASE))
            for row in csv.DictReader(table, delimiter="\t")
            if row["iri"].startswith(f"{BASE}work/")
        }


def test_the_feed_names_works_that_an_edition_joined_or_left(tmp_path):
    write_books(tmp_path, english=())
    (tmp_path / "b.mrk").write_text(record(9, 1900, "=245  10$aДетство."), encoding="utf-8")
    workspace = bibld.Workspace(write_config(tmp_path, PARTS, a="a.mrk", b="b.mrk"))
    workspace.run()
    other = record(2, 1978, r"=245  10$aАнна Каренина.", r"=260  \\$aЛенинград :$bЛениздат,$c1978.")
    write_books(tmp_path, (RUSSIAN[0], other, RUSSIAN[2]), (record(9, 1900, "=245  10$aДетство."),))
    workspace.run()
    assert changes(workspace, 2) == {("work/a/1", "updated", ""), ("work/a/2", "split", "work/a/1")}
    write_books(tmp_path, RUSSIAN, (record(9, 1900, "=245  10$aДетство."),))
    workspace.run()
    assert changes(workspace, 3) == {("work/a/1", "updated", ""), ("work/a/2", "merged", "work/a/1")}


@pytest.mark.parametrize(
    ("above", "top"),
    [
        ({}, "volume"),
        ({"volume": ["set"]}, "set"),
        ({"volume": ["set"], "set": ["original"]}, "original"),
        ({"volume": ["volume", "set"]}, "set"),
        ({"volume": ["set"], "set": ["volume"]}, "set"),
        ({"volume": ["b"], "b": ["a"], "a": ["b"]}, "a"),
    ],
)
def test_the_top_work_is_found_upwards_and_cycles_end(above, top):
    assert find_top_work("volume", lambda work: above.get(work, ())) == top
