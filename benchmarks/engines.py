"""Do both engines publish the same? Runs one catalogue on one machine and on Spark, and compares the releases.

``python benchmarks/engines.py sample | real | synthetic [--records N] [--days N] [--cluster]``. On the first day both
engines run over the same files; on the second day records were added, changed and deleted, and a person has given
verdicts; on the third day records and values are suppressed, and deleted records are back. Each day the dumps, sorted,
and the patch must have the same bytes from both. ``--cluster`` starts a master and two workers with a core each;
without it Spark works on two cores of this machine.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import zstandard
from _measure import real_config, real_data, source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc

import bibld
from bibld import config
from bibld.catalog import PersonVerdict, Verdicts
from bibld.config import Config
from bibld.harvest.local import on_disk
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.serve import ontology as resources
from tests.spark.cluster import running_cluster

FIRST_DAY = 1_767_225_600  # 2026-01-01
SECONDS_A_DAY = 86_400
VERDICTS = 40
"""Of each kind: pairs that people separate, and pairs that they join."""
SUPPRESSED = 30

_SETTINGS = """
[publish]
suppress = "suppress.csv"
full = "always"
[engine]
master = "{master}"
[engine.conf]
"spark.driver.memory" = "{memory}"
"spark.sql.shuffle.partitions" = {partitions}
"spark.ui.enabled" = false
"spark.driver.host" = "127.0.0.1"
"spark.driver.bindAddress" = "127.0.0.1"
"""
_XML_RECORD = re.compile(rb"<((?:\w+:)?record)\b.*?</\1>", re.DOTALL)
_DIGITS = b"0123456789"


# -- the catalogue -----------------------------------------------------------------------------------------------------


def write_catalogue(kind: str, records: int, folder: Path) -> Path:
    """Write the files of a catalogue and its configuration into a folder; return the configuration."""
    if kind == "real":
        return real_config(real_data(), folder)
    if kind == "sample":
        shutil.copytree(resources.folder("sample_data"), folder, dirs_exist_ok=True)
        return folder / "bibld.toml"
    files = write_marc(Catalogue(records, 1), folder / "books")
    tables = (source_table(name, path) for name, (path, _) in zip("ab", files, strict=True))
    return write_config(folder, "".join(tables))


class Days:
    """The files of a catalogue as they are on each day; those that are not divided into records stay as they are."""

    def __init__(self, loaded: Config, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self.files = {path: folder / f"{number}-{path.name}" for number, path in enumerate(_paths(loaded))}

    def write(self, day: int) -> None:
        """Write the files of a day."""
        for source, target in self.files.items():
            data = source.read_bytes()
            if source.suffix == ".gz":
                target.write_bytes(data)
            elif _XML_RECORD.search(data):
                target.write_bytes(_xml_after(data, day))
            elif b"\x1d" in data:
                pieces = [piece + b"\x1d" for piece in data.split(b"\x1d")[:-1]]
                target.write_bytes(b"".join(_after(pieces, day)))
            else:
                target.write_bytes(data)


def _paths(loaded: Config) -> list[Path]:
    return sorted({path for source in loaded.sources for path in on_disk(loaded.folder, source.harvest)})


def _after(pieces: list[bytes], day: int) -> Iterator[bytes]:
    """Yield the records of a day: each has one of 30 roles by its number."""
    for number, piece in enumerate(pieces):
        role = number % 30
        if (role == 3 and day < 1) or (role == 7 and day == 1) or (role == 11 and day >= 1):
            continue  # added on the second day; deleted on the second and back on the third; deleted for ever
        yield _changed(piece, day) if role in (5, 13) and day >= 1 else piece


def _changed(piece: bytes, day: int) -> bytes:
    """Return a record with another digit in its last half: a control field, a year, a number of pages."""
    places = [place for place in range(len(piece) * 2 // 3, len(piece)) if piece[place] in _DIGITS]
    if not places:
        return piece
    place = places[day % len(places)]
    return piece[:place] + b"%d" % (day + 1) + piece[place + 1 :]


def _xml_after(data: bytes, day: int) -> bytes:
    matches = list(_XML_RECORD.finditer(data))
    kept = iter(_after([match[0] for match in matches], day))
    return data[: matches[0].start()] + b"\n".join(kept) + data[matches[-1].end() :]


# -- verdicts and suppressions -----------------------------------------------------------------------------------------


def give_verdicts(local: Path, other: Path) -> int:
    """Separate pairs that were joined, and join pairs that wait for review; in the registers of both workspaces."""
    workspace = bibld.Workspace(local)
    chosen = [
        PersonVerdict(Pair.from_records(_record(row.left), _record(row.right)), decision, "a librarian", "looked")
        for found, decision in (("same", "different"), ("review", "same"))
        for row in workspace.pairs(found, limit=VERDICTS)  # type: ignore[arg-type]
    ]
    with Verdicts(workspace.config.workspace) as verdicts, verdicts.transaction():
        given = verdicts.add(chosen, "2026-01-01T12:00:00+00:00")
    shutil.copyfile(workspace.config.workspace / "register.db", other / "register.db")
    return len(given)


def _record(name: str) -> RecordId:
    return RecordId(*name.split(":", 1))


def suppress(local: Path, folder: Path) -> int:
    """Suppress some records and the title of others."""
    rows = list(bibld.Workspace(local).records(limit=SUPPRESSED))
    lines = [f'"{row.record}",{_quoted(row.title) if number % 2 else ""},asked\n' for number, row in enumerate(rows)]
    (folder / "suppress.csv").write_text("record,value,reason\n" + "".join(lines), encoding="utf-8")
    return len(rows)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# -- runs and their comparison -----------------------------------------------------------------------------------------


def run(file: Path, engine: str, day: int) -> tuple[dict[str, object], float]:
    """Run all stages in a process; return the summary and the seconds."""
    environment = os.environ | {
        "SOURCE_DATE_EPOCH": str(FIRST_DAY + day * SECONDS_A_DAY),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(Path(bibld.__file__).parents[1]),
    }
    command = [sys.executable, "-m", "bibld", "run", str(file), "--engine", engine, "--json", "--allow-deletes"]
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{engine}, day {day + 1}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return json.loads(done.stdout), time.perf_counter() - begin


def sorted_lines(release: Path, pattern: str, target: Path) -> tuple[int, str]:
    """Write the lines of the files of a release, sorted, into one file; return how many there are and their SHA-256."""
    sort = ["sort", "--buffer-size=400M", f"--temporary-directory={target.parent}", f"--output={target}"]
    lines = 0
    with subprocess.Popen(sort, stdin=subprocess.PIPE, env=os.environ | {"LC_ALL": "C"}) as process:
        assert process.stdin is not None
        for file in sorted(release.glob(pattern)):
            with zstandard.open(file, "rb") if file.suffix == ".zst" else gzip.open(file, "rb") as stream:
                while block := stream.read(1 << 20):
                    lines += block.count(b"\n")
                    process.stdin.write(block)
    with target.open("rb") as file:
        return lines, hashlib.file_digest(file, "sha256").hexdigest()


def differences(one: Path, other: Path, shown: int = 6) -> Iterator[str]:
    """Yield some of the lines that only one of two sorted files has."""
    with subprocess.Popen(
        ["comm", "-3", str(one), str(other)], stdout=subprocess.PIPE, text=True, env=os.environ | {"LC_ALL": "C"}
    ) as process:
        assert process.stdout is not None
        for number, line in enumerate(process.stdout):
            if number < shown:
                yield ("only Spark: " if line.startswith("\t") else "only one machine: ") + line.strip()[:300]
        yield f"{number + 1:,} lines in all"


COMPARED = {"dumps": "bibld*.nq.gz", "added": "added-*.nq.gz", "removed": "removed-*.nq.gz"}


def compare(releases: tuple[Path, Path], summaries: tuple[dict[str, object], dict[str, object]], place: Path) -> int:
    """Print what two releases have in common and where they differ; return the number of differences."""
    faults = 0
    for name, pattern in COMPARED.items():
        files = place / f"{name}-local", place / f"{name}-spark"
        (lines, one), (_, other) = (sorted_lines(*each) for each in zip(releases, (pattern,) * 2, files, strict=True))
        print(f"  {name}: {lines:,} lines, " + (f"equal, sha256 {one[:16]}" if one == other else "DIFFERENT"))
        if one != other:
            faults += 1
            for line in differences(*files):
                print("   ", line)
        for file in files:
            file.unlink()
    for key in ("sources", "for_review"):
        if summaries[0][key] != summaries[1][key]:
            faults += 1
            print(f"  {key} of the summary: {summaries[0][key]}\n    on Spark: {summaries[1][key]}")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["sample", "real", "synthetic"])
    parser.add_argument("--records", type=int, default=200_000, help="of the synthetic catalogue")
    parser.add_argument("--days", type=int, default=3, choices=[1, 2, 3])
    parser.add_argument("--cluster", action="store_true", help="start a master and two workers")
    parser.add_argument("--memory", default="1g", help="of the driver, and of each executor of the cluster")
    parser.add_argument("--folder", type=Path, help="keep the files in this folder, which must not exist")
    asked = parser.parse_args()
    if asked.folder:
        asked.folder.mkdir(parents=True)
    with nullcontext(asked.folder) if asked.folder else tempfile.TemporaryDirectory() as name:
        folder = Path(name).absolute()
        worker = f"{int(asked.memory.rstrip('g')) * 1024 + 400}m"
        with running_cluster(folder / "cluster", memory=worker) if asked.cluster else nullcontext() as cluster:
            sys.exit(bool(compare_engines(asked, folder, cluster.master if cluster else "local[2]")))


def compare_engines(asked: argparse.Namespace, folder: Path, master: str) -> int:
    """Run both engines on each day and compare them; return the number of differences."""
    (folder / "originals").mkdir()
    original = write_catalogue(asked.kind, asked.records, folder / "originals")
    days = Days(config.load(original), folder / "files")
    text = original.read_text(encoding="utf-8")
    for source, target in days.files.items():
        text = re.sub(rf'"(?:{re.escape(str(source))}|{re.escape(source.name)})"', f'"{target}"', text)
    partitions = max(4, asked.records // 10_000) if asked.kind == "synthetic" else 4
    settings = _SETTINGS.format(master=master, memory=asked.memory, partitions=partitions)
    if asked.cluster:
        settings += f'"spark.executor.memory" = "{asked.memory}"\n"spark.executor.cores" = 1\n'
        settings += '"spark.speculation" = true\n'
    files: dict[str, Path] = {}
    for engine in ("local", "spark"):
        files[engine] = folder / f"{engine}.toml"
        own = re.sub(r'^workspace = ".*"', f'workspace = "{engine}"', text, count=1, flags=re.MULTILINE)
        files[engine].write_text(own + settings, encoding="utf-8")
    (folder / "suppress.csv").write_text("record,value,reason\n", encoding="utf-8")
    faults = 0
    for day in range(asked.days):
        if day == 1:
            print(f"{give_verdicts(files['local'], folder / 'spark')} verdicts")
        if day == 2:
            print(f"{suppress(files['local'], folder)} suppressions")
        days.write(day)
        (local, seconds), (spark, more_seconds) = (run(files[engine], engine, day) for engine in files)
        print(f"day {day + 1}: one machine {seconds:.0f} s, Spark {more_seconds:.0f} s", flush=True)
        releases = Path(str(local["release"])), Path(str(spark["release"]).removeprefix("file://"))
        faults += compare(releases, (local, spark), folder)
    return faults


if __name__ == "__main__":
    main()
