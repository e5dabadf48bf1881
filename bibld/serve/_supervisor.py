"""Starts server processes, restarts those that die, and ends them: a process that opens no store and serves nothing."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import select
import signal
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec

from bibld.errors import BibldError, StageError
from bibld.serve._server import GRACE_SECONDS

_LOG = logging.getLogger("bibld.serve")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_KILL_SECONDS = GRACE_SECONDS + 5.0
_POLL_SECONDS = 0.02
"""While processes start; afterwards signals wake the supervisor."""
_FIRST_PAUSE_SECONDS = 0.1
_MAX_PAUSE_SECONDS = 5.0
_MAX_FAILURES = 8
_MAX_FIRST_FAILURES = 3
"""Before all processes have answered once."""

_START_SECONDS = 120.0
_MAX_ERROR_BYTES = 32768
"""Bytes; what a pipe takes without a reader."""


class Tasks(msgspec.Struct, frozen=True):
    """What the supervisor calls; the processes are numbered from 0.

    ``run`` serves (in a new process, with its number and a descriptor that is readable when the supervisor has ended);
    ``is_ready`` returns whether a process answers, ``ready`` is called once when all do; ``ended`` is called when a
    process has ended, ``stopping`` when all begin to end.
    """

    run: Callable[[int, int], None]
    is_ready: Callable[[int], bool]
    ready: Callable[[], None]
    ended: Callable[[int], None]
    stopping: Callable[[], None]


class _Process:
    """One server process, or the pause before its next start."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pid = 0
        self.started = 0.0
        self.next_start = 0.0
        self.failures = 0
        self.was_ready = False
        self.errors = -1


class Supervisor:
    """Keeps ``count`` processes running until SIGTERM or SIGINT."""

    def __init__(self, tasks: Tasks, count: int) -> None:
        self._tasks = tasks
        self._processes = [_Process(number) for number in range(count)]
        self._is_announced = False
        self._stops_at: float | None = None
        self._failure: BibldError | None = None
        self._life, self._own_life = os.pipe()
        self._has_terminal = os.isatty(0)  # then SIGHUP states that it was closed

    def run(self) -> None:
        """Serve; returns when all processes have ended.

        Raises the error of a process that could not start the first time, and ``StageError`` if a process fails again
        and again before it answers.
        """
        gc.collect()
        gc.freeze()  # pages that the collector does not touch stay shared with the server processes
        with _signals() as wait:
            try:
                while self._stops_at is None or any(process.pid for process in self._processes):
                    for process in self._processes:
                        if not process.pid and self._stops_at is None and process.next_start <= time.monotonic():
                            self._start(process)
                    for number in wait(self._timeout()):
                        self._on_signal(number)
                    self._look()
            finally:
                for process in self._processes:
                    self._kill(process, signal.SIGKILL)
                    if process.pid:
                        os.waitpid(process.pid, 0)
                os.close(self._own_life)
                os.close(self._life)
        if self._failure is not None:
            raise self._failure

    def _timeout(self) -> float | None:
        now = time.monotonic()
        moments = [] if self._stops_at is None else [self._stops_at + _KILL_SECONDS]
        for process in self._processes:
            if process.pid and not process.was_ready:
                moments.append(now + _POLL_SECONDS)
            elif not process.pid and self._stops_at is None:
                moments.append(process.next_start)
        return max(0.0, min(moments) - now) if moments else None

    def _start(self, process: _Process) -> None:
        errors, sink = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a thread of numpy's is no danger to a fork
            pid = os.fork()
        if not pid:
            _become_server(self._tasks.run, process.number, self._life, self._own_life, sink)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(sink)
        process.pid, process.errors = pid, errors
        process.started = time.monotonic()
        process.was_ready = False

    def _on_signal(self, number: int) -> None:
        if number == signal.SIGHUP and not self._has_terminal:
            for process in self._processes:
                self._kill(process, signal.SIGHUP)
        elif number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._stop(signal.SIGTERM if self._stops_at is None else signal.SIGKILL)

    def _stop(self, number: signal.Signals) -> None:
        if self._stops_at is None:
            self._stops_at = time.monotonic()
            self._tasks.stopping()
        for process in self._processes:
            self._kill(process, number)

    def _kill(self, process: _Process, number: signal.Signals) -> None:
        if process.pid:
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)

    def _on_end(self, process: _Process) -> None:
        with os.fdopen(process.errors, "rb") as source:
            sent = source.read()
        error: BibldError | None = pickle.loads(sent) if sent else None
        pid, process.pid = process.pid, 0
        self._tasks.ended(process.number)
        if self._stops_at is not None:
            return
        process.failures = 0 if process.was_ready else process.failures + 1
        if error is not None and not self._is_announced:
            self._failure = error
            self._stop(signal.SIGTERM)
            return
        if process.failures >= (_MAX_FAILURES if self._is_announced else _MAX_FIRST_FAILURES):
            reason = f": {error}" if error is not None else "; see its messages above"
            self._failure = StageError(f"a server process failed {process.failures} times before it answered{reason}")
            self._stop(signal.SIGTERM)
            return
        pause = min(_FIRST_PAUSE_SECONDS * 2 ** max(0, process.failures - 1), _MAX_PAUSE_SECONDS)
        process.next_start = time.monotonic() + pause
        because = f": {error}" if error is not None else ""
        _LOG.error("server process %d ended%s; it is started again", pid, because)

    def _look(self) -> None:
        """Note which processes have ended and which answer; one that does not start is killed, and started again."""
        for process in self._processes:
            if process.pid and os.waitpid(process.pid, os.WNOHANG)[0]:
                self._on_end(process)
        if self._stops_at is not None and time.monotonic() > self._stops_at + _KILL_SECONDS:
            self._stop(signal.SIGKILL)
        for process in self._processes:
            if process.pid and not process.was_ready:
                process.was_ready = self._tasks.is_ready(process.number)
                if not process.was_ready and time.monotonic() > process.started + _START_SECONDS:
                    self._kill(process, signal.SIGKILL)
        if not self._is_announced and all(process.was_ready for process in self._processes):
            self._is_announced = True
            self._tasks.ready()


