"""Which publication each row describes, and which rows describe each publication: the truth.

Rows of library A come first, then those of B. Publications are numbered so that the first ``shared`` are in both
libraries, those up to ``unique_a`` in A alone, the rest in B alone. The order of the rows of a library is one of
chance, and can be run backwards; so all true pairs can be listed row by row.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup._compiling import njit

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
    """Lay out so many records."""
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
def publication_of(held: Any, row: Any) -> Any:
    """The number of the publication that a row describes."""
    if row < held.in_a:
        place = permuted(key_of(held.seed, ORDER, 0), held.in_a, row, False)
        return place if place < held.unique_a else (place - held.unique_a) * held.step_a
    place = permuted(key_of(held.seed, ORDER, 1), held.records - held.in_a, row - held.in_a, False)
    if place >= held.unique_b:
        place = (place - held.unique_b) * held.step_b
    return place if place < held.shared else held.unique_a + place - held.shared


@inner
def rows_of(held: Any, publication: Any, rows: Any) -> Any:
    """Write the rows (at most four) that describe a publication, and give their number."""
    count = 0
    if publication < held.unique_a:
        key = key_of(held.seed, ORDER, 0)
        rows[count] = permuted(key, held.in_a, publication, True)
        count += 1
        again = held.unique_a + publication // held.step_a
        if publication % held.step_a == 0 and again < held.in_a:
            rows[count] = permuted(key, held.in_a, again, True)
            count += 1
    place = publication if publication < held.shared else publication - held.unique_a + held.shared
    if publication < held.shared or publication >= held.unique_a:
        key, in_b = key_of(held.seed, ORDER, 1), held.records - held.in_a
        rows[count] = held.in_a + permuted(key, in_b, place, True)
        count += 1
        again = held.unique_b + place // held.step_b
        if place % held.step_b == 0 and again < in_b:
            rows[count] = held.in_a + permuted(key, in_b, again, True)
            count += 1
    return count


@njit(cache=True, nogil=True)
def truth(held: Any, start: int, stop: int) -> npt.NDArray[np.int64]:
    """The publication of each row from start to stop, shape (stop - start,)."""
    result = np.empty(stop - start, dtype=np.int64)
    for row in range(start, stop):
        result[row - start] = publication_of(held, row)
    return result


@njit(cache=True, nogil=True)
def pairs(held: Any, start: int, stop: int) -> npt.NDArray[np.uint64]:
    """The true pairs whose greater row is from start to stop, as ``left << 32 | right``, by the greater row."""
    found = np.empty(3 * (stop - start), dtype=np.uint64)
    rows = np.empty(4, dtype=np.int64)
    count = 0
    for row in range(start, stop):
        for place in range(rows_of(held, publication_of(held, row), rows)):
            if rows[place] < row:
                found[count] = (np.uint64(rows[place]) << np.uint64(32)) | np.uint64(row)
                count += 1
    return found[:count].copy()


def count_of_pairs(held: Layout) -> int:
    """The number of all true pairs: ``n (n - 1) / 2`` for the n rows of each publication."""
    twice_a = np.arange(held.in_a - held.unique_a, dtype=np.int64) * held.step_a
    places = np.arange(held.records - held.in_a - held.unique_b, dtype=np.int64) * held.step_b
    twice_b = np.where(places < held.shared, places, held.unique_a + places - held.shared)
    both = len(np.intersect1d(twice_a, twice_b))
    only = len(twice_a) + len(twice_b)
    return held.shared + only + int((twice_a < held.shared).sum() + (twice_b < held.shared).sum()) + both
