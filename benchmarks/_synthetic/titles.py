"""The titles of a record, in their own script: main title, remainder, part, part name, title of the set."""

from typing import Any

from .draws import TOPIC, among, below, chance, draw, inner, key_of, rank
from .errors import NUMBER_OF
from .facts import slips
from .lexicon import CYRILLIC, LATIN, LISTS
from .profile import MAIN_WORDS, REMAINDER, REMAINDER_WORDS
from .words import (
    BLANK,
    cut,
    divided_otherwise,
    misprint,
    put_code,
    put_listed,
    put_number,
    put_words,
    without_word,
)
from .works import GENERIC, REPORTS, SERIAL, TRANSLATIONS, VOLUMES

MAIN, REMAINDER_FIELD, PART, PART_NAME, SET_TITLE = range(5)
"""The first fields of a row."""

GENERIC_SET, OWN_TITLES, NAMED_PARTS = 0.2, 0.4, 0.3
"""The shares of sets with a title that many have, of sets whose volumes have titles, and of other volumes
that have a name beside the number."""
GENRE = (0.35, 0.12)
"""The share of remainders that only state the kind of book: a novel, poems; Cyrillic and Latin."""
YEAR_IN_TITLE = 0.7
"""The share of institutions whose reports have their year in the title."""
INSTITUTION_IN_TITLE = 0.75
"""The share of institutions that their reports name in the title."""
_OFTENER = 1.25
"""Books that can have a remainder have it as much more often as others cannot, and slips leave it out."""
_TOPICS = (300.0, 0.6)
_SERIAL_WORDS = 3

GENERIC_LIST, REPORT_LIST, GENRES = LISTS["generic"], LISTS["reports"], LISTS["genres"]
INSTITUTIONS, PART_UNITS = LISTS["institutions"], LISTS["part_units"]
MISPRINT, WORD_LEFT_OUT = NUMBER_OF["title misprint"], NUMBER_OF["title word left out"]
DIVIDED, JOINED = NUMBER_OF["title divided otherwise"], NUMBER_OF["remainder in main title"]
LEFT_OUT, CUT, ADDED, JOINED = (
    NUMBER_OF[f"remainder {kind}"] for kind in ("left out", "cut", "added", "in main title")
)
PART_IN_TITLE, ARRANGED_OTHERWISE = NUMBER_OF["part in title"], NUMBER_OF["volume arranged otherwise"]


@inner
def put_titles(world: Any, known: Any, out: Any, at: Any, ends: Any) -> Any:
    """Write all titles and the ends of their fields."""
    is_own = known.part > 0 and (chance(known.work, 500) < OWN_TITLES) != slips(world, known, ARRANGED_OTHERWISE)
    start = at
    at = _main(world, known, is_own, out, at)
    at = _slipped(world, known, out, start, at)
    if known.part > 0 and slips(world, known, PART_IN_TITLE):
        at = put_listed(out, put_code(out, at, BLANK), world.lexicon, PART_UNITS, known.script, known.record, 502)
        at = put_number(out, put_code(out, at, BLANK), known.part)
    ends[MAIN] = at
    at = _remainder(world, known, is_own, out, at)
    if at > ends[MAIN] and slips(world, known, JOINED):
        for place in range(at, ends[MAIN], -1):
            out[place] = out[place - 1]
        out[ends[MAIN]] = BLANK
        at += 1
        ends[MAIN] = at
    ends[REMAINDER_FIELD] = at
    if known.part > 0:
        at = put_number(out, at, known.part)
    ends[PART] = at
    if known.part > 0 and not is_own and chance(known.work, 503) < NAMED_PARTS:
        at = _own(world, known, known.book, out, at, MAIN_WORDS)
    ends[PART_NAME] = at
    if is_own:
        at = _of_set(world, known, out, at)
    ends[SET_TITLE] = at
    return at


@inner
def put_institution(world: Any, known: Any, key: Any, out: Any, at: Any) -> Any:
    """The name of an institution."""
    at = put_listed(out, at, world.lexicon, INSTITUTIONS, known.script, key, 510)
    return put_words(out, put_code(out, at, BLANK), world, known.script, key, key, 1 + below(key, 511, 4))


