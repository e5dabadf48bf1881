"""Kernels of the exact similarity join: the prefixes of texts, and pairs that share a token of them in every level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bibld.dedup.arrays import Codes, Numbers, Offsets
from bibld.dedup.compilation import (
    CODES,
    NEW_NUMBERS,
    NEW_OFFSETS,
    NEW_ROWS,
    OFFSETS,
    inner,
    kernel,
    results,
    types,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Needs = npt.NDArray[np.int32]
    Blocks = npt.NDArray[np.uint32]

JACCARD, COSINE, EDIT = range(3)
TOKEN, NEED = np.uint64(32), np.uint64(16)
"""Bits below the token and the need of an entry; the lowest 16 bits are its place."""
MAX_NEED = 0xFFFF
"""The highest need and place that an entry can contain."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP = np.uint64(1) << np.uint64(63)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SLACK = 1e-6
_PLACE = np.uint64(MAX_NEED)
_PLACES = 16


class JoinRule(NamedTuple):
    """Which pairs are searched: the measure, its threshold, the characters of a gram, the number of tokens in use, and
    whether all rows are probed."""

    measure: int
    threshold: float
    gram: int
    tokens: int
    probe_all: bool


class Texts(NamedTuple):
    """Texts by ascending size: row i consists of ``symbols[offsets[i]:offsets[i + 1]]``.

    Symbols are tokens, ascending and each once; for edit similarity characters. ``symbol_count`` are in use.
    """

    offsets: Any
    symbols: Any
    symbol_count: int


class Prefixes(NamedTuple):
    """The prefix of row i in level l is ``entries[starts[l, i]:starts[l, i + 1]]``, in the order of the level.

    The entries of token t in the first level are at ``lists[t]:lists[t + 1]`` of ``rows``, ``keys`` (size of the text
    and place, ascending) and ``needs``.
    """

    starts: Any
    entries: Any
    lists: Any
    rows: Any
    keys: Any
    needs: Any


class Space(NamedTuple):
    """Working space of a join: by row the last row that had it as a candidate, the candidates, by token its first entry
    in the prefix of the row, and limits."""

    seen: Any
    candidates: Any
    table: Any
    limits: Any


_NAMED: Any = types.NamedTuple
_NAMED_UNIFORM: Any = types.NamedUniTuple
_RULE = _NAMED([types.int64, types.float64, types.int64, types.int64, types.boolean], JoinRule)
_TEXTS = _NAMED([NEW_OFFSETS, NEW_ROWS, types.int64], Texts)
_SPACE = _NAMED_UNIFORM(NEW_OFFSETS, 4, Space)
_PREFIXES = _NAMED([types.int64[:, ::1], NEW_NUMBERS] + 4 * [NEW_OFFSETS], Prefixes)


