"""A run that is killed while parts of a release are written side by side leaves no process; the next one continues."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from bibld import documents as published
from bibld import pipeline, progress
from tests.docs.pages import ROOT
from tests.end_to_end.conftest import CLOCK, dumps, sample_in
from tests.serve.server import wait_until

KILLED = """
import os, signal, sys, time
from pathlib import Path
import msgspec
from bibld import config, pipeline, progress
from bibld.publish import _parts, dumps
from tests.end_to_end.conftest import CLOCK

def write(draft, settings):
    time.sleep(float(sys.argv[2]))
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    _parts.WORTH_PROCESSES = 0
    dumps.write = write
    loaded = msgspec.structs.replace(config.load(Path(sys.argv[1])), workers=2)
    pipeline.run(loaded, CLOCK, progress.Silent())
"""


def processes_of(workspace: Path) -> list[str]:
    """The other processes that have a file of the workspace open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [file.readlink() for file in (process / "fd").iterdir()]
        except OSError:
            continue  # it has ended, or belongs to another user
        if process.name != str(os.getpid()) and any(file.is_relative_to(workspace) for file in files):
            found.append(process.name)
    return found


def test_a_killed_run_leaves_no_process_and_is_continued_to_the_same_release(tmp_path):
    loaded = msgspec.structs.replace(sample_in(tmp_path), workers=1)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="store")
    for seconds in ("0.1", "0.8"):
        words = [sys.executable, "-c", KILLED, str(loaded.file), seconds]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == -signal.SIGKILL, done.stderr
        wait_until(lambda: not processes_of(loaded.workspace))
    pipeline.run(loaded, CLOCK, progress.Silent())
    continued = dumps(loaded)
    release, manifest = pipeline.current_release(loaded)
    with published.open_published(loaded.workspace, int(release.name)) as view:
        documents = sum(1 for _ in view.entries())
    assert documents > manifest.figures.clusters
    other = msgspec.structs.replace(sample_in(tmp_path / "undisturbed"), workers=1)
    pipeline.run(other, CLOCK, progress.Silent())
    assert dumps(other) == continued
