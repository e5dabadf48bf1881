"""Ordered maps over processes and threads: results in the order of the input, computed a few items ahead."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any, TypeVar

from bibld.errors import StageError

Item = TypeVar("Item")
Result = TypeVar("Result")

_TASKS_AHEAD = 2
"""Tasks that each process of a pool has submitted to it at a time."""


_SECONDS_BETWEEN_LOOKS = 0.2
"""How often who waits for a process looks whether it should be ended."""


_OBJECTS_BETWEEN_SEARCHES = 100_000


@contextmanager
def rare_cycle_search() -> Iterator[None]:
    """Search for reference cycles less often: records and quads contain none, and there are very many of them."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_SEARCHES, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def worker_count(configured: int) -> int:
    """Return the number of workers of a configuration; 0 stands for as many as there are cores."""
    return configured or len(os.sched_getaffinity(0))


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of ``size``; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int, ahead: int | None = None
) -> Iterator[Result]:
    """Yield the result of a function for each item, in their order; at most ``ahead`` results wait at a time.

    ``ahead`` is ``workers`` by default. With one worker no thread is started. The function should release Python's
    global lock most of the time, as compiled kernels and numpy do.
    """
    if workers < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(workers) as executor:
        yield from results_in_order((executor.submit(function, item) for item in items), ahead or workers)


def results_in_order(futures: Iterable[Future[Result]], ahead: int) -> Iterator[Result]:
    """Yield the results of futures in their order; at most ``ahead`` futures are taken before their turn."""
    waiting: deque[Future[Result]] = deque()
    for future in futures:
        waiting.append(future)
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


_STARTING = threading.Lock()


class _Process(ForkServerProcess):
    """A process that does not run the script of the main process, which it would import for functions in it.

    What processes call is in modules; a script without ``if __name__ == "__main__"`` would start them again and again.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: ANN401, N802 - the name that multiprocessing calls
        main = vars(sys.modules["__main__"])
        with _STARTING:
            hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
            main["__spec__"] = None
            try:
                return ForkServerProcess._Popen(process_obj)
            finally:
                main.update(hidden)


class _Context(ForkServerContext):
    Process = _Process


def _context(preload: Sequence[str]) -> _Context:
    """Return what starts processes; their server imports the modules in ``preload`` once for all of them."""
    context = _Context()
    context.set_forkserver_preload(list(preload))
    return context


class ProcessPool(AbstractContextManager["ProcessPool"]):
    """Worker processes that are started when the first task is submitted, and end with this process, however it ends.

    ``preload`` names modules that are imported once for all processes; each process calls ``initialise`` with
    ``arguments`` first. ``purpose`` names in error messages what the processes do ("convert records").
    """

    def __init__(
        self,
        workers: int,
        purpose: str,
        preload: Sequence[str],
        initialise: Callable[..., None] | None = None,
        arguments: tuple[Any, ...] = (),
    ) -> None:
        self.workers = workers
        self._purpose = purpose
        self._preload = preload
        self._initialise = initialise
        self._arguments = arguments
        self._executor: ProcessPoolExecutor | None = None

    def __exit__(self, *failure: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    @property
    def is_started(self) -> bool:
        """Whether the processes have been started."""
        return self._executor is not None

    def submit(self, function: Callable[..., Result], *arguments: object) -> Future[Result]:
        """Have a process call a function that it can import; starts the processes if necessary."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.workers,
                _context(self._preload),
                initializer=_prepare_process,
                initargs=(self._initialise, self._arguments),
            )
        return self._executor.submit(function, *arguments)

    def results(self, futures: Iterable[Future[Result]]) -> Iterator[Result]:
        """Yield the results of submitted tasks in their order, two tasks for each process ahead.

        Raises ``StageError`` when a process dies (because memory ran out, for example).
        """
        try:
            yield from results_in_order(futures, self.workers * _TASKS_AHEAD - 1)
        except BrokenProcessPool as error:
            raise StageError(
                f"a process started to {self._purpose} died ({error}); run again with workers = 1"
            ) from error


def call_in_process(
    function: Callable[..., Result],
    arguments: tuple[Any, ...],
    purpose: str,
    preload: Sequence[str],
    stopped: threading.Event,
) -> Result:
    """Call a function in a process that is started for it; return its result, or raise its exception.

    Function, arguments, result and exception are sent from process to process; ``preload`` names modules that the
    function needs, ``purpose`` in error messages what it does. When ``stopped`` is set, the process is ended, and
    ``CancelledError`` raised. Raises ``StageError`` when the process dies. The function may start further processes.
    """
    context = _context(preload)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_outcome, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        while not stopped.is_set():
            if receiver.poll(_SECONDS_BETWEEN_LOOKS):
                is_result, outcome = receiver.recv()
                if is_result:
                    returned: Result = outcome
                    return returned
                raise outcome
        raise CancelledError
    except EOFError as error:
        process.join()
        raise StageError(
            f"the process started to {purpose} died (exit code {process.exitcode}); run again with workers = 1"
        ) from error
    finally:
        process.terminate()
        process.join()
        receiver.close()


def _send_outcome(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _prepare_process(None, ())
    try:
        outcome = True, function(*arguments)
    except Exception as error:  # noqa: BLE001 - raised again by the process that started this one
        outcome = False, error
    sender.send(outcome)


def _prepare_process(initialise: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """Leave Ctrl-C to the process that started this one, and end when that process was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initialise is not None:
        initialise(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
