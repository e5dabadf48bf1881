"""What the benchmarks share: the folder of real records, configurations, runs, and timing."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

import bibld
from bibld import config
from bibld.config import Config
from bibld.dedup.candidates import all_pairs
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.method import Method
from bibld.model.features import FeatureColumns
from bibld.serve import ontology as resources

DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of every run, so that results do not depend on the clock."""

_CONFIG = """{options}workspace = "work"
[dataset]
base = "http://localhost:8000/"
title = {{ en = "Benchmark" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "benchmarks"
{tables}"""

RUSMARC = ("stavropol_cp866.mrc", "tatarstan_utf8.mrc", "nlr_cp1251.iso", "nlr_koi8r.iso", "articles_cp1251.mrc")
SEED = 7
"""Of training."""


def real_data() -> Path:
    """Return the folder of real records; exit with a message if it is not configured."""
    folder = os.environ.get("BIBLD_TEST_DATA")
    if not folder:
        sys.exit("this benchmark needs real records: set BIBLD_TEST_DATA to their folder")
    return Path(folder)


def source_table(source: str, path: object, **more: object) -> str:
    """Return the table of a source; ``more`` are further keys, such as ``duplicates=True``."""
    written = {"id": source, "path": path} | more
    lines = (f"{key} = {_toml(value)}\n" for key, value in written.items())
    return "".join(["[[source]]\n", *lines])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str([str(one) for one in value]) if isinstance(value, list) else f'"{value}"'


def halves_parser(description: str | None) -> argparse.ArgumentParser:
    """Return the parser of a benchmark of labelled pairs that are divided into halves."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("development", "test"), default="development")
    parser.add_argument("--model", type=Path, help="a model of `model_train.py --development`, for the test half")
    parser.add_argument("--show", action="store_true", help="list the pairs that are decided wrongly")
    return parser


def chosen_model(asked: argparse.Namespace) -> str:
    """Return the table of the model that was asked for; exit if the shipped one would be measured on the test half."""
    if asked.half == "test" and asked.model is None:
        sys.exit("the shipped model was trained on both halves; name one of `model_train.py --development` by --model")
    if asked.half == "test" and asked.show:
        sys.exit("the pairs of the test half are not shown; use --half development")
    return f'[dedup.model]\nfile = "{asked.model.resolve()}"\n' if asked.model else ""


def write_config(folder: Path, tables: str, options: str = "") -> Path:
    """Write ``bibld.toml`` with these tables of sources and, before all tables, these options."""
    file = folder / "bibld.toml"
    file.write_text(_CONFIG.format(options=options, tables=tables), encoding="utf-8")
    return file


def run(file: Path, until: str = "publish") -> Config:
    """Run the stages of a configuration up to ``until``; return the configuration."""
    bibld.Workspace(file).run(until, at=DATE)  # type: ignore[arg-type]
    return config.load(file)


def run_sample(folder: Path, until: str = "publish") -> Config:
    """Copy the sample into a folder that does not exist yet, and run the stages up to ``until``."""
    shutil.copytree(resources.folder("sample_data"), folder)
    file = folder / "bibld.toml"
    file.write_text(file.read_text("utf-8").replace('workspace = "../build/sample"', 'workspace = "work"'), "utf-8")
    return run(file, until)


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
    tables = (
        source_table(f"s{number}", path) + f'label = {{ en = "{path.relative_to(folder)}" }}\n'
        for number, path in enumerate(files, 1)
    )
    return write_config(workspace, "".join(tables))


def seconds(work: Callable[[], object], times: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the least time of some calls, by the clock or by ``time.process_time``, which counts other programs
    little."""
    best = float("inf")
    for _ in range(times):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return best


def candidate_pairs(columns: FeatureColumns, method: Method) -> npt.NDArray[np.uint64]:
    """Return the pairs of rows that a method proposes, ascending, as ``left << 32 | right``."""
    with KeyTables(None, method) as tables, all_pairs(tables, columns, tables.rebuild(columns)) as found:
        return np.sort(np.concatenate([np.empty(0, np.uint64), *found.packed()]))
