"""What the libraries of a cluster state about the same publication, and where one of them states something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bibld.model.authorities import read_authority_iri
from bibld.model.card import name_text
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.mods import Mods, Name
from bibld.text.dates import years
from bibld.text.designations import part_number
from bibld.text.folding import fold
from bibld.text.languages import NO_LANGUAGES
from bibld.text.names import are_spellings_of_one_name, are_variants_of_one_name
from bibld.worklist._faults import WorkKind

_DATES = re.compile(r"[,(\s]*[0-9]{3,4}.*$")
"""The dates at the end of a label."""

_NAMES_COMPARED = 10
"""Names of one record; encyclopedias list hundreds."""

_FIELDS: Mapping[WorkKind, tuple[str, str]] = {
    WorkKind.OTHER_YEAR: ("260$c, 264$c", "210$d"),
    WorkKind.OTHER_IDENTIFIER: ("020$a", "010$a"),
    WorkKind.OTHER_LANGUAGE: ("041$a", "101$a"),
    WorkKind.OTHER_NAME: ("100, 700", "700, 701"),
    WorkKind.OTHER_PART: ("245$n", "200$h"),
    WorkKind.MISSING_AUTHORITY: ("$0", "$3"),
}
"""Where a statement is in MARC 21, and in UNIMARC and RUSMARC."""


class Statements(NamedTuple):
    """A record of a cluster: its ordinal, its source and flavour, its names, and its values by what they state."""

    ordinal: int
    source: str
    flavour: str
    names: tuple[Name, ...]
    values: Mapping[WorkKind, frozenset[str]]

    @classmethod
    def from_mods(cls, ordinal: int, source: str, flavour: str, mods: Mods) -> Statements:
        """Return the statements of a record."""
        return cls(ordinal, source, flavour, mods.name[:_NAMES_COMPARED], {
            kind: frozenset(read(mods)) for kind, read in _READ.items()
        })  # fmt: skip


class Contradiction(NamedTuple):
    """Where a record states something else than others of its cluster: its value, theirs, and who has those."""

    kind: WorkKind
    where: str
    value: str
    suggestion: str
    others: tuple[tuple[int, str], ...]


def field_of(kind: WorkKind, flavour: str) -> str:
    """Return the field of a format that has a statement."""
    marc21, unimarc = _FIELDS[kind]
    return marc21 if flavour == "marc21" else unimarc


def find_contradictions(own: Statements, members: Sequence[Statements]) -> Iterator[Contradiction]:
    """Yield where more libraries state something else than a record than state the same.

    Statements contradict each other if they have no value in common; who states nothing contradicts nobody.
    """
    for kind, value in own.values.items():
        others = [one for one in members if one.source != own.source and one.values[kind]]
        if not value or not others:
            continue
        agreeing = {one.source for one in others if _agree(kind, value, one.values[kind])}
        differing = [one for one in others if one.source not in agreeing]
        if len({one.source for one in differing}) > len(agreeing):
            stated = Counter(_written(one.values[kind]) for one in differing)
            most = max(stated.items(), key=lambda item: (item[1], item[0]))[0]
            yield Contradiction(
                kind,
                field_of(kind, own.flavour),
                _written(value),
                most,
                tuple((one.ordinal, _written(one.values[kind])) for one in differing),
            )


def find_missing_authorities(own: Statements, members: Sequence[Statements]) -> Iterator[Contradiction]:
    """Yield the headings of a record without a number of an authority file that other records of the cluster have.

    Certain is a number with the same heading, if no other record has the heading with another number of that file.
    """
    for name in own.names:
        heading = fold(name_text(name))
        if not heading or _numbers_of(name):
            continue
        found: dict[str, dict[str, list[int]]] = {}
        for one in members:
            for other in one.names:
                if one.ordinal != own.ordinal and fold(name_text(other)) == heading:
                    for authority, iri in _numbers_of(other):
                        found.setdefault(authority, {}).setdefault(iri, []).append(one.ordinal)
        for numbers in found.values():
            if len(numbers) == 1:
                iri, ordinals = next(iter(numbers.items()))
                where = field_of(WorkKind.MISSING_AUTHORITY, own.flavour)
                others = tuple((ordinal, iri) for ordinal in dict.fromkeys(ordinals))
                yield Contradiction(WorkKind.MISSING_AUTHORITY, where, name_text(name), iri, others)


def is_name_of(name: Name, label: str) -> bool:
    """Whether a heading is the label of an entity, or of a person another spelling of it; dates are not compared."""
    if fold(name_text(name)) == fold(label):
        return True
    return name.type == "personal" and are_spellings_of_one_name(_heading(name), _DATES.sub("", label))


def _heading(name: Name) -> str:
    """Return the name of a person without dates and titles."""
    parts = (part.value for part in name.name_part if part.type in (None, "family", "given"))
    return ", ".join(filter(None, parts))


def has_number(name: Name) -> bool:
    """Whether a heading has the number of an authority file."""
    return bool(_numbers_of(name))


def _numbers_of(name: Name) -> set[tuple[str, str]]:
    """Return the authority files and addresses of the numbers that a heading has."""
    stated = (name.value_uri, *(one.value for one in name.name_identifier if one.invalid != "yes"))
    read = (read_authority_iri(iri) for iri in stated if iri)
    return {(one.authority, one.iri) for one in read if one is not None and one.iri}


def _agree(kind: WorkKind, one: Iterable[str], other: Iterable[str]) -> bool:
    if kind is WorkKind.OTHER_NAME:
        return any(are_variants_of_one_name(name, another) for name in one for another in other)
    if kind is WorkKind.OTHER_PART:  # volume 1 contains its books 1 and 2
        return any(_begins(part, another) or _begins(another, part) for part in one for another in other)
    return not set(one).isdisjoint(other)


def _begins(part: str, longer: str) -> bool:
    return f"{longer} ".startswith(f"{part} ")


def _written(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))


# -- what a record states ----------------------------------------------------------------------------------------------


def _years(mods: Mods) -> Iterator[str]:
    for info in mods.origin_info:
        for date in (*info.date_issued, *info.copyright_date):
            yield from map(str, years(date.value))


def _isbns(mods: Mods) -> Iterator[str]:
    for one in mods.identifier:
        if one.type == "isbn" and one.invalid != "yes" and has_isbn_check_digit(one.value):
            yield isbn13(one.value)


def _languages(mods: Mods) -> Iterator[str]:
    for language in mods.language:
        if language.object_part is None:
            for term in language.language_term:
                if term.type == "code" and term.value not in NO_LANGUAGES:
                    yield term.value


def _persons(mods: Mods) -> Iterator[str]:
    for name in mods.name[:_NAMES_COMPARED]:
        if name.type == "personal":
            yield from filter(None, [_heading(name)])


def _parts(mods: Mods) -> Iterator[str]:
    for info in mods.title_info[:1]:
        yield from filter(None, map(part_number, info.part_number))


_READ: Mapping[WorkKind, Callable[[Mods], Iterable[str]]] = {
    WorkKind.OTHER_PART: _parts,
    WorkKind.OTHER_IDENTIFIER: _isbns,
    WorkKind.OTHER_YEAR: _years,
    WorkKind.OTHER_LANGUAGE: _languages,
    WorkKind.OTHER_NAME: _persons,
}
