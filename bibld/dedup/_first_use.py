"""The first use on a machine compiles: in two processes beside the reading, so that nobody waits for it longer than
needed.

What is compiled is kept in the user's cache folder (``_cache``). ``python -m bibld.dedup._first_use keys`` compiles
what makes keys and pairs, ``… scores`` what judges pairs and clusters them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bibld.dedup._cache import cache_folder, use_cache
from bibld.progress import Progress

_PARTS = ("keys", "scores")


class FirstUse:
    """The processes that compile, where something has to be compiled; none otherwise."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._processes: list[subprocess.Popen[bytes]] = []

    def begin(self) -> None:
        """Start to compile what this version of bibld has not compiled yet."""
        use_cache()
        if not _mark().exists():
            self._progress.say(
                "dedup: the first use on a machine compiles what compares records, for some twenty seconds"
            )
            self._processes = [
                subprocess.Popen(
                    [sys.executable, "-m", __name__, part],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                for part in _PARTS
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
    """Use all kernels of a part on a few made-up records."""
    import numpy as np

    from bibld.config import Config, DedupConfig
    from bibld.dedup._cluster.link import Said, linked
    from bibld.dedup._judge.judge import Judge
    from bibld.model.features import FeatureColumns, Features

    class Defaults:
        dedup = DedupConfig()
        sources = ()
        workers = 1

        def settings(self, stage: str, name: str) -> object:
            from bibld import adapters

            return adapters.settings_type(stage, name)()

    method: Config = Defaults()  # type: ignore[assignment]
    book = Features(main_title="voina i mir", names="tolstoi lev", year=1970, last_year=1970, identifiers="isbn:1")
    columns = FeatureColumns.of(enumerate([book] * 3))
    if part == "keys":
        from bibld.dedup._keys.indexing import index_base
        from bibld.dedup._keys.keys import families_met, keys_of_all
        from bibld.dedup._keys.statistics import Held
        from bibld.dedup._pairs.join import join

        statistics, runs = index_base([Held(columns)], [None], method)
        for first in (0, 1):
            with join([*runs, *runs], method, statistics, new_from=first) as found:
                list(found)
        left = np.array([0], np.uint32)
        families_met(keys_of_all(columns, method, statistics), columns, method, left, left + np.uint32(1))
        return
    judge = Judge(columns, np.arange(3), method)
    judged = judge.judged(np.array([0, 0, 1]), np.array([1, 2, 2]))
    linked(judge, judged, Said.of({}), lambda positions: positions)


if __name__ == "__main__":
    compile_part(sys.argv[1])
