"""Keys put together from several fields, so that each is rare and a slip in one field leaves other keys whole.

Titles, names and set titles are compared romanised and without blanks; ``title 12`` are the first twelve characters of
main title and remainder, ``author 4`` the first four of any of the first three names. ``year`` is the first and the
last year of publication. A key is made only where none of its fields is missing. Which words of a title are rare is
told by the statistics of the catalogue. The part of a volume is sought under the title of its set, or where the record
names no set, under its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import msgspec

from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]
    Texts = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]

Family = Literal[
    "title 12 and author 4",
    "title 12 and year",
    "two rare title words",
    "surname and rare title word",
    "year, pages and title 4",
    "year, pages and author 4",
    "full title",
    "title 18",
    "title 12 and pages, no author",
    "set title, part and year",
    "set title, part and author 4",
]
FAMILIES: tuple[Family, ...] = get_args(Family)

_NAMES = 3
_ALL = 1 << 30
_GUARD = 4
"""Two words make a key where, were they independent, they would meet in at most so many titles."""


class Settings(msgspec.Struct, frozen=True):
    """``largest_bucket``: a key that more records have is refined by the year, then the pages, then the author's first
    letters; ``rare_words``: how many of the rarest words of a title make keys; ``families``: which keys are made, all
    where none is named.
    """

    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100
    rare_words: Annotated[int, msgspec.Meta(ge=2, le=8)] = 3
    families: tuple[Family, ...] = ()


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, Rows]:
    """The keys of all rows. The first byte of a key is the number of its family, the rest is a hash."""
    import numpy as np

    wanted = settings.families or FAMILIES
    found, rows = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
    for family, hashes, held in _families(columns, settings, statistics):
        if family in wanted:
            present = hashes != 0
            number = np.uint64(FAMILIES.index(family)) << np.uint64(56)
            found.append((hashes[present] >> np.uint64(8)) | number)
            rows.append(held[present])
    return np.concatenate(found), np.concatenate(rows)


def _families(
    columns: FeatureColumns, settings: Settings, statistics: Statistics
) -> Iterator[tuple[Family, Numbers, Rows]]:
    import numpy as np

    from bibld.dedup._statistics import title
    from bibld.dedup._text_kernels import mixed, prefixes, values

    texts = title(columns)
    rows = np.arange(len(columns), dtype=np.uint32)
    twice = np.concatenate((rows, rows))
    names = columns.texts["names"]
    title12, pages = prefixes(*texts, 12), _number(columns.numbers["pages"])
    first, last = _number(columns.numbers["year"]), _number(columns.numbers["last_year"])
    years = np.concatenate((first, np.where(last == first, np.uint64(0), last)))
    authors, author_rows = _spread(values(names.offsets, names.codes, 4, _NAMES))
    parts = _parts(columns, title12)
    nameless = np.diff(names.offsets) == 0
    yield "title 12 and author 4", mixed(title12[author_rows], authors), author_rows
    yield "title 12 and year", mixed(title12[twice], years), twice
    yield from _word_families(columns, texts, settings, statistics)
    yield "year, pages and title 4", mixed(mixed(first, pages), prefixes(*texts, 4)), rows
    yield "year, pages and author 4", mixed(mixed(first, pages)[author_rows], authors), author_rows
    yield "full title", prefixes(*texts, _ALL), rows
    yield "title 18", prefixes(*texts, 18), rows
    yield "title 12 and pages, no author", np.where(nameless, mixed(title12, pages), np.uint64(0)), rows
    yield "set title, part and year", mixed(parts[twice], years), twice
    yield "set title, part and author 4", mixed(parts[author_rows], authors), author_rows


def _word_families(
    columns: FeatureColumns, texts: Texts, settings: Settings, statistics: Statistics
) -> Iterator[tuple[Family, Numbers, Rows]]:
    """The keys of the rarest words of the titles: in pairs, and each with the family names."""
    import numpy as np

    from bibld.dedup._text_kernels import mixed, rarest, values, words

    offsets, hashes = words(*texts)
    frequencies = statistics.frequencies(hashes)
    positions = rarest(offsets, hashes, frequencies, settings.rare_words)
    for low, high in combinations(range(settings.rare_words), 2):
        rows = np.flatnonzero((positions[:, low] >= 0) & (positions[:, high] >= 0)).astype(np.uint32)
        one, other = positions[rows, low], positions[rows, high]
        together = frequencies[one].astype(np.int64) * frequencies[other]
        rows = rows[together <= _GUARD * max(statistics.records, 1)]
        one, other = hashes[positions[rows, low]], hashes[positions[rows, high]]
        yield "two rare title words", mixed(np.minimum(one, other), np.maximum(one, other)), rows
    names = columns.texts["names"]
    surnames, surname_rows = _spread(values(names.offsets, names.codes, -1, _NAMES))
    for slot in range(settings.rare_words):
        held = positions[surname_rows, slot]
        present = held >= 0
        yield "surname and rare title word", mixed(surnames[present], hashes[held[present]]), surname_rows[present]


def _parts(columns: FeatureColumns, title12: Numbers) -> Numbers:
    """Set title and part of volumes."""
    import numpy as np

    from bibld.dedup._text_kernels import mixed, prefixes

    of_set, part = columns.texts["set_title"], columns.part
    set12 = prefixes(of_set.offsets, of_set.codes, 12)
    return mixed(np.where(set12 != 0, set12, title12), prefixes(part.offsets, part.codes, _ALL))


def _number(column: npt.NDArray[np.int32]) -> Numbers:
    """A column of numbers as hashes; 0 stays 0, a missing value."""
    import numpy as np

    from bibld.dedup._text_kernels import mixed

    hashes: Numbers = mixed(column.astype(np.uint64), np.ones(len(column), dtype=np.uint64))
    return hashes


def _spread(values_of_rows: tuple[npt.NDArray[np.int64], Numbers]) -> tuple[Numbers, Rows]:
    """Values behind each other, and the row of each."""
    import numpy as np

    offsets, hashes = values_of_rows
    return hashes, np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
