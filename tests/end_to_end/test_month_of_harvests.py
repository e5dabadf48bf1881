"""A month of nights: `bibld run` on an OAI-PMH source with a fault every night; exit codes, state, records."""

from __future__ import annotations

import email.utils
import fcntl
import gzip
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import bibld
from bibld.cli import command_line
from tests.harvest.hostile_oai import Reply, error, serving
from tests.harvest.small_oai import Library
from tests.harvest.test_hostile_oai import configured

DAY = 86400
DONE, FAILED, KEPT_OLD_STATE = 0, 1, 4
FIRST, LAST = 1, 60


class Night(NamedTuple):
    """What changes in the library, what the server or this machine does wrong, and how the run must end."""

    name: str
    exit_code: int = DONE
    change: Callable[[Library], None] = lambda library: library.put(1, f"Title of {library.now}")
    wrong: Callable[..., Reply] | None = None
    is_current: bool = True
    """Whether what is published is what the library has."""
    here: Callable[[Path], AbstractContextManager[dict[str, str]]] | None = None
    """A fault of this machine during the run of a workspace; yields variables of the environment."""
    message: str = "far: "

    @property
    def has_fault(self) -> bool:
        return self.wrong is not None or self.here is not None or not self.is_current


def html(request, reply):
    return Reply(b"<html><title>Maintenance</title></html>") if request.is_list else reply


def busy(request, reply):
    return Reply(b"busy", 503, {"Retry-After": "90000"}) if request.is_list else reply


def down(request, reply):
    return reply._replace(body=b"", lie=1000)


def once(wrong):
    """Do something wrong the first time that a part of the list is asked for."""
    return lambda request, reply: wrong(request, reply) if request.is_list and not request.times else reply


def edit(old, new):
    return lambda request, reply: reply._replace(body=reply.body.replace(old, new))


