"""How the names of one publication are compared: when two are of one person.

Two names of different records are one if one can be a shorter form of the other, if they can be spellings of one name,
or if each is that of the only creator of its record, which leaves less room for doubt.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from bibld.model.mods import Mods, Name
from bibld.model.origin import RecordId
from bibld.text.dates import years
from bibld.text.folding import fold, fold_or_tidy
from bibld.text.keys import spelling_key
from bibld.text.names import are_spellings_of_one_name, are_variants_of_one_name, is_initial_form_of, person_key
from bibld.text.part_units import words_of

_NAMES_REMEMBERED = 256
"""Enough for the names of one cluster, each of which is compared several times."""

_GENERATIONS = words_of("jr sr junior senior мл ст младший старший отец сын fils père i ii iii iv")
Forms = Sequence[tuple[RecordId, Name]]
"""The forms of a name, each with the record that has it."""

_CREATES = words_of("aut cre cmp dis")
_YEARS_OF_LIFE = 2
_LETTERS_OF_FAMILY_NAME = 5
_IN_PARENTHESES = re.compile(r"\(([^)]*)\)?")


@lru_cache(maxsize=_NAMES_REMEMBERED)
def name_key(value: Name) -> tuple[Hashable, ...]:
    """Return type and heading; of a person also dates, additions in parentheses and terms of address. No roles."""
    if not value.name_part:
        return (value.type, tuple(map(fold_or_tidy, value.display_form)) or value)
    if value.type != "personal":
        return (value.type, tuple(fold_or_tidy(part.value) for part in value.name_part))
    heading = heading_of(value)
    additions = " ".join(map(fold_or_tidy, _IN_PARENTHESES.findall(heading)))
    terms = " ".join(fold_or_tidy(part.value) for part in value.name_part if part.type == "termsOfAddress")
    return (value.type, person_key(heading) or fold_or_tidy(heading), dates_of(value), additions, terms)


def heading_of(value: Name) -> str:
    """Return the heading of a person without dates and terms of address, the family name first."""
    given = [part.value for part in value.name_part if part.type == "given"]
    parts = [part.value for part in value.name_part if part.type in (None, "family")]
    return ", ".join((*parts, " ".join(given)) if given else parts)


def dates_of(value: Name) -> tuple[Hashable, ...]:
    """Return the years of a life, if the name or its dates contain any, else the words of the dates."""
    dates = " ".join(part.value for part in value.name_part if part.type == "date")
    return years(dates) or ((fold_or_tidy(dates),) if fold_or_tidy(dates) else years(heading_of(value)))


def is_shorter_name(short: Name, long: Name) -> bool:
    """Whether a personal name can be a shorter form of another one.

    Dates are missing, the same, or the year of birth alone; additions and terms of address are missing or the same.
    """
    if not all(value.type == "personal" and value.name_part for value in (short, long)):
        return False
    _, one, one_dates, one_additions, one_terms = name_key(short)
    _, other, other_dates, other_additions, other_terms = name_key(long)
    dates: tuple[Any, Any] = (one_dates, other_dates)
    is_birth_alone = len(dates[0]) == 1 and dates[0] == dates[1][:1]
    if (one_dates and one_dates != other_dates and not is_birth_alone) or one_terms not in ("", other_terms):
        return False
    if one == other:
        return one_additions in ("", other_additions)
    heading = heading_of(long)
    if not is_initial_form_of(heading_of(short), heading):
        return False
    return one_additions in ("", other_additions) or set(str(one_additions).split()) <= set(fold(heading).split())


def can_be_one_person(one: Name, other: Name) -> bool:
    """Whether two names can be of one person: spellings of one name, and nothing else contradicts."""
    if not all(value.type == "personal" and value.name_part for value in (one, other)):
        return False
    return _can_agree(one, other) and are_spellings_of_one_name(heading_of(one), heading_of(other))


def _can_agree(one: Name, other: Name) -> bool:
    """Whether neither years of birth nor roles of two persons contradict each other.

    What distinguishes a father and a son (``Jr.``, ``мл.``) must be the same, and so must additions in parentheses that
    are no fuller form of the name.
    """
    births = [dates[0] for dates in map(dates_of, (one, other)) if dates]
    roles = [_codes(value) for value in (one, other)]
    generations = [_GENERATIONS.intersection(str(name_key(value)[4]).split()) for value in (one, other)]
    return (
        len(set(births)) < 2
        and generations[0] == generations[1]
        and _qualifier_of(one) == _qualifier_of(other)
        and not (all(roles) and roles[0].isdisjoint(roles[1]))
    )


def _codes(name: Name) -> set[str]:
    return {term.value for role in name.role for term in role.role_term if term.type == "code"}


def _qualifier_of(value: Name) -> str:
    """Return the addition in parentheses to a heading; nothing if it is a fuller form of the given names."""
    addition, initials = str(name_key(value)[3]), str(name_key(value)[1]).split()[1:]
    words = addition.split()
    is_fuller = [word[0] for word in words[: len(initials)]] == [name[0] for name in initials[: len(words)]]
    return "" if is_fuller else addition


def first_word_of_person(value: Name) -> Hashable:
    """Return the first word of the family name of a person; None for other names."""
    if value.type != "personal" or not value.name_part:
        return None
    return str(name_key(value)[1]).partition(" ")[0]


def is_another_name(one: Name, other: Name) -> bool:
    """Whether two names of one person are more than two forms of one: a pseudonym and the real name."""
    headings = heading_of(one), heading_of(other)
    return not is_shorter_name(one, other) and not are_variants_of_one_name(*headings)


class Creators:
    """The only creators of records, each with the statements of responsibility of its record."""

    def __init__(self, descriptions: Iterable[tuple[RecordId, Mods]]) -> None:
        self._names: dict[RecordId, list[Name]] = {}
        self._stated: dict[RecordId, list[str]] = {}
        for record, mods in descriptions:
            persons = [name for name in mods.name if name.type == "personal" and name.name_part]
            creators = [name for name in persons if name.usage or _codes(name) & _CREATES]
            creators = creators or [name for name in persons if not name.role]
            groups = {name.alt_rep_group or str(number) for number, name in enumerate(creators)}
            if len(groups) == 1:
                self._names[record] = creators
                statements = [note.value for note in mods.note if note.type == "statement of responsibility"]
                self._stated[record] = spelling_key(" ".join(statements)).split()

    def are_one(self, one: Name, forms: Forms, other: Name, other_forms: Forms) -> bool:
        """Whether two names, which these records have in these forms, are of one person: the only creator of each.

        One of these shows it:

        * Both have the same years of life.
        * They can be variants of one name, and no date, role, generation or qualifier contradicts.
        * The statements of one record name the person as the other one does, and not as its own heading: a pseudonym.
        """
        owners = forms, other_forms
        if not all(form in self._names.get(record, ()) for own in owners for record, form in own):
            return False
        lives = dates_of(one), dates_of(other)
        if lives[0] == lives[1] and len(lives[0]) == _YEARS_OF_LIFE:
            return True
        if not _can_agree(one, other):
            return False
        if are_variants_of_one_name(heading_of(one), heading_of(other)):
            return True
        here, there = ([word for record, _ in own for word in self._stated[record]] for own in owners)
        return (_is_named(one, there) and not _is_named(other, there)) or (
            _is_named(other, here) and not _is_named(one, here)
        )


def _is_named(name: Name, words: Sequence[str]) -> bool:
    """Return whether words contain the beginning of a family name, as much of it as is the same in all cases."""
    family = spelling_key(str(name_key(name)[1])).partition(" ")[0]
    if len(family) < _LETTERS_OF_FAMILY_NAME:
        return family in words
    return any(word.startswith(family[:_LETTERS_OF_FAMILY_NAME]) for word in words)
