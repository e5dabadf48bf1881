"""The first run on a machine compiles all kernels in the background."""

from __future__ import annotations

import json
import subprocess
import sys

from bibld.dedup import warm_up
from bibld.dedup.method import MethodOptions
from bibld.dedup.warm_up import kernel_modules
from bibld.progress import Silent

COMPILED = """
import json
from importlib import import_module
from bibld.dedup.compilation import Kernel
from bibld.dedup.warm_up import compile_kernels, kernel_modules
compile_kernels()
kernels = {
    f"{value.__module__}.{value.__name__}": value
    for name in kernel_modules()
    for value in vars(import_module(name)).values()
    if isinstance(value, Kernel)
}
print(json.dumps({name: value._compiled is not None for name, value in kernels.items()}))
"""


def compiled(queue: bytes) -> dict[str, bool]:
    done = subprocess.run([sys.executable, "-c", COMPILED], input=queue, check=True, capture_output=True)
    return json.loads(done.stdout)


def test_the_processes_together_compile_all_kernels():
    found = compiled(bytes(range(len(kernel_modules()))))
    assert len(found) > 20
    assert all(found.values())


def test_importing_a_module_compiles_nothing():
    assert not any(compiled(b"").values())


def test_only_kernels_that_the_method_uses_are_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(warm_up, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setattr(warm_up.subprocess, "Popen", lambda command, **named: Finished())
    monkeypatch.setattr(warm_up, "compile_kernels", lambda queue: None)
    compiled = []
    for method in (MethodOptions(block=("paper",), score="jaccard"), MethodOptions(), MethodOptions()):
        before = {path.stem for path in tmp_path.glob("kernels/*")}
        compiling = warm_up.KernelWarmUp(method, Silent())
        compiling.begin()
        compiling.wait()
        compiled.append({path.stem for path in tmp_path.glob("kernels/*")} - before)
    by_paper, more, again = compiled
    assert {"bibld.dedup.block._paper_kernels", "bibld.dedup.candidates"} <= by_paper
    in_similarity = {f"bibld.dedup.similarity.{name}" for name in ("pairs", "rows", "texts")}
    assert more == {"bibld.dedup.block._kernels", *in_similarity}
    assert not again


class Finished:
    """A process that has compiled all that it was asked to."""

    def wait(self) -> int:
        return 0