def cut(request, reply):
    return reply._replace(body=reply.body[: len(reply.body) // 2])


def forget_token(request, reply):
    if request.token and request.memory.setdefault("expired", request.token) == request.token and not request.times:
        return error("badResumptionToken", "expired")
    return reply


def utf16(request, reply):
    return reply._replace(body=reply.body.decode().replace('"UTF-8"', '"UTF-16"').encode("utf-16"))


@contextmanager
def clock_of_1970(workspace: Path) -> Iterator[dict[str, str]]:
    yield {"SOURCE_DATE_EPOCH": str(DAY)}


@contextmanager
def run_of_last_night(workspace: Path) -> Iterator[dict[str, str]]:
    """Lock the workspace, as a run does that has not ended yet."""
    with (workspace / "lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield {}


@contextmanager
def lost_file(workspace: Path) -> Iterator[dict[str, str]]:
    """Remove a file of the harvested records."""
    file, *_ = sorted((workspace / "harvest" / "far").glob("**/*.gz"))
    file.unlink()
    yield {}


def nothing(library):
    """No record changes."""


def put(*numbers, title="Title {} of {}"):
    def change(library):
        for number in numbers:
            library.put(number, title.format(number, library.now))

    return change


def delete(*numbers):
    def change(library):
        for number in numbers:
            library.delete(number)

    return change


def lose_all(request, reply):
    return error("noRecordsMatch") if request.verb in ("ListRecords", "ListIdentifiers") else reply


MONTH = [
    Night("the first harvest, and each answer is cut off once", wrong=once(cut)),
    Night("a web page in place of the list", KEPT_OLD_STATE, wrong=html, is_current=False),
    Night("a token has expired", change=put(*range(1, 10)), wrong=forget_token),
    Night("busy for a day", KEPT_OLD_STATE, wrong=busy, is_current=False),
    Night("the connection breaks once", wrong=once(down)),
    Night("the connection always breaks", KEPT_OLD_STATE, wrong=down, is_current=False),
    Night("control characters", change=put(7, title="Bells \x07 {} of {}"), is_current=False),
    Night("they are mended, in UTF-16", change=put(7), wrong=utf16),
    Night("three records are deleted, which is stated at the record", change=delete(11, 12, 13),
          wrong=edit(b'<record><header status="deleted">', b'<record status="deleted"><header>')),
    Night("nothing changes, and the clock of this machine is set back", change=nothing, here=clock_of_1970),
    Night("windows-1252 declared as UTF-8", wrong=lambda request, reply: reply._replace(
        body=reply.body.decode().encode("cp1252", "replace"))),
    Night("a record is not well-formed", change=put(20, title="Title <i>{} of {}"), is_current=False),
    Night("it is mended, and the run of last night has not ended", FAILED, change=put(20), is_current=False,
          here=run_of_last_night, message="in use by another run"),
    Night("500 once", wrong=once(lambda request, reply: Reply(b"oops", 500))),
    Night("an empty answer once", wrong=once(lambda request, reply: Reply(b""))),
    Night("answers are compressed without a word", wrong=lambda request, reply: reply._replace(
        body=gzip.compress(reply.body))),
    Night("half of the library is deleted by mistake", KEPT_OLD_STATE, change=delete(*range(15, 50)), is_current=False),
    Night("still", KEPT_OLD_STATE, is_current=False),
    Night("they are back, and a stored file is lost", change=put(*range(15, 50)), here=lost_file),
    Night("an error that is none once", wrong=once(lambda request, reply: error("InternalException"))),
    Night("warnings before the answer", wrong=lambda request, reply: reply._replace(body=b"Warning\n" + reply.body)),
    Night("notices after the answer", wrong=lambda request, reply: reply._replace(body=reply.body + b"<b>Notice</b>")),
    Night("Identify is a web page", wrong=lambda request, reply:
          Reply(b"<html>") if request.verb == "Identify" else reply),
    Night("Retry-After is a date", wrong=once(lambda request, reply: Reply(
        b"busy", 429, {"Retry-After": email.utils.formatdate(0, usegmt=True)}))),
    Night("Deleted with a capital", change=delete(14), wrong=edit(b'status="deleted"', b'status="Deleted"')),
    Night("no namespace", wrong=edit(b' xmlns="http://www.openarchives.org/OAI/2.0/"', b"")),
    Night("redirected", wrong=lambda request, reply: reply if request.path == "/new" else Reply(
        b"", 302, {"Location": "/new"})),
    Night("the server has lost all records", wrong=lose_all, is_current=False),
    Night("the list is never complete", KEPT_OLD_STATE, change=put(*range(1, 11)), wrong=lambda request, reply:
          error("badResumptionToken") if request.token else reply, is_current=False),
    Night("all is well in the end"),
]  # fmt: skip


@pytest.mark.server
def test_a_month_with_a_fault_every_night_ends_with_the_right_records(tmp_path, monkeypatch):
    assert len(MONTH) == 30
    assert [night.name for night in MONTH if not night.has_fault] == ["all is well in the end"]
    library = Library(clock=1_780_000_000)
    for number in range(FIRST, LAST + 1):
        library.put(number, f"Title {number}")
    wrong = None

    def change(request, answer):
        reply = library.answer(request)
        return reply if wrong is None else wrong(request, reply)

    with serving(change) as server:
        config = configured(tmp_path, server.url, tries=2)
        workspace = bibld.Workspace(config.file)
        published = None
        for number, night in enumerate(MONTH):
            library.clock += DAY
            night.change(library)
            library.clock += DAY // 24
            wrong = night.wrong
            server.memory.clear()
            monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(library.clock)))
            with night.here(config.workspace) if night.here else nullcontext({}) as environment:
                run = CliRunner().invoke(command_line, ["run", str(config.file), "--quiet"], env=environment)
            where = f"night {number}, {night.name}: {run.output}"
            assert run.exit_code == night.exit_code, where
            assert night.message in run.output, where
            before, published = published, titles(workspace)
            if night.name == "a record is not well-formed":
                with workspace.catalog() as catalog:
                    (reject,) = catalog.records.rejects()
                assert "oai:library:20: is not well-formed XML" in reject.reason
                assert b"<i>20 of" in reject.original
            if night.is_current:
                assert published == library.titles(), where
            elif night.exit_code in (FAILED, KEPT_OLD_STATE):
                assert before is not None
                assert published.keys() >= before.keys(), where
        assert (tmp_path / "work" / "reports" / "far.html").is_file()


def titles(workspace):
    """Return the titles of the live records by number."""
    with workspace.catalog() as catalog:
        return {
            int(str(catalog.register.record(ordinal)).partition(":r")[2]): mods.title_info[0].title
            for ordinal, _, mods in catalog.records.live()
        }
