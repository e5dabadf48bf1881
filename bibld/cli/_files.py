"""Files that commands read and write: standard input as a file, and output that appears only when it is complete."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from bibld.protocols import HarvestedFile

STANDARD = "-"
"""Names standard input or output."""


def on_disk(name: str, opened: ExitStack) -> Path | HarvestedFile:
    """Return a file that can be read twice: standard input is copied to one that is deleted at the end."""
    from bibld.protocols import HarvestedFile

    if name != STANDARD:
        return Path(name)
    copy = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")), "stdin")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return HarvestedFile("stdin", "stdin", copy)


@contextmanager
def complete_output(name: str) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name when it is complete: a failure leaves the old file, or none.

    Standard output, devices and pipes are written directly. Raises ``click.UsageError`` if it cannot be opened.
    """
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    if path.exists() and not path.is_file():
        with _opened(path, name) as direct:
            yield direct
        return
    target = path.resolve()  # a link remains one
    new = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with _opened(new, name) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def _opened(path: Path, name: str) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise click.UsageError(f"{name}: cannot be written: {error.strerror}; choose another file") from error
