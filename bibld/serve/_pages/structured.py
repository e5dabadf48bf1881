"""What search engines and social networks read in a page: schema.org as JSON-LD, and Open Graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from bibld.model.identifiers import has_isbn_check_digit, isbn, isbn13
from bibld.model.rdf import expand
from bibld.serve._citations.reference import Person, Reference, find_person
from bibld.serve._language import PageLanguage
from bibld.serve._pages import views
from bibld.serve._pages.facts import folded
from bibld.serve._pages.summaries import KINDS, EntitySummary
from bibld.text.languages import language_tag
from bibld.text.publishers import full_publisher_key
from bibld.text.romanisation import transcription_key

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
_TYPES_OF_SUBJECTS = {
    "concept": "DefinedTerm",
    "place": "Place",
    "work": "CreativeWork",
    "series": "CreativeWorkSeries",
}
_BETWEEN_PARTS = " — "
_DATES = re.compile(r",?\s*\b\d{3,4}\??\s*[-–]\s*(?:\d{3,4}\b\??)?")
LOCALES = {"en": "en_GB", "ru": "ru_RU"}
"""The languages of pages as Open Graph names them."""

_MAX_ABOUT = 20
_MAX_DESCRIPTION_LENGTH = 300


class SchemaThing(msgspec.Struct, frozen=True):
    """A thing with its name, and its IRI and its class of schema.org, which may be empty."""

    name: str
    iri: str
    kind: str


class LinkedIris(msgspec.Struct, frozen=True):
    """The IRIs that the description of a publication points to.

    All, creators and contributors, subjects, its work, its classes.
    """

    things: Sequence[str] = ()
    agents: Sequence[str] = ()
    subjects: Sequence[str] = ()
    works: Sequence[str] = ()
    classes: Sequence[str] = ()

    @staticmethod
    def from_objects(things: Iterable[str], objects: Callable[[str], Iterable[str]]) -> LinkedIris:
        """Return the links; ``objects`` returns the IRIs that the publication points to with a predicate."""
        agents = [iri for each in ("dcterms:creator", "dcterms:contributor") for iri in objects(expand(each))]
        subjects, *others = (list(objects(expand(each))) for each in ("dcterms:subject", "bf:instanceOf", "rdf:type"))
        return LinkedIris(list(things), list(dict.fromkeys(agents)), subjects, *others)


class LinkedThings(msgspec.Struct, frozen=True):
    """What the description of a publication is linked to.

    ``entities`` are IRIs by folded names, ``agents`` the IRIs of its creators and contributors with the forms of their
    names, ``publishers`` those of its publishers. ``about`` are its subjects, headings without an entity among them.
    ``work`` is the work of which it is an edition.
    """

    entities: Mapping[str, str] = {}
    agents: Sequence[tuple[str, Sequence[str]]] = ()
    about: Sequence[SchemaThing] = ()
    publishers: Sequence[tuple[str, Sequence[str]]] = ()
    work: SchemaThing | None = None


def linked_things(
    linked: LinkedIris, entities: views.EntityLinks, headings: Iterable[Sequence[str]], base: str
) -> LinkedThings:
    """Return what a publication is linked to, with its names; ``headings`` are its subjects, each in parts."""
    named = entities.among(linked.things)
    subjects = [(link, names) for link, names in named if base + link.path in linked.subjects]
    about = [
        SchemaThing(
            link.text.replace("--", _BETWEEN_PARTS),
            base + link.path,
            _TYPES_OF_SUBJECTS.get(link.path.partition("/")[0], "Thing"),
        )
        for link, _ in subjects
        if views.is_worth_a_visit(link.path, link.text)
    ]
    forms_of_subjects = entities.forms(iri for iri in linked.subjects if iri.startswith(base))
    works = [(iri, forms) for iri, forms in forms_of_subjects if iri.startswith(f"{base}work/") and forms]
    about += [SchemaThing(forms[0], iri, "CreativeWork") for iri, forms in works]
    known = {_subject_key(form) for _, forms in forms_of_subjects for form in forms}
    known_works = {_subject_key(form) for _, forms in works for form in forms}
    about += [
        SchemaThing(_BETWEEN_PARTS.join(parts), "", "Thing")
        for parts in headings
        if parts and _subject_key(" ".join(parts)) not in known and _subject_key(parts[-1]) not in known_works
    ]
    iris = {name: base + link.path for link, names in named for name in names}
    publishers = [base + link.path for link, _ in named if link.path.startswith("publisher/")]
    return LinkedThings(iris, entities.forms(linked.agents), about, entities.forms(publishers))


def _subject_key(heading: str) -> str:
    """Return the letters and digits of a heading, equal for all scripts, without the dates of a person."""
    return folded(transcription_key(_DATES.sub(" ", heading)))


def publication(
    reference: Reference,
    page: str,
    linked: LinkedThings,
    same: Sequence[str],
    catalogues: Iterable[tuple[str, str]] = (),
) -> dict[str, object]:
    """Describe a publication in terms of schema.org; each author once.

    ``page`` is the address of the page, ``same`` are other IRIs of the publication, ``catalogues`` names of libraries
    with the addresses of its records in their catalogues.
    """
    entities = linked.entities
    document: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": _TYPES[reference.kind],
        "@id": reference.iri,
        "url": page,
        "name": reference.full_title,
        "author": _agents(reference.authors, linked),
        "editor": _agents(reference.editors, linked),
        "translator": _agents(reference.translators, linked),
        "bookEdition": reference.edition if reference.kind == "book" else "",
        "publisher": _publishers(reference.publishers, linked),
        "locationCreated": [_named("Place", name, entities) for name in reference.places],
        "datePublished": reference.year[:4],
        "inLanguage": reference.language,
        "isbn": list(dict.fromkeys(map(thirteen_digits, reference.isbn))),
        "issn": list(reference.issn) if reference.kind == "serial" else [],
        "isPartOf": _container(reference, entities),
        "pagination": reference.pages,
        "about": [_thing(each) for each in linked.about[:_MAX_ABOUT]],
        "exampleOfWork": _thing(linked.work) if linked.work is not None else {},
        "abstract": reference.abstract,
        "sameAs": list(same) + ([f"https://doi.org/{reference.doi}"] if reference.doi else []),
        "potentialAction": [{"@type": "ViewAction", "name": name, "target": href} for name, href in catalogues],
    }
    return {key: value for key, value in document.items() if value}


def thirteen_digits(number: str) -> str:
    """Return an ISBN with thirteen digits and no hyphens; the text itself if it is none."""
    found = isbn(number)
    return isbn13(found.value) if found is not None and has_isbn_check_digit(found.value) else number


def _agents(people: Iterable[Person], linked: LinkedThings) -> list[dict[str, object]]:
    """Return people and organisations; forms of a name whose entity is the same are one."""
    found: dict[str, dict[str, object]] = {}
    for person in people:
        iri = find_person(person, linked.agents) or linked.entities.get(folded(person.heading), "")
        others = [person.spoken] if iri in found else []
        agent = found.setdefault(iri or person.heading, _agent(person, iri))
        names = [*_texts(agent.get("alternateName")), *others, *person.other_forms]
        names = [name for name in dict.fromkeys(names) if name != agent["name"]]
        if names:
            agent["alternateName"] = names
    return list(found.values())


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _agent(person: Person, iri: str) -> dict[str, object]:
    kind = "Organization" if person.is_organisation else "Person"
    found: dict[str, object] = {"@type": kind, **({"@id": iri} if iri else {}), "name": person.spoken}
    if person.given:
        found |= {"familyName": person.family, "givenName": person.given}
    return found


def _thing(named: SchemaThing) -> dict[str, str]:
    kind = {"@type": named.kind} if named.kind else {}
    return {**kind, **({"@id": named.iri} if named.iri else {}), "name": named.name}


def _named(kind: str, name: str, entities: Mapping[str, str]) -> dict[str, str]:
    return _thing(SchemaThing(name, entities.get(folded(name), ""), kind))


def _publishers(names: Iterable[str], linked: LinkedThings) -> list[dict[str, str]]:
    """Return publishers; names with the same entity are one."""
    found: dict[str, dict[str, str]] = {}
    names = list(names)
    for name in names:
        iri = linked.entities.get(folded(name)) or _publisher_iri(name, linked.publishers)
        if not iri and len(names) == len(linked.publishers) == 1:  # the description has no other one
            iri = linked.publishers[0][0]
        found.setdefault(iri or name, _thing(SchemaThing(name, iri, "Organization")))
    return list(found.values())


def _publisher_iri(name: str, publishers: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the IRI of the only publisher with this name, which may be abbreviated; empty if there is none."""
    words = full_publisher_key(name).split()
    found = set()
    for iri, forms in publishers:
        for form in forms:
            others = full_publisher_key(form).split()
            if (
                words
                and len(words) == len(others)
                and all(
                    one.startswith(other) or other.startswith(one) for one, other in zip(words, others, strict=True)
                )
            ):
                found.add(iri)
    return found.pop() if len(found) == 1 else ""


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


