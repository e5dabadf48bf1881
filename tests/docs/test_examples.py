"""The examples of the documentation work: configurations, queries, adapters, programs."""

import re
import shutil
import tomllib
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb
import pytest

from bibld import Workspace, config, pipeline, progress, store
from bibld.catalog import Catalog
from bibld.dedup import evaluate
from bibld.dedup.pair_files import read_pairs
from bibld.model.release import Figures
from bibld.protocols import Store
from bibld.serve import ontology as resources
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, name_of, script
from tests.end_to_end.serving import serving

EXAMPLE = "https://data.example.org/"

DATASET = f"""
[dataset]
base = "{EXAMPLE}"
title = {{ en = "Ours" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "We"
"""
SOURCE = '\n[[source]]\nid = "other"\npath = "other.mrc"\n'


class Sample(NamedTuple):
    folder: Path
    store: Store
    figures: Figures
    measured: evaluate.Evaluation


def complete(fragment: str) -> str:
    """Return a complete configuration that contains a fragment of one."""
    tables = tomllib.loads(fragment)
    top = "" if "workspace" in tables else 'workspace = "build"\n'
    rest = ("" if "dataset" in tables else DATASET) + ("" if "source" in tables else SOURCE)
    return top + fragment + rest


def make_files(text: str, folder: Path) -> None:
    """Make empty files with the names in a configuration."""
    for source in tomllib.loads(text)["source"]:
        path = source.get("path", [])  # sources on servers have none
        paths = path if isinstance(path, list) else [path]
        for name in [*paths, *([source["deletes"]] if "deletes" in source else [])]:
            file = folder / name.replace("**", "x").replace("*", "x")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"")


CONFIGURATIONS = [
    pytest.param(block, id=f"{name_of(page)}-{number}")
    for page in [*PAGES, *sorted(ROOT.glob("README*.md"))]
    for number, block in enumerate(blocks(page, "toml"), 1)
]


@pytest.mark.parametrize("block", CONFIGURATIONS)
def test_every_configuration_is_accepted(block, tmp_path):
    text = complete(block)
    make_files(text, tmp_path)
    (tmp_path / "bibld.toml").write_text(text, encoding="utf-8")
    assert config.load(tmp_path / "bibld.toml").sources


def test_the_tutorial_shows_the_messages_of_its_wrong_configuration(tmp_path):
    """The tutorial's configuration with its two mistakes gives the messages that it shows."""
    page = DOCS / "tutorial.md"
    right = next(block for block in blocks(page, "toml"))
    make_files(right, tmp_path)
    wrong = "licence".join(right.split("license", 1)).replace("city.iso", "city.mrc")
    (tmp_path / "wrong.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(config.ConfigError) as caught:
        config.load(tmp_path / "wrong.toml")
    shown = page.read_text(encoding="utf-8")
    for fault in caught.value.faults:
        assert fault.replace(str(tmp_path), "mine") in shown


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample after a run: its folder, its store, its figures, and the evaluation of its labelled pairs."""
    folder = tmp_path_factory.mktemp("docs") / "sample"
    shutil.copytree(resources.folder("sample_data"), folder)
    loaded = config.load(folder / "bibld.toml")
    summary = pipeline.run(loaded, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="store")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        pairs = read_pairs(folder / "gold_pairs.csv", catalog)
        measured = evaluate.evaluate(catalog, loaded, pairs, "full", progress.Silent())
    live = store.open_live(loaded)
    yield Sample(folder, live, summary.figures, measured)
    live.close()


QUERIES = list(blocks(DOCS / "how-to" / "query-the-data.md", "sparql"))


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_every_query_finds_something_in_the_sample(number, sample):
    assert sample.store.query(QUERIES[number])


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value or "(empty)")


def test_every_query_over_the_tables_of_matching_finds_what_the_page_shows(sample, monkeypatch):
    monkeypatch.chdir(sample.folder)
    Workspace("bibld.toml").keep_tables("tables")
    page = (DOCS / "how-to" / "follow-a-pair.md").read_text(encoding="utf-8")
    for query, shown in re.findall(r"^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", page, re.MULTILINE | re.DOTALL):
        found = duckdb.execute(query).fetchall()
        assert found, query
        rows = ["  ".join(map(_cell, row)) for row in found]
        assert not shown or script("transcripts").is_as_shown(shown, "\n".join(rows)), rows


def test_the_pages_show_the_figures_of_the_sample(sample):
    """Where this fails, run the commands of the page again and put their output into it."""
    figures, measured = sample.figures, sample.measured
    tutorial = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert (
        f"\n{figures.records} records in {figures.clusters} clusters, {figures.merged_clusters} of them merged; "
    ) in tutorial
    page = (DOCS / "how-to" / "measure-matching.md").read_text(encoding="utf-8")
    for name, value in (("precision", measured.precision), ("recall", measured.recall), ("F1", measured.f1)):
        assert f"\n{name:16}  {value:.4f}\n" in page


PROGRAMS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    if page.name != "use-bibld-from-python.md"  # tests/api runs these, in a workspace that has a release
    for number, block in enumerate(blocks(page, "python"), 1)
    if "rejects.json" not in block
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_runs_beside_the_sample(program, sample, monkeypatch, capsys):
    monkeypatch.chdir(sample.folder)
    with served(sample) if "check_site" in program else nullcontext(EXAMPLE) as address:
        exec(compile(program.replace(EXAMPLE, address), "documentation", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


@contextmanager
def served(sample):
    """Serve a copy of the sample with a release; yield the address."""
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(sample.folder, Path(folder) / "sample")) / "bibld.toml"
        Workspace(copy).run()
        with serving(copy) as address:
            yield address


def test_the_program_of_the_readme_runs_in_a_checkout(monkeypatch, capsys):
    (program,) = blocks(ROOT / "README.md", "python")
    monkeypatch.chdir(ROOT)
    names = {"__name__": "__main__"}
    exec(compile(program, "README", "exec"), names)
    assert capsys.readouterr().out.count("rsl.mrc") == 123
    assert next(iter(names["lines"])).startswith("<https://data.example.org/resource/")
