"""The first use on a machine compiles: in two processes beside the reading, so that nobody waits for it longer than
needed.

What is compiled is kept in the user's cache folder (``_cache``). ``python -m bibld.dedup._warm_up keys`` compiles
what makes keys, pairs and clusters, ``… scores`` what reads and judges them. Kernels are compiled when their modules
are imported; which process imports which balances the two, and neither needs a module of the other.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from bibld.dedup._cache import cache_folder, use_cache
from bibld.progress import Progress

PARTS = {
    "keys": (
        "bibld.dedup.block._composite_kernel",
        "bibld.dedup._keys.kernels",
        "bibld.dedup._keys.key_kernels",
        "bibld.dedup._keys.refining_kernels",
        "bibld.dedup._keys.text_kernels",
        "bibld.dedup._pairs.join_kernels",
        "bibld.dedup._pairs.probe_kernels",
        "bibld.dedup._pairs.neighbours",
        "bibld.dedup._pairs.sieve_trees",
        "bibld.dedup.score._step_kernels",
        "bibld.dedup._cluster.cluster_kernels",
    ),
    "scores": (
        "bibld.dedup._index.reading",
        "bibld.dedup._index.segment_kernels",
        "bibld.dedup._judge.exception_kernels",
        "bibld.dedup.score._trees",
    ),
}


class KernelWarmUp:
    """The processes that compile, where something has to be compiled; none otherwise."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._processes: list[subprocess.Popen[bytes]] = []

    def begin(self) -> None:
        """Start to compile what this version of bibld has not compiled yet."""
        use_cache()
        if not _mark().exists():
            self._progress.report(
                "dedup: compiling the functions that compare records; some fifteen seconds, once on a machine"
            )
            self._processes = [
                subprocess.Popen(
                    [sys.executable, "-m", __name__, part],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                for part in PARTS
            ]

    def wait(self) -> None:
        """Wait until all is compiled. What could not be is compiled where it is needed, and fails there with a word."""
        if self._processes and all(process.wait() == 0 for process in self._processes):
            _mark().touch()
        self._processes = []


def _mark() -> Path:
    """The file that says that these sources have compiled all."""
    return cache_folder() / "compiled"


def compile_part(part: str) -> None:
    """Import the modules of a part."""
    # The compiler's rubbish is not worth collecting, since the process ends soon.
    gc.disable()
    for name in PARTS[part]:
        import_module(name)


if __name__ == "__main__":
    compile_part(sys.argv[1])
