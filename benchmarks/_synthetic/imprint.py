"""The rest of a record: publisher, place, edition statement, series, codes, identifiers."""

from typing import Any

from .draws import PUBLISHER, below, chance, inner, key_of, rank
from .draws import SERIES as SERIES_KIND
from .errors import NUMBER_OF
from .facts import isbn, slips
from .lexicon import LISTS
from .profile import PUBLISHERS, SERIES_NUMBER, WORDS
from .profile import SERIES as SERIES_SHARE
from .words import BLANK, cut, listed, put, put_code, put_listed, put_number, put_surname, put_word, put_words
from .works import EDITIONS, REPRINTS, SERIAL, TRANSLATIONS, VOLUMES

PUBLISHER_FIELD, PLACE, EDITION_TEXT, SERIES_TITLE, SERIES_NO = 7, 8, 9, 10, 11
LANGUAGE, CARRIER, LEVEL, IDENTIFIERS = 13, 14, 15, 16
"""The fields of a row that are written here."""
SAME_PUBLISHER = 0.7
"""The share of later editions, reprints and translations with the publisher of the work."""
_NO_PUBLISHER, _TOWN, _WITH_NOUN = 0.05, 0.12, 0.6
_SERIES_LAW, _TOWNS = (500.0, 0.5), (20.0, 0.8)
_BETWEEN = 124
_LETTERS_OF_ABBREVIATION = 4

NOUNS, PLACES, EDITION_WORDS = LISTS["publisher_nouns"], LISTS["places"], LISTS["edition_words"]
SERIES_NOUNS, LANGUAGES, CARRIERS = LISTS["series_nouns"], LISTS["languages"], LISTS["carriers"]
PUBLISHER_SHORT, PUBLISHER_OTHER, PUBLISHER_OUT = (
    NUMBER_OF[f"publisher {kind}"] for kind in ("abbreviated", "other", "left out")
)
PLACE_SHORT, PLACE_OTHER, PLACE_OUT = (NUMBER_OF[f"place {kind}"] for kind in ("abbreviated", "other", "left out"))
SECOND_PLACE = NUMBER_OF["second place"]
EDITION_OUT, EDITION_OTHERWISE = NUMBER_OF["edition left out"], NUMBER_OF["edition in other words"]
SERIES_OUT, SERIES_OTHERWISE = NUMBER_OF["series left out"], NUMBER_OF["series otherwise"]
ISBN_OUT, ISBN_OTHER = NUMBER_OF["isbn left out"], NUMBER_OF["isbn other"]
LANGUAGE_SLIP, CARRIER_SLIP = NUMBER_OF["language slip"], NUMBER_OF["carrier slip"]


@inner
def put_imprint(world: Any, known: Any, out: Any, at: Any, ends: Any) -> Any:
    """Write publisher, place, edition statement and series."""
    is_own = known.kind in (EDITIONS, REPRINTS, TRANSLATIONS) and chance(known.book, 700) >= SAME_PUBLISHER
    giver = known.record if slips(world, known, PUBLISHER_OTHER) else known.book if is_own else known.work
    house = rank(giver, 701, world.profile.laws[2 * PUBLISHERS + known.script])
    key = key_of(world.layout.seed, PUBLISHER + 50 * known.script, house)
    if chance(known.work, 702) >= _NO_PUBLISHER and not slips(world, known, PUBLISHER_OUT):
        at = _publisher(world, known, key, out, at)
    ends[PUBLISHER_FIELD] = at
    at = _place(world, known, key, out, at)
    ends[PLACE] = at
    if known.edition > 0 and not slips(world, known, EDITION_OUT):
        at = _edition(world, known, out, at)
    ends[EDITION_TEXT] = at
    number = 0
    if chance(known.work, 703) < world.profile.rates[2 * SERIES_SHARE + known.script] and not slips(
        world, known, SERIES_OUT
    ):
        series = key_of(world.layout.seed, SERIES_KIND + 50 * known.script, rank(known.work, 704, _SERIES_LAW))
        at = _series(world, known, series, out, at)
        if chance(series, 705) < world.profile.rates[2 * SERIES_NUMBER + known.script] * 2:
            number = 1 + below(known.book, 706, 400)
    ends[SERIES_TITLE] = at
    if number:
        at = put_number(out, at, number)
    ends[SERIES_NO] = at
    return at


