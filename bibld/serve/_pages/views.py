"""The contents of pages as values: marked fields, records side by side, links to entities, triples, downloads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

import msgspec
import pyoxigraph as ox

from bibld.model.iris import Iris, is_web_iri
from bibld.model.origin import RecordId, from_slug
from bibld.serve._addresses import Addresses
from bibld.serve._graph import Names, labels_among
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import fields
from bibld.serve._pages.codes import term_words
from bibld.serve._pages.facts import folded
from bibld.text.keys import is_class_mark

ENTITY_KINDS = {
    "agent": message("Person or organisation"),
    "concept": message("Subject"),
    "place": message("Place"),
    "publisher": message("Publisher"),
    "series": message("Series"),
    "resource": message("Publication"),
    "record": message("Source record"),
    "match": message("Match"),
}
"""First segment of a path → what it is, for people."""

_ENTITY_FOLDERS = frozenset(ENTITY_KINDS) - {"resource", "record", "match"}
_ORDER_OF_KINDS: dict[str, int] = {kind: place for place, kind in enumerate(ENTITY_KINDS.values())}
_REMEMBERED_ENTITIES = 4096

_RANKS = {group: rank for rank, group in enumerate(fields.GROUPS)}
_ABOUT_RECORDS = _RANKS[fields.ABOUT_RECORD]


class ComparedCell(msgspec.Struct, frozen=True):
    """The values of one record in one row; ``differs``: not all records have the same."""

    values: tuple[fields.FieldValue, ...]
    differs: bool


class SideBySide(msgspec.Struct, frozen=True):
    """Records side by side: ``rows`` of label and one cell for each of ``records``.

    ``signs`` are sign and meaning by the label of a row: whether its values are equal.
    """

    records: tuple[RecordId, ...]
    rows: tuple[tuple[str, tuple[ComparedCell, ...]], ...]
    signs: Mapping[str, tuple[str, str]] = {}


class PageLink(msgspec.Struct, frozen=True):
    """A link with its text, the language of the text, a count (0: none), a remark, and what it leads to, in words.

    ``path`` is that on this site, empty where it does not matter.
    """

    href: str
    text: str
    language: str = ""
    count: int = 0
    remark: str = ""
    kind: str = ""
    path: str = ""


class LinkGroup(msgspec.Struct, frozen=True):
    """Links below a heading; ``role`` is how the things are linked, where that matters."""

    heading: str
    links: tuple[PageLink, ...]
    role: str = ""


def values_side_by_side(records: Sequence[tuple[RecordId, Sequence[fields.FieldValue]]]) -> SideBySide:
    """Put the values of records side by side; rows are in the order of the fields."""
    columns: list[dict[tuple[int, str], list[fields.FieldValue]]] = []
    for _, values in records:
        column: dict[tuple[int, str], list[fields.FieldValue]] = {}
        for value in values:
            column.setdefault((_RANKS[value.group], value.label), []).append(value)
        columns.append(column)
    keys = dict.fromkeys(key for column in columns for key in column)
    rows = []
    for key in sorted(keys, key=lambda key: key[0]):
        cells = [column.get(key, []) for column in columns]
        differs = len(cells) > 1 and key[0] != _ABOUT_RECORDS and len(set(map(_contents, cells))) > 1
        rows.append((key[1], tuple(ComparedCell(tuple(cell), differs) for cell in cells)))
    return SideBySide(tuple(record for record, _ in records), tuple(rows))


def _contents(cell: Iterable[fields.FieldValue]) -> tuple[str, ...]:
    return tuple(sorted(folded(value.text + value.remark) for value in cell))


GENRE = message("Genre")
"""What a heading is for the publications that have it as their genre."""

NamedEntity = tuple[PageLink, frozenset[str]]
"""The link to an entity, and all folded forms of its name."""


class EntityLinks:
    """Finds the links to the entities of a release; many publications link the same ones, so they are remembered."""

    def __init__(self, names: Names, addresses: Addresses) -> None:
        self._addresses = addresses
        self._labels = lru_cache(maxsize=_REMEMBERED_ENTITIES)(names.labels)
        self._find_remembered = lru_cache(maxsize=_REMEMBERED_ENTITIES)(self._find)

    def among(self, iris: Iterable[str]) -> list[NamedEntity]:
        """Return the entities among the things that a description points to, by kind and name."""
        entities = (iri for iri in dict.fromkeys(iris) if self._is_entity(iri))
        found = [entity for iri in entities if (entity := self._find_remembered(iri)) is not None]
        return sorted(found, key=lambda pair: (_ORDER_OF_KINDS[pair[0].kind], pair[0].text))

    def forms(self, iris: Iterable[str]) -> list[tuple[str, list[str]]]:
        """Return the forms of the names of things by their IRIs."""
        return [(iri, [label.text for label in self._labels(iri)]) for iri in dict.fromkeys(iris)]

    def _is_entity(self, iri: str) -> bool:
        path = self._addresses.iris.path(iri) if "#" not in iri else None
        return path is not None and path.partition("/")[0] in _ENTITY_FOLDERS

    def _find(self, iri: str) -> NamedEntity | None:
        path = self._addresses.iris.path(iri) or ""
        kind = ENTITY_KINDS[path.partition("/")[0]]
        labels = self._labels(iri)
        if not labels:
            return None
        language = labels[0].language or fields.language_of(labels[0].text)
        link = PageLink(self._addresses.href(iri) or "", labels[0].text, language, kind=kind, path=path)
        return link, frozenset(folded(label.text) for label in labels)


def by_kind(entities: Iterable[NamedEntity], genres: Set[str], subjects: Set[str]) -> list[tuple[str, list[PageLink]]]:
    """Return the links to entities by kind, in the order of the kinds.

    ``genres`` and ``subjects`` are the folded headings of a publication: one that it has only as its genre is no
    subject of it.
    """
    groups: dict[str, list[PageLink]] = {kind: [] for kind in (*ENTITY_KINDS.values(), GENRE)}
    for link, names in entities:
        is_genre = link.kind == ENTITY_KINDS["concept"] and names & genres and not names & subjects
        groups[GENRE if is_genre else link.kind].append(link)
    return [(kind, links) for kind, links in groups.items() if links]


def links_by_text(entities: Iterable[NamedEntity]) -> dict[str, str]:
    """Return folded name → path, for names that belong to one entity only."""
    found: dict[str, str] = {}
    ambiguous: set[str] = set()
    for link, names in entities:
        for name in names:
            if found.setdefault(name, link.href) != link.href:
                ambiguous.add(name)
    return {name: href for name, href in found.items() if name and name not in ambiguous}


class StatementRow(msgspec.Struct, frozen=True):
    """A triple for people: predicate and value as short texts, with a link where possible."""

    subject: str
    predicate: str
    predicate_href: str | None
    text: str
    href: str | None
    is_foreign: bool
    language: str
    datatype: str


def statements(
    triples: Iterable[ox.Triple],
    thing: str,
    names: Names,
    addresses: Addresses,
    prefixes: Mapping[str, str],
    language: PageLanguage,
) -> list[StatementRow]:
    """Return triples in their order, those of the thing itself before those of its hash IRIs."""
    listed = [triple for triple in triples if isinstance(triple.subject, ox.NamedNode)]
    objects = {triple.object.value for triple in listed if isinstance(triple.object, ox.NamedNode)}
    titles = names.titles(iri for iri in objects if "#" not in iri and iri.startswith(addresses.iris.base))
    for iri, labels in labels_among(listed).items():
        if "#" in iri or iri in titles:
            titles[iri] = next((label for label in labels if label.language == language.tag), labels[0]).text
    titles |= {iri: words for iri in objects if (words := term_words(iri, language))}
    short: dict[str, str] = {iri: compact(iri, prefixes) for iri in {each.predicate.value for each in listed}}
    fragments = {
        subject: "" if subject == thing else compact(subject.removeprefix(thing), prefixes)
        for subject in {each.subject.value for each in listed if isinstance(each.subject, ox.NamedNode)}
    }
    rows = []
    for triple in listed:
        text, href, tag, datatype = _value(triple.object, titles, addresses, prefixes)
        predicate = triple.predicate.value
        rows.append(
            StatementRow(
                fragments[triple.subject.value] if isinstance(triple.subject, ox.NamedNode) else "",
                short[predicate],
                addresses.href(predicate),
                text,
                href,
                href is not None and not href.startswith("/"),
                tag,
                datatype,
            )
        )
    return sorted(rows, key=lambda row: row.subject)


def _value(
    term: object, titles: Mapping[str, str], addresses: Addresses, prefixes: Mapping[str, str]
) -> tuple[str, str | None, str, str]:
    if isinstance(term, ox.NamedNode):
        here = addresses.href(term.value)
        if here is None:
            text = titles.get(term.value) or compact(term.value, prefixes)
            return text, term.value if is_web_iri(term.value) else None, "", ""
        text = titles.get(term.value) or compact(term.value, prefixes, addresses.iris)
        return text, here, fields.language_of(text), ""
    if isinstance(term, ox.Literal):
        datatype = "" if term.language else compact(term.datatype.value, prefixes)
        shown = "" if datatype == "xsd:string" else datatype
        return term.value, None, term.language or fields.language_of(term.value), shown
    return str(term), None, "", ""


def compact(iri: str, prefixes: Mapping[str, str], iris: Iris | None = None) -> str:
    """Shorten an IRI to prefix and local name, or (one of this dataset) to its path with slugs decoded, if possible."""
    if iris is not None and iri.startswith(iris.base) and iri != iris.base:
        return "/".join(map(_readable, iri[len(iris.base) :].split("/")))
    matching = [(name, space) for name, space in prefixes.items() if iri.startswith(space) and iri != space]
    if not matching:
        return iri
    name, space = max(matching, key=lambda pair: len(pair[1]))
    return f"{name}:{iri[len(space) :]}"


def _readable(slug: str) -> str:
    try:
        return from_slug(slug)
    except ValueError:
        return slug


class Partition(msgspec.Struct, frozen=True):
    """How often a class or a property is used (VoID, 4.6); ``href`` where it may be a link."""

    kind: str
    text: str
    href: str | None
    count: int


def partitions(triples: Iterable[ox.Triple], addresses: Addresses, prefixes: Mapping[str, str]) -> list[Partition]:
    """Return the class and property partitions among the statements about a dataset, the most frequent first."""
    statements: dict[str, dict[str, object]] = {}
    void = prefixes["void"]
    for triple in triples:
        name = triple.predicate.value.removeprefix(void)
        if name in ("class", "property", "entities", "triples") and isinstance(triple.subject, ox.NamedNode):
            statements.setdefault(triple.subject.value, {})[name] = triple.object
    found = []
    for values in statements.values():
        for kind, number in (("class", "entities"), ("property", "triples")):
            term, count = values.get(kind), values.get(number)
            if isinstance(term, ox.NamedNode) and isinstance(count, ox.Literal) and count.value.isdecimal():
                href = addresses.href(term.value) or (term.value if is_web_iri(term.value) else None)
                found.append(Partition(kind, compact(term.value, prefixes), href, int(count.value)))
    return sorted(found, key=lambda each: (each.kind, -each.count, each.text))


def is_of_partition(triple: ox.Triple, thing: str) -> bool:
    """Whether a statement is of a class or property partition of a dataset, or leads to one."""
    return any(
        isinstance(term, ox.NamedNode) and term.value.startswith((f"{thing}#class", f"{thing}#property"))
        for term in (triple.subject, triple.object)
    )


def is_worth_a_visit(path: str, text: str) -> bool:
    """Whether an entity is worth a link: no list of headings, no value that most publications have, no class mark."""
    folder, _, rest = path.partition("/")
    scheme, slash, _ = rest.partition("/")
    return folder != "concept" or (bool(slash) and scheme != "marctarget" and not is_class_mark(scheme, text))
