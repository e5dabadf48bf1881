"""Where compiled kernels are stored, and their compilation on the first run on a machine, or ahead of it by
``python -m bibld.dedup.warm_up``.

Numba checks only the source file of a kernel before it loads stored machine code, which may contain code of kernels in
other files. So each state of all sources with kernels has its own folder, and a change of any of them compiles all.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

from bibld.progress import Progress

if TYPE_CHECKING:
    from bibld.dedup.method import Method

VARIABLE = "NUMBA_CACHE_DIR"
STATED = "BIBLD_KERNEL_CACHE"
"""The environment variable with the folder that the configuration states."""
_SOURCES = Path(__file__).parent
_FOLDER = "kernels-"
_MARK = "compiled"
_KERNEL = ("\n@kernel(", "\n@inner(", "\n@njit(")
_IMPORT = re.compile(rf"\n( *)from {re.escape(__package__)}((?:\.\w+)*) import (\([^)]*\)|.+)")
_MAX_AGE = 90 * 24 * 3600
"""Folders that were not used for this many seconds are deleted."""


def kernel_modules() -> dict[str, Path]:
    """Return the modules that contain kernels, by name, the longest first."""
    files = [path for path in _SOURCES.rglob("*.py") if any(mark in path.read_text() for mark in _KERNEL)]
    files.sort(key=lambda path: (-path.stat().st_size, path))
    return {f"{__package__}.{'.'.join(path.relative_to(_SOURCES).with_suffix('').parts)}": path for path in files}


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the folder for the kernels of these sources, below the first of these that can be written: the folder that
    the configuration or the environment names, the user's cache folder, the folder for temporary files.
    """
    state = hashlib.blake2b(f"{sys.version} {metadata.version('numba')}".encode(), digest_size=8)
    for path in _sources():
        # The compiler compares times too, and compiles again a file with another one.
        state.update(b"%s %d %s" % (os.fsencode(path), path.stat().st_mtime_ns, path.read_bytes()))
    return _parent_folder() / f"{_FOLDER}{state.hexdigest()}"


def _sources() -> list[Path]:
    """Return the files with kernels, and those that they import, whose constants become part of the machine code."""
    kernels = kernel_modules().values()
    return sorted({_SOURCES / "compilation.py", *kernels}.union(*map(_imported_files, kernels)))


@lru_cache(maxsize=8)
def _used_modules(sources: Path, blockers: tuple[str, ...], scorer: str) -> dict[str, int]:
    """Return the modules with kernels that matching imports, at once or where they are used, and their numbers."""
    adapters = [sources / "score" / f"{scorer}.py", *(sources / "block" / f"{name}.py" for name in blockers)]
    waiting, found = [sources / "stage.py", *adapters], set[Path]()
    while waiting:
        path = waiting.pop()
        if path.exists() and path not in found:
            found.add(path)
            waiting.extend(_imported_files(path, also_inside=True))
    return {name: number for number, (name, path) in enumerate(kernel_modules().items()) if path in found}


def _imported_files(path: Path, also_inside: bool = False) -> set[Path]:
    """Return the files of this package that a file imports, or imports names from; ``also_inside`` of functions."""
    found = set()
    for indent, module, names in _IMPORT.findall(path.read_text()):
        if indent and not also_inside:
            continue
        parent = _SOURCES.joinpath(*module.split(".")[1:])
        found |= {parent.with_suffix(".py"), parent / "__init__.py"} if module else set()
        found |= {parent / f"{name.split()[0]}.py" for name in names.strip("()").split(",") if name.strip()}
    return {file for file in found if file.exists()}


def state_cache(folder: str) -> None:
    """Store compiled kernels below this folder, also in the processes that this one starts; empty: where it is usual.

    Call it before anything is compiled.
    """
    if os.environ.get(STATED, "") != folder:
        os.environ[STATED] = folder
        cache_folder.cache_clear()


def cache_fault() -> str:
    """Return that the folder which should be used first cannot be written, and which one is used; empty if it can."""
    first, used = next(_candidates()), _parent_folder()
    return f"compiled functions cannot be stored in {first}; {used} is used" if first != used else ""


def _parent_folder() -> Path:
    return next((folder for folder in _candidates() if _can_be_written(folder)), _last_resort())


def _candidates() -> Iterator[Path]:
    """Yield the folders for compiled kernels, the one that should be used first."""
    home = os.environ.get("HOME")
    yield from (Path(folder) for folder in (os.environ.get(STATED), os.environ.get(VARIABLE)) if folder)
    caches = os.environ.get("XDG_CACHE_HOME"), home and f"{home}/.cache"
    yield from (Path(cache) / "bibld" for cache in caches if cache)
    yield _last_resort()


def _last_resort() -> Path:
    return Path(tempfile.gettempdir()) / f"bibld-{os.getuid()}"


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def compile_kernels(queue: int = 0) -> None:
    """Compile the kernels of modules whose numbers are read, one byte each, from a queue: on standard input, or this
    file descriptor."""
    kernel_class = import_module(f"{__package__}.compilation").Kernel  # That module imports this one.
    gc.disable()  # A fifth of the time would go into collecting what the compiler leaves behind.
    try:
        modules = list(kernel_modules())
        while number := os.read(queue, 1):
            name = modules[number[0]]
            for value in vars(import_module(name)).values():
                if isinstance(value, kernel_class) and value.__module__ == name and not value.is_inner:
                    value.compile()
    finally:
        gc.freeze()
        gc.enable()


class KernelWarmUp:
    """Compiles the kernels that a method uses, of these sources, if this machine has not done so before: in a
    background process, and where a run waits for it also in its own process."""

    def __init__(self, method: Method, progress: Progress) -> None:
        state_cache(method.dedup.cache)
        self._method = method
        self._progress = progress
        self._process: subprocess.Popen[bytes] | None = None
        self._queue = -1
        self._marks: list[Path] = []

    def begin(self) -> int:
        """Start the process if it is needed; delete the kernels of versions that were not used for long.

        Return how many modules are compiled.
        """
        if fault := cache_fault():
            self._progress.warn(fault)
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.glob(f"{_FOLDER}*"):
            if other.stat().st_mtime < time.time() - _MAX_AGE:
                shutil.rmtree(other, ignore_errors=True)
        used = _used_modules(_SOURCES, tuple(self._method.dedup.block), self._method.dedup.score)
        self._marks = [mark for name in used if not (mark := folder / f"{name}.{_MARK}").exists()]
        if self._marks:
            self._progress.report(
                "compile: the functions that compare records, in the background; some ten seconds, once on a machine"
            )
            self._queue, end = os.pipe()
            os.write(end, bytes(used[mark.stem] for mark in self._marks))
            os.close(end)
            command = [sys.executable, "-c", f"from {__package__}.warm_up import compile_kernels as c; c()"]
            self._process = subprocess.Popen(
                command, stdin=self._queue, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        return len(self._marks)

    def wait(self) -> None:
        """Compile too, until all is done. A kernel that could not be compiled is compiled, or fails, where it is first
        used."""
        if self._process is None:
            return
        compile_kernels(self._queue)
        os.close(self._queue)
        if self._process.wait() == 0:
            for mark in self._marks:
                mark.touch()
        self._process = None


if __name__ == "__main__":
    from bibld.dedup.method import MethodOptions
    from bibld.progress import LogLines

    ahead = KernelWarmUp(MethodOptions(), LogLines(sys.stderr))
    ahead.begin()
    ahead.wait()
