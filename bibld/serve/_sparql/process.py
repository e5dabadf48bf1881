"""One process that evaluates queries, seen from the server: started, asked, ended."""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from bibld.errors import StoreUnavailableError
from bibld.serve._sparql.worker import Job, Setup

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 30.0
_DYING_SECONDS = 5.0
_BUFFER = 1 << 20
_LAST_WORDS = 2000


class EndedError(Exception):
    """The process ended before it had an answer."""


class Worker:
    """One process over a store. It answers one job at a time."""

    def __init__(self, process: Process, stderr: IO[bytes]) -> None:
        self._process = process
        self._stderr = stderr
        self._ending: asyncio.Task[str] | None = None
        self._is_dying = False
        self.queries = 0

    @classmethod
    async def start(cls, setup: Setup) -> Worker:
        """Start a process and wait until it has opened the store; raises ``StoreUnavailableError``.

        It finds modules where this process does, so that it can import a store of another distribution.
        """
        stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", str(_WORKER)),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=PIPE,
                stdout=PIPE,
                stderr=stderr,
                limit=_BUFFER,
                start_new_session=True,  # Ctrl-C in a terminal is for the server, which ends its workers itself
            )
        except BaseException as error:
            stderr.close()
            if isinstance(error, OSError):
                raise StoreUnavailableError(f"no query process can be started: {error.strerror}") from error
            raise
        worker = cls(process, stderr)
        try:
            await asyncio.wait_for(worker._exchange(setup), _START_SECONDS)
        except BaseException as error:
            reason = await worker.end() or "no reason given"
            if isinstance(error, (EndedError, TimeoutError)):
                raise StoreUnavailableError(f"no query process can be started over {setup.folder}: {reason}") from error
            raise
        return worker

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def ask(self, job: Job) -> tuple[dict[str, Any], bytes]:
        """Send a job and wait for its answer; raises ``EndedError``."""
        self.queries += 1
        return await self._exchange(job)

    def kill(self) -> None:
        """Kill the process; who waits for an answer gets ``EndedError``."""
        if self._process.returncode is None:
            self._process.kill()

    def end(self) -> asyncio.Task[str]:
        """Kill the process and let go of it; the task gives the last words that it said."""
        if self._ending is None:
            if not self._is_dying:  # else its own end tells what was wrong
                self.kill()
            self._ending = asyncio.create_task(self._last_words())
        return self._ending

    @property
    def ended_by(self) -> int:
        """The number of the signal that ended the process; 0 where none did, or it lives."""
        return max(0, -(self._process.returncode or 0))

    async def _last_words(self) -> str:
        if self._is_dying:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _DYING_SECONDS)
            self.kill()
        await self._process.communicate(b"")
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _LAST_WORDS))
        words = self._stderr.read().decode("utf-8", "replace")
        self._stderr.close()
        return words

    async def _exchange(self, message: Setup | Job) -> tuple[dict[str, Any], bytes]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        data = msgspec.json.encode(message)
        read = self._process.stdout.readexactly
        try:
            self._process.stdin.write(struct.pack(">I", len(data)) + data)
            await self._process.stdin.drain()
            (length,) = struct.unpack(">I", await read(4))
            answer: dict[str, Any] = json.loads(await read(length))
            return answer, await read(answer["size"])
        except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError) as error:
            self._is_dying = True
            raise EndedError from error
