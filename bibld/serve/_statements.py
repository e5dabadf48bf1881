"""What documents state: about the thing, about themselves, and page by page what points to an entity.

A release prepares the documents of most things. Those of the others are made here from its store and the catalog, which
takes some milliseconds: of the dataset, its graphs and the ontology, and all of a release of an earlier bibld.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

import pyoxigraph as ox

from bibld.documents import Document
from bibld.model.iris import Iris, record_of_path
from bibld.model.rdf import DELETED, WITHDRAWN, XSD, expand, iri, literal, quad, term
from bibld.model.release import DatasetDescription, Manifest
from bibld.serve._forms import Kind, is_document
from bibld.serve._graph import Incoming, ReleaseGraph, lines_of
from bibld.serve._language import Message, message
from bibld.serve._things import Finder, Gone, Moved
from bibld.serve._writers.terms import ends_of

HYDRA = "http://www.w3.org/ns/hydra/core#"
_CACHED_DOCUMENTS = 512
_DIGEST_BYTES = 16

_WITHDRAWN = "The record has been withdrawn."
_REASONS = {
    DELETED[0][0]: message("The record was deleted from its source."),
    WITHDRAWN[0][0]: message("The record was withdrawn from publication."),
}
_DELETED = literal(*DELETED[0]).encode()
_SAME_AS = term("owl:sameAs").encode()
_TYPE = term("rdf:type").encode()


class DocumentStatements:
    """The statements of the documents of one release."""

    def __init__(self, dataset: DatasetDescription) -> None:
        self._iris = Iris(dataset.base)
        self._base = dataset.base.encode()
        self._in_dataset = f" {term('void:inDataset')} {iri(self._iris.dataset)} .\n".encode()
        self._is_document = f" {term('rdf:type')} {term('foaf:Document')} .\n".encode()
        self._license = f" {term('dcterms:license')} {iri(dataset.license)} .\n".encode()
        self._same_resource = b"%b <%bresource/" % (_SAME_AS, self._base)
        self._see_also = f" {term('rdfs:seeAlso')} ".encode()
        self._source = f" {term('dcterms:source')} <{dataset.base}record/".encode()
        self._modified = f" {term('dcterms:modified')} ".encode()
        self._topic = f" {term('foaf:primaryTopic')} ".encode()

    def lines(self, document: Document, kind: Kind) -> bytes:
        """Return the lines of a document, then those about the document itself."""
        thing = b"<%b%b>" % (self._base, document.path.encode())
        if kind == "match":
            return document.quads + thing + self._in_dataset
        if is_document(kind):  # a record is in the dataset of its source, which its description states
            return document.quads
        name = b"<%bdoc/%b>" % (self._base, document.path.encode())
        modified = literal(document.modified, datatype=f"{XSD}dateTime").encode()
        about = [name, self._in_dataset, name, self._is_document, name, self._topic, thing, b" .\n"]
        about += (name, self._modified, modified, b" .\n", name, self._license)
        if kind == "entity":
            about += (name, self._see_also, name[:-1], b"?page=1> .\n")
        if kind == "resource":
            for member in self.members(document):
                about += (name, self._source, member, b"> .\n")
        return document.quads + b"".join(about)

    def members(self, document: Document) -> list[bytes]:
        """Return the records that a publication was made from, as the last part of their paths; its own is the first.

        Each is what follows ``record/`` and, since its resource is the same as this one, what follows ``resource/``.
        """
        found = [document.path.encode().partition(b"/")[2]]
        if self._same_resource not in document.quads:  # of most; a text with a rare beginning is found fast
            return found
        start = b"<%b%b> %b" % (self._base, document.path.encode(), self._same_resource)
        found += [document.quads[end : document.quads.index(b">", end)] for end in ends_of(start, document.quads)]
        return list(dict.fromkeys(found))

    def type_of(self, document: Document) -> str:
        """Return a class of the thing, of schema.org if there is one: the last of the lines; empty without one."""
        quads = document.quads
        start = b"<%b%b> %b <" % (self._base, document.path.encode(), _TYPE)
        offset = next(ends_of(start, quads), -1)
        while offset >= 0:  # the lines are sorted: those with types follow each other, and only the first is searched
            after = quads.index(b"\n", offset) + 1
            if not quads.startswith(start, after):
                return quads[offset : quads.index(b">", offset)].decode()
            offset = after + len(start)
        return ""

    def reason(self, document: Document) -> Message:
        """Return for people why and when what a document described was deleted, as far as its tombstone states it."""
        texts = {}
        for each in ox.parse(document.quads, format=ox.RdfFormat.N_QUADS):
            if isinstance(each.object, ox.Literal):
                texts[each.predicate.value, each.object.language or ""] = each.object.value
        record = texts.get((expand("dcterms:identifier"), "")) or _readable(document.path)
        reason = texts.get((expand("rdfs:comment"), "en"), "")
        time = texts.get((expand("prov:invalidatedAtTime"), ""), "")
        if not time:
            return message("The record %(record)s was withdrawn, and no other one replaces it.", record=record)
        day = datetime.fromisoformat(time).date()
        if not reason or reason == _WITHDRAWN:
            return message(
                "The record %(record)s was withdrawn on %(date)s, and no other one replaces it.",
                record=record,
                date=day,
            )
        return message(
            "The record %(record)s was withdrawn on %(date)s, and no other one replaces it. %(reason)s",
            record=record,
            date=day,
            reason=_REASONS.get(reason, reason),
        )


def is_deleted_by_source(document: Document) -> bool:
    """Whether a document is the tombstone of a record that its source deleted, and that nobody withdrew."""
    return document.status == 410 and _DELETED in document.quads and not document.is_withdrawn


class StoreDocuments:
    """Makes documents from the store of a release."""

    def __init__(self, manifest: Manifest, graph: ReleaseGraph, finder: Finder) -> None:
        self._manifest = manifest
        self._graph = graph
        self._finder = finder
        self._base = manifest.dataset.base
        self.document = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._document)

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of documents by path; none that are empty."""
        found = {}
        for path in paths:
            labels = self._graph.labels(self._base + path)
            if labels:
                found[path] = labels[0].text
        return found

    def close(self) -> None:
        """Close nothing: the store belongs to the release."""

    def _document(self, path: str) -> Document | None:
        found = self._finder.find(path)
        if found is None:
            return None
        if isinstance(found, Moved):
            return self._document_of(path, 303, found.path, b"")
        if isinstance(found, Gone):
            return self._document_of(path, 410, "", _tombstone(found.iri, str(found.record)))
        return self._document_of(path, 200, "", lines_of(self._graph.description(found.iri)))

    def _document_of(self, path: str, status: int, target: str, quads: bytes) -> Document:
        title = self.titles([path]).get(path, "") if status == 200 else ""
        digest = hashlib.blake2b(quads, digest_size=_DIGEST_BYTES).digest()
        return Document(path, status, target, title, self._manifest.number, self._manifest.created, digest, quads)


