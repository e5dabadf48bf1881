"""What the documents of a release state that is searched for, read from their lines without parsing all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property

import msgspec

from bibld.documents import LABELS, Document, read_literal
from bibld.model.origin import from_slug
from bibld.model.rdf import term
from bibld.search._words import tokens_of

AUTHOR, SUBJECT, PUBLISHER, SERIES, PLACE = FACET_LINKS = ("author", "subject", "publisher", "series", "place")
"""How publications are linked to things that they can be counted by; also the names of facets."""

WORK = "work"
LINK_FIELDS = (*FACET_LINKS, WORK)
"""How publications are linked to other things; also the names of fields of the index."""


class EntryKind(StrEnum):
    """What a name is the name of."""

    PUBLICATION = "publication"
    PERSON = "person"
    ORGANISATION = "organisation"
    SUBJECT = "subject"
    PLACE = "place"
    PUBLISHER = "publisher"
    SERIES = "series"
    WORK = "work"


KINDS = tuple(EntryKind)
ENTITY_FOLDERS = ("agent", "concept", "place", "publisher", "series", "work")
PUBLICATIONS = "resource"
_KIND_OF_FOLDER = {
    "concept": EntryKind.SUBJECT,
    "place": EntryKind.PLACE,
    "publisher": EntryKind.PUBLISHER,
    "series": EntryKind.SERIES,
    "work": EntryKind.WORK,
}
_MAX_FORMS = 12
_CONTENTS_LIMIT = 1500
"""Characters of a table of contents or an abstract."""

_YEAR = re.compile(rb'"[^"]{0,12}?(?<!\d)([12]\d(?:\d\d|\dX|XX))(?!\d)')
_RELATORS = b"http://id.loc.gov/vocabulary/relators/"
_LANGUAGES = b"http://id.loc.gov/vocabulary/iso639-2/"
_TYPE_OF_CLASS = {
    term(curie).encode()[1:-1]: kind
    for curie, kind in (
        ("bibo:MultiVolumeBook", "multivolume"), ("bibo:Thesis", "thesis"), ("bibo:Article", "article"),
        ("bibo:Periodical", "periodical"), ("bibo:Series", "periodical"), ("bibo:Book", "book"),
        ("schema:SheetMusic", "music"),
        ("bibo:AudioDocument", "audio"), ("bibo:AudioVisualDocument", "video"), ("bibo:Map", "map"),
        ("bibo:Image", "image"), ("bibo:Manuscript", "manuscript"), ("bibo:Collection", "collection"),
    )
}  # fmt: skip
"""Classes of publications → types; of several, the one that is named first here counts."""

_RANK_OF_TYPE = {kind: rank for rank, kind in enumerate(dict.fromkeys(_TYPE_OF_CLASS.values()))}
_PERSON = term("foaf:Person").encode()


def type_of_classes(classes: Iterable[str]) -> str:
    """Return the type of a publication, one of ``TYPES``, by the IRIs of its classes."""
    return _first_type(_TYPE_OF_CLASS[iri] for each in classes if (iri := each.encode()) in _TYPE_OF_CLASS)


def _first_type(types: Iterable[str]) -> str:
    return min(types, key=_RANK_OF_TYPE.__getitem__, default="other")


def _names(*curies: str) -> frozenset[bytes]:
    return frozenset(term(curie).encode()[1:-1] for curie in curies)


_LABELS = frozenset(label[1:-1] for label in LABELS)
_ALT_LABEL = _names("skos:altLabel", "skos:hiddenLabel")
_INSTANCE_OF, _TRANSLATION_OF, _PART_OF, _AGENT, _PRIMARY, _FULL_TEXT = (
    term(curie).encode()[1:-1]
    for curie in (
        *("bf:instanceOf", "bf:translationOf", "bf:partOf", "bf:agent", "bf:PrimaryContribution"),
        "bf:electronicLocator",
    )
)
_CONTRIBUTION = re.compile(rb"#(agent/[^>/]*)> <([^>]*)> <([^>]*)>")
"""Path of the agent, predicate and object of a line about a contribution to a work."""

_LANGUAGE_OF_WORK = term("bf:language").encode()[1:-1]
_ISSUED = _names("dcterms:issued", "dcterms:created", "dcterms:date")
_CONTENTS = _names("dcterms:tableOfContents", "dcterms:abstract")
_LISTS = {
    "titles": _LABELS,
    "variants": _names("dcterms:alternative"),
    "statements": _names("bf:responsibilityStatement"),
    "imprints": _names("bf:publicationStatement", "bf:productionStatement", "bf:distributionStatement"),
    "editions": _names("bibo:edition", "bibo:volume", "bibo:issue"),
}
_LIST_OF_TEXT = {predicate: name for name, predicates in _LISTS.items() for predicate in predicates}
_AGENT_LINKS = _names("dcterms:creator", "dcterms:contributor")
_LINKS = {
    term("dcterms:subject").encode()[1:-1]: SUBJECT,
    term("dcterms:spatial").encode()[1:-1]: SUBJECT,
    term("dcterms:publisher").encode()[1:-1]: PUBLISHER,
    term("dcterms:isPartOf").encode()[1:-1]: SERIES,
    term("bf:place").encode()[1:-1]: PLACE,
    term("bf:agent").encode()[1:-1]: PUBLISHER,
}
_FOLDERS_OF_FIELD = {
    SUBJECT: (b"concept/", b"agent/", b"work/", b"place/"),
    PUBLISHER: (b"publisher/",),
    SERIES: (b"series/",),
    PLACE: (b"place/",),
}
_ISBNS = _names("bibo:isbn13", "bibo:isbn10")
_NUMBERS = _names("bibo:issn", "bibo:doi", "bibo:lccn", "bibo:oclcnum", "bibo:gtin14", "bibo:upc")
_RECORDS = _names("prov:wasDerivedFrom")
_TYPE = term("rdf:type").encode()[1:-1]
_LANGUAGE = term("dcterms:language").encode()[1:-1]
_VALUE = term("rdf:value").encode()[1:-1]
_PARTS_OF_TITLE = _names("bf:partNumber", "bf:partName")
_SAME = _names("owl:sameAs", "skos:exactMatch")
_BIRTH, _DEATH = (term(curie).encode()[1:-1] for curie in ("schema:birthDate", "schema:deathDate"))


class LiteralText(msgspec.Struct, frozen=True):
    """A literal; ``language`` is a tag, or empty."""

    value: str
    language: str


class LinkedPath(msgspec.Struct, frozen=True, order=True):
    """A link of a publication: ``field`` is one of ``LINK_FIELDS``, ``role`` that of an agent.

    The role is a code of MARC relators, ``creator`` or ``contributor``.
    """

    field: str
    role: str
    path: str


class Publication(msgspec.Struct):
    """What is searched for of a publication."""

    path: str
    title: str
    titles: list[LiteralText]
    variants: list[LiteralText]
    statements: list[LiteralText]
    imprints: list[LiteralText]
    editions: list[LiteralText]
    parts: list[LiteralText]
    contents: list[LiteralText]
    year: int | None
    date: str
    type: str
    is_merged: bool
    languages: list[str]
    links: list[LinkedPath]
    records: list[str]
    isbns: list[str]
    numbers: list[str]
    works: list[str]
    is_online: bool = False

    @property
    def libraries(self) -> list[str]:
        """The ids of the sources whose records describe the publication."""
        return list(dict.fromkeys(record.partition("/")[0] for record in self.records))


class StoredWork(msgspec.Struct, frozen=True, array_like=True):
    """What is stored of a work beside its names.

    ``titles`` are the preferred ones, one for each language; ``creators`` are paths of agents, the main ones first;
    ``wholes`` are paths of works that it is a part of, ``originals`` of those that it is a translation of.
    """

    titles: tuple[str, ...]
    creators: tuple[str, ...]
    languages: tuple[str, ...]
    wholes: tuple[str, ...]
    originals: tuple[str, ...]


class StoredName(msgspec.Struct, frozen=True, array_like=True, tag_field="tagged", tag=1, dict=True):
    """What is stored of any other thing: ``title`` is its name, ``forms`` are further ones.

    ``is_linked``: to a record of an outside authority. ``tags`` are the languages of the name and of ``forms``.
    ``work``: of a work alone.
    """

    path: str
    title: str
    kind: EntryKind
    forms: tuple[str, ...]
    birth: str
    death: str
    is_linked: bool
    tags: tuple[str, ...]
    work: StoredWork | None = None

    @cached_property
    def tokens(self) -> str:
        """The tokens by which the thing, and the publications that link to it, are found."""
        forms = zip((self.title, *self.forms), self.tags, strict=True)
        lives = [life for life in (self.birth, self.death) if life]
        return joined_tokens([LiteralText(form, tag) for form, tag in forms], *lives)


def joined_tokens(texts: Iterable[LiteralText], *tokens: str) -> str:
    """Return the tokens of texts, each text once, and further tokens."""
    distinct = dict.fromkeys(texts)
    return " ".join([token for text in distinct for token in tokens_of(text.value, text.language)] + list(tokens))


class DocumentReader:
    """Reads documents of a dataset whose IRIs begin with ``base``."""

    def __init__(self, base: str) -> None:
        self._base = base.encode()

    def read_name(self, document: Document) -> StoredName | None:
        """Return what a document names; None if it has no name or is of a kind that is not searched for."""
        folder = document.path.partition("/")[0]
        if document.status != 200 or folder not in ENTITY_FOLDERS:
            return None
        names = {document.title: ""} if document.title else {}
        others: dict[str, str] = {}
        birth = death = ""
        is_linked = False
        about = _region(document.quads.split(b"\n"), b"<" + self._base + document.path.encode() + b"> ")
        for predicate, value in about:
            if predicate in _LABELS or predicate in _ALT_LABEL:
                text = _text(value)
                (names if predicate in _LABELS else others)[text.value] = text.language
            elif predicate == _BIRTH:
                birth = _text(value).value[:4]
            elif predicate == _DEATH:
                death = _text(value).value[:4]
            elif predicate in _SAME and not value.startswith(b"<" + self._base):
                is_linked = True
        names |= {name: tag for name, tag in others.items() if name not in names}
        if not names:
            return None
        title = document.title or next(iter(names))
        forms = list({title: "", **names}.items())[:_MAX_FORMS]
        kind = _KIND_OF_FOLDER.get(folder)
        if kind is None:
            kind = EntryKind.PERSON if _PERSON in document.quads else EntryKind.ORGANISATION
        tags = tuple(tag for _, tag in forms)
        work = self._read_work(document, about) if kind == EntryKind.WORK else None
        return StoredName(
            document.path, title, kind, tuple(form for form, _ in forms[1:]), birth, death, is_linked, tags, work
        )

    def _read_work(self, document: Document, about: Iterable[tuple[bytes, bytes]]) -> StoredWork:
        titles: list[str] = []
        languages: list[str] = []
        wholes: list[bytes] = []
        originals: list[bytes] = []
        for predicate, value in about:
            if predicate in _LABELS:
                titles.append(_text(value).value)
            elif predicate == _LANGUAGE_OF_WORK:
                languages.append(_iri(value).removeprefix(_LANGUAGES).decode())
            elif predicate == _PART_OF:
                wholes.append(_iri(value))
            elif predicate == _TRANSLATION_OF:
                originals.append(_iri(value))
        return StoredWork(
            tuple(dict.fromkeys(titles)),
            self._creators(document),
            tuple(languages),
            tuple(self._works_of(wholes)),
            tuple(self._works_of(originals)),
        )

    def _creators(self, document: Document) -> tuple[str, ...]:
        """Return the paths of the agents of the contributions to a work, those of primary ones first."""
        stated = _CONTRIBUTION.findall(document.quads)
        primary = {agent for agent, predicate, value in stated if predicate == _TYPE and value == _PRIMARY}
        agents = {agent for agent, predicate, _ in stated if predicate == _AGENT}
        return tuple(agent.decode() for agent in sorted(agents, key=lambda agent: (agent not in primary, agent)))

    def _works_of(self, iris: Iterable[bytes]) -> list[str]:
        """Return the paths of works of the dataset by their IRIs, sorted."""
        start = self._base + b"work/"
        return sorted(iri[len(self._base) :].decode() for iri in iris if iri.startswith(start) and b"#" not in iri)

    def read_publication(self, document: Document) -> Publication | None:
        """Return what a document states of a publication; None if it has no title or describes something else."""
        if document.status != 200 or not document.path.startswith(f"{PUBLICATIONS}/"):
            return None
        found = Publication(
            document.path, document.title, [], [], [], [], [], [], [], None, "", "other", False, [], [], [], [], [], []
        )
        kinds: list[str] = []
        roles: dict[str, list[str]] = {}
        lines, start = document.quads.split(b"\n"), b"<" + self._base + document.path.encode()
        for predicate, value in _region(lines, start + b"> "):
            if value.startswith(b"<"):
                self._add_link(found, predicate, value, kinds, roles)
            else:
                _add_text(found, predicate, value)
        for path, agent_roles in sorted(roles.items(), key=lambda item: "creator" not in item[1]):
            named = [role for role in dict.fromkeys(agent_roles) if len(role) == 3]
            found.links += [LinkedPath(AUTHOR, role, path) for role in named or agent_roles[:1]]
        found.type = _first_type(kinds)
        found.is_merged = len(found.records) > 1
        self._add_parts(found, lines, start)
        found.links = list(dict.fromkeys(found.links))
        found.isbns = list(dict.fromkeys(found.isbns))
        if not found.title and not found.titles:
            return None
        found.title = found.title or found.titles[0].value
        return found

    def _add_link(
        self, found: Publication, predicate: bytes, value: bytes, kinds: list[str], roles: dict[str, list[str]]
    ) -> None:
        iri = value[1 : value.index(b">")]
        if predicate == _TYPE:
            kinds += [_TYPE_OF_CLASS[iri]] if iri in _TYPE_OF_CLASS else []
        elif predicate == _LANGUAGE:
            found.languages.append(iri.removeprefix(_LANGUAGES).decode())
        elif predicate in _RECORDS:
            found.records.append(iri.removeprefix(self._base + b"record/").decode())
        elif predicate in _AGENT_LINKS or predicate.startswith(_RELATORS):
            path = iri.removeprefix(self._base)
            if path.startswith(b"agent/"):
                role = predicate.removeprefix(_RELATORS).rpartition(b"/")[2].decode()
                roles.setdefault(path.decode(), []).append(role)
        elif predicate == _FULL_TEXT:
            found.is_online = True
        elif predicate == _INSTANCE_OF:
            found.works += self._works_of([iri])
        elif (field := _LINKS.get(predicate)) is not None:
            self._add_thing(found, field, iri)

    def _add_thing(self, found: Publication, field: str, iri: bytes) -> None:
        if iri.startswith(self._base):
            path = iri[len(self._base) :]
            if path.startswith(_FOLDERS_OF_FIELD[field]) and b"#" not in path:
                found.links.append(LinkedPath(field, "", path.decode()))

    def _add_parts(self, found: Publication, lines: Sequence[bytes], start: bytes) -> None:
        """Add what is stated of parts: places of publication, numbers of volumes, identifiers."""
        for predicate, value in _region(lines, start + b"#provision"):
            if value.startswith(b"<") and (field := _LINKS.get(predicate)) is not None:
                self._add_thing(found, field, value[1 : value.index(b">")])
        for predicate, value in _region(lines, start + b"#title"):
            if predicate in _PARTS_OF_TITLE:
                found.parts.append(_text(value))
        for predicate, value in _region(lines, start + b"#identifier"):
            if predicate == _VALUE:
                found.numbers.append(_text(value).value)


def _add_text(found: Publication, predicate: bytes, value: bytes) -> None:
    if (name := _LIST_OF_TEXT.get(predicate)) is not None:
        getattr(found, name).append(_text(value))
    elif predicate in _CONTENTS:
        found.contents.append(LiteralText(_text(value).value[:_CONTENTS_LIMIT], "en"))
    elif predicate in _ISSUED:
        if found.year is None and (year := _YEAR.match(value)) is not None:
            found.date = year[1].decode().replace("X", "-")
            found.year = int(year[1].replace(b"X", b"0"))
    elif predicate in _ISBNS:
        found.isbns.append(_text(value).value)
    elif predicate in _NUMBERS:
        found.numbers.append(_text(value).value)


def _region(lines: Iterable[bytes], start: bytes) -> list[tuple[bytes, bytes]]:
    """Return predicate and rest of the lines that begin with something."""
    behind = len(start)
    # Of each line: what is left of the subject, the predicate after "<", and the rest after "> ".
    rests = [line[behind:].partition(b"<")[2].partition(b"> ") for line in lines if line.startswith(start)]
    return [(predicate, value) for predicate, _, value in rests]


def _iri(rest: bytes) -> bytes:
    """Return the IRI with which the rest of a line begins."""
    return rest[1 : rest.index(b">")]


def _text(rest: bytes) -> LiteralText:
    """Return the literal with which the rest of a line begins."""
    return LiteralText(*read_literal(rest))


def control_numbers(records: Iterable[str]) -> list[str]:
    """Return the control numbers of records by their paths."""
    return [from_slug(record.partition("/")[2]) for record in records]
