"""Servers of files on the loopback: HTTP with faults, SFTP (OpenSSH as a user's process), S3 (moto)."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.harvest.hostile_oai import running
from tests.ports import free_port, wait_for_server

SSHD = shutil.which("sshd") or (Path("/usr/sbin/sshd").exists() and "/usr/sbin/sshd") or ""
SFTP_SERVER = next((path for path in Path("/usr/lib").glob("*/sftp-server")), Path())


class Web:
    """Files by path. ``cuts``: after how many bytes the next answers break off; ``requests``: the headers that came."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cuts: list[int] = []
        self.changes: list[dict[str, bytes]] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.has_versions = True
        self.stated_length: int | None = None
        self.status = 200
        self.url = ""


@contextmanager
def web() -> Iterator[Web]:
    state = Web()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.requests.append((self.path, headers))
            data = state.files.get(self.path)
            if data is None or state.status != 200:
                self.reply(404 if data is None else state.status, b"<html>error</html>", {})
                return
            tag = f'"{hashlib.md5(data).hexdigest()}"'
            stated = {"ETag": tag} if state.has_versions else {}
            if headers.get("if-none-match") == tag:
                self.reply(304, b"", stated)
                return
            start = headers.get("range", "").removeprefix("bytes=").rstrip("-")
            if start and headers.get("if-range") == tag:
                stated["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
                self.reply(206, data[int(start) :], stated)
            else:
                self.reply(200, data, stated)

        def reply(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(state.stated_length or len(data)))
            self.end_headers()
            cut = state.cuts.pop(0) if state.cuts and status in (200, 206) else None
            self.wfile.write(data[:cut])
            if cut is not None or state.stated_length:
                if state.changes:
                    state.files |= state.changes.pop(0)
                self.close_connection = True

        def log_message(self, *parts: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with running(server):
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state


@contextmanager
def sshd(folder: Path) -> Iterator[int]:
    """Start OpenSSH's server with keys and a configuration in a folder; the key ``user`` may log in."""
    for name in ("host", "user", "stranger"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True, timeout=600)
    port = free_port()
    shutil.copy(folder / "user.pub", folder / "authorized")
    host = (folder / "host.pub").read_text().split()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host[0]} {host[1]}\n")
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nAuthorizedKeysFile {folder / 'authorized'}\n"
        f"PidFile none\nStrictModes no\nPasswordAuthentication no\nUsePAM no\nSubsystem sftp {SFTP_SERVER}\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)  # where the server of root separates its privileges
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "config")], stdout=log, stderr=log)
    try:
        wait_for_server(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=600)


@contextmanager
def s3() -> Iterator[tuple[str, Any]]:
    """Start moto's server, which checks no signatures; yields its address and a client of boto3."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    client = boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret"
    )
    try:
        yield url, client
    finally:
        client.close()
        server.stop()
