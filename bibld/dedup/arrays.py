"""Names for the arrays of matching; they have one dimension, unless a docstring states another shape."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
"""Hashes, keys, signatures, and pairs of rows as one number each."""

Offsets = npt.NDArray[np.int64]
"""Where the values of each row begin, and where those of the last one end."""

Places = npt.NDArray[np.int64]
"""Positions in other arrays."""

Codes = npt.NDArray[np.uint32]
"""The code points of texts."""

RowNumbers = npt.NDArray[np.uint32]
"""Rows, of which an index has less than 2**26."""

Counts = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