def page_lines(iris: Iris, path: str, page: int, incoming: Incoming, size: int) -> bytes:
    """Return the statements that point to the entity with this path, then those about the page and its neighbours."""
    thing = iri(iris.base + path)
    statements = sorted(
        quad(iri(subject), iri(predicate), thing) for each in incoming.things for subject, predicate in each.statements
    )
    document = f"{iris.base}doc/{path}"
    last = max(1, -(-incoming.total // size))
    neighbours = {"first": 1, "previous": page - 1, "next": page + 1, "last": last}
    name = iri(f"{document}?page={page}")
    about = [
        quad(iri(document), term("void:subset"), name),
        quad(name, term("foaf:primaryTopic"), thing),
        quad(name, term("rdf:type"), iri(f"{HYDRA}PartialCollectionView")),
        *(
            quad(name, iri(HYDRA + relation), iri(f"{document}?page={number}"))
            for relation, number in neighbours.items()
            if 1 <= number <= last
        ),
    ]
    if incoming.is_all:
        number = literal(str(incoming.total), datatype=f"{XSD}integer")
        about.append(quad(name, iri(f"{HYDRA}totalItems"), number))
    return "".join([*statements, *sorted(about)]).encode()


def _readable(path: str) -> str:
    """Return the record of a path as text; the end of the path if it names none."""
    rest = path.partition("/")[2]
    try:
        return str(record_of_path(rest))
    except ValueError:
        return rest


def _tombstone(thing: str, record: str) -> bytes:
    """Return the lines about what was withdrawn, where the release has none."""
    name = iri(thing)
    lines = (
        quad(name, term("owl:deprecated"), literal("true", datatype=f"{XSD}boolean")),
        quad(name, term("rdfs:comment"), literal(_WITHDRAWN, "en")),
        quad(name, term("dcterms:identifier"), literal(record)),
    )
    return "".join(lines).encode()
