"""The access log: one line for each request, as JSON or in the combined format."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
from datetime import UTC, datetime

import msgspec

from bibld.errors import StageError
from bibld.serve.settings import LogFormat

_LOG = logging.getLogger("bibld.serve")
_FLUSH_SECONDS = 0.2
_MAX_QUERY_LENGTH = 200
"""Characters of the query of an address; a SPARQL query would fill the log."""
MAX_HEADER_LENGTH = 300
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f-\x9f]')
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class AccessEntry(msgspec.Struct):
    """A request that has been answered; ``bytes`` of the body, ``ms`` until its end; ``kind`` is its class."""

    time: str
    client: str
    method: str
    target: str
    status: int
    bytes: int
    ms: float
    kind: str = msgspec.field(name="class")
    referer: str = ""
    agent: str = ""


class AccessLog:
    """Appends lines to a file, or writes them to standard output if ``path`` is "-".

    Lines are collected for a fifth of a second, and written at once: lines of several processes never mix, and the file
    may be copied and truncated meanwhile. Raises ``StageError`` if the file cannot be opened.
    """

    def __init__(self, path: str, form: LogFormat) -> None:
        self._path = path
        self._form = form
        self._lines: list[bytes] = []
        self._is_flushing = False
        self._adding = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_failed = False
        self._file = _open(path)

    def flush_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """State the event loop that writes lines which other threads add."""
        self._loop = loop

    def write(self, entry: AccessEntry, now: float) -> None:
        """Add a request, in any thread; ``now`` is its time in seconds since 1970."""
        moment = datetime.fromtimestamp(now, UTC)
        path, _, query = entry.target.partition("?")
        if len(query) > _MAX_QUERY_LENGTH:
            entry.target = f"{path}?{query[:_MAX_QUERY_LENGTH]}…"
        if self._form == "json":
            entry.time = moment.isoformat(timespec="milliseconds")
            line = msgspec.json.encode(entry)
        else:
            time = f"{moment.day:02}/{_MONTHS[moment.month - 1]}/{moment:%Y:%H:%M:%S} +0000"
            referer, agent = (_escape(text) or "-" for text in (entry.referer, entry.agent))
            request = _escape(f"{entry.method} {entry.target} HTTP/1.1")
            text = f'{entry.client} - - [{time}] "{request}" {entry.status} {entry.bytes} "{referer}" "{agent}"'
            line = text.encode()
        with self._adding:
            self._lines.append(line + b"\n")
            is_first, self._is_flushing = not self._is_flushing, True
        if is_first:
            loop = self._loop or asyncio.get_running_loop()
            loop.call_soon_threadsafe(loop.call_later, _FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write what has been collected. A failure is reported once; the server goes on without these lines."""
        with self._adding:
            self._is_flushing = False
            lines, self._lines = self._lines, []
        try:
            data = memoryview(b"".join(lines))
            while data:
                data = data[os.write(self._file, data) :]
            self._has_failed = False
        except OSError as error:
            if not self._has_failed:
                _LOG.error("%s: lines of the access log are lost: %s", self._path, error.strerror)
            self._has_failed = True

    def reopen(self) -> None:
        """Open the file again by its name, after it was renamed."""
        self.flush()
        if self._path == "-":
            return
        try:
            opened = _open(self._path)
        except StageError as error:
            _LOG.error("%s; the old file is written further", error)
            return
        os.close(self._file)
        self._file = opened


def _open(path: str) -> int:
    if path == "-":
        return 1
    try:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        raise StageError(f"access log {path} cannot be opened: {error.strerror}; choose another file") from error


def _escape(text: str) -> str:
    return _UNSAFE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
