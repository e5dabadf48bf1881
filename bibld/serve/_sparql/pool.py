"""Runs queries in worker processes: bounded in number, in time, in memory and in what they give back."""

from __future__ import annotations

import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import msgspec

from bibld.errors import BadQuery, QueryTimeout, StoreError, Unavailable

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 30.0
_RENEW_AFTER_QUERIES = 1000
_RENEW_AFTER_SECONDS = 1.0
_MEBIBYTE = 1 << 20


class Full(Unavailable):
    """More queries wait than may wait."""


class NotAcceptable(StoreError):
    """The client accepts no format of this kind of result."""


class TooMuch(BadQuery):
    """The query needs more memory, a deeper stack or a larger answer than it may have."""


class Limits(msgspec.Struct, frozen=True):
    """``seconds`` for one query, MiB of ``memory`` for one, processes, queries that may wait."""

    seconds: float
    memory: int
    workers: int
    waiting: int


class Query(msgspec.Struct, frozen=True):
    """One query. ``table`` and ``graph`` are the media types to answer in, None where the client accepts none.

    Without graphs the dataset is the query's own, or (``union``) the union of all graphs. The answer may have ``limit``
    MiB.
    """

    query: str
    base: str
    union: bool
    table: str | None
    graph: str | None
    prefixes: dict[str, str]
    limit: int
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """The whole result; ``kind`` is table, boolean or graph."""

    kind: str
    media_type: str
    body: bytes


class _Ended(Exception):
    """The worker's output ended."""


class _Late(Exception):
    """The deadline passed."""


class _Worker:
    """One process over the store."""

    def __init__(self, store: Path, limits: Limits) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._process = _started([sys.executable, "-I", str(_WORKER), str(store), str(limits.memory)], self._stderr)
        self.queries = 0
        try:
            self._receive(time.monotonic() + _START_SECONDS)
        except (_Ended, _Late) as error:
            reason = self.end() or "no reason given"
            raise Unavailable(f"no query process can be started over {store}: {reason}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """Negative for the number of the signal that ended the process."""
        return self._process.returncode

    def kill(self) -> None:
        """Let whoever waits for an answer see the end of the output."""
        self._process.kill()

    def ask(self, job: dict[str, Any], deadline: float) -> tuple[dict[str, Any], bytes]:
        data = json.dumps(job).encode()
        rest = memoryview(struct.pack(">I", len(data)) + data)
        assert self._process.stdin is not None
        self.queries += 1
        try:
            while rest:
                rest = rest[os.write(self._process.stdin.fileno(), rest) :]
        except BrokenPipeError as error:
            raise _Ended from error
        return self._receive(deadline)

    def end(self) -> str:
        """Kill the process and give the last words it said; nothing on a second call."""
        if self._stderr.closed:
            return ""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - 2000))
        words = self._stderr.read().decode("utf-8", "replace")
        self._stderr.close()
        return words

    def _receive(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        (length,) = struct.unpack(">I", self._read(4, deadline))
        answer: dict[str, Any] = json.loads(self._read(length, deadline))
        return answer, self._read(answer["size"], deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None
        taken = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while len(taken) < size:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise _Late
                piece = os.read(self._process.stdout.fileno(), min(size - len(taken), _MEBIBYTE))
                if not piece:
                    raise _Ended
                taken += piece
        return bytes(taken)


def _started(command: list[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,  # Ctrl-C in a terminal is for the server, which ends its workers itself
        )
    except OSError as error:
        stderr.close()
        raise Unavailable(f"no query process can be started: {error.strerror}") from error


class Pool:
    """Worker processes over one store. They start when first needed and are replaced when they end."""

    def __init__(self, store: Path, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []
        self._taken = 0
        self._closed = False
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="bibld-sparql")

    def submit(self, query: Query) -> Future[Answer]:
        """Queue a query; raises ``Full``. The future raises ``BadQuery``, ``QueryTimeout``, ``NotAcceptable`` …"""
        with self._lock:
            if self._closed or self._taken >= self._limits.workers + self._limits.waiting:
                raise Full("too many queries are running; try again in a few seconds")
            self._taken += 1
        future = self._threads.submit(self._run, query)
        future.add_done_callback(self._release)
        return future

    def process_ids(self) -> list[int]:
        """The ids of the processes that live now."""
        with self._lock:
            return sorted(worker.pid for worker in (*self._idle, *self._busy))

    def close(self) -> None:
        """End all processes; queries that still run fail."""
        with self._lock:
            self._closed = True
            workers = [*self._idle]
            self._idle.clear()
            for worker in self._busy:
                worker.kill()
        for worker in workers:
            worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _release(self, _: Future[Answer]) -> None:
        with self._lock:
            self._taken -= 1

    def _run(self, query: Query) -> Answer:
        worker = self._acquire()
        started = time.monotonic()
        alive = False
        try:
            job = {
                **msgspec.to_builtins(query),
                "limit": query.limit * _MEBIBYTE,
                "seconds": self._limits.seconds,
            }
            answer, body = worker.ask(job, started + self._limits.seconds)
            elapsed = time.monotonic() - started
            alive = worker.queries < _RENEW_AFTER_QUERIES and elapsed < _RENEW_AFTER_SECONDS
        except _Late as error:
            raise QueryTimeout(f"the query did not end within {self._limits.seconds:g} seconds") from error
        except _Ended as error:
            raise self._why(worker) from error
        finally:
            self._put_back(worker, alive)
        return self._understood(query, answer, body)

    def _acquire(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise Unavailable("the server is stopping")
            worker = self._idle.pop() if self._idle else None
        if worker is None:
            worker = _Worker(self._store, self._limits)
        with self._lock:
            if not self._closed:
                self._busy.append(worker)
                return worker
        worker.end()
        raise Unavailable("the server is stopping")

    def _put_back(self, worker: _Worker, alive: bool) -> None:
        with self._lock:
            self._busy.remove(worker)
            if alive and not self._closed:
                self._idle.append(worker)
                return
        worker.end()

    def _why(self, worker: _Worker) -> StoreError:
        words = worker.end()
        if "memory allocation" in words:
            return TooMuch(f"the query needs more than {self._limits.memory} MiB of memory")
        if worker.exit_status == -signal.SIGSEGV or "overflowed its stack" in words:
            return TooMuch("the query is nested too deeply")
        return Unavailable("the process that evaluated the query ended before it had an answer")

    def _understood(self, query: Query, answer: dict[str, Any], body: bytes) -> Answer:
        status, detail = answer["status"], answer.get("detail", "")
        if status == "ok":
            return Answer(answer["kind"], answer["media_type"], body)
        if status == "syntax":
            raise BadQuery(detail)
        if status == "too large":
            raise TooMuch(f"the result is larger than {query.limit} MiB; add LIMIT, or take the dump")
        if status == "memory":
            raise TooMuch(f"the query needs more than {self._limits.memory} MiB of memory")
        if status == "not acceptable":
            raise NotAcceptable(answer["kind"])
        raise BadQuery(f"the query cannot be evaluated: {detail}")