def open_graph(reference: Reference, title: str, page: str, site: str, language: str) -> list[tuple[str, str]]:
    """Return the properties of Open Graph of a publication's page (https://ogp.me/#type_book)."""
    is_book = reference.kind == "book"
    pairs = [
        ("og:type", "book" if is_book else "website"),
        ("og:title", title),
        ("og:url", page),
        ("og:site_name", site),
        ("og:locale", LOCALES.get(language, language)),
        ("og:description", summary(reference)),
    ]
    if is_book:
        pairs += [("book:isbn", number) for number in reference.isbn[:1]]
        pairs.append(("book:release_date", reference.year[:4]))
    return [(name, content) for name, content in pairs if content]


def summary(reference: Reference) -> str:
    """Return a publication in one line: authors, place and publisher, year, extent."""
    authors = ", ".join(" ".join(filter(None, (each.given, each.family))) for each in reference.authors[:3])
    facts = (authors, reference.edition, imprint(reference), reference.extent)
    return ". ".join(filter(None, facts))[:_MAX_DESCRIPTION_LENGTH]


def entity_line(summary: EntitySummary, publications: int, language: PageLanguage) -> str:
    """Return what an entity is, its dates and the number of its publications (0: not known), in one line."""
    count = language.plural("%(num)s publication", "%(num)s publications", publications) if publications else ""
    return ", ".join(filter(None, (language.text(KINDS[summary.kind]), summary.lives, count)))


