"""yaz-client as a process: a connection for each search and for each batch of portions."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from bibld.errors import HarvestError

PROGRAM = "yaz-client"

_HITS = re.compile(rb"^Number of hits: ([0-9]{1,15})\b", re.MULTILINE)
_DIAGNOSTIC = re.compile(rb"^ +\[([0-9]{1,9})\] (.*)$", re.MULTILINE)
_PRESENT = re.compile(
    rb"^(?:Z> )*Sent presentRequest \(([0-9]+)\+([0-9]+)\)\.\r?\nRecords: ([0-9]{1,15})\b", re.MULTILINE
)
_SENT = re.compile(rb"^(?:Z> )*Sent presentRequest", re.MULTILINE)
_NAME = re.compile(rb"^Name +: (.*)$", re.MULTILINE)
_CONNECTION = re.compile(rb"Connecting\.\.\.(?!OK)(.*)$", re.MULTILINE)
_REJECTED = re.compile(rb"Connection rejected by .*$", re.MULTILINE)
_WAIT = 2.0


class Target(msgspec.Struct, frozen=True):
    """A database of a server, and how its records are asked for."""

    address: str
    database: str
    syntax: str
    elements: str
    negotiate: str
    authentication: str


class Batch(msgspec.Struct, frozen=True):
    """What came for some portions: hits of the query, the records as one file, and what the server stated beside them.

    ``asked``, ``answered`` and ``sent`` count records: ``answered`` those up to the first one that is missing, ``sent``
    all of them; they contain ``surrogates`` diagnostics in place of records.
    """

    hits: int
    dump: bytes
    asked: int
    answered: int
    sent: int
    diagnostics: tuple[tuple[int, str], ...]

    @property
    def surrogates(self) -> int:
        """The number of diagnostics."""
        return len(self.diagnostics)

    @property
    def stated(self) -> str:
        """The first diagnostic as text."""
        return f"diagnostic {self.diagnostics[0][0]} ({self.diagnostics[0][1]})" if self.diagnostics else ""

    def has_diagnostic(self, code: int) -> bool:
        """Return whether a diagnostic has a code of Bib-1."""
        return any(one == code for one, _ in self.diagnostics)


class Client:
    """Asks one server. ``deadline``: seconds for one connection; ``tries``: how often it is begun."""

    def __init__(self, target: Target, deadline: float, tries: int) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise HarvestError("yaz-client is not installed; install YAZ (Debian: yaz)")
        self._program = program
        self._target = target
        self._deadline = deadline
        self._tries = tries
        self.server = ""
        """The name that the server gave itself."""

    def count(self, query: str) -> int:
        """Return the number of hits of a query; raises ``HarvestError`` if the server refuses it or does not answer."""
        return self._ask(query, [], 0).hits

    def fetch(self, query: str, start: int, portion: int, portions: int) -> Batch:
        """Return the records from a position on, in some portions; raises ``HarvestError`` as :meth:`count` does."""
        shows = [f"show {start + number * portion}+{portion}" for number in range(portions)]
        return self._ask(query, shows, start)

    def _ask(self, query: str, shows: list[str], start: int) -> Batch:
        fault = ""
        for attempt in range(self._tries):
            if attempt:
                time.sleep(_WAIT)
            with tempfile.TemporaryDirectory(prefix="bibld-") as folder:
                try:
                    log = self._run(self._commands(query, shows), Path(folder))
                except subprocess.TimeoutExpired:
                    fault = f"no complete answer after {self._deadline:g} s"
                    continue
                dump = Path(folder, "dump")
                found = _HITS.search(log)
                if found is None:
                    fault = _fault_of_connection(log)
                    continue
                return self._batch(query, log, int(found[1]), shows, start, dump.read_bytes() if dump.exists() else b"")
        raise HarvestError(f"{self._target.address}/{self._target.database}: {fault} ({self._tries} tries)")

    def _batch(self, query: str, log: bytes, hits: int, shows: list[str], start: int, dump: bytes) -> Batch:
        name = _NAME.search(log)
        self.server = name[1].decode(errors="replace").strip() if name else ""
        sent = _SENT.search(log)
        before = log[: sent.start()] if sent else log
        refused = _diagnostics(before)
        if refused and not hits:
            code, text = refused[0]
            raise HarvestError(
                f"{self._target.address}/{self._target.database}: the server refuses the query {query}: diagnostic"
                f" {code} ({text})"
            )
        asked = sum(min(int(show.partition("+")[2]), max(hits - _start(show) + 1, 0)) for show in shows)
        portions = [(int(place), int(records)) for place, _, records in _PRESENT.findall(log)]
        answered = 0
        for place, records in portions:
            if place != start + answered:
                break  # an earlier portion was shorter: what follows does not continue it
            answered += records
        total = sum(records for _, records in portions)
        return Batch(hits, dump, asked, answered, total, _diagnostics(log[len(before) :]))

    def _commands(self, query: str, shows: list[str]) -> str:
        target = self._target
        lines = [
            *([f"authentication {target.authentication}"] if target.authentication else []),
            *([f"charset {target.negotiate} -"] if target.negotiate else []),
            f"open {target.address}",
            f"base {target.database}",
            f"format {target.syntax}",
            f"elements {target.elements}",
            "set_marcdump dump",
            f"find {query}",
            *shows,
            "quit",
            "",
        ]
        return "\n".join(lines)

    def _run(self, commands: str, folder: Path) -> bytes:
        """Return what the program prints; raises ``subprocess.TimeoutExpired``."""
        log = folder / "log"
        with log.open("wb") as out:
            subprocess.run(
                [self._program, "-f", "/dev/null"],
                input=commands.encode(),
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                timeout=self._deadline,
                check=False,
            )
        return log.read_bytes()


def _start(show: str) -> int:
    return int(show.removeprefix("show ").partition("+")[0])


def _diagnostics(log: bytes) -> tuple[tuple[int, str], ...]:
    return tuple((int(code), text.decode(errors="replace").strip()) for code, text in _DIAGNOSTIC.findall(log))


def _fault_of_connection(log: bytes) -> str:
    """Return why there was no search, in the words of the program."""
    for pattern in (_REJECTED, _CONNECTION):
        if found := pattern.search(log):
            return f"no connection ({found[0].decode(errors='replace').strip()})"
    return "the server closed the connection"
