"""A real server over the sample release with prepared documents, in separate processes, and raw connections to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

SCRIPT = """
import importlib.util, json, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("sample", sys.argv[1])
sample = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample)
from functools import partial
import msgspec
import bibld.serve.site
from bibld.documents import ReleaseState, fill, open_published
from bibld.serve._sparql import pool

pool._REPLACED_AFTER_SECONDS = 600.0  # on a busy machine a short query, too, takes more than a second

base = sys.argv[4] if len(sys.argv) > 4 else sample.BASE

def make_site(folder):
    site = sample.make_site(folder, settings, base)
    state = ReleaseState(number=1, created="2026-01-02T03:04:05Z", delivered=0)
    lines = "".join(sorted(sample.quads())).replace(sample.BASE, base)
    fill(folder, base, state, [lines.encode()])
    return msgspec.structs.replace(site, published=partial(open_published, folder, 1))

folder = Path(sys.argv[2])
settings = msgspec.convert(json.loads(sys.argv[3]), bibld.serve.Settings)
sites = {each.name: make_site(each) for each in sorted(folder.iterdir()) if each.is_dir()}
current = folder / "current"
releases = bibld.serve.site.ReleaseLookup(lambda: folder / current.read_text(), lambda: sites[current.read_text()])
bibld.serve.site.serve(settings, base, releases)
"""

PATIENCE = 600.0
"""Seconds: nothing that a test waits for takes as long, even on a machine that does much else."""


class Server:
    """A server that runs; ``pid`` is the id of its supervisor."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, port: int) -> None:
        self.process = process
        self.pid = process.pid
        self.folder = folder
        self.port = port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self, sent: bytes = b"", timeout: float = PATIENCE) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        client.sendall(sent)
        return client

    def exchange(self, sent: bytes, timeout: float = PATIENCE) -> bytes:
        """Send bytes, and return all that comes until the server closes the connection."""
        received = b""
        with self.connect(sent, timeout) as client:
            while data := client.recv(65536):
                received += data
        return received

    def get(self, path: str, headers: bytes = b"") -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".encode() + headers + b"\r\n"
        head, _, body = self.exchange(request).partition(b"\r\n\r\n")
        return int(head.split(maxsplit=2)[1]), body

    def metrics(self) -> dict[str, float]:
        lines = self.get("/metrics")[1].decode().splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}

    def servers(self) -> list[int]:
        """The ids of the server processes."""
        return children(self.pid)

    def switch(self, name: str) -> None:
        place = self.folder / "next"
        place.write_text(name)
        place.rename(self.folder / "current")


@contextmanager
def serving(
    folder: Path, names: tuple[str, ...] = ("1",), base: str | None = None, **settings: object
) -> Iterator[Server]:
    """A server of the first of some releases; all contain the same. It ends at the end of the block."""
    for name in names:
        (folder / name).mkdir()
    (folder / "current").write_text(names[0])
    sent = json.dumps({"port": 0, "processes": 2, **settings})
    conftest = str(Path(__file__).with_name("conftest.py"))
    log = folder / "server.log"
    with log.open("wb") as sink:
        command = [sys.executable, "-c", SCRIPT, conftest, str(folder), sent, *([base] if base else [])]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=sink)
    try:
        wait_until(lambda: b"serving release" in log.read_bytes() or process.poll() is not None)
        text = log.read_text()
        assert "serving release" in text, text
        yield Server(process, folder, int(text.partition("127.0.0.1:")[2].partition("/")[0]))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"the condition does not hold after {PATIENCE:g} seconds"
        time.sleep(0.01)


def children(parent: int) -> list[int]:
    """The ids of the processes that a process has started, and that run."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{parent}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except FileNotFoundError:
        return []
    return [each for each in found if runs(each)]


def runs(process: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def fetch(url: str) -> bytes:
    with urlopen(url, timeout=PATIENCE) as answer:
        data: bytes = answer.read()
    return data


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
