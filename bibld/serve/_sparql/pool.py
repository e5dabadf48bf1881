"""Runs queries in worker processes: bounded in number, in time, in memory and in what they give back."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import Query
from bibld.serve._copy import StoreCopy
from bibld.serve._sparql.process import EndedError, Worker
from bibld.serve._sparql.worker import Job, Setup

_RENEW_AFTER_QUERIES = 1000
_RENEW_AFTER_SECONDS = 1.0
_MEBIBYTE = 1 << 20


class Full(StoreUnavailableError):
    """More queries wait than may wait."""


class TooMany(StoreUnavailableError):
    """One client has more queries here than one client may have."""


class TooMuch(BadQueryError):
    """The query needs more memory, a deeper stack or a larger answer than it may have."""


class Limits(msgspec.Struct, frozen=True):
    """``seconds`` for one query in the queue and in a process together, MiB of ``memory`` for one, processes, queries
    that may wait, and how many ``of_one_client`` may run or wait."""

    seconds: float
    memory: int
    workers: int
    waiting: int
    of_one_client: int


class Answer(msgspec.Struct, frozen=True):
    """The whole result; ``kind`` is table, boolean or graph."""

    kind: str
    media_type: str
    body: bytes


class Pool:
    """Worker processes over one store. They start when first needed and are replaced when they end.

    Everything happens in one event loop. A query whose task is cancelled leaves the queue, or its process is killed.
    """

    def __init__(self, store: StoreCopy, limits: Limits) -> None:
        self._setup = Setup(store.backend, str(store.folder), msgspec.to_builtins(store.settings), limits.memory)
        self._limits = limits
        self._turns = asyncio.Semaphore(limits.workers)
        self._clients: Counter[str] = Counter()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._running = 0
        self._at_rest = asyncio.Event()
        self._at_rest.set()
        self._endings: set[asyncio.Task[str]] = set()
        self._closed = False

    async def answer(self, query: Query, limit: int, client: str) -> Answer:
        """Answer a query of a client (any name of it); its result may have ``limit`` MiB.

        Raises ``Full`` and ``TooMany`` at once, ``QueryTimeoutError`` at the deadline, ``BadQueryError`` …
        """
        with self._place(client):
            try:
                async with asyncio.timeout(self._limits.seconds) as deadline, self._turns:
                    with self._at_work():
                        return await self._answer(query, limit, deadline)
            except TimeoutError as error:
                text = f"the query had no answer within {self._limits.seconds:g} seconds, waiting for its turn included"
                raise QueryTimeoutError(text) from error

    def process_ids(self) -> list[int]:
        """The ids of the processes that live now."""
        return sorted(worker.pid for worker in (*self._idle, *self._busy))

    async def close(self) -> None:
        """End all processes; queries that still run fail."""
        self._closed = True
        for worker in self._busy:
            worker.kill()
        await self._at_rest.wait()
        while self._idle:
            self._end(self._idle.pop())
        await asyncio.gather(*self._endings)

    @contextmanager
    def _place(self, client: str) -> Iterator[None]:
        """Count a query among those that run or wait."""
        if self._clients[client] >= self._limits.of_one_client:
            raise TooMany(f"{self._clients[client]} of your queries are running or waiting; wait until they have ended")
        if self._closed or self._clients.total() >= self._limits.workers + self._limits.waiting:
            raise Full("too many queries are running; try again in a few seconds")
        self._clients[client] += 1
        try:
            yield
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Hold up the end of the pool while a query runs."""
        if self._closed:
            raise StoreUnavailableError("the server is stopping")
        self._running += 1
        self._at_rest.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._at_rest.set()

    async def _answer(self, query: Query, limit: int, deadline: asyncio.Timeout) -> Answer:
        job = Job(query, self._limits.seconds, limit * _MEBIBYTE)
        worker = self._idle.pop() if self._idle else await self._started(deadline)
        was_idle = worker.queries > 0
        try:
            answer, body = await self._ask(worker, job)
        except EndedError:
            reason = await self._why(worker)
            if not was_idle or not isinstance(reason, StoreUnavailableError):
                raise reason from None
            worker = await self._started(deadline)  # it died while nobody looked, and this query is not to blame
            try:
                answer, body = await self._ask(worker, job)
            except EndedError:
                raise await self._why(worker) from None
        return self._understood(limit, answer, body)

    async def _started(self, deadline: asyncio.Timeout) -> Worker:
        """A new process; the time that it takes to start is not the query's."""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        ends = deadline.when()
        assert ends is not None
        deadline.reschedule(None)
        worker = await Worker.start(self._setup)
        deadline.reschedule(ends + loop.time() - begin)
        return worker

    async def _ask(self, worker: Worker, job: Job) -> tuple[dict[str, Any], bytes]:
        """Ask a worker, and keep it or end it, however that goes out."""
        if self._closed:
            self._end(worker)
            raise StoreUnavailableError("the server is stopping")
        loop = asyncio.get_running_loop()
        begin = loop.time()
        self._busy.add(worker)
        is_fit = False
        try:
            answer = await worker.ask(job)
            is_fit = worker.queries < _RENEW_AFTER_QUERIES and loop.time() - begin < _RENEW_AFTER_SECONDS
        finally:
            self._busy.remove(worker)
            if is_fit and not self._closed:
                self._idle.append(worker)
            else:
                self._end(worker)
        return answer

    def _end(self, worker: Worker) -> asyncio.Task[str]:
        ending = worker.end()
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
        return ending

    async def _why(self, worker: Worker) -> StoreError:
        words = await asyncio.shield(self._end(worker))
        if worker.ended_by == signal.SIGSEGV or "overflowed its stack" in words:
            return TooMuch("the query is nested too deeply")
        if worker.ended_by == signal.SIGABRT or "memory allocation" in words or "MemoryError" in words:
            return self._too_much_memory()
        return StoreUnavailableError("the process that evaluated the query ended before it had an answer")

    def _too_much_memory(self) -> TooMuch:
        return TooMuch(f"the query needs more than {self._limits.memory} MiB of memory")

    def _understood(self, limit: int, answer: dict[str, Any], body: bytes) -> Answer:
        status, detail = answer["status"], answer.get("detail", "")
        if status == "ok":
            return Answer(answer["kind"], answer["media_type"], body)
        if status == "bad query":
            raise BadQueryError(detail)
        if status == "too large":
            raise TooMuch(f"the result is larger than {limit} MiB; add LIMIT, or take the dump")
        if status == "memory":
            raise self._too_much_memory()
        if status == "not acceptable":
            raise NotAcceptableError(detail)
        raise StoreError(detail)
