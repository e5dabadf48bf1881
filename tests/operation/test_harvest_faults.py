"""What cron may rely on when `bibld harvest` meets a fault: exit code, message, and what is stored afterwards.

A source is harvested once. Each case is a fault of the next night: of the server, of its files, of the options, or of
the workspace. The stored records stay, no message is a traceback, and when the fault is mended the next harvest is
complete. The page `docs/reference/faults.md` names every case with its exit code.
"""

from __future__ import annotations

import hashlib
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from bibld import cli, harvest
from bibld import config as configuration
from bibld.harvest import SourceStore
from tests.configuration import write_config
from tests.harvest import file_servers, hostile_oai
from tests.harvest.hostile_oai import Reply, error, serving
from tests.operation.test_faults import record
from tests.ports import free_port

Damage = Callable[[Path], object]
WRONG_USE, KEPT_OLD_STATE = 2, 4


def harvested(place: Path, *words: str) -> Result:
    return CliRunner().invoke(cli.command_line, ["harvest", str(place / "bibld.toml"), "-q", *words])


def stored(place: Path) -> list[bytes]:
    """Return the contents of the files that are read next."""
    config = configuration.load(place / "bibld.toml")
    return [file.path.read_bytes() for source in config.sources for file in harvest.files(config, source)]


def undamaged(place: Path) -> None:
    """Change nothing."""


def edit(old: str, new: str) -> Damage:
    """Replace a pattern in the configuration."""

    def damage(place: Path) -> None:
        text, times = re.subn(old, new, (place / "bibld.toml").read_text())
        assert times == 1
        (place / "bibld.toml").write_text(text)

    return damage


def key(line: str) -> Damage:
    return edit(r"(id = .*\n)", rf"\1{line}\n")


def without_port(place: Path) -> None:
    """Ask a port at which nobody answers."""
    edit(r"127\.0\.0\.1:\d+", f"127.0.0.1:{free_port()}")(place)


# -- servers of OAI-PMH ------------------------------------------------------------------------------------------------


class ServerFault(NamedTuple):
    """A fault of a server: ``wrong`` changes its answers, ``damage`` the configuration; a part of the message."""

    message: str
    wrong: Callable[..., Reply] | None = None
    damage: Damage = undamaged
    words: tuple[str, ...] = ()


def always(body: bytes, status: int = 200, **headers: str) -> Callable[..., Reply]:
    return lambda request, answer: Reply(body, status, {name.replace("_", "-"): text for name, text in headers.items()})


def for_lists(reply: Reply) -> Callable[..., Reply]:
    return lambda request, answer: reply if request.is_list else answer()


FULL = ("--full",)
SHORT = hostile_oai.page(0, token='<resumptionToken completeListSize="9"/>')
ENDLESS = hostile_oai.page(0, token="<resumptionToken>token1</resumptionToken>")

