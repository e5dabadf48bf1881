"""The pages about what publications are linked to: persons, organisations, subjects, places, publishers, series."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import pyoxigraph as ox

from bibld.model.iris import Iris, is_web_iri
from bibld.model.origin import from_slug
from bibld.model.rdf import expand
from bibld.serve._graph import Label, Names, PointingThing
from bibld.serve._language import Message, PageLanguage, message, read_words
from bibld.serve._pages import codes, fields
from bibld.serve._pages.codes import name_of_file, number_in_file
from bibld.serve._pages.views import LinkGroup, PageLink
from bibld.text.classes import captions

KINDS = read_words()["entity_kind"]
"""The kinds of things with such a page, in words."""

SCHEMA_TYPES = {
    "person": "Person",
    "organisation": "Organization",
    "meeting": "Event",
    "concept": "DefinedTerm",
    "class": "CategoryCode",
    "genre": "DefinedTerm",
    "place": "Place",
    "publisher": "Organization",
    "series": "CreativeWorkSeries",
    "work": "CreativeWork",
}
"""Kind → class of schema.org."""

_CLASSES = {
    "foaf:Person": "person",
    "bf:Person": "person",
    "bf:Family": "family",
    "bf:Meeting": "meeting",
    "foaf:Organization": "organisation",
    "bf:Organization": "organisation",
}
_KIND_OF_CLASS = {expand(curie): kind for curie, kind in _CLASSES.items()}
_SAME = tuple(map(expand, ("owl:sameAs", "skos:exactMatch", "skos:closeMatch", "rdfs:seeAlso")))
_IS_PART_OF, _HAS_PART = expand("dcterms:isPartOf"), expand("dcterms:hasPart")
_BROAD_MATCH, _BROADER, _RELATED = map(expand, ("skos:broadMatch", "skos:broader", "skos:related"))
_REPLACED_BY = expand("dcterms:isReplacedBy")
_NOTES = tuple(map(expand, ("skos:definition", "skos:scopeNote", "skos:historyNote", "skos:note")))
_SCHEME, _CONCEPT_SCHEME = expand("skos:inScheme"), expand("skos:ConceptScheme")
_NOTATION = expand("skos:notation")
_DATE, _BIRTH, _DEATH = map(expand, ("bf:date", "schema:birthDate", "schema:deathDate"))
_IDENTIFIED, _VALUE, _TYPE, _LABEL = map(expand, ("bf:identifiedBy", "rdf:value", "rdf:type", "rdfs:label"))
_OTHER_NAME = expand("skos:altLabel")
_AUDIENCES = "concept/marctarget/"
_NAMED_IN_LANGUAGES = re.compile(r"(dataset|graph)(/|$)|agent/(library|isil)-|concept/[^/]*$")
_MAX_SLUG_OF_MAIN_CLASS = 9
_RELATOR = "http://id.loc.gov/vocabulary/relators/"

_BY_PREDICATE = {
    "dcterms:subject": "about",
    "dcterms:spatial": "about",
    "dcterms:temporal": "about",
    "dcterms:publisher": "published",
    "bf:place": "published",
    "bf:heldBy": "holds",
    "dcterms:isPartOf": "series",
    "bf:associatedResource": "series",
    "bf:genreForm": "genre",
    "bf:intendedAudience": "audience",
    "bf:subject": "about",
    "skos:inScheme": "scheme",
    "bf:source": "class",
    "dcterms:hasPart": "part",
    "skos:broader": "narrower",
    "skos:related": "related",
    "dcterms:creator": "cre",
    "dcterms:contributor": "ctb",
}
_ROLE_OF_PREDICATE = {expand(curie): role for curie, role in _BY_PREDICATE.items()}
_OF_WORKS = frozenset(map(expand, ("bf:agent", "bf:subject")))
"""Properties of works and of their contributions that their publications have, too, by other properties."""

_RANKS = {role: rank for rank, role in enumerate(("about", "published", "holds", "series", "genre"))}

ROLE_HEADINGS = read_words()["role_heading"]
"""How a thing is linked → the heading of the list."""

ROLES_WITHOUT_WORKS = frozenset(("holds", "genre", "audience", "scheme", "class", "part", "narrower", "related"))
"""The ways of linking that the names for searching do not know."""

_ABOUT_PERSON = message("Publications about this person")


class NumberInFile(msgspec.Struct, frozen=True):
    """A number in an authority file: the name of the file, the number, the address of the entry or empty."""

    file: str
    number: str
    address: str


class EntitySummary(msgspec.Struct, frozen=True):
    """What is stated about an entity. ``lives`` are the dates of a person as they are shown.

    ``years`` are the properties of schema.org with birth and death. ``absorbed`` are the IRIs on this site that lead
    here. ``broader``, ``related``, ``parts`` and ``used_instead`` are IRIs of other things.
    """

    kind: str
    lives: str
    years: Mapping[str, str]
    other_names: tuple[Label, ...]
    notations: tuple[str, ...]
    numbers: tuple[NumberInFile, ...]
    absorbed: tuple[str, ...]
    schemes: tuple[str, ...]
    broader: tuple[str, ...]
    parts: tuple[str, ...]
    related: tuple[str, ...] = ()
    used_instead: tuple[str, ...] = ()
    notes: tuple[Label, ...] = ()


def kind_of_entity(path: str, types: Iterable[str]) -> str:
    """Return a key of ``KINDS`` for a path and the classes of the thing."""
    folder = path.partition("/")[0]
    if folder != "agent":
        return folder if folder in KINDS else "graph"
    kinds = {_KIND_OF_CLASS[each] for each in types if each in _KIND_OF_CLASS}
    return next((kind for kind in ("person", "family", "meeting", "organisation") if kind in kinds), "agent")


def _kind_of_concept(path: str, values: Mapping[str, Sequence[str]]) -> str:
    """Return a key of ``KINDS`` for a subject, a class mark, an audience, or the list that contains such things."""
    if _CONCEPT_SCHEME in values.get(_TYPE, ()):
        return "scheme"
    if path.startswith(_AUDIENCES):
        return "audience"
    return "class" if _NOTATION in values else "concept"


class NamesInLanguage:
    """The names of things for readers of one language.

    Lists of headings, main classes, libraries, datasets and graphs have a name in each language, and the one in the
    language of the page is the best; the words for an audience are translated. All other names are those of the data.
    """

    def __init__(self, names: Names, iris: Iris, language: PageLanguage) -> None:
        self._names = names
        self._iris = iris
        self._language = language

    def labels(self, thing: str) -> list[Label]:
        """Return the names of a thing, the best for a reader first."""
        labels = self._names.labels(thing)
        path = self._iris.path(thing) or ""
        if path.startswith(_AUDIENCES):
            words = ((codes.words_of(codes.AUDIENCE_LABELS, label.text, self._language), label) for label in labels)
            return [label if text == label.text else Label(text, self._language.tag) for text, label in words]
        if _caption(path, self._language.tag) or _NAMED_IN_LANGUAGES.match(path):
            return sorted(labels, key=lambda label: label.language != self._language.tag)
        return labels

    def titles(self, things: Iterable[str]) -> dict[str, str]:
        """Return the best name of each thing that has one."""
        found = self._names.titles(things)
        return {thing: self.title(self._iris.path(thing) or "", title) for thing, title in found.items()}

    def title(self, path: str, title: str) -> str:
        """Return the best name of the thing with a path, whose title in the release is known."""
        if caption := _caption(path, self._language.tag):
            return caption
        if _NAMED_IN_LANGUAGES.match(path) or path.startswith(_AUDIENCES):
            return next((label.text for label in self.labels(self._iris.base + path)), title)
        return title


def _caption(path: str, language: str) -> str:
    """Return the mark of a main class and what it is about; empty for all else."""
    folder, _, rest = path.partition("/")
    scheme, _, slug = rest.partition("/")
    if folder != "concept" or len(slug) > _MAX_SLUG_OF_MAIN_CLASS:
        return ""
    mark = from_slug(slug)
    return next((f"{mark} {text}" for text, tag in captions(scheme, mark) if tag == language), "")


def entity_summary(
    thing: str, path: str, triples: Sequence[ox.Triple], base: str, sources: Mapping[str, str], language: PageLanguage
) -> EntitySummary:
    """Read what triples state about a thing; ``sources`` are labels of libraries by their ids."""
    values: dict[str, list[str]] = {}
    nodes: dict[str, dict[str, list[str]]] = {}
    names: list[Label] = []
    notes: list[Label] = []
    for triple in triples:
        if not isinstance(triple.subject, ox.NamedNode) or isinstance(triple.object, ox.Triple):
            continue
        subject, predicate, value = triple.subject.value, triple.predicate.value, triple.object.value
        if subject == thing:
            values.setdefault(predicate, []).append(value)
            if predicate == _OTHER_NAME and isinstance(triple.object, ox.Literal):
                names.append(Label(value, triple.object.language or ""))
            elif predicate in _NOTES:
                notes.append(Label(value, fields.language_of(value)))
        elif subject.startswith(f"{thing}#"):
            nodes.setdefault(subject, {}).setdefault(predicate, []).append(value)
        elif predicate in _SAME and value == thing:
            values.setdefault(predicate, []).append(subject)
    same = list(dict.fromkeys(value for each in _SAME for value in values.get(each, ())))
    numbers = [
        NumberInFile(name_of_file(iri, language), number_in_file(iri), iri)
        for iri in same
        if not iri.startswith(base) and is_web_iri(iri)
    ]
    for node in values.get(_IDENTIFIED, ()):
        numbers += [_number(value, nodes[node], sources, language) for value in nodes.get(node, {}).get(_VALUE, ())]

    def all_of(predicates: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for each in predicates for value in values.get(each, ())))

    birth, death = (next(iter(values.get(each, ())), "") for each in (_BIRTH, _DEATH))
    stated = next(iter(values.get(_DATE, ())), "")
    kind = kind_of_entity(path, values.get(_TYPE, ()))
    kind = _kind_of_concept(path, values) if kind == "concept" else kind
    return EntitySummary(
        kind=kind,
        lives=stated.replace("-", "–") or (f"{birth}–{death}" if birth or death else ""),
        years={name: year for name, year in (("birthDate", birth), ("deathDate", death)) if year},
        other_names=tuple(names),
        notations=all_of((_NOTATION,)),
        numbers=tuple(dict.fromkeys(numbers)),
        absorbed=tuple(iri for iri in same if iri.startswith(base)),
        schemes=all_of((_SCHEME,)),
        broader=all_of((_IS_PART_OF, _BROAD_MATCH, *((_BROADER,) if kind != "class" else ()))),
        parts=all_of((_HAS_PART,)),
        related=all_of((_RELATED,)),
        used_instead=all_of((_REPLACED_BY,)),
        notes=tuple(notes),
    )


def _number(
    value: str, node: Mapping[str, Sequence[str]], sources: Mapping[str, str], language: PageLanguage
) -> NumberInFile:
    """Return an identifier with the name of its file: that of its class, or the library whose number it is."""
    source, colon, number = value.partition(":")
    if colon and source in sources:
        return NumberInFile(sources[source], number, "")
    kind = next((each.rpartition("/")[2] for each in node.get(_TYPE, ())), "")
    if kind in ("", "Local", "Identifier"):
        return NumberInFile(language.text(message("Local number")), value, "")
    return NumberInFile(kind.upper() if len(kind) <= 5 else kind, value, "")


def role_of(pointing: PointingThing) -> str:
    """Return how a thing points to an entity: a relator code, a key of ``ROLE_HEADINGS``, or empty."""
    predicates = {predicate for _, predicate in pointing.statements}
    relators = sorted(each.removeprefix(_RELATOR) for each in predicates if each.startswith(_RELATOR))
    if relators:
        return relators[0]
    roles = {_ROLE_OF_PREDICATE[each] for each in predicates if each in _ROLE_OF_PREDICATE}
    ordered = sorted(roles, key=lambda role: (_RANKS.get(role, len(_RANKS)), role))
    return ordered[0] if ordered else ""


def is_stated_twice(pointing: PointingThing, base: str) -> bool:
    """Whether a thing is a work that points only as its publications do, or as one who made it."""
    is_work = pointing.iri.startswith(f"{base}work/")
    return is_work and all(predicate in _OF_WORKS for _, predicate in pointing.statements)


def role_heading(role: str, kind: str, language: PageLanguage) -> str:
    """Return the heading of a list of publications that are linked in one way."""
    if role == "about" and kind == "person":
        return language.text(_ABOUT_PERSON)
    heading: Message | None = ROLE_HEADINGS.get(role)
    if heading is not None:
        return language.text(heading)
    words = codes.role_words(role, language)
    return words[:1].upper() + words[1:] if words else role


def role_lists(
    things: Iterable[PointingThing], links: Mapping[str, PageLink], kind: str, language: PageLanguage
) -> list[LinkGroup]:
    """Group things that point to an entity by their roles, those with most links first; in each by title."""
    groups: dict[str, list[PageLink]] = {}
    for thing in things:
        link = links.get(thing.iri)
        if link is not None:
            groups.setdefault(role_of(thing), []).append(link)
    found = [
        LinkGroup(
            role_heading(role, kind, language),
            tuple(sorted(group, key=lambda link: (link.remark or "9999", link.text.casefold(), link.href))),
            role,
        )
        for role, group in groups.items()
    ]
    return sorted(found, key=lambda each: (-len(each.links), each.role))


def distinct_names(labels: Sequence[Label], others: Sequence[Label]) -> tuple[Label, ...]:
    """Return the forms of a name after the first, each text once, with the language that is stated for it."""
    texts: dict[str, str] = {}
    for label in (*labels, *others):
        if label.text not in texts or not texts[label.text]:
            texts[label.text] = label.language or fields.language_of(label.text)
    return tuple(Label(text, tag) for text, tag in texts.items() if not labels or text != labels[0].text)
