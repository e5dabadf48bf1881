"""What the benchmarks share: where the real records are, a configuration over them, and timing."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

CONFIG = """workspace = "work"
[dataset]
base = "http://localhost:8000/"
title = {{ en = "Real records" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "benchmarks"
{sources}"""


def real_data() -> Path:
    """The folder of real records; ends the program with a word where there is none."""
    folder = os.environ.get("BIBLD_TEST_DATA")
    if not folder:
        sys.exit("this benchmark needs real records: set BIBLD_TEST_DATA to their folder")
    return Path(folder)


def real_config(folder: Path, workspace: Path) -> Path:
    """Write a configuration that names every ISO 2709 and MARCXML file of ``marc21`` and ``rusmarc``, one each."""
    files = sorted(
        path
        for kind in ("marc21", "rusmarc")
        for path in (folder / kind).rglob("*")
        if path.suffix in (".mrc", ".iso", ".xml", ".marcxml", ".gz")
        and "neb" not in path.parts
        and "format_definition" not in path.name
    )
    sources = "".join(
        f'[[source]]\nid = "s{number}"\nlabel = {{ en = "{path.relative_to(folder)}" }}\npath = "{path}"\n'
        for number, path in enumerate(files, 1)
    )
    config = workspace / "bibld.toml"
    config.write_text(CONFIG.format(sources=sources), encoding="utf-8")
    return config


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least time of several calls."""
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best
