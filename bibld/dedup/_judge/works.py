"""Which records look like descriptions of one work: editions, formats, volumes of one set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_ALL = 1 << 30
_LETTERS = 5


class Works:
    """The main titles (of a volume: its set's) and the first family names of all rows, as hashes."""

    def __init__(self, columns: FeatureColumns) -> None:
        import numpy as np

        from bibld.dedup._keys.hash_kernels import prefixes

        own, of_set, names = (columns.texts[name] for name in ("main_title", "set_title", "names"))
        titles = prefixes(own.offsets, own.codes, _ALL)
        sets = prefixes(of_set.offsets, of_set.codes, _ALL)
        is_part = np.diff(columns.part.offsets) > 0
        self._titles = np.where(is_part & (sets != 0), sets, titles)
        self._names = prefixes(names.offsets, names.codes, _LETTERS)

    def agree(self, left: npt.NDArray[np.integer[Any]], right: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """Whether the rows of each pair have the same title and begin their names alike, shape (pairs,)."""
        titles, names = self._titles, self._names
        agree: npt.NDArray[np.bool_] = (
            (titles[left] != 0) & (titles[left] == titles[right]) & (names[left] == names[right])
        )
        return agree
