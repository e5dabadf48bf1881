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
"""Distances behind the text at which a name is put before it is romanised, and the room for that."""
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
    """The letters of ``bibld.text.romanisation``, taken one by one, so that no rule about neighbours applies."""
    size = 0x460
    table, lengths = np.zeros((size, 4), np.uint32), np.ones(size, np.int64)
    table[:, 0] = np.arange(size)
    for code in (*range(97, 123), *range(0x430, 0x460)):
        made = {"c": "c", "х": "kh", "ц": "ts", "ю": "iu", "я": "ia", "є": "ie"}.get(chr(code), key_of_text(chr(code)))
        table[code, : len(made)] = [ord(letter) for letter in made]
        lengths[code] = len(made)
    return Romanisation(table, lengths)


@inner
def count_of_names(world: Any, known: Any) -> Any:
    """How many names the record has, and whether the first is an author."""
    count = 1 + among(known.work, 601, world.profile.reaches[2 * NAMES + known.script])
    if slips(world, known, OTHERS_LEFT_OUT):
        count = 1
    return count, is_by_person(known) and not slips(world, known, LEFT_OUT)


@inner
def is_by_person(known: Any) -> Any:
    """Whether the work has an author who is a person."""
    return known.kind not in (REPORTS, SERIAL) and chance(known.work, 600) >= WITHOUT_AUTHOR


@inner
def put_names(world: Any, known: Any, out: Any, at: Any, ends: Any) -> Any:
    """Write persons and corporate bodies."""
    count, has_author = count_of_names(world, known)
    start = at
    is_short = _is_short(known)
    if has_author:
        turned = count > 1 and slips(world, known, OTHER_ORDER)
        for place in range(count):
            name = 1 - place if turned and place < 2 else place
            if name == 0 or chance(known.work, 610 + name) < _OTHER_IS_PERSON:
                at = put_code(out, at, _BETWEEN) if at > start else at
                at = _put_person(world, known, name, is_short, False, out, at)
            if place == 0 and slips(world, known, MISPRINT):
                at = misprint(out, start, at, world.lexicon, known.script, known.record)
        if slips(world, known, ADDED):
            at = _put_person(world, known, 20, is_short, False, out, put_code(out, at, _BETWEEN))
    ends[PERSONS] = at
    needs_body = known.kind == REPORTS or (not is_by_person(known) and chance(known.work, 602) < _BODY_INSTEAD)
    if needs_body or (count > 1 and chance(known.work, 611) >= _OTHER_IS_PERSON):
        at = put_institution(world, known, known.work, out, at)
    ends[CORPORATE] = at
    return at


@inner
def put_statement(world: Any, known: Any, out: Any, at: Any) -> Any:
    """The statement of responsibility: up to two authors with their initials, and perhaps an editor."""
    rate = world.profile.rates[2 * RESPONSIBILITY + known.script]
    if chance(known.work, 603) >= min(rate * _OFTENER, 1.0) or slips(world, known, NO_STATEMENT):
        return at
    count, has_author = count_of_names(world, known)
    start = at
    if has_author:
        is_short = known.script == 0 or _is_short(known)
        at = _put_person(world, known, 0, is_short, True, out, at)
        if count > 1 and chance(known.work, 611) < _OTHER_IS_PERSON:
            at = _put_person(world, known, 1, is_short, True, out, put_code(out, at, BLANK))
    if chance(known.work, 604) < _EDITOR and not slips(world, known, OTHERS_LEFT_OUT):
        at = put_code(out, at, BLANK) if at > start else at
        at = put_listed(out, at, world.lexicon, EDITORS, known.script, known.work, 605)
        at = _put_person(world, known, 21, True, True, out, put_code(out, at, BLANK))
    return at


@inner
def _is_short(known: Any) -> Any:
    if known.source == 0:
        share = _A_CYRILLIC if known.script == 0 else _A_LATIN
    else:
        share = _B_CYRILLIC if known.script == 0 else _B_LATIN
    return chance(known.record, 606) < share


@inner
def _put_person(world: Any, known: Any, name: Any, is_short: Any, is_turned: Any, out: Any, at: Any) -> Any:
    """A name of the work, family name first, or ``is_turned`` last; romanised in a translation into another script."""
    home = 1 - known.script if known.kind == TRANSLATIONS and known.member % 2 == 1 else known.script
    number = rank(known.work, 630 + name, world.profile.laws[2 * AUTHORS + home])
    key = key_of(world.layout.seed, AUTHOR + 50 * home, number)
    raw = at + _RAW
    end = raw
    if not is_turned:
        end = put_code(out, _put_family(world, home, key, out, end), BLANK)
    end = _put_given(world, known, home, key, is_short, out, end)
    if is_turned:
        end = _put_family(world, home, key, out, put_code(out, end, BLANK))
    if home != known.script:
        letters = world.romanisation
        return romanise(out, raw, end, letters.table, letters.lengths, out[at + _SPARE :], out, at)
    for place in range(raw, end):
        at = put_code(out, at, out[place])
    return at


@inner
def _put_family(world: Any, home: Any, key: Any, out: Any, at: Any) -> Any:
    return put_surname(out, at, world, home, rank(key, 0, world.profile.laws[2 * SURNAMES + home]))


@inner
def _put_given(world: Any, known: Any, home: Any, key: Any, is_short: Any, out: Any, at: Any) -> Any:
    """The given names, whole or their first letters."""
    start = at
    at = put_listed(out, at, world.lexicon, GIVEN, home, key, 1)
    at = start + 1 if is_short else at
    # a Russian has a patronymic, whether or not the title page states it
    has_second = chance(key, 2) < (_PATRONYMIC if home == 0 else world.profile.rates[2 * SECOND_NAME + home])
    if has_second and not slips(world, known, NO_SECOND):
        begin = put_code(out, at, BLANK)
        at = put_listed(out, begin, world.lexicon, SECOND, home, key, 3)
        if is_short or (home == 1 and chance(key, 4) < _SECOND_IS_INITIAL):
            at = begin + 1
    return at
