"""What cron may rely on: for every fault of a night the exit code, the message, and which state is kept.

A small catalogue of two libraries is published once. Each case damages a copy of it, and runs again: the library with
the fault must keep its records, and the other one, which has a change that night, must be loaded.
"""

from __future__ import annotations

import fcntl
import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from click.testing import CliRunner, Result

import bibld
from bibld import cli
from bibld import config as configuration
from bibld.catalog import Catalog
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin
from tests.configuration import write_config

RECORDS = 30
XML = '<collection xmlns="http://www.loc.gov/MARC21/slim">{}</collection>'
XML_RECORD = (
    '<record><leader>00000nam a2200000 i 4500</leader><controlfield tag="001">{0}</controlfield>'
    '<datafield tag="245" ind1="0" ind2="0"><subfield code="a">Книга {0}</subfield></datafield></record>'
)


def record(
    number: int, title: str = "Моя земля", charset: str = "utf-8", leader: str = "00000nam a2200000 i 4500"
) -> bytes:
    fields = (
        ControlField("001", str(number)),
        DataField("100", "1", " ", (Subfield("a", f"Author {number}"),)),
        DataField("245", "1", "0", (Subfield("a", f"{title} {number}"),)),
    )
    data = to_iso2709(MarcRecord(Origin("lib", "x", 1, 0), Leader(leader), fields))
    return data if charset == "utf-8" else recoded(data, charset)


def recoded(data: bytes, charset: str) -> bytes:
    """The bytes of a record in another charset; the reader finds its fields without the directory."""
    return data.decode().encode(charset)


LIB = b"".join(record(number) for number in range(1, RECORDS + 1))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("published")
    (place / "lib.mrc").write_bytes(LIB)
    (place / "other.mrc").write_bytes(record(1, "First") + record(2, "Second"))
    config = write_config(place, lib="lib.mrc", other="other.mrc")
    bibld.Workspace(config).run()
    return place


@pytest.fixture
def place(published: Path, tmp_path: Path) -> Path:
    """A copy in which the other library has a new record."""
    shutil.copytree(published, tmp_path / "night", symlinks=True)
    with (tmp_path / "night" / "other.mrc").open("ab") as out:
        out.write(record(3, "Third"))
    return tmp_path / "night"


def run(place: Path, *words: str) -> Result:
    return CliRunner().invoke(cli.command_line, ["run", str(place / "bibld.toml"), "-q", *words])


def records(place: Path) -> dict[str, int]:
    with Catalog(place / "work", read_only=True) as catalog:
        return catalog.records.count_by_source()


def release(place: Path) -> str:
    return (place / "work" / "releases" / "current").read_text().strip()


def edit(place: Path, old: str, new: str) -> None:
    file = place / "bibld.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def source_key(place: Path, line: str) -> None:
    edit(place, 'path = "lib.mrc"\n', f'path = "lib.mrc"\n{line}\n')


# -- a source in doubt -------------------------------------------------------------------------------------------------


class Doubtful(NamedTuple):
    """A fault of the library's file, and a part of the message."""

    damage: Callable[[Path], object]
    message: str


def replaced(data: bytes) -> Callable[[Path], object]:
    return lambda place: (place / "lib.mrc").write_bytes(data)


