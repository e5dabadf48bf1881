"""A run from files to a release: complete, repeatable, and able to go on after any interruption."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pyoxigraph
import pytest
import rdflib

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.dedup import evaluate
from bibld.dedup.pair_files import read_pairs
from bibld.search import has_search
from tests.end_to_end.conftest import CLOCK, dumps, sample_in
from tests.publish.follower import quads_of


def command(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(int(CLOCK.timestamp()))}
    return subprocess.run(
        [sys.executable, "-m", "bibld", *words], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def test_every_record_of_the_sample_is_converted(sample):
    with Catalog(sample.workspace, read_only=True) as catalog:
        loads = catalog.records.load_counts()
        assert catalog.records.count() == sum(load.read for load in loads)
    assert {load.source: load.rejected for load in loads} == {"nlr": 0, "rsl": 0, "slavica": 0}


def test_two_parsers_read_the_same_quads_from_the_dump(sample):
    text = next(data for name, data in _plain(sample).items() if name == "bibld.nq")
    ours = {str(quad) for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.N_QUADS)}
    dataset = rdflib.Dataset()
    dataset.parse(data=text.decode(), format="nquads")
    again = dataset.serialize(format="nquads").encode()
    theirs = {str(quad) for quad in pyoxigraph.parse(again, format=pyoxigraph.RdfFormat.N_QUADS)}
    assert ours == theirs
    assert len(ours) == text.count(b"\n"), "a line is in the dump twice"


def test_the_description_of_the_dataset_has_the_counts_of_the_dump(sample):
    named = tuple(f" <{sample.dataset.base}graph/{name}".encode() for name in ("links-", "dataset"))
    triples = [line for line in _plain(sample)["bibld.nq"].splitlines() if not any(each in line for each in named)]
    release, manifest = pipeline.current_release(sample)
    void = rdflib.Graph().parse(release / "void.ttl")
    dataset = rdflib.URIRef(f"{manifest.dataset.base}dataset")
    default = rdflib.URIRef(f"{dataset}#default-graph")
    assert int(void.value(default, rdflib.VOID.triples)) == len(triples)
    subjects = {line.split(b" ")[0] for line in triples}
    assert int(void.value(default, rdflib.VOID.distinctSubjects)) == len(subjects)
    quads = _plain(sample)["bibld.nq"].splitlines() + (release / "run.nq").read_bytes().splitlines()
    assert int(void.value(dataset, rdflib.VOID.triples)) == len(quads)


def test_the_manifest_contains_the_checksum_of_every_file(sample):
    import hashlib

    release, manifest = pipeline.current_release(sample)
    assert {file.name for file in manifest.files} == {
        path.name for path in release.iterdir() if path.is_file() and path.name != "manifest.json"
    }
    for file in manifest.files:
        data = (release / file.name).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (file.sha256, file.bytes)


def test_another_folder_and_a_second_run_give_the_same_bytes(sample, tmp_path):
    other = sample_in(tmp_path)
    first = pipeline.run(other, CLOCK, progress.Silent())
    assert dumps(other) == dumps(sample)
    second = pipeline.run(other, CLOCK, progress.Silent())
    assert (first.release_is_new, second.release_is_new) == (True, False)
    assert all(time.was_current for time in second.stages)
    shutil.rmtree(other.workspace / "releases/1/search")  # an earlier version of bibld wrote a file instead
    (other.workspace / "search.db").touch()
    third = pipeline.run(other, CLOCK, progress.Silent())
    assert third.release_is_new
    assert has_search(other.workspace / "releases/2") and not (other.workspace / "search.db").exists()


@pytest.mark.parametrize("line", ["read: nlr", "dedup:", "merge:", "triplify:", "store", "publish"])
def test_a_run_that_is_killed_is_completed_by_the_next_one(sample, tmp_path, line):
    loaded = sample_in(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "bibld", "run", str(loaded.file)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        for message in process.stderr:
            if message.decode().startswith(line):
                process.kill()
                break
        process.stderr.read()
    assert process.returncode == -signal.SIGKILL
    pipeline.run(loaded, CLOCK, progress.Silent())
    assert dumps(loaded) == dumps(sample)


INTERRUPTED = """
import os, signal
from bibld import cli, progress

begin = progress.LogLines.stage

def begin_and_interrupt(self, name, what, total=None):
    begin(self, name, what, total)
    if name == "merge":
        os.kill(os.getpid(), signal.SIGINT)

