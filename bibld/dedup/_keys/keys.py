"""The keys of records in memory, as people ask about them: by which keys two records meet, which keys a record has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from bibld import adapters
from bibld.dedup._keys.indexing import oversized_at
from bibld.dedup._keys.key_runs import LEVELS, largest_bucket
from bibld.dedup._pairs import sieve as _sieve
from bibld.dedup._pairs.pairs import Counts
from bibld.dedup.method import Method
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

_FAMILY = 56


class Keys(msgspec.Struct, frozen=True, eq=False):
    """The keys of one blocker and the rows that have them, ascending by row, then key; without those that were cut.

    A key is the number of its family and the 42 bits that stand for it, refined where it was oversized. ``near`` are
    the hashes (rows,) that the blocker compares, empty where it does not. ``family`` is empty for all together.
    """

    name: str
    keys: Numbers
    rows: Rows
    near: Numbers
    counts: Counts
    family: str = ""

    def families(self) -> list[Keys]:
        """The keys of each family that has any, apart."""
        import numpy as np

        numbers = (self.keys >> np.uint64(_FAMILY)).astype(np.int64)
        return [
            msgspec.structs.replace(self, family=name, keys=self.keys[chosen], rows=self.rows[chosen])
            for number, name in enumerate(adapters.load_adapter("dedup.block", self.name).FAMILIES)
            if (chosen := numbers == number).any()
        ]


def keys_of(name: str, columns: FeatureColumns, config: Method, statistics: Statistics) -> Keys:
    """The keys that a blocker gives to all rows, refined by frozen statistics."""
    import numpy as np

    from bibld.dedup._keys.key_kernels import key_hashes

    blocker, settings = adapters.load_adapter("dedup.block", name), config.settings("dedup.block", name)
    keys, rows = blocker.keys(columns, settings, statistics)
    families, hashes = keys >> np.uint64(_FAMILY), key_hashes(keys)
    last = _sieve.signatures(columns)[:, _sieve.WIDTH - 1]
    held, kept, counts = np.arange(len(keys)), np.ones(len(keys), np.bool_), Counts(name)
    for level in range(LEVELS if largest_bucket(name, config) else 0):
        held = held[np.isin(hashes[held], oversized_at(statistics, name, level))]
        counts = counts.plus(level, np.array([len(np.unique(hashes[held])), 0]))
        if not len(held):
            break
        if level < LEVELS - 1:
            from bibld.dedup._keys.refining_kernels import refined

            fields = _sieve.fields(last[rows[held]], _sieve.REFINED_BY[level])
            hashes[held] = refined(hashes[held], fields)
        else:
            kept[held] = False
    counts = counts.plus_rows(len(np.unique(rows[~kept])))
    keys, rows = ((families << np.uint64(_FAMILY)) | hashes)[kept], rows[kept]
    order = np.lexsort((keys, rows))
    near = blocker.signatures(columns, settings) if hasattr(blocker, "signatures") else np.empty(0, np.uint64)
    return Keys(name, keys[order], rows[order], near, counts)


def keys_of_all(columns: FeatureColumns, config: Method, statistics: Statistics) -> list[Keys]:
    """The keys of each configured blocker."""
    return [keys_of(name, columns, config, statistics) for name in dict.fromkeys(config.dedup.block)]


def families_met(
    held: Iterable[Keys], columns: FeatureColumns, config: Method, left: Rows, right: Rows
) -> list[tuple[str, ...]]:
    """The names of the key families by which each pair of rows met, as ``composite: full title``."""
    import numpy as np

    from bibld.dedup._keys.kernels import families_in_common
    from bibld.dedup._pairs.probe_kernels import distances

    met: list[list[str]] = [[] for _ in range(len(left))]
    for blocker in held:
        adapter = adapters.load_adapter("dedup.block", blocker.name)
        offsets = np.searchsorted(blocker.rows, np.arange(len(columns) + 1))
        common = families_in_common(offsets, blocker.keys, left, right)
        if len(blocker.near):
            apart = distances(blocker.near, left.astype(np.int64), right.astype(np.int64))
            common[apart > adapter.distance(config.settings("dedup.block", blocker.name))] = 0
        for pair in np.flatnonzero(common):
            bits = int(common[pair])
            names = enumerate(adapter.FAMILIES)
            met[pair] += (f"{blocker.name}: {family}" for number, family in names if bits >> number & 1)
    return [tuple(families) for families in met]


def key_names(held: Keys, row: int) -> list[str]:
    """The names of the kinds of keys that a row has, as ``composite: full title``."""
    names = adapters.load_adapter("dedup.block", held.name).FAMILIES
    numbers = {int(key) >> _FAMILY for key in held.keys[held.rows == row].tolist()}
    return [f"{held.name}: {names[number]}" for number in sorted(numbers)]
