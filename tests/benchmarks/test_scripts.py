"""Benchmarks are run by hand only, so renamed functions must not break them unnoticed."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
IMPORT_ALL = """
import importlib, sys, traceback
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ("sklearn", "atheris"):
            traceback.print_exc()
    except Exception:
        traceback.print_exc()
"""
"""Imports every script; those that need a package which is not installed everywhere may fail for that."""


def test_every_script_can_be_imported():
    assert {"reading", "matching", "storing"} <= set(SCRIPTS)
    path = os.pathsep.join([str(FOLDER), str(FOLDER.parent)])
    command = [sys.executable, "-c", IMPORT_ALL, *SCRIPTS]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
