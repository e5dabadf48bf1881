"""Each identifier is a key: ISBN, ISSN, ISMN, LCCN, DOI, national bibliography number and the like.

The ISBN of a set is no key, since all volumes have it. An identifier of more than ``largest_bucket`` records (of a
series, or a copied mistake) is refined by the year, then the pages, then the author's first
letters.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.model.features import FeatureColumns, Statistics

FAMILIES = ("identifier",)
COLUMNS = ("identifiers",)
IS_CERTAIN = True

_SET = "setisbn:"
_MAX_IDENTIFIERS = 64


class Settings(msgspec.Struct, frozen=True):
    """``largest_bucket``: an identifier of more records than this is refined."""

    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 20


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return the keys of all rows with identifiers, and their rows."""
    from bibld.dedup.hashes import FULL_VALUE, values

    column = columns.texts["identifiers"]
    set_isbn = np.frombuffer(_SET.encode("utf-32-le"), dtype=np.uint32)
    offsets, hashes = values(column.offsets, column.codes, FULL_VALUE, _MAX_IDENTIFIERS, set_isbn)
    return hashes >> np.uint64(8), np.repeat(np.arange(len(columns), dtype=np.uint32), np.diff(offsets))
