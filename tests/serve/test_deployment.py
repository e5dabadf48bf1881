"""The files for systemd and nginx in docs/how-to/deployment work as they are written."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port, wait_for_server
from tests.serve.server import PATIENCE, SCRIPT, serving, wait_until

FILES = Path(__file__).parents[2] / "docs" / "how-to" / "deployment"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
pytestmark = pytest.mark.server


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_units(tmp_path):
    program = tmp_path / "bibld"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    names = ("bibld.service", "bibld.socket", "bibld-nightly.service", "bibld-nightly.timer")
    for name in names:
        text = (FILES / name).read_text().replace("/srv/bibld/.venv/bin/bibld", str(program))
        (tmp_path / name).write_text(text)
    units = [str(tmp_path / name) for name in names]
    verified = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    complaints = [line for line in verified.stderr.splitlines() if "bibld" in line]
    assert (verified.returncode, complaints) == (0, []), verified.stderr


def nightly_commands() -> dict[str, str]:
    """Return the command of the cron line, and that of the unit for systemd."""
    (line,) = re.findall(r"^0 2 \* \* \*  (.*)$", (FILES.parent / "run-it-every-night.md").read_text(), re.MULTILINE)
    (command,) = re.findall(r"^ExecStart=(.*)$", (FILES / "bibld-nightly.service").read_text(), re.MULTILINE)
    return {"cron": line, "systemd": command}


@pytest.mark.parametrize("way", nightly_commands())
def test_the_nightly_command_works_in_the_environment_of_cron(way, tmp_path):
    program = tmp_path / "srv" / ".venv" / "bin" / "bibld"
    shutil.copytree(FILES.parents[2] / "sample_data", tmp_path / "srv", ignore=shutil.ignore_patterns("build"))
    program.parent.mkdir(parents=True)
    root = str(FILES.parents[2])
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {root!r})\nfrom bibld.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    command = nightly_commands()[way].replace("/srv/bibld", str(tmp_path / "srv"))
    assert "%" not in command  # cron takes it for the end of the line
    home = os.environ.get("HOME", "/")  # with the compiled functions
    environment = {"HOME": home, "LOGNAME": "bibld", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd="/", env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    summary = (tmp_path / "srv" / "summary.txt").read_text() if way == "cron" else done.stdout
    assert "new release: " in summary
    if way == "cron":
        assert (tmp_path / "srv" / "nightly.log").read_text()


def test_a_socket_of_systemd_is_served_and_outlives_a_restart(tmp_path):
    """As systemd does: the socket is descriptor 3, LISTEN_PID is the process."""
    (tmp_path / "1").mkdir()
    (tmp_path / "current").write_text("1")
    with socket.create_server(("127.0.0.1", 0)) as address:
        port = address.getsockname()[1]

        def start() -> subprocess.Popen[str]:
            activate = "import os,sys; os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); "
            activate += f"os.dup2({address.fileno()}, 3); "
            command = [sys.executable, "-c", activate + "os.execv(sys.argv[1], sys.argv[1:])"]
            conftest = str(Path(__file__).with_name("conftest.py"))
            command += [sys.executable, "-c", SCRIPT, conftest, str(tmp_path), '{"processes": 1, "port": 1}']
            return subprocess.Popen(command, pass_fds=(address.fileno(),), stderr=subprocess.PIPE, text=True)

        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as waiting:
                waiting.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")  # before there is a server
                server = start()
                try:
                    assert waiting.recv(100).startswith(b"HTTP/1.1 200 ")
                    assert server.stderr is not None
                    assert f"127.0.0.1:{port}/" in server.stderr.readline()
                finally:
                    server.send_signal(signal.SIGTERM)
                    server.communicate(timeout=PATIENCE)


@contextmanager
def nginx(folder: Path, upstream: int):
    """A real nginx with the published configuration, on free ports of loopback."""
    ports = {name: free_port() for name in ("plain", "tls")}
    certificate = folder / "certificate.pem"
    subject = ["-subj", "/CN=data.example.org", "-addext", "subjectAltName=DNS:data.example.org"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject]
    subprocess.run(
        [*made, "-keyout", str(folder / "key.pem"), "-out", str(certificate)], check=True, capture_output=True
    )
    site = (FILES / "nginx.conf").read_text()
    for old, new in (
        ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
        ("listen 80;", f"listen 127.0.0.1:{ports['plain']};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{ports['tls']} ssl"),
        ("    listen [::]:80;\n", ""),
        ("    listen [::]:443 ssl http2;\n", ""),
        ("/etc/ssl/data.example.org.crt", str(certificate)),
        ("/etc/ssl/data.example.org.key", str(folder / "key.pem")),
    ):
        assert old in site
        site = site.replace(old, new)
    (folder / "site.conf").write_text(site)
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off;\n{paths}include {folder}/site.conf;\n}}\n"
    )
    assert NGINX is not None
    process = subprocess.Popen(
        [NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", str(folder / "error.log")]
    )
    try:
        wait_for_server(ports["tls"], process)
        yield ports, certificate
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _get(port: int, certificate: Path, path: str, headers: str = "") -> bytes:
    context = ssl.create_default_context(cafile=str(certificate))
    request = f"GET {path} HTTP/1.1\r\nHost: data.example.org\r\nConnection: close\r\n{headers}\r\n"
    received = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname="data.example.org") as client,
    ):
        client.sendall(request.encode())
        while data := client.recv(65536):
            received += data
    return received


@needs_nginx
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_behind_nginx_addresses_clients_and_limits_are_right(tmp_path):
    log = tmp_path / "access.log"
    (tmp_path / "nginx").mkdir()
    limits = {"documents": 4, "exempt": []}
    settings = {"access_log": str(log), "limits": limits, "hosts": ["data.example.org", "localhost"]}
    with serving(tmp_path / "nginx", **settings) as server, nginx(tmp_path, server.port) as (ports, certificate):
        answer = _get(ports["tls"], certificate, "/lod/", "Accept: text/html\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")
        redirected = _get(ports["tls"], certificate, "/lod/resource/rsl/01003120729", "Accept: text/turtle\r\n")
        assert b"\r\nlocation: /lod/doc/resource/rsl/01003120729.ttl\r\n" in redirected.lower()
        path = "/lod/resource/rsl/%D0%B0%2Fb?c=%20"
        assert _get(ports["tls"], certificate, path).startswith(b"HTTP/1.1 404 ")
        wait_until(lambda: path in log.read_text())  # nginx has passed it on as it came
        for forbidden in ("/metrics", "/health"):
            assert _get(ports["tls"], certificate, forbidden).startswith(b"HTTP/1.1 404 ")
        forged = [
            _get(ports["tls"], certificate, "/lod/dataset.nt", f"X-Forwarded-For: 203.0.113.{n}\r\n") for n in range(8)
        ]
        assert any(each.startswith(b"HTTP/1.1 429 ") for each in forged)  # one client, whatever it writes
        with socket.create_connection(("127.0.0.1", ports["plain"]), timeout=PATIENCE) as plain:
            plain.sendall(b"GET /lod/ HTTP/1.1\r\nHost: data.example.org\r\n\r\n")
            assert b"https://data.example.org/lod/" in plain.recv(4096)


@needs_nginx
def test_behind_nginx_a_killed_server_process_fails_no_request(tmp_path):
    (tmp_path / "nginx").mkdir()
    with serving(tmp_path / "nginx", processes=2) as server, nginx(tmp_path, server.port) as (ports, certificate):
        statuses = []

        def ask() -> None:
            statuses.append(_get(ports["tls"], certificate, "/lod/dataset.nt").split()[1])

        def is_replaced() -> bool:
            ask()
            return victim not in server.servers() and len(server.servers()) == 2

        ask()
        victim = server.servers()[0]
        os.kill(victim, signal.SIGKILL)
        wait_until(is_replaced)
        for _ in range(10):
            ask()
        assert set(statuses) == {b"200"}
