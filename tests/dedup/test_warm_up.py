"""What the first use on a machine compiles: all kernels, and none of them twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bibld.dedup
from bibld.dedup._warm_up import PARTS

FOLDER = Path(bibld.dedup.__file__).parent
LOADED = """
import json, sys
from bibld.dedup._warm_up import compile_part
compile_part(sys.argv[1])
print(json.dumps(sorted(sys.modules)))
"""


def with_kernels() -> set[str]:
    """The modules that have kernels of stated types."""
    return {
        ".".join(("bibld", "dedup", *path.relative_to(FOLDER).with_suffix("").parts))
        for path in FOLDER.rglob("*.py")
        if "\n@kernel(" in path.read_text()
    }


def loaded(part: str) -> set[str]:
    found = subprocess.run([sys.executable, "-c", LOADED, part], check=True, capture_output=True, text=True)
    return set(json.loads(found.stdout)) & with_kernels()


def test_each_kernel_is_compiled_by_one_process_alone():
    keys, scores = (loaded(part) for part in PARTS)
    assert keys | scores == with_kernels()
    assert not keys & scores