@inner(types.void(_RULE, types.int64, types.int64, types.int64[::1]))
def _limit(rule: JoinRule, size: int, other: int, limits: Offsets) -> None:
    """Fill ``limits``: how many tokens two similar texts of these sizes may lack each, for edit similarity how many
    edits there may be, and the least and the greatest difference of the places of a token that no edit touches."""
    limits[2] = limits[3] = 0
    if rule.measure == EDIT:
        edits = np.int64(np.floor((1 - rule.threshold) * max(size, other) + _SLACK))
        limits[0] = limits[1] = edits
        limits[2], limits[3] = -((edits - size + other) // 2), (edits + size - other) // 2
        return
    needed = rule.threshold / (1 + rule.threshold) * (size + other)
    if rule.measure == COSINE:
        needed = rule.threshold * np.sqrt(np.float64(size) * other)
    common = np.int64(np.ceil(needed - _SLACK))
    limits[0], limits[1] = size - common, other - common


@inner(types.void(NEW_NUMBERS, types.int64))
def _sort(keys: Numbers, count: int) -> None:
    """Shell sort of the first keys, which are few in most texts; numba's sort of arrays takes a second to compile."""
    gap = count // 2
    while gap > 0:
        for position in range(gap, count):
            key, at = keys[position], position
            while at >= gap and keys[at - gap] > key:
                keys[at] = keys[at - gap]
                at -= gap
            keys[at] = key
        gap = 1 if gap == 2 else gap * 5 // 11


@kernel(results(NEW_OFFSETS, NEW_NUMBERS)(_RULE, types.int64[::1], OFFSETS, CODES, CODES))
def prefixes(  # noqa: C901 - one compiled loop
    rule: JoinRule, sizes: Offsets, offsets: Offsets, tokens: Codes, order: Codes
) -> tuple[Offsets, Numbers]:
    """Return the prefix of each row in one level: offsets and entries (token, need and place).

    ``order`` (tokens,) is the place of each token in the order of the level. A token *needs* as many errors as it
    takes to spoil all tokens of the row before it: for sets one each, for grams the least number of edits that touch
    all of them. It is in the prefix if a similar text may have that many. For edit similarity a last token, which all
    texts share, stands for texts so short that edits may spoil all grams.
    """
    starts, limits, most = np.zeros(offsets.shape[0], np.int64), np.empty(4, np.int64), np.int64(1)
    for row in range(sizes.shape[0]):
        most = max(most, offsets[row + 1] - offsets[row])
    entries = np.empty(tokens.shape[0] + sizes.shape[0], np.uint64)
    keys, marked = np.empty(most, np.uint64), np.zeros(most, np.bool_)
    shrink = rule.threshold * (rule.threshold if rule.measure == COSINE else 1.0)
    filled = 0
    for row in range(sizes.shape[0]):
        first, count = offsets[row], offsets[row + 1] - offsets[row]
        farthest: Any = sizes[row] / shrink + _SLACK if rule.measure == EDIT else np.ceil(sizes[row] * shrink - _SLACK)
        _limit(rule, sizes[row], int(farthest), limits)
        for position in range(count):
            keys[position] = (np.uint64(order[tokens[first + position]]) << _HALF) | np.uint64(position)
        _sort(keys, count)
        taken: Any = 0
        need: Any = 0
        while taken < count and need <= limits[0]:
            rank = keys[taken] >> _HALF
            while taken < count and keys[taken] >> _HALF == rank:
                found = np.int64(keys[taken] & _LOW)
                entries[filled] = (np.uint64(tokens[first + found]) << TOKEN) | (np.uint64(min(need, MAX_NEED)) << NEED)
                if rule.measure == EDIT:
                    entries[filled] |= np.uint64(found)
                    marked[found] = True
                filled, taken = filled + 1, taken + 1
            need = taken
            if rule.measure == EDIT:
                need, free = 0, 0
                for position in range(count):
                    if marked[position] and position >= free:
                        need, free = need + 1, position + rule.gram
        if rule.measure == EDIT:
            for position in range(count):
                marked[position] = False
            if need <= limits[0]:
                entries[filled] = (np.uint64(rule.tokens) << TOKEN) | (np.uint64(need) << NEED)
                filled += 1
        starts[row + 1] = filled
    return starts, entries[:filled].copy()


@inner(types.int64(NEW_OFFSETS, types.int64, types.int64, types.int64))
def _first_from(keys: Offsets, begin: int, end: int, least: Any) -> int:  # noqa: ANN401
    """Return the place of the first of some ascending keys that is ``least`` or more."""
    while begin < end:
        middle = (begin + end) // 2
        if keys[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@inner(types.int64(_RULE, types.int64[::1], _PREFIXES, types.boolean[::1], _SPACE, types.int64))
def _collect(rule: JoinRule, sizes: Offsets, prefixes: Prefixes, is_probe: Any, space: Space, row: int) -> int:  # noqa: ANN401
    """Fill the candidates of a row: those that share a token of the first level, at places that edits can explain."""
    size, limits, seen = sizes[row], space.limits, space.seen
    shrink = rule.threshold * (rule.threshold if rule.measure == COSINE else 1.0)
    smallest = np.int64(np.ceil(size * shrink - _SLACK))
    largest = size if rule.probe_all else np.int64(np.floor(size / shrink + _SLACK))
    count = 0
    for entry in range(prefixes.starts[0, row], prefixes.starts[0, row + 1]):
        token = np.int64(prefixes.entries[entry] >> TOKEN)
        need, position = np.int64(prefixes.entries[entry] >> NEED & _PLACE), np.int64(prefixes.entries[entry] & _PLACE)
        end = prefixes.lists[token + 1]
        match = _first_from(prefixes.keys, prefixes.lists[token], end, smallest << _PLACES)
        while match < end:
            other_size = prefixes.keys[match] >> _PLACES
            if other_size > largest:
                break
            _limit(rule, size, other_size, limits)
            until = (other_size << _PLACES) | (position - limits[2])
            begin = (other_size << _PLACES) | max(0, position - limits[3])
            if need > limits[0]:
                begin = until = (other_size + 1) << _PLACES
            match = _first_from(prefixes.keys, match, end, begin)
            while match < end and prefixes.keys[match] <= until:
                other = prefixes.rows[match]
                if prefixes.needs[match] <= limits[1] and seen[other] != row and (other < row or not is_probe[other]):
                    seen[other] = row
                    space.candidates[count] = other
                    count += 1
                match += 1
            match = _first_from(prefixes.keys, match, end, (other_size + 1) << _PLACES)
    return count


@inner(types.int64(_RULE, types.int64[::1], _PREFIXES, _SPACE, types.int64, types.int64, types.int64))
def _filter(rule: JoinRule, sizes: Offsets, prefixes: Prefixes, space: Space, level: int, row: int, count: int) -> int:
    """Keep the candidates that share a token of another level too; returns how many there are."""
    entries, starts, table, limits = prefixes.entries, prefixes.starts[level], space.table, space.limits
    first, last = starts[row], starts[row + 1]
    for entry in range(last - 1, first - 1, -1):
        table[entries[entry] >> TOKEN] = entry
    kept, last_size = 0, np.int64(-1)
    for number in range(count):
        other = space.candidates[number]
        if sizes[other] != last_size:
            last_size = sizes[other]
            _limit(rule, sizes[row], last_size, limits)
            allowed, other_allowed, low, high = limits[0], limits[1], limits[2], limits[3]
        space.candidates[kept] = other
        for entry in range(starts[other], starts[other + 1]):
            value = entries[entry]
            own = np.int64(table[value >> TOKEN])
            if own < 0:
                continue
            if np.int64(value >> NEED & _PLACE) > other_allowed:
                break
            is_shared = False
            while own < last and entries[own] >> TOKEN == value >> TOKEN:
                moved = np.int64(entries[own] & _PLACE) - np.int64(value & _PLACE)
                if np.int64(entries[own] >> NEED & _PLACE) <= allowed and low <= moved <= high:
                    is_shared = True
                own += 1
            if is_shared:
                kept += 1
                break
    for entry in range(first, last):
        table[entries[entry] >> TOKEN] = -1
    return kept


@inner(types.float64(types.int64, CODES, CODES, types.uint64[::1], types.uint64[::1]))
def _similarity(measure: int, one: Codes, other: Codes, positions: Numbers, column: Numbers) -> Any:  # noqa: ANN401
    """Return the similarity of two texts.

    The edit distance is computed by the bit-parallel algorithm of Myers, in blocks of 64 as Hyyrö extended it:
    ``positions`` has a bit for each place of each character of the first text; ``column`` is working space for two
    numbers per block.
    """
    if measure != EDIT:
        i, j, common = 0, 0, 0
        while i < one.shape[0] and j < other.shape[0]:
            left, right = one[i], other[j]
            common += left == right
            i += left <= right
            j += right <= left
        if measure == COSINE:
            return common / np.sqrt(one.shape[0] * other.shape[0])
        return common / (one.shape[0] + other.shape[0] - common)
    width, blocks = column.shape[0] // 2, (one.shape[0] + 63) // 64
    column[:blocks] = _ALL
    column[blocks : 2 * blocks] = _ZERO
    last, distance = _ONE << np.uint64((one.shape[0] - 1) % 64), one.shape[0]
    for position in range(other.shape[0]):
        carry = 1
        for block in range(blocks):
            up, down = column[block], column[blocks + block]
            equal = positions[np.int64(other[position]) * width + block]
            vertical = equal | down
            if carry < 0:
                equal |= _ONE
            horizontal = (((equal & up) + up) ^ up) | equal
            more, less = down | ~(horizontal | up), up & horizontal
            top = last if block == blocks - 1 else _TOP
            added, dropped = more & top, less & top
            more, less = more << _ONE, less << _ONE
            if carry < 0:
                less |= _ONE
            elif carry > 0:
                more |= _ONE
            column[block] = less | ~(vertical | more)
            column[blocks + block] = more & vertical
            carry = 1 if added else (-1 if dropped else 0)
        distance += carry
    longest = max(one.shape[0], other.shape[0])
    return (longest - distance) / longest


@kernel(results(types.int64, types.int64, types.int64)(
    _RULE, _TEXTS, types.int64[::1], _PREFIXES, types.boolean[::1], types.int64, types.float64[:, ::1]
))  # fmt: skip
def join(
    rule: JoinRule, texts: Texts, sizes: Offsets, prefixes: Prefixes, is_probe: Any, start: int, found: Any  # noqa: ANN401
) -> tuple[int, int, int]:  # fmt: skip
    """Fill ``found`` (room, 3) with pairs and their similarity, from the row ``start`` on.

    A row that is a probe is compared with those before it, and with all rows that are no probes. Returns the row to go
    on with, the number of pairs found and of those whose similarity was computed.
    """
    rows = sizes.shape[0]
    width = (sizes[rows - 1] + 63) // 64 if rows else 1
    space = Space(
        np.full(rows, -1, np.int64), np.empty(rows + 1, np.int64), np.full(rule.tokens + 1, -1, np.int64),
        np.zeros(4, np.int64),
    )  # fmt: skip
    positions = np.zeros(texts.symbol_count * width if rule.measure == EDIT else 1, np.uint64)
    column = np.empty(2 * width, np.uint64)
    filled, compared = 0, 0
    for row in range(start, rows):
        if not is_probe[row]:
            continue
        if found.shape[0] - filled < rows:
            return row, filled, compared
        count = _collect(rule, sizes, prefixes, is_probe, space, row)
        for level in range(1, prefixes.starts.shape[0]):
            count = _filter(rule, sizes, prefixes, space, level, row, count)
        if count == 0:
            continue
        compared += count
        own = texts.symbols[texts.offsets[row] : texts.offsets[row + 1]]
        if rule.measure == EDIT:
            for position in range(own.shape[0]):
                positions[np.int64(own[position]) * width + position // 64] |= _ONE << np.uint64(position % 64)
        for number in range(count):
            other = space.candidates[number]
            others = texts.symbols[texts.offsets[other] : texts.offsets[other + 1]]
            similarity = _similarity(rule.measure, own, others, positions, column)
            if similarity >= rule.threshold:
                found[filled, 0], found[filled, 1], found[filled, 2] = row, other, similarity
                filled += 1
        if rule.measure == EDIT:
            for position in range(own.shape[0]):
                positions[np.int64(own[position]) * width + position // 64] = _ZERO
    return rows, filled, compared
