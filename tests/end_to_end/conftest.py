"""The sample, run once for all tests that only look at the result; a server of it, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyoxigraph as ox
import pytest

from bibld import Workspace, config, pipeline, progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.ingest import public_original_of
from bibld.serve import ontology as resources
from bibld.serve.site import Site
from tests.end_to_end.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CLOCK = datetime(2026, 1, 1, tzinfo=UTC)


def sample_in(folder: Path) -> Config:
    """A copy of the sample in a folder to itself, with its workspace beside it."""
    shutil.copytree(resources.folder("sample_data"), folder / "sample")
    return config.load(folder / "sample" / "bibld.toml")


def dumps(loaded: Config) -> dict[str, bytes]:
    """The dumps of the current release, and its description without what the run states (number, time, files)."""
    release, _ = pipeline.current_release(loaded)
    run = {quad.triple for quad in ox.parse(path=str(release / "run.nq"))}
    described = {quad.triple for quad in ox.parse(path=str(release / "void.ttl"))} - run
    return {
        "bibld.nq.gz": (release / "bibld.nq.gz").read_bytes(),
        "void.ttl": "\n".join(sorted(map(str, described))).encode(),
    }


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Config:
    loaded = sample_in(tmp_path_factory.mktemp("sample"))
    pipeline.run(loaded, CLOCK, progress.Silent())
    return loaded


def drop_records(workspace: Workspace, count: int) -> None:
    """Remove the last records from one of the files."""
    file = workspace.path.parent / "nlr.iso"
    records = file.read_bytes().split(b"\x1d")
    file.write_bytes(b"\x1d".join(records[: -1 - count]) + b"\x1d")


@pytest.fixture(scope="session")
def two_releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two releases: the second one has the full dumps of the first, and a patch; do not change it."""
    file = sample_in(tmp_path_factory.mktemp("two_releases")).file
    text = file.read_text(encoding="utf-8").replace("../build/sample", "workspace")
    file.write_text(f"{text}\n[publish]\nfull_above = 0.9\n", encoding="utf-8")
    workspace = Workspace(file)
    workspace.run(at=CLOCK)
    drop_records(workspace, 3)
    workspace.run(at=CLOCK + timedelta(days=1))
    return file.parent


@pytest.fixture(scope="session")
def site(sample: Config) -> Iterator[Site]:
    release, manifest = pipeline.current_release(sample)
    with Catalog(sample.workspace, read_only=True) as catalog:
        yield Site(manifest, release, catalog, partial(public_original_of, catalog=catalog), sample.serve)


@pytest.fixture(scope="session")
def server(sample: Config) -> Iterator[str]:
    """The address of a server of the sample."""
    with serving(sample.file) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser. Of one module: while it runs, asyncio takes its loop for one that runs in this thread."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()
