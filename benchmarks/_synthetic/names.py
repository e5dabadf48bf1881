"""The names of a record, in their own script: persons, corporate bodies, statements of responsibility."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.text.romanisation import romanise as key_of_text

from .draws import AUTHOR, among, chance, inner, key_of, rank
from .errors import INITIALS, NUMBER_OF
from .facts import slips
from .lexicon import LISTS
from .profile import AUTHORS, NAMES, RESPONSIBILITY, SECOND_NAME, SURNAMES
from .titles import put_institution
from .words import BLANK, misprint, put_code, put_listed, put_surname, romanise
from .works import REPORTS, SERIAL, TRANSLATIONS

PERSONS, CORPORATE, STATEMENT = 5, 6, 12
"""The fields of a row that are written here."""
WITHOUT_AUTHOR = 0.053
"""The share of works without a personal name, beside serials and reports; together with slips 12 % of records."""
_OTHER_IS_PERSON, _BODY_INSTEAD = 0.75, 0.6
_SECOND_IS_INITIAL, _PATRONYMIC, _EDITOR = 0.4, 0.75, 0.25
_OFTENER = 1.25
"""Statements are made as much more often as slips leave them out."""
_RAW, _SPARE = 1_024, 3_072
"""So far behind the text stand a name before it is romanised, and the room for that."""
_BETWEEN = 124

GIVEN, SECOND, EDITORS = LISTS["given"], LISTS["second"], LISTS["editors"]
LEFT_OUT, OTHERS_LEFT_OUT, ADDED = (NUMBER_OF[x] for x in ("author left out", "other names left out", "name added"))
OTHER_ORDER, MISPRINT = NUMBER_OF["names in other order"], NUMBER_OF["name misprint"]
NO_SECOND, NO_STATEMENT = NUMBER_OF["second name left out"], NUMBER_OF["responsibility left out"]
(_A_CYRILLIC, _A_LATIN), (_B_CYRILLIC, _B_LATIN) = INITIALS


class Romanisation(NamedTuple):
    """What each character becomes: ``table[c, :lengths[c]]``."""

    table: npt.NDArray[np.uint32]
    lengths: npt.NDArray[np.int64]


def romanisation() -> Romanisation:
    """The letters of ``bibld.text.romanisation``, taken one by one, so that no rule about neighbours has a say."""
    size = 0x460
    table, lengths = np.zeros((size, 4), np.uint32), np.ones(size, np.int64)
    table[:, 0] = np.arange(size)
    for code in (*range(97, 123), *range(0x430, 0x460)):
        made = {"c": "c", "х": "kh", "ц": "ts", "ю": "iu", "я": "ia", "є": "ie"}.get(chr(code), key_of_text(chr(code)))
        table[code, : len(made)] = [ord(letter) for letter in made]
        lengths[code] = len(made)
    return Romanisation(table, lengths)


@inner
def count_of_names(world: Any, held: Any) -> Any:
    """How many names the record has, and whether the first is an author."""
    count = 1 + among(held.work, 601, world.profile.reaches[2 * NAMES + held.script])
    if slips(world, held, OTHERS_LEFT_OUT):
        count = 1
    return count, is_by_person(held) and not slips(world, held, LEFT_OUT)


@inner
def is_by_person(held: Any) -> Any:
    """Whether the work has an author who is a person."""
    return held.kind not in (REPORTS, SERIAL) and chance(held.work, 600) >= WITHOUT_AUTHOR


@inner
def put_names(world: Any, held: Any, out: Any, at: Any, ends: Any) -> Any:
    """Write persons and corporate bodies."""
    count, has_author = count_of_names(world, held)
    start = at
    is_short = _is_short(held)
    if has_author:
        turned = count > 1 and slips(world, held, OTHER_ORDER)
        for place in range(count):
            name = 1 - place if turned and place < 2 else place
            if name == 0 or chance(held.work, 610 + name) < _OTHER_IS_PERSON:
                at = put_code(out, at, _BETWEEN) if at > start else at
                at = _put_person(world, held, name, is_short, False, out, at)
            if place == 0 and slips(world, held, MISPRINT):
                at = misprint(out, start, at, world.lexicon, held.script, held.record)
        if slips(world, held, ADDED):
            at = _put_person(world, held, 20, is_short, False, out, put_code(out, at, _BETWEEN))
    ends[PERSONS] = at
    needs_body = held.kind == REPORTS or (not is_by_person(held) and chance(held.work, 602) < _BODY_INSTEAD)
    if needs_body or (count > 1 and chance(held.work, 611) >= _OTHER_IS_PERSON):
        at = put_institution(world, held, held.work, out, at)
    ends[CORPORATE] = at
    return at


@inner
def put_statement(world: Any, held: Any, out: Any, at: Any) -> Any:
    """The statement of responsibility: up to two authors with their initials, and perhaps an editor."""
    rate = world.profile.rates[2 * RESPONSIBILITY + held.script]
    if chance(held.work, 603) >= min(rate * _OFTENER, 1.0) or slips(world, held, NO_STATEMENT):
        return at
    count, has_author = count_of_names(world, held)
    start = at
    if has_author:
        is_short = held.script == 0 or _is_short(held)
        at = _put_person(world, held, 0, is_short, True, out, at)
        if count > 1 and chance(held.work, 611) < _OTHER_IS_PERSON:
            at = _put_person(world, held, 1, is_short, True, out, put_code(out, at, BLANK))
    if chance(held.work, 604) < _EDITOR and not slips(world, held, OTHERS_LEFT_OUT):
        at = put_code(out, at, BLANK) if at > start else at
        at = put_listed(out, at, world.lexicon, EDITORS, held.script, held.work, 605)
        at = _put_person(world, held, 21, True, True, out, put_code(out, at, BLANK))
    return at


@inner
def _is_short(held: Any) -> Any:
    if held.source == 0:
        share = _A_CYRILLIC if held.script == 0 else _A_LATIN
    else:
        share = _B_CYRILLIC if held.script == 0 else _B_LATIN
    return chance(held.record, 606) < share


@inner
def _put_person(world: Any, held: Any, name: Any, is_short: Any, is_turned: Any, out: Any, at: Any) -> Any:
    """A name of the work, family name first, or ``is_turned`` last; romanised in a translation into another script."""
    home = 1 - held.script if held.kind == TRANSLATIONS and held.member % 2 == 1 else held.script
    number = rank(held.work, 630 + name, world.profile.laws[2 * AUTHORS + home])
    key = key_of(world.layout.seed, AUTHOR + 50 * home, number)
    raw = at + _RAW
    end = raw
    if not is_turned:
        end = put_code(out, _put_family(world, home, key, out, end), BLANK)
    end = _put_given(world, held, home, key, is_short, out, end)
    if is_turned:
        end = _put_family(world, home, key, out, put_code(out, end, BLANK))
    if home != held.script:
        letters = world.romanisation
        return romanise(out, raw, end, letters.table, letters.lengths, out[at + _SPARE :], out, at)
    for place in range(raw, end):
        at = put_code(out, at, out[place])
    return at


@inner
def _put_family(world: Any, home: Any, key: Any, out: Any, at: Any) -> Any:
    return put_surname(out, at, world, home, rank(key, 0, world.profile.laws[2 * SURNAMES + home]))


@inner
def _put_given(world: Any, held: Any, home: Any, key: Any, is_short: Any, out: Any, at: Any) -> Any:
    """The given names, whole or their first letters."""
    start = at
    at = put_listed(out, at, world.lexicon, GIVEN, home, key, 1)
    at = start + 1 if is_short else at
    # a Russian has a patronymic, whether or not the title page says so
    has_second = chance(key, 2) < (_PATRONYMIC if home == 0 else world.profile.rates[2 * SECOND_NAME + home])
    if has_second and not slips(world, held, NO_SECOND):
        begin = put_code(out, at, BLANK)
        at = put_listed(out, begin, world.lexicon, SECOND, home, key, 3)
        if is_short or (home == 1 and chance(key, 4) < _SECOND_IS_INITIAL):
            at = begin + 1
    return at
