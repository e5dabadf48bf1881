"""Chance without a state: every draw is a hash of a key and of what it is for.

A key of 64 bits stands for a thing (a work, a publication, a record, an author), made out of the seed, a kind and a
number; so any row can be made alone, in any order, by any thread.
"""

from typing import Any

import numpy as np

from bibld.dedup.compilation import njit

inner = njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions that only compiled functions call: without an entrance from Python they compile in half the time."""

WORK, PUBLICATION, RECORD, BLOCK, AUTHOR, WORD, SURNAME, TOPIC, PUBLISHER, BODY, SERIES, PLACE, ORDER = range(1, 14)
"""Kinds of things."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_ONE_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_OTHER_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_A, _B, _C, _ELEVEN = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_FRACTION = 1.0 / (1 << 53)
_FAR = 1 << 40
"""Ranks beyond are so rare that none is drawn twice; a hash distinguishes them."""


@inner
def draw(key: Any, purpose: Any) -> Any:
    """64 bits for a purpose: the step and the finaliser of SplitMix64 (Steele, Lea, Flood 2014)."""
    value = key + _STEP * np.uint64(purpose + 1)
    value = (value ^ (value >> _A)) * _ONE_MULTIPLIER
    value = (value ^ (value >> _B)) * _OTHER_MULTIPLIER
    return value ^ (value >> _C)


@inner
def key_of(seed: Any, kind: Any, number: Any) -> Any:
    """The key of a thing."""
    return draw(draw(seed, kind), number)


@inner
def chance(key: Any, purpose: Any) -> Any:
    """A number from 0 to 1, 1 excluded."""
    return np.float64(draw(key, purpose) >> _ELEVEN) * _FRACTION


@inner
def below(key: Any, purpose: Any, limit: Any) -> Any:
    """A whole number from 0 to the limit, the limit excluded."""
    return np.int64(chance(key, purpose) * limit)


@inner
def among(key: Any, purpose: Any, reaches: Any) -> Any:
    """The place in an ascending array of reaches (cumulated shares) that chance meets."""
    found = np.searchsorted(reaches, chance(key, purpose), side="right")
    return min(np.int64(found), reaches.shape[0] - 1)


@inner
def rank(key: Any, purpose: Any, law: Any) -> Any:
    """A rank from 0 after Zipf and Mandelbrot: ``P(rank > r) = (1 + r / law[0]) ** -law[1]``."""
    value = law[0] * ((1.0 - chance(key, purpose)) ** (-1.0 / law[1]) - 1.0)
    if value < _FAR:
        return np.int64(value)
    return np.int64(_FAR + np.int64(draw(key, purpose) >> np.uint64(24)))


@inner
def permuted(key: Any, size: Any, number: Any, backwards: Any) -> Any:
    """The place of a number below ``size`` in an order of chance, or backwards the number at a place.

    A Feistel network of six rounds over the next even count of bits, walked until it is below ``size`` again.
    """
    half = 1
    while (np.int64(1) << np.int64(2 * half)) < size:
        half += 1
    mask = (np.int64(1) << np.int64(half)) - 1
    value = np.int64(number)
    while True:
        left, right = value >> half, value & mask
        for turn in range(6):
            if backwards:
                left, right = right ^ (np.int64(draw(key, ((left << 3) | (5 - turn)) + 1) >> _ELEVEN) & mask), left
            else:
                left, right = right, left ^ (np.int64(draw(key, ((right << 3) | turn) + 1) >> _ELEVEN) & mask)
        value = (left << half) | right
        if value < size:
            return value