SERVERS = {
    "refuses the connection": ServerFault("no connection: [Errno 111] Connection refused", damage=without_port),
    "has an unknown name": ServerFault(
        "Name or service not known; check the address", damage=edit(r"127\.0\.0\.1", "library.invalid")
    ),
    "speaks no TLS": ServerFault("the server does not answer in TLS", damage=edit("http:", "https:")),
    "asks for a password": ServerFault("status 401; ask the owner", always(b"", 401)),
    "refuses": ServerFault("status 403; ask the owner to allow the address of this machine", always(b"", 403)),
    "has moved": ServerFault("status 404 (the answer is empty); check the address", always(b"", 404)),
    "fails": ServerFault("status 500 (the answer is empty) (2 tries)", always(b"", 500)),
    "is busy for a day": ServerFault(
        "asks to come again in 86400 s (status 503); the next run continues", always(b"", 503, Retry_After="86400")
    ),
    "is maintained": ServerFault(
        'the answer is a web page ("Maintenance")', for_lists(Reply(b"<html><title>Maintenance</title>"))
    ),
    "answers with nothing": ServerFault("the answer is empty", always(b"")),
    "answers with JSON": ServerFault("the answer is no OAI-PMH", always(b'{"error": "no"}')),
    "breaks off": ServerFault("the answer broke off", lambda request, answer: answer()._replace(lie=1000)),
    "is too slow": ServerFault(
        "the answer was not complete after 0.2 s", lambda request, answer: answer()._replace(pause=0.02),
        key("deadline = 0.2"),
    ),
    "redirects in a circle": ServerFault("more than 5 redirects", always(b"", 302, Location="/oai?verb=Identify")),
    "has lost all records": ServerFault(
        "the server lists no record, though it had 9", for_lists(error("noRecordsMatch")), words=FULL
    ),
    "ends its list early": ServerFault("the list ended after 3 of 9 records", for_lists(SHORT), words=FULL),
    "never ends its list": ServerFault("the list never ends", for_lists(ENDLESS), words=FULL),
    "refuses its own token": ServerFault(
        "the server refuses its own resumption token twice",
        lambda request, answer: error("badResumptionToken") if request.token else answer(),
        words=FULL,
    ),
    "does not know the set": ServerFault("badArgument: no such set", for_lists(error("badArgument", "no such set"))),
    "does not know the format": ServerFault(
        "the server offers oai_dc, marc21: state one by prefix", for_lists(error("cannotDisseminateFormat"))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SERVERS)
def test_a_fault_of_a_server_keeps_what_is_stored_and_ends_with_4(name, tmp_path):
    fault = SERVERS[name]
    is_wrong = False
    with serving(lambda request, answer: fault.wrong(request, answer) if is_wrong and fault.wrong else answer()) as far:
        keys = f'url = "{far.url}"\nprefix = "marc21"\nfirst_wait = 0.01\ntries = 2\n'
        write_config(tmp_path, f'[[source]]\nid = "far"\nharvest = "oaipmh"\n{keys}')
        text = (tmp_path / "bibld.toml").read_text()
        assert harvested(tmp_path).exit_code == 0
        before = stored(tmp_path)
        is_wrong = True
        fault.damage(tmp_path)
        done = harvested(tmp_path, *fault.words)
        assert (done.exit_code, fault.message in done.output) == (KEPT_OLD_STATE, True), done.output
        assert re.match("far: (partial|failed), ", done.stdout)
        assert stored(tmp_path) == before
        is_wrong = False
        (tmp_path / "bibld.toml").write_text(text)
        mended = harvested(tmp_path)
        assert (mended.exit_code, stored(tmp_path)) == (0, before), mended.output


# -- files of a web server ---------------------------------------------------------------------------------------------

BOOKS = b"".join(record(number) for number in range(1, 100))


class FileFault(NamedTuple):
    """A fault of a file that a web server offers, and a part of the message."""

    message: str
    damage: Callable[[file_servers.Web], object]
    lines: str = ""


def content(data: bytes) -> Callable[[file_servers.Web], object]:
    return lambda web: web.files.update({"/books.mrc": data})


def breaks_off(web: file_servers.Web) -> None:
    content(BOOKS * 2)(web)
    web.stated_length = 10**9


FILES = {
    "is not there": FileFault("status 404", lambda web: web.files.clear()),
    "is forbidden": FileFault("refused with status 403", lambda web: setattr(web, "status", 403)),
    "is a web page": FileFault("is a web page, not data", content(b"<!DOCTYPE html><html>login")),
    "is empty": FileFault("is empty", content(b"")),
    "breaks off": FileFault("the answer broke off", breaks_off),
    "is too large": FileFault("has more than 20,000 bytes", content(BOOKS * 9), "max_file_bytes = 20000\n"),
    "has a wrong check sum": FileFault("SHA-256 check sum is wrong", content(BOOKS * 2), 'checksum = ".sha256"\n'),
}


@pytest.mark.parametrize("name", FILES)
def test_a_fault_of_a_file_keeps_its_last_version_and_ends_with_4(name, tmp_path):
    fault = FILES[name]
    with file_servers.web() as web:
        web.files = {"/books.mrc": BOOKS, "/books.mrc.sha256": hashlib.sha256(BOOKS).hexdigest().encode()}
        keys = f'url = "{web.url}/books.mrc"\nfirst_wait = 0.01\ntries = 2\n{fault.lines}'
        write_config(tmp_path, f'[[source]]\nid = "lib"\nharvest = "http"\n{keys}')
        assert harvested(tmp_path).exit_code == 0
        good = dict(web.files)
        fault.damage(web)
        done = harvested(tmp_path)
        assert (done.exit_code, fault.message in done.output) == (KEPT_OLD_STATE, True), done.output
        assert stored(tmp_path) == [BOOKS]
        web.files, web.status, web.stated_length = good, 200, None
        mended = harvested(tmp_path)
        assert (mended.exit_code, stored(tmp_path)) == (0, [BOOKS]), mended.output


# -- folders, and programs that are needed -----------------------------------------------------------------------------


class FirstNight(NamedTuple):
    """A source that cannot be harvested: its keys, a part of the message, and what is done before."""

    keys: str
    message: str
    damage: Damage = undamaged
    code: int = KEPT_OLD_STATE


def folder(name: str) -> Damage:
    def damage(place: Path) -> None:
        (place / "drop").mkdir()
        (place / "drop" / name).write_bytes(BOOKS)

    return damage


SECRET = 'user = { env = "NO_SUCH_USER" }'
FIRST_NIGHTS = {
    "folder missing": FirstNight('harvest = "folder"\npath = "drop"', "drop: the folder cannot be read"),
    "folder without a match": FirstNight(
        'harvest = "folder"\npath = "drop"\nfiles = "*.xml"', "drop: no file matches *.xml", folder("a.mrc")
    ),
    "file still being written": FirstNight(
        'harvest = "folder"\npath = "drop"', "drop: still being written: a.mrc", folder("a.mrc")
    ),
    "no yaz-client": FirstNight('harvest = "z3950"\nurl = "127.0.0.1:9/x"', "yaz-client"),
    "no paramiko": FirstNight('harvest = "sftp"\nhost = "127.0.0.1"\npath = "/x/*"', "bibld[sftp]"),
    "user not in the environment": FirstNight(
        f'harvest = "oaipmh"\nurl = "http://127.0.0.1:9/"\n{SECRET}', "NO_SUCH_USER"
    ),
    "certificates missing": FirstNight(
        'harvest = "oaipmh"\nurl = "https://127.0.0.1:9/"\nca_file = "no.pem"', "ca_file = no.pem: cannot be used"
    ),
    "address missing": FirstNight('harvest = "oaipmh"', 'missing key "source[1].url"', code=WRONG_USE),
    "unknown harvester": FirstNight('harvest = "oai"', 'unknown harvest adapter "oai"', code=WRONG_USE),
}


@pytest.mark.parametrize("name", FIRST_NIGHTS)
def test_a_source_that_cannot_be_harvested_is_named(name, tmp_path, monkeypatch):
    night = FIRST_NIGHTS[name]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "paramiko", None)
    write_config(tmp_path, f'[[source]]\nid = "lib"\n{night.keys}\n')
    night.damage(tmp_path)
    done = harvested(tmp_path)
    assert (done.exit_code, night.message in done.output) == (night.code, True), done.output
    assert isinstance(done.exception, SystemExit)
    assert len(done.output.splitlines()) == 1


