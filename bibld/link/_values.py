"""Values of linking: authority records, what the catalogue knows of an entity, and candidates for a link."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

import msgspec

from bibld.model.iris import web_iri

AuthorityKind = Literal["person", "family", "organisation", "meeting", "place", "topic", "work", ""]
"""What an authority record describes; empty if the file does not state it."""


class AuthorityLabel(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A form of a name or term; ``language`` is a tag or empty."""

    text: str
    language: str = ""
    is_preferred: bool = False


class AuthorityRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record of an authority file.

    ``born`` and ``died`` are years (of organisations: established and terminated). ``numbers`` are IRIs by which other
    authority files know the same thing; ``works`` are titles of works, as the record states them; ``occupations`` are
    words. ``is_undifferentiated``: the record stands for more than one person of the same name.

    Of a work, ``titles`` are the forms of its title, ``creators`` those of the names of its creators, with dates, and
    ``work_language`` is the language (ISO 639-2) of a translation.
    """

    iri: str
    kind: AuthorityKind = ""
    labels: tuple[AuthorityLabel, ...] = ()
    born: int | None = None
    died: int | None = None
    numbers: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    occupations: tuple[str, ...] = ()
    notations: tuple[str, ...] = ()
    is_undifferentiated: bool = False
    titles: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    work_language: str = ""

    @property
    def heading(self) -> str:
        """The preferred label, or the first one."""
        return next((label.text for label in self.labels if label.is_preferred), self.labels[0].text)


def merge_records(records: list[AuthorityRecord]) -> AuthorityRecord:
    """Merge pieces of one record, such as statements about it in two places of a file."""
    first = records[0]
    if len(records) == 1:
        return first
    return AuthorityRecord(
        iri=first.iri,
        kind=next((record.kind for record in records if record.kind), ""),
        labels=tuple(sorted({label for record in records for label in record.labels})),
        born=next((record.born for record in records if record.born), None),
        died=next((record.died for record in records if record.died), None),
        numbers=tuple(sorted({number for record in records for number in record.numbers})),
        works=tuple(sorted({work for record in records for work in record.works})),
        occupations=tuple(sorted({word for record in records for word in record.occupations})),
        notations=tuple(sorted({notation for record in records for notation in record.notations})),
        is_undifferentiated=any(record.is_undifferentiated for record in records),
        titles=tuple(sorted({title for record in records for title in record.titles})),
        creators=tuple(sorted({name for record in records for name in record.creators})),
        work_language=next((record.work_language for record in records if record.work_language), ""),
    )


class Creator(msgspec.Struct, frozen=True):
    """An agent to whom the catalogue ascribes a work: forms of the name, and dates as they are stated."""

    names: tuple[str, ...]
    dates: tuple[str, ...] = ()


class Profile(msgspec.Struct, frozen=True):
    """What the catalogue knows of an entity.

    ``type`` is that of a MODS name (personal …), empty for others; ``labels`` are pairs of text and language, the
    preferred one first. ``numbers`` are the IRIs of authority files that its records state.

    Of a work, the labels are its titles; ``languages`` are codes of ISO 639-2, ``is_version``: it is a translation, an
    abridgement or the like of another one, ``is_part``: it is a volume or issue.
    """

    iri: str
    kind: Literal["agent", "concept", "place", "work"]
    type: str
    labels: tuple[tuple[str, str], ...]
    dates: tuple[str, ...] = ()
    scheme: str = ""
    notations: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    creators: tuple[Creator, ...] = ()
    languages: tuple[str, ...] = ()
    is_version: bool = False
    is_part: bool = False

    @property
    def heading(self) -> str:
        """The preferred label with the dates; that of a work with its first creator."""
        creator = [one.names[0] for one in self.creators[:1]]
        return ". ".join([*creator, ", ".join((self.labels[0][0], *self.dates[:1]))])


class Work(msgspec.Struct, frozen=True):
    """A publication that names an entity: its title, the year of publication, and what the entity is to it.

    ``is_creator``: the entity created it; ``is_about_place``: the entity is a geographic subject of it.
    """

    title: str
    year: int | None
    is_creator: bool
    is_about_place: bool = False


class Match(msgspec.Struct, frozen=True):
    """How well an authority record fits an entity: a probability, and the reasons in words.

    ``is_partial``: the headings agree only in part, so that the record is no rival of one with an equal heading.
    ``is_certain``: both have a number of a third authority file, or a class mark of one classification.
    """

    record: AuthorityRecord
    confidence: float
    evidence: tuple[str, ...]
    is_partial: bool = False
    is_certain: bool = False


_SAFE = "-._~:/@"


def iri_of(identifier: str, template: str) -> str | None:
    """Return an identifier as IRI: itself, or the template with it (percent-encoded); None if that is no IRI."""
    return web_iri(identifier) or (web_iri(template.replace("{}", quote(identifier, safe=_SAFE))) if template else None)
