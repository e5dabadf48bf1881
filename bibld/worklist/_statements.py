"""What the libraries of a cluster state about the same publication, and where one of them states something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bibld.model.authorities import NUMBERED_BY_FIRST_PART, read_authority_iri, read_authority_number
from bibld.model.card import name_text
from bibld.model.dublin_core import subject_text
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.mods import Mods, Name, TitleInfo
from bibld.text.dates import years
from bibld.text.designations import part_number
from bibld.text.folding import fold
from bibld.text.headings import subject_heading_number
from bibld.text.languages import NO_LANGUAGES
from bibld.text.names import are_spellings_of_one_name, are_variants_of_one_name
from bibld.worklist._faults import WorkKind

_DATES = re.compile(r"[,(\s]*[0-9]{3,4}.*$")
"""The dates at the end of a label."""

_HEADINGS_COMPARED = 10
"""Names, and subject headings, of one record; encyclopedias list hundreds."""

_ESTABLISHED = "lcsh"
_DASHES = re.compile(" ?-- ?")

_FIELDS: Mapping[WorkKind, tuple[str, str]] = {
    WorkKind.OTHER_YEAR: ("260$c, 264$c", "210$d"),
    WorkKind.OTHER_IDENTIFIER: ("020$a", "010$a"),
    WorkKind.OTHER_LANGUAGE: ("041$a", "101$a"),
    WorkKind.OTHER_NAME: ("100, 700", "700, 701"),
    WorkKind.OTHER_PART: ("245$n", "200$h"),
    WorkKind.MISSING_AUTHORITY: ("$0", "$3"),
}
"""Where a statement is in MARC 21, and in UNIMARC and RUSMARC."""


class StatedHeading(NamedTuple):
    """A name or subject heading: its text, what equal headings have in common, and its numbers.

    ``numbers`` are authority files with the addresses of the numbers that the record has; ``established`` is the
    address of a subject heading with this text in the table of the Library of Congress (empty: none). The number of a
    heading that ``may_be_numbered_by_part`` may be that of its first part.
    """

    text: str
    key: str
    numbers: frozenset[tuple[str, str]]
    established: str = ""
    may_be_numbered_by_part: bool = False


class Statements(NamedTuple):
    """A record of a cluster: its ordinal, its source and flavour, its headings, and its values by what they state."""

    ordinal: int
    source: str
    flavour: str
    headings: tuple[StatedHeading, ...]
    values: Mapping[WorkKind, frozenset[str]]

    @classmethod
    def from_mods(cls, ordinal: int, source: str, flavour: str, mods: Mods) -> Statements:
        """Return the statements of a record."""
        return cls(ordinal, source, flavour, tuple(_headings(mods)), {
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

    Certain is a number with the same heading, if no other record has the heading with another number of that file; and
    that of a subject heading of the Library of Congress with the same text.
    """
    for heading in own.headings:
        if heading.numbers:
            continue
        found: dict[str, dict[str, list[int]]] = {}
        if heading.established:
            found[_ESTABLISHED] = {heading.established: []}
        for one in members if not heading.may_be_numbered_by_part else ():
            for other in one.headings:
                if one.ordinal != own.ordinal and other.key == heading.key:
                    for authority, iri in other.numbers:
                        found.setdefault(authority, {}).setdefault(iri, []).append(one.ordinal)
        for numbers in found.values():
            if len(numbers) == 1:
                iri, ordinals = next(iter(numbers.items()))
                where = field_of(WorkKind.MISSING_AUTHORITY, own.flavour)
                others = tuple((ordinal, iri) for ordinal in dict.fromkeys(ordinals))
                yield Contradiction(WorkKind.MISSING_AUTHORITY, where, heading.text, iri, others)


def _headings(mods: Mods) -> Iterator[StatedHeading]:
    for name in mods.name[:_HEADINGS_COMPARED]:
        text = name_text(name)
        if fold(text):
            yield StatedHeading(text, fold(text), frozenset(_numbers_of(name)))
    for subject in mods.subject[:_HEADINGS_COMPARED]:
        text, scheme = subject_text(subject), subject.authority
        if scheme and fold(text):
            part = subject.parts[0] if len(subject.parts) == 1 else None
            iris = (subject.value_uri, getattr(part, "value_uri", None))
            is_of_name = isinstance(subject.parts[0], Name | TitleInfo)
            number = (
                subject_heading_number(_DASHES.sub("--", text)) if scheme == _ESTABLISHED and not is_of_name else None
            )
            known = read_authority_number(_ESTABLISHED, number) if number else None
            yield StatedHeading(
                text,
                f"{scheme}: {fold(text)}",
                frozenset(_read_numbers(iris)),
                (known.iri or "") if known is not None else "",
                part is None and scheme in NUMBERED_BY_FIRST_PART,
            )


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
    return _read_numbers((name.value_uri, *(one.value for one in name.name_identifier if one.invalid != "yes")))


def _read_numbers(iris: Iterable[str | None]) -> set[tuple[str, str]]:
    read = (read_authority_iri(iri) for iri in iris if iri)
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
    for name in mods.name[:_HEADINGS_COMPARED]:
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
