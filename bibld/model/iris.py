"""All IRIs of the dataset. Nothing else in bibld builds one."""

from __future__ import annotations

import msgspec

from bibld.model.linkage import Pair
from bibld.model.origin import RecordId, from_slug, to_slug

SUFFIXES = ("html", "ttl", "nt", "jsonld", "rdf", "mods.xml")
"""The formats of a document, as endings of its address."""

_BETWEEN_SLUGS = "~~"
"""Separates two slugs. It occurs in none, since two hexadecimal digits follow every ``~``."""


class Iris(msgspec.Struct, frozen=True):
    """Builds and reads IRIs under one base, which ends with ``/``."""

    base: str

    def resource(self, record: RecordId) -> str:
        """Return the IRI of a publication as described by a record; a merged one has the IRI of its founder."""
        return f"{self.base}resource/{record.path}"

    def record(self, record: RecordId) -> str:
        """Return the IRI of a source record, which is metadata."""
        return f"{self.base}record/{record.path}"

    def document(self, thing: str) -> str:
        """Return the IRI of the document about a thing of this dataset; raises ``ValueError`` for a foreign IRI."""
        path = self.path(thing)
        if path is None:
            raise ValueError(f"{thing} does not begin with {self.base}")
        return f"{self.base}doc/{path}"

    def agent(self, key: str) -> str:
        """Return the IRI of a person, family, organisation or conference."""
        return f"{self.base}agent/{to_slug(key)}"

    def concept(self, scheme: str, key: str) -> str:
        """Return the IRI of a subject or class of a scheme."""
        return f"{self.base}concept/{to_slug(scheme)}/{to_slug(key)}"

    def scheme(self, code: str) -> str:
        """Return the IRI of a scheme of concepts."""
        return f"{self.base}concept/{to_slug(code)}"

    def work(self, key: str) -> str:
        """Return the IRI of a work."""
        return f"{self.base}work/{to_slug(key)}"

    def place(self, key: str) -> str:
        """Return the IRI of a place."""
        return f"{self.base}place/{to_slug(key)}"

    def publisher(self, key: str) -> str:
        """Return the IRI of a publisher."""
        return f"{self.base}publisher/{to_slug(key)}"

    def series(self, key: str) -> str:
        """Return the IRI of a series."""
        return f"{self.base}series/{to_slug(key)}"

    def match(self, pair: Pair) -> str:
        """Return the IRI of the match of two records."""
        return f"{self.base}match/{to_slug(str(pair.left))}{_BETWEEN_SLUGS}{to_slug(str(pair.right))}"

    def source(self, source: str) -> str:
        """Return the IRI of the part of the dataset that comes from one source."""
        return f"{self.base}dataset/{source}"

    def graph(self, name: str) -> str:
        """Return the IRI of a named graph."""
        return f"{self.base}graph/{name}"

    def term(self, name: str) -> str:
        """Return the IRI of a term of bibld's ontology as this site publishes it."""
        return f"{self.ontology}#{name}"

    @property
    def ontology(self) -> str:
        """The IRI of the ontology."""
        return f"{self.base}ontology"

    @property
    def dataset(self) -> str:
        """The IRI of the dataset."""
        return f"{self.base}dataset"

    def path(self, thing: str) -> str | None:
        """Return the part of an IRI after the base, without its fragment; None for a foreign IRI."""
        if not thing.startswith(self.base):
            return None
        return thing[len(self.base) :].partition("#")[0]


def pair_of_match(slug: str) -> Pair:
    """Return the pair of a match by its slug; raises ``ValueError`` for any other text."""
    left, between, right = slug.partition(_BETWEEN_SLUGS)
    if not between:
        raise ValueError(f"{slug!r} is not the slug of a match")
    return Pair.from_records(RecordId.parse(from_slug(left)), RecordId.parse(from_slug(right)))


def record_of_path(path: str) -> RecordId:
    """Return the record with the path ``source/slug``; raises ``ValueError`` for any other text."""
    source, _, slug = path.partition("/")
    return RecordId.parse(f"{source}:{from_slug(slug)}")
