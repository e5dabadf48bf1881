"""Which publication each row describes, and which rows describe each publication: the truth.

Rows of library A come first, then those of B. Publications are numbered so that the first ``shared`` are in both
libraries, those up to ``unique_a`` in A alone, the rest in B alone. The order of the rows of a library is one of
chance, and can be run backwards; so all true pairs can be listed row by row.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup.compilation import njit

from .draws import ORDER, inner, key_of, permuted

SHARE_OF_A = 0.6
"""Of all records, those of library A (the paper has 15 and 10 million)."""
OVERLAP = 0.7
"""Of the publications of library B, those that A has too."""
TWICE = 0.002
"""Of the records of a library, those that describe a publication a second time."""


class Layout(NamedTuple):
    """How many rows, publications and duplicates there are; every ``step_a``-th publication of A is there twice."""

    seed: np.uint64
    records: int
    in_a: int
    unique_a: int
    step_a: int
    unique_b: int
    step_b: int
    shared: int
    publications: int


def layout(records: int, seed: int) -> Layout:
    """Lay out this many records."""
    in_a = round(SHARE_OF_A * records)
    in_b = records - in_a
    unique_a, unique_b = in_a - int(TWICE * in_a), in_b - int(TWICE * in_b)
    shared = min(round(OVERLAP * unique_b), unique_a)
    step_a, step_b = unique_a // max(in_a - unique_a, 1), unique_b // max(in_b - unique_b, 1)
    publications = unique_a + unique_b - shared
    return Layout(
        np.uint64(seed), records, in_a, unique_a, max(step_a, 1), unique_b, max(step_b, 1), shared, publications
    )


@inner
def publication_of(plan: Any, row: Any) -> Any:
    """The number of the publication that a row describes."""
    if row < plan.in_a:
        place = permuted(key_of(plan.seed, ORDER, 0), plan.in_a, row, False)
        return place if place < plan.unique_a else (place - plan.unique_a) * plan.step_a
    place = permuted(key_of(plan.seed, ORDER, 1), plan.records - plan.in_a, row - plan.in_a, False)
    if place >= plan.unique_b:
        place = (place - plan.unique_b) * plan.step_b
    return place if place < plan.shared else plan.unique_a + place - plan.shared


@inner
def rows_of(plan: Any, publication: Any, rows: Any) -> Any:
    """Write the rows (at most four) that describe a publication, and give their number."""
    count = 0
    if publication < plan.unique_a:
        key = key_of(plan.seed, ORDER, 0)
        rows[count] = permuted(key, plan.in_a, publication, True)
        count += 1
        again = plan.unique_a + publication // plan.step_a
        if publication % plan.step_a == 0 and again < plan.in_a:
            rows[count] = permuted(key, plan.in_a, again, True)
            count += 1
    place = publication if publication < plan.shared else publication - plan.unique_a + plan.shared
    if publication < plan.shared or publication >= plan.unique_a:
        key, in_b = key_of(plan.seed, ORDER, 1), plan.records - plan.in_a
        rows[count] = plan.in_a + permuted(key, in_b, place, True)
        count += 1
        again = plan.unique_b + place // plan.step_b
        if place % plan.step_b == 0 and again < in_b:
            rows[count] = plan.in_a + permuted(key, in_b, again, True)
            count += 1
    return count


@njit(cache=True, nogil=True)
def truth(plan: Any, start: int, stop: int) -> npt.NDArray[np.int64]:
    """The publication of each row from start to stop, shape (stop - start,)."""
    result = np.empty(stop - start, dtype=np.int64)
    for row in range(start, stop):
        result[row - start] = publication_of(plan, row)
    return result


@njit(cache=True, nogil=True)
def pairs(plan: Any, start: int, stop: int) -> npt.NDArray[np.uint64]:
    """The true pairs whose greater row is from start to stop, as ``left << 32 | right``, by the greater row."""
    found = np.empty(3 * (stop - start), dtype=np.uint64)
    rows = np.empty(4, dtype=np.int64)
    count = 0
    for row in range(start, stop):
        for place in range(rows_of(plan, publication_of(plan, row), rows)):
            if rows[place] < row:
                found[count] = (np.uint64(rows[place]) << np.uint64(32)) | np.uint64(row)
                count += 1
    return found[:count].copy()


def count_of_pairs(plan: Layout) -> int:
    """The number of all true pairs: ``n (n - 1) / 2`` for the n rows of each publication."""
    twice_a = np.arange(plan.in_a - plan.unique_a, dtype=np.int64) * plan.step_a
    places = np.arange(plan.records - plan.in_a - plan.unique_b, dtype=np.int64) * plan.step_b
    twice_b = np.where(places < plan.shared, places, plan.unique_a + places - plan.shared)
    both = len(np.intersect1d(twice_a, twice_b))
    only = len(twice_a) + len(twice_b)
    return plan.shared + only + int((twice_a < plan.shared).sum() + (twice_b < plan.shared).sum()) + both
