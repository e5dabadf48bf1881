"""Keys put together from several fields, so that each is rare and a misprint in one field spoils only some.

Titles, names and set titles are compared romanised and without blanks; ``title 12`` are the first twelve characters of
main title and remainder, also of the main title alone and of two variant titles; ``title 4`` also the first four of the
set title, ``author 4`` the first four of any of the first three names, ``word beginnings`` the first three of the first
three words of a title. ``year`` is the first and the last year of publication. A key is made only if none of its fields
is missing. The statistics of the catalogue decide which words of a title are rare. The part number of a volume is
combined with the title of its set or, if the record names no set, with the title of the volume; without a part number,
that of the series with its title.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

import msgspec

from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

Family = Literal[
    "title 12 and author 4",
    "title 12 and year",
    "two rare title words",
    "surname and rare title word",
    "year, pages and title 4",
    "year, pages and author 4",
    "title 18",
    "title 12 and pages, no author",
    "set title, part and year",
    "set title, part and author 4",
    "word beginnings and year",
]
FAMILIES: tuple[Family, ...] = get_args(Family)

COLUMNS = (
    *("main_title", "remainder", "set_title", "part", "names", "year", "last_year", "pages"),
    *("variant_titles", "series", "series_number"),
)

_MAX_COMMON = 4
"""Two words make a key if, were they independent, at most this many titles would have both."""


class Settings(msgspec.Struct, frozen=True):
    """``largest_bucket``: a key of more records is refined by the year, then the pages, then the author's first
    letters; ``rare_words``: how many of the rarest words of a title make keys; ``families``: the keys that are made,
    all if empty.
    """

    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100
    rare_words: Annotated[int, msgspec.Meta(ge=2, le=8)] = 3
    families: tuple[Family, ...] = ()


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, Rows]:
    """Return the keys of all rows. The first byte of a key is the number of its family, the rest is a hash."""
    import numpy as np

    from bibld.dedup import hashes
    from bibld.dedup.block._kernels import MAX_NAMES, MAX_TITLES, composite_keys, most_keys, rarest, word_beginnings

    names, title = columns.texts["names"], hashes.title(columns)
    main, of_set = columns.texts["main_title"], columns.texts["set_title"]
    titles = np.vstack((
        hashes.title_prefixes(*title),
        word_beginnings(*title),
        hashes.prefixes(main.offsets, main.codes, 12),
        hashes.prefixes(of_set.offsets, of_set.codes, 4),
    ))  # fmt: skip
    nothing = np.empty(0, np.uint32)
    variants = columns.texts["variant_titles"]
    further = hashes.values(variants.offsets, variants.codes, 12, MAX_TITLES - 1, nothing)
    offsets, authors = hashes.values(names.offsets, names.codes, 4, MAX_NAMES, nothing)
    _, surnames = hashes.values(names.offsets, names.codes, hashes.FIRST_WORD, MAX_NAMES, nothing)
    starts, words = hashes.words(*title)
    frequencies = statistics.frequencies(words)
    rare = rarest(starts, words, frequencies, settings.rare_words)
    years, last_years, pages = (columns.numbers[name] for name in ("year", "last_year", "pages"))
    room = most_keys(settings.rare_words) * len(columns)
    found, rows = np.empty(room, np.uint64), np.empty(room, np.uint32)
    most = _MAX_COMMON * max(statistics.records, 1)
    wanted = np.uint64(sum(1 << FAMILIES.index(family) for family in settings.families or FAMILIES))
    filled = composite_keys(
        wanted, titles, *further, _parts(columns, titles[1]), years, last_years, pages, offsets, authors, surnames,
        words, frequencies, rare, most, found, rows,
    )  # fmt: skip
    return found[:filled], rows[:filled]


def _parts(columns: FeatureColumns, title12: Numbers) -> Numbers:
    """Return the hash of set title (or else title) and part number of volumes, of series and number of other records,
    0 for those without."""
    import numpy as np

    from bibld.dedup import hashes

    part, of_set, series, series_number = (
        columns.texts[name] for name in ("part", "set_title", "series", "series_number")
    )
    numbers = hashes.prefixes(part.offsets, part.codes, hashes.ALL_LETTERS)
    set12 = hashes.prefixes(of_set.offsets, of_set.codes, 12)
    in_set = hashes.mixed(np.where(set12 != 0, set12, title12), numbers)
    in_series = hashes.mixed(
        hashes.prefixes(series.offsets, series.codes, 12),
        hashes.prefixes(series_number.offsets, series_number.codes, hashes.ALL_LETTERS),
    )
    return np.where(in_set != 0, in_set, in_series)
