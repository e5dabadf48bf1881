"""Real triple stores on loopback, started on free ports and stopped by their process: Oxigraph's server, Virtuoso 7."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.ports import free_port

PASSWORD = "Пароль-of:tests"
_START_SECONDS = 600.0
_VIRTUOSO_INI = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
FileExtend = 200
MaxCheckpointRemap = 2000
Striping = 0
TempStorage = TempDatabase
[TempDatabase]
DatabaseFile = {folder}/virtuoso-temp.db
TransactionFile = {folder}/virtuoso-temp.trx
MaxCheckpointRemap = 2000
Striping = 0
[Parameters]
ServerPort = 127.0.0.1:{sql}
DisableUnixSocket = 1
MaxClientConnections = 20
CheckpointInterval = 0
DirsAllowed = {bulk}
NumberOfBuffers = {buffers}
MaxDirtyBuffers = {dirty}
ThreadsPerQuery = 2
MaxQueryMem = 1G
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {folder}
MaxClientConnections = 20
ServerThreads = 20
MaxKeepAlives = 20
Charset = UTF-8
EnabledDavVSP = 0
[SPARQL]
ResultSetMaxRows = 1000000
MaxQueryExecutionTime = 60
"""


@dataclass
class Server:
    """A server that runs: the address that a configuration names, and its process."""

    url: str
    process: subprocess.Popen[bytes]
    sql: str = ""
    bulk: Path = field(default_factory=Path)

    def kill(self) -> None:
        """End the server at once, in the middle of what it does."""
        self.process.kill()
        self.process.wait()


def oxigraph_binary() -> str | None:
    """The program ``oxigraph`` of the package of this name."""
    beside = Path(sys.executable).with_name("oxigraph")
    return str(beside) if beside.exists() else shutil.which("oxigraph")


def virtuoso_binary() -> str | None:
    """The program of Debian's package ``virtuoso-opensource-7``."""
    return shutil.which("virtuoso-t")


@contextlib.contextmanager
def oxigraph_server(folder: Path, port: int = 0) -> Iterator[Server]:
    """Run Oxigraph's server over a folder."""
    program = oxigraph_binary()
    assert program is not None
    address = f"127.0.0.1:{port or free_port()}"
    command = (program, "serve", "--location", str(folder), "--bind", address)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(process, f"http://{address}/query?query=ASK%7B%7D")
        yield Server(f"http://{address}/", process)
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def virtuoso_server(folder: Path, bulk: Path, buffers: int = 20_000) -> Iterator[Server]:
    """Run Virtuoso over an empty folder; ``bulk`` is the folder from which it may load files."""
    folder.mkdir(parents=True, exist_ok=True)
    http, sql = free_port(), free_port()
    ini = folder / "virtuoso.ini"
    text = _VIRTUOSO_INI.format(folder=folder, bulk=bulk, http=http, sql=sql, buffers=buffers, dirty=buffers * 3 // 4)
    ini.write_text(text, encoding="utf-8")
    program = virtuoso_binary()
    assert program is not None
    command = (program, "+configfile", str(ini), "+foreground")
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(process, f"http://127.0.0.1:{http}/sparql?query=ASK%7B%7D")
        yield Server(f"http://127.0.0.1:{http}/", process, f"127.0.0.1:{sql}", bulk)
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline, f"{address} does not answer"
            time.sleep(0.05)
