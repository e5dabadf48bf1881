"""The keys of blockers, with oversized ones refined; and which keys two records have in common.

A blocker's ``Settings`` may have ``largest_bucket``. A key that more records had when the statistics were counted is
refined by one more field, then another; one that is oversized even with all of them makes no candidates, and is
counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from bibld import adapters
from bibld.config import Config
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

REFINED_BY = ("year", "pages", "author 4")
"""The fields that oversized keys are refined by, in this order; a missing value is a value of its own here."""

_HASH = (1 << 56) - 1


class Keys(msgspec.Struct, frozen=True, eq=False):
    """The keys of one blocker and the rows that have them, ascending by key, then row, each once.

    ``refined`` counts oversized keys, ``cut`` those that were so with all fields and make no candidates, ``cut_rows``
    the records that had them; ``grown`` counts keys that became oversized since the statistics were counted.
    ``family`` is empty for all families together.
    """

    name: str
    keys: Numbers
    rows: Rows
    refined: int
    cut: int
    cut_rows: int
    grown: int
    family: str = ""

    def families(self) -> list[Keys]:
        """The keys of each family that has any, apart."""
        import numpy as np

        names = adapters.find("dedup.block", self.name).FAMILIES
        numbers = (self.keys >> np.uint64(56)).astype(np.int64)
        return [
            msgspec.structs.replace(self, family=names[number], keys=self.keys[chosen], rows=self.rows[chosen])
            for number in range(len(names))
            if (chosen := numbers == number).any()
        ]

    def message(self) -> str:
        """What was refined and cut, in a sentence; empty where there is nothing to say."""
        parts = []
        if self.refined:
            parts.append(f"{self.refined} oversized keys were refined by {', '.join(REFINED_BY)}")
        if self.cut:
            parts.append(f"{self.cut} keys of {self.cut_rows} records stayed oversized and make no candidates")
        if self.grown:
            parts.append(f"{self.grown} keys grew oversized since the statistics were counted; renew them (--restat)")
        return f"dedup: {self.name}: {'; '.join(parts)}" if parts else ""


def keys_of(name: str, columns: FeatureColumns, config: Config, statistics: Statistics) -> Keys:
    """The keys that a blocker gives to all rows, refined by frozen statistics."""
    import numpy as np

    settings = config.settings("dedup.block", name)
    keys, rows = adapters.find("dedup.block", name).keys(columns, settings, statistics)
    oversized = statistics.oversized.get(name, np.empty(0, np.uint64))
    refined = 0
    for field in _fields(columns):
        keys, count = _refined(keys, rows, oversized, field)
        refined += count
    held = _among(keys, oversized)
    cut, cut_rows = len(np.unique(keys[held])), len(np.unique(rows[held]))
    keys, rows = _sorted(keys[~held], rows[~held])
    largest = largest_bucket(settings)
    grown = len(_oversized(keys, rows, largest)) if largest else 0
    return Keys(name, keys, rows, refined, cut, cut_rows, grown)


def oversized_keys(name: str, columns: FeatureColumns, config: Config, statistics: Statistics) -> Numbers:
    """The keys of a blocker, ascending, that more records have than ``largest_bucket``, also after refining."""
    import numpy as np

    settings = config.settings("dedup.block", name)
    largest = largest_bucket(settings)
    if not largest:
        return np.empty(0, np.uint64)
    keys, rows = adapters.find("dedup.block", name).keys(columns, settings, statistics)
    found = [np.empty(0, np.uint64)]
    for field in (*_fields(columns), None):
        over = _oversized(*_sorted(keys, rows), largest)
        found.append(over)
        held = _among(keys, over)
        keys, rows = keys[held], rows[held]
        if field is not None:
            keys, _ = _refined(keys, rows, over, field)
    return np.unique(np.concatenate(found))


def largest_bucket(settings: Any) -> int:  # noqa: ANN401
    """The largest number of records that may share a key of a blocker; 0 where it sets no bound."""
    return getattr(settings, "largest_bucket", 0)


def families_met(
    held: Iterable[Keys], columns: FeatureColumns, config: Config, left: Rows, right: Rows
) -> list[tuple[str, ...]]:
    """The names of the key families by which each pair of rows met, as ``composite: full title``."""
    import numpy as np

    from bibld.dedup._kernels import families_in_common

    met: list[list[str]] = [[] for _ in range(len(left))]
    wanted = np.zeros(len(columns), dtype=np.bool_)
    wanted[left], wanted[right] = True, True
    for blocker in held:
        names = adapters.find("dedup.block", blocker.name).FAMILIES
        of_wanted = wanted[blocker.rows]
        keys, rows = blocker.keys[of_wanted], blocker.rows[of_wanted]
        order = np.argsort(rows, kind="stable")
        offsets = np.searchsorted(rows[order], np.arange(len(columns) + 1))
        common = families_in_common(offsets, keys[order], left, right)
        common[~kept(blocker.name, columns, config, left, right)] = 0
        for pair in np.flatnonzero(common):
            bits = int(common[pair])
            met[pair] += (f"{blocker.name}: {family}" for number, family in enumerate(names) if bits >> number & 1)
    return [tuple(families) for families in met]


def key_names(held: Keys, row: int) -> list[str]:
    """The names of the kinds of keys that a row has, as ``composite: full title``."""
    names = adapters.find("dedup.block", held.name).FAMILIES
    numbers = {int(key) >> 56 for key in held.keys[held.rows == row].tolist()}
    return [f"{held.name}: {names[number]}" for number in sorted(numbers)]


def kept(name: str, columns: FeatureColumns, config: Config, left: Rows, right: Rows) -> npt.NDArray[np.bool_]:
    """Which pairs of those that met a blocker takes for candidates: all, unless it has a filter ``keeps``."""
    import numpy as np

    keeps = getattr(adapters.find("dedup.block", name), "keeps", None)
    if keeps is None:
        return np.ones(len(left), dtype=np.bool_)
    chosen: npt.NDArray[np.bool_] = keeps(columns, left, right, config.settings("dedup.block", name))
    return chosen


def _fields(columns: FeatureColumns) -> list[Numbers]:
    """What refines oversized keys, as numbers that are not 0."""
    import numpy as np

    from bibld.dedup._text_kernels import prefixes

    names = columns.texts["names"]
    authors: Numbers = prefixes(names.offsets, names.codes, 4)
    numbers = (columns.numbers[name].astype(np.uint64) for name in ("year", "pages"))
    return [column + np.uint64(1) for column in (*numbers, authors >> np.uint64(1))]


def _refined(keys: Numbers, rows: Rows, oversized: Numbers, field: Numbers) -> tuple[Numbers, int]:
    """The keys, those that are oversized mixed with a field; and how many different ones were."""
    import numpy as np

    from bibld.dedup._text_kernels import mixed

    held = np.flatnonzero(_among(keys, oversized))
    if not len(held):
        return keys, 0
    result = keys.copy()
    family = keys[held] & ~np.uint64(_HASH)
    result[held] = family | (mixed(keys[held] | np.uint64(1 << 63), field[rows[held]]) >> np.uint64(8))
    return result, len(np.unique(keys[held]))


def _among(keys: Numbers, known: Numbers) -> npt.NDArray[np.bool_]:
    import numpy as np

    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[places] == keys
    return found


def _sorted(keys: Numbers, rows: Rows) -> tuple[Numbers, Rows]:
    """Keys and rows in order, each pair of both once."""
    import numpy as np

    order = np.lexsort((rows, keys))
    keys, rows = keys[order], rows[order]
    again = np.zeros(len(keys), dtype=np.bool_)
    again[1:] = (keys[1:] == keys[:-1]) & (rows[1:] == rows[:-1])
    return keys[~again], rows[~again]


def _oversized(keys: Numbers, rows: Rows, largest: int) -> Numbers:
    """The keys in order that more rows have than the largest bucket may."""
    import numpy as np

    found, counts = np.unique(keys, return_counts=True)
    return found[counts > largest]
