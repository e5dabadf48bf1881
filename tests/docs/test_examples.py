"""What the documentation shows works: configurations, queries, adapters, programs."""

import shutil
import sys
import tomllib
from datetime import UTC, datetime
from importlib import util
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from bibld import config, crosswalk, pipeline, progress, resources, store
from bibld.catalog import Catalog
from bibld.dedup import evaluate
from bibld.errors import ReadError
from bibld.model.features import FeatureColumns, Features
from bibld.model.marc import DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.model.release import Figures
from bibld.protocols import HarvestedFile, Raw, Store
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, name_of

DATASET = """
[dataset]
base = "https://data.example.org/"
title = { en = "Ours" }
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "We"
"""
SOURCE = '\n[[source]]\nid = "other"\npath = "other.mrc"\n'


class Sample(NamedTuple):
    folder: Path
    store: Store
    figures: Figures
    measured: evaluate.Evaluation


def whole(fragment: str) -> str:
    """A configuration that holds a fragment of one."""
    tables = tomllib.loads(fragment)
    top = "" if "workspace" in tables else 'workspace = "build"\n'
    rest = ("" if "dataset" in tables else DATASET) + ("" if "source" in tables else SOURCE)
    return top + fragment + rest


def make_files(text: str, folder: Path) -> None:
    """The files that a configuration names, empty."""
    for source in tomllib.loads(text)["source"]:
        paths = source["path"] if isinstance(source["path"], list) else [source["path"]]
        for name in [*paths, *([source["deletes"]] if "deletes" in source else [])]:
            file = folder / name.replace("**", "x").replace("*", "x")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"")


CONFIGURATIONS = [
    pytest.param(block, id=f"{name_of(page)}-{number}")
    for page in [*PAGES, ROOT / "README.md"]
    for number, block in enumerate(blocks(page, "toml"), 1)
    if not block.startswith("# pyproject.toml")
]


@pytest.mark.parametrize("block", CONFIGURATIONS)
def test_every_configuration_is_accepted(block, tmp_path):
    text = whole(block)
    make_files(text, tmp_path)
    (tmp_path / "bibld.toml").write_text(text, encoding="utf-8")
    assert config.load(tmp_path / "bibld.toml").sources