@inner
def _main(world: Any, known: Any, is_own: Any, out: Any, at: Any) -> Any:
    if known.kind == VOLUMES:
        return _own(world, known, known.book, out, at, MAIN_WORDS) if is_own else _of_set(world, known, out, at)
    if known.kind == REPORTS:
        return _report(world, known, out, at)
    if known.kind == GENERIC:
        return put_listed(out, at, world.lexicon, GENERIC_LIST, known.script, known.work, 520)
    if known.kind == SERIAL:
        count = 1 + below(known.work, 521, _SERIAL_WORDS)
        return put_words(out, at, world, known.script, known.work, _topic(world, known), count)
    key = known.book if known.kind == TRANSLATIONS and known.member > 0 else known.work
    return _own(world, known, key, out, at, MAIN_WORDS)


@inner
def _own(world: Any, known: Any, key: Any, out: Any, at: Any, table: Any) -> Any:
    """As many words as a title or a remainder has."""
    count = 1 + among(key, 530 + table, world.profile.reaches[2 * table + known.script])
    return put_words(out, at, world, known.script, draw(key, 540 + table), _topic(world, known), count)


@inner
def _topic(world: Any, known: Any) -> Any:
    return key_of(world.layout.seed, TOPIC, rank(known.work, 550, _TOPICS))


@inner
def _of_set(world: Any, known: Any, out: Any, at: Any) -> Any:
    if chance(known.work, 551) < GENERIC_SET:
        return put_listed(out, at, world.lexicon, GENERIC_LIST, known.script, known.work, 520)
    return _own(world, known, known.work, out, at, MAIN_WORDS)


@inner
def _report(world: Any, known: Any, out: Any, at: Any) -> Any:
    at = put_listed(out, at, world.lexicon, REPORT_LIST, known.script, known.work, 552)
    if chance(known.work, 553) < INSTITUTION_IN_TITLE:
        if known.script == LATIN:
            for code in (BLANK, 111, 102):  # of
                at = put_code(out, at, code)
        at = put_institution(world, known, known.work, out, put_code(out, at, BLANK))
    if chance(known.work, 554) < YEAR_IN_TITLE:
        at = put_number(out, put_code(out, at, BLANK), known.published - 1)
        if known.script == CYRILLIC:
            for code in (BLANK, 1075, 1086, 1076):  # год
                at = put_code(out, at, code)
    return at


@inner
def _remainder(world: Any, known: Any, is_own: Any, out: Any, at: Any) -> Any:
    start = at
    rate = world.profile.rates[2 * REMAINDER + known.script] * _OFTENER
    if known.kind == GENERIC:
        rate *= 0.5
    is_there = known.kind not in (REPORTS, SERIAL) and not is_own and chance(known.work, 560) < rate
    if is_there and not slips(world, known, LEFT_OUT):
        if chance(known.work, 561) < GENRE[known.script]:
            return put_listed(out, at, world.lexicon, GENRES, known.script, known.work, 562)
        key = known.book if known.kind == TRANSLATIONS and known.member > 0 else known.work
        at = _own(world, known, key, out, at, REMAINDER_WORDS)
        if slips(world, known, CUT):
            at = cut(out, start, at, 1 + below(known.record, 563, 4))
        return at
    if not is_there and known.kind != SERIAL and slips(world, known, ADDED):
        at = put_listed(out, at, world.lexicon, GENRES, known.script, known.record, 564)
    return at


@inner
def _slipped(world: Any, known: Any, out: Any, start: Any, at: Any) -> Any:
    """The title as a hurried typist has it."""
    key = draw(known.record, 570)
    if slips(world, known, MISPRINT):
        at = misprint(out, start, at, world.lexicon, known.script, key)
    if slips(world, known, WORD_LEFT_OUT):
        at = without_word(out, start, at, key)
    if slips(world, known, DIVIDED):
        at = divided_otherwise(out, start, at, key)
    return at