progress.LogLines.stage = begin_and_interrupt
cli.main()
"""


def test_ctrl_c_ends_a_run_with_a_message_and_the_next_run_resumes(sample, tmp_path):
    loaded = sample_in(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "run", str(loaded.file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "interrupted; the next run continues from here" in done.stderr
    assert "Traceback" not in done.stderr
    pipeline.run(loaded, CLOCK, progress.Silent())
    assert dumps(loaded) == dumps(sample)


def test_evaluation_of_the_sample_finds_true_and_false_pairs(sample):
    with Catalog(sample.workspace, read_only=True) as catalog:
        labelled = read_pairs(sample.folder / "gold_pairs.csv", catalog)
        full = evaluate.evaluate(catalog, sample, labelled, "full", progress.Silent())
        pairs = evaluate.evaluate(catalog, sample, labelled, "pairs", progress.Silent())
    assert full.true_pairs >= 35
    assert len(labelled) - full.true_pairs >= 25
    assert 0 < full.recall <= full.candidate_recall <= 1
    assert pairs.recall >= full.recall, "blocking can only lose pairs"


def test_evaluate_prints_the_figures_as_json(sample):
    done = command("evaluate", str(sample.file), "--pairs", str(sample.folder / "gold_pairs.csv"), "--json", "-q")
    assert done.returncode == 0, done.stderr
    figures = msgspec.json.decode(done.stdout)
    wanted = {"precision", "recall", "f1", "candidate_recall", "candidates_per_record", "pairs", "seconds"}
    assert wanted <= figures.keys()


def test_removing_and_restoring_a_record_changes_and_restores_the_release(sample, tmp_path):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent())
    records = (loaded.folder / "rsl.mrc").read_bytes().split(b"\x1d")
    (loaded.folder / "rsl.mrc").write_bytes(b"\x1d".join(records[1:]))
    summary = pipeline.run(loaded, CLOCK, progress.Silent())
    assert summary.release_is_new
    assert summary.release.endswith("/2")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        assert catalog.records.count() == 288
    assert dumps(loaded) != dumps(sample)
    (loaded.folder / "rsl.mrc").write_bytes(b"\x1d".join(records))
    pipeline.run(loaded, CLOCK, progress.Silent())
    assert dumps(loaded) == dumps(sample)


def test_the_redirect_of_a_deleted_record_is_permanent(tmp_path):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent())
    with Catalog(loaded.workspace, read_only=True) as catalog:
        founder = next(record for record in catalog.sample_founders(20) if record.source == "rsl")
        successor = catalog.cluster_of(founder).members[1]
    records = (loaded.folder / "rsl.mrc").read_bytes().split(b"\x1d")
    number = founder.control_number.encode()
    (loaded.folder / "rsl.mrc").write_bytes(b"\x1d".join(record for record in records if number not in record))
    for _ in range(2):
        pipeline.run(loaded, CLOCK, progress.Silent())
        with Catalog(loaded.workspace, read_only=True) as catalog:
            assert catalog.redirect_target(founder) == successor


def test_changed_labels_and_licences_reach_the_release_without_matching_again(sample, tmp_path):
    loaded = sample_in(tmp_path)
    pipeline.run(loaded, CLOCK, progress.Silent())
    text = loaded.file.read_text(encoding="utf-8")
    loaded.file.write_text(text.replace("An American Slavic collection", "Another name"), encoding="utf-8")
    changed = config.load(loaded.file)
    summary = pipeline.run(changed, CLOCK, progress.Silent())
    current = {time.stage: time.was_current for time in summary.stages}
    assert current == {"read": False, "dedup": True, "merge": True, "triplify": True, "store": True, "publish": False}
    assert any("Another name" in line for line in quads_of(*pipeline.current_release(changed)))


@pytest.mark.parametrize("words", [("run",), ("serve",), ("check",), ("dedup",), ("harvest",)])
def test_a_bad_configuration_starts_nothing_and_ends_with_2(tmp_path, words):
    (tmp_path / "bibld.toml").write_text(
        'workspace = "w"\n[dataset]\nbase = "x"\n[[source]]\nid = "a"\npath = "a**b"\n'
    )
    done = command(*words, "bibld.toml", cwd=tmp_path)
    assert done.returncode == 2
    for key in ("license", "title", "publisher"):
        assert f'bibld: bibld.toml:2: missing key "dataset.{key}"' in done.stderr
    assert "bibld: bibld.toml:3: dataset.base: " in done.stderr
    assert "bibld: bibld.toml:6: source[1].path: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "w").exists()


def test_serving_before_running_explains_what_to_do(tmp_path):
    loaded = sample_in(tmp_path)
    done = command("serve", str(loaded.file))
    assert done.returncode == 1
    assert "run `bibld run" in done.stderr


def _plain(loaded) -> dict[str, bytes]:
    import gzip

    return {
        name.removesuffix(".gz"): gzip.decompress(data) for name, data in dumps(loaded).items() if name.endswith(".gz")
    }