def instead(make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Put something else in the place of the file."""

    def damage(place: Path) -> None:
        (place / "lib.mrc").unlink()
        make(place / "lib.mrc")

    return damage


def with_key(line: str, data: bytes = LIB) -> Callable[[Path], object]:
    def damage(place: Path) -> None:
        source_key(place, line)
        (place / "lib.mrc").write_bytes(data)

    return damage


def bad_list(place: Path) -> None:
    source_key(place, 'deletes = "gone.txt"')
    (place / "gone.txt").write_bytes(b"b1\xff\n")


def unreadable_list(place: Path) -> None:
    (place / "gone.txt").mkdir()
    source_key(place, 'deletes = "gone.txt"')


PACKED = gzip.compress(LIB, mtime=0)
WRONG_SUM = PACKED[:-8] + bytes(byte ^ 0xFF for byte in PACKED[-8:-4]) + PACKED[-4:]
CP1251 = b"".join(record(number, charset="cp1251") for number in range(1, RECORDS + 1))
MARCXML = XML.format("".join(XML_RECORD.format(number) for number in range(1, RECORDS + 1))).encode()
JSON = (
    b'[{"leader":"00000nam a2200000 i 4500","fields":'
    b'[{"001":"1"},{"245":{"ind1":"0","ind2":"0","subfields":[{"a":"x"}]}}]}'
)
CUT = "the file ends within this record"

DOUBTFUL = {
    "missing": Doubtful(instead(lambda path: None), "lib.mrc: not found (looked in"),
    "a folder": Doubtful(instead(Path.mkdir), "lib.mrc: is a folder, not a file"),
    "a FIFO": Doubtful(instead(os.mkfifo), "lib.mrc: is a FIFO, not a file"),
    "a device": Doubtful(instead(lambda path: path.symlink_to("/dev/zero")), "lib.mrc: is a device or socket"),
    "a loop of links": Doubtful(instead(lambda path: path.symlink_to(path)), "lib.mrc: is a loop of symbolic links"),
    "a link to nothing": Doubtful(
        instead(lambda path: path.symlink_to("no")), "is a symbolic link to a file that does"
    ),
    "no match": Doubtful(lambda place: edit(place, '"lib.mrc"', '"lib*.iso"'), 'no file matches "lib*.iso"'),
    "empty": Doubtful(replaced(b""), "lib.mrc: is empty; fetch it again"),
    "cut in a record": Doubtful(replaced(LIB[:-30]), CUT),
    "cut in a leader": Doubtful(replaced(LIB + b"00"), CUT),
    "cut in a directory": Doubtful(replaced(LIB + b"00097nam a2200000 i 4500001"), CUT),
    "zeros at the end": Doubtful(replaced(LIB[:-500] + bytes(500)), "only zeros from byte"),
    "more zeros at the end": Doubtful(replaced(LIB + bytes(4096)), f"only zeros from byte {len(LIB)}"),
    "zeros inside": Doubtful(replaced(LIB[:700] + bytes(512) + LIB[1212:]), "only zeros from byte 700"),
    "only zeros": Doubtful(replaced(bytes(len(LIB))), "lib.mrc: is of no known carrier"),
    "a web page": Doubtful(
        replaced(b"<!DOCTYPE html><html><title>503 Service\n Unavailable</title>"),
        'is a web page ("503 Service Unavailable")',
    ),
    "an XHTML page": Doubtful(replaced(b'<?xml version="1.0"?>\n<html xmlns="x"><body/></html>'), "is a web page;"),
    "a web page in place of a named carrier": Doubtful(
        with_key('read = "marcxml"', b"<html><p>login"), "is a web page"
    ),
    "a PDF": Doubtful(replaced(b"%PDF-1.7\n" + bytes(range(256))), "is of no known carrier"),
    "gzip, cut": Doubtful(replaced(PACKED[: len(PACKED) // 2]), "the compressed file is cut off; fetch it again"),
    "gzip, wrong checksum": Doubtful(replaced(WRONG_SUM), "the compressed file is damaged"),
    "gzip, followed by junk": Doubtful(replaced(PACKED + b"junk"), "something that is not gzip follows"),
    "MARCXML without a record": Doubtful(
        with_key('read = "marcxml"', XML.format("").encode()), "is marcxml without a record; fetch it again"
    ),
    "MARCXML, cut in a record": Doubtful(replaced(MARCXML[:-60]), CUT),
    "MARCXML, cut after a record": Doubtful(
        replaced(MARCXML[: -len("</collection>")]), "the file ends before </collection>"
    ),
    "JSON, array not closed": Doubtful(replaced(JSON), "the file ends before its array does"),
    "wrong charset": Doubtful(
        with_key('charset = "utf-8"', CP1251),
        "30 of 30 records are not in the stated charset utf-8; the bytes look like cp1251",
    ),
    "list of deletions missing": Doubtful(
        lambda place: source_key(place, 'deletes = "no.txt"'),
        "no.txt: not found; name a list of control numbers",
    ),
    "list of deletions in another charset": Doubtful(bad_list, "the list of deletions: gone.txt line 1: is not UTF-8"),
    "list of deletions a folder": Doubtful(unreadable_list, "cannot be read: Is a directory"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_source_in_doubt_keeps_its_old_state_and_the_other_is_loaded(place, name):
    DOUBTFUL[name].damage(place)
    checked = CliRunner().invoke(cli.command_line, ["check", str(place / "bibld.toml"), "-q"])
    assert (checked.exit_code, DOUBTFUL[name].message in checked.stderr) == (4, True), checked.output
    done = run(place)
    assert done.exit_code == 4, done.output
    warning, end = done.stderr.splitlines()
    assert warning.startswith("warning: lib: keeps its old state: ")
    assert DOUBTFUL[name].message in warning
    assert end == "bibld: lib: in doubt and not loaded; the warnings state why, the rest is done"
    assert "lib: in doubt, keeps its old state" in done.stdout.splitlines()
    assert records(place) == {"lib": RECORDS, "other": 3}
    assert release(place) == "2"
    again = run(place)
    assert (again.exit_code, release(place)) == (4, "2"), "a source in doubt alone makes no release"


def test_a_file_that_cannot_be_opened_or_read_is_a_doubt(place, monkeypatch):
    opened = Path.open

    def refuse(self, *arguments, **named):
        if self.name == "lib.mrc":
            raise PermissionError(13, "Permission denied")
        return opened(self, *arguments, **named)

    monkeypatch.setattr(Path, "open", refuse)
    done = run(place)
    assert (done.exit_code, "lib.mrc: cannot be opened: Permission denied" in done.stderr) == (4, True), done.output
    assert records(place) == {"lib": RECORDS, "other": 3}


def test_the_next_night_loads_a_source_that_was_in_doubt(place):
    (place / "lib.mrc").write_bytes(LIB[:-30])
    assert run(place).exit_code == 4
    (place / "lib.mrc").write_bytes(LIB + record(RECORDS + 1))
    done = run(place)
    assert (done.exit_code, done.stderr) == (0, "")
    assert records(place) == {"lib": RECORDS + 1, "other": 3}


def test_all_sources_in_doubt_on_the_first_night_publish_nothing(place):
    shutil.rmtree(place / "work")
    for name in ("lib.mrc", "other.mrc"):
        (place / name).write_bytes(b"")
    done = run(place)
    assert (done.exit_code, (place / "work" / "releases" / "current").exists()) == (4, False)


# -- deletions and rejects ---------------------------------------------------------------------------------------------


def test_a_file_cut_to_a_few_records_deletes_none_until_that_is_allowed(place):
    (place / "lib.mrc").write_bytes(record(1, "Другая") + record(2) + record(99))
    done = run(place)
    listed = place / "work" / "withheld" / "lib.txt"
    assert done.exit_code == 4
    assert done.stderr.splitlines() == [
        "warning: lib: nothing was deleted: 28 deletions of 30 records are more than it may lose; see"
        f" {listed}; if that is right, run `bibld run {place / 'bibld.toml'} --allow-deletes`",
        "bibld: lib: deletions withheld; the warnings state why, the rest is done",
    ]
    assert listed.read_text().splitlines() == [f"lib:{number}" for number in range(3, RECORDS + 1)]
    assert "since the last run: 2 new, 1 changed" in done.stdout
    assert records(place) == {"lib": RECORDS + 1, "other": 3}
    assert "Другая 1" in bibld.Workspace(place / "bibld.toml").record("lib:1").mods.title_info[0].title
    allowed = run(place, "--allow-deletes")
    assert (allowed.exit_code, allowed.stderr) == (0, "")
    assert "since the last run: 28 deleted" in allowed.stdout
    assert records(place) == {"lib": 3, "other": 3}


def test_a_source_that_is_not_configured_any_more_is_kept_until_deleting_is_allowed(place):
    (place / "other.mrc").write_bytes(record(1, "First") + record(2, "Second"))
    edit(place, '[[source]]\nid = "lib"\npath = "lib.mrc"\n', "")
    done = run(place)
    assert (done.exit_code, release(place)) == (4, "1"), done.output
    assert (
        "lib: nothing was deleted: the source is not in the configuration any more, and has 30 records" in done.stderr
    )
    assert records(place) == {"lib": RECORDS, "other": 2}
    assert run(place, "--allow-deletes").exit_code == 0
    assert records(place) == {"other": 2}


def test_too_many_rejects_of_one_source_end_with_3(place):
    (place / "other.mrc").write_bytes(record(1, "First") + record(2, "Second") + b"no record\x1d")
    assert run(place, "--max-rejects", "34").exit_code == 0
    done = run(place, "--max-rejects", "33")
    assert (done.exit_code, "other: 1 of 3 records were rejected, more than 33 %" in done.stderr) == (3, True)


# -- the run -----------------------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """A fault of configuration, workspace or surroundings; the exit code, a part of the message, further options."""

    damage: Callable[[Path], object]
    code: int
    message: str
    words: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def damaged(name: str, data: bytes) -> Callable[[Path], object]:
    return lambda place: (place / "work" / name).write_bytes(data)


def removed(name: str) -> Callable[[Path], object]:
    return lambda place: shutil.rmtree(place / "work" / name)


def workspace_is_a_file(place: Path) -> None:
    shutil.rmtree(place / "work")
    (place / "work").touch()


FAULTS = {
    "no configuration": Fault(lambda place: (place / "bibld.toml").unlink(), 2, "bibld.toml: not found"),
    "syntax": Fault(lambda place: edit(place, "[dataset]", "[dataset"), 2, "bibld.toml:3: not valid TOML"),
    "unknown key": Fault(lambda place: source_key(place, "max_delete = 1"), 2, 'did you mean "max_deletes"?'),
    "unknown value": Fault(lambda place: source_key(place, 'max_deletes = "few"'), 2, "max_deletes"),
    "missing plug-in": Fault(lambda place: source_key(place, 'read = "ruslan"'), 2, 'unknown read adapter "ruslan"'),
    "list of suppressions missing": Fault(
        lambda place: edit(place, '[[source]]\nid = "lib"', '[publish]\nsuppress = "no.csv"\n[[source]]\nid = "lib"'),
        2,
        "no.csv: not found; name the list of suppressions",
    ),
    "wrong clock": Fault(lambda place: None, 2, "SOURCE_DATE_EPOCH", environment=(("SOURCE_DATE_EPOCH", "now"),)),
    "log in a folder that does not exist": Fault(
        lambda place: None, 2, "the log cannot be written", ("--log", "/no/x.log")
    ),
    "workspace is a file": Fault(workspace_is_a_file, 1, "the workspace cannot be written"),
    "register damaged": Fault(damaged("register.db", b"x" * 4096), 1, "register.db"),
    "catalog damaged": Fault(damaged("catalog.db", b"x" * 4096), 1, "catalog.db"),
    "store removed": Fault(removed("store"), 0, ""),
    "index removed": Fault(removed("index"), 0, ""),
    "releases removed": Fault(removed("releases"), 0, ""),
    "clock set back": Fault(lambda place: None, 0, "", environment=(("SOURCE_DATE_EPOCH", "86400"),)),
    "no home": Fault(lambda place: None, 0, "", environment=(("HOME", ""),)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_run_ends_with_its_exit_code_and_a_message(place, name, monkeypatch):
    fault = FAULTS[name]
    fault.damage(place)
    for variable, value in fault.environment:
        monkeypatch.setenv(variable, value)
    done = run(place, *fault.words)
    assert (done.exit_code, fault.message in done.stderr) == (fault.code, True), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    if fault.code == 0:
        assert records(place) == {"lib": RECORDS, "other": 3}
        assert bibld.Workspace(place / "bibld.toml").check().is_well
    else:
        assert all(line.startswith("bibld: ") for line in done.stderr.splitlines())


def test_two_runs_at_once_end_the_second_with_1(place):
    with (place / "work" / "lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write("4711")
        lock.flush()
        done = run(place)
    assert (done.exit_code, "in use by another run (process 4711); wait" in done.stderr) == (1, True)
    assert records(place)["other"] == 2


def command(place: Path, *words: str, **named: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "bibld", *words]
    return subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False, cwd=place, **named)  # type: ignore[call-overload,no-any-return]


def test_a_full_disk_ends_with_1_and_the_next_night_does_all(place):
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    stopped = command(place, "run", "bibld.toml", "-q", preexec_fn=limit)
    assert (stopped.returncode, "Traceback" in stopped.stderr) == (1, False), stopped.stderr
    assert stopped.stderr.startswith("bibld: ")
    done = run(place)
    assert done.exit_code == 0, done.output
    assert records(place) == {"lib": RECORDS, "other": 3}


@pytest.mark.parametrize("stage", ["read", "dedup", "publish"])
def test_a_killed_run_is_completed_by_the_next(place, stage):
    line = [sys.executable, "-m", "bibld", "run", "bibld.toml"]
    with subprocess.Popen(line, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for message in process.stderr:
            if message.startswith(stage):
                process.kill()
                break
        process.stderr.read()
    done = run(place)
    assert (done.exit_code, done.stderr) == (0, "")
    assert records(place) == {"lib": RECORDS, "other": 3}


def test_output_that_cannot_be_written_ends_with_1_and_no_traceback(place):
    with Path("/dev/full").open("w") as full:
        done = command(place, "stats", "bibld.toml", stdout=full)
    assert (done.returncode, done.stderr) == (1, "bibld: the output cannot be written: No space left on device\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = command(place, "stats", "bibld.toml", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_hangup_that_is_ignored_stays_ignored(place):
    program = (
        "import signal; from bibld import cli;"
        " cli.command_line.main = lambda **_: print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN); cli.main()"
    )
    found = subprocess.run(
        ["nohup", sys.executable, "-c", program], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert found.stdout == "True\n"


def test_a_cache_that_cannot_be_used_is_named_with_the_one_used_instead(place, monkeypatch, tmp_path):
    monkeypatch.setenv("BIBLD_KERNEL_CACHE", "")
    (place / "file").touch()
    edit(place, '[[source]]\nid = "lib"', '[dedup]\ncache = "file/below"\n[[source]]\nid = "lib"')
    done = run(place)
    assert done.exit_code == 0, done.output
    assert f"warning: compiled functions cannot be stored in {place}/file/below; " in done.stderr
    checked = CliRunner().invoke(cli.command_line, ["check", str(place / "bibld.toml"), "-q"])
    assert (checked.exit_code, "cannot be stored in" in checked.stderr) == (0, True)


def test_compiling_is_a_stage_that_is_shown_and_stored_in_the_stated_folder(place, monkeypatch):
    class Finished:
        """A process that has compiled all that it was asked to."""

        def __init__(self, command: list[str], **named: object) -> None:
            pass

        def wait(self) -> int:
            return 0

    monkeypatch.setattr("bibld.dedup.warm_up.subprocess.Popen", Finished)
    monkeypatch.setattr("bibld.dedup.warm_up.compile_kernels", lambda queue: None)
    monkeypatch.setenv("BIBLD_KERNEL_CACHE", "")
    edit(place, '[[source]]\nid = "lib"', '[dedup]\ncache = "kernels"\n[[source]]\nid = "lib"')
    stages = [msgspec.json.decode(run(place, "--json").stdout)["stages"] for _ in range(2)]
    first, second = [[stage["stage"] for stage in night] for night in stages]
    assert (first[:3], second[:2]) == (["read", "compile", "dedup"], ["read", "dedup"])
    assert list((place / "kernels").glob("kernels-*/*.compiled"))
    assert not stages[0][1]["was_current"] and stages[0][1]["done"] > 10


# -- a night without faults --------------------------------------------------------------------------------------------


def test_a_night_without_changes_does_nothing(place):
    (place / "lib.mrc").write_bytes(record(1, "Старая") + LIB)
    assert run(place).exit_code == 0
    done = run(place, "--json")
    summary = msgspec.json.decode(done.stdout)
    assert (done.exit_code, done.stderr, summary["release_is_new"]) == (0, "", False)
    assert [stage["stage"] for stage in summary["stages"] if not stage["was_current"]] == []
    assert [(one["source"], one["read"]) for one in summary["sources"]] == [("lib", 31), ("other", 3)]


def test_details_are_shown_if_they_are_wanted_and_logged_in_any_case(place):
    with (place / "other.mrc").open("ab") as out:
        out.write(b"no record\x1d")
    log = place / "night.log"
    words = ["run", str(place / "bibld.toml"), "--log", str(log), "--log-format", "json"]
    shown = [CliRunner().invoke(cli.command_line, [*words, *more]).stderr for more in (["-v"], [], ["-q"])]
    details = ["read: lib.mrc: 30 records, iso2709, utf-8", "read: rejected: other.mrc record 4 (byte "]
    assert [[any(line.startswith(one) for line in text.splitlines()) for one in details] for text in shown] == [
        [True, True],
        [False, False],
        [False, False],
    ]
    logged = [msgspec.json.decode(line) for line in log.read_text().splitlines()]
    assert sum(entry["message"] == details[0] and entry["level"] == "debug" for entry in logged) == 1
    assert {entry["stage"] for entry in logged if "stage" in entry} >= {"read", "dedup", "publish"}


def test_a_check_reports_what_each_file_is(place):
    (place / "other.mrc").write_bytes(gzip.compress(MARCXML))
    done = CliRunner().invoke(cli.command_line, ["check", str(place / "bibld.toml"), "--json", "-q"])
    found = {one["file"]: one for one in msgspec.json.decode(done.stdout)["files"]}
    assert {name: (one["carrier"], one["charset"], one["flavour"], one["records"]) for name, one in found.items()} == {
        "lib.mrc": ("iso2709", "utf-8", "marc21", RECORDS),
        "other.mrc": ("marcxml", "utf-8", "marc21", RECORDS),
    }


def test_a_check_reports_a_disk_that_is_too_small_and_a_workspace_that_cannot_be_written(place, monkeypatch):
    shutil.rmtree(place / "work")
    monkeypatch.setattr(
        "bibld._api.source_check.shutil.disk_usage", lambda folder: shutil._ntuple_diskusage(10**9, 10**9, 10)
    )  # type: ignore[attr-defined]
    done = CliRunner().invoke(cli.command_line, ["check", str(place / "bibld.toml"), "-q"])
    assert (done.exit_code, "MB free; the first run needs about" in done.stderr) == (0, True), done.stderr
    (place / "work").touch()
    done = CliRunner().invoke(cli.command_line, ["check", str(place / "bibld.toml"), "-q"])
    assert (done.exit_code, "cannot be written; check the permissions" in done.stderr) == (1, True), done.stderr
    assert configuration.load(place / "bibld.toml").workspace == place / "work"
