"""A night: 1,000 changes in a catalogue of many records. What a run takes for them, against the run that built it all.

``python benchmarks/delta.py [RECORDS ...]``. Two synthetic libraries (``synthetic.py``) have RECORDS records; then
700 are changed, 200 added and 100 deleted. The changes arrive as a delta with a list of deletions and, in another copy
of the workspace, as full files. What is measured are the commands ``bibld store`` (read, dedup, merge,
triplify, store: up to the patch) and then ``bibld publish``; before them, a run over few records compiles what is not
compiled yet. Processor seconds are printed too; they depend less on the load of the machine.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from _measure import source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc

from bibld.model.marc import DataField, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

CHANGED, NEW, DELETED = 700, 200, 100
LIBRARIES = "ab"
END = b"\x1d"
FEW = 5_000


class Run(msgspec.Struct):
    """What one run took: the seconds of its stages; up to the patch those of the process, and of the processors."""

    seconds: dict[str, float]
    process: float
    processors: float

    def up_to_the_patch(self) -> float:
        """Seconds of the stages up to the store."""
        return sum(seconds for stage, seconds in self.seconds.items() if stage != "publish")


# -- the files of a library --------------------------------------------------------------------------------------------


class Library:
    """The records of one library before and after the night; those that are touched lie evenly among the others."""

    def __init__(self, file: Path) -> None:
        self._records = [record + END for record in file.read_bytes().split(END)[:-1]]
        sizes = [number // len(LIBRARIES) for number in (CHANGED, NEW, DELETED)]
        step = len(self._records) // sum(sizes)
        places = [place * step for place in range(sum(sizes))]
        dealt = sorted(range(len(places)), key=lambda place: (place * 7 % len(places), place))
        changed, self._new, self._gone = (
            {places[place] for place in dealt[sum(sizes[:part]) : sum(sizes[: part + 1])]} for part in range(3)
        )
        parsed = _parsed([self._records[place] for place in sorted(changed)])
        self._changed = {place: _changed(one, place) for place, one in zip(sorted(changed), parsed, strict=True)}

    def before(self) -> bytes:
        """The full file of the day before."""
        return b"".join(record for place, record in enumerate(self._records) if place not in self._new)

    def after(self) -> bytes:
        """The full file of the day after."""
        numbered = enumerate(self._records)
        return b"".join(self._changed.get(place, record) for place, record in numbered if place not in self._gone)

    def delta(self) -> bytes:
        """The records that have changed or are new."""
        touched = sorted(self._changed.keys() | self._new)
        return b"".join(self._changed.get(place, self._records[place]) for place in touched)

    def deleted(self) -> str:
        """Return the control numbers of the deleted records, one a line."""
        gone = _parsed([self._records[place] for place in sorted(self._gone)])
        return "".join(f"{record.control_number}\n" for record in gone)


def _parsed(records: Sequence[bytes]) -> list[MarcRecord]:
    with tempfile.NamedTemporaryFile(suffix=".mrc") as out:
        out.write(b"".join(records))
        out.flush()
        file = HarvestedFile("x", "x.mrc", Path(out.name))
        examined = examine(file)
        parsed = [examined.carrier.parse(raw).record for raw in read(file, examined) if isinstance(raw, Raw)]
    return [record for record in parsed if isinstance(record, MarcRecord)]


def _changed(record: MarcRecord, place: int) -> bytes:
    """A record with another subject, as most changes are; each third has another extent also, which matching sees."""
    fields = [*record.all_fields, DataField("650", " ", "0", (Subfield("a", f"Subject {place % 50}"),))]
    if place % 3 == 0:
        extent = DataField("300", " ", " ", (Subfield("a", f"{100 + place % 400} p."),))
        fields = [extent if field.tag == "300" else field for field in fields]
    return to_iso2709(msgspec.structs.replace(record, all_fields=tuple(fields)))


def write(folder: Path, files: dict[str, bytes], deleted: dict[str, str] | None = None) -> None:
    """Write the files of both libraries and the configuration; with lists of deletions they are a delta."""
    tables = ""
    for letter, data in files.items():
        (folder / f"{letter}.mrc").write_bytes(data)
        more: dict[str, object] = {"complete": deleted is None}
        if deleted is not None:
            (folder / f"{letter}.txt").write_text(deleted[letter], encoding="utf-8")
            more["deletes"] = f"{letter}.txt"
        tables += source_table(letter, f"{letter}.mrc", **more)
    write_config(folder, tables)


# -- runs --------------------------------------------------------------------------------------------------------------


def run(folder: Path) -> Run:
    """``bibld store`` over a folder, then ``bibld publish``."""
    begin, busy = time.perf_counter(), _processors()
    seconds = _stages("store", folder)
    took, busy = time.perf_counter() - begin, _processors() - busy
    return Run({**seconds, "publish": _stages("publish", folder)["publish"]}, took, busy)


def _stages(command: str, folder: Path) -> dict[str, float]:
    """The seconds of the stages of a command."""
    words = [sys.executable, "-m", "bibld", command, "--quiet", "--json", str(folder / "bibld.toml")]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each run may compile all modules
    answer = subprocess.run(words, check=True, stdout=subprocess.PIPE, env=environment)
    return {stage["stage"]: stage["seconds"] for stage in msgspec.json.decode(answer.stdout)["stages"]}


def _processors() -> float:
    """Seconds of the processors that the processes started here have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(records: int, place: Path) -> tuple[Run, Run, Run]:
    """Return the run that builds the catalogue, and the runs that load the changes: as a delta, as full files."""
    place.mkdir()
    written = write_marc(Catalogue(records, 1), place / "made")
    libraries = {letter: Library(file) for letter, (file, _) in zip(LIBRARIES, written, strict=True)}
    first, copied = place / "first", place / "copied"
    first.mkdir()
    write(first, {letter: library.before() for letter, library in libraries.items()})
    full = run(first)
    shutil.copytree(first, copied)
    deleted = {letter: library.deleted() for letter, library in libraries.items()}
    write(first, {letter: library.delta() for letter, library in libraries.items()}, deleted)
    write(copied, {letter: library.after() for letter, library in libraries.items()})
    return full, run(first), run(copied)


def show(records: int, runs: Sequence[Run]) -> None:
    """Print the seconds of each stage, and the shares."""
    full = runs[0]
    print(f"{records:,} records; {CHANGED} changed, {NEW} new, {DELETED} deleted")
    print(f"  {'seconds':24} {'first run':>12} {'as a delta':>12} {'':8} {'as full files':>14}")
    rows: dict[str, Sequence[float]] = {stage: [one.seconds[stage] for one in runs] for stage in full.seconds}
    rows["all but publish"] = [one.up_to_the_patch() for one in runs]
    rows["  behind reading"] = [one.up_to_the_patch() - one.seconds["read"] for one in runs]
    rows["  with start and end"] = [one.process for one in runs]
    rows["  of the processors"] = [one.processors for one in runs]
    for name, (first_run, as_delta, in_full) in rows.items():
        share = f"{as_delta / first_run:.1%}"
        print(f"  {name:24} {first_run:12.2f} {as_delta:12.2f} {share:>8} {in_full:14.2f}", flush=True)


def main() -> None:
    """Measure catalogues of some sizes."""
    with tempfile.TemporaryDirectory() as folder:
        measure(FEW, Path(folder) / "few")
        for records in [int(word) for word in sys.argv[1:]] or [25_000, 50_000, 100_000]:
            place = Path(folder) / str(records)
            show(records, measure(records, place))
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
