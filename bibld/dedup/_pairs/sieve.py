"""A cheap test of pairs that met: drops those that the shipped model would not score 0.5 and that are no one work.

It looks at a few numbers of each record (its signature) and depends on the two records alone. A pair passes

- where the records look like one work: equal main titles (of a volume: its set's) and first names that begin alike;
- where their years are near or one is missing, and their titles are near (as trigram SimHashes of main titles or of
  whole titles) or half of the words of the shorter one stand in the other;
- where their years are not near, only if the titles are all but equal and a name is shared or missing.

The bounds are measured (``benchmarks/joining.py`` tells what passes and what is lost).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.dedup.method import Method
from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._pairs.sieve_trees import Trees

    Signatures = npt.NDArray[np.uint64]

COLUMNS = ("main_title", "remainder", "set_title", "part", "names", "year", "last_year", "pages")
WIDTH = 5
REFINED_BY = ("year", "pages", "author 4")
"""The fields that oversized keys are refined by, in this order; a missing value is a value of its own here."""

_SHIFTS = {"year": 48, "last_year": 32, "pages": 16, "author 4": 0}
"""Where they stand in the last number of a signature, 16 bits each."""

_LEAST = 0.5
_ALL = 1 << 30
_MOST = 0xFFFF


def is_sieved(config: Method) -> bool:
    """Whether the scorer leaves nothing to find below the score for which the sieve is made."""
    review = getattr(config.settings("dedup.score", config.dedup.score), "review", None)
    return review is not None and review >= _LEAST


def trees_for(config: Method) -> Trees | None:
    """The trees that sift further, where the scorer is the model that they know; else None."""
    settings = config.settings("dedup.score", config.dedup.score)
    if not is_sieved(config) or config.dedup.score != "model" or settings.file:
        return None
    from bibld.dedup._pairs.sieve_trees import shipped

    return shipped()


def signatures(columns: FeatureColumns) -> Signatures:
    """What the sieve, and the refining of oversized keys, know of each row, shape (n, 5).

    SimHash of the main title, of the whole title; a bit for each longer word of title and set title; bits for the
    beginnings of the names (upper half) and a hash of the work (lower half); first year, last year, pages and a hash of
    the first four letters of the first name, 16 bits each.
    """
    import numpy as np

    from bibld.dedup._keys.hash_kernels import prefixes
    from bibld.dedup._keys.statistics import title
    from bibld.dedup._keys.text_kernels import trigram_simhash, values
    from bibld.dedup._pairs.sieve_kernels import word_bits

    names, of_set = columns.texts["names"], columns.texts["set_title"]
    found = np.empty((len(columns), WIDTH), dtype=np.uint64)
    found[:, 0], found[:, 1] = trigram_simhash(*title(columns))
    found[:, 2] = word_bits(*title(columns), of_set.offsets, of_set.codes)
    found[:, 3] = _works(columns) >> np.uint64(32)
    offsets, starts = values(names.offsets, names.codes, 4, _ALL, np.empty(0, np.uint32))
    has_name = np.diff(offsets) > 0
    bits = np.uint64(1) << (np.uint64(32) + (starts >> np.uint64(59)))
    if len(bits):
        found[has_name, 3] |= np.bitwise_or.reduceat(bits, offsets[:-1][has_name])
    found[:, 4] = prefixes(names.offsets, names.codes, 4) & np.uint64(_MOST)
    for name in ("year", "last_year", "pages"):
        number = np.clip(columns.numbers[name], 0, _MOST).astype(np.uint64)
        found[:, 4] |= number << np.uint64(_SHIFTS[name])
    return found


def fields(last: Signatures, name: str) -> Signatures:
    """One of the fields that refine oversized keys, out of the last numbers of signatures."""
    import numpy as np

    values: Signatures = (last >> np.uint64(_SHIFTS[name])) & np.uint64(_MOST)
    return values


def _works(columns: FeatureColumns) -> Signatures:
    """A hash of what makes rows look like one work, as ``works`` compares them; 0 without a title."""
    import numpy as np

    from bibld.dedup._keys.hash_kernels import mixed, prefixes

    own, of_set, names = (columns.texts[name] for name in ("main_title", "set_title", "names"))
    titles, sets = prefixes(own.offsets, own.codes, _ALL), prefixes(of_set.offsets, of_set.codes, _ALL)
    is_part = np.diff(columns.part.offsets) > 0
    works: Signatures = mixed(
        np.where(is_part & (sets != 0), sets, titles), prefixes(names.offsets, names.codes, 5) | np.uint64(1)
    )
    return works
