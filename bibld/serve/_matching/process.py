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
        try:
            _limit(process.pid, settings)
            await _send(process, request)
            deadline = asyncio.get_running_loop().time() + settings.timeout
            while line := await _next_line(process, deadline):
                message = _DECODER.decode(line)
                yield message
                if isinstance(message, MatchEnd):
                    return
            stderr.seek(0)
            words = stderr.read()[-_LAST_WORDS:].decode(errors="replace")
            _LOG.error("the process that matched a file ended with %s: %s", process.returncode, words)
            yield MatchEnd("the file needs more memory than it may take; send it in parts")
        except TimeoutError:
            yield MatchEnd(f"the file was not matched within {settings.timeout:g} seconds; send it in parts")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await asyncio.shield(process.wait())


async def _send(process: Process, request: MatchRequest) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended at once; its output ends, too
        process.stdin.write(msgspec.json.encode(request) + b"\n")
        await process.stdin.drain()


async def _next_line(process: Process, deadline: float) -> bytes:
    """Return the next line of output, nothing at its end; raises ``TimeoutError``."""
    assert process.stdout is not None
    async with asyncio.timeout_at(deadline):
        return await process.stdout.readline()


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