def imprint(reference: Reference) -> str:
    """Return place, publisher and year in one line, as on a title page."""
    parts = " : ".join(filter(None, ("; ".join(reference.places[:2]), "; ".join(reference.publishers[:2]))))
    return ", ".join(filter(None, (parts, reference.year)))


class SchemaWork(msgspec.Struct, frozen=True):
    """A work: itself, further titles, the codes of its languages, and other IRIs of it.

    ``examples`` are its editions with their years; ``related`` are other things by a property of schema.org.
    """

    thing: SchemaThing
    others: Sequence[str] = ()
    languages: Sequence[str] = ()
    same: Sequence[str] = ()
    examples: Sequence[tuple[SchemaThing, str]] = ()
    related: Mapping[str, Sequence[SchemaThing]] = {}


def work(described: SchemaWork) -> dict[str, object]:
    """Describe a work in terms of schema.org."""
    document: dict[str, object] = {
        "@context": "https://schema.org",
        **_thing(described.thing),
        "alternateName": list(described.others),
        "inLanguage": [language_tag(code) or code for code in described.languages],
        **{name: list(map(_thing, things)) for name, things in described.related.items()},
        "workExample": [
            {**_thing(thing), **({"datePublished": year[:4]} if year else {})} for thing, year in described.examples
        ],
        "sameAs": list(described.same),
    }
    return {key: value for key, value in document.items() if value}


def work_line(agents: Sequence[str], publications: int, language: PageLanguage) -> str:
    """Return in one line that something is a work, by whom, and the number of its publications."""
    count = language.plural("%(num)s publication", "%(num)s publications", publications) if publications else ""
    return ", ".join(filter(None, (language.text(KINDS["work"]), "; ".join(agents), count)))


def entity(
    thing: SchemaThing, years: Mapping[str, str], others: Sequence[str], same: Sequence[str]
) -> dict[str, object]:
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


def script_json(document: object) -> str:
    """Write JSON for a script element: no character in it ends the element."""
    text = msgspec.json.encode(document).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
