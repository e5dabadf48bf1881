"""What search engines and social networks read in a page: schema.org as JSON-LD, and Open Graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bibld.model.identifiers import has_isbn_check_digit, isbn, isbn13
from bibld.serve._citations import Person, Reference
from bibld.serve._pages.facts import folded

_TYPES = {
    "book": "Book",
    "article": "Article",
    "chapter": "Chapter",
    "serial": "Periodical",
    "thesis": "Thesis",
    "map": "Map",
    "score": "SheetMusic",
    "sound": "AudioObject",
    "film": "CreativeWork",
    "image": "VisualArtwork",
    "document": "CreativeWork",
}
_MOST_ABOUT = 20
_LONGEST_DESCRIPTION = 300


def publication(reference: Reference, page: str, entities: Mapping[str, str], same: Sequence[str]) -> dict[str, object]:
    """Describe a publication in terms of schema.org; each author once.

    ``page`` is the address of the page, ``entities`` are IRIs by folded names, ``same`` other IRIs of the publication.
    """
    document: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": _TYPES[reference.kind],
        "@id": reference.iri,
        "url": page,
        "name": reference.full_title,
        "author": [_agent(person, entities) for person in reference.authors],
        "editor": [_agent(person, entities) for person in reference.editors],
        "translator": [_agent(person, entities) for person in reference.translators],
        "bookEdition": reference.edition if reference.kind == "book" else "",
        "publisher": [_named("Organization", name, entities) for name in reference.publishers],
        "locationCreated": [_named("Place", name, entities) for name in reference.places],
        "datePublished": reference.year[:4],
        "inLanguage": reference.language,
        "isbn": list(dict.fromkeys(map(_thirteen_digits, reference.isbn))),
        "issn": list(reference.issn) if reference.kind == "serial" else [],
        "isPartOf": _container(reference, entities),
        "pagination": reference.pages,
        "about": [_named("Thing", name, entities) for name in reference.subjects[:_MOST_ABOUT]],
        "abstract": reference.abstract,
        "sameAs": list(same) + ([f"https://doi.org/{reference.doi}"] if reference.doi else []),
    }
    return {key: value for key, value in document.items() if value}


def _thirteen_digits(number: str) -> str:
    found = isbn(number)
    return isbn13(found.value) if found is not None and has_isbn_check_digit(found.value) else number


def _agent(person: Person, entities: Mapping[str, str]) -> dict[str, str]:
    kind = "Organization" if person.is_organisation else "Person"
    heading = ", ".join(filter(None, (person.family, person.given)))
    found = _named(kind, heading, entities)
    if person.given:
        found |= {"name": f"{person.given} {person.family}", "familyName": person.family, "givenName": person.given}
    return found


def _named(kind: str, name: str, entities: Mapping[str, str]) -> dict[str, str]:
    iri = entities.get(folded(name))
    return {"@type": kind, **({"@id": iri} if iri else {}), "name": name}


def _container(reference: Reference, entities: Mapping[str, str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    if reference.container:
        kind = "Book" if reference.kind == "chapter" else "Periodical"
        container: dict[str, object] = {"@type": kind, "name": reference.container}
        if reference.issn:
            container["issn"] = list(reference.issn)
        found.append(container)
    if reference.series:
        found.append({**_named("CreativeWorkSeries", reference.series, entities)})
    return found


class MetaTag(msgspec.Struct, frozen=True):
    """An element ``meta`` with a property of Open Graph."""

    property: str
    content: str


def open_graph(reference: Reference, title: str, page: str, site: str, language: str) -> list[MetaTag]:
    """Return the properties of Open Graph of a publication's page (https://ogp.me/#type_book)."""
    is_book = reference.kind == "book"
    pairs = [
        ("og:type", "book" if is_book else "website"),
        ("og:title", title),
        ("og:url", page),
        ("og:site_name", site),
        ("og:locale", {"ru": "ru_RU"}.get(language, "en_GB")),
        ("og:description", summary(reference)),
    ]
    if is_book:
        pairs += [("book:isbn", number) for number in reference.isbn[:1]]
        pairs.append(("book:release_date", reference.year[:4]))
    return [MetaTag(name, content) for name, content in pairs if content]


def summary(reference: Reference) -> str:
    """Return a publication in one line: authors, place and publisher, year, extent."""
    authors = ", ".join(" ".join(filter(None, (each.given, each.family))) for each in reference.authors[:3])
    facts = (authors, reference.edition, imprint(reference), reference.extent)
    return ". ".join(filter(None, facts))[:_LONGEST_DESCRIPTION]


def imprint(reference: Reference) -> str:
    """Return place, publisher and year in one line, as on a title page."""
    parts = " : ".join(filter(None, ("; ".join(reference.places[:2]), "; ".join(reference.publishers[:2]))))
    return ", ".join(filter(None, (parts, reference.year)))


class Named(msgspec.Struct, frozen=True):
    """A thing with its name, its IRI, and its class of schema.org."""

    name: str
    iri: str
    kind: str


def entity(thing: Named, years: Mapping[str, str], others: Sequence[str], same: Sequence[str]) -> dict[str, object]:
    """Describe a person or another entity; ``years`` are birthDate and deathDate, ``others`` further names."""
    document: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": thing.kind,
        "@id": thing.iri,
        "name": thing.name,
        "alternateName": list(others),
        **years,
        "sameAs": list(same),
    }
    return {key: value for key, value in document.items() if value}