# -- the command and its workspace -------------------------------------------------------------------------------------


@pytest.fixture
def near(tmp_path):
    """A workspace with a source that was harvested, and whose server still answers."""
    with file_servers.web() as web:
        web.files = {"/books.mrc": BOOKS}
        write_config(tmp_path, f'[[source]]\nid = "lib"\nharvest = "http"\nurl = "{web.url}/books.mrc"\ntries = 1\n')
        assert harvested(tmp_path).exit_code == 0
        yield tmp_path


class CommandFault(NamedTuple):
    """A fault of the command or the workspace: exit code, a part of the message, options, what is done before."""

    code: int
    message: str
    words: tuple[str, ...] = ()
    damage: Damage = undamaged
    repair: Damage = undamaged


def database(place: Path) -> Path:
    return place / "work" / "harvest" / "lib" / "harvest.db"


COMMANDS = {
    "unknown source": CommandFault(2, 'unknown source "hse" (allowed: lib)', ("hse",)),
    "no date": CommandFault(2, '"yesterday" is not a day or time; write 2026-01-31', ("--since", "yesterday")),
    "options that exclude each other": CommandFault(2, "--since and --full", ("--since", "2026-01-01", "--full")),
    "no number": CommandFault(2, "--limit", ("--limit", "0")),
    "no configuration": CommandFault(
        2, "bibld.toml: not found", (), lambda place: (place / "bibld.toml").rename(place / "x"),
        lambda place: (place / "x").rename(place / "bibld.toml"),
    ),
    "database damaged": CommandFault(
        4, "harvest.db: cannot be used: DatabaseError", (), lambda place: database(place).write_bytes(b"x" * 4096),
        lambda place: database(place).unlink(),
    ),
    "stored file lost": CommandFault(
        0, "lib: complete", (), lambda place: next((place / "work/harvest/lib/files").iterdir()).unlink()
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_fault_of_the_command_or_the_workspace_is_named(name, near):
    fault = COMMANDS[name]
    fault.damage(near)
    done = harvested(near, *fault.words)
    assert (done.exit_code, fault.message in done.output) == (fault.code, True), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    fault.repair(near)
    mended = harvested(near)
    assert (mended.exit_code, stored(near)) == (0, [BOOKS]), mended.output


def test_two_harvests_of_a_source_at_once_end_the_second_with_4(near):
    config = configuration.load(near / "bibld.toml")
    with SourceStore(config.workspace, "lib") as store, store.lock():
        done = harvested(near)
    assert (done.exit_code, "another harvest of this source is running (process" in done.output) == (
        KEPT_OLD_STATE,
        True,
    ), done.output
    assert harvested(near).exit_code == 0


def test_a_workspace_that_cannot_be_written_is_named(near):
    work = near / "work"
    work.rename(near / "away")
    work.touch()
    done = harvested(near)
    assert (done.exit_code, "work" in done.output) == (KEPT_OLD_STATE, True), done.output
    work.unlink()
    (near / "away").rename(work)
    assert (harvested(near).exit_code, stored(near)) == (0, [BOOKS])


def test_a_full_disk_keeps_what_is_stored(near):
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))

    line = [sys.executable, "-m", "bibld", "harvest", "bibld.toml", "--full"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=near, preexec_fn=limit, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (KEPT_OLD_STATE, False), done
    assert "free some space" in done.stdout
    assert (harvested(near).exit_code, stored(near)) == (0, [BOOKS])


def test_output_that_cannot_be_written_ends_with_1(near):
    with Path("/dev/full").open("w") as full:
        line = [sys.executable, "-m", "bibld", "harvest", "bibld.toml", "-q"]
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, cwd=near, check=False)
    assert (done.returncode, done.stderr) == (1, "bibld: the output cannot be written: No space left on device\n")
    assert (harvested(near).exit_code, stored(near)) == (0, [BOOKS])