def _become_server(run: Callable[[int, int], None], number: int, life: int, own_life: int, sink: int) -> None:
    status = 1
    try:
        os.close(own_life)  # else the pipe would stay open when the supervisor ends
        signal.set_wakeup_fd(-1)
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN if each in (signal.SIGINT, signal.SIGHUP) else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        run(number, life)
        status = 0
    except BibldError as error:
        try:
            data = pickle.dumps(error)
            pickle.loads(data)
        except Exception:  # noqa: BLE001 - whatever the class does, its message arrives
            data = b""
        os.write(sink, data if 0 < len(data) <= _MAX_ERROR_BYTES else pickle.dumps(StageError(str(error)[:1000])))
    except BaseException:
        logging.getLogger("bibld.serve").exception("server process %d failed", os.getpid())
    finally:
        os._exit(status)


@contextmanager
def _signals() -> Iterator[Callable[[float | None], bytes]]:
    """Return a function that waits for signals, at most a number of seconds, and returns their numbers."""
    receiving, sending = socket.socketpair()
    receiving.setblocking(False)
    sending.setblocking(False)
    before = {each: signal.signal(each, lambda *_: None) for each in _SIGNALS}
    fd_before = signal.set_wakeup_fd(sending.fileno(), warn_on_full_buffer=False)

    def wait(timeout: float | None) -> bytes:
        if not select.select([receiving], [], [], timeout)[0]:
            return b""
        return receiving.recv(4096)

    try:
        yield wait
    finally:
        signal.set_wakeup_fd(fd_before)
        for each, handler in before.items():
            signal.signal(each, handler)
        receiving.close()
        sending.close()
