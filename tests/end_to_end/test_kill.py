"""Runs that are killed with SIGKILL, and two runs at once."""

import importlib.util
import os
import signal
import subprocess
import sys

import pytest

from bibld import config
from bibld.catalog import Catalog, Queue
from tests.docs.pages import ROOT
from tests.end_to_end.conftest import sample_in


@pytest.fixture(scope="module")
def kill():
    """The benchmark of the same name, which kills a hundred times."""
    spec = importlib.util.spec_from_file_location("kill", ROOT / "benchmarks" / "kill.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_killed_runs_lose_nothing_and_end_with_the_same_quads(kill, tmp_path):
    program = f"""
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("kill", {str(ROOT / "benchmarks" / "kill.py")!r})
kill = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kill)
killing = kill.Killing(Path({str(tmp_path)!r}), seed=7, records=30)
killing.undisturbed(3)
print([fault for fault in killing.killed(5) if fault])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_a_reported_result_that_is_not_stored_is_found(kill, tmp_path):
    loaded = sample_in(tmp_path)
    with Catalog(loaded.workspace) as catalog, catalog.commit():
        catalog.runs.begin("2026-01-01")
        catalog.dirty[Queue.UNMATCHED_RECORDS].add([1])
    log = tmp_path / "log"
    log.write_text("read\nmerge: 1 clusters\n")
    assert kill.missing(loaded.file, log) == ["merge had begun: 1 unmatched records"]


def test_a_second_run_reports_who_uses_the_workspace_and_stops(tmp_path):
    loaded = sample_in(tmp_path)
    words = [sys.executable, "-m", "bibld", "run", str(loaded.file)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as first:
        assert first.stderr is not None
        assert first.stderr.readline().startswith("read: ")
        os.kill(first.pid, signal.SIGSTOP)
        second = subprocess.run(words, capture_output=True, text=True, check=False)
        os.kill(first.pid, signal.SIGCONT)
        first.kill()
    assert second.returncode == 1
    assert f"in use by another run (process {first.pid}); wait until it ends, or stop it" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    with Catalog(config.load(loaded.file).workspace):
        pass  # the lock of a killed process is released
