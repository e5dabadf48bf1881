"""Ports for servers that cannot choose one themselves."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import time
from typing import Any

_PORTS = range(10_000, 32_000)
"""Below those that Linux gives to connections and to servers that ask for any port, so nobody else takes them."""
_OF_ONE_PROCESS = 200
"""Processes that test side by side begin as many ports apart."""
_PATIENCE = 600.0
"""Seconds: no server takes as long to start, even on a machine that does much else."""
_NEXT = itertools.count(os.getpid() * _OF_ONE_PROCESS)


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nothing uses, and that no other test is given."""
    for number in _NEXT:
        port = _PORTS[number % len(_PORTS)]
        with socket.socket() as trial:
            try:
                trial.bind((host, port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are in use")


def wait_for_server(port: int, process: subprocess.Popen[Any], host: str = "127.0.0.1") -> None:
    """Wait until a server that was started accepts connections."""
    end = time.monotonic() + _PATIENCE
    while True:
        assert process.poll() is None, f"the server has ended with {process.returncode}"
        with socket.socket() as client:
            client.settimeout(_PATIENCE)
            if client.connect_ex((host, port)) == 0:
                return
        assert time.monotonic() < end, f"no server listens at port {port}"
        time.sleep(0.02)
