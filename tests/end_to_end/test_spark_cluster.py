"""Runs on a real cluster of Spark give the release of one machine, also when executors and machines are killed."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

import bibld
from bibld import pipeline
from bibld.catalog import PersonVerdict, Verdicts
from bibld.config import Config, load
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from tests.end_to_end.conftest import CLOCK, drop_records
from tests.ports import free_port
from tests.spark.cluster import (
    PROPERTIES,
    Cluster,
    ClusterRun,
    Victim,
    is_available,
    running_cluster,
    toml_of,
)

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not is_available(), reason="a cluster of Spark needs Java and Linux"),
]

LATER = CLOCK + timedelta(days=1)
KILLS: dict[str, Victim] = {
    "read": "executor",
    "dedup": "worker",
    "merge": "executor",
    "triplify": "worker",
    "publish": "executor",
}
"""What is killed while an executor computes for a stage."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def machine(sample: Config, tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The sample with what one machine has made of it, to be updated."""
    folder = tmp_path_factory.mktemp("machine") / "all"
    shutil.copytree(sample.folder.parent, folder)
    file = folder / "sample" / "bibld.toml"
    file.write_text(file.read_text(encoding="utf-8") + '\n[publish]\nfull = "always"\n', encoding="utf-8")
    return load(file)


@pytest.fixture(scope="module")
def ui_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def on_cluster(cluster: Cluster, machine: Config, ui_port: int) -> Path:
    """A configuration beside that of one machine, with the same files and another workspace."""
    text = machine.file.read_text(encoding="utf-8").replace("../build/sample", "workspace")
    engine = toml_of(cluster.master, PROPERTIES | {"spark.ui.port": ui_port})
    file = machine.file.with_name("cluster.toml")
    file.write_text(text.replace('workspace = "workspace"', 'workspace = "cluster"') + engine, encoding="utf-8")
    return file


def dump_of(release: Path) -> list[bytes]:
    lines: list[bytes] = []
    for file in release.glob("bibld*.nq.gz"):
        lines += gzip.decompress(file.read_bytes()).splitlines()
    return sorted(lines)


def folder_of(summary: Any) -> Path:
    return Path(summary["release"].removeprefix("file://"))


def test_executors_and_machines_killed_in_each_stage_do_not_change_the_release(
    cluster: Cluster, machine: Config, on_cluster: Path, ui_port: int
) -> None:
    with ClusterRun(on_cluster, ui_port, int(CLOCK.timestamp())) as run:
        for stage, victim in KILLS.items():
            host = run.wait_for_task(stage)
            assert host, f"{stage} was over before a task of it was seen: {run.lines}"
            cluster.kill(host, victim)
        release = folder_of(run.summary())
    assert dump_of(release) == dump_of(pipeline.current_release(machine)[0])
    assert not list(release.glob("_temporary*"))


@pytest.mark.skipif("BIBLD_TEST_LONG" not in os.environ, reason="takes a minute more; set BIBLD_TEST_LONG to run it")
def test_an_update_on_a_cluster_gives_what_one_machine_gives(machine: Config, on_cluster: Path, ui_port: int) -> None:
    workspace = bibld.Workspace(machine.file)
    drop_records(workspace, 3)
    file = machine.folder / "rsl.mrc"
    first, second, *others = file.read_bytes().split(b"\x1d")
    added = second.replace(b"01002003420", b"01002009999")
    file.write_bytes(b"\x1d".join([first.replace(b"s1970", b"s1971"), second, *others[:-1], added, b""]))
    pair = next(iter(workspace.pairs("same", limit=1)))
    left, right = (RecordId(*name.split(":", 1)) for name in (pair.left, pair.right))
    with Verdicts(machine.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(Pair.from_records(left, right), "different", "a librarian")], LATER.isoformat())
    shutil.copyfile(machine.workspace / "register.db", on_cluster.parent / "cluster" / "register.db")
    expected = workspace.run(at=LATER)
    with ClusterRun(on_cluster, ui_port, int(LATER.timestamp())) as run:
        summary = run.summary()
    assert dump_of(folder_of(summary)) == dump_of(Path(expected.release))
    changes = [sum(source[kind] for source in summary["sources"]) for kind in ("new", "changed", "absent")]
    assert changes == [1, 1, 3]
