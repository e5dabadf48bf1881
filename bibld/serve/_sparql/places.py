"""The places of queries that run or wait: one table for all server processes of a site."""

from __future__ import annotations

import asyncio
import fcntl
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec

from bibld.errors import StoreUnavailableError

_FREE, _WAITING, _RUNNING = range(3)
_STATE, _PROCESS, _CLIENT, _TICKET = range(4)
_CELLS = 4
_NEXT_TICKET, _ACCEPTED, _REFUSED, _KILLED = range(4)
_HEAD = 4
_OVERTAKEN = 16
_WAIT_SECONDS = 0.005
_LONGEST_WAIT_SECONDS = 0.04


class QueueFullError(StoreUnavailableError):
    """No further query may wait."""


class TooManyQueriesError(StoreUnavailableError):
    """One client has more queries here than one client may have."""


class Limits(msgspec.Struct, frozen=True):
    """The limits of queries.

    ``seconds``: for one query, in the queue and in a process together; ``memory``: MiB for one; ``workers``: processes;
    ``waiting``: queries in the queue; ``of_one_client``: queries of a client that run or wait. The last three hold for
    all server processes together.
    """

    seconds: float
    memory: int
    workers: int
    waiting: int
    of_one_client: int


def places_bytes(limits: Limits) -> int:
    """Return the size of the memory that the places need."""
    return 8 * (_HEAD + _CELLS * (limits.workers + limits.waiting))


class Places:
    """The places of one site, in memory that its server processes share; ``process`` is the number of this one.

    The table is changed under a lock that the kernel releases when a process dies. Waiting queries run in the order in
    which they came; those that came to different processes nearly so.
    """

    def __init__(
        self, limits: Limits, memory: memoryview | None = None, lock: int | None = None, process: int = 0
    ) -> None:
        self._limits = limits
        memory = memoryview(bytearray(places_bytes(limits))) if memory is None else memory
        self._cells = memory.cast("B").cast("q")
        self._lock = lock
        self._process = process
        self._waiters: list[asyncio.Future[None]] = []
        self._places = range(_HEAD, len(self._cells), _CELLS)

    @contextmanager
    def take(self, client: str) -> Iterator[int]:
        """Take a place in the queue for a query, and leave it at the end.

        Raises ``QueueFullError`` and ``TooManyQueriesError`` at once.
        """
        place = self._enter(client)
        try:
            yield place
        finally:
            with self._locked():
                self._cells[place + _STATE] = _FREE
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
            self._waiters.clear()

    @asynccontextmanager
    async def turn(self, place: int) -> AsyncIterator[None]:
        """Wait until the query of a place may run; it keeps its place afterwards, until ``take`` ends.

        A place that another query of this process leaves is noticed at once, one of another process a little later.
        """
        pause = _WAIT_SECONDS
        while not self._may_run(place):
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await asyncio.wait((waiter,), timeout=pause)
            pause = min(2 * pause, _LONGEST_WAIT_SECONDS)
        yield

    def count_killed(self) -> None:
        """Count a query that was ended at its deadline."""
        with self._locked():
            self._cells[_KILLED] += 1

    def counts(self) -> dict[str, int]:
        """Return the queries that run and wait now, and those accepted, refused and killed since the start."""
        cells = self._cells
        states = [cells[place + _STATE] for place in self._places]
        return {
            "running": states.count(_RUNNING),
            "waiting": states.count(_WAITING),
            "accepted": cells[_ACCEPTED],
            "refused": cells[_REFUSED],
            "killed": cells[_KILLED],
        }

    def clear(self, process: int) -> None:
        """Free the places of a process that has ended."""
        with self._locked():
            for place in self._places:
                if self._cells[place + _PROCESS] == process:
                    self._cells[place + _STATE] = _FREE

    def _enter(self, client: str) -> int:
        name = hash(client)  # the same in all processes, which are forks of one
        cells = self._cells
        with self._locked():
            free = 0
            queries = 0
            for place in self._places:
                if cells[place + _STATE] == _FREE:
                    free = place
                elif cells[place + _CLIENT] == name:
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
            verb = "query is" if queries == 1 else "queries are"
            raise TooManyQueriesError(f"{queries} {verb} running or waiting for your address; wait until one has ended")
        if not free:
            raise QueueFullError("too many queries are running; try again in a few seconds")
        return free

    def _may_run(self, place: int) -> bool:
        """Let the query of a place run if it is the next, and fewer run than may."""
        cells = self._cells
        ticket = cells[place + _TICKET]
        with self._locked():
            running = 0
            for each in self._places:
                if cells[each + _STATE] == _RUNNING:
                    running += 1
                elif cells[each + _STATE] == _WAITING and cells[each + _TICKET] + self._head_start(each) < ticket:
                    running += 1  # it comes first
            if running >= self._limits.workers:
                return False
            cells[place + _STATE] = _RUNNING
            return True

    def _head_start(self, place: int) -> int:
        """Return how many younger queries may run before that of a place: some if it waits in another process.

        That one looks for its turn now and then; a worker does not stay idle for it.
        """
        return 0 if self._cells[place + _PROCESS] == self._process else _OVERTAKEN

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


def new_lock() -> int:
    """Return the descriptor of a file without name, which server processes lock."""
    descriptor, name = tempfile.mkstemp()
    Path(name).unlink()
    return descriptor
