"""Counts what the server does, and writes it as Prometheus metrics. Every process has its own part of shared memory."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator

from bibld.serve._guarding.requests import CLASSES

_KNOWN = (200, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 410, 412, 413, 414, 415, 416)
_STATUSES = (*_KNOWN, 421, 429, 431, 499, 500, 501, 503, 0)
"""The last one stands for all others."""
_STATUS_NUMBERS = {status: number for number, status in enumerate(_STATUSES)}
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
"""Upper bounds of durations, in seconds."""

_READY, _RELEASE, _IN_FLIGHT, _CACHE_HITS, _CACHE_MISSES, _STARTS, _AT_ONCE = range(7)
_COUNTS = 7
_DURATIONS = _COUNTS + len(CLASSES) * len(_STATUSES)
_SUMS = _DURATIONS + len(CLASSES) * (len(_BUCKETS) + 1)
_CELLS = _SUMS + len(CLASSES)
PROCESS_BYTES = _CELLS * 8
_MICROSECONDS = 1_000_000
_TOTALS = (
    ("requests_in_flight", "gauge", "Requests that are being answered.", _IN_FLIGHT),
    ("processes_ready", "gauge", "Server processes that answer.", _READY),
    ("process_starts_total", "counter", "Starts of server processes.", _STARTS),
    ("at_once_total", "counter", "Requests answered without the event loop.", _AT_ONCE),
    ("cache_hits_total", "counter", "Answers found in a cache.", _CACHE_HITS),
    ("cache_misses_total", "counter", "Answers that a cache did not have.", _CACHE_MISSES),
)
_OF_QUERIES = (
    ("queries_running", "gauge", "Queries that are being evaluated.", "running"),
    ("queries_waiting", "gauge", "Queries that wait for their turn.", "waiting"),
    ("queries_total", "counter", "Queries that were accepted.", "accepted"),
    ("queries_refused_total", "counter", "Queries refused: too many run or wait.", "refused"),
    ("queries_killed_total", "counter", "Queries ended at their deadline.", "killed"),
)


class Metrics:
    """The counters of all server processes; ``process`` is the number of this one.

    A process writes only its own counters. One that replaces another continues them, so that they never decrease.
    Threads may count at the same time.
    """

    def __init__(self, memory: memoryview, process: int = 0) -> None:
        self._cells = memory.cast("B").cast("q")
        self._processes = len(self._cells) // _CELLS
        self._start = process * _CELLS
        self._counting = threading.Lock()

    def begin(self) -> None:
        """Count a start of this process, which is not ready yet."""
        self.mark_ended(self._start // _CELLS)
        self._cells[self._start + _STARTS] += 1

    def set_ready(self, release: int) -> None:
        """State that this process answers for a release."""
        self._cells[self._start + _RELEASE] = release
        self._cells[self._start + _READY] = 1

    def is_ready(self, process: int) -> bool:
        return bool(self._cells[process * _CELLS + _READY])

    def release(self, process: int) -> int:
        return self._cells[process * _CELLS + _RELEASE]

    def mark_ended(self, process: int) -> None:
        for cell in (_READY, _IN_FLIGHT):
            self._cells[process * _CELLS + cell] = 0

    def add_in_flight(self, number: int) -> None:
        self._cells[self._start + _IN_FLIGHT] += number

    def count_request(self, kind: int, status: int, seconds: float) -> None:
        cells, start = self._cells, self._start
        with self._counting:
            cells[start + _COUNTS + kind * len(_STATUSES) + _STATUS_NUMBERS.get(status, len(_STATUSES) - 1)] += 1
            cells[start + _DURATIONS + kind * (len(_BUCKETS) + 1) + bisect_left(_BUCKETS, seconds)] += 1
            cells[start + _SUMS + kind] += int(seconds * _MICROSECONDS)

    def count_cache(self, is_hit: bool) -> None:
        """Count an answer that was found in a cache, or could have been."""
        with self._counting:
            self._cells[self._start + (_CACHE_HITS if is_hit else _CACHE_MISSES)] += 1

    def count_at_once(self) -> None:
        """Count a request that was answered without the event loop; only one thread calls this."""
        self._cells[self._start + _AT_ONCE] += 1

    def write(self, queries: Callable[[], dict[str, int]]) -> bytes:
        """Return all metrics in the text format of Prometheus; ``queries`` returns their number by state."""
        return ("\n".join(self._lines(queries())) + "\n").encode()

    def _total(self, cell: int) -> int:
        return sum(self._cells[process * _CELLS + cell] for process in range(self._processes))

    def _lines(self, queries: dict[str, int]) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Requests that have been answered.")
        for kind, name in enumerate(CLASSES):
            for number, status in enumerate(_STATUSES):
                if count := self._total(_COUNTS + kind * len(_STATUSES) + number):
                    yield f'bibld_requests_total{{class="{name}",status="{status or "other"}"}} {count}'
        meaning = "Time from the header of a request to the end of its answer."
        yield from _head("request_duration_seconds", "histogram", meaning)
        for kind, name in enumerate(CLASSES):
            count = 0
            for number, bound in enumerate((*map(str, _BUCKETS), "+Inf")):
                count += self._total(_DURATIONS + kind * (len(_BUCKETS) + 1) + number)
                yield f'bibld_request_duration_seconds_bucket{{class="{name}",le="{bound}"}} {count}'
            seconds = self._total(_SUMS + kind) / _MICROSECONDS
            yield f'bibld_request_duration_seconds_sum{{class="{name}"}} {seconds:.6f}'
            yield f'bibld_request_duration_seconds_count{{class="{name}"}} {count}'
        for metric, type_, meaning, cell in _TOTALS:
            yield from (*_head(metric, type_, meaning), f"bibld_{metric} {self._total(cell)}")
        for metric, type_, meaning, state in _OF_QUERIES:
            yield from (*_head(metric, type_, meaning), f"bibld_{metric} {queries[state]}")
        yield from _head("release", "gauge", "The number of the release that each process serves.")
        for process in range(self._processes):
            if self.is_ready(process):
                yield f'bibld_release{{process="{process}"}} {self.release(process)}'


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP bibld_{name} {meaning}", f"# TYPE bibld_{name} {kind}"
