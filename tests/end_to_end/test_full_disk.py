"""A disk that is full ends a run with a clear message; the catalog stays intact, and the next run completes.

The disk is a small tmpfs, which only root may mount; elsewhere these tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bibld import config
from tests.end_to_end.conftest import CLOCK, dumps, sample_in

SIZES = (100, 500, 1_300, 2_600, 3_400, 4_500, 7_500)
"""KiB of a disk on which the sample gets further and further, and never to the end."""


@pytest.fixture
def disk(tmp_path):
    """Return a function that mounts a disk of a size in KiB, or changes its size."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(*words: str) -> None:
        done = subprocess.run(["mount", *words, str(place)], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")

    def sized(kibibytes: int) -> Path:
        if place.is_mount():
            mount("-o", f"remount,size={kibibytes}k")
        else:
            mount("-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs")
        return place

    if shutil.which("mount") is None:
        pytest.skip("there is no command mount")
    yield sized
    if place.is_mount():
        subprocess.run(["umount", str(place)], check=True)


def bibld(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(int(CLOCK.timestamp()))}
    return subprocess.run(
        [sys.executable, "-m", "bibld", *words], capture_output=True, text=True, env=environment, check=False
    )


def on_disk(folder, disk):
    loaded = sample_in(folder)
    text = loaded.file.read_text(encoding="utf-8").replace("../build/sample", str(disk / "work"))
    loaded.file.write_text(text, encoding="utf-8")
    return config.load(loaded.file)


def test_a_full_disk_is_reported_at_every_stage_and_loses_nothing(sample, tmp_path, disk):
    loaded = on_disk(tmp_path, disk(SIZES[0]))
    reached = set[str]()
    for size in SIZES:
        disk(size)
        stopped = bibld("run", str(loaded.file))
        *lines, last = stopped.stderr.strip().splitlines()
        assert (stopped.returncode, last.startswith("bibld: "), "space" in last) == (1, True, True), stopped.stderr
        assert "Traceback" not in stopped.stderr
        reached.update(line.split(":")[0] for line in lines[-1:])
        disk(64_000)
        if reached != {"read"} and reached:
            checked = bibld("catalog", "check", str(loaded.file), "--all", "-q")
            assert (checked.returncode, "no faults" in checked.stdout) == (0, True), checked.stdout
    assert reached >= {"read", "triplify", "store"}
    disk(64_000)
    again = bibld("run", str(loaded.file), "-q")
    assert again.returncode == 0, again.stderr
    assert dumps(loaded) == dumps(sample)


def test_a_disk_that_is_full_at_the_end_keeps_the_release_before(sample, tmp_path, disk):
    """An update for whose release there is no room: the one before is still complete and current."""
    place = disk(64_000)
    loaded = on_disk(tmp_path, place)
    assert bibld("run", str(loaded.file), "-q").returncode == 0
    records = (loaded.folder / "rsl.mrc").read_bytes()
    (loaded.folder / "rsl.mrc").write_bytes(b"\x1d".join(records.split(b"\x1d")[40:]))
    used = sum(path.stat().st_blocks for path in place.rglob("*") if path.is_file()) // 2
    disk(used + 64)
    stopped = bibld("run", str(loaded.file), "-q")
    assert (stopped.returncode, "free some space" in stopped.stderr) == (1, True), stopped.stderr
    disk(64_000)
    assert bibld("catalog", "check", str(loaded.file), "--all", "-q").returncode == 0
    assert (loaded.workspace / "releases" / "current").read_text() == "1\n"
    (loaded.folder / "rsl.mrc").write_bytes(records)
    assert bibld("run", str(loaded.file), "-q").returncode == 0
    assert bibld("catalog", "check", str(loaded.file), "--all", "-q").returncode == 0
