"""The first run on a machine compiles all kernels in the background."""

from __future__ import annotations

import json
import subprocess
import sys

from bibld.dedup.warm_up import kernel_modules

LOADED = """
import json, os, sys
from bibld.dedup.warm_up import compile_kernels
compile_kernels()
print(json.dumps(sorted(sys.modules)))
"""


def loaded(queue: bytes) -> set[str]:
    found = subprocess.run([sys.executable, "-c", LOADED], input=queue, check=True, capture_output=True)
    return set(json.loads(found.stdout)) & set(kernel_modules())


def test_the_processes_together_compile_all_kernels():
    from bibld.dedup.warm_up import _modules_to_import

    numbers = bytes(range(len(_modules_to_import())))
    assert loaded(numbers) == set(kernel_modules())
    assert loaded(b"") == set()
