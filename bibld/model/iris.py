"""All IRIs of the dataset. Nothing else in bibld builds one."""

from __future__ import annotations

import ipaddress
import re
from functools import cache, lru_cache

import msgspec

from bibld.model.authorities import AUTHORITIES
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId, from_slug, to_slug
from bibld.text.keys import key_identity

SUFFIXES = ("html", "ttl", "nt", "jsonld", "rdf", "mods.xml")
"""The formats of a document, as endings of its address."""

_BETWEEN_SLUGS = "~~"
"""Separates two slugs. It occurs in none, since two hexadecimal digits follow every ``~``."""

_IRIS_REMEMBERED = 16_384


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

    def work_of(self, record: RecordId, role: str = "") -> str:
        """Return the IRI of the work of a publication; or of another one that it alone names, with its ``role``."""
        return f"{self.base}work/{record.path}{_BETWEEN_SLUGS}{role}" if role else f"{self.base}work/{record.path}"

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

    def node_of(self, entity: str, other: str, part: str = "") -> str:
        """Return the IRI of the node of an entity that is about another one, or of a ``part`` of that node.

        It is named after the path of the other one, so that :func:`bibld.model.rdf.replace_entities` renames it, too.
        """
        return f"{entity}#{other[len(self.base) :]}{'/' if part else ''}{part}"

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


_WORK_OF_PUBLICATION = re.compile(r"(?:.*/)?work/(?!(?:agent|concept|place|publisher|series|work)/)[^/]+/[^/]+")


def has_role(iri: str) -> bool:
    """Whether an IRI is that of a work which one publication alone names; see :meth:`Iris.work_of`."""
    return _BETWEEN_SLUGS in iri


@lru_cache(maxsize=_IRIS_REMEMBERED)
def entity_identity(iri: str) -> str:
    """Return what the IRIs (or paths) of one entity have in common whose keys are spelled in different ways.

    It is not published. Of an entity that has a number, and of the work of a publication, whose control number may look
    like a key, it is the IRI. See :func:`bibld.text.keys.key_identity`.
    """
    if _WORK_OF_PUBLICATION.fullmatch(iri):
        return iri
    folder, slash, key = iri.rpartition("/")
    return folder + slash + key_identity(key)


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


_ASCII = r"A-Za-z0-9\-._~!$&'()*+,;=:@"
_NON_ASCII = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_INVISIBLE = re.compile("[\u0080-\u00a0\u00ad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]")
_MAX_PORT = 65535


@cache
def _pattern(more: str) -> re.Pattern[str]:
    """Return the pattern of an IRI that may contain characters beside those of ASCII.

    It is made when it is first needed, because that of all characters takes longer than many a command.
    """
    path = rf"(?:[{_ASCII}/{more}]|%[0-9A-Fa-f]{{2}})*"
    query = rf"(?:[{_ASCII}/?{more}]|%[0-9A-Fa-f]{{2}})*"
    host_name = rf"[A-Za-z0-9{more}](?:[A-Za-z0-9\-._{more}]*[A-Za-z0-9{more}.])?"
    host = rf"(?:{host_name}|\[(?P<address>[0-9A-Fa-f:.]+)\])"
    return re.compile(rf"(?i:https?)://{host}(?::(?P<port>[0-9]{{1,5}}))?(?:/{path})?(?:\?{query})?(?:#{query})?")


def is_web_iri(text: str) -> bool:
    """Return whether a text is an absolute http or https IRI (RFC 3987) that is safe to publish as a link.

    Safe is an IRI with a host, a possible port and no user information, without blanks, control characters, invisible
    characters and those that change the direction of writing.
    """
    found = _pattern("" if text.isascii() else _NON_ASCII).fullmatch(text)
    if found is None or _INVISIBLE.search(text):
        return False
    if found["port"] is not None and int(found["port"]) > _MAX_PORT:
        return False
    return found["address"] is None or _is_ipv6_address(found["address"])


def web_iri(text: str | None) -> str | None:
    """Return a text without the blanks around it if :func:`is_web_iri` accepts it, else None."""
    stripped = text.strip() if text is not None else ""
    return stripped if is_web_iri(stripped) else None


def _is_ipv6_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


PROVENANCE_GRAPH = "provenance"
"""The name of the graph for provenance."""

LINK_GRAPH = "links-"
"""What the names of graphs with links to an authority file begin with; its short name follows."""


def dataset_of_authority(name: str, iris: Iris) -> str:
    """Return the IRI of the dataset of an authority file by its short name; of an unknown one, an IRI of this site."""
    return AUTHORITIES[name].dataset if name in AUTHORITIES else f"{iris.dataset}#{name}"
