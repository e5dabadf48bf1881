"""How probable it is that an authority record describes an entity, with the reasons in words.

The probabilities of each kind of agreement were set on the development half of a labelled sample
(``benchmarks/link.py``) and measured on the other half. A name without dates counts by its rarity: the number of other
people to be expected with the same family name and given names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bibld.link._entities import Entity
from bibld.link._index import AuthorityIndex, family_of, first_given_name, number_key
from bibld.link._names import (
    Life,
    NameRelation,
    compare_names,
    compare_texts,
    heading_key,
    is_generic,
    is_titled,
    person_name,
    without_qualifier,
)
from bibld.link._values import AuthorityKind, AuthorityRecord, Match, Profile
from bibld.link._works import compare_work
from bibld.progress import with_number
from bibld.text.folding import fold
from bibld.triplify import parse_identity

VERSION = 2
"""To be raised when the same entity and record get another confidence."""

_POPULATION = 10_000_000
"""People that catalogues describe; a file with more of them is counted itself."""
_SHARE_NOT_IN_FILE = 0.02
"""How probable it is that another person of the same name is meant, for each one who is to be expected."""
_SHARE_IF_ONE_HAS_YEARS = 0.06
"""The same where only one of the two states years."""
_MIN_PERSONS = 10_000
"""A file with fewer persons does not show how rare a name is."""
_SECOND_NAME = 0.05
_INITIAL = 0.05
_YEARS_OF_BIRTH = 80
_MIN_YEARS_OF_AUTHOR = 8
_MIN_TITLE_CHARACTERS = 8
_MAX_CONFIDENCE = 0.999

_WITH_BOTH_YEARS = {
    NameRelation.EQUAL: 0.998,
    NameRelation.INITIALS: 0.99,
    NameRelation.SHORTENED: 0.992,
    NameRelation.RESPELLED: 0.985,
    NameRelation.SINGLE: 0.99,
}
_WITH_ONE_YEAR = {
    NameRelation.EQUAL: 0.995,
    NameRelation.INITIALS: 0.97,
    NameRelation.SHORTENED: 0.98,
    NameRelation.RESPELLED: 0.93,
    NameRelation.SINGLE: 0.93,
}
_WITHOUT_YEARS = {
    NameRelation.EQUAL: 0.985,
    NameRelation.INITIALS: 0.7,
    NameRelation.SHORTENED: 0.7,
    NameRelation.RESPELLED: 0.6,
    NameRelation.SINGLE: 0.6,
}
_WITH_WORK = {
    NameRelation.EQUAL: 0.99,
    NameRelation.INITIALS: 0.97,
    NameRelation.SHORTENED: 0.97,
    NameRelation.RESPELLED: 0.97,
    NameRelation.SINGLE: 0.97,
}
_KINDS_OF_TYPE: dict[str, tuple[AuthorityKind, ...]] = {
    "personal": ("person", ""),
    "family": ("family", "person", ""),
    "corporate": ("organisation", ""),
    "conference": ("meeting", ""),
    "": ("person", "family", "organisation", "meeting"),
}
_SCHEMES_OF_AUTHORITY = {
    "lcsh": ("lcsh", "lcshac"),
    "fast": ("fast",),
    "gnd": ("gnd", "gnd-content", "gnd-carrier", "swd"),
    "lcgft": ("lcgft",),
    "mesh": ("mesh",),
    "lcnaf": ("naf",),
}
_HEADINGS_OF_MANY_KINDS = ("gnd", "viaf", "wikidata")
"""Authorities in which a place, a person and a topic may have the same heading."""
_LANGUAGE_OF_AUTHORITY = {"lcsh": "en", "fast": "en", "lcgft": "en", "mesh": "en", "gnd": "de", "bnf": "fr"}
_SHORT_HEADING = 8
"""Characters of a heading that may well have another meaning (Recht: law, or a village)."""
_UNDECIDED = 0.5


def compare(entity: Entity, record: AuthorityRecord, frequencies: AuthorityIndex) -> Match | None:
    """Compare an entity with an authority record; None if the record cannot be about it."""
    profile = entity.profile
    shared = entity.number_keys & {number_key(number) for number in record.numbers}
    if shared:
        return Match(record, _MAX_CONFIDENCE, (f"both have the number {min(shared)}",), is_certain=True)
    if profile.kind == "agent":
        if record.kind not in _KINDS_OF_TYPE.get(profile.type, ("",)):
            return None
        if profile.type == "personal":
            return _compare_person(entity, record, frequencies)
        return _compare_organisation(entity, record)
    if profile.kind == "place":
        return _compare_place(entity, record) if record.kind in ("place", "") else None
    if profile.kind == "work":
        return compare_work(profile, record) if record.kind in ("work", "") else None
    return _compare_concept(entity, record)


# -- persons -----------------------------------------------------------------------------------------------------------


def _compare_person(entity: Entity, record: AuthorityRecord, frequencies: AuthorityIndex) -> Match | None:
    best = _closest_names(entity.profile, record)
    if best is None:
        return None
    relation, stated, label = best
    evidence = [f"{relation.value}: {label}"]
    life = entity.life
    if life is None:
        return Match(record, _UNDECIDED, (*evidence, "its records state different years"))
    years, is_conflict = _compare_years(life, record)
    if is_conflict or _wrote_before_birth(entity, record):
        return None
    evidence += years
    others = _expected_others(stated, relation, frequencies)
    if len(years) == 2:
        confidence = _WITH_BOTH_YEARS[relation]
    elif years:
        confidence = _WITH_ONE_YEAR[relation] / (1 + _SHARE_NOT_IN_FILE * others / _YEARS_OF_BIRTH)
    else:
        has_years = life != Life() or bool(record.born or record.died)
        share = _SHARE_IF_ONE_HAS_YEARS if has_years else _SHARE_NOT_IN_FILE
        confidence = _WITHOUT_YEARS[relation] / (1 + share * others)
        evidence.append(f"no dates to compare; {others:.1f} other people of this name are to be expected")
        if frequencies.persons < _MIN_PERSONS:
            confidence = min(confidence, 0.9)
            evidence.append("the file is too small to show how rare the name is")
    if not life.is_exact and years:
        confidence *= 0.99
    generations = {person_name(text).generation for text in (stated, label)}
    if len(generations) > 1 and len(years) < 2:
        confidence = min(confidence, 0.8)
        evidence.append("only one of the headings names the generation")
    if not years and is_titled(person_name(stated)):
        confidence = min(confidence, 0.8)
        evidence.append("others had this title before or after")
    if confidence < _WITH_WORK[relation] and (title := _shared_title(entity, record)):
        confidence = max(confidence, _WITH_WORK[relation])
        evidence.append(f"title of a work in both: {title}")
    if record.is_undifferentiated:
        confidence = min(confidence, 0.3)
        evidence.append("the authority record is for more than one person of this name")
    return Match(record, round(confidence, 4), tuple(evidence))


def _closest_names(profile: Profile, record: AuthorityRecord) -> tuple[NameRelation, str, str] | None:
    """Return the closest relation between the forms of both, with the form of the entity and that of the record."""
    order = list(NameRelation)
    pairs = (
        (compare_names(person_name(stated), person_name(label.text)), not label.is_preferred, stated, label.text)
        for stated, _ in profile.labels
        for label in record.labels
    )
    relation, _, stated, text = min(
        pairs, key=lambda pair: (order.index(pair[0]), pair[1]), default=(NameRelation.DIFFERENT, True, "", "")
    )
    return None if relation is NameRelation.DIFFERENT else (relation, stated, text)


def _compare_years(life: Life, record: AuthorityRecord) -> tuple[list[str], bool]:
    """Return what both state about years, and whether they contradict each other."""
    found: list[str] = []
    for sentence, mine, other in (
        ("born {number} in both", life.born, record.born),
        ("died {number} in both", life.died, record.died),
    ):
        if mine and other:
            if mine != other:
                return [], True
            found.append(sentence.format(number=mine))
    if (life.died and record.born and life.died <= record.born) or (
        life.born and record.died and record.died <= life.born
    ):
        return [], True
    return found, False


def _wrote_before_birth(entity: Entity, record: AuthorityRecord) -> bool:
    if record.born is None or entity.profile.dates:
        return False
    return any(
        work.is_creator and work.year is not None and work.year < record.born + _MIN_YEARS_OF_AUTHOR
        for work in entity.works
    )


def _expected_others(heading: str, relation: NameRelation, frequencies: AuthorityIndex) -> float:
    """Return how many other people of this name are to be expected among all that catalogues describe."""
    persons = max(frequencies.persons, _MIN_PERSONS)
    name = person_name(heading)
    share = max(frequencies.bearers(f"f:{family_of(heading)}"), 1) / persons
    if relation in (NameRelation.INITIALS, NameRelation.SHORTENED) or not name.given:
        share *= _INITIAL ** max(len(name.given), 1)
    else:
        share *= max(frequencies.bearers(f"g:{first_given_name(heading)}"), 1) / persons
        share *= _SECOND_NAME ** max(name.full_given_names - 1, 0)
    return share * max(persons, _POPULATION)


def _shared_title(entity: Entity, record: AuthorityRecord) -> str:
    """Return a title that the authority record names and that the catalogue has for the entity; empty without one."""
    if not record.works:
        return ""
    texts = [f" {fold(work)} " for work in record.works]
    for work in entity.works:
        title = fold(work.title)
        if len(title) >= _MIN_TITLE_CHARACTERS and " " in title and any(f" {title} " in text for text in texts):
            return work.title
    return ""


# -- organisations, places, concepts -----------------------------------------------------------------------------------


class _Heading:
    """The closest relation between the headings of an entity and of a record that are not persons'."""

    def __init__(self, profile: Profile, record: AuthorityRecord) -> None:
        self.rank, self.stated, self.label = 9, "", ""
        self.language = self.label_language = ""
        self.is_preferred = False
        for stated, language in profile.labels:
            for label in record.labels:
                rank = _rank(stated, label.text)
                if (rank, not label.is_preferred) < (self.rank, not self.is_preferred):
                    self.rank, self.stated, self.label = rank, stated, label.text
                    self.is_preferred, self.language, self.label_language = label.is_preferred, language, label.language

    @property
    def evidence(self) -> str:
        return (_HEADINGS if self.is_preferred else _OTHER_FORMS)[self.rank].format(label=self.label)