def test_the_shown_faults_are_those_of_the_wrong_configuration(tmp_path):
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
        assert fault.replace(f"looked in {tmp_path}", "looked in mine") in shown


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample after a run: its folder, its store, its figures, and how well its pairs were judged."""
    folder = tmp_path_factory.mktemp("docs") / "sample"
    shutil.copytree(resources.folder("sample_data"), folder)
    loaded = config.load(folder / "bibld.toml")
    summary = pipeline.run(loaded, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="store")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        pairs = evaluate.read_pairs(folder / "gold_pairs.csv", catalog)
        measured = evaluate.evaluate(catalog, loaded, pairs, "full", progress.Silent())
    live = store.open_live(loaded)
    yield Sample(folder, live, summary.figures, measured)
    live.close()


QUERIES = list(blocks(DOCS / "how-to" / "query-the-data.md", "sparql"))


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_every_query_finds_something_in_the_sample(number, sample):
    assert sample.store.query(QUERIES[number])


def test_the_figures_of_the_pages_are_those_of_the_sample(sample):
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
    for number, block in enumerate(blocks(page, "python"), 1)
    if not block.startswith("# bibld/") and "rejects.json" not in block
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_runs_beside_the_sample(program, sample, monkeypatch, capsys):
    monkeypatch.chdir(sample.folder)
    exec(compile(program, "documentation", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


# -- the adapters of add-an-adapter.md -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """The modules of the page, by name."""
    folder = tmp_path_factory.mktemp("adapters")
    modules = {}
    for code in blocks(DOCS / "how-to" / "add-an-adapter.md", "python"):
        name = Path(code.partition("\n")[0].removeprefix("# ")).stem
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        spec = util.spec_from_file_location(f"documented_{name}", folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        modules[name] = util.module_from_spec(spec)
        sys.modules[spec.name] = modules[name]
        spec.loader.exec_module(modules[name])
    yield modules
    for module in modules.values():
        del sys.modules[module.__name__]


def test_the_documented_reader_reads(added, tmp_path):
    from bibld.read import Examined, carrier_of, read, to_json

    reader = added["jsonlines"]
    lines = [
        b'{"leader": "00000nam a2200000 i 4500", "fields": [{"001": "1"},'
        b' {"245": {"ind1": "1", "ind2": "0", "subfields": [{"a": "Title"}, {"c": "By"}]}}]}\n',
        b"\n",
        b"no record\n",
    ]
    (tmp_path / "f.jsonl").write_bytes(b"".join(lines))
    file = HarvestedFile("s", "f.jsonl", tmp_path / "f.jsonl")
    assert reader.sniffs(lines[0])
    assert not reader.sniffs(b"00714cam a2200205 a 4500")
    with file.path.open("rb") as stream:
        carrier = reader.examine(stream, file.name, file.source, reader.Settings())
    first, second = read(file, Examined("jsonlines", carrier))
    assert isinstance(first, Raw)
    assert isinstance(second, Raw)
    assert second.origin == Origin("s", "f.jsonl", 2, len(lines[0]) + len(lines[1]))
    record = carrier.parse(first).record
    assert record.control_number == "1"
    assert next(iter(record.fields("245"))).first("a") == "Title"
    with pytest.raises(ReadError):
        carrier.parse(second)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bibld.adapters.load_adapter", lambda stage, name: reader)
        assert carrier_of("jsonlines", to_json(carrier)) == carrier


def test_the_documented_crosswalk_converts(added):
    flavour = added["ourlibrary"]
    fields = [("900", "a", "Title :"), ("900", "b", "subtitle"), ("901", "a", "Somebody"), ("909", "p", "5.-")]
    made = tuple(DataField(tag, " ", " ", (Subfield(code, text),)) for tag, code, text in [fields[0], *fields[2:]])
    record = MarcRecord(Origin("s", "f", 1, 0), Leader("00000nam a2200000 i 4500"), made)
    assert flavour.sniffs(record)
    converted = flavour.convert(record, flavour.Settings())
    assert converted.mods.title_info[0].title == "Title"
    assert converted.mods.name[0].name_part[0].value == "Somebody"
    assert converted.private == ("909$p",)
    assert converted.unmapped == ()
    assert {tag for rule in flavour.RULES.rules for tag, _ in rule.reads} == {"900", "901"}
    assert crosswalk.convert(record, "marc21")[0] == "marc21"


def test_the_documented_scorer_scores(added):
    import numpy as np

    scorer = added["dice"]
    titles = ("anna karenina", "anna karenina", "anna na shee", "")
    columns = FeatureColumns.from_features(enumerate(Features(title=title) for title in titles))
    left, right = np.array([0, 0, 0, 3], np.uint32), np.array([1, 2, 3, 3], np.uint32)
    scores = scorer.scores(columns, left, right, scorer.Settings())
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx([1.0, 0.4, 0.0, 0.0])
    assert all(one >= other for one, other in pairwise(scores.tolist()))
    assert next(scorer.explain(columns, left[1:2], right[1:2], scorer.Settings())).value == pytest.approx(0.4)
    assert 0 < scorer.Settings().same < 1


@pytest.mark.parametrize("number", range(3))
def test_every_documented_adapter_is_where_the_page_says(number):
    first = [
        code.partition("\n")[0].removeprefix("# ") for code in blocks(DOCS / "how-to" / "add-an-adapter.md", "python")
    ][number]
    folder = Path(first).parent
    assert (ROOT / folder).is_dir()
    assert not (ROOT / first).exists(), "the example's name is taken by an adapter of bibld"
