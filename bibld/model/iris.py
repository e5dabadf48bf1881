"""The table of IRIs: what has one, and what it looks like. Nothing else in bibld builds an IRI of the dataset."""

from __future__ import annotations

import msgspec

from bibld.model.linkage import Pair
from bibld.model.origin import RecordId, from_slug, to_slug

SUFFIXES = ("html", "ttl", "nt", "jsonld", "rdf", "mods.xml")
"""The forms in which a document can be asked for by name."""


_BETWEEN_SLUGS = "~~"
"""Stands between two slugs; it occurs in none, since two hexadecimal digits follow every ``~``."""


class Iris(msgspec.Struct, frozen=True):
    """All IRIs under one base, which ends with ``/``."""

    base: str

    def resource(self, record: RecordId) -> str:
        """A publication, as described by a record; a merged one has the IRI of its founder."""
        return f"{self.base}resource/{record.path}"

    def record(self, record: RecordId) -> str:
        """A source record, which is metadata."""
        return f"{self.base}record/{record.path}"

    def document(self, thing: str) -> str:
        """The document about a thing of this dataset; raises ``ValueError`` for an IRI of others."""
        path = self.path(thing)
        if path is None:
            raise ValueError(f"{thing} does not begin with {self.base}")
        return f"{self.base}doc/{path}"

    def agent(self, key: str) -> str:
        """A person, family, organisation or conference."""
        return f"{self.base}agent/{to_slug(key)}"

    def concept(self, scheme: str, key: str) -> str:
        """A subject or class of a scheme."""
        return f"{self.base}concept/{to_slug(scheme)}/{to_slug(key)}"

    def place(self, key: str) -> str:
        """A place."""
        return f"{self.base}place/{to_slug(key)}"

    def publisher(self, key: str) -> str:
        """A publisher."""
        return f"{self.base}publisher/{to_slug(key)}"

    def series(self, key: str) -> str:
        """A series."""
        return f"{self.base}series/{to_slug(key)}"

    def match(self, pair: Pair) -> str:
        """The match of two records."""
        return f"{self.base}match/{to_slug(str(pair.left))}{_BETWEEN_SLUGS}{to_slug(str(pair.right))}"

    def source(self, source: str) -> str:
        """A source: the part of the dataset that one library gave."""
        return f"{self.base}dataset/{source}"

    def graph(self, name: str) -> str:
        """A named graph."""
        return f"{self.base}graph/{name}"

    def term(self, name: str) -> str:
        """A term of bibld's ontology as this site publishes it."""
        return f"{self.ontology}#{name}"

    @property
    def ontology(self) -> str:
        """The ontology's document."""
        return f"{self.base}ontology"

    @property
    def dataset(self) -> str:
        """The dataset."""
        return f"{self.base}dataset"

    def path(self, thing: str) -> str | None:
        """What follows the base in an IRI, without its fragment; None for an IRI of others."""
        if not thing.startswith(self.base):
            return None
        return thing[len(self.base) :].partition("#")[0]


def pair_of_match(slug: str) -> Pair:
    """The pair that a match's slug names; raises ``ValueError`` for a slug that names none."""
    left, between, right = slug.partition(_BETWEEN_SLUGS)
    if not between:
        raise ValueError(f"{slug!r} names no match")
    return Pair.from_records(RecordId.parse(from_slug(left)), RecordId.parse(from_slug(right)))


def record_of_path(path: str) -> RecordId:
    """The record that ``source/slug`` names; raises ``ValueError`` for a path that names none."""
    source, _, slug = path.partition("/")
    return RecordId.parse(f"{source}:{from_slug(slug)}")
