"""Work on several cores, in order: compiled loops and numpy let other threads run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(function: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """The results of a function for each item, in the order of the items, computed a little ahead.

    No more than ``workers + 1`` results wait at a time. With one worker nothing runs beside.
    """
    if workers < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(workers) as executor:
        ahead: deque[Future[Result]] = deque()
        for item in items:
            ahead.append(executor.submit(function, item))
            if len(ahead) > workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
