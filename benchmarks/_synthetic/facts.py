"""The facts of a record: which book it describes, with numbers as the record has them."""

from typing import Any, NamedTuple

import numpy as np

from .draws import PUBLICATION, RECORD, among, below, chance, inner, key_of
from .errors import CAREFUL_FACTOR, CARELESS, CARELESS_FACTOR, NUMBER_OF
from .layout import publication_of
from .lexicon import CYRILLIC, LATIN
from .profile import DECADES, EDITION, EDITION_NUMBERS, HEIGHT, HEIGHTS
from .works import EDITIONS, GENERIC, REPORTS, REPRINTS, SERIAL, SINGLE, TRANSLATIONS, VOLUMES, placed

SHARE_OF_CYRILLIC = 0.65
RECORD_OF_SET = 0.45
"""The share of sets that have a record."""
ISBN_SHARES = ((2010, 0.85), (2000, 0.75), (1990, 0.62), (1980, 0.4), (1970, 0.15))
"""The share of books with an ISBN from a year on; measured of Russian ones 0.54 to 1.0 since 1990."""
ISBN_OF_SET = 0.08
"""The share of sets whose volumes all have one ISBN."""
_STATED_LATER, _THIS_YEAR, _LEAST_HEIGHT = 0.88, 2026, 15
_NO_PAGES = 0.06
YEAR_NEAR, YEAR_FAR, YEAR_MISSING = (NUMBER_OF[f"year {kind}"] for kind in ("near", "far", "left out"))
PAGES_NEAR, PAGES_FAR, PAGES_MISSING = (NUMBER_OF[f"pages {kind}"] for kind in ("near", "far", "left out"))
HEIGHT_NEAR, HEIGHT_MISSING = NUMBER_OF["height near"], NUMBER_OF["height left out"]


class Facts(NamedTuple):
    """Keys to draw by, the place of the book among its relatives, and its numbers; ``script`` is that of the record.

    ``part`` is the number of a volume, 0 for none, ``is_set`` means that the set is described, ``published`` is the
    true year, ``edition`` the stated number or 0."""

    work: np.uint64
    book: np.uint64
    record: np.uint64
    kind: int
    member: int
    size: int
    script: int
    source: int
    factor: float
    published: int
    part: int
    is_set: bool
    edition: int


@inner
def facts(world: Any, row: Any) -> Any:
    """The facts of a row."""
    known = world.layout
    publication = publication_of(known, row)
    work, kind, member, size = placed(known, world.groups, publication)
    book, record = key_of(known.seed, PUBLICATION, publication), key_of(known.seed, RECORD, row)
    script = CYRILLIC if chance(work, 10) < SHARE_OF_CYRILLIC else LATIN
    if kind == TRANSLATIONS and member % 2 == 1:
        script = 1 - script
    factor = CARELESS_FACTOR if chance(record, 0) < CARELESS else CAREFUL_FACTOR
    has_record = kind == VOLUMES and size > 2 and chance(work, 11) < RECORD_OF_SET
    is_set = has_record and member == 0
    part = member + (0 if has_record else 1) if kind == VOLUMES else 0
    edition = _edition(world, work, book, kind, member, script)
    source = 0 if row < known.in_a else 1
    published = _published(world, work, kind, member, size, script)
    return Facts(work, book, record, kind, member, size, script, source, factor, published, part, is_set, edition)


@inner
def slips(world: Any, known: Any, error: Any) -> Any:
    """Whether the record has this difference."""
    return chance(known.record, 1000 + error) < world.errors[error] * known.factor


@inner
def _edition(world: Any, work: Any, book: Any, kind: Any, member: Any, script: Any) -> Any:
    if kind == EDITIONS:
        return member + 1 if chance(book, 12) < (_STATED_LATER if member else 0.15) else 0
    if kind in (SINGLE, GENERIC) and chance(work, 13) < world.profile.rates[2 * EDITION + script]:
        return 1 + among(work, 14, world.profile.reaches[2 * EDITION_NUMBERS])
    return 0


