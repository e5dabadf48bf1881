"""The tables of every step: complete, in order, and the same matching as a run's."""

import duckdb
import pytest
from click.testing import CliRunner

import bibld
from bibld.cli import command_line
from bibld.errors import CatalogError

NAMES = ("records", "features", "keys", "pairs", "scores", "clusters")


@pytest.fixture
def tables(sample, tmp_path):
    """The workspace, and a connection with a view of each table."""
    workspace = bibld.Workspace(sample)
    files = workspace.keep_tables(tmp_path / "tables")
    assert [file.name for file in files] == [f"{name}.parquet" for name in NAMES]
    database = duckdb.connect()
    for name, file in zip(NAMES, files, strict=True):
        database.execute(f"create view {name} as select * from '{file}'")
    yield workspace, lambda query: database.execute(query).fetchall()
    database.close()


def test_the_tables_contain_the_clusters_and_edges_of_a_run(tables):
    workspace, query = tables
    names = dict(query("select ordinal, record from records"))
    groups = {}
    for founder, member in query("select * from clusters"):
        groups.setdefault(founder, []).append(names[member])
    assert sorted(tuple(group) for group in groups.values() if len(group) > 1) == sorted(
        row.records for row in workspace.clusters()
    )
    assert sum(map(len, groups.values())) == len(names) == 289
    edges = query('select "left", "right", score, outcome from scores where outcome <> \'different\'')
    found = {(frozenset((names[one], names[other])), round(score, 5), outcome) for one, other, score, outcome in edges}
    assert found == {(frozenset((row.left, row.right)), round(row.score, 5), row.decision) for row in workspace.pairs()}


def test_each_pair_shares_a_key_and_has_a_score(tables):
    _, query = tables
    assert query("select count(*) from pairs") == query("select count(*) from scores")
    assert query('select count(*) from pairs where "left" >= "right"') == [(0,)]
    without_key = """select count(*) from pairs where not exists (
        select 1 from keys one join keys other using (blocker, key)
        where one.ordinal = pairs."left" and other.ordinal = pairs."right")"""
    assert query(without_key) == [(0,)]
    assert query("select count(distinct family) > 0 from keys") == [(True,)]


def test_functions_write_the_tables_too(sample, tmp_path):
    def titles(mods):
        return [info.title for info in mods.title_info]

    def half(left, right):
        return 0.5

    bibld.Workspace(sample).keep_tables(tmp_path, block=[titles], score=half)
    query = "select distinct blocker, score from '{0}/keys.parquet', '{0}/scores.parquet'"
    assert duckdb.execute(query.format(tmp_path)).fetchall() == [("titles", 0.5)]


def test_a_verdict_of_a_person_is_in_the_tables(sample, tmp_path):
    workspace = bibld.Workspace(sample)
    (_, one, other), *_ = ((row.size, *row.records) for row in workspace.clusters() if row.size == 2)
    workspace.review.decide(one, other, "different", person="anna")
    workspace.keep_tables(tmp_path)
    query = f"""select decision, outcome from '{tmp_path}/scores.parquet' scores
        join '{tmp_path}/records.parquet' one on one.ordinal = "left"
        join '{tmp_path}/records.parquet' other on other.ordinal = "right"
        where one.record in ($1, $2) and other.record in ($1, $2)"""
    assert duckdb.execute(query, [one, other]).fetchall() == [("same", "different")]


def test_the_command_writes_them_after_a_run(sample, tmp_path):
    folder = tmp_path / "kept"
    done = CliRunner().invoke(command_line, ["dedup", str(sample), "--quiet", "--keep-tables", str(folder)])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == sorted(f"{n}.parquet" for n in NAMES)


def test_a_folder_that_cannot_be_made_is_reported(sample, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CatalogError, match="file"):
        bibld.Workspace(sample).keep_tables(tmp_path / "file" / "folder")
