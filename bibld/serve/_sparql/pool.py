"""Runs queries in worker processes: limited in number, in time, in memory and in the size of results."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import struct
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import Query
from bibld.serve._guarding.slots import QuerySlots
from bibld.serve._sparql import worker
from bibld.serve._sparql.worker import QueryJob, RemoteSource, Setup, StoreCopy
from bibld.serve.settings import QueryLimits

_REPLACED_AFTER_QUERIES = 10_000
_REPLACED_AFTER_SECONDS = 1.0
_START_SECONDS = 30.0
_START_ALLOWANCE = 0.4
"""Seconds by which a query may end after its deadline because a process had to be started for it."""

_DYING_SECONDS = 5.0
_BUFFER = 1 << 20
_LAST_WORDS = 2000
_LOG = logging.getLogger("bibld.serve")
_MEBIBYTE = 1 << 20


class QueryTooLargeError(BadQueryError):
    """The query is nested too deeply."""


class QueryMemoryError(BadQueryError):
    """The query needs more memory than allowed."""


class ResultTooLargeError(BadQueryError):
    """The result is larger than allowed."""


class EndedError(Exception):
    """The process ended before it had an answer."""


class QueryResult(msgspec.Struct, frozen=True):
    """The complete result; ``kind`` is table, boolean or graph."""

    kind: str
    media_type: str
    body: bytes


class Worker:
    """One process over a store, seen from the server. It answers one job at a time."""

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
                *(sys.executable, "-P", str(Path(worker.__file__))),
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
        started = cls(process, stderr)
        try:
            ready, _ = await asyncio.wait_for(started._exchange(setup), _START_SECONDS)
        except BaseException as error:
            reason = await started.end() or "no reason given"
            if isinstance(error, (EndedError, TimeoutError)):
                location = setup.store.location
                raise StoreUnavailableError(f"no query process can be started over {location}: {reason}") from error
            raise
        if not ready["is_isolated"]:
            _LOG.warning("this system cannot forbid connections to query processes; queries are checked by their text")
        return started

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended_by(self) -> int:
        """The number of the signal that ended the process; 0 if none did, or it still runs."""
        return max(0, -(self._process.returncode or 0))

    async def ask(self, job: QueryJob) -> tuple[dict[str, Any], bytes]:
        """Send a job and wait for its answer; raises ``EndedError``."""
        self.queries += 1
        return await self._exchange(job)

    def kill(self) -> None:
        """Kill the process; a pending ``ask`` raises ``EndedError``."""
        if self._process.returncode is None:
            self._process.kill()

    def end(self) -> asyncio.Task[str]:
        """Kill the process and release what belongs to it; the task returns the last lines that it wrote."""
        if self._ending is None:
            if not self._is_dying:  # else its exit status shows what was wrong
                self.kill()
            self._ending = asyncio.create_task(self._last_words())
        return self._ending

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

    async def _exchange(self, message: Setup | QueryJob) -> tuple[dict[str, Any], bytes]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        data = msgspec.json.encode(message)
        read = self._process.stdout.readexactly
        try:
            self._process.stdin.write(struct.pack(">I", len(data)) + data)
            await self._process.stdin.drain()
            (length,) = struct.unpack(">I", await read(4))
            response: dict[str, Any] = json.loads(await read(length))
            return response, await read(response["size"])
        except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError) as error:
            self._is_dying = True
            raise EndedError from error


class Pool:
    """Worker processes over one store. They start when first needed and are replaced when they end.

    All of it runs in one event loop. A query whose task is cancelled leaves the queue, or its process is killed.
    ``slots`` are those of the site, if other pools take from them too.
    """

    def __init__(self, store: StoreCopy | RemoteSource, limits: QueryLimits, slots: QuerySlots | None = None) -> None:
        self._setup = Setup(store, limits.memory)
        self.limits = limits
        self._slots = QuerySlots(limits) if slots is None else slots
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._running = 0
        self._at_rest = asyncio.Event()
        self._at_rest.set()
        self._endings: set[asyncio.Task[str]] = set()
        self._closed = False

    async def answer(self, query: Query, limit: int, client: str) -> QueryResult:
        """QueryResult a query of a client (any name of it); its result may have ``limit`` MiB.

        Raises ``QueueFullError`` and ``TooManyQueriesError`` at once, ``QueryTimeoutError`` at the deadline,
        ``BadQueryError`` …
        """
        self._check_open()
        with self._slots.take(client) as slot:
            try:
                async with asyncio.timeout(self.limits.seconds) as deadline:
                    await self._slots.wait_for_slot(slot)
                    with self._count_running():
                        return await self._answer(query, limit, deadline)
            except TimeoutError as error:
                self._slots.count_killed()
                seconds = self.limits.seconds
                raise QueryTimeoutError(
                    f"the query had no answer within {seconds:g} s, time in the queue included"
                ) from error

    def process_ids(self) -> list[int]:
        return sorted(each.pid for each in (*self._idle, *self._busy))

    async def close(self) -> None:
        """End all processes; queries that still run fail."""
        self._closed = True
        for each in self._busy:
            each.kill()
        await self._at_rest.wait()
        while self._idle:
            self._end(self._idle.pop())
        await asyncio.gather(*self._endings)

    @contextmanager
    def _count_running(self) -> Iterator[None]:
        """Let ``close`` wait for a query that runs."""
        self._check_open()
        self._running += 1
        self._at_rest.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._at_rest.set()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailableError("the server is stopping")

    async def _answer(self, query: Query, limit: int, deadline: asyncio.Timeout) -> QueryResult:
        job = QueryJob(query, self.limits.seconds, limit * _MEBIBYTE)
        process = self._idle.pop() if self._idle else await self._start(deadline)
        was_idle = process.queries > 0
        try:
            response, body = await self._ask(process, job)
        except EndedError:
            reason = await self._reason_of_end(process)
            if not was_idle or not isinstance(reason, StoreUnavailableError):
                raise reason from None
            process = await self._start(deadline)  # the old one died while it was idle: this query is not to blame
            try:
                response, body = await self._ask(process, job)
            except EndedError:
                raise await self._reason_of_end(process) from None
        match response["status"]:
            case "ok":
                return QueryResult(response["kind"], response["media_type"], body)
            case "bad query":
                raise BadQueryError(response["detail"], response["line"], response["column"])
            case "too large":
                raise ResultTooLargeError(
                    f"the result is larger than {limit} MiB; add LIMIT, write narrower patterns, or download the dump"
                )
            case "memory":
                raise self._too_much_memory()
            case "unavailable":
                raise StoreUnavailableError("the triple store does not answer")
            case "not acceptable":
                raise NotAcceptableError(response["detail"])
            case _:
                raise StoreError(response["detail"])

    async def _start(self, deadline: asyncio.Timeout) -> Worker:
        """Start a process; of the time that it takes to start, a part does not count for the query."""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        ends = deadline.when()
        assert ends is not None
        deadline.reschedule(ends + _START_ALLOWANCE)
        process = await Worker.start(self._setup)
        deadline.reschedule(ends + min(_START_ALLOWANCE, loop.time() - begin))
        return process

    async def _ask(self, process: Worker, job: QueryJob) -> tuple[dict[str, Any], bytes]:
        """Ask a worker; keep it afterwards if it answered quickly, end it otherwise."""
        if self._closed:
            self._end(process)
        self._check_open()
        loop = asyncio.get_running_loop()
        begin = loop.time()
        self._busy.add(process)
        is_fit = False
        try:
            response = await process.ask(job)
            is_fit = process.queries < _REPLACED_AFTER_QUERIES and loop.time() - begin < _REPLACED_AFTER_SECONDS
        finally:
            self._busy.remove(process)
            if is_fit and not self._closed:
                self._idle.append(process)
            else:
                self._end(process)
        return response

    def _end(self, process: Worker) -> asyncio.Task[str]:
        ending = process.end()
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
        return ending

    async def _reason_of_end(self, process: Worker) -> StoreError:
        words = await asyncio.shield(self._end(process))
        if process.ended_by == signal.SIGSEGV or "overflowed its stack" in words:
            return QueryTooLargeError("the query is nested too deeply; write it with fewer brackets")
        if process.ended_by == signal.SIGABRT or "memory allocation" in words or "MemoryError" in words:
            return self._too_much_memory()
        return StoreUnavailableError("the process that evaluated the query ended before it had an answer")

    def _too_much_memory(self) -> QueryMemoryError:
        return QueryMemoryError(
            f"the query needs more than {self.limits.memory} MiB of memory; add LIMIT, write narrower patterns, or"
            " download the dump"
        )