@inner
def _publisher(world: Any, known: Any, key: Any, out: Any, at: Any) -> Any:
    law = world.profile.laws[2 * WORDS + known.script]
    at = put_word(out, at, world, known.script, rank(key, 0, law))
    if chance(key, 1) < 0.3:
        at = put_word(out, put_code(out, at, BLANK), world, known.script, rank(key, 2, law))
    if chance(key, 3) < _WITH_NOUN:
        begin = put_code(out, at, BLANK)
        is_short = slips(world, known, PUBLISHER_SHORT)
        if not is_short:
            return put_listed(out, begin, world.lexicon, NOUNS, known.script, key, 4)
        if chance(known.record, 707) < 0.5:
            return min(put_listed(out, begin, world.lexicon, NOUNS, known.script, key, 4), begin + 3)
    return at


@inner
def _place(world: Any, known: Any, key: Any, out: Any, at: Any) -> Any:
    if slips(world, known, PLACE_OUT):
        return at
    start = at
    giver = known.record if slips(world, known, PLACE_OTHER) else key
    city = listed(world.lexicon, PLACES, known.script, giver, 12)
    other = listed(world.lexicon, PLACES, known.script, known.work, 12)
    if chance(giver, 10) < _TOWN:
        city = -1
        at = put_surname(out, at, world, known.script, rank(giver, 11, _TOWNS))
    else:
        at = put(out, at, world.lexicon, city)
    if slips(world, known, PLACE_SHORT):
        at = min(at, start + _LETTERS_OF_ABBREVIATION)
        at -= 1 if out[at - 1] == BLANK else 0
    if other != city and slips(world, known, SECOND_PLACE):
        at = put(out, put_code(out, at, _BETWEEN), world.lexicon, other)
    return at


@inner
def _edition(world: Any, known: Any, out: Any, at: Any) -> Any:
    giver = known.record if slips(world, known, EDITION_OTHERWISE) else known.book
    at = put_number(out, at, known.edition)
    last = known.edition % 10
    if known.script == 0:
        at = put_code(out, put_code(out, at, BLANK), 1077)  # 2 е
    elif last == 1 and known.edition != 11:
        at = put_code(out, put_code(out, at, 115), 116)
    elif last == 2 and known.edition != 12:
        at = put_code(out, put_code(out, at, 110), 100)
    elif last == 3 and known.edition != 13:
        at = put_code(out, put_code(out, at, 114), 100)
    else:
        at = put_code(out, put_code(out, at, 116), 104)
    return put_listed(out, put_code(out, at, BLANK), world.lexicon, EDITION_WORDS, known.script, giver, 709)


@inner
def _series(world: Any, known: Any, key: Any, out: Any, at: Any) -> Any:
    start = at
    at = put_listed(out, at, world.lexicon, SERIES_NOUNS, known.script, key, 20)
    at = put_words(out, put_code(out, at, BLANK), world, known.script, key, key, 1 + below(key, 21, 3))
    if slips(world, known, SERIES_OTHERWISE):
        at = cut(out, start, at, 2)
    return at


@inner
def put_codes(world: Any, known: Any, out: Any, at: Any, ends: Any) -> Any:
    """Write language, carrier, level and identifiers."""
    is_own = known.kind == TRANSLATIONS and known.member > 0
    giver = known.record if slips(world, known, LANGUAGE_SLIP) else known.book if is_own else known.work
    at = put_listed(out, at, world.lexicon, LANGUAGES, known.script, giver, 710)
    ends[LANGUAGE] = at
    giver = known.record if slips(world, known, CARRIER_SLIP) else known.book
    at = put_listed(out, at, world.lexicon, CARRIERS, known.script, giver, 711)
    ends[CARRIER] = at
    level = 109  # m
    if known.kind == VOLUMES:
        level = 99 if known.is_set else 118  # c, v
    elif known.kind == SERIAL:
        level = 115  # s
    at = put_code(out, at, level)
    ends[LEVEL] = at
    if known.kind == SERIAL:
        at = _issn(known, out, at)
    elif not known.is_set and not slips(world, known, ISBN_OUT):
        at = isbn(known, slips(world, known, ISBN_OTHER), out, at)
    ends[IDENTIFIERS] = at
    return at


@inner
def _issn(known: Any, out: Any, at: Any) -> Any:
    """``issn:`` and eight digits, the last of which is the check digit (ISO 3297)."""
    if known.published < 1970 or chance(known.record, 712) < 0.15:
        return at
    for code in (105, 115, 115, 110, 58):
        at = put_code(out, at, code)
    total = 0
    for place in range(7):
        digit = below(known.book, 720 + place, 10)
        total += digit * (8 - place)
        at = put_code(out, at, 48 + digit)
    check = (11 - total % 11) % 11
    return put_code(out, at, 120 if check == 10 else 48 + check)