_EQUAL, _RESPELLED, _UNQUALIFIED, _NOT_EQUAL = range(4)
_HEADINGS = (
    "heading equal: {label}",
    "heading the same in another spelling: {label}",
    "heading equal but for a qualifier: {label}",
)
_OTHER_FORMS = (
    "other form equal: {label}",
    "other form the same in another spelling: {label}",
    "other form equal but for a qualifier: {label}",
)
"""The evidence of a heading, and of another form of it, by the rank."""


def _rank(stated: str, label: str) -> int:
    if heading_key(stated) == heading_key(label):
        relations = [compare_texts(one, other) for one, other in zip(_elements(stated), _elements(label), strict=False)]
        return _EQUAL if all(relation is NameRelation.EQUAL for relation in relations) else _RESPELLED
    one, other = heading_key(without_qualifier(stated)), heading_key(without_qualifier(label))
    if one != heading_key(stated) and other != heading_key(label):
        return _NOT_EQUAL
    return (
        _UNQUALIFIED if one == other or one in other.split("--")[-1:] or other in one.split("--")[-1:] else _NOT_EQUAL
    )


def _elements(heading: str) -> list[str]:
    return [fold(element) for element in heading.split("--") if fold(element)]


def _compare_organisation(entity: Entity, record: AuthorityRecord) -> Match | None:
    heading = _Heading(entity.profile, record)
    if heading.rank >= _NOT_EQUAL:
        return None
    life = entity.life or Life()
    years, is_conflict = _compare_years(life, record)
    if is_conflict:
        return None
    evidence = [heading.evidence, *years]
    confidence = {_EQUAL: 0.985 if heading.is_preferred else 0.975, _RESPELLED: 0.7, _UNQUALIFIED: 0.55}[heading.rank]
    if years and heading.rank != _EQUAL:
        confidence = 0.97
    if is_generic(heading.stated):
        confidence = min(confidence, 0.6 if heading.rank == _EQUAL else 0.2)
        evidence.append("the name has only words that many organisations have")
    if record.kind == "":
        confidence = min(confidence, 0.8)
        evidence.append("the file does not state what the record describes")
    return Match(record, confidence, tuple(evidence), is_partial=heading.rank != _EQUAL)