@inner
def _published(world: Any, work: Any, kind: Any, member: Any, size: Any, script: Any) -> Any:
    decade = among(work, 15, world.profile.reaches[2 * DECADES + script])
    year = world.profile.first_decade + 10 * decade
    year += below(work, 16, min(10, _THIS_YEAR + 1 - year))
    if kind in (EDITIONS, REPRINTS, TRANSLATIONS):
        for later in range(member + 1, size):
            year -= 1 + below(work, 400 + later, 8)
    elif kind == REPORTS:
        year += member - size
    elif kind == VOLUMES:
        year += (member - size) // 2
    return min(year, _THIS_YEAR)


@inner
def write_numbers(world: Any, known: Any, numbers: Any) -> None:
    """Write year, last year, edition, pages, volumes and height as the record states them."""
    year, last = known.published, known.published
    if known.is_set:
        last = min(year + (known.size - 1) // 2, _THIS_YEAR)
    if slips(world, known, YEAR_NEAR):
        year += 1 if chance(known.record, 20) < 0.5 else -1
        last = max(year, last)
    elif slips(world, known, YEAR_FAR):
        year = min(
            year + (2 + below(known.record, 21, 18)) * (1 if chance(known.record, 19) < 0.5 else -1),
            _THIS_YEAR,
        )
        last = max(year, last)
    if slips(world, known, YEAR_MISSING):
        year, last = 0, 0
    numbers[0], numbers[1], numbers[2] = year, last, known.edition
    numbers[3], numbers[4] = _pages(world, known), known.size - 1 if known.is_set else 0
    numbers[5] = _height(world, known)


@inner
def _pages(world: Any, known: Any) -> Any:
    """The pages as stated; those of the editions and translations of a work are near each other."""
    if known.is_set or known.kind == SERIAL or slips(world, known, PAGES_MISSING):
        return 0
    is_own = known.kind in (VOLUMES, REPORTS)
    key = known.book if is_own else known.work
    if chance(key, 22) < _NO_PAGES:
        return 0
    percentile = chance(key, 23) * 99.0
    low = np.int64(percentile)
    least, most = world.profile.pages[low], world.profile.pages[low + 1]
    pages = least + below(key, 24, max(most - least, 1))
    if known.kind in (EDITIONS, TRANSLATIONS) and chance(known.book, 25) < 0.8:
        pages += np.int64(pages * (chance(known.book, 26) - 0.4) * 0.3)
    if slips(world, known, PAGES_NEAR):
        pages += 1 + below(known.record, 27, 5)
    elif slips(world, known, PAGES_FAR):
        pages += 6 + below(known.record, 28, 80)
    return max(pages, 1)


@inner
def _height(world: Any, known: Any) -> Any:
    if chance(known.work, 29) > world.profile.rates[2 * HEIGHT + known.script] or slips(world, known, HEIGHT_MISSING):
        return 0
    key = known.work if chance(known.book, 30) < 0.7 else known.book
    height = _LEAST_HEIGHT + among(key, 31, world.profile.reaches[2 * HEIGHTS])
    return height + (1 if slips(world, known, HEIGHT_NEAR) else 0)


@inner
def isbn(known: Any, wrong: Any, out: Any, at: Any) -> Any:
    """Write ``isbn:978…`` with its check digit where the book has one; ``wrong``: that of another book."""
    share = 0.0
    for first, share_from in ISBN_SHARES:
        if known.published >= first:
            share = share_from
            break
    if known.kind in (SERIAL, REPORTS) or chance(known.book, 40) >= share:
        return at
    begin = at
    for code in (105, 115, 98, 110, 58, 57, 55, 56):  # isbn:978
        out[at] = code
        at += 1
    out[at] = 53 if known.script == CYRILLIC else 48 + below(known.book, 41, 4)
    at += 1
    is_of_set = known.kind == VOLUMES and chance(known.work, 39) < ISBN_OF_SET
    key = known.record if wrong else known.work if is_of_set else known.book
    for place in range(8):
        out[at] = 48 + below(key, 42 + place, 10)
        at += 1
    total = 0
    for place in range(12):
        total += (np.int64(out[begin + 5 + place]) - 48) * (3 if place % 2 else 1)
    out[at] = 48 + (10 - total % 10) % 10
    return at + 1
