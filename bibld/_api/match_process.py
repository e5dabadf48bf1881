"""The process that matches the file of a stranger for a server: ``python -m bibld._api.match_process CONFIG``.

It reads one line from standard input, the JSON of a ``MatchRequest``, and writes ``MatchMessage``s to standard output,
a line of JSON each. It ends when standard input ends, and may be killed at any moment: what it writes is in the folder
of the file. Nothing is reported that only concerns this machine.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from bibld._api.file_matching import match_files
from bibld._api.table_files import table_format, write_table
from bibld._api.workspace import Workspace
from bibld.errors import BibldError, HarvestError, RecordError
from bibld.model.matched import MatchedRecord, MatchEnd, MatchMessage, MatchProgress, MatchRequest, MatchRow
from bibld.progress import Silent
from bibld.protocols import HarvestedFile
from bibld.text.translations import sentences_in

_NICENESS = 10


def main() -> None:
    """Match one file."""
    line = b""
    while not line.endswith(b"\n"):
        if not (piece := os.read(sys.stdin.fileno(), 4096)):
            return
        line += piece
    request = msgspec.json.decode(line, type=MatchRequest)
    threading.Thread(target=_end_with_server, daemon=True).start()
    os.nice(_NICENESS)  # pages come before files
    file = Path(request.file)
    tempfile.tempdir = str(file.parent)
    write = _Writer(str(file), request.name).write
    progress = _Messages(write)
    try:
        rows = match_files(Workspace(sys.argv[1], progress=progress), [HarvestedFile("file", request.name, file)])
        if request.table:
            table = Path(request.table)
            write_table(
                rows, MatchedRecord.__struct_fields__, table, table_format(table, None), sentences_in(request.language)
            )
        else:
            for row in rows:
                write(MatchRow(row))
        write(MatchEnd())
    except (HarvestError, RecordError) as error:
        write(MatchEnd(str(error)))
    except BibldError as error:  # of the workspace, which is nobody else's business
        print(error, file=sys.stderr, flush=True)
        write(MatchEnd("files cannot be matched now; try again later, or report it to those who run this site"))


class _Writer:
    """Writes messages, in which the file has its name instead of its path."""

    def __init__(self, path: str, name: str) -> None:
        self._path, self._name = (msgspec.json.encode(text)[1:-1] for text in (path, name))
        self._encoder = msgspec.json.Encoder()

    def write(self, message: MatchMessage) -> None:
        """Write a line."""
        sys.stdout.buffer.write(self._encoder.encode(message).replace(self._path, self._name) + b"\n")
        sys.stdout.buffer.flush()


class _Messages(Silent):
    """Writes progress as messages."""

    def __init__(self, write: Callable[[MatchMessage], None]) -> None:
        self._write = write
        self._step, self._done = "", 0
        self._total: int | None = None

    def stage(self, name: str, what: str, total: int | None = None) -> None:
        """Begin a step."""
        self._step, self._done, self._total = name, 0, total
        self.advance(0)

    def advance(self, count: int = 1) -> None:
        """Report what is done."""
        self._done += count
        self._write(MatchProgress(self._step, self._done, self._total))


def _end_with_server() -> None:
    """End this process and those that it started when the server does not wait any more."""
    while os.read(sys.stdin.fileno(), 1):  # a buffer would be locked when this process ends
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