def _compare_place(entity: Entity, record: AuthorityRecord) -> Match | None:
    heading = _Heading(entity.profile, record)
    if heading.rank >= _NOT_EQUAL:
        return None
    evidence = [heading.evidence]
    confidence = {_EQUAL: 0.97 if heading.is_preferred else 0.93, _RESPELLED: 0.7, _UNQUALIFIED: 0.5}[heading.rank]
    if heading.rank == _EQUAL and heading.is_preferred and "--" in heading.label:
        confidence = 0.99
    if record.kind == "":
        confidence = min(confidence, 0.8)
        evidence.append("the file does not state what the record describes")
    return Match(record, confidence, tuple(evidence), is_partial=heading.rank != _EQUAL)


def _compare_concept(entity: Entity, record: AuthorityRecord) -> Match | None:
    profile = entity.profile
    is_same = is_own_scheme(profile, record)
    notation = next((text for text in profile.notations if text in record.notations), "")
    if notation and (is_same or profile.scheme in record.iri):
        return Match(record, 0.99, (f"class mark {notation} of the same classification",), is_certain=True)
    heading = _Heading(profile, record)
    if heading.rank >= _NOT_EQUAL:
        return None
    evidence = [heading.evidence]
    if is_same:
        evidence.append(f"the records take it from the scheme {profile.scheme}")
        confidence = {_EQUAL: 0.995 if heading.is_preferred else 0.985, _RESPELLED: 0.8, _UNQUALIFIED: 0.5}[
            heading.rank
        ]
        if record.kind == "" and authority_of(record.iri) in _HEADINGS_OF_MANY_KINDS:
            if entity.is_geographic:
                confidence = min(confidence, 0.8)
                evidence.append("the file does not state whether the record describes a place")
            elif len(heading.label) <= _SHORT_HEADING:
                confidence = min(confidence, 0.9)
                evidence.append("a short heading, of which the file does not state what it means")
        return Match(record, confidence, tuple(evidence), is_partial=heading.rank != _EQUAL)
    confidence = {_EQUAL: 0.965 if heading.is_preferred else 0.9, _RESPELLED: 0.6, _UNQUALIFIED: 0.4}[heading.rank]
    authority = authority_of(record.iri)
    language = heading.label_language or _LANGUAGE_OF_AUTHORITY.get(authority, "")
    if not (language and heading.language):
        confidence = min(confidence, 0.85)
        evidence.append("the language of a heading is not known")
    elif language.partition("-")[0] != heading.language.partition("-")[0]:
        confidence = min(confidence, 0.4)
        evidence.append(f"the languages differ: {heading.language}, {language}")
    evidence.append(f"another scheme ({profile.scheme})" if profile.scheme else "another scheme (none)")
    return Match(record, confidence, tuple(evidence), is_partial=heading.rank != _EQUAL)


