"""The slots of queries that run or wait: one table for all server processes of a site."""

from __future__ import annotations

import asyncio
import fcntl
import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from bibld.errors import StoreUnavailableError
from bibld.serve.settings import QueryLimits

_FREE, _WAITING, _RUNNING = range(3)
_STATE, _PROCESS, _CLIENT, _TICKET = range(4)
_CELLS = 4
_NEXT_TICKET, _ACCEPTED, _REFUSED, _KILLED = range(4)
_HEAD = 4
_PIPE_BYTES = 4096
_WAIT_SECONDS = 0.5
"""After this time a waiting query looks for its turn unasked: the process that had to wake it may have been killed."""


class QueueFullError(StoreUnavailableError):
    """No further query may wait."""


class TooManyQueriesError(StoreUnavailableError):
    """One client has more queries here than one client may have."""


def slots_bytes(limits: QueryLimits) -> int:
    return 8 * (_HEAD + _CELLS * (limits.workers + limits.waiting))


class SharedSlots(msgspec.Struct, frozen=True):
    """What the server processes of a site share to count queries; see :func:`share_slots`.

    ``lock`` is the descriptor of a file that they lock. ``bells`` has for each process the descriptors of a pipe, to
    read and to write, which wakes it when one of its queries may run.
    """

    memory: memoryview
    lock: int
    bells: Sequence[tuple[int, int]]


class QuerySlots:
    """The slots of one site, in memory that its server processes share; ``process`` is the number of this one.

    The table is changed under a lock that the kernel releases when a process dies. Waiting queries run in the order in
    which they came, to whichever process. Without ``shared`` there is only this process.
    """

    def __init__(self, limits: QueryLimits, shared: SharedSlots | None = None, process: int = 0) -> None:
        self._limits = limits
        memory = memoryview(bytearray(slots_bytes(limits))) if shared is None else shared.memory
        self._cells = memory.cast("B").cast("q")
        self._lock = None if shared is None else shared.lock
        self._bells = () if shared is None else shared.bells
        self._process = process
        self._waiters: dict[int, asyncio.Future[None]] = {}
        self._slots = range(_HEAD, len(self._cells), _CELLS)

    @contextmanager
    def take(self, client: str) -> Iterator[int]:
        """Take a slot in the queue for a query, and leave it at the end.

        Raises ``QueueFullError`` and ``TooManyQueriesError`` at once.
        """
        slot = self._enter(client)
        try:
            yield slot
        finally:
            with self._locked():
                self._cells[slot + _STATE] = _FREE
            self._wake_next()

    async def wait_for_slot(self, slot: int) -> None:
        """Wait until the query of a slot may run; it keeps its slot afterwards, until ``take`` ends."""
        loop = asyncio.get_running_loop()
        while not self._may_run(slot):
            self._waiters[slot] = waiter = loop.create_future()
            if self._bells:
                loop.add_reader(self._bells[self._process][0], self._wake_here)
            try:
                await asyncio.wait((waiter,), timeout=_WAIT_SECONDS)
            finally:
                del self._waiters[slot]
        self._wake_next()  # more than one slot may have become free

    def _wake_next(self) -> None:
        """Wake the query that has waited longest, in whichever process, if it may run."""
        cells = self._cells
        states = [cells[slot + _STATE] for slot in self._slots]
        if _WAITING not in states or states.count(_RUNNING) >= self._limits.workers:
            return
        waiting = [slot for slot, state in zip(self._slots, states, strict=True) if state == _WAITING]
        slot = min(waiting, key=lambda each: cells[each + _TICKET])
        process = cells[slot + _PROCESS]
        if process == self._process:
            waiter = self._waiters.get(slot)
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
        elif process < len(self._bells):
            with suppress(BlockingIOError):  # a full pipe wakes it, too
                os.write(self._bells[process][1], b"\0")

    def _wake_here(self) -> None:
        """Wake a query of this process because another one has left a slot."""
        with suppress(BlockingIOError):
            os.read(self._bells[self._process][0], _PIPE_BYTES)
        self._wake_next()

    def count_killed(self) -> None:
        with self._locked():
            self._cells[_KILLED] += 1

    def counts(self) -> dict[str, int]:
        """Return the queries that run and wait now, and those accepted, refused and killed since the start."""
        cells = self._cells
        states = [cells[slot + _STATE] for slot in self._slots]
        return {
            "running": states.count(_RUNNING),
            "waiting": states.count(_WAITING),
            "accepted": cells[_ACCEPTED],
            "refused": cells[_REFUSED],
            "killed": cells[_KILLED],
        }

    def clear(self, process: int) -> None:
        with self._locked():
            for slot in self._slots:
                if self._cells[slot + _PROCESS] == process:
                    self._cells[slot + _STATE] = _FREE
        self._wake_next()

    def _enter(self, client: str) -> int:
        name = hash(client)  # the same in all processes, which are forks of one
        cells = self._cells
        with self._locked():
            free = 0
            queries = 0
            for slot in self._slots:
                if cells[slot + _STATE] == _FREE:
                    free = slot
                elif cells[slot + _CLIENT] == name:
                    queries += 1
            if queries >= self._limits.of_one_client or not free:
                cells[_REFUSED] += 1
            else:
                cells[_NEXT_TICKET] += 1
                cells[_ACCEPTED] += 1
                cells[free + _PROCESS] = self._process
                cells[free + _CLIENT] = name
                cells[free + _TICKET] = cells[_NEXT_TICKET]
                cells[free + _STATE] = _WAITING
        if queries >= self._limits.of_one_client:
            raise TooManyQueriesError(
                f"queries that are running or waiting for your address: {queries}; wait until one has ended"
            )
        if not free:
            raise QueueFullError("too many queries are running; try again in a few seconds")
        return free

    def _may_run(self, slot: int) -> bool:
        """Let the query of a slot run if it is the next, and fewer run than may."""
        cells = self._cells
        ticket = cells[slot + _TICKET]
        with self._locked():
            running = 0
            for each in self._slots:
                if cells[each + _STATE] == _RUNNING:
                    running += 1
                elif cells[each + _STATE] == _WAITING and cells[each + _TICKET] < ticket:
                    running += 1  # it comes first
            if running >= self._limits.workers:
                return False
            cells[slot + _STATE] = _RUNNING
            return True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other processes for some microseconds; threads of one process do not share the table."""
        if self._lock is None:
            yield
            return
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


def share_slots(limits: QueryLimits, processes: int) -> SharedSlots:
    """Return what processes that are forked from this one share."""
    size = slots_bytes(limits)
    descriptor, name = tempfile.mkstemp()
    Path(name).unlink()
    bells = tuple(os.pipe() for _ in range(processes))
    for bell in bells:
        for end in bell:
            os.set_blocking(end, False)
    return SharedSlots(memoryview(mmap.mmap(-1, size))[:size], descriptor, bells)
