"""A real server of a configuration, as `bibld serve` starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(config: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve the current release of a configuration; yield the address. ``environment``: further variables."""
    command = [sys.executable, "-m", "bibld", "serve", str(config), "--port", "0"]
    variables = {**os.environ, **(environment or {})}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r" at (http://\S+)", line)
        assert found, line + process.stderr.read()
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=600)