def authority_of(iri: str) -> str:
    """Return the short name of the authority file that an IRI belongs to, ``other`` if it is not known."""
    identity = parse_identity(iri, None, "")
    return identity.authority if identity is not None else "other"


def is_own_scheme(profile: Profile, record: AuthorityRecord) -> bool:
    """Whether a concept was taken from the scheme that the authority record belongs to."""
    return profile.scheme in _SCHEMES_OF_AUTHORITY.get(authority_of(record.iri), ())


# -- among all candidates ----------------------------------------------------------------------------------------------


def rank_matches(entity: Entity, records: Sequence[AuthorityRecord], frequencies: AuthorityIndex) -> list[Match]:
    """Compare an entity with all candidates; the most probable comes first.

    Each confidence is that against all others: two records that fit equally well have less than one half each. A
    record that another one states to be itself under an older number does not count.
    """
    found = [match for record in records if (match := compare(entity, record, frequencies)) is not None]
    found.sort(key=lambda match: (-match.confidence, match.record.iri))
    distinct = list(_without_aliases(found))
    if distinct and not distinct[0].is_partial:
        distinct = [match for match in distinct if not match.is_partial]
    odds = [match.confidence / (1 - match.confidence) for match in distinct]
    total = 1 + sum(odds)
    ranked = []
    for match, one in zip(distinct, odds, strict=True):
        rivals = len(distinct) - 1
        evidence = match.evidence
        if rivals and one / total < match.confidence - 0.01:
            evidence = (*evidence, with_number(rivals, "other record fits, too", "other records fit, too"))
        confidence = round(one / total, 4) if rivals else match.confidence
        ranked.append(msgspec.structs.replace(match, confidence=confidence, evidence=evidence))
    return ranked


def _without_aliases(matches: Sequence[Match]) -> Iterator[Match]:
    """Yield the matches but those whose record another one states to be itself; of two that do so, the first."""
    dropped: set[str] = set()
    for match in matches:
        key = number_key(match.record.iri)
        stated_by = [
            number_key(other.record.iri)
            for other in matches
            if other is not match and key in set(map(number_key, other.record.numbers))
        ]
        if all(other in dropped for other in stated_by):
            yield match
        else:
            dropped.add(key)
