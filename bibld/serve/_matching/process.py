"""The process that matches one file: started for it, limited, and ended with the request."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import IO

import msgspec

from bibld.errors import StageError
from bibld.model.matched import MatchEnd, MatchMessage, MatchRequest
from bibld.serve.settings import MatchSettings

_LOG = logging.getLogger("bibld.serve")
_MEBIBYTE = 1 << 20
_LINE_BYTES = 4 << 20
"""The longest message; texts of records are cut before."""

_FILES_OF_SIZE = 32
"""How many times as long as the file the files may be that the process writes: it may come compressed."""

_LAST_WORDS = 2000
_DECODER: msgspec.json.Decoder[MatchMessage] = msgspec.json.Decoder(MatchMessage)


async def match_messages(
    command: Sequence[str], request: MatchRequest, settings: MatchSettings
) -> AsyncIterator[MatchMessage]:
    """Yield the messages of a process that matches a file; the last one is a ``MatchEnd``, however it ends.

    The process and those that it starts are killed at the end, at the deadline, and when the iterator is closed.
    Raises ``StageError`` if it cannot be started.
    """
    with tempfile.TemporaryFile() as stderr:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=PIPE,
                stdout=PIPE,
                stderr=stderr,
                limit=_LINE_BYTES,
                start_new_session=True,  # all its processes are killed together
            )
        except OSError as error:
            raise StageError(f"no process can be started to match a file: {error.strerror}") from error
        loop = asyncio.get_running_loop()
        deadline = loop.time() + settings.timeout
        ending = loop.call_at(deadline, _kill, process.pid)  # also while nobody takes the next message
        try:
            _limit(process.pid, settings)
            await _send(process, request)
            async for message in _messages(process):
                if isinstance(message, MatchEnd) and message.fault:
                    _log(stderr, process)
                yield message
                if isinstance(message, MatchEnd):
                    return
            if loop.time() >= deadline:
                yield MatchEnd(f"the file was not matched within {settings.timeout:g} seconds; send it in parts")
                return
            await process.wait()
            words = _log(stderr, process)
            is_memory = process.returncode == -signal.SIGKILL or "MemoryError" in words or "allocat" in words
            reason = "needs more memory than it may take" if is_memory else "could not be matched to its end"
            yield MatchEnd(f"the file {reason}; send it in parts")
        finally:
            ending.cancel()
            _kill(process.pid)
            await asyncio.shield(process.wait())


def _kill(pid: int) -> None:
    """Kill a process and those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _log(stderr: IO[bytes], process: Process) -> str:
    """Log what a process wrote, and return it."""
    stderr.seek(0)
    words = stderr.read()[-_LAST_WORDS:].decode(errors="replace")
    if words:
        _LOG.error("the process that matched a file (exit code %s): %s", process.returncode, words)
    return words


async def _messages(process: Process) -> AsyncIterator[MatchMessage]:
    """Yield messages until the process ends, or is killed within one."""
    assert process.stdout is not None
    with suppress(ValueError, msgspec.DecodeError):  # a line that is no message, or too long: it ends early
        while (line := await process.stdout.readline()).endswith(b"\n"):
            yield _DECODER.decode(line)


async def _send(process: Process, request: MatchRequest) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended at once; its output ends, too
        process.stdin.write(msgspec.json.encode(request) + b"\n")
        await process.stdin.drain()


def _limit(pid: int, settings: MatchSettings) -> None:
    """Limit memory, files and processor time of a process and of those that it will start, where the system can."""
    if not hasattr(resource, "prlimit"):
        return
    file_bytes = settings.size * _MEBIBYTE * _FILES_OF_SIZE
    limits = {
        resource.RLIMIT_DATA: settings.memory * _MEBIBYTE,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CPU: int(settings.timeout) + 1,
        resource.RLIMIT_CORE: 0,
    }
    with suppress(ProcessLookupError):  # it has ended already
        for kind, limit in limits.items():
            resource.prlimit(pid, kind, (limit, limit))
