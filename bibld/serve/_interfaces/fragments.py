"""Triple Pattern Fragments: the triples of one pattern, in pages, with the form to ask for others.

Each page is two queries to the processes of the SPARQL endpoint, with their deadlines, and shares their places.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from urllib.parse import urlencode

import msgspec
import pyoxigraph as ox

from bibld.model.rdf import PREFIXES, expand
from bibld.model.release import Manifest
from bibld.protocols import Query
from bibld.serve._graph import triple
from bibld.serve._http import ProblemError
from bibld.serve._sparql.pool import Pool

PAGE = 100
"""Triples of one page."""
_MOST_PAGES = 100_000
_COUNTED = 100_000
"""Triples that are counted; of a pattern with more, this number is stated."""
_REMEMBERED = 2000
_MEBIBYTES = 4
_HYDRA = "http://www.w3.org/ns/hydra/core#"
_LITERAL = re.compile(r'"(.*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^<?([^<>"\s]+)>?)?', re.DOTALL)
_COUNT_TYPE = "application/sparql-results+json"
FORMATS = {
    "text/html": None,
    "application/trig": ox.RdfFormat.TRIG,
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-quads": ox.RdfFormat.N_QUADS,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/ld+json": ox.RdfFormat.JSON_LD,
}
"""Media types that are answered with."""

Term = ox.NamedNode | ox.Literal


class Pattern(msgspec.Struct, frozen=True):
    """A triple pattern as its address has it; empty for what is not given. ``page`` begins with 1."""

    subject: str = ""
    predicate: str = ""
    object: str = ""
    page: int = 1

    @classmethod
    def from_parameters(cls, pairs: list[tuple[str, str]]) -> Pattern:
        """Read the parameters of a request; raises the ``ProblemError`` 400."""
        values = {name: value for name, value in pairs if name in cls.__struct_fields__}
        page = values.pop("page", "1")
        if not page.isascii() or not page.isdecimal() or not 1 <= int(page) <= _MOST_PAGES:
            raise ProblemError(400, "Not a page", f"page is a number from 1 to {_MOST_PAGES:,}.")
        return cls(**values, page=int(page))

    def terms(self) -> tuple[Term | None, Term | None, Term | None]:
        """Return the three terms, None for a variable; raises the ``ProblemError`` 400."""
        subject, predicate, value = (_term(text) for text in (self.subject, self.predicate, self.object))
        if isinstance(subject, ox.Literal) or isinstance(predicate, ox.Literal):
            raise ProblemError(400, "Not a pattern", "A literal can only be the object of a pattern.")
        return subject, predicate, value


class Fragment(msgspec.Struct, frozen=True):
    """One page: its triples, and the number of all triples of the pattern, or an estimate of it."""

    pattern: Pattern
    triples: tuple[ox.Triple, ...]
    count: int


class Fragments:
    """Finds and writes fragments."""

    def __init__(self, pool: Pool, manifest: Manifest) -> None:
        self._pool = pool
        self._base = manifest.dataset.base
        self._quads = manifest.figures.quads
        self._counts: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    @property
    def url(self) -> str:
        """The address of the first fragment."""
        return f"{self._base}fragments"

    async def find(self, pattern: Pattern, client: str) -> Fragment:
        """Return one page; raises the errors of ``Pool.answer``."""
        terms = pattern.terms()
        where = " ".join(str(term) if term else f"?{name}" for term, name in zip(terms, "spo", strict=True))
        first = (pattern.page - 1) * PAGE
        inner = f"SELECT * WHERE {{ {where} }} LIMIT {PAGE} OFFSET {first}"
        text = f"CONSTRUCT {{ {where} }} WHERE {{ {inner} }}"
        query = Query(text, self._base, graph="application/n-triples")
        answer = await self._pool.answer(query, _MEBIBYTES, client)
        triples = tuple(quad.triple for quad in ox.parse(answer.body, format=ox.RdfFormat.N_TRIPLES))
        seen = first + len(triples)
        if len(triples) < PAGE and (triples or pattern.page == 1):
            return Fragment(pattern, triples, seen)
        return Fragment(pattern, triples, max(seen, await self._count(pattern, where, client)))

    async def _count(self, pattern: Pattern, where: str, client: str) -> int:
        key = (pattern.subject, pattern.predicate, pattern.object)
        if not any(key):
            return self._quads
        if key not in self._counts:
            text = f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT * WHERE {{ {where} }} LIMIT {_COUNTED} }}"
            answer = await self._pool.answer(Query(text, self._base, table=_COUNT_TYPE), _MEBIBYTES, client)
            (row,) = msgspec.json.decode(answer.body)["results"]["bindings"]
            self._counts[key] = int(row["n"]["value"])
            if len(self._counts) > _REMEMBERED:
                self._counts.popitem(last=False)
        return self._counts[key]

    def write(self, fragment: Fragment, media_type: str) -> bytes:
        """Return a fragment with its controls; in formats with graphs these are in a graph of the page."""
        kind = FORMATS[media_type]
        assert kind is not None
        graph = ox.NamedNode(f"{self._page_url(fragment.pattern)}#metadata") if kind.supports_datasets else None
        quads = [ox.Quad(each.subject, each.predicate, each.object) for each in fragment.triples]
        controls = self._controls(fragment)
        if graph is not None:
            controls.append(triple(graph.value, "foaf:primaryTopic", self._page_url(fragment.pattern)))
        quads += [ox.Quad(each.subject, each.predicate, each.object, graph) for each in controls]
        prefixes = {"hydra": _HYDRA, **{name: PREFIXES[name] for name in ("void", "dcterms", "foaf", "rdfs")}}
        names = prefixes if kind in (ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG) else None
        return ox.serialize(quads, format=kind, prefixes=names) or b""

    def _controls(self, fragment: Fragment) -> list[ox.Triple]:
        collection = self._url_of(fragment.pattern, 0)
        page = self._page_url(fragment.pattern)
        dataset, search = f"{self.url}#dataset", f"{self.url}#search"
        found = [
            triple(dataset, "rdf:type", expand("void:Dataset")),
            triple(dataset, "rdf:type", f"{_HYDRA}Collection"),
            triple(dataset, "void:subset", collection),
            _hydra(dataset, "search", search),
            _hydra(search, "template", ox.Literal(f"{self.url}{{?subject,predicate,object}}")),
            _hydra(search, "variableRepresentation", f"{_HYDRA}ExplicitRepresentation"),
            triple(collection, "void:subset", page),
            triple(page, "rdf:type", f"{_HYDRA}PartialCollectionView"),
            triple(page, "dcterms:source", f"{self._base}dataset"),
        ]
        for name in ("subject", "predicate", "object"):
            mapping = f"{self.url}#{name}"
            found.append(_hydra(search, "mapping", mapping))
            found.append(_hydra(mapping, "variable", ox.Literal(name)))
            found.append(_hydra(mapping, "property", expand(f"rdf:{name}")))
        count = ox.Literal(fragment.count)
        for each in dict.fromkeys((collection, page)):
            found.append(triple(each, "void:triples", count))
            found.append(_hydra(each, "totalItems", count))
            found.append(_hydra(each, "itemsPerPage", ox.Literal(PAGE)))
        for name, number in self.pages(fragment).items():
            found.append(_hydra(page, name, self._url_of(fragment.pattern, number)))
        return found

    def pages(self, fragment: Fragment) -> dict[str, int]:
        """Return the numbers of the pages ``first``, ``previous`` and ``next``, where there are such."""
        page = fragment.pattern.page
        found = {"first": 1}
        if page > 1:
            found["previous"] = page - 1
        if (fragment.triples and page * PAGE < fragment.count) or len(fragment.triples) == PAGE < fragment.count:
            found["next"] = page + 1
        return found

    def _page_url(self, pattern: Pattern) -> str:
        return self._url_of(pattern, pattern.page)

    def _url_of(self, pattern: Pattern, page: int) -> str:
        """Return the address of a page; 0 for that of the fragment."""
        query = query_of(pattern, page)
        return f"{self.url}?{query}" if query else self.url


def query_of(pattern: Pattern, page: int) -> str:
    """Return the part of an address after the question mark; 0 leaves out the number of the page."""
    values = {name: value for name in ("subject", "predicate", "object") if (value := getattr(pattern, name))}
    return urlencode({**values, "page": page} if page else values)


def _term(text: str) -> Term | None:
    if not text or text.startswith(("?", "_:")):
        return None
    try:
        found = _LITERAL.fullmatch(text)
        if found is None:
            return ox.NamedNode(text.removeprefix("<").removesuffix(">"))
        if found[2]:
            return ox.Literal(found[1], language=found[2])
        return ox.Literal(found[1], datatype=ox.NamedNode(found[3])) if found[3] else ox.Literal(found[1])
    except ValueError as error:
        raise ProblemError(400, "Not a term", f"{text[:200]} is neither an IRI nor a literal: {error}") from error


def _hydra(subject: str, name: str, value: str | ox.Literal) -> ox.Triple:
    return ox.Triple(
        ox.NamedNode(subject), ox.NamedNode(_HYDRA + name), ox.NamedNode(value) if isinstance(value, str) else value
    )
